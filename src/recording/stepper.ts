/**
 * Runs one block step by step. A *step* is what a warp's lanes do together on one line of the source, up to the next
 * line, a back edge, or where the lanes go apart, meet or wait.
 *
 * The warps take turns, a step each. Of a warp's lanes run those that are at one place: of several places that of the
 * innermost call, then the one that comes first in the function. So lanes that went apart meet where their ways do. If
 * some lanes loop while others could run, the others get their turn, as on GPUs since Volta.
 *
 * Every choice follows from the state alone: the same block, run again from a snapshot, does the same.
 */
import type { DeviceFault } from "../machine/faults.ts";
import { openWithinBlock } from "../engine/interpreter/barriers.ts";
import { completeCollectives } from "../engine/interpreter/collectives.ts";
import { Fault } from "../engine/interpreter/memory.ts";
import {
  currentLocation,
  type Block,
  type Frame,
  type FunctionCode,
  type Step,
  type Thread,
  type Warp,
} from "../engine/interpreter/thread.ts";
import { LaneLoops, type LaneLoop } from "./lane-loops.ts";
import type { LineTable } from "./source-lines.ts";

/** What a step did, as bits. */
export const STEP_FLAGS = { diverged: 1, reconverged: 2, barrier: 4, waited: 8, exited: 16, fault: 32 } as const;

export interface StepRecord {
  readonly warp: number;
  /** In the table of lines; -1: no line of the user's source. */
  readonly line: number;
  /** The lanes that took part. */
  readonly mask: number;
  readonly flags: number;
  /** Calls deep. */
  readonly depth: number;
}

/** Why no step follows. */
export type BlockEnd =
  | { readonly how: "done" }
  | { readonly how: "fault"; readonly fault: DeviceFault }
  /** Every thread waits: for one another, or for other blocks. */
  | { readonly how: "deadlock" | "other-blocks" }
  /** Threads only loop, and look whether something has changed. */
  | { readonly how: "spins" };

/**
 * Executions of a back edge, while other lanes of the warp could run, after which these have their turn. A loop that
 * looks at what others may change (a lock) counts more: lanes that left an ordinary loop wait for the rest behind it.
 */
const PATIENCE = 4096;
const WAITING_LOOP = 1024;
const LONGEST_REST = 64;
/** Steps in a row in which warps only look whether something has changed: nothing will. */
const MOST_SPINS = 20_000;
/** Instructions of one step. Code without lines may loop. */
const LONGEST_STEP = 100_000;

interface StepStart {
  readonly line: number;
  readonly frame: Frame;
  readonly pc: number;
}

/** Decides whose turn it is if lanes of a warp loop while others could run. */
export interface WarpTurns {
  backEdges: number;
  /** Turns that the warp still lets pass: it looks whether others have changed something, ever more rarely. */
  rest: number;
  /** How many it lets pass the next time. */
  backoff: number;
}

/** Hears which lane executes what while a step is watched. */
export interface LaneListener {
  begin(thread: Thread, pc: number): void;
}

export class BlockStepper {
  readonly block: Block;
  readonly turns: WarpTurns[];
  /** Instructions executed so far, each by a warp's lanes together. */
  ticks = 0;
  /** The same by lanes. */
  laneTicks = 0;
  nextWarp = 0;
  /** Steps in a row that only waited. */
  spins = 0;
  end: BlockEnd | null = null;
  listener: LaneListener | null = null;
  /** The step ended with another turn of a loop that waits. */
  #waits = false;
  readonly #lines: LineTable;
  readonly #loops: LaneLoops;

  constructor(block: Block, lines: LineTable) {
    this.block = block;
    this.#lines = lines;
    this.#loops = new LaneLoops(block);
    this.turns = block.warps.map(() => ({ backEdges: 0, rest: 0, backoff: 0 }));
  }

  /** Executes the next step. Null: there is none, and `end` says why. */
  step(): StepRecord | null {
    if (this.end !== null) return null;
    for (;;) {
      const warp = this.#nextReady();
      if (warp !== null) {
        this.nextWarp = (warp.index + 1) % this.block.warps.length;
        return this.#runTurn(warp);
      }
      if (!this.#release()) return null;
    }
  }

  #nextReady(): Warp | null {
    const { warps } = this.block;
    let resting: Warp | null = null;
    for (let i = 0; i < warps.length; i++) {
      const warp = warps[(this.nextWarp + i) % warps.length] as Warp;
      if (readyCount(warp) === 0) continue;
      const turns = this.turns[warp.index] as WarpTurns;
      if (turns.rest === 0) return warp;
      turns.rest--;
      resting ??= warp;
    }
    return resting;
  }

