/** The mean cross entropy of rows of logits in one launch, or two for many rows; its gradient in one. */
import { empty, type Tensor } from "../../tensor.ts";
import { checkIndices, noteIndices } from "../index-errors.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { launchFused, sideOf } from "./fused-kernel.ts";

/** Elements of a program; where all rows are no more than `WHOLE`, one program has them all. */
const ELEMENTS = 1024;
const WHOLE = 4096;
export const MOST_CLASSES = 2048;

export interface MeanLoss {
  /** Float32, of no dimensions. */
  readonly loss: Tensor;
  /** How many rows count, as a float32. */
  readonly count: Tensor;
  /** The gradient of the logits where that of the loss is 1; null: it was not asked for, or is not made along. */
  readonly gradient: Tensor | null;
}

/** So many rows are counted by each program anew. */
const MOST_COUNTED = 4096;

interface RowTile {
  readonly rows: number;
  readonly columns: number;
}

function tileOf(rows: number, classes: number): RowTile {
  const columns = sideOf(classes, MOST_CLASSES);
  let side = 1;
  const most = rows * columns <= WHOLE ? WHOLE : ELEMENTS;
  while (side < rows && side * columns < most) side *= 2;
  return { rows: side, columns };
}

/** `x`, `top` and `total` of a tile's rows: the logits, their maximum and the sum of exp(x - top). */
function softmaxText(classes: number, { rows, columns }: RowTile, ignored: number): string[] {
  return [
    `row = tl.program_id(0) * ${rows} + tl.arange(0, ${rows})`,
    `column = tl.arange(0, ${columns})[None, :]`,
    "inside = row < rows",
    `at = row[:, None] * ${classes} + column`,
    `fits = inside[:, None] & (column < ${classes})`,
    'x = tl.load(logits + at, mask=fits, other=float("-inf")).to(tl.float32)',
    `wanted = tl.load(target + row, mask=inside, other=${ignored})`,
    `counts = inside & (wanted != ${ignored})`,
    "top = tl.where(inside, tl.max(x, 1), 0.0)",
    "powers = tl.exp(x - top[:, None])",
    "total = tl.where(inside, tl.sum(powers, 1), 1.0)",
    "is_own = column == wanted[:, None]",
  ];
}

/** @param logits [rows, classes] without gaps @param target int64 @param ignored a class whose rows do not count */
export function launchMeanCrossEntropy(
  device: TensorDevice,
  logits: Tensor,
  target: Tensor,
  ignored: number,
  withGradient: boolean,
): MeanLoss {
  const [rows, classes] = logits.shape as [number, number];
  const tile = tileOf(rows, classes);
  const programs = Math.ceil(rows / tile.rows);
  const loss = empty([], "float32", logits.place);
  const count = empty([], "float32", logits.place);
  const sums = programs === 1 ? loss : empty([programs], "float32", logits.place);
  const counted = programs === 1 ? count : empty([programs], "float32", logits.place);
  const gradient = withGradient && rows <= MOST_COUNTED ? empty([rows, classes], logits.dtype, logits.place) : null;
  const form = `${classes} ${tile.rows} ${ignored} ${programs === 1} ${gradient !== null}`;
  const warps = 4;
  const notes = { dtype: "int64", pointer: noteIndices(device) } as const;
  const tensors = { logits, target, sums, counted, notes, ...(gradient === null ? {} : { gradient }) };
  launchFused(device, "mean_cross_entropy", form, programs, tensors, { rows }, () => ({
    warps,
    lines: [
      ...softmaxText(classes, tile, ignored),
      `wrong = counts & ((wanted < 0) | (wanted >= ${classes}))`,
      "tl.store(notes + row * 0, wanted * 0 + 1, mask=wrong)",
      "tl.store(notes + 1 + row * 0, wanted, mask=wrong)",
      `tl.store(notes + 2 + row * 0, wanted * 0 + ${classes}, mask=wrong)`,
      "own = tl.sum(tl.where(is_own & fits, x, 0.0), 1)",
      "losses = tl.where(counts, top + tl.log(total) - own, 0.0)",
      "sum = tl.sum(losses, 0)",
      "number = tl.sum(counts.to(tl.float32), 0)",
      ...(programs === 1
        ? ["tl.store(sums, sum / number)", "tl.store(counted, number)"]
        : ["tl.store(sums + tl.program_id(0), sum)", "tl.store(counted + tl.program_id(0), number)"]),
      ...(gradient === null ? [] : gradientText(programs === 1, ignored)),
    ],
  }));
  if (programs > 1)
    launchFused(device, "mean_of_losses", "", 1, { sums, counted, loss, count }, { programs }, () => ({
      lines: [
        "sum = tl.zeros((1024,), dtype=tl.float32)",
        "number = tl.zeros((1024,), dtype=tl.float32)",
        "for first in range(0, programs, 1024):",
        "    at = first + tl.arange(0, 1024)",
        "    sum += tl.load(sums + at, mask=at < programs, other=0.0)",
        "    number += tl.load(counted + at, mask=at < programs, other=0.0)",
        "tl.store(loss, tl.sum(sum, 0) / tl.sum(number, 0))",
        "tl.store(count, tl.sum(number, 0))",
      ],
    }));
  checkIndices(device);
  return { loss, count, gradient };
}

/** Stores the gradient of the mean. @param isWhole the program has all rows */
function gradientText(isWhole: boolean, ignored: number): string[] {
  const all = [
    "all_rows = tl.zeros((1024,), dtype=tl.float32)",
    "for first in range(0, rows, 1024):",
    "    every = first + tl.arange(0, 1024)",
    `    own_class = tl.load(target + every, mask=every < rows, other=${ignored})`,
    `    all_rows += ((every < rows) & (own_class != ${ignored})).to(tl.float32)`,
    "number = tl.sum(all_rows, 0)",
  ];
  return [
    ...(isWhole ? [] : all),
    "d = (powers / total[:, None] - tl.where(is_own, 1.0, 0.0)) * (1.0 / number)",
    "d = tl.where(counts[:, None], d, 0.0)",
    "tl.store(gradient + at, d.to(gradient.dtype.element_ty), mask=fits)",
  ];
}

/** @param gradient of the mean, one element */
export function launchMeanCrossEntropyGradient(
  device: TensorDevice,
  gradient: Tensor,
  logits: Tensor,
  target: Tensor,
  count: Tensor,
  ignored: number,
): Tensor {
  const [rows, classes] = logits.shape as [number, number];
  const columns = sideOf(classes, MOST_CLASSES);
  const tile = { rows: Math.max(1, ELEMENTS / columns), columns };
  const dx = empty([rows, classes], logits.dtype, logits.place);
  const tensors = { gradient, logits, target, count, dx };
  const form = `${classes} ${ignored}`;
  const programs = Math.ceil(rows / tile.rows);
  launchFused(device, "mean_cross_entropy_gradient", form, programs, tensors, { rows }, () => ({
    lines: [
      ...softmaxText(classes, tile, ignored),
      "factor = tl.load(gradient).to(tl.float32) / tl.load(count)",
      "d = powers / total[:, None] - tl.where(is_own, 1.0, 0.0)",
      "d = tl.where(counts[:, None], d * factor, 0.0)",
      "tl.store(dx + at, d.to(dx.dtype.element_ty), mask=fits)",
    ],
  }));
  return dx;
}
