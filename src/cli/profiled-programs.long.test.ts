import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { heddle } from "./heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-profile-"));
afterAll(() => rmSync(folder, { recursive: true }));
const EXAMPLE = "examples/transpose.cu";

it("a profile as a summary, as a page and as JSON", () => {
  const [page, json] = [join(folder, "profile.html"), join(folder, "profile.json")];
  const ended = heddle(["profile", "-o", page, EXAMPLE]);
  expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/0 wrong/) });
  expect(ended.stderr).toMatch(/transpose_columns[\s\S]*touch 32 sectors a request[\s\S]*has the profile as a page/);
  expect(readFileSync(page, "utf8")).toMatch(/^<!doctype html>[\s\S]*Profile of transpose\.cu[\s\S]*<\/html>\s*$/);
  expect(heddle(["profile", `--json=${json}`, EXAMPLE])).toMatchObject({ status: 0, stderr: "" });
  const { launches } = JSON.parse(readFileSync(json, "utf8")) as {
    launches: { name: string; hints: { kind: string }[]; metrics: Record<string, number>; predicted: object }[];
  };
  expect(launches.map(({ name, hints }) => [name, hints.map(({ kind }) => kind)])).toEqual([
    ["transpose_columns", ["uncoalesced"]],
    ["transpose_tiles", ["bank-conflicts"]],
  ]);
  // A matrix of 1024 × 1024 floats is read, and another one written.
  for (const { metrics } of launches)
    expect([metrics["dram__bytes_read.sum"], metrics["dram__bytes_write.sum"]]).toEqual([2 ** 22, 2 ** 22]);
});

it("what cannot be written is said in a sentence", () => {
  const target = join(folder, "missing", "profile");
  const said = (option: string): RegExp =>
    new RegExp(`^heddle: .*missing/profile.*\\(${option}\\) cannot be written`, "m");
  for (const [args, option] of [
    [["profile", "-o", `${target}.html`], "-o"],
    [["profile", `--json=${target}`], "--json"],
    [["run", `--json=${target}`], "--json"],
    [["check", "--sarif", target], "--sarif"],
  ] as const)
    expect(heddle([...args, EXAMPLE])).toMatchObject({ status: 74, stderr: expect.stringMatching(said(option)) });
  expect(heddle(["profile", "-o", "profile.txt", EXAMPLE])).toMatchObject({
    status: 64,
    stderr: expect.stringMatching(/ends in[\s\S]*-o FILE\.html/),
  });
});
