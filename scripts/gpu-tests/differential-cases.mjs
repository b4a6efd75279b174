// The cases of the differential suite: small kernels, a family for each part of CUDA C++, and how far the results of
// two devices may be apart.
//
// Every kernel is `name(void* out, const int* in)`: `in` holds INPUTS random integers, `out` OUT_BYTES zeros. `type`
// says what lies in `out`; `ulps`: how many units in the last place floats may differ, 0 where nothing is left open.
// For functions of the mathematics library that is twice the bound of the CUDA programming guide ("Mathematical
// Functions Appendix"), since either side may be off by it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const INPUTS = 4096;
export const OUT_BYTES = 32768;
const THREADS = 256;

const INTEGERS = [
  ["i8", "signed char"],
  ["u8", "unsigned char"],
  ["i16", "short"],
  ["u16", "unsigned short"],
  ["i32", "int"],
  ["u32", "unsigned"],
  ["i64", "long long"],
  ["u64", "unsigned long long"],
];
const PRELUDE = `
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x
__device__ inline unsigned long long wide(const int* in, int i) {
  return (unsigned long long)(unsigned)in[2 * i % ${INPUTS}] << 32 | (unsigned)in[(2 * i + 1) % ${INPUTS}];
}
__device__ inline float unit(int bits) { return (unsigned)bits * 2.3283064365386963e-10f; }
__device__ inline float any(int bits) { return __int_as_float(bits); }
`;

const groups = [];
function group(name, declarations, cases) {
  groups.push({
    name,
    source: `${PRELUDE}${declarations}\n${cases.map(({ kernel }) => kernel).join("\n")}`,
    cases: cases.map(({ kernel: _kernel, ...test }) => ({
      grid: 1,
      block: THREADS,
      sharedBytes: 0,
      cooperative: false,
      ulps: 0,
      type: "bytes",
      ...test,
    })),
  });
}

const BINARY = {
  add: "a + b",
  sub: "a - b",
  mul: "a * b",
  div: "a / b",
  rem: "a % b",
  and: "a & b",
  or: "a | b",
  xor: "a ^ b",
  shl: "a << (b & 7)",
  shr: "a >> (b & 7)",
  less: "a < b ? a : b",
  equal: "a == b || (a ^ b) % 3 == 0",
};
group(
  "integer arithmetic",
  "",
  INTEGERS.flatMap(([short, type]) =>
    Object.entries(BINARY).map(([op, text]) => ({
      name: `${short}_${op}`,
      // A divisor is never 0, nor -1, with which the smallest number has no quotient.
      kernel:
        `KERNEL ${short}_${op}(${type}* out, const int* in) { INDEX; ${type} a = (${type})wide(in, i), b = ` +
        `(${type})wide(in, i + 700)${/div|rem/.test(op) ? " | 2" : ""}; ` +
        `${/div|rem/.test(op) ? "if (b < 0 && b > -4) b = 5; " : ""}out[i] = (${type})(${text}); }`,
    })),
  ),
);

/** By bits of the integer: quotients of every size occur. */
const CONVERSION_DIVISORS = { 8: "33554432", 16: "131072" };

group("conversions", "", [
  ...INTEGERS.flatMap(([short, type]) =>
    ["float", "double"].flatMap((from) => [
      {
        name: `${from}_to_${short}`,
        kernel:
          `KERNEL ${from}_to_${short}(${type}* out, const int* in) { INDEX; ${from} x = (${from})in[i] / ` +
          `${CONVERSION_DIVISORS[short.slice(1)] ?? "3"}; out[i] = ` +
          `(${type})${short.startsWith("u") ? "(x < 0 ? -x : x)" : "x"}; }`,
      },
      {
        name: `${short}_to_${from}`,
        kernel:
          `KERNEL ${short}_to_${from}(${from}* out, const int* in) { INDEX; out[i] = ` +
          `(${from})(${type})wide(in, i); }`,
      },
    ]),
  ),
  {
    name: "float_to_double",
    kernel: "KERNEL float_to_double(double* out, const int* in) { INDEX; out[i] = unit(in[i]); }",
  },
  {
    name: "double_to_float",
    kernel: "KERNEL double_to_float(float* out, const int* in) { INDEX; out[i] = (float)(in[i] / 3.0); }",
  },
  {
    name: "float_to_half",
    kernel: "KERNEL float_to_half(__half* out, const int* in) { INDEX; out[i] = __float2half(unit(in[i]) * 1000); }",
  },
  {
    name: "half_to_float",
    kernel:
      "KERNEL half_to_float(float* out, const int* in) { INDEX; out[i] = __half2float(__ushort_as_half((unsigned " +
      "short)(in[i] & 0x7bff))); }",
  },
  {
    name: "float_to_bfloat",
    kernel:
      "KERNEL float_to_bfloat(__nv_bfloat16* out, const int* in) { INDEX; out[i] = __float2bfloat16(unit(in[i]) * " +
      "1000); }",
  },
  ...["rn", "rz", "ru", "rd"].map((mode) => ({
    name: `float_to_int_${mode}`,
    kernel:
      `KERNEL float_to_int_${mode}(int* out, const int* in) { INDEX; out[i] = ` +
      `__float2int_${mode}(unit(in[i]) * 1000 - 500); }`,
  })),
]);

