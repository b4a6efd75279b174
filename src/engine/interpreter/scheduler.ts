/**
 * The scheduler: which thread runs next.
 *
 * In each round every thread that can run does so until it waits, yields or exits. Then the collectives of its warp and
 * the barriers of its block that are complete release their threads. Blocks start in order. A block that ends makes
 * room for the next. If the resident blocks make no progress (threads spin or wait), another block starts, because they
 * may wait for it. All blocks of a cooperative launch are resident from the start.
 *
 * The launch is deadlocked if no thread can run but those that repeat themselves (deadlock-proof.ts), and no block is
 * left to start.
 */
import { dim3Volume } from "../../base/dim3.ts";
import type { DeviceFault, WaitingThreads } from "../../machine/faults.ts";
import { openClusterBarrier, openWithinBlock } from "./barriers.ts";
import { blockShape, endBlock, startCluster } from "./blocks.ts";
import { completeCollectives } from "./collectives.ts";
import type { Grid, InterpreterOptions } from "./grid.ts";
import { ChildFault, Fault } from "./memory.ts";
import { isSpinning } from "./deadlock-proof.ts";
import { currentLocation, type Block, type Thread, type Warp } from "./thread.ts";

/** Runs every block of the grid. Returns the first fault, or null. */
export function runGrid(grid: Grid, options: InterpreterOptions): DeviceFault | null {
  const run = new GridRun(grid, options);
  try {
    return run.toTheEnd();
  } finally {
    run.endAll();
  }
}

/** A fault with the thread that caused it. */
class ThreadFault extends Error {
  readonly thread: Thread;
  readonly fault: Fault;
  constructor(thread: Thread, fault: Fault) {
    super(fault.message);
    this.thread = thread;
    this.fault = fault;
  }
}

/**
 * After so many collectives of a warp the other warps run: it may spin on a vote, which is complete at once, until they
 * act.
 */
const TURNS_OF_A_WARP = 1024;

class GridRun {
  readonly #grid: Grid;
  readonly #options: InterpreterOptions;
  readonly #blockCount: number;
  readonly #resident: Block[] = [];
  #nextBlock = 0;
  #stepsLeft: number;

  constructor(grid: Grid, options: InterpreterOptions) {
    this.#grid = grid;
    this.#options = options;
    this.#blockCount = dim3Volume(grid.launch.grid);
    this.#stepsLeft = options.maxSteps ?? Infinity;
  }

