/** What is known of the changes: results.json, and a page made from it and from the reasons. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const RESULTS = "scripts/mutate/results.json";
export const REASONS = "scripts/mutate/reasons.json";
export const PAGE = "docs/lab/mutants.md";

const FOLDERS = ["src/engine", "src/ir", "src/ptx", "src/check", "src/runtime"];

/** Writes results.json and the page. */
export function writeReport(root, mutants, state) {
  const reasons = reasonsOf(root);
  // Where a person has found that no test can notice a change, it is decided.
  const knownOf = ({ id }) => {
    const known = state.mutants[id]?.status === "open" ? undefined : state.mutants[id];
    return known ?? ((reasons[id]?.kind ?? "open") === "open" ? undefined : { status: "unnoticed" });
  };
  const results = mutants
    .map((mutant) => ({ mutant, known: knownOf(mutant) }))
    .filter(({ known }) => known !== undefined)
    .map(({ mutant: { id, file, line, lineText, operator, original, text, why }, known: { status, by } }) => ({
      id,
      file,
      line,
      lineText,
      operator,
      original,
      text,
      ...(why === undefined ? {} : { why }),
      status,
      ...(by === undefined ? {} : { by }),
    }));
  const lines = results.map((one) => JSON.stringify(one)).join(",\n");
  writeFileSync(join(root, RESULTS), `{ "chosen": ${mutants.length}, "results": [\n${lines}\n] }\n`);
  writeFileSync(join(root, PAGE), page({ chosen: mutants.length, results }, reasons));
}

/** What results.json knows of each change, by its id. */
export function knownResults(root) {
  const path = join(root, RESULTS);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).results.map((one) => [one.id, one]) : [];
}

export function reasonsOf(root) {
  const path = join(root, REASONS);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

/** In a table a line is one cell. */
const cell = (text) => `\`${text.replaceAll("|", "¦").replaceAll("`", "'").replace(/\s+/g, " ").slice(0, 90)}\``;

/** @param reasons why a change is not noticed, by its id: `kind` and `text` */
export function page({ chosen, results }, reasons) {
  const isNoticed = ({ status }) => status === "noticed";
  const percent = (some, all) => (all === 0 ? "–" : `${((100 * some) / all).toFixed(1)} %`);
  const rows = FOLDERS.map((folder) => {
    const own = results.filter(({ file }) => file.startsWith(`${folder}/`));
    const noticed = own.filter(isNoticed).length;
    return `| \`${folder}\` | ${own.length} | ${noticed} | ${percent(noticed, own.length)} |`;
  });
  const noticed = results.filter(isNoticed).length;
  const missed = results.filter((one) => !isNoticed(one));
  const equal = missed.filter(({ id }) => reasons[id]?.kind === "same meaning").length;
  const list = missed.map(
    ({ id, file, line, original, text }) =>
      `| \`${file}:${line}\` | ${cell(original)} → ${cell(text === "" ? "(nothing)" : text)} | ` +
      `${reasons[id]?.kind ?? "open"} | ${reasons[id]?.text ?? ""} |`,
  );
  const left = chosen - results.length;
  const open =
    left > 0
      ? `${chosen} changes are chosen. ${left} are not decided yet, as tests that come to them have still to run.\n` +
        `Of all that are chosen ${noticed} are noticed so far, ${percent(noticed, chosen)}. ` +
        "What is not noticed is decided last: the share\nof those that are decided, below, is too high until all are."
      : "";
  const tests = new Map();
  for (const { by } of results) if (by !== undefined) tests.set(by, (tests.get(by) ?? 0) + 1);
  const most = [...tests].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 12);
  return `# Small changes of meaning, and the tests that notice them

After this page you know how well the tests guard the core, which changes they miss, and how to look for more.

<!-- made by npm run mutate -- --report -->

\`npm run mutate\` makes one small change at a time: a comparison off by one, the other sign, a condition turned round
or forgotten, a statement left out, the neighbouring instruction. Then it runs the tests that come to the changed place,
up to the first that fails. The changes are chosen by a seed; those that the tests once missed are made each time.
A change whose place is gone from the source leaves the list, and the seed's next change takes its place.

${open}
Of ${results.length} changes the tests notice ${noticed}, ${percent(noticed, results.length)}.
${equal} of the others mean the same as before; without them it is ${percent(noticed, results.length - equal)}.

| folder | changes | noticed | |
| --- | --- | --- | --- |
${rows.join("\n")}

## Changes that are not noticed

| place | change | kind | reason |
| --- | --- | --- | --- |
${list.join("\n")}

"Same meaning": no program can tell the change. "Speed": the results are the same, and the time or the memory is not.
"Text": it changes a message. "Open": a test is missing.

## The tests that notice most

| test | changes |
| --- | --- |
${most.map(([test, count]) => `| \`${test}\` | ${count} |`).join("\n")}

## Run it again

\`\`\`sh
npm run mutate                      # goes on where it was ended; Ctrl-C ends it
npm run mutate -- --only src/ptx    # changes of one folder or file
npm run mutate -- --seed another    # other changes
npm run mutate -- --seconds 30      # leaves open what tests of 30 s do not notice, for a later run
npm run mutate -- --again           # those that were not noticed, once more
npm run mutate -- --report          # writes this page and scripts/mutate/results.json
\`\`\`

All changes are in one copy of the working tree, each behind a switch (\`scripts/mutate\`). The copy is built once, and
threads and programs that the tests start have the change as well. Each test file runs once without a change, to learn
which changes it comes to. Then it runs with each of these in turn, in one process where that is safe: behind the last
change it runs without any, and must pass.
`;
}
