/** Other sizes, and attention, as functions. */
import { HeddleError } from "../../base/diagnostics.ts";
import { binary, cast, where } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import { full, triangle } from "../operations/creation.ts";
import * as grids from "../operations/grid-sample.ts";
import * as interpolation from "../operations/interpolation.ts";
import { matmul } from "../operations/matmul.ts";
import { softmax } from "../operations/softmax.ts";
import { transpose } from "../operations/shapes.ts";
import { failShape, type Shape, type Tensor } from "../tensor.ts";
import { adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d } from "./pooling.ts";
import { dropout } from "./norms.ts";
import "./part-methods.ts";

export interface InterpolateOptions {
  readonly size?: number | Shape;
  readonly scaleFactor?: number | readonly number[];
  readonly mode?: interpolation.InterpolationMode;
  /** The corners of the input and the output are the same points. */
  readonly alignCorners?: boolean;
  /** The scale of places is that of the sizes, not `scaleFactor`. */
  readonly recomputeScaleFactor?: boolean;
}

const RANKS: Readonly<Record<string, number>> = { linear: 1, bilinear: 2, bicubic: 2, trilinear: 3 };

/** Rows, images or volumes, [batch, channels, …], in another size. */
export function interpolate(input: Tensor, options: InterpolateOptions): Tensor {
  const { size, scaleFactor, mode = "nearest", alignCorners = false, recomputeScaleFactor = false } = options;
  const dims = input.rank - 2;
  if (dims < 1 || dims > 3 || (RANKS[mode] ?? dims) !== dims)
    failShape(`Got ${input.rank}D input, but ${mode} mode needs ${(RANKS[mode] ?? 1) + 2}D input`);
  if ((size === undefined) === (scaleFactor === undefined))
    failShape(
      size === undefined
        ? "either size or scale_factor should be defined"
        : "only one of size or scale_factor should be defined",
    );
  const all = <T>(value: T | readonly T[]): readonly T[] =>
    Array.isArray(value) ? (value as readonly T[]) : Array.from({ length: dims }, () => value as T);
  const scales = scaleFactor === undefined ? null : all<number>(scaleFactor);
  const sizes =
    scales === null
      ? all<number>(size as number)
      : scales.map((by, d) => Math.floor((input.shape[d + 2] as number) * by));
  if (sizes.length !== dims)
    failShape(
      `Input and output must have the same number of spatial dimensions, but got input with spatial ` +
        `dimensions of [${input.shape.slice(2).join(", ")}] and output size of [${sizes.join(", ")}]`,
    );
  if (mode === "area") {
    const pools = [adaptiveAvgPool1d, adaptiveAvgPool2d, adaptiveAvgPool3d];
    return (pools[dims - 1] as typeof adaptiveAvgPool1d)(input, sizes);
  }
  // Sums of halves and of bytes are rounded once.
  const isWhole = !input.isFloatingPoint && !mode.startsWith("nearest");
  const isNarrow = input.dtype === "float16" || input.dtype === "bfloat16" || isWhole;
  const order = [...sizes.keys()];
  // Bytes are rounded behind each dimension, the last one first, as PyTorch does.
  if (isWhole) order.reverse();
  const resized = order.reduce(
    (tensor, d) => {
      const scale = recomputeScaleFactor ? null : (scales?.[d] ?? null);
      const next = interpolation.resize(tensor, d + 2, sizes[d] as number, { mode, alignCorners, scale });
      return isWhole ? next.add(0.5).floor().clamp({ min: 0, max: 255 }) : next;
    },
    isNarrow ? input.float() : input,
  );
  return cast(resized, input.dtype);
}

export interface GridSampleOptions {
  /** Default: "bilinear", which is trilinear of volumes. */
  readonly mode?: grids.GridMode;
  /** What counts outside; default: "zeros". */
  readonly paddingMode?: grids.GridPadding;
  readonly alignCorners?: boolean;
}

/** @param input [batch, channels, …] @param grid [batch, …, 2 or 3], from -1 to 1, the last dimension's place first */
export function gridSample(input: Tensor, grid: Tensor, options: GridSampleOptions = {}): Tensor {
  const { mode = "bilinear", paddingMode = "zeros", alignCorners = false } = options;
  return grids.gridSample(input, grid, { mode, padding: paddingMode, alignCorners });
}

