/** Kernels in IR that the thread tier and the interpreter run: their outcomes must be the same. */
import { expect } from "vitest";
import type { Executor } from "../executor.ts";
import { enableWasmFeatures } from "../emit/v8-flags-node.ts";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createThreadExecutor } from "./thread-executor.ts";

enableWasmFeatures();

const HEADER = `
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.trap()
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i32)
declare void @free(ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i32)
declare void @__heddle_grid_sync()
`;

export interface Outcome {
  readonly fault: {
    readonly kind: string;
    readonly thread: unknown;
    readonly block: unknown;
    readonly waiting?: unknown;
  } | null;
  readonly output: string;
  readonly out: number[];
}

export function runWith(
  executor: Executor,
  ir: string,
  launch: HarnessLaunch,
  words: number,
  args: (out: number, h: Harness) => HarnessArgument[] = (out) => [out],
): Outcome {
  const h = new Harness(4 << 20);
  const program = h.load(HEADER + ir);
  const out = h.place(new Int32Array(words));
  const { fault, output } = h.run(executor, program, "k", launch, args(out, h));
  return { fault: fault as Outcome["fault"], output, out: [...h.readI32(out, words)] };
}

/** Runs on both and expects the same of both; gives the compiled outcome. */
export function run(
  ir: string,
  launch: HarnessLaunch,
  words: number,
  args?: (out: number, h: Harness) => HarnessArgument[],
): Outcome {
  const compiled = runWith(createThreadExecutor(), ir, launch, words, args);
  const interpreted = runWith(createInterpreter(), ir, launch, words, args);
  expect({ ...compiled, fault: compiled.fault?.kind ?? null }).toEqual({
    ...interpreted,
    fault: interpreted.fault?.kind ?? null,
  });
  if (compiled.fault !== null && compiled.fault.kind !== "deadlock") {
    expect({ block: compiled.fault.block, thread: compiled.fault.thread }).toEqual({
      block: interpreted.fault?.block,
      thread: interpreted.fault?.thread,
    });
  }
  return compiled;
}
