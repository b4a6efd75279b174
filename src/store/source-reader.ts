/** How compilers and caches read the user's files, and what they note of it. */

/** The user's file system. Paths are as the user wrote them: relative to the working directory, or absolute. */
export interface SourceReader {
  /** The bytes of a regular file, or null. */
  readFile(path: string): Uint8Array | null;
  isDirectory(path: string): boolean;
  /**
   * It reads the file system of the process, as another thread could: that one's findings are compared with what this
   * reader says afterwards.
   */
  readonly readsFileSystem?: boolean;
}

/** What a result depends on. */
export interface Dependencies {
  /** Path, as asked of the reader, to contents. */
  readonly read: Map<string, Uint8Array>;
  /** Paths that were looked for and were not there. */
  readonly missing: Set<string>;
}
