/** Traces one call of a function, runs what was traced, and says how it can be called again. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import type { Generators } from "../operations/random.ts";
import { allocate, type Storage } from "../storage.ts";
import { Tensor } from "../tensor.ts";
import { withTracer } from "../follower.ts";
import { record, withTape, type GradientNode } from "../autograd/tape.ts";
import { Differentiation, planOf, traceGradients, type StandIns, type TracedGradients } from "./differentiate.ts";
import { Module } from "../nn/module.ts";
import {
  describeGradient,
  Entry,
  type EntryParts,
  type GradientEffect,
  type Made,
  type Origin,
  type Result,
} from "./entry.ts";
import type { TensorRef } from "./entry.ts";
import type { Trace } from "./graph.ts";
import { LazyStorage } from "./lazy-storage.ts";
import { Program, type BuildOptions } from "./program.ts";
import { replaced, tensorsIn, type Signature } from "./signature.ts";
import { Recording } from "./tracer.ts";

export interface SessionOptions {
  /** A name for the kernels of a program. */
  readonly nameProgram: () => string;
  readonly isRounding: boolean;
  /** `mode: "reduce-overhead"`; a graph that breaks is launched kernel by kernel all the same. */
  readonly isCaptured: boolean;
}

/** What a call gave, and how to call again. */
export interface Traced {
  readonly value: unknown;
  /** Null: the graph broke; the function is traced at each call. */
  readonly entry: Entry | null;
  readonly breaks: readonly string[];
  readonly programs: readonly Program[];
}

export class Session {
  readonly #device: TensorDevice;
  readonly #generators: Generators;
  readonly #options: SessionOptions;
  /** Programs of functions whose graph breaks, by what they compute. */
  readonly #parts: Map<string, Program>;

  constructor(device: TensorDevice, generators: Generators, options: SessionOptions, parts: Map<string, Program>) {
    this.#device = device;
    this.#generators = generators;
    this.#options = options;
    this.#parts = parts;
  }

