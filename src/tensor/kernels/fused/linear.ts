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

export interface LinearGradients {
  readonly x: Tensor | null;
  /** Float32, and so is the bias's. */
  readonly weight: Tensor;
  readonly bias: Tensor;
}

/**
 * All gradients by one launch: some programs have that of the input, the others that of the weight.
 * @param x the input @param out the result, if a ReLU made it
 */
export function launchLinearGradients(
  device: TensorDevice,
  x: Tensor,
  weight: Tensor,
  gradient: Tensor,
  out: Tensor | null,
  forX: boolean,
): LinearGradients {
  const [rows, outputs] = gradient.shape as [number, number];
  const inputs = x.shape[1] as number;
  const dw = empty([outputs, inputs], "float32", x.place);
  const db = empty([outputs], "float32", x.place);
  const dx = forX ? empty([rows, inputs], "bfloat16", x.place) : null;
  const columns = sideOf(inputs, SIDE);
  const side = sideOf(outputs, SIDE);
  const across = Math.ceil(inputs / columns);
  const ofWeight = Math.ceil(outputs / side) * across;
  const ofInput = dx === null ? 0 : Math.ceil(rows / SIDE) * across;
  const hasRelu = out !== null;
  const tensors = {
    ...(dx === null ? {} : { weight, dx }),
    x,
    gradient,
    dw,
    db,
    ...(out === null ? {} : { out }),
  };
  const form = `${inputs} ${outputs} ${hasRelu} ${forX}`;
  const numbers = { rows, first_of_input: ofWeight };
  launchFused(device, "linear_gradients", form, ofWeight + ofInput, tensors, numbers, () => {
    const variant = (depth: number): string[] => {
      const lines = weightGradientText({ inputs, outputs }, { side, columns, across, depth }, hasRelu);
      if (dx === null) return ["program = tl.program_id(0)", ...lines];
      return [
        // The sums over rows are longer: their programs begin first.
        "if tl.program_id(0) < first_of_input:",
        ...indented(renamed(["program = tl.program_id(0)", ...lines])),
        "else:",
        // Both parts of an `if` have to agree in the types of names.
        ...indented([
          "program = tl.program_id(0) - first_of_input",
          ...inputGradientText({ inputs, outputs }, columns, across, hasRelu),
        ]),
      ];
    };
    const deep = variant(2 * SIDE);
    return [{ lines: variant(SIDE) }, { lines: variant(SIDE), warps: 8 }, { lines: deep, warps: 8 }];
  });
  return { x: dx, weight: dw, bias: db };
}

const renamed = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/(?<![.\w])(program|column|total|first|at|k|g|b)\b/g, "weight_$1"));

function inputGradientText(
  { inputs, outputs }: Pick<Sizes, "inputs" | "outputs">,
  columns: number,
  across: number,
  hasRelu: boolean,
): string[] {
  const depth = sideOf(outputs, SIDE);
  return [
    `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
    `row = (program // ${across}) * ${SIDE} + tl.arange(0, ${SIDE})`,
    `total = tl.zeros((${SIDE}, ${columns}), dtype=tl.float32)`,
    `for first in range(0, ${outputs}, ${depth}):`,
    ...indented([
      `k = first + tl.arange(0, ${depth})`,
      ...gradientText(outputs, "row", "k", hasRelu),
      `b = tl.load(weight + k[:, None] * ${inputs} + column[None, :], ` +
        `mask=(k < ${outputs})[:, None] & (column < ${inputs})[None, :], other=0.0)`,
      "total = tl.dot(g, b, total)",
    ]),
    `tl.store(dx + row[:, None] * ${inputs} + column[None, :], total.to(tl.bfloat16), ` +
      `mask=(row < rows)[:, None] & (column < ${inputs})[None, :])`,
  ];
}

interface WeightGradientTile {
  readonly side: number;
  readonly columns: number;
  readonly across: number;
  /** Rows of a step. */
  readonly depth: number;
}

function weightGradientText(
  { inputs, outputs }: Pick<Sizes, "inputs" | "outputs">,
  { side, columns, across, depth }: WeightGradientTile,
  hasRelu: boolean,
): string[] {
  return [
    `column = (program % ${across}) * ${columns} + tl.arange(0, ${columns})`,
    `o = (program // ${across}) * ${side} + tl.arange(0, ${side})`,
    `total = tl.zeros((${side}, ${columns}), dtype=tl.float32)`,
    `sums = tl.zeros((${depth}, ${side}), dtype=tl.float32)`,
    `for first in range(0, rows, ${depth}):`,
    ...indented([
      `k = first + tl.arange(0, ${depth})`,
      ...gradientText(outputs, "k", "o", hasRelu),
      `b = tl.load(x + k[:, None] * ${inputs} + column[None, :], ` +
        `mask=(k < rows)[:, None] & (column < ${inputs})[None, :], other=0.0)`,
      "total = tl.dot(tl.trans(g), b, total)",
      "sums += g.to(tl.float32)",
    ]),
    `tl.store(dw + o[:, None] * ${inputs} + column[None, :], total, ` +
      `mask=(o < ${outputs})[:, None] & (column < ${inputs})[None, :])`,
    `tl.store(db + o, tl.sum(sums, 0), mask=(o < ${outputs}) & (program % ${across} == 0))`,
  ];
}
