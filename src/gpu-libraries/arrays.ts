/** Checks of what the libraries' functions take. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Dtype } from "../base/dtypes.ts";
import { describeValue } from "../base/options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";

/** @throws HeddleError "bad-arguments" unless it is an array on the device, of this many elements. */
export function requireArray<D extends Dtype>(
  what: string,
  gpu: Gpu,
  given: DeviceArray<D>,
  { length, dtype }: { readonly length: number; readonly dtype?: Dtype },
): void {
  if (!(given instanceof DeviceArray))
    throw new HeddleError("bad-arguments", `${what} must be an array in device memory, not ${describeValue(given)}`);
  if (given.device !== gpu.raw) throw new HeddleError("bad-arguments", `${what} is on another device`);
  if (given.freed) throw new HeddleError("bad-arguments", `${what} has been freed`);
  if (dtype !== undefined && given.dtype !== dtype)
    throw new HeddleError("bad-arguments", `${what} must have the dtype ${dtype}, not ${given.dtype}`);
  if (given.length !== length)
    throw new HeddleError("bad-arguments", `${what} must have ${length} elements, not ${given.length}`);
}

/** @throws HeddleError "bad-arguments" unless all are whole numbers from `least` on. */
export function requireSizes(what: string, sizes: readonly number[], least = 1): void {
  for (const size of sizes)
    if (!Number.isInteger(size) || size < least || size > 2 ** 31 - 1)
      throw new HeddleError("bad-arguments", `${what} must be whole numbers from ${least} on, not ${size}`);
}
