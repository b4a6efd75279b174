/**
 * Python's operators on blocks and scalars, by the rules of promotion of Triton 3.6 (semantic.py): at run time `//`
 * and `%` truncate, a literal takes the type of a block, 16-bit floats are divided in 32 bits.
 */
import type { BinaryOperator, FloatPredicate, IntPredicate } from "../../../ir/model/ir.ts";
import { I64 } from "../../../ir/model/types.ts";
import type { BinaryOperatorName, CompareOperatorName, UnaryOperatorName } from "../syntax/ast.ts";
import type { CompileContext } from "./context.ts";
import {
  FP32,
  INT1,
  UINT32,
  bytesOf,
  computationType,
  integerRange,
  isFloat,
  isInteger,
  typeWord,
  type Dtype,
} from "./dtypes.ts";
import {
  broadcastPair,
  cast,
  constantOf,
  describe,
  describeType,
  literalDtype,
  shapeOf,
  tensor,
  toTensor,
} from "./conversions.ts";
import { binaryConstants, compareConstants } from "./constants.ts";
import { boolValue, isConstant, isNumber, truthOf, type TensorValue, type Value } from "./values.ts";

export function binary(c: CompileContext, operator: BinaryOperatorName, a: Value, b: Value): Value {
  if (a.kind !== "tensor" && b.kind !== "tensor") return binaryConstants(c, operator, a, b);
  for (const value of [a, b])
    if (value.kind !== "tensor" && !isNumber(value))
      return c.fail(`unsupported operand type(s) for ${operator}: ${describe(a)} and ${describe(b)}`);
  if (isPointer(a) || isPointer(b)) return pointerArithmetic(c, operator, toTensor(c, a), toTensor(c, b));
  switch (operator) {
    case "+":
      return arithmetic(c, "add", "fadd", a, b);
    case "-":
      return arithmetic(c, "sub", "fsub", a, b);
    case "*":
      return arithmetic(c, "mul", "fmul", a, b);
    case "/":
      return divide(c, a, b);
    case "//":
    case "%":
      return divideWhole(c, operator, a, b);
    case "&":
    case "|":
    case "^":
      return bitwise(c, { "&": "and", "|": "or", "^": "xor" } as const, operator, a, b);
    case "<<":
    case ">>": {
      const left = toTensor(c, a);
      const right = left.dtype.kind === "uint" ? "lshr" : "ashr";
      return bitwise(c, { "<<": "shl", ">>": right } as const, operator, a, b);
    }
    case "**":
    case "@":
      return c.fail(`unsupported operator \`${operator}\` on ${describe(a.kind === "tensor" ? a : b)}`, [
        operator === "@" ? "tl.dot multiplies matrices" : "tl.exp2(y * tl.log2(x)) is x to the power of y",
      ]);
  }
}

function isPointer(value: Value): boolean {
  return value.kind === "tensor" && value.dtype.kind === "pointer";
}

function pointerArithmetic(c: CompileContext, operator: "+" | string, a: TensorValue, b: TensorValue): TensorValue {
  if (operator === "+" && isPointer(b) && !isPointer(a)) return pointerArithmetic(c, operator, b, a);
  if ((operator !== "+" && operator !== "-") || isPointer(b) || !isInteger(b.dtype))
    return c.fail(`invalid operands of type ${describeType(a)} and ${describeType(b)} for \`${operator}\``);
  let [pointer, offset] = broadcastPair(c, a, b);
  const builder = c.builder;
  if (offset.dtype === UINT32 || offset.dtype === INT1)
    offset = { ...offset, value: builder.cast("zext", offset.value, I64) };
  if (operator === "-") {
    const zero = builder.number(offset.value.type.element, 0, shapeOf(offset));
    offset = { ...offset, value: builder.binary("sub", zero, offset.value) };
  }
  const { dtype } = pointer;
  return tensor(dtype, builder.address(pointer.value, offset.value, bytesOf(dtype.pointee ?? INT1)));
}

interface Operands {
  readonly a: TensorValue;
  readonly b: TensorValue;
  readonly dtype: Dtype;
}

/** Both operands in the type of the computation, and of one shape. */
function requireOneSign(c: CompileContext, a: Value, b: Value): void {
  if (a.kind !== "tensor" || b.kind !== "tensor" || !isInteger(a.dtype) || !isInteger(b.dtype)) return;
  if (a.dtype.kind !== b.dtype.kind)
    c.fail(
      `Cannot use /, #, or % with ${a.dtype.name} and ${b.dtype.name} because they have different signedness; ` +
        "this is unlikely to result in a useful answer. Cast them to the same signedness.",
    );
}

