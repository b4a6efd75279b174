/** What the kernels of a version make a GPU do, counted on an emulated device. */
import type { Configuration, Ladder, Shape } from "../kernel-library/ladder.ts";
import type { LadderVersion } from "../kernel-library/loaded-ladder.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { Gpu } from "../library/gpu.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import { ProfileRecorder } from "../profile/profile-report.ts";
import type { VersionProfile } from "./results.ts";
import { withLaunches } from "./version-launches.ts";
import { Workspace } from "./workspace.ts";
import type { LoadVersion } from "./version-program.ts";

export interface ProfileParts {
  readonly ladder: Ladder;
  readonly shape: Shape;
  readonly load: LoadVersion;
  /** Opens an emulated device that the observer watches. */
  readonly open: (observer: DeviceObserver) => Promise<Gpu>;
  /** Who knows the registers of kernels; null: estimates will do. */
  readonly registers?: RegisterSource | null;
}

/** One launch of the version at the shape, on the inputs of checks. The device is opened and closed. */
export async function profileVersion(
  version: LadderVersion,
  configuration: Configuration,
  { ladder, shape, load, open, registers = null }: ProfileParts,
): Promise<VersionProfile> {
  const recorder = new ProfileRecorder({ registers });
  const gpu = await open(recorder.observer);
  recorder.follow(gpu.raw.properties);
  try {
    const workspace = new Workspace(gpu, ladder, shape, [0]);
    const loadProfiled: ProfileParts["load"] = (path, options) => load(path, { ...options, nvccForm: true });
    let before = 0;
    await withLaunches(version, configuration, { gpu, load: loadProfiled, workspace }, async (launches) => {
      workspace.begin(0);
      gpu.synchronize();
      // What fills arrays is not the version's.
      before = recorder.launchCount;
      for (const launch of launches) launch();
      gpu.synchronize();
    });
    const report = recorder.report(gpu.raw.properties);
    return { ...report, launches: report.launches.slice(before), shape };
  } finally {
    gpu.close();
  }
}

/** What is counted in seconds. */
const MOST_BYTES = 64e6;
const MOST_OPERATIONS = 1e9;

/**
 * The shape that a version is profiled at: that of the bench, but of a bench on a GPU one that an emulated device can
 * count in seconds. Its largest sizes are halved until it is: grids stay as large as they can be.
 */
export function profileShape(ladder: Ladder, shape: Shape, kind: "emulated" | "cuda"): Shape {
  if (kind === "emulated") return shape;
  for (let smaller = shape; ;) {
    const { bytes, operations } = ladder.work(smaller);
    if (bytes <= MOST_BYTES && operations <= MOST_OPERATIONS) return smaller;
    const [size, value] = Object.entries(smaller).reduce((a, b) => (b[1] > a[1] ? b : a));
    if (value <= 1) return smaller;
    smaller = { ...smaller, [size]: Math.ceil(value / 2) };
  }
}
