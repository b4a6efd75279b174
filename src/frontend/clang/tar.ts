/**
 * Reads the index of a ustar archive without copying it: the compiler's headers and libraries come in one. Implements
 * the ustar interchange format of POSIX.1-1988 (pax extensions and links are not used by the package and are refused).
 */
import { bug } from "../../base/diagnostics.ts";

const BLOCK = 512;

function text(bytes: Uint8Array, from: number, length: number): string {
  let end = from;
  while (end < from + length && bytes[end] !== 0) end++;
  return new TextDecoder().decode(bytes.subarray(from, end));
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
