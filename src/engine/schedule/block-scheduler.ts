/**
 * Runs blocks of a launch on one thread: takes block indices, makes their tasks, lets every task run until it waits,
 * answers what they wait for, and starts further blocks when those it holds cannot go on (independent thread
 * scheduling).
 *
 * Semantics are the interpreter's: barriers are known by their number and count threads; a collective is complete when
 * all live lanes of its mask wait at the same operation with the same mask; activemask and shuffles without a mask take
 * the lanes that wait at the same place once no lane of the warp can run; and what can never complete (a lane that the
 * mask names waits elsewhere) is a deadlock, as it is on an H200 (interpreter/collectives.ts). A launch whose threads
 * only spin is one too, when their states repeat while no memory changes: a proof, not a guess by time.
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { dim3Unflatten } from "../../base/dim3.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { BlockRunnerHost } from "../backend.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { CollectiveBuffers, computeCollective } from "./collectives.ts";
import { deadlockFault, faultFromRecord, illegalBarrier } from "./fault-reports.ts";
import { ResidentBlock, bitCount, type Barrier, type Waiting, type Warp } from "./resident-block.ts";
import type { BarrierReduction, CollectiveOperation, Task, TaskSource } from "./task.ts";

/** Rounds in which nothing but spinning happened before the states of the spinning tasks are compared. */
const QUIET_ROUNDS = 16;

/** Rounds of spinning that changes memory before a further block is begun all the same. */
const SPINS_PER_BLOCK = 8;

/**
 * Turns in one round after which those who yielded have theirs, too: who spins on a vote, which is answered at once,
 * never waits and never yields.
 */
const TURNS_PER_ROUND = 1024;

interface Spinner {
  readonly task: Task;
  readonly block: ResidentBlock;
}

export class BlockScheduler {
  readonly #source: TaskSource;
  readonly #launch: LaunchDescriptor;
  readonly #host: BlockRunnerHost;
  readonly #kernelName: string;
  #maxResident: number;
  readonly #resident: ResidentBlock[] = [];
  readonly #freeSlots: number[] = [];
  #slots = 0;
  #exhausted = false;
  #ready: Spinner[] = [];
  #yielded: Spinner[] = [];
  readonly #buffers: CollectiveBuffers = new CollectiveBuffers();
  #fault: DeviceFault | null = null;

  /** `maxResident`: how many blocks may be held at once (memory sets it); a cooperative launch holds all. */
  constructor(
    source: TaskSource,
    launch: LaunchDescriptor,
    host: BlockRunnerHost,
    kernelName: string,
    maxResident: number,
  ) {
    this.#source = source;
    this.#launch = launch;
    this.#host = host;
    this.#kernelName = kernelName;
    this.#maxResident = launch.cooperative ? Infinity : maxResident;
  }

