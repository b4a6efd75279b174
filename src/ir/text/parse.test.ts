import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import type { CallInstruction, IrBlock, IrFunction, IrGlobal, IrInstruction, IrModule } from "../model/ir.ts";
import { sizeOf } from "../model/layout.ts";
import { parseModule, parseModuleLazily } from "./parse.ts";
import { printModule } from "./print.ts";
import { formatType } from "../model/types.ts";
import { verifyModule } from "../verify.ts";

function parse(text: string): IrModule {
  const module = parseModule(text, "test.ll");
  expect(verifyModule(module)).toEqual([]);
  return module;
}

function only(module: IrModule): IrFunction {
  return [...module.functions.values()].find((fn) => fn.blocks.length > 0) as IrFunction;
}

/** The instructions of one function with this body; `%a` … are i32, `%p` a pointer, `%x` a float. */
function body(text: string, result = "void"): IrInstruction[] {
  const fn = only(
    parse(
      `declare void @g(ptr, ...)
@v = addrspace(3) global [4 x i32] undef
define ${result} @f(i32 %a, i32 %b, ptr %p, float %x, <4 x float> %y) {
entry:
${text}
}`,
    ),
  );
  return fn.blocks.flatMap((block) => block.instructions);
}

function error(text: string): string {
  try {
    parseModule(text, "test.ll");
  } catch (e) {
    expect(e).toBeInstanceOf(HeddleError);
    const { summary, location, code } = e as HeddleError;
    expect(code === "invalid-ir" || code === "unsupported").toBe(true);
    return `${location?.line}:${location?.column}: ${summary}`;
  }
  throw new Error("no error");
}

test("flags and attributes that say nothing to us are passed over", () => {
  const instructions = body(
    `
  %1 = getelementptr inbounds nuw i8, ptr %p, i32 4
  %2 = zext nneg i32 %a to i64
  %3 = or disjoint i32 %a, %b
  %4 = icmp samesign ult i32 %a, %b
  %5 = trunc nuw nsw i64 %2 to i32
  %6 = uitofp nneg i32 %5 to float
  %7 = fpext contract float %6 to double
  %8 = select contract i1 %4, float %6, float %x
  %9 = call contract nofpclass(nan inf) float @llvm.fabs.f32(float noundef nofpclass(nan) %8) #0 \
[ "align"(ptr %p, i64 16) ]
  call void (ptr, ...) @g(ptr noundef nonnull align 4 captures(none) dereferenceable(8) %p, \
i32 range(i32 0, 5) %a), !srcloc !{i32 4}
  ret void, !annotation !{!"x"}`.replace("#0 ", ""),
  );
  expect(instructions.map((i) => i.op)).toEqual([
    "gep",
    "cast",
    "binary",
    "icmp",
    "cast",
    "cast",
    "cast",
    "select",
    "call",
    "call",
    "ret",
  ]);
  expect((instructions[9] as CallInstruction).argAlign).toEqual([4, null]);
});

test("atomics, fences, volatile and aligned accesses", () => {
  const [load, store, rmw, exchange, fence] = body(`
  %1 = load atomic volatile i32, ptr %p syncscope("block") acquire, align 4
  store atomic i32 %1, ptr %p release, align 4
  %2 = atomicrmw volatile fadd ptr %p, float %x syncscope("agent") monotonic, align 4
  %3 = cmpxchg weak ptr %p, i32 %a, i32 %b seq_cst monotonic, align 4
  fence syncscope("block") acq_rel
  ret void`);
  expect(load).toMatchObject({ op: "load", ordering: "acquire", scope: "block", volatile: true });
  expect(store).toMatchObject({ op: "store", ordering: "release", scope: null });
  expect(rmw).toMatchObject({
    op: "atomicrmw",
    operator: "fadd",
    ordering: "monotonic",
    scope: "agent",
    volatile: true,
  });
  expect(exchange).toMatchObject({ op: "cmpxchg", ordering: "seq_cst", failureOrdering: "monotonic", scope: null });
  expect(formatType((exchange as IrInstruction).type)).toBe("{ i32, i1 }");
  expect(fence).toMatchObject({ op: "fence", ordering: "acq_rel", scope: "block" });
});

