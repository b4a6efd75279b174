/** Kernels profiled from a program: what `heddle profile` does for whole programs. */
import { demangle } from "../base/demangle.ts";
import { ProfileRecorder, type ProfileReport } from "../profile/profile-report.ts";
import { profileText } from "../profile/profile-text.ts";
import type { DeviceOptions, LibraryEnvironment } from "./environment.ts";
import type { Gpu } from "./gpu.ts";
import { openGpu } from "./open-gpu.ts";

export interface ProfileResult extends ProfileReport {
  /** The summary and the hints as text, without colour; with `lines`, the annotated source, too. */
  readonly text: string;
}

export interface ProfileOptions extends DeviceOptions {
  /** Add the annotated source to `text`. Default false. */
  readonly lines?: boolean;
  /** Model the caches: hit rates of L1 and L2, and what DRAM moves beyond the first touch. Default false. */
  readonly caches?: boolean;
}

/**
 * Opens an emulated device that counts what every kernel does, runs `run` with it, closes it, and returns the counters
 * of each launch: under NVIDIA's metric names, as Nsight Compute has them.
 *
 *     import { load } from "heddle";
 *     import { profile } from "heddle/profile";
 *
 *     const { launches, text } = await profile(async (device) => {
 *       const transpose = await (await load("transpose.cu", { device })).kernel("transpose");
 *       const [x, y] = [device.array(1024 * 1024, "float32"), device.array(1024 * 1024, "float32")];
 *       await transpose.launch({ grid: [32, 32], block: [32, 8] }, y, x, 1024);
 *     });
 *     console.log(text, launches[0]?.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]);
 *
 * @throws what `run` throws; HeddleError "bad-arguments" for a real GPU.
 */
export type Profile = (run: (device: Gpu) => Promise<void> | void, options?: ProfileOptions) => Promise<ProfileResult>;

export function createProfile(
  environment: LibraryEnvironment,
  linesOf: (file: string) => readonly string[] | null,
): Profile {
  return async (run, { lines = false, caches = false, ...options } = {}) => {
    const recorder = new ProfileRecorder({ caches, registers: (await environment.registers?.()) ?? null, linesOf });
    const device = await openGpu(environment, options, { observer: recorder.observer, followsGpu: true });
    recorder.follow(device.properties);
    try {
      await run(device);
    } finally {
      device.close();
    }
    const report = recorder.report(device.properties);
    return { ...report, text: profileText(report, { readable: demangle, color: false, lines, linesOf }) };
  };
}
