/** Functions of several tensors, as PyTorch's module `torch` has them: methods of `Tensors`. */
import { blockDiag } from "../operations/diagonals.ts";
import { concatenate, narrow } from "../operations/creation.ts";
import { einsum } from "../operations/einsum.ts";
import { binary, cast, unary, where } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import { expandAs } from "../operations/broadcasting.ts";
import { matmul } from "../operations/matmul.ts";
import { nonzero, searchSorted } from "../operations/searching.ts";
import { broadcastShapes, dimension, permute, reshape } from "../operations/shapes.ts";
import { elementCount, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { linalg, type Linalg } from "./linalg.ts";
import { Tensors } from "./tensors.ts";

export interface SearchOptions {
  /** Behind elements that are equal, instead of before them. */
  readonly right?: boolean;
}

export interface TorchFunctions {
  readonly linalg: Linalg;
  /** Sums of products by named dimensions: `einsum("bij,bjk->bik", a, b)`. */
  einsum(equation: string, ...operands: readonly Tensor[]): Tensor;
  /** Products, summed over the last dimensions of `a` and the first ones of `b`, or over pairs of dimensions. */
  tensordot(a: Tensor, b: Tensor, dims?: number | readonly [Shape, Shape]): Tensor;
  meshgrid(tensors: readonly Tensor[], indexing?: "ij" | "xy"): Tensor[];
  cartesianProd(...tensors: readonly Tensor[]): Tensor;
  combinations(tensor: Tensor, r?: number, withReplacement?: boolean): Tensor;
  blockDiag(...tensors: readonly Tensor[]): Tensor;
  broadcastTensors(...tensors: readonly Tensor[]): Tensor[];
  hstack(tensors: readonly Tensor[]): Tensor;
  vstack(tensors: readonly Tensor[]): Tensor;
  dstack(tensors: readonly Tensor[]): Tensor;
  columnStack(tensors: readonly Tensor[]): Tensor;
  atleast1d(tensor: Tensor): Tensor;
  atleast2d(tensor: Tensor): Tensor;
  atleast3d(tensor: Tensor): Tensor;
  /** Distances of all pairs of rows. */
  cdist(a: Tensor, b: Tensor, p?: number): Tensor;
  kron(a: Tensor, b: Tensor): Tensor;
  cross(a: Tensor, b: Tensor, dim?: number): Tensor;
  /** The area below samples, `x` or `dx` apart. */
  trapezoid(y: Tensor, options?: TrapezoidOptions): Tensor;
  cumulativeTrapezoid(y: Tensor, options?: TrapezoidOptions): Tensor;
  vander(x: Tensor, n?: number, increasing?: boolean): Tensor;
  /** For each value, before which element of its sorted row it belongs. */
  searchsorted(sorted: Tensor, values: Tensor, options?: SearchOptions): Tensor;
  bucketize(values: Tensor, boundaries: Tensor, options?: SearchOptions): Tensor;
  trilIndices(rows: number, columns: number, offset?: number): Tensor;
  triuIndices(rows: number, columns: number, offset?: number): Tensor;
  /** The indices of the elements that are not 0, a tensor for each dimension. */
  nonzeroIndices(condition: Tensor): Tensor[];
}

export interface TrapezoidOptions {
  readonly x?: Tensor;
  readonly dx?: number;
  readonly dim?: number;
}

declare module "./tensors.ts" {
  interface Tensors extends TorchFunctions {}
}

const numbers = (values: readonly number[], shape: Shape, like: Tensor | null, torch: Tensors): Tensor =>
  fromValues(Float64Array.from(values), shape, "int64", like === null ? torch.device.raw : like.place);

function tensordot(a: Tensor, b: Tensor, dims: number | readonly [Shape, Shape]): Tensor {
  const pairs: readonly [Shape, Shape] =
    typeof dims === "number"
      ? [Array.from({ length: dims }, (_, i) => a.rank - dims + i), Array.from({ length: dims }, (_, i) => i)]
      : dims;
  const [left, right] = [pairs[0].map((d) => dimension(a, d)), pairs[1].map((d) => dimension(b, d))];
  if (left.length !== right.length) failShape("both dimension lists should have same length");
  for (const [i, d] of left.entries())
    if (a.shape[d] !== b.shape[right[i] as number] && a.shape[d] !== 1 && b.shape[right[i] as number] !== 1)
      failShape(
        `contracted dimensions need to match, but first has size ${a.shape[d]} in dim ${d} and second has size ` +
          `${b.shape[right[i] as number]} in dim ${right[i]}`,
      );
  // A dimension of size 1 is broadcast: it stands for the sum of the other one.
  const summed = (of: Tensor, own: readonly number[], other: Tensor, theirs: readonly number[]): Tensor => {
    const wide = own.filter((d, i) => of.shape[d] !== 1 && other.shape[theirs[i] as number] === 1);
    return wide.length === 0 ? of : cast(of.sum(wide, { keepdim: true }), of.dtype);
  };
  const [p, q] = [summed(a, left, b, right), summed(b, right, a, left)];
  if (p !== a || q !== b) return tensordot(p, q, [left, right]);
  const free = (of: Tensor, used: readonly number[]): number[] => [...of.shape.keys()].filter((d) => !used.includes(d));
  const [rows, columns] = [free(a, left), free(b, right)];
  const size = (of: Tensor, own: readonly number[]): number[] => own.map((d) => of.shape[d] as number);
  const inner = elementCount(size(a, left));
  const x = reshape(permute(a, [...rows, ...left]), [elementCount(size(a, rows)), inner]);
  const y = reshape(permute(b, [...right, ...columns]), [inner, elementCount(size(b, columns))]);
  return reshape(matmul(x, y), [...size(a, rows), ...size(b, columns)]);
}

function meshgrid(tensors: readonly Tensor[], indexing: "ij" | "xy"): Tensor[] {
  for (const tensor of tensors)
    if (tensor.rank > 1)
      failShape(`torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: [${tensor.shape.join(", ")}]`);
  if (new Set(tensors.map(({ dtype }) => dtype)).size > 1)
    failShape("torch.meshgrid expects all tensors to have the same dtype");
  const isSwapped = indexing === "xy" && tensors.length >= 2;
  const order = isSwapped ? [tensors[1] as Tensor, tensors[0] as Tensor, ...tensors.slice(2)] : tensors;
  const shape = order.map(({ length }) => length);
  const grids = order.map((tensor, d) =>
    expandAs(
      reshape(
        tensor,
        shape.map((size, at) => (at === d ? size : 1)),
      ),
      shape,
    ),
  );
  if (!isSwapped) return grids;
  return [grids[1] as Tensor, grids[0] as Tensor, ...grids.slice(2)];
}

function chosen(n: number, r: number, withReplacement: boolean, from = 0): number[][] {
  if (r === 0) return [[]];
  const all: number[][] = [];
  for (let i = from; i < n; i++)
    for (const rest of chosen(n, r - 1, withReplacement, withReplacement ? i : i + 1)) all.push([i, ...rest]);
  return all;
}

const atleast = (tensor: Tensor, rank: 1 | 2 | 3): Tensor => {
  const [a = 1, b = 1] = tensor.shape;
  if (tensor.rank >= rank) return tensor;
  if (rank === 1) return reshape(tensor, [1]);
  if (rank === 2) return reshape(tensor, [1, a]);
  return reshape(tensor, tensor.rank < 2 ? [1, a, 1] : [a, b, 1]);
};

function distances(a: Tensor, b: Tensor, p: number): Tensor {
  if (a.rank < 2 || b.rank < 2) failShape(`cdist only supports at least 2D tensors, X1 got: ${a.rank}D`);
  if (a.shape.at(-1) !== b.shape.at(-1))
    failShape(`X1 and X2 must have the same number of columns. X1: ${a.shape.at(-1)} X2: ${b.shape.at(-1)}`);
  if (!(p >= 0)) failShape("cdist only supports non-negative p values");
  const difference = binary("sub", a.unsqueeze(-2), b.unsqueeze(-3));
  if (a.shape.at(-1) === 0) return difference.sum(-1);
  if (p !== 2) return difference.norm(p, -1);
  // At equal rows the root has no slope: PyTorch's is 0.
  const squares = unary("square", difference).sum(-1);
  const isZero = binary("eq", squares, float(0));
  return where(isZero, float(0), unary("sqrt", where(isZero, float(1), squares)));
}

function kron(a: Tensor, b: Tensor): Tensor {
  const rank = Math.max(a.rank, b.rank);
  const wide = (of: Tensor): Shape => [...Array.from({ length: rank - of.rank }, () => 1), ...of.shape];
  const [p, q] = [wide(a), wide(b)];
  const left = reshape(
    a,
    p.flatMap((size) => [size, 1]),
  );
  const right = reshape(
    b,
    q.flatMap((size) => [1, size]),
  );
  return reshape(
    binary("mul", left, right),
    p.map((size, d) => size * (q[d] as number)),
  );
}

function cross(a: Tensor, b: Tensor, dim: number): Tensor {
  if (a.rank !== b.rank) failShape("linalg.cross: inputs must have the same number of dimensions.");
  const at = dimension(a, dim);
  if (a.shape[at] !== 3 || b.shape[at] !== 3)
    failShape(`linalg.cross: inputs dimension ${dim} must have length 3. Got ${a.shape[at]} and ${b.shape[at]}`);
  const shape = broadcastShapes(a.shape, b.shape);
  const part = (of: Tensor, i: number): Tensor => narrow(expandAs(of, shape), at, i % 3, 1);
  const parts = [0, 1, 2].map((i) =>
    binary("sub", binary("mul", part(a, i + 1), part(b, i + 2)), binary("mul", part(a, i + 2), part(b, i + 1))),
  );
  return concatenate(parts, at);
}

/** The area of each step. */
function areas(y: Tensor, { x, dx = 1, dim = -1 }: TrapezoidOptions): Tensor {
  const at = dimension(y, dim);
  const size = y.shape[at] as number;
  const sums = binary("add", narrow(y, at, 1, size - 1), narrow(y, at, 0, size - 1));
  if (x === undefined) return binary("mul", sums, float(dx / 2));
  if (x.rank === 1 && x.length !== size) failShape("There must be one `x` value for each sample point");
  const own =
    x.rank === 1
      ? reshape(
          x,
          y.shape.map((_, d) => (d === at ? size : 1)),
        )
      : x;
  return binary("mul", binary("mul", sums, own.diff(1, x.rank === 1 ? at : dim)), float(0.5));
}

function triangleIndices(rows: number, columns: number, holds: (i: number, j: number) => boolean): number[] {
  const found: [number, number][] = [];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) if (holds(i, j)) found.push([i, j]);
  return [...found.map(([i]) => i), ...found.map(([, j]) => j)];
}

