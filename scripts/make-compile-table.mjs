// Writes docs/lab/tensor-compile-h200.md from docs/lab/tensor-compile-h200.json, which bench/tensor-compile measured:
// `node scripts/make-compile-table.mjs OURS.json TORCH.json` puts both results there first.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const lab = join(import.meta.dirname, "..", "docs", "lab");
const file = join(lab, "tensor-compile-h200.json");
const measured = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
if (measured.length === 2) {
  const [ours, theirs] = measured;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(file, `${JSON.stringify({ date, heddle: ours, torch: theirs }, null, 1)}\n`);
}
const { date, heddle, torch } = JSON.parse(readFileSync(file, "utf8"));

const shown = (value) => (value === undefined ? "" : value.toFixed(1));
const rows = Object.entries(heddle.cases).flatMap(([name, own]) =>
  [
    ["forward", "forward"],
    ["forward and backward", "both"],
  ].map(([what, key]) => {
    const other = torch.cases[name] ?? {};
    const [ours, theirs] = [own[`compiled_${key}`], other[`compiled_${key}`]];
    const floor = own.bytes[key] / 4.8e6;
    const ratio = ours === undefined || theirs === undefined ? "" : `${(theirs / ours).toFixed(2)}x`;
    const cells = [ours, own[`eager_${key}`], theirs, other[`eager_${key}`], floor].map(shown);
    return `| ${name.replaceAll("_", " ")}, ${what} | ${cells.join(" | ")} | ${ratio} |`;
  }),
);

/** Heddle's times by torch.compile's, least and most. */
function shares(key) {
  const all = Object.entries(heddle.cases).flatMap(([name, own]) => {
    const theirs = torch.cases[name]?.[`compiled_${key}`];
    return theirs === undefined ? [] : [own[`compiled_${key}`] / theirs];
  });
  return `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
}

/** Which cases torch.compile does faster. */
function slower() {
  const all = rows.filter((row) => /\| 0\.\d+x \|$/.test(row)).map((row) => row.split(" | ")[0].slice(2));
  return all.length === 0
    ? "torch.compile does none of these faster."
    : `torch.compile does faster: ${all.join("; ")}.`;
}

writeFileSync(
  join(lab, "tensor-compile-h200.md"),
  `# Compiled chains of operations beside torch.compile

Measured on ${date} on an ${heddle.device}, in one run with PyTorch ${torch.torch} (inductor):
\`bench/tensor-compile\`. Shapes are GPT-2's: 8,192 rows of 768 (layer norm), 3,072 (GELU, bias and dropout) and 50,257
(cross entropy). Times are microseconds on the device, of launches in a CUDA graph, the fastest of five rounds of 50.
The floor is what has to be read and written, at 4.8 TB/s. The last column is torch.compile's time by Heddle's.

| case | Heddle compiled | Heddle eager | torch.compile | PyTorch eager | floor | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join("\n")}

- Forward and backward, Heddle takes ${shares("both")} of torch.compile's time, forward alone ${shares("forward")}.
- ${slower()}
- Dropout has the numbers that PyTorch draws without \`compile\`. Four words are drawn at once there, for elements that
  lie far apart: a program computes these four together.
`,
);
