// Compiles public Triton kernels, as triton.json lists them, and keeps what becomes of each. `--help` says how.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseArgs } from "node:util";
import { compileKernel, defaultOf, kernelParameters } from "../../dist/frontend/triton/compile-kernel.js";
import { verifyKernel } from "../../dist/frontend/triton/blocks/verify.js";
import { openModule } from "../../dist/frontend/triton/evaluate/module.js";
import { lowerKernel } from "../../dist/frontend/triton/lower/lower-kernel.js";
import { SourceText } from "../../dist/frontend/triton/syntax/source-text.js";
import { verifyModule } from "../../dist/ir/verify.js";
import { ATTEMPTS, guessArguments, neighbours } from "./triton-arguments.mjs";

const HELP = `node scripts/compat/triton.mjs --checkouts FOLDER [options]

Compiles the kernels of triton.json to IR and writes docs/lab/compat-triton.json: a status for each, and what
the compiler says. Types and constants of arguments are guessed; a kernel compiles if one of the guesses does.

  --checkouts FOLDER   clones: FOLDER/owner+name or FOLDER/owner+name/repo, with the commit that is listed
  --only REGEX         kernels whose name (repository/path:kernel) matches; others keep their results
  --list OWNER/NAME    adds the repository's kernels at its newest commit to triton.json
  --paths REGEX        of those, only files that match
  --reasons            lists what fails, by how often, and compiles nothing`;

const { values } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string", default: "" },
    list: { type: "string" },
    paths: { type: "string", default: "" },
    reasons: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const root = join(import.meta.dirname, "..", "..");
const listFile = join(import.meta.dirname, "triton.json");
const resultFile = join(root, "docs", "lab", "compat-triton.json");
const readJson = (path, otherwise) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : otherwise);

function git(repository, ...args) {
  const folder = join(values.checkouts, repository.replace("/", "+"));
  const clone = existsSync(join(folder, "repo")) ? join(folder, "repo") : folder;
  const options = { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] };
  return execFileSync("git", ["-C", clone, ...args], options);
}

/** The files of a commit. */
class Checkout {
  #texts = new Map();
  constructor({ repository, commit, globals = {} }) {
    this.repository = repository;
    this.globals = globals;
    this.commit = commit;
    this.paths = new Set(git(repository, "ls-tree", "-r", "--name-only", commit).split("\n"));
  }

  source(path) {
    if (!this.paths.has(path)) return null;
    let source = this.#texts.get(path);
    if (source === undefined) {
      source = new SourceText(path, git(this.repository, "show", `${this.commit}:${path}`));
      this.#texts.set(path, source);
    }
    return source;
  }

  /** As Python finds modules: beside the file for relative names, in each folder above it for others. */
  imported(name, from) {
    const dots = /^\.*/.exec(name)[0].length;
    const parts = name
      .slice(dots)
      .split(".")
      .filter((part) => part !== "");
    let folder = posix.dirname(from.file);
    for (let up = 1; up < dots; up++) folder = posix.dirname(folder);
    for (;;) {
      const base = posix.join(folder, ...parts);
      const source = this.source(`${base}.py`) ?? this.source(posix.join(base, "__init__.py"));
      if (source !== null || dots > 0 || folder === "." || folder === "/") return source;
      folder = posix.dirname(folder);
    }
  }

  open(path) {
    return openModule(this.source(path), (name, from) => this.imported(name, from), { globals: this.globals });
  }
}

/** Functions that no other function of the file calls, and that access memory. */
function kernelsOf(module) {
  const text = module.source.text;
  return [...module.functions.keys()].filter((name) => {
    const uses = text.match(new RegExp(`\\b${name}\\b\\s*(?:\\[|\\.run|\\.warmup)`, "g"));
    return uses !== null;
  });
}

function list(repository, pattern) {
  const commit = git(repository, "rev-parse", "HEAD").trim();
  const known = readJson(listFile, []).find((entry) => entry.repository === repository);
  const { globals } = known ?? {};
  const checkout = new Checkout({ repository, commit, globals });
  const paths = git(repository, "grep", "-l", "-E", "triton\\.jit|@jit", commit, "--", "*.py").trim().split("\n");
  const files = {};
  for (const path of paths.map((line) => line.slice(commit.length + 1))) {
    if (!pattern.test(path)) continue;
    try {
      const kernels = kernelsOf(checkout.open(path));
      if (kernels.length > 0) files[path] = kernels;
    } catch (error) {
      console.error(`${path}: ${error.message}`);
    }
  }
  const entries = readJson(listFile, []).filter((entry) => entry.repository !== repository);
  entries.push({ repository, commit, ...(globals === undefined ? {} : { globals }), files });
  entries.sort((a, b) => (a.repository < b.repository ? -1 : 1));
  writeFileSync(listFile, `${JSON.stringify(entries, null, 1)}\n`);
  console.log(`${repository}: ${Object.values(files).flat().length} kernels of ${Object.keys(files).length} files`);
}

