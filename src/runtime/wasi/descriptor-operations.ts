/**
 * What reading, writing and asking does to each kind of open descriptor, as a table:
 *
 * | descriptor     | read           | write           | seek, resize | type, stat           | sync           |
 * | -------------- | -------------- | --------------- | ------------ | -------------------- | -------------- |
 * | stdin          | flush, input   | ESPIPE          | ESPIPE       | a terminal           | flush          |
 * | stdout, stderr | ESPIPE         | output          | ESPIPE       | a terminal           | flush          |
 * | directory      | EISDIR         | EISDIR          | EISDIR       | the directory's      | flush          |
 * | regular file   | at position    | at position     | yes          | the file's           | the file's     |
 * | pipe, device   | where it is    | where it is     | ESPIPE       | the file's           | the file's     |
 *
 * A position moves by what was read or written. A file that is opened to append is at its end after a write.
 */
import { Errno, HostFileError } from "../host/host-files.ts";
import type { HostFileKind, HostFileStat } from "../host/host-files.ts";
import type { WasiContext } from "./file-table.ts";
import type { Descriptor, FileDescriptor } from "./wasi-model.ts";

/** WASI `fdflags`. */
export const FD_APPEND = 1;

/** A row of the table. All throw HostFileError with the errno that the table names. */
export interface DescriptorOperations {
  /** Bytes read into `buffer`. */
  read(fd: number, buffer: Uint8Array): number;
  /** Bytes written from `buffer`. */
  write(fd: number, buffer: Uint8Array): number;
  type(fd: number): HostFileKind;
  stat(fd: number): HostFileStat;
  sync(fd: number): void;
}

const TERMINAL_STAT: HostFileStat = {
  kind: "character-device",
  size: 0,
  inode: 0n,
  device: 0n,
  links: 1,
  accessedNs: 0n,
  modifiedNs: 0n,
  changedNs: 0n,
};

export function descriptorOperations(context: WasiContext): Readonly<Record<Descriptor["kind"], DescriptorOperations>> {
  const { table, streams, files } = context;
  // table.file throws the errno of the table for a descriptor that is no file.
  const file: DescriptorOperations = {
    read(fd, buffer) {
      const open = table.file(fd);
      const count = open.file.read(buffer, positionOf(open));
      open.position += count;
      return count;
    },
    write(fd, buffer) {
      const open = table.file(fd);
      const count = open.file.write(buffer, positionOf(open));
      const appends = (open.flags & FD_APPEND) !== 0 && open.type === "file";
      open.position = appends ? open.file.stat().size : open.position + count;
      return count;
    },
    type: (fd) => table.file(fd).type,
    stat: (fd) => table.file(fd).file.stat(),
    sync: (fd) => table.file(fd).file.sync(),
  };
  const sync = (): void => streams.flush();
  const terminal = { ...file, type: () => TERMINAL_STAT.kind, stat: () => TERMINAL_STAT, sync };
  const output = (name: "stdout" | "stderr"): DescriptorOperations => ({
    ...terminal,
    write(_, buffer) {
      streams.write(name, buffer);
      return buffer.length;
    },
  });
  const input: DescriptorOperations = {
    ...terminal,
    read(_, buffer) {
      // What the program has printed, such as a question, is seen before it waits for an answer.
      streams.flush();
      return streams.readStdin(buffer);
    },
  };
  const stat = (fd: number): HostFileStat => files.stat(table.directory(fd).path, true);
  const directory: DescriptorOperations = { ...file, type: () => "directory", stat, sync };
  return { stdin: input, stdout: output("stdout"), stderr: output("stderr"), directory, file };
}

/** A file with positions. */
export function seekable({ table }: WasiContext, fd: number): FileDescriptor {
  const descriptor = table.file(fd);
  if (descriptor.type !== "file") throw new HostFileError(Errno.spipe, `file descriptor ${fd} has no positions`);
  return descriptor;
}

function positionOf(descriptor: FileDescriptor): number | null {
  return descriptor.type === "file" ? descriptor.position : null;
}
