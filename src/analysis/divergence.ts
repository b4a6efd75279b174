/**
 * Which values are the same in every lane of a warp, and where the lanes of a warp part.
 *
 * Needs: legalised scalar IR, one latch per loop, loop-closed SSA. Holds afterwards: every instruction has a shape,
 * every block says whether its branch is divergent and whether its phis join lanes that came different ways.
 *
 * Optimistic fixpoint from "uniform" downwards. Control divergence as in Rosemann, Moll, Hack, "An Abstract
 * Interpretation for SPMD Divergence on Reducible Control Flow Graphs" (POPL 2021): joins are found by carrying labels
 * from each side of a divergent branch; a loop that lanes leave at different times makes its loop-closing phis varying
 * (temporal divergence).
 */
import type { IntrinsicFacts } from "../ir/intrinsics/facts.ts";
import { intrinsicOf } from "../ir/intrinsics/lookup.ts";
import type { Dim3 } from "../base/dim3.ts";
import type { CallInstruction, IrInstruction, IrValue } from "../ir/model/ir.ts";
import { sizeOf } from "../ir/model/layout.ts";
import { operandsOf } from "../ir/model/operands.ts";
import type { FlowGraph } from "./flow-graph.ts";

import {
  LANES,
  UNIFORM,
  VARYING,
  ZERO_OFFSETS,
  addShapes,
  rowUniform,
  sharedRowShape,
  isDisjoint,
  laneGeometry,
  meet,
  offsetShape,
  sameShape,
  scaleShape,
  strideOf,
  uniform,
  varying,
  type LaneGeometry,
  type LaneShape,
} from "./lane-shape.ts";
import { alignOfConstant } from "../base/align.ts";

export interface WarpAnalysis {
  readonly flow: FlowGraph;
  readonly geometry: LaneGeometry;
  shapeOf(value: IrValue): LaneShape;
  /** The branch at the end of the block may send lanes different ways. */
  readonly divergentBranch: readonly boolean[];
  /** Phis of the block may join lanes that came different ways. */
  readonly divergentJoin: readonly boolean[];
  /** Lanes may leave the loop at different iterations. */
  readonly divergentLoop: readonly boolean[];
}

export function analyzeWarp(flow: FlowGraph, block: Dim3, localBytesPerThread: number): WarpAnalysis {
  const geometry = laneGeometry(block);
  const shapes = new Map<IrInstruction, LaneShape>();
  const count = flow.blocks.length;
  const divergentBranch = new Array<boolean>(count).fill(false);
  const divergentJoin = new Array<boolean>(count).fill(false);
  const divergentLoop = new Array<boolean>(flow.loops.length).fill(false);

  const shapeOf = (value: IrValue): LaneShape | undefined => {
    if (value.kind === "instruction") return shapes.get(value);
    if (value.kind === "const-int")
      return uniform(value.type.bits <= 32 ? alignOfConstant(Number(BigInt.asIntN(32, value.value))) : 1);
    return UNIFORM;
  };

  const isMadeIn = (loop: FlowGraph["loops"][number], v: IrValue): boolean =>
    v.kind === "instruction" && loop.blocks.has(flow.indexOf.get(v.block)!);

  const evaluate = (i: IrInstruction, b: number): LaneShape | undefined => {
    switch (i.op) {
      case "phi": {
        let result: LaneShape | undefined;
        for (const { value } of i.incoming) {
          const s = value.kind === "const-undef" ? undefined : shapeOf(value);
          if (s === undefined) continue; // optimistic: not reached yet, or undef, which agrees with everything
          result = result === undefined ? s : meet(result, s);
        }
        if (result === undefined) return i.incoming.every((x) => x.value.kind === "const-undef") ? UNIFORM : undefined;
        if (divergentJoin[b]) {
          // Lanes come different ways, or left a loop in different turns of it: what the loop computes differs then.
          const same = i.incoming.every((x) => x.value === i.incoming[0]!.value);
          if (
            !same ||
            flow.loops.some(
              (l) => divergentLoop[l.id] && !l.blocks.has(b) && i.incoming.some((x) => isMadeIn(l, x.value)),
            )
          )
            return VARYING;
        }
        return result;
      }
      case "alloca":
        return offsetShape(
          Array.from({ length: LANES }, (_, lane) => lane * localBytesPerThread),
          1,
        );
      case "call":
        return shapeOfCall(i, shapeOf, geometry);
      default:
        return shapeOfPlain(i, shapeOf);
    }
  };

  for (let changed = true; changed;) {
    changed = false;
    flow.blocks.forEach((irBlock, b) => {
      for (const i of irBlock.instructions) {
        const now = evaluate(i, b);
        if (now === undefined) continue;
        const before = shapes.get(i);
        if (before && sameShape(before, now)) continue;
        // Monotone: never climb again, so that the iteration ends.
        shapes.set(i, before ? lower(before, now) : now);
        changed = changed || before === undefined || !sameShape(before, shapes.get(i)!);
      }
    });
    changed = spreadDivergence(flow, shapeOf, divergentBranch, divergentJoin, divergentLoop) || changed;
  }
  return { flow, geometry, shapeOf: (v) => shapeOf(v) ?? VARYING, divergentBranch, divergentJoin, divergentLoop };
}

