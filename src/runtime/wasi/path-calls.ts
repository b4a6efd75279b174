/** WASI calls on paths (path_*). A path that leaves the roots is refused, with one note to the user that says why. */
import { Errno, HostFileError } from "../host/host-files.ts";
import type { HostFileKind, HostFiles } from "../host/host-files.ts";
import { FD_APPEND } from "./descriptor-operations.ts";
import { timesToSet, writeFilestat } from "./file-stat.ts";
import type { WasiContext } from "./file-table.ts";
import type { WasmFunction } from "./wasi-model.ts";

/** WASI `lookupflags`, `oflags` and the rights that say how a file is opened. */
const SYMLINK_FOLLOW = 1;
const O_CREAT = 1;
const O_DIRECTORY = 2;
const O_EXCL = 4;
const O_TRUNC = 8;
const RIGHT_READ: bigint = 1n << 1n;
const RIGHT_WRITE: bigint = 1n << 6n;

export function pathCalls(context: WasiContext): Record<string, WasmFunction> {
  const paths = new Paths(context);
  return {
    ...openCalls(context, paths),
    ...statCalls(context, paths),
    ...treeCalls(context, paths),
    ...linkCalls(context, paths),
  };
}

/** From the paths of a program to those of the host's files. */
class Paths {
  readonly #context: WasiContext;

  constructor(context: WasiContext) {
    this.#context = context;
  }

  /** @throws HostFileError "notcapable" for a path outside of the roots */
  resolve(fd: number, address: number, length: number): string {
    const { memory, table, files } = this.#context;
    const base = table.directory(fd).path;
    const path = memory.text(address, length);
    const joined = path.startsWith("/") || base === "." ? path : `${base}/${path}`;
    const admitted = files.admit(joined);
    if (admitted === null) {
      this.#explain(joined);
      throw new HostFileError(Errno.notcapable, `${joined} is outside the directories that the program may use`);
    }
    return admitted;
  }

  /**
   * An absolute path outside the roots arrives as one relative to ".". If nothing is there, a note says what the user
   * meant.
   */
  explainMissing(path: string, error: unknown): never {
    if (error instanceof HostFileError && error.errno === Errno.noent) this.#explain(path);
    throw error;
  }

  #explain(path: string): void {
    const reason = this.#context.files.explain(path);
    if (reason !== null) this.#context.note(reason);
  }
}

function openCalls({ memory, table, files }: WasiContext, paths: Paths): Record<string, WasmFunction> {
  return {
    path_open(
      fd: number,
      _lookup: number,
      pathAddress: number,
      pathLength: number,
      oflags: number,
      rights: bigint,
      _inheriting: bigint,
      fdflags: number,
      fdAddress: number,
    ): number {
      const path = paths.resolve(fd, pathAddress, pathLength);
      const kind = kindOf(files, path);
      if (kind === "directory") {
        const refusal = refusalOfDirectory(oflags, rights);
        if (refusal !== Errno.success) return refusal;
        memory.setU32(fdAddress, table.add({ kind: "directory", path, preopen: null, flags: fdflags }));
        return Errno.success;
      }
      if (kind !== null && (oflags & O_DIRECTORY) !== 0) return Errno.notdir;
      try {
        const file = files.open(path, {
          read: (rights & RIGHT_READ) !== 0n || (rights & RIGHT_WRITE) === 0n,
          write: (rights & RIGHT_WRITE) !== 0n,
          create: (oflags & O_CREAT) !== 0,
          exclusive: (oflags & O_EXCL) !== 0,
          truncate: (oflags & O_TRUNC) !== 0,
          append: (fdflags & FD_APPEND) !== 0,
        });
        const type = file.stat().kind;
        memory.setU32(fdAddress, table.add({ kind: "file", file, type, position: 0, flags: fdflags }));
      } catch (error) {
        paths.explainMissing(path, error);
      }
      return Errno.success;
    },
  };
}

/** null: there is nothing. */
function kindOf(files: HostFiles, path: string): HostFileKind | null {
  try {
    return files.stat(path, true).kind;
  } catch (error) {
    if (!(error instanceof HostFileError) || error.errno !== Errno.noent) throw error;
    return null;
  }
}

/** The errno for a directory that would be created, truncated or only written. */
function refusalOfDirectory(oflags: number, rights: bigint): number {
  if ((oflags & O_EXCL) !== 0 && (oflags & O_CREAT) !== 0) return Errno.exist;
  const writesOnly = (rights & RIGHT_WRITE) !== 0n && (rights & RIGHT_READ) === 0n;
  return (oflags & (O_CREAT | O_TRUNC)) !== 0 || writesOnly ? Errno.isdir : Errno.success;
}

function statCalls({ memory, files }: WasiContext, paths: Paths): Record<string, WasmFunction> {
  return {
    path_filestat_get(fd: number, lookup: number, pathAddress: number, pathLength: number, address: number): number {
      writeFilestat(
        memory,
        address,
        files.stat(paths.resolve(fd, pathAddress, pathLength), (lookup & SYMLINK_FOLLOW) !== 0),
      );
      return Errno.success;
    },

    path_filestat_set_times(
      fd: number,
      _lookup: number,
      pathAddress: number,
      pathLength: number,
      accessed: bigint,
      modified: bigint,
      flags: number,
    ): number {
      files.setTimes(paths.resolve(fd, pathAddress, pathLength), ...timesToSet(accessed, modified, flags));
      return Errno.success;
    },
  };
}

function treeCalls({ files }: WasiContext, paths: Paths): Record<string, WasmFunction> {
  return {
    path_create_directory(fd: number, pathAddress: number, pathLength: number): number {
      files.makeDirectory(paths.resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },

    path_remove_directory(fd: number, pathAddress: number, pathLength: number): number {
      files.removeDirectory(paths.resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },

    path_unlink_file(fd: number, pathAddress: number, pathLength: number): number {
      files.removeFile(paths.resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },

    path_rename(
      fd: number,
      pathAddress: number,
      pathLength: number,
      newFd: number,
      newAddress: number,
      newLength: number,
    ): number {
      files.rename(paths.resolve(fd, pathAddress, pathLength), paths.resolve(newFd, newAddress, newLength));
      return Errno.success;
    },
  };
}

function linkCalls({ memory, files }: WasiContext, paths: Paths): Record<string, WasmFunction> {
  return {
    path_link(
      fd: number,
      _lookup: number,
      pathAddress: number,
      pathLength: number,
      newFd: number,
      newAddress: number,
      newLength: number,
    ): number {
      files.link(paths.resolve(fd, pathAddress, pathLength), paths.resolve(newFd, newAddress, newLength));
      return Errno.success;
    },

    path_symlink(
      targetAddress: number,
      targetLength: number,
      fd: number,
      pathAddress: number,
      pathLength: number,
    ): number {
      files.symbolicLink(memory.text(targetAddress, targetLength), paths.resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },

    path_readlink(
      fd: number,
      pathAddress: number,
      pathLength: number,
      address: number,
      length: number,
      sizeAddress: number,
    ): number {
      const target = new TextEncoder()
        .encode(files.readLink(paths.resolve(fd, pathAddress, pathLength)))
        .subarray(0, length);
      memory.slice(address, target.length).set(target);
      memory.setPointer(sizeAddress, target.length);
      return Errno.success;
    },
  };
}
