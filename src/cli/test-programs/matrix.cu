// Matrix instructions of a warp: inline PTX (ldmatrix, mma.sync) and nvcuda::wmma in every shape and type, against a plain loop.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>
#include <cstdio>
#include <type_traits>

using namespace nvcuda;
static int failures = 0;

__global__ void by_hand(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half a_tile[16 * 16], b_tile[8 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) a_tile[i] = A[i];
  for (int i = threadIdx.x; i < 128; i += 32) b_tile[i] = B[i];
  __syncwarp();
  const int lane = threadIdx.x;
  uint32_t a[4], b[2];
  float c[4] = {0, 0, 0, 0};
  const uint32_t a_row = (uint32_t)__cvta_generic_to_shared(&a_tile[lane % 16 * 16 + lane / 16 * 8]);
  const uint32_t b_row = (uint32_t)__cvta_generic_to_shared(&b_tile[lane % 8 * 16 + lane / 8 % 2 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(a_row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(b_row));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  const int g = lane / 4, t = lane % 4;
  C[g * 8 + 2 * t] = c[0];
  C[g * 8 + 2 * t + 1] = c[1];
  C[(g + 8) * 8 + 2 * t] = c[2];
  C[(g + 8) * 8 + 2 * t + 1] = c[3];
}

template <int M, int N, int K, class T, class S, class ACC, class LA, class LB>
__global__ void multiply(const S *A, const S *B, ACC *C, ACC *D) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> b;
  wmma::fragment<wmma::accumulator, M, N, K, ACC> c;
  wmma::load_matrix_sync(a, A, std::is_same<LA, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(b, B, std::is_same<LB, wmma::row_major>::value ? N : K);
  wmma::load_matrix_sync(c, C, N, wmma::mem_row_major);
  wmma::mma_sync(c, a, b, c);
  for (int i = 0; i < c.num_elements; i++) c.x[i] = c.x[i] * (ACC)2;
  wmma::store_matrix_sync(D, c, M, wmma::mem_col_major);
}

template <class S>
double number(S s) { return (double)(float)s; }
template <>
double number<double>(double s) { return s; }

template <int M, int N, int K, class T, class S, class ACC, class LA, class LB>
void run(const char *name) {
  S *A, *B;
  ACC *C, *D;
  cudaMallocManaged(&A, M * K * sizeof(S));
  cudaMallocManaged(&B, N * K * sizeof(S));
  cudaMallocManaged(&C, M * N * sizeof(ACC));
  cudaMallocManaged(&D, M * N * sizeof(ACC));
  for (int i = 0; i < M * K; i++) A[i] = (S)(float)(i * 7 % 13);
  for (int i = 0; i < K * N; i++) B[i] = (S)(float)(i * 5 % 11);
  for (int i = 0; i < M * N; i++) C[i] = (ACC)(float)(i % 9);
  multiply<M, N, K, T, S, ACC, LA, LB><<<1, 32>>>(A, B, C, D);
  const cudaError_t error = cudaDeviceSynchronize();
  const bool a_rows = std::is_same<LA, wmma::row_major>::value, b_rows = std::is_same<LB, wmma::row_major>::value;
  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = number(C[i * N + j]);
      for (int k = 0; k < K; k++) sum += number(A[a_rows ? i * K + k : k * M + i]) * number(B[b_rows ? k * N + j : j * K + k]);
      wrong += number((ACC)(float)sum * (ACC)2) != number(D[j * M + i]);
    }
  if (error != cudaSuccess || wrong) printf("%s: %s, %d wrong\n", name, cudaGetErrorString(error), wrong), failures++;
}

using R = wmma::row_major;
using L = wmma::col_major;
int main() {
  half *A, *B;
  float *C;
  cudaMallocManaged(&A, 512);
  cudaMallocManaged(&B, 256);
  cudaMallocManaged(&C, 512);
  for (int i = 0; i < 256; i++) A[i] = __float2half((float)(i * 7 % 13 - 6));
  for (int i = 0; i < 128; i++) B[i] = __float2half((float)(i * 5 % 11 - 5));
  by_hand<<<1, 32>>>(A, B, C);
  if (cudaDeviceSynchronize() != cudaSuccess) puts("by hand: a fault"), failures++;
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 8; j++) {
      float sum = 0;
      for (int k = 0; k < 16; k++) sum += __half2float(A[i * 16 + k]) * __half2float(B[j * 16 + k]);
      if (sum != C[i * 8 + j]) printf("by hand: (%d, %d)\n", i, j), failures++;
    }
  run<16, 16, 16, half, half, float, R, L>("half, float");
  run<16, 16, 16, half, half, float, L, R>("half, float, the other layouts");
  run<16, 16, 16, half, half, half, R, R>("half, half");
  run<32, 8, 16, half, half, float, R, L>("32 x 8");
  run<8, 32, 16, half, half, float, R, R>("8 x 32");
  run<8, 32, 16, half, half, float, L, L>("8 x 32, columns");
  run<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, R, L>("bfloat16");
  run<16, 16, 8, wmma::precision::tf32, float, float, R, R>("tf32");
  run<16, 16, 16, signed char, signed char, int, R, L>("int8");
  run<16, 16, 16, unsigned char, unsigned char, int, R, L>("uint8");
  run<32, 8, 16, signed char, signed char, int, L, L>("int8, 32 x 8");
  run<8, 8, 4, double, double, double, R, L>("double");
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
