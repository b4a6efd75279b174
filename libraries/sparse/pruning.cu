// Entries whose magnitude is above a threshold, or among the largest: from dense matrices and from CSR to CSR (cuSPARSE
// documentation, "Legacy API").
#include "calls.h"
#include "conversions.cuh"

using namespace heddle_sparse;

struct pruneInfo : Steps {
  pruneInfo() : Steps("cusparseCreatePruneInfo", "cusparseDestroyPruneInfo") {}
};

namespace {

typedef cusparseStatus_t Status;
typedef cusparseHandle_t Handle;

/// A dense matrix by columns, or rows of CSR (offsets are not null).
template <class T> struct Matrix {
  const T *values;
  int m, n, lda, nnz;
  const int *offsets, *columns;
  int base;

  __host__ __device__ i64 count() const { return offsets ? nnz : (i64)m * n; }
  __device__ T nth(i64 i) const { return offsets ? values[i] : values[i % m + i / m * lda]; }
  template <class Visit> __device__ void each(int row, Visit visit) const {
    if (!offsets)
      for (int j = 0; j < n; j++) visit(j, values[row + (i64)j * lda]);
    else
      for (int at = offsets[row] - base; at < offsets[row + 1] - base; at++) visit(columns[at] - base, values[at]);
  }
};
/// The magnitude's bits, which have the order of magnitudes.
__device__ unsigned long long bits_of(__half a) { return __half_as_ushort(a) & 0x7fff; }
__device__ unsigned long long bits_of(float a) { return __float_as_uint(a) & 0x7fffffff; }
__device__ unsigned long long bits_of(double a) { return __double_as_longlong(a) & 0x7fffffffffffffff; }

/// Whether |a| > threshold: of no NaN, and of all other numbers if the threshold is negative.
__device__ bool is_above(__half a, __half threshold) { return fabsf(__half2float(a)) > __half2float(threshold); }
__device__ bool is_above(float a, float threshold) { return fabsf(a) > threshold; }
__device__ bool is_above(double a, double threshold) { return fabs(a) > threshold; }

/// The search for the element of a rank: its digits of 8 bits, the highest first.
struct Search {
  unsigned long long found;
  long long rank;
  unsigned counts[256];
};
static __global__ void begin_search(Search *search, long long rank) {
  for (int i = threadIdx.x; i < 256; i += blockDim.x) search->counts[i] = 0;
  if (threadIdx.x != 0) return;
  search->found = 0;
  search->rank = rank;
}
template <class T> __global__ void count_digits(Matrix<T> a, Search *search, int shift) {
  unsigned long long found = search->found;
  for (i64 i = thread_index(); i < a.count(); i += thread_count()) {
    unsigned long long bits = bits_of(a.nth(i));
    if ((bits ^ found) >> shift >> 8 == 0) atomicAdd(&search->counts[bits >> shift & 255], 1u);
  }
}
static __global__ void pick_digit(Search *search, int shift) {
  long long rank = search->rank;
  int digit = 0;
  for (; digit < 255 && rank >= search->counts[digit]; digit++) rank -= search->counts[digit];
  search->found |= (unsigned long long)digit << shift;
  search->rank = rank;
  for (int i = 0; i < 256; i++) search->counts[i] = 0;
}

template <class T> __global__ void count_kept(Matrix<T> a, Factor<T> threshold, int *counts) {
  T least = threshold.get();
  for (i64 row = thread_index(); row < a.m; row += thread_count()) {
    int count = 0;
    a.each((int)row, [&](int, T value) { count += is_above(value, least); });
    counts[row] = count;
  }
}
template <class T>
__global__ void keep(Matrix<T> a, Factor<T> threshold, const int *offsets, int base, T *values, int *columns) {
  T least = threshold.get();
  for (i64 row = thread_index(); row < a.m; row += thread_count()) {
    int to = offsets[row] - base;
    a.each((int)row, [&](int column, T value) {
      if (!is_above(value, least)) return;
      values[to] = value;
      columns[to++] = column + base;
    });
  }
}

/// A matrix and a call of a function that prunes it.
template <class T> struct Call {
  Handle h;
  const char *name;
  Matrix<T> a;
  cusparseMatDescr_t descrA; // null: dense
  bool isDense;

  Status check(cusparseMatDescr_t descrC) const {
    HEDDLE_LIVE(h);
    bool isFine = a.m >= 0 && a.n >= 0 && (isDense ? a.lda >= a.m && (a.count() == 0 || a.values)
                                                   : a.nnz >= 0 && (a.m == 0 || a.offsets) &&
                                                         (a.nnz == 0 || (a.values && a.columns)));
    if (!isFine) return CUSPARSE_STATUS_INVALID_VALUE;
    return isDense ? check_general({descrC}) : check_general({descrA, descrC});
  }
  template <class... Values> int nvidia(Values... values) const {
    if (isDense) return h->nvidia(name, a.m, a.n, (const void *)a.values, a.lda, values...);
    return h->nvidia(name, a.m, a.n, a.nnz, vendor_of(h, descrA), (const void *)a.values, (const void *)a.offsets,
                     (const void *)a.columns, values...);
  }
};
#define HEDDLE_DENSE(T, NAME) Call<T>{handle, NAME, {A, m, n, lda, 0, nullptr, nullptr, 0}, nullptr, true}
#define HEDDLE_CSR(T, NAME)                                                                                            \
  Call<T> {                                                                                                            \
    handle, NAME, {csrSortedValA, m, n, 0, nnzA, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA)}, descrA, false   \
  }