function lower(before: LaneShape, now: LaneShape): LaneShape {
  if (before.kind === "varying" && now.kind !== "varying")
    return before.stride !== null && before.stride === strideOf(now) ? before : VARYING;
  const met = meet(before, now);
  return met;
}

/** The name of a directly called function, or null for an indirect call. */
export function calleeName(call: CallInstruction): string | null {
  return call.callee.kind === "function" ? call.callee.name : null;
}

type ShapeOf = (value: IrValue) => LaneShape | undefined;

function shapeOfCall(call: CallInstruction, shapeOf: ShapeOf, geometry: LaneGeometry): LaneShape | undefined {
  const name = calleeName(call);
  if (name === null || call.type.kind === "struct") return VARYING;
  const facts = intrinsicOf(name);
  switch (facts?.uniformity) {
    case "grid":
    case "block":
    case "warp":
      return UNIFORM;
    case "mask": {
      // Groups of lanes with masks of their own (tiles) get results of their own.
      const shape = shapeOf(call.args[facts.reduction === null ? 0 : 1]!);
      if (shape === undefined) return undefined;
      return shape.kind === "uniform" ? UNIFORM : VARYING;
    }
    case "lane":
      return shapeOfOwnResult(call, facts, shapeOf, geometry);
    default:
  }
  const args = call.args.map(shapeOf);
  if (args.some((a) => a === undefined)) return undefined;
  if (args.every((a) => a!.kind === "uniform")) return UNIFORM;
  // A fused multiply-add is cheaper on eight vectors than on two scalars: WebAssembly has it for vectors only.
  return facts?.name === "llvm.fma" ? VARYING : (sharedRowShape(args as LaneShape[]) ?? VARYING);
}

/** An intrinsic whose result may be another one in each lane. */
function shapeOfOwnResult(
  call: CallInstruction,
  { register, shuffle }: IntrinsicFacts,
  shapeOf: ShapeOf,
  geometry: LaneGeometry,
): LaneShape | undefined {
  if (register?.register === "tid" && register.axis !== null) return geometry.tid[register.axis];
  if (register?.register === "laneid")
    return offsetShape(
      Array.from({ length: LANES }, (_, l) => l),
      2 ** 31,
    );
  if (shuffle === null || !shuffle.hasMask) return VARYING;
  const args = call.args.map(shapeOf);
  if (args.some((a) => a === undefined)) return undefined;
  const width = call.args[3]!;
  const isWholeWarp = width.kind === "const-int" && (width.value & 0x1f00n) === 0n;
  const isFromOneLane = shuffle.mode === "idx" && isWholeWarp && args[2]!.kind === "uniform";
  return isFromOneLane && args[0]!.kind === "uniform" ? UNIFORM : VARYING;
}

function shapeOfPlain(i: IrInstruction, shapeOf: ShapeOf): LaneShape | undefined {
  const operands = operandsOf(i).map(shapeOf);
  if (operands.some((s) => s === undefined)) return undefined;
  const shapes = operands as LaneShape[];
  const allUniform = shapes.every((s) => s.kind === "uniform");
  const alike = (): LaneShape => (allUniform ? UNIFORM : (sharedRowShape(shapes) ?? VARYING));
  switch (i.op) {
    case "binary":
      return isWord(i) ? shapeOfInteger(i, shapes[0]!, shapes[1]!) : alike();
    case "gep": {
      let result = shapes[0]!;
      let type = i.sourceType;
      i.indices.forEach((index, n) => {
        const step =
          n === 0 ? sizeOf(type) : type.kind === "array" || type.kind === "vector" ? sizeOf(type.element) : 0;
        if (n > 0 && (type.kind === "array" || type.kind === "vector")) type = type.element;
        else if (n > 0 && type.kind === "struct") {
          type = type.elements[index.kind === "const-int" ? Number(index.value) : 0]!;
          result = addShapes(result, UNIFORM, 1);
          return;
        }
        result = addShapes(result, scaleShape(shapes[n + 1]!, step), 1);
      });
      return result;
    }
    case "icmp": {
      if (allUniform) return UNIFORM;
      const [a, b] = shapes as [LaneShape, LaneShape];
      if (!isDecidedByBase(i.predicate, a, b, i.rhs)) return alike();
      return a.kind === "rowUniform" ? rowUniform(a.rows, ZERO_OFFSETS, 1) : UNIFORM;
    }
    case "cast": {
      const s = shapes[0]!;
      if (s.kind === "uniform")
        return i.operator === "ptrtoint" || i.operator === "inttoptr" || i.operator === "addrspacecast" ? s : UNIFORM;
      switch (i.operator) {
        case "addrspacecast":
          return s;
        case "ptrtoint":
        case "inttoptr":
        case "trunc":
        case "zext":
        case "sext": {
          const same = sharedRowShape(shapes);
          if (same !== null) return i.operator === "ptrtoint" || i.operator === "inttoptr" ? s : same;
          const from = bitsOf(i.operand);
          const to = i.type.kind === "ptr" ? 32 : i.type.kind === "int" ? i.type.bits : 0;
          if (from === 32 && to === 32) return s;
          return from >= 32 && to >= 32 ? varying(strideOf(s)) : VARYING;
        }
        default:
          return alike();
      }
    }
    case "freeze":
      return shapes[0]!;
    case "select": {
      if (shapes[0]!.kind !== "uniform") return alike();
      return meet(shapes[1]!, shapes[2]!);
    }
    case "load":
      return shapes[0]!.kind === "uniform" ? UNIFORM : i.ordering === null ? alike() : VARYING;
    case "atomicrmw":
    case "cmpxchg":
      return VARYING;
    default:
      return alike();
  }
}

