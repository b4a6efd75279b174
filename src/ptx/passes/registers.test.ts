/** Passes that save registers do so, and change no result. (prepare-module.test.ts tries them on random kernels.) */
import { describe, expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import type { IrFunction, IrInstruction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { mergeEqualPhis } from "./pass-equal-phis.ts";
import { hoistAddresses } from "./pass-hoist-addresses.ts";
import { expandLocalIndices } from "./pass-local-indices.ts";
import { promoteAllocas } from "../../ir/passes/pass-promote-allocas.ts";
import { sinkComparisons } from "./pass-sink-comparisons.ts";
import { keepInRegisters } from "./prepare-module.ts";
import { splitOffsets } from "./pass-split-offsets.ts";
import { numberValues } from "./pass-value-numbering.ts";
import { inferPointerSpaces } from "../../analysis/pointers/pointer-spaces.ts";

const parse = (body: string): IrModule =>
  parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %n, i32 %m) {
${body}
}`,
    "test.ll",
  );

/** What a thread leaves in out[0 .. 7]; for several n and m. */
function results(module: IrModule): number[][] {
  return [
    [0, 0],
    [1, 3],
    [3, 1],
    [5, 5],
    [7, 2],
  ].map(([n, m]) => {
    const h = new Harness(1 << 20);
    const program = h.load(module);
    const input = h.place(Int32Array.from({ length: 64 }, (_, i) => Math.imul(i + 3, 2654435761)));
    const out = h.place(new Int32Array(8));
    const { fault } = h.run(createInterpreter({ maxSteps: 10_000 }), program, "k", { grid: 1, block: 1 }, [
      out,
      input,
      n as number,
      m as number,
    ]);
    expect(fault).toBeNull();
    return [...h.readI32(out, 8)];
  });
}

function after(body: string, pass: (fn: IrFunction, module: IrModule) => void): (op: IrInstruction["op"]) => number {
  const module = parse(body);
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) pass(fn, module);
  assertValid(module, "the pass");
  expect(results(module)).toEqual(results(parse(body)));
  const all = [...module.functions.values()].flatMap((fn) => fn.blocks.flatMap((block) => block.instructions));
  return (op) => all.filter((i) => i.op === op).length;
}

describe("a small local array that is read at a computed index", () => {
  const body = (type: string, escapes: string): string => `entry:
  %a = alloca [4 x i32], align 4
  %a1 = getelementptr i8, ptr %a, i32 4
  %a2 = getelementptr i8, ptr %a, i32 8
  %a3 = getelementptr i8, ptr %a, i32 12
  store i32 7, ptr %a, align 4
  store i32 %n, ptr %a1, align 4
  store i32 %m, ptr %a2, align 4
  store i32 11, ptr %a3, align 4
  ${escapes}
  %low = and i32 %n, 3
  %wide = ${type === "i64" ? "zext i32 %low to i64" : "add i32 %low, 0"}
  %p = getelementptr [4 x i32], ptr %a, i32 0, ${type} %wide
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  ret void`;

  test.each(["i32", "i64"])("becomes registers: %s", (type) => {
    const count = after(body(type, ""), (fn, module) => {
      expandLocalIndices(fn, module);
      promoteAllocas(fn, module);
    });
    expect([count("alloca"), count("load"), count("select")]).toEqual([1, 0, 3]);
  });

  test.each([
    [
      "written at one",
      "%q = getelementptr i32, ptr %a, i32 %n\n  %r = getelementptr i32, ptr %a, i32 0\n" +
        "  store i32 1, ptr %r, align 4\n  %z = icmp eq i32 %n, 77\n" +
        "  br i1 %z, label %w, label %v\nw:\n  store i32 9, ptr %q, align 4\n  br label %v\nv:",
    ],
    [
      "whose bytes are read",
      "%b = load i8, ptr %a1, align 1\n  %o = getelementptr i8, ptr %out, i32 4\n  store i8 %b, ptr %o, align 1",
    ],
  ])("stays where it is %s", (_, escapes) => {
    expect(after(body("i32", escapes), (fn, module) => expandLocalIndices(fn, module))("select")).toBe(0);
  });
});

test("what a lambda captures by reference becomes registers, once the closure has", () => {
  const count = after(
    `entry:
  %mine = alloca i32, align 4
  %inner = alloca { ptr }, align 4
  %outer = alloca { ptr, ptr }, align 4
  store i32 %n, ptr %mine, align 4
  store ptr %mine, ptr %inner, align 4
  %second = getelementptr i8, ptr %outer, i32 4
  store ptr %inner, ptr %outer, align 4
  store ptr %mine, ptr %second, align 4
  %i = load ptr, ptr %outer, align 4
  %a = load ptr, ptr %i, align 4
  %x = load i32, ptr %a, align 4
  %y = add i32 %x, %m
  %b = load ptr, ptr %second, align 4
  store i32 %y, ptr %b, align 4
  %z = load i32, ptr %mine, align 4
  store i32 %z, ptr %out, align 4
  ret void`,
    keepInRegisters,
  );
  expect([count("alloca"), count("load")]).toEqual([0, 0]);
});

test("phis that go round a loop together are one, and those that part are not", () => {
  const count = after(
    `entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %a = phi i32 [ 0, %entry ], [ %a2, %join ]
  %b = phi i32 [ 0, %entry ], [ %b2, %join ]
  %c = phi i32 [ 1, %entry ], [ %c2, %join ]
  %odd = and i32 %i, 1
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %then, label %join
then:
  %sum = add i32 %a, 5
  %other = add i32 %c, 5
  br label %join
join:
  %a2 = phi i32 [ %a, %head ], [ %sum, %then ]
  %b2 = phi i32 [ %b, %head ], [ %sum, %then ]
  %c2 = phi i32 [ %c, %head ], [ %other, %then ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  store i32 %a2, ptr %out, align 4
  %p = getelementptr i32, ptr %out, i32 1
  store i32 %b2, ptr %p, align 4
  %q = getelementptr i32, ptr %out, i32 2
  store i32 %c2, ptr %q, align 4
  ret void`,
    mergeEqualPhis,
  );
  expect(count("phi")).toBe(5);
});

const HEAD = `head:
  %i2 = phi i32 [ 0, %entry ], [ %i3, %head ]
  %i3 = add i32 %i2, 1
  %go = icmp slt i32 %i3, %m
  br i1 %go, label %head, label %start`;

describe("addresses that several branches need", () => {
  const branches = (where: string): string => `entry:
  %i = and i32 %n, 15
  br label ${where === "loop" ? "%head" : "%start"}
${where === "loop" ? HEAD : ""}
start:
  %a = icmp slt i32 %n, %m
  br i1 %a, label %one, label %mid
one:
  %p = getelementptr i32, ptr %in, i32 %i
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  br label %mid
mid:
  %b = icmp eq i32 %n, 5
  br i1 %b, label %two, label %done
two:
  %i1 = add i32 %i, 1
  %q = getelementptr [64 x i32], ptr %in, i32 0, i32 %i1
  %y = load i32, ptr %q, align 4
  %o = getelementptr i32, ptr %out, i32 1
  store i32 %y, ptr %o, align 4
  br label %done
done:
  ret void`;
  const computed = (body: string): number => {
    let left = 0;
    after(body, (fn) => {
      splitOffsets(fn, inferPointerSpaces(fn));
      numberValues(fn);
      hoistAddresses(fn);
      for (const block of fn.blocks)
        for (const i of block.instructions)
          if (i.op === "gep" && i.indices.some((index) => index.kind !== "const-int")) left++;
    });
    return left;
  };
  test.each(["straight", "loop"])("are computed once: %s", (where) => expect(computed(branches(where))).toBe(1));

  test("but not in a loop that they are behind", () => {
    const body = `entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %i, 1
  %early = icmp eq i32 %i, %m
  br i1 %early, label %one, label %latch
latch:
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %two
one:
  %p = getelementptr i32, ptr %in, i32 %i
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  ret void
two:
  %q = getelementptr i32, ptr %in, i32 %i
  %y = load i32, ptr %q, align 4
  store i32 %y, ptr %out, align 4
  ret void`;
    expect(computed(body)).toBe(2);
  });
});

test("a comparison is made in the blocks that ask for it", () => {
  const count = after(
    `entry:
  %a = icmp slt i32 %n, %m
  %x = load i32, ptr %in, align 4
  br label %one
one:
  %y = select i1 %a, i32 %x, i32 %n
  store i32 %y, ptr %out, align 4
  br i1 %a, label %two, label %done
two:
  %o = getelementptr i32, ptr %out, i32 1
  store i32 %x, ptr %o, align 4
  br label %done
done:
  ret void`,
    sinkComparisons,
  );
  // The one at the top is left for cleanUp.
  expect(count("icmp")).toBe(2);
});
