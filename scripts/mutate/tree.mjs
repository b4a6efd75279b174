/**
 * A copy of the working tree that has every edit behind a switch (operators.mjs, withSwitches), built once: which edit
 * is made is a number in the environment, of tests, of the threads that they start, and of programs alike.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "@swc/wasm-typescript";
import { withSwitches } from "./switches.mjs";

const LEFT_BEHIND = new Set([".git", "node_modules", "shared"]);

/** Tests of what lies far from the core: they would notice little, and take long. */
const FAR = [
  "scripts/**",
  "bench/**",
  "kernels/**",
  "src/browser/**",
  "src/cli/remote/**",
  "src/cli/watch.long.test.ts",
  "src/bench/**",
  "src/measure/**",
];
/**
 * The projects of vitest.config.ts. Without a change every file has a process of its own, so that it comes to all that
 * it would come to alone.
 */
const CONFIG = (place) => `import base from "./vitest.config.ts";
const projects = base.test.projects
  .filter(({ test: { name } }) => name === "tools" || name === "unit")
  .map(({ test }) => ({
    test: {
      ...test,
      include: test.include.map((pattern) => pattern.replace(/^\\{src,[^}]*\\}/, "src")),
      exclude: [...[test.exclude].flat(), ...${JSON.stringify(FAR)}],
      isolate: test.name === "tools" || process.env.HEDDLE_MUTANT_HITS !== undefined,
      setupFiles: [...test.setupFiles, "./mark.mjs"],
    },
  }));
const experimental = { fsModuleCache: true, fsModuleCachePath: ${JSON.stringify(join(place, ".modules"))} };
export default { test: { ...base.test, projects, experimental } };
`;
/** Says which file, and which test of it, the edits that are come to belong to. */
const MARK = `import { afterEach, beforeEach, expect } from "vitest";
const file = expect.getState().testPath;
const nameOf = (task) => (task.suite?.name ? nameOf(task.suite) + " " : "") + task.name;
const mark = (name) => {
  globalThis.__heddleTest = process.env.HEDDLE_MUTANT_TEST = JSON.stringify([file, name]);
};
mark("");
if (process.env.HEDDLE_MUTANT_HITS !== undefined) {
  beforeEach(({ task }) => mark(nameOf(task)));
  afterEach(() => mark(""));
}
`;

const VITEST = [process.execPath, "node_modules/vitest/vitest.mjs"];
const VITEST_RUN = [...VITEST, "run", "--config", "vitest.mutants.config.mjs"];

export class Tree {
  constructor(root, place) {
    this.root = root;
    this.place = place;
    this.child = null;
  }

