// Random descriptors of cuSPARSE, a line each (sparse-descriptors.test-helper.ts makes them); prints the status and the
// results, or the status and which call refused. Elements are quarters, so that sums are exact in any order.
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef int64_t i64;
struct Case {
  char op[16];
  int format, type, is64, base, opA, opB, orderB, orderC, rows, cols, n, density, seed, block, fill, unit;
};
static uint32_t hash(uint32_t seed, uint32_t at) {
  uint32_t x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
/// Quarters from -2 to 1.75.
static double number(uint32_t seed, uint32_t at) { return ((int)(hash(seed, at) & 15) - 8) / 4.0; }

template <class T> struct Make { static T of(double re, double) { return (T)re; } static void print(T v) { printf(" %.7g", (double)v); } };
template <> struct Make<__half> {
  static __half of(double re, double) { return __float2half((float)re); }
  static void print(__half v) { printf(" %.7g", (double)__half2float(v)); }
};
template <> struct Make<cuComplex> {
  static cuComplex of(double re, double im) { return make_cuComplex((float)re, (float)im); }
  static void print(cuComplex v) { printf(" %.7g %.7g", v.x, v.y); }
};
template <> struct Make<cuDoubleComplex> {
  static cuDoubleComplex of(double re, double im) { return make_cuDoubleComplex(re, im); }
  static void print(cuDoubleComplex v) { printf(" %.7g %.7g", v.x, v.y); }
};
template <class T> T element(uint32_t seed, uint32_t at) { return Make<T>::of(number(seed, at), number(seed + 77, at)); }

template <class T> T *device(const std::vector<T> &values) {
  T *memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T) + 16);
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <class T> std::vector<T> host(const T *memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}
template <class T> void print(const T *memory, size_t count) {
  for (T value : host(memory, count)) Make<T>::print(value);
}

static cusparseHandle_t handle;
static bool isThere(const Case &c, int i, int j) { return (int)(hash(c.seed + 5, i * 1000 + j) % 100) < c.density; }

