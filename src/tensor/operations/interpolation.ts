/** Images and rows in other sizes: nearest elements, and means of neighbours, one dimension after the other. */
import { failShape, fromValues, type Tensor } from "../tensor.ts";
import { binary } from "./elementwise.ts";
import { indexSelect } from "./selecting.ts";
import { reshape, permute } from "./shapes.ts";

export type InterpolationMode = "nearest" | "nearest-exact" | "linear" | "bilinear" | "bicubic" | "trilinear" | "area";

/** For each place of the result: the elements that it is a weighted sum of. */
interface Taps {
  readonly indices: Float64Array<ArrayBuffer>;
  /** Null: the element itself. */
  readonly weights: Float64Array<ArrayBuffer> | null;
}

/** Keys' cubic with a = -0.75, as PyTorch. */
function cubic(t: number): [number, number, number, number] {
  const a = -0.75;
  const near = (x: number): number => ((a + 2) * x - (a + 3)) * x * x + 1;
  const far = (x: number): number => ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return [far(t + 1), near(t), near(1 - t), far(2 - t)];
}

export interface Resize {
  readonly mode: InterpolationMode;
  readonly alignCorners: boolean;
  /** Of the sizes, where it is given; else their quotient. */
  readonly scale: number | null;
}

function tapsOf(from: number, to: number, { mode, alignCorners, scale }: Resize): readonly Taps[] {
  const at = (place: (i: number) => number): Float64Array<ArrayBuffer> =>
    Float64Array.from({ length: to }, (_, i) => place(i));
  const clamp = (i: number): number => Math.min(from - 1, Math.max(0, i));
  const ratio = scale === null ? from / to : 1 / scale;
  if (mode === "nearest")
    return [{ indices: at((i) => clamp(Math.floor(Math.fround(i * Math.fround(ratio))))), weights: null }];
  if (mode === "nearest-exact") return [{ indices: at((i) => clamp(Math.floor((i + 0.5) * ratio))), weights: null }];
  const corner = to > 1 ? (from - 1) / (to - 1) : 0;
  const isCubic = mode === "bicubic";
  const place = (i: number): number => {
    if (alignCorners) return i * corner;
    const own = (i + 0.5) * ratio - 0.5;
    return isCubic ? own : Math.max(0, own);
  };
  const low = (i: number): number => (isCubic ? Math.floor(place(i)) : Math.min(from - 1, Math.floor(place(i))));
  const rest = (i: number): number => place(i) - low(i);
  if (isCubic)
    return [0, 1, 2, 3].map((k) => ({
      indices: at((i) => clamp(low(i) - 1 + k)),
      weights: at((i) => cubic(rest(i))[k] as number),
    }));
  return [
    { indices: at((i) => low(i)), weights: at((i) => 1 - rest(i)) },
    { indices: at((i) => clamp(low(i) + 1)), weights: at(rest) },
  ];
}

/** One dimension in another size. */
export function resize(tensor: Tensor, dim: number, size: number, options: Resize): Tensor {
  const from = tensor.shape[dim] as number;
  if (size <= 0 || from === 0)
    failShape(`Input and output sizes should be greater than 0, but got input (${from}) output (${size})`);
  let sum: Tensor | null = null;
  for (const { indices, weights } of tapsOf(from, size, options)) {
    let part = indexSelect(tensor, dim, fromValues(indices, [size], "int64", tensor.place));
    if (weights !== null) {
      const shape = tensor.shape.map((_, d) => (d === dim ? size : 1));
      part = binary("mul", part, fromValues(weights, shape, tensor.dtype, tensor.place));
    }
    sum = sum === null ? part : binary("add", sum, part);
  }
  return sum as Tensor;
}

/** [*, C · r², H, W] as [*, C, H · r, W · r]. */
export function pixelShuffle(tensor: Tensor, factor: number): Tensor {
  if (tensor.rank < 3)
    failShape(
      `pixel_shuffle expects input to have at least 3 dimensions, but got input with ${tensor.rank} dimension(s)`,
    );
  if (factor <= 0) failShape(`pixel_shuffle expects a positive upscale_factor, but got ${factor}`);
  const outer = tensor.shape.slice(0, -3);
  const [channels, height, width] = tensor.shape.slice(-3) as [number, number, number];
  if (channels % (factor * factor) !== 0)
    failShape(
      `pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but ` +
        `input.size(-3)=${channels} is not divisible by ${factor * factor}`,
    );
  const own = channels / (factor * factor);
  const n = outer.length;
  const parts = reshape(tensor, [...outer, own, factor, factor, height, width]);
  const order = [...outer.keys(), n, n + 3, n + 1, n + 4, n + 2];
  return reshape(permute(parts, order), [...outer, own, height * factor, width * factor]);
}

export function pixelUnshuffle(tensor: Tensor, factor: number): Tensor {
  if (tensor.rank < 3)
    failShape(
      `pixel_unshuffle expects input to have at least 3 dimensions, but got input with ${tensor.rank} dimension(s)`,
    );
  if (factor <= 0) failShape(`pixel_unshuffle expects a positive downscale_factor, but got ${factor}`);
  const outer = tensor.shape.slice(0, -3);
  const [channels, height, width] = tensor.shape.slice(-3) as [number, number, number];
  if (height % factor !== 0 || width % factor !== 0)
    failShape(
      `pixel_unshuffle expects height and width to be divisible by downscale_factor, but ` +
        `input.size(-2)=${height} and input.size(-1)=${width} are not divisible by ${factor}`,
    );
  const n = outer.length;
  const parts = reshape(tensor, [...outer, channels, height / factor, factor, width / factor, factor]);
  const order = [...outer.keys(), n, n + 2, n + 4, n + 1, n + 3];
  return reshape(permute(parts, order), [...outer, channels * factor * factor, height / factor, width / factor]);
}
