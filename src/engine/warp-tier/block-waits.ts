/**
 * What the warps of a block wait for, where they wait apart from one another: who has arrived at which
 * barrier, and whether a block can still go on. Emitted code calls this at each arrival, when a warp ends, and when a
 * round over all warps has changed nothing (control-flow/block-loops.ts).
 *
 * Barriers mean what they mean in schedule/barriers.ts: known by their number; with a number of threads they count
 * whole warps, otherwise the threads that have not ended.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import { dim3Unflatten, type Dim3 } from "../../base/dim3.ts";
import type { WaitingThreads } from "../../machine/faults.ts";
import { WARP_LANES } from "../../machine/memory-map.ts";
import { bitCount } from "../schedule/resident-block.ts";
import type { BlockPlace, Range } from "./block-places.ts";
import { CONTEXT_WORDS, LONGEST_CIRCLE, ROUNDS_PER_LOOK } from "./control-flow/block-loops.ts";
import type { WarpMetadata } from "./metadata.ts";

interface Barrier {
  readonly arrived: Set<number>;
  /** Warps that do not only arrive. */
  readonly waiting: number[];
  /** -1: all that have not ended. */
  threads: number;
}

/** After so many rounds in which no warp came to another wait their state is compared. */
const IDLE_ROUNDS = 64;

export class BlockWaits {
  readonly #metadata: WarpMetadata;
  readonly #memory: WebAssembly.Memory;
  readonly #contexts: number;
  /** Memory that decides what the warps do next. */
  readonly #state: readonly Range[];
  readonly #barriers = new Map<number, Barrier>();
  #words: Int32Array;
  #live = 0;
  /** What the state was in an earlier idle round. */
  #before: readonly Uint8Array[] = [];
  /** Arrivals at barriers, openings of the cluster's barrier, and ends of warps. */
  #events = 0;
  #eventsBefore = 0;

  constructor(metadata: WarpMetadata, memory: WebAssembly.Memory, { shared, local, contexts }: BlockPlace) {
    this.#metadata = metadata;
    this.#memory = memory;
    this.#contexts = contexts;
    this.#state = [shared, local, [contexts, contexts + metadata.warps * metadata.contextBytes]];
    this.#words = new Int32Array(memory.buffer);
  }

  /** Warps that have not ended. */
  get live(): number {
    return this.#live;
  }

  begin(): void {
    this.#barriers.clear();
    this.#live = this.#metadata.warps;
    this.#before = [];
    this.#events = 0;
    if (this.#words.length === 0) this.#words = new Int32Array(this.#memory.buffer);
  }

  /** Something has happened that takes the block on, whatever its state looks like. */
  countEvent(): void {
    this.#events++;
  }

  arrive(warp: number, id: number, threads: number, waits: boolean): void {
    this.#events++;
    let barrier = this.#barriers.get(id);
    if (barrier === undefined) this.#barriers.set(id, (barrier = { arrived: new Set(), waiting: [], threads }));
    if (barrier.arrived.size === 0) barrier.threads = threads;
    barrier.arrived.add(warp);
    if (waits) {
      barrier.waiting.push(warp);
      this.setWaiting(warp, true);
    }
    this.#releaseIfComplete(barrier);
  }

  end(warp: number): void {
    this.#events++;
    this.#live--;
    for (const barrier of this.#barriers.values()) {
      if (barrier.threads < 0) barrier.arrived.delete(warp);
      this.#releaseIfComplete(barrier);
    }
  }

  /**
   * True if no warp of the block can ever go on: after one round, or a few, all state is as it was, and nothing has
   * happened at a barrier. Progress in global memory is no part of the state: it is seen by the barriers in between.
   */
  isDeadlocked(idleRounds: number, rounds: number): boolean {
    const [idle, all] = [idleRounds % IDLE_ROUNDS, rounds % ROUNDS_PER_LOOK];
    const isIdle = idleRounds >= IDLE_ROUNDS && idle <= 1;
    const begins = isIdle ? idle === 0 : all === 0;
    if (!begins && !isIdle && (rounds < ROUNDS_PER_LOOK || all > LONGEST_CIRCLE)) return false;
    const now = this.#state.map(([start, end]) => new Uint8Array(this.#memory.buffer).slice(start, end));
    if (begins) {
      this.#before = now;
      this.#eventsBefore = this.#events;
      return false;
    }
    const isComparable = this.#before.length > 0 && this.#events === this.#eventsBefore;
    return isComparable && now.every((bytes, n) => isSame(bytes, this.#before[n]!));
  }

  /** Whether the warp waits at a barrier: the code then passes it over. */
  setWaiting(warp: number, waits: boolean): void {
    const { contextBytes } = this.#metadata;
    this.#words[(this.#contexts + warp * contextBytes + CONTEXT_WORDS.atBarrier) >> 2] = Number(waits);
  }

  /** Groups of threads by place and what they wait for. */
  waitingThreads(block: Dim3): readonly WaitingThreads[] {
    const { warps, waits, contextBytes } = this.#metadata;
    const groups = new Map<string, WaitingThreads & { count: number }>();
    for (let warp = 0; warp < warps; warp++) {
      const context = (this.#contexts + warp * contextBytes) >> 2;
      const resume = this.#words[context]!;
      const place = resume > 0 ? waits?.[resume - 1] : undefined;
      if (place === undefined) continue;
      const lanes = this.#words[context + (CONTEXT_WORDS.lanes >> 2)]!;
      const key = `${place.what}|${JSON.stringify(place.location)}`;
      const known = groups.get(key);
      if (known !== undefined) known.count += bitCount(lanes);
      else groups.set(key, this.#groupOf(warp, lanes, place, block));
    }
    return [...groups.values()];
  }

  #groupOf(
    warp: number,
    lanes: number,
    { what, location }: { readonly what: WaitingThreads["what"]; readonly location: SourceLocation | null },
    block: Dim3,
  ): WaitingThreads & { count: number } {
    const first = 31 - Math.clz32(lanes & -lanes);
    const thread = dim3Unflatten(warp * WARP_LANES + first, this.#metadata.block);
    return { block, thread, count: bitCount(lanes), what, location };
  }

  #releaseIfComplete(barrier: Barrier): void {
    const { arrived, waiting, threads } = barrier;
    if (arrived.size === 0) return;
    if (threads < 0 ? arrived.size < this.#live : arrived.size * WARP_LANES < threads) return;
    arrived.clear();
    for (const warp of waiting.splice(0)) this.setWaiting(warp, false);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, n) => byte === b[n]);
}
