/** Collective operations over devices that share nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { communicator, openDevice, type Communicator, type Gpu, type ProcessGroup } from "../index.ts";

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

/** As two processes, with one and with two of the devices. */
function processes(name: string, timeout = 20): [Communicator, Communicator] {
  const group = (rank: number): ProcessGroup => ({ name: `${name}-${process.pid}`, rank, size: 2, timeout });
  return [
    communicator(devices.slice(0, 1), { processes: group(0) }),
    communicator(devices.slice(1), { processes: group(1) }),
  ];
}

test("all collectives over two processes", async () => {
  const [one, two] = processes("collectives");
  const own = devices.map((device, d) => device.array(new Float32Array([d + 1, 10 * d, -d])));
  const both = async (work: (all: Communicator, from: number, to: number) => Promise<void>): Promise<void> =>
    void (await Promise.all([work(one, 0, 1), work(two, 1, 3)]));
  await both((all, from, to) => all.allReduce(own.slice(from, to)));
  for (const array of own) expect([...(await array.read())]).toEqual([6, 30, -3]);
  const numbers = devices.map((device, d) => device.array(new Int32Array([d, 5 - d, 7])));
  const parts = devices.map((device) => device.array(1, "int32"));
  await both((all, from, to) =>
    all.reduceScatter(numbers.slice(from, to), parts.slice(from, to), { operation: "maximum" }),
  );
  expect(await Promise.all(parts.map(async (part) => [...(await part.read())]))).toEqual([[2], [5], [7]]);
  const results = devices.map((device) => device.array(3, "int32"));
  await both((all, from, to) => all.allGather(parts.slice(from, to), results.slice(from, to)));
  for (const result of results) expect([...(await result.read())]).toEqual([2, 5, 7]);
  await both((all, from, to) => all.broadcast(numbers.slice(from, to), { root: 2 }));
  for (const array of numbers) expect([...(await array.read())]).toEqual([2, 3, 7]);
  one.close();
  await expect(two.allReduce(own.slice(1))).rejects.toMatchObject({ code: "io-error" });
  two.close();
});

test("processes that disagree, that do not come, and wrong groups", async () => {
  const [one, two] = processes("disagree");
  const [a, b, c] = devices.map((device, d) => device.array(4 + d, "int32"));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no arrays");
  const calls = [one.allReduce([a]), two.broadcast([b, devices[2]?.array(5, "int32") ?? c])];
  for (const call of calls) await expect(call).rejects.toThrow("the processes disagree: ");
  one.close();
  two.close();
  using alone = processes("alone", 0.05)[0];
  await expect(alone.allReduce([a])).rejects.toMatchObject({ code: "timeout" });
  const wrong =
    (group: object): unknown =>
    () =>
      communicator(devices, { processes: group as ProcessGroup });
  expect(wrong({ name: "a/b", rank: 0, size: 1 })).toThrow("letters, digits");
  expect(wrong({ name: "a", rank: 2, size: 2 })).toThrow("rank must be a whole number from 0 to 1");
  expect(wrong({ name: "a", rank: 0, size: 2, world: 1 })).toThrow("world");
});