  /** A step, and what follows from it for the warp's next turns. */
  #runTurn(warp: Warp): StepRecord {
    const turns = this.turns[warp.index] as WarpTurns;
    this.#waits = false;
    const record = this.#runStep(warp);
    if (this.#waits) {
      turns.backoff = Math.min(LONGEST_REST, Math.max(1, turns.backoff * 2));
      turns.rest = turns.backoff;
      if (++this.spins > MOST_SPINS) this.end = { how: "spins" };
    } else {
      turns.backoff = 0;
      this.spins = 0;
    }
    return record;
  }

  /** No thread can run: those that gave way, collectives and barriers may let some. False: the block has ended. */
  #release(): boolean {
    const { block } = this;
    const yielded = block.threads.filter(({ state }) => state === "yielded");
    for (const thread of yielded) thread.state = "ready";
    if (yielded.length > 0) return true;
    let released = openWithinBlock(block);
    for (const warp of block.warps) if (completeCollectives(warp)) released = true;
    if (released) return true;
    if (block.live === 0) this.end = { how: "done" };
    else if (block.threads.every(({ state, barrier }) => state === "done" || barrier === "grid"))
      return this.#openGrid();
    else this.end = { how: "deadlock" };
    return false;
  }

  /** The barrier of a grid with one block. */
  #openGrid(): boolean {
    const { grid, threads } = this.block;
    const { x, y, z } = grid.launch.grid;
    if (x * y * z > 1) {
      this.end = { how: "other-blocks" };
      return false;
    }
    for (const thread of threads)
      if (thread.barrier === "grid") {
        thread.barrier = null;
        thread.state = "ready";
      }
    return true;
  }

  // ---------------------------------------------------------------- a step

  #runStep(warp: Warp): StepRecord {
    const group = this.#choose(warp);
    const first = group[0] as Thread;
    const start: StepStart = { line: this.#lines.lineOf(first), frame: first.frame, pc: first.frame.pc };
    const record = { warp: warp.index, line: start.line, mask: maskOf(group), depth: Math.min(first.frame.depth, 255) };
    try {
      return { ...record, flags: this.#runGroup(warp, group, start) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // Lanes take their turns in order: of those that got furthest it is the last.
      const furthest = Math.max(...group.map(({ frame }) => frame.pc));
      const thread = group.findLast(({ frame }) => frame.pc === furthest) ?? first;
      this.end = { how: "fault", fault: deviceFault(thread, error, this.block.grid.kernel.name) };
      return { ...record, flags: STEP_FLAGS.fault };
    }
  }

  /** Runs the lanes to the end of their step. Returns its flags. */
  #runGroup(warp: Warp, start: Thread[], { line, frame, pc: startPc }: StepStart): number {
    let group = start;
    let flags = 0;
    const isAll = group.length === readyCount(warp);
    for (const limit = this.ticks + LONGEST_STEP; this.ticks < limit;) {
      const before = (group[0] as Thread).frame;
      const { code } = before;
      const { lines, endsRun, isUsers } = this.#lines.of(code);
      const pc = this.#runStraight(group, line, lines, endsRun);
      if (pc < 0) return flags;
      // The instruction at `pc` may do anything.
      this.#runLanes(group, code.steps[pc] as Step, pc);
      this.ticks++;
      this.laneTicks += group.length;
      const stayed = isAll && isTogether(group, before.code);
      if (!stayed) flags |= this.#settle(warp, group);
      const next = stayed ? group : this.#choose(warp);
      const leader = next[0];
      if (leader === undefined) return flags;
      const isBack = leader.frame === before && leader.frame.pc <= pc;
      if (isBack) this.#goBack(warp, before.code, leader.frame.pc, pc, next.length < readyCount(warp));
      const change = stayed ? 0 : compareGroups(group, next);
      if (change !== 0) return flags | change;
      if ((flags & STEP_FLAGS.barrier) !== 0) return flags;
      if (isBack && isUsers && leader.frame === frame && startPc <= leader.frame.pc) return flags;
      const now = this.#lines.lineOf(leader);
      if (now >= 0 && now !== line) return flags;
      group = next;
    }
    return flags;
  }

  /**
   * Executes instructions that all lanes leave together. Returns the place of one that may end the run, not executed
   * yet; -1: the next instruction belongs to another line.
   */
  #runStraight(group: readonly Thread[], line: number, lines: Int32Array, endsRun: Uint8Array): number {
    const { code, pc: start } = (group[0] as Thread).frame;
    const { steps } = code;
    const loops = this.#loops.of(code);
    const count = group.length;
    let pc = start;
    for (; endsRun[pc] === 0; pc++) {
      const own = lines[pc] as number;
      if (own >= 0 && own !== line) break;
      const loop = loops[pc] as LaneLoop | null;
      if (loop !== null && this.listener === null) loop(group, count, pc);
      else this.#runLanes(group, steps[pc] as Step, pc);
    }
    this.ticks += pc - start;
    this.laneTicks += (pc - start) * count;
    for (let i = 0; i < count; i++) (group[i] as Thread).frame.pc = pc;
    const own = lines[pc] as number;
    return own >= 0 && own !== line ? -1 : pc;
  }

  #runLanes(group: readonly Thread[], step: Step, pc: number): void {
    for (const thread of group) {
      const { frame } = thread;
      this.listener?.begin(thread, pc);
      frame.pc = pc + 1;
      step(thread, frame);
    }
  }

  /** Counts threads that have ended; completes the warp's collectives. */
  #settle(warp: Warp, group: readonly Thread[]): number {
    let flags = 0;
    let waits = false;
    for (const thread of group) {
      if (thread.state === "ready") continue;
      if (thread.state === "done") {
        this.block.live--;
        flags |= STEP_FLAGS.exited;
      } else if (thread.barrier !== null) flags |= STEP_FLAGS.barrier;
      else if (thread.collective !== null) waits = true;
    }
    while (waits && completeCollectives(warp)) waits = group.some(({ collective }) => collective !== null);
    if (waits) flags |= STEP_FLAGS.waited;
    if (flags & STEP_FLAGS.barrier) openWithinBlock(this.block);
    return flags;
  }

  #goBack(warp: Warp, code: FunctionCode, from: number, to: number, hasOthers: boolean): void {
    const mayWait = this.#lines.mayWait(code, from, to);
    // Where other lanes could run it is their turn soon, and no reason to rest.
    if (hasOthers) (this.turns[warp.index] as WarpTurns).backEdges += mayWait ? WAITING_LOOP : 1;
    else this.#waits = mayWait;
  }

  /** The lanes that run now. */
  #choose(warp: Warp): Thread[] {
    const turns = this.turns[warp.index] as WarpTurns;
    const wantsLast = Math.floor(turns.backEdges / PATIENCE) % 2 === 1;
    let best: Thread | null = null;
    for (const thread of warp.threads) {
      if (thread.state !== "ready") continue;
      if (best === null) best = thread;
      else if (thread.frame.pc !== best.frame.pc || thread.frame.code !== best.frame.code) {
        const order = this.#order(thread, best);
        if (wantsLast ? order > 0 : order < 0) best = thread;
      }
    }
    if (best === null) return [];
    const { code, pc, depth } = best.frame;
    const group: Thread[] = [];
    for (const thread of warp.threads) {
      const { state, frame } = thread;
      if (state === "ready" && frame.pc === pc && frame.code === code && frame.depth === depth) group.push(thread);
    }
    return group;
  }

  /** Negative: `a` runs first. */
  #order(a: Thread, b: Thread): number {
    if (a.frame.depth !== b.frame.depth) return b.frame.depth - a.frame.depth;
    if (a.frame.code === b.frame.code) return a.frame.pc - b.frame.pc;
    return this.#lines.of(a.frame.code).order - this.#lines.of(b.frame.code).order;
  }
}

