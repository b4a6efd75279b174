/** Elements along one dimension by tensors of indices: gather, and scatter, which is its transpose. */
import { HeddleError } from "../../base/diagnostics.ts";
import { record } from "../autograd/tape.ts";
import { launchGather, launchScatterAdd } from "../kernels/indexing.ts";
import { elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { newValues } from "../dtypes.ts";
import { traceable, tracerOf } from "../tracing.ts";
import { chosenAt, placedAt } from "./one-hot.ts";
import { full } from "./creation.ts";
import { constantPad } from "./padding.ts";
import { dimension } from "./shapes.ts";

/** The places, among the dense rows of `shape`, that the indices name: for each index in order. */
export function placesOf(shape: Shape, at: number, index: Tensor, what: string): Float64Array {
  if (index.length === 0) return new Float64Array(0);
  if (index.dtype !== "int64" && index.dtype !== "int32")
    failShape(`${what}(): Expected dtype int64 for index, not ${index.dtype}`);
  const rank = Math.max(1, shape.length);
  if (Math.max(1, index.rank) !== rank)
    failShape("Index tensor must have the same number of dimensions as input tensor");
  for (const [d, size] of index.shape.entries())
    if (d !== at && size > (shape[d] ?? 1))
      failShape(
        `Size does not match at dimension ${d} expected index [${index.shape.join(", ")}] to be no larger than ` +
          `self [${shape.join(", ")}] apart from dimension ${at}`,
      );
  const values = index.values();
  const strides = shape.map((_, d) => elementCount(shape.slice(d + 1)));
  const own = index.shape.map((_, d) => elementCount(index.shape.slice(d + 1)));
  const size = shape[at] ?? 1;
  const places = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value < 0 || value >= size)
      throw new HeddleError("bad-arguments", `index ${value} is out of bounds for dimension ${at} with size ${size}`);
    let place = value * (strides[at] ?? 0);
    for (const [d, extent] of index.shape.entries())
      if (d !== at) place += (Math.floor(i / (own[d] as number)) % extent) * (strides[d] as number);
    places[i] = place;
  }
  return places;
}

/** Elements along a dimension at the indices, which have the result's shape. */
export function gatherElements(tensor: Tensor, dim: number, index: Tensor): Tensor {
  const at = dimension(tensor, dim);
  const { shape, dtype, place } = tensor;
  const isTraced = tracerOf(place) !== null && index.length > 0;
  const chosen = isTraced ? chosenAt(tensor, at, index) : null;
  return record(
    "GatherBackward0",
    chosen ??
      traceable(
        "gather",
        [tensor, index],
        () => empty(index.shape, dtype, place),
        ([from, own]) => launchGather(from as Tensor, at, own as Tensor) ?? onHost(from as Tensor, own as Tensor),
      ),
    [tensor],
    (gradient) => [scatterAdd(full(shape, 0, dtype, place), at, index, gradient)],
    [index],
  );

  function onHost(given: Tensor, own: Tensor): Tensor {
    const places = placesOf(shape, at, own, "gather");
    const from = given.values();
    const values = newValues(dtype, places.length);
    for (let i = 0; i < places.length; i++) values[i] = from[places[i] as number] as number;
    return fromValues(values, index.shape, dtype, given.place);
  }
}

/** A copy of `tensor` with each element of `source` added at its index along a dimension. */
export function scatterAdd(tensor: Tensor, dim: number, index: Tensor, source: Tensor): Tensor {
  const at = dimension(tensor, dim);
  const placed = tracerOf(tensor.place) === null ? null : placedAt(tensor, at, index, source);
  const result =
    placed ??
    traceable(
      "scatter_add",
      [tensor, index, source],
      () => empty(tensor.shape, tensor.dtype, tensor.place),
      (given) => {
        const [to, own, added] = given as [Tensor, Tensor, Tensor];
        return launchScatterAdd(to, at, own, added) ?? onHost(to, own, added);
      },
    );
  const from = source.shape;
  return record(
    "ScatterAddBackward0",
    result,
    [tensor, source],
    (gradient) => [gradient, constantPad(gatherElements(gradient, at, index), marginTo(index.shape, from), 0)],
    [index],
  );

  function onHost(to: Tensor, own: Tensor, added: Tensor): Tensor {
    const places = placesOf(to.shape, at, own, "scatter_add");
    const values = Float64Array.from(to.values());
    const given = partOf(added, own.shape).values();
    for (let i = 0; i < places.length; i++)
      values[places[i] as number] = (values[places[i] as number] as number) + (given[i] as number);
    return fromValues(values, to.shape, to.dtype, to.place);
  }
}

/** What a source has more than its index, as a margin. */
export function marginTo(inner: Shape, shape: Shape): number[] {
  return shape.toReversed().flatMap((size, i) => [0, size - (inner.at(-1 - i) as number)]);
}

/** The first elements of each dimension. */
export function partOf(tensor: Tensor, shape: Shape): Tensor {
  if (shape.some((size, d) => size > (tensor.shape[d] ?? 0)))
    failShape(`an index of shape [${shape.join(", ")}] is larger than its source [${tensor.shape.join(", ")}]`);
  return tensor.asStrided(shape, tensor.strides);
}
