// Writes the functions of docs/libraries.md from docs/lab/library-functions.json. `--check` only reports whether the
// page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeNames, markdownTable, wrap, writeOrCheck } from "../docs-pages.mjs";
import { documented, LIBRARIES } from "./names.mjs";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/libraries.md"), "utf8");
const results = JSON.parse(readFileSync(join(root, "docs/lab/library-functions.json"), "utf8"));

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const known = LIBRARIES.filter(({ name }) => results[name] !== undefined);
const rows = known.map(({ name, title }) => {
  const all = documented(name).length;
  const { count, missing } = results[name];
  return [title, ...[all, count, missing.length].map(String), percent(missing.length, all)];
});

/** Functions that differ by their types' letters stand together: `cusolverDn{C,D,S,Z}gebrd`. */
function together(names, prefix) {
  const groups = new Map();
  for (const name of names) {
    const rest = name.slice(prefix.length);
    const key = rest.replace(/^(Dn|Sp)?[SDCZH](?=[a-z])/, "$1<t>");
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([key, same]) => (same.length > 1 ? `${prefix}${key}` : same[0]));
}
const missing = known
  .filter(({ name }) => results[name].missing.length > 0)
  .map(({ name, title }) => {
    const list = codeNames(together(results[name].missing, name));
    return `<details><summary>${title}: ${results[name].missing.length} missing</summary>\n\n${list}\n\n</details>`;
  });
const functions = `${markdownTable(["library", "documented", "there", "missing", "missing, share"], rows)}

${missing.join("\n")}`;

/**
 * What a function returns for zeros and null pointers: a number, or how it ended the process. An address of NVIDIA's is
 * 1, as the texts of ours are.
 */
function resultOf({ usual, others }, name) {
  const result = name in others ? others[name] : usual;
  return result > 0xffff_ffff ? 1 : result;
}

/** Of the functions that both have: how many return the same, and how many end the process in NVIDIA's library. */
function statuses() {
  const { machine, date, libraries } = JSON.parse(
    readFileSync(join(root, "docs/lab/library-functions-nvidia.json"), "utf8"),
  );
  let ended = 0;
  const equal = LIBRARIES.filter(({ name }) => libraries[name] !== undefined).map(({ name, title }) => {
    const [ours, theirs] = [results[name], libraries[name]];
    const both = documented(name).filter(
      (one) =>
        !ours.missing.includes(one) &&
        resultOf(ours, one) !== null && // a function without a result
        resultOf(theirs, one) !== "absent" &&
        resultOf(theirs, one) !== undefined,
    );
    ended += both.filter((one) => typeof resultOf(theirs, one) === "string").length;
    const same = both.filter((one) => resultOf(theirs, one) === resultOf(ours, one)).length;
    return `${title} ${same} of ${both.length}`;
  });
  return wrap(
    `The test called NVIDIA's own libraries, too (\`scripts/library-functions/nvidia.py\`, ${machine}, ${date}): ` +
      "all functions that return something and that the installed library has, which are fewer than those above. " +
      `Equal results: ${equal.join(", ")}. ${ended} other calls end the process in NVIDIA's library, which writes to ` +
      "a null pointer. The rest differ in versions, in texts, and in the order of checks.",
  );
}

/** The page with the text between two marks replaced. */
function replaced(text, name, part) {
  const [before, rest] = text.split(new RegExp(`(?<=-- ${name}:.*\\n)`));
  return `${before}${part}\n${rest.slice(rest.indexOf(`<!-- end of ${name} -->`))}`;
}
writeOrCheck({ "docs/libraries.md": replaced(replaced(page, "functions", functions), "statuses", statuses()) });
