/** The clocks of a GPU, from nvidia-smi. */
import { askProgram as ask } from "./ask-program-node.ts";
import type { GpuClocks } from "./gpu-clocks.ts";

/**
 * Bits of clocks_event_reasons.active that are no throttling: idle, application clocks, none. (NVML API reference,
 * nvmlClocksEventReasons)
 */
const HARMLESS = 0x1n | 0x2n;

/** Counters of how long clocks were lowered (microseconds, drivers since 560), and what they are called here. */
const COUNTERS = {
  sw_power_cap: "power cap",
  sw_thermal_slowdown: "heat",
  hw_thermal_slowdown: "heat (hardware)",
  hw_power_brake_slowdown: "power brake",
};

/** The clocks of the GPU that is device 0 of this process; null without nvidia-smi. */
export function gpuClocks(environment: Readonly<Record<string, string | undefined>> = process.env): GpuClocks | null {
  const id = /^(?:\d+|GPU-[\w-]+)/.exec(environment["CUDA_VISIBLE_DEVICES"] ?? "")?.[0] ?? "0";
  const query = (what: readonly string[]): string[] | null =>
    ask("nvidia-smi", [`--query-gpu=${what.join(",")}`, "--format=csv,noheader,nounits", `--id=${id}`])
      ?.split(",")
      .map((field) => field.trim()) ?? null;
  const state = ["clocks.sm", "clocks.mem", "temperature.gpu"];
  // The reasons have had their new name since driver 535.
  const [sm, memory, temperature, reasons] =
    query([...state, "clocks_event_reasons.active"]) ?? query([...state, "clocks_throttle_reasons.active"]) ?? [];
  if (
    sm === undefined ||
    memory === undefined ||
    temperature === undefined ||
    reasons === undefined ||
    !/^0x[0-9a-f]+$/i.test(reasons)
  )
    return null;
  const throttled = BigInt(reasons) & ~HARMLESS;
  const counted = query(Object.keys(COUNTERS).map((counter) => `clocks_event_reasons_counters.${counter}`));
  const loweredMs = Object.fromEntries(
    Object.values(COUNTERS)
      .map((reason, n) => [reason, Number.parseFloat(counted?.[n] ?? "") / 1000] as const)
      .filter(([, ms]) => Number.isFinite(ms)),
  );
  return {
    smMHz: Number(sm),
    memoryMHz: Number(memory),
    temperatureC: Number(temperature),
    throttled: throttled === 0n ? null : `0x${throttled.toString(16)}`,
    ...(Object.keys(loweredMs).length > 0 && { loweredMs }),
  };
}
