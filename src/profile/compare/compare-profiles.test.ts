/** Comparisons of profiles: which launches and lines belong together, and what counts as better. */
import { describe, expect, test } from "vitest";
import { parseBaseline, type ComparableLaunch, type ComparableProfile } from "./baseline.ts";
import { compareProfiles } from "./compare-profiles.ts";
import { comparisonText } from "./comparison-text.ts";
import { metricChanges, verdictOf } from "./metric-change.ts";

const SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const OCCUPANCY = "sm__maximum_warps_per_active_cycle_pct";

const launch = (name: string, ordinal: number, rest: Partial<ComparableLaunch> = {}): ComparableLaunch => ({
  name,
  ordinal,
  grid: { x: 1, y: 1, z: 1 },
  block: { x: 32, y: 1, z: 1 },
  metrics: {},
  lines: [],
  ...rest,
});
const profile = (...launches: ComparableLaunch[]): ComparableProfile => ({ gpu: { name: "A100" }, launches });

test("launches belong together by name and order; the same changes are said once", () => {
  const { kernels, onlyBefore, onlyAfter } = compareProfiles(
    profile(
      launch("a", 1, { metrics: { [SECTORS]: 100 } }),
      launch("gone", 2),
      launch("a", 3, { metrics: { [SECTORS]: 100 } }),
      launch("b", 4, { metrics: { [OCCUPANCY]: 50 } }),
    ),
    profile(
      launch("b", 1, { metrics: { [OCCUPANCY]: 50 } }),
      launch("a", 2, { metrics: { [SECTORS]: 25 } }),
      launch("a", 3, { metrics: { [SECTORS]: 25 } }),
      launch("a", 4),
    ),
  );
  expect(kernels).toMatchObject([
    { name: "b", verdict: "same", metrics: [], ordinal: { before: 4, after: 1 } },
    {
      name: "a",
      verdict: "better",
      launches: 2,
      metrics: [{ metric: SECTORS, before: 100, after: 25, change: -0.75 }],
    },
  ]);
  expect([onlyBefore, onlyAfter]).toEqual([[{ name: "gone", launches: 1 }], [{ name: "a", launches: 1 }]]);
});

test("the largest relative change first; what was 0 before comes before all", () => {
  const changes = metricChanges(
    { a: 100, [SECTORS]: 8, [OCCUPANCY]: 50, same: 7, rounded: 0.1 + 0.2 },
    { a: 110, [SECTORS]: 1, [OCCUPANCY]: 100, same: 7, rounded: 0.3, fresh: 1 },
  );
  expect(changes.map(({ metric, change, verdict }) => [metric, change, verdict])).toEqual([
    ["fresh", null, "different"],
    [SECTORS, -0.875, "better"],
    [OCCUPANCY, 1, "better"],
    ["a", 0.1, "different"],
  ]);
  expect(verdictOf(SECTORS, 1)).toBe("worse");
  expect(verdictOf("memory_l2_theoretical_sectors_global_ideal", 1)).toBe("different");
});

test("the model's time decides over counters that go both ways", () => {
  const pair = (before: number, after: number): string | undefined =>
    compareProfiles(
      profile(launch("k", 1, { predicted: { microseconds: before }, metrics: { [SECTORS]: 1, [OCCUPANCY]: 50 } })),
      profile(launch("k", 1, { predicted: { microseconds: after }, metrics: { [SECTORS]: 2, [OCCUPANCY]: 100 } })),
    ).kernels[0]?.verdict;
  expect([pair(10, 5), pair(10, 10.2), pair(10, 10.01)]).toEqual(["better", "worse", "mixed"]);
});

test("lines belong together by their text where it has moved, else by number", () => {
  const line = (number: number, text: string | null, sectors: number): ComparableLaunch["lines"][number] => ({
    file: "k.cu",
    line: number,
    text,
    metrics: { [SECTORS]: sectors },
  });
  const [kernel] = compareProfiles(
    profile(
      launch("k", 1, { lines: [line(1, "y = x;", 8), line(2, "y = x;", 4), line(3, "edited", 2), line(9, "z", 1)] }),
    ),
    profile(launch("k", 1, { lines: [line(3, "edited now", 1), line(5, "y = x;", 1), line(6, "y = x;", 4)] })),
  ).kernels;
  expect(kernel?.lines.map(({ before, after, metrics }) => [before, after, metrics[0]?.change])).toEqual([
    [3, 3, -0.5],
    [1, 5, -0.875],
    [9, null, -1],
  ]);
});

test("as text", () => {
  const lines = (number: number, sectors: number): ComparableLaunch["lines"] => [
    { file: "k.cu", line: number, text: "y[i] = x;", metrics: { [SECTORS]: sectors } },
  ];
  const predicted = (microseconds: number): { readonly microseconds: number } => ({ microseconds });
  const comparison = compareProfiles(
    profile(launch("k", 1, { metrics: { [SECTORS]: 800 }, lines: lines(4, 800), predicted: predicted(10) })),
    {
      ...profile(
        launch("k", 1, { metrics: { [SECTORS]: 100 }, lines: lines(5, 100), predicted: predicted(5) }),
        launch("m", 2),
      ),
      gpu: { name: "H200" },
    },
  );
  expect(comparisonText(comparison, { baseline: "old.json", color: false })).toBe(`compared with old.json:
  better: k
  new: m (1 launch)
  the baseline is by the rules of an A100, this profile by those of an H200

k  time (model) 10.0 µs → 5.00 µs (−50 %)
  better  −88 %  800 → 100  ${SECTORS}
  by line
    k.cu:5, before :4  y[i] = x;
      better  −88 %  800 → 100  ${SECTORS}
`);
});

describe("files that are no profile are refused, with what is wrong", () => {
  const good = { gpu: { name: "A100" }, launches: [launch("k", 1, { lines: [] })] };
  const first = (rest: object): string => JSON.stringify({ ...good, launches: [{ ...good.launches[0], ...rest }] });
  test.each([
    ["{", /it is no JSON \(/],
    ["[]", /no JSON object/],
    ['{"traceEvents": []}', /it is a trace/],
    ['{"kernels": [], "gpu": {}}', /times of a GPU, and no counters/],
    ['{"launches": []}', /gpu\.name is missing/],
    ['{"gpu": {"name": "A100"}}', /launches is missing/],
    [first({ name: 5 }), /launches\[0\]\.name is missing, or of another type/],
    [first({ grid: 1 }), /launches\[0\]\.grid/],
    [first({ metrics: { a: "1" } }), /launches\[0\]\.metrics/],
    [first({ lines: [{ file: "k.cu" }] }), /launches\[0\]\.lines\[0\]/],
    [first({ predicted: {} }), /launches\[0\]\.predicted\.microseconds/],
  ])("%s", (text, message) => {
    expect(() => parseBaseline(text, "old.json")).toThrow(message);
    expect(() => parseBaseline(text, "old.json")).toThrow(/old\.json \(--baseline\)/);
  });
  test("a good one", () => expect(parseBaseline(JSON.stringify(good), "old.json")).toEqual(good));
});
