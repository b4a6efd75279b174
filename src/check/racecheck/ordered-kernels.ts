/**
 * The functions that need happens-before tracking: those of kernels in which more than barriers of whole blocks and
 * warps orders threads, or whose blocks may take turns. Their code keeps the state of libdevice/race-order.cu. A
 * function that such a kernel shares with another kernel makes that one such a kernel, too.
 *
 * Among them are kernels that reach shared memory of other blocks of a cluster: `distributed`.
 */
import { reachedFunctions } from "../../ir/graph/call-graph.ts";
import { terminatorOf } from "../../ir/graph/cfg.ts";
import type { IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isAtomic, isPrivate, raceAccessesOf } from "./race-accesses.ts";
import { mapsOtherBlocks, synchronizationOf } from "./synchronization.ts";

export function orderedFunctions(own: ReadonlySet<IrFunction>): Set<IrFunction> {
  return kernelsThatReach(own, needsAccount);
}

/** Functions in which shared memory may be another block's, of the same cluster. */
export function distributedFunctions(own: ReadonlySet<IrFunction>): Set<IrFunction> {
  return kernelsThatReach(own, (fn) => fn.blocks.some(({ instructions }) => instructions.some(mapsOtherBlocks)));
}

/** Kernels that reach such a function, with all that they reach, and all kernels that share some of it. */
function kernelsThatReach(own: ReadonlySet<IrFunction>, isSuch: (fn: IrFunction) => boolean): Set<IrFunction> {
  const ordered = new Set<IrFunction>();
  const kernels = new Map(
    [...own].filter(({ isKernel }) => isKernel).map((kernel) => [kernel, reachedFunctions(kernel, own)]),
  );
  const close = new Set([...own].filter(isSuch));
  for (let grew = true; grew;) {
    grew = false;
    for (const [kernel, reached] of kernels) {
      if (ordered.has(kernel) || ![...reached].some((fn) => close.has(fn) || ordered.has(fn))) continue;
      for (const fn of reached) ordered.add(fn);
      grew = true;
    }
  }
  return ordered;
}

function needsAccount(fn: IrFunction): boolean {
  return fn.blocks.some(({ instructions }) => instructions.some(ordersMore)) || findLoops(fn).loops.some(mayWait);
}

/** The loop's end depends on an atomic or volatile access: it may wait for another block, which then runs meanwhile. */
function mayWait(loop: Loop): boolean {
  const inside = (value: IrValue): value is IrInstruction =>
    value.kind === "instruction" && loop.blocks.has(value.block);
  const decides = [...loop.blocks].map(terminatorOf).filter((end) => end.op === "condbr" || end.op === "switch");
  const seen = slice(
    decides.filter(({ block }) => loop.exits.some(({ from }) => from === block)).flatMap(operandsOf),
    (i) => [
      ...operandsOf(i),
      // The path of a thread decides the value.
      ...(i.op === "phi" && i.block !== loop.header ? decides.flatMap(operandsOf) : []),
    ],
    inside,
  );
  for (const i of seen) {
    if (i.op === "call" && i.callee.kind === "function" && i.callee.blocks.length > 0) return true;
    if (!raceAccessesOf(i).some(({ kind, pointer }) => isAtomic(kind) && !isPrivate(pointer))) continue;
    if (i.op !== "cmpxchg") return true;
    // A retry with the value that was found: in each iteration one thread succeeds.
    const expected = slice([i.expected], operandsOf, inside);
    if (![...expected].some((value) => value === i || (value.op === "load" && value.pointer === i.pointer)))
      return true;
  }
  return false;
}

function slice(
  from: readonly IrValue[],
  next: (i: IrInstruction) => readonly IrValue[],
  inside: (value: IrValue) => value is IrInstruction,
): Set<IrInstruction> {
  const seen = new Set<IrInstruction>();
  const work = [...from];
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    if (!inside(value) || seen.has(value)) continue;
    seen.add(value);
    work.push(...next(value));
  }
  return seen;
}

/** Orders threads otherwise than a barrier of the whole block or warp does. */
function ordersMore(i: IrInstruction): boolean {
  const kind = synchronizationOf(i);
  if (mapsOtherBlocks(i)) return true;
  return kind !== null && kind !== "block" && kind !== "warp" && kind !== "call";
}
