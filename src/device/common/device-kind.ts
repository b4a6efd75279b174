/** Where kernels run: on the processor, on this machine's NVIDIA GPUs, or on the GPU if there is one. */
import { HeddleError } from "../../base/diagnostics.ts";

export type DeviceKind = "emulated" | "cuda" | "auto";

/**
 * @param text as the command line or HEDDLE_DEVICE has it; without one, "emulated". @throws HeddleError "bad-arguments"
 */
export function parseDeviceKind(text: string | undefined): DeviceKind {
  if (text === undefined || text === "") return "emulated";
  if (text === "emulated" || text === "cuda" || text === "auto") return text;
  throw new HeddleError("bad-arguments", `a device is emulated, cuda or auto, not "${text}"`);
}