int base_of(cusparseMatDescr_t descr) { return is_live(descr) ? descr->base : 0; }

struct Result {
  cusparseMatDescr_t descr;
  const void *values;
  const int *offsets, *columns;
};
/// Where the magnitude is that a share of the entries does not exceed. Null: there is no entry.
template <class T> Factor<T> threshold_of(const Call<T> &call, float percentage, void *buffer) {
  i64 count = call.a.count();
  if (count == 0) return {T(), nullptr};
  i64 rank = (i64)ceil((double)count * ((double)percentage / 100)) - 1;
  rank = rank < 0 ? 0 : rank >= count ? count - 1 : rank;
  Search *search = (Search *)buffer;
  begin_search<<<1, 256, 0, call.h->stream>>>(search, rank);
  for (int shift = (int)sizeof(T) * 8 - 8; shift >= 0; shift -= 8) {
    count_digits<T><<<blocks(count, 128, 64), 128, 0, call.h->stream>>>(call.a, search, shift);
    pick_digit<<<1, 1, 0, call.h->stream>>>(search, shift);
  }
  return {T(), (const T *)&search->found};
}
template <class T> Status count_into(const Call<T> &call, Factor<T> threshold, const Result &c, int *total) {
  i64 *sum = (i64 *)call.h->scratch(8);
  if (!sum) return CUSPARSE_STATUS_ALLOC_FAILED;
  cudaStream_t stream = call.h->stream;
  int *offsets = (int *)c.offsets;
  count_kept<T><<<blocks(call.a.m, 32), 32, 0, stream>>>(call.a, threshold, offsets);
  offsets_of_counts<<<1, 1, 0, stream>>>(Indices{offsets, 0}, call.a.m, c.descr->base, sum);
  return store_total(call.h, sum, total);
}
template <class T> Status store_kept(const Call<T> &call, Factor<T> threshold, const Result &c) {
  keep<T><<<blocks(call.a.m, 32), 32, 0, call.h->stream>>>(call.a, threshold, c.offsets, c.descr->base, (T *)c.values,
                                                          (int *)c.columns);
  return launched();
}
constexpr size_t OWN_BYTES = sizeof(Search) + 128;
bool is_share(float percentage) { return percentage >= 0 && percentage <= 100; }

template <class T> Status size(const Call<T> &call, const T *threshold, const Result &c, size_t *bytes) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!threshold || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long theirs = 0;
  int status = call.nvidia(call.h->scalar(threshold), vendor_of(call.h, c.descr), c.values, (const void *)c.offsets,
                           (const void *)c.columns, Host{&theirs});
  return store_bytes(status, theirs, OWN_BYTES, bytes);
}
template <class T> Status count(const Call<T> &call, const T *threshold, const Result &c, int *total, void *buffer) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!threshold || !c.offsets || !total) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = call.nvidia(call.h->scalar(threshold), vendor_of(call.h, c.descr), (const void *)c.offsets,
                           call.h->scalar(total), (const void *)buffer);
  return status >= 0 ? (Status)status : count_into(call, factor_of<T>(call.h, threshold), c, total);
}
template <class T> Status prune(const Call<T> &call, const T *threshold, const Result &c, void *buffer) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!threshold || !c.offsets) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = call.nvidia(call.h->scalar(threshold), vendor_of(call.h, c.descr), c.values, (const void *)c.offsets,
                           (const void *)c.columns, (const void *)buffer);
  return status >= 0 ? (Status)status : store_kept(call, factor_of<T>(call.h, threshold), c);
}

