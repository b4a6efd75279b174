/** What a kernel computes, each value once: loads of memory, calls of primitives, conversions, reductions. */
import type { Combination } from "../kernels/reduction.ts";
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { partsOf, type Expression } from "../expressions/expression.ts";
import type { ComputeType } from "../expressions/primitive.ts";
import type { PrimitiveName } from "../expressions/primitives.ts";
import type { Affine } from "./indices.ts";

interface Common {
  readonly id: number;
  /** The type of its elements; "bool": conditions. */
  readonly dtype: TensorDtype;
  /** Whether it differs along the rows, and along the columns of the kernel. */
  readonly byRow: boolean;
  readonly byColumn: boolean;
  /** The operation that it is a part of. */
  readonly label: string;
}

export type Value = Common &
  (
    | { readonly kind: "load"; readonly buffer: number; readonly version: number; access: Affine }
    | { readonly kind: "index"; access: Affine }
    | { readonly kind: "number"; readonly value: number }
    | { readonly kind: "call"; readonly op: PrimitiveName; readonly args: readonly Value[]; readonly type: ComputeType }
    | { readonly kind: "cast"; readonly arg: Value }
    | { readonly kind: "reduce"; readonly combine: Combination; readonly arg: Value; readonly type: ComputeType }
    | { readonly kind: "uniform"; access: Affine; readonly length: number; readonly counter: number }
  );

type Fields<K extends Value["kind"]> = Omit<Extract<Value, { kind: K }>, keyof Common | "kind">;

export class Values {
  readonly #known = new Map<string, Value>();
  readonly #rows: number;
  readonly #isRounding: boolean;
  readonly all: Value[] = [];
  /** The operation whose values are made. */
  label = "";

  /** @param rows how many of the kernel's dimensions are rows. @param isRounding small floats are rounded on the way */
  constructor(rows: number, isRounding: boolean) {
    this.#rows = rows;
    this.#isRounding = isRounding;
  }

  load(buffer: number, version: number, access: Affine, dtype: TensorDtype): Value {
    const key = `load ${buffer} ${version} ${dtype} ${access.strides.join()} ${access.offset}`;
    return this.#intern("load", key, dtype, this.#along(access), { buffer, version, access });
  }

  /** The position itself. */
  index(access: Affine, dtype: TensorDtype): Value {
    const key = `index ${dtype} ${access.strides.join()} ${access.offset}`;
    return this.#intern("index", key, dtype, this.#along(access), { access });
  }

  uniform(access: Affine, length: number, counter: number): Value {
    const key = `uniform ${counter} ${length} ${access.strides.join()} ${access.offset}`;
    return this.#intern("uniform", key, "float32", this.#along(access), { access, length, counter });
  }

  number(value: number, dtype: TensorDtype): Value {
    const key = `number ${Object.is(value, -0) ? "-0" : value} ${dtype}`;
    return this.#intern("number", key, dtype, { byRow: false, byColumn: false }, { value });
  }

  call(op: PrimitiveName, args: readonly Value[], type: ComputeType, isBool: boolean): Value {
    const [x, y] = args as [Value, Value?];
    if ((op === "mul" && isNumber(y, 1)) || (op === "div" && isNumber(y, 1))) return x;
    if (op === "mul" && isNumber(x, 1)) return y as Value;
    if (op === "add" && isNumber(x, 0) && isZeroElsewhere(y as Value)) return y as Value;
    const key = `${op} ${type} ${args.map(({ id }) => id).join()}`;
    return this.#intern("call", key, isBool ? "bool" : type, alongAny(args), { op, args, type });
  }

  /** The elements as another type, as memory would convert them. */
  cast(arg: Value, dtype: TensorDtype): Value {
    if (arg.dtype === dtype) return arg;
    const isElided = arg.kind === "cast" && !this.#isRounding && isSmallFloat(arg.dtype);
    if (isElided && arg.arg.dtype === dtype && dtype === "float32") return arg.arg;
    return this.#intern("cast", `cast ${dtype} ${arg.id}`, dtype, arg, { arg });
  }

