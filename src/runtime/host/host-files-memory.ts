/**
 * Files in memory, for browsers and tests: a tree of directories and byte arrays behind `HostFiles`.
 * Relative paths and absolute paths share one tree: "x" is "/work/x".
 */
import { Errno, HostFileError, normalizePath } from "./host-files.ts";
import type { HostDirectoryEntry, HostFile, HostFileStat, HostFiles, HostStreams, OpenOptions } from "./host-files.ts";

interface FileNode {
  kind: "file";
  /** By the program, not by us. */
  isWritten: boolean;
  bytes: Uint8Array;
  size: number;
  inode: bigint;
  modifiedNs: bigint;
  accessedNs: bigint;
}
interface DirectoryNode {
  kind: "directory";
  entries: Map<string, FileNode | DirectoryNode>;
  inode: bigint;
  modifiedNs: bigint;
  accessedNs: bigint;
}
type TreeNode = FileNode | DirectoryNode;

const fail = (errno: number, what: string): never => {
  throw new HostFileError(errno, what);
};
const nowNs = (): bigint => BigInt(Math.round(Date.now() * 1e6));

export class MemoryFiles implements HostFiles {
  readonly roots: readonly string[] = [".", "/tmp", "/work"];
  #nextInode = 1n;
  readonly #root: DirectoryNode;

  readonly #budget: Budget;

  /**
   * @param initial maps paths to contents; missing directories are made.
   * @param limitBytes what all files together may hold.
   */
  constructor(initial: Readonly<Record<string, Uint8Array | string>> = {}, limitBytes: number = Infinity) {
    this.#budget = new Budget(limitBytes, () => heldBytes(this.#root));
    this.#root = this.#newDirectory();
    this.#root.entries.set("work", this.#newDirectory());
    this.#root.entries.set("tmp", this.#newDirectory());
    for (const [path, content] of Object.entries(initial)) this.writeFile(path, content);
  }

