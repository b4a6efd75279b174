/**
 * Tensor maps (CUtensorMap): how a tensor lies in memory, and the box or the pixels of it that a copy moves.
 *
 * The rules are those of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA Driver API, "Tensor Map Object
 * Management"). On a GPU the driver writes a map's 128 bytes; the emulated device's have a form of their own, which
 * libdevice/hopper.cu reads.
 */
import { HeddleError, unsupported } from "../base/diagnostics.ts";

export const TENSOR_MAP_BYTES = 128;
/** A map's alignment, as a parameter and in memory. */
export const TENSOR_MAP_ALIGN = 64;

/** In the order of CUtensorMapDataType. */
export const TENSOR_MAP_TYPES = [
  "uint8",
  "uint16",
  "uint32",
  "int32",
  "uint64",
  "int64",
  "float16",
  "float32",
  "float64",
  "bfloat16",
  "float32-ftz",
  "tfloat32",
  "tfloat32-ftz",
] as const;
/** In the order of CUtensorMapSwizzle: the bytes of a row of the pattern. */
export const TENSOR_MAP_SWIZZLES = [0, 32, 64, 128] as const;

/**
 * What a copy of im2col mode moves: pixels one after another, from where the instruction says, in a box of the
 * dimensions between channels and images.
 */
export interface Im2colBox {
  /** The box's corners, width first: from the tensor's first element, and from its last. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  readonly channels: number;
  readonly pixels: number;
}

/** Of dimension 0, whose elements follow one another, first. Numbers are those of the driver's enumerations. */
export interface TensorMapDescription {
  /** An index into TENSOR_MAP_TYPES. */
  readonly type: number;
  readonly address: number;
  readonly extents: readonly number[];
  /** Bytes from one element to the next in dimensions 1 and up. */
  readonly strides: readonly number[];
  /** Of a tile; of im2col mode it is empty. */
  readonly box: readonly number[];
  /** Null: the map is one of tiles. */
  readonly im2col: Im2colBox | null;
  /** Elements from one of the box to the next. */
  readonly steps: readonly number[];
  readonly interleave: number;
  /** An index into TENSOR_MAP_SWIZZLES. */
  readonly swizzle: number;
  readonly promotion: number;
  /** 1: what lies outside is read as NaN, else as zero. */
  readonly fill: number;
}

const BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4];
/** What reductions take the elements for, as libdevice/hopper.cu numbers it. */
const KINDS = [0, 0, 0, 1, 0, 1, 2, 4, 5, 3, 4, 4, 4];
const FIRST_FLOAT = 6;
const MAX_RANK = 5;
const MAX_BOX = 256;
const MAX_STEP = 8;
const MAX_CHANNELS = 256;
const MAX_PIXELS = 1024;
const [MOST_INTERLEAVE, MOST_PROMOTION, MOST_FILL] = [2, 3, 1];
/** Corners of an im2col box are from -limit on, and below it: by the rank. */
const CORNER_LIMITS: Readonly<Record<number, number>> = { 3: 2 ** 15, 4: 2 ** 7, 5: 2 ** 4 };
const MAGIC = 0x3150_4d54; // TMP1

export function tensorMapElementBytes(type: number): number {
  return BYTES[type] ?? 0;
}

/** What CUDA refuses, in words; null: nothing. */
export function tensorMapProblem(d: TensorMapDescription): string | null {
  const bytes = BYTES[d.type];
  if (bytes === undefined) return `there is no data type ${d.type}`;
  const row = d.im2col === null ? (d.box[0] as number) : d.im2col.channels;
  return (
    tensorProblem(d) ?? (d.im2col === null ? tileProblem(d) : im2colProblem(d, d.im2col)) ?? rowProblem(d, row * bytes)
  );
}

/** Of the tensor, and of what maps of both kinds have. */
function tensorProblem(d: TensorMapDescription): string | null {
  const rank = d.extents.length;
  const unit = d.interleave === 2 ? 32 : 16;
  if (d.im2col !== null && (rank < 3 || rank > MAX_RANK))
    return `a tensor of images has 3 to ${MAX_RANK} dimensions, not ${rank}`;
  if (rank < 1 || rank > MAX_RANK) return `a tensor has 1 to ${MAX_RANK} dimensions, not ${rank}`;
  if (d.interleave > MOST_INTERLEAVE) return `there is no interleave ${d.interleave}`;
  if (d.interleave !== 0 && rank < 3) return "an interleaved tensor has at least 3 dimensions";
  if (d.address % unit !== 0) return `the tensor's address must be a multiple of ${unit}`;
  if (d.extents.some((extent) => extent < 1 || extent > 2 ** 32)) return "an extent must be 1 to 2^32";
  if (d.strides.some((stride) => stride % unit !== 0 || stride < 0 || stride >= 2 ** 40))
    return `a stride must be a multiple of ${unit} bytes below 2^40`;
  if (d.steps.some((step) => step < 1 || step > MAX_STEP)) return `an element stride must be 1 to ${MAX_STEP}`;
  if (d.promotion > MOST_PROMOTION) return `there is no promotion ${d.promotion}`;
  if (d.fill > MOST_FILL) return `there is no fill ${d.fill}`;
  if (d.fill !== 0 && d.type < FIRST_FLOAT) return "only floats can be filled with NaN";
  return null;
}