  /** What a value is in the one column of each row where `isChosen` holds. */
  chosen(isChosen: Value, of: Value): Value {
    if (!of.byColumn || of.kind === "number" || of.kind === "reduce") return of;
    if (of.kind === "cast") return this.cast(this.chosen(isChosen, of.arg), of.dtype);
    if (of.kind === "call") {
      const args = of.args.map((arg) => this.chosen(isChosen, arg));
      return this.call(of.op, args, of.type, of.dtype === "bool");
    }
    const type = computeType(of.dtype);
    const term = this.call("where", [isChosen, this.cast(of, type), this.number(0, type)], type, false);
    return this.cast(this.reduce("sum", term, type, type), of.dtype);
  }

  reduce(combine: Combination, arg: Value, type: ComputeType, dtype: TensorDtype): Value {
    // The sum of one number at one place of each row.
    if (combine === "sum" && arg.kind === "call" && arg.op === "where") {
      const [isChosen, one, zero] = arg.args as [Value, Value, Value];
      if (isOnePlace(isChosen) && !one.byColumn && isNumber(zero, 0)) return this.cast(one, dtype);
    }
    const key = `reduce ${combine} ${type} ${arg.id}`;
    return this.#intern("reduce", key, dtype, { byRow: arg.byRow, byColumn: false }, { combine, arg, type });
  }

  /** @param inputs for each operand: the elements as `type`, or conditions where the expression wants these */
  expression(expression: Expression, type: ComputeType, input: (index: number, isBool: boolean) => Value): Value {
    const values = new Map<Expression, Value>();
    for (const part of partsOf([expression])) {
      if (part.op === "input") values.set(part, input(part.index, part.isBool));
      else if (part.op === "constant") values.set(part, this.number(part.value, type));
      else {
        const args = part.args.map((arg) => values.get(arg) as Value);
        values.set(part, this.call(part.op, args, type, part.isBool));
      }
    }
    return values.get(expression) as Value;
  }

  #along({ strides }: Affine): { byRow: boolean; byColumn: boolean } {
    return {
      byRow: strides.some((stride, d) => d < this.#rows && stride !== 0),
      byColumn: strides.some((stride, d) => d >= this.#rows && stride !== 0),
    };
  }

  #intern<K extends Value["kind"]>(
    kind: K,
    key: string,
    dtype: TensorDtype,
    { byRow, byColumn }: { readonly byRow: boolean; readonly byColumn: boolean },
    fields: Fields<K>,
  ): Value {
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { id: this.all.length, kind, dtype, byRow, byColumn, label: this.label, ...fields } as unknown as Value;
      this.#known.set(key, known);
      this.all.push(known);
    }
    return known;
  }
}

const isNumber = (value: Value | undefined, number: number): boolean =>
  value?.kind === "number" && value.value === number;

/** A condition that holds in one column of each row: its index is some number of the row's. */
function isOnePlace(value: Value): boolean {
  if (value.kind !== "call" || value.op !== "eq") return false;
  const [index, position] = value.args as [Value, Value];
  if (index.byColumn || position.kind !== "index" || position.access.offset !== 0) return false;
  return position.byColumn && !position.byRow;
}

function isZeroElsewhere(value: Value): boolean {
  return (
    value.kind === "call" && value.op === "where" && isNumber(value.args[2], 0) && isOnePlace(value.args[0] as Value)
  );
}

const isSmallFloat = (dtype: TensorDtype): boolean => isFloating(dtype) && dtype !== "float32" && dtype !== "float64";

function alongAny(args: readonly Value[]): { byRow: boolean; byColumn: boolean } {
  return { byRow: args.some(({ byRow }) => byRow), byColumn: args.some(({ byColumn }) => byColumn) };
}

/** The values that a value is computed from. */
export function argsOf(value: Value): readonly Value[] {
  if (value.kind === "call") return value.args;
  return value.kind === "cast" || value.kind === "reduce" ? [value.arg] : [];
}

/** Every value before those that need it. */
export function orderOf(roots: readonly Value[]): Value[] {
  const order: Value[] = [];
  const seen = new Set<Value>();
  const visit = (value: Value): void => {
    if (seen.has(value)) return;
    seen.add(value);
    for (const arg of argsOf(value)) visit(arg);
    order.push(value);
  };
  for (const root of roots) visit(root);
  return order;
}

/** What elements of a type are computed as. */
export function computeType(dtype: TensorDtype): ComputeType {
  if (dtype === "bool") return "int32";
  if (isFloating(dtype)) return dtype === "float64" ? "float64" : "float32";
  return dtype as ComputeType;
}
