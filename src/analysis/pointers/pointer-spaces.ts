/**
 * Which memory each pointer of a function points at, where that can be told.
 *
 * Lattice: not reached yet, one space, "generic". Optimistic fixpoint: a pointer falls to one space, and to "generic"
 * where two spaces meet. How pointers derive from one another is pointer-origins.ts's. Pointers that a kernel is given
 * are global, as nvcc takes them to be: the host has no others to give; so are those inside of structs that a kernel is
 * given by value. What comes out of memory, of integers and of calls is generic.
 *
 * Source: LLVM's InferAddressSpaces. Used by: PTX, which holds a pointer in the form of its space (`PointerSpace`).
 */
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import { derivationOf, type Derivation } from "./pointer-origins.ts";
import type { IrConstant, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";

/**
 * How a pointer is held in its 32 bits: "global", "constant" and "generic" by the program's address (address-map.ts),
 * "shared" and "local" by the address in that space, "param" by the distance from the parameter, which pointers to it
 * name in `paramOf`.
 */
export type PointerSpace = "global" | "constant" | "generic" | "shared" | "local" | "param";

export type PointerSpaces = ReadonlyMap<IrValue, PointerSpace>;

/** What the number of an IR address space says; null for the generic one. */
export function declaredSpace(addressSpace: number): PointerSpace | null {
  switch (addressSpace) {
    case 1:
      return "global";
    case 3:
      return "shared";
    case 4:
      return "constant";
    case 5:
      return "local";
    default:
      return null;
  }
}

/** Null for null and undefined pointers, which fit any. */
export function spaceOfConstant(constant: IrConstant): PointerSpace | null {
  if (constant.type.kind === "ptr" && constant.type.addressSpace !== 0)
    return declaredSpace(constant.type.addressSpace) ?? "generic";
  switch (constant.kind) {
    case "const-null":
    case "const-undef":
      return null;
    case "global":
      return declaredSpace(constant.type.addressSpace) ?? "global";
    case "function":
      return "generic";
    case "const-expr": {
      let space: PointerSpace | null = null;
      let symbols = 0;
      forEachSymbol(constant, (symbol) => {
        symbols++;
        space = symbol.kind === "function" ? "generic" : (declaredSpace(symbol.type.addressSpace) ?? "global");
      });
      // Differences of addresses and numbers made pointers tell nothing.
      return symbols === 1 && !/inttoptr/.test(operatorsOf(constant)) ? space : "generic";
    }
    default:
      return "generic";
  }
}

function operatorsOf(constant: IrConstant): string {
  if (constant.kind !== "const-expr") return "";
  const e = constant.instruction;
  if (e.op === "cast") return `${e.operator} ${operatorsOf(e.operand)}`;
  return e.op === "gep" ? operatorsOf(e.base) : `${operatorsOf(e.lhs)} ${operatorsOf(e.rhs)}`;
}

export function inferPointerSpaces(fn: IrFunction): PointerSpaces {
  const known = new Map<IrValue, PointerSpace>();
  for (const param of fn.params) {
    if (param.type.kind !== "ptr") continue;
    known.set(
      param,
      param.byval !== null && fn.isKernel
        ? "param"
        : (declaredSpace(param.type.addressSpace) ?? (fn.isKernel ? "global" : "generic")),
    );
  }
  const spaceOf = (value: IrValue): PointerSpace | null => {
    if (value.kind === "instruction" || value.kind === "param") return known.get(value) ?? null;
    return value.kind === "inline-asm" || value.kind === "metadata" ? "generic" : spaceOfConstant(value);
  };
  const pointers: IrInstruction[] = [];
  for (const block of fn.blocks)
    for (const instruction of block.instructions) if (instruction.type.kind === "ptr") pointers.push(instruction);
  for (let changed = true; changed;) {
    changed = false;
    for (const pointer of pointers) {
      const now = transfer(pointer, spaceOf);
      if (now === null || now === known.get(pointer)) continue;
      known.set(pointer, known.has(pointer) ? "generic" : now);
      changed = true;
    }
  }
  // What nothing reaches (cycles of phis, undefined values) may be anything.
  for (const pointer of pointers) if (!known.has(pointer)) known.set(pointer, "generic");
  return known;
}

function transfer(i: IrInstruction, spaceOf: (value: IrValue) => PointerSpace | null): PointerSpace | null {
  if (i.type.kind === "ptr" && i.type.addressSpace !== 0) return declaredSpace(i.type.addressSpace) ?? "generic";
  const made = derivationOf(i);
  if (made !== null) return spaceOfDerived(made, spaceOf);
  if (i.op === "alloca") return "local";
  if (i.op !== "load") return "generic";
  const loadedFrom = spaceOf(i.pointer);
  if (loadedFrom === null) return null;
  return loadedFrom === "param" ? "global" : "generic";
}

function spaceOfDerived(made: Derivation, spaceOf: (value: IrValue) => PointerSpace | null): PointerSpace | null {
  switch (made.kind) {
    case "offset":
      return made.from.kind === "const-null" ? "generic" : spaceOf(made.from);
    case "copy":
    case "intrinsic":
      return spaceOf(made.from);
    case "merge":
      return meet(made.from, spaceOf);
    case "integer": {
      const source = pointerBehind(made.from);
      if (source === null || source.type.kind !== "ptr" || source.type.addressSpace !== 0) return "generic";
      return spaceOf(source) === "param" ? "generic" : spaceOf(source);
    }
  }
}

/** Bytes that arithmetic on a pointer's bits may move it by and still leave it in its space. */
const MAX_ROUNDING = 4096n;

/**
 * The pointer that a number was made of, where constants are all that came to it: rounded down, say. Its bits are the
 * program's, whatever its space.
 */
function pointerBehind(value: IrValue): IrValue | null {
  for (let at = value; at.kind === "instruction";) {
    if (at.op === "cast" && at.operator === "ptrtoint") return at.operand;
    if (at.op !== "binary" || at.rhs.kind !== "const-int" || !["and", "add", "sub", "or"].includes(at.operator))
      return null;
    const constant = BigInt.asIntN(at.rhs.type.bits, at.rhs.value);
    if (
      at.operator === "and"
        ? constant >= 0n || constant < -MAX_ROUNDING
        : constant < -MAX_ROUNDING || constant > MAX_ROUNDING
    )
      return null;
    at = at.lhs;
  }
  return null;
}

/** Null may join with pointers whose null is 0, which those to shared and local memory are not. */
function meet(values: readonly IrValue[], spaceOf: (value: IrValue) => PointerSpace | null): PointerSpace | null {
  let space: PointerSpace | null = null;
  let hasNull = false;
  for (const value of values) {
    if (value.kind === "const-null") hasNull = true;
    const other = spaceOf(value);
    if (other === null) continue;
    if (other === "param" || (space !== null && space !== other)) return "generic";
    space = other;
  }
  return hasNull && (space === "shared" || space === "local") ? "generic" : space;
}
