/**
 * The blocks of a thread block cluster, which one thread runs in turn: a block goes on until all its warps have ended,
 * or none of them comes to another wait. And the barrier of the cluster (PTX ISA 8.5, 9.7.12.4). A block without a
 * cluster is one by itself.
 */
import type { Dim3 } from "../../base/dim3.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { BlockWaits } from "./block-waits.ts";
import { ROUNDS_PER_LOOK } from "./control-flow/block-loops.ts";

/** After so many turns of all blocks the launch is asked whether it must stop. */
const TURNS_PER_POLL = 1024;
const MOST_WARPS = 64;

export class ClusterWaits {
  readonly #blocks: readonly BlockWaits[];
  /** The block that runs, by its rank in the cluster. */
  #rank = 0;
  readonly #begun = new Set<number>();
  /** Warps of all blocks that have arrived at the cluster's barrier in its present phase, and those that wait there. */
  readonly #arrived = new Set<number>();
  readonly #waiting: (readonly [BlockWaits, number])[] = [];
  /** In this turn a warp has come to another wait, or has ended, or the cluster's barrier has opened. */
  #moved = false;

  constructor(blocks: readonly BlockWaits[]) {
    this.#blocks = blocks;
  }

  /** What the warps of the running block wait for. */
  get block(): BlockWaits {
    return this.#blocks[this.#rank]!;
  }

  get #isAlone(): boolean {
    return this.#blocks.length === 1;
  }

  /** The running block's code is entered: whether the block begins, and does not go on. */
  enter(): boolean {
    if (this.#isAlone) this.#start();
    const begins = !this.#begun.has(this.#rank);
    this.#begun.add(this.#rank);
    return begins;
  }

  #start(): void {
    for (const block of this.#blocks) block.begin();
    this.#begun.clear();
    this.#arrived.clear();
    this.#waiting.length = 0;
  }

  /** A warp of the running block comes to the cluster's barrier: those of an earlier phase need not wait for it. */
  atBarrier(warp: number, waits: boolean): void {
    const key = this.#rank * MOST_WARPS + warp;
    if (!waits) {
      // Who arrives again in the same phase is not further than before.
      if (!this.#arrived.has(key)) this.block.countEvent();
      this.#arrived.add(key);
      this.#openIfComplete();
    } else if (this.#arrived.has(key)) {
      this.#waiting.push([this.block, warp]);
      this.block.setWaiting(warp, true);
    }
  }

  end(warp: number): void {
    this.#moved = true;
    this.block.end(warp);
    this.#arrived.delete(this.#rank * MOST_WARPS + warp);
    this.#openIfComplete();
  }

  #openIfComplete(): void {
    const live = this.#blocks.reduce((sum, block) => sum + block.live, 0);
    if (this.#arrived.size < live) return;
    this.#moved = true;
    for (const block of this.#blocks) block.countEvent();
    this.#arrived.clear();
    for (const [block, warp] of this.#waiting.splice(0)) block.setWaiting(warp, false);
  }

  /** The running block, alone, can never go on: see BlockWaits.isDeadlocked. */
  isDeadlocked(idleRounds: number, rounds: number): boolean {
    return this.#isAlone && this.block.isDeadlocked(idleRounds, rounds);
  }

  /** After a round: whether the other blocks go on first. */
  yields(idleRounds: number, rounds: number): boolean {
    if (this.#isAlone) return false;
    const isIdle = idleRounds > 0;
    if (!isIdle || rounds > 1) this.#moved = true;
    return isIdle || rounds >= ROUNDS_PER_LOOK;
  }

  /**
   * Runs all blocks to their ends; `goOn` enters the code of one. False if none of them can ever go on.
   *
   * @param poll called now and then: it throws if the launch must stop
   */
  takeTurns(goOn: (rank: number) => void, poll: () => void): boolean {
    this.#start();
    let open = [...this.#blocks.keys()];
    for (let turns = 1, idle = 0; ; turns++) {
      this.#moved = false;
      for (const rank of open) {
        this.#rank = rank;
        goOn(rank);
      }
      open = open.filter((rank) => this.#blocks[rank]!.live > 0);
      if (open.length === 0) return true;
      idle = this.#moved ? 0 : idle + 1;
      if (turns % TURNS_PER_POLL === 0) poll();
      const stand = open.map((rank) => this.#blocks[rank]!.isDeadlocked(idle, turns));
      if (stand.every((stands) => stands)) return false;
    }
  }

  /** @param places of the blocks in the grid, by rank */
  deadlock(kernel: string, places: readonly Dim3[]): DeviceFault {
    const waiting = this.#blocks.flatMap((block, rank) => block.waitingThreads(places[rank]!));
    const total = waiting.reduce((sum, { count }) => sum + count, 0);
    const [first] = waiting;
    return {
      kind: "deadlock",
      kernel,
      block: first?.block ?? places[0]!,
      thread: first?.thread ?? { x: 0, y: 0, z: 0 },
      location: first?.location ?? null,
      message: total === 1 ? "1 thread waits for ever" : `${total} threads wait and none of them can ever go on`,
      waiting,
    };
  }
}
