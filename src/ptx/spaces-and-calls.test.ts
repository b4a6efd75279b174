/** Pointers that may be to several memories, and what a call passes, in emitted PTX. */
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { emitPtxModule } from "./emit-module.ts";
import { NATIVE_TARGET, TEST_TARGET, withWidePointers } from "./test-target.test-helper.ts";

const emit = (ir: string): string =>
  emitPtxModule(parseModule(`target triple = "nvptx-nvidia-cuda"\n${ir}`, "test.ll"), TEST_TARGET).text;

describe("a pointer from memory may be to each memory that the program has, and to no other", () => {
  const SHARED = "@s = internal addrspace(3) global [8 x i32] undef, align 4";
  const CONSTANT = "@c = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4";
  const uses = {
    shared: "store i32 1, ptr addrspacecast (ptr addrspace(3) @s to ptr), align 4",
    constant: "%v = load i32, ptr addrspacecast (ptr addrspace(4) @c to ptr), align 4\n  store i32 %v, ptr %out",
    local:
      "%n = load i32, ptr %out\n  %a = alloca [4 x i32], align 4\n  %q = getelementptr i32, ptr %a, i32 %n\n  " +
      "store volatile i32 2, ptr %q, align 4",
  };
  const WORDS = { shared: "cvta.shared.u64", constant: "cvta.const.u64", local: "cvta.local.u64" } as const;
  const kinds = ["shared", "constant", "local"] as const;
  test.each([
    ["none", []],
    ...kinds.map((kind) => [kind, [kind]] as const),
    ["shared and local", ["shared", "local"]],
    ["all", kinds],
  ] as const)("%s", (_, has) => {
    const text = emit(`${has.includes("shared" as never) ? SHARED : ""}
${has.includes("constant" as never) ? CONSTANT : ""}
define ptx_kernel void @k(ptr %out) {
  ${has.map((kind) => uses[kind]).join("\n  ")}
  %p = load ptr, ptr %out, align 4
  store i32 5, ptr %p, align 4
  ret void
}`);
    for (const kind of kinds)
      expect(text.includes(WORDS[kind]), `${kind} of ${has.join()}`).toBe(has.includes(kind as never));
    // Where it can only be to global memory, the instruction says so.
    expect(/st\.global\.b32 \[%rd\d+\], 5;/.test(text)).toBe(has.length === 0);
  });
});

test("a call passes a predicate as 1 or 0, and small numbers as they are held", () => {
  const text = emit(`declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define i1 @f(i1 %c, i8 %b, i32 %depth) noinline {
entry:
  %stop = icmp eq i32 %depth, 0
  br i1 %stop, label %end, label %more
more:
  %less = sub i32 %depth, 1
  %r = call i1 @f(i1 %c, i8 %b, i32 %less)
  ret i1 %r
end:
  %s = icmp ugt i8 %b, 3
  %x = xor i1 %s, %c
  ret i1 %x
}
define ptx_kernel void @k(ptr %out, i32 %n) {
  %c = icmp sgt i32 %n, 4
  %b = trunc i32 %n to i8
  %r = call i1 @f(i1 %c, i8 %b, i32 %n)
  %z = zext i1 %r to i32
  store i32 %z, ptr %out, align 4
  ret void
}`);
  const kernel = text
    .slice(text.indexOf(".entry k"))
    .split("\n")
    .map((line) => line.trim());
  const at = kernel.findIndex((line) => line.startsWith("setp.gt.s32"));
  const passed = /^selp\.b32 (%r\d+), 1, 0, %p1;$/;
  const word = kernel.map((line) => passed.exec(line)?.[1]).find((register) => register !== undefined);
  expect(at).toBeGreaterThan(0);
  expect(kernel).toContain(`st.param.b32 [a0], ${word as string};`);
  const body = text.slice(text.indexOf(".func"), text.indexOf(".entry k"));
  expect(body).toMatch(/setp\.ne\.u32 %p\d+, %r\d+, 0;/);
  expect(body).toMatch(/selp\.b32 %r\d+, 1, 0, %p\d+;/);
});

test("an address in a variable is a whole word of it", () => {
  const emitWide = (type: string, value: string): string =>
    emitPtxModule(
      parseModule(
        withWidePointers(`target triple = "nvptx-nvidia-cuda"
@x = addrspace(1) global [4 x i32] zeroinitializer, align 16
@table = addrspace(1) global ${type} ${value}, align 8
define ptx_kernel void @k(ptr %out) {
  %v = load i64, ptr addrspace(1) @table, align 8
  store i64 %v, ptr %out, align 8
  ret void
}`),
        "test.ll",
      ),
      NATIVE_TARGET,
    ).text;
  expect(emitWide("{ i64, ptr addrspace(1) }", "{ i64 7, ptr addrspace(1) @x }")).toMatch(/table\S* = \{7, .*x\)?\}/);
  expect(() => emitWide("<{ i8, ptr addrspace(1) }>", "<{ i8 7, ptr addrspace(1) @x }>")).toThrow(
    /the address of x in table, which is not a whole word of it/,
  );
});

test("a product with a sparse A of PTX that a program loads is the instruction again", () => {
  const registers = (from: number, count: number): string =>
    Array.from({ length: count }, (_, i) => `i32 %v${from + i}`).join(", ");
  const loads = Array.from({ length: 9 }, (_, i) => `  %v${i} = load i32, ptr %p${i}`);
  const places = Array.from({ length: 9 }, (_, i) => `  %p${i} = getelementptr i32, ptr %out, i32 ${i}`);
  const types = Array.from({ length: 10 }, () => "i32").join(", ");
  const text = emit(`%r = type { i32, i32, i32, i32 }
declare %r @__heddle_mma_m16n8k32_s32_s8_u8_s32_sp_sat(${types})
define ptx_kernel void @k(ptr %out) {
${places.join("\n")}
${loads.join("\n")}
  %d = call %r @__heddle_mma_m16n8k32_s32_s8_u8_s32_sp_sat(${registers(0, 4)}, ${registers(4, 4)}, i32 %v8, i32 1)
  %e = extractvalue %r %d, 1
  store i32 %e, ptr %out
  ret void
}`);
  const four = String.raw`\{%r\d+, %r\d+, %r\d+, %r\d+\}`;
  const two = String.raw`\{%r\d+, %r\d+\}`;
  expect(text).toMatch(
    new RegExp(
      String.raw`mma\.sp\.sync\.aligned\.m16n8k32\.row\.col\.satfinite\.s32\.s8\.u8\.s32 ` +
        `${four}, ${two}, ${two}, ${four}, ` +
        String.raw`%r\d+, 1;`,
    ),
  );
});
