/**
 * Gradients that flow back through a compiled function after it has returned. They are traced with the function, as
 * PyTorch's AOTAutograd does, and become a program of their own. What that program needs of the function is either kept
 * or computed again: elements from elements are, where no more memory has to be read for it.
 */
import { gradients, originsOf } from "../autograd/backward.ts";
import { GradientNode, isGradEnabled, recordMany, type Backward } from "../autograd/tape.ts";
import { partsOf } from "../expressions/expression.ts";
import { full } from "../operations/creation.ts";
import { binary } from "../operations/elementwise.ts";
import { elementBytes } from "../dtypes.ts";
import type { Storage } from "../storage.ts";
import { denseStrides, empty, scoped, Tensor } from "../tensor.ts";
import { withTracer } from "../follower.ts";
import type { TensorDevice } from "../kernels/tensor-device.ts";
import { tensorOf, type Made, type TensorRef } from "./entry.ts";
import { viewsOf, type Action, type Trace } from "./graph.ts";
import { Program, type BuildOptions, type RandomState } from "./program.ts";
import { repeatable, type Repeat } from "./repeat.ts";
import type { Signature } from "./signature.ts";
import type { Recording } from "./tracer.ts";

/** The traced gradients, before they are a program. */
export interface TracedGradients {
  /** Which results have gradients. */
  readonly results: readonly number[];
  readonly inputs: readonly TensorRef[];
  /** Buffers of the gradients that come. */
  readonly tangents: readonly number[];
  /** By input. */
  readonly made: readonly (Made | null)[];
  /** Actions of the function, and of the gradients. */
  readonly forward: readonly Action[];
  readonly backward: readonly Action[];
  /** Why there is no program: what a call of backward says. */
  readonly error: unknown;
}

/** Stand-ins of the arguments: the tape of the function begins at their nodes. */
export interface StandIns {
  /** By argument; null: it needs no gradient, and stands for itself. */
  readonly tensors: readonly (Tensor | null)[];
  readonly nodes: ReadonlySet<GradientNode>;
  /** Whether gradients end there. */
  isEnd: boolean;
}

/** @param refOf how a tensor from around the function is found at a call */
export function traceGradients(
  recording: Recording,
  outputs: readonly Tensor[],
  standIns: StandIns,
  refOf: (tensor: Tensor) => TensorRef,
): TracedGradients | null {
  const results = [...outputs.keys()].filter((i) => (outputs[i] as Tensor).node !== null);
  const roots = results.map((i) => outputs[i] as Tensor);
  const { leaves: captured, isOwn } = originsOf(roots, recording, standIns.nodes);
  if (!isOwn) {
    recording.break("a tensor from around the function has an operation on the tape");
    return null;
  }
  const forward = [...recording.actions];
  const leaves = [...standIns.tensors.filter((tensor) => tensor !== null), ...captured];
  const none = { results, inputs: leaves.map(refOf), tangents: [], made: [], forward, backward: [] };
  try {
    standIns.isEnd = true;
    const work = (): TracedGradients => {
      const tangents = roots.map(({ shape, dtype, place }) => empty(shape, dtype, place));
      const buffers = tangents.map((tangent, i) => {
        const { buffer } = recording.viewOf(tangent);
        Object.assign(recording.buffers[buffer] as object, { kind: "given", name: `gradient${i}` });
        return buffer;
      });
      const found = gradients(roots, tangents, leaves, (a, b) => binary("add", a, b), { retainGraph: true });
      const made = found.map((gradient) => (gradient === null ? null : recording.viewOf(gradient)));
      return { ...none, tangents: buffers, made, backward: recording.actions.slice(forward.length), error: null };
    };
    return recording.attempt(() => withTracer(recording, work));
  } catch (error) {
    recording.actions.length = forward.length;
    return { ...none, error };
  } finally {
    standIns.isEnd = false;
  }
}

/** Primitives that are computed again rather than kept. */
const MOST_AGAIN = 120;

interface Plan {
  /** Buffers of the function that its gradients read. */
  readonly saved: ReadonlySet<number>;
  /** Actions of the function that are done again. */
  readonly again: readonly Action[];
}

