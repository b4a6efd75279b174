/**
 * Integers above 64 bits, taken apart into pieces of 64 (ir/passes/legalize-ints.ts), against BigInt: carries and
 * borrows through two and more pieces, shifts across them, products and quotients, comparisons, casts. The operands are
 * numbers of which one piece decides about the next. And arithmetic of narrow integers that says whether it overflows.
 */
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { legalizeModule } from "../ir/passes/pass-legalize.ts";
import { assertValid } from "../ir/verify.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { Random } from "./fuzz/random.ts";

const WIDTHS = [65, 127, 128, 129, 160, 192, 200, 256, 320] as const;
const PREDICATES = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"] as const;
const ARITHMETIC = ["add", "sub", "mul", "and", "or", "xor"] as const;
const SHIFTS = ["shl", "lshr", "ashr"] as const;
const DIVISIONS = ["udiv", "urem", "sdiv", "srem"] as const;

const bytesOf = (bits: number): number => Math.ceil(bits / 64) * 8;

/** Numbers at the borders of pieces, with runs of ones across them, and random ones. */
function operands(bits: number): bigint[] {
  const all = (1n << BigInt(bits)) - 1n;
  const found = [0n, 1n, 2n, all, all - 1n, 1n << BigInt(bits - 1), (1n << BigInt(bits - 1)) - 1n];
  for (let at = 64n; at < BigInt(bits); at += 64n) found.push(1n << at, (1n << at) - 1n, all - (1n << at), all << at);
  const random = new Random(bits);
  for (let i = 0; i < 6; i++) {
    let value = 0n;
    for (let at = 0; at < bits; at += 32)
      value = (value << 32n) | random.pick([0n, 0xffffffffn, BigInt(random.next() >>> 0)]);
    found.push(value);
  }
  return [...new Set(found.map((value) => value & all))];
}

interface Operation {
  readonly name: string;
  readonly declaration?: string;
  readonly ir: string;
  /** null: undefined in LLVM. */
  readonly of: (a: bigint, b: bigint) => bigint | null;
}

function operationsOf(bits: number): Operation[] {
  const type = `i${bits}`;
  const s = (value: bigint): bigint => BigInt.asIntN(bits, value);
  const meaning: Record<string, (a: bigint, b: bigint) => bigint | null> = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b) => a << b,
    lshr: (a, b) => a >> b,
    ashr: (a, b) => s(a) >> b,
    udiv: (a, b) => (b === 0n ? null : a / b),
    urem: (a, b) => (b === 0n ? null : a % b),
    sdiv: (a, b) => (b === 0n || (s(b) === -1n && s(a) === s(1n << BigInt(bits - 1))) ? null : s(a) / s(b)),
    srem: (a, b) => (b === 0n || (s(b) === -1n && s(a) === s(1n << BigInt(bits - 1))) ? null : s(a) % s(b)),
    eq: (a, b) => BigInt(a === b),
    ne: (a, b) => BigInt(a !== b),
    ugt: (a, b) => BigInt(a > b),
    uge: (a, b) => BigInt(a >= b),
    ult: (a, b) => BigInt(a < b),
    ule: (a, b) => BigInt(a <= b),
    sgt: (a, b) => BigInt(s(a) > s(b)),
    sge: (a, b) => BigInt(s(a) >= s(b)),
    slt: (a, b) => BigInt(s(a) < s(b)),
    sle: (a, b) => BigInt(s(a) <= s(b)),
  };
  const of = (name: string): Operation["of"] => meaning[name] as Operation["of"];
  return [
    ...[...ARITHMETIC, ...DIVISIONS].map((name) => ({ name, ir: `%r = ${name} ${type} %a, %b`, of: of(name) })),
    // What is shifted by: the second operand, below the width.
    ...SHIFTS.map((name) => ({
      name,
      ir: `%by = urem ${type} %b, ${bits}\n  %r = ${name} ${type} %a, %by`,
      of: (a: bigint, b: bigint) => of(name)(a, b % BigInt(bits)),
    })),
    ...PREDICATES.map((name) => ({
      name: `icmp ${name}`,
      ir: `%c = icmp ${name} ${type} %a, %b\n  %r = zext i1 %c to ${type}`,
      of: of(name),
    })),
    {
      name: "sext and trunc",
      ir: `%h = trunc ${type} %a to i63\n  %r = sext i63 %h to ${type}`,
      of: (a) => BigInt.asIntN(63, a),
    },
    {
      name: "zext and trunc",
      ir: `%h = trunc ${type} %a to i64\n  %r = zext i64 %h to ${type}`,
      of: (a) => a & ~(~0n << 64n),
    },
  ];
}

const OVERFLOW = ["sadd", "uadd", "ssub", "usub", "smul", "umul"] as const;
const NARROW_WIDTHS = [8, 16, 24, 31, 32, 33, 48, 63, 64] as const;

