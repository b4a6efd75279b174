/** Tensor maps from TypeScript: `device.tensorMap(array, { box, swizzle })`. */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, describeValue } from "../base/options.ts";
import type { Dtype } from "../base/dtypes.ts";
import {
  TENSOR_MAP_SWIZZLES,
  TENSOR_MAP_TYPES,
  requireTensorMap,
  tensorMapElementBytes,
  type Im2colBox,
} from "../machine/tensor-map.ts";
import type { DeviceArray } from "./device-array.ts";

/** Pixels that a copy takes one after another. Corners have a number for each dimension between images and channels. */
export interface TensorMapPixels {
  /** The first corner of the box that pixels come from, from the tensor's first element on: minus the padding. */
  readonly lower: readonly number[];
  /** The last corner, from the tensor's last element on: the padding, less the filter's extent but for one. */
  readonly upper: readonly number[];
  readonly pixels: number;
  /** Of each pixel. */
  readonly channels: number;
}

/** Lists begin with the outermost dimension, as a shape in NumPy does; coordinates in a kernel with the innermost. */
export interface TensorMapOptions {
  /** The elements that one copy moves, in each dimension. */
  readonly box?: readonly number[];
  /** In place of a box: the pixels that one copy moves (`.im2col`), of a tensor of images, whose channels come last. */
  readonly im2col?: TensorMapPixels;
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

const NAMES = {
  box: true,
  im2col: true,
  shape: true,
  strides: true,
  swizzle: true,
  steps: true,
  fill: true,
  tf32: true,
} as const;
const PIXEL_NAMES = { lower: true, upper: true, pixels: true, channels: true } as const;
const EXAMPLE = "device.tensorMap(array, { shape: [rows, columns], box: [64, 64], swizzle: 128 })";
const PIXELS_EXAMPLE =
  "device.tensorMap(array, { shape: [n, h, w, c], " +
  "im2col: { lower: [-1, -1], upper: [-1, -1], pixels: 64, channels: 64 } })";
/** Data types that have another name there, or whose signs do not matter. */
const TYPES: Partial<Record<Dtype, string>> = { int8: "uint8", int16: "uint16" };
/** As cuTensorMapEncodeTiled numbers it: pieces of 256 bytes come into the L2 cache. */
const L2_256_BYTES = 3;

/** The 128 bytes that a kernel takes as `const __grid_constant__ CUtensorMap`. */
export function tensorMap(array: DeviceArray, options: TensorMapOptions): Uint8Array {
  checkOptions<TensorMapOptions>("tensorMap", options, NAMES, { example: EXAMPLE });
  const { shape = [array.length], swizzle = 0, fill = "zero", tf32 = false } = options;
  const rank = shape.length;
  const list = (name: string, values: readonly number[]): readonly number[] => {
    if (values.length === rank && values.every((value) => Number.isSafeInteger(value) && value >= 0)) return values;
    throw wrong(name, `${rank} whole numbers, one for each dimension`, values);
  };
  const strides = list("strides", options.strides ?? rowMajor(shape));
  const steps = list("steps", options.steps ?? shape.map(() => 1));
  list("shape", shape);
  if ((options.box === undefined) === (options.im2col === undefined))
    throw new HeddleError("bad-arguments", "a tensor map has a box, or pixels (im2col)", {
      notes: [`for example ${EXAMPLE}, or ${PIXELS_EXAMPLE}`],
    });
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
    box: options.box === undefined ? [] : [...list("box", options.box)].reverse(),
    im2col: options.im2col === undefined ? null : pixelsOf(options.im2col, rank),
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

function pixelsOf(options: TensorMapPixels, rank: number): Im2colBox {
  checkOptions<TensorMapPixels>("im2col of tensorMap", options, PIXEL_NAMES, { example: PIXELS_EXAMPLE });
  const corner = (name: "lower" | "upper"): number[] => {
    const values = options[name];
    if (values.length === rank - 2 && values.every(Number.isSafeInteger)) return [...values].reverse();
    throw wrong(`im2col.${name}`, `${rank - 2} whole numbers, one for each dimension of an image`, values);
  };
  const { pixels, channels } = options;
  for (const [name, value] of Object.entries({ pixels, channels }))
    if (!Number.isSafeInteger(value)) throw wrong(`im2col.${name}`, "a whole number", value);
  return { lower: corner("lower"), upper: corner("upper"), pixels, channels };
}

function rowMajor(shape: readonly number[]): number[] {
  return shape.map((_, axis) => shape.slice(axis + 1).reduce((product, extent) => product * extent, 1));
}

function wrong(name: string, what: string, value: unknown): HeddleError {
  return new HeddleError("bad-arguments", `${name} of a tensor map must be ${what}, not ${describeValue(value)}`, {
    notes: [`for example ${EXAMPLE}`],
  });
}
