/** Pooling: the greatest element, or the mean, of each window. */
import { record } from "../autograd/tape.ts";
import { isFloating, newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { aliasOf, elementCount, empty, failShape, fromValues, type Shape, type Tensor } from "../tensor.ts";
import { traceable, tracerOf } from "../tracing.ts";
import { launchMaxPool, launchMeans, launchSpreads, type PoolWindows } from "../kernels/pooling.ts";
import { full } from "./creation.ts";
import { gatherElements, scatterAdd } from "./gathering.ts";
import {
  adaptiveSpans,
  adaptiveWindowing,
  forEachWindow,
  spansOf,
  windowing,
  type PoolOptions,
  type Spans,
  type Windowing,
} from "./pooling-windows.ts";
import { scatterElements } from "./scattering.ts";
import { contiguous, reshape } from "./shapes.ts";

const text = (shape: Shape): string => `[${shape.join(", ")}]`;

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
