/** The greatest elements of windows, by kernels. */
import type { Windows } from "../operations/convolution-host.ts";
import { copyOfDense } from "./dense.ts";
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { kernelsFor, tritonName, type TensorDevice } from "./tensor-device.ts";

const ELEMENTS = 512;
const WARPS = 4;
const MOST_ELEMENTS = 2 ** 31 - ELEMENTS;

const product = (sizes: Shape): number => sizes.reduce((all, size) => all * size, 1);

function deviceFor(tensors: readonly Tensor[]): TensorDevice | null {
  const [first] = tensors as [Tensor];
  const most = Math.max(...tensors.map(({ length }) => length));
  if (most >= MOST_ELEMENTS || tensors.some(({ length, place }) => length === 0 || place !== first.place)) return null;
  return kernelsFor(first.place, most);
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
