/** Elements of images and volumes between their places: at the points of a grid. Gradients follow from the parts. */
import { elementCount, failShape, type Shape, type Tensor } from "../tensor.ts";
import { binary, cast, elementwise, unary, where } from "./elementwise.ts";
import { float, int } from "./operands.ts";
import { gatherElements } from "./gathering.ts";
import { expandAs } from "./broadcasting.ts";
import { matmul } from "./matmul.ts";
import { reshape, transpose, unsqueeze } from "./shapes.ts";
import { full, linspace, narrow, stack } from "./creation.ts";

export type GridMode = "bilinear" | "nearest" | "bicubic";
export type GridPadding = "zeros" | "border" | "reflection";

export interface GridSampling {
  readonly mode: GridMode;
  readonly padding: GridPadding;
  /** -1 and 1 are the middles of the outer elements; else their outer edges. */
  readonly alignCorners: boolean;
}
const add = (a: Tensor, b: Tensor | number): Tensor => binary("add", a, typeof b === "number" ? float(b) : b);
const mul = (a: Tensor, b: Tensor | number): Tensor => binary("mul", a, typeof b === "number" ? float(b) : b);
const sub = (a: Tensor, b: Tensor): Tensor => binary("sub", a, b);

/** @param x [batch, channels, …] @param grid [batch, …, 2 or 3]: the last dimension's place first, from -1 to 1 */
export function gridSample(x: Tensor, grid: Tensor, sampling: GridSampling): Tensor {
  check(x, grid, sampling);
  // Rounded once: places of 8 or 11 bits are between other elements.
  if (x.dtype === "bfloat16" || x.dtype === "float16")
    return cast(gridSample(cast(x, "float32"), cast(grid, "float32"), sampling), x.dtype);
  const sizes = x.shape.slice(2);
  const [batch, channels] = x.shape as [number, number];
  const points = grid.shape.slice(1, -1);
  const flat = reshape(x, [batch, channels, elementCount(sizes)]);
  const flatGrid = reshape(grid, [batch, elementCount(points), sizes.length]);
  const places = sizes.map((size, d) => {
    const own = reshape(narrow(flatGrid, 2, sizes.length - 1 - d, 1), flatGrid.shape.slice(0, 2));
    return inElements(own, size, sampling.alignCorners);
  });
  const source: Source = { flat, sizes, sampling };
  const result = sampling.mode === "bicubic" ? cubic(source, places) : linear(source, places);
  return reshape(result, [batch, channels, ...points]);
}

function check(x: Tensor, grid: Tensor, { mode }: GridSampling): void {
  const at = (shape: Shape): string => `[${shape.join(", ")}]`;
  if (x.rank !== 4 && x.rank !== 5)
    failShape(
      `grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes ` +
        `${at(x.shape)} and grid with sizes ${at(grid.shape)}`,
    );
  if (x.rank !== grid.rank || x.shape[0] !== grid.shape[0])
    failShape(
      `grid_sampler(): expected grid and input to have same batch size and number of dimensions, but got input with ` +
        `sizes ${at(x.shape)} and grid with sizes ${at(grid.shape)}`,
    );
  if (grid.shape.at(-1) !== x.rank - 2)
    failShape(`grid_sampler(): expected grid to have size ${x.rank - 2} in last dimension, but got ${at(grid.shape)}`);
  if (x.shape.slice(2).includes(0))
    failShape(`grid_sampler(): expected input to have non-empty spatial dimensions, but got ${at(x.shape)}`);
  if (mode === "bicubic" && x.rank !== 4) failShape("grid_sampler(): bicubic interpolation only supports 4D input");
  if (x.dtype !== grid.dtype)
    failShape(
      `grid_sampler(): expected input and grid to have same dtype, but input has ${x.dtype} and grid has ` +
        `${grid.dtype}`,
    );
}

/** From -1 to 1, to places among the elements of a dimension. */
function inElements(own: Tensor, size: number, alignCorners: boolean): Tensor {
  return alignCorners ? mul(add(own, 1), (size - 1) / 2) : mul(add(mul(add(own, 1), size), -1), 0.5);
}

/** A place outside becomes one inside, but for "zeros". */
function brought(place: Tensor, size: number, { padding, alignCorners }: GridSampling): Tensor {
  if (padding === "zeros") return place;
  const inside = padding === "border" ? place : reflected(place, size, alignCorners);
  return elementwise("clamp", inside, float(0), float(size - 1));
}

function reflected(place: Tensor, size: number, alignCorners: boolean): Tensor {
  const [low, span] = alignCorners ? [0, size - 1] : [-0.5, size];
  if (span === 0) return mul(place, 0);
  const away = unary("abs", add(place, -low));
  const flips = unary("floor", mul(away, 1 / span));
  const rest = binary("fmod", away, float(span));
  const isOdd = binary("eq", binary("remainder", flips, float(2)), float(1));
  return add(where(isOdd, add(mul(rest, -1), span), rest), low);
}

