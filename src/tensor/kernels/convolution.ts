/**
 * Convolutions by kernels: implicit matrix products. The matrix that im2col would write is read from the images in
 * place, for the output as for both gradients.
 */
import type { ConvolutionSizes } from "../operations/convolution-host.ts";
import type { Shape, Tensor } from "../tensor.ts";
import { copyOfDense } from "./dense.ts";
import { float32Precision, launchProduct, type ProductText } from "./products.ts";
import { kernelsFor } from "./tensor-device.ts";

/** What is computed of the other two. */
export type ConvolutionPart = "output" | "input" | "weight";

const TYPES: ReadonlySet<string> = new Set(["float32", "float16", "bfloat16"]);
/** Offsets are 32-bit numbers. */
const MOST_ELEMENTS = 2 ** 31;

const names = ["d", "h", "w"] as const;
const product = (sizes: Shape): number => sizes.reduce((all, size) => all * size, 1);

/** Null: the host does it. */
export function launchConvolution(
  part: ConvolutionPart,
  sizes: ConvolutionSizes,
  a: Tensor,
  b: Tensor,
  shape: Shape,
): Tensor | null {
  const count = product(shape);
  const device = kernelsFor(a.place, Math.max(count, a.length, b.length));
  if (device === null || count === 0 || a.length === 0 || b.length === 0) return null;
  if (!TYPES.has(a.dtype) || a.dtype !== b.dtype || Math.max(count, a.length, b.length) >= MOST_ELEMENTS) return null;
  const text = { output: outputText, input: inputText, weight: weightText }[part](sizes);
  // A device that checks results against the host's computes as the host does.
  const precision = device.leastElements > 0 ? "ieee" : float32Precision.convolutions;
  return launchProduct(device, { ...text, precision }, [copyOfDense(a), copyOfDense(b)], shape);
}

type Text = Omit<ProductText, "precision">;

/** `index` as one index for each dimension of `sizes`, named by `prefix`. */
function split(index: string, prefix: string, sizes: readonly string[]): string[] {
  const lines: string[] = [];
  let rest = index;
  for (let d = sizes.length - 1; d > 0; d--) {
    lines.push(`${prefix}${d} = ${rest} % ${sizes[d]}`);
    lines.push(`${prefix}_rest${d} = ${rest} // ${sizes[d]}`);
    rest = `${prefix}_rest${d}`;
  }
  lines.push(`${prefix}0 = ${rest}`);
  return lines;
}

interface Named {
  readonly dims: number;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly kernel: Shape;
  readonly weights: number;
}

function named({ input, output, kernel, inputs, outputs, groups }: ConvolutionSizes): Named {
  const dims = kernel.length;
  const own = names.slice(3 - dims);
  const of = (prefix: string, sizes: Shape): [string, number][] =>
    own.map((name, d) => [`${prefix}_${name}`, sizes[d] as number]);
  return {
    dims,
    input: own.map((name) => `input_${name}`),
    output: own.map((name) => `output_${name}`),
    numbers: {
      ...Object.fromEntries([...of("input", input), ...of("output", output)]),
      inputs,
      outputs,
      groups,
      input_size: product(input),
      output_size: product(output),
    },
    kernel,
    weights: product(kernel),
  };
}

const keyOf = ({ kernel, stride, padding, dilation }: ConvolutionSizes): string =>
  [kernel, stride, padding, dilation].map((own) => own.join("x")).join(" ");

/** The place in a channel of the input under weight `w…` of window `o…`, and whether it is inside. */
function inputPlace(n: Named, { stride, padding, dilation }: ConvolutionSizes, o: string, w: string): string[] {
  const lines: string[] = [];
  for (let d = 0; d < n.dims; d++)
    lines.push(`i${d} = ${o}${d} * ${stride[d]} + ${w}${d} * ${dilation[d]} - ${padding[d]}`);
  const inside = Array.from({ length: n.dims }, (_, d) => `(i${d} >= 0) & (i${d} < ${n.input[d]})`).join(" & ");
  return [...lines, `inside = ${inside}`, `place = ${horner("i", n.input)}`];
}

function horner(prefix: string, sizes: readonly string[]): string {
  let text = `${prefix}0`;
  for (let d = 1; d < sizes.length; d++) text = `(${text}) * ${sizes[d]} + ${prefix}${d}`;
  return text;
}

