/**
 * Messages between a Python process and ours over two pipes: a frame is the length of a JSON text, the length of the
 * bytes behind it (both 32 bits, little-endian), the text, and the bytes that it refers to.
 */
import { readSync, writeSync } from "node:fs";

export interface Frame {
  readonly message: unknown;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const HEAD_BYTES = 8;
/** A pipe whose reader is slow, if it does not block. */
const RETRY_MS = 1;
const clock = new Int32Array(new SharedArrayBuffer(4));

function pause(): void {
  Atomics.wait(clock, 0, 0, RETRY_MS);
}

function isBusy(error: unknown): boolean {
  return (error as { readonly code?: string }).code === "EAGAIN";
}

/** False: the other side has closed the pipe. */
function readFully(descriptor: number, target: Uint8Array): boolean {
  let at = 0;
  while (at < target.length) {
    try {
      const count = readSync(descriptor, target, at, target.length - at, null);
      if (count === 0) return false;
      at += count;
    } catch (error) {
      if ((error as { readonly code?: string }).code === "EOF") return false;
      if (!isBusy(error)) throw error;
      pause();
    }
  }
  return true;
}

/** The next message; blocks until it is there. Null: the other side has ended. */
export function readFrame(descriptor: number): Frame | null {
  const head = new Uint8Array(HEAD_BYTES);
  if (!readFully(descriptor, head)) return null;
  const view = new DataView(head.buffer);
  const text = new Uint8Array(view.getUint32(0, true));
  const bytes = new Uint8Array(view.getUint32(4, true));
  if (!readFully(descriptor, text) || !readFully(descriptor, bytes)) return null;
  return { message: JSON.parse(new TextDecoder().decode(text)), bytes };
}

function writeAll(descriptor: number, source: Uint8Array): void {
  let at = 0;
  while (at < source.length) {
    try {
      at += writeSync(descriptor, source, at, source.length - at);
    } catch (error) {
      if (!isBusy(error)) throw error;
      pause();
    }
  }
}

export function writeFrame(descriptor: number, message: unknown, parts: readonly Uint8Array[]): void {
  const text = new TextEncoder().encode(JSON.stringify(message));
  const head = new Uint8Array(HEAD_BYTES + text.length);
  const view = new DataView(head.buffer);
  view.setUint32(0, text.length, true);
  view.setUint32(
    4,
    parts.reduce((sum, part) => sum + part.length, 0),
    true,
  );
  head.set(text, HEAD_BYTES);
  writeAll(descriptor, head);
  for (const part of parts) writeAll(descriptor, part);
}
