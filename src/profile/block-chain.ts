/**
 * What a warp waits for in a basic block: the longest chain of instructions of which each needs the one before it.
 * Loads of global memory that need nothing of each other wait together; one whose address another one loads waits
 * again.
 *
 * Cycles are those of Volta and later GPUs (Jia and others, "Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking", 2018), rounded.
 */
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrBlock, IrInstruction, IrValue } from "../ir/model/ir.ts";
import { forEachOperand } from "../ir/model/operands.ts";
import { partialCopyBytes } from "../instrument/accesses.ts";
import type { CountedAccess } from "./counted-accesses.ts";
import type { Work } from "./instruction-mix.ts";
import type { WorkClass } from "./work-classes.ts";

export interface BlockChain {
  /** Times that a warp waits for global memory. */
  readonly loads: number;
  /** Cycles that the other instructions of the chain take. */
  readonly cycles: number;
}

const NO_CHAIN: BlockChain = { loads: 0, cycles: 0 };

const ARITHMETIC_CYCLES = 4;
const CYCLES: Readonly<Partial<Record<WorkClass, number>>> = {
  special: 18,
  conversion: 12,
  lanes: 23,
  barrier: 30,
  tensor: 33,
  "fp64-add": 8,
  "fp64-mul": 8,
  "fp64-fma": 8,
};
const SHARED_CYCLES = 23;
const FOR_LATER = 0.25;
/** A chain with one load more is the longer one. */
const LOAD_WEIGHT = 1000;
/** Loads of a block that the registers of a thread let wait together. */
const TOGETHER = 16;

/** What is known of an instruction. */
export interface ChainParts {
  readonly accessesOf: (i: IrInstruction) => readonly CountedAccess[];
  readonly worksOf: (i: IrInstruction) => readonly Work[];
  /** A load whose value the next iteration uses: what lies between hides some of the wait. */
  readonly isForLater: (i: IrInstruction) => boolean;
  /** Iterations of the loop that the block is in whose loads are under way together. */
  readonly together: number;
}

export function blockChain(block: IrBlock, { accessesOf, worksOf, isForLater, together }: ChainParts): BlockChain {
  const chains = new Map<IrValue, BlockChain>();
  let [longest, issued, loads] = [NO_CHAIN, 0, 0];
  // What comes behind a barrier waits for what is in front of it.
  let barrier = NO_CHAIN;
  // A load stays behind a store that may be to the same place.
  let stored = NO_CHAIN;
  for (const i of block.instructions) {
    let before = barrier;
    if (i.op !== "phi") forEachOperand(i, (value) => (before = longer(before, chains.get(value) ?? NO_CHAIN)));
    const works = worksOf(i);
    issued += works.reduce((sum, { count }) => sum + count, 0);
    const isBarrier = works.some(({ work }) => work === "barrier");
    if (isBarrier) before = longest;
    const accesses = accessesOf(i);
    const whole = chainOf(i, accesses, works);
    const own = whole.loads === 1 && isForLater(i) ? { ...whole, loads: FOR_LATER } : whole;
    if (accesses.some(({ operation, space }) => operation !== "load" && isMemory(space)))
      stored = longer(stored, before);
    if (own.loads > 0 && !isUnchanging(i)) before = longer(before, stored);
    loads += own.loads;
    const chain = { loads: before.loads + own.loads, cycles: before.cycles + own.cycles };
    chains.set(i, chain);
    longest = longer(longest, chain);
    if (isBarrier) barrier = chain;
  }
  const waits = longest.loads / Math.max(1, together / Math.max(1, loads));
  return { loads: Math.max(waits, loads / TOGETHER), cycles: Math.max(longest.cycles, issued) };
}

function longer(a: BlockChain, b: BlockChain): BlockChain {
  return LOAD_WEIGHT * (b.loads - a.loads) + b.cycles - a.cycles > 0 ? b : a;
}

function chainOf(i: IrInstruction, accesses: readonly CountedAccess[], works: readonly Work[]): BlockChain {
  if (i.op === "call") {
    const groups = groupsUnderWay(i);
    if (groups !== null) return { loads: 1 / (1 + groups), cycles: 0 };
  }
  if (isAsynchronous(i)) return NO_CHAIN;
  // What is stored nobody waits for.
  const waits = accesses.filter(({ operation }) => operation === "load" || operation === "atomic");
  if (waits.some(({ space }) => isMemory(space))) return { loads: 1, cycles: 0 };
  // Local memory is in L1 for the most part.
  if (waits.some(({ space }) => space === "shared" || space === "local")) return { loads: 0, cycles: SHARED_CYCLES };
  return {
    loads: 0,
    // What several instructions stand for is a chain for the most part.
    cycles: works.reduce((sum, { work, count }) => sum + count * (CYCLES[work] ?? ARITHMETIC_CYCLES), 0),
  };
}

/** Groups of asynchronous copies that may be under way behind a wait; null: it is no wait. */
function groupsUnderWay(call: CallInstruction): number | null {
  if (call.callee.kind !== "function" || !/\.cp\.async\.(?:wait|mbarrier)\./.test(call.callee.name)) return null;
  const [groups] = call.args;
  return groups?.kind === "const-int" ? Number(groups.value) : 0;
}

function isMemory(space: CountedAccess["space"]): boolean {
  return space === "global" || space === "generic";
}

/** A load of what nobody changes while the kernel runs, or of an array that no other parameter points to. */
export function isUnchanging(i: IrInstruction): boolean {
  if (i.op === "call") return calledIntrinsic(i)?.isReadOnlyLoad === true;
  let pointer: IrValue | null = i.op === "load" ? i.pointer : null;
  while (pointer?.kind === "instruction" && pointer.op === "gep") pointer = pointer.base;
  return pointer?.kind === "param" && pointer.attributes.has("noalias");
}

/** A copy to shared memory that nobody waits for where it stands. */
export function isAsynchronous(i: IrInstruction): boolean {
  if (i.op === "load") return i.isAsynchronous === true;
  return i.op === "call" && (calledIntrinsic(i)?.asyncCopy != null || partialCopyBytes(i) !== null);
}
