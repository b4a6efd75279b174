/** Gradients against differences of values. */
import { describe, expect, it } from "vitest";
import { backward } from "./backward.ts";
import { concatenate, fromNumbers } from "../operations/creation.ts";
import { binary, cast, unary, where } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import type { BinaryName, UnaryName } from "../operations/element-functions.ts";
import { getItem, setItem } from "../operations/indexing.ts";
import { matmul } from "../operations/matmul.ts";
import { layerNorm } from "../operations/normalization.ts";
import { reduce, variance } from "../operations/reductions.ts";
import { softmax } from "../operations/softmax.ts";
import { clone, permute, reshape } from "../operations/shapes.ts";
import { expandAs } from "../operations/broadcasting.ts";
import type { Tensor } from "../tensor.ts";

const add = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);
const STEP = 1e-6;

const leaf = (numbers: readonly number[], shape: readonly number[]): Tensor => {
  const tensor = fromNumbers(numbers, shape, "float64", null);
  tensor.isLeafWithGradient = true;
  return tensor;
};

/** d(sum(f(x) · w)) / dx by the tape and by differences. */
function check(f: (inputs: Tensor[]) => Tensor, inputs: readonly (readonly [number[], number[]])[]): void {
  const leaves = inputs.map(([numbers, shape]) => leaf(numbers, shape));
  const result = f(leaves);
  const weights = fromNumbers(
    Array.from({ length: result.length }, (_, i) => 0.3 + ((i * 7) % 5) / 4),
    result.shape,
    "float64",
    null,
  );
  backward(result, weights, add);
  const value = (numbers: readonly number[][]): number => {
    const own = numbers.map((list, i) => leaf(list, (inputs[i] as [number[], number[]])[1]));
    return reduce("sum", binary("mul", f(own), weights), null).values()[0] as number;
  };
  const all = inputs.map(([numbers]) => numbers);
  for (const [i, [numbers]] of inputs.entries()) {
    const gradient = [...(leaves[i]?.grad?.values() ?? [])];
    const expected = numbers.map((x, k) => {
      const moved = (by: number): number[][] => all.with(i, numbers.with(k, x + by));
      return (value(moved(STEP)) - value(moved(-STEP))) / (2 * STEP);
    });
    expect(gradient).toHaveLength(expected.length);
    for (const [k, slope] of expected.entries()) expect(gradient[k]).toBeCloseTo(slope, 5);
  }
}

const X: [number[], number[]] = [
  [0.7, 1.3, 2.1, 0.4, 1.9, 0.8],
  [2, 3],
];
const Y: [number[], number[]] = [[1.1, 0.6, 1.7], [3]];

describe("gradients", () => {
  it.each(["exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "silu", "gelu", "erf", "square", "log2", "reciprocal"])(
    "%s",
    (name) => check(([x]) => unary(name as UnaryName, x as Tensor), [X]),
  );

  it.each(["add", "sub", "mul", "div", "pow", "maximum"])("%s, of two tensors that broadcast", (name) =>
    check(([x, y]) => binary(name as BinaryName, x as Tensor, y as Tensor), [X, Y]),
  );

  it.each(["add", "sub", "mul", "div", "pow"])("%s, beside a number", (name) => {
    check(([x]) => binary(name as BinaryName, x as Tensor, float(1.5)), [X]);
    check(([x]) => binary(name as BinaryName, float(1.5), x as Tensor), [X]);
  });

  it("reductions, softmax, layer norm", () => {
    for (const name of ["sum", "mean", "amax"] as const) check(([x]) => reduce(name, x as Tensor, [1]), [X]);
    check(([x]) => reduce("mean", x as Tensor, null), [X]);
    check(([x]) => variance(x as Tensor, [1], 1, true), [X]);
    check(([x]) => softmax(x as Tensor, -1), [X]);
    check(([x]) => softmax(x as Tensor, 0, true), [X]);
    check(
      ([x, w, b]) => layerNorm(x as Tensor, [3], { weight: w as Tensor, bias: b as Tensor, epsilon: 1e-5 }),
      [X, Y, Y],
    );
  });

  it("matrix products, also where a stack is broadcast", () => {
    const stack: [number[], number[]] = [Array.from({ length: 12 }, (_, i) => 0.2 * i - 1), [2, 3, 2]];
    check(([x, y]) => matmul(x as Tensor, y as Tensor), [X, stack]);
  });

  it("views, parts, and elements that are set", () => {
    check(([x]) => permute(reshape(x as Tensor, [3, 2]), [1, 0]), [X]);
    check(([y]) => expandAs(y as Tensor, [2, 3]), [Y]);
    check(([x, y]) => concatenate([x as Tensor, reshape(y as Tensor, [1, 3])], 0), [X, Y]);
    check(([x]) => getItem(x as Tensor, [{ kind: "at", index: 1 }]), [X]);
    const mask = binary("gt", fromNumbers(X[0], X[1], "float64", null), float(1));
    check(([x]) => getItem(x as Tensor, [{ kind: "tensor", tensor: mask }]), [X]);
    check(([x]) => where(mask, x as Tensor, float(0)), [X]);
    check(
      ([x]) => {
        const copy = clone(binary("mul", x as Tensor, x as Tensor));
        setItem(copy, [{ kind: "tensor", tensor: mask }], float(3));
        return binary("mul", copy, copy);
      },
      [X],
    );
  });

  it("a tensor that is used twice gets both gradients; other types get theirs", () => {
    const x = leaf([3], [1]);
    backward(binary("mul", add(x, x), x), fromNumbers([1], [1], "float64", null), add);
    expect([...(x.grad?.values() ?? [])]).toEqual([12]);
    const half = cast(leaf([1, 2], [2]), "float16");
    const own = leaf([1, 2], [2]);
    backward(cast(own, "float16"), fromNumbers([1, 1], [2], "float16", null), add);
    expect([half.dtype, own.grad?.dtype]).toEqual(["float16", "float64"]);
  });

  it("what nothing asks a gradient of is refused", () => {
    const x = fromNumbers([1], [1], "float64", null);
    expect(() => backward(x, x, add)).toThrow("does not require grad");
  });
});