function tileProblem(d: TensorMapDescription): string | null {
  const isWrong = d.box.some((length) => length < 1 || length > MAX_BOX);
  return isWrong ? `a box has 1 to ${MAX_BOX} elements in a dimension` : null;
}

function im2colProblem(d: TensorMapDescription, { lower, upper, channels, pixels }: Im2colBox): string | null {
  const limit = CORNER_LIMITS[d.extents.length] as number;
  if ([...lower, ...upper].some((corner) => corner < -limit || corner >= limit))
    return `a corner of the box must be ${-limit} to ${limit - 1} in a tensor of ${d.extents.length} dimensions`;
  if (lower.some((corner, axis) => (d.extents[axis + 1] as number) + (upper[axis] as number) - corner < 1))
    return "the box between the corners is empty";
  if (channels < 1 || channels > MAX_CHANNELS) return `a pixel has 1 to ${MAX_CHANNELS} channels`;
  if (pixels < 1 || pixels > MAX_PIXELS) return `a column has 1 to ${MAX_PIXELS} pixels`;
  return null;
}

/** @param bytes of a row of the box, or of a pixel's channels. */
function rowProblem(d: TensorMapDescription, bytes: number): string | null {
  if (d.interleave === 0 && bytes % 16 !== 0) return `a row of the box must be a multiple of 16 bytes, not ${bytes}`;
  const span = TENSOR_MAP_SWIZZLES[d.swizzle];
  if (span === undefined) return `there is no swizzle ${d.swizzle}`;
  if (d.interleave === 0 && span > 0 && bytes > span)
    return `a row of the box, ${bytes} bytes, is longer than the swizzle's ${span}`;
  if (d.interleave === 2 && span !== 32) return "the interleave of 32 bytes needs the swizzle of 32 bytes";
  return null;
}

/** As libdevice/hopper.cu reads it. The caller has asked for problems. */
export function emulatedTensorMap(d: TensorMapDescription): Uint8Array {
  if (d.interleave !== 0) throw unsupported("an interleaved tensor map on an emulated device");
  if (d.strides.some((stride) => stride >= 2 ** 32) || d.extents.some((extent) => extent === 2 ** 32))
    throw unsupported("a tensor map of 4 GiB or more on an emulated device");
  const words = new Uint32Array(TENSOR_MAP_BYTES / 4);
  const bytes = BYTES[d.type] as number;
  const counts = elementCounts(d);
  words.set([MAGIC, d.address, d.extents.length, bytes, KINDS[d.type] as number]);
  words.set([TENSOR_MAP_SWIZZLES[d.swizzle] as number, d.fill, counts.reduce((product, n) => product * n, bytes)], 5);
  words.set(padded(d.extents, MAX_RANK, 1), 8);
  words.set(padded(d.strides, MAX_RANK - 1, 0), 13);
  words.set(padded(d.im2col === null ? d.box : counts, MAX_RANK, 1), 17);
  words.set(padded(d.steps, MAX_RANK, 1), 22);
  if (d.im2col !== null) {
    const { lower, upper } = d.im2col;
    words.set(
      lower.map((corner, axis) => (corner & 0xffff) | ((upper[axis] as number) << 16)),
      27,
    );
    words[30] = 1;
  }
  return new Uint8Array(words.buffer);
}

/** What a copy moves, in each dimension of shared memory. */
function elementCounts(d: TensorMapDescription): readonly number[] {
  if (d.im2col !== null) return [d.im2col.channels, d.im2col.pixels];
  return d.box.map((length, axis) => (axis === 0 ? length : Math.ceil(length / (d.steps[axis] as number))));
}

function padded(values: readonly number[], length: number, rest: number): number[] {
  return Array.from({ length }, (_, i) => values[i] ?? rest);
}

/** Throws where CUDA refuses the map. */
export function requireTensorMap(d: TensorMapDescription): void {
  const problem = tensorMapProblem(d);
  if (problem !== null) throw new HeddleError("bad-arguments", `the tensor map is not valid: ${problem}`);
}