/** Lanes as a bit mask. */
export function maskOf(threads: readonly Thread[]): number {
  let mask = 0;
  for (const { lane } of threads) mask |= 1 << lane;
  return mask >>> 0;
}

function readyCount(warp: Warp): number {
  let count = 0;
  for (const { state } of warp.threads) if (state === "ready") count++;
  return count;
}

/** Whether all lanes can go on, at one place of the same function. */
function isTogether(group: readonly Thread[], code: FunctionCode): boolean {
  const { pc } = (group[0] as Thread).frame;
  for (const { state, frame } of group) if (state !== "ready" || frame.pc !== pc || frame.code !== code) return false;
  return true;
}

/** 0: the same lanes go on. */
function compareGroups(before: readonly Thread[], after: readonly Thread[]): number {
  const [a, b] = [maskOf(before), maskOf(after)];
  if (a === b) return 0;
  // Lanes that have ended or wait are no divergence.
  const left = maskOf(before.filter(({ state }) => state === "ready"));
  if (left === b && left !== a) return 0;
  return (b & ~a) >>> 0 !== 0 && (a & ~b) === 0 ? STEP_FLAGS.reconverged : STEP_FLAGS.diverged;
}

/** A fault as devices report it. */
export function deviceFault(thread: Thread, fault: Fault, kernel: string): DeviceFault {
  const { access, assertion } = fault;
  return {
    kind: fault.kind,
    kernel,
    block: thread.block.index,
    thread: thread.index,
    location: currentLocation(thread),
    message: fault.message,
    ...(access === undefined ? {} : { access }),
    ...(assertion === undefined ? {} : { assertion }),
  };
}
