/** Methods of tensors about the tensor itself: its memory, its type, its elements as values, its gradient. */
import { HeddleError } from "../../base/diagnostics.ts";
import { DTYPES, type Dtype, type DtypeValues, decodeValues } from "../../base/dtypes.ts";
import type { Gpu } from "../../library/gpu.ts";
import { DeviceArray } from "../../library/device-array.ts";
import {
  addHook,
  backward,
  gradients,
  retainGradient,
  type BackwardOptions,
  type GradientHook,
} from "../autograd/backward.ts";
import { elementBytes, isFloating, TENSOR_DTYPES, type TensorDtype } from "../dtypes.ts";
import { formatTensor } from "../format.ts";
import { tensorDeviceOf } from "../kernels/tensor-device.ts";
import { move, ones } from "../operations/creation.ts";
import { binary, cast } from "../operations/elementwise.ts";
import { matmul } from "../operations/matmul.ts";
import { reshape } from "../operations/shapes.ts";
import { requireOnePlace } from "../places.ts";
import { elementMemory } from "../element-memory.ts";
import { Tensor } from "../tensor.ts";
import { installMethods, installProperty } from "./install.ts";
import { noDtype } from "./operands.ts";

/** Elements as nested arrays; a number for a tensor of rank 0. */
export type Nested = number | boolean | bigint | Nested[];

export interface TensorMethods {
  /** The device that holds it; null: host memory. */
  readonly device: Gpu | null;
  readonly isFloatingPoint: boolean;
  /** Whether a gradient is asked for. Setting it makes a leaf. */
  requiresGrad: boolean;
  readonly isLeaf: boolean;
  /** The name of the operation that made it; null for leaves. */
  readonly gradFn: string | null;
  /** Elements. */
  numel(): number;
  dim(): number;
  size(dim: number): number;
  /** In elements. */
  stride(dim: number): number;
  elementSize(): number;
  /** As another type, on another device, or on the host (null). */
  to(target: TensorDtype | Gpu | null): Tensor;
  float(): Tensor;
  double(): Tensor;
  half(): Tensor;
  bfloat16(): Tensor;
  int(): Tensor;
  long(): Tensor;
  bool(): Tensor;
  /** In host memory. */
  cpu(): Tensor;
  /** The one element. It waits for the device. */
  item(): number;
  /** All elements as nested arrays. It waits for the device. */
  tolist(): Nested;
  /** All elements, row by row. float16 and bfloat16 are returned as Float32Array. It waits for the device. */
  toArray(): DtypeValues[Dtype];
  /** The memory of a tensor without gaps, for kernels: they share it. */
  deviceArray(): DeviceArray;
  toString(): string;
  /** The same memory, off the tape. */
  detach(): Tensor;
  requiresGrad_(requires?: boolean): this;
  /**
   * Adds the gradients of this tensor (of one element, unless `gradient` is given) to `grad` of all leaves.
   * @throws HeddleError "bad-arguments"
   */
  backward(gradient?: Tensor, options?: BackwardOptions): void;
  /** Calls `hook` with the gradient, whose result takes its place. @returns what removes it */
  registerHook(hook: GradientHook): () => void;
  /** `grad` is set by `backward`, though this is no leaf. */
  retainGrad(): void;
  matmul(other: Tensor): Tensor;
  mm(other: Tensor): Tensor;
  bmm(other: Tensor): Tensor;
  mv(vector: Tensor): Tensor;
  dot(other: Tensor): Tensor;
  outer(other: Tensor): Tensor;
  /** Gives the memory back now, if no view uses it. Without it, the garbage collector does. */
  dispose(): void;
  [Symbol.dispose](): void;
}

declare module "../tensor.ts" {
  interface Tensor extends TensorMethods {}
}

const add = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);

function nested(values: ArrayLike<number | bigint>, shape: readonly number[], isBool: boolean): Nested {
  let at = 0;
  const build = (d: number): Nested => {
    if (d === shape.length) {
      const value = values[at++] as number | bigint;
      return isBool ? value !== 0 : value;
    }
    return Array.from({ length: shape[d] as number }, () => build(d + 1));
  };
  return build(0);
}

function arrayOf(tensor: Tensor): DtypeValues[Dtype] {
  const bytes = elementMemory(tensor);
  const { dtype } = tensor;
  if ((DTYPES as readonly string[]).includes(dtype)) return decodeValues(bytes, dtype as Dtype);
  return dtype === "bool" ? bytes : (tensor.values() as Float32Array<ArrayBuffer>);
}

function requireRank(what: string, tensor: Tensor, rank: number): void {
  if (tensor.rank !== rank)
    throw new HeddleError("bad-arguments", `${what} takes tensors of ${rank} dimensions, got ${tensor.rank}D`);
}

const asType = (dtype: TensorDtype) =>
  function own(this: Tensor): Tensor {
    return cast(this, dtype);
  };

