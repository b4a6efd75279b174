/**
 * Runs blocks of a launch on one thread: starts blocks, runs every task until it waits, completes barriers and
 * collectives, and starts further blocks when the resident ones cannot go on.
 *
 * States of a task, and what moves it:
 *   ready ── Task.run() returns ──▶ one of
 *     yielded                    a lane spins or sleeps ──▶ ready when all tasks have had their round
 *     waiting at a barrier       ──▶ ready when the last thread arrives, or the last missing one ends
 *     waiting at a collective    ──▶ ready when every live lane of the membermask waits there with the same mask
 *     waiting without a mask     (activemask) ──▶ ready when no task can run: the lanes at one place form the group
 *     waiting for products       ──▶ ready when all live threads of the warpgroup have committed them
 *     waiting at the grid        ──▶ ready when all threads of a cooperative launch wait there
 *     split                      replaced by its parts, which are ready
 *     ended                      the block ends with its last thread, and its slot becomes free
 *     fault                      ends the launch
 *
 * The lanes of a task may wait in several groups: the task is ready as soon as one of them goes on. `#ready` and
 * `#yielded` are the tasks to run in this round and in the next. Waiting tasks stand in their ResidentBlock: at
 * `barriers`, at a warp's `collectives`, in `productWaits` or at `gridSync`.
 *
 * After a round the scheduler takes the first step of these that is possible (`#endRound`): release groups without a
 * mask, complete a grid sync, start a block, prove a deadlock (deadlock-proof.ts), or begin the next round of spinning
 * tasks. If no task spins and no step is possible, the launch is deadlocked.
 *
 * The meaning is the interpreter's, and an H200's: barriers are known by their number and count threads. A lane that a
 * mask names but that waits elsewhere is a deadlock (interpreter/collectives.ts).
 */
import { HeddleError, bug } from "../../base/diagnostics.ts";
import { dim3Flatten, dim3Volume } from "../../base/dim3.ts";
import { blockOfLaunch } from "../../machine/clusters.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { BlockRunnerHost } from "../backend.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { arriveAtBarrier, setReductionResults, takeComplete, takeGridSync } from "./barriers.ts";
import { CollectiveBuffers, computeCollective, count, hasResult, isCount, readOperands } from "./collectives.ts";
import { DeadlockProof } from "../deadlock-proof/one-thread.ts";
import { deadlockFault, faultFromRecord, illegalBarrier } from "./fault-reports.ts";
import { takeProducts } from "./product-groups.ts";
import { arriveAtCluster, ResidentCluster } from "./resident-cluster.ts";
import { ResidentBlock, type Barrier, type Waiting, type Warp } from "./resident-block.ts";
import { firstConverged, isSame } from "./converged-lanes.ts";
import type { CollectiveOperation, FaultRecord, Task, TaskSource } from "./task.ts";

/** Rounds of spinning that changes memory before a further block is started all the same. */
const SPINS_PER_BLOCK = 8;

/**
 * Runs in one round after which yielded tasks run, too. A task that spins on a vote gets its answer at once, so it
 * never waits and never yields.
 */
const RUNS_PER_ROUND = 1024;

/** The host is asked every so many runs whether the launch must stop. */
const RUNS_PER_POLL = 64;

/** The code of a fault record for an illegal barrier: "illegal-instruction". */
const ILLEGAL_INSTRUCTION = 2;

interface Scheduled {
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
  readonly #clusterBlocks: number;
  /** Slots come in groups: as many as a cluster has blocks. */
  readonly #freeGroups: number[] = [];
  #groups = 0;
  /** No blocks are left to start. */
  #allStarted = false;
  /** Tasks to run in this round. */
  #ready: Scheduled[] = [];
  /** Tasks that have yielded in this round, to run in the next. */
  #yielded: Scheduled[] = [];
  readonly #buffers: CollectiveBuffers = new CollectiveBuffers();
  #fault: DeviceFault | null = null;
  #spinRounds = 0;
  readonly #proof: DeadlockProof;

