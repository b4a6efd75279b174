/** A kernel of a program: on a GPU its first launch tries some ways to cut it into programs, and keeps the fastest. */
import { memoryOf } from "../device-memory.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import type { TensorKernel } from "../kernels/tensor-kernel.ts";
import type { EmittedTriton } from "./triton-kernel.ts";
import type { Lowered } from "./lower.ts";

/** A kernel as text: its helpers are functions that other kernels may have, too. */
export interface SourceText {
  readonly helpers: readonly string[];
  readonly text: string;
}

export interface KernelSource {
  readonly name: string;
  triton: SourceText;
  readonly cuda: SourceText & { readonly grid: number; readonly block: number };
}

/** Whether it may be launched several times in the place of one: it reads nothing that it writes. */
export function isRepeatable({ stores, values }: Lowered): boolean {
  const written = new Set(stores.map(({ node }) => node.output.buffer));
  return !values.some((value) => value.kind === "load" && written.has(value.buffer));
}

const TRIALS = 5;
/** Kernels of fewer programs take as long as their launch. */
const LEAST_PROGRAMS = 64;

export class Launch {
  readonly source: KernelSource;
  /** Parameters of the Triton text, and of CUDA's. */
  readonly buffers: readonly number[];
  readonly cudaBuffers: readonly number[];
  readonly #device: TensorDevice;
  readonly #isRepeatable: boolean;
  #variants: readonly EmittedTriton[];
  #chosen: { readonly kernel: TensorKernel; readonly programs: number };

  constructor(
    device: TensorDevice,
    source: KernelSource,
    variants: readonly EmittedTriton[],
    cudaBuffers: readonly number[],
    repeatable: boolean,
  ) {
    const [usual] = variants as [EmittedTriton];
    this.source = source;
    this.#device = device;
    this.#variants = variants;
    this.#isRepeatable = repeatable;
    this.cudaBuffers = cudaBuffers;
    this.buffers = usual.buffers;
    this.#chosen = this.#compiled(usual);
  }

  run(pointers: readonly number[]): void {
    if (this.#variants.length > 1) this.#tune(pointers);
    this.#chosen.kernel.launch(this.#chosen.programs, pointers);
  }

  #compiled(emitted: EmittedTriton): { kernel: TensorKernel; programs: number } {
    const { text, programs, helpers, source } = emitted;
    this.source.triton = { helpers, text: source };
    // The text decides: it names no address.
    const flags = text.params.map((param) => (param.kind === "pointer" && param.isAligned ? 1 : 0)).join("");
    const key = `compiled ${flags} ${text.numWarps} ${text.text}`;
    return { kernel: this.#device.kernel(key, () => text), programs };
  }

  #tune(pointers: readonly number[]): void {
    const variants = this.#variants;
    const [usual] = variants as [EmittedTriton];
    const { raw, stream } = this.#device;
    const { queue } = raw;
    if (memoryOf(raw).isRecording) return;
    this.#variants = [usual];
    if (queue === null || !this.#isRepeatable || usual.programs < LEAST_PROGRAMS) return;
    const [begin, end] = [queue.createEvent(), queue.createEvent()];
    let best = { time: Infinity, emitted: usual };
    for (const emitted of variants) {
      const { kernel, programs } = this.#compiled(emitted);
      kernel.launch(programs, pointers);
      queue.record(begin, stream);
      for (let i = 0; i < TRIALS; i++) kernel.launch(programs, pointers);
      queue.record(end, stream);
      queue.waitForEventBlocking(end);
      const time = queue.elapsedMs(begin, end);
      if (time < best.time) best = { time, emitted };
    }
    queue.destroyEvent(begin);
    queue.destroyEvent(end);
    this.#chosen = this.#compiled(best.emitted);
  }
}
