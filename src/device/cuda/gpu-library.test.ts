/** NVIDIA's libraries, with one of our own making in their place: how handles, pointers and host addresses arrive. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HostWords, putArguments, type DeviceLibrary } from "../library-call.ts";
import { GpuLibraries } from "./gpu-library.ts";

const SOURCE = `#include <stdint.h>
static int made;
int cublasCreate_v2(uint64_t *handle) { *handle = 100 + made++; return 0; }
int cublasDestroy_v2(uint64_t handle) { return (int)handle; }
int cublasList(uint64_t work, const uint64_t *addresses, const uint64_t *handle, const float *result) {
  return work == 1ull << 40 && addresses[0] == 0x2000000400ull && addresses[1] == 0 &&
         addresses[2] == (uint64_t)result ? (int)*handle : -5;
}
int cublasKinds(int small, uint64_t large, uint64_t work, double real, float single, uint64_t none, uint64_t nowhere,
                uint64_t stream, int last, uint64_t size, double *out) {
  out[0] = small; out[1] = (double)(large >> 12); out[2] = (double)work; out[3] = real; out[4] = single;
  out[5] = (double)none; out[6] = (double)nowhere; out[7] = (double)stream; out[8] = last; out[9] = (double)size;
  return 0;
}
int cufftCreate(int *plan) { *plan = 1; return 0; }
int cublasNone(void) { return 3; }
int cublasMany(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n, int o,
               int p, int q, int r, int s, int t, int u, int v, int w, int x, int y, int z) {
  return a + 2 * b + 4 * c + 8 * n + 16 * o + 32 * y + 64 * z;
}
int cublasNote_v2(uint64_t handle, int m, int64_t stride, uint64_t pointer, uint64_t none, const float *alpha,
                  float *result, uint64_t stream) {
  float extra = pointer == 0x2000000400ull && none == 0 ? 0.5f : 0;
  *result = *alpha + (float)(handle + (uint64_t)m + (uint64_t)stride + stream) + extra;
  return 7;
}
`;
let folder = "";
let before: string | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-library-"));
  writeFileSync(join(folder, "library.c"), SOURCE);
  const compiler = ["cc", "clang", "gcc"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (compiler === undefined) throw new Error("this test needs a C compiler");
  const { status, stderr } = spawnSync(
    compiler,
    ["-shared", "-fPIC", "-o", join(folder, "libcublas.so.12"), join(folder, "library.c")],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  copyFileSync(join(folder, "libcublas.so.12"), join(folder, "libcufft.so.12"));
  before = process.env["HEDDLE_CUDA_LIBRARIES"];
  process.env["HEDDLE_CUDA_LIBRARIES"] = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env["HEDDLE_CUDA_LIBRARIES"];
  else process.env["HEDDLE_CUDA_LIBRARIES"] = before;
  rmSync(folder, { recursive: true });
});

/** Behind what functions read and write in a host memory. */
const ARGUMENTS_AT = 512;
const hostMemory = (): HostWords => new HostWords(new ArrayBuffer(1024));

const calls: string[] = [];
const libraries = (driverMajor: number): GpuLibraries =>
  new GpuLibraries({
    driverMajor,
    address: (pointer) => 0x20_0000_0000 + pointer,
    beforeCall: ({ name }) => void calls.push(name),
  });

/** Calls with arguments that lie in `host` behind what the functions read and write. */
function call(
  library: DeviceLibrary | null,
  host: HostWords,
  name: string,
  kinds: string,
  values: readonly (number | bigint)[],
  { owner = 1, stream = 0 }: { readonly owner?: number; readonly stream?: number } = {},
): number | null {
  const bound = library?.bind(name, kinds) ?? null;
  if (bound === null) return null;
  putArguments(host, ARGUMENTS_AT, kinds, values);
  return bound(owner, host, ARGUMENTS_AT, stream);
}

