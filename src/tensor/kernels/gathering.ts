/** Elements along a dimension by tensors of indices, and the greatest elements of windows, by kernels. */
import type { Windows } from "../operations/convolution-host.ts";
import { cloneOf, copyOfDense } from "./dense.ts";
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { kernelsFor, tritonName, type KernelParameter, type TensorDevice } from "./tensor-device.ts";

const ELEMENTS = 512;
const WARPS = 4;
const MOST_ELEMENTS = 2 ** 31 - ELEMENTS;

const product = (sizes: Shape): number => sizes.reduce((all, size) => all * size, 1);

/** Sizes before a dimension, of it, and behind it; null where the index has other sizes there. */
function partsOf(shape: Shape, at: number, index: Shape): { size: number; inner: number; own: number } | null {
  if (shape.length !== index.length || shape.length === 0) return null;
  if (shape.some((size, d) => d !== at && size !== index[d])) return null;
  return { size: shape[at] as number, inner: product(shape.slice(at + 1)), own: index[at] as number };
}

function deviceFor(tensors: readonly Tensor[]): TensorDevice | null {
  const [first] = tensors as [Tensor];
  const most = Math.max(...tensors.map(({ length }) => length));
  if (most >= MOST_ELEMENTS || tensors.some(({ length, place }) => length === 0 || place !== first.place)) return null;
  return kernelsFor(first.place, most);
}

