/** Loops whose loads are an iteration ahead leave the memory that they leave as they stand. */
import { expect, test } from "vitest";
import { interpretProgram } from "../blocks/interpreter.ts";
import type { BlockKernel, ForOp } from "../blocks/model.ts";
import { allOps } from "../blocks/operands.ts";
import { compileKernel, type ArgumentSpecialisation } from "../compile-kernel.ts";
import { openModule } from "../evaluate/module.ts";
import { FP32, INT32, pointerTo } from "../language/dtypes.ts";
import type { FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { prefetchLoads } from "./prefetch-loads.ts";

const BYTES = 1 << 16;
const [A, B, C] = [4096, 16384, 32768];

function kernelOf(loop: string): BlockKernel {
  const source = `import triton
import triton.language as tl


@triton.jit
def k(a, b, c, n):
    i = tl.arange(0, 16)
    sums = tl.zeros((16, 16), dtype=tl.float32)
    pa = a + i[:, None] * 16 + i[None, :]
    pb = b + i[:, None] * 16 + i[None, :]
${loop
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
    tl.store(c + i[:, None] * 16 + i[None, :], sums)
`;
  const module = openModule(new SourceText("loops.py", source));
  const pointer: ArgumentSpecialisation = { kind: "value", dtype: pointerTo(FP32), divisibility: 16 };
  const args = new Map<string, ArgumentSpecialisation>([
    ["a", pointer],
    ["b", pointer],
    ["c", pointer],
    ["n", { kind: "value", dtype: INT32, divisibility: 1 }],
  ]);
  return compileKernel(module, module.functions.get("k") as FunctionValue, args, 4);
}

/** Memory afterwards; what is read lies inside of the memory, or the interpreter throws. */
function memoryAfter(kernel: BlockKernel, n: bigint): Float32Array {
  const memory = new DataView(new ArrayBuffer(BYTES));
  for (let i = 0; i < 1024; i++) {
    memory.setFloat32(A + 4 * i, ((i * 7) % 13) - 6, true);
    memory.setFloat32(B + 4 * i, ((i * 5) % 11) - 5, true);
  }
  interpretProgram(kernel, [A, B, C, n], memory, { id: [0, 0, 0], count: [1, 1, 1] });
  return new Float32Array(memory.buffer);
}

const carriedBy = (kernel: BlockKernel): number[] =>
  [...allOps(kernel.body)].filter((op): op is ForOp => op.op === "for").map(({ initial }) => initial.length);

test.each([
  [
    "pointers that walk",
    "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pa += 16\n    pb += 256",
    2,
  ],
  [
    "addresses by the counter, under masks",
    "for s in range(0, n * 4, 4):\n    x = tl.load(pa + s, mask=i[None, :] < n * 3 - s, other=2.0)\n" +
      "    sums += tl.dot(x, tl.trans(tl.load(pb + s)))",
    2,
  ],
  ["counting down", "for s in range(n, 0, -1):\n    sums = tl.dot(tl.load(pa + s), tl.load(pb + 2 * s), sums)", 2],
  [
    "one of two, as the other needs a product",
    "for s in range(n):\n    x = tl.dot(tl.load(pa + s), tl.load(pb), sums)\n" +
      "    sums = tl.dot(x, tl.load(pb + (tl.max(x) > 0).to(tl.int32)), sums)",
    2,
  ],
  [
    "an index that is loaded",
    "for s in range(n):\n    at = tl.load(b + s).to(tl.int32) + 8\n" +
      "    sums = tl.dot(tl.load(pa + at), tl.load(pb + s), sums)",
    1,
  ],
  [
    "a loop that stores",
    "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    tl.store(pa, sums * 0.01)",
    0,
  ],
  ["a loop without products", "for s in range(n):\n    sums += tl.load(pa + s)", 0],
])("%s", (_name, loop, ahead) => {
  const kernel = kernelOf(loop);
  const changed = prefetchLoads(kernel, 4);
  const [before, after] = [carriedBy(kernel), carriedBy(changed)] as [number[], number[]];
  expect((after[0] as number) - (before[0] as number)).toBe(ahead);
  for (const n of [0n, 1n, 3n]) expect(memoryAfter(changed, n), `n = ${n}`).toEqual(memoryAfter(kernel, n));
});

test("what is spent on registers is bounded", () => {
  const kernel = kernelOf("for s in range(n):\n    sums = tl.dot(tl.load(pa + s), tl.load(pb + s), sums)");
  // A tile of 16 x 16 floats has 32 bytes in each of 32 threads: four of them would fit.
  expect(carriedBy(prefetchLoads(kernel, 1))[0]).toBe((carriedBy(kernel)[0] as number) + 2);
});
