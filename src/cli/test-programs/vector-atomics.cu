// Two and four floats by one atomicAdd: results, old values, addresses of all kinds.
#include <cstdio>
#include <cuda_runtime.h>

const int ROWS = 7, N = 4096;

__global__ void scatter(float4 *four, float2 *two, const float4 *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = in[i];
  atomicAdd(&four[i % ROWS], v);
  atomicAdd(&two[i % ROWS], make_float2(v.x, v.w));
}
__global__ void inShared(float4 *out) {
  __shared__ float4 sum;
  if (threadIdx.x == 0) sum = make_float4(0, 0, 0, 0);
  __syncthreads();
  atomicAdd(&sum, make_float4(1, 2, 3, threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
__global__ void oldValues(float4 *sum, float4 *old) { old[threadIdx.x] = atomicAdd(sum, make_float4(1, 1, 1, 1)); }
__global__ void ofEither(float4 *global, bool isShared, float4 *out) {
  __shared__ float4 own;
  own = make_float4(5, 6, 7, 8);
  float4 *p = isShared ? &own : global;
  float4 old = atomicAdd(p, make_float4(1, 1, 1, 1));
  *out = make_float4(old.x, old.y, p->z, p->w);
}

int main() {
  float4 *in, *four, *out;
  float2 *two;
  cudaMallocManaged(&in, N * sizeof *in);
  cudaMallocManaged(&four, ROWS * sizeof *four);
  cudaMallocManaged(&two, ROWS * sizeof *two);
  cudaMallocManaged(&out, 64 * sizeof *out);
  double expected[ROWS][4] = {};
  for (int i = 0; i < N; i++) {
    in[i] = make_float4(i % 5, i % 3, i % 11, 1);
    const float parts[] = {in[i].x, in[i].y, in[i].z, in[i].w};
    for (int k = 0; k < 4; k++) expected[i % ROWS][k] += parts[k];
  }
  for (int r = 0; r < ROWS; r++) four[r] = make_float4(0, 0, 0, 0), two[r] = make_float2(0, 0);
  scatter<<<N / 128, 128>>>(four, two, in);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int r = 0; r < ROWS; r++) {
    const double *e = expected[r];
    wrong += four[r].x != e[0] || four[r].y != e[1] || four[r].z != e[2] || four[r].w != e[3];
    wrong += two[r].x != e[0] || two[r].y != e[3];
  }
  printf("wrong rows: %d\n", wrong);

  inShared<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("shared: %g %g %g %g\n", out->x, out->y, out->z, out->w);

  four[0] = make_float4(0, 10, 20, 30);
  oldValues<<<1, 32>>>(four, out);
  cudaDeviceSynchronize();
  unsigned seen[4] = {};
  for (int i = 0; i < 32; i++) {
    seen[0] |= 1u << (int)out[i].x, seen[1] |= 1u << ((int)out[i].y - 10);
    seen[2] |= 1u << ((int)out[i].z - 20), seen[3] |= 1u << ((int)out[i].w - 30);
  }
  printf("old values: %x %x %x %x\n", seen[0], seen[1], seen[2], seen[3]);

  for (int shared = 0; shared < 2; shared++) {
    four[0] = make_float4(1, 2, 3, 4);
    ofEither<<<1, 1>>>(four, shared, out);
    cudaDeviceSynchronize();
    printf("%s: %g %g %g %g\n", shared ? "shared" : "global", out->x, out->y, out->z, out->w);
  }
}
