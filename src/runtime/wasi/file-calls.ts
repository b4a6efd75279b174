/** WASI calls on open files (fd_*). */
import { Errno, HostFileError } from "../host/host-files.ts";
import type { HostFileKind, HostFileStat } from "../host/host-files.ts";
import type { HostMemory } from "../host/host-memory.ts";
import type { FileDescriptor, WasiContext } from "./file-table.ts";
import type { WasmFunction } from "./wasi.ts";

/** WASI `filetype`. */
export const FILE_TYPES: Readonly<Record<HostFileKind, number>> = {
  other: 0,
  "character-device": 2,
  directory: 3,
  file: 4,
  "symbolic-link": 7,
};
/** WASI `fdflags`. */
export const FD_APPEND = 1;
const SET_ATIME = 1;
const SET_ATIME_NOW = 2;
const SET_MTIME = 4;
const SET_MTIME_NOW = 8;
const ALL_RIGHTS = 0x1fff_ffffn;
/** Without fd_seek and fd_tell, by which the C library knows a terminal. */
const TERMINAL_RIGHTS: bigint = ALL_RIGHTS & ~((1n << 2n) | (1n << 5n));

export function writeFilestat(memory: HostMemory, address: number, stat: HostFileStat): void {
  memory.slice(address, 64).fill(0);
  memory.setU64(address, stat.device);
  memory.setU64(address + 8, stat.inode);
  memory.setU8(address + 16, FILE_TYPES[stat.kind]);
  memory.setU64(address + 24, BigInt(stat.links));
  memory.setU64(address + 32, BigInt(stat.size));
  memory.setU64(address + 40, stat.accessedNs);
  memory.setU64(address + 48, stat.modifiedNs);
  memory.setU64(address + 56, stat.changedNs);
}

/** The two times that `fstflags` ask to set; null leaves one as it is. */
export function timesToSet(accessed: bigint, modified: bigint, flags: number): [bigint | null, bigint | null] {
  const now = BigInt(Math.round(Date.now() * 1e6));
  const accessedNs = (flags & SET_ATIME_NOW) !== 0 ? now : (flags & SET_ATIME) !== 0 ? accessed : null;
  const modifiedNs = (flags & SET_MTIME_NOW) !== 0 ? now : (flags & SET_MTIME) !== 0 ? modified : null;
  return [accessedNs, modifiedNs];
}

const terminalStat: HostFileStat = {
  kind: "character-device",
  size: 0,
  inode: 0n,
  device: 0n,
  links: 1,
  accessedNs: 0n,
  modifiedNs: 0n,
  changedNs: 0n,
};

