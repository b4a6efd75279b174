/** Kernels of a trace in order, with what each needs of memory. */
import { bug } from "../../base/diagnostics.ts";
import { memoryOf } from "../device-memory.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import { threadsOf } from "../operations/philox.ts";
import { allocate, borrow, type Storage } from "../storage.ts";
import { elementBytes } from "../dtypes.ts";
import { Tensor } from "../tensor.ts";
import { withTracer } from "../follower.ts";
import { withoutTape } from "../autograd/tape.ts";
import { emitTriton } from "./emit-triton.ts";
import { emitCuda } from "./emit-cuda.ts";
import { CapturedProgram, type GivenMemory } from "./captured-program.ts";
import { viewsOf, type Buffer, type Node, type Trace, type View } from "./graph.ts";
import { groupNodes, type Step } from "./group.ts";
import type { KernelNames } from "./kernel-text.ts";
import { isRepeatable, Launch, type KernelSource } from "./launch.ts";
import { simplify } from "./simplify.ts";
import { tilingsOf } from "./tilings.ts";

export interface BuildOptions {
  /** Small floats are rounded after each operation, as without `compile`. */
  readonly isRounding: boolean;
  /** Given buffers whose addresses are multiples of 16. */
  readonly isAligned: (buffer: number) => boolean;
  /** For the names of kernels. */
  readonly name: () => string;
  /** What the generator's counter grows by. */
  readonly counters: number;
  /** Launches are captured in a graph. */
  readonly isCaptured: boolean;
}

interface Work {
  readonly launch: Launch | null;
  readonly opaque: Node | null;
  /** Buffers that get memory before, and those whose memory goes back behind it. */
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

/** Launches a kernel's CUDA text, which somebody has compiled. */
export type CudaLaunch = (source: KernelSource, pointers: readonly number[]) => void;

/** Where the random numbers of a run begin. */
export interface RandomState {
  readonly seed: bigint;
  readonly counter: number;
}

export class Program {
  readonly sources: readonly KernelSource[];
  readonly buffers: readonly Buffer[];
  /** The buffer that holds what a buffer of the trace holds at the end. */
  readonly final: ReadonlyMap<number, number>;
  readonly usesRandom: boolean;
  /** @internal Null: the Triton texts are launched. */
  cudaLaunch: CudaLaunch | null = null;
  readonly #device: TensorDevice;
  readonly #work: readonly Work[];
  readonly #kept: ReadonlySet<number>;
  readonly #constants = new Map<number, Storage>();
  readonly #randomBuffer: number;
  /** What the generator's counter grows by. */
  readonly #counters: number;
  #captured: CapturedProgram | null = null;

