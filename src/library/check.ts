/** Kernels checked from a program, or from a test suite: what `heddle check` does for whole programs. */
import type { Place } from "../base/source-places.ts";
import { HeddleError, isFaultError } from "../base/diagnostics.ts";
import { checkOptions, describeValue } from "../base/options.ts";
import { didYouMean } from "../base/suggestions.ts";
import { CHECKER_NAMES, createCheckers } from "../check/checkers.ts";
import { Checks, type Leak, type SteppedAside } from "../check/checks.ts";
import type { CheckerName, Finding } from "../check/finding.ts";
import { formatFindings } from "../check/report-text.ts";
import { parseSuppressions, suppressionOf } from "../check/suppressions.ts";
import { demangle } from "../base/demangle.ts";
import type { DeviceOptions, LibraryEnvironment } from "./environment.ts";
import type { Gpu } from "./gpu.ts";
import { openGpu } from "./open-gpu.ts";
import { checkDeviceOptions, DEVICE_OPTION_NAMES } from "./library-options.ts";
import { WatchedStreams } from "./watched-streams.ts";

export interface CheckReport {
  /** What was found, in the order it was found. */
  readonly findings: readonly Finding[];
  /** Arrays that were not freed before `run` ended, with the line that made them. */
  readonly leaked: readonly Leak[];
  /** Checkers that stopped because `run` needed the memory that they keep their notes in; null: none. */
  readonly steppedAside: SteppedAside | null;
  /** The findings as text, without colour; empty when there are none. */
  readonly text: string;
}

/** `device`: "auto" is the emulated device, too, and "cuda" is refused. */
export interface CheckOptions extends DeviceOptions {
  /** The checkers that look; default: all but those that one has to ask for. */
  readonly tools?: readonly CheckerName[];
  /** Findings to leave out: the text of a suppressions file (docs/checking.md). */
  readonly suppressions?: string;
  /**
   * Races between launches on different streams (`gpu.stream`, `kernel.configure`) are looked for, too; kernels take
   * longer then. Default false.
   */
  readonly streams?: boolean;
}

/** What the checks need of the place they run in. */
export interface CheckEnvironment {
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
  /** The line of the caller's code that is being carried out. */
  readonly here: () => Place;
}

/**
 * Opens an emulated device, also where HEDDLE_DEVICE names a GPU, that checks every access of every kernel. Runs `run`
 * with it, closes it, and says what was found.
 *
 *     import { load } from "heddle";
 *     import { check } from "heddle/check";
 *
 *     test("softmax stays in its memory", async () => {
 *       const { text } = await check(async (device) => {
 *         const softmax = await (await load("softmax.cu", { device })).kernel("softmax");
 *         const [x, y] = [device.array(new Float32Array(1000)), device.array(1000, "float32")];
 *         await softmax.launch({ grid: 4, block: 256 }, x, y, 1000);
 *       });
 *       expect(text).toBe("");
 *     });
 *
 * A kernel that is stopped by a fault ends `run`; the fault is among the findings.
 *
 * @throws what `run` throws, but for faults of kernels; HeddleError "bad-arguments" where a GPU is asked for.
 */
export type Check = (run: (device: Gpu) => Promise<void> | void, options?: CheckOptions) => Promise<CheckReport>;

export function createCheck(environment: LibraryEnvironment, { linesOf, here }: CheckEnvironment): Check {
  return async (run, given = {}) => {
    if (typeof run !== "function")
      throw new HeddleError("bad-arguments", `check takes a function of a device, not ${describeValue(run)}`, {
        notes: ["for example check(async (device) => { … })"],
      });
    checkOptions<CheckOptions>("check", given, {
      ...DEVICE_OPTION_NAMES,
      tools: true,
      suppressions: true,
      streams: true,
    });
    const { tools, suppressions = "", streams = false, ...options } = given;
    checkDeviceOptions("check", options);
    const unknown = tools?.find((name) => !CHECKER_NAMES.includes(name));
    if (unknown !== undefined)
      throw new HeddleError("bad-arguments", `there is no checker "${unknown}"${didYouMean(unknown, CHECKER_NAMES)}`, {
        notes: [`tools takes a list of ${CHECKER_NAMES.join(", ")}`],
      });
    if (options.device === "cuda")
      throw new HeddleError("bad-arguments", "check watches the emulated device: a GPU does not report its accesses", {
        notes: ['leave out device: "cuda"'],
      });
    const entries = parseSuppressions(suppressions, "suppressions");
    const watched = streams ? new WatchedStreams(here) : null;
    const checker = new Checks(createCheckers(tools, { streams }), {
      readable: demangle,
      here,
      ...(watched === null ? {} : { work: watched }),
    });
    const device = await openGpu(environment, options, { observer: checker, watched });
    let leaked: readonly Leak[] = [];
    try {
      await run(device);
      leaked = checker.leaked;
    } catch (error) {
      if (!isFaultError(error) || checker.findings.length === 0) throw error;
    } finally {
      device.close();
    }
    const findings = checker.findings.filter((finding) => suppressionOf(finding, entries, demangle) === null);
    const { steppedAside } = checker;
    return {
      findings,
      leaked,
      steppedAside,
      text: formatFindings(findings, { color: false, linesOf, readable: demangle }),
    };
  };
}
