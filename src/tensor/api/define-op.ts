/** Operations of the user's own: from kernels in CUDA or Triton, or from other operations, with a backward by hand. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { GradientNode, needsTape, recordMany, withoutTape } from "../autograd/tape.ts";
import { isSameShape } from "../operations/copies.ts";
import { full } from "../operations/creation.ts";
import { asOperation } from "../operation-names.ts";
import { Tensor, type Shape } from "../tensor.ts";

/** What forward leaves for backward. */
export class OpContext {
  readonly #saved: Tensor[] = [];
  /** By input: whether its gradient is asked for. */
  readonly needsInputGrad: readonly boolean[];
  /** Anything else that backward needs. */
  readonly state: Record<string, unknown> = {};

  /** @internal */
  constructor(needsInputGrad: readonly boolean[]) {
    this.needsInputGrad = needsInputGrad;
  }

  /** Tensors that backward needs: they are kept, and backward is refused if they were changed in place. */
  saveForBackward(...tensors: readonly Tensor[]): void {
    this.#saved.push(...tensors);
  }

  get savedTensors(): readonly Tensor[] {
    return this.#saved;
  }
}

/** Tensors are inputs with gradients; everything else is passed on as it is. */
export type OpInput = unknown;
type Results = Tensor | readonly Tensor[];
type Gradients = Tensor | null | readonly (Tensor | null)[];

export interface OpDefinition<Inputs extends readonly OpInput[]> {
  /** Its name in messages and on the tape. */
  readonly name: string;
  /** Computes the results, off the tape. A promise makes the operation asynchronous. */
  readonly forward: (context: OpContext, ...inputs: Inputs) => Results | Promise<Results>;
  /**
   * The gradients of the inputs, in their order, from those of the results; null: none. With `createGraph` it is
   * recorded itself, if it is made of differentiable operations. Absent: the operation has no gradient.
   */
  readonly backward?: (context: OpContext, ...gradients: readonly Tensor[]) => Gradients;
  /** The shapes that the results must have: what forward returns is held against them. */
  readonly shapes?: (...inputs: Inputs) => Shape | readonly Shape[];
}

/** An operation whose forward awaits something, such as a ladder's kernel. */
export interface AsyncOpDefinition<Inputs extends readonly OpInput[]> extends OpDefinition<Inputs> {
  readonly forward: (context: OpContext, ...inputs: Inputs) => Promise<Tensor>;
}

/** @returns a function that computes the results, and has gradients */
export function defineOp<const Inputs extends readonly OpInput[]>(
  definition: AsyncOpDefinition<Inputs>,
): (...inputs: Inputs) => Promise<Tensor>;
export function defineOp<const Inputs extends readonly OpInput[]>(
  definition: OpDefinition<Inputs>,
): (...inputs: Inputs) => Tensor;
export function defineOp<const Inputs extends readonly OpInput[], R>(
  definition: OpDefinition<Inputs>,
): (...inputs: Inputs) => R;
export function defineOp<const Inputs extends readonly OpInput[]>(
  definition: OpDefinition<Inputs>,
): (...inputs: Inputs) => unknown {
  const { name, forward } = definition;
  if (typeof name !== "string" || typeof forward !== "function")
    throw new HeddleError("bad-arguments", "defineOp needs a name and a function forward", {
      notes: ['for example defineOp({ name: "twice", forward: (_, x) => x.mul(2), backward: (_, g) => g.mul(2) })'],
    });
  return (...inputs) => {
    const tensors = inputs.filter((input): input is Tensor => input instanceof Tensor);
    const context = new OpContext(inputs.map((input) => input instanceof Tensor && input.requiresGradient));
    const made = asOperation(name, inputs, () => withoutTape(() => forward(context, ...inputs)));
    const finish = (results: Results): Results => recorded(definition, context, inputs, tensors, results);
    return made instanceof Promise ? made.then(finish) : finish(made);
  };
}

function recorded<Inputs extends readonly OpInput[]>(
  definition: OpDefinition<Inputs>,
  context: OpContext,
  inputs: Inputs,
  tensors: readonly Tensor[],
  results: Results,
): Results {
  const { name, backward, shapes } = definition;
  const all: readonly Tensor[] = results instanceof Tensor ? [results] : results;
  for (const result of all)
    if (!(result instanceof Tensor))
      throw new HeddleError("bad-arguments", `forward of ${name} returns tensors, not ${describeValue(result)}`);
  if (shapes !== undefined) checkShapes(name, all, shapes(...inputs));
  if (!needsTape(tensors)) return results;
  // What an operation returns may be an input: it becomes a tensor of its own on the tape.
  const own = all.map((result) => (tensors.includes(result) ? result.asStrided(result.shape, result.strides) : result));
  const places = own.map(({ shape, dtype, place }) => ({ shape, dtype, place }));
  const expected = tensors.map(({ shape }) => shape);
  const node = new GradientNode(
    name,
    tensors,
    (gradients) => {
      if (backward === undefined)
        throw new HeddleError("unsupported", `the operation ${name} has no backward`, {
          notes: ["defineOp takes one: backward: (context, gradient) => …"],
        });
      const given = gradients.map((gradient, i) => gradient ?? zerosFor(places[i] as (typeof places)[number]));
      const returned = backward(context, ...given);
      const list = returned instanceof Tensor || returned === null ? [returned] : returned;
      return gradientsOfTensors(name, inputs, expected, list);
    },
    { saves: context.savedTensors, results: own.length },
  );
  recordMany(node, own);
  return results instanceof Tensor ? (own[0] as Tensor) : own;
}

function zerosFor({ shape, dtype, place }: Pick<Tensor, "shape" | "dtype" | "place">): Tensor {
  return full(shape, 0, dtype, place);
}

function checkShapes(name: string, results: readonly Tensor[], shapes: Shape | readonly Shape[]): void {
  const expected =
    shapes.length === 0 || typeof shapes[0] === "number" ? [shapes as Shape] : (shapes as readonly Shape[]);
  for (const [i, shape] of expected.entries()) {
    const result = results[i];
    if (result === undefined || !isSameShape(result.shape, shape))
      throw new HeddleError(
        "bad-arguments",
        `result ${i} of ${name} has the shape [${result?.shape.join(", ") ?? "of nothing"}], ` +
          `but shapes says [${shape.join(", ")}]`,
      );
  }
}

/** Backward may name gradients of all inputs, or of the tensors among them. */
function gradientsOfTensors(
  name: string,
  inputs: readonly OpInput[],
  shapes: readonly Shape[],
  gradients: readonly (Tensor | null | undefined)[],
): (Tensor | null)[] {
  const isTensor = inputs.map((input) => input instanceof Tensor);
  const own = gradients.length === inputs.length ? gradients.filter((_, i) => isTensor[i] === true) : gradients;
  if (own.length !== shapes.length)
    throw new HeddleError(
      "bad-arguments",
      `backward of ${name} returns ${gradients.length} gradients, but there are ${inputs.length} inputs`,
    );
  return own.map((gradient, i) => {
    if (gradient == null) return null;
    const shape = shapes[i] as Shape;
    if (!isSameShape(gradient.shape, shape))
      throw new HeddleError(
        "bad-arguments",
        `backward of ${name} returns a gradient of shape [${gradient.shape.join(", ")}] for an input of shape ` +
          `[${shape.join(", ")}]`,
      );
    return gradient;
  });
}
