/**
 * Tokens of textual LLVM IR (LangRef, "Lexical Structure" and "Identifiers"; llvm/lib/AsmParser is the other reader of
 * this language).
 *
 * One pass over character codes, no regular expression and no token objects: `next()` moves, and the fields of the
 * lexer are the token. Comments and `#dbg_…` records are skipped here. Errors are HeddleError("invalid-ir") with line
 * and column.
 */
import { HeddleError } from "../../base/diagnostics.ts";

export type TokenKind =
  | "eof"
  | "word" // keyword, type name, opcode, attribute: text
  | "label" // `name:` at the start of a block (also field names in metadata): text without the colon
  | "local" // %name
  | "global" // @name
  | "comdat" // $name
  | "attribute-group" // #12
  | "metadata" // !name or !12; text is empty for a lone `!`
  | "int" // 12, -3, u0xFF, s0xFF
  | "float" // 1.5e3, 0x…, 0xH…
  | "string" // "…", unescaped
  | "bytes" // c"…", unescaped
  | "ellipsis"
  | "punctuation"; // one of ( ) [ ] { } < > , = * | :

const QUOTE = 34;
const BACKSLASH = 92;
const NEWLINE = 10;
const SEMICOLON = 59;

/** [-a-zA-Z$._0-9], the characters of a name. */
const isNameChar = new Uint8Array(256);
for (const c of "-$._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") isNameChar[c.charCodeAt(0)] = 1;

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}
function isHexDigit(c: number): boolean {
  return (c >= 48 && c <= 57) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
}

export class Lexer {
  readonly text: string;
  readonly sourceName: string;
  /** The current token. */
  kind: TokenKind = "eof";
  value = "";
  /** Offsets of the current token, and the end of the one before it. */
  start = 0;
  end = 0;
  previousEnd = 0;
  /** Offset at which this lexer stops. */
  limit: number;

  constructor(text: string, sourceName: string) {
    this.text = text;
    this.sourceName = sourceName;
    this.limit = text.length;
  }

  /** Continues at `offset`; the first token there becomes current. */
  moveTo(offset: number, limit: number = this.text.length): void {
    this.end = offset;
    this.limit = limit;
    this.next();
  }

  next(): void {
    const text = this.text;
    let at = this.end;
    this.previousEnd = at;
    for (;;) {
      if (at >= this.limit) {
        this.#set("eof", this.limit, this.limit, "");
        return;
      }
      const c = text.charCodeAt(at);
      if (c === 32 || c === NEWLINE || c === 13 || c === 9 || c === 0) {
        at++;
        continue;
      }
      if (c === SEMICOLON) {
        at = this.#lineEnd(at);
        continue;
      }
      if (c === 35 /* # */ && text.startsWith("#dbg_", at)) {
        at = this.#skipDebugRecord(at);
        continue;
      }
      this.#token(c, at);
      return;
    }
  }

