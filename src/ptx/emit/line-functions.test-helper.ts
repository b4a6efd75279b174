/** Random functions as lines of PTX, and what they store. */
import type { StatementEffects } from "./coalesce-copies.ts";

/** What is not here is a fused multiply-add. */
const OPERATIONS: ReadonlyMap<string, (a: number, b: number, c: number) => number> = new Map([
  ["mov.f32", (a) => a],
  ["add.f32", (a, b) => a + b],
  ["mul.f32", (a, b) => a * b],
  ["fma", (a, b, c) => a * b + c],
]);

/** What a function stores; its predicates are drawn from `bits`, in turn. It ends where they do, or after 200 jumps. */
export function stored(lines: readonly string[], bits: readonly boolean[]): string[] {
  const labels = new Map(lines.flatMap((line, i) => (line.endsWith(":") ? [[line.slice(0, -1), i] as const] : [])));
  const registers = new Map<string, number>();
  const valueOf = (operand: string): number =>
    operand.startsWith("%") ? (registers.get(operand) ?? Number.NaN) : Number(operand);
  const out: string[] = [];
  for (let at = 0, drawn = 0, jumps = 0; at < lines.length && jumps < 200; at++) {
    const [, guard, operation = "", operands = ""] = /^\t(@!?%p\d+ )?([\w.]+) ?(.*);$/.exec(lines[at] as string) ?? [];
    if (operation === "") continue;
    if (guard !== undefined) {
      if (drawn === bits.length) break;
      if (bits[drawn++] === guard.includes("!")) continue;
    }
    const parts = operands.split(", ");
    const [a, b, c] = parts.slice(1).map(valueOf) as [number, number, number];
    const to = parts[0] as string;
    if (operation === "bra") {
      at = labels.get(to) as number;
      jumps++;
    } else if (operation === "ret") break;
    else if (operation === "st.global.f32") out.push(String(a));
    else if (operation === "twice" || operation === "early") {
      // Two instructions, the first of which writes the result before the second reads.
      const first = operation === "twice" ? 2 * valueOf(to) : 7;
      registers.set(to, first + (parts[1] === to ? first : a));
    } else registers.set(to, (OPERATIONS.get(operation) ?? OPERATIONS.get("fma"))?.(a, b, c) ?? NaN);
  }
  return out;
}

const REGISTERS = 8;

/**
 * Blocks of sums and copies, each with a way on and perhaps one back or forth. All registers hold something from the
 * beginning.
 */
export function randomFunction(random: () => number): string[] {
  const below = (n: number): number => Math.floor(random() * n);
  const register = (): string => `%f${1 + below(REGISTERS)}`;
  const lines = Array.from({ length: REGISTERS }, (_, i) => `\tmov.f32 %f${i + 1}, ${i + 1};`);
  const blocks = 2 + below(5);
  for (let block = 0; block < blocks; block++) {
    lines.push(`$L${block}:`);
    for (let n = below(7); n > 0; n--) {
      const kind = random();
      if (kind < 0.5) lines.push(`\tmov.f32 ${register()}, ${register()};`);
      else if (kind < 0.65) lines.push(`\tadd.f32 ${register()}, ${register()}, ${register()};`);
      else if (kind < 0.75) lines.push(`\tfma.rn.f32 ${register()}, ${register()}, ${register()}, 1;`);
      else if (kind < 0.85) {
        const [to, from] = [1 + below(REGISTERS), 1 + below(REGISTERS - 1)];
        lines.push(`\t${random() < 0.6 ? "twice" : "early"} %f${to}, %f${from < to ? from : from + 1};`);
      } else lines.push(`\tst.global.f32 [%rd1], ${register()};`);
    }
    const end = random();
    if (end < 0.7) lines.push(`\t@${random() < 0.5 ? "!" : ""}%p1 bra $L${below(blocks)};`);
    else if (end < 0.8) lines.push(`\tbra $L${below(blocks)};`);
  }
  return [...lines, `\tst.global.f32 [%rd1], ${register()};`, "\tret;"];
}

/** Numbers in [0, 1) that a seed gives (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The inline PTX of a random function: `twice` has one register for its operand and its result. */
export function statementsOf(lines: readonly string[]): Map<string, StatementEffects> {
  const found = new Map<string, StatementEffects>();
  for (const line of lines) {
    const [, name, to = "", from = ""] = /^\t(twice|early) (%\w+), (%\w+);$/.exec(line) ?? [];
    if (name !== undefined) found.set(line, { writes: [to], reads: name === "twice" ? [to, from] : [from] });
  }
  return found;
}
