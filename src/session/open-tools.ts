/** The tools that watch the devices of one run: checkers, the profiler. They load only where they are asked for. */
import { HeddleError } from "../base/diagnostics.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { LinesOf } from "../profile/double-divisions.ts";
import type { BlockRecording } from "../recording/recording.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { ProfileRecorder } from "../profile/profile-report.ts";
import type { ApiTimeline } from "../runtime/cuda/api-timeline/api-timeline.ts";
import type { OpenChecks } from "./open-checks.ts";
import type { DeviceRequest } from "./request.ts";

export interface OpenTools {
  readonly checking: OpenChecks | null;
  readonly profiling: ProfileRecorder | null;
  /** What happens when; of a profile. */
  readonly timeline: ApiTimeline | null;
  /** null: nothing watches. */
  readonly observer: DeviceObserver | null;
}

/** What a profile asks. */
export interface ToolSources {
  /** Who knows the registers of kernels. */
  readonly openRegisters?: () => Promise<RegisterSource | null>;
  /** Lines of source files. */
  readonly linesOf?: LinesOf;
}

/** Whether a tool watches the devices of such a run. */
export function hasTools({
  check,
  profile,
  record = null,
}: Pick<DeviceRequest, "check" | "profile" | "record">): boolean {
  return check !== null || profile || record !== null;
}

/** Gets what the tools make while the program runs. */
export type OnRecording = (recording: BlockRecording) => void;

/**
 * @param wasm the program, where it is known already.
 * @throws HeddleError "bad-arguments" for a check and a profile at once: checkers change what kernels do
 */
export async function openTools(
  {
    check,
    profile,
    caches,
    device,
    record = null,
  }: Pick<DeviceRequest, "check" | "profile" | "caches" | "device" | "record">,
  wasm: Uint8Array | null,
  { openRegisters = async () => null, linesOf }: ToolSources = {},
  onRecording: OnRecording = () => {},
): Promise<OpenTools> {
  if (record !== null) {
    if (check !== null || profile)
      throw new HeddleError("bad-arguments", "a run is either recorded, checked or profiled");
    if (device === "cuda")
      throw new HeddleError("bad-arguments", "a GPU records nothing: record on the emulated device");
    const { BlockRecorder } = await import("../recording/block-recorder.ts");
    return { checking: null, profiling: null, timeline: null, observer: new BlockRecorder(record, onRecording) };
  }
  if (check !== null && profile)
    throw new HeddleError("bad-arguments", "a run is either checked or profiled", {
      notes: ["the code of the checkers would take part in the counts"],
    });
  if (profile) {
    const { ApiTimeline } = await import("../runtime/cuda/api-timeline/api-timeline.ts");
    // A GPU runs kernels as they are: there are times, and no counters.
    if (device === "cuda")
      return { checking: null, profiling: null, timeline: new ApiTimeline(() => null), observer: null };
    const { ProfileRecorder } = await import("../profile/profile-report.ts");
    const profiling = new ProfileRecorder({ caches, registers: await openRegisters(), linesOf });
    const timeline = new ApiTimeline(() => profiling.lastLaunch);
    return { checking: null, profiling, timeline, observer: profiling.observer };
  }
  if (check === null) return { checking: null, profiling: null, timeline: null, observer: null };
  const checking = await (await import("./open-checks.ts")).openChecks(check, wasm);
  return { checking, profiling: null, timeline: null, observer: checking.checks };
}
