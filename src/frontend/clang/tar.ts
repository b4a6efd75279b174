/**
 * Reads the index of a ustar archive without copying it, and writes archives: the compiler's headers and libraries come
 * in one. Implements the ustar interchange format of POSIX.1-1988 (pax extensions and links are not used by the
 * packages and are refused).
 */
import { concatenate } from "../../base/bytes.ts";
import { bug } from "../../base/diagnostics.ts";

const BLOCK = 512;

function text(bytes: Uint8Array, from: number, length: number): string {
  let end = from;
  while (end < from + length && bytes[end] !== 0) end++;
  // A copy: browsers decode no memory that is shared.
  return new TextDecoder().decode(bytes.slice(from, end));
}

function octal(bytes: Uint8Array, from: number, length: number): number {
  const digits = text(bytes, from, length).trim();
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** Every regular file of the archive, as views of `archive`; names without a leading slash. */
export function* readTar(archive: Uint8Array): Generator<{ name: string; bytes: Uint8Array }> {
  let offset = 0;
  while (offset + BLOCK <= archive.length && archive[offset] !== 0) {
    const prefix = text(archive, offset + 257, 5) === "ustar" ? text(archive, offset + 345, 155) : "";
    const base = text(archive, offset, 100);
    const name = (prefix === "" ? base : `${prefix}/${base}`).replace(/^(\.?\/)+/, "");
    const size = octal(archive, offset + 124, 12);
    const type = archive[offset + 156];
    const start = offset + BLOCK;
    if (type === 0x30 || type === 0) yield { name, bytes: archive.subarray(start, start + size) };
    else if (type !== 0x35) bug(`tar entry ${name} has the unknown type ${type}`);
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** An archive of these files. */
export function writeTar(files: Iterable<{ readonly name: string; readonly bytes: Uint8Array }>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { name, bytes } of files) {
    parts.push(tarHeader(name, bytes.length), bytes);
    if (bytes.length % BLOCK !== 0) parts.push(new Uint8Array(BLOCK - (bytes.length % BLOCK)));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return concatenate(parts);
}

function tarHeader(name: string, size: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (at: number, value: string): void => header.set(new TextEncoder().encode(value), at);
  // A name longer than its field is cut at a slash; the beginning stands in the prefix.
  const cut = name.length <= 100 ? -1 : name.indexOf("/", name.length - 101);
  if (name.length > 100 && (cut < 0 || cut > 155)) bug(`the name ${name} does not fit into an archive`);
  put(0, name.slice(cut + 1));
  put(100, "0000644\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\x0000");
  if (cut >= 0) put(345, name.slice(0, cut));
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}
