/**
 * Foreign calls: a shared library and its functions, through koffi. The package is loaded with the first library that
 * is opened, so that whoever never asks for a GPU pays nothing for it.
 */
import { createRequire } from "node:module";
import { HeddleError, bug } from "../../base/diagnostics.ts";

type Koffi = typeof import("koffi");

/**
 * Pointers and handles may be numbers, bigints, views of the bytes they point at, or null. Texts become C strings for
 * the call.
 */
export type ForeignValue = number | bigint | string | ArrayBufferView | ArrayBuffer | null;
export type ForeignFunction = (...values: ForeignValue[]) => number;

/**
 * Types as C names them; "ptr" is any pointer or handle of pointer size, given as a number; "buffer" is what a view
 * points at.
 */
export type ForeignType = "void" | "int" | "uint32" | "uint64" | "float" | "double" | "ptr" | "buffer" | "text";

/**
 * What C calls them, in koffi's words. Handles go as integers: they are never looked into, and a number is the fastest
 * to hand over.
 */
const KOFFI_TYPES: Readonly<Record<ForeignType, string>> = {
  void: "void",
  int: "int",
  uint32: "uint32",
  uint64: "uint64",
  float: "float",
  double: "double",
  ptr: "uintptr",
  buffer: "void *",
  text: "str",
};

let loaded: Koffi | null = null;

function koffi(): Koffi {
  if (loaded !== null) return loaded;
  try {
    loaded = createRequire(import.meta.url)("koffi") as Koffi;
  } catch (cause) {
    throw new HeddleError(
      "no-device",
      "the package koffi, through which Heddle calls the GPU's driver, cannot be loaded here",
      { notes: [(cause as Error).message.split("\n")[0] as string], cause },
    );
  }
  return loaded;
}

export class ForeignLibrary {
  /** As it was opened: a path, or a name that the system's loader found. */
  readonly path: string;
  readonly #handle: ReturnType<Koffi["load"]>;

  /** @throws Error with the loader's words when there is no such library. */
  constructor(path: string) {
    this.path = path;
    this.#handle = koffi().load(path);
  }

  /** null when the library has no such function. */
  find(name: string, result: ForeignType, parameters: readonly ForeignType[]): ForeignFunction | null {
    try {
      return this.#handle.func(
        name,
        KOFFI_TYPES[result],
        parameters.map((type) => KOFFI_TYPES[type]),
      ) as unknown as ForeignFunction;
    } catch {
      return null;
    }
  }
}

/** Parameters of functions by name. All of them return int, a status. */
export type Signatures = Readonly<Record<string, readonly ForeignType[]>>;

/** The functions of a library by name, each looked up when it is first asked for. */
export class ForeignFunctions {
  readonly #library: ForeignLibrary;
  readonly #signatures: Signatures;
  readonly #missing: (name: string) => Error;
  readonly #bound = new Map<string, ForeignFunction>();

  /** @param missing what to throw when the library does not have a function. */
  constructor(library: ForeignLibrary, signatures: Signatures, missing: (name: string) => Error) {
    this.#library = library;
    this.#signatures = signatures;
    this.#missing = missing;
  }

  get(name: string): ForeignFunction {
    let found = this.#bound.get(name) ?? null;
    if (found !== null) return found;
    found = this.#library.find(name, "int", this.#signatures[name] ?? bug(`no signature of ${name}`));
    if (found === null) throw this.#missing(name);
    this.#bound.set(name, found);
    return found;
  }
}

/**
 * Where the bytes of a buffer lie. It must stay referenced for as long as the address is used; an ArrayBuffer of its
 * own does not move.
 */
export function addressOf(bytes: ArrayBufferLike | ArrayBufferView): number {
  // koffi takes no SharedArrayBuffer, which the memory of a program with threads is, but views of one.
  return Number(koffi().address(ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes)));
}

/** The bytes at a foreign address. They are valid only while the library holds them, so copy what must stay. */
export function bytesAt(address: number, length: number): Uint8Array {
  return new Uint8Array(koffi().view(BigInt(address), length));
}

/** The C string at a foreign address. */
export function textAt(address: number): string {
  return koffi().decode.string(BigInt(address));
}
