/** Loops of every form that is unrolled, at the edges of what their counters can hold, give what they gave. */
import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { printModule } from "../../ir/text/print.ts";
import { assertValid } from "../../ir/verify.ts";
import { promoteAllocas } from "../../ir/passes/pass-promote-allocas.ts";
import { unrollCountedLoops } from "./pass-unroll-counted.ts";
import { unrollLocalLoops } from "./pass-unroll-loops.ts";
import { unswitchLoops } from "./pass-unswitch-loops.ts";

/**
 * out[0] = a sum over iterations that depends on their order; out[1] = the counter at the end; out[2] = the iterations.
 */
function loop(predicate: string, step: number | "%step", compared: "next" | "phi"): string {
  return `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %start, i32 %bound, i32 %step) {
entry:
  br label %body
body:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %sum = phi i32 [ 1, %entry ], [ %sum2, %body ]
  %turns = phi i32 [ 0, %entry ], [ %turns2, %body ]
  %at = and i32 %i, 255
  %p = getelementptr i32, ptr %in, i32 %at
  %x = load i32, ptr %p, align 4
  %mixed = mul i32 %sum, 31
  %sum2 = add i32 %mixed, %x
  %turns2 = add i32 %turns, 1
  %next = add i32 %i, ${step}
  %below = icmp ${predicate} i32 ${compared === "next" ? "%next" : "%i"}, %bound
  br i1 %below, label %body, label %done
done:
  store i32 %sum2, ptr %out, align 4
  %q = getelementptr i32, ptr %out, i32 1
  store i32 %i, ptr %q, align 4
  %r = getelementptr i32, ptr %out, i32 2
  store i32 %turns2, ptr %r, align 4
  ret void
}`;
}

function run(module: IrModule, args: readonly number[]): number[] {
  const h = new Harness(1 << 20);
  const program = h.load(module);
  const input = h.place(Int32Array.from({ length: 256 }, (_, i) => Math.imul(i + 3, 2654435761)));
  const out = h.place(new Int32Array(4));
  const { fault } = h.run(createInterpreter({ maxSteps: 100_000 }), program, "k", { grid: 1, block: 1 }, [
    out,
    input,
    ...args,
  ]);
  return fault === null ? [...h.readI32(out, 3)] : [-1];
}

/** The same module, where a sum that is said not to overflow, and does, is another number. */
function withOverflow(module: IrModule): IrModule {
  let count = 0;
  const text = printModule(module).replaceAll(
    /^ *(%\S+) = add (nuw )?(nsw )?i32 (\S+), (\S+)$/gm,
    (line, name: string, nuw: string | undefined, nsw: string | undefined, a: string, b: string) => {
      if (nuw === undefined && nsw === undefined) return line;
      count++;
      const at = `${name}.o`;
      const extend = nsw === undefined ? "zext" : "sext";
      return `${at}0 = ${extend} i32 ${a} to i64
  ${at}1 = ${extend} i32 ${b} to i64
  ${at}2 = add i64 ${at}0, ${at}1
  ${at}3 = add i32 ${a}, ${b}
  ${at}4 = ${extend} i32 ${at}3 to i64
  ${at}5 = icmp eq i64 ${at}2, ${at}4
  ${name} = select i1 ${at}5, i32 ${at}3, i32 1234567`;
    },
  );
  if (count === 0) throw new Error("no sum is said not to overflow");
  return parseModule(text, "overflow.ll");
}

const MAX = 0x7fffffff;
const ranges: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 1],
  [0, 3],
  [0, 4],
  [0, 5],
  [3, 64],
  [-70, 17],
  [5, -5],
  [MAX - 9, MAX],
  [MAX - 300, MAX - 2],
  [-MAX - 1, -MAX + 40],
  [100, 99],
  [7, 7 + 128],
];