interface Source {
  /** [batch, channels, elements] */
  readonly flat: Tensor;
  readonly sizes: Shape;
  readonly sampling: GridSampling;
}

/** The elements at whole places, times their weight; 0 outside. @param places [batch, points], for each dimension */
function weighted({ flat, sizes }: Source, places: readonly Tensor[], weight: Tensor | null): Tensor {
  let index: Tensor | null = null;
  let isInside: Tensor | null = null;
  for (const [d, place] of places.entries()) {
    const last = (sizes[d] as number) - 1;
    const within = binary("logical_and", binary("ge", place, float(0)), binary("le", place, float(last)));
    isInside = isInside === null ? within : binary("logical_and", isInside, within);
    const own = cast(elementwise("clamp", where(within, place, float(0)), float(0), float(last)), "int64");
    index = index === null ? own : binary("add", binary("mul", index, int(last + 1)), own);
  }
  const [batch, channels] = flat.shape as [number, number];
  const [at, inside] = [index as Tensor, isInside as Tensor];
  const shape = [batch, channels, at.shape[1] as number];
  const values = gatherElements(flat, 2, expandAs(unsqueeze(at, 1), shape));
  const counted = weight === null ? cast(inside, flat.dtype) : where(inside, weight, float(0));
  return mul(values, unsqueeze(counted, 1));
}

function linear(source: Source, places: readonly Tensor[]): Tensor {
  const { sizes, sampling } = source;
  const inside = places.map((place, d) => brought(place, sizes[d] as number, sampling));
  if (sampling.mode === "nearest")
    return weighted(
      source,
      inside.map((place) => unary("round", place)),
      null,
    );
  const low = inside.map((place) => unary("floor", place));
  const rest = inside.map((place, d) => sub(place, low[d] as Tensor));
  let sum: Tensor | null = null;
  for (let corner = 0; corner < 2 ** sizes.length; corner++) {
    const isHigh = sizes.map((_, d) => (corner >> d) & 1);
    const at = low.map((place, d) => (isHigh[d] ? add(place, 1) : place));
    const weights = rest.map((part, d) => (isHigh[d] ? part : add(mul(part, -1), 1)));
    const part = weighted(source, at, weights.reduce(mul));
    sum = sum === null ? part : add(sum, part);
  }
  return sum as Tensor;
}

/** Keys' cubic with a = -0.75, as PyTorch. @param part from 0 to 1, behind the second of four elements */
function cubicWeights(part: Tensor): Tensor[] {
  const a = -0.75;
  const near = (x: Tensor): Tensor => add(mul(mul(add(mul(x, a + 2), -(a + 3)), x), x), 1);
  const far = (x: Tensor): Tensor => add(mul(add(mul(add(mul(x, a), -5 * a), x), 8 * a), x), -4 * a);
  const other = add(mul(part, -1), 1);
  return [far(add(part, 1)), near(part), near(other), far(add(other, 1))];
}

function cubic(source: Source, places: readonly Tensor[]): Tensor {
  const { sizes, sampling } = source;
  const low = places.map((place) => unary("floor", place));
  const weights = places.map((place, d) => cubicWeights(sub(place, low[d] as Tensor)));
  let sum: Tensor | null = null;
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) {
      const at = low.map((place, d) => brought(add(place, (d === 0 ? i : j) - 1), sizes[d] as number, sampling));
      const weight = mul(weights[0]?.[i] as Tensor, weights[1]?.[j] as Tensor);
      const part = weighted(
        source,
        at.map((place) => unary("round", place)),
        weight,
      );
      sum = sum === null ? part : add(sum, part);
    }
  return sum as Tensor;
}

/** The grid of an affine map of each image. @param theta [batch, 2, 3] or [batch, 3, 4] @param size of the images */
export function affineGrid(theta: Tensor, size: Shape, alignCorners: boolean): Tensor {
  const dims = size.length - 2;
  if (theta.rank !== 3 || theta.shape[1] !== dims || theta.shape[2] !== dims + 1 || theta.shape[0] !== size[0])
    failShape(
      `Expected a batch of ${dims}D affine matrices of shape ${size[0]}x${dims}x${dims + 1} for size ` +
        `[${size.join(", ")}]. Got [${theta.shape.join(", ")}].`,
    );
  const { place, dtype } = theta;
  const sizes = size.slice(2);
  const ones = full(sizes, 1, dtype, place);
  // The last dimension's place comes first.
  const places = sizes
    .map((count, d) => {
      const edge = alignCorners ? 1 : 1 - 1 / count;
      const own = count === 1 ? full([1], 0, dtype, place) : linspace(-edge, edge, count, dtype, place);
      return expandAs(reshape(own, [count, ...sizes.slice(d + 1).map(() => 1)]), sizes);
    })
    .reverse();
  const base = reshape(stack([...places, ones], dims), [elementCount(sizes), dims + 1]);
  return reshape(matmul(base, transpose(theta, 1, 2)), [size[0] as number, ...sizes, dims]);
}
