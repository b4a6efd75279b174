/**
 * The formatting of C's printf (C17 7.21.6.1), exact for every double: digits come from integer arithmetic, not from
 * the host's number formatting.
 *
 * Sizes follow the 32-bit data model of the emulated device: int, long, size_t, ptrdiff_t and pointers are 4 bytes,
 * long long and intmax_t 8; or, where `longBytes` is 8, the 64-bit one of Linux. A reader that knows better (from the
 * type of the argument buffer) may return more bits. Widths and precisions above MOST count as MOST: a text must fit
 * into memory. As in CUDA's device printf, %n is not a conversion; an unknown conversion is printed as it stands.
 */
import { decompose } from "./float-rounding.ts";

const MOST = 65536;

/** Delivers the arguments in order, each call one. */
export interface PrintfArguments {
  /** The next integer argument of `bytes` bytes, as an unsigned number. */
  integer(bytes: 4 | 8): bigint;
  double(): number;
  /** The text that the next argument, a char*, points at; null for a null pointer. At most `limit` bytes are needed. */
  string(limit: number): string | null;
}

interface Directive {
  left: boolean;
  plus: boolean;
  space: boolean;
  alternate: boolean;
  zero: boolean;
  width: number;
  /** -1: not given. */
  precision: number;
  length: "" | "hh" | "h" | "l" | "ll" | "j" | "z" | "t" | "L";
  conversion: string;
}

const DIRECTIVE = /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t|L|q)?([a-zA-Z%])/y;

/** What printf(format, arguments) writes. @param longBytes of long, size_t, ptrdiff_t and pointers. */
export function formatPrintf(format: string, args: PrintfArguments, longBytes: 4 | 8 = 4): string {
  let result = "";
  let position = 0;
  while (position < format.length) {
    const percent = format.indexOf("%", position);
    if (percent < 0) break;
    result += format.slice(position, percent);
    DIRECTIVE.lastIndex = percent;
    const match = DIRECTIVE.exec(format);
    if (match === null) {
      result += "%";
      position = percent + 1;
      continue;
    }
    position = percent + match[0].length;
    result += formatDirective(match, args, longBytes);
  }
  return result + format.slice(position);
}

function formatDirective(match: RegExpExecArray, args: PrintfArguments, longBytes: 4 | 8): string {
  const flags = match[1] as string;
  const directive: Directive = {
    left: flags.includes("-"),
    plus: flags.includes("+"),
    space: flags.includes(" "),
    alternate: flags.includes("#"),
    zero: flags.includes("0"),
    width: 0,
    precision: -1,
    length: lengthOf(match[4] ?? "", longBytes),
    conversion: match[5] as string,
  };
  if (match[2] === "*") {
    directive.width = Number(BigInt.asIntN(32, args.integer(4)));
    if (directive.width < 0) {
      directive.left = true;
      directive.width = -directive.width;
    }
  } else if (match[2] !== undefined) directive.width = Number(match[2]);
  if (match[3] === "*") directive.precision = Math.max(-1, Number(BigInt.asIntN(32, args.integer(4))));
  else if (match[3] !== undefined) directive.precision = Number(match[3]);

  directive.width = Math.min(directive.width, MOST);
  directive.precision = Math.min(directive.precision, MOST);

  switch (directive.conversion) {
    case "%":
      return "%";
    case "d":
    case "i":
      return formatInteger(directive, 10, true, args);
    case "u":
      return formatInteger(directive, 10, false, args);
    case "x":
    case "X":
      return formatInteger(directive, 16, false, args);
    case "o":
      return formatInteger(directive, 8, false, args);
    case "b":
    case "B":
      return formatInteger(directive, 2, false, args);
    case "c":
      return pad(directive, "", String.fromCharCode(Number(args.integer(4) & 0xffn)), false);
    case "s": {
      const text = args.string(directive.precision < 0 ? Infinity : directive.precision);
      // glibc prints nothing of "(null)" when the precision would cut it.
      const shown = text ?? (directive.precision >= 0 && directive.precision < 6 ? "" : "(null)");
      return pad(directive, "", directive.precision < 0 ? shown : shown.slice(0, directive.precision), false);
    }
    case "p": {
      const value = args.integer(longBytes);
      return pad(directive, "", value === 0n ? "(nil)" : `0x${value.toString(16)}`, false);
    }
    case "f":
    case "F":
    case "e":
    case "E":
    case "g":
    case "G":
    case "a":
    case "A":
      return formatDouble(directive, args.double());
    default:
      return match[0];
  }
}

/** What a modifier means by its size alone. */
function lengthOf(written: string, longBytes: 4 | 8): Directive["length"] {
  if (written === "q" || (longBytes === 8 && /^[lzt]$/.test(written))) return "ll";
  return written as Directive["length"];
}

function pad(directive: Directive, prefix: string, body: string, zeros: boolean): string {
  const missing = directive.width - prefix.length - body.length;
  if (missing <= 0) return prefix + body;
  if (directive.left) return prefix + body + " ".repeat(missing);
  return zeros ? prefix + "0".repeat(missing) + body : " ".repeat(missing) + prefix + body;
}

function formatInteger(directive: Directive, radix: number, signed: boolean, args: PrintfArguments): string {
  const bytes = directive.length === "ll" || directive.length === "j" || directive.length === "L" ? 8 : 4;
  const raw = args.integer(bytes);
  const wide = bytes === 8 || raw >> 32n !== 0n;
  const bits = SHORT_BITS[directive.length] ?? (wide ? 64 : 32);
  const value = signed ? BigInt.asIntN(bits, raw) : BigInt.asUintN(bits, raw);
  let digits = (value < 0n ? -value : value).toString(radix);
  if (directive.conversion === "X") digits = digits.toUpperCase();
  if (directive.precision === 0 && value === 0n) digits = "";
  if (directive.precision > digits.length) digits = digits.padStart(directive.precision, "0");
  let prefix = signed ? signOf(directive, value < 0n) : "";
  if (directive.alternate) {
    if (radix === 8 && !digits.startsWith("0")) digits = `0${digits}`;
    else if (radix !== 8 && radix !== 10 && value !== 0n) prefix = `0${directive.conversion}`;
  }
  return pad(directive, prefix, digits, directive.zero && directive.precision < 0);
}

