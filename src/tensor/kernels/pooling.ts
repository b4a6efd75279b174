/** Pooling by kernels: one element of the result, or of the gradient, a lane. */
import { elementCount, empty, type Shape, type Tensor } from "../tensor.ts";
import { dense } from "./dense.ts";
import { kernelsFor, tritonName, type KernelParameter, type TensorDevice } from "./tensor-device.ts";

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}\n`).join("");

/** Whether a window begins at position `t` of dimension `d`. */
const fitsIn = (count: number, d: number, step: number): string =>
  `(t${d} >= 0) & (t${d} % ${step} == 0) & (o${d} < ${count})`;

const ELEMENTS = 256;

/** Windows of one size, a step apart. */
export interface PoolWindows {
  readonly kernel: Shape;
  readonly stride: Shape;
  readonly padding: Shape;
  readonly dilation: Shape;
  /** How many there are in each dimension. */
  readonly counts: Shape;
}

/** By what a mean divides: a number, the elements of its window, or those and the margin's. */
export type Divisor = number | "elements" | "padded";

/** `name0`, `name1` … from a position in dimensions of these sizes. */
function unravel(name: string, position: string, sizes: Shape): string[] {
  let below = elementCount(sizes);
  return sizes.map((size, d) => {
    below /= size;
    return `${name}${d} = ${d === 0 ? position : `(${position} % ${below * size})`} // ${below}`;
  });
}

const typeOf = (tensor: Tensor): string => (tensor.dtype === "float64" ? "float64" : "float32");

function isOfKernels(tensor: Tensor, elements: number): TensorDevice | null {
  const { dtype } = tensor;
  if (!["float32", "float64", "float16", "bfloat16"].includes(dtype)) return null;
  if (Math.max(tensor.length, elements) >= 2 ** 31) return null;
  return kernelsFor(tensor.place, Math.min(tensor.length, elements));
}

function launch(
  device: TensorDevice,
  name: string,
  form: unknown,
  tensors: readonly Tensor[],
  lines: readonly string[],
  n: number,
): void {
  const isAligned = tensors.every(({ pointer }) => pointer % 16 === 0);
  const key = `${name} ${JSON.stringify(form)} ${tensors.map(({ dtype }) => dtype).join()} ${isAligned}`;
  const kernel = device.kernel(key, () => {
    const pointers = tensors.map(({ dtype }): KernelParameter => ({ kind: "pointer", dtype, isAligned }));
    const body = [`i = tl.program_id(0) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`, "inside = i < n", ...lines];
    return {
      name,
      text: `@triton.jit\ndef ${name}(${tensors.map((_, k) => `p${k}`).join(", ")}, n):\n${indented(body)}`,
      params: [...pointers, { kind: "i32", isDivisible: false }],
      numWarps: 4,
    };
  });
  kernel.launch(Math.ceil(n / ELEMENTS), [...tensors.map(({ pointer }) => pointer), n]);
  // The first one is only read.
  for (const tensor of tensors.slice(1)) tensor.storage.version++;
}

