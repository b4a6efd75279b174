/**
 * What follows the operations of tensors while `compile` traces a function. Operations ask for it where they would
 * choose between the host and a kernel. Without one, this costs a comparison.
 */
import type { Expression } from "./expressions/expression.ts";
import type { ComputeType } from "./expressions/primitive.ts";
import type { Combining } from "./operations/reduce-elements.ts";
import { currentTracer, type Follower } from "./follower.ts";
import { kernelsFor, type TensorDevice } from "./kernels/tensor-device.ts";
import { requireOnePlace } from "./places.ts";
import type { Place, Storage } from "./storage.ts";
import type { Shape, Tensor } from "./tensor.ts";

/** An element of the output from an element of each operand, which are of the output's shape. */
export interface TracedFunction {
  readonly name: string;
  readonly expression: Expression;
  readonly type: ComputeType;
}

export interface Tracer extends Follower {
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
  /** The numbers from 0 on, as int32. */
  positions(length: number): Storage;
  /** Indices that are out of range become an error, as without a tracer. */
  checkIndices(index: Tensor, size: number): void;
}

/** As `kernelsFor`, for work that a trace does not follow: null while one is made. */
export function eagerKernelsFor(place: Place, elements: number): TensorDevice | null {
  return tracerOf(place) === null ? kernelsFor(place, elements) : null;
}

export type Work = (inputs: readonly Tensor[]) => Tensor;

/** What traces operations on this place; null: nothing does. */
export function tracerOf(place: Place): Tracer | null {
  const current = currentTracer() as Tracer | null;
  return current !== null && current.place === place ? current : null;
}

/**
 * Work on tensors that is no expression of elements, such as a product of matrices. `run` is called with these tensors,
 * or by a compiled function with others of the same shapes, and off the tape.
 *
 * @throws HeddleError "bad-arguments" for inputs on two devices
 */
export function traceable(name: string, inputs: readonly Tensor[], made: () => Tensor, run: Work): Tensor {
  const [first] = inputs as [Tensor];
  requireOnePlace(inputs);
  const tracer = tracerOf(first.place);
  if (tracer === null) return run(inputs);
  const output = made();
  tracer.opaque(name, inputs, output.shape, output, run);
  return output;
}
