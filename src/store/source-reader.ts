/** How compilers and caches read the user's files, and the dependencies that they record. */

/** The user's file system. Paths are as the user wrote them: relative to the working directory, or absolute. */
export interface SourceReader {
  /** The bytes of a regular file, or null. */
  readFile(path: string): Uint8Array | null;
  isDirectory(path: string): boolean;
  /**
   * The reader reads the file system of the process, which another thread can read as well. Results of that thread are
   * compared with this reader afterwards.
   */
  readonly readsFileSystem?: boolean;
  /** All that the reader has, by path, where it is so little that another thread can be given it. */
  readonly ownFiles?: Readonly<Record<string, Uint8Array | string>>;
}

/** What a result depends on. */
export interface Dependencies {
  /** Path, as asked of the reader, to contents. */
  readonly read: Map<string, Uint8Array>;
  /** Paths that were looked for and were not there. */
  readonly missing: Set<string>;
}
