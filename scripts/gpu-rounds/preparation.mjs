// What a round's `prepare` works with: files for the machine with the GPU, programs that `heddle nvcc` builds, steps,
// and what is expected, which stays here.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { cacheOf, filesBelow, idOf, ROOT, writePack } from "./pack.mjs";
import { expectedFolder, readStep } from "./results.mjs";

const HEDDLE = join(ROOT, "dist/bin/main.js");
/** Compilers at a time. */
const JOBS = 2;

const quoted = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;

/** Runs a command. @returns its exit code and what it printed */
export function execute(command, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const parts = { out: [], err: [] };
    child.stdout.on("data", (data) => parts.out.push(data));
    child.stderr.on("data", (data) => parts.err.push(data));
    child.on("error", (error) => parts.err.push(Buffer.from(String(error))));
    child.on("close", (code, signal) =>
      done({
        status: code ?? signal,
        out: Buffer.concat(parts.out).toString(),
        err: Buffer.concat(parts.err).toString(),
      }),
    );
  });
}

export class Preparation {
  /**
   * @param folder where .gpu-NAME and .gpu-results lie
   * @param checkouts of public programs: a folder, or null
   * @param only parts of names; null: all
   */
  constructor({ round, folder, checkouts = null, level = 9, only = null }) {
    Object.assign(this, { round, folder, checkouts, level, only });
    this.stage = join(folder, ".gpu-results", round.name, "stage");
    this.steps = [];
    this.waiting = [];
    this.running = 0;
    rmSync(this.stage, { recursive: true, force: true });
    mkdirSync(this.stage, { recursive: true });
  }

  wants(name) {
    return this.only === null || this.only.some((part) => name.includes(part));
  }

  /** A file of the pack: $FILES/PATH. */
  write(path, content) {
    const to = join(this.stage, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, content);
  }

  copy(from, to) {
    this.write(to, readFileSync(resolve(ROOT, from)));
  }

  /** A source that nvcc builds there: `native NAME FILE FLAGS`. */
  source(path) {
    this.copy(path, `sources/${basename(path)}`);
    return basename(path);
  }

  /** Runs Node.js with these arguments, a few at a time. See execute. */
  async execute(args, options) {
    while (this.running >= JOBS) await new Promise((wake) => this.waiting.push(wake));
    this.running++;
    try {
      return await execute(process.execPath, args, options);
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }

  /** $FILES/programs/NAME, built by `heddle nvcc`; `program NAME` runs it. */
  async program(name, files, flags = [], options = {}) {
    const to = join(this.stage, "programs", name);
    mkdirSync(dirname(to), { recursive: true });
    const list = [files].flat();
    const args = [HEDDLE, "nvcc", ...flags, ...(options.standard ?? ["-std=c++17", "-O2"]), "-o", to, ...list];
    const { status, err } = await this.execute(args, { cwd: options.cwd ?? ROOT });
    if (status !== 0) throw new Error(`${list.join(" ")} does not build: ${err.slice(0, 3000)}`);
    // The path of this installation is in the first lines; that one names another. So equal programs are equal files.
    const bytes = readFileSync(to, "latin1");
    writeFileSync(to, bytes.replace(/^main=.*$/m, "main=${HEDDLE_MAIN:?}"), "latin1");
    return name;
  }

  /** What is compiled when it is called over there: results of the compiler, as $FILES/cache. See cacheOf. */
  async cache(work) {
    await cacheOf(join(this.stage, "cache"), work);
  }

  /**
   * A step of the round.
   * @param options `seconds`: its limit. `needs`: "gpu" (the default), "gpus" (two of them), "any", or "try":
   *   only on machines without a GPU. `uses`: the files of the pack that its result depends on; default: all of them.
   *   `expected`: what stays here for `take`, by file name. `always`: other steps need what it makes on the machine
   */
  step(name, command, { seconds, needs = "gpu", uses = null, expected = {}, always = false }) {
    if (!/^[\w.-]+$/.test(name)) throw new Error(`a step cannot be named ${name}`);
    this.steps.push({ name, command, seconds, needs, uses, expected, always });
  }

  #keyOf({ command, uses }) {
    const files = uses?.map((path) => join(this.stage, path)) ?? [...filesBelow(this.stage)].toSorted();
    return idOf(command, ...files.map((path) => readFileSync(path)));
  }

  /** Writes .gpu-NAME. @returns the steps that are left, and those that were right in an earlier run */
  finish() {
    const to = join(this.folder, `.gpu-${this.round.name}`);
    const kept = join(this.folder, ".gpu-results", this.round.name);
    const files = new Map([...filesBelow(this.stage)].map((path) => [path.slice(this.stage.length + 1), path]));
    const id = writePack(to, files, this.level);
    const steps = this.steps.map((step) => ({ ...step, key: this.#keyOf(step) }));
    const isDone = ({ name, key, always }) => {
      if (always) return false;
      const earlier = readStep(join(kept, "steps", name));
      return earlier !== null && earlier.status === 0 && earlier.key === key;
    };
    for (const { key, expected } of steps)
      for (const [name, content] of Object.entries(expected)) {
        mkdirSync(expectedFolder(kept, key), { recursive: true });
        writeFileSync(join(expectedFolder(kept, key), name), content);
      }
    const left = steps.filter((step) => !isDone(step));
    copyFileSync(join(import.meta.dirname, "steps.sh"), join(to, "steps.sh"));
    writeFileSync(join(to, "run.sh"), runScript(this.round, left));
    rmSync(this.stage, { recursive: true, force: true });
    return { id, left, done: steps.length - left.length };
  }
}

function runScript({ name, row, jobs = 1 }, steps) {
  const lines = steps.map(({ name, seconds, needs, key, command }) =>
    ["step", name, seconds, needs, key, quoted(command)].join(" "),
  );
  return [
    "#!/usr/bin/env bash",
    `# Round ${name}: ${row}`,
    `#   bash .gpu-${name}/run.sh [SECONDS]`,
    '. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"',
    `begin ${name} ${jobs} "\${1:-560}"`,
    ...lines,
    "finish",
    "",
  ].join("\n");
}
