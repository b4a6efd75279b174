/** Random tensors of a shape or of another tensor's, and methods that fill tensors with random numbers. */
import { isGradEnabled, withoutTape } from "../autograd/tape.ts";
import { isFloating, newValues } from "../dtypes.ts";
import { copyInto } from "../operations/copies.ts";
import { binary, cast } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import { generatorsFor } from "../operations/random.ts";
import { failShape, fromValues, scoped, type Shape, type Tensor } from "../tensor.ts";
import { installMethods } from "./install.ts";
import { operand, type TensorLike } from "./operands.ts";
import { Tensors, type TensorOptions } from "./tensors.ts";

export interface RandomMethods {
  /** Uniform in [from, to). */
  uniform_(from?: number, to?: number): this;
  normal_(mean?: number, std?: number): this;
  /** 1 with the probability `p`, else 0. */
  bernoulli_(p?: number): this;
  exponential_(lambda?: number): this;
  /** 1 with the probability that the element is. */
  bernoulli(): Tensor;
  /** Indices of rows of weights, by chance. */
  multinomial(samples: number, options?: { readonly replacement?: boolean }): Tensor;
}

export interface RandomFunctions {
  randLike(like: Tensor): Tensor;
  randnLike(like: Tensor): Tensor;
  randintLike(like: Tensor, low: number, high: number): Tensor;
  /** Normal, each with its own mean and standard deviation. */
  normal(mean: TensorLike, std: TensorLike, shape?: Shape, options?: TensorOptions): Tensor;
  bernoulli(probabilities: Tensor): Tensor;
  multinomial(weights: Tensor, samples: number, options?: { readonly replacement?: boolean }): Tensor;
}

declare module "../tensor.ts" {
  interface Tensor extends RandomMethods {}
}
declare module "./tensors.ts" {
  interface Tensors extends RandomFunctions {}
}

const wideOf = (tensor: Tensor): "float32" | "float64" => (tensor.dtype === "float64" ? "float64" : "float32");
const uniform = (like: Tensor): Tensor => generatorsFor(like.place).rand(like.shape, wideOf(like), like.place);
const normal = (like: Tensor): Tensor => generatorsFor(like.place).randn(like.shape, wideOf(like), like.place);

/** Elements of a tensor that is not on the tape as a leaf. */
function filled(tensor: Tensor, work: () => Tensor): Tensor {
  if (isGradEnabled() && tensor.isLeafWithGradient)
    failShape("a leaf Variable that requires grad is being used in an in-place operation.");
  withoutTape(() => scoped(() => copyInto(tensor, work())));
  return tensor;
}

function bernoulli(probabilities: Tensor): Tensor {
  if (probabilities.values().some((value) => !(value >= 0 && value <= 1))) failShape("Expected p_in >= 0 && p_in <= 1");
  return withoutTape(() => cast(binary("lt", uniform(probabilities), probabilities), probabilities.dtype));
}

function multinomial(weights: Tensor, samples: number, replacement: boolean): Tensor {
  if (weights.rank < 1 || weights.rank > 2) failShape("prob_dist must be 1 or 2 dim");
  if (!isFloating(weights.dtype))
    failShape(`multinomial only supports floating-point dtypes for input, got: ${weights.dtype}`);
  const classes = weights.shape.at(-1) as number;
  if (samples <= 0) failShape("cannot sample n_sample <= 0 samples");
  if (!replacement && samples > classes)
    failShape("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  const all = weights.values();
  if (all.some((value) => !(value >= 0 && value < Infinity)))
    failShape("probability tensor contains either `inf`, `nan` or element < 0");
  const rows = all.length / classes;
  const chance = generatorsFor(weights.place).rand([rows, samples], "float32", weights.place).values();
  const picked = newValues("int64", rows * samples);
  for (let r = 0; r < rows; r++) {
    const own = Float64Array.from(all.subarray(r * classes, (r + 1) * classes));
    for (let s = 0; s < samples; s++) {
      const total = own.reduce((sum, value) => sum + value, 0);
      if (!(total > 0)) failShape("invalid multinomial distribution (sum of probabilities <= 0)");
      let rest = (chance[r * samples + s] as number) * total;
      let at = own.findLastIndex((value) => value > 0);
      for (const [i, value] of own.entries()) {
        if (rest < value) {
          at = i;
          break;
        }
        rest -= value;
      }
      picked[r * samples + s] = at;
      if (!replacement) own[at] = 0;
    }
  }
  return fromValues(picked, [...weights.shape.slice(0, -1), samples], "int64", weights.place);
}

installMethods({
  uniform_(this: Tensor, from = 0, to = 1) {
    if (from > to) failShape(`uniform_ expects to return a [from, to) range, but found from=${from} > to=${to}`);
    return filled(this, () => binary("add", binary("mul", uniform(this), float(to - from)), float(from)));
  },
  normal_(this: Tensor, mean = 0, std = 1) {
    if (std < 0) failShape(`normal expects std >= 0.0, but found std ${std}`);
    return filled(this, () => binary("add", binary("mul", normal(this), float(std)), float(mean)));
  },
  bernoulli_(this: Tensor, p = 0.5) {
    if (!(p >= 0 && p <= 1)) failShape(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
    return filled(this, () => cast(binary("lt", uniform(this), float(p)), this.dtype));
  },
  exponential_(this: Tensor, lambda = 1) {
    if (!(lambda > 0)) failShape(`exponential_ expects lambda > 0.0, but found lambda=${lambda}`);
    return filled(this, () => binary("div", uniform(this).neg().log1p().neg(), float(lambda)));
  },
  bernoulli(this: Tensor) {
    return bernoulli(this);
  },
  multinomial(this: Tensor, samples: number, { replacement = false }: { replacement?: boolean } = {}) {
    return multinomial(this, samples, replacement);
  },
});

const functions: RandomFunctions & ThisType<Tensors> = {
  randLike: (like) => cast(uniform(like), like.dtype),
  randnLike: (like) => cast(normal(like), like.dtype),
  randintLike: (like, low, high) => generatorsFor(like.place).randint(low, high, like.shape, like.dtype, like.place),
  normal(mean, std, shape, options = {}) {
    const size = shape ?? binary("add", operand(mean), operand(std)).shape;
    return this.randn(size, options).mul(std).add(mean);
  },
  bernoulli,
  multinomial: (weights, samples, { replacement = false } = {}) => multinomial(weights, samples, replacement),
};
for (const [name, value] of Object.entries(functions))
  Object.defineProperty(Tensors.prototype, name, { value, configurable: true, writable: true });
