/** The changes that `npm run mutate` makes, the switches that turn them on, and the page about them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";
import { judgeBatch } from "./batch.mjs";
import { choose, filesUnder, SHARES } from "./choose.mjs";
import { namedMutants } from "./named.mjs";
import { nearestFirst } from "./nearness.mjs";
import { editsOf } from "./operators.mjs";
import { PAGE, page, reasonsOf, RESULTS } from "./report.mjs";
import { withSwitches } from "./switches.mjs";

const root = join(import.meta.dirname, "../..");

/** Something of every kind; it returns what it has computed. */
const SAMPLE = `
const table = { "lt": 1, gt: 2, add: [3, 0x10, 5n] };
const log = [];
function sign(x) {
  if (x === 0) return "zero";
  const word = x < 0 && !(x >= 10) ? "min" : "max";
  log.push(word);
  return \`setp.\${word}.s32 \${x - 1}\`;
}
let sum = 0;
for (let i = 0; i < tick(4); i++) sum += Math.max(i, 2) * 3;
let left = 3;
while (left > tick(0)) left--;
const maybe = [{ list: { every: () => true, some: () => false } }, null];
const chained = maybe.map((one) => one?.list.every(Boolean));
const flags = ~(sum & 12) | (sum << 2);
return JSON.stringify([table, log, [-3, 0, 7].map(sign), sum, left, chained, flags], (_, v) =>
  typeof v === "bigint" ? \`\${v}n\` : v);
`;

/** What a source computes, or how it fails: also if it would never end. */
function run(source) {
  let ticks = 0;
  const tick = (value) => {
    if (++ticks > 100) throw new Error("too many turns");
    return value;
  };
  try {
    return new Function("tick", source)(tick);
  } catch (error) {
    return String(error);
  }
}

const apply = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

describe("edits", () => {
  const edits = editsOf(`function sample() {${SAMPLE}}`).map((edit, number) => ({ ...edit, number }));
  const body = (source) => `${source.replace("function sample()", "return (() => ")}`.replace(/\}$/, "})();");
  const found = (operator) => edits.filter((edit) => edit.operator === operator).map(({ text }) => text);

  test("of every kind are found", () => {
    const kinds = ["comparison", "arithmetic", "logical", "negation", "condition", "forgotten case", "left out"];
    for (const kind of [...kinds, "literal", "word", "method"]) expect(found(kind), kind).not.toEqual([]);
    expect(found("comparison")).toEqual(["!==", "<=", ">", "<=", ">="]);
    expect(found("method")).toEqual(["min", "some"]);
    expect(found("word")).toEqual(expect.arrayContaining(["le", "max", "u32"]));
  });

  test("behind switches do nothing, or what they do alone", () => {
    const source = `function sample() {${SAMPLE}}`;
    const switched = withSwitches(source, edits);
    const withActive = (number) => {
      globalThis.__heddleEdited = (n) => n === number;
      try {
        return run(body(switched));
      } finally {
        delete globalThis.__heddleEdited;
      }
    };
    expect(withActive(-1)).toBe(run(body(source)));
    expect(edits.length).toBeGreaterThan(50);
    for (const edit of edits)
      expect(withActive(edit.number), JSON.stringify(edit)).toBe(run(body(apply(source, edit))));
  });

  test("leave every file of the core readable", () => {
    for (const folder of Object.keys(SHARES))
      for (const file of filesUnder(root, folder)) {
        const source = readFileSync(join(root, file), "utf8");
        const all = editsOf(source, file).map((edit, number) => ({ ...edit, number }));
        expect(() => parseAst(withSwitches(source, all), { lang: "ts" }, file), file).not.toThrow();
      }
  });
});

test("the choice is the same each time, and as large as it is said to be", () => {
  const shares = { "src/ptx": 20 };
  const chosen = choose(root, "15", shares);
  expect(chosen.map(({ id }) => id)).toEqual(choose(root, "15", shares).map(({ id }) => id));
  expect(new Set(chosen.map(({ id }) => id)).size).toBe(20);
  expect(choose(root, "16", shares).map(({ id }) => id)).not.toEqual(chosen.map(({ id }) => id));
});

test("what the tests once missed is where it was", () => {
  for (const { file, original, start, text } of namedMutants(root)) {
    expect(readFileSync(join(root, file), "utf8").slice(start, start + original.length)).toBe(original);
    expect(text).not.toBe(original);
  }
});

test("tests near to the changed files come first", () => {
  const tests = ["src/ir/verify.test.ts", "src/wasm/dwarf.test.ts", "src/ptx/meaning.test.ts"];
  const isThere = tests.filter((file) => existsSync(join(root, file)));
  expect(nearestFirst(root, isThere, ["src/ir/verify.ts"])[0]).toBe("src/ir/verify.test.ts");
  expect(nearestFirst(root, isThere, ["src/ptx/emit/casts.ts", "src/ptx/emit/atomics.ts"])[0]).toBe(
    "src/ptx/meaning.test.ts",
  );
});

test("a batch runs those tests that it is told, with each change and without one", async () => {
  const asked = [];
  const tree = {
    runText: async (path, text, pattern) => {
      asked.push({
        path,
        changes: [...text.matchAll(/describe\("change (-?\d+)"/g)].map(([, n]) => Number(n)),
        pattern,
      });
      const tests = [5, 7, -1].map((n) => ({ titles: [`change ${n}`], status: n === 5 ? "failed" : "passed" }));
      return { tests, hung: null, late: false };
    },
  };
  const cases = new Map([
    [5, ["adds (i32)"]],
    [7, ["subtracts"]],
  ]);
  const verdicts = await judgeBatch(tree, "src/a.test.ts", [5, 7], cases, {});
  expect([...verdicts]).toEqual([
    [5, "noticed"],
    [7, "passed"],
  ]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ path: "src/a.batch.test.ts", changes: [5, 7, -1] });
  const pattern = new RegExp(asked[0].pattern);
  const runs = ["change 5 adds (i32)", "change 7 subtracts", "change -1 adds (i32)", "change -1 subtracts"];
  for (const name of runs) expect(name).toMatch(pattern);
  for (const name of ["change 5 subtracts", "change 7 adds (i32)", "change 5 adds (i32) twice"])
    expect(name).not.toMatch(pattern);
});

describe("results", () => {
  const known = JSON.parse(readFileSync(join(root, RESULTS), "utf8"));
  const reasons = reasonsOf(root);

  test("the page says what is known", () => {
    expect(readFileSync(join(root, PAGE), "utf8")).toBe(page(known, reasons));
  });

  test("what is not noticed has a reason", () => {
    const without = known.results.filter(({ id, status }) => status !== "noticed" && reasons[id] === undefined);
    expect(without.map(({ id, file, line }) => `${id} ${file}:${line}`)).toEqual([]);
  });
});
