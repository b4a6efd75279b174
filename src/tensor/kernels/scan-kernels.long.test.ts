/** Running results, the order of rows and random numbers as kernels, against the same operations on the host. */
import { describe, it } from "vitest";
import type { TensorDtype } from "../dtypes.ts";
import type { Tensor } from "../../tensor.ts";
import { compare, expectSame, gpu, host, randn, torch } from "./kernels-beside-host.test-helper.ts";
import { tensorDeviceOf, type TensorDevice } from "./tensor-device.ts";

const SHAPES = [
  [3, 5],
  [1, 1],
  [70, 3],
  [2, 3000],
  [5, 130, 4],
];
const DTYPES: readonly TensorDtype[] = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool"];

/** Few different numbers, so that many are equal. */
const coarse = (shape: readonly number[], dtype: TensorDtype): Tensor => {
  const values = torch
    .randn([...shape], host)
    .mul(3)
    .round();
  return (dtype === "uint8" || dtype === "bool" ? values.abs() : values).to(dtype);
};

function same(fn: (x: Tensor) => readonly Tensor[], x: Tensor): void {
  const [there, here] = [fn(x.to(gpu)), fn(x)];
  for (const [i, tensor] of there.entries()) expectSame(tensor.cpu(), here[i] as Tensor, 2e-2);
}
const pair = ({ values, indices }: { values: Tensor; indices: Tensor }): Tensor[] => [values, indices];

describe("running results", () => {
  it.each(SHAPES.map((shape) => [shape]))("%j", (shape) => {
    compare((x) => x.cumsum(1), [randn(...shape)], 1e-3);
    compare((x) => x.cumsum(0), [randn(...shape)], 1e-3);
    compare(
      (x) => x.cumprod(1),
      [
        randn(...shape)
          .mul(0.1)
          .add(1),
      ],
      1e-2,
    );
    compare((x) => x.cummax(1).values.add(x.cummin(0).values), [randn(...shape)]);
    compare((x) => x.logcumsumexp(1), [randn(...shape)], 1e-3);
  });

  it.each(DTYPES)("of %s, with equal elements", (dtype) => {
    const x = coarse([4, 37], dtype);
    same((of) => [of.cumsum(1), ...pair(of.cummax(1)), ...pair(of.cummin(0))], x);
  });

  it.each([["float32"], ["int32"], ["float64"]] as [TensorDtype][])("of rows in parts, of %s", (dtype) => {
    for (const shape of [[30_011], [2, 9000], [3, 5000, 2]]) {
      const x = coarse(shape, dtype);
      const dim = shape.length === 1 ? 0 : 1;
      same((of) => [of.cumsum(dim), ...pair(of.cummax(dim)), ...pair(of.cummin(dim))], x);
      if (dtype !== "int32") same((of) => [of.mul(1e-3).logcumsumexp(dim), of.mul(1e-4).add(1).cumprod(dim)], x);
    }
  });

  it("of NaN and infinities", () => {
    const x = torch.tensor(
      [
        [1, NaN, 2, Infinity, 3],
        [-Infinity, -Infinity, 0, 1, 1],
      ],
      host,
    );
    same((of) => [...pair(of.cummax(1)), ...pair(of.cummin(1)), of.logcumsumexp(1), of.cumsum(1)], x);
  });
});

describe("order", () => {
  it.each(DTYPES)("of %s, short and long rows, both ways, equal elements in their order", (dtype) => {
    for (const shape of [[3, 5], [70, 33], [2, 700], [300]])
      for (const descending of [false, true]) same((of) => pair(of.sort(-1, { descending })), coarse(shape, dtype));
    same((of) => [of.argsort(0)], coarse([9, 4], dtype));
  });

  it.each([["float32"], ["bfloat16"], ["int64"]] as [TensorDtype][])("of rows that are merged, of %s", (dtype) => {
    for (const shape of [[4, 257], [2, 4096], [3, 4097], [70_000]])
      for (const descending of [false, true]) same((of) => pair(of.sort(-1, { descending })), coarse(shape, dtype));
    same((of) => [of.argsort(-1)], randn(2, 9000).to(dtype));
  });

  it("NaN is the greatest; -0 and 0 are equal; the greatest whole numbers", () => {
    const x = torch.tensor([0, NaN, -0, -Infinity, 5, Infinity, -0, 0, NaN, -3], host);
    for (const descending of [false, true]) same((of) => [of.argsort(0, { descending })], x);
    for (const descending of [false, true]) same((of) => [of.double().argsort(0, { descending })], x);
    const whole = torch.tensor([2n ** 52n, -(2n ** 52n), 0n, 2n ** 52n], host);
    same((of) => [of.argsort(0)], whole);
  });

  it("what is picked by it", () => {
    const x = randn(5, 33);
    same((of) => [...pair(of.topk(4, 1)), ...pair(of.kthvalue(7, 1)), ...pair(of.median(0)), of.median()], x);
    same((of) => [of.quantile(0.3, { dim: 1 })], x);
    const holes = torch.tensor(
      [
        [1, NaN, 3, 2],
        [NaN, NaN, NaN, NaN],
        [4, 1, 2, 3],
      ],
      host,
    );
    same((of) => [...pair(of.median(1)), ...pair(of.nanmedian(1))], holes);
  });
});

it("random numbers are those of the host's Philox", () => {
  const device = tensorDeviceOf(gpu.raw) as TensorDevice;
  const draw = (): Tensor[] => {
    torch.manualSeed(2 ** 40 + 7);
    const numbers = [torch.rand([3, 1000]), torch.randn([777]), torch.randint(-5, 1 << 20, [50])];
    return [...numbers, torch.rand([9], { dtype: "bfloat16" })].map((tensor) => tensor.cpu());
  };
  const there = draw();
  device.leastElements = Infinity;
  const here = draw();
  device.leastElements = 1;
  for (const [i, tensor] of there.entries()) expectSame(tensor, here[i] as Tensor, 1e-5);
});
