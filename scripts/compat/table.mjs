// Writes docs/compatibility.md, and the lists of all programs below docs/lab, from the results of the two compatibility
// runs. `--help` says how.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, wrap, writeOrCheck } from "../docs-pages.mjs";
import { ccclSection } from "./cccl-table.mjs";

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(`node scripts/compat/table.mjs [--check]

Writes docs/compatibility.md, docs/lab/compat-programs.md and docs/lab/compat-llmc.md from
docs/lab/compat-programs.json, docs/lab/compat-programs-lp64.json and docs/lab/compat-llmc.json.
scripts/compat/programs.mjs and scripts/compat/llmc.mjs make those (see their --help).
--check only reports whether the pages are up to date.
`);
  process.exit(0);
}

const lab = resolve(import.meta.dirname, "../../docs/lab");
const read = (name) => Object.entries(JSON.parse(readFileSync(join(lab, name), "utf8")));

/**
 * A version of llm.c may have been run at the sizes in the file, at reduced ones, or both. The run at full sizes counts
 * where it passed, or failed in another way than for want of memory or time; else the reduced one, with what became of
 * the other.
 */
function chosen({ full, reduced, h200 }) {
  const noRoom = full !== undefined && /out of device memory/.test(full.said ?? "");
  const isFull = full !== undefined && (reduced === undefined || !(full.status === "timeout" || noRoom));
  if (isFull) return { ...full, h200, isFull };
  let why = "";
  if (noRoom) why = "as in the file: more than 4 GiB";
  else if (full !== undefined) why = `as in the file: not done after ${Math.round(full.seconds)} s`;
  return { ...reduced, h200, isFull, said: [reduced.said, why].filter((text) => text !== "").join(" · ") };
}

const llmc = read("compat-llmc.json").map(([name, result]) => [name, chosen(result)]);
const narrow = read("compat-programs.json");
/** Those that have been run as 64-bit programs, which is what nvcc makes of them. */
const wide = new Map(read("compat-programs-lp64.json"));
const programs = narrow.map(([name, result]) => [name, wide.get(name) ?? result]);
const parse = (name) => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));
const listed = parse("programs.json");
const collections = parse("collections.json");

const cell = (text) =>
  String(text ?? "")
    .replaceAll("\n", " ")
    .replaceAll("<", "&lt;");
const table = (head, rows) =>
  markdownTable(
    head,
    rows.map((row) => row.map(cell)),
  );
const share = (passed, all) => `${passed} of ${all} (${Math.round((100 * passed) / all)} %)`;
const passes = ([, result]) => result.status === "pass";
const countPassed = (results) => share(results.filter(passes).length, results.length);

