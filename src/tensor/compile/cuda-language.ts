/** Values as CUDA's text. */
import { isFloating, type TensorDtype } from "../dtypes.ts";
import { isFloatType, type ComputeType } from "../expressions/primitive.ts";
import { PRIMITIVES } from "../expressions/primitives.ts";
import type { Combination } from "../kernels/reduction.ts";
import type { KernelNames } from "./kernel-text.ts";
import type { Language, Position } from "./statements.ts";
import { wrapped } from "./triton-language.ts";

const TYPES: Readonly<Record<TensorDtype, string>> = {
  float32: "float",
  float64: "double",
  float16: "__half",
  bfloat16: "__nv_bfloat16",
  float8_e4m3fn: "__nv_fp8_e4m3",
  float8_e5m2: "__nv_fp8_e5m2",
  int8: "signed char",
  uint8: "unsigned char",
  int16: "short",
  uint16: "unsigned short",
  int32: "int",
  uint32: "unsigned",
  int64: "long long",
  uint64: "unsigned long long",
  bool: "bool",
};

export const cudaType = (dtype: TensorDtype): string => TYPES[dtype];

/** A number of a type. */
export function cudaNumber(value: number, dtype: TensorDtype): string {
  if (dtype === "bool") return value === 0 ? "false" : "true";
  const own = wrapped(value, dtype);
  if (!isFloating(dtype)) {
    if (dtype === "int64" && own <= -(2 ** 63)) return "(-9223372036854775807ll - 1)";
    if (dtype === "int64") return `${BigInt(Math.trunc(own))}ll`;
    return dtype.startsWith("u") ? `${BigInt(Math.trunc(own))}u${dtype === "uint64" ? "ll" : ""}` : String(own);
  }
  if (own !== own) return "NAN";
  if (!Number.isFinite(own)) return own > 0 ? "INFINITY" : "(-INFINITY)";
  const text = Object.is(own, -0) ? "-0" : String(own);
  const decimal = /[.e]/.test(text) ? text : `${text}.0`;
  return `${decimal}${dtype === "float64" ? "" : "f"}`;
}

/** What combining begins with. */
export function cudaNeutral(combine: Combination, type: ComputeType): string {
  if (combine === "sum") return cudaNumber(0, type);
  if (combine === "prod") return cudaNumber(1, type);
  const isMax = combine === "max" || combine === "argmax";
  if (isFloatType(type)) return isMax ? "-INFINITY" : "INFINITY";
  const bits = Number(type.replace(/\D/g, ""));
  if (type.startsWith("u")) return isMax ? "0" : `(${TYPES[type]})~0ull`;
  const least = `((${TYPES[type]})(1ull << ${bits - 1}))`;
  return isMax ? least : `((${TYPES[type]})((1ull << ${bits - 1}) - 1))`;
}

export const CUDA_HELPERS = {
  remainder: `template <class T, class U> __device__ T remainder_floor(T rest, U y) {
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
`,
  combine: `template <class T> __device__ T combine_sum(T a, T b) { return a + b; }
template <class T> __device__ T combine_prod(T a, T b) { return a * b; }
// NaN, if one of the two is.
template <class T> __device__ T combine_max(T a, T b) { return a >= b || a != a ? a : b; }
template <class T> __device__ T combine_min(T a, T b) { return a <= b || a != a ? a : b; }
// One number of all threads of a block.
template <class T, T (*combine)(T, T)> __device__ T over_block(T value) {
  __shared__ T parts[32];
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[0];
  for (int warp = 1; warp < blockDim.x / 32; warp++) value = combine(value, parts[warp]);
  __syncthreads();
  return value;
}
`,
  best: `// Whether an element comes before another one: it is greater (less), or NaN, or as good and first.
template <bool isMax, class T> __device__ bool is_better(T a, int i, T b, int j) {
  if ((isMax ? a > b : a < b) || (a != a && b == b)) return true;
  return (a == b || (a != a && b != b)) && i < j;
}
template <bool isMax, class T> __device__ int best_over_block(T value, int at) {
  __shared__ T values[256];
  __shared__ int places[256];
  values[threadIdx.x] = value;
  places[threadIdx.x] = at;
  __syncthreads();
  for (int i = 0; i < blockDim.x; i++)
    if (is_better<isMax>(values[i], places[i], value, at)) { value = values[i]; at = places[i]; }
  __syncthreads();
  return at;
}
`,
  uniform: `// PyTorch's numbers for the same seed: a thread of its kernel takes four words,
// for elements that lie far apart.
__device__ float uniform(const long long* state, int counter, unsigned at, unsigned threads) {
  unsigned quarter = at / threads, key0 = (unsigned)state[0], key1 = (unsigned)(state[0] >> 32);
  unsigned c[4] = {(unsigned)state[1] + counter + quarter / 4, 0, at % threads, 0};
  for (int round = 0; round < 10; round++) {
    unsigned high0 = __umulhi(0xd2511f53u, c[0]), low0 = 0xd2511f53u * c[0];
    unsigned high1 = __umulhi(0xcd9e8d57u, c[2]), low1 = 0xcd9e8d57u * c[2];
    c[0] = high1 ^ c[1] ^ key0; c[1] = low1; c[2] = high0 ^ c[3] ^ key1; c[3] = low0;
    key0 += 0x9e3779b9u; key1 += 0xbb67ae85u;
  }
  float value = (float)c[quarter % 4] * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
  return value == 1.0f ? 0.0f : value;
}
`,
} as const;

export class Cuda implements Language {
  readonly #names: KernelNames;

  constructor(names: KernelNames) {
    this.#names = names;
  }

  define(name: string, dtype: TensorDtype, text: string): string {
    return `const ${TYPES[dtype]} ${name} = ${text};`;
  }

  load(pointer: string, { text }: Position): string {
    return `${pointer}[${text}]`;
  }

  cast(text: string, from: TensorDtype, to: TensorDtype): string {
    const wide = this.#widened(text, from);
    if (to === "bool") return `(${wide} != 0)`;
    if (to === "float16") return `__float2half((float)${wide})`;
    if (to === "bfloat16") return `__float2bfloat16((float)${wide})`;
    // Small integers wrap.
    const isCut = isFloating(from) && /^u?int(8|16)$/.test(to);
    return `(${TYPES[to]})${isCut ? "(int)" : ""}${wide}`;
  }

  #widened(text: string, from: TensorDtype): string {
    if (from === "float16") return `__half2float(${text})`;
    if (from === "bfloat16") return `__bfloat162float(${text})`;
    return from.startsWith("float8") ? `(float)${text}` : text;
  }

  number(value: number, dtype: TensorDtype): string {
    return cudaNumber(value, dtype);
  }

  typedNumber(value: number, dtype: TensorDtype): string {
    return `(${TYPES[dtype]})${cudaNumber(value, dtype)}`;
  }

  call(op: keyof typeof PRIMITIVES, args: readonly string[], type: ComputeType): string {
    return PRIMITIVES[op].cuda?.(args, type) ?? "";
  }

  index({ text }: Position): string {
    return text;
  }

  uniform({ text }: Position, length: number, counter: number): string {
    return `uniform(${this.#names.random}, ${counter}, ${text}, ${this.#names.threadsOf(length)})`;
  }
}
