/** A bare page in headless Chromium compiles and runs a CUDA program with its main(). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM, startBrowser, type TestBrowser } from "./chromium.test-helper.ts";
import { runOnPage } from "./run-on-page.test-helper.ts";

const PROGRAM = `
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#include "scale.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  if (i == 0) printf("hello from thread %d of %d\\n", i, n);
}
__global__ void total(const float* y, int n, float* sum) {
  __shared__ float part[256];
  float own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += y[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = part[0];
}

int main(int argc, char** argv) {
  const int n = 100000;
  std::vector<float> x(n, 2.0f), y(n, 1.0f);
  float *dx, *dy, *dsum, sum;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMalloc(&dsum, sizeof(float));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, SCALE, dx, dy);
  total<<<1, 256>>>(dy, n, dsum);
  cudaMemcpy(&sum, dsum, sizeof(float), cudaMemcpyDeviceToHost);
  std::string line;
  std::getline(std::ifstream("data.txt"), line);
  std::printf("%s: sum %.0f, %s, file says %s\\n", argv[1], sum, cudaGetErrorString(cudaGetLastError()), line.c_str());
  return 3;
}
`;

describe.skipIf(CHROMIUM === undefined)("programs in a browser", () => {
  let chromium: TestBrowser;
  beforeAll(async () => {
    chromium = await startBrowser();
  });
  afterAll(() => chromium?.close());

  const printed = "hello from thread 0 of 100000\nbrowser: sum 700000, no error, file says forty-two\n";

  it("shows a program's output on a cross-origin isolated page, with blocks on several threads", async () => {
    expect(await runOnPage(chromium, true, PROGRAM)).toEqual({
      exitCode: 3,
      launches: 2,
      parallel: true,
      page: printed,
    });
  });
});
