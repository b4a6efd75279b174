import { expect, it } from "vitest";
import { check } from "../check.ts";
import { compile } from "../index.ts";

const SOURCE = `__global__ void fill(int* out, int n) {
  int i = threadIdx.x;
  if (i <= n) out[i] = i;
}
__global__ void wild(int* out) { out[1 << 28] = 1; }`;

it("says what kernels do wrong, and nothing of right ones", async () => {
  const run = (n: number): ReturnType<typeof check> =>
    check(async (device) => {
      const program = await compile(SOURCE, { device, path: "fill.cu" });
      using out = device.array(10, "int32");
      await (await program.kernel("fill")).launch({ grid: 1, block: 32 }, out, n);
      expect([...(await out.read())].slice(0, 9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    });
  expect(await run(9)).toEqual({ findings: [], leaked: [], text: "" });
  const { findings, text } = await run(10);
  expect(findings).toMatchObject([{ kind: "out-of-bounds", access: "write", bytes: 4, count: 1, location: { file: "./fill.cu", line: 3 }, example: { thread: { x: 10, y: 0, z: 0 } } }]);
  expect(text).toMatch(/^memcheck: out of bounds: write of 4 bytes\n {2}--> .*fill\.cu:3:\d+, in fill\n/);
});

it("tells of what was not freed, and of kernels that were stopped", async () => {
  const { leaked } = await check((device) => void device.array(100, "float32"));
  expect(leaked).toMatchObject([{ bytes: 400 }]);
  const { findings } = await check(async (device) => {
    const program = await compile(SOURCE, { device });
    await (await program.kernel("wild")).launch({ grid: 1, block: 1 }, device.array(10, "int32"));
  });
  expect(findings).toMatchObject([{ kind: "out-of-bounds", access: "write", location: { line: 5 } }]);
});

it("passes on what is no fault of a kernel", async () => {
  await expect(check(() => { throw new RangeError("mine"); })).rejects.toThrow("mine");
  await expect(check(async (device) => void (await compile("__global__ void k( {", { device })))).rejects.toMatchObject({ code: "compile-error" });
});
