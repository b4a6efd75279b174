/** How many launches are timed. */
import { expect, test } from "vitest";
import { NOTHING_COMPARED } from "./comparison.ts";
import { measure, type MeasuredRun } from "./timed-run.ts";

const slow: MeasuredRun = {
  sets: 3,
  launch: async () => {
    await new Promise((done) => setTimeout(done, 40));
    return 40;
  },
  compare: async () => NOTHING_COMPARED,
};
const plan = { warmups: 1, least: 10, most: 20, precision: 0, seconds: 0.01 };

test("launches that are slow come to an end before there are enough samples", async () => {
  const { times } = await measure(slow, "hot", { ...plan, mostSeconds: 0.1 }, new AbortController().signal);
  expect(times.length).toBeGreaterThan(0);
  expect(times.length).toBeLessThan(5);
});

test("else there are enough samples, however long that takes", async () => {
  const { times } = await measure(slow, "hot", { ...plan, mostSeconds: 60 }, new AbortController().signal);
  expect(times.length).toBe(10);
});
