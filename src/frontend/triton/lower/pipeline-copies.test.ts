/** Loops whose tiles come by copies leave the memory that they leave as they stand. */
import { expect, test } from "vitest";
import { cloneKernel } from "../blocks/clone.ts";
import { withoutDeadValues } from "../blocks/dead-values.ts";
import { interpretProgram } from "../blocks/interpreter.ts";
import type { BlockKernel } from "../blocks/model.ts";
import { allOps } from "../blocks/operands.ts";
import { verifyKernel } from "../blocks/verify.ts";
import { compileKernel, type ArgumentSpecialisation } from "../compile-kernel.ts";
import { openModule } from "../evaluate/module.ts";
import { FP32, INT32, pointerTo } from "../language/dtypes.ts";
import type { FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { AxisTable } from "./axis-info.ts";
import { fuseSums } from "./fuse-sums.ts";
import { hoistInvariants } from "./hoist-invariants.ts";
import { pipelineCopies } from "./pipeline-copies.ts";

const BYTES = 1 << 16;
const [A, B, C] = [4096, 16384, 32768];

function kernelOf(body: string): BlockKernel {
  const source = `import triton
import triton.language as tl


@triton.jit
def k(a, b, c, n):
    i = tl.arange(0, 16)
    sums = tl.zeros((16, 16), dtype=tl.float32)
    pa = a + i[:, None] * 16 + i[None, :]
    pb = b + i[:, None] * 16 + i[None, :]
${body
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
  return compileKernel(module, module.functions.get("k") as FunctionValue, args, 1);
}

function memoryAfter(kernel: BlockKernel, n: bigint): Float32Array {
  const memory = new DataView(new ArrayBuffer(BYTES));
  for (let i = 0; i < 1024; i++) {
    memory.setFloat32(A + 4 * i, ((i * 7) % 13) - 6, true);
    memory.setFloat32(B + 4 * i, ((i * 5) % 11) - 5, true);
  }
  interpretProgram(kernel, [A, B, C, n], memory, { id: [0, 0, 0], count: [1, 1, 1] });
  return new Float32Array(memory.buffer);
}

/** As for a GPU whose tensor cores take all products. */
function pipelined(given: BlockKernel, stages: number, maxStages = 8): { kernel: BlockKernel; bytes: number } {
  const kernel = cloneKernel(given);
  hoistInvariants(kernel.body);
  fuseSums(kernel.body);
  const axes = new AxisTable(kernel);
  const { bytes } = pipelineCopies(kernel, { axes, threads: 32, stages, maxStages, usesTensorCores: () => true });
  return { kernel: withoutDeadValues(kernel), bytes };
}

const TILE = 16 * 16 * 4;
const count = (kernel: BlockKernel, op: string): number => [...allOps(kernel.body)].filter((o) => o.op === op).length;

test.each<[name: string, body: string, staged: number, tiles: number]>([
  [
    "pointers that walk",
    "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pa += 16\n    pb += 256",
    2,
    6,
  ],
  [
    "addresses by the counter, under masks, of a transpose",
    "for s in range(0, n * 4, 4):\n    x = tl.load(pa + s * 4, mask=i[:, None] < n * 3 - s, other=0.0)\n" +
      "    sums += tl.dot(x, tl.trans(tl.load(pb + s * 4)))",
    2,
    6,
  ],
  ["counting down", "for s in range(n, 0, -1):\n    sums = tl.dot(tl.load(pa + s * 4), tl.load(pb), sums)", 2, 6],
  [
    "a tile from before the loop",
    "q = tl.load(pa)\nfor s in range(n):\n    sums = tl.dot(q, tl.load(pb), sums)\n    pb += 16",
    2,
    4,
  ],
  [
    "an index that is loaded stays",
    "for s in range(n):\n    at = tl.load(b + s).to(tl.int32) + 8\n" +
      "    sums = tl.dot(tl.load(pa + at), tl.load(pb + s * 4), sums)",
    1,
    3,
  ],
  [
    "a loop that stores stays",
    "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    tl.store(pa, sums * 0.01)",
    0,
    0,
  ],
  ["a loop without products stays", "for s in range(n):\n    sums += tl.load(pa + s * 4)", 0, 0],
  [
    "a loop with num_stages, and what is outside",
    "for s in tl.range(0, n, num_stages=4):\n    x = tl.load(pa + s * 4, mask=i[:, None] < 5 + s, other=2.0)\n" +
      "    sums += x\n    tl.store(c + 4096 + s * 256 + i[:, None] * 16 + i[None, :], x)",
    1,
    2,
  ],
  [
    "two loops, one after the other",
    "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pa += 16\n" +
      "for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pb += 16",
    4,
    6,
  ],
  [
    "a loop in a loop",
    "for r in range(2):\n    for s in range(n):\n        sums = tl.dot(tl.load(pa), tl.load(pb + r * 16), sums)\n" +
      "        pa += 16",
    2,
    6,
  ],
])("%s", (_name, body, staged, tiles) => {
  const kernel = kernelOf(body);
  const { kernel: changed, bytes } = pipelined(kernel, 3);
  expect(verifyKernel(changed)).toEqual([]);
  expect(count(changed, "staged")).toBe(staged);
  expect(bytes).toBe(tiles * TILE);
  for (const n of [0n, 1n, 2n, 5n]) expect(memoryAfter(changed, n), `n = ${n}`).toEqual(memoryAfter(kernel, n));
});

test("as many stages as are asked for, and as fit", () => {
  const kernel = kernelOf("for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pa += 16");
  for (const [stages, most, slots] of [
    [1, 8, 0],
    [2, 8, 2],
    [4, 8, 4],
    [4, 2, 2],
    [4, 1, 0],
  ] as const) {
    const { kernel: changed, bytes } = pipelined(kernel, stages, most);
    expect(bytes).toBe(2 * slots * TILE);
    expect(memoryAfter(changed, 3n)).toEqual(memoryAfter(kernel, 3n));
  }
});

test("what only pays for itself is not carried", () => {
  const { kernel } = pipelined(
    kernelOf("for s in range(n):\n    sums = tl.dot(tl.load(pa), tl.load(pb), sums)\n    pa += 16"),
    3,
  );
  const loop = [...allOps(kernel.body)].find((op) => op.op === "for");
  // The sums, the counter and the pointers of the copies, and two numbers of slots.
  expect(loop?.op === "for" && loop.initial.length).toBe(5);
});

test("warps of a program that is alone on its multiprocessor begin each iteration together", () => {
  for (const [rows, waits] of [
    [16, [true, true]],
    [1024, [false, true]],
  ] as const) {
    const body =
      `r = tl.arange(0, ${rows})[:, None] * 16 + i[None, :]\nfor s in tl.range(0, n, num_stages=3):\n` +
      "    tl.store(c + r, tl.load(a + s * 16 + r))";
    const { kernel: changed } = pipelined(kernelOf(body), 3);
    const awaits = [...allOps(changed.body)].flatMap((op) => (op.op === "await-copies" ? [op.isPrivate] : []));
    // That of the loop, and that behind it.
    expect(awaits, `${rows} rows`).toEqual(waits);
  }
});

test("copies of what is loaded with .ca stay in the cache", () => {
  const kernel = kernelOf(
    'for s in range(n):\n    sums = tl.dot(tl.load(pa, cache_modifier=".ca"), tl.load(pb), sums)\n    pa += 16',
  );
  const copies = [...allOps(pipelined(kernel, 2).kernel.body)].filter((op) => op.op === "copy");
  expect(copies.map(({ staysInCache }) => staysInCache)).toEqual([true, false, true, false]);
});