export function promote(c: CompileContext, a: Value, b: Value, isDivision = false): Operands {
  const isLiteral = (value: Value): boolean => value.kind !== "tensor";
  const dtypeOf = (value: Value): Dtype => (value.kind === "tensor" ? value.dtype : literalDtype(c, value));
  const [left, right] = [dtypeOf(a), dtypeOf(b)];
  if (left.kind === "pointer" || right.kind === "pointer")
    return c.fail(`invalid operands of type ${describe(a)} and ${describe(b)}`);
  if (isDivision) requireOneSign(c, a, b);
  for (const own of [left, right])
    if (own.kind === "float8")
      return c.fail(`invalid operands of type ${describe(a)} and ${describe(b)}`, [
        "8-bit floats are converted first: x.to(tl.float32)",
      ]);
  const dtype = computationType(
    { dtype: left, isLiteral: isLiteral(a) },
    { dtype: right, isLiteral: isLiteral(b) },
    isDivision,
  );
  const take = (value: Value): TensorValue => {
    if (value.kind === "tensor") return cast(c, value, dtype);
    if (value.kind === "int" && isInteger(dtype)) {
      const { low, high } = integerRange(dtype);
      if (value.value < low || value.value > high)
        return c.fail(`Scalar ${value.value} is out of range for type ${dtype.name}`);
    }
    return constantOf(c, value, dtype);
  };
  const [x, y] = broadcastPair(c, take(a), take(b));
  return { a: x, b: y, dtype };
}

function arithmetic(
  c: CompileContext,
  ofIntegers: BinaryOperator,
  ofFloats: BinaryOperator,
  a: Value,
  b: Value,
): TensorValue {
  const { a: x, b: y, dtype } = promote(c, a, b);
  return tensor(dtype, c.builder.binary(isFloat(dtype) ? ofFloats : ofIntegers, x.value, y.value));
}

function divide(c: CompileContext, a: Value, b: Value): TensorValue {
  requireOneSign(c, a, b);
  const dtypes = [toTensorDtype(c, a), toTensorDtype(c, b)];
  const { a: x, b: y, dtype } = promote(c, a, b, dtypes.some(isFloat));
  if (isFloat(dtype)) return tensor(dtype, c.builder.binary("fdiv", x.value, y.value));
  return tensor(FP32, c.builder.binary("fdiv", cast(c, x, FP32).value, cast(c, y, FP32).value));
}

function toTensorDtype(c: CompileContext, value: Value): Dtype {
  return value.kind === "tensor" ? value.dtype : literalDtype(c, value);
}

function divideWhole(c: CompileContext, operator: "//" | "%", a: Value, b: Value): TensorValue {
  const { a: x, b: y, dtype } = promote(c, a, b, true);
  if (isFloat(dtype)) {
    if (operator === "//") return c.fail(`unexpected type ${dtype.name} for //`, ["tl.floor(a / b) divides floats"]);
    return tensor(dtype, c.builder.binary("frem", x.value, y.value));
  }
  const sign = dtype.kind === "uint" ? "u" : "s";
  return tensor(dtype, c.builder.binary(`${sign}${operator === "//" ? "div" : "rem"}`, x.value, y.value));
}

function bitwise<N extends string>(
  c: CompileContext,
  operators: Readonly<Record<N, BinaryOperator>>,
  operator: N,
  a: Value,
  b: Value,
): TensorValue {
  for (const value of [a, b])
    if (!isInteger(toTensorDtype(c, value)))
      return c.fail(`invalid operands of type ${describe(a)} and ${describe(b)} for \`${operator}\``, [
        "bitwise operators take integers and conditions; comparisons need parentheses: (x < n) & (y < m)",
      ]);
  const { a: x, b: y, dtype } = promote(c, a, b);
  return tensor(dtype, c.builder.binary(operators[operator], x.value, y.value));
}

// ---------------------------------------------------------------- comparisons and logic

const PREDICATES: Readonly<Record<string, readonly [IntPredicate, IntPredicate, FloatPredicate]>> = {
  "==": ["eq", "eq", "oeq"],
  "!=": ["ne", "ne", "une"],
  "<": ["slt", "ult", "olt"],
  "<=": ["sle", "ule", "ole"],
  ">": ["sgt", "ugt", "ogt"],
  ">=": ["sge", "uge", "oge"],
};

