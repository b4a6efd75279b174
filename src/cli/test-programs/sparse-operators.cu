// cusparseSpMMOp and cusparseSpMVOp beside plain loops: types, orders, index types, operations that are no sum and no
// product; statuses of what is wrong.
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <nvrtc.h>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static int wrong = 0;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)

static std::vector<char> lto(const std::string &source) {
  nvrtcProgram program;
  const char *options[] = {"-dlto", "-rdc=true", "-std=c++17"};
  size_t bytes = 0;
  nvrtcCreateProgram(&program, source.c_str(), "operation.cu", 0, nullptr, nullptr);
  EXPECT(0, nvrtcCompileProgram(program, 3, options));
  EXPECT(0, nvrtcGetLTOIRSize(program, &bytes));
  std::vector<char> code(bytes);
  EXPECT(0, nvrtcGetLTOIR(program, code.data()));
  nvrtcDestroyProgram(&program);
  return code;
}
template <class T> T *device(const std::vector<T> &values) {
  T *memory;
  cudaMalloc(&memory, values.size() * sizeof(T) + 16);
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
static int quarter(int seed, int at) { return (int)(((unsigned)seed * 2654435761u + (unsigned)at * 2246822519u) >> 28) - 8; }

struct Real { double re, im; };
template <class T> struct Number {
  static T of(int quarters, int) { return (T)(quarters / 4.0); }
  static Real to(T v) { return {(double)v, 0}; }
};
template <> struct Number<int8_t> {
  static int8_t of(int quarters, int) { return (int8_t)quarters; }
  static Real to(int8_t v) { return {(double)v, 0}; }
};
template <> struct Number<__half> {
  static __half of(int quarters, int) { return __float2half(quarters / 4.0f); }
  static Real to(__half v) { return {__half2float(v), 0}; }
};
template <> struct Number<cuComplex> {
  static cuComplex of(int a, int b) { return make_cuComplex(a / 4.0f, b / 4.0f); }
  static Real to(cuComplex v) { return {v.x, v.y}; }
};

static cusparseHandle_t handle;
struct Case { const char *name; cudaDataType a, c, compute; cusparseOrder_t orderB, orderC; int isBTransposed, base; };
/// add_op is a sum of the first, or for real numbers twice the second less: not symmetric, so that the order shows.
template <class A, class C, class I> void multiply(const Case &k, int seed) {
  const int rows = 5, depth = 6, columns = 4;
  std::vector<I> offsets{(I)k.base}, indices;
  std::vector<A> values;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < depth; j++)
      if (i != 3 && quarter(seed, 100 + i * 10 + j) > -2) {
        indices.push_back((I)(j + k.base));
        values.push_back(Number<A>::of(quarter(seed, i * 10 + j), quarter(seed + 1, i * 10 + j)));
      }
    offsets.push_back((I)(indices.size() + k.base));
  }
  int bRows = k.isBTransposed ? columns : depth, bColumns = k.isBTransposed ? depth : columns;
  int ldb = (k.orderB == CUSPARSE_ORDER_COL ? bRows : bColumns) + 1;
  int ldc = (k.orderC == CUSPARSE_ORDER_COL ? rows : columns) + 2;
  std::vector<A> b(ldb * 8);
  std::vector<C> c(ldc * 8);
  for (size_t i = 0; i < b.size(); i++) b[i] = Number<A>::of(quarter(seed + 2, (int)i), quarter(seed + 3, (int)i));
  for (size_t i = 0; i < c.size(); i++) c[i] = Number<C>::of(quarter(seed + 4, (int)i), quarter(seed + 5, (int)i));
  bool isComplex = k.compute == CUDA_C_32F;
  std::string T = k.name, body = isComplex ? "return make_float2(" : "return ", end = isComplex ? ");" : ";";
  auto add = lto("__device__ " + T + " add_op(" + T + " a, " + T + " b) { " + body +
                 (isComplex ? "a.x + b.x, a.y + b.y" : "2 * a + b") + end + " }");
  auto mul = lto("__device__ " + T + " mul_op(" + T + " a, " + T + " b) { " + body +
                 (isComplex ? "a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x" : "a < b ? a : b") + end + " }");
  auto epilogue = lto("static __device__ " + T + " half_of(" + T + " v) { return v; }\n__device__ " + T + " epilogue(" + T +
                      " sum, " + T + " old) { " + body + (isComplex ? "sum.x + old.x, sum.y - old.y" : "half_of(sum) - old") +
                      end + " }");
  I *dOffsets = device(offsets), *dIndices = device(indices);
  A *dValues = device(values), *dB = device(b);
  C *dC = device(c);
  cusparseIndexType_t index = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
  cusparseSpMatDescr_t mat;
  cusparseDnMatDescr_t mb, mc;
  cusparseCreateCsr(&mat, rows, depth, (int64_t)values.size(), dOffsets, dIndices, dValues, index, index,
                    (cusparseIndexBase_t)k.base, k.a);
  cusparseCreateDnMat(&mb, bRows, bColumns, ldb, dB, k.a, k.orderB);
  cusparseCreateDnMat(&mc, rows, columns, ldc, dC, k.c, k.orderC);
  cusparseSpMMOpPlan_t plan;
  size_t bytes;