/** Rows: windows of all images. Columns: outputs. */
function outputText(sizes: ConvolutionSizes): Text {
  const n = named(sizes);
  const kernels = sizes.kernel.map(String);
  return {
    key: keyOf(sizes),
    name: "convolution",
    stacks: sizes.groups,
    rows: sizes.batch * product(sizes.output),
    columns: sizes.outputs,
    inner: sizes.inputs * n.weights,
    numbers: n.numbers,
    before: [
      "image = row // output_size",
      ...split("(row % output_size)", "o", n.output),
      "images = a + (image * groups + stack) * inputs * input_size",
      "filters = b + (stack * outputs + column) * inner",
    ],
    loads: [
      `channel = k // ${n.weights}`,
      ...split(`(k % ${n.weights})`, "w", kernels),
      ...inputPlace(n, sizes, "o", "w"),
      "x = tl.load(images + channel * input_size + place, mask=inside & (row < rows) & (k < end), other=0.0)",
      "y = tl.load(filters + k_, mask=(k_ < end) & (column < columns), other=0.0)",
    ],
    place: "(image * groups + stack) * outputs * output_size + column * output_size + row % output_size",
  };
}

/** Rows: elements of all images. Columns: channels. */
function inputText(sizes: ConvolutionSizes): Text {
  const n = named(sizes);
  const { stride, padding, dilation } = sizes;
  const kernels = sizes.kernel.map(String);
  const windows: string[] = [];
  const inside: string[] = [];
  for (let d = 0; d < n.dims; d++) {
    windows.push(`reach${d} = i${d} + ${padding[d]} - w${d} * ${dilation[d]}`);
    windows.push(`o${d} = reach${d} // ${stride[d]}`);
    const isWhole = stride[d] === 1 ? "" : ` & (reach${d} % ${stride[d]} == 0)`;
    inside.push(`(reach${d} >= 0) & (o${d} < ${n.output[d]})${isWhole}`);
  }
  return {
    key: keyOf(sizes),
    name: "convolution_input",
    stacks: sizes.groups,
    rows: sizes.batch * product(sizes.input),
    columns: sizes.inputs,
    inner: sizes.outputs * n.weights,
    numbers: n.numbers,
    before: [
      "image = row // input_size",
      ...split("(row % input_size)", "i", n.input),
      "gradients = a + (image * groups + stack) * outputs * output_size",
      `filters = b + stack * outputs * inputs * ${n.weights} + column * ${n.weights}`,
    ],
    loads: [
      `channel = k // ${n.weights}`,
      ...split(`(k % ${n.weights})`, "w", kernels),
      ...windows,
      `inside = ${inside.join(" & ")}`,
      `place = ${horner("o", n.output)}`,
      "x = tl.load(gradients + channel * output_size + place, mask=inside & (row < rows) & (k < end), other=0.0)",
      `weight = (k_ // ${n.weights}) * inputs * ${n.weights} + k_ % ${n.weights}`,
      "y = tl.load(filters + weight, mask=(k_ < end) & (column < columns), other=0.0)",
    ],
    place: "(image * groups + stack) * inputs * input_size + column * input_size + row % input_size",
  };
}

/** Rows: outputs. Columns: weights of an output. The inner dimension: windows of all images. */
function weightText(sizes: ConvolutionSizes): Text {
  const n = named(sizes);
  const kernels = sizes.kernel.map(String);
  return {
    key: keyOf(sizes),
    name: "convolution_weight",
    stacks: sizes.groups,
    rows: sizes.outputs,
    columns: sizes.inputs * n.weights,
    inner: sizes.batch * product(sizes.output),
    numbers: n.numbers,
    before: [
      `channel = column // ${n.weights}`,
      ...split(`(column % ${n.weights})`, "w", kernels),
      "images = a + (stack * inputs + channel) * input_size",
      "gradients = b + (stack * outputs + row) * output_size",
    ],
    loads: [
      "image = k // output_size",
      "x = tl.load(gradients + image * groups * outputs * output_size + k % output_size, " +
        "mask=(row < rows) & (k < end), other=0.0)",
      "image_ = k_ // output_size",
      ...split("(k_ % output_size)", "o", n.output),
      ...inputPlace(n, sizes, "o", "w"),
      "y = tl.load(images + image_ * groups * inputs * input_size + place, " +
        "mask=inside & (k_ < end) & (column < columns), other=0.0)",
    ],
    place: "(stack * outputs + row) * columns + column",
  };
}
