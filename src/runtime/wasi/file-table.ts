/**
 * The open files of a host program: 0 to 2 are the standard streams, from 3 on the roots (preopened directories), then
 * the rest.
 */
import { Errno, HostFileError } from "../host/host-files.ts";
import type { HostFiles } from "../host/host-files.ts";
import type { HostMemory } from "../host/host-memory.ts";
import type { WasiOptions } from "./wasi-model.ts";
import type { DirectoryDescriptor, FileDescriptor, Descriptor } from "./wasi-model.ts";

/** What the file and path calls work with. */
export interface WasiContext extends WasiOptions {
  readonly memory: HostMemory;
  readonly table: FileTable;
}

const MAX_OPEN_FILES = 1024;

export class FileTable {
  readonly #descriptors: (Descriptor | null)[] = [
    { kind: "stdin", flags: 0 },
    { kind: "stdout", flags: 0 },
    { kind: "stderr", flags: 0 },
  ];

  constructor(files: HostFiles) {
    for (const root of files.roots) this.#descriptors.push({ kind: "directory", path: root, preopen: root, flags: 0 });
  }

  get(fd: number): Descriptor {
    const descriptor = this.#descriptors[fd];
    if (descriptor === undefined || descriptor === null)
      throw new HostFileError(Errno.badf, `file descriptor ${fd} is not open`);
    return descriptor;
  }

  file(fd: number): FileDescriptor {
    const descriptor = this.get(fd);
    if (descriptor.kind === "directory") throw new HostFileError(Errno.isdir, `file descriptor ${fd} is a directory`);
    if (descriptor.kind !== "file") throw new HostFileError(Errno.spipe, `file descriptor ${fd} is a stream`);
    return descriptor;
  }

  directory(fd: number): DirectoryDescriptor {
    const descriptor = this.get(fd);
    if (descriptor.kind !== "directory")
      throw new HostFileError(Errno.notdir, `file descriptor ${fd} is not a directory`);
    return descriptor;
  }

  add(descriptor: Descriptor): number {
    let fd = this.#descriptors.indexOf(null, 3);
    if (fd < 0) fd = this.#descriptors.length;
    if (fd >= MAX_OPEN_FILES) throw new HostFileError(Errno.mfile, "too many open files");
    this.#descriptors[fd] = descriptor;
    return fd;
  }

  close(fd: number): void {
    const descriptor = this.get(fd);
    this.#descriptors[fd] = null;
    if (descriptor.kind === "file") descriptor.file.close();
  }

  renumber(from: number, to: number): void {
    const descriptor = this.get(from);
    this.get(to);
    if (from === to) return;
    this.close(to);
    this.#descriptors[to] = descriptor;
    this.#descriptors[from] = null;
  }
}