/** The result, and one bit above it: whether it is not the exact one. */
function overflowsOf(bits: number): Operation[] {
  const type = `i${bits}`;
  return OVERFLOW.flatMap((word) => {
    const fit = word.startsWith("s") ? BigInt.asIntN : BigInt.asUintN;
    const exact = (a: bigint, b: bigint): bigint => {
      const [x, y] = [fit(bits, a), fit(bits, b)];
      return { add: x + y, sub: x - y, mul: x * y }[word.slice(1)] as bigint;
    };
    const name = `llvm.${word}.with.overflow.${type}`;
    const declaration = `declare { ${type}, i1 } @${name}(${type}, ${type})`;
    const call = `%pair = call { ${type}, i1 } @${name}(${type} %a, ${type} %b)\n  `;
    return [
      { name, declaration, ir: `${call}%r = extractvalue { ${type}, i1 } %pair, 0`, of: exact },
      {
        name: `whether ${name} overflows`,
        declaration,
        ir: `${call}%o = extractvalue { ${type}, i1 } %pair, 1\n  %r = zext i1 %o to ${type}`,
        of: (a: bigint, b: bigint) => BigInt(exact(a, b) !== fit(bits, exact(a, b))),
      },
    ];
  });
}

/** Stores a op b for every pair of operands. */
function kernel(bits: number, { ir, declaration = "" }: Operation): string {
  const [type, bytes] = [`i${bits}`, bytesOf(bits)];
  const narrowed = (x: string): string =>
    bits === bytes * 8 ? `  %${x} = or ${type} %w${x}, 0` : `  %${x} = trunc i${bytes * 8} %w${x} to ${type}`;
  return `target triple = "nvptx-nvidia-cuda"
${declaration}
define ptx_kernel void @k(ptr %in, ptr %out, i32 %n) {
entry:
  br label %rows
rows:
  %i = phi i32 [ 0, %entry ], [ %i1, %rowEnd ]
  %ia = mul i32 %i, ${bytes}
  %pa = getelementptr i8, ptr %in, i32 %ia
  %wa = load i${bytes * 8}, ptr %pa, align 8
  br label %body
body:
  %j = phi i32 [ 0, %rows ], [ %j1, %bodyEnd ]
  %jb = mul i32 %j, ${bytes}
  %pb = getelementptr i8, ptr %in, i32 %jb
  %wb = load i${bytes * 8}, ptr %pb, align 8
${narrowed("a")}
${narrowed("b")}
  ${ir}
${bits === bytes * 8 ? `  %s = or ${type} %r, 0` : `  %s = zext ${type} %r to i${bytes * 8}`}
  %row = mul i32 %i, %n
  %cell = add i32 %row, %j
  %at = mul i32 %cell, ${bytes}
  %p = getelementptr i8, ptr %out, i32 %at
  store i${bytes * 8} %s, ptr %p, align 8
  br label %bodyEnd
bodyEnd:
  %j1 = add i32 %j, 1
  %moreJ = icmp ult i32 %j1, %n
  br i1 %moreJ, label %body, label %rowEnd
rowEnd:
  %i1 = add i32 %i, 1
  %moreI = icmp ult i32 %i1, %n
  br i1 %moreI, label %rows, label %end
end:
  ret void
}`;
}

function toBytes(values: readonly bigint[], bits: number): Uint8Array {
  const bytes = bytesOf(bits);
  return Uint8Array.from(
    values.flatMap((value) => Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 255n))),
  );
}

function fromBytes(bytes: Uint8Array, bits: number): bigint[] {
  const words = new BigUint64Array(bytes.slice().buffer);
  const each = bytesOf(bits) / 8;
  return Array.from({ length: words.length / each }, (_, i) =>
    [...words.subarray(i * each, (i + 1) * each)].reverse().reduce((sum, word) => (sum << 64n) | word, 0n),
  );
}

function wrongResults(bits: number, operation: Operation, used: readonly bigint[]): string[] {
  const module = parseModule(kernel(bits, operation), "wide.ll");
  legalizeModule(module);
  assertValid(module, "legalizing");
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const input = h.place(toBytes(used, bits));
  const size = used.length ** 2 * bytesOf(bits);
  const out = h.place(new Uint8Array(size));
  const { fault } = h.run(createInterpreter(), program, "k", { grid: 1, block: 1 }, [input, out, used.length]);
  expect(fault).toBeNull();
  const got = fromBytes(h.read(out, size), bits);
  return used.flatMap((a, i) =>
    used.flatMap((b, j) => {
      const expected = operation.of(a, b);
      const found = got[i * used.length + j] as bigint;
      return expected === null || found === BigInt.asUintN(bits, expected)
        ? []
        : [`${a.toString(16)}, ${b.toString(16)}: ${found.toString(16)}`];
    }),
  );
}

describe.each(WIDTHS)("i%i", (bits) => {
  const values = operands(bits);
  // A division is a loop over all bits: fewer operands.
  const few = values.filter((_, i) => i % 3 === 0 || i < 5);

  test.each(operationsOf(bits).map((operation) => [operation.name, operation] as const))("%s", (name, operation) => {
    const used = /div|rem|sh/.test(name) ? few : values;
    expect(wrongResults(bits, operation, used).slice(0, 3)).toEqual([]);
  });
});

describe.each(NARROW_WIDTHS)("overflow of i%i", (bits) => {
  test.each(overflowsOf(bits).map((operation) => [operation.name, operation] as const))("%s", (_, operation) => {
    expect(wrongResults(bits, operation, operands(bits)).slice(0, 3)).toEqual([]);
  });
});
