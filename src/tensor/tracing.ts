/**
 * What follows the operations of tensors while `compile` traces a function. Operations ask for it where they would
 * choose between the host and a kernel. Without one, this costs a comparison.
 */
import type { Expression } from "./expressions/expression.ts";
import type { ComputeType } from "./expressions/primitive.ts";
import type { Combining } from "./operations/reduce-elements.ts";
import type { Place, Storage } from "./storage.ts";
import type { Shape, Tensor } from "./tensor.ts";

/** An element of the output from an element of each operand, which are of the output's shape. */
export interface TracedFunction {
  readonly name: string;
  readonly expression: Expression;
  readonly type: ComputeType;
}

export interface Tracer {
  /** The device whose operations are traced. */
  readonly place: Place;
  pointwise(fn: TracedFunction, operands: readonly (Tensor | number)[], output: Tensor): void;
  /** @param output of the operands' shape, with size 1 in `dims` */
  reduction(
    combining: Combining,
    operands: readonly (Tensor | number)[],
    dims: ReadonlySet<number>,
    output: Tensor,
  ): void;
  /** Uniform numbers of the device's generator. @param counters what the generator's counter grows by */
  uniform(output: Tensor, counters: number): void;
  /** Work that is no expression of elements: `run` computes the output from inputs like these. */
  opaque(name: string, inputs: readonly Tensor[], shape: Shape, output: Tensor, run: Work): void;
  /** Memory of a tensor that the function makes. */
  allocate(bytes: number): Storage;
  /** Memory of a tensor is read or written without an operation. @param what "reads" or "writes" */
  touch(storage: Storage, what: "reads" | "writes"): void;
  /** `grad` of this tensor is about to change. */
  gradientChanges(tensor: Tensor): void;
  /** What is done in JavaScript, and again at each call. */
  effect(work: () => void): void;
}

export type Work = (inputs: readonly Tensor[]) => Tensor;

let current: Tracer | null = null;

/** What traces operations on this place; null: nothing does. */
export function tracerOf(place: Place): Tracer | null {
  return current !== null && current.place === place ? current : null;
}

/** What traces operations; null: nothing does. */
export function currentTracer(): Tracer | null {
  return current;
}

export function withTracer<T>(tracer: Tracer | null, work: () => T): T {
  const before = current;
  current = tracer;
  try {
    return work();
  } finally {
    current = before;
  }
}

/** Changes something in JavaScript that each call of a compiled function has to change, too. */
export function sideEffect(work: () => void): void {
  if (current === null) work();
  else current.effect(work);
}

/**
 * Work on tensors that is no expression of elements, such as a product of matrices. `run` is called with these tensors,
 * or by a compiled function with others of the same shapes, and off the tape.
 */
export function traceable(name: string, inputs: readonly Tensor[], made: () => Tensor, run: Work): Tensor {
  const [first] = inputs as [Tensor];
  const tracer = tracerOf(first.place);
  if (tracer === null) return run(inputs);
  const output = made();
  tracer.opaque(name, inputs, output.shape, output, run);
  return output;
}
