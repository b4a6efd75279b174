/**
 * The blob that a host object carries for its device code, in place of nvcc's fat binary: the device IR itself, so that an
 * object file or an executable is complete and a linker needs no knowledge of us.
 *
 *   offset 0   8 bytes   "HEDDLE01"
 *          8   u32       length of the description, in bytes
 *         12   u32       length of the IR, in bytes
 *         16   …         description: JSON { id, name, fmad }
 *          …   …         LLVM IR, UTF-8
 *
 * At run time `__cudaRegisterFatBinary(wrapper)` passes { magic u32, version u32, pointer to this blob, unused }.
 */
import { bug } from "../../base/diagnostics.ts";
import type { DeviceProgram } from "../../device/device.ts";
import { concatenate } from "./compiler-wasi.ts";

/** What a blob begins with. */
export const FAT_BINARY_MAGIC = "HEDDLE01";
const HEADER_BYTES = 16;

/** A translation unit's device code; `id` tells units apart that have the same name. */
export interface FatBinary { readonly id: string; readonly program: DeviceProgram }

export function encodeFatBinary({ id, program }: FatBinary): Uint8Array {
  const description = new TextEncoder().encode(JSON.stringify({ id, name: program.name, fmad: program.options.fmad }));
  const ir = new TextEncoder().encode(program.ir);
  const header = new Uint8Array(HEADER_BYTES);
  header.set(new TextEncoder().encode(FAT_BINARY_MAGIC));
  new DataView(header.buffer).setUint32(8, description.length, true);
  new DataView(header.buffer).setUint32(12, ir.length, true);
  return concatenate([header, description, ir]);
}

/** Bytes of the blob that starts at `offset`. */
export function fatBinaryLength(bytes: Uint8Array, offset: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  return HEADER_BYTES + view.getUint32(8, true) + view.getUint32(12, true);
}

export function decodeFatBinary(bytes: Uint8Array, offset = 0): FatBinary {
  const text = (from: number, length: number): string => new TextDecoder().decode(bytes.slice(from, from + length));
  if (text(offset, 8) !== FAT_BINARY_MAGIC) bug("a fat binary without its magic number");
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  const descriptionBytes = view.getUint32(8, true);
  const description = JSON.parse(text(offset + HEADER_BYTES, descriptionBytes)) as { id: string; name: string; fmad: boolean };
  const ir = text(offset + HEADER_BYTES + descriptionBytes, view.getUint32(12, true));
  return { id: description.id, program: { ir, name: description.name, options: { fmad: description.fmad } } };
}
