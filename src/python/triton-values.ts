/** Arguments of Triton kernels as Python sends them: lists of a kind and a value. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { FP8E4NV, FP8E5, INT1, type Dtype as TritonDtype } from "../frontend/triton/language/dtypes.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import {
  TensorDescriptorArgument,
  TypedArgument,
  dtype,
  float,
  typeArgument,
  typedArray,
  type TritonArgument,
} from "../library/triton-arguments.ts";
import type { TensorDtype } from "../tensor/dtypes.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { ScriptFunction } from "./script-function.ts";

/** An argument: what it is, and its value. */
export type PythonArgument =
  | readonly ["tensor", Tensor]
  /** A tensor whose elements are taken as another type. */
  | readonly ["typed", Tensor, string]
  /** A part of memory that Python has copied here: offset in bytes, elements, their type. */
  | readonly ["memory", Tensor, number, number, string]
  /** Of a kernel that is compiled and not launched: `*fp32`, `i32`. */
  | readonly ["type", string]
  | readonly ["int", number | bigint]
  | readonly ["float", number]
  | readonly ["bool", boolean]
  | readonly ["str", string]
  | readonly ["none"]
  | readonly ["dtype", string]
  | readonly ["function", ScriptFunction, string]
  | readonly ["tuple", readonly PythonArgument[]]
  | readonly ["descriptor", PythonArgument, readonly number[], readonly number[], readonly number[]];

const AS_BYTES: Readonly<Partial<Record<TensorDtype, TritonDtype>>> = {
  bool: INT1,
  float8_e4m3fn: FP8E4NV,
  float8_e5m2: FP8E5,
};

type Of<K extends PythonArgument[0]> = Extract<PythonArgument, readonly [K, ...unknown[]]>;

function pointerTo(gpu: Gpu, tensor: Tensor): DeviceArray | TypedArgument {
  if (tensor.place === null)
    throw new HeddleError("bad-arguments", "Pointer argument cannot be accessed from Triton (cpu tensor?)");
  const as = AS_BYTES[tensor.dtype];
  const stored = as === undefined ? (tensor.dtype as Dtype) : "uint8";
  const array = DeviceArray.at(gpu.raw, stored, tensor.length, tensor.pointer);
  return as === undefined ? array : new TypedArgument(array, as);
}

function typedPointer(gpu: Gpu, tensor: Tensor, name: string): TypedArgument {
  const own = pointerTo(gpu, tensor);
  return new TypedArgument(own instanceof TypedArgument ? own.array : own, dtype(name).dtype);
}

function partOf(gpu: Gpu, [, memory, offset, length, type]: Of<"memory">): TypedArgument {
  return typedArray(DeviceArray.at(gpu.raw, "uint8", length, memory.pointer + offset), type);
}

function descriptor(gpu: Gpu, [, base, ...parts]: Of<"descriptor">): TensorDescriptorArgument {
  const pointer = tritonArgument(gpu, base);
  if (pointer instanceof DeviceArray || pointer instanceof TypedArgument)
    return new TensorDescriptorArgument(pointer, ...parts);
  throw new HeddleError("bad-arguments", "a tensor descriptor needs a tensor");
}

/** The argument of a launch that a list of Python's stands for. */
export function tritonArgument(gpu: Gpu, value: PythonArgument): TritonArgument {
  switch (value[0]) {
    case "tensor":
      return pointerTo(gpu, value[1]);
    case "typed":
      return typedPointer(gpu, value[1], value[2]);
    case "memory":
      return partOf(gpu, value);
    case "type":
      return typeArgument(value[1]);
    case "float":
      return float(value[1]);
    case "none":
      return null;
    case "dtype":
      return dtype(value[1]);
    case "function":
      return { function: value[1].value(value[2]) } as TritonArgument;
    case "tuple":
      return value[1].map((item) => tritonArgument(gpu, item));
    case "descriptor":
      return descriptor(gpu, value);
    default:
      return value[1];
  }
}
