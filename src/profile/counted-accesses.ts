/**
 * The accesses of a function as a GPU executes them: neighbours that our PTX reads or writes as one vector are one
 * access, and what is not aligned to its size is several.
 *
 * Source: PTX ISA, "ld" and "st" (an address is a multiple of the access's size); vectors: ptx/passes.
 */
import { inferPointerSpaces, spaceOfConstant, type PointerSpace } from "../analysis/pointers/pointer-spaces.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import { splitConstantOffset } from "../ir/model/gep.ts";
import type {
  CallInstruction,
  IrConstant,
  IrFunction,
  IrInstruction,
  IrValue,
  LoadInstruction,
} from "../ir/model/ir.ts";
import { sizeOf, storeSize } from "../ir/model/layout.ts";
import { provenAlignment } from "../analysis/pointers/proven-alignment.ts";
import { underlyingPointer } from "../analysis/pointers/pointer-origins.ts";
import { isMatrixFunction, isWarpgroupProduct } from "../ptx/emit/library-functions.ts";
import { useCounts } from "../ir/model/uses.ts";
import { isCopiedWord, partialCopyBytes } from "../instrument/accesses.ts";
import { isToolAddress } from "../machine/observer.ts";
import type { CountedSpace } from "../machine/warp-counts.ts";
import type { CopyingLanes } from "./copying-lanes.ts";
import { QUAD_BYTES, sharedQuads, type SharedQuad } from "./shape/shared-quads.ts";
import { groupMemory, type MemoryGroups } from "../ptx/passes/pass-vectorize-memory.ts";

/**
 * Reductions are atomics whose result nobody uses (PTX ISA, "red"). A copy is what cp.async writes; what it reads of
 * global memory is a load.
 */
export type AccessOperation = "load" | "store" | "atomic" | "reduction" | "copy";

export interface CountedAccess {
  readonly operation: AccessOperation;
  readonly space: CountedSpace;
  readonly pointer: IrValue;
  /** From `pointer` on. */
  readonly offset: number;
  /** 1, 2, 4, 8 or 16. */
  readonly bytes: number;
  /** Which lanes take part, where that is not known before they run. null: all that execute the instruction. */
  readonly lanes: CopyingLanes | null;
  /** A further turn of a request that is counted already: of it the wavefronts count alone. */
  readonly isSecondTurn: boolean;
}

/** The widest access of one thread (PTX ISA, "ld": .v4.b32). */
const WIDEST_BYTES = 16;
/** A longer copy becomes a loop (LLVM, NVPTXLowerAggrCopies). */
const MAX_COPY_BYTES = 128;

/** Finds the accesses of one function. */
export class FunctionAccesses {
  readonly #uses: ReadonlyMap<IrValue, number>;
  readonly #matrixRegisters: ReadonlySet<IrValue>;
  readonly #groups: MemoryGroups;
  readonly #quads: ReadonlyMap<LoadInstruction, SharedQuad>;
  readonly #spaceOf: (pointer: IrValue) => PointerSpace;

