/** Rows of a table, summed, averaged or compared by bags. */
import { failShape, fromValues, type Tensor } from "../tensor.ts";
import { full } from "./creation.ts";
import { binary, cast, where } from "./elementwise.ts";
import { float, int } from "./operands.ts";
import { reduce } from "./reductions.ts";
import { scatterReduce } from "./scattering.ts";
import { indexAdd, indexSelect } from "./selecting.ts";
import { expandAs } from "./broadcasting.ts";
import { reshape, unsqueeze } from "./shapes.ts";

export interface Bags {
  readonly mode: "sum" | "mean" | "max";
  readonly perSampleWeights: Tensor | null;
  readonly includeLastOffset: boolean;
  readonly paddingIdx: number | null;
}

/** A row for each bag; of an empty one it is 0. */
export function embeddingBag(indices: Tensor, weight: Tensor, offsets: Tensor | null, options: Bags): Tensor {
  const { mode, perSampleWeights, paddingIdx } = options;
  check(indices, weight, offsets, options);
  const [rows, width] = weight.shape as [number, number];
  const flat = reshape(indices, [-1]);
  const { bagOf, count } = bagsOf(indices, offsets, options.includeLastOffset);
  const { place, dtype } = weight;
  const empty = full([count, width], 0, dtype, place);
  if (flat.length === 0) return binary("add", empty, binary("mul", reduce("sum", weight, null), float(0)));
  const padding = paddingIdx !== null && paddingIdx < 0 ? paddingIdx + rows : paddingIdx;
  const counts = padding === null ? null : unsqueeze(binary("ne", flat, int(padding)), 1);
  const found = indexSelect(weight, 0, flat);
  if (mode === "max") {
    const own = counts === null ? found : where(counts, found, float(-Infinity));
    const most = scatterReduce(empty, 0, expandAs(unsqueeze(bagOf, 1), found.shape), own, "amax", false);
    return counts === null ? most : where(binary("eq", most, float(-Infinity)), float(0), most);
  }
  let own = perSampleWeights === null ? found : binary("mul", found, reshape(perSampleWeights, [-1, 1]));
  if (counts !== null) own = where(counts, own, float(0));
  const sums = indexAdd(empty, 0, bagOf, own, 1);
  if (mode === "sum") return sums;
  const one = counts === null ? full([flat.length, 1], 1, dtype, place) : cast(counts, dtype);
  const sizes = indexAdd(full([count, 1], 0, dtype, place), 0, bagOf, one, 1);
  return binary("div", sums, binary("clamp_min", sizes, float(1)));
}

/** For each index, which bag it is in. */
function bagsOf(
  indices: Tensor,
  offsets: Tensor | null,
  includesEnd: boolean,
): { readonly bagOf: Tensor; readonly count: number } {
  if (offsets === null) {
    const [count, each] = indices.shape as [number, number];
    const bags = Float64Array.from({ length: count * each }, (_, i) => Math.floor(i / each));
    return { bagOf: fromValues(bags, [bags.length], "int64", indices.place), count };
  }
  const begins = [...offsets.values()];
  const count = includesEnd ? begins.length - 1 : begins.length;
  const bags = new Float64Array(indices.length);
  for (let bag = 0; bag < count; bag++) bags.fill(bag, begins[bag] as number, begins[bag + 1] ?? indices.length);
  return { bagOf: fromValues(bags, [bags.length], "int64", indices.place), count };
}

function check(indices: Tensor, weight: Tensor, offsets: Tensor | null, options: Bags): void {
  const { mode, perSampleWeights, paddingIdx } = options;
  if (weight.rank !== 2) failShape("weight has to be a 2D Tensor");
  if (perSampleWeights !== null && perSampleWeights.shape.join() !== indices.shape.join())
    failShape(
      `embedding_bag: If per_sample_weights ([${perSampleWeights.shape.join(", ")}]) is not None, then it must have ` +
        `the same shape as the input ([${indices.shape.join(", ")}])`,
    );
  if (perSampleWeights !== null && mode !== "sum")
    failShape(
      `embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got ` +
        `mode='${mode}').`,
    );
  const rows = weight.shape[0] as number;
  if (paddingIdx !== null && (paddingIdx < -rows || paddingIdx >= rows))
    failShape("padding_idx must be within the number of embeddings");
  if (indices.rank === 2) {
    if (offsets !== null) failShape("if input is 2D, then offsets has to be None, as input is treated is a mini-batch");
  } else if (indices.rank !== 1)
    failShape(`input has to be 1D or 2D Tensor, but got Tensor of dimension ${indices.rank}`);
  else if (offsets === null) failShape("offsets has to be a 1D Tensor but got None");
  else {
    if (offsets.rank !== 1) failShape("offsets has to be a 1D Tensor");
    const begins = [...offsets.values()];
    if (begins.length > 0 && begins[0] !== 0)
      failShape(`offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0.`);
    if ((begins.at(-1) ?? 0) > indices.length)
      failShape(`offsets[-1] can not be greater than input's length ([${indices.length}])`);
  }
}
