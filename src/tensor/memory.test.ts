import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Device } from "../device/device.ts";
import { backward } from "./autograd/backward.ts";
import { fromNumbers, full } from "./operations/creation.ts";
import { setItem } from "./operations/indexing.ts";
import { binary } from "./operations/elementwise.ts";
import { float } from "./operations/operands.ts";
import { HostMemoryDevice } from "./host-memory-device.test-helper.ts";
import { reduce } from "./operations/reductions.ts";
import { softmax } from "./operations/softmax.ts";
import { reshape } from "./operations/shapes.ts";
import { useGarbageCollector } from "./device-memory.ts";
import { collectGarbage } from "./garbage-node.ts";
import { empty, scoped, type Tensor } from "./tensor.ts";

it("memory of a device is given back: of what an operation made, of views, and of the tape", () => {
  const device = new HostMemoryDevice();
  const add = (a: Tensor, b: Tensor): Tensor => binary("add", a, b);
  const x = scoped(() => full([4, 4], 2, "float32", device as unknown as Device));
  x.isLeafWithGradient = true;
  expect(device.live.size).toBe(1);
  const y = scoped(() => reduce("sum", softmax(binary("mul", reshape(x, [16]), float(3)), 0), null));
  expect(device.live.size).toBeGreaterThan(2);
  const one = scoped(() => full([], 1, "float32", device as unknown as Device));
  backward(y, one, add);
  expect([...(x.grad?.values() ?? [])].every((value) => Math.abs(value) < 1e-6)).toBe(true);
  y.release();
  one.release();
  expect(device.live.size).toBe(2);
  x.release();
  expect(device.live.size).toBe(0);
});

it("the tape keeps what it needs: a mask that is gone, and a result", () => {
  const device = new HostMemoryDevice();
  const place = device as unknown as Device;
  const x = scoped(() => fromNumbers([1, 2, 3, 4], [4], "float32", place));
  x.isLeafWithGradient = true;
  const y = scoped(() => binary("pow", x, float(2)));
  const mask = scoped(() => binary("gt", x, float(2)));
  scoped(() => setItem(y, [{ kind: "tensor", tensor: mask }], float(0)));
  mask.release();
  // Would lie where the mask was.
  const other = scoped(() => full([4], 1, "bool", place));
  const ones = scoped(() => full([4], 1, "float32", place));
  backward(y, ones, (a, b) => binary("add", a, b));
  expect([...(x.grad?.values() ?? [])]).toEqual([2, 4, 0, 0]);
  for (const tensor of [x, y, other, ones]) tensor.release();
  expect(device.live.size).toBe(0);
});

it("an operation that fails gives back what it had made", () => {
  const device = new HostMemoryDevice() as unknown as Device;
  expect(() =>
    scoped(() => {
      full([8], 1, "float32", device);
      throw new Error("on the way");
    }),
  ).toThrow("on the way");
  expect((device as unknown as HostMemoryDevice).live.size).toBe(0);
});

it("what is released inside of a scope leaves what it was made of when the scope ends", () => {
  const device = new HostMemoryDevice();
  const place = device as unknown as Device;
  const x = scoped(() => full([4], 2, "float32", place));
  x.isLeafWithGradient = true;
  for (let i = 0; i < 3; i++) scoped(() => (softmax(x, 0).release(), null));
  expect(device.live.size).toBe(1);
  expect([...x.values()]).toEqual([2, 2, 2, 2]);
  x.release();
  expect(device.live.size).toBe(0);
});

it("the garbage collector gives back what nobody refers to, and not again what was released", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const device = new HostMemoryDevice();
  const make = (): Tensor => scoped(() => full([4], 1, "float32", device as unknown as Device));
  // More than are young: the first of them are watched.
  const released = Array.from({ length: 100 }, make);
  for (const tensor of released) tensor.release();
  released.length = 0;
  const stays = make();
  for (let i = 0; i < 200; i++) make();
  expect(device.live.size).toBe(201);
  for (let i = 0; i < 50 && device.live.size > 1; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  expect(device.live.size).toBe(1);
  expect([...stays.values()]).toEqual([1, 1, 1, 1]);
  stays.release();
  expect(device.live.size).toBe(0);
});

it("a loop that awaits needs no more than a part of the device, though it says nowhere where it ends", async () => {
  useGarbageCollector(collectGarbage);
  const device = new HostMemoryDevice(256 << 20);
  let most = 0;
  for (let i = 0; i < 400; i++) {
    empty([2 << 20], "uint8", device as unknown as Device);
    await new Promise((resolve) => void setImmediate(resolve));
    most = Math.max(most, device.live.size * 2);
  }
  expect(most).toBeLessThan(200);
});
