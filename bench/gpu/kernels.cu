// Kernels whose code a compiler can get wrong by a factor: divisions in index arithmetic, reductions of minima and
// maxima, a fused step of a 4-bit optimiser, vector atomics, point in polygon. See programs.mjs.
#include "timing.h"
#include <cfloat>
#include <cstdint>

template <typename T>
__global__ void permute(const float *__restrict__ in, float *__restrict__ out, T n, T C, T H, T W) {
  T i = (T)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T w = i % W, h = (i / W) % H, c = (i / (W * H)) % C, b = i / (W * H * C);
  out[((b * W + w) * H + h) * C + c] = in[i];
}

template <typename T>
__global__ void byConstants(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T x = in[i], sum = 0;
#pragma unroll 1
  for (int k = 0; k < 64; k++) {
    sum += x / 10 + x % 7 + x / 1000 + x % 641;
    x = x / 3 + 12345 * k + sum;
  }
  out[i] = sum;
}

__global__ void shuffleChannels(const float *in, float *out, int C, int G) {
  extern __shared__ float row[];
  int K = C / G;
  for (int i = threadIdx.x; i < C; i += blockDim.x) row[i] = in[(size_t)blockIdx.x * C + i];
  __syncthreads();
  for (int i = threadIdx.x; i < C; i += blockDim.x) out[(size_t)blockIdx.x * C + i] = row[(i % G) * K + i / G];
}

// One block for a row: the scale and zero point of an 8-bit quantisation, then the quantised row.
__global__ void quantizeRows(const float *x, int8_t *q, float *scales, int *zeros, int n) {
  const float *row = x + (size_t)blockIdx.x * n;
  float low = FLT_MAX, high = -FLT_MAX;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    low = fminf(low, row[i]);
    high = fmaxf(high, row[i]);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    low = fminf(low, __shfl_xor_sync(0xffffffffu, low, distance));
    high = fmaxf(high, __shfl_xor_sync(0xffffffffu, high, distance));
  }
  __shared__ float lows[32], highs[32];
  if (threadIdx.x % 32 == 0) lows[threadIdx.x / 32] = low, highs[threadIdx.x / 32] = high;
  __syncthreads();
  for (int i = 0; i < blockDim.x / 32; i++) {
    low = fminf(low, lows[i]);
    high = fmaxf(high, highs[i]);
  }
  const float scale = (high - low) / 255.0f;
  const int zero = (int)rintf(-128.0f - low / scale);
  if (threadIdx.x == 0) scales[blockIdx.x] = scale, zeros[blockIdx.x] = zero;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int value = (int)rintf(row[i] / scale) + zero;
    q[(size_t)blockIdx.x * n + i] = (int8_t)min(127, max(-128, value));
  }
}

__constant__ float codes[16];
__device__ __forceinline__ int nearestCode(float x) {
  int low = 0, high = 15;
  while (low < high) {
    int middle = (low + high) / 2;
    if (codes[middle] < x) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && x - codes[low - 1] < codes[low] - x) low--;
  return low;
}
// A step of momentum whose state has four bits an element and one scale a block.
__global__ void step4(float *p, const float *g, uint8_t *state, float *scales, float rate, float beta, float epsilon,
                      int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  __shared__ float maxima[32];
  float m[2] = {0, 0}, largest = 0;
  if (i < n) {
    uint8_t byte = state[i / 2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
      m[k] = beta * codes[k ? byte & 15 : byte >> 4] * scales[blockIdx.x] + (1 - beta) * g[i + k];
      p[i + k] -= rate * m[k] / (sqrtf(m[k] * m[k]) + epsilon);
      largest = fmaxf(largest, fabsf(m[k]));
    }
  }
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_down_sync(0xffffffffu, largest, distance));
  if (threadIdx.x % 32 == 0) maxima[threadIdx.x / 32] = largest;
  __syncthreads();
  largest = maxima[0];
  for (int w = 1; w < blockDim.x / 32; w++) largest = fmaxf(largest, maxima[w]);
  if (i < n) state[i / 2] = (uint8_t)(nearestCode(m[0] / largest) << 4 | nearestCode(m[1] / largest));
  if (threadIdx.x == 0) scales[blockIdx.x] = largest;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 || defined(__clang__)
template <typename V>
__global__ void addToRows(const V *in, const int *rows, V *out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[rows[i / width] * width + i % width], in[i]);
}
#else
template <typename V>
__global__ void addToRows(const V *, const int *, V *, int, int) {}
#endif

template <int POINTS>
__global__ void inPolygon(const float2 *points, const float2 *corners, int *inside, int n, int count) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * POINTS;
  if (first >= n) return;
  float2 p[POINTS];
  int in[POINTS];
