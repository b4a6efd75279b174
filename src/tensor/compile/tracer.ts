/** Records what a function does with tensors, as actions on buffers. */
import { bug } from "../../base/diagnostics.ts";
import type { Device } from "../../device/device.ts";
import { elementBytes } from "../dtypes.ts";
import { input } from "../expressions/expression.ts";
import type { Combining } from "../operations/reduce-elements.ts";
import { allocate, type Storage } from "../storage.ts";
import { withTracer } from "../follower.ts";
import type { TracedFunction, Tracer, Work } from "../tracing.ts";
import { elementCount, Tensor, type Shape } from "../tensor.ts";
import { checkRange } from "./check-indices.ts";
import type { Action, Buffer, BufferKind, View } from "./graph.ts";
import { LazyStorage, type Owner } from "./lazy-storage.ts";

/** What runs the actions so far, so that memory is there. */
export type Flush = (recording: Recording) => void;

/** `grad` of a leaf, before it changed first. */
export interface ChangedGradient {
  readonly tensor: Tensor;
  readonly before: Tensor | null;
}

export class Recording implements Tracer, Owner {
  readonly place: Device;
  readonly buffers: Buffer[] = [];
  readonly actions: Action[] = [];
  /** By buffer. */
  readonly storages: Storage[] = [];
  readonly gradients: ChangedGradient[] = [];
  readonly effects: (() => void)[] = [];
  /** Tensors and modules from around the function. */
  readonly seen: Set<object> = new Set();
  /** Why the graph ended before the function did. */
  readonly breaks: string[] = [];
  /** What the generator's counter has grown by. */
  counters = 0;
  readonly #known = new Map<Storage, Buffer>();
  readonly #positions = new Map<number, LazyStorage>();
  /** Where offsets count from, in bytes: views of arguments are the same graph wherever they lie. */
  readonly #bases = new Map<Storage, number>();
  readonly #flush: Flush;
  #operation = "";

  constructor(place: Device, flush: Flush) {
    this.place = place;
    this.#flush = flush;
  }

  /** The first argument that uses a storage. */
  readonly arguments: Map<Storage, number> = new Map();

