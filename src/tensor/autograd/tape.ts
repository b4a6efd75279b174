/** The tape: how gradients flow back from a result to what it was computed from. */
import { HeddleError } from "../../base/diagnostics.ts";
import { giveToScope, scoped, type Tensor } from "../tensor.ts";
import { asOperation } from "../operation-names.ts";
import { currentTracer, type Follower } from "../follower.ts";

/** Gradients of the inputs, from those of the results; null: none. */
export type Backward = (gradients: readonly (Tensor | null)[], node: GradientNode) => readonly (Tensor | null)[];

let isRecording = true;

/** Whether operations are put on the tape. */
export function isGradEnabled(): boolean {
  return isRecording;
}

/** Sets whether operations are put on the tape, and returns what held before. */
export function setGradEnabled(enabled: boolean): boolean {
  const before = isRecording;
  isRecording = enabled;
  return before;
}

/** With or without the tape. */
export function withTape<T>(enabled: boolean, work: () => T): T {
  const before = setGradEnabled(enabled);
  try {
    return work();
  } finally {
    setGradEnabled(before);
  }
}

/** Without the tape. */
export function withoutTape<T>(work: () => T): T {
  return withTape(false, work);
}

/** A tensor that a gradient will be computed from, and the version that it has to have then. */
interface Saved {
  readonly tensor: Tensor;
  readonly version: number;
}

/** Where the gradient of an input goes: to the operation that made it, or to a leaf. */
interface Edge {
  readonly node: GradientNode | null;
  /** Which of the node's results the input is. */
  readonly index: number;
  readonly leaf: Tensor | null;
}

function edgeTo(tensor: Tensor): Edge | null {
  if (tensor.node !== null) return { node: tensor.node.retain(), index: resultIndices.get(tensor) ?? 0, leaf: null };
  return tensor.isLeafWithGradient ? { node: null, index: 0, leaf: tensor.retain() } : null;
}

/** One operation on the tape. It owns what it saves; of its other inputs it knows only where they came from. */
export class GradientNode {
  readonly name: string;
  readonly edges: readonly (Edge | null)[];
  readonly backward: Backward;
  readonly results: number;
  /** What traced operations when it was made. */
  readonly madeBy: Follower | null = currentTracer();
  readonly #saved: readonly Saved[];
  readonly #onRelease: () => void;
  #references = 0;
  #isFreed = false;

  constructor(
    name: string,
    inputs: readonly Tensor[],
    backward: Backward,
    { saves = [], results = 1, onRelease = () => {} }: NodeOptions = {},
  ) {
    this.name = name;
    this.edges = inputs.map(edgeTo);
    this.backward = backward;
    this.results = results;
    this.#saved = saves.map((tensor) => ({ tensor: tensor.retain(), version: tensor.storage.version }));
    this.#onRelease = onRelease;
  }

  retain(): this {
    this.#references++;
    return this;
  }

  release(): void {
    // A chain of operations may be longer than the stack is deep.
    const stack: GradientNode[] = [this];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (--node.#references > 0) continue;
      node.#free();
      for (const edge of node.edges) {
        edge?.leaf?.release();
        if (edge?.node != null) stack.push(edge.node);
      }
      node.#onRelease();
    }
  }