  /** `maxResident`: how many blocks fit into memory at once. A cooperative launch needs all of them. */
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
    this.#clusterBlocks = launch.cluster === null ? 1 : dim3Volume(launch.cluster);
    this.#maxResident = launch.cooperative ? Infinity : maxResident;
    this.#proof = new DeadlockProof(source.memoryVersion());
  }

  /** Runs until no blocks are left. Null also if the host stopped the launch. */
  run(): DeviceFault | null {
    if (this.#launch.cooperative)
      while (this.#startBlock()) {
        /* all blocks of a cooperative launch are resident */
      }
    while (!this.#host.stopped()) {
      const progress = this.#runReady();
      if (this.#fault !== null) return this.#fault;
      if (this.#resident.length === 0) {
        if (!this.#startBlock()) return null;
      } else if (this.#endRound(progress) === "deadlock") return this.#deadlock();
    }
    return null;
  }

  /** A round has ended: takes the first step that is possible. Tasks are still ready only if the round was too long. */
  #endRound(progress: boolean): "next round" | "deadlock" {
    if (this.#ready.length > 0) {
      if (++this.#spinRounds % SPINS_PER_BLOCK === 0) this.#startBlock();
      return "next round";
    }
    if (this.#releaseConverged() || this.#completeGridSync()) {
      this.#proof.noteRelease();
      return "next round";
    }
    if (this.#yielded.length === 0) return "deadlock";
    if (this.#proof.noteRound(progress, this.#source.memoryVersion())) this.#host.progressed?.();
    this.#spinRounds++;
    // Spinning tasks may wait for a block that has not started. While they change memory, as those that wait for a lock
    // do, they may go on by themselves: then a block is started now and then only.
    const needsBlock = this.#proof.isQuiet || this.#spinRounds % SPINS_PER_BLOCK === 0;
    if (needsBlock && this.#startBlock()) this.#proof.noteNewBlock();
    else if (this.#allStarted && this.#proof.isComparisonDue && this.#isDeadlocked()) return "deadlock";
    [this.#ready, this.#yielded] = [this.#yielded, this.#ready];
    return "next round";
  }

  /** All tasks spin, repeat themselves, and no other thread of the launch can change that. */
  #isDeadlocked(): boolean {
    switch (this.#proof.compare(this.#yielded.map(({ task }) => task))) {
      case "unknown":
        return false;
      case "repeated":
        return this.#host.stalled?.() ?? this.#host.alone();
      case "moved":
        this.#host.progressed?.();
        return false;
    }
  }

  /**
   * Runs every ready task once, and those that become ready meanwhile, up to a bound: the rest stays ready. Returns
   * whether anything but yields happened.
   */
  #runReady(): boolean {
    let progress = false;
    const bound = this.#ready.length + RUNS_PER_ROUND;
    for (let at = 0; at < this.#ready.length; at++) {
      if (at === bound) {
        this.#ready = [...this.#ready.slice(at), ...this.#yielded];
        this.#yielded = [];
        return true;
      }
      const { task, block } = this.#ready[at] as Scheduled;
      // The task was ready twice and ended in its first run. By the second, another block may have its slot.
      if (task.lanes === 0 || block.liveThreads === 0) continue;
      const status = task.run();
      if (task.exitedLanes !== 0) {
        block.exit(task, task.exitedLanes);
        task.exitedLanes = 0;
        progress = true;
        this.#afterExit(block, task.warp);
      }
      switch (status) {
        case "yielded":
          this.#yielded.push(this.#ready[at] as Scheduled);
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
          this.#setFault(task.faultRecord(), task, block);
          return true;
      }
      if (this.#fault !== null) return true;
      // The warp may have committed products, or ended.
      for (const { task: other, wait } of takeProducts(block, task.warp)) this.#resume(other, wait.lanes, block);
      if ((at + 1) % RUNS_PER_POLL === 0 && this.#host.stopped()) break;
    }
    this.#ready.length = 0;
    return progress;
  }

  /** The next block, or the blocks of the next cluster, if there is one and room for it. */
  #startBlock(): boolean {
    const size = this.#clusterBlocks;
    if (this.#allStarted || this.#resident.length + size > Math.max(size, this.#maxResident)) return false;
    const group = this.#freeGroups.at(-1) ?? this.#groups;
    for (let slot = group * size; slot < (group + 1) * size; slot++)
      if (!this.#source.prepare(slot)) {
        this.#tooFewSlots(slot);
        return false;
      }
    const ordinals = Array.from({ length: size }, () => this.#host.nextBlock());
    if (ordinals.some((ordinal) => ordinal < 0)) {
      this.#allStarted = true;
      return false;
    }
    if (this.#freeGroups.pop() === undefined) this.#groups++;
    const cluster = new ResidentCluster();
    for (const [rank, ordinal] of ordinals.entries()) this.#begin(group * size + rank, ordinal, cluster);
    return true;
  }

  #tooFewSlots(slot: number): void {
    if (this.#launch.cooperative || slot < this.#clusterBlocks)
      throw new HeddleError(
        "out-of-memory",
        `the blocks of a ${this.#launch.cooperative ? "cooperative launch" : "cluster"} do not all fit into memory`,
      );
    this.#maxResident = this.#resident.length;
  }

  #begin(slot: number, ordinal: number, cluster: ResidentCluster): void {
    const ctaid = blockOfLaunch(ordinal, this.#launch.grid, this.#launch.cluster);
    const tasks = this.#source.start(slot, ctaid);
    const block = new ResidentBlock(slot, dim3Flatten(ctaid, this.#launch.grid), ctaid, cluster, tasks);
    this.#resident.push(block);
    for (const task of tasks) this.#ready.push({ task, block });
  }

  /** The memory of a cluster's blocks is free when all of them have ended. */
  #finish(block: ResidentBlock): void {
    this.#resident.splice(this.#resident.indexOf(block), 1);
    if (block.cluster.blocks.every(({ liveThreads }) => liveThreads === 0))
      this.#freeGroups.push(Math.floor(block.slot / this.#clusterBlocks));
  }

  // -------------------------------------------------------------- waits

  #register(task: Task, block: ResidentBlock): void {
    const warp = block.warps[task.warp] as Warp;
    for (const wait of task.waits) {
      const waiting: Waiting = { task, wait };
      const { operation } = wait;
      if (operation.kind === "barrier") this.#arrive(waiting, block);
      else if (operation.kind === "grid-sync") block.gridSync.push(waiting);
      else if (operation.kind === "products") block.productWaits = [...block.productWaits, waiting];
      else if (operation.kind === "cluster") this.#atCluster(operation.action, waiting, block);
      else {
        warp.collectives.push(waiting);
        if (!operation.converged) this.#completeCollectives(block, warp, wait.mask, operation.operation);
      }
    }
  }

  #atCluster(action: "arrive" | "wait", waiting: Waiting, block: ResidentBlock): void {
    if (!arriveAtCluster(action, waiting, block)) return;
    this.#resume(waiting.task, waiting.wait.lanes, block);
    if (action === "arrive") this.#openCluster(block);
  }

  #openCluster(block: ResidentBlock): void {
    for (const [own, { task, wait }] of block.cluster.takeComplete() ?? []) this.#resume(task, wait.lanes, own);
  }

  #arrive(waiting: Waiting, block: ResidentBlock): void {
    const { wait, task } = waiting;
    const problem = illegalBarrier(wait);
    if (problem !== null) {
      const lane = 31 - Math.clz32(wait.lanes & -wait.lanes);
      this.#setFault({ lane, code: ILLEGAL_INSTRUCTION, site: wait.site, address: 0, bytes: 0 }, task, block, problem);
      return;
    }
    const barrier = arriveAtBarrier(block, waiting);
    if (wait.operation.kind === "barrier" && wait.operation.reduction === "arrive")
      this.#resume(task, wait.lanes, block);
    this.#openIfComplete(block, barrier);
  }

  #openIfComplete(block: ResidentBlock, barrier: Barrier): void {
    const released = takeComplete(block, barrier);
    if (released === null) return;
    setReductionResults(released, this.#buffers);
    for (const { task, wait } of released) this.#resume(task, wait.lanes, block);
  }

  /** Completes the collective of this operation and mask if all its live lanes wait there. */
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
    if (isCount(operation.operation)) {
      const place = { block: block.linear, warp: warp.index };
      count(operation.operation, lanes, b, {
        warp: warp.index,
        clocks: block.clocks,
        windows: () => ({ ...this.#source.windows(block.slot), ...place }),
        counters: this.#source.counters,
      });
    } else computeCollective(operation.operation, lanes, b);
    for (const { task, wait } of group) {
      if (hasResult(operation.operation)) task.setResults(wait.lanes, b.result, b.resultHigh);
      this.#resume(task, wait.lanes, block);
    }
  }

  #resume(task: Task, lanes: number, block: ResidentBlock): void {
    task.resume(lanes);
    // A yielded task runs in the next round anyway. To be ready twice does no harm.
    if (task.lanes === lanes || task.yieldedLanes === 0) this.#ready.push({ task, block });
  }

  /** Lanes have ended: collectives and barriers that missed only those are complete. */
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
    for (const barrier of block.barriers.values()) this.#openIfComplete(block, barrier);
    this.#openCluster(block);
  }

  /** Waits without a mask: no task is ready, so the lanes that wait at one place are the converged ones. */
  #releaseConverged(): boolean {
    let released = false;
    for (const block of this.#resident) {
      for (const warp of block.warps) {
        const first = firstConverged(warp?.collectives ?? []);
        if (first === null) continue;
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
    const released = this.#allStarted ? takeGridSync(this.#resident) : null;
    for (const [block, { task, wait }] of released ?? []) this.#resume(task, wait.lanes, block);
    return released !== null;
  }

  #setFault(record: FaultRecord, task: Task, block: ResidentBlock, message?: string): void {
    const { sites } = this.#source;
    this.#fault = faultFromRecord(record, task.warp, block, this.#launch, this.#kernelName, sites, message);
  }

  #deadlock(): DeviceFault {
    return deadlockFault(this.#resident, this.#yielded, this.#launch, this.#kernelName, this.#source.sites);
  }
}