/** Results by a key, the greatest group first. */
function groups(results, keyOf) {
  const found = new Map();
  for (const result of results) found.set(keyOf(result), [...(found.get(keyOf(result)) ?? []), result]);
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

const dates = groups(programs, ([, { date }]) => date)
  .map(([date, all]) => `${all.length} programs on ${date}`)
  .join(", ");

// llm.c: what passes on a GPU is what can pass.
const onGpu = llmc.filter(([, { h200 }]) => h200 === "passes");
const programOf = ([name]) => name.split(" ")[0];
const versionOf = ([name]) => name.split(" ")[1] ?? "the only one";

/** One program of llm.c: versions that pass, and those that do not, with what nvcc's build does. */
function llmcRow([program, versions]) {
  const passing = versions.filter(passes);
  const failing = versions.filter((version) => !passes(version));
  const what = failing.map((version) => `${versionOf(version)}: ${version[1].status} (H200: ${version[1].h200})`);
  return [program, passing.map(versionOf).join(", "), what.join("; ") || "–"];
}

const full = onGpu.filter((version) => passes(version) && version[1].isFull);
const lucky = llmc.filter((version) => passes(version) && version[1].h200 !== "passes");
const luckyText = wrap(
  `${lucky.length} versions pass here and fail on an H200: ` +
    `${lucky.map(([name, { h200 }]) => `${name} (${h200})`).join(", ")}.`,
  "  ",
  "- ",
);

const selfContained = programs.filter(([, { needs }]) => needs === undefined);
const needing = programs.filter(([, { needs }]) => needs !== undefined);
const tried = new Set(programs.map(([name]) => name));
const ran = new Set(programs.map(([, { repository }]) => repository)).size + 1; // and llm.c
const notTried = listed.filter(({ name }) => !tried.has(name));
const untried =
  notTried.length === 0
    ? ""
    : `${wrap(
        `${notTried.length} more programs are listed and have not been run yet: ` +
          `${groups(
            notTried.map((program) => [program.name, program]),
            ([, { repository }]) => repository,
          )
            .map(([repository, all]) => `${repository} (${all.length})`)
            .join(", ")}.`,
      )}\n\n`;

const statusOf = new Map(programs);
const refused = listed.filter(({ name, exit }) => exit === 71 && statusOf.get(name)?.status === "pass").length;
const refusedText = wrap(
  `${refused} of the programs ask for a launch that CUDA refuses as well, and ignore the error, or have an ` +
    "assertion in a kernel that fails as they expect. Heddle reports this and ends with exit code 71. They count " +
    "when everything else is right.",
);

const widthText = describeWidths();
/** What became of programs with 64 bits, beside what did with 32. */
function describeWidths() {
  const both = narrow.filter(([name]) => wide.has(name));
  const isRight = ([name]) => wide.get(name).status === "pass";
  const before = both.filter(passes);
  const lost = before.filter((program) => !isRight(program));
  const gained = both.filter((program) => isRight(program) && !passes(program));
  const rest = narrow.length - both.length;
  const first =
    `${both.length} of the ${narrow.length} were run as 64-bit programs, the model of nvcc and of "heddle run", and ` +
    `count so${rest === 0 ? "" : "; the others were run with 32 bits"}. ${both.filter(isRight).length} of the ` +
    `${both.length} pass. Of the ${before.length} that pass with 32 bits, ` +
    (lost.length === 0 ? "all pass" : `${before.length - lost.length} pass`);
  const failing = lost.map(([name]) => `${name} (${wide.get(name).reason ?? wide.get(name).status})`).join(", ");
  return wrap(
    `${first}${lost.length === 0 ? "" : `; not ${failing}`}. With 64 bits, or with libraries that are here by now, ` +
      `${gained.length} more pass: ${gained.map(([name]) => name).join(", ")}.`,
  );
}

const likeAuthors = listed.filter(
  ({ name, comment }) => comment !== undefined && statusOf.get(name)?.status === "pass",
);
const likeAuthorsText = likeAuthors
  .map(({ name, comment }) => wrap(`Not judged by its own check: ${name} counts because it ends ${comment}.`))
  .join("\n");

const compatibility = `# Compatibility

After reading this page you know which public CUDA programs run on Heddle unmodified, and what stops the others.

| programs | run correctly |
| --- | --- |
| karpathy/llm.c, \`dev/cuda\`: versions that pass their own check on an H200 | ${countPassed(onGpu)} |
| other public programs that need no missing library | ${countPassed(selfContained)} |
| both together, of ${ran} collections | ${countPassed([...onGpu, ...selfContained])} |
| programs that need a library that is [missing](support.md#not-here), counted as failures | ${countPassed(needing)} |

${untried}All of them ran on the emulated device, on machines without a GPU. A program runs correctly if its own check
passes, judged by its output and exit code. How fast llm.c's kernels are on a real GPU: [compat-gpu.md](compat-gpu.md).

${widthText}

On an H200, as 64-bit programs, 128 of 130 ran right: srad_v2 of Rodinia reads below its first array there, and
LargeKernelParameter is not compiled for a GPU.

${refusedText}

${likeAuthorsText}

## Public programs, by collection

${table(
  ["collection", "run correctly"],
  groups(programs, ([, { repository }]) => repository).map(([repository, all]) => [
    `[${repository}](https://github.com/${repository})`,
    countPassed(all),
  ]),
)}

## What stops the other ${programs.filter((program) => !passes(program)).length}

${table(
  ["program", "result", "what stops it"],
  programs
    .filter((program) => !passes(program))
    .map(([name, { status, reason, said }]) => [name, status, reason ?? said]),
)}

Every program with its time: [lab/compat-programs.md](lab/compat-programs.md).

