/**
 * `long` of 64 bits in the sources of extensions: PyTorch's int64_t is `long` where extensions are written, and they
 * say `data_ptr<long>()`. Where an extension is compiled with 32-bit longs, the word becomes `long long`, and `1L`
 * becomes `1LL`. Text in quotes and comments stays as it is, but for `%ld`, which prints such numbers.
 */
import type { SourceReader } from "../store/source-reader.ts";

const WORDS = "unsigned|signed|long|int|short|double|char";
const PIECE = new RegExp(
  [
    String.raw`//[^\n]*`,
    String.raw`/\*[^]*?\*/`,
    String.raw`R"([^\s()\\]{0,16})\([^]*?\)\1"`,
    String.raw`"(?:[^"\\\n]|\\[^])*"`,
    String.raw`'(?:[^'\\\n]|\\[^])+'`,
    String.raw`\b(?:${WORDS})\b(?:[ \t\n]+(?:${WORDS})\b)*`,
    String.raw`\b(?:0[xX][\da-fA-F']+|\d[\d']*)[uU]?[lL][uU]?\b`,
    // A name with these words in it, and what begins like a number.
    String.raw`[A-Za-z_]\w*|\d[\w.']*`,
  ].join("|"),
  "g",
);

/** The same lines, with `long` of 64 bits. */
export function withWideLongs(text: string): string {
  return text.replaceAll(PIECE, (piece) => {
    if (piece.startsWith('"')) return piece.replaceAll(/%([-+ #0]*[\d*]*)l([di])/g, "%$1ll$2");
    if (/^(?:unsigned|signed|long|int|short)\b/.test(piece)) return wide(piece);
    return /^\d[\d'a-fA-FxX]*[uU]?[lL][uU]?$/.test(piece) ? piece.replace(/[lL]/, "LL") : piece;
  });
}

/** @param words of one type, such as `unsigned long int` */
function wide(words: string): string {
  const longs = words.match(/\blong\b/g)?.length ?? 0;
  return longs === 1 && !/\bdouble\b/.test(words) ? words.replace(/\blong\b/, "long long") : words;
}

/** Reads what sources of an extension include, in the same way. */
export function withWideLongsIn(reader: SourceReader): SourceReader {
  return {
    readFile: (path) => {
      const bytes = reader.readFile(path);
      if (bytes === null || !/\.(?:h|hpp|cuh|inl|inc|cu|cpp|hh|hxx)$/.test(path)) return bytes;
      const text = new TextDecoder().decode(bytes);
      return /\blong\b|\d[lL]\b|%l[di]/.test(text) ? new TextEncoder().encode(withWideLongs(text)) : bytes;
    },
    isDirectory: (path) => reader.isDirectory(path),
  };
}
