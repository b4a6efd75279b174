/**
 * PTX video instructions, lowered to IR and run by the interpreter and as compiled code, against what an NVIDIA H100
 * computed (driver 580): for every statement of ptx-video.cases.json, the checksum of its 64 results. Statements on
 * whose meaning the H100 and the PTX ISA differ (see ir/inline-ptx/video.ts) are not among them; they are in
 * inline-ptx.test.ts, by the ISA.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseModule } from "../ir/text/parse.ts";
import { lowerInlinePtx } from "../ir/inline-ptx/pass-inline-ptx.ts";
import { assertValid } from "../ir/verify.ts";
import type { Executor } from "./executor.ts";
import { Harness } from "./harness.ts";
import { createInterpreter } from "./interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-tier/thread-executor.ts";
import { createWarpExecutor } from "./warp-tier/warp-executor.ts";

const cases = JSON.parse(readFileSync(new URL("./ptx-video.cases.json", import.meta.url), "utf8")) as Readonly<
  Record<string, number>
>;
const THREADS = 64;

/** The words a, b and c of each thread: values from a hash, and of the edges. */
const EDGES = [0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x80808080, 0x7f7f7f7f, 0x00ff00ff, 0x80007fff, 33];
function hash(i: number): number {
  i = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  i = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  return (i ^ (i >>> 16)) >>> 0;
}
const inputs = Uint32Array.from({ length: 3 * THREADS }, (_, i) => {
  if (i % 5 === 0) return EDGES[hash(i + 1) % EDGES.length] as number;
  return i % 7 === 0 ? hash(i + 1) % 64 : hash(i + 1);
});

function checksum(words: Uint32Array): number {
  return words.reduce((all, word) => Math.imul(all ^ word, 16777619), 2166136261 | 0) >>> 0;
}

function results(statement: string, executor: Executor): Uint32Array {
  const operands: Readonly<Record<string, string>> = { d: "$0", a: "$1", b: "$2", c: "$3" };
  const template = statement.replace(/(?<![\w.])[abcd](?![\w])/g, (name) => operands[name] as string);
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, ptr %in) {
  %tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr [3 x i32], ptr %in, i32 %tid
  %a = load i32, ptr %at, align 4
  %pb = getelementptr i8, ptr %at, i32 4
  %b = load i32, ptr %pb, align 4
  %pc = getelementptr i8, ptr %at, i32 8
  %c = load i32, ptr %pc, align 4
  %r = tail call i32 asm "${template}", "=r,r,r,r"(i32 %a, i32 %b, i32 %c)
  %to = getelementptr i32, ptr %out, i32 %tid
  store i32 %r, ptr %to, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`,
    "ptx.ll",
  );
  lowerInlinePtx(module);
  assertValid(module, "lowerInlinePtx");
  const harness = new Harness(1 << 20);
  const program = harness.load(module);
  const out = harness.place(new Uint8Array(THREADS * 4));
  const { fault } = harness.run(executor, program, "k", { grid: 1, block: THREADS }, [out, harness.place(inputs)]);
  expect(fault).toBeNull();
  return new Uint32Array(harness.read(out, THREADS * 4).slice().buffer);
}

describe.each([createInterpreter(), createThreadExecutor(), createWarpExecutor()])(
  "video instructions: $name",
  (executor) => {
    test.each(Object.entries(cases))("%s", (statement, expected) => {
      expect(checksum(results(statement, executor))).toBe(expected);
    });
  },
);
