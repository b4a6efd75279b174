// Calls of libraries that streams capture: two graphs through one handle run beside one another, and each graph runs
// several times. "shared": both use work memory that the program gives them, which is wrong.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <cstdio>
#include <cstring>
#include <vector>

static void ok(int status, const char *call, int line) {
  if (status == 0) return;
  printf("%s: %d in line %d\n", call, status, line);
  exit(1);
}
#define OK(CALL) ok((int)(CALL), #CALL, __LINE__)

static const int N = 40;
template <class T> static T *device(const std::vector<T> &values) {
  T *memory;
  OK(cudaMalloc(&memory, values.size() * sizeof(T)));
  OK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}
template <class T> static std::vector<T> host(const T *memory, size_t count) {
  std::vector<T> values(count);
  OK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}
template <class T> static std::vector<T> numbers(int count, int seed) {
  std::vector<T> values;
  for (int i = 0; i < count; i++) values.push_back(T(float((i * 7 + seed * 3) % 11 - 5)));
  return values;
}

/// Two graphs of `record(which, stream)`, launched twice, on streams that do not wait for one another.
template <class Record, class Before = void (*)()>
static void two_graphs(Record record, Before before_launches = [] {}) {
  cudaStream_t streams[2];
  cudaGraphExec_t execs[2];
  for (int i = 0; i < 2; i++) {
    cudaGraph_t graph;
    OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(streams[i], cudaStreamCaptureModeGlobal));
    record(i, streams[i]);
    OK(cudaStreamEndCapture(streams[i], &graph));
    OK(cudaGraphInstantiate(&execs[i], graph, 0));
    OK(cudaGraphDestroy(graph));
  }
  before_launches();
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 2; i++) OK(cudaGraphLaunch(execs[i], streams[i]));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; i++) {
    OK(cudaGraphExecDestroy(execs[i]));
    OK(cudaStreamDestroy(streams[i]));
  }
}

static void products(bool isShared) {
  cublasHandle_t h;
  float *a[2], *b, *c[2], *work, *factors = device<float>({2, 1});
  const size_t WORK_BYTES = 1 << 20;
  OK(cublasCreate(&h));
  OK(cudaMalloc(&work, WORK_BYTES));
  b = device(numbers<float>(N * N, 2));
  for (int i = 0; i < 2; i++) a[i] = device(numbers<float>(N * N, i)), c[i] = device(numbers<float>(N * N, 5));
  two_graphs([&](int i, cudaStream_t stream) {
    OK(cublasSetStream(h, stream));
    if (isShared) OK(cublasSetWorkspace(h, work, WORK_BYTES));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_N, N, N, N, factors, a[i], N, b, N, factors + 1, c[i], N));
  });
  for (int i = 0; i < 2 && !isShared; i++) {
    auto x = numbers<float>(N * N, i), y = numbers<float>(N * N, 2), z = numbers<float>(N * N, 5), is = host(c[i], N * N);
    for (int row = 0; row < N; row++)
      for (int column = 0; column < N; column++) {
        float sum = 0;
        for (int k = 0; k < N; k++) sum += x[row * N + k] * y[column * N + k];
        if (is[column * N + row] != z[column * N + row] + 4 * sum) printf("product %d wrong\n", i), exit(1);
      }
  }
  OK(cublasDestroy(h));
  for (int i = 0; i < 2; i++) cudaFree(a[i]), cudaFree(c[i]);
  cudaFree(b), cudaFree(work), cudaFree(factors);
}

