/** Everything about one function that is decided before its code is written. */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type {
  AllocaInstruction,
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrType,
} from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { onlyRead } from "../../ir/passes/pass-copy-written-params.ts";
import { alignUp } from "../../base/align.ts";
import { findLoops, type Loop, type LoopForest } from "../../ir/graph/loops.ts";
import { leavesOf } from "../emit/value-types.ts";
import { layOutSlots, type Slot } from "./frame-layout.ts";
import { callKind } from "./program-compiler.ts";
import { segmentFunction, type LiveValue, type Segment, type SegmentedFunction } from "./segments.ts";

export interface FunctionPlan {
  readonly fn: IrFunction;
  readonly isKernel: boolean;
  readonly segmented: SegmentedFunction;
  readonly loops: LoopForest;
  /** Loops that must yield after some iterations. */
  readonly yielding: ReadonlySet<Loop>;
  /** Targets of retreating edges of irreducible cycles in functions that communicate: iterations are counted there. */
  readonly yieldingTargets: ReadonlySet<IrBlock>;
  /** Segments where a thread can be resumed; `resumePc` k is at index k - 1. */
  readonly resumes: readonly Segment[];
  readonly slots: ReadonlyMap<LiveValue, readonly Slot[]>;
  readonly frameBytes: number;
  /** Allocas of constant size: offsets from the activation's local base. */
  readonly staticAllocas: ReadonlyMap<AllocaInstruction, number>;
  /** Copies of byval arguments made for calls: offsets from the local base, by call and argument index. */
  readonly byvalCopies: ReadonlyMap<CallInstruction, ReadonlyMap<number, number>>;
  /** Kernel: byval parameters that are written to, and so need a copy of the thread's own. */
  readonly paramCopies: ReadonlyMap<number, number>;
  readonly localBytes: number;
  /** The local stack pointer moves at run time beyond `localBytes`. */
  readonly dynamicAllocas: boolean;
  /** Memory changes are counted everywhere, as the function is called from a loop that may spin. */
  readonly countsChanges: boolean;
}

/** What the rest of the program says about a function. */
export interface PlanContext {
  /** The call may lead to an instruction that others may see or wait for. */
  mayCommunicate(call: CallInstruction): boolean;
  /** No thread stops in the function: it is called where the call stands. */
  runsThrough(fn: IrFunction): boolean;
  readonly countsChanges: boolean;
  /** Every block must be enterable from outside (threads handed over by the warp tier). */
  readonly everyBlock: boolean;
}

/** What a function keeps on its thread's local stack. */
type LocalStorage = Pick<
  FunctionPlan,
  "staticAllocas" | "byvalCopies" | "paramCopies" | "localBytes" | "dynamicAllocas"
>;

export const LOCAL_ALIGN = 16;

/** Decides the segments, slots and locals of a function. */
export function planFunction(fn: IrFunction, context: PlanContext): FunctionPlan {
  const segmented = segmentFunction(fn, (i) => {
    if (i.op !== "call") return "none";
    const kind = callKind(i);
    return kind === "inline" || (kind === "call" && i.callee.kind === "function" && context.runsThrough(i.callee))
      ? "none"
      : kind;
  });
  const loops = findLoops(fn);
  const yielding = new Set(loops.loops.filter((loop) => communicates(loop, context)));
  const resumes: Segment[] = [];
  const resume = (segment: Segment): void => {
    if (segment.resumePc !== 0) return;
    resumes.push(segment);
    segment.resumePc = resumes.length;
  };
  for (const segment of segmented.segments) {
    if (segment.entry !== null || context.everyBlock) resume(segment);
  }
  for (const loop of yielding) resume(segmented.segmentOf.get(loop.header) as Segment);
  const spins =
    loops.irreducible.length > 0 && segmented.segments.some(({ block }) => blockCommunicates(block, context));
  const yieldingTargets = new Set(spins ? loops.irreducible : []);
  for (const block of yieldingTargets) resume(segmented.segmentOf.get(block) as Segment);

  const locals = placeLocals(fn);
  const spilled = new Set<LiveValue>();
  for (const segment of resumes) {
    for (const value of segmented.liveIn[segment.index] as ReadonlySet<LiveValue>) {
      if (value.kind === "param" ? !fn.isKernel : !locals.staticAllocas.has(value as AllocaInstruction))
        spilled.add(value);
    }
  }
  const args = leavesOf({ kind: "struct", name: null, packed: false, elements: fn.params.map((p) => p.type) }).length;
  const reserved = fn.isKernel ? 0 : Math.max(args, leavesOf(fn.functionType.result).length);
  const { slots, frameBytes } = layOutSlots(spilled, reserved);
  return {
    fn,
    isKernel: fn.isKernel,
    segmented,
    loops,
    yielding,
    yieldingTargets,
    resumes,
    slots,
    frameBytes,
    ...locals,
    countsChanges: context.countsChanges,
  };
}