  run(fn: (...args: unknown[]) => unknown, args: readonly unknown[], signature: Signature): Traced {
    const programs: Program[] = [];
    const recording = new Recording(this.#device.raw, (own) => programs.push(...this.#flush(own)));
    const standIns = standInsOf(signature.tensors);
    for (const [i, tensor] of signature.tensors.entries())
      recording.give(tensor.storage, i, signature.bases.get(tensor.storage) ?? 0);
    let next = 0;
    const own = args.map((arg) => replaced(arg, (tensor) => standIns.tensors[next++] ?? tensor));
    let value: unknown;
    try {
      value = withTracer(recording, () => fn(...own));
    } catch (error) {
      // What was done before the error is done.
      this.#flush(recording);
      recording.end();
      throw error;
    }
    if (value instanceof Promise)
      throw new HeddleError("bad-arguments", "compile takes functions that return at once, not promises", {
        notes: ["await outside of the function"],
      });
    if (standIns.hasLeft) recording.break("a gradient flows on to what made an argument");
    const outputs = tensorsIn(value);
    const entry = recording.breaks.length > 0 ? null : this.#entryOf(recording, value, outputs, signature, standIns);
    if (entry === null) {
      programs.push(...this.#flush(recording));
      recording.end();
      const actual = replaced(value, (tensor) => {
        const index = standIns.tensors.indexOf(tensor);
        return index < 0 ? tensor : (signature.tensors[index] as Tensor);
      });
      return { value: actual, entry, breaks: recording.breaks, programs };
    }
    // The gradients that the trace left are computed by the entry, as all later ones are.
    for (const { tensor, before } of recording.gradients) tensor.setGradient(before);
    recording.end();
    const { program, differentiation } = entry.parts;
    programs.push(program, ...(differentiation?.program == null ? [] : [differentiation.program]));
    return { value: entry.call(signature, () => fn(...args)), entry, breaks: [], programs };
  }

  /** Computes all that somebody may still ask for. */
  #flush(recording: Recording): Program[] {
    const { actions, buffers, storages } = recording;
    const demanded = new Set<number>();
    for (const [id, storage] of storages.entries())
      if (storage instanceof LazyStorage && storage.real === null && storage.isUsed) demanded.add(id);
    if (actions.length === 0 && demanded.size === 0) return [];
    const options = this.#buildOptions(recording, null);
    const key = keyOf({ buffers, actions }, demanded, options);
    let program = key === null ? undefined : this.#parts.get(key);
    if (program === undefined) {
      program = new Program(this.#device, { buffers: [...buffers], actions: [...actions] }, demanded, options);
      if (key !== null) this.#parts.set(key, program);
    }
    const { seed, counter } = this.#generators.state;
    const given = new Map<number, { storage: Storage; base: number }>();
    for (const { id, kind } of buffers)
      if (kind === "given") given.set(id, { storage: storages[id] as Storage, base: recording.baseOf(id) });
    const kept = program.run(given, { seed, counter });
    this.#generators.advance(recording.counters);
    for (const id of demanded) {
      const storage = storages[id] as LazyStorage;
      const real = kept.get(program.final.get(id) ?? id) ?? allocate(this.#device.raw, storage.bytes);
      const data = buffers[id]?.kind === "index" ? positionsIn(storage.bytes) : (buffers[id]?.data ?? null);
      if (data !== null) real.write(0, data);
      storage.settle(real);
    }
    recording.restart();
    return [program];
  }

  #buildOptions(recording: Recording, given: ReadonlyMap<number, Origin> | null): BuildOptions {
    const isAligned = (id: number): boolean => {
      if (given !== null && given.get(id)?.kind === "gradient") return false;
      const storage = recording.storages[id];
      if (storage instanceof LazyStorage && storage.real === null) return true;
      return storage !== undefined && withTracer(null, () => (storage.pointer + recording.baseOf(id)) % 16 === 0);
    };
    const { isRounding, nameProgram } = this.#options;
    const isCaptured = given !== null && this.#options.isCaptured;
    return { isRounding, name: nameProgram, isAligned, counters: recording.counters, isCaptured };
  }

  #entryOf(
    recording: Recording,
    value: unknown,
    outputs: readonly Tensor[],
    signature: Signature,
    standIns: StandIns,
  ): Entry | null {
    const refOf = (tensor: Tensor): TensorRef => {
      const index = standIns.tensors.indexOf(tensor);
      const own = index < 0 ? signature.tensors.indexOf(tensor) : index;
      return own < 0 ? { kind: "captured", tensor } : { kind: "argument", index: own };
    };
    const isChanged = signature.tensors.some((tensor, i) => {
      const standIn = standIns.tensors[i] ?? null;
      return standIn === null ? tensor.node !== null : standIn.node !== null && !standIns.nodes.has(standIn.node);
    });
    if (isChanged) {
      recording.break("an argument that is changed in place gets another place on the tape");
      return null;
    }
    const results = outputs.map((tensor): Result => {
      const isArgument = standIns.tensors.includes(tensor) || signature.tensors.includes(tensor);
      if (isArgument || (tensor.isLeafWithGradient && tensor.storage.madeBy !== recording))
        return { same: refOf(tensor) };
      return { made: { ...recording.viewOf(tensor), isLeaf: tensor.isLeafWithGradient } };
    });
    const gradients = recording.gradients.map(({ tensor, before }): GradientEffect => {
      const made: Made | null = tensor.grad === null ? null : recording.viewOf(tensor.grad);
      return { of: refOf(tensor), made, before: describeGradient(before) };
    });
    const needsTape = outputs.some((tensor, i) => "made" in (results[i] as Result) && tensor.node !== null);
    const traced = needsTape ? traceGradients(recording, outputs, standIns, refOf) : null;
    if (needsTape && traced === null) return null;
    return this.#built(recording, value, { results, gradients, traced, refOf });
  }

  #built(
    recording: Recording,
    value: unknown,
    {
      results,
      gradients,
      traced,
      refOf,
    }: {
      results: readonly Result[];
      gradients: readonly GradientEffect[];
      traced: TracedGradients | null;
      refOf: (tensor: Tensor) => TensorRef;
    },
  ): Entry {
    const trace: Trace = { buffers: recording.buffers, actions: traced?.forward ?? recording.actions };
    const demanded = new Set<number>();
    for (const result of results) if ("made" in result) demanded.add(result.made.buffer);
    for (const { made } of gradients) if (made !== null) demanded.add(made.buffer);
    const given = new Set(demanded);
    const plan = traced === null ? null : planOf(trace, traced, demanded);
    for (const id of plan?.saved ?? []) demanded.add(id);
    for (const id of demanded) if (trace.buffers[id]?.kind === "constant") recording.materialize(id);
    const origins = this.#originsOf(recording, refOf);
    const options = this.#buildOptions(recording, origins);
    const program = new Program(this.#device, trace, demanded, options);
    if (options.isCaptured) program.capture(trace, given);
    const changed: Origin[] = [];
    const written = new Set(trace.actions.map(({ output }) => output.buffer));
    for (const [id, origin] of origins) if (written.has(id)) changed.push(origin);
    const differentiation =
      traced === null || plan === null
        ? null
        : new Differentiation(this.#device, trace, traced, plan, (id) => program.final.get(id) ?? id, {
            ...options,
            name: () => `${options.name()}_backward`,
          });
    return new Entry({
      program,
      origins,
      shape: value,
      results,
      gradients,
      effects: recording.laterEffects(),
      states: statesOf(recording.seen),
      counters: recording.counters,
      generators: this.#generators,
      differentiation,
      changed,
    });
  }