  /** The gradients of the inputs. @throws HeddleError "bad-arguments" if what they are computed from is gone */
  run(gradients: readonly (Tensor | null)[], isLast: boolean): readonly (Tensor | null)[] {
    if (this.#isFreed)
      throw new HeddleError(
        "bad-arguments",
        "Trying to backward through the graph a second time (or directly access saved tensors after they have " +
          "already been freed).",
        { notes: ["the first backward gave them back: retainGraph: true (retain_graph=True in Python) keeps them"] },
      );
    for (const { tensor, version } of this.#saved)
      if (tensor.storage.version !== version)
        throw new HeddleError(
          "bad-arguments",
          "one of the variables needed for gradient computation has been modified by an inplace operation: " +
            `[${tensor.dtype} [${tensor.shape.join(", ")}]], which ${this.name} needs, is at version ` +
            `${tensor.storage.version}; expected version ${version} instead`,
          { notes: ["change a clone of the tensor, or compute with the changed one"] },
        );
    const results = asOperation(backwardName(this.name), gradients, () => this.backward(gradients, this));
    if (isLast && this.#saved.length > 0) this.#free();
    return results;
  }

  #free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    for (const { tensor } of this.#saved) tensor.release();
  }
}

/** What a profile calls it: operations of users' own have the name of their forward on the tape. */
function backwardName(name: string): string {
  return name.includes("Backward") ? name : `${name} backward`;
}

interface NodeOptions {
  /** Tensors whose elements `backward` needs, as they are now. */
  readonly saves?: readonly Tensor[];
  readonly results?: number;
  readonly onRelease?: () => void;
}

/** Which result of its node a tensor is. */
const resultIndices = new WeakMap<Tensor, number>();

/**
 * Puts an operation on the tape, if a gradient of its inputs is asked for. Returns the result.
 * @param saves the tensors whose elements `backward` needs: all others may be gone when it is called
 */
export function record(
  name: string,
  result: Tensor,
  inputs: readonly Tensor[],
  backward: (gradient: Tensor, node: GradientNode) => readonly (Tensor | null)[],
  saves: readonly Tensor[] = [],
): Tensor {
  noteView(result, inputs[0]);
  if (!needsTape(inputs)) return result;
  const node = new GradientNode(name, inputs, ([gradient], own) => backward(gradient as Tensor, own), { saves });
  result.node = node.retain();
  return result;
}

/** A result in the memory of the operation's input is a view of it. */
function noteView(result: Tensor, input: Tensor | undefined): void {
  if (input === undefined || result.storage !== input.storage || result === input || !isRecording) return;
  if (result.base === null && result.dtype === input.dtype) result.base = (input.base ?? input).retain();
}

export function needsTape(inputs: readonly Tensor[]): boolean {
  if (!isRecording) return false;
  for (let i = 0; i < inputs.length; i++) if ((inputs[i] as Tensor).requiresGradient) return true;
  return false;
}

/** Puts an operation with several results on the tape. */
export function recordMany(node: GradientNode, results: readonly Tensor[]): void {
  for (const [i, result] of results.entries()) {
    result.node = node.retain();
    resultIndices.set(result, i);
  }
}

/** The alias of a result, as the result of the node: its gradient flows back through the node. */
export function onNode(alias: Tensor, node: GradientNode): Tensor {
  const view = alias.asStrided(alias.shape, alias.strides);
  view.node = node.retain();
  return view;
}

/** The tensor is the result of the node now, of which it was none: an operation changed it in place. */
export function rebase(tensor: Tensor, node: GradientNode | null): void {
  const before = tensor.node;
  tensor.node = node?.retain() ?? null;
  tensor.rebased++;
  resultIndices.delete(tensor);
  before?.release();
}

/** Called with a gradient when it is complete; what it returns takes its place. */
export type GradientHook = (gradient: Tensor) => Tensor | null | void;

const hooks = new WeakMap<Tensor, Set<GradientHook>>();
const retained = new WeakSet<Tensor>();

/** @returns what removes the hook. */
export function addHook(tensor: Tensor, hook: GradientHook): () => void {
  if (!tensor.requiresGradient)
    throw new HeddleError("bad-arguments", "cannot register a hook on a tensor that doesn't require gradient");
  const own = hooks.get(tensor) ?? new Set();
  hooks.set(tensor, own);
  own.add(hook);
  watch(tensor);
  return () => void own.delete(hook);
}

/** `grad` of this tensor is set by `backward`, though it is no leaf. */
export function retainGradient(tensor: Tensor): void {
  retained.add(tensor);
  watch(tensor);
}

/** Tensors, by node and index, whose gradient somebody wants on the way. */
const watched = new WeakMap<GradientNode, Map<number, WeakRef<Tensor>>>();

function watch(tensor: Tensor): void {
  if (tensor.node === null) return;
  const of = watched.get(tensor.node) ?? new Map<number, WeakRef<Tensor>>();
  watched.set(tensor.node, of);
  of.set(resultIndices.get(tensor) ?? 0, new WeakRef(tensor));
}

function hooked(tensor: Tensor, gradient: Tensor): Tensor {
  let result = gradient;
  for (const hook of hooks.get(tensor) ?? []) result = hook(result) ?? result;
  return result;
}

/** How `backward` sums two gradients of one tensor. */
export type Adder = (a: Tensor, b: Tensor) => Tensor;

export interface BackwardOptions {
  /** What operations keep for their gradients stays, for another backward. */
  readonly retainGraph?: boolean;
  /** The gradients are on the tape themselves, so that they have gradients. */
  readonly createGraph?: boolean;
}

/** Adds the gradients to `grad` of all leaves. @param add sums two gradients of one tensor */
export function backward(root: Tensor, gradient: Tensor, add: Adder, options: BackwardOptions = {}): void {
  run([root], [gradient], add, options, (tensor, of) => {
    tensor.setGradient(tensor.grad === null ? of : add(tensor.grad, of));
  });
}

/** The gradients by `inputs`; null: the roots do not depend on it. `grad` of no tensor changes. */
export function gradients(
  roots: readonly Tensor[],
  given: readonly Tensor[],
  inputs: readonly Tensor[],
  add: Adder,
  options: BackwardOptions = {},
): (Tensor | null)[] {
  const found = new Map<Tensor, Tensor>();
  const wanted = new Set(inputs);
  for (const input of inputs) watch(input);
  const collect = (tensor: Tensor, of: Tensor): void => {
    if (!wanted.has(tensor)) return;
    const before = found.get(tensor);
    const sum = before === undefined ? of : add(before, of);
    // Without a graph the tensors of the way are released at its end.
    found.set(tensor, options.createGraph === true ? sum : sum.retain());
    if (options.createGraph !== true) before?.release();
  };
  run(roots, given, add, options, collect, wanted);
  if (options.createGraph !== true) for (const gradient of found.values()) giveToScope(gradient);
  return inputs.map((input) => found.get(input) ?? null);
}

function run(
  roots: readonly Tensor[],
  given: readonly Tensor[],
  add: Adder,
  { createGraph = false, retainGraph = createGraph }: BackwardOptions,
  collect: (tensor: Tensor, gradient: Tensor) => void,
  wanted: ReadonlySet<Tensor> | null = null,
): void {
  for (const root of roots)
    if (!root.requiresGradient)
      throw new HeddleError("bad-arguments", "element 0 of tensors does not require grad and does not have a grad_fn");
  const work = (): void => {
    const pending = new Map<GradientNode, (Tensor | null)[]>();
    const give = ({ node, index, leaf }: Edge, of: Tensor): void => {
      if (leaf !== null) collect(leaf, hooked(leaf, of));
      if (node === null) return;
      const all = pending.get(node) ?? Array.from({ length: node.results }, () => null);
      const before = all[index] ?? null;
      all[index] = before === null ? of : add(before, of);
      pending.set(node, all);
    };
    for (const [i, root] of roots.entries())
      give(
        { node: root.node, index: resultIndices.get(root) ?? 0, leaf: root.node === null ? root : null },
        given[i] as Tensor,
      );
    for (const node of nodesFrom(roots)) {
      const own = pending.get(node);
      if (own === undefined) continue;
      for (const [at, reference] of watched.get(node) ?? []) {
        const tensor = reference.deref();
        const gradient = own[at] ?? null;
        if (tensor === undefined || gradient === null) continue;
        const of = hooked(tensor, gradient);
        own[at] = of;
        if (wanted?.has(tensor) === true || (wanted === null && retained.has(tensor))) collect(tensor, of);
      }
      const results = node.run(own, !retainGraph);
      pending.delete(node);
      for (const [i, edge] of node.edges.entries()) {
        const of = results[i] ?? null;
        if (of !== null && edge !== null) give(edge, of);
      }
    }
  };
  withTape(createGraph, () => (createGraph ? work() : scoped(work)));
}

/** What the tape of these tensors leads to: its leaves, and whether all of it, up to some nodes, is a tracer's. */
export function originsOf(
  roots: readonly Tensor[],
  tracer: Follower,
  ends: ReadonlySet<GradientNode>,
): { leaves: Tensor[]; isOwn: boolean } {
  const leaves = new Set<Tensor>();
  const seen = new Set<GradientNode>();
  const stack = roots.flatMap(({ node }) => node ?? []);
  let isOwn = true;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node) || ends.has(node)) continue;
    seen.add(node);
    if (node.madeBy !== tracer) isOwn = false;
    for (const edge of node.edges) {
      if (edge?.leaf != null) leaves.add(edge.leaf);
      if (edge?.node != null) stack.push(edge.node);
    }
  }
  return { leaves: [...leaves], isOwn };
}

/** The leaves that gradients of these tensors flow back to. */
export function leavesOf(roots: readonly Tensor[]): Tensor[] {
  const leaves = new Set<Tensor>(roots.filter(({ isLeafWithGradient }) => isLeafWithGradient));
  for (const node of nodesFrom(roots)) for (const edge of node.edges) if (edge?.leaf != null) leaves.add(edge.leaf);
  return [...leaves];
}

/** Every node after all that use its results. */
function nodesFrom(roots: readonly Tensor[]): GradientNode[] {
  const order: GradientNode[] = [];
  const seen = new Set<GradientNode>();
  const stack: { node: GradientNode; next: number }[] = [];
  const enter = (node: GradientNode | null): void => {
    if (node === null || seen.has(node)) return;
    seen.add(node);
    stack.push({ node, next: 0 });
  };
  for (const root of roots) {
    enter(root.node);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (top.next < top.node.edges.length) enter(top.node.edges[top.next++]?.node ?? null);
      else {
        order.push(top.node);
        stack.pop();
      }
    }
  }
  return order.reverse();
}
