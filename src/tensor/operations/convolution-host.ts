/** Loops of convolutions on the host: the input under each weight as columns of a matrix, and matrix products. */
import { newValues, type TensorDtype, type Values } from "../dtypes.ts";
import { elementCount, type Shape } from "../tensor.ts";
import { multiply } from "./matmul.ts";

/** How a window moves over the input: one number for each of the dimensions behind batch and channels. */
export interface Windows {
  readonly kernel: Shape;
  readonly stride: Shape;
  readonly padding: Shape;
  readonly dilation: Shape;
}

export interface ConvolutionSizes extends Windows {
  readonly batch: number;
  readonly groups: number;
  /** Channels of a group. */
  readonly inputs: number;
  readonly outputs: number;
  readonly input: Shape;
  readonly output: Shape;
}

/** For each weight of a window and each window: the place in a channel of the input; -1 beside it. */
export function windowPlaces(windows: Windows, input: Shape, output: Shape): Int32Array {
  const { kernel, stride, padding, dilation } = windows;
  const [weights, count] = [elementCount(kernel), elementCount(output)];
  const places = new Int32Array(weights * count);
  for (let d = 0, [inner, innerOut] = [weights, count]; d < kernel.length; d++) {
    const [k, n, size] = [kernel[d] as number, output[d] as number, input[d] as number];
    inner /= Math.max(1, k);
    innerOut /= Math.max(1, n);
    for (let w = 0; w < weights; w++) {
      const offset = (Math.floor(w / inner) % k) * (dilation[d] as number) - (padding[d] as number);
      for (let p = 0; p < count; p++) {
        const at = (Math.floor(p / innerOut) % n) * (stride[d] as number) + offset;
        const i = w * count + p;
        const before = places[i] as number;
        places[i] = before < 0 || at < 0 || at >= size ? -1 : before * size + at;
      }
    }
  }
  return places;
}

/** [channels · weights, windows] from [channels, input]. */
function toColumns(from: Values, begin: number, channels: number, size: number, places: Int32Array, to: Values): void {
  const length = places.length;
  for (let c = 0; c < channels; c++) {
    const [base, at] = [begin + c * size, c * length];
    for (let i = 0; i < length; i++) {
      const place = places[i] as number;
      to[at + i] = place < 0 ? 0 : (from[base + place] as number);
    }
  }
}

function addColumns(from: Values, channels: number, size: number, places: Int32Array, to: Values, begin: number): void {
  const length = places.length;
  for (let c = 0; c < channels; c++) {
    const [base, at] = [begin + c * size, c * length];
    for (let i = 0; i < length; i++) {
      const place = (places[i] as number) + base;
      if (place >= base) to[place] = (to[place] as number) + (from[at + i] as number);
    }
  }
}

function transposed(from: Values, begin: number, rows: number, columns: number, to: Values): void {
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) to[j * rows + i] = from[begin + i * columns + j] as number;
}

interface Lengths {
  readonly places: Int32Array;
  readonly weights: number;
  readonly columns: number;
  readonly size: number;
}

function lengthsOf(sizes: ConvolutionSizes): Lengths {
  const { kernel, input, output, inputs } = sizes;
  return {
    places: windowPlaces(sizes, input, output),
    weights: inputs * elementCount(kernel),
    columns: elementCount(output),
    size: elementCount(input),
  };
}

/** [batch, groups · outputs, output] */
export function convolve(sizes: ConvolutionSizes, x: Values, weight: Values, dtype: TensorDtype): Values {
  const { batch, groups, inputs, outputs: m } = sizes;
  const { places, weights: k, columns: n, size } = lengthsOf(sizes);
  const result = newValues(dtype, batch * groups * m * n);
  const matrix = newValues(dtype, k * n);
  for (let b = 0; b < batch; b++)
    for (let g = 0; g < groups; g++) {
      const at = b * groups + g;
      toColumns(x, at * inputs * size, inputs, size, places, matrix);
      multiply(result, weight, matrix, { m, n, k }, [at * m * n, g * m * k, 0]);
    }
  return result;
}

/** [batch, groups · inputs, input] */
export function convolveBack(sizes: ConvolutionSizes, gradient: Values, weight: Values, dtype: TensorDtype): Values {
  const { batch, groups, inputs, outputs: k } = sizes;
  const { places, weights: m, columns: n, size } = lengthsOf(sizes);
  const result = newValues(dtype, batch * groups * inputs * size);
  const matrix = newValues(dtype, m * n);
  const turned = newValues(dtype, m * k);
  for (let g = 0; g < groups; g++) {
    transposed(weight, g * k * m, k, m, turned);
    for (let b = 0; b < batch; b++) {
      const at = b * groups + g;
      matrix.fill(0);
      multiply(matrix, turned, gradient, { m, n, k }, [0, 0, at * k * n]);
      addColumns(matrix, inputs, size, places, result, at * inputs * size);
    }
  }
  return result;
}

/** [groups · outputs, inputs, kernel] */
export function convolveWeights(sizes: ConvolutionSizes, x: Values, gradient: Values, dtype: TensorDtype): Values {
  const { batch, groups, inputs, outputs: m } = sizes;
  const { places, weights: n, columns: k, size } = lengthsOf(sizes);
  const result = newValues(dtype, groups * m * n);
  const matrix = newValues(dtype, n * k);
  const turned = newValues(dtype, n * k);
  for (let b = 0; b < batch; b++)
    for (let g = 0; g < groups; g++) {
      const at = b * groups + g;
      toColumns(x, at * inputs * size, inputs, size, places, matrix);
      transposed(matrix, 0, n, k, turned);
      multiply(result, gradient, turned, { m, n, k }, [g * m * n, at * m * k, 0]);
    }
  return result;
}

/** [batch, channels · weights, windows] */
export function columnsOf(sizes: ConvolutionSizes, x: Values, dtype: TensorDtype): Values {
  const { batch, inputs } = sizes;
  const { places, size } = lengthsOf(sizes);
  const result = newValues(dtype, batch * inputs * places.length);
  for (let b = 0; b < batch; b++) {
    const to = result.subarray(b * inputs * places.length) as Values;
    toColumns(x, b * inputs * size, inputs, size, places, to);
  }
  return result;
}

/** [batch, channels, input], the transpose of `columnsOf`. */
export function fromColumns(sizes: ConvolutionSizes, columns: Values, dtype: TensorDtype): Values {
  const { batch, inputs } = sizes;
  const { places, size } = lengthsOf(sizes);
  const result = newValues(dtype, batch * inputs * size);
  for (let b = 0; b < batch; b++) {
    const from = columns.subarray(b * inputs * places.length) as Values;
    addColumns(from, inputs, size, places, result, b * inputs * size);
  }
  return result;
}
