/** Registers of inline PTX, addresses of copies, and what clusters ask of pointers, as text. */
import { describe, expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import { emitPtxModule } from "../emit-module.ts";
import { TEST_TARGET } from "../test-target.test-helper.ts";

/** The lines of a module with one kernel, without declarations. */
function linesOf(ir: string): string[] {
  const { text } = emitPtxModule(parseModule(`target triple = "nvptx-nvidia-cuda"\n${ir}`, "test.ll"), TEST_TARGET);
  return text
    .slice(text.indexOf("{\n") + 2)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith(".reg"));
}

const body = (ir: string): string[] => linesOf(ir).filter((line) => !line.startsWith("$L") && line !== "}");

describe("inline PTX", () => {
  /** What stands between the instruction and the store of its result. */
  const behind = (constraint: string, type: string): string[] => {
    const lines = linesOf(`define ptx_kernel void @k(ptr %out) {
      %x = call ${type} asm "frob $0;", "=${constraint}"()
      store ${type} %x, ptr %out, align 8
      ret void
    }`);
    return lines.slice(lines.indexOf("}") + 1).filter((line) => /^(?:cvt|and|mov|setp)/.test(line));
  };
  test.each([
    ["h", "i32", ["cvt.u32.u16 %r2, %h1;"]],
    ["h", "i16", ["cvt.u32.u16 %r2, %h1;", "and.b32 %r3, %r2, 65535;"]],
    ["r", "i8", ["and.b32 %r3, %r2, 255;"]],
    ["r", "i32", []],
    ["r", "i64", ["cvt.u64.u32 %rd2, %r2;"]],
    ["l", "i32", ["cvt.u32.u64 %r2, %rd2;"]],
    ["r", "float", ["mov.b32 %f1, %r2;"]],
    ["l", "double", ["mov.b64 %fd1, %rd2;"]],
  ])("a register of the class %s gives a result of type %s", (constraint, type, lines) => {
    expect(behind(constraint, type).filter((line) => !line.includes("32}"))).toEqual(lines);
  });
});

test("inline PTX ends with one semicolon, whether the program writes it or not, and nothing stays nothing", () => {
  const between = (template: string): string[] => {
    const lines = linesOf(`define ptx_kernel void @k() {
      call void asm sideeffect "${template}", ""()
      ret void
    }`);
    return lines.slice(lines.indexOf("{") + 1, lines.indexOf("}"));
  };
  expect(between("membar.gl")).toEqual(["membar.gl;"]);
  expect(between("membar.gl; ")).toEqual(["membar.gl;"]);
  expect(between("{ membar.gl; }")).toEqual(["{ membar.gl; }"]);
  expect(
    linesOf(`define ptx_kernel void @k() {
      call void asm sideeffect "", "~{memory}"()
      ret void
    }`),
  ).not.toContain("{");
});

test("memory of a size that the thread computes is rounded up to 16 bytes", () => {
  const lines = body(`define ptx_kernel void @k(ptr %out, i32 %n) {
    %p = alloca i32, i32 %n, align 4
    store volatile i32 1, ptr %p, align 4
    ret void
  }`);
  const at = lines.findIndex((line) => line.startsWith("mul.lo.s32"));
  expect(lines.slice(at, at + 5).map((line) => line.replace(/%[rd]+\d+/g, "%"))).toEqual([
    "mul.lo.s32 %, %, 4;",
    "add.s32 %, %, 15;",
    "and.b32 %, %, -16;",
    "cvt.u64.u32 %, %;",
    "alloca.u64 %, %, 16;",
  ]);
});

test("an asynchronous copy in inline PTX gets an address in the window, by whatever number", () => {
  const addressIs = (of: string): string | undefined => {
    const lines = body(`define ptx_kernel void @k(ptr %p, i64 %n, i32 %to) {
      %a = ptrtoint ptr %p to i32
      %w = zext i32 %a to i64
      call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l"(i32 %to, i64 ${of})
      ret void
    }`);
    const [, register = ""] = lines.map((line) => /^cp\.async.*, \[(%rd\d+)\], 4;/.exec(line)).find(Boolean) ?? [];
    return lines.find((line) => line.includes(` ${register}, `));
  };
  // A pointer that became a number of 64 bits is the pointer; of any other number the lower half counts.
  expect(addressIs("%w")).toMatch(/^mov\.b64 %rd\d+, \{%r1, 32\};$/);
  expect(addressIs("%n")).toMatch(/^mov\.b64 %rd\d+, \{%r\d+, 32\};$/);
  expect(addressIs("%n")).not.toContain("{%r1,");
});

