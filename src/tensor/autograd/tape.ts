/** The tape: what a result was computed from. backward.ts follows it. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Tensor } from "../tensor.ts";
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
export interface Edge {
  readonly node: GradientNode | null;
  /** Which of the node's results the input is. */
  readonly index: number;
  readonly leaf: Tensor | null;
}

function edgeTo(tensor: Tensor): Edge | null {
  if (tensor.node !== null) return { node: tensor.node.retain(), index: resultIndex(tensor), leaf: null };
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

export function resultIndex(tensor: Tensor): number {
  return resultIndices.get(tensor) ?? 0;
}

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
