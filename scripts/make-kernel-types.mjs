// Writes src/bench/heddle-kernels.ts, the types of the ladders in kernels/ as functions, from their declarations.
// `--check` only says whether the file is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kernelTypes } from "../dist/bench/kernel-types.js";
import { findLadders, loadLadder } from "../dist/bench/ladder-files-node.js";

const root = join(import.meta.dirname, "..");
const target = join(root, "src", "bench", "heddle-kernels.ts");
const ladders = [];
for (const file of findLadders([join(root, "kernels")])) ladders.push(await loadLadder(file, (source) => [source]));
const text = kernelTypes(ladders);
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.log("src/bench/heddle-kernels.ts is out of date: npm run docs");
  process.exit(1);
}
