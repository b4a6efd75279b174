/** What docs/data-models.md says of the layouts of public headers' structs is what was measured. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Result {
  readonly package: string;
  readonly ownLibrary: boolean;
  readonly rows: readonly { readonly name: string; readonly heddle?: object }[];
}
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const { packages } = JSON.parse(read("docs/lab/struct-layouts.json")) as { packages: Result[] };
const page = read("docs/data-models.md");

test("more than 200 structs of public headers are as gcc has them", () => {
  const foreign = packages.filter(({ ownLibrary }) => !ownLibrary);
  const rows = foreign.flatMap((result) => result.rows);
  expect(rows.filter(({ heddle }) => heddle !== undefined)).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);
  expect(page).toContain(`${rows.length} structs of ${foreign.length} packages`);
});

test("the page names each struct that has another layout", () => {
  const other = packages.flatMap(({ rows }) => rows.filter(({ heddle }) => heddle !== undefined));
  for (const { name } of other) expect(page).toContain(`\`${name}\``);
  const cuda = packages.find(({ package: name }) => name === "cuda");
  expect(page).toContain(`${cuda?.rows.length} structs of NVIDIA's`);
});
