/** WASI calls on paths (path_*). A path that leaves the roots is refused, and the user is told once why. */
import { Errno, HostFileError } from "../host/host-files.ts";
import { FD_APPEND, timesToSet, writeFilestat } from "./file-calls.ts";
import type { WasiContext } from "./file-table.ts";
import type { WasmFunction } from "./wasi.ts";

/** WASI `lookupflags`, `oflags` and the rights that say how a file is opened. */
const SYMLINK_FOLLOW = 1;
const O_CREAT = 1;
const O_DIRECTORY = 2;
const O_EXCL = 4;
const O_TRUNC = 8;
const RIGHT_READ: bigint = 1n << 1n;
const RIGHT_WRITE: bigint = 1n << 6n;

export function pathCalls(context: WasiContext): Record<string, WasmFunction> {
  const { memory, table, files, note } = context;

  const resolve = (fd: number, address: number, length: number): string => {
    const base = table.directory(fd).path;
    const path = memory.text(address, length);
    const joined = path.startsWith("/") ? path : base === "." ? path : `${base}/${path}`;
    const admitted = files.admit(joined);
    if (admitted === null) {
      const reason = files.explain(joined);
      if (reason !== null) note(reason);
      throw new HostFileError(Errno.notcapable, `${joined} is outside the directories that the program may use`);
    }
    return admitted;
  };

  /**
   * An absolute path outside the roots reaches us as one relative to ".": when nothing is there, say what the user
   * meant.
   */
  const explainMissing = (path: string, error: unknown): never => {
    if (error instanceof HostFileError && error.errno === Errno.noent) {
      const reason = files.explain(path);
      if (reason !== null) note(reason);
    }
    throw error;
  };

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
      const path = resolve(fd, pathAddress, pathLength);
      let kind: string | null = null;
      try {
        kind = files.stat(path, true).kind;
      } catch (error) {
        if (!(error instanceof HostFileError) || error.errno !== Errno.noent) throw error;
      }
      if (kind === "directory") {
        if ((oflags & O_EXCL) !== 0 && (oflags & O_CREAT) !== 0) return Errno.exist;
        if ((oflags & (O_CREAT | O_TRUNC)) !== 0 || ((rights & RIGHT_WRITE) !== 0n && (rights & RIGHT_READ) === 0n))
          return Errno.isdir;
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
        memory.setU32(
          fdAddress,
          table.add({ kind: "file", file, type: file.stat().kind, position: 0, flags: fdflags }),
        );
      } catch (error) {
        explainMissing(path, error);
      }
      return Errno.success;
    },
    path_filestat_get(fd: number, lookup: number, pathAddress: number, pathLength: number, address: number): number {
      writeFilestat(memory, address, files.stat(resolve(fd, pathAddress, pathLength), (lookup & SYMLINK_FOLLOW) !== 0));
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
      files.setTimes(resolve(fd, pathAddress, pathLength), ...timesToSet(accessed, modified, flags));
      return Errno.success;
    },
    path_create_directory(fd: number, pathAddress: number, pathLength: number): number {
      files.makeDirectory(resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },
    path_remove_directory(fd: number, pathAddress: number, pathLength: number): number {
      files.removeDirectory(resolve(fd, pathAddress, pathLength));
      return Errno.success;
    },
    path_unlink_file(fd: number, pathAddress: number, pathLength: number): number {
      files.removeFile(resolve(fd, pathAddress, pathLength));
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
      files.rename(resolve(fd, pathAddress, pathLength), resolve(newFd, newAddress, newLength));
      return Errno.success;
    },
    path_link(
      fd: number,
      _lookup: number,
      pathAddress: number,
      pathLength: number,
      newFd: number,
      newAddress: number,
      newLength: number,
    ): number {
      files.link(resolve(fd, pathAddress, pathLength), resolve(newFd, newAddress, newLength));
      return Errno.success;
    },
    path_symlink(
      targetAddress: number,
      targetLength: number,
      fd: number,
      pathAddress: number,
      pathLength: number,
    ): number {
      files.symbolicLink(memory.text(targetAddress, targetLength), resolve(fd, pathAddress, pathLength));
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
      const target = new TextEncoder().encode(files.readLink(resolve(fd, pathAddress, pathLength))).subarray(0, length);
      memory.slice(address, target.length).set(target);
      memory.setU32(sizeAddress, target.length);
      return Errno.success;
    },
  };
}
