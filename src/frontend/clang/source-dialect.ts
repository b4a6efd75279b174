/**
 * Two spellings that nvcc takes and Clang does not, rewritten before Clang sees a user's file. No line moves, nothing
 * else changes.
 *
 * - A single `%` before a letter in inline PTX (`mov.u32 %0, %laneid;`): doubled in the string literals of asm
 *   statements, as the guide "Inline PTX Assembly in CUDA" asks to write it.
 * - `kernel << <grid, block >> > (…)`, which editors' formatters make of a launch: closed up, in the same columns.
 */

/** Both rewritings. */
export function acceptDialect(text: string): string {
  return closeLaunches(escapeAssembly(text));
}

/** `<< <` is no C++, so each begins a launch; its end is the next `>> >` or `>>>` outside parentheses. */
export function closeLaunches(text: string): string {
  if (!/<<[ \t]+</.test(text)) return text;
  let result = "";
  let rest = text;
  for (let match = /<<([ \t]+)</.exec(rest); match !== null; match = /<<([ \t]+)</.exec(rest)) {
    const after = match.index + match[0].length;
    result += `${rest.slice(0, match.index)}<<<${match[1]}`;
    const close = />>([ \t]*)>/.exec(rest.slice(after));
    if (close === null) return result + rest.slice(after);
    result += `${rest.slice(after, after + close.index)}>>>${close[1]}`;
    rest = rest.slice(after + close.index + close[0].length);
  }
  return result + rest;
}

const STATEMENT = /\b(?:asm|__asm|__asm__)\b(?:\s|\\\n)*(?:(?:volatile|__volatile__|__volatile)(?:\s|\\\n)*)?\(/g;

export function escapeAssembly(text: string): string {
  STATEMENT.lastIndex = 0;
  let result = "";
  let copied = 0;
  for (let match = STATEMENT.exec(text); match !== null; match = STATEMENT.exec(text)) {
    const start = STATEMENT.lastIndex;
    const end = templateEnd(text, start);
    const template = text.slice(start, end);
    const escaped = template.replaceAll(/(?<!%)%(?=[A-Za-z_])(?![A-Za-z]\d)/g, "%%");
    result += text.slice(copied, start) + escaped;
    copied = end;
    STATEMENT.lastIndex = end;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Where the template's string literals end: at the first `:` or `)` outside a literal or comment. */
function templateEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === "\\") i++;
    } else if (text.startsWith("//", i)) {
      i = Math.max(i, text.indexOf("\n", i));
    } else if (text.startsWith("/*", i)) {
      i = Math.max(i, text.indexOf("*/", i + 2) + 1);
    } else if (text[i] === ":" || text[i] === ")" || text[i] === ";") {
      return i;
    }
  }
  return text.length;
}

/** The same for a file's bytes; a file without "asm" and "<< <" is returned as it is. */
export function acceptDialectBytes(bytes: Uint8Array): Uint8Array {
  if (!contains(bytes, [0x61, 0x73, 0x6d]) && !contains(bytes, [0x3c, 0x3c, 0x20])) return bytes;
  // Latin-1 keeps every byte as it is, whatever the file's encoding.
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  const escaped = acceptDialect(text);
  return escaped === text ? bytes : Uint8Array.from(escaped, (character) => character.charCodeAt(0));
}

function contains(bytes: Uint8Array, needle: readonly number[]): boolean {
  for (let i = bytes.indexOf(needle[0] as number); i >= 0; i = bytes.indexOf(needle[0] as number, i + 1)) {
    if (needle.every((byte, k) => bytes[i + k] === byte)) return true;
  }
  return false;
}
