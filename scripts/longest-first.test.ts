import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SECONDS } from "./longest-first.ts";

test("the files that are named exist, longest first", () => {
  const names = Object.keys(SECONDS);
  expect(names.filter((name) => !existsSync(join(import.meta.dirname, "..", name)))).toEqual([]);
  expect(names).toEqual(names.toSorted((a, b) => (SECONDS[b] ?? 0) - (SECONDS[a] ?? 0)));
});
