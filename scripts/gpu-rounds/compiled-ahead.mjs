// What programs compile while they run, as a cache that travels: there is no compiler on the machine with the GPU.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LP64 = "lp64";
/** A cache marks what it reads as used today, if that was longer ago than a day. */
const LONG_AGO = new Date(Date.now() - 48 * 3600 * 1000);

/** A cache with nothing in it but the C library of 64-bit programs, which `heddle setup` has built. */
async function freshCache() {
  const { cacheDirectory } = await import("../../dist/store/disk-store-node.js");
  const folder = mkdtempSync(join(tmpdir(), "heddle-ahead-"));
  const library = join(cacheDirectory(), LP64);
  if (existsSync(library)) symlinkSync(library, join(folder, LP64));
  return folder;
}

/** The files of a cache, as paths in it. */
const entries = (cache) =>
  readdirSync(cache)
    .filter((name) => /^[\da-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(cache, name)).map((key) => join(name, key)));

export class CompiledAhead {
  /** @param to the folder of the cache that travels */
  constructor(to) {
    this.to = to;
    this.all = null;
  }

  /**
   * Runs a program twice. The first run compiles; what the second one reads is all that a run needs.
   * @param run runs it with a cache
   * @returns what the first run returned
   */
  async add(run) {
    this.all ??= freshCache();
    const all = await this.all;
    const result = await run(all);
    const own = await freshCache();
    try {
      for (const path of entries(all)) {
        mkdirSync(join(own, path, ".."), { recursive: true });
        cpSync(join(all, path), join(own, path));
        utimesSync(join(own, path), LONG_AGO, LONG_AGO);
      }
      await run(own);
      const isUsed = (path) => statSync(join(own, path)).mtimeMs > LONG_AGO.getTime() + 3600 * 1000;
      for (const path of entries(own).filter(isUsed)) {
        mkdirSync(join(this.to, path, ".."), { recursive: true });
        cpSync(join(own, path), join(this.to, path));
      }
    } finally {
      rmSync(own, { recursive: true });
    }
    return result;
  }

  async close() {
    if (this.all !== null) rmSync(await this.all, { recursive: true });
  }
}