  /** Runs until no blocks are left. Null also when the host stopped the launch. */
  run(): DeviceFault | null {
    if (this.#launch.cooperative)
      while (this.#startBlock()) {
        /* all blocks of a cooperative launch are resident */
      }
    let quietRounds = 0;
    let nextComparison = QUIET_ROUNDS;
    let states: (Uint8Array | null)[] | null = null;
    let version = this.#source.memoryVersion();
    let spinRounds = 0;
    for (;;) {
      if (this.#host.stopped()) return null;
      const progress = this.#runReady();
      if (this.#fault !== null) return this.#fault;
      if (this.#resident.length === 0) {
        if (!this.#startBlock()) return null;
        continue;
      }
      if (this.#ready.length > 0) {
        if (++spinRounds % SPINS_PER_BLOCK === 0) this.#startBlock();
        continue;
      }
      if (this.#releaseConverged() || this.#completeGridSync()) {
        quietRounds = 0;
        continue;
      }
      if (this.#yielded.length === 0) return this.#deadlock();
      // Everyone who can run spins. What they wait for may be a block that has not begun.
      const now = this.#source.memoryVersion();
      if (progress || now !== version) {
        quietRounds = 0;
        nextComparison = QUIET_ROUNDS;
        states = null;
        this.#host.progressed?.();
      } else quietRounds++;
      version = now;
      // While they change memory they may get on by themselves, as those who wait for a lock do.
      spinRounds++;
      if ((quietRounds > 0 || spinRounds % SPINS_PER_BLOCK === 0) && this.#startBlock()) {
        quietRounds = 0;
        states = null;
      } else if (quietRounds >= nextComparison && this.#exhausted) {
        const current = this.#yielded.map(({ task }) => task.state());
        if (states === null) {
          states = current;
          nextComparison = quietRounds + 1;
        } else if (current.every((state, i) => sameBytes(state, states?.[i] ?? null))) {
          // Other threads may yet write what these wait for: the next round is looked at, too.
          if (!(this.#host.stalled?.() ?? this.#host.alone())) {
            states = current;
            nextComparison = quietRounds + 1;
          } else return this.#deadlock();
        } else {
          states = null;
          nextComparison = quietRounds * 2;
          this.#host.progressed?.();
        }
      }
      [this.#ready, this.#yielded] = [this.#yielded, this.#ready];
    }
  }

  /**
   * Runs every ready task once, and what becomes ready meanwhile, up to a bound: the rest is ready still. Returns
   * whether anything happened but yields.
   */
  #runReady(): boolean {
    let progress = false;
    const bound = this.#ready.length + TURNS_PER_ROUND;
    for (let at = 0; at < this.#ready.length; at++) {
      if (at === bound) {
        this.#ready = [...this.#ready.slice(at), ...this.#yielded];
        this.#yielded = [];
        return true;
      }
      const { task, block } = this.#ready[at] as Spinner;
      // It had two turns coming and ended in the first; the second would end its block twice.
      if (task.lanes === 0) continue;
      const status = task.run();
      if (task.exitedLanes !== 0) {
        block.exit(task, task.exitedLanes);
        task.exitedLanes = 0;
        progress = true;
        this.#afterExit(block, task.warp);
      }
      switch (status) {
        case "yielded":
          this.#yielded.push(this.#ready[at] as Spinner);
          this.#register(task, block);
          break;
        case "waiting":
          progress = true;
          this.#register(task, block);
          break;
        case "ended":
          progress = true;
          if (block.liveThreads === 0) this.#finish(block);
          break;
        case "split": {
          progress = true;
          const warp = block.warps[task.warp] as Warp;
          const parts = task.split();
          warp.tasks = [...warp.tasks.filter((other) => other !== task), ...parts];
          for (const part of parts) this.#ready.push({ task: part, block });
          break;
        }
        case "fault":
          this.#fault = faultFromRecord(
            task.faultRecord(),
            task.warp,
            block,
            this.#launch,
            this.#kernelName,
            this.#source.sites,
          );
          return true;
      }
      if (this.#fault !== null) return true;
      if ((at & 63) === 63 && this.#host.stopped()) break;
    }
    this.#ready.length = 0;
    return progress;
  }

  /** The next block, if there is one and room for it. */
  #startBlock(): boolean {
    if (this.#exhausted || this.#resident.length >= this.#maxResident) return false;
    const slot = this.#freeSlots.at(-1) ?? this.#slots;
    if (!this.#source.prepare(slot)) {
      if (this.#launch.cooperative)
        throw new HeddleError(
          "out-of-memory",
          "the blocks of this cooperative launch do not fit into memory all at once",
        );
      this.#maxResident = this.#resident.length;
      return false;
    }
    const linear = this.#host.nextBlock();
    if (linear < 0) {
      this.#exhausted = true;
      return false;
    }
    if (this.#freeSlots.pop() === undefined) this.#slots++;
    const ctaid = dim3Unflatten(linear, this.#launch.grid);
    const tasks = this.#source.start(slot, ctaid);
    const block = new ResidentBlock(slot, linear, ctaid, tasks);
    this.#resident.push(block);
    for (const task of tasks) this.#ready.push({ task, block });
    return true;
  }

  #finish(block: ResidentBlock): void {
    this.#resident.splice(this.#resident.indexOf(block), 1);
    this.#freeSlots.push(block.slot);
  }

  // -------------------------------------------------------------- waits

  #register(task: Task, block: ResidentBlock): void {
    const warp = block.warps[task.warp] as Warp;
    for (const wait of task.waits) {
      const waiting: Waiting = { task, wait };
      const { operation } = wait;
      if (operation.kind === "barrier") this.#arrive(waiting, block);
      else if (operation.kind === "grid-sync") block.gridSync.push(waiting);
      else {
        warp.collectives.push(waiting);
        if (!operation.converged) this.#completeCollectives(block, warp, wait.mask, operation.operation);
      }
    }
  }

  #arrive(waiting: Waiting, block: ResidentBlock): void {
    const { wait, task } = waiting;
    const problem = illegalBarrier(wait);
    if (problem !== null) {
      this.#fault = faultFromRecord(
        { lane: 31 - Math.clz32(wait.lanes & -wait.lanes), code: 2, site: wait.site, address: 0, bytes: 0 },
        task.warp,
        block,
        this.#launch,
        this.#kernelName,
        this.#source.sites,
        problem,
      );
      return;
    }
    let barrier = block.barriers.get(wait.barrier);
    if (barrier === undefined)
      block.barriers.set(wait.barrier, (barrier = { waiting: [], arrivedByWarp: new Map(), threads: wait.threads }));
    if (barrier.arrivedByWarp.size === 0) barrier.threads = wait.threads;
    barrier.arrivedByWarp.set(task.warp, (barrier.arrivedByWarp.get(task.warp) ?? 0) + bitCount(wait.lanes));
    if (wait.operation.kind === "barrier" && wait.operation.reduction === "arrive")
      this.#resume(task, wait.lanes, block);
    else barrier.waiting.push(waiting);
    this.#openBarrier(block, barrier);
  }

  #openBarrier(block: ResidentBlock, barrier: Barrier): void {
    if (barrier.arrivedByWarp.size === 0) return;
    let arrived = 0;
    for (const [warp, count] of barrier.arrivedByWarp) {
      // With a count, whole warps count: lanes that do not exist or have ended are there, those that ended after they
      // came, once.
      arrived += barrier.threads >= 0 ? Math.min(32, count + 32 - bitCount((block.warps[warp] as Warp).live)) : count;
    }
    if (arrived < (barrier.threads >= 0 ? barrier.threads : block.liveThreads)) return;
    const released = barrier.waiting.splice(0);
    barrier.arrivedByWarp.clear();
    this.#reduceBarrier(released);
    for (const { task, wait } of released) this.#resume(task, wait.lanes, block);
  }

  /** barrier.red: the same result for all, over the predicates of those that wait. */
  #reduceBarrier(released: readonly Waiting[]): void {
    let set = 0;
    let total = 0;
    let reduces = false;
    const { value, result, resultHigh } = this.#buffers;
    for (const { task, wait } of released) {
      total += bitCount(wait.lanes);
      if (reductionOf(wait) === "none") continue;
      reduces = true;
      task.operands(wait.lanes, 0, value);
      for (let rest = wait.lanes; rest !== 0; rest &= rest - 1) if (value[31 - Math.clz32(rest & -rest)] !== 0) set++;
    }
    if (!reduces) return;
    for (const { task, wait } of released) {
      const reduction = reductionOf(wait);
      if (reduction === "none") continue;
      result.fill(reduction === "popc" ? set : reduction === "and" ? Number(set === total) : Number(set > 0));
      task.setResults(wait.lanes, result, resultHigh);
    }
  }

  /** Completes the collective of this operation and mask when everyone is there. */
  #completeCollectives(block: ResidentBlock, warp: Warp, mask: number, operation: CollectiveOperation): boolean {
    let arrived = 0;
    for (const { wait } of warp.collectives) if (isSame(wait, mask, operation)) arrived |= wait.lanes;
    if (arrived === 0 || (mask & warp.live & ~arrived) !== 0) return false;
    this.#complete(block, warp, ({ wait }) => isSame(wait, mask, operation));
    return true;
  }

  #complete(block: ResidentBlock, warp: Warp, belongs: (waiting: Waiting) => boolean): void {
    const group: Waiting[] = [];
    const others: Waiting[] = [];
    for (const waiting of warp.collectives) (belongs(waiting) ? group : others).push(waiting);
    warp.collectives = others;
    const { operation } = (group[0] as Waiting).wait;
    if (operation.kind !== "collective") bug("a collective that is none");
    const b = this.#buffers;
    let lanes = 0;
    for (const { task, wait } of group) {
      lanes |= wait.lanes;
      readOperands(operation.operation, task, wait.lanes, b);
    }
    computeCollective(operation.operation, lanes, b);
    for (const { task, wait } of group) {
      if (operation.operation !== "syncwarp") task.setResults(wait.lanes, b.result, b.resultHigh);
      this.#resume(task, wait.lanes, block);
    }
  }

  #resume(task: Task, lanes: number, block: ResidentBlock): void {
    task.resume(lanes);
    // A task that yielded has its turn anyway; one that waited as a whole cannot have. A second turn does no harm,
    // and one after the task's end is passed over.
    if (task.lanes === lanes || task.yieldedLanes === 0) this.#ready.push({ task, block });
  }

  /** Ended lanes are expected no longer. */
  #afterExit(block: ResidentBlock, warpIndex: number): void {
    const warp = block.warps[warpIndex] as Warp;
    for (let again = warp.collectives.length > 0; again;) {
      again = false;
      for (const { wait } of warp.collectives) {
        if (wait.operation.kind !== "collective" || wait.operation.converged) continue;
        if (this.#completeCollectives(block, warp, wait.mask, wait.operation.operation)) {
          again = true;
          break;
        }
      }
    }
    for (const barrier of block.barriers.values()) this.#openBarrier(block, barrier);
  }

