import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("docs/support.md is what the code makes it (npm run docs)", () => {
  const script = join(import.meta.dirname, "../../scripts/make-support.mjs");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});
