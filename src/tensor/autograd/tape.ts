/** The tape: how gradients flow back from a result to what it was computed from. */
import { HeddleError } from "../../base/diagnostics.ts";
import { scoped, type Tensor } from "../tensor.ts";

/** Gradients of the inputs, from those of the results; null: none. */
export type Backward = (gradients: readonly (Tensor | null)[]) => readonly (Tensor | null)[];

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

/** Without the tape. */
export function withoutTape<T>(work: () => T): T {
  const before = setGradEnabled(false);
  try {
    return work();
  } finally {
    setGradEnabled(before);
  }
}

/** One operation on the tape. It owns its inputs and what it keeps for later. */
export class GradientNode {
  readonly name: string;
  readonly inputs: readonly Tensor[];
  readonly backward: Backward;
  readonly results: number;
  readonly #kept: readonly Tensor[];
  readonly #onRelease: () => void;
  #references = 0;

  constructor(
    name: string,
    inputs: readonly Tensor[],
    backward: Backward,
    { kept = [], results = 1, onRelease = () => {} }: NodeOptions = {},
  ) {
    this.name = name;
    this.inputs = inputs;
    this.backward = backward;
    this.results = results;
    this.#kept = kept;
    this.#onRelease = onRelease;
    for (const tensor of [...inputs, ...kept]) tensor.retain();
  }

  retain(): this {
    this.#references++;
    return this;
  }

  release(): void {
    if (--this.#references > 0) return;
    for (const tensor of [...this.inputs, ...this.#kept]) tensor.release();
    this.#onRelease();
  }
}

interface NodeOptions {
  /** Tensors that `backward` needs beside the inputs. */
  readonly kept?: readonly Tensor[];
  readonly results?: number;
  readonly onRelease?: () => void;
}

/** Which result of its node a tensor is. */
const resultIndices = new WeakMap<Tensor, number>();

/** Puts an operation on the tape, if a gradient of its inputs is asked for. Returns the result. */
export function record(
  name: string,
  result: Tensor,
  inputs: readonly Tensor[],
  backward: (gradient: Tensor) => readonly (Tensor | null)[],
  kept: readonly Tensor[] = [],
): Tensor {
  if (!needsTape(inputs)) return result;
  const node = new GradientNode(name, inputs, ([gradient]) => backward(gradient as Tensor), { kept });
  result.node = node.retain();
  return result;
}

export function needsTape(inputs: readonly Tensor[]): boolean {
  return isRecording && inputs.some((input) => input.requiresGradient);
}

/** Puts an operation with several results on the tape. */
export function recordMany(node: GradientNode, results: readonly Tensor[]): void {
  for (const [i, result] of results.entries()) {
    result.node = node.retain();
    resultIndices.set(result, i);
  }
}

/**
 * Adds the gradients to `grad` of all leaves.
 * @param add sums two gradients of one tensor.
 */
export function backward(root: Tensor, gradient: Tensor, add: (a: Tensor, b: Tensor) => Tensor): void {
  if (!root.requiresGradient)
    throw new HeddleError("bad-arguments", "element 0 of tensors does not require grad and does not have a grad_fn");
  withoutTape(() =>
    scoped(() => {
      const gradients = new Map<GradientNode, (Tensor | null)[]>();
      const give = (tensor: Tensor, of: Tensor): void => {
        if (tensor.isLeafWithGradient) tensor.setGradient(tensor.grad === null ? of : add(tensor.grad, of));
        else if (tensor.node !== null) {
          const { node } = tensor;
          const all = gradients.get(node) ?? Array.from({ length: node.results }, () => null);
          const at = resultIndices.get(tensor) ?? 0;
          const before = all[at] ?? null;
          all[at] = before === null ? of : add(before, of);
          gradients.set(node, all);
        }
      };
      give(root, gradient);
      for (const node of nodesFrom(root)) {
        const results = node.backward(gradients.get(node) ?? []);
        for (const [i, input] of node.inputs.entries()) {
          const of = results[i] ?? null;
          if (of !== null && input.requiresGradient) give(input, of);
        }
      }
    }),
  );
}

/** Every node after all that use its results. */
function nodesFrom(root: Tensor): GradientNode[] {
  const order: GradientNode[] = [];
  const seen = new Set<GradientNode>();
  const stack: { node: GradientNode; next: number }[] = [];
  const enter = ({ node }: Tensor): void => {
    if (node === null || seen.has(node)) return;
    seen.add(node);
    stack.push({ node, next: 0 });
  };
  enter(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const input = top.node.inputs[top.next++];
    if (input !== undefined) enter(input);
    else {
      order.push(top.node);
      stack.pop();
    }
  }
  return order.reverse();
}
