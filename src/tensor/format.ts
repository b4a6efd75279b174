/** Tensors as text, as PyTorch prints them: `tensor([[1., 2.],\n        [3., 4.]], device='cuda:0')`. */
import { isFloating, type TensorDtype, type Values } from "./dtypes.ts";
import { elementCount, type Shape, type Tensor } from "./tensor.ts";

const PRECISION = 4;
/** A tensor with more elements shows the first and the last of each dimension. */
const THRESHOLD = 1000;
const EDGE = 3;
const LINE_WIDTH = 80;

/** Writes each element in the same width. */
interface Style {
  readonly width: number;
  readonly write: (value: number) => string;
}

/** Enough digits to write any double exactly that is shown so. */
const EXACT = 100;

/** JavaScript rounds a tie up, Python to the even digit. */
function tieToEven(exact: string, rounded: string, digits: number): string {
  const point = exact.indexOf(".");
  const [kept, rest] = [exact.slice(0, point + 1 + digits), exact.slice(point + 1 + digits)];
  const isTie = /^50*$/.test(rest);
  return isTie && Number(kept.replace(".", "").at(-1)) % 2 === 0 ? kept : rounded;
}

function exponential(value: number): string {
  const [exactMantissa] = value.toExponential(EXACT).split("e") as [string];
  const [roundedMantissa, exponent] = value.toExponential(PRECISION).split("e") as [string, string];
  const mantissa = tieToEven(exactMantissa, roundedMantissa, PRECISION);
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${exponent.slice(1).padStart(2, "0")}`;
}

function special(value: number): string | null {
  if (value !== value) return "nan";
  if (Math.abs(value) === Infinity) return value < 0 ? "-inf" : "inf";
  return null;
}

function styleOf(values: readonly number[], dtype: TensorDtype): Style {
  if (dtype === "bool") {
    const write = (value: number): string => (value === 0 ? "False" : "True");
    return { write, width: Math.max(0, ...values.map((value) => write(value).length)) };
  }
  if (!isFloating(dtype)) return { write: String, width: Math.max(1, ...values.map((value) => String(value).length)) };
  const shownFinite = values.filter((value) => Number.isFinite(value) && value !== 0);
  const finite = shownFinite.map(Math.abs);
  if (finite.length === 0) return widest(shownFinite, (value) => special(value) ?? fixed(value, 0));
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  if (finite.every((value) => Math.ceil(value) === value)) {
    if (most / least > 1000 || most > 1e8) return widest(shownFinite, exponential);
    return widest(shownFinite, (value) => special(value) ?? fixed(value, 0));
  }
  if (most / least > 1000 || most > 1e8 || least < 1e-4)
    return widest(shownFinite, (value) => special(value) ?? exponential(value));
  return widest(shownFinite, (value) => special(value) ?? fixed(value, PRECISION));
}

function fixed(value: number, digits: number): string {
  const rounded = value.toFixed(digits);
  const text = digits === 0 ? rounded : tieToEven(value.toFixed(EXACT), rounded, digits);
  const signed = Object.is(value, -0) || (value < 0 && !text.startsWith("-")) ? `-${text}` : text;
  return digits === 0 ? `${signed}.` : signed;
}

/** As wide as the widest of these needs: PyTorch leaves out zeros and what is not finite. */
function widest(values: readonly number[], write: (value: number) => string): Style {
  return { write, width: Math.max(1, ...values.map((value) => write(value).length)) };
}

interface Listing {
  readonly values: Values;
  readonly strides: Shape;
  readonly style: Style;
  readonly summary: boolean;
}

const ELLIPSIS = null;

/** The indices of a dimension that are shown; null stands for those that are left out. */
function shown(size: number, summary: boolean): (number | null)[] {
  const all = Array.from({ length: size }, (_, i) => i);
  return summary && size > 2 * EDGE ? [...all.slice(0, EDGE), ELLIPSIS, ...all.slice(-EDGE)] : all;
}

function list(listing: Listing, shape: Shape, d: number, at: number, indent: number): string {
  const { values, strides, style, summary } = listing;
  const size = shape[d];
  if (size === undefined) return style.write(values[at] as number).padStart(style.width);
  const indices = shown(size, summary);
  const step = strides[d] as number;
  if (d === shape.length - 1) {
    const perLine = Math.max(1, Math.floor((LINE_WIDTH - indent) / (style.width + 2)));
    const cells = indices.map((i) =>
      i === null ? " ..." : style.write(values[at + i * step] as number).padStart(style.width),
    );
    const lines: string[] = [];
    for (let i = 0; i < cells.length; i += perLine) lines.push(cells.slice(i, i + perLine).join(", "));
    return `[${lines.join(`,\n${" ".repeat(indent + 1)}`)}]`;
  }
  const parts = indices.map((i) => (i === null ? "..." : list(listing, shape, d + 1, at + i * step, indent + 1)));
  return `[${parts.join(`,${"\n".repeat(shape.length - 1 - d)}${" ".repeat(indent + 1)}`)}]`;
}

/** The elements that are shown decide how all are written. */
function sample(values: Values, shape: Shape, strides: Shape, summary: boolean): number[] {
  let places = [0];
  for (const [d, size] of shape.entries()) {
    const indices = shown(size, summary).filter((i) => i !== null);
    places = places.flatMap((place) => indices.map((i) => place + i * (strides[d] as number)));
  }
  return places.map((place) => values[place] as number);
}

const DEFAULTS: ReadonlySet<TensorDtype> = new Set<TensorDtype>(["float32", "int64", "bool"]);

/** @param device "cuda:0"; null: the host, which is not named. */
export function formatTensor(tensor: Tensor, device: string | null): string {
  const { shape, dtype } = tensor;
  const prefix = "tensor(";
  const strides = shape.map((_, d) => elementCount(shape.slice(d + 1)));
  const summary = tensor.length > THRESHOLD;
  const values = tensor.values();
  const style = styleOf(sample(values, shape, strides, summary), dtype);
  const suffixes: string[] = [];
  if (device !== null) suffixes.push(`device='${device}'`);
  if (tensor.length === 0 && shape.length !== 1) suffixes.push(`size=(${shape.join(", ")})`);
  if (!DEFAULTS.has(dtype) || (tensor.length === 0 && dtype !== "float32")) suffixes.push(`dtype=torch.${dtype}`);
  if (tensor.node !== null) suffixes.push(`grad_fn=<${tensor.node.name}>`);
  else if (tensor.isLeafWithGradient) suffixes.push("requires_grad=True");
  const body = tensor.length === 0 ? "[]" : list({ values, strides, style, summary }, shape, 0, 0, prefix.length);
  let text = prefix + body;
  let lastLine = text.length - text.lastIndexOf("\n") - 1;
  for (const suffix of suffixes) {
    if (lastLine + suffix.length + 2 > LINE_WIDTH) {
      text += `,\n${" ".repeat(prefix.length)}${suffix}`;
      lastLine = prefix.length + suffix.length;
    } else {
      text += `, ${suffix}`;
      lastLine += suffix.length + 2;
    }
  }
  return `${text})`;
}