test("with clusters, a pointer to shared memory keeps the number of its block above the address", () => {
  const lines = body(`define ptx_kernel void @k(ptr %p, ptr %out) {
      %s = addrspacecast ptr %p to ptr addrspace(3)
      %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
      %x = load i32, ptr addrspace(3) %s, align 4
      %y = add i32 %x, %rank
      store i32 %y, ptr %out, align 4
      ret void
    }
    declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()`);
  const at = lines.findIndex((line) => line.startsWith("and.b32"));
  const [, from, mask] = /^and\.b32 %r\d+, (%r\d+), (\d+);$/.exec(lines[at] ?? "") ?? [];
  const [, shifted, shift] = /^shr\.u32 %r\d+, (%r\d+), (\d+);$/.exec(lines[at - 1] ?? "") ?? [];
  expect(shifted).toBe(from);
  expect(Number(mask)).toBe(2 ** Number(shift) - 1);
  expect(lines[at + 1]).toMatch(/^bfi\.b32 /);
});

test("the address of an asynchronous copy is made in front of the loop that copies", () => {
  const lines = linesOf(`@s = internal addrspace(3) global [256 x i32] undef, align 16
    define ptx_kernel void @k(ptr %in, i32 %n) {
    entry:
      %from = addrspacecast ptr %in to ptr addrspace(1)
      br label %body
    body:
      %i = phi i32 [ 0, %entry ], [ %next, %body ]
      %to = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %i
      call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %to, ptr addrspace(1) %from)
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %body, label %end
    end:
      ret void
    }
    declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))`);
  const wide = lines.findIndex((line) => line.includes("mov.b64"));
  const copy = lines.findIndex((line) => line.includes("cp.async"));
  const labels = lines.flatMap((line, at) => (/^\$L\d+:$/.test(line) ? [at] : []));
  const loop = labels.filter((at) => at < copy).at(-1) as number;
  expect(wide).toBeGreaterThan(0);
  expect(wide).toBeLessThan(loop);
});

test("sums of products that are in flight are not moved", () => {
  const product = "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $4, $5, 1, 1, 1;";
  const constraints = `"=f,=f,=f,=f,l,l,0,1,2,3"`;
  const sums = (prefix: string): string => [0, 1, 2, 3].map((i) => `float %${prefix}${i}`).join(", ");
  const parts = (from: string): string =>
    [0, 1, 2, 3].map((i) => `%${from}${i} = extractvalue { float, float, float, float } %${from}, ${i}`).join("\n");
  const lines = linesOf(`define ptx_kernel void @k(ptr %out, i64 %a, i32 %n) {
    entry:
      %any = icmp sgt i32 %n, 0
      br i1 %any, label %body, label %end
    body:
      %i = phi i32 [ 0, %entry ], [ %next, %body ]
      ${[0, 1, 2, 3].map((i) => `%s${i} = phi float [ 0.0, %entry ], [ %y${i}, %body ]`).join("\n")}
      call void asm sideeffect "wgmma.fence.sync.aligned;", ""()
      %x = call { float, float, float, float } asm sideeffect "${product}", ${constraints}(i64 %a, i64 %a, ${sums("s")})
      ${parts("x")}
      %y = call { float, float, float, float } asm sideeffect "${product}", ${constraints}(i64 %a, i64 %a, ${sums("x")})
      ${parts("y")}
      call void asm sideeffect "wgmma.commit_group.sync.aligned;", ""()
      call void asm sideeffect "wgmma.wait_group.sync.aligned 1;", ""()
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %body, label %end
    end:
      ${[0, 1, 2, 3].map((i) => `%e${i} = phi float [ 0.0, %entry ], [ %y${i}, %body ]`).join("\n")}
      call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", ""()
      ${[1, 2, 3].map((i) => `%t${i} = fadd float ${i === 1 ? "%e0" : `%t${i - 1}`}, %e${i}`).join("\n")}
      store float %t3, ptr %out, align 4
      ret void
    }`);
  const at = (text: string): number => lines.findIndex((line) => line.startsWith(text));
  const moves = lines.flatMap((line, i) => (/^mov\.f32/.test(line) ? [i] : []));
  // The four zeros, in front of the loop and of the way around it.
  expect(moves).toHaveLength(4);
  expect(Math.max(...moves)).toBeLessThan(at("@"));
  const products = lines.filter((line) => line.startsWith("wgmma.mma_async")).map((line) => /\{.*\}/.exec(line)?.[0]);
  expect(products).toHaveLength(2);
  expect(products[1]).toBe(products[0]);
});

