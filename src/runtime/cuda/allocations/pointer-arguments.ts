/** Pointers among the arguments of a launch, as wide as the kernel's parameters are. */
import type { KernelParam } from "../../../machine/launch.ts";

/** @param params the launch's parameter buffer */
export function pointerArgument(params: Uint8Array, { offset, size }: KernelParam): number {
  return pointerAt(params, offset, size);
}

/** A view of the buffer would take longer: this is done for each pointer of each launch. */
export function pointerAt(params: Uint8Array, offset: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + (params[offset + i] as number);
  return value;
}

export function setPointerArgument(params: Uint8Array, { offset, size }: KernelParam, value: number): void {
  const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
  if (size === 8) view.setBigUint64(offset, BigInt(value), true);
  else view.setUint32(offset, value, true);
}