/** What the gradients need of the function. @param kept buffers that are in memory anyway */
export function planOf(trace: Trace, traced: TracedGradients, kept: ReadonlySet<number>): Plan {
  const { forward, backward } = traced;
  const writers = new Map<number, Action[]>();
  for (const action of forward) {
    const { buffer } = action.output;
    writers.set(buffer, [...(writers.get(buffer) ?? []), action]);
  }
  const inMemory = new Set(kept);
  for (const action of forward)
    if (action.kind === "opaque") for (const { buffer } of [...action.inputs, action.output]) inMemory.add(buffer);
  const saved = new Set<number>();
  const again = new Set<Action>();
  const known = new Set<number>();
  const bytesOf = (buffer: number): number => trace.buffers[buffer]?.bytes ?? 0;
  /** What has to be read to compute a buffer again; null: it has to be kept. */
  const leavesOf = (buffer: number): { leaves: Set<number>; actions: Set<Action> } | null => {
    const leaves = new Set<number>();
    const actions = new Set<Action>();
    let size = 0;
    const visit = (id: number): boolean => {
      const own = writers.get(id) ?? [];
      // What changes in place was something else when it was read.
      if (own.length > 1 && trace.buffers[id]?.kind === "made") return false;
      if (own.length === 0 || saved.has(id)) {
        leaves.add(id);
        return true;
      }
      const [action] = own as [Action];
      const isSimple = own.length === 1 && action.kind !== "opaque" && action.kind !== "reduction";
      if (!isSimple || trace.buffers[id]?.kind === "given" || inMemory.has(id)) {
        if (id === buffer) return false;
        leaves.add(id);
        return true;
      }
      if (actions.has(action)) return true;
      // Conditions of random numbers are a byte; the numbers themselves take a hundred instructions.
      if (id !== buffer && isChance(action)) {
        leaves.add(id);
        return true;
      }
      if (isChance(action)) return false;
      actions.add(action);
      size += action.kind === "uniform" ? 20 : partsOf([action.expression]).length;
      return size <= MOST_AGAIN && viewsOf(action).every((view) => visit(view.buffer));
    };
    return visit(buffer) ? { leaves, actions } : null;
  };
  const isChance = (action: Action): boolean =>
    action.output.dtype === "bool" &&
    viewsOf(action).some(({ buffer }) => writers.get(buffer)?.[0]?.kind === "uniform");
  const need = (id: number): void => {
    if (known.has(id)) return;
    known.add(id);
    const { kind } = trace.buffers[id] ?? {};
    if (kind !== "made" || !writers.has(id)) return;
    const found = leavesOf(id);
    // Bytes to move: what is not in memory yet is written, too.
    let extra = 0;
    for (const leaf of found?.leaves ?? []) {
      const isThere = trace.buffers[leaf]?.kind !== "made" || inMemory.has(leaf);
      if (!known.has(leaf) && trace.buffers[leaf]?.kind !== "index") extra += bytesOf(leaf) * (isThere ? 1 : 2);
    }
    // What is overwritten cannot be read again.
    const isGone = [...(found?.leaves ?? [])].some(
      (leaf) => trace.buffers[leaf]?.kind === "given" && (writers.get(leaf)?.length ?? 0) > 0,
    );
    if (found === null || extra > 2 * bytesOf(id) || isGone) {
      saved.add(id);
      return;
    }
    for (const action of found.actions) again.add(action);
    for (const leaf of found.leaves) {
      known.add(leaf);
      if (trace.buffers[leaf]?.kind === "made" && writers.has(leaf)) saved.add(leaf);
    }
  };
  for (const action of backward) for (const { buffer } of viewsOf(action)) need(buffer);
  for (const made of traced.made) if (made !== null) need(made.buffer);
  return { saved, again: forward.filter((action) => again.has(action)) };
}

/** What a call leaves for its gradients. */
export interface Called {
  readonly signature: Signature;
  readonly returned: readonly Tensor[];
  readonly given: ReadonlyMap<number, { readonly storage: Storage; readonly base: number }>;
  readonly kept: ReadonlyMap<number, Storage>;
  readonly random: RandomState;
  readonly repeat: Repeat;
}

