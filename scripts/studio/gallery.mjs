// What the studio's gallery offers: the programs of examples/, in the order in which a newcomer meets them, the Triton
// scripts of examples/triton, and every ladder of examples/ and kernels/.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import swc from "@swc/wasm-typescript";

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
  return ["examples", "kernels"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .sort()
      .filter((name) => existsSync(join(root, folder, name, `${name}.ladder.ts`)))
      .map((name) => ladderTexts(root, folder, name)),
  );
}

function ladderTexts(root, folder, id) {
  const directory = join(root, folder, id);
  const source = readFileSync(join(directory, `${id}.ladder.ts`), "utf8");
  const { code } = swc.transformSync(source, { mode: "strip-only" });
  const texts = (pattern) =>
    readdirSync(directory)
      .filter((name) => pattern.test(name))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(directory, path), "utf8") }));
  const common = join(root, folder, "common");
  const shared = existsSync(common)
    ? readdirSync(common).map((name) => ({ path: `../common/${name}`, text: readFileSync(join(common, name), "utf8") }))
    : [];
  const versions = texts(/^\d.*\.(?:cu|py)$/);
  const headers = [...texts(/\.cuh$/), ...shared];
  const isUsed = ({ path }) => [...versions, ...headers].some(({ text }) => text.includes(`"${path}"`));
  // A header may be included by one that lies beside it.
  const besides = ({ path }) => headers.some(({ text }) => text.includes(`"${path.replace("../common/", "")}"`));
  return {
    id,
    about: summaryOf(source) ?? firstSentence(versions[0]?.text ?? ""),
    declaration: code,
    files: versions,
    headers: headers.filter((header) => isUsed(header) || besides(header)),
  };
}

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