#pragma unroll
  for (int k = 0; k < POINTS; k++) p[k] = points[min(first + k, n - 1)], in[k] = 0;
  for (int j = 0, k = count - 1; j < count; k = j++) {
    float2 a = corners[j], b = corners[k];
    float slope = (b.x - a.x) / (b.y - a.y);
#pragma unroll
    for (int t = 0; t < POINTS; t++)
      if ((a.y > p[t].y) != (b.y > p[t].y) && p[t].x < slope * (p[t].y - a.y) + a.x) in[t] = !in[t];
  }
#pragma unroll
  for (int k = 0; k < POINTS; k++)
    if (first + k < n) inside[first + k] = in[k];
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? 1 << atoi(argv[1]) : 1 << 24;
  float *a, *b, *scales;
  int *rows, *zeros;
  uint8_t *bytes;
  CHECK(cudaMalloc(&a, n * 4));
  CHECK(cudaMalloc(&b, n * 4));
  CHECK(cudaMalloc(&scales, n / 64 * 4));
  CHECK(cudaMalloc(&zeros, n / 64 * 4));
  CHECK(cudaMalloc(&rows, n / 64 * 4));
  CHECK(cudaMalloc(&bytes, n));
  std::vector<float> values(n);
  std::vector<int> places(n / 64);
  unsigned state = 1;
  for (int i = 0; i < n; i++) values[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 23) - 1;
  for (int i = 0; i < n / 64; i++) places[i] = (state = state * 1664525u + 1013904223u) >> 24;
  auto reset = [&] {
    CHECK(cudaMemcpy(a, values.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, values.data(), n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(rows, places.data(), n / 64 * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(scales, 0, n / 64 * 4));
    CHECK(cudaMemset(bytes, 0x37, n));
  };
  float map[16];
  for (int i = 0; i < 16; i++) map[i] = (i - 7) / 8.0f;
  CHECK(cudaMemcpyToSymbol(codes, map, sizeof map));

  reset();
  for (int threads : {32, 64, 128, 256, 1024}) {
    char name[64];
    int blocks = n / threads;
    snprintf(name, sizeof name, "permute-int/%d", threads);
    timeOnGpu(name, [&] { permute<int><<<blocks, threads>>>(a, b, n, 24, 50, n / 24 / 50 / 3); });
    snprintf(name, sizeof name, "permute-unsigned/%d", threads);
    timeOnGpu(name, [&] { permute<unsigned><<<blocks, threads>>>(a, b, n, 24, 50, n / 24 / 50 / 3); });
    snprintf(name, sizeof name, "permute-long-long/%d", threads);
    timeOnGpu(name, [&] { permute<long long><<<blocks, threads>>>(a, b, n, 24, 50, n / 24 / 50 / 3); });
  }
  timeOnGpu("by-constants-int", [&] { byConstants<int><<<n / 256, 256>>>((int *)a, (int *)b, n); }, 3);
  timeOnGpu("by-constants-unsigned", [&] { byConstants<unsigned><<<n / 256, 256>>>((unsigned *)a, (unsigned *)b, n); },
            3);
  timeOnGpu("by-constants-long-long",
            [&] { byConstants<long long><<<n / 512, 256>>>((long long *)a, (long long *)b, n / 2); }, 3);
  for (int width : {128, 512, 2048})
    for (int threads : {32, 64, 256}) {
      char name[64];
      snprintf(name, sizeof name, "shuffle-channels/%d/%d", width, threads);
      timeOnGpu(name, [&] { shuffleChannels<<<n / width, threads, width * 4>>>(a, b, width, 8); });
    }
  reset();
  for (int width : {512, 4096})
    for (int threads : {128, 512}) {
      char name[64];
      snprintf(name, sizeof name, "quantize-rows/%d/%d", width, threads);
      timeOnGpu(name, [&] { quantizeRows<<<n / width, threads>>>(a, (int8_t *)bytes, scales, zeros, width); });
    }
  for (int threads : {64, 256}) {
    char name[64];
    snprintf(name, sizeof name, "step-4-bit/%d", threads);
    timeOnGpu(name, [&] { step4<<<n / 2 / threads, threads>>>(a, b, bytes, scales, 1e-3f, 0.9f, 1e-8f, n); });
  }
  reset();
  timeOnGpu("add-to-rows-float2",
            [&] { addToRows<float2><<<n / 512, 256>>>((float2 *)a, rows, (float2 *)b, n / 2, 32); });
  timeOnGpu("add-to-rows-float4",
            [&] { addToRows<float4><<<n / 1024, 256>>>((float4 *)a, rows, (float4 *)b, n / 4, 16); });
  timeOnGpu("add-to-rows-float", [&] { addToRows<float><<<n / 256, 256>>>(a, rows, b, n, 64); });
  reset();
  timeOnGpu("in-polygon-1", [&] { inPolygon<1><<<n / 512, 256>>>((float2 *)a, (float2 *)b, (int *)bytes, n / 4, 600); },
            2);
  timeOnGpu("in-polygon-4",
            [&] { inPolygon<4><<<n / 2048, 256>>>((float2 *)a, (float2 *)b, (int *)bytes, n / 4, 600); }, 2);
  CHECK(cudaDeviceSynchronize());
}
