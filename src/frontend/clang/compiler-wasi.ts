/**
 * The part of WASI preview 1 that the compiler's module imports, over VirtualFiles: argument list, clocks, and files.
 * One object serves one run. Not the WASI that host programs see (that is runtime/): nothing here blocks, sleeps or is
 * interactive.
 *
 * Specification: WebAssembly/WASI, legacy/preview1/docs.md.
 */
import { normalizePath } from "./virtual-files.ts";
import type { VirtualEntry, VirtualFiles } from "./virtual-files.ts";
import { concatenate } from "../../base/bytes.ts";

const OK = 0;
const EBADF = 8;
const EEXIST = 20;
const EINVAL = 28;
const EISDIR = 31;
const ENOENT = 44;
const ENOSYS = 52;
const ENOTDIR = 54;

const FILETYPE_CHARACTER = 2;
const FILETYPE_DIRECTORY = 3;
const FILETYPE_REGULAR = 4;

const ROOT_FD = 3;

/** Thrown by proc_exit to leave the module. */
export class CompilerExit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

interface OpenFile {
  readonly entry: VirtualEntry;
  position: number;
  /** Bytes in use of `entry.bytes`, which grows by doubling while it is written. */
  length: number;
  readonly append: boolean;
  written: boolean;
}

export class CompilerWasi {
  readonly imports: WebAssembly.ModuleImports;
  memory: WebAssembly.Memory | null = null;
  readonly #files: VirtualFiles;
  readonly #args: Uint8Array[];
  readonly #open: Map<number, OpenFile> = new Map();
  readonly #output: { stdout: Uint8Array[]; stderr: Uint8Array[] } = { stdout: [], stderr: [] };
  #nextFd = 4;

  constructor(args: readonly string[], files: VirtualFiles) {
    this.#files = files;
    this.#args = args.map((argument) => new TextEncoder().encode(`${argument}\0`));
    this.imports = this.#makeImports();
  }

  get stdout(): Uint8Array {
    return concatenate(this.#output.stdout);
  }
  get stderr(): string {
    return new TextDecoder().decode(concatenate(this.#output.stderr));
  }

  #view(): DataView {
    return new DataView((this.memory as WebAssembly.Memory).buffer);
  }
  #bytes(): Uint8Array {
    return new Uint8Array((this.memory as WebAssembly.Memory).buffer);
  }
  #path(pointer: number, length: number): string {
    return new TextDecoder().decode(this.#bytes().slice(pointer, pointer + length));
  }
  #resolve(fd: number, pointer: number, length: number): string | null {
    const path = this.#path(pointer, length);
    if (fd === ROOT_FD) return normalizePath(path);
    const directory = this.#open.get(fd)?.entry;
    return directory?.kind === "directory" ? normalizePath(`${directory.path}/${path}`) : null;
  }

