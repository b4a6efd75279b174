/**
 * The device code that a host object carries, in place of nvcc's fat binary: the device IR itself, so that an object
 * file or an executable is complete and a linker needs no knowledge of us.
 *
 * nvcc's objects hold the code among their data. Ours hold a reference of 72 bytes: "HEDDLE02" and the code's identity,
 * a SHA-256 in hexadecimal. The code is in a custom section of the object, "heddle.device", and the linker joins those
 * of all objects. So the host pass need not wait for the device pass: it embeds a reference to nothing, which is
 * replaced afterwards.
 *
 *   offset 0   8 bytes   "HEDDLE01"
 *          8   u32       length of the description, in bytes
 *         12   u32       length of the IR, in bytes
 *         16   …         description: JSON { id, name, fmad }
 *          …   …         LLVM IR, UTF-8
 *
 * A unit that has functions of the device alone registers nothing, and its host object has no reference. If other units
 * may call the functions (nvcc's -rdc=true), the code is in the section "heddle.functions".
 *
 * At run time `__cudaRegisterFatBinary(wrapper)` passes { magic u32, version u32, pointer to the reference, unused }.
 */
import { bug } from "../base/diagnostics.ts";
import type { TextProgram } from "./device-program.ts";
import { definesForOthers } from "./link-groups.ts";
import { concatenate } from "../base/bytes.ts";

/** The first bytes of device code. */
export const FAT_BINARY_MAGIC = "HEDDLE01";
const HEADER_BYTES = 16;
const SECTION = "heddle.device";
const FUNCTIONS_SECTION = "heddle.functions";
const REFERENCE_MAGIC = "HEDDLE02";
const ID_LENGTH = 64;
/** The reference that the host pass embeds. */
export const REFERENCE_TO_NOTHING: Uint8Array = new TextEncoder().encode(REFERENCE_MAGIC + "-".repeat(ID_LENGTH));

/** A translation unit's device code. Equal ids mean equal code. */
export interface FatBinary {
  readonly id: string;
  readonly program: TextProgram;
}

/** @param hash SHA-256 in hexadecimal. */
export function encodeFatBinary(program: TextProgram, hash: (bytes: Uint8Array) => string): Uint8Array {
  const encoder = new TextEncoder();
  const rest = { name: program.name, fmad: program.options.fmad };
  const ir = encoder.encode(program.ir);
  const id = hash(concatenate([encoder.encode(`${JSON.stringify(rest)}\n`), ir]));
  const description = encoder.encode(JSON.stringify({ id, ...rest }));
  const header = new Uint8Array(HEADER_BYTES);
  header.set(encoder.encode(FAT_BINARY_MAGIC));
  new DataView(header.buffer).setUint32(8, description.length, true);
  new DataView(header.buffer).setUint32(12, ir.length, true);
  return concatenate([header, description, ir]);
}

/** Bytes of the device code that starts at `offset`. */
function fatBinaryLength(bytes: Uint8Array, offset: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  return HEADER_BYTES + view.getUint32(8, true) + view.getUint32(12, true);
}

export function decodeFatBinary(bytes: Uint8Array, offset = 0): FatBinary {
  const text = (from: number, length: number): string => new TextDecoder().decode(bytes.slice(from, from + length));
  if (text(offset, 8) !== FAT_BINARY_MAGIC) bug("a fat binary without its magic number");
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset);
  const descriptionBytes = view.getUint32(8, true);
  const description = JSON.parse(text(offset + HEADER_BYTES, descriptionBytes)) as {
    id: string;
    name: string;
    fmad: boolean;
  };
  const ir = text(offset + HEADER_BYTES + descriptionBytes, view.getUint32(12, true));
  return { id: description.id, program: { ir, name: description.name, options: { fmad: description.fmad } } };
}

/**
 * A host object with its device code: the reference to nothing refers to it. One that has no kernels and no variables
 * of the device has no reference. It carries the code if others may need it, and else stays as it is.
 */
export function attachFatBinary(object: Uint8Array, fatBinary: Uint8Array): Uint8Array {
  const [at, second] = occurrences(object, REFERENCE_TO_NOTHING);
  if (second !== undefined) bug("a host object refers to its device code twice");
  const { id, program } = decodeFatBinary(fatBinary);
  if (at === undefined)
    return definesForOthers(program.ir) ? withSection(object, FUNCTIONS_SECTION, fatBinary) : object;
  const result = withSection(object, SECTION, fatBinary);
  result.set(new TextEncoder().encode(REFERENCE_MAGIC + id), at);
  return result;
}

function withSection(object: Uint8Array, name: string, content: Uint8Array): Uint8Array {
  const bytes = new TextEncoder().encode(name);
  const head = [Uint8Array.of(0), leb(1 + bytes.length + content.length), Uint8Array.of(bytes.length), bytes];
  return concatenate([object, ...head, content]);
}

/** The identity of the device code that a program in memory refers to. */
export function readReference(memory: Uint8Array, address: number): string {
  const text = new TextDecoder().decode(memory.slice(address, address + REFERENCE_TO_NOTHING.length));
  if (!text.startsWith(REFERENCE_MAGIC)) bug("a reference to device code without its magic number");
  return text.slice(REFERENCE_MAGIC.length);
}

/** The device code of a linked program that the program registers, by its identity. */
export function fatBinariesOf(module: WebAssembly.Module): ReadonlyMap<string, TextProgram> {
  return programsIn(module, SECTION);
}

/** The device code of a linked program that has functions alone. */
export function functionProgramsOf(module: WebAssembly.Module): readonly TextProgram[] {
  return [...programsIn(module, FUNCTIONS_SECTION).values()];
}

function programsIn(module: WebAssembly.Module, name: string): Map<string, TextProgram> {
  const programs = new Map<string, TextProgram>();
  for (const section of WebAssembly.Module.customSections(module, name)) {
    const bytes = new Uint8Array(section);
    for (let offset = 0; offset < bytes.length; offset += fatBinaryLength(bytes, offset)) {
      const { id, program } = decodeFatBinary(bytes, offset);
      programs.set(id, program);
    }
  }
  return programs;
}

/** Unsigned LEB128. */
export function leb(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, value]);
}

function occurrences(bytes: Uint8Array, wanted: Uint8Array): number[] {
  const found: number[] = [];
  const first = wanted[0] as number;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1))
    if (wanted.every((byte, i) => bytes[at + i] === byte)) found.push(at);
  return found;
}
