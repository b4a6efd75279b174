import { describe, expect, it } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { summarizeAccesses } from "./access-summary.ts";

/** "r" and "w" by root, and the obstacle. */
function summary(ir: string): { regions: Record<string, string> | null; obstacle: string | null } {
  const module = parseModule(`target triple = "nvptx-nvidia-cuda"\n${ir}`, "test.ll");
  const kernel = [...module.functions.values()].find((f) => f.isKernel);
  if (kernel === undefined) throw new Error("the test has no kernel");
  const { regions, obstacle } = summarizeAccesses(kernel);
  if (regions === null) return { regions, obstacle };
  const text: Record<string, string> = {};
  for (const { root, read, write } of regions)
    text[root.kind === "param" ? `${root.index}+${root.offset}` : `@${root.name}`] =
      `${read ? "r" : ""}${write ? "w" : ""}`;
  return { regions: text, obstacle };
}

describe("access summary", () => {
  it("tells what is read from what is written", () => {
    expect(
      summary(`
      declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
        %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
        %p = getelementptr float, ptr %in, i32 %i
        %v = load float, ptr %p
        %q = getelementptr float, ptr %out, i32 %i
        store float %v, ptr %q
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "w", "1+0": "r" }, obstacle: null });
  });

  it("follows phis, selects, casts and calls", () => {
    expect(
      summary(`
      define internal void @put(ptr %where, float %v) noinline {\nstore float %v, ptr %where\nret void }
      define internal ptr @pick(ptr %a, ptr %b, i1 %c) noinline {\n%r = select i1 %c, ptr %a, ptr %b\nret ptr %r }
      define ptx_kernel void @k(ptr %out, ptr %x, ptr %y, i1 %c) {
      entry:
        %g = addrspacecast ptr %x to ptr addrspace(1)
        %s = addrspacecast ptr addrspace(1) %g to ptr
        %p = call ptr @pick(ptr %s, ptr %y, i1 %c)
        br label %loop
      loop:
        %q = phi ptr [ %p, %entry ], [ %next, %loop ]
        %v = load float, ptr %q
        call void @put(ptr %out, float %v)
        %next = getelementptr i8, ptr %q, i32 4
        br i1 %c, label %loop, label %done
      done:
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "w", "1+0": "r", "2+0": "r" }, obstacle: null });
  });

  it("leaves shared memory and the stack out, volatile or not", () => {
    expect(
      summary(`
      @tile = internal addrspace(3) global [256 x float] undef, align 4
      define ptx_kernel void @k(ptr %out) {
        %local = alloca [4 x float], align 4
        store float 1.0, ptr %local
        store volatile float 1.0, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
        %v = load volatile float, ptr addrspace(3) @tile
        store float %v, ptr %out
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "w" }, obstacle: null });
  });

  it("names module variables, but not string literals", () => {
    expect(
      summary(`
      @coefficients = addrspace(4) externally_initialized constant [4 x float] zeroinitializer, align 4
      @count = addrspace(1) externally_initialized global i32 0, align 4
      @text = private unnamed_addr constant [3 x i8] c"ab\\00", align 1
      define ptx_kernel void @k(ptr %out) {
        %c = load float, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(4) @coefficients to ptr), i32 8)
        %t = load i8, ptr @text
        store float %c, ptr %out
        store i32 1, ptr addrspacecast (ptr addrspace(1) @count to ptr)
        ret void
      }`),
    ).toEqual({ regions: { "@coefficients": "r", "@count": "w", "0+0": "w" }, obstacle: null });
  });

  it("finds pointers in struct parameters by their offset", () => {
    expect(
      summary(`
      %struct.args = type { i32, ptr, ptr }
      define ptx_kernel void @k(ptr byval(%struct.args) align 4 %a) {
        %n = load i32, ptr %a
        %f = getelementptr %struct.args, ptr %a, i32 0, i32 1
        %in = load ptr, ptr %f
        %g = getelementptr i8, ptr %a, i32 8
        %out = load ptr, ptr %g
        %v = load float, ptr %in
        store float %v, ptr %out
        ret void
      }`),
    ).toEqual({ regions: { "0+4": "r", "0+8": "w" }, obstacle: null });
  });

  it("gives up when a struct parameter is changed or indexed at run time", () => {
    const body = (change: string) => `
      define ptx_kernel void @k(ptr byval([4 x ptr]) align 4 %a, ptr %x, i32 %i) {
        ${change}
        %p = load ptr, ptr %f
        store float 1.0, ptr %p
        ret void
      }`;
    expect(summary(body("%f = getelementptr ptr, ptr %a, i32 %i")).regions).toBeNull();
    expect(summary(body("store ptr %x, ptr %a\n%f = getelementptr ptr, ptr %a, i32 0")).regions).toBeNull();
    expect(summary(body("%f = getelementptr [4 x ptr], ptr %a, i32 0, i32 2"))).toEqual({
      regions: { "0+8": "w" },
      obstacle: null,
    });
    // Walks over the fields, forwards and backwards: must end.
    for (const step of ["4", "-4"]) {
      expect(
        summary(`
        define ptx_kernel void @k(ptr byval([4 x ptr]) align 4 %a, i1 %c) {
        entry:
          br label %loop
        loop:
          %f = phi ptr [ %a, %entry ], [ %next, %loop ]
          %p = load ptr, ptr %f
          store float 1.0, ptr %p
          %next = getelementptr i8, ptr %f, i32 ${step}
          br i1 %c, label %loop, label %done
        done:
          ret void
        }`).regions,
      ).toBeNull();
    }
  });

  it.each([
    ["a pointer loaded from memory", "%q = load ptr, ptr %p\nstore i32 1, ptr %q"],
    [
      "a pointer kept in the stack",
      "%s = alloca ptr\nstore ptr %p, ptr %s\n%q = load ptr, ptr %s\nstore i32 1, ptr %q",
    ],
    [
      "a pointer made from an integer",
      "%i = ptrtoint ptr %p to i32\n%j = xor i32 %i, 4\n%q = inttoptr i32 %j to ptr\nstore i32 1, ptr %q",
    ],
    [
      "a pointer in a returned struct",
      "%r = call { ptr, i32 } @pair(ptr %p)\n%q = extractvalue { ptr, i32 } %r, 0\nstore i32 1, ptr %q",
    ],
    ["a call through a pointer", "call void %p()"],
    ["the device heap", "%q = call ptr @malloc(i32 8)\nstore i32 1, ptr %q"],
    ["an unknown function", "call void @mystery(ptr %p)"],
    ["PTX that stores", 'call void asm sideeffect "st.global.u32 [$0], $1;", "r,r"(ptr %p, i32 1)'],
  ])("takes a kernel with %s to touch anything", (_, body) => {
    const result = summary(`
      declare ptr @malloc(i32)
      declare void @mystery(ptr)
      define internal { ptr, i32 } @pair(ptr %p) noinline {
%a = insertvalue { ptr, i32 } undef, ptr %p, 0
ret { ptr, i32 } %a }
      define ptx_kernel void @k(ptr %p) {\n${body}\nret void }`);
    expect(result.regions).toBeNull();
    expect(result.obstacle).not.toBeNull();
  });

  it.each([
    ["prints", "%r = call i32 @vprintf(ptr @text, ptr null)", null],
    ["reads the clock", "%t = call i64 @llvm.nvvm.read.ptx.sreg.clock64()\nstore i64 %t, ptr %p", { "0+0": "w" }],
    ["reads volatile memory", "%v = load volatile i32, ptr %p", { "0+0": "r" }],
    ["reads the clock in PTX", 'call i32 asm sideeffect "mov.u32 $0, %clock;", "=r"()', null],
  ])("a kernel that %s is not repeatable", (_, body, regions) => {
    const result = summary(`
      @text = private constant [2 x i8] c"a\\00"
      declare i32 @vprintf(ptr, ptr)
      declare i64 @llvm.nvvm.read.ptx.sreg.clock64()
      define ptx_kernel void @k(ptr %p) {\n${body}\nret void }`);
    expect(result.obstacle).not.toBeNull();
    expect(result.regions).toEqual(regions);
  });

  it("harmless PTX is no obstacle", () => {
    expect(
      summary(`
      define ptx_kernel void @k(ptr %p) {
        %l = call i32 asm "mov.u32 $0, %laneid;", "=r"()
        %b = call i32 asm sideeffect "{ .reg .pred q; setp.ne.u32 q, $1, 0; @q bfind.u32 $0, $1; }", "=r,r"(i32 %l)
        store i32 %b, ptr %p
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "w" }, obstacle: null });
  });

  it("atomics read and write, but not outside of shared memory's blocks", () => {
    expect(
      summary(`
      @bins = internal addrspace(3) global [256 x i32] undef, align 4
      define ptx_kernel void @k(ptr %p, ptr %q) {
        %a = atomicrmw add ptr addrspacecast (ptr addrspace(3) @bins to ptr), i32 1 monotonic
        %b = atomicrmw add ptr %p, i32 1 monotonic
        %c = cmpxchg ptr %q, i32 0, i32 1 monotonic monotonic
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "rw", "1+0": "rw" }, obstacle: null });
  });

  it("knows copies and cached loads", () => {
    expect(
      summary(`
      declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
      declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
      declare float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1), i32)
      define ptx_kernel void @k(ptr %a, ptr %b, ptr %c, ptr %d) {
        call void @llvm.memcpy.p0.p0.i32(ptr %a, ptr %b, i32 64, i1 false)
        call void @llvm.memset.p0.i32(ptr %c, i8 0, i32 64, i1 false)
        %g = addrspacecast ptr %d to ptr addrspace(1)
        %v = call float @llvm.nvvm.ldg.global.f.f32.p1(ptr addrspace(1) %g, i32 4)
        ret void
      }`),
    ).toEqual({ regions: { "0+0": "w", "1+0": "r", "2+0": "w", "3+0": "r" }, obstacle: null });
  });
});
