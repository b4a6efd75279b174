/** A kernel of Triton's text as a whole: its helpers, its parameters, and what its comment says. */
import type { TensorDtype } from "../dtypes.ts";
import { TRITON_HELPERS } from "../expressions/triton-text.ts";
import { ARG_HELPERS, COMBINE_HELPERS } from "../kernels/reduction-text.ts";
import type { KernelText } from "../kernels/tensor-device.ts";
import type { Buffer } from "./graph.ts";
import { headerOf, type KernelNames } from "./kernel-text.ts";
import type { Lowered } from "./lower.ts";
import type { Statements } from "./statements.ts";

export interface EmittedTriton {
  readonly helpers: readonly string[];
  /** With its helpers. */
  readonly text: KernelText;
  readonly source: string;
  readonly programs: number;
  /** The buffers that its parameters are. */
  readonly buffers: readonly number[];
}

const NUMBER_OF_WORD = `@triton.jit
def _number_of(word):
    value = word.to(tl.uint32).to(tl.float32) * 2.3283064365386963e-10 + 1.1641532182693481e-10
    return tl.where(value == 1.0, 0.0, value)


`;

const UNIFORM = `@triton.jit
def _uniform(state, counter, at, threads):
    # PyTorch's numbers for the same seed: a thread of its kernel takes four words for elements that lie far apart.
    quarter = at // threads
    thread = at % threads
    round = tl.load(state + 1).to(tl.int32) + counter + (quarter >> 2)
    zero = thread * 0
    a, b, c, d = tl.philox(tl.load(state), round, zero, thread, zero)
    which = quarter & 3
    word = tl.where(which == 0, a, tl.where(which == 1, b, tl.where(which == 2, c, d)))
    return _number_of(word)


`;

export interface Finishing {
  readonly statements: Statements;
  readonly lines: readonly string[];
  readonly programs: number;
  readonly warps: number;
}

export function finished(
  lowered: Lowered,
  buffers: readonly Buffer[],
  names: KernelNames,
  { statements, lines, programs, warps }: Finishing,
): EmittedTriton {
  const { values, stores } = lowered;
  const usesRandom = values.some(({ kind }) => kind === "uniform");
  const body = lines.map((line) => `    ${line}\n`).join("");
  const helpers = [
    body.includes("_remainder(") ? TRITON_HELPERS : "",
    body.includes("_better_") ? ARG_HELPERS : "",
    /\b_(?:max|min|prod)\b/.test(body) ? COMBINE_HELPERS : "",
    usesRandom ? NUMBER_OF_WORD : "",
    body.includes("_uniform(") ? UNIFORM : "",
  ].filter((helper) => helper !== "");
  const pointers = statements.pointers.map((id) => buffers[id] as Buffer);
  const dtypes = new Map<number, TensorDtype>();
  for (const value of values) if (value.kind === "load") dtypes.set(value.buffer, value.dtype);
  for (const { node } of stores) dtypes.set(node.output.buffer, node.output.dtype);
  const params = pointers.map(({ id }) => ({
    kind: "pointer" as const,
    dtype: dtypes.get(id) ?? ("float32" as const),
    isAligned: names.isAligned(id),
  }));
  const signature = pointers.map(({ name }) => name);
  if (usesRandom) {
    signature.push(names.random);
    params.push({ kind: "pointer", dtype: "int64", isAligned: true });
  }
  const header = headerOf(lowered, buffers, statements.pointers, names)
    .map((line) => `# ${line}\n`)
    .join("");
  const source = `${header}@triton.jit\ndef ${names.kernel}(${signature.join(", ")}):\n${body}\n\n`;
  return {
    helpers,
    source,
    text: { name: names.kernel, text: helpers.join("") + source, params, numWarps: warps },
    programs,
    buffers: usesRandom ? [...statements.pointers, names.randomBuffer] : statements.pointers,
  };
}
