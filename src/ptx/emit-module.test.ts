import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { GLOBAL_START } from "./address-map.ts";
import { emitPtxModule } from "./emit-module.ts";
import type { PtxModule } from "./ptx-module.ts";
import { TEST_TARGET } from "./test-target.test-helper.ts";

function emit(ir: string): PtxModule {
  return emitPtxModule(parseModule(`target triple = "nvptx-nvidia-cuda"\n${ir}`, "test.ll"), TEST_TARGET);
}

/** The instructions of a module with one kernel, without declarations. */
function body(ir: string): string[] {
  const { text } = emit(ir);
  return text
    .slice(text.indexOf("{\n") + 2)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith(".reg") && !line.startsWith("$L") && line !== "}");
}

describe("loops", () => {
  const sums = (bound: string): string => `define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %a = phi half [ 0xH0000, %entry ], [ %a2, %body ]
  %b = phi half [ 0xH0000, %entry ], [ %b2, %body ]
  %p = getelementptr half, ptr %in, i32 %i
  %x = load volatile half, ptr %p, align 2
  %a2 = call half @llvm.fma.f16(half %x, half %x, half %a)
  %b2 = call half @llvm.fma.f16(half %x, half 0xH3C00, half %b)
  %next = add i32 %i, 3
  %done = icmp ${bound} i32 %next, %n
  br i1 %done, label %end, label %body
end:
  %c = bitcast half %a2 to i16
  %d = bitcast half %b2 to i16
  %e = zext i16 %c to i32
  %f = zext i16 %d to i32
  %g = shl i32 %f, 16
  %h = or i32 %e, %g
  store i32 %h, ptr %out, align 4
  ret void
}
declare half @llvm.fma.f16(half, half, half)`;
  test("end with a branch back where a predicate is true", () => {
    const lines = body(sums("sgt"));
    const back = lines.findIndex((line) => /^@%p\d+ bra/.test(line));
    expect(lines[back - 1]).toMatch(/^mov\.b16/);
    expect(lines.slice(0, back).filter((line) => line.startsWith("setp.le.s32")).length).toBe(1);
    expect(lines.some((line) => line.startsWith("@!"))).toBe(false);
  });
  test("leave sums of pairs to the loop: their operands are gone when it has ended", () => {
    expect(body(sums("sgt")).filter((line) => line.includes("f16x2"))).toEqual([]);
  });
});

describe("addresses", () => {
  test("a 32-bit pointer is the lower half of an address in the window; constants are part of the instruction", () => {
    expect(
      body(`define ptx_kernel void @k(ptr %p) {
      %q = getelementptr i8, ptr %p, i32 -8
      %x = load float, ptr %q, align 4
      store float %x, ptr %p, align 4
      ret void
    }`),
    ).toEqual([
      "ld.param.b32 %r1, [param_0];",
      "mov.b64 %rd1, {%r1, 32};",
      "add.s32 %r2, %r1, -8;",
      "ld.global.f32 %f1, [%rd1+-8];",
      "st.global.f32 [%rd1], %f1;",
      "ret;",
    ]);
  });
  test("shared and local memory are told apart and have addresses of their own", () => {
    const { text } = emit(`@s = internal addrspace(3) global [8 x i32] undef, align 4
    define ptx_kernel void @k(ptr %out, i32 %i) {
      %a = alloca [4 x i32], align 4
      %p = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @s to ptr), i32 %i
      %q = getelementptr i32, ptr %a, i32 %i
      %x = load i32, ptr %p, align 4
      store i32 %x, ptr %q, align 4
      ret void
    }`);
    expect(text).toContain(".shared .align 4 .b8 shared_s[32];");
    expect(text).toMatch(/ld\.shared\.b32 %r\d+, \[%r\d+\];/);
    expect(text).toMatch(/st\.local\.b32 \[%r\d+\], %r\d+;/);
  });
  test("a pointer that may be to any memory is tested when it is used", () => {
    const { text } = emit(`@s = internal addrspace(3) global i32 undef, align 4
    define ptx_kernel void @k(ptr %out, i1 %c) {
      %p = select i1 %c, ptr %out, ptr addrspacecast (ptr addrspace(3) @s to ptr)
      store atomic i32 1, ptr %p monotonic, align 4
      ret void
    }`);
    expect(text).toContain("cvta.shared.u64");
    expect(text).toMatch(/\bst\.relaxed\.gpu\.b32 \[%rd\d+\], 1;/);
  });
});

