import { expect, test } from "vitest";
import { constI32 } from "../../ir/model/build.ts";
import type { IrValue } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { isOfWholeBlock } from "./sites.ts";

const variable: IrValue = { kind: "param", name: "n", type: I32, index: 0 } as unknown as IrValue;

test.each([
  ["__syncthreads", null, null, false, true],
  ["bar.sync 0", null, constI32(0), false, true],
  ["bar.sync 1", null, constI32(1), false, false],
  ["a barrier whose number is not known", null, variable, false, false],
  ["bar.sync 0, 64", constI32(64), constI32(0), false, false],
  ["bar.arrive 0, 64", constI32(64), constI32(0), true, false],
  ["an arrival that counts all threads", null, constI32(0), true, false],
] as const)("%s", (_, count, id, arrives, expected) => {
  expect(isOfWholeBlock({ count, id, arrives })).toBe(expected);
});
