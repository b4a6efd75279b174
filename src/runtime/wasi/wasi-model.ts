/** What WASI calls work with: the options of a program, and its open files. */
import type { HostFile, HostFileKind, HostFiles, HostStreams } from "../host/host-files.ts";
import type { HostMemory } from "../host/host-memory.ts";

export interface WasiOptions {
  readonly memory: HostMemory;
  /** The program's own name first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: HostFiles;
  readonly streams: HostStreams;
  /** One line for the user, such as why a file was refused. Said once per text. */
  readonly note: (line: string) => void;
  /** Blocks the thread. */
  readonly sleepMs: (milliseconds: number) => void;
  /** Closes a descriptor that is no file. false: nobody knows it. */
  readonly closeOther?: ((fd: number) => boolean) | undefined;
}

/** A function with WebAssembly's values: i32 and floats are numbers, i64 are bigints. */
export type WasmFunction = (...values: never[]) => number | bigint | void;

export interface StreamDescriptor {
  readonly kind: "stdin" | "stdout" | "stderr";
  flags: number;
}

export interface DirectoryDescriptor {
  readonly kind: "directory";
  readonly path: string;
  readonly preopen: string | null;
  flags: number;
}

export interface FileDescriptor {
  readonly kind: "file";
  readonly file: HostFile;
  readonly type: HostFileKind;
  /** Where the next read or write begins; unused for what has no positions. */
  position: number;
  flags: number;
}

export type Descriptor = StreamDescriptor | DirectoryDescriptor | FileDescriptor;
