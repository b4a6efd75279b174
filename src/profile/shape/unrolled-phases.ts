/**
 * Which loops NVIDIA's compilers unroll, and in what order the unrolled loop executes the iterations.
 *
 * The front end follows LLVM (LoopUnrollRuntime.cpp): an innermost loop whose number of iterations is known when it
 * begins runs four (or two) of them at a time. What is left over runs after that if a counter starts at a constant, and
 * before it otherwise. The assembler unrolls small loops of a constant step once more: 16 at a time, then 8, then 4;
 * and what the front end left 4 at a time, then 2, then 1. The sizes were found with nvcc 13.0 for sm_90, from the
 * PTX and the machine code of loops that grow by an instruction each.
 */
import { analyzeWarp } from "../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../analysis/loops/flow-graph.ts";
import { boundTestsOf, inductionIn, type BoundTest } from "../../analysis/loops/induction.ts";
import { terminatorOf } from "../../ir/graph/cfg.ts";
import { findLoops, type Loop } from "../../ir/graph/loops.ts";
import { constI32, signedValue } from "../../ir/model/build.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { hasConstantIndices } from "../../ir/model/gep.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";
import { scalarOf } from "../../ir/model/types.ts";
import { isFast } from "../../ptx/passes/pass-gpu-functions.ts";
import { mathCost } from "../instruction-mix.ts";

/** A loop whose lanes may go through it a different number of times. */
export interface UnrolledLoop {
  readonly header: IrBlock;
  readonly preheader: IrBlock;
  readonly latch: IrBlock;
  readonly exit: IrBlock;
  /** The counter in the first iteration. */
  readonly start: IrValue;
  readonly bound: IrValue;
  /** Above 0, as a rule. The counter grows by it, or shrinks (`isUpward`). */
  readonly step: IrValue;
  readonly isUpward: boolean;
  /** What is compared with the bound: the counter, or that of the next iteration. */
  readonly tested: "phi" | "next";
  /** The loop goes on while what is tested is this to the bound. */
  readonly goesOn: "slt" | "ult" | "sgt" | "ugt" | "ne";
  /** The iterations of each phase: a mask over the number of all. */
  readonly masks: readonly number[];
}

/** The block's shape is not known here. In this one, threads of a warp differ in all three indices. */
const BLOCK = { x: 8, y: 2, z: 2 };

export function unrolledLoops(fn: IrFunction): UnrolledLoop[] {
  const loops = findLoops(fn).loops.filter((loop) => loop.children.length === 0 && mayReorder(loop));
  const counted = loops.flatMap((loop) => countedLoop(loop, isFast(fn)) ?? []);
  const flow = counted.length === 0 ? null : buildFlowGraph(fn);
  if (flow === null) return [];
  const warp = analyzeWarp(flow, BLOCK, 0);
  return counted.filter(({ start, bound, step }) =>
    [start, bound, step].some((value) => warp.shapeOf(value).kind !== "uniform"),
  );
}

/** Lanes in different phases do not meet at what they do together, so such loops stay. */
function mayReorder({ blocks, latches, exits }: Loop): boolean {
  const latch = latches[0] as IrBlock;
  const last = terminatorOf(latch);
  if (latches.length !== 1 || exits.length !== 1 || exits[0]?.from !== latch || last.op !== "condbr") return false;
  if ((last.loop ?? "").includes("unroll.disable")) return false;
  return [...blocks].every((block) => block.instructions.every(actsAlone));
}

function actsAlone(i: IrInstruction): boolean {
  if (i.op === "alloca" || i.op === "fence" || i.op === "cmpxchg") return false;
  if (i.op !== "call") return true;
  const facts = calledIntrinsic(i);
  if (facts !== null) return !facts.isConvergent && facts.barrier === null && !facts.isFence;
  return !hasSideEffects(i) || (i.callee.kind === "function" && i.callee.name.startsWith("__nv_"));
}

/** null: not unrolled. */
function countedLoop(loop: Loop, fast: boolean): UnrolledLoop | null {
  const latch = loop.latches[0] as IrBlock;
  const last = terminatorOf(latch);
  const contains = (block: IrBlock): boolean => loop.blocks.has(block);
  for (const phi of loop.header.instructions) {
    if (phi.op !== "phi") break;
    const induction = inductionIn({ latch, contains }, phi);
    if (induction === null || induction.next.op !== "binary") continue;
    const { init, next } = induction;
    const tests = boundTestsOf(last, induction, contains);
    const test = tests.find(({ bound }) => !(bound.kind === "instruction" && contains(bound.block)));
    if (test === undefined) continue;
    const constant = induction.step.kind === "const-int" ? Number(signedValue(induction.step)) : null;
    const isUpward = (constant ?? 1) > 0 === (induction.sign === 1);
    const step = constant === null ? induction.step : constI32(Math.abs(constant));
    const goesOn = comparison(test, isUpward);
    const preheader = phi.incoming.find(({ block }) => block !== latch)?.block as IrBlock;
    if (goesOn === null || constant === 0 || preheader.instructions.at(-1)?.op !== "br") continue;
    if ([init, step, test.bound].every(({ kind }) => kind === "const-int")) continue;
    const masks = phases(loop, fast, {
      // Another step than 1 may jump over the end of what a register holds, unless the language says that it does not.
      isCounted: Math.abs(constant ?? 0) === 1 || (goesOn.startsWith("s") ? next.nsw : goesOn !== "ne" && next.nuw),
      isConstantStep: constant !== null,
      beginsAtConstant: loop.header.instructions.some(
        (i) =>
          i.op === "phi" && i.incoming.some(({ block, value }) => block === preheader && value.kind === "const-int"),
      ),
    });
    if (masks === null || (goesOn === "ne" && Math.abs(constant ?? 0) !== 1)) continue;
    const exit = loop.exits[0]?.to as IrBlock;
    const { bound, tested } = test;
    return { header: loop.header, preheader, latch, exit, start: init, bound, step, isUpward, tested, goesOn, masks };
  }
  return null;
}