describe("a library of NVIDIA's", () => {
  test("is called with a handle for each owner, addresses of the GPU and of the host's memory", () => {
    const all = libraries(12);
    const { library } = all.find("cublas");
    const host = hostMemory();
    host.floats[4] = 2;
    const note = (owner: number): number | null =>
      call(library, host, "cublasNote_v2", "hilppaas", [0, -3, 10n, 0x400, 0, 16, 32, 0], { owner, stream: 1000 });
    expect(note(1)).toBe(7);
    expect(host.floats[8]).toBe(2 + 100 - 3 + 10 + 1000 + 0.5);
    expect(note(2)).toBe(7);
    expect(host.floats[8]).toBe(2 + 101 - 3 + 10 + 1000 + 0.5);
    note(1);
    expect(host.floats[8]).toBe(2 + 100 - 3 + 10 + 1000 + 0.5);
    expect(call(library, host, "cublasDestroy_v2", "h", [0], { owner: 2 })).toBe(101);
    expect(call(library, host, "cublasDestroy_v2", "h", [0], { owner: 9 })).toBe(0);
    expect(library?.bind("cublasNothing", "h")).toBe(null);
    expect(calls).toEqual(["cublasNote_v2", "cublasNote_v2", "cublasNote_v2", "cublasDestroy_v2"]);
    all.forget();
    note(1);
    expect(host.floats[8]).toBe(2 + 102 - 3 + 10 + 1000 + 0.5);
  });
  test("gets each kind of argument as it is", () => {
    const { library } = libraries(12).find("cublas");
    const host = hostMemory();
    const kinds = "ilwdfpasila";
    const given = [-7, 2n ** 64n - 4096n, 2 ** 52 + 2, 0.1, 0.25, 0, 0, 0, 2 ** 31 - 1, 2 ** 40 + 1, 8];
    expect(call(library, host, "cublasKinds", kinds, given, { stream: 2 ** 46 + 16 })).toBe(0);
    expect(Array.from(host.doubles.subarray(1, 11))).toEqual([
      -7,
      2 ** 52 - 1,
      2 ** 52 + 2,
      0.1,
      0.25,
      0,
      0,
      2 ** 46 + 16,
      2 ** 31 - 1,
      2 ** 40 + 1,
    ]);
    // The sign is no part of what a word of 64 bits means, and reaches the function.
    call(library, host, "cublasKinds", kinds, [0, -4096, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
    expect(host.doubles[2]).toBe(2 ** 52 - 1);
  });
  test("is called without arguments, and with more than fit into registers", () => {
    const { library } = libraries(12).find("cublas");
    const host = hostMemory();
    expect(call(library, host, "cublasNone", "", [])).toBe(3);
    const given = Array.from({ length: 26 }, (_, i) => i + 1);
    const sum = 1 + 2 * 2 + 4 * 3 + 8 * 14 + 16 * 15 + 32 * 25 + 64 * 26;
    expect(call(library, host, "cublasMany", "i".repeat(26), given)).toBe(sum);
  });
  test("reads the memory of each call, although it is another buffer, and threads may share it", () => {
    const { library } = libraries(12).find("cublas");
    const shared = new HostWords(new SharedArrayBuffer(1024) as unknown as ArrayBuffer);
    const memories = [hostMemory(), hostMemory(), shared] as const;
    for (const [i, host] of [...memories, ...memories].entries()) {
      call(library, host, "cublasKinds", "ilwdfpasila", [i, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
      expect(host.doubles[1]).toBe(i);
    }
  });
  test("is called with lists of addresses, and with the place of a handle", () => {
    const { library } = libraries(12).find("cublas");
    const host = hostMemory();
    host.longs.set([0n, 3n, 1n, 0x400n, 1n, 0n, 0n, 64n, 0n]);
    const status = call(library, host, "cublasList", "wvHa", [2 ** 40, 8, 0, 64]);
    expect(status).toBeGreaterThanOrEqual(100);
  });
  test("is not called with arguments of a kind that does not exist", () => {
    const { library } = libraries(12).find("cublas");
    expect(() => library?.bind("cublasNone", "ix")).toThrow(/no kind of argument is "x"/);
  });
  test("that needs a later driver is not taken, and said to be there", () => {
    const { missing } = libraries(11).find("cublas");
    expect(missing).toMatch(/libcublas\.so\.12: it needs a driver of CUDA 12, and this one's is 11/);
  });
  test("may have a number of its own: cuFFT 12 is CUDA 13's", () => {
    expect(libraries(12).find("cufft").missing).toMatch(/libcufft\.so\.12: it needs a driver of CUDA 13/);
    expect(libraries(13).find("cufft").missing).toBeNull();
  });
});
