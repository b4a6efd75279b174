/**
 * Files as one: the length of a header in 4 bytes, the header (JSON: paths and sizes), and their contents; compressed
 * by gzip when it travels. It is named by the SHA-256 of what is compressed, so that what another machine has is not
 * uploaded again. `agent.ts` unpacks it.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** Where a file lies here, by its path in the pack. */
export type PackedFiles = ReadonlyMap<string, string>;

export interface Pack {
  readonly hash: string;
  /** Compressed. */
  bytes(): Buffer;
}

export interface PackHeader {
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly executable: boolean }[];
}

export function makePack(files: PackedFiles): Pack {
  const sorted = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, source]) => ({
      path,
      content: readFileSync(source),
      executable: (statSync(source).mode & 0o100) !== 0,
    }));
  const header: PackHeader = {
    files: sorted.map(({ path, content, executable }) => ({ path, bytes: content.length, executable })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const whole = Buffer.concat([length, text, ...sorted.map(({ content }) => content)]);
  return { hash: createHash("sha256").update(whole).digest("hex"), bytes: () => gzipSync(whole) };
}
