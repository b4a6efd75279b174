// The words of Vitest for a machine that has Node.js and nothing else: describe, it, beforeAll, afterAll, expect. Cases
// run one after the other in the order they are written; a GPU is one thing, and what is tested is not to meet itself.
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";
import * as chai from "chai";

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect = chai.expect;

const groups = [];

export function describe(title, body) {
  const group = { title, cases: [], before: [], after: [] };
  groups.push(group);
  body();
}

const current = () => groups[groups.length - 1];
export const it = (title, body) => void current().cases.push({ title, body });
export const beforeAll = (body) => void current().before.push(body);
export const afterAll = (body) => void current().after.push(body);

/** Runs what was described since the last call. Resolves with how many cases passed and failed. */
/** @param choose which cases to run, by group and title. */
export async function runCases({ verbose = false, choose = () => true } = {}) {
  let [passed, failed] = [0, 0];
  for (const { title, cases, before, after } of groups.splice(0)) {
    const chosen = cases.filter((test) => choose(title, test.title));
    if (chosen.length === 0) continue;
    const started = performance.now();
    const problems = [];
    const attempt = async (name, body) => {
      try {
        await body();
        return true;
      } catch (error) {
        problems.push(`  ${name}\n${describeError(error)}`);
        return false;
      }
    };
    let ready = true;
    for (const body of before) ready &&= await attempt("before all", body);
    for (const { title: name, body } of ready ? chosen : []) {
      if (await attempt(name, body)) passed++;
      else failed++;
      if (verbose) console.log(`  ${name}`);
    }
    if (!ready) failed += chosen.length;
    for (const body of after) if (!(await attempt("after all", body))) failed++;
    console.log(
      `${title}: ${problems.length === 0 ? "all" : chosen.length - problems.length} of ${chosen.length} cases, ` +
        `${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
    for (const problem of problems) console.log(problem);
  }
  return { passed, failed };
}

function describeError(error) {
  const lines = [
    error?.message ?? String(error),
    ...(error?.notes ?? []),
    ...(error?.stack ?? "")
      .split("\n")
      .filter((line) => line.includes("    at "))
      .slice(0, 4),
  ];
  return lines
    .flatMap((line) => line.split("\n"))
    .map((line) => `    ${line}`)
    .join("\n");
}