  #set(kind: TokenKind, start: number, end: number, value: string): void {
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.value = value;
  }

  #token(c: number, at: number): void {
    const text = this.text;
    switch (c) {
      case 37:
        /* % */ return this.#name("local", at);
      case 64:
        /* @ */ return this.#name("global", at);
      case 36:
        /* $ */ if (this.#isLabelAt(at)) return this.#word(at);
        return this.#name("comdat", at);
      case 33: /* ! */ {
        const end = this.#metadataNameEnd(at + 1);
        return this.#set("metadata", at, end, text.slice(at + 1, end));
      }
      case 35: /* # */ {
        let end = at + 1;
        while (isDigit(text.charCodeAt(end))) end++;
        if (end === at + 1) this.fail("a number was expected after '#'", at);
        return this.#set("attribute-group", at, end, text.slice(at + 1, end));
      }
      case QUOTE: {
        const end = this.#stringEnd(at);
        const value = unescape(text.slice(at + 1, end - 1));
        if (text.charCodeAt(end) === 58) return this.#set("label", at, end + 1, value);
        return this.#set("string", at, end, value);
      }
      case 40:
      case 41:
      case 91:
      case 93:
      case 123:
      case 125:
      case 60:
      case 62:
      case 44:
      case 61:
      case 42:
      case 124:
      case 58:
      case 47:
        return this.#set("punctuation", at, at + 1, text[at] as string);
      case 46 /* . */:
        if (text.startsWith("...", at)) return this.#set("ellipsis", at, at + 3, "...");
        return this.#word(at);
      case 99 /* c */:
        if (text.charCodeAt(at + 1) === QUOTE) {
          const end = this.#stringEnd(at + 1);
          return this.#set("bytes", at, end, unescape(text.slice(at + 2, end - 1)));
        }
        return this.#word(at);
      case 45:
      case 43 /* - + */:
        if (isDigit(text.charCodeAt(at + 1))) return this.#number(at);
        return this.#word(at);
      default:
        if (isDigit(c)) return this.#number(at);
        if (isNameChar[c] === 1 && c < 256) return this.#word(at);
        this.fail(`unexpected character ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) as number))}`, at);
    }
  }

  #word(at: number): void {
    const end = this.#nameEnd(at);
    if (end === at) this.fail(`unexpected character ${JSON.stringify(this.text[at])}`, at);
    if (this.text.charCodeAt(end) === 58) return this.#set("label", at, end + 1, this.text.slice(at, end));
    const value = this.text.slice(at, end);
    if ((value.startsWith("u0x") || value.startsWith("s0x")) && value.length > 3)
      return this.#set("int", at, end, value);
    this.#set("word", at, end, value);
  }

  #number(at: number): void {
    const text = this.text;
    let end = at;
    const first = text.charCodeAt(at);
    if (first === 45 || first === 43) end++;
    if (text.charCodeAt(end) === 48 && text.charCodeAt(end + 1) === 120 /* 0x */) {
      end += 2;
      const c = text.charCodeAt(end);
      if (c === 72 || c === 75 || c === 76 || c === 77 || c === 82 /* H K L M R */) end++;
      const digits = end;
      while (isHexDigit(text.charCodeAt(end))) end++;
      if (end === digits) this.fail("hexadecimal digits were expected", at);
      return this.#set("float", at, end, text.slice(at, end));
    }
    while (isDigit(text.charCodeAt(end))) end++;
    let isFloat = false;
    if (text.charCodeAt(end) === 46) {
      isFloat = true;
      end++;
      while (isDigit(text.charCodeAt(end))) end++;
      const e = text.charCodeAt(end);
      if (e === 101 || e === 69) {
        const sign = text.charCodeAt(end + 1);
        const exponent = sign === 43 || sign === 45 ? end + 2 : end + 1;
        if (isDigit(text.charCodeAt(exponent))) {
          end = exponent;
          while (isDigit(text.charCodeAt(end))) end++;
        }
      }
    }
    // A block's label may begin with a digit: `12:` or `3foo:`.
    if (this.#isLabelAt(at)) return this.#word(at);
    this.#set(isFloat ? "float" : "int", at, end, text.slice(at, end));
  }

  #name(kind: TokenKind, at: number): void {
    const first = at + 1;
    if (this.text.charCodeAt(first) === QUOTE) {
      const end = this.#stringEnd(first);
      return this.#set(kind, at, end, unescape(this.text.slice(first + 1, end - 1)));
    }
    const end = this.#nameEnd(first);
    if (end === first) this.fail("a name was expected", at);
    this.#set(kind, at, end, this.text.slice(first, end));
  }

  #nameEnd(at: number): number {
    const text = this.text;
    let c = text.charCodeAt(at);
    while (c < 256 && isNameChar[c] === 1) c = text.charCodeAt(++at);
    return at;
  }

  #metadataNameEnd(at: number): number {
    const text = this.text;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c < 256 && isNameChar[c] === 1) at++;
      else if (c === BACKSLASH) at += 3;
      else return Math.min(at, text.length);
    }
  }

  #isLabelAt(at: number): boolean {
    const end = this.#nameEnd(at);
    return end > at && this.text.charCodeAt(end) === 58;
  }

  /** The offset after the closing quote of the string that opens at `at`. */
  #stringEnd(at: number): number {
    const end = this.text.indexOf('"', at + 1);
    if (end < 0 || end >= this.limit) this.fail("the string has no end", at);
    return end + 1;
  }

  #lineEnd(at: number): number {
    const end = this.text.indexOf("\n", at);
    return end < 0 ? this.limit : end;
  }

  #skipDebugRecord(at: number): number {
    const open = this.#nameEnd(at + 1);
    if (this.text.charCodeAt(open) !== 40) this.fail("'(' was expected", open);
    return this.skipBalanced(open, "the debug record has no end");
  }

  /** From an opening bracket to the offset after the one that closes it. Strings and comments are passed over. */
  skipBalanced(open: number, message: string): number {
    const text = this.text;
    let depth = 0;
    for (let at = open; at < this.limit; at++) {
      const c = text.charCodeAt(at);
      if (c === 40 || c === 91 || c === 123) depth++;
      else if (c === 41 || c === 93 || c === 125) {
        if (--depth === 0) return at + 1;
      } else if (c === QUOTE) at = this.#stringEnd(at) - 1;
      else if (c === SEMICOLON) at = this.#lineEnd(at);
    }
    return this.fail(message, open);
  }

  /** The end of the statement at `at`: the first line break outside of brackets and strings. */
  statementEnd(at: number): number {
    const text = this.text;
    for (let depth = 0; at < this.limit; at++) {
      const c = text.charCodeAt(at);
      if (c === NEWLINE && depth <= 0) return at;
      if (c === 40 || c === 91 || c === 123) depth++;
      else if (c === 41 || c === 93 || c === 125) depth--;
      else if (c === QUOTE) at = this.#stringEnd(at) - 1;
      else if (c === SEMICOLON) {
        at = this.#lineEnd(at);
        if (depth <= 0) return at;
      }
    }
    return this.limit;
  }

  /** Throws HeddleError("invalid-ir") at `offset`, by default at the current token. */
  fail(message: string, offset: number = this.start): never {
    let line = 1;
    let lineStart = 0;
    for (let at = this.text.indexOf("\n"); at >= 0 && at < offset; at = this.text.indexOf("\n", at + 1)) {
      line++;
      lineStart = at + 1;
    }
    throw new HeddleError("invalid-ir", message, {
      location: { file: this.sourceName, line, column: offset - lineStart + 1 },
    });
  }
}

/** `\XX` is a byte in hexadecimal, `\\` a backslash. UTF-8 beyond ASCII stays as the text has it. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(\\|[0-9a-fA-F]{2})/g, (_, code: string) =>
    code === "\\" ? "\\" : String.fromCharCode(parseInt(code, 16)),
  );
}
