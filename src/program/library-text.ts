/** The device library's IR, for devices that need its text only for programs that are not in the cache. */
export interface LibraryText {
  /** Changes with the text. */
  readonly key: string;
  text(): string;
}
