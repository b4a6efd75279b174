// Writes docs/images/engine.svg from the table that `npm run bench:engine -- --markdown` writes into
// docs/performance.md. `--check` only reports whether the image is up to date.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { barPlot } from "./bar-plot.mjs";
import { writeOrCheck } from "./docs-pages.mjs";

const page = readFileSync(join(import.meta.dirname, "..", "docs", "performance.md"), "utf8");
const [, table] = /### Against native rivals\n\n((?:\|.*\n)+)/.exec(page);
const [head, , ...lines] = table
  .trim()
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()));
// The first column of this name is that of the newest Node.js.
const ratioAt = head.indexOf("ratio");

const rows = lines.map((cells) => ({
  name: cells[1],
  figure: cells[ratioAt],
  ours: 100 * Number.parseFloat(cells[ratioAt]),
  rival: null,
}));

writeOrCheck({
  "docs/images/engine.svg": barPlot({
    title: "Speed of the emulated device beside PoCL",
    legend: ["Heddle, one thread: the longer, the faster"],
    ceiling: "1 ×: the speed of PoCL, one thread",
    maximum: Math.ceil(Math.max(...rows.map(({ ours }) => ours)) / 100) * 100,
    rows: rows.sort((a, b) => b.ours - a.ours),
  }),
});
