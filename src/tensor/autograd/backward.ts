/** How gradients flow back along the tape, and who is told of them on the way. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Follower } from "../follower.ts";
import { giveToScope, scoped, type Tensor } from "../tensor.ts";
import { resultIndex, withTape, type Edge, type GradientNode } from "./tape.ts";

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
  of.set(resultIndex(tensor), new WeakRef(tensor));
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
      give({ node: root.node, index: resultIndex(root), leaf: root.node === null ? root : null }, given[i] as Tensor);
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
