/** Divisions in other forms give what the interpreter gives for the divisions themselves. */
import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { isDivision } from "./pass-divisions.ts";
import { prepareModule } from "./prepare-module.ts";

const OPERATORS = ["udiv", "sdiv", "urem", "srem"];

/** A kernel that writes a result for each line of its body, from the eight bytes at its first argument. */
function kernel(body: readonly { readonly line: string; readonly type: string }[]): string {
  const lines = body.flatMap(({ line, type }, n) => [
    `  %r${n} = ${line}`,
    `  %at${n} = getelementptr i8, ptr %out, i32 ${8 * n}`,
    `  store ${type} %r${n}, ptr %at${n}, align 8`,
  ]);
  return [
    'target datalayout = "e-p:32:32-i64:64-i128:128-v16:16-v32:32"',
    'target triple = "nvptx-nvidia-cuda"',
    "define ptx_kernel void @k(ptr %in, ptr %out) {",
    ...[8, 16, 32, 64].map((bits) => `  %x${bits} = load i${bits}, ptr %in, align 8`),
    "  %second = getelementptr i8, ptr %in, i32 8",
    "  %y64 = load i64, ptr %second, align 8",
    ...lines,
    "  ret void",
    "}",
  ].join("\n");
}

function run(module: IrModule, x: bigint, y: bigint, results: number): string {
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const input = new Uint8Array(16);
  new DataView(input.buffer).setBigUint64(0, BigInt.asUintN(64, x), true);
  new DataView(input.buffer).setBigUint64(8, BigInt.asUintN(64, y), true);
  const out = h.place(new Uint8Array(8 * results));
  const { fault } = h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [h.place(input), out]);
  expect(fault).toBeNull();
  return Buffer.from(h.read(out, 8 * results)).toString("hex");
}

function divisionsOf(module: IrModule): number {
  return [...module.functions.values()]
    .flatMap((fn) => fn.blocks.flatMap((block) => block.instructions))
    .filter((i) => isDivision(i)).length;
}

function compare(text: string, pairs: readonly (readonly [bigint, bigint])[], results: number): IrModule {
  const original = parseModule(text, "divisions.ll");
  const changed = cloneModule(original);
  prepareModule(changed);
  assertValid(changed, "prepareModule");
  for (const [x, y] of pairs) expect(run(changed, x, y, results), `${x} and ${y}`).toBe(run(original, x, y, results));
  return changed;
}

const DIVIDENDS = [0n, 1n, 7n, 99n, 128n, 255n, 32767n, 65536n, 123456789n, 2147483648n, 4294967295n, 4294967296n]
  .concat([6700417n * 641n, (1n << 63n) - 1n])
  .flatMap((x) => [x, -x]);

test.each([8, 16, 32, 64])("by constants, %d bits", (bits) => {
  const half = 1n << BigInt(bits - 1);
  const divisors = [
    1n,
    2n,
    3n,
    5n,
    7n,
    10n,
    28n,
    64n,
    100n,
    641n,
    1000n,
    65535n,
    1000000007n,
    half - 1n,
    -1n,
    -3n,
    -8n,
    -half,
  ].filter((by) => by < half);
  const type = `i${bits}`;
  const body = divisors.flatMap((by) => OPERATORS.map((name) => ({ line: `${name} ${type} %x${bits}, ${by}`, type })));
  const pairs = DIVIDENDS.map((x) => [x, 1n] as const);
  // The smallest number divided by -1 does not fit: no program may ask for it.
  const allowed = pairs.filter(([x]) => BigInt.asIntN(bits, x) !== -half);
  const changed = compare(kernel(body), allowed, body.length);
  expect(divisionsOf(changed)).toBe(0);
});

test("64 bits by a variable", () => {
  const body = OPERATORS.map((name) => ({ line: `${name} i64 %x64, %y64`, type: "i64" }));
  const divisors = [3n, 4294967295n, 4294967296n, -7n, (1n << 63n) - 1n, 0n];
  const pairs = DIVIDENDS.flatMap((x) => divisors.map((y) => [x, y] as const));
  const changed = compare(kernel(body), pairs, body.length);
  // Each in 64 bits and in 32.
  expect(divisionsOf(changed)).toBe(8);
});
