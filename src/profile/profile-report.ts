/** A profile of a program: its launches, with what the GPU makes of them. Plain data. */
import type { DeviceProperties } from "../device/device.ts";
import { cacheMetrics } from "./caches/cache-metrics.ts";
import { gpuPeaks, type GpuPeaks } from "./gpu-rates.ts";
import { hintsFor } from "./hints/hints.ts";
import type { Hint } from "./hints/hint.ts";
import type { LinesOf } from "./double-divisions.ts";
import { launchFacts, type KernelFacts, type LaunchFacts, type RegisterSource } from "./launch-facts.ts";
import { launchProfile, type LaunchProfile } from "./launch-profile.ts";
import type { Metrics } from "./line-profile.ts";
import { predictTime, type PredictedTime } from "./time-model.ts";
import { Profiler, type CountedLaunch } from "./profiler.ts";

export interface ProfiledLaunch extends LaunchProfile {
  readonly facts: LaunchFacts;
  /** By a model of the GPU. */
  readonly predicted: PredictedTime;
  /** What should change; the first promises most. */
  readonly hints: readonly Hint[];
}

/** `launches` of `heddle profile --json`, and the GPU whose rules were followed. */
export interface ProfileReport {
  readonly gpu: {
    readonly name: string;
    readonly computeCapability: string;
    readonly multiprocessors: number;
    readonly peaks: GpuPeaks;
  };
  readonly launches: readonly ProfiledLaunch[];
  /** Launches that came after the first `MAX_LAUNCHES` and were not recorded. */
  readonly notRecorded: number;
}

/** More would fill the memory of programs that launch for hours. */
const MAX_LAUNCHES = 5000;

export interface RecorderOptions {
  readonly caches?: boolean;
  readonly registers?: RegisterSource | null;
  /** Lines of source files, where they are known. */
  readonly linesOf?: LinesOf | undefined;
}

/** Collects the launches of one run. */
export class ProfileRecorder {
  readonly observer: Profiler;
  #gpu: DeviceProperties | null = null;
  readonly #launches: (LaunchProfile & { readonly kernelFacts: KernelFacts; readonly caches: Metrics })[] = [];
  #notRecorded = 0;
  #lastLaunch: number | null = null;

  /** Needs `follow` for both. @param caches model the caches, too. registers: null: estimates will do */
  constructor({ caches = false, registers = null, linesOf }: RecorderOptions = {}) {
    this.observer = new Profiler((counted) => this.#record(counted), caches, registers, linesOf);
  }

  /** Before the first launch: the GPU whose rules the device follows. */
  follow(gpu: DeviceProperties): void {
    this.#gpu = gpu;
    this.observer.follow(gpu);
  }

  get launchCount(): number {
    return this.#launches.length;
  }

  /** The place of the latest launch in the report; null: it was not recorded. */
  get lastLaunch(): number | null {
    return this.#lastLaunch;
  }

  report(gpu: DeviceProperties): ProfileReport {
    const { major, minor } = gpu.computeCapability;
    return {
      gpu: {
        name: gpu.name,
        computeCapability: `${major}.${minor}`,
        multiprocessors: gpu.multiProcessorCount,
        peaks: gpuPeaks(gpu),
      },
      launches: this.#launches.map(({ kernelFacts, caches, ...launch }) => {
        const facts = launchFacts(launch, kernelFacts, gpu);
        const metrics = { ...launch.metrics, ...facts.metrics };
        const predicted = predictTime({ ...launch, metrics }, facts, gpu);
        return {
          ...launch,
          metrics: { ...metrics, ...caches },
          facts,
          predicted,
          hints: hintsFor({ ...launch, facts }, gpu, caches),
        };
      }),
      notRecorded: this.#notRecorded,
    };
  }

  #record(counted: CountedLaunch): void {
    if (this.#launches.length >= MAX_LAUNCHES) {
      this.#notRecorded++;
      this.#lastLaunch = null;
      return;
    }
    this.#lastLaunch = this.#launches.length;
    const kernelFacts = this.observer.factsOf(counted.launch.function);
    const launch = launchProfile(counted);
    const { lines } = counted;
    const caches = this.#gpu === null || lines === null ? {} : cacheMetrics(launch, lines, kernelFacts, this.#gpu);
    this.#launches.push({ ...launch, kernelFacts, caches });
  }
}
