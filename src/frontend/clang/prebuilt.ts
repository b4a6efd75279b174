/**
 * Results that every first compilation needs come with the package: precompiled headers, the device library, the host
 * library's objects. scripts/prebuild.mjs writes them to dist/prebuilt, under the keys of the compile cache. A changed
 * header has another key, so nothing stale is used.
 */
import type { BlobStore } from "../../store/store.ts";

/** Bytes of SHA-256 before an entry's contents, as disk-store-node.ts writes files. */
export const ENTRY_DIGEST_BYTES = 32;

/** Where an entry lies, relative to the store's directory. */
export function entryPath(key: string): string {
  return `${key.slice(0, 2)}/${key}`;
}

/** Reads from `fixed` first, writes to `own` only. */
export function storeOver(fixed: Pick<BlobStore, "get">, own: BlobStore): BlobStore {
  return {
    get: async (key) => (await fixed.get(key)) ?? own.get(key),
    put: (key, bytes) => own.put(key, bytes),
  };
}
