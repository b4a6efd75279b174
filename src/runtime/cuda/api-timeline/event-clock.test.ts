/** Times of work on streams, from events of a queue that is simulated. */
import { expect, test } from "vitest";
import { EventClock } from "./event-clock.ts";
import { SimulatedQueue } from "./queue.test-helper.ts";

type Times = { readonly startMs: number; readonly durationMs: number } | null;

function clock(): {
  device: SimulatedQueue;
  work: (stream: number, ms: number) => void;
  own: EventClock;
  times: Times[];
} {
  const device = new SimulatedQueue();
  device.now = 1000;
  const own = new EventClock(device.queue, () => device.now - 1000);
  const times: Times[] = [];
  const work = (stream: number, ms: number): void => {
    const start = own.begin(stream);
    device.work(stream, ms);
    own.end(start, stream, (found) => times.push(found));
  };
  return { device, own, work, times };
}

test("work of two streams that overlaps keeps its times on the host's clock", () => {
  const { device, own, work, times } = clock();
  device.now += 2;
  work(1, 5);
  device.now += 1;
  work(2, 3);
  work(1, 4);
  device.queue.waitBlocking();
  own.finish(false);
  expect(times).toEqual([
    { startMs: 2, durationMs: 5 },
    { startMs: 3, durationMs: 3 },
    { startMs: 7, durationMs: 4 },
  ]);
});

test("hours of short launches: few events, and times that stay exact", () => {
  const { device, own, work, times } = clock();
  for (let i = 0; i < 10_000; i++) {
    device.now = 1000 + 720 * i;
    work(1, 0.25);
    device.queue.waitBlocking();
  }
  own.finish(false);
  expect(device.events).toBeLessThan(600);
  const worst = Math.max(...times.map((found, i) => Math.abs((found?.startMs ?? 0) - 720 * i)));
  expect(worst).toBeLessThan(1e-3);
  expect(times.every((found) => Math.abs((found?.durationMs ?? 0) - 0.25) < 1e-6)).toBe(true);
});

test("work that does not end, on a device that stops: nobody knows its time", () => {
  const { device, own, work, times } = clock();
  work(1, 5);
  device.queue.waitBlocking();
  work(1, 5);
  own.finish(false);
  work(1, 5);
  device.isBroken = true;
  own.finish(false);
  expect(times).toEqual([{ startMs: 0, durationMs: 5 }, null, null]);
});
