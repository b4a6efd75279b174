/** What a program can do wrong: every engine says the same of it, with block and thread, and none traps. */
import { describe, expect, test } from "vitest";
import type { Executor } from "./executor.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const [interpreter, thread, warp] = [createInterpreter(), createThreadExecutor(), createWarpExecutor()] as const;

/** Thread 35 of every block does the deed. */
function run(
  engine: Executor,
  deed: string,
  globals = "",
): { kind: string; block: number; thread: number } | { words: bigint[] } {
  const harness = new Harness(1 << 22);
  const program = harness.load(`target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @vprintf(ptr, ptr)
${globals}
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %t, 35
  br i1 %is, label %deed, label %end
deed:
${deed}
end:
  ret void
}`);
  const out = harness.place(new Uint8Array(64));
  const { fault } = harness.run(engine, program, "k", { grid: 1, block: 40 }, [out, 0]);
  if (fault !== null) return { kind: fault.kind, block: fault.block?.x ?? -1, thread: fault.thread?.x ?? -1 };
  return { words: [...new BigUint64Array(harness.read(out, 64).slice().buffer)] };
}

const ENDLESS =
  "define i32 @deeper(i32 %x) noinline {\n  %y = add i32 %x, 1\n" +
  "  %z = call i32 @deeper(i32 %y)\n  %w = add i32 %z, %x\n  ret i32 %w\n}";
const TINY = "define void @tiny() noinline {\n  call void @tiny()\n  ret void\n}";
const PRINT = '@format = constant [6 x i8] c"%d %s\\00"\n@wide = constant [14 x i8] c"%2147483647d\\0A\\00"';

describe.each<readonly [string, readonly Executor[], string, string, string]>([
  [
    "a call through a wild pointer",
    [interpreter, thread],
    "illegal-instruction",
    "  %f = inttoptr i32 123456 to ptr\n  call void %f(i32 %n)\n  br label %end",
    "",
  ],
  [
    "recursion without end",
    [interpreter, thread],
    "stack-overflow",
    "  %r = call i32 @deeper(i32 %n)\n  store i32 %r, ptr %out\n  br label %end",
    ENDLESS,
  ],
  [
    "recursion without end and without variables, which fills the native stack first",
    [interpreter, thread],
    "stack-overflow",
    "  call void @tiny()\n  br label %end",
    TINY,
  ],
  ["a place that cannot be reached", [interpreter, thread, warp], "illegal-instruction", "  unreachable", ""],
  // Through computed addresses: what a tier remembers of them as tested must have been.
  ...[
    ["load", "%v = load i32, ptr %p, align 4\n  store i32 %v, ptr %out"],
    ["store", "store i32 1, ptr %p, align 4"],
    ["atomic", "%v = atomicrmw add ptr %p, i32 1 monotonic\n  store i32 %v, ptr %out"],
  ].flatMap(([what, access]) => [
    [
      `a wild ${what}`,
      [interpreter, thread, warp],
      "illegal-address",
      `  %p = getelementptr i32, ptr %out, i32 268435456\n  ${access}\n  br label %end`,
      "",
    ] as const,
    [
      `a misaligned ${what}`,
      [interpreter, thread, warp],
      "misaligned-address",
      `  %p = getelementptr i8, ptr %out, i32 %t\n  ${access}\n  br label %end`,
      "",
    ] as const,
  ]),
  [
    "printf with arguments that are nowhere",
    [interpreter, thread, warp],
    "illegal-address",
    "  %p = inttoptr i32 -4 to ptr\n  %w = call i32 @vprintf(ptr @format, ptr %p)\n  br label %end",
    PRINT,
  ],
])("%s", (_, engines, kind, deed, globals) => {
  test.each(engines.map((engine) => [engine.name, engine] as const))("%s", (__, engine) => {
    expect(run(engine, deed, globals)).toEqual({ kind, block: 0, thread: 35 });
  });
});

describe.each([interpreter, thread, warp].map((engine) => [engine.name, engine] as const))("%s", (_, engine) => {
  test("a division by zero, or one that overflows, has some result", () => {
    const operations = [
      "sdiv i32 7, %n",
      "srem i32 7, %n",
      "udiv i32 7, %n",
      "sdiv i32 -2147483648, %m",
      "sdiv i64 7, %n64",
      "urem i64 7, %n64",
      "sdiv i64 -9223372036854775808, %m64",
      "srem i64 -9223372036854775808, %m64",
    ];
    const lines = operations.map((operation, i) => {
      const wide = operation.includes("i64");
      const widened = wide ? "" : `  %w${i} = zext i32 %q${i} to i64\n`;
      return `  %q${i} = ${operation}
${widened}  %p${i} = getelementptr i64, ptr %out, i32 ${i}
  store i64 %${wide ? "q" : "w"}${i}, ptr %p${i}`;
    });
    const found = run(
      engine,
      "  %m = sub i32 %n, 1\n  %n64 = sext i32 %n to i64\n  %m64 = sext i32 %m to i64\n" +
        `${lines.join("\n")}\n  br label %end`,
    );
    expect(found).toEqual({ words: [0xffff_ffffn, 7n, 0xffff_ffffn, 0x8000_0000n, 2n ** 64n - 1n, 7n, 2n ** 63n, 0n] });
  });

  test("printf with a width that no memory holds", () => {
    expect(run(engine, "  %w = call i32 @vprintf(ptr @wide, ptr %out)\n  br label %end", PRINT)).toHaveProperty(
      "words",
    );
  });
});

test("a function too large for WebAssembly engines is refused in words", () => {
  const lines = Array.from(
    { length: 60_000 },
    (_, i) => `  %x${i} = ${i % 2 === 0 ? "mul" : "xor"} i32 %${i === 0 ? "n" : `x${i - 1}`}, ${i + 3}`,
  );
  expect(() => run(thread, `${lines.join("\n")}\n  store i32 %x59999, ptr %out\n  br label %end`)).toThrow(
    /a function of the size of k/,
  );
});
