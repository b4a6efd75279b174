/** Copies of operations, with other values in the place of some. */
import { BlockBuilder, newRegion } from "./build.ts";
import type { BlockKernel, BlockOp, BlockValue, Region } from "./model.ts";

/** What a copy of operations has in the place of values. */
export type Renaming = Map<BlockValue, BlockValue>;

export const renamed = (names: Renaming, value: BlockValue): BlockValue => names.get(value) ?? value;

function isValue(field: unknown): field is BlockValue {
  return typeof field === "object" && field !== null && "type" in field && "op" in field && "name" in field;
}

function isRegion(field: unknown): field is Region {
  return typeof field === "object" && field !== null && "params" in field && "ops" in field && "yields" in field;
}

/** Appends a copy, with its regions; `names` gets its results. */
export function cloneOp(
  b: BlockBuilder,
  op: BlockOp,
  names: Renaming,
  changes: Readonly<Record<string, unknown>> = {},
): void {
  const copy = { ...op } as Record<string, unknown>;
  for (const [key, field] of Object.entries(op)) {
    if (key === "results") continue;
    if (isValue(field)) copy[key] = renamed(names, field);
    else if (isRegion(field)) copy[key] = cloneRegion(b, field, names);
    else if (Array.isArray(field) && field.every(isValue)) copy[key] = field.map((value) => renamed(names, value));
  }
  b.location = op.location;
  const results = b.append(
    { ...copy, ...changes } as never,
    op.results.map(({ type }) => type),
  );
  for (const [i, value] of op.results.entries()) {
    Object.assign(results[i] as BlockValue, { name: value.name });
    names.set(value, results[i] as BlockValue);
  }
}

export function cloneRegion(b: BlockBuilder, { params, ops, yields }: Region, names: Renaming): Region {
  const region: Region = {
    params: params.map(({ type, name }): BlockValue => ({ type, name, op: null })),
    ops: [],
    yields: [],
  };
  for (const [i, param] of params.entries()) names.set(param, region.params[i] as BlockValue);
  b.inside(region, () => {
    for (const op of ops) cloneOp(b, op, names);
  });
  region.yields = yields.map((value) => renamed(names, value));
  return region;
}

/** A kernel whose body belongs to whoever asks: passes may change it. */
export function cloneKernel(kernel: BlockKernel): BlockKernel {
  const names: Renaming = new Map();
  const body = cloneRegion(new BlockBuilder(newRegion()), kernel.body, names);
  return { ...kernel, body };
}
