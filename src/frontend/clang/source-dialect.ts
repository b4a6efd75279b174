/**
 * Spellings that nvcc takes and Clang does not, rewritten before Clang sees a user's file. No line moves, nothing else
 * changes.
 *
 * - A single `%` before a letter in inline PTX (`mov.u32 %0, %laneid;`): doubled in the string literals of asm
 *   statements, as the guide "Inline PTX Assembly in CUDA" asks to write it.
 * - `kernel << <grid, block >> > (…)`, which editors' formatters make of a launch: closed up, in the same columns.
 * - `kernel<<<grid, {x, y, 1}>>>(…)`: the list becomes `dim3(x, y, 1)`.
 * - `a + \ // comment` at the end of a line: nvcc removes the comment first and takes the backslash for a line's
 *   continuation afterwards. The backslash becomes a space.
 */

/** All rewritings. */
export function acceptDialect(text: string): string {
  return joinLines(nameLists(closeLaunches(escapeAssembly(text))));
}

const BEFORE_COMMENT = /\\[ \t]*\/[/*]/;
/** What may hold a backslash before a comment's first characters without meaning it, and such a backslash itself. */
const PIECES = new RegExp(
  [
    /R"([^\s()\\]{0,16})\([\s\S]*?\)\1"/,
    /"(?:\\[\s\S]|[^"\\\n])*"/,
    /'(?:\\[\s\S]|[^'\\\n])*'/,
    /^[ \t]*#(?:\\\r?\n|[^\n])*/,
    /(?<backslash>\\)(?=[ \t]*(?:\/\/|\/\*[^\n]*\*\/[ \t]*\r?$))/,
    /\/\/[^\n]*/,
    /\/\*[\s\S]*?\*\//,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** Backslashes before a comment that ends the line; those in directives, literals and comments stay. */
export function joinLines(text: string): string {
  if (!BEFORE_COMMENT.test(text)) return text;
  return text.replace(PIECES, (piece, ...rest) => {
    const groups = rest.at(-1) as { backslash?: string };
    return groups.backslash === undefined ? piece : " ";
  });
}

/** A launch begins with `<<<` or `<< <`, neither of which is C++; its end is the next `>>>` or `>> >` outside of
 * parentheses. */
export function closeLaunches(text: string): string {
  if (!/<<[ \t]+<|>>[ \t]+>/.test(text)) return text;
  let result = "";
  let rest = text;
  for (let match = /<<([ \t]*)</.exec(rest); match !== null; match = /<<([ \t]*)</.exec(rest)) {
    const after = match.index + match[0].length;
    result += `${rest.slice(0, match.index)}<<<${match[1]}`;
    rest = rest.slice(after);
    const close = endOfLaunch(rest);
    if (close === null) continue;
    result += `${rest.slice(0, close.index)}>>>${close[1]}`;
    rest = rest.slice(close.index + close[0].length);
  }
  return result + rest;
}

/** Lists in braces among the arguments between `<<<` and `>>>`. */
export function nameLists(text: string): string {
  return text.replaceAll(/<<<([^;]*?)>>>/g, (launch, given: string) =>
    given.includes("{") ? `<<<${given.replaceAll(/(^|,)(\s*)\{([^{}]*)\}/g, "$1$2dim3($3)")}>>>` : launch,
  );
}

/** The `>>>` or `>> >` of a launch whose text begins after its `<<<`. */
function endOfLaunch(text: string): RegExpExecArray | null {
  const piece = />>([ \t]*)>|[();]/g;
  let depth = 0;
  for (let match = piece.exec(text); match !== null; match = piece.exec(text)) {
    if (match[0] === "(") depth++;
    else if (match[0] === ")") depth--;
    else if (match[0] === ";") return null;
    else if (depth === 0) return match;
    if (depth < 0) return null;
  }
  return null;
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

/** What a file that is rewritten contains: `asm`, `<< `, `<<<`, `>> >` or a backslash before a blank. */
const SIGNS = ["asm", "<< ", "<<<", ">> >", "\\ ", "\\\t", "\\/"].map((sign) => new TextEncoder().encode(sign));

/** The same for a file's bytes; most files have nothing to rewrite and are returned as they are. */
export function acceptDialectBytes(bytes: Uint8Array): Uint8Array {
  if (!SIGNS.some((sign) => contains(bytes, sign))) return bytes;
  // Latin-1 keeps every byte as it is, whatever the file's encoding.
  let text = "";
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  const escaped = acceptDialect(text);
  return escaped === text ? bytes : Uint8Array.from(escaped, (character) => character.charCodeAt(0));
}

function contains(bytes: Uint8Array, needle: Uint8Array): boolean {
  for (let i = bytes.indexOf(needle[0] as number); i >= 0; i = bytes.indexOf(needle[0] as number, i + 1)) {
    if (needle.every((byte, k) => bytes[i + k] === byte)) return true;
  }
  return false;
}
