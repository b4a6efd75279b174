import { expect, test } from "vitest";
import { describeNullWrite, type TrapSurroundings } from "./host-trap.ts";

test.each([
  [null, "heddle check names the line of the write"],
  [{}, undefined],
])("a write through a null pointer: where a checker watches (%j), nobody is sent to it", (observer, hint) => {
  const around = { cuda: { observer }, guard: { reasons: ["  a reason"] } } as unknown as TrapSurroundings;
  expect(
    describeNullWrite(null, around)
      .split("\n")
      .map((line) => line.trim()),
  ).toEqual([
    "segmentation fault: the host program wrote through a null pointer",
    "a reason",
    ...(hint === undefined ? [] : [hint]),
  ]);
});
