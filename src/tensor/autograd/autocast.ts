/**
 * Mixed precision, as torch.autocast: products and convolutions compute with small floats, what sums or exponentiates
 * with float32.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { TensorDtype } from "../dtypes.ts";
import type { Tensor } from "../tensor.ts";

export type AutocastDtype = "bfloat16" | "float16";

interface Autocast {
  readonly dtype: AutocastDtype;
  /** Leaves that were converted: a weight is converted once, however often it is used. */
  readonly leaves: Map<Tensor, Tensor>;
}

let current: Autocast | null = null;

/** @throws HeddleError "bad-arguments" for another type */
export function withAutocast<T>(dtype: AutocastDtype | null, work: () => T): T {
  if (dtype !== null && dtype !== "bfloat16" && dtype !== "float16")
    throw new HeddleError("bad-arguments", `autocast computes in bfloat16 or float16, not ${String(dtype)}`);
  const before = current;
  current = dtype === null ? null : { dtype, leaves: before?.dtype === dtype ? before.leaves : new Map() };
  try {
    return work();
  } finally {
    if (current?.leaves !== before?.leaves) for (const converted of current?.leaves.values() ?? []) converted.release();
    current = before;
  }
}

/** As it is, but what is converted inside is not used outside, nor the other way. */
export function withFreshAutocast<T>(work: () => T): T {
  const before = current;
  if (before === null) return work();
  current = { dtype: before.dtype, leaves: new Map() };
  try {
    return work();
  } finally {
    for (const converted of current?.leaves.values() ?? []) converted.release();
    current = before;
  }
}

/** The type of products; null: that of their operands. */
export function autocastDtype(): AutocastDtype | null {
  return current?.dtype ?? null;
}

type Cast = (tensor: Tensor, dtype: TensorDtype) => Tensor;

const isCast = ({ dtype }: Tensor): boolean => dtype === "float32" || dtype === "float16" || dtype === "bfloat16";

/** An operand of a product or a convolution. */
export function productOperand(tensor: Tensor, cast: Cast): Tensor {
  if (current === null || tensor.dtype === current.dtype || !isCast(tensor)) return tensor;
  const { leaves, dtype } = current;
  if (!tensor.isLeafWithGradient) return cast(tensor, dtype);
  let converted = leaves.get(tensor);
  if (converted === undefined) leaves.set(tensor, (converted = cast(tensor, dtype).retain()));
  return converted;
}

/** An operand of what needs float32: sums, exponentials, losses. */
export function preciseOperand(tensor: Tensor, cast: Cast): Tensor {
  if (current === null || (tensor.dtype !== "float16" && tensor.dtype !== "bfloat16")) return tensor;
  return cast(tensor, "float32");
}
