// Writes the speeds of docs/libraries.md from docs/lab/library-speed.json.
// `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, writeOrCheck } from "../../scripts/docs-pages.mjs";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/libraries.md"), "utf8");
const { machine, rows } = JSON.parse(readFileSync(join(root, "docs/lab/library-speed.json"), "utf8"));

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const table = Object.entries(rows).map(([name, { operations, wanted, rounds }]) => {
  const speed = operations / median(rounds.map((round) => round.Heddle)) / 1e6;
  const shares = Object.entries(wanted).map(([rival, least]) => {
    const share = median(rounds.map((round) => round[rival] / round.Heddle));
    const said = `${share.toFixed(2)} × ${rival}`;
    if (least === null) return said;
    return `${said} (goal ${least}: ${share >= least ? "reached" : "missed"})`;
  });
  return [name, speed.toFixed(1), shares.join("; ")];
});
const dates = [...new Set(Object.values(rows).map(({ date }) => date))].join(", ");
const part = `${markdownTable(["work", "GFLOP/s", "speed, relative to native libraries"], table)}

Measured on ${dates}: ${machine}.
`;
const [before, rest] = page.split(/(?<=-- speed:.*\n)/);
const after = rest.slice(rest.indexOf("<!-- end of speed -->"));
writeOrCheck({ "docs/libraries.md": `${before}${part}${after}` });
