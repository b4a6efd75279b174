/** What an object file or an archive names, without reading its tables. */
import { bug } from "../../base/diagnostics.ts";

/** Whether an object file or archive computes with `long double`, or has a format string for it. */
export function usesLongDouble(bytes: Uint8Array): boolean {
  return /\b__\w+tf\d?\b|\bstrtold\b|%[-+ #\d.*']*L[aefgAEFG]/.test(new TextDecoder("latin1").decode(bytes));
}

/** Whether an object file or archive holds `text`, in its symbol table or anywhere. */
export function mentions(bytes: Uint8Array, text: string): boolean {
  return placeOf(bytes, new TextEncoder().encode(text), 0) >= 0;
}

/** Gives a symbol of an object file another name, of the same length. */
export function rename(object: Uint8Array, from: string, to: string): void {
  const [wanted, name] = [from, to].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
  if (name.length !== wanted.length) bug(`${to} is not as long as ${from}`);
  for (let at = placeOf(object, wanted, 0); at >= 0; at = placeOf(object, wanted, at + 1)) object.set(name, at);
}

function placeOf(bytes: Uint8Array, wanted: Uint8Array, start: number): number {
  const first = wanted[0] as number;
  let at = bytes.indexOf(first, start);
  while (at >= 0 && !wanted.every((byte, i) => bytes[at + i] === byte)) at = bytes.indexOf(first, at + 1);
  return at;
}

/**
 * Whether an object file or archive defines `main`. Clang names it by its parameters, for libc's `_start`.
 */
export function definesMain(bytes: Uint8Array): boolean {
  return mentions(bytes, "__main_argc_argv") || mentions(bytes, "__main_void");
}

/** Whether it names a `main` that Clang has not renamed: one with a third parameter, the environment. */
export function definesEnvironmentMain(bytes: Uint8Array): boolean {
  // An entry of the symbol table: the length and the name.
  return !definesMain(bytes) && mentions(bytes, "\u0004main");
}
