import { expect, test } from "vitest";
import type { IrInstruction } from "../ir/model/ir.ts";
import { isDoubleDivision } from "./double-divisions.ts";

/** @param text a line with one division; that of floats is at its operator, another where the expression begins */
function isDouble(text: string, at: string): boolean {
  const location = { file: "k.cu", line: 2, column: text.indexOf(at) + 1 };
  return isDoubleDivision({ location } as IrInstruction, (file) => (file === "k.cu" ? ["", text] : null));
}

test.each([
  ["x = 1.0 / y;", "1.0"],
  ["x = a * 1. / y;", "a"],
  ["x /= 2.5;", "x"],
  ["x = y / .5;", "y"],
  ["x = 1e-3 / y;", "1e"],
])("%s", (text, at) => expect(isDouble(text, at)).toBe(true));

test.each(["x = 1.0f / y;", "x = a1 / y;", "x = y / 2;", "x = v.x0 / 3.0f;", "x = y / (float)1.0 + 2.0;"])(
  "%s: of floats",
  (text) => {
    expect(isDouble(text, "/")).toBe(false);
    expect(isDouble(text, "x")).toBe(false);
  },
);

test("a source that is not known is taken as it was compiled", () => {
  const location = { file: "other.cu", line: 2, column: 1 };
  expect(isDoubleDivision({ location } as IrInstruction, () => null)).toBe(false);
});
