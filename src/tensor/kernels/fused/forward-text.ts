/** Statements that all forward kernels of a convolution have: which pixels a program has, and what it stores. */
import type { LayerSizes } from "./block-sizes.ts";

export interface ForwardTile {
  readonly side: number;
  readonly columns: number;
  readonly turns: number;
}

/** Which rows and columns a program has. */
export function forwardHead({ filters, outHeight, outWidth }: LayerSizes, { columns }: ForwardTile): string[] {
  return [
    "program = tl.program_id(0)",
    `across = ${Math.ceil(filters / columns)}`,
    "part = program // across",
    `column = (program % across) * ${columns} + tl.arange(0, ${columns})`,
    `length = batch * ${outHeight * outWidth}`,
  ];
}

/** `m`, `n`, `h`, `v`: the pixels of a turn; `total` is to be their product. */
export function forwardTurn(
  { outHeight, outWidth, stride, padding }: LayerSizes,
  { side, columns, turns }: ForwardTile,
): string[] {
  const pixels = outHeight * outWidth;
  return [
    `first = (part * ${turns} + turn) * ${side}`,
    `m = first + tl.arange(0, ${side})`,
    "inside = m < length",
    `n = m // ${pixels}`,
    `pixel = m % ${pixels}`,
    `h = (pixel // ${outWidth}) * ${stride[0]} - ${padding[0]}`,
    `v = (pixel % ${outWidth}) * ${stride[1]} - ${padding[1]}`,
    `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
  ];
}

/** Stores the results of a turn. `value`: what is stored, `count`: how many rows of it are some. */
export function forwardStore(filters: number, side: number): string[] {
  return [
    "rounded = total.to(tl.bfloat16)",
    `tl.store(y + m[:, None] * ${filters} + column[None, :], rounded, ` +
      `mask=inside[:, None] & (column < ${filters})[None, :])`,
    // The statistics are of what is stored.
    "value = rounded.to(tl.float32)",
    `count = tl.minimum(tl.maximum(length - first, 0), ${side}).to(tl.float32)`,
  ];
}

/** `mean` and `squares` are the part's. */
export const statisticsStore = (filters: number): string[] => [
  `tl.store(parts + part * ${2 * filters} + column, mean, mask=column < ${filters})`,
  `tl.store(parts + part * ${2 * filters} + ${filters} + column, squares, mask=column < ${filters})`,
];