/** `base + P < C` with P inside [0, align) and C a multiple of align is decided by the base alone. */
function isDecidedByBase(predicate: string, a: LaneShape, b: LaneShape, rhs: IrValue): boolean {
  if (
    (a.kind !== "offset" && a.kind !== "rowUniform") ||
    b.kind !== "uniform" ||
    rhs.kind !== "const-int" ||
    !isDisjoint(a)
  )
    return false;
  const bound = Number(BigInt.asIntN(32, rhs.value));
  switch (predicate) {
    case "ult":
    case "slt":
    case "uge":
    case "sge":
      return (bound & (a.align - 1)) === 0;
    case "ugt":
    case "sgt":
    case "ule":
    case "sle":
      return ((bound + 1) & (a.align - 1)) === 0;
    default:
      return false;
  }
}

function shapeOfInteger(i: IrInstruction & { op: "binary" }, a: LaneShape, b: LaneShape): LaneShape {
  if (a.kind === "uniform" && b.kind === "uniform") {
    if (i.operator === "add" || i.operator === "sub" || i.operator === "or") return uniform(Math.min(a.align, b.align));
    if (i.operator === "mul") return uniform(Math.min(2 ** 31, a.align * b.align));
    if (i.operator === "shl" && i.rhs.kind === "const-int")
      return uniform(Math.min(2 ** 31, a.align * 2 ** Math.min(31, Number(i.rhs.value))));
    if (i.operator === "and") return uniform(Math.max(a.align, b.align));
    return UNIFORM;
  }
  // One base is better than one for each group, and that better than vectors.
  const byOffsets = shapeFromOffsets(i, a, b);
  return byOffsets.kind === "varying" ? (sharedRowShape([a, b]) ?? byOffsets) : byOffsets;
}

/** What the lanes' distances from their bases become. */
function shapeFromOffsets(i: IrInstruction & { op: "binary" }, a: LaneShape, b: LaneShape): LaneShape {
  const isPointerSized = bitsOf(i) === 32;
  const c = i.rhs.kind === "const-int" ? Number(BigInt.asIntN(32, i.rhs.value)) : null;
  const asStride = (s: LaneShape): LaneShape => (isPointerSized ? s : varying(strideOf(s)));
  switch (i.operator) {
    case "add":
      return asStride(addShapes(a, b, 1));
    case "sub":
      return asStride(addShapes(a, b, -1));
    case "mul":
      if (c !== null) return asStride(scaleShape(a, c));
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
    case "shl":
      if (c !== null && c >= 0 && c < 32) return asStride(scaleShape(a, 2 ** c));
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
    case "or":
      if (isPointerSized && c !== null && a.kind !== "varying") {
        // Low bits of the constant meet only the offsets when the base has none of them.
        if (c >= 0 && c < a.align && isDisjoint(a)) return withOffsets(a, (o) => o | c, a.align);
      }
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
    case "and":
      if (isPointerSized && c !== null && a.kind !== "varying" && isDisjoint(a))
        return withOffsets(a, (o) => o & c, Math.max(a.align, alignOfConstant(c)));
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
    case "lshr":
    case "udiv":
    case "ashr":
    case "sdiv": {
      const shift =
        c === null
          ? -1
          : i.operator === "lshr" || i.operator === "ashr"
            ? c
            : c > 0 && (c & (c - 1)) === 0 && i.operator === "udiv"
              ? Math.log2(c)
              : -1;
      if (
        isPointerSized &&
        shift >= 0 &&
        shift < 32 &&
        a.kind !== "varying" &&
        isDisjoint(a) &&
        a.align >= 2 ** shift
      ) {
        return withOffsets(a, (o) => o >> shift, a.align / 2 ** shift);
      }
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
    }
    default:
      return varying(strideOf(a) === 0 && strideOf(b) === 0 ? 0 : null);
  }
}

