/** Gradients of the tape against differences of values, in double precision unless a function needs another one. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { binary } from "../operations/elementwise.ts";
import { fromValues, Tensor } from "../tensor.ts";
import { gradients } from "./backward.ts";
import { withTape, withoutTape } from "./tape.ts";

export interface GradcheckOptions {
  /** What the inputs are converted to; default float64. Kernels of float take float32. */
  readonly dtype?: "float64" | "float32";
  /** The step of the differences; default 1e-6, of float32 1e-2. */
  readonly eps?: number;
  /** Absolute and relative: default 1e-5 and 1e-3, of float32 1e-2 and 1e-2. */
  readonly atol?: number;
  readonly rtol?: number;
  /** Elements of each input that are looked at, spread over it; default: all. */
  readonly elements?: number;
}

type CheckedType = NonNullable<GradcheckOptions["dtype"]>;
const DEFAULTS = {
  float64: { eps: 1e-6, atol: 1e-5, rtol: 1e-3 },
  float32: { eps: 1e-2, atol: 1e-2, rtol: 1e-2 },
} as const;

type Results = Tensor | readonly Tensor[];
type Differentiable = (...inputs: readonly Tensor[]) => Results;
type AsyncDifferentiable = (...inputs: readonly Tensor[]) => Promise<Results>;

const add = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);

/** Leaves with the elements of the inputs, on their device. */
function leaves(inputs: readonly Tensor[], dtype: CheckedType): Tensor[] {
  return inputs.map((input) => {
    const leaf = fromValues(Float64Array.from(input.values()), input.shape, dtype, input.place);
    leaf.isLeafWithGradient = true;
    return leaf;
  });
}

function listOf(results: Results): readonly Tensor[] {
  const all = Array.isArray(results) ? (results as readonly Tensor[]) : [results as Tensor];
  for (const result of all)
    if (!(result instanceof Tensor))
      throw new HeddleError("bad-arguments", `the function returns tensors, not ${describeValue(result)}`);
  return all;
}

/** Weights that tell the elements of a result apart. */
function weightsFor(result: Tensor): Tensor {
  const { dtype } = result;
  const values = Float64Array.from({ length: result.length }, (_, i) => 0.4 + ((i * 7) % 11) / 10);
  return fromValues(values, result.shape, dtype, result.place);
}

/** Σ weight · result, of all results. */
function weighted(results: Results): number {
  return listOf(results).reduce((sum, result) => {
    const [values, weights] = [result.values(), weightsFor(result).values()];
    for (let i = 0; i < values.length; i++) sum += (values[i] as number) * (weights[i] as number);
    return sum;
  }, 0);
}

/** Takes the steps, each with what the one before has yielded: at once, or behind promises where there are some. */
function taken<T>(steps: Generator<Results | Promise<Results>, T, Results>): T | Promise<T> {
  let next = steps.next();
  while (next.done !== true) {
    if (next.value instanceof Promise) return takenLater(steps, next.value);
    next = steps.next(next.value);
  }
  return next.value;
}

async function takenLater<T>(
  steps: Generator<Results | Promise<Results>, T, Results>,
  first: Promise<Results>,
): Promise<T> {
  let next = steps.next(await first);
  while (next.done !== true) next = steps.next(await next.value);
  return next.value;
}

/**
 * Compares the gradients of `fn` by each input with differences of its values. The inputs are taken as float64. For a
 * function that returns a promise, it returns one.
 * @throws HeddleError "bad-arguments" that names the input, the element and both values
 */
export function gradcheck(fn: Differentiable, inputs: readonly Tensor[], options?: GradcheckOptions): true;
export function gradcheck(
  fn: AsyncDifferentiable,
  inputs: readonly Tensor[],
  options?: GradcheckOptions,
): Promise<true>;
export function gradcheck(
  fn: Differentiable | AsyncDifferentiable,
  inputs: readonly Tensor[],
  options: GradcheckOptions = {},
): true | Promise<true> {
  return taken(compared(fn, inputs, options));
}

function* compared(
  fn: Differentiable | AsyncDifferentiable,
  inputs: readonly Tensor[],
  options: GradcheckOptions,
): Generator<Results | Promise<Results>, true, Results> {
  const { dtype = "float64", elements = Infinity } = options;
  const { eps, atol, rtol } = { ...DEFAULTS[dtype], ...options };
  const own = leaves(inputs, dtype);
  const asked = listOf(yield fn(...own)).filter((result) => result.requiresGradient);
  // Without any, all gradients are 0.
  const analytic = gradients(asked, asked.map(weightsFor), own, add);
  for (const [k, input] of own.entries()) {
    const slopes = analytic[k]?.values() ?? new Float64Array(input.length);
    const values = Float64Array.from(input.values());
    const every = Math.max(1, Math.ceil(values.length / elements));
    for (let i = 0; i < values.length; i += every) {
      const at = values[i] as number;
      const shifted = (by: number): Results | Promise<Results> => {
        const moved = own.map((leaf) => leaf.asStrided(leaf.shape, leaf.strides));
        moved[k] = fromValues(values.with(i, at + by), input.shape, dtype, input.place);
        return withoutTape(() => fn(...moved));
      };
      const above = weighted(yield shifted(eps));
      const numerical = (above - weighted(yield shifted(-eps))) / (2 * eps);
      const slope = slopes[i] as number;
      if (!(Math.abs(slope - numerical) <= atol + rtol * Math.abs(numerical)))
        throw new HeddleError(
          "bad-arguments",
          `gradcheck: the gradient by element [${indexOf(i, input.shape).join(", ")}] of input ${k} is ${slope}, ` +
            `but differences of values give ${numerical}`,
          { notes: [`the element is ${at}, the step ${eps}; results are weighted to tell their elements apart`] },
        );
    }
  }
  return true;
}

function indexOf(position: number, shape: readonly number[]): number[] {
  const index: number[] = [];
  let rest = position;
  for (const size of shape.toReversed()) {
    index.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return index;
}

/** The same for gradients of gradients: those of the function, by its inputs and by the gradients of its results. */
export function gradgradcheck(fn: Differentiable, inputs: readonly Tensor[], options: GradcheckOptions = {}): true {
  const { dtype = "float64" } = options;
  const results = withoutTape(() => listOf(atOnce(fn(...leaves(inputs, dtype)))));
  const first: Differentiable = (...all) => {
    // Differences are taken of gradients, for which the tape is needed.
    const isPlain = !all.some((tensor) => tensor.isLeafWithGradient);
    const own = isPlain ? leaves(all.slice(0, inputs.length), dtype) : all.slice(0, inputs.length);
    return withTape(true, () => {
      const asked = listOf(fn(...own));
      const given = all.slice(inputs.length).filter((_, i) => asked[i]?.requiresGradient);
      const roots = asked.filter((result) => result.requiresGradient);
      const found = gradients(roots, given, own, add, { createGraph: true });
      return found.filter((gradient): gradient is Tensor => gradient !== null);
    });
  };
  return gradcheck(first, [...inputs, ...results.map(weightsFor)], options);
}

function atOnce(results: Results): Results {
  if (!(results instanceof Promise)) return results;
  results.catch(() => undefined); // nobody awaits it
  throw new HeddleError("unsupported", "gradgradcheck takes a function that returns tensors, not a promise of them", {
    notes: ["gradcheck takes both"],
  });
}
