// Runs public CUDA programs under heddle check, as the manifests here list them, and keeps what is said of each.
// `--help` says how.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { editedCopy } from "./edited-copy.mjs";

const HELP = `node scripts/compat/checked.mjs [options]

Runs public programs under heddle check, and writes the findings. The programs are believed to be right,
and unmodified except for smaller sizes. So each finding is either true, and stands in docs/lab/, or a
fault of a checker.

  node scripts/compat/checked.mjs --programs /tmp/programs --only rodinia -o /tmp/checked.json
                                                  checkouts in folders OWNER+NAME
  node scripts/compat/checked.mjs --llmc /tmp/llm.c
                                                  dev/cuda at reduced sizes, every version

Options
  --programs FOLDER   checkouts, as for programs.mjs; entries of programs.json without "make"
  --llmc FOLDER       a checkout of llm.c
  --only TEXT,…       programs whose name contains one of these
  --tool LIST         checkers (memcheck,initcheck,racecheck,synccheck)
  --timeout SECONDS   for each program (300)
  --again             also run programs that the results file has
  --heddle FILE       the command (dist/bin/main.js)
  -o, --output FILE   results; new ones are added to those already in it (checked.json)
`;
const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    programs: { type: "string" },
    llmc: { type: "string" },
    only: { type: "string" },
    again: { type: "boolean", default: false },
    tool: { type: "string", default: "memcheck,initcheck,racecheck,synccheck" },
    timeout: { type: "string", default: "300" },
    heddle: { type: "string", default: resolve(import.meta.dirname, "../../dist/bin/main.js") },
    output: { type: "string", short: "o", default: "checked.json" },
  },
});
if (values.help || (values.programs === undefined && values.llmc === undefined)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 64);
}
const manifest = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

/** @returns [{ name, checkout, trees, dir, files, flags, args, edits, rewrite, stdin }] */
function work() {
  const programs =
    values.programs === undefined
      ? []
      : manifest("programs.json")
          .map((program) => ({
            ...program,
            checkout: join(
              values.programs,
              program.repository.replace("/", "+") + (program.branch === undefined ? "" : `@${program.branch}`),
            ),
            trees: program.trees ?? [program.dir],
          }))
          .filter(
            ({ make, checkout, trees }) =>
              make === undefined && trees.every((tree) => existsSync(join(checkout, tree))),
          );
  const llmc =
    values.llmc === undefined
      ? []
      : manifest("llmc.json").programs.flatMap(({ file, versions, flags, reduced = [] }) =>
          versions.map((version) => ({
            name: `llm.c/${file.replace(".cu", "")}${version === null ? "" : ` ${version}`}`,
            checkout: values.llmc,
            trees: ["dev/cuda"],
            dir: "dev/cuda",
            files: [file],
            flags,
            args: version === null ? [] : [String(version)],
            // Sizes as in llmc.mjs; of the block sizes two, and no repetitions, which say nothing new.
            edits: [...reduced.map(([from, to]) => [file, from, to]), ["common.h", "i < repeats;", "i < 1;"]],
            rewrite: [file, (text) => text.replace(/ block_sizes\[\] = \{[^}]*\}/, " block_sizes[] = {32, 512}")],
          })),
        );
  const only = values.only?.split(",");
  return [...programs, ...llmc].filter(({ name }) => only === undefined || only.some((part) => name.includes(part)));
}

/** A copy of the program's files, edited. `rewrite`: what may be in a file or not. */
function copyOf({ name, checkout, trees, dir, edits = [], rewrite }) {
  const copy = editedCopy({ name, checkout, trees, dir, edits });
  if (rewrite !== undefined) {
    const path = join(copy.folder, rewrite[0]);
    writeFileSync(path, rewrite[1](readFileSync(path, "utf8")));
  }
  return copy;
}

function execute(args, folder, stdin) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk) => void (text.length < 1 << 22 && (text += chunk)));
    child.stdin.on("error", () => undefined); // a program need not read its input
    child.stdin.end(stdin ?? "");
    const timer = setTimeout(() => child.kill("SIGKILL"), Number(values.timeout) * 1000);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      done({ status: signal === "SIGKILL" ? "timeout" : `exit ${code ?? signal}`, text });
    });
  });
}

const readResults = () => (existsSync(values.output) ? JSON.parse(readFileSync(values.output, "utf8")) : {});
for (const program of work()) {
  if (!values.again && readResults()[program.name] !== undefined) continue;
  const { root, folder } = copyOf(program);
  const report = join(root, "checked.json");
  const began = performance.now();
  const command = [
    resolve(values.heddle),
    "check",
    "--tool",
    values.tool,
    `--json=${report}`,
    "--annotations",
    "none",
    ...(program.flags ?? []),
    ...program.files,
    "--",
    ...(program.args ?? []),
  ];
  const { status, text } = await execute(command, folder, program.stdin);
  const json = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null;
  const at = (location) => (location ? `${location.file.split("/").at(-1)}:${location.line}` : "?");
  const findings =
    json?.checked?.findings.map(
      ({ checker, kind, message, location, notes, launch, count }) =>
        `${checker} ${kind} at ${at(location)}: ${message} ` +
        `[${notes.map((note) => `${note.text}${note.location ? ` ${at(note.location)}` : ""}`).join("; ")}] ` +
        `${launch?.kernel ?? ""} ×${count}`,
    ) ?? null;
  const results = readResults(); // read again: another run may write the same file
  results[program.name] = {
    status,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    findings,
    said:
      findings === null
        ? text.slice(-1500)
        : text
            .split("\n")
            .filter((line) => /mismatch|not ok|fail|error/i.test(line))
            .slice(0, 5)
            .join(" · "),
  };
  writeFileSync(values.output, `${JSON.stringify(results, null, 1)}\n`);
  let found = "no report";
  if (findings !== null) found = findings.length === 0 ? "nothing" : `\n  ${findings.join("\n  ")}`;
  console.log(`${program.name}: ${status}, ${found} (${results[program.name].seconds} s)`);
  rmSync(root, { recursive: true });
}
