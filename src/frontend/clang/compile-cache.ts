/**
 * Results of the compiler, cached by content: in the process for what every compilation shares, in the store for all.
 */
import { LP64_REVISION } from "./targets.ts";
import type { ClangResources, OwnDirectory } from "./clang.ts";
import { decodeEntry, encodeEntry } from "../../store/store.ts";
import type { BlobStore, Hash, Parts } from "../../store/store.ts";
import type { Dependencies, SourceReader } from "../../store/source-reader.ts";

export class CompileCache {
  readonly store: BlobStore;
  readonly hash: Hash;
  readonly #resources: ClangResources;
  readonly #fingerprints: Map<OwnDirectory, Promise<string>> = new Map();
  readonly #shared: Map<string, Promise<Parts>> = new Map();

  constructor(resources: ClangResources, store: BlobStore, hash: Hash) {
    this.#resources = resources;
    this.store = store;
    this.hash = hash;
  }

  /** A key that covers the compiler, its C libraries, these of our directories, and the parts. */
  async key(directories: readonly OwnDirectory[], ...parts: readonly (string | Uint8Array)[]): Promise<string> {
    const fingerprints: string[] = [];
    for (const directory of directories) {
      let fingerprint = this.#fingerprints.get(directory);
      if (fingerprint === undefined)
        this.#fingerprints.set(directory, (fingerprint = this.#resources.fingerprint(directory)));
      fingerprints.push(await fingerprint);
    }
    const digests = parts.map((part) => this.hash(typeof part === "string" ? new TextEncoder().encode(part) : part));
    return this.hash(new TextEncoder().encode([LP64_REVISION, ...fingerprints, ...digests].join("\n")));
  }

  /** Whether `cached` has a result without making it. */
  async has(key: string, reader: SourceReader | null): Promise<boolean> {
    const entry = await this.store.get(key);
    return entry !== null && decodeEntry(entry, reader, this.hash) !== null;
  }

  /** The stored result of `make`, made if it is absent or stale. */
  async cached(
    key: string,
    reader: SourceReader | null,
    make: () => Promise<{ parts: Parts; dependencies: Dependencies | null }>,
  ): Promise<Parts> {
    const entry = await this.store.get(key);
    const found = entry === null ? null : decodeEntry(entry, reader, this.hash);
    if (found !== null) return found;
    const { parts, dependencies } = await make();
    await this.store.put(key, encodeEntry(parts, dependencies, this.hash));
    return parts;
  }

  /** Results that depend on no file of the user: made once in a process, cached in the store. */
  shared(name: string, directories: readonly OwnDirectory[], make: () => Promise<Parts>): Promise<Parts> {
    let parts = this.#shared.get(name);
    if (parts === undefined) {
      parts = this.key(directories, "shared", name).then((key) =>
        this.cached(key, null, async () => ({ parts: await make(), dependencies: null })),
      );
      this.#shared.set(name, parts);
    }
    return parts;
  }

  /** Whether `shared` with this name has something to give without making it. */
  async found(name: string, directories: readonly OwnDirectory[]): Promise<boolean> {
    if (this.#shared.has(name)) return true;
    const entry = await this.store.get(await this.key(directories, "shared", name));
    const parts = entry === null ? null : decodeEntry(entry, null, this.hash);
    if (parts !== null) this.#shared.set(name, Promise.resolve(parts));
    return parts !== null;
  }

  /** The next call of `shared` with this name asks the store. */
  release(name: string): void {
    this.#shared.delete(name);
  }
}
