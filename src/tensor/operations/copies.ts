/** Copies of elements between tensors of any types and strides. Nothing is put on the tape. */
import { isFloating, kindOf, type TensorDtype } from "../dtypes.ts";
import { input } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import { launchPointwise } from "../kernels/pointwise.ts";
import { kernelsFor } from "../kernels/tensor-device.ts";
import { tracerOf } from "../tracing.ts";
import { elementMemory, setElementMemory } from "../element-memory.ts";
import { failShape, type Shape, type Tensor } from "../tensor.ts";

const text = (shape: Shape): string => `[${shape.join(", ")}]`;
const IDENTITY = input(0);

/** What numbers of this type are computed as: conditions as whole numbers, small floats as float32. */
export function computeTypeOf(dtype: TensorDtype): ComputeType {
  if (dtype === "bool") return "int32";
  if (isFloating(dtype)) return dtype === "float64" ? "float64" : "float32";
  return dtype as ComputeType;
}

export function isSameShape(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let d = 0; d < a.length; d++) if (a[d] !== b[d]) return false;
  return true;
}

/** The tensor in a larger shape: elements of dimensions of size 1 are used again and again. */
export function expand(tensor: Tensor, shape: Shape): Tensor {
  const missing = shape.length - tensor.rank;
  if (missing < 0) failShape(`a tensor of shape ${text(tensor.shape)} does not expand to ${text(shape)}`);
  const own = (d: number): number => (d < missing ? 1 : (tensor.shape[d - missing] as number));
  const sizes = shape.map((size, d) => (size === -1 ? own(d) : size));
  const strides = sizes.map((size, d) => {
    if (own(d) !== size && own(d) !== 1)
      failShape(
        `The expanded size of the tensor (${size}) must match the existing size (${own(d)}) at non-singleton ` +
          `dimension ${d}.  Target sizes: ${text(shape)}.  Tensor sizes: ${text(tensor.shape)}`,
      );
    return d < missing || (own(d) === 1 && size !== 1) ? 0 : (tensor.strides[d - missing] as number);
  });
  return tensor.asStrided(sizes, strides);
}

/** Sets all elements of `target` to those of `source`, which is of its shape or broadcast to it. */
export function copyInto(target: Tensor, source: Tensor): void {
  if (target.length === 0) return;
  const own = isSameShape(source.shape, target.shape) ? source : expand(source, target.shape);
  const tracer = source.place === target.place ? tracerOf(target.place) : null;
  if (tracer !== null) {
    tracer.pointwise({ name: "copy", expression: IDENTITY, type: computeTypeOf(source.dtype) }, [own], target);
    return;
  }
  const device = source.place === target.place ? kernelsFor(target.place, target.length) : null;
  if (device !== null) {
    const type = computeTypeOf(source.dtype);
    launchPointwise(device, { name: "copy", expressions: [IDENTITY], type }, [own], [target]);
    target.storage.version++;
    return;
  }
  if (source.dtype === target.dtype) {
    setElementMemory(target, elementMemory(own));
    return;
  }
  const values = own.values();
  const isTruncated = isFloating(source.dtype) && kindOf(target.dtype) === 1;
  if (isTruncated) for (let i = 0; i < values.length; i++) values[i] = Math.trunc(values[i] as number);
  target.setValues(values);
}