  /** activemask and its kin: nobody is ready, so those who wait at the same place are the converged ones. */
  #releaseConverged(): boolean {
    let released = false;
    for (const block of this.#resident) {
      for (const warp of block.warps) {
        const first = warp?.collectives.find(
          ({ wait }) => wait.operation.kind === "collective" && wait.operation.converged,
        );
        if (first === undefined) continue;
        this.#complete(
          block,
          warp as Warp,
          ({ wait }) =>
            wait.operation.kind === "collective" && wait.operation.converged && wait.site === first.wait.site,
        );
        released = true;
      }
    }
    return released;
  }

  #completeGridSync(): boolean {
    if (!this.#exhausted) return false;
    let waiting = 0;
    let live = 0;
    for (const block of this.#resident) {
      live += block.liveThreads;
      for (const { wait } of block.gridSync) waiting += bitCount(wait.lanes);
    }
    if (waiting === 0 || waiting < live) return false;
    for (const block of this.#resident)
      for (const { task, wait } of block.gridSync.splice(0)) this.#resume(task, wait.lanes, block);
    return true;
  }

  #deadlock(): DeviceFault {
    return deadlockFault(
      this.#resident,
      this.#yielded.map(({ task, block }) => ({ task, block })),
      this.#launch,
      this.#kernelName,
      this.#source.sites,
    );
  }
}

function isSame(wait: Waiting["wait"], mask: number, operation: CollectiveOperation): boolean {
  return (
    wait.operation.kind === "collective" &&
    !wait.operation.converged &&
    wait.operation.operation === operation &&
    wait.mask === mask
  );
}

function reductionOf(wait: Waiting["wait"]): BarrierReduction {
  return wait.operation.kind === "barrier" ? wait.operation.reduction : "none";
}

/** Only what the operation takes. */
function readOperands(operation: CollectiveOperation, task: Task, lanes: number, b: CollectiveBuffers): void {
  if (operation === "syncwarp" || operation === "activemask") return;
  task.operands(lanes, 0, b.value);
  if (operation.startsWith("match")) task.operands(lanes, 1, b.high);
  if (operation.startsWith("shfl")) {
    task.operands(lanes, 2, b.lane);
    task.operands(lanes, 3, b.control);
  }
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
