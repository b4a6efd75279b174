/** The state of a block between two steps, as plain data in few pieces: there are hundreds of them. And back. */
import { requireIntrinsic } from "../ir/intrinsics/lookup.ts";
import { bug } from "../base/diagnostics.ts";
import type { IrFunction } from "../ir/model/ir.ts";
import type { Barrier, Frame, Thread, ThreadState } from "../engine/interpreter/thread.ts";
import type { Value } from "../engine/interpreter/value.ts";
import type { Page } from "./recorded-memory.ts";
import type { BlockStepper, WarpTurns } from "./stepper.ts";

interface BarrierState {
  readonly id: number;
  readonly count: number | null;
  /** Threads and warps by number. */
  readonly waiting: readonly number[];
  readonly arrivals: readonly (readonly [warp: number, count: number])[];
}

/** What a thread waits for. */
interface Wait {
  readonly thread: number;
  readonly barrier: Thread["barrier"];
  readonly collective: {
    readonly mask: number | null;
    readonly args: readonly Value[];
    readonly slot: number;
    readonly serial: number;
  } | null;
}

export interface Snapshot {
  /** The step that comes next. */
  readonly step: number;
  readonly ticks: number;
  readonly laneTicks: number;
  readonly nextWarp: number;
  readonly spins: number;
  readonly turns: readonly Readonly<WarpTurns>[];
  readonly warpArrivals: readonly number[];
  readonly live: number;
  /** Where the next allocation of a kernel's malloc lies. */
  readonly heap: number;
  /** Functions that threads are in. */
  readonly functions: readonly string[];
  /**
   * For each thread: its state, its stack pointer, the groups of products that it has committed and that it awaits, and
   * the number of its frames; for each frame, the innermost first, FRAME_WORDS words.
   */
  readonly threads: Float64Array;
  /** The values of all frames, in that order. */
  readonly values: Float64Array;
  /** Values that are no numbers, by their place among `values`. */
  readonly others: readonly (readonly [at: number, value: Value])[];
  readonly waits: readonly Wait[];
  readonly barriers: readonly BarrierState[];
  /** Pages that changed since the snapshot before. */
  readonly pages: readonly Page[];
}

const STATES: readonly ThreadState[] = ["ready", "waiting", "yielded", "done"];

export function takeSnapshot(stepper: BlockStepper, step: number, heap: number, pages: readonly Page[]): Snapshot {
  const { block, ticks, laneTicks, nextWarp, turns } = stepper;
  return {
    step,
    ticks,
    laneTicks,
    nextWarp,
    spins: stepper.spins,
    turns: turns.map((turn) => ({ ...turn })),
    warpArrivals: block.warps.map(({ arrivals }) => arrivals),
    live: block.live,
    heap,
    ...writeThreads(block.threads),
    waits: block.threads.filter(({ state }) => state === "waiting").map(waitOf),
    barriers: [...block.barriers].map(([id, { count, waiting, arrivals }]) => ({
      id,
      count,
      waiting: waiting.map(({ linear }) => linear),
      arrivals: [...arrivals].map(([warp, times]) => [warp.index, times] as const),
    })),
    pages,
  };
}

function writeThreads(threads: readonly Thread[]): Pick<Snapshot, "functions" | "threads" | "values" | "others"> {
  const functions: string[] = [];
  const words: number[] = [];
  const others: (readonly [number, Value])[] = [];
  const values = new Float64Array(threads.reduce((sum, thread) => sum + valueCount(thread), 0));
  let at = 0;
  for (const { state, stackPointer, productGroups, awaitedGroups, frame: innermost } of threads) {
    const depth = state === "done" ? 0 : innermost.depth;
    words.push(STATES.indexOf(state), stackPointer, productGroups, awaitedGroups, depth);
    for (let frame: Frame | null = depth === 0 ? null : innermost; frame !== null; frame = frame.caller) {
      const { name } = frame.code.function;
      let number = functions.indexOf(name);
      if (number < 0) number = functions.push(name) - 1;
      words.push(number, frame.pc, frame.resultSlot, frame.stackPointer, frame.variadic);
      for (const value of frame.values) {
        if (typeof value === "number") values[at] = value;
        else others.push([at, value]);
        at++;
      }
    }
  }
  return { functions, threads: Float64Array.from(words), values, others };
}

