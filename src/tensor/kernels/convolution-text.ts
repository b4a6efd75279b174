/** The text of convolution kernels. All sizes but the batch are numbers in it, so that divisions by them are cheap. */
import type { ConvolutionSizes } from "../operations/convolution-host.ts";
import { elementCount, type Shape, type Tensor } from "../tensor.ts";
import type { ConvolutionPart } from "./convolution.ts";
import type { KernelText } from "./tensor-device.ts";
import { tritonName } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

/** Of a program: rows and columns of its result, and how much of the sum it takes at once. */
export interface ConvolutionTile {
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

export interface ConvolutionForm {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly c: Tensor;
  readonly tile: ConvolutionTile;
  readonly splits: number;
  readonly precision: "ieee" | "tf32";
  readonly isAligned: boolean;
}

const ROW = "[:, None]";
const COLUMN = "[None, :]";

/** `name0`, `name1` … from a position in dimensions of these sizes. */
function unravel(name: string, position: string, sizes: Shape): string[] {
  const lines: string[] = [];
  let below = elementCount(sizes);
  for (const [d, size] of sizes.entries()) {
    below /= size;
    const rest = d === 0 ? position : `(${position} % ${below * size})`;
    lines.push(`${name}${d} = ${below === 1 ? rest : `${rest} // ${below}`}`);
  }
  return lines;
}

const sum = (terms: readonly string[]): string => terms.join(" + ");

/** The channel and the place in the window of a position `k` in a sum over both. */
function channelAndWindow(sizes: ConvolutionSizes, channels: number, isChannelsLast: boolean): string[] {
  const weights = elementCount(sizes.kernel);
  return isChannelsLast
    ? [`channel = k % ${channels}`, ...unravel("w", `(k // ${channels})`, sizes.kernel)]
    : [`channel = k // ${weights}`, ...unravel("w", `(k % ${weights})`, sizes.kernel)];
}

function isLast(tensor: Tensor): boolean {
  return tensor.strides[1] === 1;
}

/** Rows are places of `of`, a tensor [batch, channels, …]; the sum is over channels and windows of `from`. */
function placesText(part: "output" | "input", sizes: ConvolutionSizes, form: ConvolutionForm): string[] {
  const { a, b, c, tile } = form;
  const { groups, inputs, outputs, input, output, kernel, stride, padding, dilation } = sizes;
  const isOutput = part === "output";
  const [own, other] = isOutput ? [output, input] : [input, output];
  // Of the tensor that is read, and of the one that is written.
  const [channels, columns] = isOutput ? [inputs, outputs] : [outputs, inputs];
  const pixels = elementCount(own);
  const depth = channels * elementCount(kernel);
  const strides = (of: Tensor, name: string, suffix: string): string[] =>
    own.map((_, d) => `${name}${d}${suffix} * ${of.strides[d + 2]}`);
  const places = own.map((_, d) => {
    const [s, p, by] = [stride[d], padding[d], dilation[d]];
    return isOutput
      ? [`at${d} = (p${d} * ${s} - ${p})${ROW} + (w${d} * ${by})${COLUMN}`]
      : [
          `at${d} = (p${d} + ${p})${ROW} - (w${d} * ${by})${COLUMN}`,
          ...(s === 1 ? [] : [`fits = fits & (at${d} % ${s} == 0)`, `at${d} = at${d} // ${s}`]),
        ];
  });
  const weightRow = isOutput
    ? `(group * ${columns} + column)${COLUMN} * ${b.strides[0]} + channel${ROW} * ${b.strides[1]}`
    : `(group * ${channels} + channel)${ROW} * ${b.strides[0]} + column${COLUMN} * ${b.strides[1]}`;
  return [
    `program = tl.program_id(0)`,
    `group = program % ${groups}`,
    `block = program // ${groups}`,
    `tiles = ${Math.ceil(columns / tile.columns)}`,
    `m = (block // tiles) * ${tile.rows} + tl.arange(0, ${tile.rows})`,
    `column = (block % tiles) * ${tile.columns} + tl.arange(0, ${tile.columns})`,
    `n = m // ${pixels}`,
    ...unravel("p", `(m % ${pixels})`, own),
    `inside = m < batch * ${pixels}`,
    `total = tl.zeros((${tile.rows}, ${tile.columns}), dtype=tl.float32)`,
    `for start in range(0, ${depth}, ${tile.depth}):`,
    ...[
      `k = start + tl.arange(0, ${tile.depth})`,
      ...channelAndWindow(sizes, channels, isLast(a)),
      `fits = inside${ROW} & (k < ${depth})${COLUMN}`,
      ...places.flat(),
      ...own.map((_, d) => `fits = fits & (at${d} >= 0) & (at${d} < ${other[d]})`),
      `x = tl.load(a + n${ROW} * ${a.strides[0]} + (group * ${channels} + channel)${COLUMN} * ${a.strides[1]} + ` +
        `${sum(own.map((_, d) => `at${d} * ${a.strides[d + 2]}`))}, mask=fits, other=0.0)`,
      `y = tl.load(b + ${weightRow} + ${sum(kernel.map((_, d) => `w${d}${ROW} * ${b.strides[d + 2]}`))}, ` +
        `mask=(k < ${depth})${ROW} & (column < ${columns})${COLUMN}, other=0.0)`,
      `total = tl.dot(x, y, total, input_precision="${form.precision}")`,
    ].map((line) => `    ${line}`),
    `out = c + n${ROW} * ${c.strides[0]} + (group * ${columns} + column)${COLUMN} * ${c.strides[1]} + ` +
      `${sum(strides(c, "p", ROW))}`,
    `tl.store(out, total.to(tl.${tritonName(c.dtype)}), mask=inside${ROW} & (column < ${columns})${COLUMN})`,
  ];
}

/** Rows are outputs, columns inputs and places of the window; the sum is over the batch and all windows. */
function weightText(sizes: ConvolutionSizes, form: ConvolutionForm): string[] {
  const { a, b, c, tile, splits } = form;
  const { groups, inputs, outputs, input, output, kernel, stride, padding, dilation } = sizes;
  const pixels = elementCount(output);
  const columns = inputs * elementCount(kernel);
  const length = outputs * groups * columns;
  // Strides of the weight, without that of the parts.
  const to = splits > 1 ? c.strides.slice(1) : c.strides;
  return [
    `program = tl.program_id(0)`,
    `group = program % ${groups}`,
    `block = program // ${groups}`,
    `part = block % ${splits}`,
    `block = block // ${splits}`,
    `tiles = ${Math.ceil(columns / tile.columns)}`,
    `row = (block // tiles) * ${tile.rows} + tl.arange(0, ${tile.rows})`,
    `column = (block % tiles) * ${tile.columns} + tl.arange(0, ${tile.columns})`,
    `k = column`,
    ...channelAndWindow(sizes, inputs, isLast(a)),
    `length = batch * ${pixels}`,
    `chunk = tl.cdiv(tl.cdiv(length, ${splits}), ${tile.depth}) * ${tile.depth}`,
    `begin = part * chunk`,
    `end = tl.minimum(begin + chunk, length)`,
    `total = tl.zeros((${tile.rows}, ${tile.columns}), dtype=tl.float32)`,
    `for start in range(begin, end, ${tile.depth}):`,
    ...[
      `m = start + tl.arange(0, ${tile.depth})`,
      `inside = m < end`,
      `n = m // ${pixels}`,
      ...unravel("p", `(m % ${pixels})`, output),
      `x = tl.load(b + n${COLUMN} * ${b.strides[0]} + (group * ${outputs} + row)${ROW} * ${b.strides[1]} + ` +
        `${sum(output.map((_, d) => `p${d}${COLUMN} * ${b.strides[d + 2]}`))}, ` +
        `mask=inside${COLUMN} & (row < ${outputs})${ROW}, other=0.0)`,
      `fits = inside${ROW} & (column < ${columns})${COLUMN}`,
      ...output.flatMap((_, d) => [
        `at${d} = (p${d} * ${stride[d]} - ${padding[d]})${ROW} + (w${d} * ${dilation[d]})${COLUMN}`,
        `fits = fits & (at${d} >= 0) & (at${d} < ${input[d]})`,
      ]),
      `y = tl.load(a + n${ROW} * ${a.strides[0]} + (group * ${inputs} + channel)${COLUMN} * ${a.strides[1]} + ` +
        `${sum(output.map((_, d) => `at${d} * ${a.strides[d + 2]}`))}, mask=fits, other=0.0)`,
      `total = tl.dot(x, y, total, input_precision="${form.precision}")`,
    ].map((line) => `    ${line}`),
    `out = c + part * ${length} + (group * ${outputs} + row)${ROW} * ${to[0]} + channel${COLUMN} * ${to[1]} + ` +
      `${sum(kernel.map((_, d) => `w${d}${COLUMN} * ${to[d + 2]}`))}`,
    `tl.store(out, total.to(tl.${tritonName(c.dtype)}), mask=(row < ${outputs})${ROW} & (column < ` +
      `${columns})${COLUMN})`,
  ];
}

export function convolutionText(part: ConvolutionPart, sizes: ConvolutionSizes, form: ConvolutionForm): KernelText {
  const lines = part === "weight" ? weightText(sizes, form) : placesText(part, sizes, form);
  const name = `convolution_${part}`;
  const pointers = [form.a, form.b, form.c].map(
    ({ dtype }) => ({ kind: "pointer", dtype, isAligned: form.isAligned }) as const,
  );
  return {
    name,
    text: tritonFunction(name, ["a", "b", "c", "batch"], lines),
    params: [...pointers, { kind: "i32", isDivisible: false }],
    numWarps: 4,
  };
}
