/** The tools that watch the devices of one run: checkers, the profiler. They load only where they are asked for. */
import { HeddleError } from "../base/diagnostics.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { ProfileRecorder } from "../profile/profile-report.ts";
import type { OpenChecks } from "./open-checks.ts";
import type { DeviceRequest } from "./request.ts";

export interface OpenTools {
  readonly checking: OpenChecks | null;
  readonly profiling: ProfileRecorder | null;
  /** null: nothing watches. */
  readonly observer: DeviceObserver | null;
}

/**
 * @param wasm the program, where it is known already.
 * @throws HeddleError "bad-arguments" for a check and a profile at once: checkers change what kernels do
 */
export async function openTools(
  { check, profile }: Pick<DeviceRequest, "check" | "profile">,
  wasm: Uint8Array | null,
): Promise<OpenTools> {
  if (check !== null && profile)
    throw new HeddleError("bad-arguments", "a run is either checked or profiled", {
      notes: ["the code of the checkers would take part in the counts"],
    });
  if (profile) {
    const { ProfileRecorder } = await import("../profile/profile-report.ts");
    const profiling = new ProfileRecorder();
    return { checking: null, profiling, observer: profiling.observer };
  }
  if (check === null) return { checking: null, profiling: null, observer: null };
  const checking = await (await import("./open-checks.ts")).openChecks(check, wasm);
  return { checking, profiling: null, observer: checking.checks };
}
