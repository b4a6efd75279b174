/**
 * One ladder on one device: every version is checked at several shapes, swept, checked again in its best configuration,
 * and timed.
 */
import { randomInt } from "node:crypto";
import { HeddleError } from "../base/diagnostics.ts";
import type { CompileOptions, GpuProgram } from "../library/gpu-program.ts";
import { describeMismatch, joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { generator } from "./distributions.ts";
import type { Configuration, Ladder, LaunchStep, RivalDeclaration, Shape, VersionDeclaration } from "./ladder.ts";
import { FINAL_PLAN, Interrupted, measure, runOn, SWEEP_PLAN, type MeasuredRun, type SamplingPlan } from "./measure.ts";
import type { GpuClocks, LadderResult, RivalResult, Timing, Trial, VersionResult } from "./results.ts";
import type { Absent, OpenRival } from "./rivals.ts";
import { shapeText } from "./results.ts";
import { defaultConfiguration, EXHAUSTIVE_LIMIT, firstConfigurations, keyOf, search, spaceOf } from "./search.ts";
import { median } from "./statistics.ts";
import {
  believable,
  checkSubject,
  SubjectProblem,
  timeSubject,
  type Bench,
  type Failure,
  type Subject,
} from "./subject.ts";
import { Workspace } from "./workspace.ts";

/** Sets of inputs that take turns in timed launches. */
const SETS = 3;

/** A version of a ladder, as it lies on disk. */
export interface LadderVersion {
  readonly name: string;
  readonly path: string;
  readonly idea: string;
  /** SHA-256 of the source and what it includes. */
  readonly hash: string;
  readonly declaration: VersionDeclaration<Record<string, number>>;
}

export interface LoadedLadder {
  readonly name: string;
  readonly ladder: Ladder;
  readonly versions: readonly LadderVersion[];
}

/** What was found by earlier sweeps. */
export interface SweepMemory {
  get(key: SweepKey): readonly Trial[] | null;
  put(key: SweepKey, trials: readonly Trial[]): void;
}
export interface SweepKey {
  readonly source: string;
  readonly space: string;
  readonly launch: string;
  readonly shape: string;
}

export interface BenchOptions {
  /**
   * The device: at first the caller's, which it may have open already; after a fault, when that one was closed, a new
   * one.
   */
  readonly open: () => Promise<Bench>;
  readonly load: (path: string, options: CompileOptions) => Promise<GpuProgram>;
  readonly openRival: (
    declaration: RivalDeclaration<Record<string, number>>,
    bench: Bench,
  ) => Promise<OpenRival | Absent | null>;
  readonly clocks: () => GpuClocks | null;
  readonly sweep: boolean;
  readonly sweepMemory: SweepMemory | null;
  /** Only checks, no times. */
  readonly checkOnly: boolean;
  readonly plan?: SamplingPlan;
  /** null: drawn. */
  readonly seed: number | null;
  readonly signal: AbortSignal;
  /** What is being done; `part` of the ladder from 0 to 1. */
  readonly progress: (part: number, what: string) => void;
}

export async function benchLadder(loaded: LoadedLadder, shape: Shape, options: BenchOptions): Promise<LadderResult> {
  const seed = options.seed ?? randomInt(2 ** 31);
  const before = options.clocks();
  const run = new LadderRun(loaded, shape, seed, options);
  const versions: VersionResult[] = [];
  const rivals: RivalResult[] = [];
  try {
    for (const [i, version] of loaded.versions.entries()) versions.push(await run.version(version, i));
    for (const [i, [rival, declaration]] of Object.entries(loaded.ladder.rivals ?? {}).entries()) {
      const result = await run.rival(rival, declaration, loaded.versions.length + i);
      if (result !== null) rivals.push(result);
    }
  } finally {
    run.free();
  }
  const { ladder, name } = loaded;
  return {
    ladder: name,
    summary: ladder.summary,
    shape,
    work: ladder.work(shape),
    checkedShapes: ladder.shapes.check.length,
    seed,
    clocks: { before, after: options.clocks() },
    versions,
    rivals,
  };
}

class LadderRun {
  readonly #loaded: LoadedLadder;
  readonly #shape: Shape;
  readonly #seed: number;
  readonly #options: BenchOptions;
  #bench: Bench | null = null;
  #workspace: Workspace | null = null;

  constructor(loaded: LoadedLadder, shape: Shape, seed: number, options: BenchOptions) {
    this.#loaded = loaded;
    this.#shape = shape;
    this.#seed = seed;
    this.#options = options;
  }

  async version(version: LadderVersion, index: number): Promise<VersionResult> {
    const report = this.#reporter(version.name, index);
    const trials: Trial[] = [];
    let configuration: Configuration | null = null;
    let timings: readonly Timing[] = [];
    let comparison: Comparison = NOTHING_COMPARED;
    let failure: Failure = { verdict: "ok", problem: null };
    try {
      const space = spaceOf(version.declaration, this.#shape);
      configuration = defaultConfiguration(space, version.name);
      report(0, "check");
      comparison = await this.#check(version, null);
      if (!this.#options.checkOnly) {
        if (this.#options.sweep) {
          await this.#sweep(version, trials, (done) => report(0.1 + 0.6 * done, "sweep"));
          const usable = trials
            .filter(({ medianMs }) => medianMs !== null)
            .toSorted((a, b) => (a.medianMs as number) - (b.medianMs as number));
          if (usable[0] === undefined)
            throw new SubjectProblem("failed", trials[0]?.problem ?? "no configuration can be launched");
          configuration = usable[0].configuration;
          report(0.7, "check the best configuration");
          await this.#check(version, configuration);
        }
        report(0.75, "time");
        const timed = await timeSubject(
          await this.#open(),
          this.#loaded.ladder,
          await this.#timedWorkspace(),
          this.#subject(version, configuration),
          this.#options.plan ?? FINAL_PLAN,
          this.#options.signal,
        );
        timings = timed.timings;
        comparison = timed.comparison;
        failure = believable(timings);
      }
    } catch (error) {
      failure = await this.#failureOf(error);
    }
    report(1, "done");
    return {
      version: version.name,
      idea: version.idea,
      source: version.hash,
      configuration,
      trials,
      timings,
      comparison,
      ...failure,
    };
  }

  /** null: it is not for this device. */
  async rival(
    rival: string,
    declaration: RivalDeclaration<Record<string, number>>,
    index: number,
  ): Promise<RivalResult | null> {
    const report = this.#reporter(rival, index);
    let [timings, comparison]: [readonly Timing[], Comparison] = [[], NOTHING_COMPARED];
    let failure: Failure = { verdict: "ok", problem: null };
    let opened: OpenRival | null = null;
    try {
      const bench = await this.#open();
      report(0, "open");
      const found = await this.#options.openRival(declaration, bench);
      if (found === null) return null;
      if ("absent" in found)
        return { rival, description: null, verdict: "absent", problem: found.absent, timings, comparison };
      opened = found;
      report(0.1, "check");
      for (const shape of this.#loaded.ladder.shapes.check)
        comparison = joinComparisons(comparison, await checkSubject(bench, this.#loaded.ladder, shape, found));
      if (!this.#options.checkOnly) {
        report(0.5, "time");
        ({ timings, comparison } = await timeSubject(
          bench,
          this.#loaded.ladder,
          await this.#timedWorkspace(),
          found,
          this.#options.plan ?? FINAL_PLAN,
          this.#options.signal,
        ));
        failure = believable(timings);
      }
    } catch (error) {
      failure = await this.#failureOf(error);
    } finally {
      await opened?.close();
    }
    report(1, "done");
    return { rival, description: opened?.description ?? null, timings, comparison, ...failure };
  }

  #reporter(name: string, index: number): (part: number, what: string) => void {
    const count = this.#loaded.versions.length + Object.keys(this.#loaded.ladder.rivals ?? {}).length;
    return (part, what) => this.#options.progress((index + part) / count, `${this.#loaded.name}/${name} ${what}`);
  }

  free(): void {
    this.#workspace?.free();
    this.#workspace = null;
  }

  /** All shapes for checks, in this configuration or the default one, on inputs that are the same in every run. */
  async #check(version: LadderVersion, configuration: Configuration | null): Promise<Comparison> {
    let total = NOTHING_COMPARED;
    for (const shape of this.#loaded.ladder.shapes.check) {
      const space = spaceOf(version.declaration, shape);
      const chosen =
        configuration !== null && space.allow(configuration)
          ? configuration
          : defaultConfiguration(space, version.name);
      total = joinComparisons(
        total,
        await checkSubject(await this.#open(), this.#loaded.ladder, shape, this.#subject(version, chosen)),
      );
    }
    return total;
  }

  async #sweep(version: LadderVersion, trials: Trial[], report: (done: number) => void): Promise<void> {
    const space = spaceOf(version.declaration, this.#shape);
    const key = sweepKeyOf(version, this.#shape);
    const kept = this.#options.sweepMemory?.get(key) ?? null;
    if (kept !== null) {
      trials.push(...kept);
      return;
    }
    const count = firstConfigurations(space, EXHAUSTIVE_LIMIT).length;
    await search(
      space,
      async (configuration) => {
        const trial = await this.#trial(version, configuration);
        trials.push(trial);
        report(trials.length / count);
        return trial.medianMs;
      },
      generator(this.#seed),
    );
    this.#options.sweepMemory?.put(key, trials);
  }

  async #trial(version: LadderVersion, configuration: Configuration): Promise<Trial> {
    try {
      const { stopwatch } = await this.#open();
      const workspace = await this.#timedWorkspace();
      return await this.#subject(version, configuration).with(workspace, async (run) => {
        const { times, comparison } = await measure(
          run,
          stopwatch.caches[0] as Timing["cache"],
          SWEEP_PLAN,
          this.#options.signal,
        );
        if (comparison.wrong > 0) throw new SubjectProblem("wrong", describeMismatch(comparison));
        return { configuration, medianMs: median(times), problem: null };
      });
    } catch (error) {
      const { verdict, problem } = await this.#failureOf(error);
      // A wrong answer in any configuration is the version's mistake; a configuration beyond the device's limits is
      // not.
      if (verdict === "wrong") throw new SubjectProblem("wrong", `${keyOf(configuration)}: ${problem}`);
      return { configuration, medianMs: null, problem };
    }
  }

  #subject(version: LadderVersion, configuration: Configuration): Subject {
    return {
      note: withConfiguration(configuration),
      with: (workspace, use) => this.#with(version, configuration, workspace, use),
    };
  }

  /** Compiles a configuration, and gives its launches to `use`. */
  async #with<T>(
    version: LadderVersion,
    configuration: Configuration,
    workspace: Workspace,
    use: (run: MeasuredRun) => Promise<T>,
  ): Promise<T> {
    if (this.#options.signal.aborted) throw new Interrupted();
    const { gpu, stopwatch } = await this.#open();
    const program = await this.#options.load(version.path, {
      device: gpu,
      defines: Object.entries(configuration).map(([name, value]) => `${name}=${value}`),
    });
    try {
      workspace.fit(configuration);
      const launches: (() => void)[] = [];
      for (const step of version.declaration.launch(workspace.shape, configuration))
        launches.push(await prepared(program, step, workspace));
      const writable = await program.writableVariables();
      if (writable === null) throw new Error("BUG: the device does not tell the variables of a program");
      if (writable.length > 0) {
        throw new SubjectProblem(
          "refused",
          `keeps something between launches: it has __device__ variables that kernels can write (${writable.join(", ")}); give it scratch memory, and tables as __constant__`,
        );
      }
      return await use(runOn(workspace, stopwatch, launches));
    } finally {
      if (gpu.raw.fault === null) await program.unload();
    }
  }

  async #timedWorkspace(): Promise<Workspace> {
    const { gpu } = await this.#open();
    return (this.#workspace ??= new Workspace(
      gpu,
      this.#loaded.ladder,
      this.#shape,
      Array.from({ length: SETS }, (_, set) => this.#seed + 7919 * (set + 1)),
    ));
  }

  async #open(): Promise<Bench> {
    return (this.#bench ??= await this.#options.open());
  }

  async #failureOf(error: unknown): Promise<Failure> {
    if (error instanceof SubjectProblem) return error.failure;
    if (
      !(error instanceof HeddleError) ||
      ![
        "compile-error",
        "invalid-launch",
        "unknown-kernel",
        "device-fault",
        "timeout",
        "bad-arguments",
        "unsupported",
      ].includes(error.code)
    )
      throw error;
    if (error.code === "device-fault" || error.code === "timeout") {
      // What was on the device is lost, and on a GPU the process may not use it any more.
      if (this.#bench?.gpu.raw.kind === "cuda") throw error;
      this.#bench?.gpu.close();
      this.#workspace = null;
      // At once, also after the last version: the caller's next ladder uses what was opened last.
      this.#bench = await this.#options.open();
    }
    return { verdict: "failed", problem: [error.message, ...error.notes].join("\n") };
  }
}

/**
 * What a sweep's outcome depends on. Of a space: its values, and which of them are allowed, as far as the first
 * configurations and the text of `allow` tell.
 */
export function sweepKeyOf({ hash, declaration }: LadderVersion, shape: Shape): SweepKey {
  const space = spaceOf(declaration, shape);
  const first = firstConfigurations(space, EXHAUSTIVE_LIMIT + 1);
  return {
    source: hash,
    space: JSON.stringify([space.names, space.values, first, String(declaration.allow)]),
    launch: String(declaration.launch),
    shape: shapeText(shape),
  };
}

async function prepared(
  program: GpuProgram,
  { kernel, args, ...config }: LaunchStep,
  workspace: Workspace,
): Promise<() => void> {
  const unknown = (name: string): never => {
    throw new HeddleError("bad-arguments", `the launch of ${kernel} names an array "${name}"`, {
      notes: [`arrays there are: ${workspace.arrayNames.join(", ")}`],
    });
  };
  return (await program.kernel(kernel)).prepare(config, workspace.resolve(args, unknown));
}

const withConfiguration = (configuration: Configuration): string =>
  Object.keys(configuration).length === 0 ? "" : ` with ${keyOf(configuration)}`;