  constructor(fn: IrFunction) {
    const spaces = inferPointerSpaces(fn);
    this.#spaceOf = (value) => {
      if (value.kind === "instruction" || value.kind === "param") return spaces.get(value) ?? "generic";
      return spaceOfConstant(value as IrConstant) ?? "generic";
    };
    this.#uses = useCounts(fn);
    this.#matrixRegisters = matrixRegisters(fn);
    this.#quads = sharedQuads(fn);
    this.#groups = groupMemory({
      fn,
      spaceOf: this.#spaceOf,
      splitPointer: (pointer) => splitConstantOffset(pointer, (gep) => gep.type.kind === "ptr"),
    });
  }

  /**
   * An access to what a matrix instruction takes from registers or leaves there: its code for the emulated device has
   * it in memory.
   */
  isMatrixRegister(i: IrInstruction): boolean {
    return (i.op === "load" || i.op === "store") && this.#matrixRegisters.has(underlyingPointer(i.pointer));
  }

  of(i: IrInstruction): CountedAccess[] {
    if (this.isMatrixRegister(i)) return [];
    const quad = i.op === "load" ? this.#quads.get(i) : undefined;
    if (quad !== undefined) {
      const { leader, variable, offset } = quad;
      return leader === i ? this.#pieces("load", variable, { offset, bytes: QUAD_BYTES, align: QUAD_BYTES }) : [];
    }
    switch (i.op) {
      case "load":
      case "store": {
        const group = i.op === "load" ? this.#groups.loads.get(i) : this.#groups.stores.get(i);
        const operation = isCopiedWord(i) ? "copy" : i.op;
        const bytes = storeSize(i.op === "load" ? i.type : i.value.type);
        if (group === undefined)
          return this.#pieces(operation, i.pointer, { bytes, align: Math.max(i.align, provenAlignment(i.pointer)) });
        if (group.leader !== i) return [];
        const all = bytes * group.members.length;
        return this.#pieces(operation, group.pointer, { offset: group.offset, bytes: all, align: all });
      }
      case "atomicrmw":
      case "cmpxchg":
        return this.#atomic(i, i.pointer, sizeOf(i.op === "atomicrmw" ? i.value.type : i.expected.type));
      case "call":
        return this.#ofCall(i);
      default:
        return [];
    }
  }

  #ofCall(call: CallInstruction): CountedAccess[] {
    const matrices = matrixAccess(call);
    if (matrices !== null)
      return this.#pieces(matrices.operation, matrices.pointer, { bytes: MATRIX_ROW_BYTES, align: MATRIX_ROW_BYTES });
    const facts = calledIntrinsic(call);
    const [first, second, third] = call.args;
    const partial = partialCopyBytes(call);
    const taken = call.args[partial === null ? 2 : 3];
    if (partial !== null && first !== undefined && second !== undefined && taken !== undefined)
      return this.#partialCopy(first, second, partial, taken);
    if (facts === null || first === undefined) return [];
    if (facts.memoryRange !== null) {
      // Of unknown length: a loop over bytes. It is rare in kernels.
      if (third?.kind !== "const-int" || third.value > MAX_COPY_BYTES) return [];
      const bytes = Number(third.value);
      const writes = this.#pieces("store", first, { bytes, align: call.argAlign?.[0] ?? 1 });
      if (facts.memoryRange === "memset" || second === undefined) return writes;
      return [...this.#pieces("load", second, { bytes, align: call.argAlign?.[1] ?? 1 }), ...writes];
    }
    if (facts.isReadOnlyLoad) {
      const bytes = storeSize(call.type);
      return this.#pieces("load", first, { bytes, align: bytes });
    }
    if (facts.asyncCopy !== null && second !== undefined) {
      const { bytes, isPartial } = facts.asyncCopy;
      if (isPartial && third !== undefined) return this.#partialCopy(first, second, bytes, third);
      return this.#copy(first, second, bytes);
    }
    return facts.atomic === null ? [] : this.#atomic(call, first, storeSize(call.type));
  }

  /** Asynchronous: 4, 8 or 16 bytes. */
  #copy(to: IrValue, from: IrValue, bytes: number): CountedAccess[] {
    return [
      ...this.#pieces("load", from, { bytes, align: bytes }),
      ...this.#pieces("copy", to, { bytes, align: bytes }),
    ];
  }

  /**
   * Lanes that take nothing read nothing, and write zeros. Where lanes take a part, an H200 needs as many wavefronts
   * again for the zeros: measured where all lanes of a warp do (docs/lab/profile-cp-async.json).
   */
  #partialCopy(to: IrValue, from: IrValue, bytes: number, taken: IrValue): CountedAccess[] {
    const accesses = this.#copy(to, from, bytes);
    const zeros = accesses
      .filter(({ operation }) => operation === "copy")
      .map((access) => ({ ...access, isSecondTurn: true }));
    if (taken.kind === "const-int") {
      if (taken.value === 0n) return accesses.filter(({ operation }) => operation === "copy");
      return taken.value < bytes ? [...accesses, ...zeros] : accesses;
    }
    const lanes = { taken, bytes, to, from } as const;
    return [
      ...accesses.map((access): CountedAccess => {
        if (access.operation === "copy") return access;
        return { ...access, space: "global", lanes: { ...lanes, which: "taking" } };
      }),
      ...zeros.map((access): CountedAccess => ({ ...access, lanes: { ...lanes, which: "filling" } })),
    ];
  }

  #atomic(i: IrInstruction, pointer: IrValue, bytes: number): CountedAccess[] {
    const operation = i.op === "cmpxchg" || (this.#uses.get(i) ?? 0) > 0 ? "atomic" : "reduction";
    return this.#pieces(operation, pointer, { bytes, align: bytes });
  }

  #pieces(
    operation: AccessOperation,
    pointer: IrValue,
    { offset = 0, bytes, align }: { readonly offset?: number; readonly bytes: number; readonly align: number },
  ): CountedAccess[] {
    const known = isToolAddress(pointer) ? null : countedSpace(this.#spaceOf(pointer));
    if (known === null) return [];
    const space = operation === "copy" ? "shared" : known;
    const found: CountedAccess[] = [];
    for (let at = 0; at < bytes;) {
      let size = Math.min(WIDEST_BYTES, Math.max(1, align & -align));
      while (at + size > bytes || at % size !== 0) size /= 2;
      found.push({ operation, space, pointer, offset: offset + at, bytes: size, lanes: null, isSecondTurn: false });
      at += size;
    }
    return found;
  }
}

