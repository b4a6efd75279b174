import fc from "../base/properties.test-helper.ts";
import { setFlagsFromString } from "node:v8";
import { describe, expect, test } from "vitest";
import { ByteWriter } from "./byte-writer.ts";
import { disassemble } from "./disassemble.ts";
import { ModuleBuilder, findMark } from "./module-builder.ts";
import { LANE_CODES, MEMORY_CODES, MEMORY_LANE_CODES, PLAIN_CODES, methodName } from "./opcodes.ts";
import type { ValueType } from "./types.ts";

// From 22 on it is on, and V8 says that it knows no such flag.
if (Number(process.versions.node.split(".")[0]) < 22) setFlagsFromString("--experimental-wasm-relaxed-simd");

const bytes = (write: (w: ByteWriter) => void): number[] => {
  const w = new ByteWriter(1);
  write(w);
  return [...w.finish()];
};

/** Runs a function of no parameters in a module of its own. */
function evaluate(result: ValueType, build: (f: ReturnType<ModuleBuilder["function"]>) => void): unknown {
  const module = new ModuleBuilder();
  const f = module.function("f", [], [result]);
  build(f);
  module.exportFunction("f", f);
  return (new WebAssembly.Instance(new WebAssembly.Module(module.finish())).exports["f"] as () => unknown)();
}

describe("numbers", () => {
  test("LEB128 of the specification's examples and edges", () => {
    expect(bytes((w) => w.u32(624485))).toEqual([0xe5, 0x8e, 0x26]);
    expect(bytes((w) => w.u32(0xffff_ffff))).toEqual([0xff, 0xff, 0xff, 0xff, 0x0f]);
    expect(bytes((w) => w.s32(-123456))).toEqual([0xc0, 0xbb, 0x78]);
    expect(bytes((w) => w.s32(64))).toEqual([0xc0, 0x00]);
    expect(bytes((w) => w.s32(-64))).toEqual([0x40]);
    expect(bytes((w) => w.s32(0xffff_ffff))).toEqual([0x7f]);
    expect(bytes((w) => w.s64(-(1n << 63n))).length).toBe(10);
  });

  test("constants of every size come back", () => {
    fc.assert(
      fc.property(fc.integer(), fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), fc.double(), (i, l, d) => {
        expect(evaluate("i32", (f) => f.i32Const(i))).toBe(i);
        expect(evaluate("i64", (f) => f.i64Const(l))).toBe(l);
        expect(evaluate("f64", (f) => f.f64Const(d))).toBe(d);
      }),
      { numRuns: 300 },
    );
    for (let shift = 0; shift < 64; shift++) {
      for (const value of [1n << BigInt(shift), (1n << BigInt(shift)) - 1n, -(1n << BigInt(shift))]) {
        const signed = BigInt.asIntN(64, value);
        expect(evaluate("i64", (f) => f.i64Const(value))).toBe(signed);
        expect(evaluate("i32", (f) => f.i32Const(Number(BigInt.asIntN(32, value))))).toBe(
          Number(BigInt.asIntN(32, value)),
        );
      }
    }
  });

  test("memory offsets and local indices of every LEB length", () => {
    for (const offset of [0, 127, 128, 16383, 16384, 1 << 21, 0x7fff_ffff, 0xffff_ffff]) {
      const module = new ModuleBuilder();
      module.defineMemory({ minPages: 1 });
      const f = module.function("f", ["i32"], ["i32"]);
      for (let i = 0; i < 300; i++) f.local(i % 2 === 0 ? "i32" : "f32");
      f.localGet(0)
        .i32Load(offset, 2)
        .drop()
        .localGet(300 - 1);
      const wasm = module.finish();
      expect(WebAssembly.validate(wasm)).toBe(true);
      expect(disassemble(wasm)[0]?.lines[1]).toContain(`align=2 offset=${offset}`);
    }
  });
});

