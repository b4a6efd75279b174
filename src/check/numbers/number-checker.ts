/** Numbers: where a computation leaves the numbers of its type. Opt-in: programs may mean it. */
import type { Example, FunctionContext, Site } from "../../instrument/instrumenter.ts";
import { bfloatToNumber } from "../../base/bfloat.ts";
import { halfToNumber } from "../../base/half.ts";
import type { CheckedDevice, Checker } from "../checker.ts";
import type { FindingDraft } from "../finding.ts";
import { NumberVisitor, wordsIn, type NumberSite, type WordFormat } from "./number-checks.ts";
import { float32FromBits, float64FromWords } from "../../base/float-bits.ts";

export type NumberFault = "nan" | "infinity" | "division-by-zero" | "integer-overflow" | "conversion" | "shift";

/** By kind of fault: all that numbers finds. */
export const NUMBER_TITLES: Readonly<Record<NumberFault, string>> = {
  nan: "first NaN",
  infinity: "first infinity",
  "division-by-zero": "division by zero",
  "integer-overflow": "integer overflow",
  conversion: "conversion out of range",
  shift: "shift by too much",
};

const HELP: Readonly<Record<NumberFault, string>> = {
  nan:
    "from here on the NaN goes into everything that is computed with it: guard the operation, or keep its " +
    "operands in its domain",
  infinity:
    "guard the division, or scale before the operation: subtract the maximum before exp, use a wider type for sums",
  "division-by-zero": "compare the divisor with 0 before",
  "integer-overflow": "widen an operand before the operation: (size_t)row * width + column",
  conversion:
    "compare with the type's bounds before the conversion, or use __float2int_rz and its like, which saturate",
  shift: "an amount of as many bits as the type has, or more, is undefined: compare before",
};

export class NumberChecker implements Checker {
  readonly name = "numbers";
  readonly shadowPlanes = 0;

  attach(_device: CheckedDevice): void {}

  visitor(context: FunctionContext): NumberVisitor {
    return new NumberVisitor(context);
  }

  describe(site: Site, { words }: Example): FindingDraft {
    const { check, operation, formats } = site as NumberSite;
    const values: (number | bigint)[] = [];
    let word = 0;
    for (const format of formats) {
      values.push(valueOf(format, words[word] as number, words[word + 1] ?? 0));
      word += wordsIn(format);
    }
    const shown = values.map((value) => formatNumber(value));
    const [a, b] = shown as [string, string];
    const details = { operation, values: values.map((value) => (typeof value === "bigint" ? String(value) : value)) };
    const draft = (kind: NumberFault, message: string): FindingDraft => ({
      kind,
      title: NUMBER_TITLES[kind],
      message,
      notes: [],
      help: HELP[kind],
      details,
    });
    switch (check) {
      case "not-finite": {
        const result = values.at(-1) as number;
        const expression = expressionOf(operation, shown.slice(0, -1), formats);
        return draft(Number.isNaN(result) ? "nan" : "infinity", `${expression} = ${shown.at(-1)}`);
      }
      case "division":
        return draft("division-by-zero", `${a} ${operation} ${b}`);
      case "overflow":
        return draft(
          "integer-overflow",
          `${a} ${operation} ${b} = ${shown[2]} in ${formats[0] === "i64" ? 64 : 32} bits`,
        );
      case "conversion":
        return draft("conversion", `${a} as ${operation}`);
      case "shift":
        return draft("shift", `${a} ${operation} ${b}`);
    }
  }
}

function expressionOf(operation: string, operands: readonly string[], formats: readonly WordFormat[]): string {
  if (/^\W+$/.test(operation)) return operands.join(` ${operation} `);
  if (operation === "conversion") return `${formats[0]} ${operands[0]} as ${formats[1]}`;
  return `${operation}(${operands.join(", ")})`;
}

function valueOf(format: WordFormat, low: number, high: number): number | bigint {
  const wide = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
  switch (format) {
    case "half":
      return halfToNumber(low & 0xffff);
    case "bfloat":
      return bfloatToNumber(low & 0xffff);
    case "float":
      return float32FromBits(low);
    case "double":
      return float64FromWords(low, high);
    case "i8":
    case "i16":
    case "i32":
      return low | 0;
    case "u8":
      return low & 0xff;
    case "u16":
      return low & 0xffff;
    case "u32":
      return low >>> 0;
    case "i64":
      return BigInt.asIntN(64, wide);
    case "u64":
      return wide;
  }
}

function formatNumber(value: number | bigint): string {
  if (typeof value === "bigint" || Number.isInteger(value)) return String(value);
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(Number(value.toPrecision(7)));
  return value > 0 ? "infinity" : "-infinity";
}
