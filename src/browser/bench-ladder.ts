/** Checks and times the versions of a ladder, in a dedicated worker of the page: what `heddle bench` does. */
import type { OptionNames } from "../base/options.ts";
import type { ResultRecord } from "../bench/results.ts";
import type { BenchSettings, LadderTexts } from "../session/request.ts";
import { openBrowserSession } from "../session/session-browser.ts";
import { absoluteLocations, type PackageLocations } from "./locations.ts";
import { checkBrowserOptions, LOCATION_NAMES } from "./option-names.ts";

export interface BrowserBenchOptions
  extends
    PackageLocations,
    Partial<Pick<BenchSettings, "shape" | "only" | "sweep" | "checkOnly" | "profile" | "seed" | "gpu" | "workers">> {
  /** Receives what is being done, and which part of all is done, from 0 to 1. */
  readonly onProgress?: (part: number, what: string) => void;
  /** Receives each result as soon as it is there. */
  readonly onResult?: (record: ResultRecord) => void;
  /** Receives what kernels print. */
  readonly onOutput?: (text: string) => void;
  /** Stops the bench: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const BENCH_NAMES: OptionNames<BrowserBenchOptions> = {
  ...LOCATION_NAMES,
  shape: true,
  only: true,
  sweep: true,
  checkOnly: true,
  profile: true,
  seed: true,
  gpu: true,
  workers: true,
  onProgress: true,
  onResult: true,
  onOutput: true,
  signal: true,
};

/**
 * Benches a ladder. Every version is checked against the reference at all shapes for checks, swept (unless `sweep` is
 * false), and timed at the shapes for emulated devices. Times are those of this machine, and say nothing of a GPU; they
 * are exact to 5 microseconds on a cross-origin isolated page, and to 100 elsewhere.
 *
 *     import { benchLadder } from "heddle/browser";
 *
 *     const [{ versions }] = await benchLadder(
 *       {
 *         name: "vector-add",
 *         declaration: 'import { defineLadder, normal } from "heddle/ladder"; export default defineLadder({ … });',
 *         versions: { "1-naive": "// One thread an element.\n__global__ void add(…) { … }" },
 *       },
 *       { clang: "/node_modules/@yowasp/clang/gen/" },
 *     );
 *     versions[0].verdict; // "ok"
 *
 * @returns a result for each timed shape.
 * @throws HeddleError "bad-arguments" for a mistake in the declaration; what does not compile is in the results.
 */
export async function benchLadder(ladder: LadderTexts, options: BrowserBenchOptions): Promise<readonly ResultRecord[]> {
  checkBrowserOptions("benchLadder", options, BENCH_NAMES);
  const { signal, onProgress, onResult, onOutput } = options;
  signal?.throwIfAborted();
  const decoder = new TextDecoder();
  const run = openBrowserSession(absoluteLocations(options)).start(
    { kind: "bench", ladders: [ladder], settings: settingsOf(options) },
    (event) => {
      if (event.kind === "progress") onProgress?.(event.part, event.what);
      if (event.kind === "result") onResult?.(event.record);
      if (event.kind === "output") onOutput?.(decoder.decode(event.bytes, { stream: true }));
    },
  );
  const stop = (): void => run.stop();
  signal?.addEventListener("abort", stop);
  try {
    return await run.result;
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function settingsOf(options: BrowserBenchOptions): BenchSettings {
  return {
    device: "emulated",
    gpu: options.gpu ?? null,
    workers: options.workers ?? null,
    shape: options.shape ?? {},
    only: options.only ?? null,
    rivals: false,
    sweep: options.sweep ?? true,
    sweepAgain: false,
    checkOnly: options.checkOnly ?? false,
    profile: options.profile ?? false,
    seed: options.seed ?? null,
  };
}
