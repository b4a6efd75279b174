/** Functions of torch.nn.functional that modules are made of. */
import type { Tensor } from "../tensor.ts";
import "../api/element-methods.ts";
import "../api/reduction-methods.ts";
import "../api/shape-methods.ts";
import "../api/tensor-methods.ts";

/** input · weightᵀ + bias. */
export function linear(input: Tensor, weight: Tensor, bias: Tensor | null = null): Tensor {
  const product = input.matmul(weight.t());
  return bias === null ? product : product.add(bias);
}

export function embedding(input: Tensor, weight: Tensor, _options: { readonly paddingIdx?: number } = {}): Tensor {
  return weight.index(input);
}