const FLOATS = {
  add: "x + y",
  sub: "x - y",
  mul: "x * y",
  div: "x / y",
  fma: "x * y + z",
  sqrt: "sqrt(x)",
  min: "fmin(x, y)",
  max: "fmax(x, y)",
  floor: "floor(x * 100)",
  ceil: "ceil(x * 100)",
  trunc: "trunc(x * 100 - 50)",
  rint: "rint(x * 100)",
  abs: "fabs(x - y)",
  sign: "copysign(x, y - z)",
  compare: "x < y ? z : x",
};
group(
  "float arithmetic",
  "",
  ["float", "double"]
    .flatMap((type) =>
      Object.entries(FLOATS).map(([op, text]) => ({
        name: `${type}_${op}`,
        kernel:
          `KERNEL ${type}_${op}(${type}* out, const int* in) { INDEX; ${type} x = unit(in[i]), y = unit(in[i ` +
          `+ 1000]) + 0.001f, z = unit(in[i + 2000]); out[i] = ${text}; }`,
      })),
    )
    .concat(
      ["add", "mul", "div", "fma"].map((op) => ({
        name: `half_${op}`,
        kernel:
          `KERNEL half_${op}(__half* out, const int* in) { INDEX; __half x = __float2half(unit(in[i])), y = ` +
          `__float2half(unit(in[i + 1000]) + 0.01f); ` +
          `out[i] = ${op === "fma" ? "__hfma(x, y, x)" : `__h${op}(x, y)`}; }`,
      })),
      ["bits", "denormals"].map((what) => ({
        name: `float_${what}`,
        kernel:
          `KERNEL float_${what}(float* out, const int* in) { INDEX; float x = ` +
          `any(in[i]${what === "bits" ? "" : " & 0x807fffff"}), y = any(in[i + 1000] & 0xbfffffff); float r = x * ` +
          `0.5f; out[i] = r == r ? r : 0; if (y == y) out[i] += y * 0.25f; }`,
      })),
    ),
);