test("cache hints are part of loads and stores of global memory, joined ones included, and of nothing else", () => {
  const lines = body(`@s = internal addrspace(3) global i32 undef, align 4
  define ptx_kernel void @k(ptr %p) {
    %x = load float, ptr %p, align 8, !nontemporal !0
    %p1 = getelementptr i8, ptr %p, i32 4
    %y = load float, ptr %p1, align 4, !nontemporal !0
    %q = getelementptr i8, ptr %p, i32 64
    %q1 = getelementptr i8, ptr %p, i32 68
    store float %x, ptr %q, align 8, !nontemporal !0
    store float %y, ptr %q1, align 4
    %z = load i32, ptr addrspacecast (ptr addrspace(3) @s to ptr), align 4, !nontemporal !0
    %w = load volatile i32, ptr %p, align 4, !nontemporal !0
    store i32 %z, ptr %p, align 4, !heddle.cg !1
    ret void
  }
  !0 = !{i32 1}
  !1 = !{}`)
    .filter((line) => /^(?:ld\.(?!param)|st)/.test(line))
    .map((line) => line.replace(/%\w+/g, "_"));
  expect(lines).toEqual([
    "ld.global.cs.v2.f32 {_, _}, [_];",
    "st.global.cs.f32 [_+64], _;",
    "st.global.f32 [_+68], _;",
    expect.stringMatching(/^ld\.shared\.b32/),
    "ld.volatile.global.b32 _, [_];",
    "st.global.cg.b32 [_], _;",
  ]);
});

