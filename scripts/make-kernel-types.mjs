// Writes src/kernel-library/heddle-kernels.ts, the types of the ladders in kernels/ as functions, from their
// declarations. `--check` only says whether the file is up to date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kernelTypes } from "../dist/kernel-library/kernel-types.js";
import { findLadders, loadLadder } from "../dist/kernel-library/ladder-files-node.js";

const root = join(import.meta.dirname, "..");
const target = join(root, "src", "kernel-library", "heddle-kernels.ts");
const ladders = [];
for (const file of findLadders([join(root, "kernels")])) ladders.push(await loadLadder(file, (source) => [source]));
// Formatted as every source file is.
const text = execFileSync(join(root, "node_modules/.bin/oxfmt"), [`--stdin-filepath=${target}`], {
  cwd: root,
  input: kernelTypes(ladders),
  encoding: "utf8",
});
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.log("src/kernel-library/heddle-kernels.ts is out of date: npm run docs");
  process.exit(1);
}