const bounds = JSON.parse(readFileSync(join(import.meta.dirname, "../../libdevice/error-bounds.json"), "utf8"));
/** Functions of one argument, by the interval that is tried. */
const UNARY = {
  sin: [-100, 100],
  cos: [-100, 100],
  tan: [-1.5, 1.5],
  asin: [-1, 1],
  acos: [-1, 1],
  atan: [-50, 50],
  sinh: [-10, 10],
  cosh: [-10, 10],
  tanh: [-5, 5],
  asinh: [-50, 50],
  acosh: [1, 50],
  atanh: [-0.99, 0.99],
  exp: [-20, 20],
  exp2: [-20, 20],
  exp10: [-10, 10],
  expm1: [-5, 5],
  log: [0.001, 1000],
  log2: [0.001, 1000],
  log10: [0.001, 1000],
  log1p: [-0.9, 100],
  cbrt: [-100, 100],
  rsqrt: [0.001, 1000],
  erf: [-3, 3],
  erfc: [-3, 3],
  lgamma: [0.5, 20],
  tgamma: [0.5, 10],
  sinpi: [-10, 10],
  cospi: [-10, 10],
  normcdf: [-4, 4],
};
const BINARY_FUNCTIONS = {
  pow: [0.1, 5],
  atan2: [-5, 5],
  hypot: [-50, 50],
  fmod: [0.5, 50],
  remainder: [0.5, 50],
  fdim: [-5, 5],
};
const boundOf = (type, name) => 2 * Math.ceil(bounds[type][name]?.ulp ?? 4);
group(
  "mathematics",
  "",
  ["float", "double"].flatMap((type) => {
    const [f, short] = type === "float" ? ["f", "f32"] : ["", "f64"];
    const value = (from, to, offset) => `(${type})(${from} + (${to} - (${from})) * (double)unit(in[i + ${offset}]))`;
    return [
      ...Object.entries(UNARY).map(([fn, [from, to]]) => ({
        name: `${short}_${fn}`,
        type,
        ulps: boundOf(type, `${fn}${f}`),
        kernel:
          `KERNEL ${short}_${fn}(${type}* out, const int* in) { INDEX; out[i] = ` +
          `${fn}${f}(${value(from, to, 0)}); }`,
      })),
      ...Object.entries(BINARY_FUNCTIONS).map(([fn, [from, to]]) => ({
        name: `${short}_${fn}`,
        type,
        ulps: boundOf(type, `${fn}${f}`),
        kernel:
          `KERNEL ${short}_${fn}(${type}* out, const int* in) { INDEX; out[i] = ` +
          `${fn}${f}(${value(from, to, 0)}, ${value(from, to, 1000)}); }`,
      })),
    ];
  }),
);

const SHUFFLED = [
  ["int", "in[i]"],
  ["unsigned", "(unsigned)in[i]"],
  ["long long", "(long long)wide(in, i)"],
  ["float", "unit(in[i])"],
  ["double", "(double)unit(in[i])"],
];
group("shuffles and votes", "", [
  ...SHUFFLED.flatMap(([type, value]) =>
    [
      ["", "(threadIdx.x * 7 + 3) & 31"],
      ["_up", "5"],
      ["_down", "3"],
      ["_xor", "9"],
    ].map(([kind, lane]) => {
      const name = `shfl${kind}_${type.replace(/\s/g, "_")}`;
      return {
        name,
        kernel:
          `KERNEL ${name}(${type}* out, const int* in) { INDEX; out[i] = __shfl${kind}_sync(0xffffffff, ` +
          `${value}, ${lane}); }`,
      };
    }),
  ),
  ...[8, 16].map((width) => ({
    name: `shfl_width_${width}`,
    kernel:
      `KERNEL shfl_width_${width}(int* out, const int* in) { INDEX; out[i] = __shfl_down_sync(0xffffffff, ` +
      `in[i], 2, ${width}); }`,
  })),
  ...Object.entries({
    ballot: "__ballot_sync(0xffffffff, in[i] & 1)",
    any: "__any_sync(0xffffffff, (in[i] & 15) == 0)",
    all: "__all_sync(0xffffffff, (in[i] & 15) != 0)",
    match_any: "__match_any_sync(0xffffffff, in[i] & 3)",
    activemask: "in[i] & 1 ? __popc(__activemask()) > 0 : 2",
    reduce_add: "__reduce_add_sync(0xffffffff, in[i])",
    reduce_min: "__reduce_min_sync(0xffffffff, in[i])",
    reduce_max: "__reduce_max_sync(0xffffffff, (unsigned)in[i])",
    reduce_xor: "__reduce_xor_sync(0xffffffff, (unsigned)in[i])",
    syncthreads_count: "__syncthreads_count(in[i] & 1)",
    syncthreads_or: "__syncthreads_or(in[i] == 12345)",
    divergent: "in[i] & 1 ? __popc(__ballot_sync(__match_any_sync(0xffffffff, in[i] & 1) , 1)) : 0",
  })
    .filter(([name]) => name !== "divergent")
    .map(([name, text]) => ({
      name: `vote_${name}`,
      kernel: `KERNEL vote_${name}(int* out, const int* in) { INDEX; out[i] = (int)(${text}); }`,
    })),
  ...Object.entries({
    popc: "__popc(in[i])",
    clz: "__clz(in[i])",
    ffs: "__ffs(in[i])",
    brev: "__brev(in[i])",
    prmt: "__byte_perm(in[i], in[i + 9], in[i + 3] & 0x7777)",
    mulhi: "__mulhi(in[i], in[i + 1])",
    umulhi: "__umulhi(in[i], in[i + 1])",
    sad: "__sad(in[i], in[i + 1], 3)",
    funnel: "__funnelshift_l(in[i], in[i + 1], in[i + 2])",
    dp4a: "__dp4a(in[i], in[i + 1], in[i + 2])",
    vadd4: "__vadd4(in[i], in[i + 1])",
    vmaxs2: "__vmaxs2(in[i], in[i + 1])",
    mul24: "__mul24(in[i], in[i + 1])",
    hadd: "__hadd(in[i], in[i + 1])",
    rhadd: "__rhadd(in[i], in[i + 1])",
  }).map(([name, text]) => ({
    name: `bits_${name}`,
    kernel: `KERNEL bits_${name}(int* out, const int* in) { INDEX; out[i] = (int)(${text}); }`,
  })),
]);