  /** @param demanded buffers of the trace whose memory `run` returns */
  constructor(device: TensorDevice, trace: Trace, demanded: ReadonlySet<number>, options: BuildOptions) {
    const simplified = simplify(trace, demanded);
    const steps = groupNodes(simplified, options.isRounding);
    this.#device = device;
    this.buffers = simplified.buffers;
    this.final = simplified.final;
    this.#randomBuffer = this.buffers.length;
    this.#counters = options.counters;
    this.#kept = new Set([...demanded].map((id) => simplified.final.get(id) ?? id));
    const built = this.#build(steps, options);
    this.sources = built.sources;
    this.usesRandom = built.launches.some((launch) => launch?.buffers.includes(this.#randomBuffer) ?? false);
    this.#work = this.#withLifetimes(steps, built.launches);
    for (const { id, kind, data } of this.buffers)
      if (kind === "constant" && data !== null) this.#constants.set(id, uploaded(device, data));
  }

  #build(steps: readonly Step[], options: BuildOptions): { sources: KernelSource[]; launches: (Launch | null)[] } {
    const sources: KernelSource[] = [];
    const name = options.name();
    const launches = steps.map((step): Launch | null => {
      if (step.kind === "opaque") return null;
      const names: KernelNames = {
        kernel: `${name}_${sources.length}`,
        random: "random_state",
        randomBuffer: this.#randomBuffer,
        threadsOf: (length) => threadsOf(length, this.#device.raw).threads,
        isAligned: (id) => this.buffers[id]?.kind !== "given" || options.isAligned(id),
      };
      const variants = tilingsOf(step.lowered, this.#device.raw.queue !== null).map((tiling) =>
        emitTriton(step.lowered, this.buffers, names, tiling),
      );
      const cuda = emitCuda(step.lowered, this.buffers, names);
      const source: KernelSource = {
        name: names.kernel,
        triton: { helpers: [], text: "" },
        cuda: { helpers: cuda.helpers, text: cuda.text, grid: cuda.grid, block: cuda.block },
      };
      sources.push(source);
      return new Launch(this.#device, source, variants, cuda.buffers, isRepeatable(step.lowered));
    });
    return { sources, launches };
  }

  #withLifetimes(steps: readonly Step[], launches: readonly (Launch | null)[]): Work[] {
    const uses = steps.map((step, at) => {
      const used = new Set(launches[at]?.buffers ?? []);
      if (step.kind === "opaque") {
        used.add(step.node.output.buffer);
        for (const { view } of step.node.inputs) used.add(view.buffer);
      }
      return [...used].filter((id) => this.buffers[id]?.kind === "made");
    });
    const first = new Map<number, number>();
    const last = new Map<number, number>();
    for (const [at, used] of uses.entries())
      for (const id of used) {
        if (!first.has(id)) first.set(id, at);
        last.set(id, at);
      }
    return steps.map((step, at) => ({
      launch: launches[at] ?? null,
      opaque: step.kind === "opaque" ? step.node : null,
      begins: (uses[at] ?? []).filter((id) => first.get(id) === at),
      ends: (uses[at] ?? []).filter((id) => last.get(id) === at && !this.#kept.has(id)),
    }));
  }

  /**
   * Launches all kernels.
   * @param given memory of the given buffers, by buffer
   * @returns memory of demanded buffers, by buffer of the program
   */
  run(given: GivenMemory, random: RandomState | null): Map<number, Storage> {
    const work = this.#captured ?? { run: (...own: Parameters<Program["run"]>) => this.#run(...own) };
    return withTracer(null, () => withoutTape(() => work.run(given, random)));
  }

  /** What is known of the graph that `run` launches; null: it launches kernels. */
  get captured(): CapturedProgram | null {
    return this.#captured;
  }

  /**
   * From now on `run` launches a graph.
   * @param trace what the program was made of
   * @param results buffers of it that the caller of `run` gives away
   */
  capture(trace: Trace, results: ReadonlySet<number>): void {
    const own = new Set([...results].map((id) => this.final.get(id) ?? id));
    const written = new Set(trace.actions.map(({ output }) => output.buffer));
    const extents = extentsOf(trace);
    const program = {
      launchAll: (given: GivenMemory, random: RandomState | null) => this.#run(given, random),
      beginRandom: (random: RandomState | null) => {
        if (this.usesRandom) this.#randomState(random);
      },
      bytesOf: (id: number) => (this.buffers[id] as Buffer).bytes,
      extentOf: (id: number) => extents.get(id) ?? 0,
      writes: (id: number) => written.has(id),
    };
    this.#captured = new CapturedProgram(this.#device, program, own);
  }

  #run(given: GivenMemory, random: RandomState | null): Map<number, Storage> {
    const { raw } = this.#device;
    const memory = memoryOf(raw);
    const pointers: number[] = [];
    const storages = new Map<number, Storage>(this.#constants);
    const kept = new Map<number, Storage>();
    for (const [id, storage] of this.#constants) pointers[id] = storage.pointer;
    for (const [id, { storage, base }] of given) {
      storages.set(id, storage);
      pointers[id] = storage.pointer + base;
    }
    const temporary = new Map<number, number>();
    const state = this.usesRandom ? this.#randomState(random) : null;
    if (state !== null) pointers[this.#randomBuffer] = state.pointer;
    for (const { launch, opaque, begins, ends } of this.#work) {
      for (const id of begins) {
        if (opaque?.output.buffer === id) continue;
        const { bytes } = this.buffers[id] as Buffer;
        if (this.#kept.has(id)) {
          const storage = allocate(raw, bytes);
          kept.set(id, storage);
          storages.set(id, storage);
          pointers[id] = storage.pointer;
        } else {
          pointers[id] = memory.allocate(bytes);
          temporary.set(id, bytes);
        }
      }
      if (launch !== null) {
        const argsOf = (ids: readonly number[]): number[] => ids.map((id) => pointers[id] as number);
        if (this.cudaLaunch !== null) this.cudaLaunch(launch.source, argsOf(launch.cudaBuffers));
        else launch.run(argsOf(launch.buffers));
      } else if (opaque !== null) this.#compute(opaque, pointers, storages, kept);
      for (const id of ends) {
        const bytes = temporary.get(id);
        if (bytes !== undefined) memory.free(pointers[id] as number, bytes);
        else storages.get(id)?.release();
      }
    }
    if (state !== null && memory.isRecording) this.#advance(state);
    return kept;
  }

  /** What a graph does to the state of random numbers. */
  #advance(state: Storage): void {
    const text = `@triton.jit\ndef advance(state, by):\n    tl.store(state + 1, tl.load(state + 1) + by)\n`;
    const kernel = this.#device.kernel("advance random numbers", () => ({
      name: "advance",
      text,
      params: [
        { kind: "pointer", dtype: "int64", isAligned: true },
        { kind: "i32", isDivisible: false },
      ],
      numWarps: 1,
    }));
    kernel.launch(1, [state.pointer, this.#counters]);
  }

  #compute(node: Node, pointers: number[], storages: Map<number, Storage>, kept: Map<number, Storage>): void {
    const { raw } = this.#device;
    const tensorOf = ({ buffer, dtype, shape, strides, offset }: View): Tensor => {
      const storage = borrow(raw, pointers[buffer] as number, (this.buffers[buffer] as Buffer).bytes);
      return new Tensor(storage, dtype, shape, strides, offset);
    };
    const action = node.opaque ?? bug("an opaque node has work");
    const result = action.run(node.inputs.map(({ view }) => tensorOf(view)));
    const id = node.output.buffer;
    if (result.offset !== 0 || result.storage.bytes < (this.buffers[id] as Buffer).bytes)
      bug(`${action.name} computed a part of something`);
    result.storage.retain();
    storages.set(id, result.storage);
    pointers[id] = result.pointer;
    if (this.#kept.has(id)) kept.set(id, result.storage);
  }

  #randomState(random: RandomState | null): Storage {
    const { seed, counter } = random ?? bug("random numbers need a state");
    // A graph's launches follow one another's numbers: the state stays on the device.
    if (memoryOf(this.#device.raw).isRecording)
      return this.#random ?? bug("a graph is recorded of what has run before");
    this.#random ??= retained(allocate(this.#device.raw, 16));
    this.#random.write(0, new Uint8Array(new BigInt64Array([BigInt.asIntN(64, seed), BigInt(counter)]).buffer));
    return this.#random;
  }

  #random: Storage | null = null;
}

/** Bytes of each buffer that a trace reads, from its beginning. */
function extentsOf({ actions }: Trace): Map<number, number> {
  const extents = new Map<number, number>();
  for (const { buffer, dtype, shape, strides, offset } of actions.flatMap(viewsOf)) {
    if (shape.includes(0)) continue;
    const last = shape.reduce((sum, size, d) => sum + (size - 1) * (strides[d] as number), offset);
    extents.set(buffer, Math.max(extents.get(buffer) ?? 0, (last + 1) * elementBytes(dtype)));
  }
  return extents;
}

function retained(storage: Storage): Storage {
  storage.retain();
  return storage;
}

function uploaded({ raw }: TensorDevice, data: Uint8Array): Storage {
  const storage = retained(allocate(raw, data.length));
  storage.write(0, data);
  return storage;
}