template <class T, class... Values> int step(const Call<T> &call, pruneInfo *info, Values... values) {
  return step_by_nvidia(call.h, info, [&] { return call.nvidia(values...); });
}
template <class T> Status size(const Call<T> &call, float percentage, const Result &c, pruneInfo *info, size_t *bytes) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!is_share(percentage) || !is_live(info) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
  unsigned long long theirs = 0;
  int status = step(call, info, percentage, vendor_of(call.h, c.descr), c.values, (const void *)c.offsets,
                    (const void *)c.columns, state_of(info), Host{&theirs});
  return store_bytes(status, theirs, OWN_BYTES, bytes);
}
template <class T>
Status count(const Call<T> &call, float percentage, const Result &c, int *total, pruneInfo *info, void *buffer) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!is_share(percentage) || !is_live(info) || !c.offsets || !total || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = step(call, info, percentage, vendor_of(call.h, c.descr), (const void *)c.offsets, call.h->scalar(total),
                    state_of(info), (const void *)buffer);
  if (status >= 0) return (Status)status;
  // Of a sparse matrix without entries NVIDIA's library writes neither offsets nor the total.
  if (!call.isDense && call.a.nnz == 0) return CUSPARSE_STATUS_SUCCESS;
  return count_into(call, threshold_of(call, percentage, buffer), c, total);
}
template <class T>
Status prune(const Call<T> &call, float percentage, const Result &c, pruneInfo *info, void *buffer) {
  if (Status wrong = call.check(c.descr)) return wrong;
  if (!is_share(percentage) || !is_live(info) || !c.offsets || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  int status = step(call, info, percentage, vendor_of(call.h, c.descr), c.values, (const void *)c.offsets,
                    (const void *)c.columns, state_of(info), (const void *)buffer);
  if (status >= 0) return (Status)status;
  if (!call.isDense && call.a.nnz == 0) return CUSPARSE_STATUS_SUCCESS;
  return store_kept(call, threshold_of(call, percentage, buffer), c);
}

} // namespace

extern "C" {

cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info) { return make_state(info); }
cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info) { return destroy_object(info); }

#define HEDDLE_SIZED Result{descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC}
#define HEDDLE_COUNTED Result{descrC, nullptr, csrSortedRowPtrC, nullptr}
#define HEDDLE_PRUNE(P, T, KIND, PARAMETERS, CALL)                                                                     \
  cusparseStatus_t cusparse##P##prune##KIND##_bufferSizeExt(PARAMETERS(T), const T *threshold, HEDDLE_PRUNED_SIZE(T),  \
                                                            size_t *bytes) {                                           \
    return size(CALL(T, "cusparse" #P "prune" #KIND "_bufferSizeExt"), threshold, HEDDLE_SIZED, bytes);                \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##prune##KIND##Nnz(PARAMETERS(T), const T *threshold, HEDDLE_PRUNED_COUNTS,              \
                                                 void *pBuffer) {                                                      \
    return count(CALL(T, "cusparse" #P "prune" #KIND "Nnz"), threshold, HEDDLE_COUNTED, nnzTotalDevHostPtr, pBuffer);  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##prune##KIND(PARAMETERS(T), const T *threshold, HEDDLE_PRUNED_RESULT(T),                \
                                            void *pBuffer) {                                                           \
    return prune(CALL(T, "cusparse" #P "prune" #KIND), threshold, HEDDLE_SIZED, pBuffer);                              \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##prune##KIND##ByPercentage_bufferSizeExt(                                               \
      PARAMETERS(T), float percentage, HEDDLE_PRUNED_SIZE(T), pruneInfo_t info, size_t *bytes) {                       \
    return size(CALL(T, "cusparse" #P "prune" #KIND "ByPercentage_bufferSizeExt"), percentage, HEDDLE_SIZED, info,     \
                bytes);                                                                                                \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##prune##KIND##NnzByPercentage(PARAMETERS(T), float percentage, HEDDLE_PRUNED_COUNTS,    \
                                                             pruneInfo_t info, void *pBuffer) {                        \
    return count(CALL(T, "cusparse" #P "prune" #KIND "NnzByPercentage"), percentage, HEDDLE_COUNTED,                   \
                 nnzTotalDevHostPtr, info, pBuffer);                                                                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##prune##KIND##ByPercentage(PARAMETERS(T), float percentage, HEDDLE_PRUNED_RESULT(T),    \
                                                          pruneInfo_t info, void *pBuffer) {                           \
    return prune(CALL(T, "cusparse" #P "prune" #KIND "ByPercentage"), percentage, HEDDLE_SIZED, info, pBuffer);        \
  }
HEDDLE_PRUNE(H, __half, Dense2csr, HEDDLE_PRUNED_DENSE, HEDDLE_DENSE)
HEDDLE_PRUNE(S, float, Dense2csr, HEDDLE_PRUNED_DENSE, HEDDLE_DENSE)
HEDDLE_PRUNE(D, double, Dense2csr, HEDDLE_PRUNED_DENSE, HEDDLE_DENSE)
HEDDLE_PRUNE(H, __half, Csr2csr, HEDDLE_PRUNED_CSR, HEDDLE_CSR)
HEDDLE_PRUNE(S, float, Csr2csr, HEDDLE_PRUNED_CSR, HEDDLE_CSR)
HEDDLE_PRUNE(D, double, Csr2csr, HEDDLE_PRUNED_CSR, HEDDLE_CSR)
#undef HEDDLE_PRUNE
}