/** The greatest element of each window, and its place in its channel. Null: the host does it. */
export function launchMaxPool(
  tensor: Tensor,
  windows: PoolWindows,
): { readonly values: Tensor; readonly indices: Tensor } | null {
  const { kernel, stride, padding, dilation, counts } = windows;
  const [outer, sizes] = [tensor.shape.slice(0, -counts.length), tensor.shape.slice(-counts.length)];
  const shape = [...outer, ...counts];
  const device = isOfKernels(tensor, elementCount(shape));
  if (device === null) return null;
  const values = empty(shape, tensor.dtype, tensor.place);
  const indices = empty(shape, "int64", tensor.place);
  const from = dense(tensor);
  const type = typeOf(tensor);
  const strides = sizes.map((_, d) => elementCount(sizes.slice(d + 1)));
  const lines = [
    `channel = i // ${elementCount(counts)}`,
    ...unravel("o", `(i % ${elementCount(counts)})`, counts),
    `best = tl.full([${ELEMENTS}], float("-inf"), tl.${type})`,
    // Of a window whose elements are all -∞, the first one.
    `place = ${sizes
      .map((_, d) => {
        const first = `o${d} * ${stride[d]} - ${padding[d]}`;
        const inside =
          `tl.where(${first} < 0, ${first} + (${padding[d]} - o${d} * ${stride[d]} + ` +
          `${dilation[d]} - 1) // ${dilation[d]} * ${dilation[d]}, ${first})`;
        return `(${inside}) * ${strides[d]}`;
      })
      .join(" + ")}`,
    `for k in range(0, ${elementCount(kernel)}):`,
    ...[
      ...unravel("k", "k", kernel).map((line) => line.replace(/^k(\d)/, "w$1")),
      ...sizes.map((_, d) => `at${d} = o${d} * ${stride[d]} - ${padding[d]} + w${d} * ${dilation[d]}`),
      `fits = inside & ${sizes.map((size, d) => `(at${d} >= 0) & (at${d} < ${size})`).join(" & ")}`,
      `at = ${sizes.map((_, d) => `at${d} * ${strides[d]}`).join(" + ")}`,
      `x = tl.load(p0 + channel * ${elementCount(sizes)} + at, mask=fits, other=float("-inf")).to(tl.${type})`,
      "better = fits & ((x > best) | (x != x))",
      "best = tl.where(better, x, best)",
      "place = tl.where(better, at, place)",
    ].map((line) => `    ${line}`),
    `tl.store(p1 + i, best.to(tl.${tritonName(tensor.dtype)}), mask=inside)`,
    "tl.store(p2 + i, place.to(tl.int64), mask=inside)",
  ];
  launch(device, "max_pool", { windows, sizes }, [from, values, indices], lines, values.length);
  if (from !== tensor) from.release();
  return { values, indices };
}

/** How a lane finds by what its window's mean divides. */
function divisorLines(windows: PoolWindows, sizes: Shape, divisor: Divisor): string[] {
  if (typeof divisor === "number") return [`divisor = ${divisor}`];
  const { kernel, stride, padding } = windows;
  const lengths = sizes.map((size, d) => {
    const first = `(o${d} * ${stride[d]} - ${padding[d]})`;
    const end = `${first} + ${kernel[d]}`;
    return divisor === "padded"
      ? `(tl.minimum(${end}, ${size + (padding[d] as number)}) - ${first})`
      : `(tl.minimum(${end}, ${size}) - tl.maximum(${first}, 0))`;
  });
  return [`divisor = ${lengths.join(" * ")}`];
}

/** The mean of each window. @param windows without dilation */
export function launchMeans(tensor: Tensor, windows: PoolWindows, divisor: Divisor): Tensor | null {
  const { kernel, stride, padding, counts } = windows;
  const [outer, sizes] = [tensor.shape.slice(0, -counts.length), tensor.shape.slice(-counts.length)];
  const shape = [...outer, ...counts];
  const device = isOfKernels(tensor, elementCount(shape));
  if (device === null) return null;
  const result = empty(shape, tensor.dtype, tensor.place);
  const from = dense(tensor);
  const type = typeOf(tensor);
  const lines = [
    `channel = i // ${elementCount(counts)}`,
    ...unravel("o", `(i % ${elementCount(counts)})`, counts),
    `total = tl.full([${ELEMENTS}], 0.0, tl.${type})`,
    `for k in range(0, ${elementCount(kernel)}):`,
    ...[
      ...unravel("k", "k", kernel).map((line) => line.replace(/^k(\d)/, "w$1")),
      ...sizes.map((_, d) => `at${d} = o${d} * ${stride[d]} - ${padding[d]} + w${d}`),
      `fits = inside & ${sizes.map((size, d) => `(at${d} >= 0) & (at${d} < ${size})`).join(" & ")}`,
      `at = ${sizes.map((_, d) => `at${d} * ${elementCount(sizes.slice(d + 1))}`).join(" + ")}`,
      `total += tl.load(p0 + channel * ${elementCount(sizes)} + at, mask=fits, other=0.0).to(tl.${type})`,
    ].map((line) => `    ${line}`),
    ...divisorLines(windows, sizes, divisor),
    `tl.store(p1 + i, (total / divisor).to(tl.${tritonName(tensor.dtype)}), mask=inside)`,
  ];
  launch(device, "mean_pool", { windows, sizes, divisor }, [from, result], lines, result.length);
  if (from !== tensor) from.release();
  return result;
}

/** The transpose of `launchMeans`: each element of the input from the windows that it lies in. */
export function launchSpreads(gradient: Tensor, windows: PoolWindows, sizes: Shape, divisor: Divisor): Tensor | null {
  const { kernel, stride, padding, counts } = windows;
  const shape = [...gradient.shape.slice(0, -counts.length), ...sizes];
  const device = isOfKernels(gradient, elementCount(shape));
  if (device === null) return null;
  const result = empty(shape, gradient.dtype, gradient.place);
  const from = dense(gradient);
  const type = typeOf(gradient);
  const lines = [
    `channel = i // ${elementCount(sizes)}`,
    ...unravel("q", `(i % ${elementCount(sizes)})`, sizes),
    `total = tl.full([${ELEMENTS}], 0.0, tl.${type})`,
    `for k in range(0, ${elementCount(kernel)}):`,
    ...[
      ...unravel("k", "k", kernel).map((line) => line.replace(/^k(\d)/, "w$1")),
      ...sizes.map((_, d) => `t${d} = q${d} + ${padding[d]} - w${d}`),
      ...sizes.map((_, d) => `o${d} = t${d} // ${stride[d]}`),
      `fits = inside & ${counts.map((count, d) => fitsIn(count, d, stride[d] as number)).join(" & ")}`,
      `at = ${counts.map((_, d) => `o${d} * ${elementCount(counts.slice(d + 1))}`).join(" + ")}`,
      ...divisorLines(windows, sizes, divisor),
      "divisor = tl.where(fits, divisor, 1)",
      `total += tl.load(p0 + channel * ${elementCount(counts)} + at, mask=fits, other=0.0).to(tl.${type}) / divisor`,
    ].map((line) => `    ${line}`),
    `tl.store(p1 + i, total.to(tl.${tritonName(gradient.dtype)}), mask=inside)`,
  ];
  launch(device, "mean_pool_backward", { windows, sizes, divisor }, [from, result], lines, result.length);
  if (from !== gradient) from.release();
  return result;
}
