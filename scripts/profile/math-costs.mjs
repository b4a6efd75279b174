#!/usr/bin/env node
// What NVIDIA's code of mathematical functions executes: floating-point operations of one thread, measured.
//
//   node scripts/profile/math-costs.mjs --build FOLDER     on any machine: the program
//   sh FOLDER/measure.sh                                   on a machine with a GPU, nvcc and ncu
//   node scripts/profile/math-costs.mjs --table FOLDER     writes src/profile/math-costs.ts
//
// Each function has a kernel that calls it once for each of 32 threads, with arguments of its fast path. A kernel
// without a call has no floating-point operations, so a counter over 32 is the cost.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const RESULT = fileURLToPath(new URL("../../src/profile/math-costs.ts", import.meta.url));
const OPERATIONS = ["add", "mul", "fma"];
const PREFIXES = { f: "fp32", d: "fp64" };
const METRICS = [
  ...Object.keys(PREFIXES).flatMap((letter) =>
    OPERATIONS.map((op) => `smsp__sass_thread_inst_executed_op_${letter}${op}_pred_on.sum`),
  ),
  "smsp__inst_executed_pipe_xu.sum",
];
const LANES = 32;

const UNARY =
  "exp exp2 exp10 expm1 log log2 log10 log1p sqrt rsqrt cbrt rcbrt sin cos tan sinpi cospi asin acos atan sinh cosh " +
  "tanh asinh acosh atanh erf erfc erfinv erfcinv erfcx normcdf normcdfinv tgamma lgamma";
const BINARY = "pow atan2 fmod remainder hypot fdim";
/** Intrinsic functions by the name that Clang's headers give them in the device library. */
const FAST_UNARY = {
  __expf: "fast_expf",
  __exp10f: "fast_exp10f",
  __logf: "fast_logf",
  __log2f: "fast_log2f",
  __log10f: "fast_log10f",
  __sinf: "fast_sinf",
  __cosf: "fast_cosf",
  __tanf: "fast_tanf",
  __frcp_rn: "frcp_rn",
  __fsqrt_rn: "fsqrt_rn",
  __frsqrt_rn: "frsqrt_rn",
};
const FAST_BINARY = { __powf: "fast_powf", __fdividef: "fast_fdividef", __fdiv_rn: "fdiv_rn" };

/** { name, type, expression of x and y } */
function functions() {
  const found = [];
  for (const type of ["float", "double"]) {
    const suffix = type === "float" ? "f" : "";
    for (const name of UNARY.split(" ")) {
      // These have no value below 1.
      const argument = name === "acosh" ? "x + 1" : "x";
      found.push({ name: `__nv_${name}${suffix}`, type, expression: `${name}${suffix}(${argument})` });
    }
    for (const name of BINARY.split(" "))
      found.push({ name: `__nv_${name}${suffix}`, type, expression: `${name}${suffix}(x, y)` });
    found.push({ name: `fdiv ${type}`, type, expression: "x / y" });
    found.push({ name: `reciprocal ${type}`, type, expression: "1 / x" });
  }
  for (const [name, nv] of Object.entries(FAST_UNARY))
    found.push({ name: `__nv_${nv}`, type: "float", expression: `${name}(x)` });
  for (const [name, nv] of Object.entries(FAST_BINARY))
    found.push({ name: `__nv_${nv}`, type: "float", expression: `${name}(x, y)` });
  return found;
}

const kernelOf = (index) => `k${index}`;

function build(folder) {
  mkdirSync(folder, { recursive: true });
  const all = functions();
  const kernels = all.map(
    ({ type, expression }, index) =>
      `extern "C" __global__ void ${kernelOf(index)}(${type}* v) {\n` +
      `  ${type} x = v[threadIdx.x], y = v[threadIdx.x + 32];\n  v[threadIdx.x] = ${expression};\n}\n`,
  );
  const launches = all.map(({ type }, index) => `  ${kernelOf(index)}<<<1, 32>>>(${type === "float" ? "f" : "d"});`);
  writeFileSync(
    join(folder, "math.cu"),
    `#include <cstdio>
${kernels.join("")}
__global__ void fill(float* f, double* d) {
  for (int i = threadIdx.x; i < 64; i += 32) f[i] = d[i] = 0.5 + 0.25 * (i % 32) / 32 + 0.125 * (i / 32);
}
int main() {
  float* f; double* d;
  cudaMalloc(&f, 64 * sizeof(float)); cudaMalloc(&d, 64 * sizeof(double));
${launches.map((launch) => `  fill<<<1, 32>>>(f, d);\n${launch}`).join("\n")}
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
`,
  );
  writeFileSync(
    join(folder, "measure.sh"),
    [
      "set -e",
      'cd "$(dirname "$0")"',
      "nvcc -w -O3 -arch=sm_90 -o math.exe math.cu",
      `ncu --clock-control none --csv -k regex:^k[0-9] --metrics ${METRICS.join()} ./math.exe > "\${1:-.}/math.csv"`,
      "",
    ].join("\n"),
  );
}

function table(folder) {
  const lines = readFileSync(join(folder, "math.csv"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith('"'));
  const cells = (line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => cell);
  const [head, ...rows] = lines.map(cells);
  const costs = new Map();
  for (const row of rows) {
    const of = (name) => row[head.indexOf(name)];
    const kernel = of("Kernel Name").replace(/\(.*$/, "");
    const cost = costs.get(kernel) ?? {};
    costs.set(kernel, cost);
    const value = Number(of("Metric Value").replaceAll(",", ""));
    const [, letter, op] = /op_([fd])(add|mul|fma)_pred/.exec(of("Metric Name")) ?? [];
    const work = letter === undefined ? "special" : `${PREFIXES[letter]}-${op}`;
    const each = letter === undefined ? value : value / LANES;
    // Some threads leave the fast path: what few execute is not part of it.
    if (Math.round(each) > 0) cost[work] = Math.round(each);
  }
  const text = functions().flatMap(({ name }, index) => {
    const cost = costs.get(kernelOf(index));
    if (cost === undefined) throw new Error(`${name}: no counters of ncu`);
    const parts = Object.entries(cost).map(([work, count]) => `${/-/.test(work) ? `"${work}"` : work}: ${count}`);
    return parts.length === 0 ? [] : [`  ["${name}", { ${parts.join(", ")} }],`];
  });
  writeFileSync(
    RESULT,
    `/**
 * What NVIDIA's code of mathematical functions executes on its fast path: floating-point operations of one thread.
 * Measured on an H200 with nvcc 13.0 and Nsight Compute; made by scripts/profile/math-costs.mjs.
 */
import type { WorkClass } from "./work-classes.ts";

/** By the name of the function in the device library; division by its type. */
export const MATH_COSTS: ReadonlyMap<string, Readonly<Partial<Record<WorkClass, number>>>> = new Map([
${text.join("\n")}
]);
`,
  );
}

const { values } = parseArgs({ options: { build: { type: "string" }, table: { type: "string" } } });
if (values.build !== undefined) build(values.build);
else if (values.table !== undefined) table(values.table);
else console.log("--build FOLDER or --table FOLDER");
