/** Kernels of elements one after the other, as Triton's text. */
import { nextPowerOfTwo } from "../kernels/layout.ts";
import type { Buffer } from "./graph.ts";
import { isWide, type KernelNames } from "./kernel-text.ts";
import { product, type Lowered } from "./lower.ts";
import { indexTexts, Statements } from "./statements.ts";
import type { Tiling } from "./tilings.ts";
import { finished, type EmittedTriton } from "./triton-kernel.ts";
import { Triton } from "./triton-language.ts";

export function flatText(
  lowered: Lowered,
  buffers: readonly Buffer[],
  names: KernelNames,
  { columns: block, warps }: Tiling,
): EmittedTriton {
  const dims = [...lowered.rows, ...lowered.columns];
  const elements = product(dims);
  const counters = countersOfAll(lowered, dims, elements);
  if (counters !== null) return quartersText(lowered, buffers, names, { block, warps, counters });
  const isExact = elements % block === 0;
  const mask = isExact ? null : "inside";
  const language = new Triton({ mask: () => mask, shape: `[${block}]`, names });
  const columns = indexTexts("i", "i", dims, (a, b) => `${a} // ${b}`);
  const statements = new Statements(language, buffers, null, columns);
  const program = isWide(lowered, buffers) ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
  const lines = [
    `i = ${program} * ${block} + tl.arange(0, ${block})`,
    ...(isExact ? [] : [`inside = i < ${elements}`]),
    ...columns.texts.map(([name, text]) => `${name} = ${text}`),
    ...statements.emit(
      lowered.stores.map(({ value }) => value),
      () => true,
    ),
  ];
  lines.push(...flatStores(lowered, statements, language, mask));
  return finished(lowered, buffers, names, { statements, lines, programs: Math.ceil(elements / block), warps });
}

function flatStores({ stores }: Lowered, statements: Statements, language: Triton, mask: string | null): string[] {
  return stores.map(({ node, value, access }) => {
    const { text, byColumn } = statements.position(access);
    // A tile of pointers, also where there is one element.
    const at = `${statements.pointerOf(node.output.buffer)} + ${byColumn ? text : `i * 0 + ${text}`}`;
    return `tl.store(${at}, ${language.stored(value, statements)}${mask === null ? "" : ", mask=inside"})`;
  });
}

/** The counters of the random numbers, if there is one of each for each element, in their order; else null. */
function countersOfAll({ values }: Lowered, dims: readonly number[], elements: number): readonly number[] | null {
  const counters = new Set<number>();
  for (const value of values) {
    if (value.kind !== "uniform") continue;
    const { strides, offset } = value.access;
    const isWhole = dims.every((size, d) => size === 1 || strides[d] === product(dims.slice(d + 1)));
    if (value.length !== elements || offset !== 0 || !isWhole) return null;
    counters.add(value.counter);
  }
  return counters.size === 0 ? null : [...counters];
}

/**
 * The four words that are drawn at once are of elements that lie far apart: a program computes these four together,
 * one after the other.
 */
function quartersText(
  lowered: Lowered,
  buffers: readonly Buffer[],
  names: KernelNames,
  { block, warps, counters }: { readonly block: number; readonly warps: number; readonly counters: readonly number[] },
): EmittedTriton {
  const dims = [...lowered.rows, ...lowered.columns];
  const elements = product(dims);
  const threads = names.threadsOf(elements);
  const tile = Math.min(block / 2, nextPowerOfTwo(threads));
  const chunks = Math.ceil(threads / tile);
  const [isWholeTile, isWhole] = [threads % tile === 0, elements % (4 * threads) === 0];
  const checks = [...(isWholeTile ? [] : [`(thread < ${threads})`]), ...(isWhole ? [] : [`(i < ${elements})`])];
  const mask = checks.length === 0 ? null : "inside";
  const columns = indexTexts("i", "i", dims, (a, b) => `${a} // ${b}`);
  const program = isWide(lowered, buffers) ? "tl.program_id(0).to(tl.int64)" : "tl.program_id(0)";
  const lines = [
    `round = ${program} // ${chunks}`,
    `thread = ${program} % ${chunks} * ${tile} + tl.arange(0, ${tile})`,
    "zero = thread.to(tl.int32) * 0",
    ...counters.map(
      (counter, c) =>
        `a${c}, b${c}, c${c}, d${c} = tl.philox(tl.load(${names.random}), ` +
        `zero + (tl.load(${names.random} + 1).to(tl.int32) + ${counter} + round.to(tl.int32)), zero, ` +
        "thread.to(tl.int32), zero)",
    ),
  ];
  let statements: Statements | null = null;
  for (const [quarter, word] of ["a", "b", "c", "d"].entries()) {
    const words = new Map(counters.map((counter, c) => [counter, `${word}${c}`]));
    const language = new Triton({ mask: () => mask, shape: `[${tile}]`, names, words });
    const own: Statements = new Statements(language, buffers, null, columns);
    own.pointers.push(...(statements?.pointers ?? []));
    statements = own;
    lines.push(
      `# a quarter of the elements: ${word}`,
      `i = round * ${4 * threads} + ${quarter * threads} + thread`,
      ...(mask === null ? [] : [`inside = ${checks.join(" & ")}`]),
      ...columns.texts.map(([name, text]) => `${name} = ${text}`),
      ...own.emit(
        lowered.stores.map(({ value }) => value),
        () => true,
      ),
      ...flatStores(lowered, own, language, mask),
    );
  }
  const programs = Math.ceil(elements / (4 * threads)) * chunks;
  return finished(lowered, buffers, names, { statements: statements as Statements, lines, programs, warps });
}
