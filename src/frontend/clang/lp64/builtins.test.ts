/**
 * Arithmetic of 128 bits (hostlib/wasm64/builtins.c) against bigints, and calls through a table of 64-bit programs. The
 * code needs no C library: Clang and the linker are enough.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { enableWasmFeatures } from "../../../engine/emit/v8-flags-node.ts";
import { make32BitTable } from "../../../wasm/table32.ts";
import { Clang } from "../clang.ts";
import { clangForTests } from "../clang-resources.test-helper.ts";

type Call = (...values: (bigint | number)[]) => bigint | number;

let clang: Clang;
beforeAll(async () => {
  enableWasmFeatures();
  clang = await Clang.load(clangForTests());
});

/** The exports of a C file for wasm64. */
function load(path: string, text: string | null): Record<string, Call> & { memory: WebAssembly.Memory } {
  const run = (args: string[], files: Map<string, Uint8Array>): Uint8Array => {
    const result = clang.run([...args, "-o", "/heddle/out/o"], { files });
    expect(result.stderr).toBe("");
    return result.output("/heddle/out/o") as Uint8Array;
  };
  const source = new Map(text === null ? [] : [[path, new TextEncoder().encode(text)]]);
  const object = run(["clang", "-cc1", "-triple", "wasm64-wasip1", "-O2", "-w", "-emit-obj", path], source);
  const wasm = run(
    ["wasm-ld", "-m", "wasm64", "--no-entry", "--export-all", "--export-table", "--allow-undefined", "/heddle/out/a.o"],
    new Map([["/heddle/out/a.o", object]]),
  );
  make32BitTable(wasm);
  const math = {
    logb: Math.log2,
    logbf: Math.log2,
    logbl: () => {},
    scalbn: () => 0,
    scalbnf: () => 0,
    scalbnl: () => {},
  };
  return new WebAssembly.Instance(new WebAssembly.Module(wasm as BufferSource), {
    env: { ...math, fmax: Math.max, fmaxf: Math.max, fmaxl: () => {} },
  }).exports as never;
}

const RESULT = 1024n;
const U64 = (1n << 64n) - 1n;
const words = (x: bigint): [bigint, bigint] => [BigInt.asIntN(64, x), BigInt.asIntN(64, x >> 64n)];

let seed = 1n;
function random(bits: number): bigint {
  let value = 0n;
  for (let i = 0; i < 5; i++) {
    seed = (seed * 6364136223846793005n + 1442695040888963407n) & U64;
    value = (value << 32n) | (seed >> 32n);
  }
  return value & ((1n << BigInt(bits)) - 1n);
}
/** Short and long numbers, and those at the ends. */
function numbers(): bigint[] {
  const ends = [0n, 1n, 2n, U64, U64 + 1n, 1n << 127n, (1n << 127n) - 1n, (1n << 128n) - 1n];
  return [...ends, ...Array.from({ length: 30 }, (_, i) => random(4 * i + 8))];
}

describe("integers of 128 bits", () => {
  let code: ReturnType<typeof load>;
  beforeAll(() => {
    code = load("/heddle/hostlib/wasm64/builtins.c", null);
  });
  const call = (name: string, ...values: (bigint | number)[]): bigint => {
    (code[name] as Call)(RESULT, ...values);
    const view = new DataView(code.memory.buffer);
    return view.getBigUint64(1024, true) | (view.getBigUint64(1032, true) << 64n);
  };
  const signed = (x: bigint): bigint => BigInt.asIntN(128, x);
  const unsigned = (x: bigint): bigint => BigInt.asUintN(128, x);

  test("products, quotients and rests", () => {
    for (const a of numbers())
      for (const b of numbers()) {
        const args = [...words(a), ...words(b)];
        expect(call("__multi3", ...args)).toBe(unsigned(a * b));
        if (b === 0n) continue;
        expect(call("__udivti3", ...args)).toBe(a / b);
        expect(call("__umodti3", ...args)).toBe(a % b);
        expect(call("__divti3", ...args)).toBe(unsigned(signed(a) / signed(b)));
        expect(call("__modti3", ...args)).toBe(unsigned(signed(a) % signed(b)));
      }
  });
  test("shifts by every count", () => {
    for (const a of numbers())
      for (let n = 0; n < 128; n++) {
        expect(call("__ashlti3", ...words(a), n)).toBe(unsigned(a << BigInt(n)));
        expect(call("__lshrti3", ...words(a), n)).toBe(a >> BigInt(n));
        expect(call("__ashrti3", ...words(a), n)).toBe(unsigned(signed(a) >> BigInt(n)));
      }
  });
  test("numbers become floats and back: as conversions of doubles do", () => {
    for (const a of numbers()) {
      expect((code["__floatuntidf"] as Call)(...words(a))).toBe(Number(a));
      expect((code["__floattidf"] as Call)(...words(a))).toBe(Number(signed(a)));
      expect((code["__floatuntisf"] as Call)(...words(a))).toBe(Math.fround(Number(a)) || 0);
      expect(call("__fixunsdfti", Number(a) * 0.75)).toBe(BigInt(Math.floor(Number(a) * 0.75)));
    }
  });
});