describe("every instruction", () => {
  // An instruction in unreachable code type-checks with any operands, so each can be validated alone.
  const cases: [string, readonly unknown[]][] = [
    ...Object.keys(PLAIN_CODES).map((name): [string, unknown[]] => [name, []]),
    ...Object.keys(LANE_CODES).map((name): [string, unknown[]] => [name, [1]]),
    ...Object.keys(MEMORY_CODES).map((name): [string, unknown[]] => [name, [200]]),
    ...Object.keys(MEMORY_LANE_CODES).map((name): [string, unknown[]] => [name, [1, 200]]),
  ];
  test.each(cases)("%s", (name, args) => {
    const module = new ModuleBuilder();
    module.importMemory("env", "memory", { minPages: 1, maxPages: 65536, shared: true });
    const f = module.function("f", []);
    f.unreachable();
    (f as unknown as Record<string, (...a: unknown[]) => unknown>)[methodName(name)]?.(...args);
    f.unreachable();
    const wasm = module.finish();
    expect(WebAssembly.validate(wasm)).toBe(true);
    expect(disassemble(wasm)[0]?.lines[1]).toContain(` ${name}`);
  });

  test("instructions are where the specification puts them", () => {
    const splat = (f: Parameters<Parameters<typeof evaluate>[1]>[0], value: number): void => {
      f.f32Const(value).f32x4Splat();
    };
    expect(
      evaluate("f32", (f) => {
        splat(f, 2);
        splat(f, 3);
        splat(f, 4);
        f.f32x4RelaxedMadd().f32x4ExtractLane(2);
      }),
    ).toBe(10);
    expect(
      evaluate("i32", (f) =>
        f.i32x4Const(1, 2, 3, 4).i32x4Const(5, 6, 7, 8).i32x4Shuffle(7, 0, 1, 2).i32x4ExtractLane(0),
      ),
    ).toBe(8);
    expect(evaluate("i32", (f) => f.i32x4Const(-1, 2, -3, 4).i32x4Bitmask())).toBe(0b0101);
    expect(evaluate("i32", (f) => f.f32Const(1e20).i32TruncSatF32S())).toBe(0x7fff_ffff);
    expect(evaluate("i32", (f) => f.i32Const(0x80).i32Extend8S())).toBe(-128);
    expect(evaluate("f64", (f) => f.f64Const(2).f64Sqrt())).toBe(Math.SQRT2);
    expect(evaluate("i64", (f) => f.i64Const(-8n).i64Const(1n).i64ShrS())).toBe(-4n);
  });
});