test("cache hints are read and written", () => {
  const module = parse(`define void @f(ptr %p) {
  %x = load <4 x float>, ptr %p, align 16, !nontemporal !0
  %y = load i32, ptr %p, align 4, !heddle.cg !1
  store i32 %y, ptr %p, align 4, !nontemporal !0
  ret void
}
!0 = !{i32 1}
!1 = !{}`);
  const hints = (text: IrModule): unknown[] =>
    (only(text).blocks[0] as IrBlock).instructions.map((i) =>
      i.op === "load" || i.op === "store" ? i.cache : undefined,
    );
  expect(hints(module)).toEqual(["cs", "cg", "cs", undefined]);
  expect(hints(parse(printModule(module)))).toEqual(["cs", "cg", "cs", undefined]);
});

test("values used before the text defines them", () => {
  const fn = only(
    parse(`define i32 @f(i32 %n) {
entry:
  br label %head
tail:
  %use = add i32 %late, 1
  ret i32 %use
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %next = add i32 %i, 1
  %late = mul i32 %next, 2
  %c = icmp eq i32 %next, %n
  br i1 %c, label %tail, label %head
}`),
  );
  const [use] = fn.blocks[1]?.instructions ?? [];
  expect(use?.op === "binary" && use.lhs.kind === "instruction" && use.lhs.op).toBe("binary");
});

test("unnamed values and blocks are numbered as LLVM numbers them", () => {
  const fn = only(
    parse(`define i32 @f(i32, i32 %b) {
  %2 = add i32 %0, %b
  br label %3
3:
  %4 = mul i32 %2, %2
  ret i32 %4
}`),
  );
  expect(fn.blocks.map((block) => block.name)).toEqual(["1", "3"]);
});

test("constants of all kinds", () => {
  const module = parse(`
%P = type { i32, [2 x float], ptr }
%Q = type <{ i8, i64 }>
@a = constant %P { i32 -1, [2 x float] [float 1.5, float 0x7FF0000000000000], ptr @b }, align 8
@b = global [3 x i8] c"a\\00\\FF", section "x", align 1
@c = addrspace(4) constant <4 x i16> splat (i16 7)
@d = global %Q <{ i8 1, i64 u0xFF }>
@e = global ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(4) @c to ptr), i32 add (i32 1, i32 2))
@f = global { half, bfloat } { half 0xH3C00, bfloat 0xR3F80 }
@g = external addrspace(3) global [0 x float], align 16
@h = global [2 x %P] zeroinitializer
@i = alias ptr, ptr @e
@j = global ptr @i
@k = global i1 true
@l = global i32 ptrtoint (ptr @b to i32)
`);
  const a = module.globals.get("a")?.initializer;
  expect(a?.kind === "const-aggregate" && a.elements[0]).toMatchObject({ value: 0xffffffffn });
  expect(module.globals.get("j")?.initializer).toBe(module.globals.get("e"));
  expect(module.globals.get("g")).toMatchObject({ initializer: null, align: 16, type: { addressSpace: 3 } });
  expect(module.globals.get("h")).toMatchObject({ align: 4 });
});

