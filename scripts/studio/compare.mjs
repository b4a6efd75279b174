// Runs programs in the studio, in headless Chromium, and on the command line, and compares what they write. `--help`
// says how. The results lie in compared.json beside this file: a run goes on where an earlier one ended.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { parseArgs, promisify } from "node:util";
import { readManifest } from "../compat/manifest.mjs";
import { openStudio } from "./studio-page.mjs";

const HELP = `node scripts/studio/compare.mjs [options]

  --set NAME,…        examples, scripts, reports, ladders, public (all)
  --checkouts FOLDER  for public: git clones OWNER+NAME (bare ones will do); the list names their commits
  --choose            writes the list of public programs anew, from scripts/compat/programs.json
  --only TEXT         programs whose name contains it
  --again             programs that have a result, too
  --failed            programs whose result is not "equal"

Programs have 32 bits in a page; so they have on the command line here. The command runs twice: numbers and words that
differ between its own runs, as times do, are not compared.
`;
const { values: options } = parseArgs({
  options: {
    set: { type: "string", default: "examples,scripts,reports,ladders,public" },
    checkouts: { type: "string" },
    only: { type: "string" },
    choose: { type: "boolean" },
    again: { type: "boolean" },
    failed: { type: "boolean" },
    help: { type: "boolean" },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const root = join(import.meta.dirname, "../..");
const LIST = join(import.meta.dirname, "compared-programs.json");
const RESULTS = join(import.meta.dirname, "compared.json");
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/** A file of a clone at a commit; null: there is none. */
function fileAt(repository, commit, path) {
  const clone = join(options.checkouts, repository.replace("/", "+"));
  try {
    return execFileSync("git", ["-C", clone, "show", `${commit}:${path}`], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1 << 24,
    });
  } catch {
    return null;
  }
}

/** The source and what it includes with quotes, by path from the source's folder; null: something is not there. */
function sourcesOf(repository, commit, path) {
  const folder = posix.dirname(path);
  const found = new Map();
  const waiting = [posix.basename(path)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    const text = fileAt(repository, commit, posix.join(folder, next));
    if (text === null) return null;
    found.set(next, text);
    for (const [, name] of text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm)) {
      const beside = posix.normalize(posix.join(posix.dirname(next), name));
      if (!/^(?:cuda_runtime|device_launch_parameters|cuda|curand\w*|cublas\w*|cufft\w*|math_constants)\.h$/.test(name))
        waiting.push(beside);
    }
  }
  return [...found].map(([name, text]) => ({ path: name, text }));
}

/** At most so many of a collection, of programs that are one source with its headers and take nothing else. */
function choose() {
  const collections = JSON.parse(readFileSync(join(root, "scripts/compat/collections.json"), "utf8"));
  const commits = new Map(collections.map(({ repository, commit }) => [repository, commit]));
  const counts = new Map();
  const chosen = [];
  for (const { name, repository, dir, files, flags, edits, stdin, needs, needsData, make, exit } of readManifest(
    join(root, "scripts/compat/programs.json"),
  )) {
    const commit = commits.get(repository);
    const isPlain = [flags, edits, stdin, needs, needsData, make, exit].every((part) => part === undefined);
    if (commit === undefined || files?.length !== 1 || !isPlain || (counts.get(repository) ?? 0) >= 4) continue;
    const path = posix.join(dir ?? ".", files[0]);
    if (!/\.cu$/.test(path) || sourcesOf(repository, commit, path) === null) continue;
    counts.set(repository, (counts.get(repository) ?? 0) + 1);
    chosen.push({ name, repository, commit, path });
  }
  // Some of each collection, the first of each first.
  const rank = ({ repository }, i) => chosen.slice(0, i).filter((other) => other.repository === repository).length;
  const ranked = chosen.map((program, i) => ({ program, rank: rank(program, i) })).sort((a, b) => a.rank - b.rank);
  const list = ranked.slice(0, 50).map(({ program }) => program);
  writeFileSync(LIST, `[\n${list.map((program) => `  ${JSON.stringify(program)}`).join(",\n")}\n]\n`);
  console.log(`${list.length} programs of ${new Set(list.map(({ repository }) => repository)).size} collections`);
}

function* programs(set) {
  const texts = (folder, ending) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(ending))
      .map((name) => ({ path: name, text: readFileSync(join(root, folder, name), "utf8") }));
  if (set === "examples") for (const file of texts("examples", ".cu")) yield { name: file.path, files: [file] };
  if (set === "scripts")
    for (const file of texts("examples/triton", ".py"))
      if (/^(?!@|def |import |from |#|\s)\S/m.test(file.text)) yield { name: file.path, files: [file] };
  if (set === "reports")
    for (const file of texts("src/check/suite/page", ".cu"))
      yield { name: file.path, files: [file], action: /^numbers-/.test(file.path) ? "run" : "check" };
  if (set === "public")
    for (const { name, repository, commit, path } of JSON.parse(readFileSync(LIST, "utf8"))) {
      const files = sourcesOf(repository, commit, path);
      if (files === null) console.log(`${name}: not among the checkouts`);
      else yield { name, files };
    }
}

/** The verdict of each version at the ladder's check shapes, in the page's session and by the command. */
async function compareLadders(studio, known, keep) {
  const engine = readdirSync(join(root, "dist/studio")).find((name) => name.startsWith("engine-"));
  const { ladders } = JSON.parse(readFileSync(join(root, "dist/studio/gallery/index.json"), "utf8"));
  for (const { id } of ladders) {
    if (options.only !== undefined && !id.includes(options.only)) continue;
    if (options.failed ? known?.[id]?.result === "equal" : known?.[id] !== undefined && !options.again) continue;
    const file = [join(root, "kernels", id), join(root, "examples", id)].find((path) => existsSync(path));
    const flags = ["--check", "--no-rivals", "--no-sweep", "--no-keep", "--json"];
    const { stdout } = await run(process.execPath, [join(root, "dist/bin/main.js"), "bench", file, ...flags], {
      maxBuffer: 1 << 28,
    }).catch((error) => error);
    const command = verdictsOf(JSON.parse(String(stdout)));
    const page = await studio.page.evaluate(benchInPage, { engine, id });
    const isEqual = JSON.stringify(command) === JSON.stringify(verdictsOf(page));
    keep(
      id,
      isEqual ? { result: "equal", verdicts: command } : { result: "different", command, page: verdictsOf(page) },
    );
  }
}

const verdictsOf = (records) =>
  Object.fromEntries(
    records
      .flatMap(({ versions }) => versions.map(({ version, verdict }) => [version, verdict]))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Runs in the page. */
async function benchInPage({ engine, id }) {
  const heddle = new URL(`${engine}/`, document.baseURI).href;
  const { openSession } = await import(`${heddle}index.js`);
  const { declaration, files, headers } = await (await fetch(`gallery/${id}.json`)).json();
  const textsOf = (ending) =>
    Object.fromEntries(
      files.filter(({ path }) => path.endsWith(ending)).map(({ path, text }) => [path.slice(0, -ending.length), text]),
    );
  globalThis.compareSession ??= openSession({
    clang: new URL("clang/", document.baseURI).href,
    heddle,
    keepsWorker: true,
  });
  return globalThis.compareSession.start({
    kind: "bench",
    ladders: [
      {
        name: id,
        declaration,
        versions: textsOf(".cu"),
        triton: textsOf(".py"),
        files: Object.fromEntries(headers.map(({ path, text }) => [path, text])),
      },
    ],
    settings: {
      device: "emulated",
      gpu: null,
      workers: null,
      shape: {},
      only: null,
      rivals: false,
      sweep: false,
      sweepAgain: false,
      checkOnly: true,
      profile: false,
      seed: 1,
    },
  }).result;
}

/** What the command writes: output, errors, exit code. */
async function onCommandLine({ files, action = "run" }) {
  const folder = mkdtempSync(join(tmpdir(), "heddle-compare-"));
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const env = { ...process.env, HEDDLE_MODEL: "ilp32", NO_COLOR: "1" };
    const args = [join(root, "dist/bin/main.js"), action, files[0].path];
    const { code, stdout, stderr } = await run(process.execPath, args, {
      cwd: folder,
      env,
      timeout: TIMEOUT_MS,
      maxBuffer: 1 << 28,
    }).then(
      (ended) => ({ code: 0, ...ended }),
      (error) => error,
    );
    return { code, stdout: String(stdout), stderr: String(stderr) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Words, with those masked that differ between two runs of the command; null: the runs are not alike. */
function maskedWords(first, second) {
  const [a, b] = [first, second].map((text) => text.split(/(\s+)/));
  if (a.length !== b.length) return null;
  const masked = a.map((word, i) => (word === b[i] || /^\s+$/.test(word) ? word : "…"));
  // Columns are as wide as what stands in them.
  return masked.map((word, i) => (/^ +$/.test(word) && [masked[i - 1], masked[i + 1]].includes("…") ? "…" : word));
}

/** null: equal; else the first difference. */
function differenceOf(mask, text) {
  const words = text.split(/(\s+)/);
  const at = mask.findIndex((word, i) => word !== "…" && word !== words[i]);
  if (at < 0 && words.length === mask.length) return null;
  const place = at < 0 ? Math.min(words.length, mask.length) : at;
  const near = (list) =>
    list
      .slice(Math.max(0, place - 4), place + 9)
      .join("")
      .slice(0, 160);
  return { command: near(mask), page: near(words) };
}

async function compareProgram(studio, program) {
  const first = await onCommandLine(program);
  const second = await onCommandLine(program);
  await studio.open({ title: program.name, files: program.files });
  const isCheck = program.action === "check";
  let verdict;
  try {
    verdict = await studio.act(isCheck ? "Find faults" : /^Run/, TIMEOUT_MS);
  } catch {
    await studio.page.keyboard.press("Escape");
    return { result: "no end in the page", code: first.code };
  }
  if (isCheck) return compareFindings(studio, first, verdict);
  const { stdout } = await studio.output();
  const mask = maskedWords(first.stdout, second.stdout);
  if (mask === null) return { result: "the command's own runs differ", code: first.code, verdict };
  const difference = differenceOf(mask, stdout);
  // What ends well there ends well here.
  if (difference === null && (first.code === 0) !== (verdict === "Ended well"))
    return { result: "another end", code: first.code, verdict };
  const masked = mask.filter((word) => word === "…").length;
  if (difference === null) return { result: "equal", verdict, ...(masked === 0 ? {} : { masked }) };
  return { result: "different", code: first.code, verdict, ...difference };
}

/** A report says its title and its place, in both. */
async function compareFindings(studio, { stderr, code }, verdict) {
  const shown = (await studio.page.locator("#panel").innerText()).replaceAll(/\s+/g, " ");
  const titles = [...stderr.matchAll(/^(\w+): ((?:error: )?\S.*)$/gm)].filter(([, checker]) => checker !== "heddle");
  const missing = titles
    .map(([, , title]) => title.replaceAll(/0x[0-9a-f]+/g, "").trim())
    .filter((title) => !shown.replaceAll(/0x[0-9a-f]+/g, "").includes(title.replaceAll(/\s+/g, " ")));
  const places = [...stderr.matchAll(/^ *--> (?:\.\/)?(\S+?):(\d+)/gm)].map(([, file, line]) => `${file}:${line}`);
  const lost = places.filter((place) => !shown.includes(place));
  if (missing.length + lost.length === 0) return { result: "equal", verdict, reports: titles.length };
  return { result: "different", code, verdict, missing: missing.slice(0, 2), lost: lost.slice(0, 4) };
}

if (options.choose) choose();
else await compareAll();

async function compareAll() {
  const results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, "utf8")) : {};
  const studio = await openStudio();
  for (const set of options.set.split(",")) {
    const keep = (name, result) => {
      (results[set] ??= {})[name] = result;
      console.log(`${set}  ${name}: ${JSON.stringify(result)}`);
      writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
    };
    if (set === "ladders") await compareLadders(studio, results[set], keep);
    for (const program of programs(set)) {
      const known = results[set]?.[program.name];
      if (options.only !== undefined && !program.name.includes(options.only)) continue;
      if (options.failed ? known?.result === "equal" : known !== undefined && !options.again) continue;
      keep(program.name, await compareProgram(studio, program));
    }
    if (results[set] === undefined) continue;
    const all = Object.values(results[set]);
    console.log(`${set}: ${all.filter(({ result }) => result === "equal").length} of ${all.length} equal`);
  }
  if (studio.complaints.length > 0) console.log("the console said:", [...new Set(studio.complaints)].slice(0, 10));
  await studio.close();
}
