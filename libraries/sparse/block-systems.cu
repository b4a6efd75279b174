// Triangular systems, incomplete factors and masked products of matrices of blocks (cuSPARSE documentation, "Legacy
// API"). NVIDIA's library goes along with all steps of an info, or with none.
#include "calls.h"
#include "block-systems.cuh"

using namespace heddle_sparse;

#define HEDDLE_BLOCK_INFO(NAME, OBJECT)                                                                                \
  struct NAME : Steps, Pivots {                                                                                        \
    bool isAnalysed = false;                                                                                           \
    NAME() : Steps("cusparseCreate" OBJECT, "cusparseDestroy" OBJECT) {}                                               \
  };
HEDDLE_BLOCK_INFO(bsrsv2Info, "Bsrsv2Info")
HEDDLE_BLOCK_INFO(bsrsm2Info, "Bsrsm2Info")
HEDDLE_BLOCK_INFO(bsric02Info, "Bsric02Info")
struct bsrilu02Info : Steps, Pivots {
  bool isAnalysed = false, isBoosted = false;
  double tolerance = 0, boost[2] = {};
  bsrilu02Info() : Steps("cusparseCreateBsrilu02Info", "cusparseDestroyBsrilu02Info") {}
};

namespace {

typedef cusparseStatus_t Status;

/// A matrix as all functions for blocks get it.
struct Given {
  cusparseHandle_t h;
  cusparseDirection_t dir;
  int mb, nnzb;
  cusparseMatDescr_t descr;
  const void *values;
  const int *offsets, *columns;
  int size;

