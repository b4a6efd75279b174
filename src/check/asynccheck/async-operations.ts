/** What begins and ends asynchronous operations, as inline PTX is lowered (ir/inline-ptx). */
import { isCopiedWord, partialCopyBytes } from "../../instrument/accesses.ts";
import { reachedFunctions } from "../../ir/graph/call-graph.ts";
import { constI32 } from "../../ir/model/build.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { storeSize } from "../../ir/model/layout.ts";
import { EVERYTHING, type GroupKind } from "./async-state.ts";

export type AsyncOperation =
  /** cp.async, or a word of it. */
  | { readonly kind: "copy"; readonly to: IrValue; readonly bytes: number }
  /** From shared memory: an address, and a number of bytes or a tensor map. */
  | { readonly kind: "store"; readonly from: IrValue; readonly bytes: IrValue }
  | { readonly kind: "tile-store"; readonly from: IrValue; readonly map: IrValue }
  /** To shared memory. `blocks`: of a multicast; 0: where `to` is. */
  | { readonly kind: "load"; readonly to: IrValue; readonly bytes: IrValue; readonly barrier: IrValue; blocks: IrValue }
  | { readonly kind: "tile-load"; readonly to: IrValue; readonly map: IrValue; barrier: IrValue; blocks: IrValue }
  | { readonly kind: "product" }
  | { readonly kind: "commit"; readonly of: GroupKind }
  /** `left`: groups that may go on. `onlyReads`: what they write may be missing still. */
  | { readonly kind: "wait"; of: GroupKind; left: IrValue | typeof EVERYTHING; onlyReads: boolean }
  /** The thread's copies are known to a barrier from here on: cp.async.mbarrier.arrive. */
  | { readonly kind: "track"; readonly barrier: IrValue; readonly expected: IrValue }
  /** st.async: a store that a barrier counts. */
  | { readonly kind: "send"; readonly to: IrValue; readonly bytes: number; readonly barrier: IrValue }
  | { readonly kind: "fence" }
  | { readonly kind: "test"; readonly barrier: IrValue; readonly phase: IrValue };

const COMMITS: Readonly<Record<string, GroupKind>> = {
  "llvm.nvvm.cp.async.commit.group": "copy",
  "llvm.nvvm.cp.async.bulk.commit.group": "store",
  "llvm.nvvm.wgmma.commit_group.sync.aligned": "product",
};
const WAITS: Readonly<Record<string, GroupKind>> = {
  "llvm.nvvm.cp.async.wait.group": "copy",
  "llvm.nvvm.cp.async.wait.all": "copy",
  "llvm.nvvm.cp.async.bulk.wait.group": "store",
  "llvm.nvvm.cp.async.bulk.wait.group.read": "store",
  "llvm.nvvm.wgmma.wait_group.sync.aligned": "product",
};

export function asyncOperationOf(i: IrInstruction): AsyncOperation | null {
  if (i.op === "store" && i.isAsynchronous === true) {
    const told = nextCall(i, TOLD);
    return told === null
      ? null
      : { kind: "send", to: i.pointer, bytes: storeSize(i.value.type), barrier: told.args[0] as IrValue };
  }
  if (i.op === "store") return isCopiedWord(i) ? { kind: "copy", to: i.pointer, bytes: 4 } : null;
  return i.op === "call" && i.callee.kind === "function" ? operationOfCall(i, i.callee.name) : null;
}

function operationOfCall(i: CallInstruction, name: string): AsyncOperation | null {
  const [first, second, third, fourth] = i.args as [IrValue, IrValue, IrValue, IrValue];
  const partial = partialCopyBytes(i);
  if (partial !== null) return { kind: "copy", to: first, bytes: partial };
  const copy = calledIntrinsic(i)?.asyncCopy ?? null;
  if (copy !== null) return { kind: "copy", to: first, bytes: copy.bytes };
  if (Object.hasOwn(COMMITS, name)) return { kind: "commit", of: COMMITS[name] as GroupKind };
  if (Object.hasOwn(WAITS, name))
    return {
      kind: "wait",
      of: WAITS[name] as GroupKind,
      left: first ?? EVERYTHING,
      onlyReads: name.endsWith(".read"),
    };
  switch (name) {
    case "__heddle_bulk_store":
    case "__heddle_bulk_reduce":
      return { kind: "store", from: second, bytes: third };
    case "__heddle_tensor_store":
    case "__heddle_tensor_reduce":
      return { kind: "tile-store", from: first, map: second };
    case "__heddle_bulk_load":
      return { kind: "load", to: first, bytes: third, barrier: fourth, blocks: i.args[4] as IrValue };
    case "__heddle_bulk_reduce_shared":
      return { kind: "load", to: first, bytes: third, barrier: i.args[6] as IrValue, blocks: constI32(0) };
    case "__heddle_tensor_load":
      return {
        kind: "tile-load",
        to: first,
        map: second,
        barrier: i.args[8] as IrValue,
        blocks: i.args[9] as IrValue,
      };
    case "__heddle_mbarrier_test":
    case "__heddle_mbarrier_test_parity":
      return { kind: "test", barrier: first, phase: second };
    case "llvm.nvvm.cp.async.mbarrier.arrive":
      return { kind: "track", barrier: first, expected: second };
    case "llvm.nvvm.fence.proxy.async":
      return { kind: "fence" };
    default:
      return isProduct(i) ? { kind: "product" } : null;
  }
}

const TOLD = "__heddle_mbarrier_complete_tx";
export const ARRIVAL = "__heddle_mbarrier_arrive";

/** The next call of a function in the instruction's block: of the same statement. */
export function nextCall(i: IrInstruction, name: string): CallInstruction | null {
  const { instructions } = i.block;
  const found = instructions
    .slice(instructions.indexOf(i) + 1)
    .find((other) => other.op === "call" && other.callee.kind === "function" && other.callee.name === name);
  return (found as CallInstruction | undefined) ?? null;
}

/** The barrier learns of a store's bytes where they arrive. */
export function toldOf(i: IrInstruction): CallInstruction | null {
  return nextCall(i, TOLD);
}

export function isProduct(i: IrInstruction): i is CallInstruction {
  return i.op === "call" && i.callee.kind === "function" && i.callee.name.startsWith("__heddle_wgmma_");
}

/** Functions of kernels that begin such an operation anywhere: in others there is nothing to look at. */
export function asyncFunctions(own: ReadonlySet<IrFunction>): ReadonlySet<IrFunction> {
  const found = new Set<IrFunction>();
  const begins = new Map<IrFunction, boolean>();
  const beginsOne = (fn: IrFunction): boolean => {
    const known = begins.get(fn);
    if (known !== undefined) return known;
    const does = fn.blocks.some(({ instructions }) => instructions.some(isBeginning));
    begins.set(fn, does);
    return does;
  };
  for (const kernel of own) {
    if (!kernel.isKernel) continue;
    const reached = [...reachedFunctions(kernel, own)];
    if (reached.some(beginsOne)) for (const fn of reached) found.add(fn);
  }
  return found;
}

const BEGINNINGS: ReadonlySet<AsyncOperation["kind"]> = new Set([
  "copy",
  "send",
  "store",
  "tile-store",
  "load",
  "tile-load",
  "product",
]);
function isBeginning(i: IrInstruction): boolean {
  const operation = asyncOperationOf(i);
  return operation !== null && BEGINNINGS.has(operation.kind);
}
