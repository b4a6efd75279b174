/**
 * A function's blocks cut at the places where a thread may stop: after a wait (its result is read on resumption) and
 * before a call (which is made again when a suspended callee is to go on). A segment begins at a block, or right at
 * such a place.
 */
import type {
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrParam,
  IrTerminator,
  IrValue,
} from "../../ir/model/ir.ts";
import { reversePostOrder, successors } from "../../ir/graph/cfg.ts";
import { forEachOperand } from "../../ir/model/operands.ts";

export interface Segment {
  readonly index: number;
  readonly block: IrBlock;
  /** The segment begins with the block: it has its phis (not in `instructions`). */
  readonly first: boolean;
  /** What the segment begins with when it does not begin a block. */
  readonly entry: { readonly kind: "call" | "wait"; readonly call: CallInstruction } | null;
  /** Without phis, and without the call of `entry`. The last segment of a block ends with its terminator. */
  readonly instructions: IrInstruction[];
  /** How it ends when not with the terminator: at the wait or call that begins the next segment. */
  next: Segment | null;
  /** 0, or the number by which the dispatch at function entry finds it. */
  resumePc: number;
  successors: Segment[];
}

/** A value that occupies wasm locals. */
export type LiveValue = IrInstruction | IrParam;

export interface SegmentedFunction {
  readonly segments: readonly Segment[];
  readonly segmentOf: ReadonlyMap<IrBlock, Segment>;
  /** By segment: values that must be in locals when it is entered, its phis included. */
  readonly liveIn: readonly ReadonlySet<LiveValue>[];
}

export type CutKind = "none" | "call" | "wait";

/** `cutAt` says which calls a thread may stop at. Unreachable blocks are left out. */
export function segmentFunction(fn: IrFunction, cutAt: (instruction: IrInstruction) => CutKind): SegmentedFunction {
  const segments: Segment[] = [];
  const segmentOf = new Map<IrBlock, Segment>();
  const lastOf = new Map<IrBlock, Segment>();
  for (const block of reversePostOrder(fn)) {
    let current = add(segments, block, true, null);
    segmentOf.set(block, current);
    for (const instruction of block.instructions) {
      if (instruction.op === "phi") continue;
      const cut = cutAt(instruction);
      if (cut === "none") {
        current.instructions.push(instruction);
        continue;
      }
      // Before a call its arguments are stored; at a wait its operands: both in the segment that ends here.
      const next: Segment = add(segments, block, false, { kind: cut, call: instruction as CallInstruction });
      current.next = next;
      current.successors = [next];
      current = next;
    }
    lastOf.set(block, current);
  }
  for (const [block, last] of lastOf) last.successors = successors(block).map((s) => segmentOf.get(s) as Segment);
  return { segments, segmentOf, liveIn: liveness(segments) };
}

function add(segments: Segment[], block: IrBlock, first: boolean, entry: Segment["entry"]): Segment {
  const segment: Segment = {
    index: segments.length,
    block,
    first,
    entry,
    instructions: [],
    next: null,
    resumePc: 0,
    successors: [],
  };
  segments.push(segment);
  return segment;
}

function isLive(value: IrValue): value is LiveValue {
  return value.kind === "instruction" || value.kind === "param";
}

/**
 * Backward dataflow over segments (Aho et al., section 9.2.5); a phi is defined on entry, its operands used at the
 * edge.
 */
function liveness(segments: readonly Segment[]): Set<LiveValue>[] {
  const uses: Set<LiveValue>[] = [];
  const defines: Set<LiveValue>[] = [];
  const phis: Set<LiveValue>[] = [];
  const edgeUses = new Map<IrBlock, Set<LiveValue>>(); // by predecessor block: what phis of its successors take from it
  for (const segment of segments) {
    const used = new Set<LiveValue>();
    const defined = new Set<LiveValue>();
    const own = new Set<LiveValue>();
    const use = (value: IrValue): void => {
      if (isLive(value) && !defined.has(value)) used.add(value);
    };
    if (segment.first) {
      for (const i of segment.block.instructions) {
        if (i.op !== "phi") break;
        own.add(i);
        for (const { value, block } of i.incoming) {
          if (!isLive(value)) continue;
          let set = edgeUses.get(block);
          if (set === undefined) edgeUses.set(block, (set = new Set()));
          set.add(value);
        }
      }
    }
    if (segment.entry !== null) {
      // An indirect callee is called again on resumption.
      if (segment.entry.kind === "call") use(segment.entry.call.callee);
      defined.add(segment.entry.call);
    }
    for (const i of segment.instructions) {
      forEachOperand(i, use);
      defined.add(i);
    }
    if (segment.next !== null) forEachOperand((segment.next.entry as { call: CallInstruction }).call, use);
    uses.push(used);
    defines.push(defined);
    phis.push(own);
  }
  const liveIn = segments.map((segment) => new Set(uses[segment.index]));
  for (let changed = true; changed;) {
    changed = false;
    for (let s = segments.length - 1; s >= 0; s--) {
      const segment = segments[s] as Segment;
      const here = liveIn[s] as Set<LiveValue>;
      const before = here.size;
      const flow = (value: LiveValue): void => {
        if (!(defines[s] as Set<LiveValue>).has(value)) here.add(value);
      };
      for (const next of segment.successors) {
        for (const value of liveIn[next.index] as Set<LiveValue>)
          if (!(phis[next.index] as Set<LiveValue>).has(value)) flow(value);
      }
      if (segment.next === null) for (const value of edgeUses.get(segment.block) ?? []) flow(value);
      changed = changed || here.size !== before;
    }
  }
  // The phis themselves are live on entry where anything uses them: keep them all, they are set on every edge.
  segments.forEach((segment, s) => {
    for (const phi of phis[segment.index] as Set<LiveValue>) (liveIn[s] as Set<LiveValue>).add(phi);
  });
  return liveIn;
}

/** The terminator of a segment that ends its block. */
export function lastInstruction(segment: Segment): IrTerminator {
  return segment.instructions.at(-1) as IrTerminator;
}

/** Every block an instruction may go to, once, in the order its edges are emitted. */
export function targetsOf(i: IrTerminator): IrBlock[] {
  switch (i.op) {
    case "br":
      return [i.target];
    case "condbr":
      return i.then === i.else ? [i.then] : [i.then, i.else];
    case "switch":
      return [...new Set([...i.cases.map((c) => c.target), i.defaultTarget])];
    default:
      return [];
  }
}
