/** Changed Python files compile or are refused with a place, and never crash the front end. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OWN_FILES, fuzzPython } from "./fuzz-python.mjs";

it("500 changed files", () => {
  const texts = OWN_FILES.map((file) => readFileSync(file, "utf8"));
  const { counts, failures } = fuzzPython(texts, 500);
  expect(failures).toEqual([]);
  expect(counts.compiled).toBeGreaterThan(500);
  expect(counts.refused + counts.unreadable).toBeGreaterThan(500);
});