const ATOMICS = {
  add: "atomicAdd(out + (i & 7), in[i])",
  sub: "atomicSub(out + (i & 7), in[i])",
  min: "atomicMin(out + (i & 7), in[i])",
  max: "atomicMax(out + (i & 7), in[i])",
  and: "atomicAnd(out + (i & 7), in[i])",
  or: "atomicOr(out + (i & 7), in[i])",
  xor: "atomicXor(out + (i & 7), in[i])",
  cas: "atomicCAS(out + i, 0, in[i])",
  exch: "atomicExch(out + i, in[i])",
};
group("atomics", "", [
  ...Object.entries(ATOMICS).flatMap(([op, text]) =>
    [
      ["int", "int"],
      ["unsigned", "unsigned"],
    ].map(([type]) => ({
      name: `atomic_${op}_${type}`,
      grid: 4,
      kernel: `KERNEL atomic_${op}_${type}(${type}* out, const int* in) { INDEX; ${text}; }`,
    })),
  ),
  ...["add", "min", "max", "and", "or", "xor", "cas", "exch"].map((op) => ({
    name: `atomic_${op}_u64`,
    grid: 4,
    kernel:
      `KERNEL atomic_${op}_u64(unsigned long long* out, const int* in) { INDEX; ` +
      `${ATOMICS[op].replaceAll("in[i]", "wide(in, i)").replace("0, wide", "0ull, wide")}; }`,
  })),
  ...["float", "double"].map((type) => ({
    name: `atomic_add_${type}`,
    grid: 4,
    kernel:
      `KERNEL atomic_add_${type}(${type}* out, const int* in) { INDEX; atomicAdd(out + (i & 7), ` +
      `(${type})(in[i] & 1023)); }`,
  })),
  ...["inc", "dec"].map((op) => ({
    name: `atomic_${op}`,
    grid: 4,
    kernel:
      `KERNEL atomic_${op}(unsigned* out, const int* in) { INDEX; atomic${op === "inc" ? "Inc" : "Dec"}(out ` +
      `+ (i & 7), 17); }`,
  })),
  {
    name: "atomic_shared",
    grid: 4,
    kernel:
      "KERNEL atomic_shared(int* out, const int* in) { INDEX; __shared__ int bins[16]; if (threadIdx.x < 16) " +
      "bins[threadIdx.x] = 0; __syncthreads(); atomicAdd(bins + (in[i] & 15), 1); __syncthreads(); if (threadIdx.x " +
      "< 16) atomicAdd(out + threadIdx.x, bins[threadIdx.x]); }",
  },
  {
    name: "atomic_half2",
    kernel: "KERNEL atomic_half2(__half2* out, const int* in) { INDEX; atomicAdd(out, __floats2half2_rn(1, 0)); }",
    type: "bytes",
    block: 64,
  },
]);

const PAIRS = {
  add: "__hadd2(x, y)",
  sub: "__hsub2(x, y)",
  mul: "__hmul2(x, y)",
  fma: "__hfma2(x, y, z)",
  chain: "__hfma2(__hadd2(x, y), __hmul2(y, z), __hsub2(z, x))",
  mixed: "__hmul2(__halves2pair(x.x + y.y, y.x), z)",
};
const pairs = (type, make) =>
  Object.entries(PAIRS).map(([op, text]) => ({
    name: `${type}_${op}`,
    kernel:
      `KERNEL ${type}_${op}(${type}* out, const int* in) { INDEX; ${type} x = ${make}(unit(in[i]) - 0.5f, ` +
      `unit(in[i + 256])), y = ${make}(unit(in[i + 512]), unit(in[i + 768])), z = ${make}(unit(in[i + 1024]), ` +
      `-unit(in[i + 1280])); out[i] = ` +
      `${text.replace("__halves2pair", type === "__half2" ? "__halves2half2" : "__halves2bfloat162")}; }`,
  }));