#define OPERATIONS add.data(), add.size(), mul.data(), mul.size(), epilogue.data(), epilogue.size(), &bytes
  cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, op = k.isBTransposed ? CUSPARSE_OPERATION_TRANSPOSE : N;
  EXPECT(0, cusparseSpMMOp_createPlan(handle, &plan, N, op, mat, mb, mc, k.compute, CUSPARSE_SPMM_OP_ALG_DEFAULT, OPERATIONS));
  void *buffer;
  cudaMalloc(&buffer, bytes);
  EXPECT(0, cusparseSpMMOp(plan, buffer));
  std::vector<C> result(c.size());
  cudaMemcpy(result.data(), dC, c.size() * sizeof(C), cudaMemcpyDeviceToHost);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      Real sum{0, 0};
      for (int at = (int)offsets[i] - k.base; at < (int)offsets[i + 1] - k.base; at++) {
        int p = (int)indices[at] - k.base, r = k.isBTransposed ? j : p, s = k.isBTransposed ? p : j;
        Real x = Number<A>::to(values[at]), y = Number<A>::to(b[k.orderB == CUSPARSE_ORDER_COL ? r + s * ldb : r * ldb + s]);
        if (isComplex) sum = {sum.re + x.re * y.re - x.im * y.im, sum.im + x.re * y.im + x.im * y.re};
        else sum = {2 * sum.re + (x.re < y.re ? x.re : y.re), 0};
      }
      int at = k.orderC == CUSPARSE_ORDER_COL ? i + j * ldc : i * ldc + j;
      Real old = Number<C>::to(c[at]), is = Number<C>::to(result[at]), should{sum.re + (isComplex ? old.re : -old.re), sum.im - old.im};
      if (is.re == should.re && (!isComplex || is.im == should.im)) continue;
      printf("%s %d: (%d, %d) is %g, and not %g\n", k.name, seed, i, j, is.re, should.re);
      wrong++;
    }
  cusparseSpMMOp_destroyPlan(plan);
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpMMOp(plan, buffer));
  cusparseDestroySpMat(mat);
  cusparseDestroyDnMat(mb);
  cusparseDestroyDnMat(mc);
}

static void statuses() {
  std::vector<int> offsets{0, 1, 2}, columns{0, 1};
  std::vector<float> ones{1, 1, 1, 1};
  cusparseSpMatDescr_t mat;
  cusparseDnMatDescr_t m;
  cusparseCreateCsr(&mat, 2, 2, 2, device(offsets), device(columns), device(ones), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnMat(&m, 2, 2, 2, device(ones), CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseSpMMOpPlan_t plan;
  size_t bytes;
  cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE;
  char junk[64] = {1, 2, 3};
#define PLAN(OP, TYPE, CODE, BYTES)                                                                                 \
  cusparseSpMMOp_createPlan(handle, &plan, OP, N, mat, m, m, TYPE, CUSPARSE_SPMM_OP_ALG_DEFAULT, CODE, BYTES, CODE, \
                            BYTES, CODE, BYTES, &bytes)
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, PLAN(N, CUDA_R_32F, nullptr, 0));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, PLAN(T, CUDA_R_32F, junk, 64));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, PLAN(N, CUDA_R_64F, junk, 64));
  EXPECT(CUSPARSE_STATUS_INTERNAL_ERROR, PLAN(N, CUDA_R_32F, junk, 64));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpMMOp(nullptr, nullptr));
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "__device__ int f() { return 1; }", "f.cu", 0, nullptr, nullptr);
  nvrtcCompileProgram(program, 0, nullptr);
  EXPECT(0, nvrtcGetLTOIRSize(program, &bytes)); // without -dlto there is none
  EXPECT(0, bytes);
  nvrtcDestroyProgram(&program);
}