## Which programs, of which commit

A collection is listed, with its commit, before its first run. "A choice" marks older collections, of which not every
program was taken.

${table(
  ["collection", "commit", "folder", "programs"],
  collections.map(({ repository, commit, path, programs: which }) => [
    repository,
    typeof commit === "string"
      ? commit.slice(0, 10)
      : Object.entries(commit)
          .map(([branch, hash]) => `${branch} ${hash.slice(0, 10)}`)
          .join(", "),
    path,
    which,
  ]),
)}

## llm.c

Versions that fail on an H200, built by nvcc, are not expected to pass here.

${table(["program", "versions that pass", "versions that do not"], groups(llmc, programOf).map(llmcRow).sort())}

- ${full.length} of the ${onGpu.filter(passes).length} versions ran at the sizes in the file, the others at reduced \
ones.
- softmax_forward, crossentropy_softmax_backward and classifier_fused ask for more than 4 GiB of memory at the sizes in
  the file. 32-bit pointers cannot have that.
- These programs check first and measure afterwards. A version passes when its check has passed. A measurement that
  would take over ten minutes here was stopped.
${luckyText}

Every version with its time, its sizes and its messages: [lab/compat-llmc.md](lab/compat-llmc.md).

${ccclSection({ lab, table, share })}
## How to run them again

\`\`\`console
$ node scripts/compat/programs.mjs CHECKOUTS      # the programs of scripts/compat/programs.json
$ node scripts/compat/llmc.mjs CHECKOUT           # llm.c; --reduced: at smaller sizes
$ node scripts/compat/programs.mjs CHECKOUTS --manifest scripts/compat/cccl.json -o docs/lab/compat-cccl.json --new
$ node scripts/compat/table.mjs                   # these pages
\`\`\`

Run: ${dates}.
`;

const TIMES = wrap(
  "Times are wall-clock and include the compilation. Some programs ran on two cores that did other work at the same " +
    "time, others on sixteen cores with nine programs at a time. The times distinguish minutes from seconds, and no " +
    "more.",
);

const programList = `# All public programs that were tried

After reading this page you know the result and the time of each program. The summary is in
[compatibility.md](../compatibility.md).

${TIMES}

"Reduced to" is a smaller size, where the size in the file would take hours.

${table(
  ["program", "result", "seconds", "reduced to"],
  programs.map(([name, { status, seconds, reduced }]) => [name, status, seconds, reduced]),
)}
`;

/** Messages of several versions that are the same stand below the table. */
const STOPPED = /^its check has passed; its benchmark would take over (1[24]) minutes and was stopped$/;
const UNFINISHED = "its check has passed; the time was up in its benchmark";

function message(said) {
  if (said === UNFINISHED) return "A";
  const stopped = STOPPED.exec(said);
  if (stopped !== null) return stopped[1] === "12" ? "B" : "C";
  return said;
}

const edits = groups(
  llmc.flatMap((version) => version[1].edits ?? []),
  ([from, to]) => `\`${from.trim()}\` by \`${to.trim()}\``,
).map(([edit]) => edit);

const llmcList = `# All versions of llm.c's kernels

After reading this page you know the result, the time and the messages of each version of karpathy/llm.c, \`dev/cuda\`.
"Here" is the emulated device; "on an H200" is nvcc's build on that GPU. The summary is in
[compatibility.md](../compatibility.md).

${TIMES}

- A: the check has passed; the time was up in the program's own benchmark.
- B: the check has passed; the benchmark would take over 12 minutes and was stopped.
- C: the check has passed; the benchmark would take over 14 minutes and was stopped.

${table(
  ["version", "here", "on an H200", "seconds", "sizes", "message"],
  llmc.map(([name, { status, h200, seconds, edits, said }]) => [
    name,
    status,
    h200,
    seconds,
    (edits ?? []).map(([, to]) => `\`${to.trim()}\``).join(" ") || "as in the file",
    message(said),
  ]),
)}

${wrap(`Reduced sizes replace these: ${edits.join(", ")}.`)}
`;

writeOrCheck({
  "docs/compatibility.md": compatibility,
  "docs/lab/compat-programs.md": programList,
  "docs/lab/compat-llmc.md": llmcList,
});
