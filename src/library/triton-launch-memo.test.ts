/** Launches like earlier ones run the right code with their own arguments. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, type Gpu } from "../index.ts";
import { loadTriton, type TritonProgram } from "../triton.ts";
import { launchSignature } from "./triton-launch-memo.ts";

const SOURCE = `import triton
import triton.language as tl


@triton.jit
def k(out, x, n, step, BLOCK: tl.constexpr, ADD: tl.constexpr = 0):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at * step, mask=at < n, other=0) + n * 100 + ADD, mask=at < BLOCK * 2)
`;
let device: Gpu;
let program: TritonProgram;
beforeAll(async () => {
  device = await openDevice({ device: "emulated", workers: 1 });
  program = await loadTriton(SOURCE, { filename: "k.py", device });
});
afterAll(() => device.close());

async function run(n: number, step: number, ...rest: readonly unknown[]): Promise<number[]> {
  const x = device.array(Int32Array.from({ length: 64 }, (_, i) => i));
  const out = device.array(32, "int32");
  await program.kernel("k").launch({ grid: [2] }, out, x, n, step, ...(rest as []));
  return Array.from(await out.read());
}

const expected = (n: number, step: number, add = 0): number[] =>
  Array.from({ length: 32 }, (_, i) => (i < n ? i * step : 0) + n * 100 + add);

it("tells constants, ones and multiples of 16 apart, wherever they are passed", async () => {
  for (let round = 0; round < 2; round++) {
    for (const [n, step] of [
      [5, 2],
      [7, 2],
      [5, 1],
      [1, 1],
      [16, 2],
      [16, 1],
      [1, 2],
    ] as const) {
      expect(await run(n, step, { BLOCK: 16 }), `n = ${n}, step = ${step}`).toEqual(expected(n, step));
      expect(await run(n, step, { BLOCK: 16, ADD: 3 })).toEqual(expected(n, step, 3));
      expect(await run(n, step, 16, 4)).toEqual(expected(n, step, 4));
      expect(await run(n, step, 16, 5)).toEqual(expected(n, step, 5));
      expect(await run(n, step, 16, 1)).toEqual(expected(n, step, 1));
    }
  }
});

it("works a launch out once, and again for an argument of another kind", () => {
  const { function: fn } = program.kernel("k");
  const [x, out] = [device.array(64, "int32"), device.array(32, "int32")];
  const signature = (step: number, values: Record<string, number>): string | null =>
    launchSignature(fn, [], { grid: [2] }, [out, x, 5, step, values]);
  expect(signature(2, { BLOCK: 16 })).not.toBeNull();
  expect(signature(3, { BLOCK: 16 })).toBe(signature(2, { BLOCK: 16 }));
  expect(signature(1, { BLOCK: 16 })).not.toBe(signature(2, { BLOCK: 16 }));
  expect(signature(2, { BLOCK: 32 })).not.toBe(signature(2, { BLOCK: 16 }));
});

it("still refuses what it refused", async () => {
  expect(await run(5, 2, { BLOCK: 16 })).toEqual(expected(5, 2));
  await expect(run(5, 2, { BLOCK: 16, WRONG: 1 })).rejects.toThrow("WRONG");
  await expect(run(5, 2)).rejects.toThrow("BLOCK");
  const x = device.array(64, "float32");
  const out = device.array(32, "float32");
  await program.kernel("k").launch({ grid: [2] }, out, x, 5, 2, { BLOCK: 16 });
});
