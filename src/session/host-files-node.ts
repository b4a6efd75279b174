/**
 * The real file system behind `HostFiles`: what lies below the working directory, /tmp and directories the user adds,
 * and a few devices.
 *
 * This confines a program to its own files. It is no wall against a hostile program: symbolic links are followed.
 */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import * as nodePath from "node:path";
import { Errno, HostFileError } from "../runtime/host/host-files.ts";
import type {
  HostDirectoryEntry,
  HostFile,
  HostFileKind,
  HostFileStat,
  HostFiles,
  OpenOptions,
} from "../runtime/host/host-files.ts";

const ERRNO_BY_CODE: Readonly<Record<string, number>> = {
  EACCES: Errno.acces,
  EAGAIN: Errno.again,
  EBADF: Errno.badf,
  EBUSY: Errno.busy,
  EEXIST: Errno.exist,
  EFAULT: Errno.fault,
  EFBIG: Errno.fbig,
  EINTR: Errno.intr,
  EINVAL: Errno.inval,
  EIO: Errno.io,
  EISDIR: Errno.isdir,
  ELOOP: Errno.loop,
  EMFILE: Errno.mfile,
  ENFILE: Errno.mfile,
  EMLINK: Errno.mlink,
  ENAMETOOLONG: Errno.nametoolong,
  ENODEV: Errno.nodev,
  ENOENT: Errno.noent,
  ENOMEM: Errno.nomem,
  ENOSPC: Errno.nospc,
  ENOTDIR: Errno.notdir,
  ENOTEMPTY: Errno.notempty,
  ENOTSUP: Errno.notsup,
  EPERM: Errno.perm,
  EPIPE: Errno.pipe,
  EROFS: Errno.rofs,
  ESPIPE: Errno.spipe,
  ETXTBSY: Errno.txtbsy,
  EXDEV: Errno.xdev,
  ENXIO: Errno.nodev,
};

/** Runs a file system call; its failure becomes a HostFileError with WASI's errno. */
function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (typeof code !== "string") throw error;
    throw new HostFileError(ERRNO_BY_CODE[code] ?? Errno.io, (error as Error).message);
  }
}

function kindOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isCharacterDevice(): boolean;
}): HostFileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symbolic-link";
  return entry.isCharacterDevice() ? "character-device" : "other";
}

function toStat(stat: fs.BigIntStats): HostFileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    inode: stat.ino,
    device: stat.dev,
    links: Number(stat.nlink),
    accessedNs: stat.atimeNs,
    modifiedNs: stat.mtimeNs,
    changedNs: stat.ctimeNs,
  };
}

const DEVICES: readonly string[] = [
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/tty",
];

export interface NodeFilesOptions {
  /** The program's working directory, absolute. */
  readonly workingDirectory: string;
  /** Further directories that the program may use. */
  readonly directories?: readonly string[];
  /** Directories that it may not use, wherever they lie: what Heddle itself will trust again. */
  readonly withheld?: readonly string[];
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

export class NodeFiles implements HostFiles {
  readonly roots: readonly string[];
  readonly #cwd: string;
  readonly #admitted: readonly string[];
  readonly #withheld: readonly string[];

  constructor(options: NodeFilesOptions) {
    this.#cwd = options.workingDirectory;
    this.#withheld = (options.withheld ?? []).map((directory) => nodePath.resolve(this.#cwd, directory));
    const others = [
      this.#cwd,
      "/tmp",
      tmpdir(),
      ...(options.directories ?? []).map((directory) => nodePath.resolve(this.#cwd, directory)),
    ];
    this.#admitted = [...new Set(others)];
    this.roots = [".", ...this.#admitted.filter((directory) => fs.existsSync(directory)), "/dev"];
  }

  admit(path: string): string | null {
    const full = nodePath.resolve(this.#cwd, path);
    if (DEVICES.includes(full)) return full;
    return this.#admitted.some((root) => isBelow(full, root)) && !this.#withheld.some((root) => isBelow(full, root))
      ? full
      : null;
  }

  explain(path: string): string | null {
    const full = nodePath.resolve(this.#cwd, path);
    const relative = nodePath.relative(this.#cwd, full);
    // "/data/x" comes here as "data/x" below the working directory.
    const meant = this.admit(full) === null ? full : `/${relative}`;
    if (meant !== full && (relative.startsWith("..") || !fs.existsSync(meant))) return null;
    const directory = nodePath.dirname(meant);
    return (
      `${meant} is outside the working directory, and the program may not use it; ` +
      `add --dir ${directory} to allow it`
    );
  }

  open(path: string, options: OpenOptions): HostFile {
    const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = fs.constants;
    const writing = options.read ? O_RDWR : O_WRONLY;
    const flags =
      (options.write ? writing : O_RDONLY) |
      (options.create ? O_CREAT : 0) |
      (options.exclusive ? O_EXCL : 0) |
      (options.truncate ? O_TRUNC : 0) |
      (options.append ? O_APPEND : 0);
    return new NodeFile(
      attempt(() => fs.openSync(path, flags, 0o666)),
      options.append,
    );
  }

  stat(path: string, followLinks: boolean): HostFileStat {
    return attempt(() => toStat((followLinks ? fs.statSync : fs.lstatSync)(path, { bigint: true })));
  }

  list(path: string): HostDirectoryEntry[] {
    return attempt(() => fs.readdirSync(path, { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
      inode: 0n,
    }));
  }

  makeDirectory(path: string): void {
    attempt(() => fs.mkdirSync(path, 0o777));
  }
  removeDirectory(path: string): void {
    attempt(() => fs.rmdirSync(path));
  }
  removeFile(path: string): void {
    attempt(() => fs.unlinkSync(path));
  }
  rename(from: string, to: string): void {
    attempt(() => fs.renameSync(from, to));
  }
  link(from: string, to: string): void {
    attempt(() => fs.linkSync(from, to));
  }
  symbolicLink(target: string, path: string): void {
    attempt(() => fs.symlinkSync(target, path));
  }
  readLink(path: string): string {
    return attempt(() => fs.readlinkSync(path));
  }
  setTimes(path: string, accessedNs: bigint | null, modifiedNs: bigint | null): void {
    const now = this.stat(path, true);
    attempt(() =>
      fs.utimesSync(path, Number(accessedNs ?? now.accessedNs) / 1e9, Number(modifiedNs ?? now.modifiedNs) / 1e9),
    );
  }
}

class NodeFile implements HostFile {
  readonly #fd: number;
  readonly #append: boolean;
  constructor(fd: number, append: boolean) {
    this.#fd = fd;
    this.#append = append;
  }
  read(buffer: Uint8Array, position: number | null): number {
    return attempt(() => fs.readSync(this.#fd, buffer, 0, buffer.length, position));
  }
  write(buffer: Uint8Array, position: number | null): number {
    return attempt(() => fs.writeSync(this.#fd, buffer, 0, buffer.length, this.#append ? null : position));
  }
  truncate(size: number): void {
    attempt(() => fs.ftruncateSync(this.#fd, size));
  }
  setTimes(accessedNs: bigint | null, modifiedNs: bigint | null): void {
    const now = this.stat();
    attempt(() =>
      fs.futimesSync(this.#fd, Number(accessedNs ?? now.accessedNs) / 1e9, Number(modifiedNs ?? now.modifiedNs) / 1e9),
    );
  }
  sync(): void {
    attempt(() => fs.fsyncSync(this.#fd));
  }
  stat(): HostFileStat {
    return attempt(() => toStat(fs.fstatSync(this.#fd, { bigint: true })));
  }
  close(): void {
    attempt(() => fs.closeSync(this.#fd));
  }
}