/**
 * A grid for `gridSample`.
 * @param theta [batch, 2, 3] or [batch, 3, 4] @param size [batch, channels, …], the result's
 */
export function affineGrid(
  theta: Tensor,
  size: Shape,
  { alignCorners = false }: { readonly alignCorners?: boolean } = {},
): Tensor {
  return grids.affineGrid(theta, size, alignCorners);
}

export const pixelShuffle: (input: Tensor, upscaleFactor: number) => Tensor = interpolation.pixelShuffle;
export const pixelUnshuffle: (input: Tensor, downscaleFactor: number) => Tensor = interpolation.pixelUnshuffle;

export interface AttentionOptions {
  /** Conditions (true takes part), or numbers that are added to the scores. */
  readonly attnMask?: Tensor | null;
  readonly dropoutP?: number;
  /** A query sees the keys up to its own place. */
  readonly isCausal?: boolean;
  /** Default: 1 / √(size of a head). */
  readonly scale?: number;
  /** Groups of query heads share the heads of keys and values. */
  readonly enableGqa?: boolean;
}

/** softmax(query · keyᵀ · scale) · value. @param query [batch, …, queries, size] */
export function scaledDotProductAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: AttentionOptions = {},
): Tensor {
  const { attnMask = null, dropoutP = 0, isCausal = false, scale, enableGqa = false } = options;
  if (query.rank < 2 || key.rank < 2 || value.rank < 2)
    failShape(
      `scaled_dot_product_attention: Expected query, key, and value to all be at least 2 dimensional, but ` +
        `got Query dim: ` +
        `${query.rank}, Key dim: ${key.rank} and Value dim: ${value.rank} instead.`,
    );
  if (query.dtype !== key.dtype || query.dtype !== value.dtype)
    failShape(
      `Expected query, key, and value to have the same dtype, but got query.dtype: ${query.dtype} ` +
        `key.dtype: ${key.dtype} and value.dtype: ${value.dtype} instead.`,
    );
  if (isCausal && attnMask !== null)
    throw new HeddleError(
      "bad-arguments",
      "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
    );
  // Rounded once: a softmax of scores of 8 or 11 bits is far from the one of the scores themselves.
  if (query.dtype === "bfloat16" || query.dtype === "float16") {
    const wide = [query, key, value].map((of) => cast(of, "float32")) as [Tensor, Tensor, Tensor];
    const mask = attnMask === null || attnMask.dtype === "bool" ? attnMask : cast(attnMask, "float32");
    return cast(scaledDotProductAttention(...wide, { ...options, attnMask: mask }), query.dtype);
  }
  const heads = (of: Tensor): Tensor => {
    const times = (query.shape.at(-3) ?? 1) / (of.shape.at(-3) ?? 1);
    if (!enableGqa || times === 1) return of;
    if (!Number.isInteger(times))
      failShape("Number of heads in key and value must divide the number of heads in query");
    return of.repeatInterleave(times, -3);
  };
  const [k, v] = [heads(key), heads(value)];
  const factor = scale ?? 1 / Math.sqrt(query.shape.at(-1) as number);
  // The root on both sides, as PyTorch: products of halves stay small.
  const root = Math.sqrt(Math.abs(factor));
  const left = binary("mul", query, float(root * Math.sign(factor)));
  let scores = matmul(left, transpose(binary("mul", k, float(root)), -2, -1));
  if (isCausal) {
    const [rows, columns] = [query.shape.at(-2) as number, key.shape.at(-2) as number];
    const sees = triangle(full([rows, columns], 1, "bool", query.place), 0, "lower");
    scores = where(sees, scores, float(-Infinity));
  } else if (attnMask !== null)
    scores = attnMask.dtype === "bool" ? where(attnMask, scores, float(-Infinity)) : binary("add", scores, attnMask);
  const weights = softmax(scores, -1);
  // A query that sees nothing has no weights: NaN becomes 0, as PyTorch's safe softmax.
  const safe = attnMask === null ? weights : where(binary("ne", weights, weights), float(0), weights);
  return matmul(dropout(safe, { p: dropoutP }), v);
}
