/** docs/triton-results.md has the figures of the last run over public Triton kernels. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

interface Listed {
  readonly repository: string;
  readonly files: Readonly<Record<string, readonly string[]>>;
}

it("docs/triton-results.md has the figures of the results, and every listed kernel has one", () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
  const results = read("docs/lab/compat-triton.json") as Record<string, { readonly status: string }>;
  const listed = read("scripts/compat/triton.json") as Listed[];
  const names = listed.flatMap(({ repository, files }) =>
    Object.entries(files).flatMap(([path, kernels]) => kernels.map((kernel) => `${repository}/${path}:${kernel}`)),
  );
  expect(Object.keys(results).toSorted()).toEqual(names.toSorted());
  const compiled = Object.values(results).filter(({ status }) => status === "compiles").length;
  const percent = ((100 * compiled) / names.length).toFixed(1);
  const page = readFileSync(join(ROOT, "docs", "triton-results.md"), "utf8");
  expect(page).toContain(
    `**${compiled} of ${names.length} kernels of ${listed.length} public repositories compile (${percent} %).**`,
  );
});
