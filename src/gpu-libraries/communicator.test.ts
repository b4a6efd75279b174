/** Collective operations over devices that share nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { communicator, openDevice, type Gpu } from "../index.ts";

let devices: Gpu[];
beforeAll(async () => {
  devices = await Promise.all([0, 1, 2].map(() => openDevice({ workers: 1 })));
});
afterAll(() => devices.forEach((device) => device.close()));

test("all collectives", async () => {
  const all = communicator(devices);
  const own = devices.map((device, d) => device.array(new Float32Array([d + 1, 10 * d, -d])));
  await all.allReduce(own);
  for (const array of own) expect([...(await array.read())]).toEqual([6, 30, -3]);
  const numbers = devices.map((device, d) => device.array(new Int32Array([d, 5 - d, 7])));
  const parts = devices.map((device) => device.array(1, "int32"));
  await all.reduceScatter(numbers, parts, { operation: "maximum" });
  expect(await Promise.all(parts.map(async (part) => [...(await part.read())]))).toEqual([[2], [5], [7]]);
  const results = devices.map((device) => device.array(3, "int32"));
  await all.allGather(parts, results);
  for (const result of results) expect([...(await result.read())]).toEqual([2, 5, 7]);
  await all.broadcast(numbers, { root: 1 });
  for (const array of numbers) expect([...(await array.read())]).toEqual([1, 4, 7]);
});

test("means of half precision are rounded once", async () => {
  const halves = devices.map((device) => device.array([2048, 1, 3], "float16"));
  await communicator(devices).allReduce(halves, { operation: "mean" });
  expect([...(await (halves[2] as (typeof halves)[0]).read())]).toEqual([2048, 1, 3]);
});

test("wrong arguments are refused by name", async () => {
  const all = communicator(devices);
  const [a, b, c] = devices.map((device) => device.array(4, "int32"));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no arrays");
  await expect(all.allReduce([a, b])).rejects.toThrow("must be 3");
  await expect(all.allReduce([a, c, b])).rejects.toThrow("is on another device");
  await expect(all.allReduce([a, b, c], { operation: "mean" })).rejects.toThrow("no mean of int32");
  await expect(all.allReduce([a, b, c], { op: "sum" } as never)).rejects.toThrow('did you mean "operation"');
  await expect(all.reduceScatter([a, b, c], [a, b, c])).rejects.toThrow("multiple of 3");
  await expect(all.broadcast([a, b, c], { root: 3 })).rejects.toThrow("no device 3");
  expect(() => communicator([])).toThrow("at least one device");
});
