import { expect, test } from "vitest";
import type { ProgramRecording, RecordedStep } from "../../frontend/triton/record-program.ts";
import { accessViews, movedTiles, openTiles, variableViews } from "./tiles.ts";

const step = (line: number, parts: Partial<RecordedStep> = {}): RecordedStep => ({
  line,
  file: "./k.py",
  functionName: "k",
  callers: [],
  variables: [],
  accesses: [],
  condition: null,
  ...parts,
});
const variable = (name: string, shape: number[], values: (number | boolean)[], functionName = "k") => ({
  name,
  functionName,
  dtype: "fp32",
  shape,
  values,
});
const recording: ProgramRecording = {
  version: 1,
  kernel: "k",
  file: "./k.py",
  program: [1, 0, 0],
  grid: [4, 1, 1],
  arguments: [variable("n", [], [7])],
  steps: [
    step(3, { variables: [variable("x", [2, 3], [0, 1, 2, 3, 4, 5])] }),
    step(4, { variables: [variable("x", [2], [8, 8]), variable("y", [1], [1], "helper")] }),
    step(3, {
      accesses: [
        {
          kind: "load",
          tile: { dtype: "fp32", shape: [4], values: [1, 2, 0, 0] },
          addresses: [0, 4, 8, 12],
          mask: [true, true, true, false],
          parameter: "x_ptr",
          indices: [6, 7, 8, 9],
          outside: [2],
        },
      ],
    }),
  ],
  endedEarly: null,
};

test("goes forwards and backwards, and to the next step on a line", () => {
  const tiles = openTiles(recording);
  expect(tiles.title).toBe("k, program (1, 0, 0) of (4, 1, 1): 3 steps");
  const at = (...moves: Parameters<typeof movedTiles>[1][]): number => moves.reduce(movedTiles, tiles).step;
  expect(at({ kind: "step", direction: -1 })).toBe(0);
  expect(at({ kind: "step", direction: 1 })).toBe(1);
  expect(at({ kind: "cursor", file: "k.py", line: 3, direction: 1 })).toBe(2);
  expect(at({ kind: "to", step: 2 }, { kind: "cursor", file: "k.py", line: 4, direction: -1 })).toBe(1);
  expect(at({ kind: "cursor", file: "k.py", line: 99, direction: 1 })).toBe(0);
  expect(at({ kind: "to", step: 99 })).toBe(2);
});

test("shows what a statement binds first, then the latest value of each other name", () => {
  const [x, y, n] = variableViews({ ...openTiles(recording), step: 1 });
  expect(x).toMatchObject({ name: "x", type: "fp32 [2]", isNew: true, same: "8" });
  expect(y).toMatchObject({ name: "helper's y", isNew: true });
  expect(n).toMatchObject({ name: "n", type: "fp32", isNew: false, same: "7" });
  expect(variableViews({ ...openTiles(recording), step: 2 })[0]).toMatchObject({ name: "x", isNew: false });
});

test("a tile of two dimensions is a table; cells know where between the least and the greatest they are", () => {
  const [x] = variableViews(openTiles(recording));
  expect(x?.grid.rows.map(({ label }) => label)).toEqual(["0", "1"]);
  expect(x?.grid.rows[1]?.cells.map(({ text, part }) => [text, part])).toEqual([
    ["3", 0.6],
    ["4", 0.8],
    ["5", 1],
  ]);
});

test("an access says which elements the mask leaves out, and which lie in no array", () => {
  const [access] = accessViews({ ...openTiles(recording), step: 2 });
  expect(access?.text).toBe("load of fp32 [4], array x_ptr, 3 of 4 by its mask");
  expect(access?.fault).toBe("1 element out of bounds, the first at 8");
  expect(access?.places.rows[0]?.cells.map(({ text, state }) => [text, state])).toEqual([
    ["6", null],
    ["7", null],
    ["8", "outside"],
    ["9", "masked"],
  ]);
});

test("whole numbers have all their digits", () => {
  const one = {
    ...recording,
    steps: [step(1, { variables: [variable("n", [], [402653184]), variable("x", [], [0.1234567])] })],
  };
  expect(variableViews(openTiles(one)).map(({ same }) => same)).toEqual(["402653184", "0.123457"]);
});

test("large tiles are cut, and the rest is counted", () => {
  const values = Array.from({ length: 4096 }, (_, i) => i);
  const tile = { ...recording, steps: [step(1, { variables: [variable("t", [64, 64], values)] })] };
  const [t] = variableViews(openTiles(tile));
  expect([t?.grid.rows.length, t?.grid.rows[0]?.cells.length, t?.grid.leftOut]).toEqual([16, 32, 4096 - 512]);
  const long = { ...recording, steps: [step(1, { variables: [variable("t", [4096], values)] })] };
  expect(variableViews(openTiles(long))[0]?.grid.rows[1]?.label).toBe("32");
});
