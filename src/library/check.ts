/** Kernels checked from a program, or from a test suite: what `heddle check` does for whole programs. */
import { HeddleError } from "../base/diagnostics.ts";
import { createCheckers } from "../check/checkers.ts";
import { Checks } from "../check/checks.ts";
import type { CheckerName, Extent, Finding } from "../check/finding.ts";
import { formatFindings } from "../check/report-text.ts";
import { readableName } from "../runtime/symbol-names.ts";
import type { DeviceOptions, LibraryEnvironment } from "./environment.ts";
import { Gpu } from "./gpu.ts";

export interface CheckReport {
  /** What was found, in the order it was found. */
  readonly findings: readonly Finding[];
  /** Arrays that were neither freed nor closed with the device before `run` ended. */
  readonly leaked: readonly Extent[];
  /** The findings as text, without colour; empty when there are none. */
  readonly text: string;
}

export interface CheckOptions extends DeviceOptions {
  /** The checkers that look; default: all but those that one has to ask for. */
  readonly tools?: readonly CheckerName[];
}

/**
 * Opens a device that checks every access of every kernel, runs `run` with it, closes it, and says what was found.
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
 * @throws what `run` throws, but for faults of kernels.
 */
export type Check = (run: (device: Gpu) => Promise<void> | void, options?: CheckOptions) => Promise<CheckReport>;

/** @param linesOf a source file's lines, or null where it cannot be read. */
export function createCheck(environment: LibraryEnvironment, linesOf: (file: string) => readonly string[] | null): Check {
  return async (run, { tools, ...options } = {}) => {
    const checker = new Checks(createCheckers(tools), { readable: readableName });
    const device = new Gpu(await environment.openDevice(options, checker), options.onPrint ?? ((text) => console.log(text.replace(/\n$/, ""))));
    let leaked: readonly Extent[] = [];
    try {
      await run(device);
      leaked = checker.leaked;
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== "device-fault" || checker.findings.length === 0) throw error;
    } finally {
      device.close();
    }
    return { findings: checker.findings, leaked, text: formatFindings(checker.findings, { color: false, linesOf, readable: readableName }) };
  };
}