  toTheEnd(): DeviceFault | null {
    const shape = blockShape(this.#grid);
    const wanted = this.#grid.launch.cooperative ? this.#blockCount : (this.#options.residentBlocks ?? 1);
    const admit = (): void => {
      const started = startCluster(this.#grid, shape, this.#nextBlock);
      this.#resident.push(...started);
      this.#nextBlock += started.length;
    };
    try {
      for (;;) {
        while (this.#resident.length < wanted && this.#nextBlock < this.#blockCount) admit();
        if (this.#resident.length === 0) return null;
        const ended = this.#round();
        if (ended) continue;
        if (this.#openClusterBarriers() || this.#openGridBarrier()) continue;
        const stuck = this.#isStuck();
        // A thread has yielded, or all wait: they may wait for the next block.
        if (this.#nextBlock < this.#blockCount && (stuck || this.#someoneYielded())) admit();
        else if (stuck) return this.#deadlock();
      }
    } catch (error) {
      if (error instanceof ThreadFault) return this.#report(error);
      if (error instanceof ChildFault) return error.fault;
      throw error;
    }
  }

  endAll(): void {
    for (const block of this.#resident.splice(0)) endBlock(block);
  }

  // -------------------------------------------------------------- rounds

  /** One round over the resident blocks. Returns whether a block ended. */
  #round(): boolean {
    for (const block of this.#resident) this.#runBlock(block);
    const ended = this.#resident.filter((block) => block.live === 0);
    for (const block of ended) {
      endBlock(block);
      this.#resident.splice(this.#resident.indexOf(block), 1);
    }
    return ended.length > 0;
  }

  #runBlock(block: Block): void {
    for (const thread of block.threads) if (thread.state === "yielded") thread.state = "ready";
    const warps = this.#options.order === "reverse" ? [...block.warps].reverse() : block.warps;
    do for (const warp of warps) this.#runWarp(block, warp);
    while (openWithinBlock(block));
  }

  #runWarp(block: Block, warp: Warp): void {
    const threads = this.#options.order === "reverse" ? [...warp.threads].reverse() : warp.threads;
    for (let turns = 0; turns < TURNS_OF_A_WARP; turns++) {
      for (const thread of threads) if (thread.state === "ready") this.#turn(block, thread);
      if (!completeCollectives(warp)) return;
    }
    for (const thread of threads) if (thread.state === "ready") thread.state = "yielded";
  }

  #turn(block: Block, thread: Thread): void {
    thread.steps = 0;
    thread.spinningSince = -1;
    thread.observing = false;
    try {
      while (thread.state === "ready") {
        const { frame } = thread;
        thread.steps++;
        // Every block ends in a terminator, so there is always a next step.
        (frame.code.steps[frame.pc++] as (thread: Thread, frame: Thread["frame"]) => void)(thread, frame);
        if (thread.steps > this.#stepsLeft) throw new Fault("timeout", "the launch took more steps than it was given");
      }
    } catch (error) {
      if (error instanceof Fault) throw new ThreadFault(thread, error);
      throw error;
    }
    this.#stepsLeft -= thread.steps;
    if (thread.state === "done") block.live--;
  }

  // -------------------------------------------------------------- standstill

  #everyThread(test: (thread: Thread) => boolean): boolean {
    return this.#resident.every((block) => block.threads.every(test));
  }

  #openClusterBarriers(): boolean {
    let opened = false;
    for (const cluster of new Set(this.#resident.map((block) => block.cluster)))
      if (openClusterBarrier(cluster)) opened = true;
    return opened;
  }

  #openGridBarrier(): boolean {
    if (!this.#grid.launch.cooperative) return false;
    const waits = (thread: Thread): boolean => thread.barrier === "grid";
    if (!this.#everyThread((thread) => thread.state === "done" || waits(thread))) return false;
    for (const block of this.#resident)
      for (const thread of block.threads)
        if (waits(thread)) {
          thread.barrier = null;
          thread.state = "ready";
        }
    return true;
  }

  #someoneYielded(): boolean {
    return !this.#everyThread((thread) => thread.state !== "yielded");
  }

  #isStuck(): boolean {
    return this.#everyThread(
      (thread) =>
        thread.state === "done" || thread.state === "waiting" || (thread.state === "yielded" && isSpinning(thread)),
    );
  }

  // -------------------------------------------------------------- reports

  #report({ thread, fault }: ThreadFault): DeviceFault {
    const base = {
      kind: fault.kind,
      kernel: this.#grid.kernel.name,
      block: thread.block.index,
      thread: thread.index,
      location: currentLocation(thread),
      message: fault.message,
    };
    const { access, assertion } = fault;
    return { ...base, ...(access === undefined ? {} : { access }), ...(assertion === undefined ? {} : { assertion }) };
  }

  /** Who waits where: one group for each block, kind of wait and source line. */
  #deadlock(): DeviceFault {
    const groups = new Map<string, WaitingThreads & { count: number }>();
    let first: Thread | null = null;
    for (const block of this.#resident)
      for (const thread of block.threads) {
        if (thread.state === "done") continue;
        first ??= thread;
        const location = currentLocation(thread);
        const what = awaitedBy(thread);
        const key = `${block.linear} ${what} ${location?.file}:${location?.line}`;
        const group = groups.get(key);
        if (group === undefined)
          groups.set(key, { block: block.index, thread: thread.index, count: 1, what, location });
        else groups.set(key, { ...group, count: group.count + 1 });
      }
    const example = first as Thread | null;
    return {
      kind: "deadlock",
      kernel: this.#grid.kernel.name,
      block: example?.block.index ?? { x: 0, y: 0, z: 0 },
      thread: example?.index ?? { x: 0, y: 0, z: 0 },
      location: example === null ? null : currentLocation(example),
      message: "no thread can go on: each waits for another, or for a change in memory that none can make",
      waiting: [...groups.values()],
    };
  }
}

function awaitedBy({ barrier, collective }: Thread): WaitingThreads["what"] {
  if (barrier === "grid") return "grid-sync";
  if (barrier === "cluster") return "cluster-sync";
  if (barrier === "products") return "products";
  if (barrier !== null) return "barrier";
  return collective !== null ? "warp-sync" : "memory";
}