test("kernels, linkage, attributes and groups", () => {
  const module = parse(`
define linkonce_odr hidden ptx_kernel void @k(ptr noundef byval(%S) align 8 captures(none) %s, i32 %n) \
local_unnamed_addr #0 comdat($x) !dbg !1 {
  ret void
}
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1
$x = comdat any
%S = type { i32, double }
attributes #0 = { convergent noinline memory(argmem: read) "nvvm.maxntid"="256" "bare" alignstack=8 }
attributes #1 = { nounwind }
!1 = distinct !DISubprogram(name: "k", linkageName: "_Z1k", scope: !2, file: !2, line: 12, unit: !3)
!2 = !DIFile(filename: "a.cu", directory: "/home/x")
!llvm.module.flags = !{!2}
`);
  const k = module.functions.get("k");
  expect(k).toMatchObject({
    isKernel: true,
    linkage: "linkonce_odr",
    location: { file: "/home/x/a.cu", line: 12, functionName: "_Z1k" },
  });
  expect([...(k?.attributes ?? [])]).toEqual([
    "convergent",
    "noinline",
    "memory(argmem: read)",
    "nvvm.maxntid=256",
    "bare",
    "alignstack=8",
  ]);
  expect(k?.params[0]).toMatchObject({ align: 8, byval: { name: "S" } });
  expect(k?.params[0]?.attributes.has("captures(none)")).toBe(true);
});

test("source locations, inlined ones with where they were inlined", () => {
  const module = parse(`
define void @f(ptr %p) {
  store i32 1, ptr %p, align 4, !dbg !4
    #dbg_value(ptr %p, !7, !DIExpression(), !4)
  ret void, !dbg !DILocation(line: 9, scope: !2)
}
!1 = !DIFile(filename: "a.cu", directory: "")
!2 = distinct !DISubprogram(name: "f", file: !1, line: 1)
!3 = distinct !DILexicalBlock(scope: !5, file: !6, line: 3, column: 1)
!4 = !DILocation(line: 3, column: 7, scope: !3, inlinedAt: !8)
!5 = distinct !DISubprogram(name: "g", file: !1, line: 2)
!6 = !DIFile(filename: "b.h", directory: "inc")
!8 = distinct !DILocation(line: 8, column: 2, scope: !2)
`);
  const [store, ret] = only(module).blocks[0]?.instructions ?? [];
  expect(store?.location).toEqual({
    file: "inc/b.h",
    line: 3,
    column: 7,
    functionName: "g",
    inlinedAt: { file: "a.cu", line: 8, column: 2, functionName: "f" },
  });
  expect(ret?.location).toMatchObject({ file: "a.cu", line: 9 });
});

test("loops keep the names of their properties", () => {
  const fn = only(
    parse(`define void @f() {
entry:
  br label %l
l:
  br label %l, !llvm.loop !0
}
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.mustprogress"}
!2 = !{!"llvm.loop.unroll.count", i32 4}
`),
  );
  expect(fn.blocks[1]?.instructions[0]).toMatchObject({ loop: "llvm.loop.mustprogress,llvm.loop.unroll.count i32 4" });
});

test("a lazy module parses a body when it is asked for", () => {
  const lazy = parseModuleLazily(
    "define i32 @good() {\n  ret i32 1\n}\ndefine i32 @bad() {\n  ret float 1.0\n}\ndeclare void @x()\n",
    "lib.ll",
  );
  expect(lazy.hasBody("x")).toBe(false);
  expect(lazy.module.functions.get("good")?.blocks).toEqual([]);
  expect(lazy.materialize("good").blocks.length).toBe(1);
  expect(() => lazy.materialize("bad")).toThrow("the function returns i32, not float");
});

