// What cuSPARSE's functions for blocks, pruning and colours return for wrong arguments, steps out of order, and work
// memory that is not aligned.
//
//   blocks-statuses          what every library must answer
//   blocks-statuses misuse   also what NVIDIA's bsrsv2 accepts, or was not asked: work memory that is not aligned, and
//                            an analysis with a wrong direction
#include <cusparse.h>
#include <cstdio>
#include <cstring>

/// Headers of CUDA 13 declare them, and the library does not have them: then their addresses are null.
extern "C" __attribute__((weak)) decltype(cusparseXgebsr2csr) cusparseXgebsr2csr;
extern "C" __attribute__((weak)) decltype(cusparseSbsrsv2_bufferSizeExt) cusparseSbsrsv2_bufferSizeExt;
#define IS_THERE(FUNCTION) (FUNCTION ? true : (printf("absent: %s\n", #FUNCTION), false))

static int wrong = 0;
static bool isMisuse;
#define EXPECT(STATUS, CALL)                                                             \
  do {                                                                                   \
    int is = (int)(CALL);                                                                \
    if (is != (int)(STATUS)) {                                                           \
      printf("line %d: %s is %d, and not %s\n", __LINE__, #CALL, is, #STATUS);           \
      fflush(stdout); /* a library may end the process */                                \
      wrong++;                                                                           \
    }                                                                                    \
  } while (0)
#define MISUSE(STATUS, CALL)                                                             \
  if (isMisuse) EXPECT(STATUS, CALL)
#define OK CUSPARSE_STATUS_SUCCESS
#define INVALID CUSPARSE_STATUS_INVALID_VALUE
#define ROW CUSPARSE_DIRECTION_ROW
#define PLAIN CUSPARSE_OPERATION_NON_TRANSPOSE
#define POLICY CUSPARSE_SOLVE_POLICY_NO_LEVEL

static cusparseHandle_t h;
static cusparseMatDescr_t descr, symmetric;
static int *offsets, *columns, *more, position;
static float *values, *x, *y, one = 1;
static char *buffer;

/// Two block rows of two rows each, with a block on the diagonal.
static void set_up() {
  int hostOffsets[] = {0, 1, 2}, hostColumns[] = {0, 1};
  float hostValues[] = {4, 0, 0, 4, 4, 0, 0, 4};
  cusparseCreate(&h);
  cusparseCreateMatDescr(&descr);
  cusparseCreateMatDescr(&symmetric);
  cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC);
  cudaMalloc(&offsets, 256);
  cudaMalloc(&columns, 256);
  cudaMalloc(&more, 4096);
  cudaMalloc(&values, 256);
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
  cudaMalloc(&buffer, 1 << 20);
  cudaMemset(x, 0, 1024);
  cudaMemset(more, 0, 4096);
  cudaMemcpy(offsets, hostOffsets, sizeof hostOffsets, cudaMemcpyHostToDevice);
  cudaMemcpy(columns, hostColumns, sizeof hostColumns, cudaMemcpyHostToDevice);
  cudaMemcpy(values, hostValues, sizeof hostValues, cudaMemcpyHostToDevice);
}