/// What copies its input or its factors first. The graphs run after the handle is gone.
static void copies() {
  cublasHandle_t h;
  OK(cublasCreate(&h));
  std::vector<float> triangle(N * N, 0.0f);
  for (int i = 0; i < N; i++) triangle[i * N + i] = 2;
  float *a = device(triangle), *x[2];
  __half *p = device(numbers<__half>(16, 1)), *q[2], *factors = device<__half>({__half(0.0f), __half(0.0f)});
  for (int i = 0; i < 2; i++) x[i] = device(numbers<float>(N * N, i)), q[i] = device(numbers<__half>(16, 2 + i));
  two_graphs([&](int i, cudaStream_t stream) {
    const float one = 1;
    OK(cublasSetStream(h, stream));
    OK(cublasStrmv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, a, N, x[i], 1));
    OK(cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, N, N - 1, &one, a, N,
                   x[i] + N, N, x[i] + N, N));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    OK(cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, factors, p, 4, p, 4, factors + 1, q[i], 4));
    OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  }, [&] {
    // Graphs do not need the handle, and read the factors when they run.
    const __half values[] = {__half(1.0f), __half(2.0f)};
    OK(cublasDestroy(h));
    OK(cudaMemcpy(factors, values, sizeof values, cudaMemcpyHostToDevice));
  });
  for (int i = 0; i < 2; i++) {
    auto before = numbers<float>(N * N, i), is = host(x[i], N * N);
    for (int k = 0; k < N * N; k++)
      if (is[k] != 4 * before[k]) printf("copy %d wrong at %d: %g of %g\n", i, k, is[k], before[k]), exit(1);
  }
  auto P = numbers<__half>(16, 1);
  for (int i = 0; i < 2; i++) {
    auto before = numbers<__half>(16, 2 + i), is = host(q[i], 16);
    for (int k = 0; k < 16; k++) {
      float sum = 0;
      for (int l = 0; l < 4; l++) sum += float(P[l * 4 + k % 4]) * float(P[k / 4 * 4 + l]);
      if (float(is[k]) != 3 * sum + 4 * float(before[k])) printf("half %d wrong\n", i), exit(1);
    }
  }
  for (int i = 0; i < 2; i++) cudaFree(x[i]), cudaFree(q[i]);
  cudaFree(a), cudaFree(p), cudaFree(factors);
}

static void sparse() {
  cusparseHandle_t h;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t in, out[2];
  OK(cusparseCreate(&h));
  std::vector<int> starts, columns;
  for (int i = 0; i <= N; i++) starts.push_back(i);
  for (int i = 0; i < N; i++) columns.push_back(N - 1 - i);
  int *s = device(starts), *c = device(columns);
  float *v = device(std::vector<float>(N, 2)), *x = device(numbers<float>(N, 1)), *y[2];
  OK(cusparseCreateCsr(&matrix, N, N, N, s, c, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                       CUDA_R_32F));
  OK(cusparseCreateDnVec(&in, N, x, CUDA_R_32F));
  for (int i = 0; i < 2; i++) y[i] = device(numbers<float>(N, 3)), OK(cusparseCreateDnVec(&out[i], N, y[i], CUDA_R_32F));
  const float one = 1, zero = 0;
  auto T = CUSPARSE_OPERATION_TRANSPOSE;
  char *work[2];
  for (int i = 0; i < 2; i++) {
    size_t bytes;
    OK(cusparseSpMV_bufferSize(h, T, &one, matrix, in, &zero, out[i], CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    OK(cudaMalloc(&work[i], bytes + 1));
  }
  two_graphs([&](int i, cudaStream_t stream) {
    OK(cusparseSetStream(h, stream));
    OK(cusparseSpMV(h, T, &one, matrix, in, &zero, out[i], CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, work[i]));
  });
  for (int i = 0; i < 2; i++) {
    auto from = numbers<float>(N, 1), is = host(y[i], N);
    for (int k = 0; k < N; k++) if (is[N - 1 - k] != 2 * from[k]) printf("sparse %d wrong\n", i), exit(1);
    OK(cusparseDestroyDnVec(out[i]));
    cudaFree(y[i]), cudaFree(work[i]);
  }
  OK(cusparseDestroySpMat(matrix)), OK(cusparseDestroyDnVec(in)), OK(cusparseDestroy(h));
  cudaFree(s), cudaFree(c), cudaFree(v), cudaFree(x);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "shared") == 0) return products(true), 0;
  products(false);
  copies();
  sparse();
  printf("PASSED\n");
}