/** Lengths whose argument is promoted to int and cut off again. */
const SHORT_BITS: Readonly<Record<string, number>> = { hh: 8, h: 16 };

/** What follows the whole number: `point` keeps the point where there are no digits. */
function fractionText(digits: string, point: boolean): string {
  return digits !== "" || point ? `.${digits}` : "";
}

function signOf(directive: Directive, negative: boolean): string {
  if (negative) return "-";
  if (directive.plus) return "+";
  return directive.space ? " " : "";
}

function formatDouble(directive: Directive, value: number): string {
  const upper = directive.conversion < "a";
  const conversion = directive.conversion.toLowerCase();
  const negative = value < 0 || Object.is(value, -0);
  const prefix = signOf(directive, negative);
  if (!Number.isFinite(value)) {
    const word = value !== value ? "nan" : "inf";
    return pad(directive, prefix, upper ? word.toUpperCase() : word, false);
  }
  const magnitude = Math.abs(value);
  const precision = directive.precision < 0 ? 6 : directive.precision;
  let body: string;
  let mark = "";
  if (conversion === "f") body = fixed(magnitude, precision, directive.alternate);
  else if (conversion === "e") body = scientific(magnitude, precision, directive.alternate);
  else if (conversion === "g") body = general(magnitude, precision === 0 ? 1 : precision, directive.alternate);
  else {
    mark = "0x";
    body = hexadecimal(magnitude, directive.precision, directive.alternate);
  }
  const text = pad(directive, prefix + mark, body, directive.zero);
  return upper ? text.toUpperCase() : text;
}

/** round(magnitude · 10^power), ties to even, exactly. */
function scaledInteger(magnitude: number, power: number): bigint {
  if (magnitude === 0) return 0n;
  const { mantissa, exponent } = decompose(magnitude);
  let numerator = mantissa;
  let denominator = 1n;
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  const quotient = numerator / denominator;
  const twiceRest = 2n * (numerator - quotient * denominator);
  return twiceRest > denominator || (twiceRest === denominator && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

function fixed(magnitude: number, precision: number, point: boolean): string {
  const digits = scaledInteger(magnitude, precision)
    .toString()
    .padStart(precision + 1, "0");
  const whole = digits.slice(0, digits.length - precision);
  return whole + fractionText(precision > 0 ? digits.slice(digits.length - precision) : "", point);
}

/** Exactly `count` significant digits and the decimal exponent of the first. */
function significantDigits(magnitude: number, count: number): { digits: string; exponent: number } {
  if (magnitude === 0) return { digits: "0".repeat(count), exponent: 0 };
  let exponent = Math.floor(Math.log10(magnitude));
  for (;;) {
    // The estimate may be one off, and rounding may carry into a new digit: then the number of digits differs.
    const digits = scaledInteger(magnitude, count - 1 - exponent).toString();
    if (digits.length === count) {
      // One too small an exponent cannot pass here; one too large shows as a missing digit.
      return { digits, exponent };
    }
    exponent += digits.length > count ? 1 : -1;
  }
}

function scientific(magnitude: number, precision: number, point: boolean): string {
  const { digits, exponent } = significantDigits(magnitude, precision + 1);
  const fraction = fractionText(precision > 0 ? digits.slice(1) : "", point);
  return `${digits[0]}${fraction}e${exponentText(exponent, 2)}`;
}

function exponentText(exponent: number, width: number): string {
  return (exponent < 0 ? "-" : "+") + Math.abs(exponent).toString().padStart(width, "0");
}

function general(magnitude: number, precision: number, alternate: boolean): string {
  const { exponent } = significantDigits(magnitude, precision);
  const useFixed = exponent >= -4 && exponent < precision;
  const text = useFixed
    ? fixed(magnitude, precision - 1 - exponent, alternate)
    : scientific(magnitude, precision - 1, alternate);
  if (alternate) return text;
  const [mantissa, power] = text.split("e") as [string, string?];
  const trimmed = mantissa.includes(".") ? mantissa.replace(/0+$/, "").replace(/\.$/, "") : mantissa;
  return power === undefined ? trimmed : `${trimmed}e${power}`;
}

/** As glibc: a normal number has a leading 1, a subnormal is shown with exponent -1022 and a leading 0. */
function hexadecimal(magnitude: number, precision: number, point: boolean): string {
  if (magnitude === 0) return `0${fractionText("0".repeat(Math.max(0, precision)), point)}p+0`;
  const { mantissa, exponent } = decompose(magnitude);
  let units = mantissa;
  const power = exponent + 52;
  if (precision >= 0 && precision < 13) {
    const drop = BigInt((13 - precision) * 4);
    const rest = units & ((1n << drop) - 1n);
    const half = 1n << (drop - 1n);
    units >>= drop;
    if (rest > half || (rest === half && (units & 1n) === 1n)) units += 1n;
    units <<= drop;
  }
  const whole = (units >> 52n).toString(16);
  let fraction = (units & 0xfffffffffffffn).toString(16).padStart(13, "0");
  fraction = precision < 0 ? fraction.replace(/0+$/, "") : fraction.slice(0, precision).padEnd(precision, "0");
  return `${whole}${fractionText(fraction, point)}p${exponentText(power, 1)}`;
}
