/**
 * Values of constant expressions of C++, computed in two data models side by side: with `long` of 32 bits, and with
 * 64. Sizes of types (`sizeof`) are those of the first model in both, so that the values differ only by lost bits.
 */

/** `rank` orders types as C++ does: bool 0, char 1, short 2, int 3, long 4, long long 5; of floating point: 9. */
export interface NumberType {
  readonly rank: number;
  readonly isSigned: boolean;
  /** As the user wrote it. */
  readonly name: string;
}

/** One number of a model; floating-point types have numbers, others integers. */
interface Typed {
  readonly type: NumberType;
  readonly value: bigint | number;
}

export interface WideValue {
  readonly there: Typed;
  readonly here: Typed;
  /** Why the two differ, as a sentence without its end; null: no bits are lost. */
  readonly lost: string | null;
}

const FLOAT_RANK = 9;
const INT: NumberType = { rank: 3, isSigned: true, name: "int" };
export const SIZE: NumberType = { rank: 4, isSigned: false, name: "size_t" };
export const DOUBLE: NumberType = { rank: FLOAT_RANK, isSigned: true, name: "double" };

type Model = "here" | "there";
const BITS = [8, 8, 16, 32, 0, 64];

export function bitsOf({ rank }: NumberType, model: Model): number {
  if (rank === 4) return model === "here" ? 32 : 64;
  return BITS[rank] ?? 64;
}

/** Types that may be written as one name. */
const NAMED: Readonly<Record<string, readonly [rank: number, isSigned: boolean]>> = {
  size_t: [4, false],
  ssize_t: [4, true],
  ptrdiff_t: [4, true],
  intptr_t: [4, true],
  uintptr_t: [4, false],
  int8_t: [1, true],
  uint8_t: [1, false],
  int16_t: [2, true],
  uint16_t: [2, false],
  int32_t: [3, true],
  uint32_t: [3, false],
  int64_t: [5, true],
  uint64_t: [5, false],
};

export const TYPE_WORDS: ReadonlySet<string> = new Set(
  "unsigned signed long int short char bool float double".split(" "),
);

/** The type that these words name; null: another type. */
export function typeOf(words: readonly string[]): NumberType | null {
  const name = words.join(" ");
  const named = NAMED[name];
  if (named !== undefined) return { rank: named[0], isSigned: named[1], name };
  if (words.length === 0 || !words.every((word) => TYPE_WORDS.has(word))) return null;
  const has = (word: string): number => words.filter((one) => one === word).length;
  if (has("double") + has("float") > 0) return has("long") > 0 ? null : { ...DOUBLE, name };
  const short = ["bool", "char", "short"].findIndex((word) => has(word) > 0);
  const rank = short >= 0 ? short : 3 + has("long");
  return { rank, isSigned: has("unsigned") === 0 && rank !== 0, name };
}

/** A literal; null for what is no number. */
export function literalValue(text: string): WideValue | null {
  const plain = text.replaceAll("'", "");
  const [, digits, suffix = ""] = /^(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)$/.exec(plain) ?? [];
  if (digits === undefined) {
    const value = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?$/.test(plain) ? parseFloat(plain) : NaN;
    return Number.isNaN(value) ? null : same({ type: DOUBLE, value });
  }
  const value = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const isUnsigned = /u/i.test(suffix);
  const longs = (/l+/i.exec(suffix)?.[0] ?? "").length + (/z/i.test(suffix) ? 1 : 0);
  const isDecimal = /^[1-9]/.test(digits);
  const signs = [true, false].filter((isSigned) => (isSigned ? !isUnsigned : isUnsigned || !isDecimal));
  const inModel = (model: Model): Typed => {
    for (let rank = 3 + longs; rank <= 5; rank++)
      for (const isSigned of signs) {
        const type = { rank, isSigned, name: typeName(rank, isSigned) };
        if (wrap(value, type, model) === value) return { type, value };
      }
    return { type: { rank: 5, isSigned: false, name: typeName(5, false) }, value: BigInt.asUintN(64, value) };
  };
  return { there: inModel("there"), here: inModel("here"), lost: null };
}

function typeName(rank: number, isSigned: boolean): string {
  return `${isSigned ? "" : "unsigned "}${["bool", "char", "short", "int", "long", "long long"][rank]}`;
}

export function sizeValue(bytes: number): WideValue {
  return same({ type: SIZE, value: BigInt(bytes) });
}

export function boolValue(value: boolean): WideValue {
  return same({ type: { rank: 0, isSigned: false, name: "bool" }, value: value ? 1n : 0n });
}

function same(one: Typed): WideValue {
  return { there: one, here: one, lost: null };
}

