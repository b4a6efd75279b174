/** Dimensions of a kernel that all its accesses go through together become one: fewer divisions of positions. */
import type { Affine } from "./indices.ts";
import type { Lowered, Store } from "./lower.ts";
import { orderOf, type Value } from "./values.ts";

export function mergeDimensions(lowered: Lowered): Lowered {
  const values = orderOf(lowered.stores.map(({ value }) => value));
  const holders: { access: Affine }[] = [...lowered.stores];
  for (const value of values) if ("access" in value) holders.push(value);
  const dims = [...lowered.rows, ...lowered.columns];
  let rows = lowered.rows.length;
  for (let d = dims.length - 2; d >= 0; d--) {
    if (d === rows - 1) continue;
    const inner = dims[d + 1] as number;
    const joins = holders.every(({ access: { strides } }) => strides[d] === (strides[d + 1] as number) * inner);
    if (!joins) continue;
    for (const holder of holders)
      holder.access = { strides: holder.access.strides.toSpliced(d, 1), offset: holder.access.offset };
    dims.splice(d, 2, (dims[d] as number) * inner);
    if (d < rows) rows--;
  }
  return {
    rows: dims.slice(0, rows),
    columns: dims.slice(rows),
    stores: lowered.stores as Store[],
    values: values as Value[],
  };
}
