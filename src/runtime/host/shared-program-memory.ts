/**
 * The memory of a program. One with threads imports its memory, so that its instances share it.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { ImportedMemory } from "../../wasm/import-types.ts";

/** The memory of a module of its own, because JavaScript's names for 64-bit memories differ from engine to engine. */
export function makeSharedMemory({ isWide, initial, maximum }: ImportedMemory): WebAssembly.Memory {
  const limits = [isWide ? 7 : 3, ...uleb(initial), ...uleb(maximum ?? 65536)];
  const bytes = Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // magic, version
      [5, limits.length + 1, 1, ...limits], // one memory, shared
      [7, 5, 1, 1, 0x6d, 2, 0], // exports: "m"
    ].flat(),
  );
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return exports["m"] as WebAssembly.Memory;
}

function uleb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return bytes;
  }
}

/** What `make` makes. @throws HeddleError "out-of-memory" where the system gives it no memory */
export function withProgramMemory<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    // A stack that is too deep is a RangeError, too.
    if (!(cause instanceof RangeError) || !/memory/i.test(cause.message)) throw cause;
    throw new HeddleError("out-of-memory", "the system gives no address space for the program's memory", {
      notes: [
        "JavaScript engines reserve up to 24 GiB of addresses, of which only what is touched is used: `ulimit -v`",
      ],
      cause,
    });
  }
}
