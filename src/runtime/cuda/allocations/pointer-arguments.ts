/** Pointers among the arguments of a launch, as wide as the kernel's parameters are. */
import type { KernelParam } from "../../../machine/launch.ts";

/** @param params the launch's parameter buffer */
export function pointerArgument(params: Uint8Array, { offset, size }: KernelParam): number {
  const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
  return size === 8 ? Number(view.getBigUint64(offset, true)) : view.getUint32(offset, true);
}

export function setPointerArgument(params: Uint8Array, { offset, size }: KernelParam, value: number): void {
  const view = new DataView(params.buffer, params.byteOffset, params.byteLength);
  if (size === 8) view.setBigUint64(offset, BigInt(value), true);
  else view.setUint32(offset, value, true);
}
