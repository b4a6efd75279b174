/** `heddle bench`: checks, sweeps and times ladders of kernels. */
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { benchLadder, type LoadedLadder } from "../bench/bench-ladder.ts";
import { findLadders, ladderName, loadLadder } from "../bench/ladder-files-node.ts";
import type { Shape } from "../bench/ladder.ts";
import { Limits } from "../bench/limits.ts";
import { Interrupted } from "../bench/measure.ts";
import { htmlReport } from "../bench/report-html.ts";
import { coloured, formatChanges, formatHistory, formatLadder, formatSurroundings, plain, type Paint } from "../bench/report-table.ts";
import { appendResult, compareResults, isComparable, readResults } from "../bench/result-file-node.ts";
import type { ResultRecord, Surroundings } from "../bench/results.ts";
import { Python } from "../bench/python-process.ts";
import { openRival } from "../bench/rivals.ts";
import { stopwatch } from "../bench/stopwatch.ts";
import type { Bench } from "../bench/subject.ts";
import { gpuClocks, surroundings } from "../bench/surroundings-node.ts";
import { sweepCache } from "../bench/sweep-cache-node.ts";
import { syncNodeStore } from "../frontend/clang/cache-node.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import type { DeviceOptions } from "../library/environment.ts";
import { createHeddle, type Heddle } from "../library/heddle.ts";
import { parseBenchCommand, type BenchCommand } from "./bench-options.ts";
import { includedFiles } from "./dependencies.ts";
import { ExitCode } from "./exit-codes.ts";
import { progressBar } from "./progress-bar.ts";
import { promote, promoteKept } from "./promote.ts";
import { useColor } from "./terminal.ts";
import { version } from "./version.ts";

/** A kernel that takes longer hangs. */
const KERNEL_TIMEOUT_MS = 120_000;

export async function benchCommand(args: readonly string[]): Promise<number> {
  const command = parseBenchCommand(args);
  const paint: Paint = useColor(process.stdout) ? coloured : plain;
  if (command.history) {
    const code = printHistory(command, paint);
    if (command.promote) process.stderr.write(await promoteKept(readResults(command.results), findLadders(ladderPaths(command))));
    return code;
  }
  const files = findLadders(ladderPaths(command));
  const ladders: { file: string; loaded: LoadedLadder }[] = [];
  for (const file of files) ladders.push({ file, loaded: chosenVersions(await loadLadder(file, (source) => includedFiles(source, [])), command) });
  return new BenchRun(command, paint).run(ladders);
}

const ladderPaths = ({ paths }: BenchCommand): readonly string[] => (paths.length > 0 ? paths : ["kernels"]);

function chosenVersions(whole: LoadedLadder, { only, rivals }: BenchCommand): LoadedLadder {
  const loaded = rivals ? whole : { ...whole, ladder: { ...whole.ladder, rivals: {} } };
  if (only === null) return loaded;
  const versions = loaded.versions.filter(({ name }) => name.includes(only));
  if (versions.length === 0) throw new HeddleError("bad-arguments", `no version of ${loaded.name} has "${only}" in its name`, { notes: [`versions: ${loaded.versions.map(({ name }) => name).join(", ")}`] });
  return { ...loaded, versions };
}

function printHistory(command: BenchCommand, paint: Paint): number {
  const names = command.paths.length === 0 ? null : findLadders(command.paths).map(ladderName);
  const records = readResults(command.results).filter(({ ladder }) => names === null || names.includes(ladder));
  if (records.length === 0) throw new HeddleError("file-not-found", `there are no results${names === null ? "" : ` of ${names.join(", ")}`} in ${command.results}`, { notes: ["heddle bench keeps them there"] });
  process.stdout.write(command.json === null ? formatHistory(records, paint) : `${JSON.stringify(records, null, 2)}\n`);
  return 0;
}

class BenchRun {
  readonly #command: BenchCommand;
  readonly #paint: Paint;
  readonly #heddle: Heddle;
  readonly #bar = progressBar();
  readonly #interrupt = new AbortController();
  readonly #python = new Python(this.#interrupt.signal);
  readonly #records: ResultRecord[] = [];
  #bench: Bench | null = null;
  #slower = false;

  constructor(command: BenchCommand, paint: Paint) {
    this.#command = command;
    this.#paint = paint;
    this.#heddle = createHeddle(nodeEnvironment());
  }

