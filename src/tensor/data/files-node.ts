/** Checkpoints and safetensors in files. A file is replaced as a whole: an interrupted save leaves the old one. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { HeddleError } from "../../base/diagnostics.ts";
import type { Gpu } from "../../library/gpu.ts";
import type { Tensor } from "../tensor.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";
import { decodeSafetensors, encodeSafetensors, type SafetensorsFile } from "./safetensors.ts";

function write(path: string, bytes: Uint8Array): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(beside, "w");
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, Math.min(bytes.length - at, 1 << 30));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
  } catch (cause) {
    try {
      unlinkSync(beside);
    } catch {
      // It was not made.
    }
    throw new HeddleError("bad-arguments", `${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

function read<T>(path: string, decode: (bytes: Uint8Array) => T): T {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new HeddleError("bad-arguments", `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  try {
    return decode(bytes);
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    throw new HeddleError(error.code, `${path}: ${error.message}`, { notes: error.notes, cause: error });
  }
}

/** Saves objects and arrays with tensors in them: `save({ model: net.stateDict(), epoch: 3 }, "net.safetensors")`. */
export function save(value: unknown, path: string): void {
  write(path, encodeCheckpoint(value));
}

/** What `save` was given. @param device where tensors go; default: the device that was opened last */
export function load(path: string, device?: Gpu | null): unknown {
  return read(path, (bytes) => decodeCheckpoint(bytes, device));
}

export function saveSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  path: string,
  metadata: Readonly<Record<string, string>> = {},
): void {
  write(path, encodeSafetensors(tensors, metadata));
}

export function loadSafetensors(path: string, device?: Gpu | null): SafetensorsFile {
  return read(path, (bytes) => decodeSafetensors(bytes, device));
}
