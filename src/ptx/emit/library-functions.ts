/**
 * Functions of the device library that are one or a few PTX instructions (PTX ISA 8.5, chapter 9), instead of the
 * portable code in libdevice/. Templates are written as in intrinsic-templates.ts; `$t0`, `$t1` are further registers
 * of the result's class, lines are separated by `;`.
 */
const templates = new Map<string, string>();
const add = (name: string, template: string): void => void templates.set(name, template);

// ---------------------------------------------------------------- integers
add("__nv_mulhi", "mul.hi.s32 $d, $0, $1");
add("__nv_umulhi", "mul.hi.u32 $d, $0, $1");
add("__nv_mul64hi", "mul.hi.s64 $d, $0, $1");
add("__nv_umul64hi", "mul.hi.u64 $d, $0, $1");
add("__nv_mul24", "mul24.lo.s32 $d, $0, $1");
add("__nv_umul24", "mul24.lo.u32 $d, $0, $1");
add("__nv_sad", "sad.s32 $d, $0, $1, $2");
add("__nv_usad", "sad.u32 $d, $0, $1, $2");
add("__nv_byte_perm", "and.b32 $t0, $2, 0x7777; prmt.b32 $d, $0, $1, $t0");
add("__nv_clz", "clz.b32 $d, $0");
add("__nv_popc", "popc.b32 $d, $0");
add("__nv_brev", "brev.b32 $d, $0");
add("__nv_brevll", "brev.b64 $d, $0");
add("__nv_abs", "abs.s32 $d, $0");
add("__nv_min", "min.s32 $d, $0, $1");
add("__nv_max", "max.s32 $d, $0, $1");
add("__nv_umin", "min.u32 $d, $0, $1");
add("__nv_umax", "max.u32 $d, $0, $1");

// ---------------------------------------------------------------- rounding, conversions
for (const [word, mode] of [
  ["rn", "rni"],
  ["rz", "rzi"],
  ["rd", "rmi"],
  ["ru", "rpi"],
] as const) {
  for (const [name, type] of [
    ["int", "s32"],
    ["uint", "u32"],
    ["ll", "s64"],
    ["ull", "u64"],
  ] as const) {
    add(`__nv_float2${name}_${word}`, `cvt.${mode}{z}.${type}.f32 $d, $0`);
    add(`__nv_double2${name}_${word}`, `cvt.${mode}.${type}.f64 $d, $0`);
    add(`__nv_${name}2float_${word}`, `cvt.${mode.slice(0, 2)}.f32.${type} $d, $0`);
    add(`__nv_${name}2double_${word}`, `cvt.${mode.slice(0, 2)}.f64.${type} $d, $0`);
  }
  add(`__nv_double2float_${word}`, `cvt.${mode.slice(0, 2)}{z}.f32.f64 $d, $0`);
  for (const [operation, count] of [
    ["add", 2],
    ["sub", 2],
    ["mul", 2],
    ["div", 2],
    ["rcp", 1],
    ["sqrt", 1],
  ] as const) {
    const operands = count === 2 ? "$0, $1" : "$0";
    add(`__nv_f${operation}_${word}`, `${operation}.${mode.slice(0, 2)}{z}.f32 $d, ${operands}`);
    add(`__nv_d${operation}_${word}`, `${operation}.${mode.slice(0, 2)}.f64 $d, ${operands}`);
  }
  add(`__nv_fmaf_${word}`, `fma.${mode.slice(0, 2)}{z}.f32 $d, $0, $1, $2`);
  add(`__nv_fmaf_ieee_${word}`, `fma.${mode.slice(0, 2)}.f32 $d, $0, $1, $2`);
  add(`__nv_fma_${word}`, `fma.${mode.slice(0, 2)}.f64 $d, $0, $1, $2`);
}
add("__nv_saturatef", "cvt.sat{z}.f32.f32 $d, $0");
add("__nv_fmaf", "fma.rn{z}.f32 $d, $0, $1, $2");
add("__nv_fma", "fma.rn.f64 $d, $0, $1, $2");
add("__nv_fminf", "min{z}.f32 $d, $0, $1");
add("__nv_fmaxf", "max{z}.f32 $d, $0, $1");
add("__nv_rcp64h", "rcp.approx.ftz.f64 $d, $0");

// ---------------------------------------------------------------- approximate functions
// 1/sqrt has an error of 2^-22.9 at most; 2^x two units in the last place: within the bounds of rsqrtf and exp2f.
add("__nv_sqrtf", "sqrt{sqrt}{z}.f32 $d, $0");
add("__nv_rsqrtf", "rsqrt.approx{z}.f32 $d, $0");
add("__nv_exp2f", "ex2.approx{z}.f32 $d, $0");
add("__nv_fast_expf", "mul.rn{z}.f32 $t0, $0, 0f3FB8AA3B; ex2.approx{z}.f32 $d, $t0");
add("__nv_fast_exp10f", "mul.rn{z}.f32 $t0, $0, 0f40549A78; ex2.approx{z}.f32 $d, $t0");
add("__nv_fast_log2f", "lg2.approx{z}.f32 $d, $0");
add("__nv_fast_logf", "lg2.approx{z}.f32 $t0, $0; mul.rn{z}.f32 $d, $t0, 0f3F317218");
add("__nv_fast_log10f", "lg2.approx{z}.f32 $t0, $0; mul.rn{z}.f32 $d, $t0, 0f3E9A209B");
add("__nv_fast_powf", "lg2.approx{z}.f32 $t0, $0; mul.rn{z}.f32 $t1, $t0, $1; ex2.approx{z}.f32 $d, $t1");
add("__nv_fast_sinf", "sin.approx{z}.f32 $d, $0");
add("__nv_fast_cosf", "cos.approx{z}.f32 $d, $0");
add("__nv_fast_tanf", "sin.approx{z}.f32 $t0, $0; cos.approx{z}.f32 $t1, $0; div.approx{z}.f32 $d, $t0, $t1");
add("__nv_fast_tanhf", "tanh.approx.f32 $d, $0");
add("__nv_fast_fdividef", "div.approx{z}.f32 $d, $0, $1");

export function libraryTemplate(name: string): string | null {
  return templates.get(name) ?? null;
}

/** Whether the function is PTX instructions here, so that its IR is not linked. */
export function isLibraryInstruction(name: string): boolean {
  return templates.has(name) || isMatrixFunction(name) || isClusterFunction(name) || isPairAtomic(name);
}

/** Atomic sums of two 16-bit floats at once (libdevice/pairs.cu). */
export function isPairAtomic(name: string): boolean {
  return name.startsWith("__heddle_atomic_add_");
}

/** What is asked of thread block clusters, which are one block each on the emulated device (libdevice/cluster.cu). */
export function isClusterFunction(name: string): boolean {
  return name.startsWith("__heddle_cluster_");
}

/** Matrix instructions of a warp, which the library of the emulated device does with shuffles (libdevice/mma.cu). */
export function isMatrixFunction(name: string): boolean {
  return /^__heddle_(?:mma_|ldmatrix_|stmatrix_|movmatrix_)/.test(name);
}

/** Products of a warpgroup (libdevice/wgmma.cu): the emulated device alone has them as functions. */
export function isWarpgroupProduct(name: string): boolean {
  return name.startsWith("__heddle_wgmma_");
}
