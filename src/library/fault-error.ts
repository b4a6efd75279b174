/** A kernel's fault as the error that a TypeScript program gets. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Device } from "../device/device.ts";
import type { DeviceFault } from "../machine/faults.ts";
import { describeFault, type FaultSurroundings } from "../runtime/cuda/fault-report.ts";

/** @param params the launch's pointers, where they are known. */
export function faultError(fault: DeviceFault, device: Device, params: FaultSurroundings["params"]): HeddleError {
  const [message, ...notes] = describeFault(fault, { device, hostBytes: 0, params })
    .split("\n")
    .filter((line) => !line.includes("next CUDA call"));
  return new HeddleError(fault.kind === "timeout" ? "timeout" : "device-fault", message ?? fault.message, {
    notes: [
      ...notes.map((line) => line.trim()),
      "device.reset() makes the device usable again; programs must then be compiled again",
    ],
    cause: fault,
    ...(fault.location === null ? {} : { location: fault.location }),
  });
}