  template <class Info> Status check(Info *info) const {
    Status wrong = check_size(info);
    return !wrong && dir != 0 && dir != 1 ? CUSPARSE_STATUS_INVALID_VALUE : wrong;
  }
  /// What the size of work memory depends on: not the direction.
  template <class Info> Status check_size(Info *info) const {
    HEDDLE_LIVE(h);
    bool isFine =
        is_live(info) && mb >= 0 && nnzb > 0 && size > 0 && (mb == 0 || offsets) && values && columns;
    return isFine ? check_general({descr}) : CUSPARSE_STATUS_INVALID_VALUE;
  }
  template <class T> BlockMatrix<T> matrix() const {
    return {(T *)values, offsets, columns, mb, size, descr->base, dir == CUSPARSE_DIRECTION_COLUMN};
  }
};
#define HEDDLE_GIVEN Given{handle, dirA, mb, nnzb, descrA, bsrSortedValA, bsrSortedRowPtrA, bsrSortedColIndA, blockDim}
#define HEDDLE_GIVEN_NVIDIA(A)                                                                                         \
  vendor_of((A).h, (A).descr), (A).values, (const void *)(A).offsets, (const void *)(A).columns, (A).size

template <class... Values> int step(const Given &a, Steps *info, const char *name, Values... values) {
  return step_by_nvidia(a.h, info, [&] { return a.h->nvidia(name, values...); });
}
/// Work memory of ours: a number for each row of blocks.
size_t own_bytes(const Given &a) { return whole_pieces((size_t)a.mb * 4); }
/// Notes what rows have no block on the diagonal.
template <class Info> Status find_structure(const Given &a, Info *info, int *diagonals, bool isNeeded = true) {
  int *position = position_of(info);
  if (!position) return CUSPARSE_STATUS_ALLOC_FAILED;
  cudaMemsetAsync(position, 0xff, sizeof(int), a.h->stream);
  find_diagonals<<<blocks(a.mb, 128), 128, 0, a.h->stream>>>(a.mb, a.offsets, a.columns, a.descr->base, diagonals,
                                                            isNeeded ? position : nullptr);
  return launched();
}
template <class Info> Status analyse(const Given &a, Info *info, const void *buffer, int status, bool isNeeded = true) {
  if (status > 0) return (Status)status;
  // Also where NVIDIA's library goes on: a later step may be ours, inside a capture, where nothing can be allocated.
  if (!position_of(info)) return CUSPARSE_STATUS_ALLOC_FAILED;
  info->isAnalysed = true;
  if (status == 0) return CUSPARSE_STATUS_SUCCESS;
  return find_structure(a, info, nullptr, isNeeded);
}
bool is_policy(cusparseSolvePolicy_t policy) { return policy == 0 || policy == 1; }
/// What the steps after an analysis need.
template <class Info> Status check_step(const Given &a, Info *info, cusparseSolvePolicy_t policy, const void *buffer) {
  if (Status wrong = a.check(info)) return wrong;
  return is_policy(policy) && is_work_memory(buffer) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
template <class Info> Status block_zero_pivot(cusparseHandle_t h, Info *info, const char *name, int *position) {
  HEDDLE_LIVE(h);
  if (!is_live(info) || !position || !info->isAnalysed) return CUSPARSE_STATUS_INVALID_VALUE;
  if (info->isNvidia) {
    int status = h->nvidia(name, info->vendor.handle, h->scalar(position));
    return status < 0 ? CUSPARSE_STATUS_EXECUTION_FAILED : (Status)status;
  }
  return zero_pivot(h, info, position);
}

template <class T> BlockTriangle<T> triangle_of(const Given &a, cusparseOperation_t op) {
  return {a.matrix<const T>(), a.descr->fill == CUSPARSE_FILL_MODE_LOWER, a.descr->diag == CUSPARSE_DIAG_TYPE_UNIT,
          op != CUSPARSE_OPERATION_NON_TRANSPOSE, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}
/// One or several right-hand sides, whose elements and columns are so far apart.
struct Sides {
  const void *b, *x;
  i64 bRow, bColumn, xRow, xColumn;
  int columns;
};
template <class T, class Info>
Status solve(const Given &a, Info *info, cusparseOperation_t op, const void *alpha, const Sides &sides) {
  if (!info->isAnalysed) return CUSPARSE_STATUS_INVALID_VALUE;
  BlockTriangle<T> triangle = triangle_of<T>(a, op);
  if (Status failed = find_structure(a, info, nullptr)) return failed;
  if (sides.columns > 0)
    solve_block_triangle<T><<<blocks(sides.columns, 32), 32, 0, a.h->stream>>>(
        triangle, (const T *)sides.b, sides.bRow, sides.bColumn, (T *)sides.x, sides.xRow, sides.xColumn, sides.columns,
        factor_of<T>(a.h, alpha), info->position);
  return launched();
}
/// Whether an analysis tells of a row without a block on the diagonal. With a unit diagonal and levels the solution
/// tells of it (seen on an H200, CUDA 13.0; the documentation says that neither does).
bool tells_structure(const Given &a, cusparseSolvePolicy_t policy) {
  return a.descr->diag != CUSPARSE_DIAG_TYPE_UNIT || policy == CUSPARSE_SOLVE_POLICY_NO_LEVEL;
}
/// Several right-hand sides: only A itself, and B and X as they are or transposed.
Status check_sides(cusparseOperation_t transA, cusparseOperation_t transXY, int n) {
  if (!is_operation(transA) || !is_operation(transXY) || n < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  bool isThere = transA == CUSPARSE_OPERATION_NON_TRANSPOSE && transXY != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  return isThere ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

/// A factor in place of the matrix.
template <class Info> Status begin_factor(const Given &a, Info *info, void *buffer) {
  if (!info->isAnalysed) return CUSPARSE_STATUS_INVALID_VALUE;
  return find_structure(a, info, (int *)buffer);
}
template <class T> Boost<T> boost_of(const bsrilu02Info *info) {
  Boost<T> boost{info->isBoosted, info->tolerance, zero<T>()};
  memcpy(&boost.value, info->boost, sizeof(T));
  return boost;
}
Status set_boost(cusparseHandle_t h, bsrilu02Info *info, const char *name, int isEnabled, double *tolerance,
                 void *boost, size_t bytes) {
  HEDDLE_LIVE(h);
  if (!is_live(info) || (isEnabled && (!tolerance || !boost))) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = step(Given{h}, info, name, state_of(info), isEnabled, h->scalar(tolerance), h->scalar(boost));
  if (status > 0) return (Status)status;
  info->isBoosted = isEnabled != 0;
  if (!isEnabled) return CUSPARSE_STATUS_SUCCESS;
  bool isRead = read_scalar(h, &info->tolerance, tolerance, sizeof(double));
  isRead = isRead && read_scalar(h, info->boost, boost, bytes);
  return isRead ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

/// What NVIDIA's library reads of two factors may be on the device, as the pointer mode says.
template <class T>
Status masked(const char *name, cusparseOperation_t transA, int nb, const int *ends, int count, const int *mask,
              const void *alpha, const void *x, const void *beta, void *y, const Given &a) {
  HEDDLE_LIVE(a.h);
  bool isFine = count >= 0 && a.mb >= 0 && nb >= 0 && a.nnzb >= 0 && a.size > 0 && (a.dir == 0 || a.dir == 1) &&
                is_operation(transA) && alpha && beta && (count == 0 || (mask && a.offsets && ends && y)) &&
                (a.nnzb == 0 || (a.values && a.columns && x));
  if (!isFine) return CUSPARSE_STATUS_INVALID_VALUE;
  if (transA != CUSPARSE_OPERATION_NON_TRANSPOSE || a.size == 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (Status wrong = check_general({a.descr})) return wrong;
  int status = a.h->nvidia(name, (int)a.dir, (int)transA, count, a.mb, nb, a.nnzb, a.h->scalar(alpha),
                           vendor_of(a.h, a.descr), a.values, (const void *)mask, (const void *)a.offsets,
                           (const void *)ends, (const void *)a.columns, a.size, x, a.h->scalar(beta), (const void *)y);
  if (status >= 0) return (Status)status;
  MaskedRows<T> rows{a.matrix<const T>(), mask, ends, count};
  if (count > 0)
    multiply_masked<T><<<blocks((i64)count * a.size, 32), 32, 0, a.h->stream>>>(
        rows, (const T *)x, (T *)y, factor_of<T>(a.h, alpha), factor_of<T>(a.h, beta));
  return launched();
}

} // namespace

extern "C" {

#define HEDDLE_INFO(NAME, TYPE)                                                                                        \
  cusparseStatus_t cusparseCreate##NAME##Info(TYPE##Info_t *info) { return make_state(info); }                         \
  cusparseStatus_t cusparseDestroy##NAME##Info(TYPE##Info_t info) { return destroy_object(info); }                     \
  cusparseStatus_t cusparseX##TYPE##_zeroPivot(cusparseHandle_t handle, TYPE##Info_t info, int *position) {            \
    return block_zero_pivot(handle, info, "cusparseX" #TYPE "_zeroPivot", position);                                   \
  }
HEDDLE_INFO(Bsrsv2, bsrsv2)
HEDDLE_INFO(Bsrsm2, bsrsm2)
HEDDLE_INFO(Bsric02, bsric02)
HEDDLE_INFO(Bsrilu02, bsrilu02)
#undef HEDDLE_INFO

#define HEDDLE_SV_SIZE(P, T, NAME, B, THEIRS)                                                                          \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_BSRSV2_MATRIX(T), bsrsv2Info_t info, B *bytes) {                           \
    Given a = HEDDLE_GIVEN;                                                                                            \
    /* NVIDIA's function takes any direction (seen on an H200, CUDA 13.0) */                                           \
    if (cusparseStatus_t wrong = a.check_size(info)) return wrong;                                                     \
    if (!is_operation(transA) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                         \
    THEIRS theirs = 0;                                                                                                 \
    int status = step(a, info, "cusparse" #P #NAME, (int)dirA, (int)transA, mb, nnzb, HEDDLE_GIVEN_NVIDIA(a),          \
                      state_of(info), Host{&theirs});                                                                  \
    return store_bytes<B>(status, theirs, own_bytes(a), bytes);                                                        \
  }
#define HEDDLE_SM_SIZE(P, T, NAME, B, THEIRS)                                                                          \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_BSRSM2_MATRIX(T), bsrsm2Info_t info, B *bytes) {                           \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = a.check(info)) return wrong;                                                          \
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                                                  \
    if (cusparseStatus_t wrong = check_sides(transA, transXY, n)) return wrong;                                        \
    THEIRS theirs = 0;                                                                                                 \
    int status = step(a, info, "cusparse" #P #NAME, (int)dirA, (int)transA, (int)transXY, mb, n, nnzb,                 \
                      HEDDLE_GIVEN_NVIDIA(a), state_of(info), Host{&theirs});                                          \
    return store_bytes<B>(status, theirs, own_bytes(a), bytes);                                                        \
  }
#define HEDDLE_FACTOR_SIZE(P, T, FACTOR, NAME, B, THEIRS)                                                              \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_BSR_FACTOR_MATRIX(T), FACTOR##Info_t info, B *bytes) {                     \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = a.check(info)) return wrong;                                                          \
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                                                  \
    THEIRS theirs = 0;                                                                                                 \
    int status = step(a, info, "cusparse" #P #NAME, (int)dirA, mb, nnzb, HEDDLE_GIVEN_NVIDIA(a), state_of(info),       \
                      Host{&theirs});                                                                                  \
    return store_bytes<B>(status, theirs, own_bytes(a), bytes);                                                        \
  }
#define HEDDLE_FACTOR_STEP(P, NAME)                                                                                    \
  step(a, info, "cusparse" #P #NAME, (int)dirA, mb, nnzb, HEDDLE_GIVEN_NVIDIA(a), state_of(info), (int)policy,         \
       (const void *)pBuffer)
#define HEDDLE_FACTOR(P, T, E, FACTOR, ANALYSED, RUN)                                                                  \
  HEDDLE_FACTOR_SIZE(P, T, FACTOR, FACTOR##_bufferSize, int, int)                                                      \
  HEDDLE_FACTOR_SIZE(P, T, FACTOR, FACTOR##_bufferSizeExt, size_t, unsigned long long)                                 \
  cusparseStatus_t cusparse##P##FACTOR##_analysis(HEDDLE_BSR_FACTOR_MATRIX(ANALYSED), FACTOR##Info_t info,             \
                                                  cusparseSolvePolicy_t policy, void *pBuffer) {                       \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    return analyse(a, info, pBuffer, HEDDLE_FACTOR_STEP(P, FACTOR##_analysis));                                        \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##FACTOR(HEDDLE_BSR_FACTOR_MATRIX(T), FACTOR##Info_t info,                               \
                                       cusparseSolvePolicy_t policy, void *pBuffer) {                                  \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    int status = HEDDLE_FACTOR_STEP(P, FACTOR);                                                                        \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    if (cusparseStatus_t failed = begin_factor(a, info, pBuffer)) return failed;                                       \
    RUN;                                                                                                               \
    return launched();                                                                                                 \
  }
#define HEDDLE_BLOCKS(P, T, E)                                                                                         \
  HEDDLE_SV_SIZE(P, T, bsrsv2_bufferSize, int, int)                                                                    \
  HEDDLE_SV_SIZE(P, T, bsrsv2_bufferSizeExt, size_t, unsigned long long)                                               \
  cusparseStatus_t cusparse##P##bsrsv2_analysis(HEDDLE_BSRSV2_MATRIX(const T), bsrsv2Info_t info,                      \
                                                cusparseSolvePolicy_t policy, void *pBuffer) {                         \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    if (!is_operation(transA)) return CUSPARSE_STATUS_INVALID_VALUE;                                                   \
    int status = step(a, info, "cusparse" #P "bsrsv2_analysis", (int)dirA, (int)transA, mb, nnzb,                      \
                      HEDDLE_GIVEN_NVIDIA(a), state_of(info), (int)policy, (const void *)pBuffer);                     \
    return analyse(a, info, pBuffer, status, tells_structure(a, policy));                                              \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsrsv2_solve(                                                                          \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb, int nnzb, const T *alpha, \
      HEDDLE_BSR_MATRIX(const T), bsrsv2Info_t info, const T *f, T *x, cusparseSolvePolicy_t policy, void *pBuffer) {  \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    if (!is_operation(transA) || !alpha || (mb > 0 && (!f || !x))) return CUSPARSE_STATUS_INVALID_VALUE;               \
    int status = step(a, info, "cusparse" #P "bsrsv2_solve", (int)dirA, (int)transA, mb, nnzb, handle->scalar(alpha),  \
                      HEDDLE_GIVEN_NVIDIA(a), state_of(info), (const void *)f, (const void *)x, (int)policy,           \
                      (const void *)pBuffer);                                                                          \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    return solve<E>(a, info, transA, alpha, Sides{f, x, 1, 0, 1, 0, 1});                                               \
  }                                                                                                                    \
  HEDDLE_SM_SIZE(P, T, bsrsm2_bufferSize, int, int)                                                                    \
  HEDDLE_SM_SIZE(P, T, bsrsm2_bufferSizeExt, size_t, unsigned long long)                                               \
  cusparseStatus_t cusparse##P##bsrsm2_analysis(HEDDLE_BSRSM2_MATRIX(const T), bsrsm2Info_t info,                      \
                                                cusparseSolvePolicy_t policy, void *pBuffer) {                         \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    if (cusparseStatus_t wrong = check_sides(transA, transXY, n)) return wrong;                                        \
    int status = step(a, info, "cusparse" #P "bsrsm2_analysis", (int)dirA, (int)transA, (int)transXY, mb, n, nnzb,     \
                      HEDDLE_GIVEN_NVIDIA(a), state_of(info), (int)policy, (const void *)pBuffer);                     \
    return analyse(a, info, pBuffer, status, tells_structure(a, policy));                                              \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsrsm2_solve(                                                                          \
      cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, cusparseOperation_t transXY,      \
      int mb, int n, int nnzb, const T *alpha, HEDDLE_BSR_MATRIX(const T), bsrsm2Info_t info, const T *B, int ldb,     \
      T *X, int ldx, cusparseSolvePolicy_t policy, void *pBuffer) {                                                    \
    Given a = HEDDLE_GIVEN;                                                                                            \
    if (cusparseStatus_t wrong = check_step(a, info, policy, pBuffer)) return wrong;                                   \
    if (cusparseStatus_t wrong = check_sides(transA, transXY, n)) return wrong;                                        \
    bool isPlain = transXY == CUSPARSE_OPERATION_NON_TRANSPOSE;                                                        \
    i64 least = isPlain ? (i64)mb * blockDim : n;                                                                      \
    if (!alpha || ldb < least || ldx < least || (mb > 0 && n > 0 && (!B || !X))) return CUSPARSE_STATUS_INVALID_VALUE; \
    int status = step(a, info, "cusparse" #P "bsrsm2_solve", (int)dirA, (int)transA, (int)transXY, mb, n, nnzb,        \
                      handle->scalar(alpha), HEDDLE_GIVEN_NVIDIA(a), state_of(info), (const void *)B, ldb,             \
                      (const void *)X, ldx, (int)policy, (const void *)pBuffer);                                       \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    return solve<E>(a, info, transA, alpha,                                                                            \
                    isPlain ? Sides{B, X, 1, ldb, 1, ldx, n} : Sides{B, X, ldb, 1, ldx, 1, n});                        \
  }                                                                                                                    \
  HEDDLE_FACTOR(P, T, E, bsric02, const T,                                                                             \
                (incomplete_block_cholesky<E><<<1, 1, 0, handle->stream>>>(a.matrix<E>(), (const int *)pBuffer,        \
                                                                           info->position)))                           \
  HEDDLE_FACTOR(P, T, E, bsrilu02, T,                                                                                  \
                (incomplete_block_lu<E><<<1, 1, 0, handle->stream>>>(a.matrix<E>(), (const int *)pBuffer,              \
                                                                     info->position, boost_of<E>(info))))              \
  cusparseStatus_t cusparse##P##bsrilu02_numericBoost(cusparseHandle_t handle, bsrilu02Info_t info, int enable_boost,  \
                                                      double *tol, T *boost_val) {                                     \
    return set_boost(handle, info, "cusparse" #P "bsrilu02_numericBoost", enable_boost, tol, boost_val, sizeof(T));    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##bsrxmv(HEDDLE_BSRXMV_ARGUMENTS(T)) {                                                   \
    return masked<E>("cusparse" #P "bsrxmv", transA, nb, bsrSortedEndPtrA, sizeOfMask, bsrSortedMaskPtrA, alpha, x,    \
                     beta, y, HEDDLE_GIVEN);                                                                           \
  }
HEDDLE_BLOCKS(S, float, float)
HEDDLE_BLOCKS(D, double, double)
HEDDLE_BLOCKS(C, cuComplex, c32)
HEDDLE_BLOCKS(Z, cuDoubleComplex, c64)
#undef HEDDLE_BLOCKS
}
