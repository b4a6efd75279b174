/** The windows of a pooling: which elements each has. */
import type { Divisor, PoolWindows } from "../kernels/pooling.ts";
import { elementCount, failShape, type Shape } from "../tensor.ts";

/** The elements of each window along one dimension, and by how many a mean divides. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly divisor: number;
}
/** For each dimension, its windows in order. */
export type Spans = readonly (readonly Span[])[];

/** Spans, and the windows of one size that they are, if they are. */
export interface Windowing {
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
export function spansOf(what: string, sizes: Shape, options: PoolOptions, countsPadding: boolean): Spans {
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
export function adaptiveSpans(sizes: Shape, counts: Shape): Spans {
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
export function forEachWindow(
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

export function windowing(spans: Spans, options: PoolOptions, divisor: Divisor): Windowing {
  const { kernel, stride, padding, dilation } = options;
  return { spans, divisor, windows: { kernel, stride, padding, dilation, counts: spans.map(({ length }) => length) } };
}

/** Parts of equal sizes are windows without gaps. */
export function adaptiveWindowing(spans: Spans, sizes: Shape): Windowing {
  const counts = spans.map(({ length }) => length);
  if (counts.some((count, d) => count === 0 || (sizes[d] as number) % count !== 0))
    return { spans, divisor: "elements", windows: null };
  const kernel = counts.map((count, d) => (sizes[d] as number) / count);
  const [padding, dilation] = [counts.map(() => 0), counts.map(() => 1)];
  return { spans, divisor: "elements", windows: { kernel, stride: kernel, padding, dilation, counts } };
}
