/** Makes the WebAssembly memory of a device. */
import { HeddleError } from "../base/diagnostics.ts";
import { MAX_WIDE_PAGES, PAGE_BYTES } from "../machine/memory-map.ts";

const GIB = 2 ** 30;

/** @throws HeddleError "out-of-memory" */
export function makeMemory(initial: number, maximum: number, shared: boolean): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: initial / PAGE_BYTES, maximum: maximum / PAGE_BYTES, shared });
  } catch (cause) {
    throw noAddressSpace(maximum, cause);
  }
}

/**
 * A memory whose addresses have 64 bits (the memory64 proposal).
 *
 * @param end behind the last byte that programs get
 * @throws HeddleError "unsupported" where the engine has none, "out-of-memory", "bad-arguments" beyond its largest
 */
export function makeWideMemory(initial: number, end: number, shared: boolean): WebAssembly.Memory {
  // One page of slack, so that a vector load of the last element is legal.
  const pages = end / PAGE_BYTES + 1;
  if (pages > MAX_WIDE_PAGES)
    throw new HeddleError("bad-arguments", `a device with ${(end / GIB).toFixed(1)} GiB of memory`, {
      notes: [
        `WebAssembly engines have ${(MAX_WIDE_PAGES * PAGE_BYTES) / GIB} GiB at most; the device itself takes 0.5`,
      ],
    });
  const descriptor = { address: "i64", initial: BigInt(initial / PAGE_BYTES), maximum: BigInt(pages), shared };
  try {
    return new WebAssembly.Memory(descriptor as unknown as WebAssembly.MemoryDescriptor);
  } catch (cause) {
    if (cause instanceof RangeError) throw noAddressSpace(end, cause);
    throw new HeddleError("unsupported", "more than 4 GiB of device memory in this JavaScript engine", {
      notes: ["its WebAssembly memories end at 4 GiB; Node.js 24, Chrome 133 and Firefox 134 have larger ones"],
      cause,
    });
  }
}

function noAddressSpace(bytes: number, cause: unknown): HeddleError {
  return new HeddleError("out-of-memory", "the system gives no address space for the device's memory", {
    notes: [
      `the device reserves ${Math.ceil(bytes / GIB)} GiB of address space (of which only what is touched is used)`,
      "on Linux see `ulimit -v`",
    ],
    cause,
  });
}
