/** Pooling: the greatest element, or the mean, of each window. */
import { record } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { aliasOf, elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { traceable, tracerOf } from "../tracing.ts";
import { launchMaxPool, launchMeans, launchSpreads, type Divisor, type PoolWindows } from "../kernels/pooling.ts";
import { full } from "./creation.ts";
import { gatherElements, scatterAdd } from "./gathering.ts";
import { scatterElements } from "./scattering.ts";
import { contiguous, reshape } from "./shapes.ts";

/** The elements of each window along one dimension, and by how many a mean divides. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly divisor: number;
}
/** For each dimension, its windows in order. */
type Spans = readonly (readonly Span[])[];

/** Spans, and the windows of one size that they are, if they are. */
interface Windowing {
  readonly spans: Spans;
  readonly windows: PoolWindows | null;
  readonly divisor: Divisor;
}

export interface PoolOptions {
  readonly kernel: Shape;
  readonly stride: Shape;
  readonly padding: Shape;
  readonly dilation: Shape;
  readonly ceilMode: boolean;
}

const text = (shape: Shape): string => `[${shape.join(", ")}]`;

/** How many windows there are; with `ceilMode` a window may end beside the input, but begins in it or left of it. */
function countOf(size: number, d: number, { kernel, stride, padding, dilation, ceilMode }: PoolOptions): number {
  const [step, margin] = [stride[d] as number, padding[d] as number];
  const reach = (dilation[d] as number) * ((kernel[d] as number) - 1) + 1;
  const rest = size + 2 * margin - reach;
  let count = Math.floor((rest + (ceilMode ? step - 1 : 0)) / step) + 1;
  if (ceilMode && (count - 1) * step >= size + margin) count--;
  return count;
}

/** @param countsPadding a mean divides by the elements of the margin, too */
function spansOf(what: string, sizes: Shape, options: PoolOptions, countsPadding: boolean): Spans {
  const { kernel, stride, padding, dilation } = options;
  if (stride.some((value) => value <= 0)) failShape("stride should not be zero");
  if (kernel.some((value) => value <= 0)) failShape("kernel size should be greater than zero");
  if (dilation.some((value) => value <= 0))
    failShape(`dilation should be greater than zero, but got dilation: ${text(dilation)}`);
  const counts = sizes.map((size, d) => countOf(size, d, options));
  for (const [d, margin] of padding.entries()) {
    if (margin < 0) failShape(`pad must be non-negative, but got pad: ${margin}`);
    if (margin > Math.floor(((kernel[d] as number) - 1) * (dilation[d] as number) + 1) / 2)
      failShape(
        `pad should be at most half of effective kernel size, but got pad=${margin}, kernel_size=${kernel[d]} and ` +
          `dilation=${dilation[d]}`,
      );
  }
  if (counts.some((count) => count <= 0))
    failShape(
      `${what}: Given input size: (${sizes.join("x")}). Calculated output size: (${counts.join("x")}). ` +
        `Output size is too small`,
    );
  return counts.map((count, d) => {
    const [size, k, step, margin, by] = [sizes, kernel, stride, padding, dilation].map((own) => own[d] as number) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return Array.from({ length: count }, (_, i) => {
      const first = i * step - margin;
      const last = Math.min(first + k, size + margin);
      const start = first < 0 ? first + by * Math.ceil(-first / by) : first;
      const end = Math.min(first + (k - 1) * by + 1, size);
      return { start, end, step: by, divisor: countsPadding ? last - first : Math.max(0, Math.min(end, size) - start) };
    });
  });
}

/** Windows that cut each dimension into so many parts. */
function adaptiveSpans(sizes: Shape, counts: Shape): Spans {
  return counts.map((count, d) => {
    const size = sizes[d] as number;
    if (count < 0) failShape(`elements of output_size must be greater than or equal to 0 but received ${count}`);
    return Array.from({ length: count }, (_, i) => {
      const [start, end] = [Math.floor((i * size) / count), Math.ceil(((i + 1) * size) / count)];
      return { start, end, step: 1, divisor: end - start };
    });
  });
}

/** Calls `visit` for each window with the places of its elements in a channel, and their number. */
function forEachWindow(
  spans: Spans,
  sizes: Shape,
  visit: (window: number, places: Int32Array, count: number, divisor: number) => void,
): void {
  const most = spans.reduce((product, own) => product * Math.max(1, ...own.map(({ start, end }) => end - start)), 1);
  const places = new Int32Array(most);
  const index = spans.map(() => 0);
  const total = elementCount(spans.map(({ length }) => length));
  for (let window = 0; window < total; window++) {
    let [count, divisor] = [1, 1];
    places[0] = 0;
    for (const [d, own] of spans.entries()) {
      const { start, end, step, divisor: by } = own[index[d] as number] as Span;
      const size = sizes[d] as number;
      const length = Math.max(0, Math.ceil((end - start) / step));
      // From the last one on, so that none is overwritten before it is used.
      for (let p = count - 1; p >= 0; p--) {
        const base = (places[p] as number) * size;
        for (let i = length - 1; i >= 0; i--) places[p * length + i] = base + start + i * step;
      }
      count *= length;
      divisor *= by;
    }
    visit(window, places, count, divisor);
    for (let d = spans.length - 1; d >= 0; d--) {
      const next = (index[d] as number) + 1;
      index[d] = next < (spans[d] as readonly Span[]).length ? next : 0;
      if (next < (spans[d] as readonly Span[]).length) break;
    }
  }
}

function windowing(spans: Spans, options: PoolOptions, divisor: Divisor): Windowing {
  const { kernel, stride, padding, dilation } = options;
  return { spans, divisor, windows: { kernel, stride, padding, dilation, counts: spans.map(({ length }) => length) } };
}

/** Parts of equal sizes are windows without gaps. */
function adaptiveWindowing(spans: Spans, sizes: Shape): Windowing {
  const counts = spans.map(({ length }) => length);
  if (counts.some((count, d) => count === 0 || (sizes[d] as number) % count !== 0))
    return { spans, divisor: "elements", windows: null };
  const kernel = counts.map((count, d) => (sizes[d] as number) / count);
  const [padding, dilation] = [counts.map(() => 0), counts.map(() => 1)];
  return { spans, divisor: "elements", windows: { kernel, stride: kernel, padding, dilation, counts } };
}

function checkInput(what: string, tensor: Tensor, dims: number): void {
  const [least, most] = [dims + 1, dims + 2];
  if (tensor.rank !== least && tensor.rank !== most)
    failShape(
      `${what}: Expected ${least}D or ${most}D (batch mode) tensor with optional 0 dim batch size for ` +
        `input, but got: ${text(tensor.shape)}`,
    );
  if (tensor.shape.slice(-dims - 1).some((size) => size === 0))
    failShape(
      `${what}: Expected input to have non-zero size for non-batch dimensions, but input has sizes ` +
        `${text(tensor.shape)}`,
    );
}

interface Maxima {
  readonly values: Tensor;
  /** Where they are among the elements of their channel. */
  readonly indices: Tensor;
}

function greatest(tensor: Tensor, windowed: Windowing): Maxima {
  const { spans, windows: uniform } = windowed;
  if (tracerOf(tensor.place) !== null && tensor.length > 0) return tracedMaxima(tensor, windowed);
  const own = aliasOf(tensor);
  const found = uniform === null ? null : launchMaxPool(own, uniform);
  if (found !== null) return { values: onTape(tensor, found, spans.length), indices: found.indices };
  const dims = spans.length;
  const outer = tensor.shape.slice(0, -dims);
  const sizes = tensor.shape.slice(-dims);
  const [channels, size] = [elementCount(outer), elementCount(sizes)];
  const counts = spans.map(({ length }) => length);
  const windows = elementCount(counts);
  const from = aliasOf(tensor).values();
  const at = newValues("int64", channels * windows);
  forEachWindow(spans, sizes, (window, places, count) => {
    for (let c = 0; c < channels; c++) {
      let best = places[0] as number;
      let most = -Infinity;
      for (let p = 0; p < count; p++) {
        const value = from[c * size + (places[p] as number)] as number;
        if (value > most || value !== value) [most, best] = [value, places[p] as number];
      }
      at[c * windows + window] = best;
    }
  });
  const flat = fromValues(at, [...outer, windows], "int64", tensor.place);
  const values = gatherElements(reshape(tensor, [...outer, size]), -1, flat);
  const shape = [...outer, ...counts];
  return { values: reshape(values, shape), indices: reshape(flat, shape) };
}

/** Where the maxima are, by a kernel or the host, and what is there. */
function tracedMaxima(tensor: Tensor, windowed: Windowing): Maxima {
  const dims = windowed.spans.length;
  const outer = tensor.shape.slice(0, -dims);
  const shape = [...outer, ...windowed.spans.map(({ length }) => length)];
  const indices = traceable(
    "max_pool",
    [tensor],
    () => empty(shape, "int64", tensor.place),
    ([own]) => contiguous(greatest(own as Tensor, windowed).indices),
  );
  const flat = (of: Tensor): Tensor => reshape(of, [...outer, elementCount(of.shape.slice(-dims))]);
  const values = gatherElements(flat(tensor), -1, flat(indices));
  return { values: reshape(values, shape), indices };
}

export function maxPool(tensor: Tensor, options: PoolOptions): Maxima {
  const dims = options.kernel.length;
  checkInput(`max_pool${dims}d`, tensor, dims);
  const spans = spansOf(`max_pool${dims}d`, tensor.shape.slice(-dims), options, false);
  return greatest(tensor, windowing(spans, options, "elements"));
}

export function adaptiveMaxPool(tensor: Tensor, counts: Shape): Maxima {
  checkInput(`adaptive_max_pool${counts.length}d`, tensor, counts.length);
  const sizes = tensor.shape.slice(-counts.length);
  return greatest(tensor, adaptiveWindowing(adaptiveSpans(sizes, counts), sizes));
}

/** The maxima as elements of the tensor, whose gradients go back to their places. */
function onTape(tensor: Tensor, { values, indices }: Maxima, dims: number): Tensor {
  const { shape, dtype, place } = tensor;
  const outer = shape.slice(0, -dims);
  const flat = (of: Tensor): Tensor => reshape(of, [...outer, elementCount(of.shape.slice(-dims))]);
  return record(
    "MaxPoolBackward0",
    values,
    [tensor],
    (gradient) => {
      const zeros = full([...outer, elementCount(shape.slice(-dims))], 0, dtype, place);
      return [reshape(scatterAdd(zeros, -1, flat(indices), flat(gradient)), shape)];
    },
    [indices],
  );
}

type MeanLoop = (
  from: Values,
  to: Values,
  channels: number,
  spans: Spans,
  sizes: Shape,
  divisor: number | null,
) => void;

const means: MeanLoop = (from, to, channels, spans, sizes, own) => {
  const [size, windows] = [elementCount(sizes), elementCount(spans.map(({ length }) => length))];
  forEachWindow(spans, sizes, (window, places, count, divisor) => {
    for (let c = 0; c < channels; c++) {
      let sum = 0;
      for (let p = 0; p < count; p++) sum += from[c * size + (places[p] as number)] as number;
      to[c * windows + window] = count === 0 ? 0 : sum / (own ?? divisor);
    }
  });
};
const spreads: MeanLoop = (from, to, channels, spans, sizes, own) => {
  const [size, windows] = [elementCount(sizes), elementCount(spans.map(({ length }) => length))];
  forEachWindow(spans, sizes, (window, places, count, divisor) => {
    for (let c = 0; c < channels; c++) {
      const part = (from[c * windows + window] as number) / (own ?? divisor);
      for (let p = 0; p < count; p++) {
        const at = c * size + (places[p] as number);
        to[at] = (to[at] as number) + part;
      }
    }
  });
};

function meanOf(tensor: Tensor, own: Windowing, sizes: Shape, isSpread: boolean): Tensor {
  const { spans, windows, divisor } = own;
  const outer = tensor.shape.slice(0, -spans.length);
  const shape = [...outer, ...(isSpread ? sizes : spans.map(({ length }) => length))];
  const byKernel = (given: Tensor, uniform: PoolWindows): Tensor | null =>
    isSpread ? launchSpreads(given, uniform, sizes, divisor) : launchMeans(given, uniform, divisor);
  const onHost = (given: Tensor): Tensor => {
    const isSmall = isFloating(tensor.dtype) && tensor.dtype !== "float64";
    const wide: TensorDtype = isSmall ? "float32" : "float64";
    const values = newValues(wide, elementCount(shape));
    const by = typeof divisor === "number" ? divisor : null;
    (isSpread ? spreads : means)(given.values(), values, elementCount(outer), spans, sizes, by);
    return fromValues(values, shape, given.dtype, given.place);
  };
  const result = traceable(
    "avg_pool",
    [tensor],
    () => empty(shape, tensor.dtype, tensor.place),
    ([given]) => (windows === null ? null : byKernel(given as Tensor, windows)) ?? onHost(given as Tensor),
  );
  return record("AvgPoolBackward0", result, [tensor], (gradient) => [meanOf(gradient, own, sizes, !isSpread)]);
}

export function averagePool(
  tensor: Tensor,
  options: PoolOptions,
  { countsPadding, divisor }: { readonly countsPadding: boolean; readonly divisor: number | null },
): Tensor {
  const dims = options.kernel.length;
  checkInput(`avg_pool${dims}d`, tensor, dims);
  if (divisor === 0) failShape("divisor must be not zero");
  const sizes = tensor.shape.slice(-dims);
  const spans = spansOf(`avg_pool${dims}d`, sizes, options, countsPadding);
  return meanOf(tensor, windowing(spans, options, divisor ?? (countsPadding ? "padded" : "elements")), sizes, false);
}

export function adaptiveAveragePool(tensor: Tensor, counts: Shape): Tensor {
  const dims = counts.length;
  checkInput(`adaptive_avg_pool${dims}d`, tensor, dims);
  if (!isFloating(tensor.dtype)) failShape(`"adaptive_avg_pool${dims}d" not implemented for '${tensor.dtype}'`);
  const sizes = tensor.shape.slice(-dims);
  return meanOf(tensor, adaptiveWindowing(adaptiveSpans(sizes, counts), sizes), sizes, false);
}

/** Puts the elements of a pooled tensor back at their indices; the rest is 0. */
export function maxUnpool(tensor: Tensor, indices: Tensor, sizes: Shape): Tensor {
  const outer = tensor.shape.slice(0, -sizes.length);
  const flat = [...outer, elementCount(tensor.shape.slice(-sizes.length))];
  const zeros = fromValues(
    newValues(tensor.dtype, elementCount([...outer, ...sizes])),
    [...outer, elementCount(sizes)],
    tensor.dtype,
    tensor.place,
  );
  const filled = scatterElements(zeros, -1, reshape(indices, flat), reshape(tensor, flat));
  return reshape(filled, [...outer, ...sizes]);
}
