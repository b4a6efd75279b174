// Writes the functions of docs/libraries.md from docs/lab/library-functions.json. `--check` only reports whether the
// page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeNames, markdownTable, writeOrCheck } from "../docs-pages.mjs";
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
const part = `${markdownTable(["library", "documented", "there", "missing", "missing, share"], rows)}

${missing.join("\n")}
`;
const [before, rest] = page.split(/(?<=-- functions:.*\n)/);
const after = rest.slice(rest.indexOf("<!-- end of functions -->"));
writeOrCheck({ "docs/libraries.md": `${before}${part}${after}` });