  /** Copies what is there, built code included, and puts in the edits, each with its `number`. */
  async make(mutants, warmCache) {
    rmSync(this.place, { recursive: true, force: true });
    mkdirSync(this.place, { recursive: true });
    for (const name of readdirSync(this.root))
      if (!LEFT_BEHIND.has(name)) cpSync(join(this.root, name), join(this.place, name), { recursive: true });
    symlinkSync(join(this.root, "node_modules"), join(this.place, "node_modules"));
    writeFileSync(join(this.place, "vitest.mutants.config.mjs"), CONFIG(this.place));
    writeFileSync(join(this.place, "mark.mjs"), MARK);
    this.warmCache = warmCache;
    const byFile = grouped(mutants);
    for (const [file, edits] of byFile) {
      const path = join(this.place, file);
      const switched = withSwitches(readFileSync(path, "utf8"), edits);
      writeFileSync(path, switched);
      const { code } = await transform(switched, { mode: "strip-only", filename: file });
      const built = path.replace(join(this.place, "src"), join(this.place, "dist")).replace(/\.ts$/, ".js");
      if (existsSync(built))
        writeFileSync(built, code.replace(/((?:from|import\(|import)\s*"\.[^"]*)\.ts"/g, '$1.js"'));
    }
    const bundled = spawnSync(process.execPath, ["scripts/bundle.mjs"], { cwd: this.place, encoding: "utf8" });
    if (bundled.status !== 0) throw new Error(bundled.stderr);
  }

  /** The edits that are come to when modules are loaded: no batch can turn them on later. */
  async hitsOfLoading(files) {
    const test = "src/loading.test.ts";
    const loads = files.map((file) => `await import("./${file.slice(4)}");`).join("\n");
    writeFileSync(
      join(this.place, test),
      `import { test } from "vitest";\ntest("loads", async () => {\n${loads}\n}, 600_000);\n`,
    );
    writeFileSync(
      join(this.place, "vitest.loading.config.mjs"),
      `export default { test: { include: ["${test}"], setupFiles: ["./mark.mjs"] } };\n`,
    );
    const hits = join(this.place, ".hits");
    rmSync(hits, { recursive: true, force: true });
    mkdirSync(hits);
    const command = [
      process.execPath,
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "vitest.loading.config.mjs",
    ];
    const { code } = await this.#spawn(command, 600, { HEDDLE_MUTANT_HITS: hits });
    rmSync(join(this.place, test));
    if (code !== 0) throw new Error("the modules cannot all be loaded");
    return [...(this.#hits(hits)[test] ?? new Map()).keys()];
  }

  /** All test files. Those of the project `unit` come first: the others start compilers and programs. */
  tests() {
    const listed = spawnSync(
      process.execPath,
      ["node_modules/vitest/vitest.mjs", "list", "--filesOnly", "--json", "--config", "vitest.mutants.config.mjs"],
      { cwd: this.place, encoding: "utf8" },
    );
    return JSON.parse(listed.stdout.slice(listed.stdout.indexOf("[")))
      .sort((a, b) => Number(b.projectName === "unit") - Number(a.projectName === "unit"))
      .map(({ file, projectName }) => ({ file: file.slice(this.place.length + 1), isUnit: projectName === "unit" }));
  }

  /** What an edited compiler has cached must not be found by the next one. */
  #freshCache() {
    const cache = join(this.place, ".cache");
    rmSync(cache, { recursive: true, force: true });
    if (!existsSync(this.warmCache)) return;
    // Links do, as the cache replaces files and never changes them; another file system needs copies.
    const linked = spawnSync("cp", ["-al", this.warmCache, cache]);
    if (linked.status !== 0) {
      rmSync(cache, { recursive: true, force: true });
      cpSync(this.warmCache, cache, { recursive: true });
    }
  }

  /**
   * Runs test files up to the first that fails.
   * @param number of the edit that is made; null: none is, all files are run; `hits` says by file and edit which tests
   * come to it ("": what runs outside of tests), `cases` how many milliseconds each test takes
   */
  async run(tests, number, { hangSeconds, limitSeconds, prefix }) {
    const [output, hitsFolder] = [join(this.place, ".result.json"), join(this.place, ".hits")];
    for (const path of [output, hitsFolder]) rmSync(path, { recursive: true, force: true });
    mkdirSync(hitsFolder);
    this.#freshCache();
    const words = ["--reporter", "json", "--outputFile", output, ...(number === null ? [] : ["--bail", "1"])];
    const command = [...prefix, ...VITEST_RUN, ...words, ...tests];
    const ended = await this.#spawn(command, limitSeconds, {
      HEDDLE_CACHE_DIR: join(this.place, ".cache"),
      HEDDLE_TEST_HANG_SECONDS: String(hangSeconds),
      ...(number === null ? { HEDDLE_MUTANT_HITS: hitsFolder } : { HEDDLE_MUTANT: String(number) }),
    });
    const failed = [];
    const [seconds, cases] = [{}, {}];
    if (existsSync(output)) {
      for (const result of JSON.parse(readFileSync(output, "utf8")).testResults) {
        const test = result.name.slice(this.place.length + 1);
        const broken = result.assertionResults.find(({ status }) => status === "failed");
        if (broken !== undefined || result.status === "failed")
          failed.push({ test, name: broken?.fullName ?? "while it is loaded" });
        seconds[test] = (result.endTime - result.startTime) / 1000;
        const ran = result.assertionResults.filter(({ status }) => status === "passed");
        cases[test] = new Map(
          ran.map(({ ancestorTitles, title, duration }) => [
            [...ancestorTitles, title].filter((name) => name !== "").join(" "),
            Math.ceil(duration ?? 0),
          ]),
        );
      }
    }
    const hung = /\*\*\* (.*) hangs: .*The watchdog/.exec(ended.stderr);
    if (hung !== null) failed.unshift({ test: hung[1].slice(this.place.length + 1).split(/ > |,/)[0], name: "hangs" });
    if (ended.late) failed.unshift({ test: tests[0], name: "takes too long" });
    if (ended.code !== 0 && failed.length === 0)
      failed.push({ test: tests[0], name: `a process ended: ${ended.stderr.slice(-300)}` });
    return { failed, seconds, cases, hits: this.#hits(hitsFolder) };
  }

  /**
   * Runs a generated test file (batch.mjs), or of it what the pattern is for.
   * @returns its tests: the names around each, and the status; what hangs
   */
  async runText(path, text, pattern, { hangSeconds, limitSeconds, prefix }) {
    const output = join(this.place, ".result.json");
    rmSync(output, { force: true });
    this.#freshCache();
    const place = join(this.place, path);
    writeFileSync(place, text);
    const some = pattern === null ? [] : ["-t", pattern];
    const command = [...prefix, ...VITEST_RUN, "--reporter", "json", "--outputFile", output, ...some, path];
    const ended = await this.#spawn(command, limitSeconds, {
      HEDDLE_CACHE_DIR: join(this.place, ".cache"),
      HEDDLE_TEST_HANG_SECONDS: String(hangSeconds),
    });
    rmSync(place);
    const [result] = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")).testResults : [];
    return {
      tests: (result?.assertionResults ?? []).map(({ ancestorTitles, status }) => ({ titles: ancestorTitles, status })),
      hung: /\*\*\* .*? > change (\d+) > .* hangs: .*The watchdog/.exec(ended.stderr)?.[1] ?? null,
      late: ended.late,
    };
  }

  /** By file a map from edits to names of tests. */
  #hits(folder) {
    const hits = {};
    for (const file of readdirSync(folder))
      for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
        const [, where, number] = /^(\[.*\])\t(\d+)$/.exec(line) ?? [];
        if (where === undefined) continue;
        const [path, name] = JSON.parse(where);
        const own = (hits[path.slice(this.place.length + 1)] ??= new Map());
        own.set(Number(number), (own.get(Number(number)) ?? new Set()).add(name));
      }
    return hits;
  }

  #spawn([command, ...args], limitSeconds, more) {
    return new Promise((resolve) => {
      const child = spawn(command, args, {
        cwd: this.place,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, ...more },
      });
      this.child = child;
      let stderr = "";
      let late = false;
      child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
      const timer = setTimeout(() => {
        late = true;
        this.stop();
      }, limitSeconds * 1000);
      child.on("close", (code) => {
        clearTimeout(timer);
        this.child = null;
        resolve({ code, stderr, late });
      });
    });
  }

  /** Ends the tests that run, and all that they have started. */
  stop() {
    if (this.child === null) return;
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}

/** By file. */
function grouped(mutants) {
  const groups = new Map();
  for (const mutant of mutants) groups.set(mutant.file, [...(groups.get(mutant.file) ?? []), mutant]);
  return groups;
}
