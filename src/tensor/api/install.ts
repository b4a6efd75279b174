/** Methods of `Tensor` stand in several files, each a kind of operation. */
import { Tensor } from "../tensor.ts";

/** @internal Adds methods to all tensors. */
export function installMethods(methods: Readonly<Record<string, (this: Tensor, ...args: never[]) => unknown>>): void {
  for (const [name, value] of Object.entries(methods)) {
    // Stacks, and the timeline of memory, have a method's own name.
    if (value.name !== name) Object.defineProperty(value, "name", { value: name });
    Object.defineProperty(Tensor.prototype, name, { value, configurable: true, writable: true });
  }
}

/** @internal Adds properties that are computed. */
export function installProperty(
  name: string,
  get: (this: Tensor) => unknown,
  set?: (this: Tensor, value: never) => void,
): void {
  Object.defineProperty(Tensor.prototype, name, { get, ...(set === undefined ? {} : { set }), configurable: true });
}