/// A sparse matrix of rows x cols; blocks of BSR and BLOCKED_ELL are full where one entry is there.
template <class T, class I> struct Sparse {
  cusparseSpMatDescr_t mat = nullptr;
  std::vector<I> offsets, indices;
  std::vector<T> values;
  I *dOffsets = nullptr, *dIndices = nullptr;
  T *dValues = nullptr;

  T at(const Case &c, int i, int j, bool isTriangle) {
    if (isTriangle && i == j) return Make<T>::of(hash(c.seed, i) % 2 ? 1.0 : -2.0, 0);
    return element<T>(c.seed, i * 1000 + j);
  }
  cusparseStatus_t make(const Case &c, cudaDataType type, bool isTriangle) {
    int rows = c.rows, cols = c.cols, b = c.block;
    cusparseIndexType_t index = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexBase_t base = (cusparseIndexBase_t)c.base;
    auto there = [&](int i, int j) { return isThere(c, i, j) || (isTriangle && i == j); };
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    i64 nnz = 0;
    if (c.format == CUSPARSE_FORMAT_CSR || c.format == CUSPARSE_FORMAT_CSC || c.format == CUSPARSE_FORMAT_COO) {
      bool byColumns = c.format == CUSPARSE_FORMAT_CSC;
      std::vector<I> majors;
      for (int major = 0; major < (byColumns ? cols : rows); major++) {
        offsets.push_back((I)(values.size() + c.base));
        for (int minor = 0; minor < (byColumns ? rows : cols); minor++) {
          int i = byColumns ? minor : major, j = byColumns ? major : minor;
          if (!there(i, j)) continue;
          majors.push_back((I)(major + c.base));
          indices.push_back((I)(minor + c.base));
          values.push_back(at(c, i, j, isTriangle));
        }
      }
      offsets.push_back((I)(values.size() + c.base));
      nnz = (i64)values.size();
      if (c.format == CUSPARSE_FORMAT_COO) offsets = majors;
    } else if (c.format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
      for (int slice = 0; slice * b < rows; slice++) {
        offsets.push_back((I)(values.size() + c.base));
        std::vector<std::vector<int>> lists(b);
        size_t width = 0;
        for (int i = 0; i < b && slice * b + i < rows; i++)
          for (int j = 0; j < cols; j++)
            if (there(slice * b + i, j)) { lists[i].push_back(j); nnz++; if (lists[i].size() > width) width = lists[i].size(); }
        for (size_t k = 0; k < width; k++)
          for (int i = 0; i < b; i++) {
            bool isFull = k < lists[i].size();
            indices.push_back(isFull ? (I)(lists[i][k] + c.base) : (I)-1);
            values.push_back(isFull ? at(c, slice * b + i, lists[i][k], isTriangle) : Make<T>::of(0, 0));
          }
      }
      offsets.push_back((I)(values.size() + c.base));
    } else {
      int blockRows = rows / b, blockCols = cols / b, width = 0;
      std::vector<std::vector<int>> lists(blockRows);
      for (int i = 0; i < blockRows; i++) {
        for (int j = 0; j < blockCols; j++) if (isThere(c, i, j)) lists[i].push_back(j);
        if ((int)lists[i].size() > width) width = (int)lists[i].size();
      }
      bool isEll = c.format == CUSPARSE_FORMAT_BLOCKED_ELL;
      if (isEll) {
        values.assign((size_t)rows * width * b, Make<T>::of(0, 0));
        for (int i = 0; i < blockRows; i++)
          for (int k = 0; k < width; k++) {
            bool isFull = k < (int)lists[i].size();
            indices.push_back(isFull ? (I)(lists[i][k] + c.base) : (I)-1);
            for (int p = 0; p < b && isFull; p++)
              for (int q = 0; q < b; q++)
                values[(size_t)(i * b + p) * width * b + k * b + q] = element<T>(c.seed, (i * b + p) * 1000 + lists[i][k] * b + q);
          }
        dIndices = device(indices);
        dValues = device(values);
        return cusparseCreateBlockedEll(&mat, rows, cols, b, (i64)width * b, dIndices, dValues, index, base, type);
      }
      for (int i = 0; i < blockRows; i++) {
        offsets.push_back((I)(indices.size() + c.base));
        for (int j : lists[i]) {
          indices.push_back((I)(j + c.base));
          for (int p = 0; p < b; p++)
            for (int q = 0; q < b; q++) {
              int r = c.orderB == 1 ? q : p, s = c.orderB == 1 ? p : q; // the order inside of a block
              values.push_back(element<T>(c.seed, (i * b + r) * 1000 + j * b + s));
            }
        }
      }
      offsets.push_back((I)(indices.size() + c.base));
      dOffsets = device(offsets);
      dIndices = device(indices);
      dValues = device(values);
      return cusparseCreateBsr(&mat, blockRows, blockCols, (i64)indices.size(), b, b, dOffsets, dIndices, dValues, index,
                               index, base, type, (cusparseOrder_t)c.orderB);
    }
    dOffsets = device(offsets);
    dIndices = device(indices);
    dValues = device(values);
    switch (c.format) {
      case CUSPARSE_FORMAT_CSR:
        return cusparseCreateCsr(&mat, rows, cols, nnz, dOffsets, dIndices, dValues, index, index, base, type);
      case CUSPARSE_FORMAT_CSC:
        return cusparseCreateCsc(&mat, rows, cols, nnz, dOffsets, dIndices, dValues, index, index, base, type);
      case CUSPARSE_FORMAT_COO:
        return cusparseCreateCoo(&mat, rows, cols, nnz, dOffsets, dIndices, dValues, index, base, type);
      default:
        return cusparseCreateSlicedEll(&mat, rows, cols, nnz, (i64)values.size(), b, dOffsets, dIndices, dValues, index,
                                       index, base, type);
    }
  }
  ~Sparse() {
    if (mat) cusparseDestroySpMat(mat);
    cudaFree(dOffsets);
    cudaFree(dIndices);
    cudaFree(dValues);
  }
};
template <class T> std::vector<T> numbers(int seed, size_t count) {
  std::vector<T> made(count);
  for (size_t i = 0; i < count; i++) made[i] = element<T>(seed, (uint32_t)i);
  return made;
}
struct Buffer {
  void *memory = nullptr;
  void *of(size_t bytes) { cudaFree(memory); cudaMalloc(&memory, bytes + 16); return memory; }
  ~Buffer() { cudaFree(memory); }
};

