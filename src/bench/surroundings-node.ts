/** Of which commit, on which machine and with which driver a result is. */
import { spawnSync } from "node:child_process";
import { availableParallelism, cpus, hostname } from "node:os";
import type { Gpu } from "../library/gpu.ts";
import type { GpuClocks, Surroundings } from "./results.ts";

/** A program's output, or null where it is not there or fails: what is missing is recorded as missing. */
function ask(command: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", timeout: 10_000 });
  return status === 0 ? stdout.trim() : null;
}

/** Of the repository that the folder is in. */
export function commitOf(folder: string): Pick<Surroundings, "commit" | "dirty"> {
  return { commit: ask("git", ["-C", folder, "rev-parse", "HEAD"]), dirty: (ask("git", ["-C", folder, "status", "--porcelain", "--untracked-files=no"]) ?? "") !== "" };
}

/** @param folder whose repository's commit is meant. */
export function surroundings(gpu: Gpu, folder: string, heddle: string, engine: string): Surroundings {
  const isReal = gpu.raw.kind === "cuda";
  return {
    time: new Date().toISOString(),
    heddle,
    ...commitOf(folder),
    machine: { host: hostname(), cpu: cpus()[0]?.model ?? "unknown", cores: availableParallelism() },
    device: {
      kind: gpu.raw.kind, name: gpu.properties.name,
      driver: isReal ? ask("nvidia-smi", ["--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]) : null,
      engine: isReal ? null : engine,
    },
  };
}

/** Bits of clocks_event_reasons.active that are no throttling: idle, application clocks, none. (NVML API reference, nvmlClocksEventReasons) */
const HARMLESS = 0x1n | 0x2n;

/** The clocks of the machine's first GPU; null without nvidia-smi. */
export function gpuClocks(): GpuClocks | null {
  // The reasons have had their new name since driver 535.
  const query = (reasons: string): string | null => ask("nvidia-smi", [`--query-gpu=clocks.sm,clocks.mem,temperature.gpu,${reasons}`, "--format=csv,noheader,nounits", "--id=0"]);
  const fields = (query("clocks_event_reasons.active") ?? query("clocks_throttle_reasons.active"))?.split(",").map((field) => field.trim());
  const [sm, memory, temperature, reasons] = fields ?? [];
  if (sm === undefined || memory === undefined || temperature === undefined || reasons === undefined || !/^0x[0-9a-f]+$/i.test(reasons)) return null;
  const throttled = BigInt(reasons) & ~HARMLESS;
  return { smMHz: Number(sm), memoryMHz: Number(memory), temperatureC: Number(temperature), throttled: throttled === 0n ? null : `0x${throttled.toString(16)}` };
}
