/** Which data model a program has, and how often its user is told. */
import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chooseModel } from "./data-model.ts";

let cache = "";
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "heddle-model-"));
  vi.stubEnv("HEDDLE_CACHE_DIR", cache);
  vi.stubEnv("HEDDLE_MODEL", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test("without the library a program has 32 bits, which is said once a day", async () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  for (let run = 0; run < 3; run++) expect(await chooseModel(undefined)).toBe("ilp32");
  expect(said.mock.calls).toEqual([[expect.stringContaining("npx heddle setup")]]);
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  utimesSync(join(cache, "lp64/told"), yesterday, yesterday);
  await chooseModel(undefined);
  expect(said).toHaveBeenCalledTimes(2);
});

test("what is asked for, or said by HEDDLE_MODEL, is taken without a word", async () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(await chooseModel("ilp32")).toBe("ilp32");
  vi.stubEnv("HEDDLE_MODEL", "ilp32");
  expect(await chooseModel(undefined)).toBe("ilp32");
  vi.stubEnv("HEDDLE_MODEL", "ilp64");
  await expect(chooseModel(undefined)).rejects.toThrow('HEDDLE_MODEL is ilp32 or lp64, not "ilp64"');
  expect(said).not.toHaveBeenCalled();
});
