#!/usr/bin/env node
// The kernels before and after in docs/hints.md, with what the profile says of both. Part of `npm run docs`.
//
//   node scripts/profile/make-hints.mjs            writes the page anew
//   node scripts/profile/make-hints.mjs --check    says that it differs
//
// The prose between the pairs is the page's own. A pair stands behind a comment with the path of its file.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gainText } from "../../dist/profile/hints/hint.js";
import { wrap, writeOrCheck } from "../docs-pages.mjs";
import { profilePair } from "./profile-pair.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const PAGE = "docs/hints.md";
const PAIR = /<!-- pair: (\S+) -->\n[\s\S]*?<!-- end of the pair -->/g;

const MOST_LINES = 30;

// Paths on the page are those of the repository.
process.chdir(ROOT);
const page = readFileSync(PAGE, "utf8");
const texts = new Map();
for (const [, file] of page.matchAll(PAIR)) texts.set(file, await pairText(file));
writeOrCheck({
  [PAGE]: page.replaceAll(PAIR, (_, file) => `<!-- pair: ${file} -->\n${texts.get(file)}\n<!-- end of the pair -->`),
});

async function pairText(file) {
  const { source, wanted, before, after } = await profilePair(file);
  const [hint] = before.hints;
  if (hint?.kind !== wanted.hint) throw new Error(`${file}: the first hint is ${hint?.kind}, not ${wanted.hint}`);
  const left = after.hints.map(({ kind }) => kind);
  if (left.includes(hint.kind)) throw new Error(`${file}: repaired, it still gets ${hint.kind}`);
  const { common, flawed, repaired } = partsOf(source);
  const code = (text) => (text.split("\n").length > MOST_LINES ? [linked(file, source, text)] : quoted("cpp", text));
  return [
    wrap(`[${basename(file)}](../${file}): ${aboutOf(source)}`),
    "",
    "Before:",
    "",
    ...code(`${common}${flawed}`),
    "",
    ...quoted("text", hintText(hint), `predicted time: ${timeText(before)}`),
    "",
    "After:",
    "",
    ...code(repaired),
    "",
    ...quoted(
      "text",
      left.length === 0 ? "no hints" : `other hints: ${left.join(", ")}`,
      `predicted time: ${timeText(after)}`,
    ),
  ].join("\n");
}

/** A longer kernel is a link. */
function linked(file, source, text) {
  const line = source.slice(0, source.indexOf(text.split("\n").findLast((one) => one.startsWith("__global__"))));
  return `[The kernel](../${file}#L${line.split("\n").length}) is too long for this page.`;
}

function quoted(language, ...texts) {
  return [`\`\`\`${language}`, ...texts, "```"];
}

/** As a terminal shows it. */
function hintText(hint) {
  const { place, what, cure } = hint;
  const where = place === null ? "" : `${place.file}:${place.line}: `;
  return [wrap(`${where}${what}`, "   ", "1. "), wrap(`${cure}${gainText(hint)}`, "   ")].join("\n");
}

function timeText({ microseconds }) {
  return `${microseconds.toPrecision(3)} µs`;
}

/** The comment at the head of the file. */
function aboutOf(source) {
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("// ") || line.startsWith("// @"));
  return lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join(" ");
}

/** What stands in front of both kernels, the flawed one with its helpers, and the repaired one with its own. */
function partsOf(source) {
  const code = source.replaceAll(/^\/\/.*\n/gm, "").trim();
  const first = code.indexOf("__global__ void");
  const begin = code.lastIndexOf("\n\n", code.search(/__global__ void(?: __launch_bounds__\(\d+\))? repaired/));
  const helpers = first < 0 ? 0 : first;
  return {
    common: code.slice(0, helpers),
    flawed: code.slice(helpers, helpersBehind(code, begin)).trim(),
    repaired: code.slice(helpersBehind(code, begin)).trim(),
  };
}

/** Helpers of the repaired kernel alone stand between the two. */
function helpersBehind(code, begin) {
  const flawed = [...code.matchAll(/__global__ void(?: __launch_bounds__\(\d+\))? flawed\w*/g)].at(-1)?.index ?? 0;
  const end = code.indexOf("\n}\n", flawed);
  return end < 0 ? begin : end + 3;
}
