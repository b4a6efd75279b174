/** The counters of docs/lab/hopper-climb.json are those that the profiler has today. Needs dist/. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { profiled } from "./hopper-climb.mjs";

test("version 10 of matmul-bf16 counts what the page says", () => {
  const { versions } = JSON.parse(
    readFileSync(new URL("../../docs/lab/hopper-climb.json", import.meta.url), "utf8"),
  ) as { versions: Record<string, { result: string; counters: Record<string, number> }> };
  const { result, counters } = profiled("10-clusters");
  expect({ result, counters }).toEqual({
    result: versions["10-clusters"]?.result,
    counters: versions["10-clusters"]?.counters,
  });
});
