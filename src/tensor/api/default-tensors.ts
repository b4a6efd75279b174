/** The device that modules are made on when nobody names one: the one that was opened last. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Gpu } from "../../library/gpu.ts";
import type { Tensors } from "./tensors.ts";

const opened = new Map<Gpu, Tensors>();
let last: Tensors | null = null;

/** @internal */
export function setDefaultTensors(torch: Tensors): void {
  opened.set(torch.device, torch);
  last = torch;
}

/** @throws HeddleError "no-device" if no device was opened */
export function defaultTensors(): Tensors {
  if (last === null || last.device.isClosed)
    throw new HeddleError("no-device", "no device for tensors is open", {
      notes: ["open one first: const torch = await openTensors()"],
    });
  return last;
}

/** @throws HeddleError "no-device" if the device was not opened for tensors */
export function tensorsOn(device: Gpu): Tensors {
  const own = opened.get(device);
  if (own === undefined)
    throw new HeddleError("no-device", "this device was not opened for tensors", {
      notes: ["open it: await openTensors({ device })"],
    });
  return own;
}