  #originsOf(recording: Recording, refOf: (tensor: Tensor) => TensorRef): Map<number, Origin> {
    const origins = new Map<number, Origin>();
    for (const { id, kind } of recording.buffers) {
      const storage = recording.storages[id] as Storage;
      if (kind !== "given" || storage.madeBy === recording) continue;
      const index = recording.arguments.get(storage);
      const changed = recording.gradients.find(({ before }) => before?.storage === storage);
      if (index !== undefined) origins.set(id, { kind: "argument", index });
      else if (changed !== undefined) origins.set(id, { kind: "gradient", of: refOf(changed.tensor) });
      else {
        storage.retain();
        origins.set(id, { kind: "captured", storage });
      }
    }
    return origins;
  }
}

/** Switches of what the function has seen, as they are. */
function statesOf(seen: ReadonlySet<object>): EntryParts["states"] {
  return [...seen].map((object) => {
    if (object instanceof Module) return { read: () => object.training, value: object.training };
    const tensor = object as Tensor;
    return { read: () => tensor.requiresGradient, value: tensor.requiresGradient };
  });
}

/** What stands for arguments inside: their gradients pass through a node, where the trace's gradients can end. */
function standInsOf(given: readonly Tensor[]): StandIns & { readonly hasLeft: boolean } {
  const nodes = new Set<GradientNode>();
  const known = new Map<Tensor, Tensor>();
  const state = { isEnd: false, hasLeft: false };
  const tensors = given.map((tensor): Tensor | null => {
    if (!tensor.requiresGradient) return null;
    const before = known.get(tensor);
    if (before !== undefined) return before;
    const alias = new Tensor(tensor.storage, tensor.dtype, tensor.shape, tensor.strides, tensor.offset);
    withTape(true, () =>
      record("ArgumentBackward", alias, [tensor], (gradient) => {
        if (state.isEnd) return [null];
        if (!tensor.isLeafWithGradient) state.hasLeft = true;
        return [gradient];
      }),
    );
    if (alias.node !== null) nodes.add(alias.node);
    alias.isLeafWithGradient = tensor.isLeafWithGradient;
    if (tensor.grad !== null) alias.setGradient(tensor.grad);
    known.set(tensor, alias);
    return alias;
  });
  return Object.assign(state, { tensors, nodes });
}

function positionsIn(bytes: number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: bytes / 4 }, (_, i) => i).buffer);
}

/** Equal for parts of functions that compute the same; null: only the function itself knows. */
function keyOf({ buffers, actions }: Trace, demanded: ReadonlySet<number>, options: BuildOptions): string | null {
  if (actions.some(({ kind }) => kind === "opaque")) return null;
  const kinds = buffers.map(({ id, kind, bytes, data }) => {
    const isAligned = kind === "given" && options.isAligned(id);
    return `${kind} ${bytes} ${Number(isAligned)} ${data === null ? "" : String(data)}`;
  });
  return JSON.stringify([kinds, actions, [...demanded]], (_, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );
}