installMethods({
  numel(this: Tensor) {
    return this.length;
  },
  dim(this: Tensor) {
    return this.rank;
  },
  size(this: Tensor, dim: number) {
    return this.shape.at(dim);
  },
  stride(this: Tensor, dim: number) {
    return this.strides.at(dim);
  },
  elementSize(this: Tensor) {
    return elementBytes(this.dtype);
  },
  to(this: Tensor, target: TensorDtype | Gpu | null) {
    if (target === null) return move(this, null);
    if (typeof target !== "string") return move(this, target.raw);
    if (!TENSOR_DTYPES.includes(target)) throw noDtype(target);
    return cast(this, target);
  },
  float: asType("float32"),
  double: asType("float64"),
  half: asType("float16"),
  bfloat16: asType("bfloat16"),
  int: asType("int32"),
  long: asType("int64"),
  bool: asType("bool"),
  cpu(this: Tensor) {
    return move(this, null);
  },
  item(this: Tensor) {
    if (this.length !== 1)
      throw new HeddleError("bad-arguments", `a Tensor with ${this.length} elements cannot be converted to Scalar`);
    return this.values()[0];
  },
  tolist(this: Tensor) {
    return nested(arrayOf(this), this.shape, this.dtype === "bool");
  },
  toArray(this: Tensor) {
    return arrayOf(this);
  },
  deviceArray(this: Tensor) {
    const { place } = this;
    if (place === null || !this.isContiguous || !(DTYPES as readonly string[]).includes(this.dtype))
      throw new HeddleError(
        "bad-arguments",
        `a kernel takes tensors on a device, without gaps, not ${this.dtype} on ` +
          `${place?.kind ?? "the host"} with the strides ` +
          `[${this.strides.join(", ")}]`,
        { notes: ["contiguous() makes a copy without gaps"] },
      );
    return DeviceArray.at(place, this.dtype as Dtype, this.length, this.pointer);
  },
  toString(this: Tensor) {
    return formatTensor(this, this.place === null ? null : this.place.kind);
  },
  detach(this: Tensor) {
    return new Tensor(this.storage, this.dtype, this.shape, this.strides, this.offset);
  },
  requiresGrad_(this: Tensor, requires = true) {
    if (requires && !isFloating(this.dtype))
      throw new HeddleError("bad-arguments", "only Tensors of floating point dtype can require gradients");
    if (!requires && this.node !== null)
      throw new HeddleError("bad-arguments", "you can only change requires_grad flags of leaf variables.", {
        notes: ["detach() makes a tensor that does not require a gradient"],
      });
    if (this.node === null) this.isLeafWithGradient = requires;
    return this;
  },
  backward(this: Tensor, gradient?: Tensor, options?: BackwardOptions) {
    if (gradient === undefined && this.length !== 1)
      throw new HeddleError("bad-arguments", "grad can be implicitly created only for scalar outputs", {
        notes: [`this tensor has the shape [${this.shape.join(", ")}]: give the gradient of each element`],
      });
    const own = gradient ?? ones(this.shape, this.dtype, this.place);
    if (own.shape.join() !== this.shape.join())
      throw new HeddleError(
        "bad-arguments",
        `Mismatch in shape: grad_output[0] has a shape of [${own.shape.join(", ")}] and output[0] has a shape of ` +
          `[${this.shape.join(", ")}].`,
      );
    requireOnePlace([this, own]);
    backward(this, own, add, options);
  },
  registerHook(this: Tensor, hook: GradientHook) {
    return addHook(this, hook);
  },
  retainGrad(this: Tensor) {
    retainGradient(this);
  },
  matmul(this: Tensor, other: Tensor) {
    return matmul(this, other);
  },
  mm(this: Tensor, other: Tensor) {
    requireRank("mm", this, 2);
    requireRank("mm", other, 2);
    return matmul(this, other);
  },
  bmm(this: Tensor, other: Tensor) {
    requireRank("bmm", this, 3);
    requireRank("bmm", other, 3);
    return matmul(this, other);
  },
  mv(this: Tensor, vector: Tensor) {
    requireRank("mv", this, 2);
    return matmul(this, vector);
  },
  dot(this: Tensor, other: Tensor) {
    requireRank("dot", this, 1);
    requireRank("dot", other, 1);
    return matmul(this, other);
  },
  outer(this: Tensor, other: Tensor) {
    return binary("mul", reshape(this, [-1, 1]), reshape(other, [1, -1]));
  },
  dispose(this: Tensor) {
    this.release();
  },
});
Object.defineProperty(Tensor.prototype, Symbol.dispose, {
  value: function own(this: Tensor) {
    this.release();
  },
  configurable: true,
});
installProperty("device", function own(this: Tensor) {
  return tensorDeviceOf(this.place)?.gpu ?? null;
});
installProperty("isFloatingPoint", function own(this: Tensor) {
  return isFloating(this.dtype);
});
installProperty(
  "requiresGrad",
  function own(this: Tensor) {
    return this.requiresGradient;
  },
  function own(this: Tensor, requires: never) {
    this.requiresGrad_(requires);
  },
);
installProperty("isLeaf", function own(this: Tensor) {
  return this.node === null;
});
installProperty("gradFn", function own(this: Tensor) {
  return this.node?.name ?? null;
});

/** Gradients of `outputs` by `inputs`, as torch.autograd.grad. */
export function grad(
  outputs: Tensor | readonly Tensor[],
  inputs: Tensor | readonly Tensor[],
  options: BackwardOptions & { readonly gradOutputs?: readonly Tensor[] } = {},
): (Tensor | null)[] {
  const roots = outputs instanceof Tensor ? [outputs] : outputs;
  const given = options.gradOutputs ?? roots.map((root) => ones(root.shape, root.dtype, root.place));
  return gradients(roots, given, inputs instanceof Tensor ? [inputs] : inputs, add, options);
}
