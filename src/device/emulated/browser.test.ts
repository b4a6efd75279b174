import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, startBrowser, type TestBrowser } from "../../browser/chromium.test-helper.ts";

/** One thread a word; the loop keeps workers busy for long enough to be called. */
const IR = `
target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %o = mul i32 %b, 64
  %i = add i32 %o, %t
  %p = getelementptr i32, ptr %out, i32 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i32, ptr %p
  %w = add i32 %v, 1
  store volatile i32 %w, ptr %p
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %s = load i32, ptr %p
  %r = add i32 %s, %i
  store i32 %r, ptr %p
  ret void
}`;

describe.skipIf(CHROMIUM === undefined)("emulated device in a browser", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser();
  });
  afterAll(() => chromium?.close());

  const run = (isolated: boolean): Promise<unknown> =>
    chromium.onPage(
      isolated,
      `
      return new Promise((resolve) => {
        const worker = new Worker("/src/device/emulated/browser.fixture.mjs", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => resolve({ error: event.message });
        worker.postMessage({ ir: ${JSON.stringify(IR)}, workers: 3 });
      });`,
    );
  const right = (shared: boolean): unknown => ({
    results: Array(3).fill({ fault: null, right: true, shared }),
    wild: "illegal-address",
  });

  it("runs launches on worker threads, blocking and not", async () => {
    expect(await run(true)).toEqual(right(true));
  });

  it("runs on one thread where memory cannot be shared", async () => {
    expect(await run(false)).toEqual(right(false));
  });
});
