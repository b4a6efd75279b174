/**
 * Many changes in one process: a test file is loaded once for each change, which is made before its tests and taken
 * back behind them, as all of them stand behind switches. It costs a change no start of a process. What is decided when
 * modules are loaded is not for batches.
 *
 * A change may spoil what modules keep, and so the tests of the next one: the file runs once more at the end without a
 * change, and where it fails then, the batch counts for nothing, and its halves run in processes of their own.
 */
import { basename, dirname, join } from "node:path";

const NONE = -1;

function textFor(test, numbers) {
  const file = basename(test);
  const parts = [...numbers, NONE].map(
    (number) => `describe("change ${number}", async () => {
  let failed = false;
  beforeAll(() => turn(${number}));
  afterAll(() => turn(${NONE}));
  beforeEach((context) => {
    if (failed) context.skip();
    context.onTestFailed(() => void (failed = true));
  });
  await import("./${file}?change=${number}");
});`,
  );
  return `import { afterAll, beforeAll, beforeEach, describe } from "vitest";
function turn(number: number): void {
  Object.assign(globalThis, { __heddleActive: number });
  process.env["HEDDLE_MUTANT"] = String(number);
}
${parts.join("\n")}
`;
}

const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** For the tests of each change that are run, and for all of these without a change. */
function patternFor(numbers, casesOf) {
  if (casesOf === null) return null;
  const parts = numbers.map((number) => [number, casesOf.get(number)]);
  parts.push([NONE, [...new Set(parts.flatMap(([, names]) => names))]]);
  return `^(?:${parts.map(([number, names]) => `change ${number} (?:${names.map(escaped).join("|")})`).join("|")})$`;
}

/**
 * Which of the changes the test file notices. @returns by number: "noticed", "hangs", "passed"; "unclear": only a
 * process of its own can tell
 * @param casesOf by number the names of the tests that are run; null: all are
 */
export async function judgeBatch(tree, test, numbers, casesOf, options) {
  const path = join(dirname(test), basename(test).replace(/\.test\.ts$/, ".batch.test.ts"));
  const verdicts = new Map();
  const work = [numbers];
  for (let some = work.pop(); some !== undefined; some = work.pop()) {
    const { tests, hung, late } = await tree.runText(path, textFor(test, some), patternFor(some, casesOf), options);
    const of = (number) =>
      tests.filter(({ titles }) => titles.includes(`change ${number}`)).map(({ status }) => status);
    if (hung !== null) {
      verdicts.set(Number(hung), "hangs");
      const rest = some.filter((number) => number !== Number(hung));
      if (rest.length > 0) work.push(rest);
      continue;
    }
    const control = of(NONE);
    const isSound = !late && control.includes("passed") && !control.includes("failed");
    if (!isSound && some.length > 1) {
      const middle = Math.ceil(some.length / 2);
      work.push(some.slice(middle), some.slice(0, middle));
      continue;
    }
    for (const number of some) {
      const statuses = of(number);
      if (statuses.includes("failed")) verdicts.set(number, "noticed");
      else verdicts.set(number, isSound && statuses.includes("passed") ? "passed" : "unclear");
    }
  }
  return verdicts;
}
