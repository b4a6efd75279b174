/** What an instruction does to memory, as checkers look at it: accesses of tools and of parameters left out. */
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type { AtomicOrdering, CallInstruction, IrInstruction, IrValue } from "../ir/model/ir.ts";
import { sizeOf, storeSize } from "../ir/model/layout.ts";
import { isToolAddress } from "../machine/observer.ts";

export type AccessKind = "read" | "write" | "atomic";

export interface Access {
  readonly pointer: IrValue;
  readonly kind: AccessKind;
  readonly bytes: number | IrValue;
  /** Where the length is computed and has a bound: the bound. */
  readonly mostBytes?: number;
}

export function accessesOf(i: IrInstruction): Access[] {
  switch (i.op) {
    case "load":
      return isParameterSpace(i.pointer) || isToolAddress(i.pointer)
        ? []
        : [{ pointer: i.pointer, kind: "read", bytes: storeSize(i.type) }];
    case "store":
      return isToolAddress(i.pointer) ? [] : [{ pointer: i.pointer, kind: "write", bytes: storeSize(i.value.type) }];
    case "atomicrmw":
      return [{ pointer: i.pointer, kind: "atomic", bytes: sizeOf(i.value.type) }];
    case "cmpxchg":
      return [{ pointer: i.pointer, kind: "atomic", bytes: sizeOf(i.expected.type) }];
    case "call":
      return callAccesses(i);
    default:
      return [];
  }
}

function callAccesses(call: CallInstruction): Access[] {
  const facts = calledIntrinsic(call);
  if (facts === null) return partialCopy(call);
  const { memoryRange, asyncCopy, isReadOnlyLoad } = facts;
  const [first, second, third] = call.args as [IrValue, IrValue, IrValue];
  if (memoryRange === "memset") return [{ pointer: first, kind: "write", bytes: third }];
  if (memoryRange !== null)
    return [
      { pointer: second, kind: "read", bytes: third },
      { pointer: first, kind: "write", bytes: third },
    ];
  if (isReadOnlyLoad) return [{ pointer: first, kind: "read", bytes: storeSize(call.type) }];
  if (asyncCopy === null) return [];
  const { bytes, isPartial } = asyncCopy;
  // What is not read of a partial copy is written as zeros.
  if (isPartial)
    return [
      { pointer: first, kind: "write", bytes },
      { pointer: second, kind: "read", bytes: third, mostBytes: bytes },
    ];
  return [
    { pointer: second, kind: "read", bytes },
    { pointer: first, kind: "write", bytes },
  ];
}

/** What cp.async with a source size becomes: (to, from, bytes, bytes that are read). */
function partialCopy(call: CallInstruction): Access[] {
  const bytes = partialCopyBytes(call);
  if (bytes === null) return [];
  const [to, from, , available] = call.args as [IrValue, IrValue, IrValue, IrValue];
  return [
    { pointer: to, kind: "write", bytes },
    { pointer: from, kind: "read", bytes: available, mostBytes: bytes },
  ];
}

/** Of a cp.async with a source size: the bytes that it writes. null: it is another call. */
export function partialCopyBytes({ callee, args }: CallInstruction): number | null {
  if (callee.kind !== "function" || callee.name !== "__heddle_copy_zero_fill") return null;
  const size = args[2];
  return size?.kind === "const-int" ? Number(size.value) : null;
}

/** A word that a cp.async without a source size writes. */
export function isCopiedWord(i: IrInstruction): boolean {
  if (i.op !== "store" || i.isAsynchronous === true) return false;
  return i.value.kind === "instruction" && i.value.op === "load" && i.value.isAsynchronous === true;
}

const ORDERED: ReadonlySet<AtomicOrdering> = new Set(["acquire", "release", "acq_rel", "seq_cst"]);

/** A fence, or an atomic operation that orders other accesses. */
export function ordersMemory(i: IrInstruction): boolean {
  if (i.op === "fence") return i.scope !== "singlethread";
  return (
    (i.op === "load" || i.op === "store" || i.op === "atomicrmw" || i.op === "cmpxchg") &&
    i.ordering !== null &&
    ORDERED.has(i.ordering) &&
    !isToolAddress(i.pointer)
  );
}

const PARAMETER_SPACE = 101;

function isParameterSpace(pointer: IrValue): boolean {
  return pointer.type.kind === "ptr" && pointer.type.addressSpace === PARAMETER_SPACE;
}
