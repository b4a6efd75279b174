/**
 * The program of an extension as one entry of the cache. Without it an extension that has not changed is still put
 * together from its objects: each is read, searched for calls of libraries, and hashed to find what was linked.
 */
import { bug } from "../base/diagnostics.ts";
import type { CompiledProgram } from "../program/compiled-program.ts";
import type { TextProgram } from "../program/device-program.ts";
import { contentKey, decodeEntry, encodeEntry, type ContentCache } from "../store/store.ts";

/** Increment this when the meaning of an entry changes. */
const FORMAT = "extension's program 1";

interface About {
  readonly device: readonly TextProgram[];
  readonly warnings: string;
}

/** @param parts all that the program is made of, as they survive JSON */
export async function cachedProgram(
  cache: ContentCache,
  parts: readonly unknown[],
  make: () => Promise<CompiledProgram>,
): Promise<CompiledProgram> {
  const { store, hash } = cache;
  const key = contentKey(cache, [FORMAT, ...parts]);
  const entry = store.get(key);
  const known = entry === null ? null : decodeEntry(entry, null, hash);
  if (known !== null) {
    const [about, wasm] = [known.get("about"), known.get("wasm")];
    if (about === undefined || wasm === undefined) bug("a cache entry without its parts");
    const { device, warnings } = JSON.parse(new TextDecoder().decode(about)) as About;
    return { device, host: { wasm }, warnings };
  }
  const made = await make();
  const { host, warnings } = made;
  if (host === null) bug("an extension without its host side");
  const device = made.device.map(({ ir, name, options }) => ({ ir, name, options }));
  const about = new TextEncoder().encode(JSON.stringify({ device, warnings } satisfies About));
  store.put(
    key,
    encodeEntry(
      new Map([
        ["about", about],
        ["wasm", host.wasm],
      ]),
      null,
      hash,
    ),
  );
  return made;
}