test.each([
  ["define void @f() {\nentry:\n  %x = add i32 1, %y\n  ret void\n}", "3:19: %y is not defined"],
  ["define void @f(i64 %y) {\nentry:\n  %x = add i32 1, %y\n  ret void\n}", "3:19: %y is a i64, but i32 was expected"],
  ["define void @f() {\nentry:\n  br label %nowhere\n}", "3:12: there is no block %nowhere"],
  ["define void @f() {\n  frobnicate i32 1\n}", "2:3: frobnicate is not an instruction"],
  ["define void @f() {\n  ret void\n", "1:18: the body of @f has no end"],
  ["@x = global float 0xK400C9000000000000000", "1:19: 80-bit and 128-bit float constants do not occur in device code"],
  ["@x = global float 0xL00000000000000004000", "1:19: 80-bit and 128-bit float constants do not occur in device code"],
  ["@x = global float 0xM4000000000000000", "1:19: 80-bit and 128-bit float constants do not occur in device code"],
  [
    "define void @f() {\n  ret void, !dbg !0\n}\n!0 = !DILocation(line: 1, scope: !1)\n" +
      "!1 = !DILexicalBlock(scope: !2)\n!2 = !DILexicalBlock(scope: !1)",
    "2:18: the chain of debug scopes has no end",
  ],
  ["@x = global i8 256", "1:16: 256 does not fit into i8"],
  ["@x = global %T zeroinitializer", "1:13: the type %T is not defined"],
  ["%T = type { %T }", "1:1: the type %T contains itself"],
  ['@x = global [2 x i8] c"abc"', "1:22: the string has 3 bytes, its type 2"],
  ["define void @f() {\n  call void @nope()\n  ret void\n}", "2:13: @nope is not defined"],
  [
    "declare void @g(ptr, ...)\ndefine void @f() {\n  call void (ptr, ...) @g(float 1.0)\n  ret void\n}",
    "3:8: argument 1 is a float, but ptr was expected",
  ],
  [
    "define void @f() {\n  %a = invoke void @f() to label %x unwind label %x\n}",
    "2:0: the instruction invoke is not supported yet",
  ],
  ["define void @f() #3 {\n  ret void\n}", "1:18: there is no attribute group #3"],
  [
    "define void @f() {\n  ret void, !dbg !0\n}\n!0 = !DILocation(line: 1, scope: !1, inlinedAt: !0)\n" +
      '!1 = !DIFile(filename: "a", directory: "")',
    "2:18: the debug location !0 refers to itself",
  ],
])("%j", (text, message) => {
  expect(error(text)).toBe(message);
});

test("pointers have the width that the data layout says", () => {
  const widths = (layout: string): unknown => {
    const module = parseModule(
      `target datalayout = "${layout}"
@g = addrspace(1) global { ptr, i32 } zeroinitializer
define void @f(ptr %p, ptr addrspace(3) %q) {
  %a = alloca ptr
  %e = getelementptr ptr, ptr %p, i64 1
  ret void
}`,
      "width.ll",
    );
    const fn = module.functions.get("f");
    const [alloca, gep] = fn?.blocks[0]?.instructions ?? [];
    const bits = [fn?.params[0], fn?.params[1], alloca, gep].map((value) =>
      value?.type.kind === "ptr" ? value.type.bits : null,
    );
    return [bits, sizeOf((module.globals.get("g") as IrGlobal).valueType)];
  };
  expect(widths("e-p:32:32-i64:64-v16:16")).toEqual([[32, 32, 32, 32], 8]);
  expect(widths("e-i64:64-i128:128-v16:16")).toEqual([[64, 64, 64, 64], 16]);
});

test("every cast of constants is one", () => {
  const casts = [
    "trunc (i64 7 to i8)",
    "zext (i8 7 to i32)",
    "sext (i8 -7 to i32)",
    "fptrunc (double 1.0 to float)",
    "fpext (float 1.0 to double)",
    "fptoui (float 1.0 to i32)",
    "fptosi (float 1.0 to i32)",
    "uitofp (i32 1 to float)",
    "sitofp (i32 1 to float)",
    "ptrtoint (ptr @g to i32)",
    "inttoptr (i32 8 to ptr)",
    "bitcast (i32 8 to float)",
    "addrspacecast (ptr @g to ptr addrspace(1))",
  ];
  casts.forEach((cast) => {
    const type = / to (.*)\)$/.exec(cast)?.[1] as string;
    const module = parseModule(`@g = global i32 0\n@x = global ${type} ${cast}`, "casts.ll");
    const { initializer } = module.globals.get("x") as { initializer: unknown };
    expect(initializer, cast).toMatchObject({
      kind: "const-expr",
      instruction: { op: "cast", operator: cast.slice(0, cast.indexOf(" ")) },
    });
  });
});
