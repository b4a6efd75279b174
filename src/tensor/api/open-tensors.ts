/** What `openTensors` does wherever it runs. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { Gpu } from "../../library/gpu.ts";
import type { ContentCache } from "../../store/store.ts";
import { openTensorDevice } from "../kernels/tensor-device.ts";
import { openDeviceProducts } from "../operations/device-products.ts";
import { Tensors } from "./tensors.ts";

/** @throws HeddleError "bad-arguments" for what is neither an open device nor the kind of one */
export function checkTensorsDevice(device: unknown): void {
  if (device === undefined || typeof device === "string" || device instanceof Gpu) return;
  throw new HeddleError(
    "bad-arguments",
    `device is "emulated", "cuda", "auto" or an open device, not ${describeValue(device)}`,
  );
}

/** @param cache keeps compiled kernels from run to run; null: nothing is kept */
export function tensorsOn(gpu: Gpu, cache: ContentCache | null): Tensors {
  const device = openTensorDevice(gpu, cache);
  openDeviceProducts(gpu);
  return new Tensors(device);
}

/** What kernels print, where nobody asked for it. */
export function printToConsole(text: string): void {
  console.log(text.replace(/\n$/, ""));
}
