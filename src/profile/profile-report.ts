/** A profile of a program: its launches, with what the GPU makes of them. Plain data. */
import type { DeviceProperties } from "../device/device.ts";
import { launchFacts, type KernelFacts, type LaunchFacts } from "./launch-facts.ts";
import { launchProfile, type LaunchProfile } from "./launch-profile.ts";
import { Profiler, type CountedLaunch } from "./profiler.ts";

export interface ProfiledLaunch extends LaunchProfile {
  readonly facts: LaunchFacts;
}

/** `launches` of `heddle profile --json`, and the GPU whose rules were followed. */
export interface ProfileReport {
  readonly gpu: { readonly name: string; readonly computeCapability: string; readonly multiprocessors: number };
  readonly launches: readonly ProfiledLaunch[];
  /** Launches that came after the first `MAX_LAUNCHES` and were not recorded. */
  readonly notRecorded: number;
}

/** More would fill the memory of programs that launch for hours. */
const MAX_LAUNCHES = 5000;

/** Collects the launches of one run. */
export class ProfileRecorder {
  readonly observer: Profiler;
  readonly #launches: (LaunchProfile & { readonly kernelFacts: KernelFacts })[] = [];
  #notRecorded = 0;

  constructor() {
    this.observer = new Profiler((counted) => this.#record(counted));
  }

  report(gpu: DeviceProperties): ProfileReport {
    const { major, minor } = gpu.computeCapability;
    return {
      gpu: {
        name: gpu.name,
        computeCapability: `${major}.${minor}`,
        multiprocessors: gpu.multiProcessorCount,
      },
      launches: this.#launches.map(({ kernelFacts, ...launch }) => {
        const facts = launchFacts(launch, kernelFacts, gpu);
        return { ...launch, metrics: { ...launch.metrics, ...facts.metrics }, facts };
      }),
      notRecorded: this.#notRecorded,
    };
  }

  #record(counted: CountedLaunch): void {
    if (this.#launches.length >= MAX_LAUNCHES) {
      this.#notRecorded++;
      return;
    }
    const kernelFacts = this.observer.factsOf(counted.launch.function);
    this.#launches.push({ ...launchProfile(counted), kernelFacts });
  }
}
