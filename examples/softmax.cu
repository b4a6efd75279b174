// Softmax of a matrix's rows: three versions of one kernel. Each is checked against the CPU at several block sizes.
//
//   npx heddle run examples/softmax.cu            all versions
//   npx heddle run examples/softmax.cu 2          one version
//   nvcc -O3 examples/softmax.cu && ./a.out       the same program on a GPU
//
// Version 1: one thread for a row. Simple; neighbouring threads read addresses that are a whole row apart.
// Version 2: one block for a row, with reductions through shared memory and barriers. Neighbouring threads read
//            neighbouring floats.
// Version 3: one warp for a row, "online": maximum and sum in one pass over the input, reductions by shuffles (Milakov
//            and Gimelshein, "Online normalizer calculation for softmax", 2018).

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    cudaError_t status = (call);                                                           \
    if (status != cudaSuccess) {                                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));          \
      std::exit(EXIT_FAILURE);                                                             \
    }                                                                                      \
  } while (0)

__global__ void softmax_naive(float* out, const float* in, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = in + row * columns;
  float* y = out + row * columns;
  float largest = -FLT_MAX;
  for (int i = 0; i < columns; i++) largest = fmaxf(largest, x[i]);
  float sum = 0.0f;
  for (int i = 0; i < columns; i++) sum += y[i] = expf(x[i] - largest);
  for (int i = 0; i < columns; i++) y[i] /= sum;
}

__global__ void softmax_block(float* out, const float* in, int columns) {
  extern __shared__ float partial[];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;
  int t = threadIdx.x;

  float largest = -FLT_MAX;
  for (int i = t; i < columns; i += blockDim.x) largest = fmaxf(largest, x[i]);
  partial[t] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] = fmaxf(partial[t], partial[t + half]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = t; i < columns; i += blockDim.x) sum += y[i] = expf(x[i] - largest);
  partial[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  float scale = 1.0f / partial[0];
  for (int i = t; i < columns; i += blockDim.x) y[i] *= scale;
}

__global__ void softmax_online(float* out, const float* in, int rows, int columns) {
  int lane = threadIdx.x % 32;
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float* x = in + row * columns;

  float largest = -FLT_MAX, sum = 0.0f;
  for (int i = lane; i < columns; i += 32) {
    float bigger = fmaxf(largest, x[i]);
    sum = sum * expf(largest - bigger) + expf(x[i] - bigger);
    largest = bigger;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    float other_largest = __shfl_xor_sync(0xffffffff, largest, distance);
    float other_sum = __shfl_xor_sync(0xffffffff, sum, distance);
    float bigger = fmaxf(largest, other_largest);
    sum = sum * expf(largest - bigger) + other_sum * expf(other_largest - bigger);
    largest = bigger;
  }
  for (int i = lane; i < columns; i += 32) out[row * columns + i] = expf(x[i] - largest) / sum;
}

static void softmax_cpu(float* out, const float* in, int rows, int columns) {
  for (int row = 0; row < rows; row++) {
    const float* x = in + row * columns;
    double largest = -INFINITY, sum = 0.0;
    for (int i = 0; i < columns; i++) largest = std::fmax(largest, x[i]);
    for (int i = 0; i < columns; i++) sum += std::exp(x[i] - largest);
    for (int i = 0; i < columns; i++) out[row * columns + i] = (float)(std::exp(x[i] - largest) / sum);
  }
}

static void launch(int version, int block, float* out, const float* in, int rows, int columns) {
  switch (version) {
    case 1: softmax_naive<<<(rows + block - 1) / block, block>>>(out, in, rows, columns); break;
    case 2: softmax_block<<<rows, block, block * sizeof(float)>>>(out, in, columns); break;
    case 3: softmax_online<<<(rows * 32 + block - 1) / block, block>>>(out, in, rows, columns); break;
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  const int rows = 512, columns = 1000;
  const size_t count = (size_t)rows * columns;
  int only = argc > 1 ? std::atoi(argv[1]) : 0;

  std::vector<float> input(count), expected(count), result(count);
  std::srand(1);
  for (float& x : input) x = 8.0f * std::rand() / (float)RAND_MAX - 4.0f;
  softmax_cpu(expected.data(), input.data(), rows, columns);

  float *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, count * sizeof(float)));
  CHECK(cudaMalloc(&d_out, count * sizeof(float)));
  CHECK(cudaMemcpy(d_in, input.data(), count * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  const char* names[] = {"", "naive: a thread a row", "shared memory: a block a row", "online: a warp a row"};
  std::printf("softmax of %d rows of %d floats\n\n", rows, columns);
  std::printf("version                          block   time ms     GB/s   largest error\n");
  bool all_right = true;
  for (int version = 1; version <= 3; version++) {
    if (only && version != only) continue;
    for (int block = 32; block <= 512; block *= 4) {
      CHECK(cudaMemset(d_out, 0, count * sizeof(float)));
      launch(version, block, d_out, d_in, rows, columns);
      CHECK(cudaMemcpy(result.data(), d_out, count * sizeof(float), cudaMemcpyDeviceToHost));
      float error = 0.0f;
      for (size_t i = 0; i < count; i++) error = std::fmax(error, std::fabs(result[i] - expected[i]));
      bool right = error <= 1e-6f;
      all_right = all_right && right;

      CHECK(cudaMemset(d_out, 0, count * sizeof(float)));
      CHECK(cudaEventRecord(start));
      launch(version, block, d_out, d_in, rows, columns);
      CHECK(cudaEventRecord(stop));
      CHECK(cudaEventSynchronize(stop));
      float ms = 0.0f;
      CHECK(cudaEventElapsedTime(&ms, start, stop));
      std::printf("%d %-30s %5d %9.3f %8.2f   %.1e %s\n", version, names[version], block, ms,
                  2.0 * count * sizeof(float) / ms / 1e6, error, right ? "ok" : "WRONG");
    }
  }
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  std::printf(all_right ? "\nall versions agree with the CPU\n" : "\nsome versions are wrong\n");
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