static void systems() {
  bsrsv2Info_t info;
  int bytes;
  size_t size;
  EXPECT(INVALID, cusparseCreateBsrsv2Info(nullptr));
  EXPECT(OK, cusparseDestroyBsrsv2Info(nullptr));
  EXPECT(OK, cusparseCreateBsrsv2Info(&info));
#define A(DESCR) DESCR, values, offsets, columns, 2, info
  EXPECT(CUSPARSE_STATUS_NOT_INITIALIZED, cusparseSbsrsv2_bufferSize(nullptr, ROW, PLAIN, 2, 2, A(descr), &bytes));
  EXPECT(INVALID, cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, -1, 2, A(descr), &bytes));
  EXPECT(INVALID, cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, 2, -1, A(descr), &bytes));
  EXPECT(INVALID, cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, 2, 0, A(descr), &bytes)); // no block
  // the size does not depend on the direction
  EXPECT(OK, cusparseSbsrsv2_bufferSize(h, (cusparseDirection_t)2, PLAIN, 2, 2, A(descr), &bytes));
  MISUSE(INVALID, cusparseSbsrsv2_analysis(h, (cusparseDirection_t)2, PLAIN, 2, 2, A(descr), POLICY, buffer));
  EXPECT(INVALID, cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, 2, 2, descr, values, offsets, columns, 0, info, &bytes));
  EXPECT(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, 2, 2, A(symmetric), &bytes));
  EXPECT(OK, cusparseSbsrsv2_bufferSize(h, ROW, PLAIN, 2, 2, A(descr), &bytes));
  if (IS_THERE(cusparseSbsrsv2_bufferSizeExt))
    EXPECT(OK, cusparseSbsrsv2_bufferSizeExt(h, ROW, PLAIN, 2, 2, A(descr), &size));
  EXPECT(INVALID, cusparseSbsrsv2_analysis(h, ROW, PLAIN, 2, 2, A(descr), POLICY, nullptr));
  MISUSE(INVALID, cusparseSbsrsv2_analysis(h, ROW, PLAIN, 2, 2, A(descr), POLICY, buffer + 4));
  EXPECT(OK, cusparseSbsrsv2_analysis(h, ROW, PLAIN, 2, 2, A(descr), POLICY, buffer));
  EXPECT(OK, cusparseXbsrsv2_zeroPivot(h, info, &position));
  EXPECT(-1, position);
  EXPECT(INVALID, cusparseSbsrsv2_solve(h, ROW, PLAIN, 2, 2, &one, A(descr), nullptr, y, POLICY, buffer));
  EXPECT(INVALID, cusparseSbsrsv2_solve(h, ROW, PLAIN, 2, 2, nullptr, A(descr), x, y, POLICY, buffer));
  EXPECT(OK, cusparseSbsrsv2_solve(h, ROW, PLAIN, 2, 2, &one, A(descr), x, y, POLICY, buffer));
  EXPECT(OK, cusparseDestroyBsrsv2Info(info));
#undef A
}
static void several_sides() {
  bsrsm2Info_t info;
  int bytes;
  cusparseCreateBsrsm2Info(&info);
#define A descr, values, offsets, columns, 2, info
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED,
         cusparseSbsrsm2_bufferSize(h, ROW, CUSPARSE_OPERATION_TRANSPOSE, PLAIN, 2, 1, 2, A, &bytes));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED,
         cusparseSbsrsm2_bufferSize(h, ROW, PLAIN, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, 2, 1, 2, A, &bytes));
  EXPECT(INVALID, cusparseSbsrsm2_bufferSize(h, ROW, PLAIN, PLAIN, 2, -1, 2, A, &bytes));
  EXPECT(OK, cusparseSbsrsm2_bufferSize(h, ROW, PLAIN, PLAIN, 2, 1, 2, A, &bytes));
  EXPECT(OK, cusparseSbsrsm2_analysis(h, ROW, PLAIN, PLAIN, 2, 1, 2, A, POLICY, buffer));
  EXPECT(INVALID, cusparseSbsrsm2_solve(h, ROW, PLAIN, PLAIN, 2, 1, 2, &one, A, x, 3, y, 4, POLICY, buffer));
  EXPECT(INVALID, cusparseSbsrsm2_solve(h, ROW, PLAIN, PLAIN, 2, 1, 2, &one, A, x, 4, y, 3, POLICY, buffer));
  EXPECT(OK, cusparseSbsrsm2_solve(h, ROW, PLAIN, PLAIN, 2, 1, 2, &one, A, x, 4, y, 4, POLICY, buffer));
  cusparseDestroyBsrsm2Info(info);
