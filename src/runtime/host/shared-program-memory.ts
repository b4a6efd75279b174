/** The memory of a program with threads: the program imports it, so that its instances share it. */
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