/** The program of the gradients. */
export class Differentiation {
  readonly program: Program | null;
  readonly #traced: TracedGradients;
  readonly #saved: ReadonlySet<number>;
  readonly #finalOf: (buffer: number) => number;
  /** Buffers that the gradients read, with how many elements' bytes they have. */
  readonly #reads: readonly number[];
  readonly #trace: Trace;

  constructor(
    device: TensorDevice,
    trace: Trace,
    traced: TracedGradients,
    { saved, again }: Plan,
    finalOf: (buffer: number) => number,
    options: BuildOptions,
  ) {
    this.#traced = traced;
    this.#saved = saved;
    this.#finalOf = finalOf;
    this.#trace = trace;
    const made = traced.made.filter((own) => own !== null).map(({ buffer }) => buffer);
    const buffers = trace.buffers.map((buffer) =>
      saved.has(buffer.id) ? { ...buffer, kind: "given" as const, name: `saved${buffer.id}` } : buffer,
    );
    const actions = [...again, ...traced.backward];
    this.program = traced.error === null ? new Program(device, { buffers, actions }, new Set(made), options) : null;
    if (options.isCaptured) this.program?.capture({ buffers, actions }, new Set(made));
    const reads = new Set(actions.flatMap((action) => viewsOf(action).map(({ buffer }) => buffer)));
    for (const buffer of made) reads.add(buffer);
    this.#reads = [...reads].filter((id) => buffers[id]?.kind === "given" && !traced.tangents.includes(id));
  }

  /** Puts the call on the tape. */
  record(called: Called): void {
    const { results, inputs } = this.#traced;
    const { signature, returned } = called;
    const own = inputs.map((ref) => tensorOf(ref, signature));
    const memory = new Map<number, { storage: Storage; base: number }>();
    for (const id of this.#reads) {
      const kept = this.#saved.has(id) ? called.kept.get(this.#finalOf(id)) : undefined;
      const found = kept === undefined ? called.given.get(id) : { storage: kept, base: 0 };
      if (found !== undefined) memory.set(id, found);
    }
    const outputs = results.map((i) => returned[i] as Tensor);
    const again = repeatable(called.repeat, own, results);
    const usual = this.#backward(memory, called.random, outputs);
    const backward: Backward = (given, self) => (isGradEnabled() ? again(given) : usual(given, self));
    const node = scoped(() => {
      const saves = [...memory.values()].map(({ storage }) => bytesOver(storage));
      return new GradientNode("CompiledFunctionBackward", own, backward, { saves, results: results.length });
    });
    recordMany(node, outputs);
  }

  #backward(
    memory: ReadonlyMap<number, { storage: Storage; base: number }>,
    random: RandomState,
    outputs: readonly Tensor[],
  ): Backward {
    const { tangents, made, error } = this.#traced;
    const forms = outputs.map(({ shape, dtype, place }) => ({ shape, dtype, place }));
    return (gradientsOfResults) => {
      if (this.program === null) throw error;
      const given = new Map(memory);
      for (const [i, buffer] of tangents.entries()) {
        const { shape, dtype, place } = forms[i] as (typeof forms)[number];
        const gradient = gradientsOfResults[i] ?? full(shape, 0, dtype, place);
        const own = isDense(gradient) && gradient.pointer % 16 === 0 ? gradient : gradient.clone();
        given.set(buffer, { storage: own.storage, base: own.pointer - own.storage.pointer });
      }
      const kept = this.program.run(given, random);
      return made.map((own) => {
        if (own === null) return null;
        const id = this.program?.final.get(own.buffer) ?? own.buffer;
        const computed = kept.get(id);
        const memoryAt = computed === undefined ? given.get(own.buffer) : { storage: computed, base: 0 };
        if (memoryAt === undefined) return null;
        const offset = own.offset + memoryAt.base / elementBytes(own.dtype);
        return new Tensor(memoryAt.storage, own.dtype, own.shape, own.strides, offset);
      });
    };
  }

  get trace(): Trace {
    return this.#trace;
  }
}

function isDense({ shape, strides }: Tensor): boolean {
  const dense = denseStrides(shape);
  return shape.every((size, d) => size === 1 || strides[d] === dense[d]);
}

/** All bytes of a storage, so that the tape holds it and watches its version. */
function bytesOver(storage: Storage): Tensor {
  return new Tensor(storage, "uint8", [storage.bytes], [1], 0);
}
