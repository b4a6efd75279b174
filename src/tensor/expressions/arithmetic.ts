/** Primitives of arithmetic, and choices between numbers. */
import { byKind, infix, isFloatType, map1, map2, suffixed, type Primitive } from "./primitive.ts";

export type ArithmeticName =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "neg"
  | "abs"
  | "sign"
  | "floor_divide"
  | "remainder"
  | "fmod"
  | "pow"
  | "maximum"
  | "minimum"
  | "atan2"
  | "copysign"
  | "where";

export const ARITHMETIC: Readonly<Record<ArithmeticName, Primitive>> = {
  add: infix("+", (to, length, x, y) => {
    for (let i = 0; i < length; i++) to[i] = ((x as Float64Array)[i] as number) + ((y as Float64Array)[i] as number);
  }),
  sub: infix("-", (to, length, x, y) => {
    for (let i = 0; i < length; i++) to[i] = ((x as Float64Array)[i] as number) - ((y as Float64Array)[i] as number);
  }),
  mul: infix("*", (to, length, x, y) => {
    for (let i = 0; i < length; i++) to[i] = ((x as Float64Array)[i] as number) * ((y as Float64Array)[i] as number);
  }),
  div: {
    ...infix(
      "/",
      map2((x, y) => x / y),
    ),
    triton: ([x, y], type) => (type === "float32" ? `tl.div_rn(${x}, ${y})` : `(${x} / ${y})`),
  },
  neg: {
    isBool: false,
    host: map1((x) => -x),
    triton: ([x]) => `(-${x})`,
    cuda: ([x]) => `(-${x})`,
  },
  abs: {
    isBool: false,
    host: map1(Math.abs),
    triton: ([x], type) => (type.startsWith("u") ? `${x}` : `tl.abs(${x})`),
    cuda: ([x], type) => (isFloatType(type) ? suffixed("fabs", [x as string], type) : `(${x} < 0 ? -${x} : ${x})`),
  },
  sign: {
    isBool: false,
    host: map1(Math.sign),
    triton: ([x], type) =>
      `tl.where(${x} > 0, 1, tl.where(${x} < 0, -1, ${isFloatType(type) ? `${x} * 0` : "0"})).to(${x}.dtype)`,
    cuda: ([x]) => `(${x} > 0 ? 1 : ${x} < 0 ? -1 : ${x} * 0)`,
  },
  floor_divide: {
    isBool: false,
    host: map2((x, y) => Math.floor(x / y)),
    triton: byKind({
      float: ([x, y]) => `libdevice.floor(${x} / ${y})`,
      unsigned: ([x, y]) => `(${x} // ${y})`,
      signed: ([x, y]) => `(${x} // ${y} - ((${x} % ${y} != 0) & ((${x} < 0) != (${y} < 0))).to(${x}.dtype))`,
    }),
    cuda: byKind({
      float: ([x, y], type) => suffixed("floor", [`${x} / ${y}`], type),
      unsigned: ([x, y]) => `(${x} / ${y})`,
      signed: ([x, y]) => `(${x} / ${y} - (${x} % ${y} != 0 && (${x} < 0) != (${y} < 0)))`,
    }),
  },
  /** The rest of a division that rounds down: it has the divisor's sign. */
  remainder: {
    isBool: false,
    host: map2((x, y) => {
      const rest = x % y;
      return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
    }),
    triton: byKind({
      float: ([x, y]) => `_remainder(libdevice.fmod(${x}, ${y}), ${y})`,
      unsigned: ([x, y]) => `(${x} % ${y})`,
      signed: ([x, y]) => `_remainder(${x} % ${y}, ${y})`,
    }),
    cuda: byKind({
      float: ([x, y], type) => `remainder_floor(${suffixed("fmod", [`${x}`, `${y}`], type)}, ${y})`,
      unsigned: ([x, y]) => `(${x} % ${y})`,
      signed: ([x, y]) => `remainder_floor(${x} % ${y}, ${y})`,
    }),
  },
  fmod: {
    isBool: false,
    host: map2((x, y) => x % y),
    triton: ([x, y], type) => (isFloatType(type) ? `libdevice.fmod(${x}, ${y})` : `(${x} % ${y})`),
    cuda: ([x, y], type) => (isFloatType(type) ? suffixed("fmod", [`${x}`, `${y}`], type) : `(${x} % ${y})`),
  },
  pow: {
    isBool: false,
    host: map2((x, y) => (x === 1 || y === 0 ? 1 : x ** y)),
    triton: ([x, y], type) => (isFloatType(type) ? `libdevice.pow(${x}, ${y})` : `_whole_power(${x}, ${y})`),
    cuda: ([x, y], type) =>
      isFloatType(type) ? suffixed("pow", [`${x}`, `${y}`], type) : `pow((double)${x}, (double)${y})`,
  },
  /** NaN, if one of the two is. */
  maximum: {
    isBool: false,
    host: map2((x, y) => (x !== x || x >= y ? x : y)),
    triton: ([x, y]) => `tl.where((${x} >= ${y}) | (${x} != ${x}), ${x}, ${y})`,
    cuda: ([x, y]) => `(${x} >= ${y} || ${x} != ${x} ? ${x} : ${y})`,
  },
  minimum: {
    isBool: false,
    host: map2((x, y) => (x !== x || x <= y ? x : y)),
    triton: ([x, y]) => `tl.where((${x} <= ${y}) | (${x} != ${x}), ${x}, ${y})`,
    cuda: ([x, y]) => `(${x} <= ${y} || ${x} != ${x} ? ${x} : ${y})`,
  },
  atan2: {
    isBool: false,
    host: map2(Math.atan2),
    triton: ([x, y]) => `libdevice.atan2(${x}, ${y})`,
    cuda: (args, type) => suffixed("atan2", args, type),
  },
  copysign: {
    isBool: false,
    host: map2((x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
    triton: ([x, y]) => `libdevice.copysign(${x}, ${y})`,
    cuda: (args, type) => suffixed("copysign", args, type),
  },
  where: {
    isBool: false,
    host: (to, length, when, x, y) => {
      const [w, a, b] = [when as Float64Array, x as Float64Array, y as Float64Array];
      for (let i = 0; i < length; i++) to[i] = (w[i] === 0 ? b[i] : a[i]) as number;
    },
    triton: (args) => `tl.where(${args.join(", ")})`,
    cuda: ([when, x, y]) => `(${when} ? ${x} : ${y})`,
  },
};
