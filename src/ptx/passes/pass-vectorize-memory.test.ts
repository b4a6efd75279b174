/** Which accesses of neighbouring words become one of several, and where it stands. */
import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { emitPtxModule } from "../emit-module.ts";
import { TEST_TARGET } from "../test-target.test-helper.ts";

/** The instructions of a kernel of %p, %q and %n, first words alone. */
function instructionsOf(body: string): string[] {
  const { text } = emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
define ptx_kernel void @k(ptr %p, ptr %q, i32 %n) {
${[4, 8, 12].map((n) => `  %p${n} = getelementptr i8, ptr %p, i32 ${n}`).join("\n")}
${body}
  ret void
}`,
      "test.ll",
    ),
    TEST_TARGET,
  );
  const words = text.split("\n").map((line) => line.trim().split(" ")[0] as string);
  return words.filter((word) => /^(?:ld|st|xor|bar)/.test(word) && !word.startsWith("ld.param"));
}
const vectors = (body: string): string[] =>
  instructionsOf(body).flatMap((word) => /^(ld|st)\.\S*?(v[24])/.exec(word)?.slice(1).join(" ") ?? []);

const TWO_LOADS = (between: string): string => `  %a = load i32, ptr %p, align 8
${between}
  %b = load i32, ptr %p4, align 4
  %s = add i32 %a, %b
  store i32 %s, ptr %q, align 4`;

test("two and four neighbours are joined where the address is aligned", () => {
  expect(vectors(TWO_LOADS(""))).toEqual(["ld v2"]);
  expect(vectors(TWO_LOADS("").replace("align 8", "align 4"))).toEqual([]);
  const stores = ["%p", "%p4", "%p8", "%p12"].map((at) => `  store i32 %n, ptr ${at}, align 4`).join("\n");
  expect(vectors(stores.replace("align 4", "align 16"))).toEqual(["st v4"]);
  expect(vectors(stores.replace("align 4", "align 8"))).toEqual(["st v2", "st v2"]);
});

test("a float and an integer of 16 bits are not joined: their registers differ", () => {
  const stores = (second: string): string => `  %h = load half, ptr %q, align 2
  %w = trunc i32 %n to i16
  %p2 = getelementptr i8, ptr %p, i32 2
  store half %h, ptr %p, align 4
  store ${second}, ptr %p2, align 2`;
  expect(vectors(stores("half %h"))).toEqual(["st v2"]);
  expect(vectors(stores("i16 %w"))).toEqual([]);
});

test("what one access promises of its address holds for others at the same base", () => {
  const body = `  %a = load i32, ptr %p, align 16
  %c = load i32, ptr %p8, align 4
  %d = load i32, ptr %p12, align 4
  %s = add i32 %c, %d
  %t = add i32 %s, %a
  store i32 %t, ptr %q, align 4`;
  expect(vectors(body)).toEqual(["ld v2"]);
});

test.each([
  ["a store that may be to the same place", "  store i32 %n, ptr %q, align 4"],
  ["a volatile store elsewhere", "  store volatile i32 %n, ptr %q, align 4"],
  ["a volatile store beside them", "  store volatile i32 %n, ptr %p12, align 4"],
  ["an atomic operation", "  %o = atomicrmw add ptr %q, i32 1 monotonic"],
  ["a barrier", "  call void @llvm.nvvm.barrier0()"],
])("loads are not joined over %s", (_, line) => {
  expect(vectors(TWO_LOADS(line))).toEqual([]);
});

test("loads are joined over what neither reads nor writes, and over other loads", () => {
  expect(vectors(TWO_LOADS("  %x = add i32 %n, 1\n  store i32 %x, ptr %p12, align 4"))).toEqual(["ld v2"]);
  expect(vectors(TWO_LOADS("  %x = load i32, ptr %q, align 4\n  store i32 %x, ptr %p12, align 4"))).toEqual(["ld v2"]);
});

test("joined loads stand at the first, joined stores at the last of them", () => {
  const first = TWO_LOADS("  %x = xor i32 %a, %n\n  store i32 %x, ptr %p12, align 4");
  const words = instructionsOf(first);
  expect(words.findIndex((word) => word.includes("v2"))).toBeLessThan(
    words.findIndex((word) => word.startsWith("xor")),
  );
  const last = `  store i32 %n, ptr %p, align 8
  %x = xor i32 %n, 7
  store i32 %x, ptr %p4, align 4`;
  const stores = instructionsOf(last);
  expect(stores.findIndex((word) => word.includes("v2"))).toBeGreaterThan(
    stores.findIndex((word) => word.startsWith("xor")),
  );
});

const eight = (line: (n: number) => string): string => Array.from({ length: 8 }, (_, n) => line(n)).join("\n");

test.each(["i16", "half", "bfloat"])("eight neighbours of %s are four words", (type) => {
  const body = eight(
    (n) => `  %a${n} = getelementptr i8, ptr %p, i32 ${2 * n}
  %v${n} = load ${type}, ptr %a${n}, align ${n === 0 ? 16 : 2}
  %b${n} = getelementptr i8, ptr %q, i32 ${2 * n}
  store ${type} %v${n}, ptr %b${n}, align ${n === 0 ? 16 : 2}`,
  );
  // Each store may change what the next load reads.
  expect(vectors(body)).toEqual([]);
  const [loads, stores] = [/getelementptr i8, ptr %p|load/, /getelementptr i8, ptr %q|store/].map((own) =>
    body
      .split("\n")
      .filter((line) => own.test(line))
      .join("\n"),
  );
  const words = instructionsOf(`${loads}\n${stores}`);
  expect(words).toEqual(["ld.global.v4.b32", "st.global.v4.b32"]);
});

/** The float additions to four neighbours, with a line in front of the last one. */
const SUMS = (between = "", order = "monotonic"): string =>
  ["%p", "%p4", "%p8", "%p12"]
    .map((at, n) => {
      const sum = `%o${n} = atomicrmw fadd ptr ${at}, float 1.0 syncscope("device") ${order}`;
      return `${n === 3 ? between : ""}\n${sum}${n === 0 ? ", align 16" : ""}`;
    })
    .join("\n");

/** The atomic additions that become of them on a GPU. */
function atomicsOf(body: string, computeCapability = { major: 9, minor: 0 }): string[] {
  const { text } = emitPtxModule(
    parseModule(
      `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %p, ptr %q, i32 %n) {
${[4, 8, 12].map((n) => `  %p${n} = getelementptr i8, ptr %p, i32 ${n}`).join("\n")}
${body}
  ret void
}`,
      "test.ll",
    ),
    { ...TEST_TARGET, computeCapability },
  );
  return [...text.matchAll(/atom\.\S+/g)].map(([name]) => name);
}

test("relaxed additions of neighbouring floats are one vector's, where a GPU has such", () => {
  const one = "atom.relaxed.gpu.global.add";
  expect(atomicsOf(SUMS())).toEqual([`${one}.v4.f32`]);
  expect(atomicsOf(SUMS().replace("align 16", "align 8"))).toEqual([`${one}.v2.f32`, `${one}.v2.f32`]);
  expect(atomicsOf(SUMS().replace(", align 16", ""))).toHaveLength(4);
  expect(atomicsOf(SUMS(), { major: 8, minor: 0 })).toHaveLength(4);
  expect(atomicsOf(SUMS("", "acq_rel"))).toHaveLength(4);
});

test.each([
  ["a load of one of them", "%x = load float, ptr %p8, align 4"],
  ["a use of what one of them returned", "%x = fadd float %o0, 1.0"],
  ["another atomic operation", "%x = atomicrmw fadd ptr %q, float 1.0 monotonic"],
])("additions are not joined over %s", (_, line) => {
  expect(atomicsOf(`${SUMS(line)}\nstore float %x, ptr %q, align 4`).filter((name) => name.includes(".v4"))).toEqual(
    [],
  );
});

test("places that are written again behind a barrier are joined again", () => {
  const stores = `  store i32 %n, ptr %p, align 8
  store i32 %n, ptr %p4, align 4
  call void @llvm.nvvm.barrier0()`;
  expect(vectors(`${stores}\n${stores}\n${stores}`)).toEqual(["st v2", "st v2", "st v2"]);
});

test("a place that is read again behind a write of it is not joined with what was read before", () => {
  const body = `  %a = load i32, ptr %p, align 8
  store i32 %n, ptr %p4, align 4
  %b = load i32, ptr %p4, align 4
  %c = load i32, ptr %p, align 8
  %d = load i32, ptr %p4, align 4
  %s = add i32 %a, %b
  %t = add i32 %c, %d
  %u = add i32 %s, %t
  store i32 %u, ptr %q, align 4`;
  expect(vectors(body)).toEqual(["ld v2"]);
});
