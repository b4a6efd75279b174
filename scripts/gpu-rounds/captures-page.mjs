// Writes the part of docs/library-details.md that says what the calls of libraries do while a stream is captured, from
// the round `captures`. `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { wrap, writeOrCheck } from "../docs-pages.mjs";
import { MODES } from "./rounds/captures.mjs";

const root = resolve(import.meta.dirname, "../..");
const PAGE = "docs/library-details.md";
const RESULT = "docs/lab/library-captures-h200.json";
const TITLES = {
  cublas: "cuBLAS",
  cublasLt: "cuBLASLt",
  cudnn: "cuDNN",
  cufft: "cuFFT",
  curand: "cuRAND",
  cusparse: "cuSPARSE",
  cusolver: "cuSOLVER",
  nccl: "NCCL",
};
const BLOCKING = "global, blocking stream";

const isFine = (outcome) => /^\w*success,.* end cudaSuccess/i.test(outcome);
const isRecorded = (outcome) => /nodes yes/.test(outcome);
const statusOf = (outcome) => outcome.replace(/,.*/, "");

/** What a call does, as the page has it. @param list its outcomes by mode */
export function kindOf(list) {
  // Where the library still had an error of the call before, nothing is known.
  const known = list.filter((outcome) => !/^not prepared/.test(outcome));
  if (known.some((outcome) => /^ended with/.test(outcome))) return "ends the process";
  if (known.every(isFine)) return known.every(isRecorded) ? "recorded" : "allowed, and no part of the graph";
  if (!known.some(isFine)) return "refused";
  const fine = MODES.filter((_, i) => isFine(list[i]));
  if (fine.length === 1 && fine[0] === "relaxed") return "refused, unless the capture is relaxed";
  if (fine.length === MODES.length - 1 && !fine.includes(BLOCKING))
    return "refused while a blocking stream is captured";
  return `allowed in these modes alone: ${fine.join("; ")}`;
}

/** A call, with the status that a refused one returns. */
function named(call, list) {
  const refused = list
    .filter((outcome) => !isFine(outcome) && !/^(?:ended with|not prepared)/.test(outcome))
    .map(statusOf);
  const statuses = [...new Set(refused)].map((status) => `\`${status}\``);
  const [first, ...rest] = call.split(", ");
  const code = /^[A-Z]\w*$/.test(first) ? `\`${first}\`` : first;
  const notes = [...rest, ...statuses].join(", ");
  return notes === "" ? code : `${code} (${notes})`;
}

/** One library's calls, by what they do. */
export function paragraphOf(title, calls) {
  const kinds = new Map();
  for (const [call, outcomes] of Object.entries(calls)) {
    const list = typeof outcomes === "string" ? MODES.map(() => outcomes) : outcomes;
    const kind = kindOf(list);
    kinds.set(kind, [...(kinds.get(kind) ?? []), named(call, list)]);
  }
  const parts = [...kinds].map(([kind, names]) => wrap(`${kind}: ${names.join(", ")}`, "  ", "- "));
  return [`**${title}**`, "", ...parts].join("\n");
}

function part() {
  const { machine, calls } = JSON.parse(readFileSync(join(root, RESULT), "utf8"));
  const { gpu, driver, date } = machine;
  const count = Object.values(calls).reduce((sum, one) => sum + Object.keys(one).length, 0);
  const what = wrap(
    `${count} calls in four kinds of capture (${MODES.slice(0, -1).join(", ")}; global while a blocking stream is ` +
      `captured), as NVIDIA's libraries do them in nvcc's program (${gpu}, ${driver}, ${date}):`,
  );
  return [what, ...Object.entries(calls).map(([name, one]) => paragraphOf(TITLES[name], one))].join("\n\n");
}

if (process.argv[1] === import.meta.filename) {
  const page = readFileSync(join(root, PAGE), "utf8");
  const [before, rest] = page.split(/(?<=<!-- captures:.*\n)/);
  const end = rest?.indexOf("<!-- end of captures -->") ?? -1;
  if (end < 0) throw new Error(`${PAGE} has no place for captures`);
  writeOrCheck({ [PAGE]: `${before}${part()}\n${rest.slice(end)}` });
}
