/** Tensor maps from TypeScript: `device.tensorMap(array, { box, swizzle })`. */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, describeValue } from "../base/options.ts";
import type { Dtype } from "../base/dtypes.ts";
import {
  TENSOR_MAP_SWIZZLES,
  TENSOR_MAP_TYPES,
  requireTensorMap,
  tensorMapElementBytes,
} from "../machine/tensor-map.ts";
import type { DeviceArray } from "./device-array.ts";

/** Lists begin with the outermost dimension, as a shape in NumPy does; coordinates in a kernel with the innermost. */
export interface TensorMapOptions {
  /** The elements that one copy moves, in each dimension. */
  readonly box: readonly number[];
  /** The tensor's extents. Default: the array's length, as one dimension. */
  readonly shape?: readonly number[];
  /** Elements from one row to the next, in each dimension; the last is 1. Default: rows lie side by side. */
  readonly strides?: readonly number[];
  /** How chunks of 16 bytes are exchanged in shared memory: the bytes of the pattern's row. Default: 0, not at all. */
  readonly swizzle?: 0 | 32 | 64 | 128;
  /** A box takes every so many-th element of each dimension. Default: 1. */
  readonly steps?: readonly number[];
  /** What stands for elements outside of the tensor. Default: "zero". */
  readonly fill?: "zero" | "nan";
  /** What float32 is read as. Default: false. */
  readonly tf32?: boolean;
}

const NAMES = { box: true, shape: true, strides: true, swizzle: true, steps: true, fill: true, tf32: true } as const;
const EXAMPLE = "device.tensorMap(array, { shape: [rows, columns], box: [64, 64], swizzle: 128 })";
/** Data types that have another name there, or whose signs do not matter. */
const TYPES: Partial<Record<Dtype, string>> = { int8: "uint8", int16: "uint16" };
/** As cuTensorMapEncodeTiled numbers it: pieces of 256 bytes come into the L2 cache. */
const L2_256_BYTES = 3;

/** The 128 bytes that a kernel takes as `const __grid_constant__ CUtensorMap`. */
export function tensorMap(array: DeviceArray, options: TensorMapOptions): Uint8Array {
  checkOptions<TensorMapOptions>("tensorMap", options, NAMES, { example: EXAMPLE });
  const { shape = [array.length], box, swizzle = 0, fill = "zero", tf32 = false } = options;
  const rank = shape.length;
  const list = (name: string, values: readonly number[]): readonly number[] => {
    if (values.length === rank && values.every((value) => Number.isSafeInteger(value) && value >= 0)) return values;
    throw wrong(name, `${rank} whole numbers, one for each dimension`, values);
  };
  const strides = list("strides", options.strides ?? rowMajor(shape));
  const steps = list("steps", options.steps ?? shape.map(() => 1));
  list("shape", shape);
  list("box", box);
  if (strides.at(-1) !== 1) throw wrong("strides", "1 in the last dimension", strides);
  const swizzleIndex = TENSOR_MAP_SWIZZLES.indexOf(swizzle);
  if (swizzleIndex < 0) throw wrong("swizzle", "0, 32, 64 or 128", swizzle);
  const name = tf32 ? "tfloat32" : (TYPES[array.dtype] ?? array.dtype);
  const type = (TENSOR_MAP_TYPES as readonly string[]).indexOf(name);
  if (type < 0 || (tf32 && array.dtype !== "float32"))
    throw wrong("the array", tf32 ? "float32 for tf32" : "of a type that tensor maps have", array.dtype);
  const bytes = tensorMapElementBytes(type);
  const last = shape.reduce((sum, extent, axis) => sum + (extent - 1) * (strides[axis] as number), 0);
  if (last >= array.length)
    throw new HeddleError(
      "bad-arguments",
      `the tensor of shape [${shape.join(", ")}] needs ${last + 1} elements, the array has ${array.length}`,
    );
  const description = {
    type,
    address: array.pointer,
    extents: [...shape].reverse(),
    strides: strides
      .slice(0, -1)
      .reverse()
      .map((stride) => stride * bytes),
    box: [...box].reverse(),
    steps: [...steps].reverse(),
    interleave: 0,
    swizzle: swizzleIndex,
    promotion: L2_256_BYTES,
    fill: fill === "nan" ? 1 : 0,
  };
  requireTensorMap(description);
  const { device } = array;
  if (device.encodeTensorMap === undefined)
    throw new HeddleError("unsupported", `${device.properties.name} has no tensor maps`);
  return device.encodeTensorMap(description);
}

function rowMajor(shape: readonly number[]): number[] {
  return shape.map((_, axis) => shape.slice(axis + 1).reduce((product, extent) => product * extent, 1));
}

function wrong(name: string, what: string, value: unknown): HeddleError {
  return new HeddleError("bad-arguments", `${name} of a tensor map must be ${what}, not ${describeValue(value)}`, {
    notes: [`for example ${EXAMPLE}`],
  });
}
