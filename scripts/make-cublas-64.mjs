// Writes cuBLAS's functions whose numbers have 64 bits (cublasSgemm_v2_64): their declarations,
// include/heddle/cublas_64.inc, and their code, libraries/blas/wide-*.inc. Each calls the function of 32 bits.
//
//   npm run build && node scripts/make-cublas-64.mjs [--check]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CUBLAS } from "../dist/libraries/blas.js";
import { wrap, writeOrCheck } from "./docs-pages.mjs";
import { preprocessed } from "./preprocessed.mjs";

const SUFFIX = "_64";

/** The functions that the header declares, behind its macros: their parameters by name. */
function declarations() {
  const text = preprocessed("#define HEDDLE_WITHOUT_CUBLAS_64\n#include <cublas_api.h>\n");
  const overloaded = new Set([...text.matchAll(/\binline cublasStatus_t (cublas\w+)\(/g)].map((match) => match[1]));
  const found = new Map();
  for (const [, name, list] of text.matchAll(/\bcublasStatus_t\s+(cublas\w+)\(([^()]*)\);/g)) {
    const parameters = list
      .replaceAll(/\s+/g, " ")
      .replaceAll(" [", "[")
      .split(",")
      .map((one) => one.trim());
    found.set(name, parameters);
  }
  return { declared: found, overloaded };
}

/** `int n` → `int64_t n`, `const int n[]` and `int* result` likewise; strides have 64 bits already. */
const widened = (parameter) => parameter.replace(/^(const )?int\b/, "$1int64_t");
const nameOf = (parameter) => /(\w+)(?:\[\])?$/.exec(parameter)[1];

/** Which unit of the library has a function. */
function unitOf(name) {
  for (const [unit, beginnings] of Object.entries(CUBLAS.sources.parts))
    if (beginnings.some((beginning) => name.startsWith(beginning.replace("…", "")))) return unit.replace(/\.\w+$/, "");
  return "cublas";
}

/** What converts arrays and results stands in libraries/blas/wide.h. */
function callOf(name, parameters) {
  if (/^cublasI\w+(?:_v2|Ex)$/.test(name)) return "HEDDLE_WIDE_INDEX";
  return parameters.some((parameter) => /^const int \w+\[\]$/.test(parameter)) ? "HEDDLE_WIDE_GROUP" : "HEDDLE_WIDE";
}

const documented = readFileSync(join(import.meta.dirname, "library-functions/cublas.txt"), "utf8").split("\n");
const { declared, overloaded } = declarations();
const names = documented
  .filter((name) => name.endsWith(SUFFIX))
  .map((name) => name.slice(0, -SUFFIX.length))
  .filter((name) => declared.has(name));
const HEAD = "// Written by scripts/make-cublas-64.mjs.\n";
const units = new Map();
let header = HEAD;
for (const name of names) {
  const parameters = declared.get(name).map(widened);
  header += `${wrap(`cublasStatus_t ${name}${SUFFIX}(${parameters.join(", ")});`, "    ", "")}\n`;
  const macro = callOf(name, declared.get(name));
  const given = parameters.map(nameOf).filter((one) => macro !== "HEDDLE_WIDE_INDEX" || one !== "result");
  // Of functions of one name the one is meant whose address fits.
  const types = declared.get(name).map((one) => one.replace(/\s*\w+(\[\])?$/, "$1"));
  const target = overloaded.has(name) ? `(cublasStatus_t (*)(${types.join(", ")}))${name}` : name;
  const call = `${macro}(${name}, ${target}, (${parameters.join(", ")}), ${given.join(", ")})`;
  const unit = unitOf(name);
  units.set(unit, `${units.get(unit) ?? HEAD}${wrap(call, "    ", "")}\n`);
}
const pages = { "include/heddle/cublas_64.inc": header };
for (const [unit, text] of units) pages[`libraries/blas/wide-${unit}.inc`] = text;
writeOrCheck(pages);
console.log(`${names.length} functions in ${units.size} units`);