describe("the target of an asynchronous copy with a cache policy", () => {
  /** The copy, and what makes the register that is its target. */
  const copyOf = (template: string, constraint: "r" | "l"): { copy: string; target: string; source: string } => {
    const lines = linesOf(`@s = internal addrspace(3) global [256 x i32] undef, align 16
    define ptx_kernel void @k(ptr %in, i32 %i, i64 %policy) {
      %to = getelementptr [256 x i32], ptr addrspace(3) @s, i32 0, i32 %i
      %r = ptrtoint ptr addrspace(3) %to to i32
      %l = zext i32 %r to i64
      %a = ptrtoint ptr %in to i32
      %from = zext i32 %a to i64
      call void asm sideeffect "${template}", "${constraint},l,l,r"(${constraint === "r" ? "i32 %r" : "i64 %l"},
        i64 %from, i64 %policy, i32 %i)
      ret void
    }`);
    const copy = lines.find((line) => line.includes("cp.async")) ?? "";
    const target = /cp\.async\S* \[(%r\w+)/.exec(copy)?.[1] ?? "";
    return { copy, target, source: makes(lines, target) };
  };
  const makes = (lines: readonly string[], register: string): string => {
    const line = lines.find((text) => text.includes(` ${register}, `) && !text.includes(`[${register}`)) ?? "";
    const wide = /^cvt\.u64\.u32 %rd\d+, (%r\d+);$/.exec(line);
    return wide === null ? line : makes(lines, wide[1] as string);
  };
  const WHOLE = /^prmt\.b32 %r\d+, %r\d+, 0, 0x3210;$/;

  test.each(["r", "l"] as const)("is one word that ptxas cannot split (%s)", (constraint) => {
    const { source } = copyOf("cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", constraint);
    expect(source).toMatch(WHOLE);
  });
  test("may have an offset and a guard, and more hints may follow", () => {
    const { copy, target, source } = copyOf(
      "{ .reg .pred p; setp.ne.b32 p, $3, 0; " +
        "@p cp.async.ca.shared.global.L2::cache_hint.L2::128B [$0+64], [$1], 8, $2; }",
      "r",
    );
    expect(source).toMatch(WHOLE);
    expect(copy).toContain(`@p cp.async.ca.shared.global.L2::cache_hint.L2::128B [${target}+64], [%rd`);
  });
  test("stays as it is without a policy", () => {
    const { source } = copyOf("cp.async.cg.shared.global.L2::128B [$0], [$1], 16;", "r");
    expect(source).not.toMatch(/^prmt/);
    expect(source).not.toBe("");
  });
});

describe("a tensor map within a kernel's struct", () => {
  const linesWith = (read: string): string[] =>
    body(`%maps = type { i32, [60 x i8], [128 x i8], [128 x i8] }
    define ptx_kernel void @k(ptr byval(%maps) align 64 %p, ptr %out, i32 %at) {
      %second = getelementptr inbounds %maps, ptr %p, i32 0, i32 3
      %address = ptrtoint ptr %second to i64
      call void asm sideeffect "prefetch.tensormap [$0];", "l"(i64 %address)
      call void asm sideeffect "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [$0, {$1}];", "l,r"(i64 %address, i32 0)
      ${read}
      store i32 %n, ptr %out, align 4
      ret void
    }`).map((line) => line.replace(/%[rd]+\d+/g, "%"));
  const named = (lines: readonly string[]): string[] =>
    lines.filter((line) => /cvta\.param|add\.s64 .*, 192;|prefetch/.test(line));
  const NAMED = [
    "cvta.param.u64 %, %;",
    "add.s64 %, %, 192;",
    "prefetch.tensormap [%];",
    "cvta.param.u64 %, %;",
    "add.s64 %, %, 192;",
    "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%, {%}];",
  ];

  test("is named where it is: a copy would be in local memory", () => {
    const lines = linesWith("%n = load i32, ptr %p, align 64");
    expect(lines.filter((line) => /local|frame/.test(line))).toEqual([]);
    expect(named(lines)).toEqual(NAMED);
    expect(lines).toContain("ld.param.b32 %, [param_0];");
  });

  test("is named there also if the kernel copies the struct for another reason", () => {
    const lines = linesWith("store volatile i32 %at, ptr %p, align 4\n%n = load i32, ptr %p, align 64");
    expect(lines.some((line) => line.includes(".local"))).toBe(true);
    expect(named(lines)).toEqual(NAMED);
  });
});
