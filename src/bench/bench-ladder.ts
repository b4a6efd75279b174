/**
 * One ladder on one device: every version is checked at several shapes, swept, checked again in its best configuration,
 * and timed.
 */
import { HeddleError, type ErrorCode } from "../base/diagnostics.ts";
import type { Configuration, RivalDeclaration, Shape } from "../kernel-library/ladder.ts";
import type { LadderVersion, LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import { defaultConfiguration, keyOf, spaceOf } from "../kernel-library/search-space.ts";
import type { Gpu } from "../library/gpu.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { GpuClocks } from "../measure/gpu-clocks.ts";
import { FINAL_PLAN, SWEEP_PLAN, type SamplingPlan } from "../measure/sampling.ts";
import { median } from "../measure/statistics.ts";
import { describeMismatch, joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { randomInt } from "./random-int.ts";
import { profileShape, profileVersion } from "./profile-version.ts";
import type {
  LadderResult,
  NotProfiled,
  RivalResult,
  Timing,
  Trial,
  VersionProfile,
  VersionResult,
} from "./results.ts";
import type { Absent, OpenRival } from "./rival.ts";
import {
  believable,
  checkSubject,
  SubjectProblem,
  timeSubject,
  type Bench,
  type Failure,
  type Subject,
} from "./subject.ts";
import { sweep, type SweepMemory } from "./sweep.ts";
import { measure } from "./timed-run.ts";
import { versionSubject } from "./version-subject.ts";
import { Workspace } from "./workspace.ts";
import type { LoadVersion } from "./version-program.ts";

/** Sets of inputs that take turns in timed launches. */
const SETS = 3;

export interface BenchOptions {
  /**
   * The device: at first the caller's, which it may have open already; after a fault, when that one was closed, a new
   * one.
   */
  readonly open: () => Promise<Bench>;
  readonly load: LoadVersion;
  readonly openRival: (
    declaration: RivalDeclaration<Record<string, number>>,
    bench: Bench,
  ) => Promise<OpenRival | Absent | null>;
  readonly clocks: () => GpuClocks | null;
  readonly sweep: boolean;
  readonly sweepMemory: SweepMemory | null;
  /** Only checks, no times. */
  readonly checkOnly: boolean;
  /** Opens an emulated device whose kernels are counted; null: versions are not profiled. */
  readonly openProfiled: ((observer: DeviceObserver) => Promise<Gpu>) | null;
  /** Who knows the registers of kernels that are profiled. */
  readonly openRegisters: () => Promise<RegisterSource | null>;
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

/** `part` of one version or rival, from 0 to 1. */
type Report = (part: number, what: string) => void;

type VersionDraft = { -readonly [K in "configuration" | "timings" | "comparison"]: VersionResult[K] } & {
  readonly trials: Trial[];
  profile?: VersionProfile | NotProfiled;
};

/** The errors that are a version's own; any other ends the bench. */
const VERSION_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "compile-error",
  "invalid-launch",
  "unknown-kernel",
  "device-fault",
  "timeout",
  "bad-arguments",
  "unsupported",
]);

function bestOf(trials: readonly Trial[]): Configuration {
  const usable = trials
    .filter(({ medianMs }) => medianMs !== null)
    .toSorted((a, b) => (a.medianMs as number) - (b.medianMs as number));
  if (usable[0] === undefined)
    throw new SubjectProblem("failed", trials[0]?.problem ?? "no configuration can be launched");
  return usable[0].configuration;
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
    const draft: VersionDraft = { configuration: null, trials: [], timings: [], comparison: NOTHING_COMPARED };
    let failure: Failure = { verdict: "ok", problem: null };
    try {
      failure = await this.#versionSteps(version, draft, report);
    } catch (error) {
      failure = await this.#failureOf(error);
    }
    report(1, "done");
    return { version: version.name, idea: version.idea, source: version.hash, ...draft, ...failure };
  }

  /** In the configuration that was chosen. */
  async #profile(version: LadderVersion, draft: VersionDraft, report: Report): Promise<void> {
    const { openProfiled, load } = this.#options;
    if (openProfiled === null || draft.configuration === null) return;
    report(0.9, "profile");
    const { ladder } = this.#loaded;
    const shape = profileShape(ladder, this.#shape, (await this.#open()).gpu.raw.kind);
    const space = spaceOf(version.declaration, shape);
    const isAllowed = space.allow(draft.configuration);
    const configuration = isAllowed ? draft.configuration : defaultConfiguration(space, version.name);
    try {
      const registers = await this.#options.openRegisters();
      draft.profile = await profileVersion(version, configuration, {
        ladder,
        shape,
        load,
        open: openProfiled,
        registers,
      });
    } catch (error) {
      // What is right on a GPU stays right.
      if (!(error instanceof HeddleError) || !VERSION_ERRORS.has(error.code)) throw error;
      draft.profile = { absent: error.summary };
    }
  }

  /** Check, sweep, check of the best configuration, time. @param draft what is known also when a step throws. */
  async #versionSteps(version: LadderVersion, draft: VersionDraft, report: Report): Promise<Failure> {
    const { checkOnly, sweep: hasSweep } = this.#options;
    draft.configuration = defaultConfiguration(spaceOf(version.declaration, this.#shape), version.name);
    report(0, "check");
    draft.comparison = await this.#check(version, null);
    if (checkOnly) {
      await this.#profile(version, draft, report);
      return { verdict: "ok", problem: null };
    }
    if (hasSweep) {
      await sweep(version, draft.trials, {
        shape: this.#shape,
        memory: this.#options.sweepMemory,
        seed: this.#seed,
        trial: (configuration) => this.#trial(version, configuration),
        report: (done) => report(0.1 + 0.6 * done, "sweep"),
      });
      draft.configuration = bestOf(draft.trials);
      report(0.7, "check the best configuration");
      await this.#check(version, draft.configuration);
    }
    report(0.75, "time");
    const timed = await this.#time(this.#subject(version, draft.configuration));
    draft.timings = timed.timings;
    draft.comparison = timed.comparison;
    await this.#profile(version, draft, report);
    return believable(timed.timings);
  }

  async #time(subject: Subject): ReturnType<typeof timeSubject> {
    return timeSubject(await this.#open(), subject, {
      ladder: this.#loaded.ladder,
      workspace: await this.#timedWorkspace(),
      plan: this.#options.plan ?? FINAL_PLAN,
      signal: this.#options.signal,
    });
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
        ({ timings, comparison } = await this.#time(found));
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

  #reporter(name: string, index: number): Report {
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
    const { load, signal } = this.#options;
    return versionSubject(version, configuration, { open: () => this.#open(), load, signal });
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
    if (!(error instanceof HeddleError) || !VERSION_ERRORS.has(error.code)) throw error;
    if (error.code === "device-fault" || error.code === "timeout") {
      // What was on the device is lost, and on a GPU the process may not use it any more.
      if (this.#bench?.gpu.raw.kind === "cuda") throw error;
      this.#bench?.gpu.close();
      this.#workspace = null;
      // At once, also after the last version: the caller's next ladder uses what was opened last.
      this.#bench = await this.#options.open();
    }
    return { verdict: "failed", problem: [error.summary, ...error.notes].join("\n") };
  }
}