const functions: Omit<TorchFunctions, "linalg" | "trilIndices" | "triuIndices"> = {
  einsum: (equation, ...operands) => einsum(equation, operands),
  tensordot: (a, b, dims = 2) => tensordot(a, b, dims),
  meshgrid: (tensors, indexing = "ij") => meshgrid(tensors, indexing),
  cartesianProd(...tensors) {
    if (tensors.length === 1) return tensors[0] as Tensor;
    return concatenate(
      meshgrid(tensors, "ij").map((grid) => reshape(grid, [-1, 1])),
      1,
    );
  },
  combinations(tensor, r = 2, withReplacement = false) {
    if (tensor.rank !== 1) failShape(`Expect a 1D vector, but got shape [${tensor.shape.join(", ")}]`);
    if (r < 0) failShape(`Expect a non-negative number, but got ${r}`);
    if (r === 0) return fromValues(new Float64Array(0), [0], tensor.dtype, tensor.place);
    const rows = chosen(tensor.length, r, withReplacement);
    const index = fromValues(Float64Array.from(rows.flat()), [rows.length * r], "int64", tensor.place);
    return reshape(tensor.indexSelect(0, index), [rows.length, r]);
  },
  blockDiag: (...tensors) => blockDiag(tensors),
  broadcastTensors(...tensors) {
    const shape = tensors.map((tensor) => tensor.shape).reduce(broadcastShapes, []);
    return tensors.map((tensor) => expandAs(tensor, shape));
  },
  hstack(tensors) {
    const own = tensors.map((tensor) => atleast(tensor, 1));
    return concatenate(own, own[0]?.rank === 1 ? 0 : 1);
  },
  vstack: (tensors) =>
    concatenate(
      tensors.map((tensor) => atleast(tensor, 2)),
      0,
    ),
  dstack: (tensors) =>
    concatenate(
      tensors.map((tensor) => atleast(tensor, 3)),
      2,
    ),
  columnStack: (tensors) =>
    concatenate(
      tensors.map((tensor) => (tensor.rank <= 1 ? reshape(tensor, [tensor.length, 1]) : tensor)),
      1,
    ),
  atleast1d: (tensor) => atleast(tensor, 1),
  atleast2d: (tensor) => atleast(tensor, 2),
  atleast3d: (tensor) => atleast(tensor, 3),
  cdist: (a, b, p = 2) => distances(a, b, p),
  kron,
  cross: (a, b, dim = -1) => cross(a, b, dim),
  trapezoid: (y, options = {}) => areas(y, options).sum(options.dim ?? -1),
  cumulativeTrapezoid: (y, options = {}) => areas(y, options).cumsum(options.dim ?? -1),
  vander(x, n = x.shape.at(-1) ?? 1, increasing = false) {
    if (x.rank < 1) failShape("x must be a one-dimensional tensor.");
    const powers = Float64Array.from({ length: n }, (_, i) => (increasing ? i : n - 1 - i));
    const own = x.isFloatingPoint ? x : cast(x, "int64");
    return binary("pow", own.unsqueeze(-1), fromValues(powers, [n], "int64", x.place));
  },
  searchsorted: (sorted, values, { right = false } = {}) => searchSorted(sorted, values, right),
  bucketize(values, boundaries, { right = false } = {}) {
    if (boundaries.rank !== 1)
      failShape(`bucketize(): boundaries tensor must be 1 dimension, but got dim(${boundaries.rank})`);
    return searchSorted(boundaries, values, right);
  },
  nonzeroIndices(condition) {
    const found = nonzero(condition.rank === 0 ? reshape(condition, [1]) : condition);
    return found.unbind(1).map((column) => column.contiguous());
  },
};

for (const [name, value] of Object.entries(functions))
  Object.defineProperty(Tensors.prototype, name, { value, configurable: true, writable: true });
Object.defineProperties(Tensors.prototype, {
  linalg: { value: linalg, configurable: true },
  trilIndices: {
    value(this: Tensors, rows: number, columns: number, offset = 0) {
      const found = triangleIndices(rows, columns, (i, j) => j <= i + offset);
      return numbers(found, [2, found.length / 2], null, this);
    },
    configurable: true,
  },
  triuIndices: {
    value(this: Tensors, rows: number, columns: number, offset = 0) {
      const found = triangleIndices(rows, columns, (i, j) => j >= i + offset);
      return numbers(found, [2, found.length / 2], null, this);
    },
    configurable: true,
  },
});