/** Bases and offsets that share no bit, each changed by the same bitwise operation. */
function withOffsets(
  a: Exclude<LaneShape, { kind: "varying" }>,
  change: (offset: number) => number,
  align: number,
): LaneShape {
  const offsets = (a.kind === "uniform" ? ZERO_OFFSETS : a.offsets).map(change);
  return a.kind === "rowUniform" ? rowUniform(a.rows, offsets, align) : offsetShape(offsets, align);
}

function isWord(i: IrInstruction): boolean {
  return i.type.kind === "int" && (i.type.bits === 32 || i.type.bits === 64);
}

function bitsOf(v: IrValue): number {
  return v.type.kind === "int" ? v.type.bits : v.type.kind === "ptr" ? 32 : 0;
}

/**
 * One round: branches on varying values, the joins they cause, and the loops that lanes leave apart. True if anything
 * is new.
 */
function spreadDivergence(
  flow: FlowGraph,
  shapeOf: ShapeOf,
  branch: boolean[],
  join: boolean[],
  loop: boolean[],
): boolean {
  let changed = false;
  const markJoins = (starts: readonly number[]): void => {
    for (const j of joinsOf(flow, starts)) {
      if (!join[j]) {
        join[j] = true;
        changed = true;
      }
    }
  };
  flow.blocks.forEach((irBlock, b) => {
    const terminator = irBlock.instructions[irBlock.instructions.length - 1]!;
    const selector =
      terminator.op === "condbr" ? terminator.condition : terminator.op === "switch" ? terminator.value : null;
    if (branch[b] || selector === null || flow.successors[b]!.length < 2) return;
    const shape = shapeOf(selector);
    if (shape === undefined || shape.kind === "uniform") return;
    branch[b] = true;
    changed = true;
    markJoins(flow.successors[b]!);
  });
  for (const l of flow.loops) {
    if (loop[l.id]) continue;
    // Some lanes leave while others stay: an exit from a block whose branch diverges, or from a block that only some
    // lanes reach.
    const apart = l.exits.some((e) => branch[e.from] || isReachedApart(flow, branch, l.id, e.from));
    if (!apart) continue;
    loop[l.id] = true;
    changed = true;
    const targets = [...new Set(l.exits.map((e) => e.to))];
    for (const t of targets) {
      if (!join[t]) join[t] = true; // loop-closing phis: lanes bring values of different iterations
    }
    markJoins(targets);
  }
  return changed;
}

/** A divergent branch inside the loop decides whether `block` runs. */
function isReachedApart(flow: FlowGraph, branch: readonly boolean[], loop: number, block: number): boolean {
  for (const d of flow.loops[loop]!.blocks) {
    if (!branch[d] || d === block) continue;
    // d controls block unless block post-dominates d
    let x = flow.ipdom[d]!;
    while (x >= 0 && x !== block) x = flow.ipdom[x]!;
    if (x !== block && reaches(flow, d, block, flow.loops[loop]!.header)) return true;
  }
  return false;
}

function reaches(flow: FlowGraph, from: number, to: number, not: number): boolean {
  const seen = new Set<number>();
  const work = [...flow.successors[from]!];
  while (work.length > 0) {
    const b = work.pop()!;
    if (b === to) return true;
    if (b === not || seen.has(b)) continue;
    seen.add(b);
    work.push(...flow.successors[b]!);
  }
  return false;
}

/**
 * Blocks that disjoint paths from the starts reach: labels travel forward in linear order; two labels meet at a join.
 */
function joinsOf(flow: FlowGraph, starts: readonly number[]): number[] {
  const label = new Map<number, number>();
  const joins: number[] = [];
  const arrive = (block: number, from: number): void => {
    const old = label.get(block);
    if (old === undefined) label.set(block, from);
    else if (old !== from && old !== block) {
      label.set(block, block);
      joins.push(block);
    }
  };
  const first = Math.min(...starts);
  for (const s of starts) arrive(s, -1 - s); // a way's own label: no block's number, which stands for a join
  for (let b = first; b < flow.blocks.length; b++) {
    const l = label.get(b);
    if (l === undefined) continue;
    for (const s of flow.successors[b]!) if (s > b) arrive(s, l);
  }
  return joins;
}
