/**
 * One launch for many small tensors: each program finds the tensor that its elements belong to. A network has dozens
 * of parameters of some hundred elements, and a launch for each would cost more than the work.
 */
import { identityOf, converted, numberInput, numberKind } from "./pointwise.ts";
import { helpersFor, tritonStatements } from "../expressions/triton-text.ts";
import type { Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { Tensor } from "../tensor.ts";
import { tritonName, type KernelParameter, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

export interface ManyFunction {
  readonly name: string;
  /** Inputs are the tensors of a row, then numbers. */
  readonly expressions: readonly Expression[];
  /** For each expression, which tensor of the row gets it. */
  readonly targets: readonly number[];
  readonly type: ComputeType;
}

/** A copy of a row's first tensor in a smaller type, [.., taps, channels] where that is [.., channels, taps]. */
export interface RowCopy {
  readonly tensor: Tensor;
  readonly taps: number;
  readonly channels: number;
}

const ELEMENTS = 1024;
const WARPS = 4;
/** Parameters of a launch take at most 4 KiB. */
const MOST_POINTERS = 400;

/**
 * Rows of tensors without gaps, of one type; all tensors of a row have the same number of elements.
 * @param copyOf what else gets the result that is the first tensor's; all copies are of one type
 */
export function launchMany(
  device: TensorDevice,
  fn: ManyFunction,
  rows: readonly (readonly Tensor[])[],
  numbers: readonly number[],
  copyOf: (row: readonly Tensor[]) => RowCopy | null = () => null,
): void {
  const full = rows.filter(([first]) => (first as Tensor).length > 0);
  const [row] = full;
  if (row === undefined) return;
  const most = Math.max(1, Math.floor(MOST_POINTERS / (row.length + 2)));
  for (let begin = 0; begin < full.length; begin += most) {
    const some = full.slice(begin, begin + most);
    launchSome(device, fn, some, numbers, some.map(copyOf));
  }
}

function launchSome(
  device: TensorDevice,
  fn: ManyFunction,
  rows: readonly (readonly Tensor[])[],
  numbers: readonly number[],
  copies: readonly (RowCopy | null)[],
): void {
  const [first] = rows[0] as [Tensor];
  const lengths = rows.map(([tensor]) => (tensor as Tensor).length);
  // Where each row's programs begin: constants of the kernel, which is made for these parameters.
  const begins: number[] = [];
  let programs = 0;
  for (const length of lengths) {
    begins.push(programs);
    programs += Math.ceil(length / ELEMENTS);
  }
  const copied = copies.filter((copy) => copy !== null);
  const isAligned =
    rows.every((row) => row.every(({ pointer }) => pointer % 16 === 0)) &&
    copied.every(({ tensor }) => tensor.pointer % 16 === 0);
  const ids = fn.expressions.map(identityOf).join();
  const forms = copies.map((copy) => (copy === null ? "" : `${copy.tensor.dtype}/${copy.taps}/${copy.channels}`));
  const key =
    `many ${ids} ${fn.targets.join()} ${fn.type} ${first.dtype} ${Number(isAligned)} ${lengths.join()} ` +
    `${copied.length === 0 ? "" : forms.join()}`;
  const kernel = device.kernel(key, () => kernelText(fn, rows, numbers.length, { begins, isAligned, copies }));
  kernel.launch(programs, [
    ...rows.flatMap((row) => row.map(({ pointer }) => pointer)),
    ...copied.map(({ tensor }) => tensor.pointer),
    ...numbers,
  ]);
}

interface ManyForm {
  readonly begins: readonly number[];
  readonly isAligned: boolean;
  readonly copies: readonly (RowCopy | null)[];
}

/** Statements that say where the copy of a row is, before the tensors of the row are known. */
function copyOfRow(copies: readonly (RowCopy | null)[], row: number): string[] {
  const copy = copies[row] ?? null;
  const first = copies.findIndex((own) => own !== null);
  if (first < 0) return [];
  if (copy === null)
    return row === 0 ? [`copy = copy${first}`, "taps = 1", "channels = 1", "copied = 0"] : ["copied = 0"];
  return [`copy = copy${row}`, `taps = ${copy.taps}`, `channels = ${copy.channels}`, "copied = 1"];
}

function kernelText(
  fn: ManyFunction,
  rows: readonly (readonly Tensor[])[],
  numbers: number,
  { begins, isAligned, copies }: ManyForm,
): KernelText {
  const [first] = rows as [readonly Tensor[]];
  const { dtype } = first[0] as Tensor;
  const count = first.length;
  const kind = numberKind(fn.type);
  const signature = [
    ...rows.flatMap((row, r) => row.map((_, i) => `p${r}_${i}`)),
    ...copies.flatMap((copy, r) => (copy === null ? [] : [`copy${r}`])),
    ...Array.from({ length: numbers }, (_, i) => (kind === "fp64" ? `n${i}: tl.float64` : `n${i}`)),
  ];
  const params: KernelParameter[] = [
    ...rows.flatMap((row) => row.map((): KernelParameter => ({ kind: "pointer", dtype, isAligned }))),
    ...copies.flatMap((copy): KernelParameter[] =>
      copy === null ? [] : [{ kind: "pointer", dtype: copy.tensor.dtype, isAligned }],
    ),
    ...Array.from({ length: numbers }, (): KernelParameter =>
      kind === "i64" ? { kind, isDivisible: false } : { kind },
    ),
  ];
  const body = ["program = tl.program_id(0)", "begin = 0", `length = ${(first[0] as Tensor).length}`];
  for (let i = 0; i < count; i++) body.push(`p_${i} = p0_${i}`);
  body.push(...copyOfRow(copies, 0));
  for (let r = 1; r < rows.length; r++) {
    body.push(`if program >= ${begins[r]}:`, `    begin = ${begins[r]}`);
    body.push(`    length = ${((rows[r] as readonly Tensor[])[0] as Tensor).length}`);
    for (let i = 0; i < count; i++) body.push(`    p_${i} = p${r}_${i}`);
    body.push(...copyOfRow(copies, r).map((line) => `    ${line}`));
  }
  body.push(`at = (program - begin) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`, "inside = at < length");
  const inputs: string[] = [];
  for (let i = 0; i < count; i++) {
    body.push(`x${i} = tl.load(p_${i} + at, mask=inside)`);
    const name = converted(`x${i}`, dtype, fn.type, false);
    if (name !== `x${i}`) body.push(`x${i} = ${name}`);
    inputs.push(`x${i}`);
  }
  for (let i = 0; i < numbers; i++) inputs.push(numberInput(`n${i}`, fn.type));
  const { lines, results } = tritonStatements(fn.expressions, fn.type, inputs);
  body.push(...lines);
  for (const [k, target] of fn.targets.entries())
    body.push(`tl.store(p_${target} + at, ${results[k]}.to(tl.${tritonName(dtype)}), mask=inside)`);
  const [copy] = copies.filter((own) => own !== null);
  const own = fn.targets.indexOf(0);
  if (copy !== undefined && own >= 0)
    body.push(
      "to = at // (taps * channels) * (taps * channels) + at % taps * channels + at // taps % channels",
      `tl.store(copy + to, ${results[own]}.to(tl.${tritonName(copy.tensor.dtype)}), mask=inside & (copied != 0))`,
    );
  const name = `${fn.name}_of_${rows.length}`;
  const helpers = helpersFor(body);
  const text = tritonFunction(name, signature, body);
  return { name, text: helpers + text, params, numWarps: WARPS };
}