/** What a decorator sets, or the default. */
function settings(module, fn) {
  const set = new Map();
  for (const { name, args } of fn.decorators) {
    const [config] = name === "autotune" ? (args.configs?.items ?? []) : [];
    for (const constant of config?.constants ?? []) set.set(constant.name, constant.value);
  }
  return (name) => set.get(name) ?? defaultOf(module, fn, name);
}

function compileWith(module, fn, args) {
  const blocks = compileKernel(module, fn, args, 4);
  const faults = verifyKernel(blocks);
  if (faults.length > 0) throw new Error(`block IR: ${faults[0]}`);
  const wrong = verifyModule(lowerKernel(blocks, 4).module);
  if (wrong.length > 0) throw new Error(`IR: ${wrong[0]}`);
}

/** The error of a compilation with these arguments, or null. */
function errorWith(module, fn, args) {
  try {
    compileWith(module, fn, args);
    return null;
  } catch (error) {
    return error;
  }
}

/** How far the compiler came: the line in the kernel itself. */
function progress(error, { source, definition: { span } }) {
  const places = [placeOf(error) ?? "", ...(error.notes ?? [])].map((text) => /([^ ]+):(\d+)/.exec(text));
  const lines = places.flatMap((place) => (place !== null && place[1] === source.file ? [Number(place[2])] : []));
  const inside = lines.filter((line) => line >= span.line && line <= span.endLine);
  return inside.length === 0 ? Infinity : Math.max(...inside);
}

const MOST_GUESSES = 150;

/** Changes one guess at a time, as long as the compiler comes further by it. */
function search(module, fn, args, error) {
  let guesses = 0;
  let best = { args, error, at: progress(error, fn) };
  for (let changed = true; changed;) {
    changed = false;
    for (const other of neighbours(best.args)) {
      if (++guesses > MOST_GUESSES) return best;
      const failure = errorWith(module, fn, other);
      if (failure === null) return { args: other, error: null };
      const at = progress(failure, fn);
      if (at <= best.at || at === Infinity) continue;
      best = { args: other, error: failure, at };
      changed = true;
      break;
    }
  }
  return best;
}

function compile(module, kernel) {
  const fn = module.functions.get(kernel);
  if (fn === undefined) return { status: "missing", reason: "no such kernel" };
  const functionNamed = (name) => {
    const value = fn.globals.get(name);
    return value?.kind === "function" && value.definition.kind === "function" ? value.definition : undefined;
  };
  const parameters = kernelParameters(module, fn);
  const defaults = settings(module, fn);
  const failures = [];
  for (const attempt of ATTEMPTS) {
    const args = guessArguments(fn.definition, parameters, functionNamed, attempt, defaults);
    const error = errorWith(module, fn, args);
    if (error === null) return { status: "compiles" };
    failures.push({ args, error });
  }
  const searched = failures.map(({ args, error }) => search(module, fn, args, error));
  if (searched.some(({ error }) => error === null)) return { status: "compiles" };
  const { error } = searched.reduce((best, one) => (one.at > best.at && one.at < Infinity ? one : best));
  const reason = error.summary ?? String(error.stack).slice(0, 300);
  return { status: error.code ?? "crash", reason, at: placeOf(error) };
}

const placeOf = ({ location }) => (location == null ? undefined : `${location.file}:${location.line}`);

function run(only) {
  const results = readJson(resultFile, {});
  for (const entry of readJson(listFile, [])) {
    const { repository, files } = entry;
    let checkout = null;
    for (const [path, kernels] of Object.entries(files)) {
      const wanted = kernels.filter((kernel) => only.test(`${repository}/${path}:${kernel}`));
      if (wanted.length === 0) continue;
      checkout ??= new Checkout(entry);
      let module = null;
      for (const kernel of wanted) {
        let result;
        try {
          module ??= checkout.open(path);
          result = compile(module, kernel);
        } catch (error) {
          result = { status: error.code ?? "crash", reason: error.summary ?? String(error.stack).slice(0, 300) };
        }
        results[`${repository}/${path}:${kernel}`] = result;
      }
    }
    writeFileSync(resultFile, `${JSON.stringify(results, null, 1)}\n`);
  }
  reasons(results, only);
}

function reasons(results, only) {
  const all = Object.entries(results).filter(([name]) => only.test(name));
  const failing = all.filter(([, { status }]) => status !== "compiles");
  const groups = Map.groupBy?.(failing, ([, { reason }]) => reason) ?? new Map();
  if (groups.size === 0)
    for (const entry of failing) {
      const key = entry[1].reason.replaceAll(/\d+/g, "#");
      groups.set(key, [...(groups.get(key) ?? []), entry]);
    }
  for (const [reason, entries] of [...groups].sort((a, b) => b[1].length - a[1].length))
    console.log(`${entries.length}  ${reason}\n      ${entries[0][0]} ${entries[0][1].at ?? ""}`);
  console.log(`${all.length - failing.length} of ${all.length} kernels compile`);
}

if (values.help || (values.checkouts === undefined && !values.reasons)) console.log(HELP);
else if (values.list !== undefined) list(values.list, new RegExp(values.paths));
else if (values.reasons) reasons(readJson(resultFile, {}), new RegExp(values.only));
else run(new RegExp(values.only));
