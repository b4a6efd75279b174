/** The immediates of an instruction (opcodes.ts says of which kind they are). */

export type Immediates =
  | ""
  | "u"
  | "uu"
  | "s"
  | "f32"
  | "f64"
  | "v128"
  | "block"
  | "table"
  | "memory"
  | "lane"
  | "memory-lane"
  | "types";

/**
 * Where the immediates that begin at `at` end, and the numbers among them: indices, a block's type (as it is signed).
 * Constants are skipped.
 */
export function readImmediates(
  code: Uint8Array,
  at: number,
  kind: Immediates,
): { readonly values: readonly number[]; readonly end: number } {
  const values: number[] = [];
  const unsigned = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = code[at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const take = (count: number): void => {
    for (let n = 0; n < count; n++) values.push(unsigned());
  };
  switch (kind) {
    case "":
      break;
    case "u":
    case "lane":
      take(1);
      break;
    case "uu":
    case "memory":
      take(2);
      break;
    case "memory-lane":
      take(3);
      break;
    case "s":
      while ((code[at++] as number) >= 0x80);
      break;
    case "block": {
      const start = at;
      const value = unsigned();
      const sign = 2 ** (7 * (at - start));
      values.push(value >= sign / 2 ? value - sign : value);
      break;
    }
    case "f32":
      at += 4;
      break;
    case "f64":
      at += 8;
      break;
    case "v128":
      at += 16;
      break;
    case "table":
      take(unsigned() + 1);
      break;
    case "types":
      at += unsigned();
      break;
  }
  return { values, end: at };
}
