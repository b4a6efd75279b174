/** NVIDIA's libraries, with one of our own making in their place: how handles, pointers and host addresses arrive. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GpuLibraries } from "./gpu-library.ts";

const SOURCE = `#include <stdint.h>
static int made;
int cublasCreate_v2(uint64_t *handle) { *handle = 100 + made++; return 0; }
int cublasDestroy_v2(uint64_t handle) { return (int)handle; }
int cublasList(uint64_t work, const uint64_t *addresses, const uint64_t *handle, const float *result) {
  return work == 1ull << 40 && addresses[0] == 0x2000000400ull && addresses[1] == 0 &&
         addresses[2] == (uint64_t)result ? (int)*handle : -5;
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
  before = process.env["HEDDLE_CUDA_LIBRARIES"];
  process.env["HEDDLE_CUDA_LIBRARIES"] = folder;
});
afterAll(() => {
  if (before === undefined) delete process.env["HEDDLE_CUDA_LIBRARIES"];
  else process.env["HEDDLE_CUDA_LIBRARIES"] = before;
  rmSync(folder, { recursive: true });
});

const calls: string[] = [];
const libraries = (driverMajor: number): GpuLibraries =>
  new GpuLibraries({
    driverMajor,
    makeCurrent: () => {},
    address: (pointer) => 0x20_0000_0000 + pointer,
    beforeCall: (name) => void calls.push(name),
  });

describe("a library of NVIDIA's", () => {
  test("is called with a handle for each owner, addresses of the GPU and of the host's memory", () => {
    const all = libraries(12);
    const { library } = all.find("cublas");
    if (library === null) throw new Error("it was not found");
    const host = new Float32Array(16);
    host[4] = 2;
    const note = (owner: number): number | null =>
      library.call("cublasNote_v2", "hilppaas", {
        owner,
        host: host.buffer,
        stream: 0,
        values: [0n, BigInt.asUintN(64, -3n), 10n, 0x400n, 0n, 16n, 32n, 1000n],
      });
    expect(note(1)).toBe(7);
    expect(host[8]).toBe(2 + 100 - 3 + 10 + 1000 + 0.5);
    expect(note(2)).toBe(7);
    expect(host[8]).toBe(2 + 101 - 3 + 10 + 1000 + 0.5);
    note(1);
    expect(host[8]).toBe(2 + 100 - 3 + 10 + 1000 + 0.5);
    expect(library.call("cublasDestroy_v2", "h", { owner: 2, host: host.buffer, stream: 0, values: [0n] })).toBe(101);
    expect(library.call("cublasDestroy_v2", "h", { owner: 9, host: host.buffer, stream: 0, values: [0n] })).toBe(0);
    expect(library.call("cublasNothing", "h", { owner: 1, host: host.buffer, stream: 0, values: [0n] })).toBe(null);
    expect(calls).toEqual(["cublasNote_v2", "cublasNote_v2", "cublasNote_v2", "cublasDestroy_v2"]);
    all.forget();
    note(1);
    expect(host[8]).toBe(2 + 102 - 3 + 10 + 1000 + 0.5);
  });
  test("is called with lists of addresses, and with the place of a handle", () => {
    const { library } = libraries(12).find("cublas");
    const host = new BigUint64Array([0n, 3n, 1n, 0x400n, 1n, 0n, 0n, 64n, 0n]);
    const values = [2n ** 40n, 8n, 0n, 64n];
    const status = library?.call("cublasList", "wvHa", { owner: 1, host: host.buffer, stream: 0, values });
    expect(status).toBeGreaterThanOrEqual(100);
  });
  test("that needs a later driver is not taken, and said to be there", () => {
    const { missing } = libraries(11).find("cublas");
    expect(missing).toMatch(/libcublas\.so\.12: it needs a driver of CUDA 12, and this one's is 11/);
  });
});
