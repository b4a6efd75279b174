// Runs every kernel version of karpathy/llm.c's dev/cuda programs and keeps what became of each. `--help` says how.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const HELP = `node scripts/compat/llmc.mjs LLM_C_CHECKOUT [options]

Runs every kernel version of the programs in dev/cuda, at the sizes in the files, and writes what became of each. A version
passes when the program ends with exit code 0 and prints no mismatch: the program's own check decides.

  git clone https://github.com/karpathy/llm.c /tmp/llm.c
  npm run build && node scripts/compat/llmc.mjs /tmp/llm.c --only gelu_forward,encoder_forward
  node scripts/compat/llmc.mjs /tmp/llm.c --reduced          sizes as scripts/compat/llmc.json reduces them: minutes instead of hours
  node scripts/compat/table.mjs                              afterwards: docs/compatibility.md from the results

Options
  --only NAME,…       these programs
  --missing           only versions that have not passed yet at these sizes, by the results file
  --reduced           smaller sizes, by edits of a copy
  --timeout SECONDS   of wall-clock time for a version, compilation included (900)
  -o, --output FILE   results, kept together with those already in it (docs/compat-llmc.json)
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, timeout: { type: "string", default: "900" }, reduced: { type: "boolean", default: false }, missing: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false }, output: { type: "string", short: "o", default: "docs/compat-llmc.json" } },
});
const root = positionals[0];
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (root === undefined || !existsSync(join(root, "dev/cuda"))) {
  console.error("a checkout of llm.c is needed: node scripts/compat/llmc.mjs --help");
  process.exit(64);
}
const manifest = JSON.parse(readFileSync(new URL("llmc.json", import.meta.url), "utf8"));
const heddle = resolve(import.meta.dirname, "../../dist/bin/main.js");
const only = values.only?.split(",");

/** A copy of the folder in which the named texts are replaced; every text must occur. */
function reducedCopy(file, edits) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-llmc-"));
  cpSync(join(root, "dev/cuda"), folder, { recursive: true });
  const path = join(folder, file);
  let text = readFileSync(path, "utf8");
  for (const [from, to] of edits) {
    if (!text.includes(from)) throw new Error(`${file} does not contain "${from}"`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(path, text);
  return folder;
}

const results = existsSync(values.output) ? JSON.parse(readFileSync(values.output, "utf8")) : {};
for (const program of manifest.programs) {
  const name = program.file.replace(".cu", "");
  if (only && !only.includes(name)) continue;
  for (const version of program.versions) {
    const edits = values.reduced ? (program.reduced ?? []) : [];
    const key = `${name} ${version ?? ""}`.trim();
    if (values.missing && results[key]?.[edits.length > 0 ? "reduced" : "full"]?.status === "pass") continue;
    const folder = edits.length > 0 ? reducedCopy(program.file, edits) : join(root, "dev/cuda");
    const args = [heddle, "run", ...(program.flags ?? []), program.file, ...(version === null ? [] : [String(version)])];
    const start = performance.now();
    const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: Number(values.timeout) * 1000, maxBuffer: 1 << 28 });
    const seconds = (performance.now() - start) / 1000;
    const text = `${run.stdout}\n${run.stderr}`;
    const mismatch = /mismatch|not ok|NOT OK/i.exec(text);
    const status = run.error?.code === "ETIMEDOUT" ? "timeout" : run.status !== 0 ? `exit ${run.status ?? run.signal}` : mismatch ? "mismatch" : "pass";
    const said = status === "pass" ? "" : text.trim().split("\n").filter((l) => /mismatch|heddle|error|assert|not ok/i.test(l)).slice(0, 3).join(" · ").slice(0, 300) || text.trim().split("\n").slice(-2).join(" · ").slice(0, 300);
    results[key] = { ...results[key], h200: program.h200?.[version] ?? "passes" };
    results[key][edits.length > 0 ? "reduced" : "full"] = { status, seconds: Math.round(seconds * 10) / 10, ...(edits.length > 0 ? { edits } : {}), said };
    console.log(`${name} ${version ?? ""}: ${status} (${seconds.toFixed(1)} s)${said ? `  ${said.slice(0, 160)}` : ""}`);
    writeFileSync(values.output, `${JSON.stringify(results, null, 1)}\n`);
    if (edits.length > 0) rmSync(folder, { recursive: true });
  }
}
