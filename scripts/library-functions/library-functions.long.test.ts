/** Every documented function that Heddle has is called with nothing, and gives its documented status. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { LIBRARIES } from "./names.mjs";
import { callAll, summary } from "./statuses.mjs";

const results = JSON.parse(
  readFileSync(join(resolve(import.meta.dirname, "../.."), "docs/lab/library-functions.json"), "utf8"),
) as Readonly<Record<string, unknown>>;

test.each(LIBRARIES)("$title", (library) => {
  expect(summary(callAll(library))).toEqual(results[library.name]);
});
