/** What cuBLAS is asked for, computed by a simple column-major product in its place. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDevice, type Gpu } from "../../index.ts";
import { fakeLibrary } from "../../device/fake-library.test-helper.ts";
import { memoryOf } from "../device-memory.ts";
import { openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let gpu: Gpu;
let torch: Tensors;
let calls = 0;

/** cublasGemmStridedBatchedEx for float32 on an emulated device. */
function gemm(values: readonly (number | bigint)[]): number {
  const n = values.map(Number);
  const [, ta, tb, rows, columns, inner, , a, , lda, sa, b, , ldb, sb, , c, , ldc, sc, batch] = n as number[];
  const at = (pointer: number, i: number): number => {
    const bytes = new Uint8Array(4);
    gpu.raw.read(pointer + 4 * i, bytes);
    return new DataView(bytes.buffer).getFloat32(0, true);
  };
  const place = (isTransposed: number, ld: number, i: number, j: number): number =>
    isTransposed === 1 ? j + i * ld : i + j * ld;
  if (lda! < (ta === 1 ? inner! : rows!) || ldb! < (tb === 1 ? columns! : inner!) || ldc! < rows!) return 7;
  for (let s = 0; s < batch!; s++)
    for (let i = 0; i < rows!; i++)
      for (let j = 0; j < columns!; j++) {
        let sum = 0;
        for (let k = 0; k < inner!; k++)
          sum += at(a!, s * sa! + place(ta!, lda!, i, k)) * at(b!, s * sb! + place(tb!, ldb!, k, j));
        gpu.raw.write(c! + 4 * (s * sc! + i + j * ldc!), new Uint8Array(new Float32Array([sum]).buffer));
      }
  return 0;
}

beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  const library = fakeLibrary((name) => ({ values }) => {
    if (name !== "cublasGemmStridedBatchedEx") return 0;
    calls++;
    return gemm(values);
  });
  Object.defineProperty(gpu.raw, "library", { value: () => ({ library, missing: null }) });
  torch = await openTensors({ device: gpu });
});
afterAll(() => {
  gpu.close();
});

const randn = (...shape: number[]): Tensor => torch.randn(shape, { device: null });

it.each([
  ["matrices", (x: Tensor, y: Tensor) => x.matmul(y), [3, 5], [5, 4]],
  ["a transpose on the left", (x: Tensor, y: Tensor) => x.t().matmul(y), [5, 3], [5, 4]],
  ["a transpose on the right", (x: Tensor, y: Tensor) => x.matmul(y.t()), [3, 5], [4, 5]],
  ["vectors", (x: Tensor, y: Tensor) => x.matmul(y), [5], [5]],
  ["a column and a row", (x: Tensor, y: Tensor) => x.matmul(y), [4, 1], [1, 3]],
  ["stacks that broadcast", (x: Tensor, y: Tensor) => x.matmul(y), [2, 1, 3, 5], [4, 5, 2]],
  ["parts with gaps", (x: Tensor, y: Tensor) => x.narrow(1, 1, 3).matmul(y.narrow(0, 2, 3)), [3, 5], [6, 4]],
  ["rows and columns with gaps", (x: Tensor, y: Tensor) => x.select(2, 1).matmul(y), [3, 5, 2], [5, 4]],
] as const)("%s", (_, fn, a, b) => {
  const [x, y] = [randn(...a), randn(...b)];
  calls = 0;
  const there = fn(x.to(gpu), y.to(gpu));
  expect(calls).toBe(1);
  const here = fn(x, y);
  expect(there.shape).toEqual(here.shape);
  for (const [i, value] of here.values().entries()) expect(there.cpu().values()[i]).toBeCloseTo(value, 4);
});

it("gradients of a factor whose rows and columns have gaps", () => {
  const [x, y] = [randn(3, 5, 2), randn(5, 4)];
  const gradients = (own: Tensor, other: Tensor): number[][] => {
    const leaves = [own.requiresGrad_(), other.requiresGrad_()];
    own.select(2, 1).matmul(other).sum().backward();
    return leaves.map(({ grad }) => [...(grad as Tensor).cpu().values()].map(Number));
  };
  const [there, here] = [gradients(x.to(gpu), y.to(gpu)), gradients(x, y)];
  for (const [i, values] of here.entries())
    for (const [j, value] of values.entries()) expect(there[i]?.[j]).toBeCloseTo(value, 4);
});

it("memory of factors comes back when they are disposed", () => {
  const before = memoryOf(gpu.raw).statistics.allocatedBytes;
  const [x, y] = [randn(3, 5).to(gpu), randn(5, 4).to(gpu)];
  const product = x.matmul(y);
  for (const tensor of [x, y, product]) tensor.dispose();
  expect(memoryOf(gpu.raw).statistics.allocatedBytes).toBe(before);
});

it("kernels of Heddle's own where they are preferred", () => {
  expect(torch.backends.cuda.preferredBlasLibrary("heddle")).toBe("heddle");
  calls = 0;
  torch.ones([2, 2]).matmul(torch.ones([2, 2]));
  expect(calls).toBe(0);
  torch.backends.cuda.preferredBlasLibrary("cublas");
});
