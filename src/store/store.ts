/**
 * Results of compilations, cached by content.
 *
 * A key covers what is known before a compilation: compiler, headers, flags, the source's text. Which files it reads is
 * known only afterwards. So an entry lists the user's files that were read, with the hash of each, and the paths that
 * were not found. The entry is used only while all of that still holds.
 */
import { concatenate } from "../base/bytes.ts";
import type { Dependencies, SourceReader } from "./source-reader.ts";

/** A store of blobs by key. `get` returns null for what is absent or damaged; both may be called concurrently. */
export interface BlobStore {
  get(key: string): Promise<Uint8Array | null>;
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** A store that answers at once, for callers that cannot wait. */
export interface SyncStore {
  get(key: string): Uint8Array | null;
  put(key: string, bytes: Uint8Array): void;
}

/** Where our own compilers keep their results from run to run. */
export interface ContentCache {
  readonly store: SyncStore;
  readonly hash: Hash;
  /** Changes with the code of our compilers: a key has it. */
  readonly version: string;
}

/** A key that covers the compilers and the parts, which survive JSON. */
export function contentKey(
  { hash, version }: Pick<ContentCache, "hash" | "version">,
  parts: readonly unknown[],
): string {
  return hash(new TextEncoder().encode(JSON.stringify([version, ...parts])));
}

/** For browsers without storage, and for tests. */
export function memoryStore(): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    get: async (key) => blobs.get(key) ?? null,
    put: async (key, bytes) => {
      blobs.set(key, bytes);
    },
  };
}

export type Hash = (bytes: Uint8Array) => string;

/** A result's parts by name; text parts are UTF-8. */
export type Parts = ReadonlyMap<string, Uint8Array>;

interface EntryHeader {
  readonly read: readonly (readonly [path: string, hash: string])[];
  readonly missing: readonly string[];
  readonly parts: readonly (readonly [name: string, length: number])[];
}

/** u32 length of the header, header as JSON, the parts one after the other. */
export function encodeEntry(parts: Parts, dependencies: Dependencies | null, hash: Hash): Uint8Array {
  const header: EntryHeader = {
    read: [...(dependencies?.read ?? [])].map(([path, bytes]) => [path, hash(bytes)]),
    missing: [...(dependencies?.missing ?? [])],
    parts: [...parts].map(([name, bytes]) => [name, bytes.length]),
  };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, json.length, true);
  return concatenate([length, json, ...parts.values()]);
}

/** The entry's parts, or null when a file it depends on has changed, gone or appeared. */
export function decodeEntry(entry: Uint8Array, reader: SourceReader | null, hash: Hash): Parts | null {
  const headerLength = new DataView(entry.buffer, entry.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(entry.subarray(4, 4 + headerLength))) as EntryHeader;
  for (const [path, expected] of header.read) {
    const bytes = reader?.readFile(path) ?? null;
    if (bytes === null || hash(bytes) !== expected) return null;
  }
  for (const path of header.missing)
    if (reader !== null && (reader.readFile(path) !== null || reader.isDirectory(path))) return null;
  const parts = new Map<string, Uint8Array>();
  let offset = 4 + headerLength;
  for (const [name, length] of header.parts) {
    parts.set(name, entry.subarray(offset, offset + length));
    offset += length;
  }
  return parts;
}
