/** docs/hints.md has for each kind of hint a kernel before and after, with what the profile says of both today. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

// The page is made with 64 bits: addresses cost other instructions than with 32.
test.skipIf(process.env["HEDDLE_MODEL"] !== "lp64")("docs/hints.md is what the profile says", () => {
  const script = join(ROOT, "scripts", "profile", "make-hints.mjs");
  // The same on machines with and without a toolkit.
  const env = { ...process.env, HEDDLE_PTXAS: "none" };
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8", env })).toBe("");
});

test("each kind of hint has its section", () => {
  const union = /export type HintKind =([^;]*);/.exec(
    readFileSync(join(ROOT, "src", "profile", "hints", "hint.ts"), "utf8"),
  );
  const kinds = [...(union?.[1] ?? "").matchAll(/"([a-z-]+)"/g)].map(([, kind]) => kind);
  const page = readFileSync(join(ROOT, "docs", "hints.md"), "utf8");
  const sections = [...page.matchAll(/^## (\S+)$/gm)].map(([, kind]) => kind);
  expect(kinds.length).toBeGreaterThan(20);
  expect(sections.toSorted()).toEqual(kinds.toSorted());
});