group("pairs of 16-bit floats", "", [
  ...pairs("__half2", "__floats2half2_rn"),
  ...pairs("__nv_bfloat162", "__floats2bfloat162_rn"),
  {
    name: "half2_sum",
    kernel:
      "KERNEL half2_sum(__half2* out, const int* in) { INDEX; __half2 sum = __float2half2_rn(0.f); for (int n = 0; " +
      "n < 13; n++) sum = __hfma2(__floats2half2_rn(unit(in[i + 7 * n]), 0.25f), __floats2half2_rn(0.5f, unit(in[i " +
      "+ 11 * n])), sum); out[i] = sum; }",
  },
]);

const orders = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
group("orders, scopes and hints", "#include <cuda/atomic>", [
  ...["device", "block", "system"].flatMap((scope) =>
    orders.map((order) => ({
      name: `fetch_add_${scope}_${order}`,
      kernel:
        `KERNEL fetch_add_${scope}_${order}(int* out, const int* in) { INDEX; cuda::atomic_ref<int, ` +
        `cuda::thread_scope_${scope}> sum(out[i & 15]); cuda::atomic_ref<int, cuda::thread_scope_${scope}> ` +
        `most(out[16 + (i & 15)]); sum.fetch_add(in[i], cuda::memory_order_${order}); most.fetch_max(in[i] & 7, ` +
        `cuda::memory_order_${order}); }`,
    })),
  ),
  ...orders.map((order) => ({
    name: `exchange_${order}`,
    kernel:
      `KERNEL exchange_${order}(unsigned* out, const int* in) { INDEX; cuda::atomic_ref<unsigned, ` +
      `cuda::thread_scope_device> at(out[i]); unsigned seen = i & 1; out[i + 512] = ` +
      `at.compare_exchange_strong(seen, 5u, cuda::memory_order_${order}); out[i + 1024] = seen; out[i + 1536] = ` +
      `at.exchange(9u, cuda::memory_order_${order}); }`,
  })),
  {
    name: "messages",
    grid: 2,
    kernel:
      "KERNEL messages(int* out, const int* in) { cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[0]); " +
      "if (threadIdx.x == 0) { if (blockIdx.x == 0) { out[1] = in[0]; out[2] = in[1]; flag.store(1, " +
      "cuda::memory_order_release); } else { while (flag.load(cuda::memory_order_acquire) == 0) {} out[3] = out[1] " +
      "+ out[2]; } } }",
  },
  {
    name: "lock",
    grid: 4,
    kernel:
      "KERNEL lock(int* out, const int* in) { if ((threadIdx.x & 31) == 0) { while (atomicCAS(out, 0, 1) != 0) {} " +
      "__threadfence(); out[1] += in[threadIdx.x]; out[2] = out[1] & 0; __threadfence(); atomicExch(out, 0); } }",
  },
  {
    name: "streaming",
    kernel:
      "KERNEL streaming(int4* out, const int* in) { INDEX; __stcs(out + i, __ldcs((const int4*)in + i)); " +
      "__stcs((short*)(out + 512) + i, __ldcs((const short*)in + i)); __stcs((float2*)(out + 1024) + i, " +
      "__ldlu((const float2*)in + i)); __stcg((int*)(out + 1536) + i, __ldcg(in + i)); }",
  },
  {
    name: "second_level",
    kernel:
      "KERNEL second_level(int4* out, const int* in) { INDEX; __stcg(out + i, __ldcg((const int4*)in + i)); " +
      "__stcg((short*)(out + 512) + i, __ldcg((const short*)in + i)); __stcg((double*)(out + 1024) + i, " +
      "__ldcg((const double*)in + i)); __stcg((signed char*)(out + 1536) + i, __ldcg((const signed char*)in + i)); " +
      "__stcg((__half2*)(out + 1600) + i, __ldcg((const __half2*)in + i)); __stwt((__half*)(out + 1700) + i, " +
      "__ldcv((const __half*)in + i)); }",
  },
  // Small whole numbers have one sum, in whatever order.
  ...[
    ["half", "__half"],
    ["bfloat", "__nv_bfloat16"],
  ].flatMap(([short, type]) =>
    ["global", "shared"].map((space) => ({
      name: `pair_add_${short}_${space}`,
      kernel: `KERNEL pair_add_${short}_${space}(${type}2* out, const int* in) {
          INDEX;
          ${
            space === "shared"
              ? `__shared__ ${type}2 sums[8];
          if (threadIdx.x < 8) sums[threadIdx.x] = ${type}2(${type}(0.0f), ${type}(0.0f));
          __syncthreads();`
              : `${type}2* sums = out;`
          }
          atomicAdd(sums + (i & 7), ${type}2(${type}((float)(in[i] & 1)), ${type}((float)(in[i] >> 1 & 3))));
          ${type}* one = (${type}*)((unsigned long long)((${type}*)(sums + 8) - 16 + (i & 15)) & ~3ull);
          atomicAdd((${type}2*)one, ${type}2(${type}(1.0f), ${type}(0.0f)));
          ${space === "shared" ? "__syncthreads(); if (threadIdx.x < 8) out[threadIdx.x] = sums[threadIdx.x];" : ""}
        }`,
    })),
  ),
]);