function comparison({ stays }: BoundTest, isUpward: boolean): UnrolledLoop["goesOn"] | null {
  if (stays === "ne") return "ne";
  if (isUpward) return stays === "slt" || stays === "ult" ? stays : null;
  return stays === "sgt" || stays === "ugt" ? stays : null;
}

/** What LLVM has of a loop's end once, however often the loop is unrolled. */
const END_INSTRUCTIONS = 2;
const MOST_INSTRUCTIONS = 200;
/** Of one iteration, for the assembler. */
const MOST_OPERATIONS = 10;
const MOST_LOADS = 3;

interface LoopFacts {
  /** LLVM knows the number of iterations. */
  readonly isCounted: boolean;
  readonly isConstantStep: boolean;
  /** A counter of the loop starts at a constant. */
  readonly beginsAtConstant: boolean;
}

function phases(loop: Loop, fast: boolean, facts: LoopFacts): readonly number[] | null {
  const size = loopSize(loop, fast);
  const isSmall = facts.isConstantStep && isSmallForAssembler(loop, fast);
  if (!facts.isCounted) return isSmall ? [-4, 2, 1] : null;
  const fits = (factor: number): boolean => (size - END_INSTRUCTIONS) * factor + END_INSTRUCTIONS <= MOST_INSTRUCTIONS;
  const factor = [4, 2].find(fits);
  if (factor === undefined) return null;
  const together = factor === 4 && isSmall ? [-16, 8, 4] : [-factor];
  return facts.beginsAtConstant ? [...together, factor - 1] : [factor - 1, ...together];
}

const DIVISION = 4;
/** Products are fused with sums after loops are unrolled. */
const FUSED = 2;
/** Instructions of LLVM for each operation of a mathematical function that is counted (loops of expf). */
const FOR_MATH_OPERATION = 2;

/** As LLVM measures it (CodeMetrics, TargetTransformInfo). @param fast compiled with -use_fast_math */
function loopSize(loop: Loop, fast: boolean): number {
  return sumOver(loop, (i) => {
    switch (i.op) {
      case "phi":
        return 0;
      case "cast":
        return ["bitcast", "addrspacecast", "ptrtoint", "inttoptr", "trunc"].includes(i.operator) ? 0 : 1;
      case "gep":
        if (hasConstantIndices(i)) return 0;
        // Pointers have 64 bits there, and an index that is no counter is widened.
        return 1 + i.indices.filter((index) => isComputedIn(index, loop)).length;
      case "binary":
        return /div|rem/.test(i.operator) ? DIVISION : 1;
      case "call":
        if (calledIntrinsic(i)?.operation === "fma") return FUSED;
        return Math.max(1, FOR_MATH_OPERATION * mathOperations(i, fast));
      default:
        return 1;
    }
  });
}

function isComputedIn(index: IrValue, loop: Loop): boolean {
  return index.kind === "instruction" && index.op !== "phi" && loop.blocks.has(index.block);
}

/** Addresses and the counter do not count, and a condition counts with what it selects. */
function isSmallForAssembler(loop: Loop, fast: boolean): boolean {
  const loads = sumOver(loop, (i) => Number(i.op === "load"));
  const stores = sumOver(loop, (i) => Number(i.op === "store"));
  const operations = sumOver(loop, (i) => {
    if (i.op === "binary") return Number(scalarOf(i.type).kind === "float");
    if (i.op === "call") return Math.max(1, mathOperations(i, fast));
    return Number(["load", "store", "fcmp", "select", "cast", "atomicrmw"].includes(i.op));
  });
  const mayStore = stores === 0 || (stores === 1 && loop.blocks.size === 1);
  return operations <= MOST_OPERATIONS && loads <= MOST_LOADS && mayStore;
}

function mathOperations(i: IrInstruction, fast: boolean): number {
  return Object.values(mathCost(i, fast) ?? {}).reduce((sum, count) => sum + count, 0);
}

function sumOver(loop: Loop, of: (i: IrInstruction) => number): number {
  let sum = 0;
  for (const block of loop.blocks) for (const i of block.instructions) sum += of(i);
  return sum;
}
