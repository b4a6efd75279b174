/** Where the tensors of one operation are. */
import { HeddleError } from "../base/diagnostics.ts";
import type { Place } from "./storage.ts";

interface Placed {
  readonly place: Place;
}

/** The tensors of an operation are on one device, or on the host. @throws HeddleError "bad-arguments" */
export function requireOnePlace(tensors: readonly Placed[]): void {
  for (let i = 1; i < tensors.length; i++)
    if ((tensors[i] as Placed).place !== (tensors[0] as Placed).place) throw differentPlaces();
}

export function differentPlaces(): HeddleError {
  return new HeddleError(
    "bad-arguments",
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    { notes: ["x.to(torch.device) copies a tensor of the host to the device, x.cpu() one of the device to the host"] },
  );
}
