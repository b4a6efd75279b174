/** What an instruction does to memory, as checkers look at it: accesses of tools and of parameters left out. */
import type { AtomicOrdering, CallInstruction, IrInstruction, IrValue } from "../ir/model/ir.ts";
import { sizeOf, storeSize } from "../ir/model/layout.ts";
import { isToolAddress } from "../machine/observer.ts";

export type AccessKind = "read" | "write" | "atomic";

export interface Access {
  readonly pointer: IrValue;
  readonly kind: AccessKind;
  readonly bytes: number | IrValue;
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

function callAccesses({ callee, args, type }: CallInstruction): Access[] {
  if (callee.kind !== "function") return [];
  const [first, second, third] = args as [IrValue, IrValue, IrValue];
  if (/^llvm\.mem(cpy|move)\./.test(callee.name))
    return [
      { pointer: second, kind: "read", bytes: third },
      { pointer: first, kind: "write", bytes: third },
    ];
  if (callee.name.startsWith("llvm.memset.")) return [{ pointer: first, kind: "write", bytes: third }];
  if (/^llvm\.nvvm\.ld[gu]\.global\./.test(callee.name))
    return [{ pointer: first, kind: "read", bytes: storeSize(type) }];
  const copy = /^llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(\d+)$/.exec(callee.name);
  if (copy !== null)
    return [
      { pointer: second, kind: "read", bytes: Number(copy[1]) },
      { pointer: first, kind: "write", bytes: Number(copy[1]) },
    ];
  return [];
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
