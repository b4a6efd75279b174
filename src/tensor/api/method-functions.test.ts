/** `torch.exp(x)` is `x.exp()`, for all that PyTorch has as a function and as a method. */
import { beforeAll, expect, it } from "vitest";
import { openTensors, Tensor, Tensors } from "../../tensor.ts";
import { METHOD_FUNCTIONS } from "./method-functions.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

it("each name is a method of tensors, and no function that there was before", () => {
  const methods = Tensor.prototype as unknown as Record<string, unknown>;
  expect(METHOD_FUNCTIONS.filter((name) => typeof methods[name] !== "function")).toEqual([]);
  expect(METHOD_FUNCTIONS.filter((name) => (torch[name] as { readonly name: string }).name !== name)).toEqual([]);
  expect(new Set(METHOD_FUNCTIONS).size).toBe(METHOD_FUNCTIONS.length);
});

it("takes what the method takes, with gradients", () => {
  const x = torch.tensor([[1, 4], [9, 16]], { requiresGrad: true }); // prettier-ignore
  expect(torch.sum(x, 1, { keepdim: true }).tolist()).toEqual([[5], [25]]);
  expect(torch.matmul(x, x).tolist()).toEqual(x.matmul(x).tolist());
  expect(torch.sort(x, 1, { descending: true }).values.tolist()).toEqual([[4, 1], [16, 9]]); // prettier-ignore
  expect(torch.clamp(x, { max: 5 }).tolist()).toEqual([[1, 4], [5, 5]]); // prettier-ignore
  expect([torch.max(x).item(), torch.max(x, 0).values.tolist()]).toEqual([16, [9, 16]]);
  torch.sqrt(x).sum().backward();
  expect(x.grad?.tolist()).toEqual([[0.5, 0.25], [Math.fround(1 / 6), 0.125]]); // prettier-ignore
});

it("says what it takes", () => {
  expect(() => torch.exp(3 as never)).toThrow("torch.exp takes a tensor first, not the number 3");
});
