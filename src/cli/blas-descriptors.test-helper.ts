/** Random descriptors of cuBLAS, as lines for test-programs/blas-descriptors.cu. */
import fc from "fast-check";

const LEVEL_1 = [
  "axpy",
  "copy",
  "swap",
  "scal",
  "dot",
  "nrm2",
  "asum",
  "iamax",
  "iamin",
  "rot",
  "rotEx",
  "rotg",
] as const;
const MODIFIED = ["rotm", "rotmg"] as const;
const LEVEL_2 = ["gemv", "gbmv", "ger", "gerc", "symv", "hemv", "sbmv", "spmv", "syr", "her", "spr", "syr2"] as const;
const TRIANGLES = ["her2", "spr2", "trmv", "tbmv", "tpmv", "trsv", "tbsv", "tpsv"] as const;
const LEVEL_3 = ["gemm", "gemmS", "gemmB", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "syrkx", "herkx"] as const;
const OTHERS = ["trmm", "trsm", "trsmB", "geam", "dgmm", "tpttr", "trttp", "getrfB", "matinvB", "geqrfB"] as const;

const size = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const increment = fc.constantFrom(1, 1, 2, 3, -1, -2);

/** What may be wrong: see the program. */
const bad = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: size(1, 17) });

const [INCX_IS_0, INCY_IS_0, OPERATION_IS_9] = [7, 8, 9];
/**
 * Wrong arguments that NVIDIA's library takes, by operation, though no result is right. With an increment of 0 all
 * threads write one element. `gemv` takes any operation: with 9 it reads the transposed matrix at the lengths of the
 * plain one, past its end.
 */
const UNDEFINED: Readonly<Record<string, readonly number[]>> = {
  axpy: [INCY_IS_0],
  copy: [INCY_IS_0],
  swap: [INCX_IS_0, INCY_IS_0],
  rot: [INCX_IS_0, INCY_IS_0],
  rotEx: [INCX_IS_0, INCY_IS_0],
  rotm: [INCX_IS_0, INCY_IS_0],
  gemv: [INCY_IS_0, OPERATION_IS_9],
};

export const blasDescriptors: fc.Arbitrary<string> = fc
  .record({
    op: fc.constantFrom(...LEVEL_1, ...MODIFIED, ...LEVEL_2, ...TRIANGLES, ...LEVEL_3, ...LEVEL_3, ...OTHERS),
    type: size(0, 3),
    m: size(1, 22),
    n: size(1, 22),
    k: size(0, 9),
    opA: size(0, 2),
    opB: size(0, 2),
    fill: size(0, 1),
    side: size(0, 1),
    diag: size(0, 1),
    incx: increment,
    incy: increment,
    extra: size(0, 3),
    seed: size(1, 1_000_000),
    bad,
  })
  .map((c) => {
    const isReal = c.type < 2;
    // Of symmetric updates complex numbers have one transpose each, and modified rotations are of real numbers.
    const plain = ["syrk", "syr2k", "syrkx"].includes(c.op) && !isReal ? c.opA % 2 : c.opA;
    const adjoint = ["herk", "her2k", "herkx"].includes(c.op) && !isReal ? 2 * (c.opA % 2) : plain;
    const type = c.op === "rotm" || c.op === "rotmg" ? c.type % 2 : c.type;
    const wrong = UNDEFINED[c.op]?.includes(c.bad) === true ? 0 : c.bad;
    return Object.values({ ...c, type, opA: adjoint, bad: wrong }).join(" ");
  });
