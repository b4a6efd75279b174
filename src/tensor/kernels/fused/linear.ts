/**
 * A linear layer of bfloat16: product, bias and ReLU in one launch, or two where the sum is long and the result small;
 * both gradients likewise. Weights are [outputs, inputs].
 */
import { empty, type Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { indented, launchFused, sideOf } from "./fused-kernel.ts";

const SIDE = 64;

interface Sizes {
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

const processors = ({ raw }: TensorDevice): number => raw.properties.multiProcessorCount;

/** @param x [rows, inputs] without gaps @param weight [outputs, inputs], bfloat16 @param bias float32 */
export function launchLinear(
  device: TensorDevice,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  hasRelu: boolean,
): Tensor {
  const [rows, inputs] = x.shape as [number, number];
  const outputs = weight.shape[0] as number;
  const sizes = { rows, inputs, outputs };
  const columns = sideOf(outputs, SIDE);
  const depth = sideOf(inputs, SIDE);
  const tiles = Math.ceil(rows / SIDE) * Math.ceil(outputs / columns);
  const steps = Math.ceil(inputs / depth);
  // Each part sums at least two steps, and there are about as many programs as processors.
  const turns = Math.min(steps, Math.max(2, Math.ceil((steps * tiles) / processors(device))));
  const splits = Math.ceil(steps / turns);
  const out = empty([rows, outputs], "bfloat16", x.place);
  const parts = splits === 1 ? out : empty([splits, rows, outputs], "float32", x.place);
  const ofBias = bias === null ? {} : { bias };
  const isOne = splits === 1;
  const form = `${inputs} ${outputs} ${isOne} ${turns} ${isOne && hasRelu} ${isOne && bias !== null}`;
  launchFused(
    device,
    "linear",
    form,
    tiles * splits,
    { x, weight, parts, ...(splits === 1 ? ofBias : {}) },
    { rows },
    () => ({
      lines: linearText(
        sizes,
        { columns, depth, turns, splits },
        splits === 1 ? { hasRelu, hasBias: bias !== null } : null,
      ),
    }),
  );
  if (splits === 1) return out;
  const length = rows * outputs;
  const block = 256;
  launchFused(
    device,
    "linear_sum",
    `${outputs} ${splits} ${hasRelu} ${bias !== null}`,
    Math.ceil(length / block),
    { parts, out, ...ofBias },
    { length },
    () => ({
      lines: [
        `at = tl.program_id(0) * ${block} + tl.arange(0, ${block})`,
        "inside = at < length",
        ...sumText(splits),
        ...(bias === null ? [] : [`total += tl.load(bias + at % ${outputs}, mask=inside, other=0.0)`]),
        ...(hasRelu ? ["total = tl.where(total <= 0.0, 0.0, total)"] : []),
        "tl.store(out + at, total.to(tl.bfloat16), mask=inside)",
      ],
    }),
  );
  return out;
}

/** Adds the parts of each element, some loads at a time on their way. */
function sumText(splits: number): string[] {
  const together = 8;
  const lines = ["total = tl.load(parts + at, mask=inside, other=0.0)"];
  for (let first = 1; first < splits; first += together) {
    const some = Array.from({ length: Math.min(together, splits - first) }, (_, i) => first + i);
    for (const part of some) lines.push(`x${part} = tl.load(parts + ${part} * length + at, mask=inside, other=0.0)`);
    for (const part of some) lines.push(`total += x${part}`);
  }
  return lines;
}

interface Tile {
  readonly columns: number;
  readonly depth: number;
  readonly turns: number;
  readonly splits: number;
}

function linearText(
  { inputs, outputs }: Sizes,
  { columns, depth, turns, splits }: Tile,
  epilogue: { readonly hasRelu: boolean; readonly hasBias: boolean } | null,
): string[] {
  const across = Math.ceil(outputs / columns);
  const columnMask = outputs % columns === 0 ? "" : ` & (column < ${outputs})[None, :]`;
  const isWhole = inputs % depth === 0 && (splits === 1 || (inputs / depth) % turns === 0);
  const kMask = isWhole ? "" : ` & (k < ${inputs})`;
  return [
    "program = tl.program_id(0)",
    `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
    `split = program // ${across} % ${splits}`,
    `row = (program // ${across * splits}) * ${SIDE} + tl.arange(0, ${SIDE})`,
    "inside = row < rows",
    `total = tl.zeros((${SIDE}, ${columns}), dtype=tl.float32)`,
    `for step in range(split * ${turns}, split * ${turns} + ${turns}):`,
    ...indented([
      `k = step * ${depth} + tl.arange(0, ${depth})`,
      `a = tl.load(x + row[:, None] * ${inputs} + k[None, :], ` +
        `mask=inside[:, None]${kMask.replace(/\)$/, ")[None, :]")}, other=0.0)`,
      `b = tl.load(weight + column[None, :] * ${inputs} + k[:, None], ` +
        `mask=${isWhole ? "(k >= 0)" : `(k < ${inputs})`}[:, None]${columnMask}, other=0.0)`,
      "total = tl.dot(a, b, total)",
    ]),
    `inside_ = inside[:, None]${columnMask}`,
    ...(epilogue === null
      ? [`tl.store(parts + (split * rows + row)[:, None] * ${outputs} + column[None, :], total, mask=inside_)`]
      : [
          ...(epilogue.hasBias
            ? [`total += tl.load(bias + column, mask=column < ${outputs}, other=0.0)[None, :]`]
            : []),
          ...(epilogue.hasRelu ? ["total = tl.where(total <= 0.0, 0.0, total)"] : []),
          `tl.store(parts + row[:, None] * ${outputs} + column[None, :], total.to(tl.bfloat16), mask=inside_)`,
        ]),
  ];
}

/** Loads `g`, the gradient behind the ReLU, as [row, output]. */
function gradientText(outputs: number, row: string, column: string, hasRelu: boolean): string[] {
  const mask = `mask=(${row} < rows)[:, None] & (${column} < ${outputs})[None, :], other=0.0`;
  return [
    `at = ${row}[:, None] * ${outputs} + ${column}[None, :]`,
    `g = tl.load(gradient + at, ${mask})`,
    ...(hasRelu ? [`g = tl.where(tl.load(out + at, ${mask}) > 0.0, g, 0.0)`] : []),
    "g = g.to(tl.bfloat16)",
  ];
}

/** @param out the result, if a ReLU made it */
export function launchLinearInputGradient(
  device: TensorDevice,
  gradient: Tensor,
  weight: Tensor,
  out: Tensor | null,
): Tensor {
  const [rows, outputs] = gradient.shape as [number, number];
  const inputs = weight.shape[1] as number;
  const dx = empty([rows, inputs], "bfloat16", gradient.place);
  const columns = sideOf(inputs, SIDE);
  const depth = sideOf(outputs, SIDE);
  const across = Math.ceil(inputs / columns);
  const tensors = { gradient, weight, dx, ...(out === null ? {} : { out }) };
  const form = `${inputs} ${outputs} ${out !== null}`;
  launchFused(device, "linear_input_gradient", form, Math.ceil(rows / SIDE) * across, tensors, { rows }, () => ({
    lines: [
      "program = tl.program_id(0)",
      `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
      `row = (program // ${across}) * ${SIDE} + tl.arange(0, ${SIDE})`,
      `total = tl.zeros((${SIDE}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, ${outputs}, ${depth}):`,
      ...indented([
        `k = first + tl.arange(0, ${depth})`,
        ...gradientText(outputs, "row", "k", out !== null),
        `b = tl.load(weight + k[:, None] * ${inputs} + column[None, :], ` +
          `mask=(k < ${outputs})[:, None] & (column < ${inputs})[None, :], other=0.0)`,
        "total = tl.dot(g, b, total)",
      ]),
      `tl.store(dx + row[:, None] * ${inputs} + column[None, :], total.to(tl.bfloat16), ` +
        `mask=(row < rows)[:, None] & (column < ${inputs})[None, :])`,
    ],
  }));
  return dx;
}

/** The gradients of weight and bias, float32. */
export function launchLinearWeightGradient(
  device: TensorDevice,
  x: Tensor,
  gradient: Tensor,
  out: Tensor | null,
): { readonly weight: Tensor; readonly bias: Tensor } {
  const [rows, outputs] = gradient.shape as [number, number];
  const inputs = x.shape[1] as number;
  const weight = empty([outputs, inputs], "float32", x.place);
  const bias = empty([outputs], "float32", x.place);
  const side = sideOf(outputs, SIDE);
  const columns = sideOf(inputs, SIDE);
  const across = Math.ceil(inputs / columns);
  const tensors = { x, gradient, weight, bias, ...(out === null ? {} : { out }) };
  const form = `${inputs} ${outputs} ${out !== null}`;
  const programs = Math.ceil(outputs / side) * across;
  launchFused(device, "linear_weight_gradient", form, programs, tensors, { rows }, () => ({
    lines: [
      "program = tl.program_id(0)",
      `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
      `o = (program // ${across}) * ${side} + tl.arange(0, ${side})`,
      `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
      `sums = tl.zeros((${SIDE}, ${side}), dtype=tl.float32)`,
      `for first in range(0, rows, ${SIDE}):`,
      ...indented([
        `k = first + tl.arange(0, ${SIDE})`,
        ...gradientText(outputs, "k", "o", out !== null),
        `b = tl.load(x + k[:, None] * ${inputs} + column[None, :], ` +
          `mask=(k < rows)[:, None] & (column < ${inputs})[None, :], other=0.0)`,
        "total = tl.dot(tl.trans(g), b, total)",
        "sums += g.to(tl.float32)",
      ]),
      `tl.store(weight + o[:, None] * ${inputs} + column[None, :], total, ` +
        `mask=(o < ${outputs})[:, None] & (column < ${inputs})[None, :])`,
      `tl.store(bias + o, tl.sum(sums, 0), mask=(o < ${outputs}) & (program % ${across} == 0))`,
    ],
  }));
  return { weight, bias };
}