/** What both kernels begin with: where an element of the index lies, and what it names. */
const PLACES = [
  `i = tl.program_id(0) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
  "inside = i < n",
  "named = tl.load(index + i, mask=inside, other=0).to(tl.int32)",
  "behind = i % inner",
  "before = i // (inner * own)",
  "inside = inside & (named >= 0) & (named < size)",
  "place = (before * size + named) * inner + behind",
];

const PARAMETERS: readonly KernelParameter[] = ["n", "size", "inner", "own"].map(() => ({
  kind: "i32",
  isDivisible: false,
}));

function launch(
  device: TensorDevice,
  name: string,
  last: readonly string[],
  [out, index, from]: readonly [Tensor, Tensor, Tensor],
  { size, inner, own }: { size: number; inner: number; own: number },
): void {
  const key = `${name} ${out.dtype} ${index.dtype} ${from.dtype}`;
  const kernel = device.kernel(key, () => ({
    name,
    text: `@triton.jit\ndef ${name}(out, index, source, n, size, inner, own):\n${[...PLACES, ...last]
      .map((line) => `    ${line}\n`)
      .join("")}`,
    params: [
      ...[out, index, from].map(({ dtype }): KernelParameter => ({ kind: "pointer", dtype, isAligned: false })),
      ...PARAMETERS,
    ],
    numWarps: WARPS,
  }));
  const n = index.length;
  kernel.launch(Math.ceil(n / ELEMENTS), [out.pointer, index.pointer, from.pointer, n, size, inner, own]);
  out.storage.version++;
}

/** Null: the host does it. Indices out of range give 0: nothing is read there. */
export function launchGather(tensor: Tensor, at: number, index: Tensor): Tensor | null {
  const parts = partsOf(tensor.shape, at, index.shape);
  const device = parts === null ? null : deviceFor([tensor, index]);
  if (device === null || parts === null || !/^int(32|64)$/.test(index.dtype)) return null;
  const out = empty(index.shape, tensor.dtype, tensor.place);
  const last = ["x = tl.load(source + place, mask=inside, other=0)", "tl.store(out + i, x, mask=i < n)"];
  launch(device, "gather", last, [out, copyOfDense(index), copyOfDense(tensor)], parts);
  return out;
}

/** Null: the host does it. Sums are made by atomic additions: their order may differ from run to run. */
export function launchScatterAdd(tensor: Tensor, at: number, index: Tensor, source: Tensor): Tensor | null {
  const parts = partsOf(tensor.shape, at, index.shape);
  if (parts === null || source.shape.join() !== index.shape.join() || tensor.dtype !== "float32") return null;
  const device = deviceFor([tensor, index, source]);
  if (device === null || source.dtype !== tensor.dtype || !/^int(32|64)$/.test(index.dtype)) return null;
  const out = cloneOf(tensor);
  const last = [
    "x = tl.load(source + i, mask=inside, other=0.0)",
    "tl.atomic_add(out + place, x, mask=inside, sem='relaxed')",
  ];
  launch(device, "scatter_add", last, [out, copyOfDense(index), copyOfDense(source)], parts);
  return out;
}

/**
 * For each window, where its greatest element is among the elements of its channel. Null: the host does it.
 * @param tensor [channels, …], without gaps
 */
export function launchGreatest(tensor: Tensor, channels: number, windows: Windows, counts: Shape): Tensor | null {
  const sizes = tensor.shape.slice(-counts.length);
  const weights = product(windows.kernel);
  const device = deviceFor([tensor]);
  if (device === null || weights > 64 || !tensor.dtype.includes("float") || tensor.dtype === "float64") return null;
  const total = channels * product(counts);
  if (total === 0 || total >= MOST_ELEMENTS) return null;
  const out = empty([total], "int64", tensor.place);
  const { kernel, stride, padding, dilation } = windows;
  const text = [kernel, stride, padding, dilation, sizes, counts].map((own) => own.join("x")).join(" ");
  const compiled = device.kernel(`greatest ${tensor.dtype} ${text}`, () => ({
    name: "greatest",
    text: `@triton.jit\ndef greatest(out, source, n):\n${greatestText(tensor, windows, sizes, counts)
      .map((line) => `    ${line}\n`)
      .join("")}`,
    params: [
      { kind: "pointer", dtype: "int64", isAligned: true },
      { kind: "pointer", dtype: tensor.dtype, isAligned: false },
      { kind: "i32", isDivisible: false },
    ],
    numWarps: WARPS,
  }));
  compiled.launch(Math.ceil(total / ELEMENTS), [out.pointer, copyOfDense(tensor).pointer, total]);
  return out;
}

function greatestText(tensor: Tensor, windows: Windows, sizes: Shape, counts: Shape): string[] {
  const { kernel, stride, padding, dilation } = windows;
  const lines = [
    `i = tl.program_id(0) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
    `rest${counts.length} = i % ${product(counts)}`,
    `channel = source + (i // ${product(counts)}) * ${product(sizes)}`,
    'most = tl.full([1], -float("inf"), tl.float32)',
    "found = i * 0 - 1",
  ];
  for (let d = counts.length - 1; d >= 0; d--) {
    lines.push(`o${d} = (rest${d + 1} % ${counts[d]}) * ${stride[d]} - ${padding[d]}`);
    lines.push(`rest${d} = rest${d + 1} // ${counts[d]}`);
  }
  const weights = product(kernel);
  for (let w = 0; w < weights; w++) {
    let rest = w;
    const at: number[] = [];
    for (let d = kernel.length - 1; d >= 0; d--) {
      at[d] = (rest % (kernel[d] as number)) * (dilation[d] as number);
      rest = Math.floor(rest / (kernel[d] as number));
    }
    const index = at.map((offset, d) => `(o${d} + ${offset})`);
    const inside = index.map((own, d) => `(${own} >= 0) & (${own} < ${sizes[d]})`).join(" & ");
    const place = index.reduce((text, own, d) => (d === 0 ? own : `(${text}) * ${sizes[d]} + ${own}`), "");
    lines.push(`inside = (i < n) & ${inside}`, `place = ${place}`);
    lines.push(`x = tl.load(channel + place, mask=inside, other=0.0).to(tl.float32)`);
    lines.push("wins = inside & ((x > most) | (x != x) | (found < 0))");
    lines.push("most = tl.where(wins, x, most)", "found = tl.where(wins, place, found)");
  }
  lines.push(`tl.store(out + i, found.to(tl.${tritonName("int64")}), mask=i < n)`);
  return lines;
}
