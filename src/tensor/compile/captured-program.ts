/**
 * `mode: "reduce-overhead"`: the launches of a program are captured in a graph at its second run, and are one launch
 * from then on. PyTorch's is described in "CUDAGraph Trees" (docs.pytorch.org).
 *
 * A graph has fixed addresses. What lies at the same address at each run, such as a parameter, is read where it is; the
 * rest is copied to memory of the graph's first. Results are copied out of that memory: they are the caller's. What
 * gradients read later stays in it, and while somebody may still ask for them, runs launch kernel by kernel.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { recordGraph, type TensorGraph } from "../api/tensor-graph.ts";
import { memoryOf } from "../device-memory.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import { allocate, borrow, type Storage } from "../storage.ts";
import type { RandomState } from "./program.ts";

/** Memory of a given buffer, and where it begins, in bytes. */
export type GivenMemory = ReadonlyMap<number, { readonly storage: Storage; readonly base: number }>;

/** The program whose launches are captured. */
export interface Capturable {
  launchAll(given: GivenMemory, random: RandomState | null): Map<number, Storage>;
  /** Where the random numbers of the next replay begin. */
  beginRandom(random: RandomState | null): void;
  bytesOf(buffer: number): number;
  /** Bytes of a given buffer that the program reads, from its beginning. */
  extentOf(buffer: number): number;
  /** Whether it changes a given buffer in place. */
  writes(buffer: number): boolean;
}

type Kept = Map<number, Storage>;

/** Graphs of programs that nobody can run any more are given back. */
const collected = new FinalizationRegistry<{ graph: TensorGraph<Kept> | null }>(({ graph }) => {
  try {
    graph?.close();
  } catch (error) {
    // The device was closed, and its graphs with it.
    if (!(error instanceof HeddleError)) throw error;
  }
});
/** Whoever has memory of a graph keeps the graph. */
const owners = new WeakMap<Storage, CapturedProgram>();

export class CapturedProgram {
  readonly #device: TensorDevice;
  readonly #program: Capturable;
  readonly #results: ReadonlySet<number>;
  /** Addresses of given buffers at the first run, by buffer. */
  #addresses: Map<number, number> | null = null;
  /** Copies of given buffers that move. */
  readonly #copies = new Map<number, Storage>();
  readonly #holder: { graph: TensorGraph<Kept> | null } = { graph: null };
  /** What gradients of the last replay read. */
  #held: WeakRef<Storage>[] = [];
  /** How often launches were captured. */
  captures = 0;
  /** Why there is no graph; null: there may be one. */
  refusal: string | null = null;

  /** @param results buffers of the program that its caller gets; gradients read the others that it keeps */
  constructor(device: TensorDevice, program: Capturable, results: ReadonlySet<number>) {
    this.#device = device;
    this.#program = program;
    this.#results = results;
    collected.register(this, this.#holder);
  }

  run(given: GivenMemory, random: RandomState | null): Kept {
    const isFree = this.refusal === null && !memoryOf(this.#device.raw).isRecording && !this.#isHeld();
    const graph = isFree ? this.#graphFor(given, random) : null;
    if (graph === null) return this.#program.launchAll(given, random);
    for (const [id, copy] of this.#copies) {
      const { storage, base } = given.get(id) as { storage: Storage; base: number };
      this.#copy(copy.pointer, storage.pointer + base, copy.bytes);
    }
    this.#program.beginRandom(random);
    graph.launch();
    return this.#resultsOf(graph);
  }

  #isHeld(): boolean {
    return this.#held.some((reference) => reference.deref()?.isUsed === true);
  }

  /** The graph for memory at these addresses; null: there is none, or not yet. */
  #graphFor(given: GivenMemory, random: RandomState | null): TensorGraph<Kept> | null {
    const before = this.#addresses;
    const addresses = new Map([...given].map(([id, { storage, base }]) => [id, storage.pointer + base]));
    this.#addresses ??= addresses;
    // The first run compiles the kernels, and chooses among them.
    if (before === null) return null;
    for (const [id, address] of addresses) {
      if (this.#copies.has(id) || before.get(id) === address) continue;
      if (this.#program.writes(id))
        return this.#refuse("it changes a tensor in place that is another one at each call");
      const copy = allocate(this.#device.raw, this.#program.extentOf(id));
      copy.retain();
      this.#copies.set(id, copy);
      this.#holder.graph?.close();
      this.#holder.graph = null;
    }
    return (this.#holder.graph ??= this.#capture(given, random));
  }

  #capture(given: GivenMemory, random: RandomState | null): TensorGraph<Kept> | null {
    const own = new Map(given);
    for (const [id, storage] of this.#copies) own.set(id, { storage, base: 0 });
    try {
      const graph = recordGraph(this.#device, () => this.#program.launchAll(own, random), { warmUps: 0 });
      this.captures++;
      return graph;
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== "unsupported") throw error;
      return this.#refuse(error.summary);
    }
  }

  #refuse(reason: string): null {
    this.refusal = reason;
    return null;
  }

  #resultsOf({ result }: TensorGraph<Kept>): Kept {
    const { raw } = this.#device;
    this.#held = [];
    const own: Kept = new Map();
    for (const [id, storage] of result) {
      const bytes = this.#program.bytesOf(id);
      if (this.#results.has(id)) {
        const copy = allocate(raw, bytes);
        this.#copy(copy.pointer, storage.pointer, bytes);
        own.set(id, copy);
      } else {
        const borrowed = borrow(raw, storage.pointer, bytes);
        owners.set(borrowed, this);
        this.#held.push(new WeakRef(borrowed));
        own.set(id, borrowed);
      }
    }
    return own;
  }

  #copy(destination: number, source: number, bytes: number): void {
    const { raw, stream } = this.#device;
    if (bytes === 0) return;
    if (raw.queue === null) raw.copy(destination, source, bytes);
    else raw.queue.copy(destination, source, bytes, stream);
  }
}
