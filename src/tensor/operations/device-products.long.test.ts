import { expect, it } from "vitest";
import { openDevice } from "../../index.ts";
import { openTensorDevice } from "../kernels/tensor-device.ts";
import type { Tensor } from "../tensor.ts";
import { move, narrow } from "./creation.ts";
import { cast } from "./elementwise.ts";
import { openDeviceProducts } from "./device-products.ts";
import { matmul } from "./matmul.ts";
import { Generators } from "./random.ts";
import { transpose } from "./shapes.ts";
import type { TensorDtype } from "../dtypes.ts";

it("products by a kernel are those of the host, element by element", async () => {
  using gpu = await openDevice({ device: "emulated" });
  openTensorDevice(gpu, null);
  openDeviceProducts(gpu);
  const generators = new Generators(3n);
  for (const dtype of ["float32", "float16", "bfloat16"] as TensorDtype[]) {
    const a = cast(generators.randn([2, 1, 301, 190], "float32", null), dtype);
    const b = cast(generators.randn([3, 170, 190], "float32", null), dtype);
    const expected = matmul(a, transpose(b, 1, 2));
    const actual = matmul(move(a, gpu.raw), transpose(move(b, gpu.raw), 1, 2));
    expect([actual.shape, actual.dtype, actual.place]).toEqual([[2, 3, 301, 170], dtype, gpu.raw]);
    expect(Buffer.compare(Buffer.from(actual.values().buffer), Buffer.from(expected.values().buffer))).toBe(0);
  }
});

it("products of two matrices, too, also of transposes and of parts with gaps", async () => {
  using gpu = await openDevice({ device: "emulated" });
  openTensorDevice(gpu, null);
  openDeviceProducts(gpu);
  const generators = new Generators(4n);
  const [a, b] = [generators.randn([190, 304], "float32", null), generators.randn([190, 320], "float32", null)];
  const product = (x: Tensor, y: Tensor): Tensor => matmul(transpose(x, 0, 1), narrow(y, 1, 3, 310));
  const expected = product(a, b);
  const actual = product(move(a, gpu.raw), move(b, gpu.raw));
  expect([actual.shape, actual.place]).toEqual([[304, 310], gpu.raw]);
  expect(Buffer.compare(Buffer.from(actual.values().buffer), Buffer.from(expected.values().buffer))).toBe(0);
});