test.each([
  ["slt", 1, "next"],
  ["slt", 3, "next"],
  ["slt", 32, "phi"],
  ["slt", 1, "phi"],
  ["ult", 1, "next"],
  ["ult", 7, "next"],
  ["ult", 32, "phi"],
  ["ne", 1, "next"],
  ["ne", 1, "phi"],
  ["sle", 1, "next"],
  ["sle", 32, "next"],
  ["ule", 3, "next"],
] as const)("%s, step %i, compared %s", (predicate, step, compared) => {
  const unrolled = parseModule(loop(predicate, step, compared), "loop.ll");
  for (const fn of unrolled.functions.values()) if (fn.blocks.length > 0) unrollCountedLoops(fn);
  assertValid(unrolled, "unrollCountedLoops");
  expect([...unrolled.functions.values()].some((fn) => fn.blocks.some(({ name }) => name.startsWith("unrolled")))).toBe(
    true,
  );
  const checked = predicate === "ne" ? unrolled : withOverflow(unrolled);
  for (const args of ranges) {
    const expected = run(parseModule(loop(predicate, step, compared), "loop.ll"), [...args, 0]);
    expect(run(unrolled, [...args, 0]), `${args}`).toEqual(expected);
    expect(run(checked, [...args, 0]), `${args}`).toEqual(expected);
  }
});

test.each(["slt", "ult", "sle"])("%s, a step that the loop does not change", (predicate) => {
  const unrolled = parseModule(loop(predicate, "%step", "next"), "loop.ll");
  for (const fn of unrolled.functions.values()) if (fn.blocks.length > 0) unrollCountedLoops(fn);
  assertValid(unrolled, "unrollCountedLoops");
  expect([...unrolled.functions.values()].some((fn) => fn.blocks.some(({ name }) => name.startsWith("unrolled")))).toBe(
    true,
  );
  const checked = withOverflow(unrolled);
  for (const args of ranges)
    for (const step of [1, 7, 1 << 28, (1 << 28) + 1, -1]) {
      const expected = run(parseModule(loop(predicate, "%step", "next"), "loop.ll"), [...args, step]);
      expect(run(unrolled, [...args, step]), `${args}, ${step}`).toEqual(expected);
      expect(run(checked, [...args, step]), `${args}, ${step}`).toEqual(expected);
    }
});

/**
 * A loop whose body has so many instructions, with the load and the step. `width` of the load in words.
 * @param divisions by a number that is not known; they are further instructions
 */
function loopOf(size: number, width = 1, divisions = 0): IrFunction {
  const words = Array.from({ length: width }, (_, i) => i);
  const loads = words.map(
    (i) => `  %p${i} = getelementptr i32, ptr %p, i32 ${i}\n  %x${i} = load i32, ptr %p${i}, align ${i === 0 ? 16 : 4}`,
  );
  // The address, the step, the comparison and the branch are instructions, too.
  const sums = Array.from(
    { length: size - width - 4 },
    (_, i) => `  %s${i} = xor i32 ${i === 0 ? "%sum" : `%s${i - 1}`}, %x${i % width}`,
  );
  const quotients = Array.from(
    { length: divisions },
    (_, i) => `  %q${i} = udiv i32 %x0, %n\n  store i32 %q${i}, ptr %out`,
  );
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 1, %entry ], [ %s${sums.length - 1}, %body ]
  %p = getelementptr i32, ptr %in, i32 %i
