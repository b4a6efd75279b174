/**
 * Random functions give what they gave: the same values are stored, in the same order, whatever way their branches
 * take.
 */
import { expect, test } from "vitest";
import { coalesceCopies } from "./coalesce-copies.ts";

/** What is not here is a fused multiply-add. */
const OPERATIONS: ReadonlyMap<string, (a: number, b: number, c: number) => number> = new Map([
  ["mov.f32", (a) => a],
  ["add.f32", (a, b) => a + b],
  ["mul.f32", (a, b) => a * b],
  ["fma", (a, b, c) => a * b + c],
]);

/** What a function stores; its predicates are drawn from `bits`, in turn. It ends where they do, or after 200 jumps. */
function stored(lines: readonly string[], bits: readonly boolean[]): string[] {
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
    else registers.set(to, (OPERATIONS.get(operation) ?? OPERATIONS.get("fma"))?.(a, b, c) ?? NaN);
  }
  return out;
}

const REGISTERS = 8;

/**
 * Blocks of sums and copies, each with a way on and perhaps one back or forth. All registers hold something from the
 * beginning.
 */
function randomFunction(random: () => number): string[] {
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
      else lines.push(`\tst.global.f32 [%rd1], ${register()};`);
    }
    const end = random();
    if (end < 0.7) lines.push(`\t@${random() < 0.5 ? "!" : ""}%p1 bra $L${below(blocks)};`);
    else if (end < 0.8) lines.push(`\tbra $L${below(blocks)};`);
  }
  return [...lines, `\tst.global.f32 [%rd1], ${register()};`, "\tret;"];
}

/** Numbers in [0, 1) that a seed gives (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(["f", "fd", "r", "rd"])("random functions of registers %s", (held) => {
  const random = numbers(20261122);
  let removed = 0;
  for (let n = 0; n < 400; n++) {
    const before = randomFunction(random).map((line) => line.replaceAll("%f", `%${held}`));
    const after = coalesceCopies(before);
    removed += before.length - after.length;
    for (let way = 0; way < 8; way++) {
      const bits = Array.from({ length: 40 }, () => random() < 0.5);
      if (stored(after, bits).join() !== stored(before, bits).join())
        expect(after.join("\n"), `of\n${before.join("\n")}`).toBe("what it was");
    }
  }
  expect(removed).toBeGreaterThan(200);
});

test("a sum of a loop is added to in place, and so is what follows the loop", () => {
  const loop = [
    "\tmov.f32 %f1, 0f00000000;",
    "$L1:",
    "\tld.global.f32 %f2, [%rd1];",
    "\tadd.f32 %f3, %f1, %f2;",
    "\tmov.f32 %f1, %f3;",
    "\t@%p1 bra $L1;",
    "\tmov.f32 %f4, %f3;",
    "\tst.global.f32 [%rd2], %f4;",
    "\tret;",
  ];
  expect(coalesceCopies(loop)).toEqual([
    "\tmov.f32 %f4, 0f00000000;",
    "$L1:",
    "\tld.global.f32 %f2, [%rd1];",
    "\tadd.f32 %f4, %f4, %f2;",
    "\t@%p1 bra $L1;",
    "\tst.global.f32 [%rd2], %f4;",
    "\tret;",
  ]);
});

test("registers stay apart where both values are wanted, and where they are used in a way that is not known", () => {
  const swapped = [
    "\tmov.f32 %f3, %f1;",
    "\tmov.f32 %f1, %f2;",
    "\tmov.f32 %f2, %f3;",
    "\t@%p1 bra $L1;",
    "$L1:",
    "\tst.global.v2.f32 [%rd1], {%f1, %f2};",
    "\tret;",
  ];
  expect(coalesceCopies(swapped).filter((line) => line.includes("mov"))).toHaveLength(3);
  const written = ["\tmov.f32 %f2, %f1;", "\t@%p1 mov.f32 %f2, 0f00000000;", "\tst.global.f32 [%rd1], %f2;", "\tret;"];
  expect(coalesceCopies(written)).toEqual(written);
  const assembly = ["\tmov.f32 %f2, %f1;", "\t{", "\tfancy.f32 %f2, %f2; mov.f32 x, %f2;", "\t}", "\tret;"];
  expect(coalesceCopies(assembly)).toEqual(assembly);
  const several = ["\tmov.b32 %r2, %r1;", "\t{", "\tadd.s32 %r3, %r2, 1; mov.b32 %r1, %r3;", "\t}", "\tret;"];
  expect(coalesceCopies(several)).toEqual(several);
});

test("a value that one side of a branch leaves as it was needs no copy there", () => {
  const branch = [
    "\tmov.b32 %r1, 0;",
    "$L1:",
    "\t@%p1 bra $L2;",
    "\tmov.b32 %r2, %r1;",
    "\tbra $L3;",
    "$L2:",
    "\tadd.s32 %r3, %r1, 1;",
    "\tmov.b32 %r2, %r3;",
    "$L3:",
    "\tmov.b32 %r1, %r2;",
    "\t@%p2 bra $L1;",
    "\tst.global.b32 [%rd1], %r2;",
    "\tret;",
  ];
  expect(coalesceCopies(branch).filter((line) => line.includes("mov"))).toHaveLength(1);
});
