/** A linear layer with its bias and ReLU as one operation, under autocast on a device with kernels. */
import { autocastDtype } from "../autograd/autocast.ts";
import { lowPrecisionCopy } from "../autograd/low-precision.ts";
import { isGradEnabled, record } from "../autograd/tape.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import { launchLinear, launchLinearGradients } from "../kernels/fused/linear.ts";
import { tensorDeviceOf } from "../kernels/tensor-device.ts";
import { currentTracer } from "../follower.ts";
import { scoped, type Tensor } from "../tensor.ts";

const MOST_ELEMENTS = 2 ** 31;

/** Null: this is not for its kernels, which says nothing of whether the operands are right. */
export function linearLayer(x: Tensor, weight: Tensor, bias: Tensor | null, hasRelu: boolean): Tensor | null {
  const device = tensorDeviceOf(x.place);
  // A traced function is fused otherwise.
  if (device === null || currentTracer() !== null || autocastDtype() !== "bfloat16") return null;
  const isOfKernels =
    x.rank === 2 &&
    weight.rank === 2 &&
    x.dtype === "bfloat16" &&
    x.isContiguous &&
    x.shape[1] === weight.shape[1] &&
    [weight, bias].every(
      (tensor) =>
        tensor === null ||
        (tensor.isLeafWithGradient && tensor.dtype === "float32" && tensor.isContiguous && tensor.place === x.place),
    ) &&
    (bias === null || (bias.rank === 1 && bias.length === weight.shape[0]));
  if (!isOfKernels) return null;
  const products = x.length * (weight.shape[0] as number);
  if (products === 0 || products < device.leastElements) return null;
  if (Math.max(x.length, weight.length, (x.shape[0] as number) * (weight.shape[0] as number)) >= MOST_ELEMENTS)
    return null;
  return scoped(() => {
    const copy = lowPrecisionCopy(weight, "bfloat16", "same");
    const images = x.asStrided(x.shape, x.strides);
    const result = launchLinear(device, images, copy, bias, hasRelu);
    const out = hasRelu ? result.asStrided(result.shape, result.strides) : null;
    const inputs = bias === null ? [x, weight] : [x, weight, bias];
    const forX = x.requiresGradient;
    return record(
      hasRelu ? "LinearReluBackward0" : "LinearBackward0",
      result,
      inputs,
      (given) => {
        if (isGradEnabled())
          throw new HeddleError("unsupported", "a fused linear layer has no gradient of its gradient", {
            notes: ["compute it without autocast"],
          });
        const gradient = given.isContiguous ? given : given.contiguous();
        const own = lowPrecisionCopy(weight, "bfloat16", "same");
        const { x: dx, ...of } = launchLinearGradients(device, images, own, gradient, out, forX);
        return bias === null ? [dx, of.weight] : [dx, of.weight, of.bias];
      },
      [images, weight, ...(out === null ? [] : [out])],
    );
  });
}
