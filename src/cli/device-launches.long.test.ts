/** Kernels that launch kernels: run, checked, profiled. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-device-launches-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function source(text: string): string {
  const path = join(folder, "program.cu");
  writeFileSync(path, text);
  return path;
}

/** A parent that accesses memory, launches, waits if it is asked to, and accesses memory again. */
const PARENT = `
__global__ void child(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] += 1; }
__global__ void parent(int *p, int n) {
  p[0] = 1;
  p[1] = 2;
  child<<<1, 32>>>(p, n);
#if defined(CUDA_FORCE_CDP1_IF_SUPPORTED)
  cudaDeviceSynchronize();
#endif
  p[2] = 3;
}
int main() {
  int *p;
  cudaMalloc(&p, 64);
  cudaMemset(p, 0, 64);
  parent<<<1, 1>>>(p, N);
  return cudaDeviceSynchronize();
}
`;
const WAITS = "-DCUDA_FORCE_CDP1_IF_SUPPORTED";

test.each(["auto", "interpreter"])("arguments, order, copies, errors, waiting: --engine %s", (engine) =>
  expect(heddle(["run", "--engine", engine, WAITS, program("device-launches.cu")])).toMatchObject({
    stdout: "PASSED\n",
    status: 0,
  }),
);

test.each(["auto", "interpreter"])("what a GPU does as well: --engine %s", (engine) =>
  expect(heddle(["run", "--engine", engine, program("gpu-launches.cu")])).toMatchObject({
    stdout: "a child of block 0\na child of block 1\nPASSED\n",
    status: 0,
  }),
);

test.each([WAITS, "-DTAIL"])("a checker finds what a child does, with the kernel that launches it: %s", (define) => {
  const { stdout, stderr } = heddle(["check", define, "-DN=17", source(PARENT)]);
  const output = stdout + stderr;
  expect(output).toContain("memcheck: out of bounds");
  expect(output).toMatch(/launch 2: child<<<\(1, 1, 1\), \(32, 1, 1\)>>>, at .*program\.cu:3:/);
  expect(output).not.toContain("racecheck");
});

test.each([WAITS, "-DTAIL"])("a profile counts each kernel's own accesses: %s", (define) => {
  const { stderr } = heddle(["profile", define, "-DN=16", source(PARENT)]);
  // Three of its own, and the child's arguments: one store where a pointer and an int fill eight bytes.
  expect(stderr).toMatch(/^parent  grid 1, block 1\n(?:  .*\n)*?  global stores  [45] requests/m);
  expect(stderr).toMatch(/^child  grid 1, block 32\n(?:  .*\n)*?  global stores  1 request,/m);
});

test.each([WAITS, "-DTAIL"])("a fault of a child names it and its parent: %s", (define) => {
  const child = source(PARENT.replace("p[threadIdx.x] += 1", "*(int *)8 = 1"));
  const found = heddle(["run", define, "-DN=1", child]);
  expect(found.stderr).toContain("kernel child");
  expect(found.stderr).toContain("launched by kernel parent");
});

test("a summary counts launches by kernels", () => {
  const { stderr } = heddle(["run", "--summary", "-DN=16", source(PARENT)]);
  expect(stderr).toContain("2 launches");
  expect(stderr).toMatch(/child +1/);
});
