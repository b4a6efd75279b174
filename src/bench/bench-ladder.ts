/** One ladder on one device: every version is checked at several shapes, swept, checked again in its best configuration, and timed. */
import { randomInt } from "node:crypto";
import { HeddleError } from "../base/diagnostics.ts";
import { dtypeBytes } from "../base/dtypes.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { CompileOptions } from "../library/gpu-program.ts";
import { describeMismatch, joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { generator } from "./distributions.ts";
import type { Configuration, Ladder, LaunchStep, Shape, VersionDeclaration } from "./ladder.ts";
import { physicalFloorMs, type Limits } from "./limits.ts";
import { FINAL_PLAN, Interrupted, measure, SWEEP_PLAN, type SamplingPlan } from "./measure.ts";
import type { GpuClocks, LadderResult, Timing, Trial, VersionResult } from "./results.ts";
import { shapeText } from "./results.ts";
import { defaultConfiguration, EXHAUSTIVE_LIMIT, firstConfigurations, keyOf, search, spaceOf } from "./search.ts";
import { median, summarize } from "./statistics.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { Workspace } from "./workspace.ts";

/** Sets of inputs that take turns in timed launches. */
const SETS = 3;
/** A launch that is this far below the floor is refused: the clocks of GPUs have a resolution of half a microsecond. */
const CLOCK_RESOLUTION_MS = 0.0005;

/** A version of a ladder, as it lies on disk. */
export interface LadderVersion {
  readonly name: string;
  readonly path: string;
  readonly idea: string;
  /** SHA-256 of the source and what it includes. */
  readonly hash: string;
  readonly declaration: VersionDeclaration<Record<string, number>>;
}

export interface LoadedLadder { readonly name: string; readonly ladder: Ladder; readonly versions: readonly LadderVersion[] }

/** A device, and what goes with it. */
export interface Bench {
  readonly gpu: Gpu;
  readonly stopwatch: Stopwatch;
  readonly limits: Limits;
}

/** What was found by earlier sweeps. */
export interface SweepMemory {
  get(key: SweepKey): readonly Trial[] | null;
  put(key: SweepKey, trials: readonly Trial[]): void;
}
export interface SweepKey { readonly source: string; readonly space: string; readonly launch: string; readonly shape: string }

export interface BenchOptions {
  /** The device: at first the caller's, which it may have open already; after a fault, when that one was closed, a new one. */
  readonly open: () => Promise<Bench>;
  readonly load: (path: string, options: CompileOptions) => Promise<GpuProgram>;
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

type Failure = Pick<VersionResult, "verdict" | "problem">;

/** A version cannot be used; not thrown beyond this file. */
class VersionProblem extends Error {
  readonly failure: Failure;
  constructor(verdict: VersionResult["verdict"], problem: string) {
    super(problem);
    this.failure = { verdict, problem };
  }
}

export async function benchLadder(loaded: LoadedLadder, shape: Shape, options: BenchOptions): Promise<LadderResult> {
  const seed = options.seed ?? randomInt(2 ** 31);
  const before = options.clocks();
  const run = new LadderRun(loaded, shape, seed, options);
  const versions: VersionResult[] = [];
  try {
    for (const [i, version] of loaded.versions.entries()) versions.push(await run.version(version, i));
  } finally {
    run.free();
  }
  const { ladder, name } = loaded;
  return { ladder: name, summary: ladder.summary, shape, work: ladder.work(shape), checkedShapes: ladder.shapes.check.length, seed, clocks: { before, after: options.clocks() }, versions };
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
    const report = (part: number, what: string): void => this.#options.progress((index + part) / this.#loaded.versions.length, `${this.#loaded.name}/${version.name} ${what}`);
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
          const usable = trials.filter(({ medianMs }) => medianMs !== null).toSorted((a, b) => (a.medianMs as number) - (b.medianMs as number));
          if (usable[0] === undefined) throw new VersionProblem("failed", trials[0]?.problem ?? "no configuration can be launched");
          configuration = usable[0].configuration;
          report(0.7, "check the best configuration");
          await this.#check(version, configuration);
        }
        report(0.75, "time");
        const timed = await this.#time(version, configuration);
        timings = timed.timings;
        comparison = timed.comparison;
        failure = believable(timings);
      }
    } catch (error) {
      failure = await this.#failureOf(error);
    }
    report(1, "done");
    return { version: version.name, idea: version.idea, source: version.hash, configuration, trials, timings, comparison, ...failure };
  }

  free(): void {
    this.#workspace?.free();
    this.#workspace = null;
  }

  /** All shapes for checks, in this configuration or the default one, on inputs that are the same in every run. */
  async #check(version: LadderVersion, configuration: Configuration | null): Promise<Comparison> {
    const { gpu } = await this.#open();
    let total = NOTHING_COMPARED;
    for (const shape of this.#loaded.ladder.shapes.check) {
      const space = spaceOf(version.declaration, shape);
      const chosen = configuration !== null && space.allow(configuration) ? configuration : defaultConfiguration(space, version.name);
      const workspace = new Workspace(gpu, this.#loaded.ladder, shape, [0]);
      try {
        await this.#with(version, chosen, workspace, async (launches) => {
          workspace.begin(0);
          for (const launch of launches) launch();
          await gpu.synchronize();
          const comparison = await workspace.compare(0, true);
          if (comparison.wrong > 0) throw new VersionProblem("wrong", `at ${shapeText(shape)}${withConfiguration(chosen)}: ${describeMismatch(comparison)}`);
          total = joinComparisons(total, comparison);
        });
      } finally {
        if (gpu.raw.fault === null) workspace.free();
      }
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
    await search(space, async (configuration) => {
      const trial = await this.#trial(version, configuration);
      trials.push(trial);
      report(trials.length / count);
      return trial.medianMs;
    }, generator(this.#seed));
    this.#options.sweepMemory?.put(key, trials);
  }

  async #trial(version: LadderVersion, configuration: Configuration): Promise<Trial> {
    try {
      const { stopwatch } = await this.#open();
      const workspace = await this.#timedWorkspace();
      return await this.#with(version, configuration, workspace, async (launches) => {
        const { times, comparison } = await measure({ workspace, stopwatch, launches, signal: this.#options.signal }, stopwatch.caches[0] as Timing["cache"], SWEEP_PLAN);
        if (comparison.wrong > 0) throw new VersionProblem("wrong", describeMismatch(comparison));
        return { configuration, medianMs: median(times), problem: null };
      });
    } catch (error) {
      const { verdict, problem } = await this.#failureOf(error);
      // A wrong answer in any configuration is the version's mistake; a configuration beyond the device's limits is not.
      if (verdict === "wrong") throw new VersionProblem("wrong", `${keyOf(configuration)}: ${problem}`);
      return { configuration, medianMs: null, problem };
    }
  }

  async #time(version: LadderVersion, configuration: Configuration): Promise<{ timings: readonly Timing[]; comparison: Comparison }> {
    const { gpu, stopwatch, limits } = await this.#open();
    const workspace = await this.#timedWorkspace();
    const { ladder } = this.#loaded;
    const work = ladder.work(this.#shape);
    const inputBytes = Object.values(ladder.inputs).reduce((sum, { dtype, length }) => sum + dtypeBytes(dtype) * length(this.#shape), 0);
    return this.#with(version, configuration, workspace, async (launches) => {
      const timings: Timing[] = [];
      let total = NOTHING_COMPARED;
      for (const cache of stopwatch.caches) {
        const { times, comparison } = await measure({ workspace, stopwatch, launches, signal: this.#options.signal }, cache, this.#options.plan ?? FINAL_PLAN);
        if (comparison.wrong > 0) throw new VersionProblem("wrong", `in a timed launch${withConfiguration(configuration)}: ${describeMismatch(comparison)}`);
        total = joinComparisons(total, comparison);
        const { copyGBs, fp32GFlops } = await limits.ceilings(work.bytes, cache, () => workspace.flushCache());
        const [bytesMs, operationsMs] = [work.bytes / copyGBs / 1e6, work.operations / fp32GFlops / 1e6];
        timings.push({
          cache, ms: summarize(times), floorMs: physicalFloorMs(gpu, { ...work, inputBytes }, cache),
          limitMs: Math.max(bytesMs, operationsMs), limitedBy: bytesMs >= operationsMs ? "bytes" : "operations",
        });
      }
      return { timings, comparison: total };
    });
  }

  /** Compiles a configuration, and gives its launches to `use`. */
  async #with<T>(version: LadderVersion, configuration: Configuration, workspace: Workspace, use: (launches: (() => void)[]) => Promise<T>): Promise<T> {
    if (this.#options.signal.aborted) throw new Interrupted();
    const { gpu } = await this.#open();
    const program = await this.#options.load(version.path, { device: gpu, defines: Object.entries(configuration).map(([name, value]) => `${name}=${value}`) });
    try {
      workspace.fit(configuration);
      const launches: (() => void)[] = [];
      for (const step of version.declaration.launch(workspace.shape, configuration)) launches.push(await prepared(program, step, workspace));
      const writable = await program.writableVariables();
      if (writable === null) throw new Error("BUG: the device does not tell the variables of a program");
      if (writable.length > 0) {
        throw new VersionProblem("refused", `keeps something between launches: it has __device__ variables that kernels can write (${writable.join(", ")}); give it scratch memory, and tables as __constant__`);
      }
      return await use(launches);
    } finally {
      if (gpu.raw.fault === null) await program.unload();
    }
  }

  async #timedWorkspace(): Promise<Workspace> {
    const { gpu } = await this.#open();
    return (this.#workspace ??= new Workspace(gpu, this.#loaded.ladder, this.#shape, Array.from({ length: SETS }, (_, set) => this.#seed + 7919 * (set + 1))));
  }

  async #open(): Promise<Bench> {
    return (this.#bench ??= await this.#options.open());
  }

  async #failureOf(error: unknown): Promise<Failure> {
    if (error instanceof VersionProblem) return error.failure;
    if (!(error instanceof HeddleError) || !["compile-error", "invalid-launch", "unknown-kernel", "device-fault", "timeout", "bad-arguments", "unsupported"].includes(error.code)) throw error;
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

/** What a sweep's outcome depends on. Of a space: its values, and which of them are allowed, as far as the first configurations and the text of `allow` tell. */
export function sweepKeyOf({ hash, declaration }: LadderVersion, shape: Shape): SweepKey {
  const space = spaceOf(declaration, shape);
  const first = firstConfigurations(space, EXHAUSTIVE_LIMIT + 1);
  return { source: hash, space: JSON.stringify([space.names, space.values, first, String(declaration.allow)]), launch: String(declaration.launch), shape: shapeText(shape) };
}

async function prepared(program: GpuProgram, { kernel, args, ...config }: LaunchStep, workspace: Workspace): Promise<() => void> {
  const unknown = (name: string): never => {
    throw new HeddleError("bad-arguments", `the launch of ${kernel} names an array "${name}"`, { notes: [`arrays there are: ${workspace.arrayNames.join(", ")}`] });
  };
  return (await program.kernel(kernel)).prepare(config, workspace.resolve(args, unknown));
}

const withConfiguration = (configuration: Configuration): string => (Object.keys(configuration).length === 0 ? "" : ` with ${keyOf(configuration)}`);

/** Faster than the hardware can be: something was not done. */
function believable(timings: readonly Timing[]): Failure {
  for (const { cache, ms, floorMs } of timings) {
    if (ms.min + CLOCK_RESOLUTION_MS < floorMs) return { verdict: "refused", problem: `a ${cache} launch took ${ms.min.toPrecision(3)} ms, and the work cannot be done in less than ${floorMs.toPrecision(3)} ms` };
  }
  return { verdict: "ok", problem: null };
}