  async run(ladders: readonly { file: string; loaded: LoadedLadder }[]): Promise<number> {
    const onInterrupt = (): void => {
      // A second one does not wait for the launch to end.
      if (this.#interrupt.signal.aborted) process.exit(ExitCode.interrupted);
      this.#interrupt.abort();
    };
    process.on("SIGINT", onInterrupt);
    const before = this.#command.baseline === null ? [] : readResults(this.#command.results);
    let interrupted = false;
    try {
      const bench = await this.#open();
      this.#bench = bench;
      const jobs = ladders.flatMap(({ file, loaded }) => this.#shapes(loaded, bench).map((shape) => ({ file, loaded, shape })));
      const engine = process.env["HEDDLE_ENGINE"] || "auto";
      for (const [i, { file, loaded, shape }] of jobs.entries()) {
        const about = surroundings(bench.gpu, dirname(file), version(), engine);
        if (i === 0) this.#say(`${this.#paint(formatSurroundings(about), "dim")}\n`);
        const record = await this.#benchOne({ loaded, folder: dirname(file), shape, about }, (part, what) => this.#bar.show((i + part) / jobs.length, what));
        this.#records.push(record);
        if (this.#command.keep && !this.#command.checkOnly) appendResult(this.#command.results, record);
        this.#say(`\n${formatLadder(record, this.#paint)}`);
        this.#compare(before, record);
        if (this.#command.promote) this.#say(promote(dirname(file), record));
      }
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      interrupted = true;
    } finally {
      this.#bar.clear();
      process.off("SIGINT", onInterrupt);
      this.#python.close();
      this.#bench?.gpu.close();
    }
    this.#writeReports();
    if (interrupted) {
      process.stderr.write("heddle: interrupted; finished ladders are kept\n");
      return ExitCode.interrupted;
    }
    const bad = this.#records.some(({ versions, rivals }) => versions.some(({ verdict }) => verdict !== "ok") || rivals.some(({ verdict }) => verdict !== "ok" && verdict !== "absent"));
    return bad || this.#slower ? ExitCode.found : 0;
  }

  #shapes({ name, ladder }: LoadedLadder, { gpu }: Bench): Shape[] {
    const own = ladder.shapes.time[gpu.raw.kind];
    if (Object.keys(this.#command.shape).length === 0) return [...own];
    const first = own[0] ?? ladder.shapes.check[0] ?? {};
    const unknown = Object.keys(this.#command.shape).find((size) => !(size in first));
    if (unknown !== undefined) throw new HeddleError("bad-arguments", `${name} has no size "${unknown}"`, { notes: [`its sizes: ${Object.keys(first).join(", ")}`] });
    return [{ ...first, ...this.#command.shape }];
  }

  async #benchOne({ loaded, folder, shape, about }: { loaded: LoadedLadder; folder: string; shape: Shape; about: Surroundings }, progress: (part: number, what: string) => void): Promise<ResultRecord> {
    const command = this.#command;
    let first = true;
    const memory = sweepCache(syncNodeStore(), about);
    const result = await benchLadder(loaded, shape, {
      open: async () => {
        if (!first) this.#bench = await this.#open();
        first = false;
        return this.#bench as Bench;
      },
      load: (path, options) => this.#heddle.load(path, options),
      openRival: (declaration, bench) => openRival(declaration, { bench, folder, openBlas: (device) => this.#heddle.openBlas(device), python: this.#python }),
      clocks: about.device.kind === "cuda" ? gpuClocks : () => null,
      sweep: command.sweep,
      sweepMemory: command.sweepAgain ? { get: () => null, put: memory.put } : memory,
      checkOnly: command.checkOnly,
      seed: command.seed,
      signal: this.#interrupt.signal,
      progress,
    });
    return { format: 1, surroundings: about, ...result };
  }

  #compare(before: readonly ResultRecord[], record: ResultRecord): void {
    const { baseline } = this.#command;
    if (baseline === null) return;
    const old = before.findLast((candidate) => isComparable(candidate, record) && (baseline === "" || candidate.surroundings.commit?.startsWith(baseline) === true));
    if (old === undefined) {
      this.#say(`${record.ladder} has no earlier result${baseline === "" ? "" : ` of commit ${baseline}`} for this shape and device in ${this.#command.results}\n`);
      return;
    }
    const changes = compareResults(old, record);
    if (changes.some(({ verdict }) => verdict === "slower")) this.#slower = true;
    this.#say(formatChanges(record.ladder, old, changes, this.#paint));
  }

  async #open(): Promise<Bench> {
    const { device, gpu, workers } = this.#command;
    if (device === "cuda" && gpu !== null) throw new HeddleError("bad-arguments", "--gpu is for emulated devices");
    const options: DeviceOptions = { device, timeoutMs: KERNEL_TIMEOUT_MS, reuse: false, onPrint: (text) => void process.stderr.write(text), ...(gpu === null ? {} : { gpu }), ...(workers === null ? {} : { workers }) };
    const opened = await this.#heddle.openDevice(options);
    const watch = stopwatch(opened);
    return { gpu: opened, stopwatch: watch, limits: await Limits.open(opened, watch, (source, compileOptions) => this.#heddle.compile(source, compileOptions)) };
  }

  /** The table; to stderr where JSON goes to stdout. */
  #say(text: string): void {
    this.#bar.clear();
    (this.#command.json === "-" ? process.stderr : process.stdout).write(text);
  }

  #writeReports(): void {
    const { json, html } = this.#command;
    const text = `${JSON.stringify(this.#records, null, 2)}\n`;
    if (json === "-") process.stdout.write(text);
    else if (json !== null) writeFileSync(json, text);
    if (html !== null) writeFileSync(html, htmlReport(this.#records));
  }
}