#define STEP(CALL)                                                                                      \
  step++;                                                                                               \
  if ((status = (CALL)) != CUSPARSE_STATUS_SUCCESS) { printf("%d:%d", (int)status, step); return; }

template <class A, class X, class Y, class C, class I>
void run(const Case &c, cudaDataType tA, cudaDataType tX, cudaDataType tY, cudaDataType tC) {
  cusparseStatus_t status;
  int step = 0;
  Buffer buffer, buffer2, buffer3, buffer4;
  size_t bytes = 0, bytes2 = 0, bytes3 = 0, bytes4 = 0;
  C alpha = Make<C>::of(1 + c.seed % 2, 0), beta = Make<C>::of(c.seed % 3 == 0 ? 0 : -1, 0);
  auto opA = (cusparseOperation_t)c.opA, opB = (cusparseOperation_t)c.opB;
  bool isTriangle = !strcmp(c.op, "spsv") || !strcmp(c.op, "spsm");
  Sparse<A, I> a;
  STEP(a.make(c, tA, isTriangle));
  if (isTriangle) {
    cusparseFillMode_t fill = (cusparseFillMode_t)c.fill;
    cusparseDiagType_t diag = (cusparseDiagType_t)c.unit;
    STEP(cusparseSpMatSetAttribute(a.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    STEP(cusparseSpMatSetAttribute(a.mat, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
  }
  int rows = c.opA ? c.cols : c.rows, depth = c.opA ? c.rows : c.cols;
  if (!strcmp(c.op, "spmv") || !strcmp(c.op, "spsv")) {
    X *x = device(numbers<X>(c.seed + 1, depth));
    Y *y = device(numbers<Y>(c.seed + 2, rows));
    cusparseDnVecDescr_t vx, vy;
    cusparseCreateDnVec(&vx, depth, x, tX);
    cusparseCreateDnVec(&vy, rows, y, tY);
    if (!isTriangle) {
      STEP(cusparseSpMV_bufferSize(handle, opA, &alpha, a.mat, vx, &beta, vy, tC, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
      STEP(cusparseSpMV(handle, opA, &alpha, a.mat, vx, &beta, vy, tC, CUSPARSE_SPMV_ALG_DEFAULT, buffer.of(bytes)));
    } else {
      cusparseSpSVDescr_t d;
      cusparseSpSV_createDescr(&d);
      STEP(cusparseSpSV_bufferSize(handle, opA, &alpha, a.mat, vx, vy, tC, CUSPARSE_SPSV_ALG_DEFAULT, d, &bytes));
      STEP(cusparseSpSV_analysis(handle, opA, &alpha, a.mat, vx, vy, tC, CUSPARSE_SPSV_ALG_DEFAULT, d, buffer.of(bytes)));
      STEP(cusparseSpSV_solve(handle, opA, &alpha, a.mat, vx, vy, tC, CUSPARSE_SPSV_ALG_DEFAULT, d));
      cusparseSpSV_destroyDescr(d);
    }
    printf("0");
    print(y, rows);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
    cudaFree(x);
    cudaFree(y);
    return;
  }
  if (!strcmp(c.op, "spmm") || !strcmp(c.op, "spsm")) {
    int bRows = c.opB ? c.n : depth, bCols = c.opB ? depth : c.n;
    int order = c.format == CUSPARSE_FORMAT_BSR ? c.orderC : c.orderB;
    // NVIDIA's product with blocked ELL may store whole vectors of 4 numbers, also behind a row of C.
    bool isPadded = c.format != CUSPARSE_FORMAT_BLOCKED_ELL || c.orderC == 1 || c.n % 4 == 0;
    int ldb = (order == 1 ? bRows : bCols) + c.seed % 3, ldc = (c.orderC == 1 ? rows : c.n) + (isPadded ? c.seed % 2 : 0);
    size_t sizeB = (size_t)ldb * (order == 1 ? bCols : bRows), sizeC = (size_t)ldc * (c.orderC == 1 ? c.n : rows);
    X *b = device(numbers<X>(c.seed + 1, sizeB));
    Y *y = device(numbers<Y>(c.seed + 2, sizeC));
    cusparseDnMatDescr_t mb, mc;
    STEP(cusparseCreateDnMat(&mb, bRows, bCols, ldb, b, tX, (cusparseOrder_t)order));
    STEP(cusparseCreateDnMat(&mc, rows, c.n, ldc, y, tY, (cusparseOrder_t)c.orderC));
    if (!isTriangle) {
      STEP(cusparseSpMM_bufferSize(handle, opA, opB, &alpha, a.mat, mb, &beta, mc, tC, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
      STEP(cusparseSpMM(handle, opA, opB, &alpha, a.mat, mb, &beta, mc, tC, CUSPARSE_SPMM_ALG_DEFAULT, buffer.of(bytes)));
    } else {
      cusparseSpSMDescr_t d;
      cusparseSpSM_createDescr(&d);
      STEP(cusparseSpSM_bufferSize(handle, opA, opB, &alpha, a.mat, mb, mc, tC, CUSPARSE_SPSM_ALG_DEFAULT, d, &bytes));
      STEP(cusparseSpSM_analysis(handle, opA, opB, &alpha, a.mat, mb, mc, tC, CUSPARSE_SPSM_ALG_DEFAULT, d, buffer.of(bytes)));
      STEP(cusparseSpSM_solve(handle, opA, opB, &alpha, a.mat, mb, mc, tC, CUSPARSE_SPSM_ALG_DEFAULT, d));
      cusparseSpSM_destroyDescr(d);
    }
    printf("0");
    print(y, sizeC);
    cusparseDestroyDnMat(mb);
    cusparseDestroyDnMat(mc);
    cudaFree(b);
    cudaFree(y);
    return;
  }
  if (!strcmp(c.op, "dense")) {
    int ld = (c.orderC == 1 ? c.rows : c.cols) + 1;
    size_t size = (size_t)ld * (c.orderC == 1 ? c.cols : c.rows);
    A *y = device(numbers<A>(c.seed + 2, size));
    cusparseDnMatDescr_t m;
    STEP(cusparseCreateDnMat(&m, c.rows, c.cols, ld, y, tA, (cusparseOrder_t)c.orderC));
    STEP(cusparseSparseToDense_bufferSize(handle, a.mat, m, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes));
    STEP(cusparseSparseToDense(handle, a.mat, m, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.of(bytes)));
    printf("0");
    print(y, size);
    cusparseDestroyDnMat(m);
    cudaFree(y);
    return;
  }
  if (!strcmp(c.op, "spgemm")) { // A (rows x cols) times B (cols x n), both CSR
    Case other = c;
    other.rows = c.cols;
    other.cols = c.n;
    other.seed = c.seed + 3;
    Sparse<A, I> b;
    STEP(b.make(other, tA, false));
    cusparseIndexType_t index = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    std::vector<I> none(c.rows + 1);
    I *offsets = device(none), *columns = nullptr;
    A *values = nullptr;
    cusparseSpMatDescr_t mc;
    STEP(cusparseCreateCsr(&mc, c.rows, c.n, 0, offsets, nullptr, nullptr, index, index, (cusparseIndexBase_t)c.base, tA));
    cusparseSpGEMMDescr_t d;
    cusparseSpGEMM_createDescr(&d);
    C zero = Make<C>::of(0, 0);
#define GEMM handle, opA, opB, &alpha, a.mat, b.mat, &zero, mc, tC, CUSPARSE_SPGEMM_DEFAULT, d
    STEP(cusparseSpGEMM_workEstimation(GEMM, &bytes, nullptr));
    STEP(cusparseSpGEMM_workEstimation(GEMM, &bytes, buffer.of(bytes)));
    STEP(cusparseSpGEMM_compute(GEMM, &bytes2, nullptr));
    STEP(cusparseSpGEMM_compute(GEMM, &bytes2, buffer2.of(bytes2)));
    i64 r, s, nnz;
    STEP(cusparseSpMatGetSize(mc, &r, &s, &nnz));
    cudaMalloc(&columns, nnz * sizeof(I) + 16);
    cudaMalloc(&values, nnz * sizeof(A) + 16);
    STEP(cusparseCsrSetPointers(mc, offsets, columns, values));
    STEP(cusparseSpGEMM_copy(GEMM));
    printf("0");
    print(offsets, c.rows + 1);
    print(columns, nnz);
    print(values, nnz);
    cusparseSpGEMM_destroyDescr(d);
    cusparseDestroySpMat(mc);
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(values);
    return;
  }
  // sddmm: (rows x n) times (n x cols) at the places of the matrix
  int aRows = c.opA ? c.n : c.rows, aCols = c.opA ? c.rows : c.n, bRows = c.opB ? c.cols : c.n, bCols = c.opB ? c.n : c.cols;
  int lda = c.orderC == 1 ? aRows : aCols, ldb = c.orderC == 1 ? bRows : bCols;
  A *left = device(numbers<A>(c.seed + 1, (size_t)aRows * aCols)), *right = device(numbers<A>(c.seed + 2, (size_t)bRows * bCols));
  cusparseDnMatDescr_t ma, mb;
  STEP(cusparseCreateDnMat(&ma, aRows, aCols, lda, left, tA, (cusparseOrder_t)c.orderC));
  STEP(cusparseCreateDnMat(&mb, bRows, bCols, ldb, right, tA, (cusparseOrder_t)c.orderC));
  STEP(cusparseSDDMM_bufferSize(handle, opA, opB, &alpha, ma, mb, &beta, a.mat, tC, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
  buffer.of(bytes);
  STEP(cusparseSDDMM(handle, opA, opB, &alpha, ma, mb, &beta, a.mat, tC, CUSPARSE_SDDMM_ALG_DEFAULT, buffer.memory));
  printf("0");
  print(a.dValues, a.values.size());
  cusparseDestroyDnMat(ma);
  cusparseDestroyDnMat(mb);
  cudaFree(left);
  cudaFree(right);
}
template <class I> void run_type(const Case &c) {
  switch (c.type) {
    case 0: return run<float, float, float, float, I>(c, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F);
    case 1: return run<double, double, double, double, I>(c, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F);
    case 2: return run<cuComplex, cuComplex, cuComplex, cuComplex, I>(c, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F);
    case 3:
      return run<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, I>(c, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F);
    default: return run<__half, __half, float, float, I>(c, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F);
  }
}

int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  cusparseCreate(&handle);
  Case c;
  while (fscanf(file, "%15s %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", c.op, &c.format, &c.type, &c.is64, &c.base, &c.opA,
                &c.opB, &c.orderB, &c.orderC, &c.rows, &c.cols, &c.n, &c.density, &c.seed, &c.block, &c.fill, &c.unit) == 17) {
    if (c.is64) run_type<i64>(c);
    else run_type<int>(c);
    printf("\n");
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  cusparseDestroy(handle);
  return 0;
}
