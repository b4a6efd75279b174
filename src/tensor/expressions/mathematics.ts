/** Functions of mathematics. On devices they are CUDA's (libdevice). */
import { isFloatType, map1, suffixed, type Primitive } from "./primitive.ts";
import { digamma, erf, erfc, erfinv, lgamma, roundEven, trigamma } from "./special-functions.ts";

/** A function of libdevice and of CUDA's headers, by their names. */
function library(name: string, host: (x: number) => number): Primitive {
  return {
    isBool: false,
    host: map1(host),
    triton: ([x]) => `libdevice.${name}(${x})`,
    cuda: ([x], type) => `${name}${type === "float64" ? "" : "f"}(${x})`,
  };
}

/** For floats a function of libdevice; whole numbers stay. */
function rounding(name: string, cudaName: string, host: (x: number) => number): Primitive {
  return {
    isBool: false,
    host: map1(host),
    triton: ([x], type) => (isFloatType(type) ? `libdevice.${name}(${x})` : `${x}`),
    cuda: ([x], type) => (isFloatType(type) ? `${cudaName}${type === "float64" ? "" : "f"}(${x})` : `${x}`),
  };
}

export type MathematicsName =
  | "exp"
  | "exp2"
  | "expm1"
  | "log"
  | "log2"
  | "log10"
  | "log1p"
  | "sqrt"
  | "rsqrt"
  | "sin"
  | "cos"
  | "tan"
  | "asin"
  | "acos"
  | "atan"
  | "sinh"
  | "cosh"
  | "tanh"
  | "asinh"
  | "acosh"
  | "atanh"
  | "erf"
  | "erfc"
  | "erfinv"
  | "lgamma"
  | "digamma"
  | "trigamma"
  | "sigmoid"
  | "floor"
  | "ceil"
  | "round"
  | "trunc";

export const MATHEMATICS: Readonly<Record<MathematicsName, Primitive>> = {
  exp: library("exp", Math.exp),
  exp2: library("exp2", (x) => 2 ** x),
  expm1: library("expm1", Math.expm1),
  log: library("log", Math.log),
  log2: library("log2", Math.log2),
  log10: library("log10", Math.log10),
  log1p: library("log1p", Math.log1p),
  sqrt: {
    ...library("sqrt", Math.sqrt),
    triton: ([x], type) => (type === "float32" ? `tl.sqrt_rn(${x})` : `libdevice.sqrt(${x})`),
  },
  rsqrt: library("rsqrt", (x) => 1 / Math.sqrt(x)),
  sin: library("sin", Math.sin),
  cos: library("cos", Math.cos),
  tan: library("tan", Math.tan),
  asin: library("asin", Math.asin),
  acos: library("acos", Math.acos),
  atan: library("atan", Math.atan),
  sinh: library("sinh", Math.sinh),
  cosh: library("cosh", Math.cosh),
  tanh: library("tanh", Math.tanh),
  asinh: library("asinh", Math.asinh),
  acosh: library("acosh", Math.acosh),
  atanh: library("atanh", Math.atanh),
  erf: library("erf", erf),
  erfc: library("erfc", erfc),
  erfinv: library("erfinv", erfinv),
  lgamma: library("lgamma", lgamma),
  digamma: {
    isBool: false,
    host: map1(digamma),
    triton: null,
    cuda: null,
  },
  trigamma: { isBool: false, host: map1(trigamma), triton: null, cuda: null },
  sigmoid: {
    isBool: false,
    host: map1((x) => 1 / (1 + Math.exp(-x))),
    triton: ([x], type) =>
      type === "float32" ? `tl.div_rn(1.0, 1.0 + libdevice.exp(-${x}))` : `(1.0 / (1.0 + libdevice.exp(-${x})))`,
    cuda: ([x], type) => `(1 / (1 + ${suffixed("exp", [`-${x}`], type)}))`,
  },
  floor: rounding("floor", "floor", Math.floor),
  ceil: rounding("ceil", "ceil", Math.ceil),
  round: rounding("rint", "rint", roundEven),
  trunc: rounding("trunc", "trunc", Math.trunc),
};