describe("two 16-bit floats in a word", () => {
  const loaded = (name: string, at: number): string => `%p${name} = getelementptr i8, ptr %p, i32 ${at}
    %w${name} = load i32, ptr %p${name}, align 4
    %t${name} = trunc i32 %w${name} to i16
    %lo${name} = bitcast i16 %t${name} to half
    %s${name} = lshr i32 %w${name}, 16
    %u${name} = trunc i32 %s${name} to i16
    %hi${name} = bitcast i16 %u${name} to half`;
  const packed = (lines: string[]): string[] =>
    lines.filter((line) => /x2|mov\.b32 %r\d+, \{|^st/.test(line)).map((line) => line.replace(/%\w+/g, "_"));
  test("what is computed alike of both is one instruction, a chain of it and what is stored side by side", () => {
    expect(
      packed(
        body(`define ptx_kernel void @k(ptr %p, half %s) {
    ${loaded("a", 0)}
    ${loaded("b", 4)}
    %l1 = fmul half %loa, %lob
    %h1 = fmul half %hia, %hib
    %l2 = call half @llvm.fma.f16(half %l1, half %s, half %loa)
    %h2 = call half @llvm.fma.f16(half %h1, half %s, half %hia)
    %bl = bitcast half %l2 to i16
    %bh = bitcast half %h2 to i16
    %zl = zext i16 %bl to i32
    %zh = zext i16 %bh to i32
    %up = shl i32 %zh, 16
    %word = or i32 %zl, %up
    store i32 %word, ptr %p, align 4
    %q = getelementptr i8, ptr %p, i32 64
    store half %l1, ptr %q, align 4
    %q2 = getelementptr i8, ptr %p, i32 66
    store half %h1, ptr %q2, align 2
    ret void
  }
  declare half @llvm.fma.f16(half, half, half)`),
      ),
    ).toEqual([
      "mul.rn.f16x2 _, _, _;",
      "mov.b32 _, {_, _};",
      "fma.rn.f16x2 _, _, _, _;",
      "st.global.b32 [_], _;",
      "mul.rn.f16x2 _, _, _;",
      "st.global.b32 [_+64], _;",
    ]);
  });
  test("what is not is joined", () => {
    expect(
      packed(
        body(`define ptx_kernel void @k(ptr %p, float %x, float %y) {
    %a = fptrunc float %x to bfloat
    %b = fptrunc float %y to bfloat
    %bl = bitcast bfloat %a to i16
    %bh = bitcast bfloat %b to i16
    %zl = zext i16 %bl to i32
    %zh = zext i16 %bh to i32
    %up = shl i32 %zh, 16
    %word = or i32 %up, %zl
    store i32 %word, ptr %p, align 4
    ret void
  }`),
      ),
    ).toEqual(["mov.b32 _, {_, _};", "st.global.b32 [_], _;"]);
  });
});

describe("atomic operations", () => {
  const atomics = (ir: string): string[] =>
    body(`define ptx_kernel void @k(ptr %p) {\n${ir}\n  ret void\n}`)
      .filter((line) => /^(?:ld\.(?!param)|st|atom|fence)/.test(line))
      .map((line) => line.replace(/%\w+/g, "_"));
  test("have the order and the scope that the program gives them", () => {
    expect(
      atomics(`%1 = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic, align 4
      %2 = atomicrmw add ptr %p, i32 1 syncscope("block") release, align 4
      %3 = atomicrmw or ptr %p, i32 1 acq_rel, align 4
      %4 = load atomic i32, ptr %p syncscope("cluster") acquire, align 4
      store atomic i32 1, ptr %p syncscope("singlethread") monotonic, align 4
      %5 = cmpxchg ptr %p, i32 0, i32 1 release acquire, align 4
      %6 = cmpxchg ptr %p, i32 0, i32 1 syncscope("device") monotonic monotonic, align 4`),
    ).toEqual([
      "atom.relaxed.gpu.global.add.u32 _, [_], 1;",
      "atom.release.cta.global.add.u32 _, [_], 1;",
      "atom.acq_rel.gpu.global.or.b32 _, [_], 1;",
      "ld.acquire.cluster.global.b32 _, [_];",
      "st.relaxed.cta.global.b32 [_], 1;",
      "atom.acq_rel.gpu.global.cas.b32 _, [_], 0, 1;",
      "atom.relaxed.gpu.global.cas.b32 _, [_], 0, 1;",
    ]);
  });
  test("are fenced where they are sequentially consistent", () => {
    expect(
      atomics(`%1 = load atomic i32, ptr %p seq_cst, align 4
      store atomic i32 1, ptr %p syncscope("block") seq_cst, align 4
      %2 = atomicrmw xchg ptr %p, i32 1 syncscope("device") seq_cst, align 4
      fence syncscope("block") acquire
      fence syncscope("singlethread") seq_cst
      fence seq_cst`),
    ).toEqual([
      "fence.sc.gpu;",
      "ld.acquire.gpu.global.b32 _, [_];",
      "fence.sc.cta;",
      "st.relaxed.cta.global.b32 [_], 1;",
      "fence.sc.gpu;",
      "atom.acquire.gpu.global.exch.b32 _, [_], 1;",
      "fence.acq_rel.cta;",
      "fence.sc.gpu;",
    ]);
  });
});

describe("variables", () => {
  test("global ones have places in the window, constants one array", () => {
    const second = "getelementptr ([2 x i32], ptr addrspace(4) @c, i32 0, i32 1)";
    const { variables, variablesBytes, constants, text } = emit(`@a = addrspace(1) global i8 7, align 1
    @b = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @a to ptr), align 4
    @c = addrspace(4) constant [2 x i32] [i32 1, i32 258], align 4
    define ptx_kernel void @k(ptr %out) {
      %x = load i32, ptr addrspacecast (ptr addrspace(4) ${second} to ptr), align 4
      store i32 %x, ptr %out, align 4
      ret void
    }`);
    expect(variables.get("a")).toMatchObject({
      space: "global",
      address: GLOBAL_START,
      bytes: 1,
      initial: new Uint8Array([7]),
    });
    expect(variables.get("b")).toMatchObject({
      address: GLOBAL_START + 4,
      initial: new Uint8Array([0, 0, 0, GLOBAL_START >> 24]),
    });
    expect(variablesBytes).toBe(8);
    expect(constants).toEqual({ symbol: "heddle_constants", bytes: 8 });
    expect(text).toContain("heddle_constants[8] = {1,0,0,0,2,1};");
    expect(text).toContain("ld.const.b32 %r2, [heddle_constants+4];");
  });
});

describe("kernels", () => {
  test("parameters as the ABI has them, launch bounds, use of the grid", () => {
    const { kernels, text } = emit(`%struct.s = type { i32, double }
    define ptx_kernel void @_Z1kPfd(ptr %p, double %d, ptr byval(%struct.s) align 8 %s) #0 {
      %f = getelementptr i8, ptr %s, i32 8
      %x = load double, ptr %f, align 8
      %y = fadd double %x, %d
      store double %y, ptr %p, align 8
      ret void
    }
    attributes #0 = { "nvvm.maxntid"="256" "nvvm.minctasm"="2" }`);
    const kernel = kernels.get("_Z1kPfd");
    expect(kernel?.params.map(({ offset, size, kind }) => [offset, size, kind])).toEqual([
      [0, 4, "pointer"],
      [8, 8, "f64"],
      [16, 16, "struct"],
    ]);
    expect(kernel).toMatchObject({ paramBytes: 32, maxThreads: 256, usesGridSync: false });
    expect(text).toContain(".maxntid 256, 1, 1");
    expect(text).toContain(".minnctapersm 2");
    expect(text).toContain("ld.param.f64 %fd2, [param_2+8];");
  });

  test("a long parameter that is read at an index is copied from its own address", () => {
    const { text } = emit(`define ptx_kernel void @k(ptr byval([1000 x i32]) align 4 %s, i32 %i, ptr %out) {
      %p = getelementptr i32, ptr %s, i32 %i
      %x = load i32, ptr %p, align 4
      store i32 %x, ptr %out, align 4
      ret void
    }`);
    expect(text).toMatch(/mov\.b32 (%r\d+), param_0;\n\tadd\.s32 (%r\d+), \1, %r\d+;\n\tld\.param\.b32 %r\d+, \[\2\];/);
    expect(text).not.toContain("undefined");
  });
});

describe("control flow", () => {
  test("phis that exchange their values go through a register", () => {
    const lines = body(`define ptx_kernel void @k(ptr %out, i32 %n) {
    entry:
      br label %loop
    loop:
      %a = phi i32 [ 1, %entry ], [ %b, %loop ]
      %b = phi i32 [ 2, %entry ], [ %a, %loop ]
      %i = phi i32 [ 0, %entry ], [ %j, %loop ]
      %j = add i32 %i, 1
      %c = icmp slt i32 %j, %n
      br i1 %c, label %loop, label %done
    done:
      store i32 %a, ptr %out, align 4
      ret void
    }`);
    // Of the two copies on the way back, one needs a third register; the counter is stepped in place.
    const back = lines.slice(lines.findIndex((line) => line.includes("bra")) + 1);
    expect(back.filter((line) => line.startsWith("mov.b32")).length).toBe(3);
  });
});

describe("fast mathematics", () => {
  test("flushes and approximates where the function was compiled so", () => {
    const source = (
      attributes: string,
    ): string => `define ptx_kernel void @k(ptr %out, float %a, float %b) ${attributes} {
      %x = fdiv float %a, %b
      %y = fadd float %x, %b
      store float %y, ptr %out, align 4
      ret void
    }`;
    expect(emit(source("")).text).toMatch(/div\.rn\.f32[^]*add\.rn\.f32/);
    expect(emit(source('"denormal-fp-math-f32"="preserve-sign,preserve-sign"')).text).toMatch(
      /div\.approx\.ftz\.f32[^]*add\.rn\.ftz\.f32/,
    );
    // -ftz=true alone: results are flushed, but rounded as IEEE 754 says.
    expect(emit(source('"denormal-fp-math-f32"="preserve-sign,ieee"')).text).toMatch(
      /div\.rn\.ftz\.f32[^]*add\.rn\.ftz\.f32/,
    );
  });
});
