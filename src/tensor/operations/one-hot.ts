/**
 * One element of each row by its index, as elements and sums: a traced function computes it within other kernels.
 * Elements at indices that are out of range are not found: they count as 0.
 */
import { input } from "../expressions/expression.ts";
import { tracerOf } from "../tracing.ts";
import { computeTypeOf, expand } from "./copies.ts";
import { binary, cast, where } from "./elementwise.ts";
import { int } from "./operands.ts";
import { reduceElements } from "./reduce-elements.ts";
import { aliasOf, Tensor } from "../tensor.ts";

const CHOSEN = {
  op: "where",
  args: [input(0, true), input(1), { op: "constant", value: 0, isBool: false }],
  isBool: false,
} as const;

/** Whether an element is the one that its row's index names. */
function isAt(tensor: Tensor, at: number, index: Tensor): Tensor | null {
  const tracer = tracerOf(tensor.place);
  if (tracer === null || tensor.rank === 0 || index.rank !== tensor.rank || index.shape[at] !== 1) return null;
  if (index.place !== tensor.place || index.shape.some((size, d) => d !== at && size !== tensor.shape[d])) return null;
  const size = tensor.shape[at] as number;
  tracer.checkIndices(index, size);
  const positions = new Tensor(tracer.positions(size), "int32", [size], [1], 0);
  const along = positions.asStrided(
    tensor.shape,
    tensor.shape.map((_, d) => (d === at ? 1 : 0)),
  );
  return binary("eq", expand(cast(index, "int32"), tensor.shape), along);
}

/** What a dimension holds at one index for each row. Null: it is not traced, or there are several. */
export function chosenAt(tensor: Tensor, at: number, index: Tensor): Tensor | null {
  const chosen = isAt(tensor, at, index);
  if (chosen === null) return null;
  const type = computeTypeOf(tensor.dtype);
  const sum = { name: "gather", combine: "sum", expression: CHOSEN, type, dtype: tensor.dtype } as const;
  return reduceElements(sum, [chosen, aliasOf(tensor)], new Set([at]));
}

/** A copy of `tensor` with one element added to each row. Null: it is not traced, or there are several. */
export function placedAt(tensor: Tensor, at: number, index: Tensor, source: Tensor): Tensor | null {
  if (source.dtype !== tensor.dtype || source.shape.join() !== index.shape.join()) return null;
  const chosen = isAt(tensor, at, index);
  if (chosen === null) return null;
  const own = aliasOf(source);
  const added = where(chosen, expand(own, tensor.shape), int(0));
  return binary("add", aliasOf(tensor), added);
}