/** Places allocas and copies of arguments on the local stack, in the order they are met. */
function placeLocals(fn: IrFunction): LocalStorage {
  const staticAllocas = new Map<AllocaInstruction, number>();
  const byvalCopies = new Map<CallInstruction, Map<number, number>>();
  const paramCopies = new Map<number, number>();
  let localBytes = 0;
  let dynamicAllocas = false;
  const place = (type: IrType, count: number, align: number): number => {
    const offset = alignUp(localBytes, Math.min(Math.max(align, 1), LOCAL_ALIGN));
    // The local base is aligned to 16 bytes only: what wants more gets room to move up.
    localBytes = offset + sizeOf(type) * count + (align > LOCAL_ALIGN ? align - LOCAL_ALIGN : 0);
    return offset;
  };
  const entry = fn.blocks[0];
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (i.op === "alloca") {
        if (block === entry && (i.count === null || i.count.kind === "const-int")) {
          staticAllocas.set(
            i,
            place(i.allocatedType, i.count === null ? 1 : Number((i.count as { value: bigint }).value), i.align),
          );
        } else dynamicAllocas = true;
      } else if (i.op === "call" && callKind(i) === "call") {
        i.args.forEach((_, index) => {
          const type = byvalType(i, index);
          if (type === null) return;
          let copies = byvalCopies.get(i);
          if (copies === undefined) byvalCopies.set(i, (copies = new Map()));
          copies.set(index, place(type, 1, LOCAL_ALIGN));
        });
      }
    }
  }
  if (fn.isKernel) {
    for (const param of fn.params)
      if (param.byval !== null && !onlyRead(fn, param))
        paramCopies.set(param.index, place(param.byval, 1, LOCAL_ALIGN));
  }
  return { staticAllocas, byvalCopies, paramCopies, localBytes: alignUp(localBytes, LOCAL_ALIGN), dynamicAllocas };
}

/** The type of an argument that is passed as a copy in memory, or null. */
export function byvalType(call: CallInstruction, index: number): IrType | null {
  return call.byval[index] ?? (call.callee.kind === "function" ? (call.callee.params[index]?.byval ?? null) : null);
}

/** The loop holds something by which threads tell each other things: it may be waiting. */
function communicates(loop: Loop, context: PlanContext): boolean {
  return [...loop.blocks].some((block) => blockCommunicates(block, context));
}

function blockCommunicates(block: IrBlock, context: PlanContext): boolean {
  return block.instructions.some((i) => isCommunication(i) || (i.op === "call" && context.mayCommunicate(i)));
}

export function isCommunication(i: IrInstruction): boolean {
  switch (i.op) {
    case "atomicrmw":
    case "cmpxchg":
    case "fence":
      return true;
    case "load":
    case "store":
      return i.volatile || i.ordering !== null;
    case "call": {
      const facts = calledIntrinsic(i);
      if (facts === null) return false;
      return facts.isFence || facts.atomic !== null || facts.readsClock || facts.operation === "nanosleep";
    }
    default:
      return false;
  }
}