const FRAME_WORDS = 5;

function valueCount({ state, frame: innermost }: Thread): number {
  let count = 0;
  for (let frame: Frame | null = state === "done" ? null : innermost; frame !== null; frame = frame.caller)
    count += frame.values.length;
  return count;
}

function waitOf({ linear, barrier, collective }: Thread): Wait {
  if (collective === null) return { thread: linear, barrier, collective: null };
  const { mask, args, slot, serial } = collective;
  return { thread: linear, barrier, collective: { mask, args, slot, serial } };
}

/** About how many bytes it holds. */
export function snapshotBytes({ threads, values, others, pages }: Snapshot): number {
  let bytes = 1024 + threads.byteLength + values.byteLength + 64 * others.length;
  for (const page of pages) bytes += 96 + page.bytes.length;
  return bytes;
}

/** Puts a stepper into the state; its memory is the caller's business. */
export function restoreSnapshot(
  stepper: BlockStepper,
  snapshot: Snapshot,
  functions: ReadonlyMap<string, IrFunction>,
): void {
  const { block, turns } = stepper;
  stepper.ticks = snapshot.ticks;
  stepper.laneTicks = snapshot.laneTicks;
  stepper.nextWarp = snapshot.nextWarp;
  stepper.end = null;
  stepper.spins = snapshot.spins;
  turns.forEach((turn, i) => Object.assign(turn, snapshot.turns[i]));
  block.warps.forEach((warp, i) => (warp.arrivals = snapshot.warpArrivals[i] ?? 0));
  block.live = snapshot.live;
  readThreads(block.threads, snapshot, functions);
  for (const { thread: number, barrier, collective } of snapshot.waits) {
    const thread = block.threads[number] as Thread;
    thread.barrier = barrier;
    thread.collective = collective === null ? null : { ...collective, ...awaited(thread) };
  }
  block.barriers.clear();
  for (const { id, count, waiting, arrivals } of snapshot.barriers) {
    const barrier: Barrier = {
      count,
      waiting: waiting.map((linear) => block.threads[linear] as Thread),
      arrivals: new Map(arrivals.map(([warp, times]) => [block.warps[warp] as Thread["warp"], times])),
    };
    block.barriers.set(id, barrier);
  }
}

function readThreads(
  threads: readonly Thread[],
  { functions: names, threads: words, values, others }: Snapshot,
  functions: ReadonlyMap<string, IrFunction>,
): void {
  const special = new Map(others);
  let word = 0;
  let at = 0;
  const next = (): number => words[word++] as number;
  for (const thread of threads) {
    thread.state = STATES[next()] ?? bug("a snapshot with a state that is none");
    thread.stackPointer = next();
    thread.productGroups = next();
    thread.awaitedGroups = next();
    thread.barrier = null;
    thread.collective = null;
    const depth = next();
    const read = Array.from({ length: depth }, () => {
      const [number, pc, resultSlot, stackPointer, variadic] = words.subarray(word, (word += FRAME_WORDS));
      const name = names[number as number] ?? "";
      const fn = functions.get(name) ?? bug(`no function ${name} to go back to`);
      const code = thread.block.grid.codeOf(fn);
      const own: Value[] = Array.from(values.subarray(at, at + code.slotCount));
      if (special.size > 0) own.forEach((_, i) => special.has(at + i) && (own[i] = special.get(at + i) as Value));
      at += code.slotCount;
      return { code, values: own, pc, resultSlot, stackPointer, variadic } as Omit<Frame, "caller" | "depth">;
    });
    const frame = read.reduceRight<Frame | null>(
      (caller, own) => ({ ...own, caller, depth: (caller?.depth ?? 0) + 1 }),
      null,
    );
    if (frame !== null) thread.frame = frame;
  }
}

/** The collective that a waiting thread has executed last. */
function awaited({ frame }: Thread): Pick<NonNullable<Thread["collective"]>, "intrinsic" | "instruction"> {
  const instruction = frame.code.instructions[frame.pc - 1];
  if (instruction?.op !== "call" || instruction.callee.kind !== "function") return bug("a thread waits at no call");
  return { instruction, intrinsic: requireIntrinsic(instruction.callee.name, instruction.location) };
}
