/** WASI calls on directories that are open: the roots of the program (prestat), and listing. */
import { Errno } from "../host/host-files.ts";
import { FILE_TYPES } from "./file-stat.ts";
import type { WasiContext } from "./file-table.ts";
import type { WasmFunction } from "./wasi-model.ts";

export function directoryCalls({ memory, table, files }: WasiContext): Record<string, WasmFunction> {
  /** The name of a root; null where the descriptor is none. */
  const rootName = (fd: number): Uint8Array | null => {
    const descriptor = table.get(fd);
    if (descriptor.kind !== "directory" || descriptor.preopen === null) return null;
    return new TextEncoder().encode(descriptor.preopen);
  };
  return {
    fd_prestat_get(fd: number, address: number): number {
      const name = rootName(fd);
      if (name === null) return Errno.badf;
      memory.setU32(address, 0);
      memory.setPointerAt(address, 1, name.length);
      return Errno.success;
    },

    fd_prestat_dir_name(fd: number, address: number, length: number): number {
      const name = rootName(fd);
      if (name === null) return Errno.badf;
      if (length < name.length) return Errno.nametoolong;
      memory.slice(address, name.length).set(name);
      return Errno.success;
    },

    /** Entries from `cookie` on, as many as fit. A cut record makes the reader ask again with more room. */
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
        const record = directoryRecord(index, entries[index]!);
        const part = record.subarray(0, length - used);
        target.set(part, used);
        used += part.length;
      }
      memory.setPointer(sizeAddress, used);
      return Errno.success;
    },
  };
}

/** WASI `dirent` and the name behind it. */
function directoryRecord(
  index: number,
  entry: { readonly name: string; readonly kind: keyof typeof FILE_TYPES; readonly inode: bigint },
): Uint8Array {
  const name = new TextEncoder().encode(entry.name);
  const record = new Uint8Array(24 + name.length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(index + 1), true);
  view.setBigUint64(8, entry.inode, true);
  view.setUint32(16, name.length, true);
  view.setUint8(20, FILE_TYPES[entry.kind]);
  record.set(name, 24);
  return record;
}
