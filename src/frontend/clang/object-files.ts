/** What an object file or an archive names, without reading its tables. */

/** Whether an object file or archive computes with `long double`, or has a format string for it. */
export function usesLongDouble(bytes: Uint8Array): boolean {
  return /\b__\w+tf\d?\b|\bstrtold\b|%[-+ #\d.*']*L[aefgAEFG]/.test(new TextDecoder("latin1").decode(bytes));
}

/** Whether an object file or archive holds `text`, in its symbol table or anywhere. */
export function mentions(bytes: Uint8Array, text: string): boolean {
  const wanted = new TextEncoder().encode(text);
  const first = wanted[0] as number;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return true;
  }
  return false;
}

/**
 * Whether an object file or archive defines `main`. Clang names it by its parameters, for libc's `_start`.
 */
export function definesMain(bytes: Uint8Array): boolean {
  return mentions(bytes, "__main_argc_argv") || mentions(bytes, "__main_void");
}