export function fileCalls(context: WasiContext): Record<string, WasmFunction> {
  const { memory, table, streams, files } = context;

  const vectors = (address: number, count: number): Uint8Array[] =>
    Array.from({ length: count }, (_, index) =>
      memory.slice(memory.u32(address + 8 * index), memory.u32(address + 8 * index + 4)),
    );

  /** Reads into the buffers until one is not filled. */
  const readInto = (buffers: readonly Uint8Array[], read: (buffer: Uint8Array, done: number) => number): number => {
    let total = 0;
    for (const buffer of buffers) {
      if (buffer.length === 0) continue;
      const count = read(buffer, total);
      total += count;
      if (count < buffer.length) break;
    }
    return total;
  };
  const positionOf = (descriptor: FileDescriptor): number | null =>
    descriptor.type === "file" ? descriptor.position : null;
  const seekable = (fd: number): FileDescriptor => {
    const descriptor = table.file(fd);
    if (descriptor.type !== "file") throw new HostFileError(Errno.spipe, `file descriptor ${fd} has no positions`);
    return descriptor;
  };

  return {
    fd_read(fd: number, iovs: number, count: number, sizeAddress: number): number {
      const descriptor = table.get(fd);
      let total: number;
      if (descriptor.kind === "stdin") {
        streams.flush();
        total = readInto(vectors(iovs, count), (buffer) => streams.readStdin(buffer));
      } else {
        const open = table.file(fd);
        total = readInto(vectors(iovs, count), (buffer) => {
          const got = open.file.read(buffer, positionOf(open));
          open.position += got;
          return got;
        });
      }
      memory.setU32(sizeAddress, total);
      return Errno.success;
    },
    fd_write(fd: number, iovs: number, count: number, sizeAddress: number): number {
      const descriptor = table.get(fd);
      let total = 0;
      for (const buffer of vectors(iovs, count)) {
        if (buffer.length === 0) continue;
        if (descriptor.kind === "stdout" || descriptor.kind === "stderr") {
          streams.write(descriptor.kind, buffer);
          total += buffer.length;
        } else {
          const open = table.file(fd);
          const written = open.file.write(buffer, positionOf(open));
          open.position =
            (open.flags & FD_APPEND) !== 0 && open.type === "file" ? open.file.stat().size : open.position + written;
          total += written;
          if (written < buffer.length) break;
        }
      }
      memory.setU32(sizeAddress, total);
      return Errno.success;
    },
    fd_pread(fd: number, iovs: number, count: number, offset: bigint, sizeAddress: number): number {
      const { file } = seekable(fd);
      memory.setU32(
        sizeAddress,
        readInto(vectors(iovs, count), (buffer, done) => file.read(buffer, Number(offset) + done)),
      );
      return Errno.success;
    },
    fd_pwrite(fd: number, iovs: number, count: number, offset: bigint, sizeAddress: number): number {
      const { file } = seekable(fd);
      let total = 0;
      for (const buffer of vectors(iovs, count)) total += file.write(buffer, Number(offset) + total);
      memory.setU32(sizeAddress, total);
      return Errno.success;
    },
    fd_seek(fd: number, offset: bigint, whence: number, positionAddress: number): number {
      const descriptor = seekable(fd);
      const base =
        whence === 0 ? 0 : whence === 1 ? descriptor.position : whence === 2 ? descriptor.file.stat().size : NaN;
      const position = base + Number(offset);
      if (!(position >= 0)) return Errno.inval;
      descriptor.position = position;
      memory.setU64(positionAddress, BigInt(position));
      return Errno.success;
    },
    fd_tell(fd: number, positionAddress: number): number {
      memory.setU64(positionAddress, BigInt(seekable(fd).position));
      return Errno.success;
    },
    fd_close(fd: number): number {
      table.close(fd);
      return Errno.success;
    },
    fd_renumber(from: number, to: number): number {
      table.renumber(from, to);
      return Errno.success;
    },
    fd_fdstat_get(fd: number, address: number): number {
      const descriptor = table.get(fd);
      memory.slice(address, 24).fill(0);
      const terminal = descriptor.kind !== "file" && descriptor.kind !== "directory";
      memory.setU8(
        address,
        terminal
          ? FILE_TYPES["character-device"]
          : descriptor.kind === "directory"
            ? FILE_TYPES.directory
            : FILE_TYPES[descriptor.type],
      );
      memory.setU16(address + 2, descriptor.flags);
      memory.setU64(address + 8, terminal ? TERMINAL_RIGHTS : ALL_RIGHTS);
      memory.setU64(address + 16, terminal ? 0n : ALL_RIGHTS);
      return Errno.success;
    },
    fd_fdstat_set_flags(fd: number, flags: number): number {
      table.get(fd).flags = flags;
      return Errno.success;
    },
    fd_fdstat_set_rights: () => Errno.success,
    fd_filestat_get(fd: number, address: number): number {
      const descriptor = table.get(fd);
      writeFilestat(
        memory,
        address,
        descriptor.kind === "file"
          ? descriptor.file.stat()
          : descriptor.kind === "directory"
            ? files.stat(descriptor.path, true)
            : terminalStat,
      );
      return Errno.success;
    },
    fd_filestat_set_size(fd: number, size: bigint): number {
      seekable(fd).file.truncate(Number(size));
      return Errno.success;
    },
    fd_filestat_set_times(fd: number, accessed: bigint, modified: bigint, flags: number): number {
      table.file(fd).file.setTimes(...timesToSet(accessed, modified, flags));
      return Errno.success;
    },
    fd_allocate(fd: number, offset: bigint, length: bigint): number {
      const { file } = seekable(fd);
      if (file.stat().size < Number(offset + length)) file.truncate(Number(offset + length));
      return Errno.success;
    },
    fd_advise(fd: number): number {
      table.file(fd);
      return Errno.success;
    },
    fd_sync(fd: number): number {
      const descriptor = table.get(fd);
      if (descriptor.kind === "file") descriptor.file.sync();
      else streams.flush();
      return Errno.success;
    },
    fd_datasync(fd: number): number {
      const descriptor = table.get(fd);
      if (descriptor.kind === "file") descriptor.file.sync();
      return Errno.success;
    },
    fd_prestat_get(fd: number, address: number): number {
      const descriptor = table.get(fd);
      if (descriptor.kind !== "directory" || descriptor.preopen === null) return Errno.badf;
      memory.setU32(address, 0);
      memory.setU32(address + 4, new TextEncoder().encode(descriptor.preopen).length);
      return Errno.success;
    },
    fd_prestat_dir_name(fd: number, address: number, length: number): number {
      const descriptor = table.get(fd);
      if (descriptor.kind !== "directory" || descriptor.preopen === null) return Errno.badf;
      const name = new TextEncoder().encode(descriptor.preopen);
      if (length < name.length) return Errno.nametoolong;
      memory.slice(address, name.length).set(name);
      return Errno.success;
    },
    fd_readdir(fd: number, address: number, length: number, cookie: bigint, sizeAddress: number): number {
      const { path } = table.directory(fd);
      const self = files.stat(path, true).inode;
      const entries = [
        { name: ".", kind: "directory" as const, inode: self },
        { name: "..", kind: "directory" as const, inode: self },
        ...files.list(path),
      ];
      const target = memory.slice(address, length);
      let used = 0;
      for (let index = Number(cookie); index < entries.length && used < length; index++) {
        const entry = entries[index]!;
        const name = new TextEncoder().encode(entry.name);
        const record = new Uint8Array(24 + name.length);
        const view = new DataView(record.buffer);
        view.setBigUint64(0, BigInt(index + 1), true);
        view.setBigUint64(8, entry.inode, true);
        view.setUint32(16, name.length, true);
        view.setUint8(20, FILE_TYPES[entry.kind]);
        record.set(name, 24);
        const part = record.subarray(0, length - used); // a cut record tells the reader to come again with more room
        target.set(part, used);
        used += part.length;
      }
      memory.setU32(sizeAddress, used);
      return Errno.success;
    },
  };
}