  /** Puts a whole file, making the directories above it. */
  writeFile(path: string, content: Uint8Array | string): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
    const parts = this.#parts(path);
    let directory = this.#root;
    for (const part of parts.slice(0, -1)) {
      const next = directory.entries.get(part);
      if (next?.kind === "file") fail(Errno.notdir, path);
      const child = (next as DirectoryNode | undefined) ?? this.#newDirectory();
      directory.entries.set(part, child);
      directory = child;
    }
    const name = parts.at(-1) ?? fail(Errno.isdir, path);
    directory.entries.set(name, {
      kind: "file",
      isWritten: false,
      bytes,
      size: bytes.length,
      inode: this.#nextInode++,
      modifiedNs: nowNs(),
      accessedNs: nowNs(),
    });
  }

  /** The content of a file. Throws HostFileError. */
  readFile(path: string): Uint8Array {
    const node = this.#find(path);
    if (node.kind !== "file") return fail(Errno.isdir, path);
    return node.bytes.slice(0, node.size);
  }

  /** Files that the program has made or changed; in the working directory by relative paths. */
  written(): { readonly path: string; readonly bytes: Uint8Array }[] {
    const found: { path: string; bytes: Uint8Array }[] = [];
    const visit = (directory: DirectoryNode, prefix: string): void => {
      for (const [name, node] of directory.entries) {
        const path = `${prefix}/${name}`;
        if (node.kind === "directory") visit(node, path);
        else if (node.isWritten)
          found.push({ path: path.replace(/^\/work\//, ""), bytes: node.bytes.slice(0, node.size) });
      }
    };
    visit(this.#root, "");
    return found;
  }

  admit(path: string): string | null {
    const full = normalizePath(path.startsWith("/") ? path : `/work/${path}`);
    return full === "/work" || full.startsWith("/work/") || full === "/tmp" || full.startsWith("/tmp/") ? full : null;
  }

  explain(): string | null {
    return null;
  }

  open(path: string, options: OpenOptions): HostFile {
    const { directory, name } = this.#parent(path);
    let node = directory.entries.get(name);
    if (node === undefined) {
      if (!options.create) fail(Errno.noent, path);
      this.#budget.take(ENTRY_BYTES);
      node = {
        kind: "file",
        isWritten: true,
        bytes: new Uint8Array(0),
        size: 0,
        inode: this.#nextInode++,
        modifiedNs: nowNs(),
        accessedNs: nowNs(),
      };
      directory.entries.set(name, node);
    } else if (options.create && options.exclusive) fail(Errno.exist, path);
    if (node.kind === "directory") return fail(Errno.isdir, path);
    if (options.truncate) [node.size, node.isWritten] = [0, true];
    return new MemoryFile(node, options.append, this.#budget);
  }

  stat(path: string): HostFileStat {
    return statOf(this.#find(path));
  }

  list(path: string): HostDirectoryEntry[] {
    const node = this.#find(path);
    if (node.kind !== "directory") return fail(Errno.notdir, path);
    return [...node.entries].map(([name, child]) => ({ name, kind: child.kind, inode: child.inode }));
  }

  makeDirectory(path: string): void {
    const { directory, name } = this.#parent(path);
    if (directory.entries.has(name)) fail(Errno.exist, path);
    this.#budget.take(ENTRY_BYTES);
    directory.entries.set(name, this.#newDirectory());
  }

  removeDirectory(path: string): void {
    const { directory, name } = this.#parent(path);
    const node = directory.entries.get(name) ?? fail(Errno.noent, path);
    if (node.kind !== "directory") return fail(Errno.notdir, path);
    if (node.entries.size > 0) fail(Errno.notempty, path);
    directory.entries.delete(name);
  }

  removeFile(path: string): void {
    const { directory, name } = this.#parent(path);
    const node = directory.entries.get(name) ?? fail(Errno.noent, path);
    if (node.kind === "directory") fail(Errno.isdir, path);
    directory.entries.delete(name);
  }

  rename(from: string, to: string): void {
    const source = this.#parent(from);
    const node = source.directory.entries.get(source.name) ?? fail(Errno.noent, from);
    const target = this.#parent(to);
    const old = target.directory.entries.get(target.name);
    if (old === node) return;
    if (old?.kind === "directory" && (node.kind !== "directory" || old.entries.size > 0))
      fail(node.kind === "directory" ? Errno.notempty : Errno.isdir, to);
    if (old?.kind === "file" && node.kind === "directory") fail(Errno.notdir, to);
    source.directory.entries.delete(source.name);
    target.directory.entries.set(target.name, node);
  }

  link(from: string, to: string): void {
    const node = this.#find(from);
    if (node.kind === "directory") fail(Errno.perm, from);
    const { directory, name } = this.#parent(to);
    if (directory.entries.has(name)) fail(Errno.exist, to);
    this.#budget.take(ENTRY_BYTES);
    directory.entries.set(name, node);
  }

  symbolicLink(_target: string, path: string): void {
    fail(Errno.notsup, path);
  }

  readLink(path: string): string {
    this.#find(path);
    return fail(Errno.inval, path);
  }

  setTimes(path: string, accessedNs: bigint | null, modifiedNs: bigint | null): void {
    const node = this.#find(path);
    if (accessedNs !== null) node.accessedNs = accessedNs;
    if (modifiedNs !== null) node.modifiedNs = modifiedNs;
  }

  #newDirectory(): DirectoryNode {
    return {
      kind: "directory",
      entries: new Map(),
      inode: this.#nextInode++,
      modifiedNs: nowNs(),
      accessedNs: nowNs(),
    };
  }

  #parts(path: string): string[] {
    return normalizePath(path.startsWith("/") ? path : `/work/${path}`)
      .split("/")
      .filter((part) => part !== "");
  }

  #find(path: string): TreeNode {
    let node: TreeNode = this.#root;
    for (const part of this.#parts(path)) {
      if (node.kind !== "directory") return fail(Errno.notdir, path);
      node = node.entries.get(part) ?? fail(Errno.noent, path);
    }
    return node;
  }

  #parent(path: string): { directory: DirectoryNode; name: string } {
    const parts = this.#parts(path);
    const name = parts.pop() ?? fail(Errno.isdir, path);
    const directory = this.#find(`/${parts.join("/")}`);
    if (directory.kind !== "directory") return fail(Errno.notdir, path);
    return { directory, name };
  }
}

function statOf(node: TreeNode): HostFileStat {
  const size = node.kind === "file" ? node.size : 0;
  return {
    kind: node.kind,
    size,
    inode: node.inode,
    device: 1n,
    links: 1,
    accessedNs: node.accessedNs,
    modifiedNs: node.modifiedNs,
    changedNs: node.modifiedNs,
  };
}

/** What a name in a directory takes, roughly. */
const ENTRY_BYTES = 256;

/** How much more the files may hold. */
class Budget {
  readonly #limit: number;
  readonly #held: () => number;
  #used = 0;

  /** @param held counts anew what is held, when the limit seems to be reached: files may have been removed. */
  constructor(limit: number, held: () => number) {
    this.#limit = limit;
    this.#held = held;
  }

  get left(): number {
    return this.#limit - this.#used;
  }

  /** @throws HostFileError "nospc" */
  take(bytes: number): void {
    if (this.#used + bytes > this.#limit) this.#used = this.#held();
    if (this.#used + bytes > this.#limit) fail(Errno.nospc, `the program's files may hold ${this.#limit} bytes`);
    this.#used += bytes;
  }
}

function heldBytes(node: TreeNode): number {
  if (node.kind === "file") return node.bytes.length;
  let sum = 0;
  for (const child of node.entries.values()) sum += ENTRY_BYTES + heldBytes(child);
  return sum;
}

class MemoryFile implements HostFile {
  readonly #node: FileNode;
  readonly #append: boolean;
  readonly #budget: Budget;
  constructor(node: FileNode, append: boolean, budget: Budget) {
    this.#node = node;
    this.#append = append;
    this.#budget = budget;
  }
  read(buffer: Uint8Array, position: number | null): number {
    const start = position ?? 0;
    const count = Math.max(0, Math.min(buffer.length, this.#node.size - start));
    buffer.set(this.#node.bytes.subarray(start, start + count));
    return count;
  }
  write(buffer: Uint8Array, position: number | null): number {
    const start = this.#append ? this.#node.size : (position ?? 0);
    const end = start + buffer.length;
    if (end > this.#node.bytes.length) this.#reserve(end);
    if (start > this.#node.size) this.#node.bytes.fill(0, this.#node.size, start);
    this.#node.bytes.set(buffer, start);
    this.#node.size = Math.max(this.#node.size, end);
    this.#node.modifiedNs = nowNs();
    this.#node.isWritten = true;
    return buffer.length;
  }
  truncate(size: number): void {
    if (size > this.#node.bytes.length) this.#reserve(size);
    if (size > this.#node.size) this.#node.bytes.fill(0, this.#node.size, size);
    this.#node.size = size;
    this.#node.modifiedNs = nowNs();
    this.#node.isWritten = true;
  }
  setTimes(accessedNs: bigint | null, modifiedNs: bigint | null): void {
    if (accessedNs !== null) this.#node.accessedNs = accessedNs;
    if (modifiedNs !== null) this.#node.modifiedNs = modifiedNs;
  }
  sync(): void {
    /* memory is always in step */
  }
  stat(): HostFileStat {
    return statOf(this.#node);
  }
  close(): void {
    /* nothing is held */
  }
  #reserve(bytes: number): void {
    const held = this.#node.bytes.length;
    // Near the limit a file takes half of what is left: so it is copied seldom, and other files still find room.
    const growth = Math.min(Math.max(held, 1024), Math.floor(this.#budget.left / 2));
    const size = Math.max(bytes, held + growth);
    this.#budget.take(size - held);
    const grown = new Uint8Array(size);
    grown.set(this.#node.bytes.subarray(0, this.#node.size));
    this.#node.bytes = grown;
  }
}

/** Streams in memory: stdin from given bytes, output gathered (or passed on) in the order it was written. */
export class MemoryStreams implements HostStreams {
  readonly #stdin: Uint8Array;
  readonly #onText: ((stream: "stdout" | "stderr", text: string) => void) | undefined;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #position = 0;
  stdout = "";
  stderr = "";
  constructor(options: { stdin?: string; onText?: (stream: "stdout" | "stderr", text: string) => void } = {}) {
    this.#stdin = new TextEncoder().encode(options.stdin ?? "");
    this.#onText = options.onText;
  }
  readStdin(buffer: Uint8Array): number {
    const chunk = this.#stdin.subarray(this.#position, this.#position + buffer.length);
    buffer.set(chunk);
    this.#position += chunk.length;
    return chunk.length;
  }
  write(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    const text = this.#decoders[stream].decode(bytes.slice(), { stream: true });
    this[stream] += text;
    this.#onText?.(stream, text);
  }
  flush(): void {
    /* written through */
  }
}