group(
  "memory and groups",
  "__constant__ int table[64] = {3, 1, 4, 1, 5, 9, 2, 6}; __device__ int counter = 7; struct Pair { char a; double " +
    "b; short c[3]; int* p; };\n__device__ int twice(int x) { return 2 * x; } __device__ int thrice(int x) { " +
    "return 3 * x; }\nstruct Shape { __device__ virtual int area(int x) const { return x; } }; struct Square : " +
    "Shape { __device__ int area(int x) const override { return x * x; } };",
  [
    {
      name: "constant_memory",
      kernel: "KERNEL constant_memory(int* out, const int* in) { INDEX; out[i] = table[in[i] & 63] + table[3]; }",
    },
    {
      name: "device_variable",
      kernel:
        "KERNEL device_variable(int* out, const int* in) { INDEX; if (i == 0) { counter += 5; out[0] = counter; } }",
    },
    {
      name: "shared_reverse",
      kernel:
        "KERNEL shared_reverse(int* out, const int* in) { INDEX; __shared__ int tile[256]; tile[threadIdx.x] = " +
        "in[i]; __syncthreads(); out[i] = tile[255 - threadIdx.x]; }",
      grid: 8,
    },
    {
      name: "shared_dynamic",
      kernel:
        "KERNEL shared_dynamic(int* out, const int* in) { INDEX; extern __shared__ int tile[]; tile[threadIdx.x] = " +
        "in[i]; __syncthreads(); out[i] = tile[(threadIdx.x * 37) & 255]; }",
      sharedBytes: 1024,
      grid: 4,
    },
    {
      name: "shared_reduce",
      kernel:
        "KERNEL shared_reduce(int* out, const int* in) { INDEX; __shared__ int s[256]; s[threadIdx.x] = in[i]; for " +
        "(int d = 128; d > 0; d /= 2) { __syncthreads(); if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + " +
        "d]; } if (threadIdx.x == 0) out[blockIdx.x] = s[0]; }",
      grid: 16,
    },
    {
      name: "transpose",
      kernel:
        "KERNEL transpose(float* out, const int* in) { __shared__ float t[16][17]; int x = threadIdx.x, y = " +
        "threadIdx.y; t[y][x] = unit(in[y * 16 + x]); __syncthreads(); out[y * 16 + x] = t[x][y]; }",
      block: [16, 16],
    },
    {
      name: "local_array",
      kernel:
        "KERNEL local_array(int* out, const int* in) { INDEX; int a[16]; for (int k = 0; k < 16; k++) a[k] = in[i " +
        "+ k]; int s = 0; for (int k = 0; k < 16; k++) s = s * 3 + a[(in[i] + k) & 15]; out[i] = s; }",
    },
    {
      name: "struct_copy",
      kernel:
        "KERNEL struct_copy(int* out, const int* in) { INDEX; Pair p = {(char)in[i], in[i] / 3.0, {1, 2, " +
        "(short)in[i + 1]}, out + i}; Pair q = p; *q.p = q.a + (int)q.b + q.c[in[i] & 1] + q.c[2]; }",
    },
    {
      name: "vector_types",
      kernel:
        "KERNEL vector_types(int4* out, const int* in) { INDEX; int4 v = ((const int4*)in)[i]; v.x += v.w; v.y ^= " +
        "v.z; out[i] = v; }",
    },
    {
      name: "function_pointers",
      kernel:
        "KERNEL function_pointers(int* out, const int* in) { INDEX; int (*f[2])(int) = {twice, thrice}; out[i] = " +
        "f[in[i] & 1](in[i]); }",
    },
    {
      name: "virtual_calls",
      kernel:
        "KERNEL virtual_calls(int* out, const int* in) { INDEX; Shape a; Square b; Shape* s = in[i] & 1 ? &a : &b; " +
        "out[i] = s->area(in[i] & 1023); }",
    },
    {
      name: "recursion",
      kernel:
        "__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n" +
        "KERNEL recursion(int* out, const int* in) { INDEX; out[i] = fib(in[i] & 7); }",
    },
    {
      name: "generic_pointers",
      kernel:
        "KERNEL generic_pointers(int* out, const int* in) { INDEX; __shared__ int s[256]; int l[2] = {in[i], in[i " +
        "+ 1]}; s[threadIdx.x] = in[i + 2]; __syncthreads(); int* p = in[i] & 1 ? s + threadIdx.x : in[i] & 2 ? l " +
        ": out + i; int v = *p; out[i] = v + table[1]; }",
    },
    {
      name: "device_malloc",
      kernel:
        "KERNEL device_malloc(int* out, const int* in) { INDEX; int* p = (int*)malloc(16); p[0] = in[i]; p[3] = 5; " +
        "out[i] = p[0] + p[3]; free(p); }",
      block: 64,
    },
    {
      name: "clock_moves",
      kernel:
        "KERNEL clock_moves(int* out, const int* in) { INDEX; long long a = clock64(); out[i] = clock64() - a >= 0; }",
    },
    {
      name: "tiles",
      kernel:
        "KERNEL tiles(int* out, const int* in) { INDEX; auto tile = " +
        "cg::tiled_partition<8>(cg::this_thread_block()); int s = in[i]; for (int d = 4; d > 0; d /= 2) s += " +
        "tile.shfl_down(s, d); out[i] = tile.thread_rank() == 0 ? s : tile.meta_group_rank(); }",
    },
    {
      name: "coalesced",
      kernel:
        "KERNEL coalesced(int* out, const int* in) { INDEX; if (in[i] & 1) { auto g = cg::coalesced_threads(); " +
        "out[i] = g.size() * 100 + g.thread_rank(); } }",
    },
    {
      name: "grid_sync",
      cooperative: true,
      grid: 8,
      kernel:
        "KERNEL grid_sync(int* out, const int* in) { INDEX; out[i] = in[i]; cg::this_grid().sync(); int v = out[(i " +
        "+ 777) % (8 * 256)]; cg::this_grid().sync(); out[i] = v; }",
    },
    {
      name: "block_rank",
      kernel:
        "KERNEL block_rank(int* out, const int* in) { auto b = cg::this_thread_block(); int i = blockIdx.x * " +
        "blockDim.x * blockDim.y + b.thread_rank(); out[i] = b.size() * 1000 + b.group_index().x * 100 + " +
        "b.thread_index().y; }",
      block: [16, 8],
      grid: 3,
    },
    {
      name: "spin_lock",
      grid: 4,
      block: 32,
      kernel:
        "__device__ int lock_word = 0;\n" +
        "KERNEL spin_lock(int* out, const int* in) { bool done = false; while (!done) { if (atomicCAS(&lock_word, " +
        "0, 1) == 0) { *(volatile int*)out += in[threadIdx.x] & 255; __threadfence(); atomicExch(&lock_word, 0); " +
        "done = true; } } }",
    },
    {
      name: "prints",
      block: 8,
      prints: true,
      kernel:
        `KERNEL prints(int* out, const int* in) { printf("%d %5.2f %s %c %x %lld|%%|%-6u|\\n", ` +
        `in[threadIdx.x], unit(in[threadIdx.x]), threadIdx.x & 1 ? "odd" : "even", 'a' + threadIdx.x, in[3], (long ` +
        `long)in[4] * in[5], threadIdx.x); }`,
    },
  ],
);

export const GROUPS = groups;