#undef A
}
static void factors() {
  bsrilu02Info_t info;
  bsric02Info_t positive;
  int bytes;
  double tolerance = 1;
  cusparseCreateBsrilu02Info(&info);
  cusparseCreateBsric02Info(&positive);
#define A descr, values, offsets, columns, 2
  EXPECT(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusparseSbsrilu02_bufferSize(h, ROW, 2, 2, symmetric, values, offsets, columns, 2, info, &bytes));
  EXPECT(OK, cusparseSbsrilu02_bufferSize(h, ROW, 2, 2, A, info, &bytes));
  EXPECT(INVALID, cusparseSbsrilu02_numericBoost(h, info, 1, nullptr, &one));
  EXPECT(OK, cusparseSbsrilu02_numericBoost(h, info, 1, &tolerance, &one));
  EXPECT(OK, cusparseSbsrilu02_numericBoost(h, info, 0, nullptr, nullptr));
  EXPECT(INVALID, cusparseSbsrilu02_analysis(h, ROW, 2, 2, A, info, POLICY, buffer + 64));
  EXPECT(OK, cusparseSbsrilu02_analysis(h, ROW, 2, 2, A, info, POLICY, buffer));
  EXPECT(OK, cusparseSbsrilu02(h, ROW, 2, 2, A, info, POLICY, buffer));
  EXPECT(OK, cusparseXbsrilu02_zeroPivot(h, info, &position));
  EXPECT(INVALID, cusparseXbsrilu02_zeroPivot(h, info, nullptr));
  EXPECT(OK, cusparseSbsric02_bufferSize(h, ROW, 2, 2, A, positive, &bytes));
  EXPECT(OK, cusparseSbsric02_analysis(h, ROW, 2, 2, A, positive, POLICY, buffer));
  EXPECT(OK, cusparseSbsric02(h, ROW, 2, 2, A, positive, POLICY, buffer));
  EXPECT(OK, cusparseXbsric02_zeroPivot(h, positive, &position));
  cusparseDestroyBsrilu02Info(info);
  cusparseDestroyBsric02Info(positive);
#undef A
}
static void products() {
#define XMV(TRANS, MB, BLOCK)                                                                                       \
  cusparseSbsrxmv(h, ROW, TRANS, 1, MB, 2, 2, &one, descr, values, columns, offsets, offsets + 1, columns, BLOCK, x, \
                  &one, y)
  EXPECT(OK, XMV(PLAIN, 2, 2));
  EXPECT(INVALID, XMV(PLAIN, -1, 2));
  EXPECT(INVALID, XMV(PLAIN, 2, 0));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, XMV(CUSPARSE_OPERATION_TRANSPOSE, 2, 2));
  EXPECT(CUSPARSE_STATUS_NOT_SUPPORTED, XMV(PLAIN, 2, 1));
}
static void formats() {
  int bytes, total;
  cusparseAction_t action = CUSPARSE_ACTION_NUMERIC;
#define CSR(M) h, ROW, M, 2, descr, values, offsets, columns
  EXPECT(INVALID, cusparseScsr2gebsr_bufferSize(CSR(-1), 2, 2, &bytes));
  EXPECT(INVALID, cusparseScsr2gebsr_bufferSize(CSR(2), 0, 2, &bytes));
  EXPECT(INVALID, cusparseScsr2gebsr_bufferSize(CSR(2), 2, 0, &bytes));
  EXPECT(OK, cusparseScsr2gebsr_bufferSize(CSR(2), 2, 2, &bytes));
  EXPECT(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusparseXcsr2gebsrNnz(h, ROW, 2, 2, symmetric, offsets, columns, descr, more, 2, 2, &total, buffer));
  EXPECT(OK, cusparseXcsr2gebsrNnz(h, ROW, 2, 2, descr, offsets, columns, descr, more, 2, 2, &total, buffer));
  EXPECT(1, total);
  if (IS_THERE(cusparseXgebsr2csr)) {
    EXPECT(INVALID, cusparseXgebsr2csr(h, ROW, -1, 2, descr, offsets, columns, 2, 2, descr, more, more + 64));
    EXPECT(INVALID, cusparseXgebsr2csr(h, ROW, 2, 2, descr, offsets, columns, 0, 2, descr, more, more + 64));
    EXPECT(OK, cusparseXgebsr2csr(h, ROW, 2, 2, descr, offsets, columns, 2, 2, descr, more, more + 64));
  }
#define GEBSC(HEIGHT, ACTION)                                                                                        \
  cusparseSgebsr2gebsc(h, 2, 2, 2, values, offsets, columns, HEIGHT, 2, y, more, more + 64, ACTION,                  \
                       CUSPARSE_INDEX_BASE_ZERO, buffer)
  EXPECT(INVALID, GEBSC(0, action));
  EXPECT(INVALID, GEBSC(2, (cusparseAction_t)5));
  EXPECT(OK, GEBSC(2, action));
  EXPECT(INVALID, cusparseSnnz_compress(h, 2, descr, values, offsets, more, &total, -1.0f));
  EXPECT(OK, cusparseSnnz_compress(h, 2, descr, values, offsets, more, &total, 1.0f));
  csru2csrInfo_t info;
  size_t size;
  cusparseCreateCsru2csrInfo(&info);
#define CSRU h, 2, 2, 2, descr, values, offsets, columns, info, buffer
  EXPECT(INVALID, cusparseScsru2csr(CSRU));
  EXPECT(OK, cusparseScsru2csr_bufferSizeExt(h, 2, 2, 2, values, offsets, columns, info, &size));
  EXPECT(INVALID, cusparseScsr2csru(CSRU));
  EXPECT(OK, cusparseScsru2csr(CSRU));
  EXPECT(OK, cusparseScsr2csru(CSRU));
  cusparseDestroyCsru2csrInfo(info);
}
static void colours_and_pruning() {
  cusparseColorInfo_t info;
  pruneInfo_t pruned;
  int count;
  float share = 1;
  cusparseCreateColorInfo(&info);
  cusparseCreatePruneInfo(&pruned);
  EXPECT(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusparseScsrcolor(h, 2, 2, symmetric, values, offsets, columns, &share, &count, more, more + 64, info));
  EXPECT(INVALID, cusparseScsrcolor(h, -1, 2, descr, values, offsets, columns, &share, &count, more, more + 64, info));
  EXPECT(OK, cusparseScsrcolor(h, 2, 2, descr, values, offsets, columns, &share, &count, more, more + 64, info));
  EXPECT(INVALID, cusparseSpruneDense2csrNnz(h, 4, 2, values, 2, &one, descr, more, &count, buffer));
  EXPECT(INVALID, cusparseSpruneDense2csrNnz(h, -1, 2, values, 4, &one, descr, more, &count, buffer));
  EXPECT(OK, cusparseSpruneDense2csrNnz(h, 4, 2, values, 4, &one, descr, more, &count, buffer));
  EXPECT(INVALID, cusparseSpruneDense2csrNnzByPercentage(h, 4, 2, values, 4, 101, descr, more, &count, pruned, buffer));
  EXPECT(INVALID, cusparseSpruneDense2csrNnzByPercentage(h, 4, 2, values, 4, -1, descr, more, &count, pruned, buffer));
  EXPECT(OK, cusparseSpruneDense2csrNnzByPercentage(h, 4, 2, values, 4, 50, descr, more, &count, pruned, buffer));
  EXPECT(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
         cusparseSpruneCsr2csrNnz(h, 2, 2, 2, symmetric, values, offsets, columns, &one, descr, more, &count, buffer));
  cusparseDestroyColorInfo(info);
  cusparseDestroyPruneInfo(pruned);
}

int main(int count, char **arguments) {
  isMisuse = count == 2 && !strcmp(arguments[1], "misuse");
  set_up();
  systems();
  several_sides();
  factors();
  products();
  formats();
  colours_and_pruning();
  printf(wrong == 0 ? "PASSED\n" : "FAILED\n");
  return wrong != 0;
}
