/** Images that programs write: PPM, PGM and PBM are decoded here, the others by the browser. */

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
}

const MOST_PIXELS = 64_000_000;

/** The media type of an image that browsers show; null: it is none. */
export function imageType(bytes: Uint8Array): string | null {
  const begins = (...head: readonly number[]): boolean => head.every((byte, i) => bytes[i] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (begins(0x42, 0x4d) && bytes.length > 54) return "image/bmp";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<svg[\s>]/.test(new TextDecoder().decode(bytes.subarray(0, 512))))
    return "image/svg+xml";
  return null;
}

/** Netpbm's formats P1 to P6 (netpbm.sourceforge.net/doc); null: the bytes are something else. */
export function decodeNetpbm(bytes: Uint8Array): Pixels | null {
  const kind = bytes[0] === 0x50 ? (bytes[1] ?? 0) - 0x30 : 0;
  if (kind < 1 || kind > 6) return null;
  const reader = new NumberReader(bytes);
  const [width, height] = [reader.next(), reader.next()];
  const isBits = kind === 1 || kind === 4;
  const most = isBits ? 1 : reader.next();
  if (width === null || height === null || most === null || width * height > MOST_PIXELS || most < 1) return null;
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  const isColoured = kind === 3 || kind === 6;
  const sample =
    kind <= 3 ? () => reader.next(isBits) ?? 0 : binarySamples(bytes, reader.at + 1, { kind, most, width });
  const shade = (): number => (isBits ? 255 * (1 - sample()) : (255 * sample()) / most);
  for (let at = 0; at < rgba.length; at += 4) {
    const first = shade();
    rgba.set(isColoured ? [first, shade(), shade()] : [first, first, first], at);
  }
  return { width, height, rgba };
}

function binarySamples(
  bytes: Uint8Array,
  start: number,
  { kind, most, width }: { readonly kind: number; readonly most: number; readonly width: number },
): () => number {
  let at = 0;
  if (kind === 4) {
    const rowBytes = Math.ceil(width / 8);
    return () => {
      const [row, column] = [Math.floor(at / width), at++ % width];
      return ((bytes[start + row * rowBytes + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1;
    };
  }
  if (most < 256) return () => bytes[start + at++] ?? 0;
  return () => {
    const value = ((bytes[start + at] ?? 0) << 8) | (bytes[start + at + 1] ?? 0);
    at += 2;
    return value;
  };
}

/** Decimal numbers between white space and comments. */
class NumberReader {
  readonly #bytes: Uint8Array;
  /** Behind the last number. */
  at = 2;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @param isDigit one digit is a number, as in P1. */
  next(isDigit = false): number | null {
    for (;;) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) return null;
      if (byte === 0x23) while (this.at < this.#bytes.length && this.#bytes[this.at] !== 0x0a) this.at++;
      else if (byte >= 0x30 && byte <= 0x39) break;
      else if (!/\s/.test(String.fromCharCode(byte))) return null;
      else this.at++;
    }
    let value = 0;
    for (;;) {
      const byte = this.#bytes[this.at] ?? 0;
      if (byte < 0x30 || byte > 0x39) return value;
      value = value * 10 + byte - 0x30;
      this.at++;
      if (isDigit) return value;
    }
  }
}