function wrap(value: bigint, type: NumberType, model: Model): bigint {
  if (type.rank === 0) return value === 0n ? 0n : 1n;
  const bits = bitsOf(type, model);
  return type.isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

export function convert(value: WideValue, type: NumberType): WideValue {
  const in1 = (model: Model): Typed => {
    const from = value[model].value;
    if (type.rank === FLOAT_RANK) return { type, value: Number(from) };
    // What has no integer is undefined.
    const whole = Number.isFinite(Number(from)) ? from : 0;
    return { type, value: wrap(typeof whole === "bigint" ? whole : BigInt(Math.trunc(whole)), type, model) };
  };
  const [there, here] = [in1("there"), in1("here")];
  const lost = isLoss(value, there, here)
    ? `${value.here.value} does not fit into ${type.name}, which has 32 bits here: ${here.value} is left`
    : null;
  return { there, here, lost: value.lost ?? lost };
}

/** Whether equal operands have results that differ by more than how a negative number looks. */
function isLoss(operand: WideValue, there: Typed, here: Typed): boolean {
  if (operand.there.value !== operand.here.value || there.value === here.value) return false;
  if (typeof there.value !== "bigint" || typeof here.value !== "bigint") return false;
  return BigInt.asIntN(64, there.value) !== BigInt.asIntN(32, here.value);
}

function common(a: NumberType, b: NumberType, model: Model): NumberType {
  const [x, y] = [a, b].map((type) => (type.rank < 3 ? INT : type)) as [NumberType, NumberType];
  if (x.rank === FLOAT_RANK || y.rank === FLOAT_RANK) return DOUBLE;
  if (x.isSigned === y.isSigned) return x.rank >= y.rank ? x : y;
  const [unsigned, signed] = x.isSigned ? [y, x] : [x, y];
  if (unsigned.rank >= signed.rank) return unsigned;
  if (bitsOf(signed, model) > bitsOf(unsigned, model)) return signed;
  return { rank: signed.rank, isSigned: false, name: `unsigned ${signed.name}` };
}

export const PRECEDENCE: Readonly<Record<string, number>> = {
  "*": 10,
  "/": 10,
  "%": 10,
  "+": 9,
  "-": 9,
  "<<": 8,
  ">>": 8,
  "<": 7,
  ">": 7,
  "<=": 7,
  ">=": 7,
  "==": 6,
  "!=": 6,
  "&": 5,
  "^": 4,
  "|": 3,
  "&&": 2,
  "||": 1,
};

/** Null where the result is undefined, or of no integer. */
export function binary(sign: string, a: WideValue, b: WideValue): WideValue | null {
  const there = inModel(sign, a.there, b.there, "there");
  const here = inModel(sign, a.here, b.here, "here");
  if (there === null || here === null) return null;
  // Negative numbers in unsigned types wrap in both models; quotients and the like always fit.
  const canLose = /^(?:\+|\*|<<)$/.test(sign) && b.there.value === b.here.value;
  const lost =
    canLose && isLoss(a, there, here)
      ? `${a.here.value} ${sign} ${b.here.value} is ${there.value}, ` +
        `but ${here.type.name} has 32 bits here: ${here.value} is left`
      : null;
  return { there, here, lost: a.lost ?? b.lost ?? lost };
}

function inModel(sign: string, a: Typed, b: Typed, model: Model): Typed | null {
  const isShift = sign === "<<" || sign === ">>";
  const type = isShift ? common(a.type, INT, model) : common(a.type, b.type, model);
  if (type.rank === FLOAT_RANK) {
    const value = floatResult(sign, Number(a.value), Number(b.value));
    return value === null ? null : { type, value };
  }
  const [x, y] = [a, b].map(({ value }) => BigInt(value)) as [bigint, bigint];
  const [left, right] = isShift ? [wrap(x, type, model), y] : [wrap(x, type, model), wrap(y, type, model)];
  const value = integerResult(sign, left, right);
  if (value === null) return null;
  if (typeof value === "boolean") return boolValue(value).here;
  return { type, value: wrap(value, type, model) };
}

function floatResult(sign: string, x: number, y: number): number | null {
  const results: Readonly<Record<string, number>> = { "+": x + y, "-": x - y, "*": x * y, "/": x / y };
  return results[sign] ?? null;
}

function integerResult(sign: string, x: bigint, y: bigint): bigint | boolean | null {
  switch (sign) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return y === 0n ? null : x / y;
    case "%":
      return y === 0n ? null : x % y;
    case "<<":
      return y < 0n || y > 63n ? null : x << y;
    case ">>":
      return y < 0n || y > 63n ? null : x >> y;
    case "&":
      return x & y;
    case "|":
      return x | y;
    case "^":
      return x ^ y;
    case "<":
      return x < y;
    case ">":
      return x > y;
    case "<=":
      return x <= y;
    case ">=":
      return x >= y;
    case "==":
      return x === y;
    case "!=":
      return x !== y;
    case "&&":
      return x !== 0n && y !== 0n;
    case "||":
      return x !== 0n || y !== 0n;
    default:
      return null;
  }
}

/** `condition ? yes : no` has the type that both have in common. */
export function choose(condition: WideValue, yes: WideValue, no: WideValue): WideValue {
  const chosen = condition.here.value ? yes : no;
  const inType = (model: Model): Typed => {
    const type = common(yes[model].type, no[model].type, model);
    const { value } = chosen[model];
    return { type, value: type.rank === FLOAT_RANK ? Number(value) : wrap(BigInt(value), type, model) };
  };
  return { there: inType("there"), here: inType("here"), lost: condition.lost ?? chosen.lost };
}

export function unary(sign: string, a: WideValue): WideValue | null {
  if (sign === "!") return binary("==", a, sizeValue(0));
  const zero: WideValue = same({ type: INT, value: 0n });
  if (sign === "-") return binary("-", zero, a);
  if (sign === "+") return binary("+", zero, a);
  return sign === "~" ? binary("^", same({ type: INT, value: -1n }), a) : null;
}