/// z = 3 (A x - 2 y) in even rows, and 5 (A x - 2 y) in the others.
static void vectors() {
  std::vector<int> offsets{1, 3, 4, 4}, columns{1, 3, 2};
  std::vector<double> values{1, 2, 3}, x{1, 2, 4}, y{1, 1, 1}, z(3);
  double *dx = device(x), *dy = device(y), *dz = device(z), alpha = 1, beta = -2, factors[2] = {3, 5};
  cusparseSpMatDescr_t mat;
  cusparseDnVecDescr_t vx, vy, vz;
  cusparseCreateCsr(&mat, 3, 3, 3, device(offsets), device(columns), device(values), CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
  cusparseCreateDnVec(&vx, 3, dx, CUDA_R_64F);
  cusparseCreateDnVec(&vy, 3, dy, CUDA_R_64F);
  cusparseCreateDnVec(&vz, 3, dz, CUDA_R_64F);
  auto epilogue = lto("__constant__ double factors[2];\n__device__ double spmvop_epilogue(int row, double v) { return factors[row % 2] * v; }");
  cusparseSpMVOpDescr_t descr;
  cusparseSpMVOpPlan_t plan;
  size_t bytes;
#define MATRIX CUSPARSE_OPERATION_NON_TRANSPOSE, mat, vx, vy, vz, CUDA_R_64F, CUSPARSE_SPMVOP_ALG_DEFAULT
  EXPECT(0, cusparseSpMVOp_bufferSize(handle, MATRIX, &bytes));
  EXPECT(0, cusparseSpMVOp_createDescr(handle, &descr, MATRIX, nullptr));
  EXPECT(0, cusparseSpMVOp_createPlan(handle, descr, &plan, epilogue.data(), epilogue.size()));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpMVOp_setGlobalUserData(handle, plan, "nothing", factors, 16));
  EXPECT(CUSPARSE_STATUS_INVALID_VALUE, cusparseSpMVOp_setGlobalUserData(handle, plan, "factors", factors, 17));
  EXPECT(0, cusparseSpMVOp_setGlobalUserData(handle, plan, "factors", factors, 16));
  EXPECT(0, cusparseSpMVOp(handle, plan, &alpha, &beta, vx, vy, vz));
  cudaMemcpy(z.data(), dz, 24, cudaMemcpyDeviceToHost);
  EXPECT(3 * (1 * 1 + 2 * 4 - 2), z[0]);
  EXPECT(5 * (3 * 2 - 2), z[1]);
  EXPECT(3 * -2, z[2]);
  EXPECT(0, cusparseSpMVOp_destroyPlan(plan));
  EXPECT(0, cusparseSpMVOp_createPlan(handle, descr, &plan, nullptr, 0));
  EXPECT(0, cusparseSpMVOp(handle, plan, &alpha, &beta, vx, vy, vz));
  cudaMemcpy(z.data(), dz, 24, cudaMemcpyDeviceToHost);
  EXPECT(7, z[0]);
  EXPECT(0, cusparseSpMVOp_destroyDescr(descr));
}

int main() {
  cusparseCreate(&handle);
  const cusparseOrder_t R = CUSPARSE_ORDER_ROW, C = CUSPARSE_ORDER_COL;
  multiply<float, float, int>({"float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, R, R, 0, 0}, 1);
  multiply<float, float, int64_t>({"float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, C, R, 1, 1}, 2);
  multiply<double, double, int>({"double", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, R, C, 1, 1}, 3);
  multiply<cuComplex, cuComplex, int>({"float2", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, C, C, 0, 1}, 4);
  multiply<int8_t, int, int>({"int", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, C, R, 0, 0}, 5);
  multiply<__half, float, int64_t>({"float", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, R, R, 1, 0}, 6);
  multiply<__half, __half, int>({"float", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, C, C, 1, 1}, 7);
  vectors();
  statuses();
  cusparseDestroy(handle);
  printf(wrong == 0 ? "PASSED\n" : "FAILED\n");
  return wrong != 0;
}
