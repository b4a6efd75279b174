import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("docs/reports.md is what heddle check says (npm run docs)", () => {
  const script = join(import.meta.dirname, "../../scripts/make-reports.mjs");
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("");
});
