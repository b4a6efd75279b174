/**
 * Which objects a pointer may belong to: a parameter, a variable, a local array, an allocation, or whatever was loaded
 * or returned.
 *
 * A pointer belongs to the object that it was made from, wherever arithmetic takes it: its provenance (LLVM LangRef,
 * "Pointer Aliasing Rules"). So the question is answered backwards, one derivation at a time, until a value is reached
 * that no derivation explains: an origin. The lattice is the power set of origins, joined at phis and selects.
 *
 * Used by: the checkers' bounds of pointers (pointer-bounds.ts) and all that groups accesses by object;
 * access-summary.ts (launch reuse), pointer-spaces.ts (PTX), block-uniformity.ts, PTX passes. Each of them follows
 * `derivationOf`, and says which kinds of derivation it does not follow.
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { ConstExprInstruction, IrInstruction, IrType, IrValue } from "../../ir/model/ir.ts";

/** The address arithmetic of one getelementptr. */
export interface GepStep {
  readonly sourceType: IrType;
  readonly indices: readonly IrValue[];
}

/** How one instruction makes a pointer of others. */
export type Derivation =
  /** `from` moved by some bytes. */
  | { readonly kind: "offset"; readonly from: IrValue; readonly gep: GepStep }
  /** `from` itself, in another address space perhaps. */
  | { readonly kind: "copy"; readonly from: IrValue }
  /** The result of an intrinsic that returns its first argument, with bits masked at most. */
  | { readonly kind: "intrinsic"; readonly from: IrValue }
  /** The integer `from`, taken as an address. */
  | { readonly kind: "integer"; readonly from: IrValue }
  /** One of several pointers: a phi or a select. */
  | { readonly kind: "merge"; readonly from: readonly IrValue[] };

/** The instruction of a value, or of a constant expression; null for all other values. */
export function operationOf(value: IrValue): IrInstruction | ConstExprInstruction | null {
  if (value.kind === "instruction") return value;
  return value.kind === "const-expr" ? value.instruction : null;
}

/** How the pointer was made; null: it is an origin. */
export function derivationOf(pointer: IrValue): Derivation | null {
  const i = operationOf(pointer);
  switch (i?.op) {
    case "gep":
      return { kind: "offset", from: i.base, gep: i };
    case "cast":
      if (i.operator === "inttoptr") return { kind: "integer", from: i.operand };
      return (i.operator === "addrspacecast" || i.operator === "bitcast") && i.operand.type.kind === "ptr"
        ? { kind: "copy", from: i.operand }
        : null;
    case "freeze":
      return { kind: "copy", from: i.operand };
    case "phi":
      return { kind: "merge", from: i.incoming.map(({ value }) => value) };
    case "select":
      return { kind: "merge", from: [i.then, i.else] };
    case "call": {
      const [first] = i.args;
      return first !== undefined && i.callee.kind === "function" && intrinsicOf(i.callee.name)?.returnsOperand === true
        ? { kind: "intrinsic", from: first }
        : null;
    }
    default:
      return null;
  }
}

/** The one pointer that a pointer was moved or copied from; null where it was made in another manner. */
function previousPointer(pointer: IrValue): IrValue | null {
  const made = derivationOf(pointer);
  return made?.kind === "offset" || made?.kind === "copy" ? made.from : null;
}

/** More steps than any pointer is made in: in code that nothing reaches, a gep may be its own base. */
const MAX_STEPS = 1 << 16;

/** The first value on the way back that is no gep, no cast between address spaces and no freeze. */
export function underlyingPointer(pointer: IrValue): IrValue {
  let at = pointer;
  for (let step = 0; step < MAX_STEPS; step++) {
    const from = previousPointer(at);
    if (from === null) break;
    at = from;
  }
  return at;
}

/** The same, where an integer that was made of one pointer also counts as that pointer. */
export function underlyingThroughIntegers(pointer: IrValue): IrValue {
  for (let at = pointer; ;) {
    const made = derivationOf(at);
    const from = made?.kind === "integer" ? pointerInInteger(made.from, MAX_INTEGER_STEPS) : previousPointer(at);
    if (from === null) return at;
    at = from;
  }
}

/** Arithmetic on an address as an integer is looked through this far. */
const MAX_INTEGER_STEPS = 4;

/** The one pointer that went into an integer; null where none did, or several. */
function pointerInInteger(value: IrValue, depth: number): IrValue | null {
  const i = operationOf(value);
  if (i === null || depth === 0) return null;
  if (i.op === "cast" && i.operator === "ptrtoint") return i.operand;
  if (i.op === "cast" && (i.operator === "zext" || i.operator === "trunc"))
    return pointerInInteger(i.operand, depth - 1);
  if (i.op !== "binary" || !["add", "sub", "and", "or"].includes(i.operator)) return null;
  const [left, right] = [pointerInInteger(i.lhs, depth - 1), pointerInInteger(i.rhs, depth - 1)];
  return left !== null && right !== null ? null : (left ?? right);
}

/** All values that a pointer may have been made from: its origins. Phis and selects give several. */
export function originsOf(pointer: IrValue): ReadonlySet<IrValue> {
  const origins = new Set<IrValue>();
  const seen = new Set<IrValue>();
  const collect = (value: IrValue): void => {
    const at = underlyingThroughIntegers(value);
    if (seen.has(at)) return;
    seen.add(at);
    const made = derivationOf(at);
    if (made?.kind === "merge") made.from.forEach(collect);
    else origins.add(at);
  };
  collect(pointer);
  return origins;
}

/** The value below all casts, of pointers and of integers. */
export function withoutCasts(pointer: IrValue): IrValue {
  let at = pointer;
  for (let i = operationOf(at); i?.op === "cast"; i = operationOf(at)) at = i.operand;
  return at;
}

/**
 * A pointer as its origin and the geps that lead from there to the pointer, the last one first. Null where phis,
 * selects or integers lie between, or where `isOrigin` does not accept the value that is reached.
 */
export function stepsFromOrigin(
  pointer: IrValue,
  isOrigin: (value: IrValue) => boolean,
): { readonly origin: IrValue; readonly geps: readonly GepStep[] } | null {
  const geps: GepStep[] = [];
  let at = pointer;
  for (let made = derivationOf(at); made?.kind === "offset" || made?.kind === "copy"; made = derivationOf(at)) {
    if (made.kind === "offset") geps.push(made.gep);
    at = made.from;
  }
  return isOrigin(at) ? { origin: at, geps } : null;
}
