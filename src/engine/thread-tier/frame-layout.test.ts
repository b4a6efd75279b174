import { expect, test } from "vitest";
import { enableWasmFeatures } from "../emit/v8-flags-node.ts";
import { Harness } from "../harness.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import { compileThreadTier } from "./compile.ts";
import { BLOCK_RECORD, CONTEXT, FRAME, STATUS } from "./layout.ts";
import { prepareKernel } from "./prepare.ts";

enableWasmFeatures();

test("a thread may enter at any block when its live values lie in the frame", () => {
  const h = new Harness(1 << 20);
  const program = h.load(`
define ptx_kernel void @k(ptr %out, i64 %step) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %odd ], [ %i1, %even ]
  %sum = phi i64 [ 0, %entry ], [ %s1, %odd ], [ %s2, %even ]
  %i1 = add i32 %i, 1
  %b = and i32 %i, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %even, label %odd
odd:
  %s1 = add i64 %sum, %step
  br label %loop
even:
  %s2 = mul i64 %sum, 2
  %stop = icmp sgt i32 %i, 9
  br i1 %stop, label %end, label %loop
end:
  store i64 %s2, ptr %out
  ret void
}`);
  const kernel = program.kernels.get("k")!;
  const { wasm, layout } = compileThreadTier(program, kernel, { everyBlock: true });
  const fn = prepareKernel(program, kernel).kernel.function;
  const stub = (): number => 0;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>), {
    env: { memory: h.memory },
    pure: {},
    math: { fma64: stub, fmod: stub, exp2: stub, log2: stub, sin: stub, cos: stub, tanh: stub },
    host: { print: stub, clock: () => 0n, malloc: stub, free: stub, runChildGrids: stub, assertFailed: stub },
  });
  const view = new DataView(h.memory.buffer);
  const out = h.allocate(8, 8);
  const params = h.allocate(16, 8);
  const engine = h.allocate(4096, 16, "engine");
  const [context, record, frame] = [engine, engine + 256, engine + 512];
  view.setUint32(params, out, true);
  view.setBigInt64(params + 8, 5n, true);
  view.setUint32(context + CONTEXT.block, record, true);
  view.setUint32(context + CONTEXT.stackEnd, frame + layout.frameBytes, true);
  view.setUint32(record + BLOCK_RECORD.sharedBase, out, true);
  const globals = exports as unknown as Record<string, WebAssembly.Global>;
  globals["paramBase"]!.value = params;
  globals["limitBytes"]!.value = h.userRange.end - USER_BASE;
  for (let k = 0; k <= 4; k++)
    globals[`limit${k}`]!.value = Math.floor((h.userRange.end - USER_BASE - 2 ** k) / 2 ** k);

  // As if lanes had run to the block "odd" of turn 7 with the sum 100: (100 + 5) · 2 in turn 8, + 5 in turn 9, · 2 in
  // turn 10.
  const odd = fn.blocks.find((block) => block.name === "odd")!;
  const live = layout.liveIn(odd);
  const names = live.map((value) => value.name);
  expect(names.toSorted()).toEqual(expect.arrayContaining(["i1", "sum"]));
  const put = (name: string, write: (offset: number) => void): void =>
    write(frame + layout.slotOffset(live.find((value) => value.name === name)!)!);
  put("i1", (offset) => view.setInt32(offset, 8, true));
  put("sum", (offset) => view.setBigInt64(offset, 100n, true));
  view.setInt32(frame + FRAME.pc, layout.resumePc(odd), true);
  expect((exports["kernel"] as (frame: number, context: number) => number)(frame, context)).toBe(STATUS.exited);
  expect(view.getBigInt64(out, true)).toBe(430n);
});
