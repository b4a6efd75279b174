// What the studio's gallery offers: the programs of examples/, in the order in which a newcomer meets them, the Triton
// scripts of examples/triton, and every ladder of examples/ and kernels/.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import swc from "@swc/wasm-typescript";
import { rolldown } from "rolldown";

/** The first programs, with their titles. The third has a race to be found. */
const TITLES = {
  "vector-add": "Add two vectors",
  mandelbrot: "Draw a fractal",
  "sum-race": "Find the fault: a wrong sum",
  transpose: "Fast and slow: transpose a matrix",
  sum: "Sum an array",
  softmax: "Softmax, three ways",
  "out-of-bounds": "Find the fault: out of bounds",
  deadlock: "Find the fault: it never ends",
};
const FIRST = Object.keys(TITLES);

/** Programs that are one source file each. */
export function galleryPrograms(root) {
  const folder = join(root, "examples");
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".cu"))
    .map((name) => name.replace(/\.cu$/, ""));
  const rank = (name) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return names
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => {
      const text = readFileSync(join(folder, `${name}.cu`), "utf8");
      return {
        id: name,
        title: TITLES[name] ?? name,
        about: firstSentence(text),
        files: [{ path: `${name}.cu`, text }],
      };
    });
}

/** Titles of Triton scripts; files that are kernels alone have none. */
const TRITON_TITLES = {
  "vector-add": "Add two vectors in Triton",
  "fused-softmax": "Softmax in one kernel",
  matmul: "Multiply matrices by tiles",
  swish: "Measure a kernel against torch",
  "unmasked-load": "Find the fault: a load without a mask",
};

/** Python scripts that are one source file each. */
export function galleryScripts(root) {
  return Object.entries(TRITON_TITLES).map(([name, title]) => {
    const text = readFileSync(join(root, "examples/triton", `${name}.py`), "utf8");
    return { id: `triton-${name}`, title, about: firstSentence(text), files: [{ path: `${name}.py`, text }] };
  });
}

/** Each with its declaration as JavaScript. */
export function galleryLadders(root) {
  return Promise.all(
    ["examples", "kernels"].flatMap((folder) =>
      readdirSync(join(root, folder))
        .sort()
        .filter((name) => existsSync(join(root, folder, name, `${name}.ladder.ts`)))
        .map((name) => ladderTexts(root, folder, name)),
    ),
  );
}

/** One module: a page has no files beside a declaration that it could import. */
async function declarationOf(path, source) {
  if (!/from "\.\.?\//.test(source)) return swc.transformSync(source, { mode: "strip-only" }).code;
  const bundle = await rolldown({ input: path, external: ["heddle/ladder"], logLevel: "warn" });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  return output[0].code;
}

async function ladderTexts(root, folder, id) {
  const directory = join(root, folder, id);
  const source = readFileSync(join(directory, `${id}.ladder.ts`), "utf8");
  const code = await declarationOf(join(directory, `${id}.ladder.ts`), source);
  const texts = (pattern) =>
    readdirSync(directory)
      .filter((name) => pattern.test(name))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(directory, path), "utf8") }));
  const versions = texts(/^\d.*\.(?:cu|py)$/);
  return {
    id,
    about: summaryOf(source) ?? firstSentence(versions[0]?.text ?? ""),
    declaration: code,
    files: versions,
    headers: includedBy(directory, versions),
  };
}

/** The files that versions include, of this ladder and of its neighbours, and what these include. */
function includedBy(directory, versions) {
  const found = new Map();
  const waiting = versions.flatMap(({ text }) => includesOf(text, "."));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(join(directory, path))) continue;
    const text = readFileSync(join(directory, path), "utf8");
    found.set(path, text);
    waiting.push(...includesOf(text, posix.dirname(path)));
  }
  return [...found].map(([path, text]) => ({ path, text }));
}
const includesOf = (text, folder) =>
  [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm)].map(([, path]) => posix.join(folder, path));

/** Of a declaration; long ones are texts with a + between. */
function summaryOf(source) {
  const texts = /\bsummary:\s*((?:"[^"]*"[\s+]*)+)/.exec(source)?.[1];
  return texts === undefined ? null : [...texts.matchAll(/"([^"]*)"/g)].map(([, text]) => text).join("");
}

/** Of the comment on top. */
function firstSentence(text) {
  const comment = /^(?:(?:\/\/|#).*\n)+/.exec(text)?.[0] ?? "";
  const words =
    comment
      .replaceAll(/^(?:\/\/|#) ?/gm, "")
      .split(/\n\s*\n/)[0]
      ?.replaceAll(/\s+/g, " ")
      .trim() ?? "";
  return /^.*?\.(?= |$)/.exec(words)?.[0] ?? words;
}
