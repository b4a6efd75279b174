/**
 * The files a host program may see: a small synchronous interface under our WASI layer.
 *
 * `session/host-files-node.ts` implements it over a real file system, `host-files-memory.ts` in memory (browsers,
 * tests). Paths are either relative to the working directory ("data/x.bin") or absolute ("/tmp/x.bin"), with "/"
 * between names.
 */

/** WASI preview1 errno values (wasi_snapshot_preview1, type `errno`), those that we return. */
export const Errno: {
  readonly success: 0;
  readonly acces: 2;
  readonly again: 6;
  readonly badf: 8;
  readonly busy: 10;
  readonly exist: 20;
  readonly fault: 21;
  readonly fbig: 22;
  readonly ilseq: 25;
  readonly intr: 27;
  readonly inval: 28;
  readonly io: 29;
  readonly isdir: 31;
  readonly loop: 32;
  readonly mfile: 33;
  readonly mlink: 34;
  readonly nametoolong: 37;
  readonly nodev: 43;
  readonly noent: 44;
  readonly nomem: 48;
  readonly nospc: 51;
  readonly nosys: 52;
  readonly notdir: 54;
  readonly notempty: 55;
  readonly notsup: 58;
  readonly perm: 63;
  readonly pipe: 64;
  readonly rofs: 69;
  readonly spipe: 70;
  readonly txtbsy: 74;
  readonly xdev: 75;
  readonly notcapable: 76;
} = {
  success: 0,
  acces: 2,
  again: 6,
  badf: 8,
  busy: 10,
  exist: 20,
  fault: 21,
  fbig: 22,
  ilseq: 25,
  intr: 27,
  inval: 28,
  io: 29,
  isdir: 31,
  loop: 32,
  mfile: 33,
  mlink: 34,
  nametoolong: 37,
  nodev: 43,
  noent: 44,
  nomem: 48,
  nospc: 51,
  nosys: 52,
  notdir: 54,
  notempty: 55,
  notsup: 58,
  perm: 63,
  pipe: 64,
  rofs: 69,
  spipe: 70,
  txtbsy: 74,
  xdev: 75,
  notcapable: 76,
};

/** What every method here throws: the program sees it as an errno. */
export class HostFileError extends Error {
  readonly errno: number;
  constructor(errno: number, message: string) {
    super(message);
    this.name = "HostFileError";
    this.errno = errno;
  }
}

export type HostFileKind = "file" | "directory" | "character-device" | "symbolic-link" | "other";

export interface HostFileStat {
  readonly kind: HostFileKind;
  readonly size: number;
  readonly inode: bigint;
  readonly device: bigint;
  readonly links: number;
  /** Nanoseconds since 1970. */
  readonly accessedNs: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

export interface HostDirectoryEntry {
  readonly name: string;
  readonly kind: HostFileKind;
  readonly inode: bigint;
}

export interface OpenOptions {
  readonly read: boolean;
  readonly write: boolean;
  readonly create: boolean;
  readonly exclusive: boolean;
  readonly truncate: boolean;
  readonly append: boolean;
}

/** An open file. Positions are in bytes from the start; null means a stream without positions. */
export interface HostFile {
  /** Bytes read into `buffer`; 0 at the end of the file. */
  read(buffer: Uint8Array, position: number | null): number;
  /** Bytes written, at `position` or, for a file opened to append, at the end. */
  write(buffer: Uint8Array, position: number | null): number;
  truncate(size: number): void;
  setTimes(accessedNs: bigint | null, modifiedNs: bigint | null): void;
  sync(): void;
  stat(): HostFileStat;
  close(): void;
}

export interface HostFiles {
  /**
   * Directories that the program sees as open from the start; the first is "." (the working directory), the rest are
   * absolute.
   */
  readonly roots: readonly string[];
  /** The path in its shortest form if it lies below a root, else null. */
  admit(path: string): string | null;
  /** Why `path` was not found or not admitted, in one sentence for the user, or null if there is nothing to say. */
  explain(path: string): string | null;
  open(path: string, options: OpenOptions): HostFile;
  stat(path: string, followLinks: boolean): HostFileStat;
  list(path: string): HostDirectoryEntry[];
  makeDirectory(path: string): void;
  removeDirectory(path: string): void;
  removeFile(path: string): void;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  symbolicLink(target: string, path: string): void;
  readLink(path: string): string;
  setTimes(path: string, accessedNs: bigint | null, modifiedNs: bigint | null): void;
}

/** Splits and shortens a path: "a/./b/../c" is "a/c". Leading ".." stay in relative paths, and are dropped at "/". */
export function normalizePath(path: string): string {
  const absolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts[parts.length - 1] !== "..") parts.pop();
    else if (part !== ".." || !absolute) parts.push(part);
  }
  if (absolute) return `/${parts.join("/")}`;
  return parts.length === 0 ? "." : parts.join("/");
}

/** What standard input, output and error are connected to. */
export interface HostStreams {
  /** Bytes read; 0 at the end of the input. May block. */
  readStdin(buffer: Uint8Array): number;
  /** Takes all bytes. Text of both streams keeps its order. */
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void;
  /** Makes what was written visible. */
  flush(): void;
}
