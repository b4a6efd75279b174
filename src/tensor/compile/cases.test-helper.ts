/** Functions and inputs that compiled functions are compared with their originals on. */
import { functional as F, type Tensor, type Tensors } from "../../tensor.ts";

export type Work = (...inputs: Tensor[]) => Tensor;
export type Case = readonly [name: string, fn: Work, inputs: () => Tensor[]];

export function casesOf(torch: () => Tensors): Case[] {
  const randn = (...shape: number[]): Tensor => torch().randn(shape);
  return [
    ["broadcast", (x, y) => x.mul(y).add(1).tanh(), () => [randn(4, 1, 6), randn(5, 1)]],
    ["views", (x) => x.permute(1, 0).reshape(-1).mul(2).view(3, 8).narrow(1, 2, 5).exp(), () => [randn(4, 6)]],
    [
      "cat",
      (x, y) =>
        torch()
          .cat([x.mul(2), y.exp()], 1)
          .mul(x.sum()),
      () => [randn(3, 4), randn(3, 2)],
    ],
    ["where", (x, y) => torch().where(x.gt(y), x.square(), y.abs().sqrt()), () => [randn(9), randn(9)]],
    [
      "types",
      (x) => x.to("float64").mul(3).to("float32").round().to("int32").mul(2).to("float32").mul(x),
      () => [randn(40)],
    ],
    ["softmax", (x) => x.softmax(1).mul(x), () => [randn(6, 33)]],
    ["logSoftmax of columns", (x) => x.logSoftmax(0), () => [randn(33, 6)]],
    [
      "layer norm",
      (x, weight, bias) => F.layerNorm(x, [20], { weight, bias }),
      () => [randn(3, 5, 20), randn(20), randn(20)],
    ],
    ["sum of all", (x) => x.mul(x).sum(), () => [randn(70, 90)]],
    ["mean of columns", (x) => x.exp().mean(0), () => [randn(5000, 3)]],
    ["greatest", (x) => x.amax(1).add(x.amin(1)), () => [randn(7, 21)]],
    ["product", (x) => x.prod(1), () => [randn(3, 5)]],
    ["matmul", (x, y) => x.mul(2).matmul(y.add(1)).relu(), () => [randn(4, 5), randn(5, 3)]],
    ["in place", (x) => x.clone().mul_(2).add_(1).relu_(), () => [randn(11)]],
    ["dropout", (x) => F.dropout(x.gelu(), { p: 0.3 }).mul(2), () => [randn(13, 17)]],
    ["bias and dropout", (x, b) => F.dropout(F.gelu(x.add(b), "tanh"), { p: 0.1 }), () => [randn(300, 24), randn(24)]],
    ["argmax", (x) => x.argmax(1), () => [randn(7, 21)]],
    ["argmin of all", (x) => x.argmin(), () => [randn(7, 2100)]],
    ["any", (x) => x.gt(1.5).any(1), () => [randn(7, 21)]],
    ["cross entropy", (x) => F.crossEntropy(x, torch().tensor([1, 0, 4]).to("int64")), () => [randn(3, 6)]],
    ["remainders", (x, y) => x.remainder(y).add(x.fmod(y)).add(x.floorDivide(y)), () => [randn(20), randn(20)]],
    ["long rows", (x) => x.softmax(1), () => [randn(2, 20000)]],
  ];
}