export function compare(c: CompileContext, operator: CompareOperatorName, a: Value, b: Value): Value {
  if (operator === "is" || operator === "is not") {
    const same = a.kind === b.kind && a.kind !== "tensor" && compareConstants(c, "==", a, b);
    return boolValue(same === (operator === "is"));
  }
  if (a.kind !== "tensor" && b.kind !== "tensor") return boolValue(compareConstants(c, operator, a, b));
  if (operator === "in" || operator === "not in") return c.fail(`\`${operator}\` needs values known at compile time`);
  if (!isTensorOrNumber(a) || !isTensorOrNumber(b)) {
    if (operator === "==" || operator === "!=") return boolValue(operator === "!=");
    return c.fail(`\`${operator}\` does not compare ${describe(a)} with ${describe(b)}`);
  }
  const [signed, unsigned, float] = PREDICATES[operator] ?? c.fail(`unknown comparison ${operator}`);
  const builder = c.builder;
  if (isPointer(a) && isPointer(b)) {
    const [x, y] = broadcastPair(c, a as TensorValue, b as TensorValue);
    return tensor(INT1, builder.icmp(unsigned, x.value, y.value));
  }
  const { a: x, b: y, dtype } = promote(c, a, b);
  if (isFloat(dtype)) return tensor(INT1, builder.fcmp(float, x.value, y.value));
  const isUnsigned = dtype.kind === "uint" || dtype === INT1;
  return tensor(INT1, builder.icmp(isUnsigned ? unsigned : signed, x.value, y.value));
}

function isTensorOrNumber(value: Value): boolean {
  return value.kind === "tensor" || isNumber(value);
}

export function unary(c: CompileContext, operator: UnaryOperatorName, value: Value): Value {
  if (operator === "not") {
    const truth = truthOf(value);
    if (truth !== null) return boolValue(!truth);
    const condition = toCondition(c, value);
    return tensor(
      INT1,
      c.builder.binary("xor", condition.value, c.builder.number(INT1.element, 1, shapeOf(condition))),
    );
  }
  if (value.kind !== "tensor") {
    if (!isConstant(value) || !isNumber(value)) return c.fail(`bad operand for unary ${operator}: ${describe(value)}`);
    const int = value.kind === "bool" ? BigInt(value.value) : value.value;
    if (operator === "~") {
      if (typeof int !== "bigint") return c.fail("bad operand for unary ~: a float");
      return { kind: "int", value: ~int };
    }
    if (typeof int === "bigint") return { kind: "int", value: operator === "-" ? -int : int };
    return { kind: "float", value: operator === "-" ? -int : int };
  }
  const { dtype } = value;
  if (operator === "+") return value;
  if (dtype.kind === "pointer") return c.fail(`wrong type argument to unary ${operator}: ${typeWord(dtype)}`);
  const zero = c.builder.number(dtype.element, 0, shapeOf(value));
  if (operator === "~") {
    if (isFloat(dtype)) return c.fail(`wrong type argument to unary ~: ${dtype.name}`);
    return tensor(dtype, c.builder.binary("xor", value.value, c.builder.number(dtype.element, -1n, shapeOf(value))));
  }
  if (!isFloat(dtype)) return tensor(dtype, c.builder.binary("sub", zero, value.value));
  const minusZero = c.builder.number(dtype.element, -0, shapeOf(value));
  return tensor(dtype, c.builder.binary("fsub", minusZero, value.value));
}

/** As `!= 0`. */
export function toCondition(c: CompileContext, value: Value): TensorValue {
  return cast(c, toTensor(c, value), INT1);
}

/** `and` and `or` of run-time values, which are both evaluated. */
export function logical(c: CompileContext, operator: "and" | "or", a: Value, b: Value): TensorValue {
  const [x, y] = broadcastPair(c, toCondition(c, a), toCondition(c, b));
  return tensor(INT1, c.builder.binary(operator, x.value, y.value));
}

/** Both in a type that holds either, for `where` and branches: as `a + b` would have it. */
export function unify(c: CompileContext, a: Value, b: Value): Operands {
  if (isPointer(a) && isPointer(b)) {
    const [x, y] = broadcastPair(c, a as TensorValue, b as TensorValue);
    return { a: x, b: y, dtype: x.dtype };
  }
  return promote(c, a, b);
}
