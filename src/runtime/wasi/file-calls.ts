/** WASI calls on open descriptors (fd_*): reading and writing, what a descriptor is, and directories. */
import { Errno } from "../host/host-files.ts";
import { descriptorOperations, seekable } from "./descriptor-operations.ts";
import { directoryCalls } from "./directory-calls.ts";
import { FILE_TYPES, timesToSet, writeFilestat } from "./file-stat.ts";
import type { WasiContext } from "./file-table.ts";
import type { WasmFunction } from "./wasi-model.ts";

const ALL_RIGHTS = 0x1fff_ffffn;
/** Without fd_seek and fd_tell, by which the C library recognizes a terminal. */
const TERMINAL_RIGHTS: bigint = ALL_RIGHTS & ~((1n << 2n) | (1n << 5n));

export function fileCalls(context: WasiContext): Record<string, WasmFunction> {
  return {
    ...transferCalls(context),
    ...positionCalls(context),
    ...stateCalls(context),
    ...syncCalls(context),
    ...directoryCalls(context),
  };
}

/** fd_read, fd_write and those at an offset. Reads end at the first buffer that is not filled. */
function transferCalls(context: WasiContext): Record<string, WasmFunction> {
  const { memory, table } = context;
  const operations = descriptorOperations(context);
  const vectors = (address: number, count: number): Uint8Array[] =>
    Array.from({ length: count }, (_, index) =>
      memory.slice(memory.pointerAt(address, 2 * index), memory.pointerAt(address, 2 * index + 1)),
    ).filter((buffer) => buffer.length > 0);
  const inTurn = (buffers: readonly Uint8Array[], transfer: (buffer: Uint8Array, done: number) => number): number => {
    let total = 0;
    for (const buffer of buffers) {
      const count = transfer(buffer, total);
      total += count;
      if (count < buffer.length) break;
    }
    return total;
  };
  return {
    fd_read(fd: number, iovs: number, count: number, sizeAddress: number): number {
      const { kind } = table.get(fd);
      if (kind !== "stdin") table.file(fd);
      const total = inTurn(vectors(iovs, count), (buffer) => operations[kind].read(fd, buffer));
      memory.setPointer(sizeAddress, total);
      return Errno.success;
    },
    fd_write(fd: number, iovs: number, count: number, sizeAddress: number): number {
      const { kind } = table.get(fd);
      const total = inTurn(vectors(iovs, count), (buffer) => operations[kind].write(fd, buffer));
      memory.setPointer(sizeAddress, total);
      return Errno.success;
    },
    fd_pread(fd: number, iovs: number, count: number, offset: bigint, sizeAddress: number): number {
      const { file } = seekable(context, fd);
      const total = inTurn(vectors(iovs, count), (buffer, done) => file.read(buffer, Number(offset) + done));
      memory.setPointer(sizeAddress, total);
      return Errno.success;
    },
    fd_pwrite(fd: number, iovs: number, count: number, offset: bigint, sizeAddress: number): number {
      const { file } = seekable(context, fd);
      let total = 0;
      for (const buffer of vectors(iovs, count)) total += file.write(buffer, Number(offset) + total);
      memory.setPointer(sizeAddress, total);
      return Errno.success;
    },
  };
}

function positionCalls(context: WasiContext): Record<string, WasmFunction> {
  const { memory } = context;
  return {
    fd_seek(fd: number, offset: bigint, whence: number, positionAddress: number): number {
      const descriptor = seekable(context, fd);
      // SEEK_SET, SEEK_CUR, SEEK_END
      const bases = [() => 0, () => descriptor.position, () => descriptor.file.stat().size];
      const position = (bases[whence]?.() ?? NaN) + Number(offset);
      if (!(position >= 0)) return Errno.inval;
      descriptor.position = position;
      memory.setU64(positionAddress, BigInt(position));
      return Errno.success;
    },
    fd_tell(fd: number, positionAddress: number): number {
      memory.setU64(positionAddress, BigInt(seekable(context, fd).position));
      return Errno.success;
    },
    fd_filestat_set_size(fd: number, size: bigint): number {
      seekable(context, fd).file.truncate(Number(size));
      return Errno.success;
    },
    fd_allocate(fd: number, offset: bigint, length: bigint): number {
      const { file } = seekable(context, fd);
      if (file.stat().size < Number(offset + length)) file.truncate(Number(offset + length));
      return Errno.success;
    },
  };
}

/** What a descriptor is, and its place in the table of open descriptors. */
function stateCalls(context: WasiContext): Record<string, WasmFunction> {
  const { memory, table } = context;
  const operations = descriptorOperations(context);
  return {
    fd_close(fd: number): number {
      if (context.closeOther?.(fd) !== true) table.close(fd);
      return Errno.success;
    },
    fd_renumber(from: number, to: number): number {
      table.renumber(from, to);
      return Errno.success;
    },
    fd_fdstat_get(fd: number, address: number): number {
      const { kind, flags } = table.get(fd);
      const isTerminal = kind !== "file" && kind !== "directory";
      memory.slice(address, 24).fill(0);
      memory.setU8(address, FILE_TYPES[operations[kind].type(fd)]);
      memory.setU16(address + 2, flags);
      memory.setU64(address + 8, isTerminal ? TERMINAL_RIGHTS : ALL_RIGHTS);
      memory.setU64(address + 16, isTerminal ? 0n : ALL_RIGHTS);
      return Errno.success;
    },
    fd_fdstat_set_flags(fd: number, flags: number): number {
      table.get(fd).flags = flags;
      return Errno.success;
    },
    fd_fdstat_set_rights: () => Errno.success,
    fd_filestat_get(fd: number, address: number): number {
      writeFilestat(memory, address, operations[table.get(fd).kind].stat(fd));
      return Errno.success;
    },
    fd_filestat_set_times(fd: number, accessed: bigint, modified: bigint, flags: number): number {
      table.file(fd).file.setTimes(...timesToSet(accessed, modified, flags));
      return Errno.success;
    },
  };
}

function syncCalls(context: WasiContext): Record<string, WasmFunction> {
  const { table } = context;
  const operations = descriptorOperations(context);
  return {
    fd_advise(fd: number): number {
      table.file(fd);
      return Errno.success;
    },
    fd_sync(fd: number): number {
      operations[table.get(fd).kind].sync(fd);
      return Errno.success;
    },
    fd_datasync(fd: number): number {
      const descriptor = table.get(fd);
      if (descriptor.kind === "file") descriptor.file.sync();
      return Errno.success;
    },
  };
}
