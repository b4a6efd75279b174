import { expect, test } from "vitest";
import type { Trial } from "../../bench/results.ts";
import { leadersFrom, leadersOf, withRace, type Leader } from "./leaderboard.ts";
import { heatMapOf, type RaceRow, type RaceTable } from "./race.ts";
import { copiesOf, ladderWorkspace, withCopy } from "./workspace.ts";

const trial = (configuration: Record<string, number>, medianMs: number | null): Trial => ({
  configuration,
  medianMs,
  problem: medianMs === null ? "needs too much shared memory" : null,
});

test("a sweep of two parameters is a grid of the best times, the busier parameter in the columns", () => {
  const map = heatMapOf([
    trial({ BLOCK: 64, ROWS: 1, STAGES: 2 }, 4),
    trial({ BLOCK: 64, ROWS: 1, STAGES: 2 }, 3),
    trial({ BLOCK: 128, ROWS: 1, STAGES: 2 }, 2),
    trial({ BLOCK: 256, ROWS: 1, STAGES: 2 }, null),
    trial({ BLOCK: 64, ROWS: 2, STAGES: 2 }, 1),
  ]);
  expect(map).toMatchObject({ columnName: "BLOCK", columns: [64, 128, 256], rowName: "ROWS" });
  const cells = map?.rows.map(({ label, cells: row }) => [label, ...row.map(({ speed }) => speed)]);
  expect(cells).toEqual([
    ["1", 1 / 3, 0.5, null],
    ["2", 1, null, null],
  ]);
  expect(map?.rows[0]?.cells[2]).toMatchObject({ text: "–", title: "needs too much shared memory" });
  expect(map?.rows[1]?.cells[1]).toMatchObject({ text: "", title: "not tried" });
});

test("of one parameter there is one row; of none there is no map", () => {
  const map = heatMapOf([trial({ BLOCK: 64 }, 4), trial({ BLOCK: 128 }, 2)]);
  expect(map?.rows.map(({ label, cells }) => [label, cells.length])).toEqual([["", 2]]);
  expect(heatMapOf([trial({ BLOCK: 64 }, 4)])).toBeNull();
  expect(heatMapOf([])).toBeNull();
});

const row = (version: string, medianMs: number | null): RaceRow => ({
  version,
  idea: "",
  isRight: medianMs !== null,
  problem: null,
  time: "",
  speed: 0,
  speedText: "",
  medianMs,
  configuration: "",
  heatMap: null,
});
const table = (...rows: RaceRow[]): RaceTable => ({ title: "sum", summary: "", ladder: "sum", shape: "n=1", rows });

test("the board has each text once, with its best time, the fastest first", () => {
  const files = [
    { path: "1-a.cu", text: "A" },
    { path: "2-b.py", text: "B" },
  ];
  const about = { files, gpu: "a100", when: "2026-11-24" };
  const first = withRace([], table(row("1-a", 3), row("2-b", 5), row("3-c", null)), about);
  const second = withRace(first, table(row("1-a", 4), row("2-b", 2)), about);
  expect(second.map(({ version, ms }) => [version, ms])).toEqual([
    ["2-b", 2],
    ["1-a", 3],
  ]);
  const changed = withRace(second, table(row("1-a", 1)), { ...about, files: [{ path: "1-a.cu", text: "faster" }] });
  expect(changed.map(({ ms, file }) => [ms, file.text])).toEqual([
    [1, "faster"],
    [2, "B"],
    [3, "A"],
  ]);
  expect(leadersOf(changed, "sum", "h100")).toEqual([]);
  expect(leadersFrom(JSON.parse(JSON.stringify(changed)))).toEqual(changed);
});

test("what a browser has kept may be anything", () => {
  expect(leadersFrom(null)).toEqual([]);
  expect(leadersFrom([1, null, {}, { ladder: "sum", ms: 1 } as Partial<Leader>])).toEqual([]);
});

test("a copy of a version is raced with its original's declaration", () => {
  const ladder = ladderWorkspace("sum", [{ path: "2-tree.cu", text: "T" }], {
    id: "sum",
    declaration: "",
    headers: [],
  });
  const copied = withCopy(withCopy(ladder, "2-tree.cu"), "2-tree-mine.cu");
  expect(copied.files.map(({ path }) => path)).toEqual(["2-tree.cu", "2-tree-mine.cu", "2-tree-mine-2.cu"]);
  expect(copied.active).toBe("2-tree-mine-2.cu");
  expect(copiesOf(copied.files)).toEqual({ "2-tree-mine": "2-tree", "2-tree-mine-2": "2-tree" });
});
