/**
 * Convolutions over one to three dimensions. Three functions are each other's gradients: the convolution, its
 * transpose (the gradient of the input), and the gradient of the weight.
 */
import { record } from "../autograd/tape.ts";
import { traceable } from "../tracing.ts";
import { elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import {
  columnsOf,
  convolve,
  convolveBack,
  convolveWeights,
  fromColumns,
  type ConvolutionSizes,
  type Windows,
} from "./convolution-host.ts";
import { launchConvolution, type ConvolutionPart } from "../kernels/convolution.ts";
import { productOperand } from "../autograd/autocast.ts";
import { binary, cast } from "./elementwise.ts";
import { constantPad } from "./padding.ts";
import { reshape, squeeze, unsqueeze } from "./shapes.ts";

export interface ConvolutionOptions {
  readonly stride: Shape;
  readonly padding: Shape;
  readonly dilation: Shape;
  readonly groups: number;
}

const text = (shape: Shape): string => `[${shape.join(", ")}]`;

/** How many windows fit. */
export function windowCount(size: number, d: number, { kernel, stride, padding, dilation }: Windows): number {
  const reach = (dilation[d] as number) * ((kernel[d] as number) - 1) + 1;
  return Math.floor((size + 2 * (padding[d] as number) - reach) / (stride[d] as number)) + 1;
}

function sizesOf(input: Shape, weight: Shape, output: Shape, options: ConvolutionOptions): ConvolutionSizes {
  const { groups } = options;
  return {
    batch: input[0] as number,
    groups,
    inputs: weight[1] as number,
    outputs: (weight[0] as number) / groups,
    input: input.slice(2),
    output: output.slice(2),
    kernel: weight.slice(2),
    stride: options.stride,
    padding: options.padding,
    dilation: options.dilation,
  };
}

type HostLoop = typeof convolve;

/** By a kernel, or on the host. */
function computed(
  part: ConvolutionPart,
  loop: HostLoop,
  sizes: ConvolutionSizes,
  [a, b]: readonly [Tensor, Tensor],
  shape: Shape,
): Tensor {
  const operands = [a, b].map((tensor) => tensor.asStrided(tensor.shape, tensor.strides)) as [Tensor, Tensor];
  return traceable(
    "convolution",
    operands,
    () => empty(shape, a.dtype, a.place),
    (given) => {
      const [x, y] = given as [Tensor, Tensor];
      const result = launchConvolution(part, sizes, x, y, shape);
      return result ?? fromValues(loop(sizes, x.values(), y.values(), x.dtype), shape, x.dtype, x.place);
    },
  );
}

/** @param x [batch, channels, …] @param weight [outputs, channels / groups, …] */
function forward(x: Tensor, weight: Tensor, options: ConvolutionOptions, output: Shape | null = null): Tensor {
  const windows = { ...options, kernel: weight.shape.slice(2) };
  // The gradient of a transposed convolution has the size of its input, though another window may fit.
  const shape = output ?? [
    x.shape[0] as number,
    weight.shape[0] as number,
    ...x.shape.slice(2).map((size, d) => windowCount(size, d, windows)),
  ];
  const sizes = sizesOf(x.shape, weight.shape, shape, options);
  const result = computed("output", convolve, sizes, [x, weight], shape);
  const [input, weights] = [x.shape, weight.shape];
  const [forX, forWeight] = [x.requiresGradient, weight.requiresGradient];
  return record(
    "ConvolutionBackward0",
    result,
    [x, weight],
    (gradient) => [
      forX ? backward(gradient, weight, input, options) : null,
      forWeight ? ofWeight(x, gradient, weights, options) : null,
    ],
    [...(forWeight ? [x] : []), ...(forX ? [weight] : [])],
  );
}

/** The gradient of an input of this shape; also the transposed convolution. */
function backward(gradient: Tensor, weight: Tensor, input: Shape, options: ConvolutionOptions): Tensor {
  const sizes = sizesOf(input, weight.shape, gradient.shape, options);
  const result = computed("input", convolveBack, sizes, [gradient, weight], input);
  const weights = weight.shape;
  const output = gradient.shape;
  const [forGradient, forWeight] = [gradient.requiresGradient, weight.requiresGradient];
  return record(
    "ConvolutionBackward0",
    result,
    [gradient, weight],
    (second) => [
      forGradient ? forward(second, weight, options, output) : null,
      forWeight ? ofWeight(second, gradient, weights, options) : null,
    ],
    [...(forWeight ? [gradient] : []), ...(forGradient ? [weight] : [])],
  );
}

function ofWeight(x: Tensor, gradient: Tensor, weights: Shape, options: ConvolutionOptions): Tensor {
  const sizes = sizesOf(x.shape, weights, gradient.shape, options);
  const result = computed("weight", convolveWeights, sizes, [x, gradient], weights);
  const input = x.shape;
  const output = gradient.shape;
  const [forX, forGradient] = [x.requiresGradient, gradient.requiresGradient];
  return record(
    "ConvolutionBackward0",
    result,
    [x, gradient],
    (second) => [
      forX ? backward(gradient, second, input, options) : null,
      forGradient ? forward(x, second, options, output) : null,
    ],
    [...(forX ? [gradient] : []), ...(forGradient ? [x] : [])],
  );
}

function check(what: string, x: Tensor, weight: Tensor, bias: Tensor | null, dims: number): void {
  if (x.rank !== dims + 2 && x.rank !== dims + 1)
    failShape(
      `Expected ${dims + 1}D (unbatched) or ${dims + 2}D (batched) input to ${what}, but got input of size: ` +
        `${text(x.shape)}`,
    );
  if (weight.rank !== dims + 2)
    failShape(
      `expected a ${dims + 2}-dimensional weight for a ${dims + 2}-dimensional input, but got a ` +
        `${weight.rank}-dimensional input of size ${text(weight.shape)} instead`,
    );
  for (const [name, other] of [["weight", weight] as const, ["bias", bias] as const])
    if (other !== null && other.dtype !== x.dtype)
      failShape(`Input type (${x.dtype}) and ${name} type (${other.dtype}) should be the same`);
}

function checkOptions({ stride, padding, dilation, groups }: ConvolutionOptions, weight: Tensor): void {
  if (groups < 1 || !Number.isInteger(groups)) failShape("non-positive groups is not supported");
  if (stride.some((value) => value <= 0)) failShape("non-positive stride is not supported");
  if (padding.some((value) => value < 0)) failShape("negative padding is not supported");
  if (dilation.some((value) => value <= 0)) failShape("dilation should be greater than zero");
  if ((weight.shape[0] as number) < groups)
    failShape(
      `Given groups=${groups}, expected weight to be at least ${groups} at dimension 0, but got weight of size ` +
        `${text(weight.shape)} instead`,
    );
  if ((weight.shape[0] as number) % groups !== 0)
    failShape(
      `Given groups=${groups}, expected weight to be divisible by ${groups} at dimension 0, but got weight of size ` +
        `${text(weight.shape)} instead`,
    );
}

function withBias(result: Tensor, bias: Tensor | null, dims: number): Tensor {
  if (bias === null) return result;
  const channels = result.shape[1] as number;
  if (bias.rank !== 1 || bias.shape[0] !== channels)
    failShape(`expected bias to be 1-dimensional with ${channels} elements, but got bias of size ${text(bias.shape)}`);
  return binary("add", result, reshape(bias, [channels, ...Array.from({ length: dims }, () => 1)]));
}

const byX = (sizes: Shape): string => sizes.join(" x ");

/** @param padding "same" pads so that the output is as large as the input, for a stride of 1. */
export function convolution(
  input: Tensor,
  filters: Tensor,
  added: Tensor | null,
  options: Omit<ConvolutionOptions, "padding"> & { readonly padding: Shape | "same" | "valid" },
): Tensor {
  const [x, weight] = [productOperand(input, cast), productOperand(filters, cast)];
  const bias = added === null ? null : productOperand(added, cast);
  const dims = options.stride.length;
  check(`conv${dims}d`, x, weight, bias, dims);
  if (x.rank === dims + 1) return squeeze(convolution(unsqueeze(x, 0), weight, bias, options), [0]);
  const kernel = weight.shape.slice(2);
  const { stride, dilation, groups } = options;
  let { padding } = options;
  let own = x;
  if (padding === "valid") padding = kernel.map(() => 0);
  if (padding === "same") {
    if (stride.some((value) => value !== 1)) failShape("padding='same' is not supported for strided convolutions");
    const total = kernel.map((size, d) => (dilation[d] as number) * (size - 1));
    padding = total.map((size) => Math.floor(size / 2));
    if (total.some((size) => size % 2 === 1))
      own = constantPad(
        x,
        total.toReversed().flatMap((size) => [0, size % 2]),
        0,
      );
  }
  const complete = { stride, padding, dilation, groups };
  checkOptions(complete, weight);
  const expected = (weight.shape[1] as number) * groups;
  if (own.shape[1] !== expected)
    failShape(
      `Given groups=${groups}, weight of size ${text(weight.shape)}, expected input${text(x.shape)} to have ` +
        `${expected} channels, but got ${x.shape[1]} channels instead`,
    );
  const padded = own.shape.slice(2).map((size, d) => size + 2 * (padding[d] as number));
  const reach = kernel.map((size, d) => (dilation[d] as number) * (size - 1) + 1);
  if (padded.some((size, d) => size < (reach[d] as number)))
    failShape(
      `Calculated padded input size per channel: (${byX(padded)}). Kernel size: (${byX(kernel)}). Kernel size can't ` +
        "be greater than actual input size",
    );
  return withBias(forward(own, weight, complete), bias, dims);
}

/** @param weight [channels, outputs / groups, …] */
export function transposedConvolution(
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  options: ConvolutionOptions & { readonly outputPadding: Shape },
): Tensor {
  const { stride, padding, dilation, groups, outputPadding } = options;
  const dims = stride.length;
  check(`conv_transpose${dims}d`, x, weight, bias, dims);
  if (x.rank === dims + 1) return squeeze(transposedConvolution(unsqueeze(x, 0), weight, bias, options), [0]);
  checkOptions(options, weight);
  if (x.shape[1] !== weight.shape[0])
    failShape(
      `Given transposed=1, weight of size ${text(weight.shape)}, expected input${text(x.shape)} to have ` +
        `${weight.shape[0]} channels, but got ${x.shape[1]} channels instead`,
    );
  if (outputPadding.some((own, d) => own < 0 || (own >= (stride[d] as number) && own >= (dilation[d] as number))))
    failShape("output padding must be smaller than either stride or dilation");
  const sizes = x.shape.slice(2).map((size, d) => {
    const reach = (dilation[d] as number) * ((weight.shape[d + 2] as number) - 1);
    return (size - 1) * (stride[d] as number) - 2 * (padding[d] as number) + reach + (outputPadding[d] as number) + 1;
  });
  if (sizes.some((size) => size <= 0))
    failShape(
      `Given input size per channel: (${byX(x.shape.slice(2))}). Calculated output size per channel: ` +
        `(${byX(sizes)}). Output size is too small`,
    );
  const shape = [x.shape[0] as number, (weight.shape[1] as number) * groups, ...sizes];
  return withBias(backward(x, weight, shape, { stride, padding, dilation, groups }), bias, dims);
}

/** The input under each window as a column: [batch, channels · kernel, windows]. Its transpose adds them up. */
export function windowColumns(x: Tensor, windows: Windows): Tensor {
  if (x.rank === windows.kernel.length + 1) return squeeze(windowColumns(unsqueeze(x, 0), windows), [0]);
  const output = x.shape.slice(2).map((size, d) => windowCount(size, d, windows));
  if (x.rank !== windows.kernel.length + 2 || output.some((size) => size <= 0))
    failShape(
      `Expected 3D or 4D (batch mode) tensor that a window of size ${text(windows.kernel)} fits into, but ` +
        `got ${text(x.shape)}`,
    );
  const sizes = columnSizes(x.shape, output, windows);
  const shape = [x.shape[0] as number, (x.shape[1] as number) * elementCount(windows.kernel), elementCount(output)];
  const result = fromValues(columnsOf(sizes, x.values(), x.dtype), shape, x.dtype, x.place);
  const input = x.shape.slice(2);
  return record("Im2ColBackward0", result, [x], (gradient) => [foldColumns(gradient, input, windows)]);
}

function columnSizes(shape: Shape, output: Shape, windows: Windows): ConvolutionSizes {
  return {
    ...windows,
    batch: shape[0] as number,
    groups: 1,
    inputs: shape[1] as number,
    outputs: 1,
    input: shape.slice(2),
    output,
  };
}

/** Adds up the columns of windows: the transpose of `windowColumns`. */
export function foldColumns(columns: Tensor, input: Shape, windows: Windows): Tensor {
  if (columns.rank === 2) return squeeze(foldColumns(unsqueeze(columns, 0), input, windows), [0]);
  const output = input.map((size, d) => windowCount(size, d, windows));
  const weights = elementCount(windows.kernel);
  const [batch, rows, count] = columns.shape as [number, number, number];
  if (columns.rank !== 3 || rows % weights !== 0 || count !== elementCount(output))
    failShape(
      `Given output_size=${text(input)} and kernel_size=${text(windows.kernel)}, expected the size of input's ` +
        `dimension 1 to be a multiple of ${weights} and its dimension 2 to be ${elementCount(output)}, but ` +
        `got ${text(columns.shape)}`,
    );
  const shape = [batch, rows / weights, ...input];
  const sizes = columnSizes(shape, output, windows);
  const result = fromValues(fromColumns(sizes, columns.values(), columns.dtype), shape, columns.dtype, columns.place);
  return record("Col2ImBackward0", result, [columns], (gradient) => [windowColumns(gradient, windows)]);
}