${loads.join("\n")}
${sums.join("\n")}
${quotients.join("\n")}
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  store i32 %s${sums.length - 1}, ptr %out, align 4
  ret void
}`,
    "loop.ll",
  );
  const [fn] = module.functions.values();
  unrollCountedLoops(fn as IrFunction);
  assertValid(module, "unrollCountedLoops");
  return fn as IrFunction;
}

/** Iterations that run at once: the loop as it was comes behind those. */
const together = (fn: IrFunction): number =>
  Math.max(
    1,
    fn.blocks.flatMap(({ instructions }) => instructions).filter(({ name }) => /^next/.test(name)).length - 1,
  );

test.each([
  [20, 1, 4],
  [40, 1, 4],
  [41, 1, 2],
  [80, 1, 2],
  [81, 1, 1],
  // Wide loads are enough by themselves.
  [41, 4, 1],
])("of a loop of %i instructions with a load of %i words %i iterations run at once", (size, width, iterations) => {
  expect(together(loopOf(size, width))).toBe(iterations);
});

test("a division by a number that is not known counts as 20 instructions", () => {
  // Its store is one more.
  expect(together(loopOf(40 - 21, 1, 1))).toBe(4);
  expect(together(loopOf(41 - 21, 1, 1))).toBe(2);
  expect(together(loopOf(80 - 42, 1, 2))).toBe(2);
  expect(together(loopOf(81 - 42, 1, 2))).toBe(1);
});

/** out[i] by what three conditions say, the same in every iteration: of arguments twice, of the thread once. */
test("a loop that asks the same of its arguments twice is two loops", () => {
  const text = `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %a, i32 %n) {
entry:
  %asked = icmp sgt i32 %a, 3
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %last ]
  %sum = phi i32 [ 0, %entry ], [ %sum3, %last ]
  br i1 %asked, label %one, label %two
one:
  %x = mul i32 %i, 7
  br label %two
two:
  %y = phi i32 [ 5, %body ], [ %x, %one ]
  %sum2 = add i32 %sum, %y
  br i1 %asked, label %last, label %three
three:
  %z = xor i32 %sum2, %n
  br label %last
last:
  %sum3 = phi i32 [ %sum2, %two ], [ %z, %three ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  store i32 %sum3, ptr %out, align 4
  ret void
}`;
  const module = parseModule(text, "questions.ll");
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) unswitchLoops(fn);
  assertValid(module, "unswitchLoops");
  for (const args of [
    [0, 9],
    [4, 9],
    [4, 1],
    [3, 0],
  ])
    expect(run(module, args), `${args}`).toEqual(run(parseModule(text, "questions.ll"), args));
  const [fn] = module.functions.values();
  expect(
    (fn as IrFunction).blocks.filter((block) =>
      block.instructions.some(
        (i) => i.op === "condbr" && i.condition.kind === "instruction" && i.condition.name.startsWith("asked"),
      ),
    ).length,
  ).toBe(1);
});

test("a local array that a loop of eight turns fills and another reads is no memory any more", () => {
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in, i32 %a, i32 %b) {
entry:
  %array = alloca [8 x i32], align 4
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i2, %fill ]
  %v = mul i32 %i, %a
  %p = getelementptr i32, ptr %array, i32 %i
  store i32 %v, ptr %p, align 4
  %i2 = add i32 %i, 1
  %more = icmp ne i32 %i2, 8
  br i1 %more, label %fill, label %read
read:
  %j = phi i32 [ 0, %fill ], [ %j2, %read ]
  %s = phi i32 [ %b, %fill ], [ %s2, %read ]
  %q = getelementptr i32, ptr %array, i32 %j
  %x = load i16, ptr %q, align 4
  %w = zext i16 %x to i32
  %s2 = add i32 %s, %w
  %j2 = add i32 %j, 1
  %last = icmp eq i32 %j, 7
  br i1 %last, label %done, label %read
done:
  store i32 %s2, ptr %out, align 4
  ret void
}`,
    "array.ll",
  );
  const expected = run(module, [3, 5]);
  for (const fn of module.functions.values())
    if (fn.blocks.length > 0) {
      unrollLocalLoops(fn);
      promoteAllocas(fn, module);
    }
  assertValid(module, "promoteAllocas");
  expect(run(module, [3, 5])).toEqual(expected);
  expect(
    [...module.functions.values()].flatMap((fn) =>
      fn.blocks.flatMap((block) => block.instructions.filter((i) => i.op === "load" && i.pointer.kind !== "param")),
    ).length,
  ).toBe(0);
});