  #writeStat(pointer: number, type: number, id: bigint, size: number): number {
    const view = this.#view();
    view.setBigUint64(pointer, 1n, true);
    view.setBigUint64(pointer + 8, id, true);
    view.setBigUint64(pointer + 16, BigInt(type), true);
    view.setBigUint64(pointer + 24, 1n, true);
    view.setBigUint64(pointer + 32, BigInt(size), true);
    for (let time = 40; time < 64; time += 8) view.setBigUint64(pointer + time, 0n, true);
    return OK;
  }

  #statEntry(pointer: number, entry: VirtualEntry, length?: number): number {
    return entry.kind === "file"
      ? this.#writeStat(pointer, FILETYPE_REGULAR, entry.id, length ?? entry.size ?? entry.bytes.length)
      : this.#writeStat(pointer, FILETYPE_DIRECTORY, entry.id, 0);
  }

  #openPath(
    directoryFd: number,
    pathPointer: number,
    pathLength: number,
    flags: number,
    fdFlags: number,
    result: number,
  ): number {
    const path = this.#resolve(directoryFd, pathPointer, pathLength);
    if (path === null) return EBADF;
    const [create, directory, exclusive, truncate] = [flags & 1, flags & 2, flags & 4, flags & 8];
    const existing = this.#files.lookup(path);
    if (existing !== null && create && exclusive) return EEXIST;
    if (existing === null && !create) return ENOENT;
    const entry: VirtualEntry =
      existing === null || (truncate && existing.kind === "file") ? this.#files.put(path, new Uint8Array(0)) : existing;
    if (directory && entry.kind !== "directory") return ENOTDIR;
    const fd = this.#nextFd++;
    this.#open.set(fd, {
      entry,
      position: 0,
      length: entry.kind === "file" ? (entry.size ?? entry.bytes.length) : 0,
      append: (fdFlags & 1) !== 0,
      written: false,
    });
    this.#view().setUint32(result, fd, true);
    return OK;
  }

  #read(fd: number, iovs: number, count: number, result: number, at: number | null): number {
    const view = this.#view();
    let total = 0;
    if (fd > 2) {
      const file = this.#open.get(fd);
      if (file === undefined) return EBADF;
      if (file.entry.kind !== "file") return EISDIR;
      let position = at ?? file.position;
      const memory = this.#bytes();
      for (let i = 0; i < count; i++) {
        const target = view.getUint32(iovs + i * 8, true);
        const wanted = Math.min(view.getUint32(iovs + i * 8 + 4, true), file.length - position);
        if (wanted <= 0) break;
        memory.set(file.entry.bytes.subarray(position, position + wanted), target);
        position += wanted;
        total += wanted;
      }
      if (at === null) file.position = position;
    }
    view.setUint32(result, total, true);
    return OK;
  }

  #write(fd: number, iovs: number, count: number, result: number): number {
    const view = this.#view();
    let total = 0;
    for (let i = 0; i < count; i++) {
      const from = view.getUint32(iovs + i * 8, true);
      const length = view.getUint32(iovs + i * 8 + 4, true);
      const bytes = this.#bytes().subarray(from, from + length);
      if (fd === 1 || fd === 2) this.#output[fd === 1 ? "stdout" : "stderr"].push(bytes.slice());
      else {
        const file = this.#open.get(fd);
        if (file?.entry.kind !== "file") return EBADF;
        if (file.append) file.position = file.length;
        const end = file.position + length;
        if (end > file.entry.bytes.length) {
          const grown = new Uint8Array(Math.max(end, file.entry.bytes.length * 2, 4096));
          grown.set(file.entry.bytes.subarray(0, file.length));
          file.entry.bytes = grown;
        }
        file.entry.bytes.set(bytes, file.position);
        file.position = end;
        file.length = Math.max(file.length, end);
        file.written = true;
      }
      total += length;
    }
    view.setUint32(result, total, true);
    return OK;
  }

  #close(fd: number): number {
    const file = this.#open.get(fd);
    if (file === undefined) return fd <= ROOT_FD ? OK : EBADF;
    if (file.written && file.entry.kind === "file") file.entry.bytes = file.entry.bytes.subarray(0, file.length);
    this.#open.delete(fd);
    return OK;
  }

  /** Files that the module left open when it exited get their final length. */
  finish(): void {
    for (const fd of Array.from(this.#open.keys())) this.#close(fd);
  }

  #seek(fd: number, offset: bigint, whence: number, result: number): number {
    const file = this.#open.get(fd);
    if (file === undefined) return EBADF;
    // SEEK_SET, SEEK_CUR, SEEK_END
    const position = ([0, file.position, file.length][whence] ?? file.length) + Number(offset);
    if (position < 0) return EINVAL;
    file.position = position;
    this.#view().setBigUint64(result, BigInt(position), true);
    return OK;
  }

  #makeImports(): WebAssembly.ModuleImports {
    const args = this.#stringCalls(this.#args);
    const environment = this.#stringCalls([]);
    return {
      args_get: args.get,
      args_sizes_get: args.sizes,
      environ_get: environment.get,
      environ_sizes_get: environment.sizes,
      ...this.#fileCalls(),
      ...this.#pathCalls(),
      clock_time_get: (id: number, _precision: bigint, result: number): number => {
        const ms = id === 0 ? Date.now() : performance.now();
        this.#view().setBigUint64(result, BigInt(Math.floor(ms * 1000)) * 1000n, true);
        return OK;
      },
      poll_oneoff: (): number => ENOSYS,
      proc_exit: (code: number): never => {
        throw new CompilerExit(code);
      },
      random_get: (pointer: number, length: number): number => {
        // Names of temporary files only: a fixed sequence keeps the compiler's output reproducible.
        const bytes = this.#bytes();
        for (let i = 0; i < length; i++)
          bytes[pointer + i] = (this.#random = (Math.imul(this.#random, 1103515245) + 12345) >>> 0) >>> 16;
        return OK;
      },
    };
  }

  /** args_* and environ_*. */
  #stringCalls(list: readonly Uint8Array[]): {
    readonly sizes: (count: number, size: number) => number;
    readonly get: (pointers: number, buffer: number) => number;
  } {
    return {
      sizes: (count, size) => {
        const bytes = list.reduce((sum, item) => sum + item.length, 0);
        this.#view().setUint32(count, list.length, true);
        this.#view().setUint32(size, bytes, true);
        return OK;
      },
      get: (pointers, buffer) => {
        let at = buffer;
        list.forEach((item, i) => {
          this.#view().setUint32(pointers + i * 4, at, true);
          this.#bytes().set(item, at);
          at += item.length;
        });
        return OK;
      },
    };
  }

  #fileCalls(): WebAssembly.ModuleImports {
    return {
      fd_close: (fd: number): number => this.#close(fd),
      fd_fdstat_get: (fd: number, result: number): number => this.#writeDescriptorState(fd, result),
      fd_filestat_get: (fd: number, result: number): number => {
        if (fd < ROOT_FD) return this.#writeStat(result, FILETYPE_CHARACTER, 0n, 0);
        if (fd === ROOT_FD) return this.#writeStat(result, FILETYPE_DIRECTORY, 0n, 0);
        const file = this.#open.get(fd);
        return file === undefined ? EBADF : this.#statEntry(result, file.entry, file.length);
      },
      fd_filestat_set_size: (fd: number, size: bigint): number => {
        const file = this.#open.get(fd);
        if (file?.entry.kind !== "file") return EBADF;
        const resized = new Uint8Array(Number(size));
        resized.set(file.entry.bytes.subarray(0, Math.min(file.length, resized.length)));
        file.entry.bytes = resized;
        file.length = resized.length;
        file.written = true;
        return OK;
      },
      fd_filestat_set_times: (): number => OK,
      fd_pread: (fd: number, iovs: number, count: number, offset: bigint, result: number): number =>
        this.#read(fd, iovs, count, result, Number(offset)),
      fd_prestat_get: (fd: number, result: number): number => {
        if (fd !== ROOT_FD) return EBADF;
        this.#view().setUint32(result, 0, true);
        this.#view().setUint32(result + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd: number, pointer: number): number => {
        if (fd !== ROOT_FD) return EBADF;
        this.#bytes()[pointer] = 0x2f;
        return OK;
      },
      fd_read: (fd: number, iovs: number, count: number, result: number): number =>
        this.#read(fd, iovs, count, result, null),
      fd_readdir: (): number => ENOSYS,
      fd_seek: (fd: number, offset: bigint, whence: number, result: number): number =>
        this.#seek(fd, offset, whence, result),
      fd_write: (fd: number, iovs: number, count: number, result: number): number =>
        this.#write(fd, iovs, count, result),
    };
  }

  #writeDescriptorState(fd: number, result: number): number {
    const file = this.#open.get(fd);
    if (fd > ROOT_FD && file === undefined) return EBADF;
    const isDirectory = fd === ROOT_FD || file?.entry.kind === "directory";
    const type = isDirectory ? FILETYPE_DIRECTORY : FILETYPE_REGULAR;
    const view = this.#view();
    view.setUint8(result, fd < ROOT_FD ? FILETYPE_CHARACTER : type);
    view.setUint16(result + 2, file?.append ? 1 : 0, true);
    view.setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true);
    view.setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true);
    return OK;
  }

  #pathCalls(): WebAssembly.ModuleImports {
    return {
      path_create_directory: (): number => OK,
      path_filestat_get: (fd: number, _flags: number, pointer: number, length: number, result: number): number => {
        const path = this.#resolve(fd, pointer, length);
        const entry = path === null ? null : this.#files.lookup(path);
        return entry === null ? ENOENT : this.#statEntry(result, entry);
      },
      path_link: (): number => ENOSYS,
      path_open: (
        fd: number,
        _lookup: number,
        pointer: number,
        length: number,
        flags: number,
        _rights: bigint,
        _inheriting: bigint,
        fdFlags: number,
        result: number,
      ): number => this.#openPath(fd, pointer, length, flags, fdFlags, result),
      path_readlink: (): number => EINVAL,
      path_remove_directory: (): number => OK,
      path_rename: (
        fd: number,
        from: number,
        fromLength: number,
        toFd: number,
        to: number,
        toLength: number,
      ): number => {
        const source = this.#resolve(fd, from, fromLength);
        const target = this.#resolve(toFd, to, toLength);
        return source !== null && target !== null && this.#files.rename(source, target) ? OK : ENOENT;
      },
      path_symlink: (): number => ENOSYS,
      path_unlink_file: (fd: number, pointer: number, length: number): number => {
        const path = this.#resolve(fd, pointer, length);
        return path !== null && this.#files.remove(path) ? OK : ENOENT;
      },
    };
  }

  #random = 1;
}