  /** Memory of an argument. */
  give(storage: Storage, index: number, base: number): void {
    if (storage.place !== this.place || this.#known.has(storage)) return;
    const name = `argument${index}`;
    this.arguments.set(storage, index);
    this.#bases.set(storage, base);
    this.#add(storage, "given", name);
  }

  /** The actions so far have run: what they made is given from now on. */
  restart(): void {
    this.actions.length = 0;
    this.buffers.length = 0;
    this.storages.length = 0;
    this.#known.clear();
    this.#positions.clear();
    this.#bases.clear();
    this.counters = 0;
  }

  allocate(bytes: number): Storage {
    // Nothing is computed of no bytes.
    return bytes === 0 ? withTracer(null, () => allocate(this.place, 0)) : new LazyStorage(this.place, bytes, this);
  }

  viewOf(tensor: Tensor): View {
    this.sees(tensor);
    const { storage, dtype, shape, strides, offset } = tensor;
    const buffer = this.#known.get(storage) ?? this.#add(storage, kindOf(storage), `captured${this.buffers.length}`);
    const base = (this.#bases.get(storage) ?? 0) / elementBytes(dtype);
    return { buffer: buffer.id, dtype, shape, strides, offset: offset - base };
  }

  #add(storage: Storage, kind: BufferKind, name: string): Buffer {
    const id = this.buffers.length;
    const buffer: Buffer = { id, kind, bytes: storage.bytes, name: kind === "made" ? `made${id}` : name, data: null };
    this.buffers.push(buffer);
    this.storages.push(storage);
    this.#known.set(storage, buffer);
    return buffer;
  }

  pointwise({ name, expression, type }: TracedFunction, operands: readonly (Tensor | number)[], output: Tensor): void {
    this.#operation = name;
    this.actions.push({
      kind: "pointwise",
      name,
      expression,
      type,
      operands: operands.map((operand) => (typeof operand === "number" ? operand : this.viewOf(operand))),
      output: this.viewOf(output),
    });
    output.storage.version++;
  }

  reduction(
    { name, combine, expression, type, finish = null }: Combining,
    operands: readonly (Tensor | number)[],
    dims: ReadonlySet<number>,
    output: Tensor,
  ): void {
    this.#operation = name;
    this.actions.push({
      kind: "reduction",
      name,
      combine,
      expression,
      type,
      operands: operands.map((operand) => (typeof operand === "number" ? operand : this.viewOf(operand))),
      dims: [...dims],
      finish,
      output: this.viewOf(output),
    });
    output.storage.version++;
  }

  uniform(output: Tensor, counters: number): void {
    this.#operation = "rand";
    this.actions.push({ kind: "uniform", name: "uniform", counter: this.counters, output: this.viewOf(output) });
    this.counters += counters;
    output.storage.version++;
  }

  opaque(name: string, inputs: readonly Tensor[], _shape: Shape, output: Tensor, run: Work): void {
    this.#operation = name;
    const views = inputs.map((input) => this.viewOf(input));
    this.actions.push({ kind: "opaque", name, inputs: views, output: this.viewOf(output), run, isCheck: false });
    output.storage.version++;
  }

  positions(length: number): Storage {
    let storage = this.#positions.get(length);
    if (storage === undefined) {
      storage = new LazyStorage(this.place, length * 4, this);
      this.#positions.set(length, storage);
      this.#add(storage, "index", `index${this.buffers.length}`);
    }
    return storage;
  }

  checkIndices(index: Tensor, size: number): void {
    const input = this.viewOf(index);
    const output = this.#add(this.allocate(8), "made", "");
    this.actions.push({
      kind: "opaque",
      name: "check_indices",
      inputs: [input],
      output: { buffer: output.id, dtype: "int64", shape: [], strides: [], offset: 0 },
      run: ([own]) => checkRange(own as Tensor, size),
      isCheck: true,
    });
  }

  writes(storage: LazyStorage, begin: number, bytes: Uint8Array): boolean {
    if (this.#known.has(storage) || begin !== 0 || bytes.length !== storage.bytes) return false;
    this.#add(storage, "constant", `constant${this.buffers.length}`).data = bytes.slice();
    return true;
  }

  demand(storage: LazyStorage): void {
    if (this.#isEnded) return;
    this.break(`${this.#operation === "" ? "the function" : `what follows ${this.#operation}`} needs memory`);
    withTracer(null, () => this.#flush(this));
    // Nothing was computed of it yet.
    if (storage.real === null) storage.settle(withTracer(null, () => allocate(this.place, storage.bytes)));
  }

  touch(storage: Storage, what: "reads" | "writes"): void {
    // Memory of the host that the function itself has made is as good as its text.
    if (storage.place !== this.place && storage.madeBy === this) return;
    this.break(`${what} memory of ${storage.place === null ? "the host" : "a tensor"} directly`);
    if (storage.place === this.place) withTracer(null, () => this.#flush(this));
  }

  sees(object: unknown): void {
    if (!(object instanceof Tensor)) this.seen.add(object as object);
    else if (object.storage.madeBy !== this) this.seen.add(object);
  }

  gradientChanges(tensor: Tensor): void {
    if (!this.gradients.some((known) => known.tensor === tensor) && tensor.storage.madeBy !== this)
      this.gradients.push({ tensor, before: tensor.grad });
  }

  effect(work: () => void): void {
    this.effects.push(work);
    withTracer(null, work);
  }

  /** What `work` records is forgotten where it needs memory. @returns null in that case */
  attempt<T>(work: () => T): T | null {
    const { length } = this.buffers;
    const [actions, counters] = [this.actions.length, this.counters];
    this.#isAttempt = true;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NeedsMemory)) throw error;
      for (const storage of this.storages.slice(length)) this.#known.delete(storage);
      this.buffers.length = length;
      this.storages.length = length;
      this.actions.length = actions;
      this.counters = counters;
      this.#positions.clear();
      this.breaks.push(`its gradients: ${error.message}`);
      return null;
    } finally {
      this.#isAttempt = false;
    }
  }

  #isAttempt = false;

  break(reason: string): void {
    if (this.#isAttempt) throw new NeedsMemory(reason);
    if (!this.breaks.includes(reason)) this.breaks.push(reason);
  }

  #isEnded = false;
  /** From now on nothing is computed any more. */
  end(): void {
    this.#isEnded = true;
  }

  /** Where the offsets of a buffer count from, in bytes. */
  baseOf(id: number): number {
    return this.#bases.get(this.storages[id] ?? bug(`no buffer ${id}`)) ?? 0;
  }

  /** A constant that the function returns is computed at each call: the caller may change it. */
  materialize(id: number): void {
    const buffer = this.buffers[id] ?? bug(`no buffer ${id}`);
    const data = buffer.data ?? bug("no constant");
    const storage = withTracer(null, () => allocate(this.place, data.length));
    const copy: Buffer = { ...buffer, id: this.buffers.length, name: `constant${this.buffers.length}` };
    this.buffers[id] = { ...buffer, kind: "made", data: null, name: `made${id}` };
    this.buffers.push(copy);
    this.storages.push(storage);
    const view = { dtype: "uint8" as const, shape: [data.length], strides: [1], offset: 0 };
    this.actions.unshift({
      kind: "pointwise",
      name: "constant",
      expression: input(0),
      type: "uint8",
      operands: [{ ...view, buffer: copy.id }],
      output: { ...view, buffer: id },
    });
  }

  /** What each later call does in JavaScript: the first one has done it. */
  laterEffects(): (() => void)[] {
    let isFirst = true;
    if (this.effects.length === 0) return [];
    return [
      () => {
        if (!isFirst) for (const effect of this.effects) effect();
        isFirst = false;
      },
    ];
  }
}

/** An attempt needs memory that is not there yet. */
class NeedsMemory extends Error {}

function kindOf(storage: Storage): BufferKind {
  return storage instanceof LazyStorage && storage.real === null ? "made" : "given";
}

/** Whether elements fill their buffer, each place once. */
export function fills({ dtype, shape, strides, offset }: View, bytes: number): boolean {
  if (offset !== 0 || elementCount(shape) * elementBytes(dtype) !== bytes) return false;
  let expected = 1;
  const order = shape.map((_, d) => d).filter((d) => shape[d] !== 1);
  order.sort((a, b) => (strides[a] as number) - (strides[b] as number));
  for (const d of order) {
    if (strides[d] !== expected) return false;
    expected *= shape[d] as number;
  }
  return true;
}
