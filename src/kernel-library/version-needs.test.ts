import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { includedFiles } from "./included-files-node.ts";
import { canRun, needsOf, type VersionNeeds } from "./version-needs.ts";

const [A100, H200, B200] = [
  { major: 8, minor: 0 },
  { major: 9, minor: 0 },
  { major: 10, minor: 0 },
];
const runOn = (...sources: string[]): boolean[] => [A100, H200, B200].map((gpu) => canRun(needsOf(sources), gpu));

test("the instructions of a version and of what it includes say which GPUs run it", () => {
  expect(runOn("x[i] = 1;")).toEqual([true, true, true]);
  expect(runOn('asm("cp.async.cg.shared.global [%0], [%1], 16;");')).toEqual([true, true, true]);
  expect(runOn("", 'asm("cp.async.bulk.commit_group;");')).toEqual([false, true, true]);
  expect(runOn('asm("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};");')).toEqual([false, true, true]);
  expect(runOn("__global__ void __cluster_dims__(2) f();")).toEqual([false, true, true]);
  expect(runOn('asm("wgmma.fence.sync.aligned;");')).toEqual([false, true, false]);
  expect(runOn("// no wgmma.fence here\n/* nor\n cp.async.bulk */")).toEqual([true, true, true]);
});

test("what a header has besides does not count; what the kernel reaches in it does", () => {
  const header = `
    #pragma once
    #define MULTIPLY(x) \\
      asm("wgmma.fence.sync.aligned;")
    namespace tiles {
    struct alignas(64) Map { unsigned long long opaque[16]; };
    template <int N, class T> __device__ __forceinline__ void load(T *to) { asm("cp.async.bulk.commit_group;"); }
    __device__ inline void multiply() { asm("wgmma.commit_group.sync.aligned;"); }
    struct Product { __device__ void begin() const { multiply(); } };
    template <class T> __device__ T twice(T x) { return "({ // none"[0] == '(' ? x + x : x; }
    }`;
  const kernel = (body: string): string =>
    `#include "header.cuh"\n__global__ void __launch_bounds__(256) f(float *x, tiles::Map map) { ${body} }`;
  expect(runOn(kernel("x[0] = 1;"), header)).toEqual([true, true, true]);
  expect(runOn(kernel("x[0] = tiles::twice(x[0]);"), header)).toEqual([true, true, true]);
  expect(runOn(kernel("tiles::load<1>(x);"), header)).toEqual([false, true, true]);
  expect(runOn(kernel("tiles::Product().begin();"), header)).toEqual([false, true, false]);
  expect(runOn(kernel("MULTIPLY(x);"), header)).toEqual([false, true, false]);
});

test("a GPU before Ampere has no mma.sync of bfloat16, and no sums of a warp by redux", () => {
  const turing = { major: 7, minor: 5 };
  for (const text of ['asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 ...");', "__reduce_add_sync(all, x);"])
    expect(canRun(needsOf([text]), turing)).toBe(false);
  expect(canRun(needsOf(['asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 ...");']), turing)).toBe(true);
});

test("versions that copy by TMA, and multiply nothing, are for later GPUs than Hopper, too", () => {
  const needs = (ladder: string, name: string): VersionNeeds =>
    needsOf(
      includedFiles(new URL(`../../kernels/${ladder}/${name}.cu`, import.meta.url).pathname, []).map((file) =>
        readFileSync(file, "utf8"),
      ),
    );
  for (const [ladder, name] of [
    ["encoder-backward", "4-bulk"],
    ["paged-attention", "4-whole-pages"],
    ["global-norm", "5-bulk"],
    ["selective-scan", "3-staged"],
  ] as const)
    expect(needs(ladder, name), `${ladder}/${name}`).toEqual({ least: 90, isAlone: false });
  for (const name of ["2-wgmma", "3-overlapped", "4-in-order"])
    expect(needs("attention-backward", name), name).toEqual({ least: 90, isAlone: true });
});

test("of matmul-bf16 an A100 runs the versions before wgmma", () => {
  const folder = new URL("../../kernels/matmul-bf16/", import.meta.url).pathname;
  const versions = readdirSync(folder).filter((name) => name.endsWith(".cu"));
  const needs = (name: string): VersionNeeds =>
    needsOf(includedFiles(join(folder, name), []).map((file) => readFileSync(file, "utf8")));
  expect(versions.filter((name) => canRun(needs(name), A100)).sort()).toEqual([
    "1-naive.cu",
    "2-wmma.cu",
    "3-mma.cu",
    "4-pipelined.cu",
    "5-overlapped.cu",
  ]);
  expect(versions.every((name) => canRun(needs(name), H200))).toBe(true);
});