describe("modules", () => {
  test("imports, tables, indirect calls, globals, data, control", () => {
    const module = new ModuleBuilder();
    const log = module.importFunction("env", "log", ["i32"]);
    module.defineMemory({ minPages: 1 });
    const counter = module.global("i32", true, 5);
    const passive = module.dataSegment(null, new Uint8Array([9, 8, 7]));
    module.dataSegment(16, new Uint8Array([1, 2, 3]));
    const table = module.table(4);
    const double = module.function("double", ["i32"], ["i32"]);
    double.localGet(0).i32Const(1).i32Shl();
    const negate = module.function("negate", ["i32"], ["i32"]);
    negate.i32Const(0).localGet(0).i32Sub();
    module.element(table, 1, [double, negate]);
    const main = module.function("main", ["i32"], ["i32"]);
    const sum = main.local("i32");
    const i = main.local("i32");
    main.globalGet(counter).localSet(i);
    const exit = main.block();
    const again = main.loop();
    main.localGet(i).i32Eqz().brIf(exit);
    main.localGet(i).localGet(0).callIndirect(["i32"], ["i32"], table).localGet(sum).i32Add().localSet(sum);
    main.localGet(i).i32Const(1).i32Sub().localSet(i).br(again);
    main.end(again).end(exit);
    main.localGet(sum).call(log);
    main.i32Const(100).i32Const(0).i32Const(3).memoryInit(passive);
    main.localGet(sum).i32Const(0).i32Load8U(101).i32Add().i32Const(0).i32Load8U(18).i32Add();
    module.exportFunction("main", main);
    const wasm = module.finish();
    const logged: number[] = [];
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
      env: { log: (x: number) => logged.push(x) },
    });
    expect((exports["main"] as (x: number) => number)(1)).toBe(2 * (5 + 4 + 3 + 2 + 1) + 8 + 3);
    expect((exports["main"] as (x: number) => number)(2)).toBe(-15 + 8 + 3);
    expect(logged).toEqual([30, -15]);
  });

  test("br_table, if/else with results, multi-value blocks, recycled locals", () => {
    const f = (which: number): unknown =>
      evaluate("i32", (f) => {
        const a = f.local("i32");
        f.free(a);
        expect(f.local("i32")).toBe(a);
        expect(f.freshLocal("i32")).not.toBe(a);
        const two = f.block();
        const one = f.block();
        const zero = f.block();
        f.i32Const(which).brTable([zero, one], two);
        f.end(zero).i32Const(10).return().end(one).i32Const(11).return().end(two);
        f.i32Const(1).if("i32");
        f.i32Const(12).else().i32Const(13).end();
        const pair = f.block({ params: ["i32"], results: ["i32", "i32"] });
        f.i32Const(5).end(pair).i32Add();
      });
    expect([f(0), f(1), f(2), f(99)]).toEqual([10, 11, 17, 17]);
  });

  test("code that is added later stands at its place, and marks behind it move along", () => {
    const module = new ModuleBuilder();
    const f = module.function("f", [], ["i32"]);
    const x = f.local("i32");
    f.mark(1).i32Const(5).localSet(x);
    const first = f.laterHere();
    const loop = f.loop();
    const second = f.laterHere();
    f.mark(2).localGet(x).i32Const(100).i32LtU().brIf(loop);
    f.end(loop);
    f.mark(3).localGet(x);
    second(() => f.localGet(x).i32Const(2).i32Mul().localSet(x));
    first(() => f.localGet(x).i32Const(1).i32Add().localSet(x));
    module.exportFunction("f", f);
    const wasm = module.finish();
    expect((new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports["f"] as () => number)()).toBe(192);
    const marks = module.sourceMarks();
    expect(marks.map(({ mark }) => mark)).toEqual([1, 2, 3]);
    // local.get 0, i32.const 100, i32.lt_u
    expect([...wasm.subarray(marks[1]!.offset, marks[1]!.offset + 6)]).toEqual([0x20, 0, 0x41, 0xe4, 0, 0x49]);
  });

  test("a trap's offset finds its mark", () => {
    const module = new ModuleBuilder();
    const f = module.function("faulty", ["i32"], ["i32"]);
    f.mark(7).i32Const(1).drop().mark(8).i32Const(1).localGet(0).i32DivU().mark(9);
    module.exportFunction("f", f);
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module.finish()));
    let stack = "";
    try {
      (instance.exports["f"] as (x: number) => number)(0);
    } catch (error) {
      stack = (error as Error).stack ?? "";
    }
    const offset = /faulty.*:0x([0-9a-f]+)/.exec(stack)?.[1];
    expect(findMark(module.sourceMarks(), Number.parseInt(offset ?? "", 16))).toBe(8);
    expect(findMark(module.sourceMarks(), 0)).toBeNull();
  });

  test("wrong nesting is our bug", () => {
    const f = new ModuleBuilder().function("f", []);
    const label = f.block();
    f.end(label);
    expect(() => f.br(label)).toThrow("BUG");
    expect(() => f.end()).toThrow("BUG");
  });
});

describe("branch hints", () => {
  test("stand in their custom section before the code, at the branch's offset in the body", () => {
    const module = new ModuleBuilder();
    const f = module.function("f", ["i32"], ["i32"]);
    const t = f.local("i32");
    f.localGet(0).hint("unlikely").if();
    f.i32Const(7).localSet(t);
    f.end();
    f.localGet(t);
    module.exportFunction("f", f);
    const wasm = module.finish();
    expect(WebAssembly.validate(wasm)).toBe(true);
    const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(wasm), "metadata.code.branch_hint");
    // one function, index 0, one hint: offset 5 (one group of locals: 01 01 7f, local.get 0: 20 00), one byte, 0
    expect([...new Uint8Array(section as ArrayBuffer)]).toEqual([1, 0, 1, 5, 1, 0]);
  });
});
