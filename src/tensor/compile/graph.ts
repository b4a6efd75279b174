/**
 * What `compile` passes from stage to stage, as plain data:
 *
 *   trace     operations become actions on buffers                  tracer.ts
 *   simplify  actions become nodes that use each other's values     simplify.ts
 *   group     nodes that run over the same elements share a kernel  group.ts, lower.ts
 *   emit      kernels become texts, Triton's and CUDA's             emit-triton.ts, emit-cuda.ts
 *   run       buffers get memory, kernels are launched in order     run.ts
 */
import type { Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { Combination } from "../kernels/reduction.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Work } from "../tracing.ts";
import type { Shape } from "../tensor.ts";

/**
 * - made: by the traced function
 * - given: it has memory before: an argument, a parameter, what an earlier part of the function computed
 * - constant: made of numbers that the function's text has
 * - index: its elements are 0, 1, 2, …; it needs no memory
 */
export type BufferKind = "made" | "given" | "constant" | "index";

export interface Buffer {
  readonly id: number;
  readonly kind: BufferKind;
  readonly bytes: number;
  /** For the parameters of kernels. */
  name: string;
  /** Of a constant. */
  data: Uint8Array | null;
}

/** Elements of a buffer. Sizes are in elements, and so is the offset. */
export interface View {
  readonly buffer: number;
  readonly dtype: TensorDtype;
  readonly shape: Shape;
  readonly strides: Shape;
  readonly offset: number;
}

/** An element of the output from an element of each operand. */
export interface PointwiseAction {
  readonly kind: "pointwise";
  readonly name: string;
  readonly expression: Expression;
  readonly type: ComputeType;
  readonly operands: readonly (View | number)[];
  readonly output: View;
}

/** The combination of such elements over some dimensions, which have the size 1 in the output. */
export interface ReductionAction {
  readonly kind: "reduction";
  readonly name: string;
  readonly combine: Combination;
  readonly expression: Expression;
  readonly type: ComputeType;
  readonly operands: readonly (View | number)[];
  readonly dims: readonly number[];
  readonly finish: { readonly expression: Expression; readonly numbers: readonly number[] } | null;
  readonly output: View;
}

/** Uniform numbers; the counter of the generator is at `counter` from where it is at the beginning. */
export interface UniformAction {
  readonly kind: "uniform";
  readonly name: string;
  readonly counter: number;
  readonly output: View;
}

export interface OpaqueAction {
  readonly kind: "opaque";
  readonly name: string;
  readonly inputs: readonly View[];
  readonly output: View;
  readonly run: Work;
  /** It does something, also where nobody reads what it gives. */
  readonly isCheck: boolean;
}

export type Action = PointwiseAction | ReductionAction | UniformAction | OpaqueAction;

/** What an action reads. */
export function viewsOf(action: Action): readonly View[] {
  if (action.kind === "opaque") return action.inputs;
  if (action.kind === "uniform") return [];
  return action.operands.filter((operand): operand is View => typeof operand !== "number");
}

/** What was traced. */
export interface Trace {
  readonly buffers: readonly Buffer[];
  readonly actions: readonly Action[];
}

/** An element of memory: the value of the node that computed it, or what memory holds after so many writes. */
export type Source =
  | { readonly kind: "node"; readonly node: Node }
  | { readonly kind: "memory"; readonly buffer: number; readonly version: number };

/** Elements over a node's domain: strides for each of its dimensions. */
export interface Load {
  readonly source: Source;
  readonly dtype: TensorDtype;
  readonly strides: readonly number[];
  readonly offset: number;
}

/** Where a node's elements go: strides over the dimensions that are kept. */
export interface Place {
  readonly buffer: number;
  /** How many writes the buffer has had with this one. */
  readonly version: number;
  readonly dtype: TensorDtype;
  readonly strides: readonly number[];
  readonly offset: number;
}

/** An action over the dimensions that it has, the kept ones in the order in which its output lies in memory. */
export interface Node {
  readonly id: number;
  readonly name: string;
  readonly kind: "pointwise" | "reduction" | "uniform" | "opaque";
  readonly kept: readonly number[];
  readonly reduced: readonly number[];
  readonly type: ComputeType;
  readonly expression: Expression | null;
  readonly operands: readonly (Load | number)[];
  readonly combine: Combination | null;
  readonly finish: ReductionAction["finish"];
  readonly counter: number;
  readonly output: Place;
  readonly opaque: OpaqueAction | null;
  /** The elements of an opaque node's inputs. */
  readonly inputs: readonly { readonly source: Source; readonly view: View }[];
  /** Its elements have to be in memory. */
  isStored: boolean;
}