describe("long double", () => {
  let code: ReturnType<typeof load>;
  beforeAll(() => {
    code = load("/heddle/hostlib/wasm64/builtins.c", null);
  });
  const call = (name: string, ...values: (bigint | number)[]): bigint => {
    (code[name] as Call)(RESULT, ...values);
    const view = new DataView(code.memory.buffer);
    return view.getBigUint64(1024, true) | (view.getBigUint64(1032, true) << 64n);
  };
  const FRACTION = 1n << 112n;
  const LAST = -16382 - 112;
  /** value = numerator * 2^exponent, exactly. */
  const exact = (bits: bigint): { n: bigint; e: number } => {
    const field = Number((bits >> 112n) & 0x7fffn);
    const fraction = bits & (FRACTION - 1n);
    const magnitude = field === 0 ? fraction : fraction | FRACTION;
    return { n: bits >> 127n === 1n ? -magnitude : magnitude, e: Math.max(field, 1) - 16383 - 112 };
  };
  /** The nearest long double of numerator / denominator * 2^exponent; zero has the sign that is given. */
  const nearest = (numerator: bigint, denominator: bigint, exponent: number, zeroSign: bigint): bigint => {
    const sign = numerator === 0n ? zeroSign : BigInt(numerator < 0n);
    let n = numerator < 0n ? -numerator : numerator;
    if (n === 0n) return sign << 127n;
    let d = denominator;
    const bits = (x: bigint): number => x.toString(2).length;
    // The exponent of the last bit: of 113, or the smallest that there is.
    let e = Math.max(exponent + bits(n) - bits(d) - 113, LAST);
    for (;;) {
      const [top, bottom] = [n << BigInt(Math.max(exponent - e, 0)), d << BigInt(Math.max(e - exponent, 0))];
      if (bits(top / bottom) <= 113) {
        [n, d] = [top, bottom];
        break;
      }
      e++;
    }
    let q = n / d;
    const rest = n % d;
    const twice = rest * 2n;
    if (twice > d || (twice === d && (q & 1n) === 1n)) q++;
    if (q === 1n << 113n) {
      q >>= 1n;
      e++;
    }
    const field = q < FRACTION ? 0 : e + 112 + 16383;
    if (field >= 0x7fff) return (sign << 127n) | (0x7fffn << 112n);
    return (sign << 127n) | (BigInt(field) << 112n) | (q & (FRACTION - 1n));
  };
  const operands = (): bigint[] => {
    const found: bigint[] = [];
    for (let i = 0; i < 40; i++) {
      // Exponents near one another, so that sums cancel and carry; some at the ends.
      const field = i % 8 === 7 ? random(1) * 3n : 16383n - 60n + random(7);
      const fraction = i % 3 === 0 ? random(112) & ~((1n << 80n) - 1n) : random(112);
      found.push((random(1) << 127n) | (field << 112n) | fraction);
    }
    return found;
  };

  test("sums, differences, products and quotients are rounded to the nearest", () => {
    for (const a of operands())
      for (const b of operands()) {
        const [x, y] = [exact(a), exact(b)];
        const args = [...words(a), ...words(b)];
        const e = Math.min(x.e, y.e);
        const sum = (factor: bigint): bigint => (x.n << BigInt(x.e - e)) + factor * (y.n << BigInt(y.e - e));
        expect(call("__addtf3", ...args)).toBe(nearest(sum(1n), 1n, e, 0n));
        expect(call("__subtf3", ...args)).toBe(nearest(sum(-1n), 1n, e, 0n));
        const sign = (a >> 127n) ^ (b >> 127n);
        expect(call("__multf3", ...args)).toBe(nearest(x.n * y.n, 1n, x.e + y.e, sign));
        if (y.n === 0n) continue;
        const [n, d] = y.n < 0n ? [-x.n, -y.n] : [x.n, y.n];
        expect(call("__divtf3", ...args)).toBe(nearest(n, d, x.e - y.e, sign));
        const order = sum(-1n);
        expect(Math.sign(Number((code["__cmptf2"] as Call)(...args)))).toBe(Number(order > 0n) - Number(order < 0n));
      }
  });
  test("doubles and floats go to long double and come back as they are", () => {
    const doubles = [
      0,
      -0,
      1,
      -1.5,
      Math.PI,
      5e-324,
      2.2250738585072014e-308,
      1.7976931348623157e308,
      Infinity,
      -Infinity,
    ];
    for (const x of doubles) {
      const long = call("__extenddftf2", x);
      expect((code["__trunctfdf2"] as Call)(...words(long))).toBe(x);
      expect((code["__trunctfsf2"] as Call)(...words(long))).toBe(Math.fround(x));
    }
    expect((code["__trunctfdf2"] as Call)(...words(call("__extenddftf2", NaN)))).toBeNaN();
    for (let i = 0; i < 200; i++) {
      const half = Number(random(16));
      if ((half & 0x7c00) === 0x7c00) continue;
      const wide = (code["__extendhfsf2"] as Call)(half);
      expect((code["__truncsfhf2"] as Call)(wide)).toBe(half);
    }
  });
});

test("a module for wasm64 calls through a table whose indices have 32 bits", () => {
  const { viaTable, viaPointer, address } = load(
    "/heddle/out/table.c",
    `typedef int (*F)(int);
     int one(int x) { return x + 1; } int two(int x) { return 2 * x; }
     F table[] = {one, two};
     F address(int i) { return table[i]; }
     int viaTable(int i, int x) { return table[i](x); }
     int viaPointer(F f, int x) {
       switch (x & 7) {
       case 0: return f(1);
       case 1: return f(2) + f(3);
       case 5: return f(x) * 3;
       default: return f(f(x));
       }
     }`,
  ) as Record<string, Call>;
  expect([viaTable?.(0, 5), viaTable?.(1, 5)]).toEqual([6, 10]);
  const two = address?.(1) as bigint;
  expect([0, 1, 2, 5].map((x) => viaPointer?.(two, x))).toEqual([2, 10, 8, 30]);
});
