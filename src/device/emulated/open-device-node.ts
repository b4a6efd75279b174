/** An emulated device on Node.js: all cores, worker threads, switches from the environment. */
import { availableParallelism } from "node:os";
import { HeddleError } from "../../base/diagnostics.ts";
import { parseEngineChoice } from "./engines.ts";
import { openEmulatedDevice, type EmulatedDeviceOptions, type OpenedDevice } from "./open-device.ts";
import { nodeWorkerSpawner } from "./spawn-worker-node.ts";
import type { EmulatedDevice } from "./emulated-device.ts";

export type NodeDeviceOptions = Partial<EmulatedDeviceOptions>;

/**
 * As openEmulatedDevice; what is not given comes from the environment or the machine:
 * HEDDLE_GPU, HEDDLE_ENGINE, HEDDLE_WORKERS (default: one for each core), HEDDLE_REUSE=0.
 */
export function openNodeDevice(options: NodeDeviceOptions = {}): EmulatedDevice {
  const { HEDDLE_GPU: gpu, HEDDLE_ENGINE: engine, HEDDLE_WORKERS: workers, HEDDLE_REUSE: reuse } = process.env;
  const defaults: EmulatedDeviceOptions = {
    ...(gpu ? { gpu } : {}),
    ...(engine ? { engine: parseEngineChoice(engine) } : {}),
    workers: workers ? wholeNumber("HEDDLE_WORKERS", workers) : availableParallelism(),
    reuse: reuse !== "0",
    library: null,
    spawn: nodeWorkerSpawner(),
  };
  return (openEmulatedDevice({ ...defaults, ...options }) as OpenedDevice).device;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new HeddleError("bad-arguments", `${name} must be a whole number of at least 1, not "${text}"`);
  return value;
}
