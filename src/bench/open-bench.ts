/** A device, ready to check and time ladders on it. */
import type { Gpu } from "../library/gpu.ts";
import type { Heddle } from "../library/heddle.ts";
import { openLimits } from "../measure/limits.ts";
import { openStopwatch } from "../measure/stopwatch.ts";
import type { CompileFor } from "../measure/timed-device.ts";
import type { Bench } from "./subject.ts";

/** @param cores of the machine that an emulated device runs on. */
export async function openBench(gpu: Gpu, heddle: Pick<Heddle, "compile">, cores: number): Promise<Bench> {
  const compile: CompileFor<Gpu> = (source, options) => heddle.compile(source, options);
  const stopwatch = await openStopwatch(gpu, compile);
  return { gpu, stopwatch, limits: await openLimits(gpu, stopwatch, compile), cores };
}