/** null: a parameter, which is an operand of instructions. */
function countedSpace(space: PointerSpace): CountedSpace | null {
  return space === "param" ? null : space;
}

/** A lane has the address of a row of eight elements of two bytes (PTX ISA, "ldmatrix"). */
const MATRIX_ROW_BYTES = 16;

/** What ldmatrix and stmatrix access. With fewer than four matrices the addresses of some lanes are not used. */
function matrixAccess({
  callee,
  args,
}: CallInstruction): { readonly operation: "load" | "store"; readonly pointer: IrValue } | null {
  if (callee.kind !== "function") return null;
  const isLoad = callee.name.startsWith("__heddle_ldmatrix_");
  if (!isLoad && !callee.name.startsWith("__heddle_stmatrix_")) return null;
  // In front of the address there may be one for the result.
  const pointers = args.filter(({ type }) => type.kind === "ptr");
  const pointer = isLoad ? pointers.at(-1) : pointers[0];
  return pointer === undefined ? null : { operation: isLoad ? "load" : "store", pointer };
}

/** Local variables that only carry registers of matrix instructions, of a warp or of a warpgroup. */
function matrixRegisters(fn: IrFunction): ReadonlySet<IrValue> {
  const found = new Set<IrValue>();
  for (const { instructions } of fn.blocks) {
    for (const i of instructions) {
      if (i.op !== "call" || i.callee.kind !== "function") continue;
      if (!isMatrixFunction(i.callee.name) && !isWarpgroupProduct(i.callee.name)) continue;
      for (const value of i.args) if (value.kind === "instruction" && value.op === "alloca") found.add(value);
    }
  }
  return found;
}

/** What an address is counted from: a parameter or a variable, by name; null: not known. */
export function arrayOf(pointer: IrValue): string | null {
  let root = underlyingPointer(pointer);
  // An address that grows in a loop begins outside.
  for (let n = 0; n < 4 && root.kind === "instruction" && root.op === "phi"; n++) {
    const { block, incoming } = root;
    const start = incoming.find(({ value }) => !(value.kind === "instruction" && value.block === block));
    if (start === undefined) return null;
    root = underlyingPointer(start.value);
  }
  return root.kind === "param" || root.kind === "global" ? `${root.kind} ${root.name}` : null;
}
