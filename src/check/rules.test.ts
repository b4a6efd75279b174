/**
 * Every rule of every checker is held by at least two pairs of a faulty kernel, or program, and its repaired twin. The
 * suites' own tests run the pairs; here they are counted against the rules that the checkers have.
 */
import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { CHECKER_NAMES } from "./checkers.ts";
import { ASYNC_TITLES } from "./asynccheck/async-checker.ts";
import { USES } from "./initcheck/initialization-checker.ts";
import { MEMORY_TITLES } from "./memcheck/memory-checker.ts";
import { NUMBER_TITLES } from "./numbers/number-checker.ts";
import { TITLES as RACE_TITLES } from "./racecheck/race-report.ts";
import { SYNC_TITLES } from "./synccheck/sync-checker.ts";
import { readSuite } from "./suite.test-helper.ts";

const LEAST_PAIRS = 2;
const KERNELS = new URL("./suite/", import.meta.url);
const API = new URL("../runtime/cuda/api-checks/", import.meta.url);
const PROGRAMS = new URL("../cli/test-programs/", import.meta.url);

function texts(folder: URL, ending: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending) && !name.includes(".test."))
    .map((name) => readFileSync(new URL(name, folder), "utf8"));
}

/** Rules that share kinds with no other checker's suites stand by kind; initcheck's by the use of the value. */
const RULES = {
  memcheck: Object.keys(MEMORY_TITLES),
  racecheck: Object.keys(RACE_TITLES),
  synccheck: Object.keys(SYNC_TITLES),
  initcheck: Object.keys(USES).map((use) => `uninitialized ${use}`),
  asynccheck: Object.keys(ASYNC_TITLES),
  numbers: Object.keys(NUMBER_TITLES),
  api: [
    ...new Set(
      texts(API, ".ts").flatMap((text) => Array.from(text.matchAll(/^ *kind: "([a-z-]+)",$/gm), ([, kind]) => kind)),
    ),
    "leak",
  ] as string[],
};

function counts(labels: readonly string[], rules: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    rules.map((rule) => [rule, labels.filter((label) => label === rule || label.startsWith(`${rule} `)).length]),
  );
}

it("every checker has a list of its rules here", () => {
  expect(Object.keys(RULES).toSorted()).toEqual(CHECKER_NAMES.toSorted());
  for (const rules of Object.values(RULES)) expect(rules.length).toBeGreaterThanOrEqual(4);
});

it("every rule about kernels has two pairs, and every pair a rule", () => {
  const labels = texts(KERNELS, ".cu").flatMap((text) => readSuite(text).map(({ expected }) => expected));
  const rules = (["memcheck", "racecheck", "synccheck", "initcheck", "asynccheck", "numbers"] as const).flatMap(
    (name) => RULES[name],
  );
  const held = counts(labels, rules);
  expect(rules.filter((rule) => (held[rule] as number) < LEAST_PAIRS)).toEqual([]);
  expect(labels.filter((label) => !rules.some((rule) => label === rule || label.startsWith(`${rule} `)))).toEqual([]);
});

it("every rule about the CUDA API has two pairs", () => {
  const suites = [...texts(new URL("suite/", API), ".cu"), ...texts(PROGRAMS, "-misuse.cu")];
  const labels = suites.flatMap((text) =>
    Array.from(text.matchAll(/\/\/ ! ([a-z-]+)(?:: .*| in \w+_wrong)?$/gm), ([, kind]) => kind as string),
  );
  expect(RULES.api.filter((rule) => (counts(labels, RULES.api)[rule] as number) < LEAST_PAIRS)).toEqual([]);
});
