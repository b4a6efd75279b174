// Conversions between CSR and formats of blocks, entries above a tolerance, rows in their own order and sorted, colours
// of rows (cuSPARSE documentation, "Legacy API").
#include "block-formats.cuh"
#include "sorting.h"

using namespace heddle_sparse;

/// The order that rows of entries had before they were sorted.
struct csru2csrInfo : Steps {
  int nnz = -1;
  bool isSorted = false, isSortedByNvidia = false;
  int *order = nullptr; // device memory: where each sorted entry was
  csru2csrInfo() : Steps("cusparseCreateCsru2csrInfo", "cusparseDestroyCsru2csrInfo") {}
  ~csru2csrInfo() { if (order) cudaFree(order); }
};
struct cusparseColorInfo : Steps {
  cusparseColorInfo() : Steps("cusparseCreateColorInfo", "cusparseDestroyColorInfo") {}
};

namespace {

typedef cusparseStatus_t Status;
typedef cusparseHandle_t Handle;

bool is_direction(cusparseDirection_t dir) { return dir == CUSPARSE_DIRECTION_ROW || dir == CUSPARSE_DIRECTION_COLUMN; }

/// A matrix of blocks, or of single elements (CSR), with so many block rows and block columns.
struct Source {
  cusparseDirection_t dir;
  int mb, nb, nnzb;
  cusparseMatDescr_t descr;
  const void *values;
  const int *offsets, *columns;
  int height, width;

  i64 rows() const { return (i64)mb * height; }
  bool is_fine() const {
    return is_direction(dir) && mb >= 0 && nb >= 0 && nnzb >= 0 && height > 0 && width > 0 && (mb == 0 || offsets) &&
           (nnzb == 0 || columns);
  }
  template <class T> Blocks<const T> blocks() const {
    return {(const T *)values, offsets, columns, descr->base, height, width, dir == CUSPARSE_DIRECTION_COLUMN};
  }
};
struct Target {
  cusparseMatDescr_t descr;
  void *values;
  int *offsets, *columns;
  int height, width;

  int block_rows(const Source &a) const { return (int)((a.rows() + height - 1) / height); }
  template <class T> Blocks<T> blocks(const Source &a) const {
    return {(T *)values, offsets, columns, descr->base, height, width, a.dir == CUSPARSE_DIRECTION_COLUMN};
  }
};
/// Block rows of A that one of C can meet.
int places(const Source &a, const Target &c) { return (c.height - 1) / a.height + 2; }
size_t conversion_bytes(const Source &a, const Target &c) {
  return (size_t)c.block_rows(a) * places(a, c) * sizeof(int);
}
Status check_conversion(Handle h, const Source &a, const Target &c) {
  HEDDLE_LIVE(h);
  if (!a.is_fine() || c.height < 1 || c.width < 1) return CUSPARSE_STATUS_INVALID_VALUE;
  return check_general({a.descr});
}
void find_blocks(Handle h, const Source &a, const Target &c, int *list, void *buffer) {
  int rows = c.block_rows(a);
  blocks_of_blocks<<<blocks(rows, 32), 32, 0, h->stream>>>(a.blocks<char>(), a.rows(), rows, c.blocks<const char>(a),
                                                          c.offsets, list, (int *)buffer, places(a, c));
}
/// The first step: offsets and the number of blocks.
Status count_blocks_of(Handle h, const Source &a, const Target &c, int *total, void *buffer) {
  if (Status wrong = check_conversion(h, a, c)) return wrong;
  if (!c.offsets || !total || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
  if (Status wrong = check_general({c.descr})) return wrong;
  i64 *sum = (i64 *)h->scratch(8);
  if (!sum) return CUSPARSE_STATUS_ALLOC_FAILED;
  find_blocks(h, a, c, nullptr, buffer);
  offsets_of_counts<<<1, 1, 0, h->stream>>>(Indices{c.offsets, 0}, c.block_rows(a), c.descr->base, sum);
  return store_total(h, sum, total);
}
template <class T> Status convert_blocks(Handle h, const Source &a, const Target &c, void *buffer) {
  find_blocks(h, a, c, c.columns, buffer);
  int rows = c.block_rows(a);
  values_of_blocks<T><<<blocks(rows, 32), 32, 0, h->stream>>>(a.blocks<T>(), a.rows(), rows, c.blocks<T>(a));
  return launched();
}
/// What the second step of a conversion needs.
Status check_second(Handle h, const Source &a, const Target &c, const void *buffer) {
  if (Status wrong = check_conversion(h, a, c)) return wrong;
  if (!c.offsets || !buffer || (a.nnzb > 0 && (!a.values || !c.values || !c.columns)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return check_general({c.descr});
}

template <class T>
Status to_rows(Handle h, const char *name, const Source &a, cusparseMatDescr_t descrC, void *values, int *offsets,
               int *columns, bool hasValues) {
  HEDDLE_LIVE(h);
  if (!a.is_fine() || !offsets || (a.mb > 0 && !a.offsets)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (Status wrong = check_general({a.descr, descrC})) return wrong;
  int status = hasValues
                   ? h->nvidia(name, (int)a.dir, a.mb, a.nb, vendor_of(h, a.descr), a.values, (const void *)a.offsets,
                               (const void *)a.columns, a.height, a.width, vendor_of(h, descrC), (const void *)values,
                               (const void *)offsets, (const void *)columns)
                   : h->nvidia(name, (int)a.dir, a.mb, a.nb, vendor_of(h, a.descr), (const void *)a.offsets,
                               (const void *)a.columns, a.height, a.width, vendor_of(h, descrC), (const void *)offsets,
                               (const void *)columns);
  if (status >= 0) return (Status)status;
  if (a.mb == 0) offsets_of_counts<<<1, 1, 0, h->stream>>>(Indices{offsets, 0}, 0, descrC->base, nullptr);
  if (a.mb == 0) return launched();
  rows_of_blocks<T><<<blocks(a.rows(), 32), 32, 0, h->stream>>>(a.blocks<T>(), a.mb, (T *)values, offsets, columns,
                                                               descrC->base);
  return launched();
}

struct Transposition {
  int mb, nb, nnzb;
  const void *values;
  const int *offsets, *columns;
  int height, width;

  Status check(Handle h) const {
    HEDDLE_LIVE(h);
    bool isFine = mb >= 0 && nb >= 0 && nnzb >= 0 && height > 0 && width > 0 && (mb == 0 || offsets) &&
                  (nnzb == 0 || columns);
    return isFine ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
  }
  size_t bytes() const { return ((size_t)nb + nnzb) * sizeof(int); }
};
#define HEDDLE_TRANSPOSED(A)                                                                                           \
  (A).mb, (A).nb, (A).nnzb, (A).values, (const void *)(A).offsets, (const void *)(A).columns, (A).height, (A).width
template <class T>
Status transpose_to(Handle h, const char *name, const Transposition &a, void *values, int *rows, int *offsets,
                    cusparseAction_t action, cusparseIndexBase_t base, void *buffer) {
  if (Status wrong = a.check(h)) return wrong;
  bool hasValues = action == CUSPARSE_ACTION_NUMERIC;
  if ((action != CUSPARSE_ACTION_SYMBOLIC && !hasValues) || !is_base(base) || !offsets || !buffer ||
      (a.nnzb > 0 && (!rows || (hasValues && (!a.values || !values)))))
    return CUSPARSE_STATUS_INVALID_VALUE;
  int status = h->nvidia(name, HEDDLE_TRANSPOSED(a), (const void *)values, (const void *)rows, (const void *)offsets,
                         (int)action, (int)base, (const void *)buffer);
  if (status >= 0) return (Status)status;
  if (a.nnzb == 0) return CUSPARSE_STATUS_SUCCESS; // nothing is written, as by NVIDIA's library
  int *next = (int *)buffer, *from = next + a.nb;
  transpose_blocks<<<1, 1, 0, h->stream>>>(a.mb, a.nb, a.offsets, a.columns, base, offsets, rows, next, from);
  int size = a.height * a.width;
  if (hasValues && a.nnzb > 0)
    move_blocks<T><<<blocks((i64)a.nnzb * size, 128), 128, 0, h->stream>>>(a.nnzb, size, from, (const T *)a.values,
                                                                         (T *)values, 0);
  return launched();
}

/// Entries whose magnitude is above a tolerance; of a complex one its real part counts.
template <class T> struct Rows {
  Handle h;
  int m;
  cusparseMatDescr_t descr;
  const T *values;
  const int *offsets;
  typename RealOf<T>::type tolerance;

  Status check() const {
    HEDDLE_LIVE(h);
    if (m < 0 || (m > 0 && !offsets) || !(tolerance >= 0)) return CUSPARSE_STATUS_INVALID_VALUE;
    return check_general({descr});
  }
};
template <class T> Status count_kept(const Rows<T> &a, int *counts, int *total) {
  if (Status wrong = a.check()) return wrong;
  if (!total || (a.m > 0 && !counts)) return CUSPARSE_STATUS_INVALID_VALUE;
  i64 *sum = (i64 *)a.h->scratch(8);
  if (!sum) return CUSPARSE_STATUS_ALLOC_FAILED;
  count_larger<<<blocks(a.m, 32), 32, 0, a.h->stream>>>(a.m, a.values, a.offsets, a.descr->base, a.tolerance, counts);
  total_of<<<1, 1, 0, a.h->stream>>>(counts, a.m, sum);
  return store_total(a.h, sum, total);
}
template <class T>
Status keep(const Rows<T> &a, int n, int nnz, const int *columns, const int *counts, T *values, int *columnsTo,
            int *offsetsTo) {
  if (Status wrong = a.check()) return wrong;
  if (n < 0 || nnz < 0 || !offsetsTo || (a.m > 0 && !counts) ||
      (nnz > 0 && (!a.values || !columns || !values || !columnsTo)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  cudaMemcpyAsync(offsetsTo, counts, (size_t)a.m * sizeof(int), cudaMemcpyDeviceToDevice, a.h->stream);
  offsets_of_counts<<<1, 1, 0, a.h->stream>>>(Indices{offsetsTo, 0}, a.m, a.descr->base, nullptr);
  keep_larger<<<blocks(a.m, 32), 32, 0, a.h->stream>>>(a.m, a.values, a.offsets, columns, a.descr->base, a.tolerance,
                                                      values, offsetsTo, columnsTo);
  return launched();
}

/// Work memory of csru2csr: rows, columns and order twice, and the values once.
template <class T> size_t unsorted_bytes(int nnz) { return (size_t)nnz * (4 * sizeof(int) + sizeof(T)) + 16; }
template <class T>
Status unsorted_size(Handle h, const char *name, int m, int n, int nnz, const void *values, const int *offsets,
                     const int *columns, csru2csrInfo *info, size_t *bytes) {
  unsigned long long theirs = 0;
  int status = step_by_nvidia(h, info, [&] {
    return h->nvidia(name, m, n, nnz, values, (const void *)offsets, (const void *)columns, state_of(info),
                     Host{&theirs});
  });
  if (info->nnz < nnz) {
    if (info->order) cudaFree(info->order);
    info->order = nullptr;
    info->nnz = -1; // until there is memory
    if (nnz > 0 && cudaMalloc(&info->order, (size_t)nnz * sizeof(int)) != cudaSuccess)
      return CUSPARSE_STATUS_ALLOC_FAILED;
  }
  info->nnz = nnz;
  info->isSorted = info->isSortedByNvidia = false;
  return store_bytes(status, theirs, whole_pieces(unsorted_bytes<T>(nnz)), bytes);
}
Status check_unsorted(Handle h, int m, int n, int nnz, cusparseMatDescr_t descr, const void *values,
                      const int *offsets, const int *columns, csru2csrInfo *info, const void *buffer) {
  HEDDLE_LIVE(h);
  if (m < 0 || n < 0 || nnz < 0 || !is_live(info) || info->nnz != nnz || !buffer || (m > 0 && !offsets) ||
      (nnz > 0 && (!values || !columns)))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return check_general({descr});
}
/// The status of NVIDIA's function, or a negative number if ours must do this step.
int hand_over(Handle h, const char *name, int m, int n, int nnz, cusparseMatDescr_t descr, const void *values,
              const int *offsets, const int *columns, csru2csrInfo *info, const void *buffer) {
  if (!info->isNvidia) return NEVER;
  int status = h->nvidia(name, m, n, nnz, vendor_of(h, descr), values, (const void *)offsets, (const void *)columns,
                         info->vendor.handle, buffer);
  if (status == 0) info->isSortedByNvidia = true;
  if (status < 0) info->stay_own();
  return status;
}
template <class T>
Status sort_rows(Handle h, int m, int nnz, int base, T *values, const int *offsets, int *columns, csru2csrInfo *info,
                 void *buffer) {
  if (nnz == 0) return CUSPARSE_STATUS_SUCCESS; // has no order: the way back is refused, as by NVIDIA's library
  T *old = (T *)buffer;
  int *majors = (int *)(old + nnz);
  identity<<<blocks(nnz, 128), 128, 0, h->stream>>>(nnz, info->order);
  majors_of_offsets<<<blocks(m, 32), 32, 0, h->stream>>>(offsets, m, base, majors);
  if (Status failed = sort_pairs(h, nnz, majors, columns, info->order, majors + nnz)) return failed;
  cudaMemcpyAsync(old, values, (size_t)nnz * sizeof(T), cudaMemcpyDeviceToDevice, h->stream);
  move_blocks<T><<<blocks(nnz, 128), 128, 0, h->stream>>>(nnz, 1, info->order, old, values, 0);
  info->isSorted = true;
  info->isSortedByNvidia = false;
  return launched();
}
template <class T>
Status unsort_rows(Handle h, int nnz, T *values, int *columns, csru2csrInfo *info, void *buffer) {
  if (info->isSortedByNvidia) return CUSPARSE_STATUS_EXECUTION_FAILED; // the order is not ours
  if (!info->isSorted) return CUSPARSE_STATUS_INVALID_VALUE;
  T *sorted = (T *)buffer;
  int *sortedColumns = (int *)(sorted + nnz);
  cudaMemcpyAsync(sorted, values, (size_t)nnz * sizeof(T), cudaMemcpyDeviceToDevice, h->stream);
  cudaMemcpyAsync(sortedColumns, columns, (size_t)nnz * sizeof(int), cudaMemcpyDeviceToDevice, h->stream);
  move_blocks<T><<<blocks(nnz, 128), 128, 0, h->stream>>>(nnz, 1, info->order, sorted, values, 1);
  move_blocks<int><<<blocks(nnz, 128), 128, 0, h->stream>>>(nnz, 1, info->order, sortedColumns, columns, 1);
  return launched();
}

template <class R>
Status colour(Handle h, const char *name, int m, int nnz, cusparseMatDescr_t descr, const void *values,
              const int *offsets, const int *columns, const R *fraction, int *count, int *colours, int *order,
              cusparseColorInfo *info) {
  HEDDLE_LIVE(h);
  if (m < 0 || nnz < 0 || !is_live(info) || !fraction || !count || (m > 0 && (!offsets || !colours)) ||
      (nnz > 0 && !columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (Status wrong = check_general({descr})) return wrong;
  int status = step_by_nvidia(h, info, [&] {
    return h->nvidia(name, m, nnz, vendor_of(h, descr), values, (const void *)offsets, (const void *)columns,
                     h->scalar(fraction), h->scalar(count), (const void *)colours, (const void *)order, state_of(info));
  });
  if (status >= 0) return (Status)status;
  R share = 0;
  bool isOnDevice = h->pointerMode == CUSPARSE_POINTER_MODE_DEVICE;
  if (!read_scalar(h, &share, fraction, sizeof share)) return CUSPARSE_STATUS_EXECUTION_FAILED;
  if (!(share >= 0 && share <= 1)) return CUSPARSE_STATUS_INVALID_VALUE;
  int *used = (int *)h->scratch(((size_t)m + 2) * sizeof(int));
  if (!used) return CUSPARSE_STATUS_ALLOC_FAILED;
  int greedy = (int)((double)share * m + 0.999999), *found = used + m;
  colour_rows<<<1, 1, 0, h->stream>>>(m, greedy, offsets, columns, descr->base, used, colours, found);
  if (order) order_by_colour<<<1, 1, 0, h->stream>>>(m, descr->base, colours, found, used, order);
  cudaMemcpyAsync(count, found, sizeof(int), isOnDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost,
                  h->stream);
  if (!isOnDevice) cudaStreamSynchronize(h->stream);
  return launched();
}

} // namespace

extern "C" {

cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t *info) { return make_state(info); }
cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info) { return destroy_object(info); }
cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t *info) { return make_state(info); }
cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info) { return destroy_object(info); }

cusparseStatus_t cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                                       const cusparseMatDescr_t descrA, const int *offsets, const int *columns,
                                       const cusparseMatDescr_t descrC, int *offsetsC, int rowBlockDim, int colBlockDim,
                                       int *nnzTotalDevHostPtr, void *pBuffer) {
  Source a{dirA, m, n, 0, descrA, nullptr, offsets, columns, 1, 1};
  Target c{descrC, nullptr, offsetsC, nullptr, rowBlockDim, colBlockDim};
  if (cusparseStatus_t wrong = check_conversion(handle, a, c)) return wrong;
  int status = handle->nvidia("cusparseXcsr2gebsrNnz", (int)dirA, m, n, vendor_of(handle, descrA),
                              (const void *)offsets, (const void *)columns, vendor_of(handle, descrC),
                              (const void *)offsetsC, rowBlockDim, colBlockDim, handle->scalar(nnzTotalDevHostPtr),
                              (const void *)pBuffer);
  return status >= 0 ? (cusparseStatus_t)status : count_blocks_of(handle, a, c, nnzTotalDevHostPtr, pBuffer);
}
cusparseStatus_t cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                                         const cusparseMatDescr_t descrA, const int *offsets, const int *columns,
                                         int rowBlockDimA, int colBlockDimA, const cusparseMatDescr_t descrC,
                                         int *offsetsC, int rowBlockDimC, int colBlockDimC, int *nnzTotalDevHostPtr,
                                         void *pBuffer) {
  Source a{dirA, mb, nb, nnzb, descrA, nullptr, offsets, columns, rowBlockDimA, colBlockDimA};
  Target c{descrC, nullptr, offsetsC, nullptr, rowBlockDimC, colBlockDimC};
  if (cusparseStatus_t wrong = check_conversion(handle, a, c)) return wrong;
  int status = handle->nvidia("cusparseXgebsr2gebsrNnz", (int)dirA, mb, nb, nnzb, vendor_of(handle, descrA),
                              (const void *)offsets, (const void *)columns, rowBlockDimA, colBlockDimA,
                              vendor_of(handle, descrC), (const void *)offsetsC, rowBlockDimC, colBlockDimC,
                              handle->scalar(nnzTotalDevHostPtr), (const void *)pBuffer);
  if (status >= 0) return (cusparseStatus_t)status;
  // Without a block no offset and no total is written, as by NVIDIA's library.
  return nnzb == 0 ? CUSPARSE_STATUS_SUCCESS : count_blocks_of(handle, a, c, nnzTotalDevHostPtr, pBuffer);
}
cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
                                    const cusparseMatDescr_t descrA, const int *offsets, const int *columns,
                                    int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC, int *offsetsC,
                                    int *columnsC) {
  Source a{dirA, mb, nb, 0, descrA, nullptr, offsets, columns, rowBlockDim, colBlockDim};
  return to_rows<float>(handle, "cusparseXgebsr2csr", a, descrC, nullptr, offsetsC, columnsC, false);
}

#define HEDDLE_CSR2GEBSR_SIZE(P, T, NAME, B, THEIRS)                                                                   \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_CSR2GEBSR_MATRIX(T), int rowBlockDim, int colBlockDim, B *bytes) {         \
    Source a{dirA, m, n, 0, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, 1, 1};                          \
    Target c{nullptr, nullptr, nullptr, nullptr, rowBlockDim, colBlockDim};                                            \
    if (cusparseStatus_t wrong = check_conversion(handle, a, c)) return wrong;                                         \
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                                                  \
    THEIRS theirs = 0;                                                                                                 \
    int status = handle->nvidia("cusparse" #P #NAME, (int)dirA, m, n, vendor_of(handle, descrA), a.values,             \
                                (const void *)a.offsets, (const void *)a.columns, rowBlockDim, colBlockDim,            \
                                Host{&theirs});                                                                        \
    return store_bytes<B>(status, theirs, whole_pieces(conversion_bytes(a, c)), bytes);                                \
  }
#define HEDDLE_GEBSR2GEBSC_SIZE(P, T, NAME, B, THEIRS)                                                                 \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_GEBSR2GEBSC_MATRIX(T), B *bytes) {                                         \
    Transposition a{mb, nb, nnzb, bsrSortedVal, bsrSortedRowPtr, bsrSortedColInd, rowBlockDim, colBlockDim};           \
    if (cusparseStatus_t wrong = a.check(handle)) return wrong;                                                        \
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                                                  \
    THEIRS theirs = 0;                                                                                                 \
    int status = handle->nvidia("cusparse" #P #NAME, HEDDLE_TRANSPOSED(a), Host{&theirs});                             \
    return store_bytes<B>(status, theirs, whole_pieces(a.bytes()), bytes);                                             \
  }
#define HEDDLE_GEBSR_SOURCE                                                                                            \
  Source a{dirA, mb, nb, nnzb, descrA, bsrSortedValA, bsrSortedRowPtrA, bsrSortedColIndA, rowBlockDimA, colBlockDimA}
#define HEDDLE_GEBSR_NVIDIA                                                                                            \
  (int)dirA, mb, nb, nnzb, vendor_of(handle, descrA), a.values, (const void *)a.offsets, (const void *)a.columns,      \
      rowBlockDimA, colBlockDimA
#define HEDDLE_GEBSR2GEBSR_SIZE(P, T, NAME, B, THEIRS)                                                                 \
  cusparseStatus_t cusparse##P##NAME(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,      \
                                     HEDDLE_GEBSR_MATRIX(T), int rowBlockDimC, int colBlockDimC, B *bytes) {           \
    HEDDLE_GEBSR_SOURCE;                                                                                               \
    Target c{nullptr, nullptr, nullptr, nullptr, rowBlockDimC, colBlockDimC};                                          \
    if (cusparseStatus_t wrong = check_conversion(handle, a, c)) return wrong;                                         \
    if (!bytes) return CUSPARSE_STATUS_INVALID_VALUE;                                                                  \
    THEIRS theirs = 0;                                                                                                 \
    int status = handle->nvidia("cusparse" #P #NAME, HEDDLE_GEBSR_NVIDIA, rowBlockDimC, colBlockDimC, Host{&theirs});  \
    return store_bytes<B>(status, theirs, whole_pieces(conversion_bytes(a, c)), bytes);                                \
  }
#define HEDDLE_CSRU(P, T, E, NAME, RUN)                                                                                \
  cusparseStatus_t cusparse##P##NAME(HEDDLE_CSRU_MATRIX(T)) {                                                          \
    if (cusparseStatus_t wrong =                                                                                       \
            check_unsorted(handle, m, n, nnz, descrA, csrVal, csrRowPtr, csrColInd, info, pBuffer))                    \
      return wrong;                                                                                                    \
    int status =                                                                                                       \
        hand_over(handle, "cusparse" #P #NAME, m, n, nnz, descrA, csrVal, csrRowPtr, csrColInd, info, pBuffer);        \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    return RUN;                                                                                                        \
  }
#define HEDDLE_FORMATS(P, T, E, R, TOLERANCE)                                                                          \
  HEDDLE_CSR2GEBSR_SIZE(P, T, csr2gebsr_bufferSize, int, int)                                                          \
  HEDDLE_CSR2GEBSR_SIZE(P, T, csr2gebsr_bufferSizeExt, size_t, unsigned long long)                                     \
  cusparseStatus_t cusparse##P##csr2gebsr(HEDDLE_CSR2GEBSR_MATRIX(T), const cusparseMatDescr_t descrC,                 \
                                          T *bsrSortedValC, int *bsrSortedRowPtrC, int *bsrSortedColIndC,              \
                                          int rowBlockDim, int colBlockDim, void *pBuffer) {                           \
    Source a{dirA, m, n, 0, descrA, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, 1, 1};                          \
    Target c{descrC, bsrSortedValC, bsrSortedRowPtrC, bsrSortedColIndC, rowBlockDim, colBlockDim};                     \
    if (cusparseStatus_t wrong = check_second(handle, a, c, pBuffer)) return wrong;                                    \
    int status = handle->nvidia("cusparse" #P "csr2gebsr", (int)dirA, m, n, vendor_of(handle, descrA), a.values,       \
                                (const void *)a.offsets, (const void *)a.columns, vendor_of(handle, descrC),           \
                                (const void *)bsrSortedValC, (const void *)bsrSortedRowPtrC,                           \
                                (const void *)bsrSortedColIndC, rowBlockDim, colBlockDim, (const void *)pBuffer);      \
    return status >= 0 ? (cusparseStatus_t)status : convert_blocks<E>(handle, a, c, pBuffer);                          \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##gebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,           \
                                          HEDDLE_GEBSR_MATRIX(T), const cusparseMatDescr_t descrC, T *csrSortedValC,   \
                                          int *csrSortedRowPtrC, int *csrSortedColIndC) {                              \
    int nnzb = 0;                                                                                                      \
    HEDDLE_GEBSR_SOURCE;                                                                                               \
    return to_rows<E>(handle, "cusparse" #P "gebsr2csr", a, descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC, \
                      true);                                                                                           \
  }                                                                                                                    \
  HEDDLE_GEBSR2GEBSC_SIZE(P, T, gebsr2gebsc_bufferSize, int, int)                                                      \
  HEDDLE_GEBSR2GEBSC_SIZE(P, T, gebsr2gebsc_bufferSizeExt, size_t, unsigned long long)                                 \
  cusparseStatus_t cusparse##P##gebsr2gebsc(HEDDLE_GEBSR2GEBSC_MATRIX(T), T *bscVal, int *bscRowInd, int *bscColPtr,   \
                                            cusparseAction_t copyValues, cusparseIndexBase_t idxBase, void *pBuffer) { \
    Transposition a{mb, nb, nnzb, bsrSortedVal, bsrSortedRowPtr, bsrSortedColInd, rowBlockDim, colBlockDim};           \
    return transpose_to<E>(handle, "cusparse" #P "gebsr2gebsc", a, bscVal, bscRowInd, bscColPtr, copyValues, idxBase,  \
                           pBuffer);                                                                                   \
  }                                                                                                                    \
  HEDDLE_GEBSR2GEBSR_SIZE(P, T, gebsr2gebsr_bufferSize, int, int)                                                      \
  HEDDLE_GEBSR2GEBSR_SIZE(P, T, gebsr2gebsr_bufferSizeExt, size_t, unsigned long long)                                 \
  cusparseStatus_t cusparse##P##gebsr2gebsr(                                                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb, HEDDLE_GEBSR_MATRIX(T),             \
      const cusparseMatDescr_t descrC, T *bsrSortedValC, int *bsrSortedRowPtrC, int *bsrSortedColIndC,                 \
      int rowBlockDimC, int colBlockDimC, void *pBuffer) {                                                             \
    HEDDLE_GEBSR_SOURCE;                                                                                               \
    Target c{descrC, bsrSortedValC, bsrSortedRowPtrC, bsrSortedColIndC, rowBlockDimC, colBlockDimC};                   \
    if (cusparseStatus_t wrong = check_second(handle, a, c, pBuffer)) return wrong;                                    \
    int status = handle->nvidia("cusparse" #P "gebsr2gebsr", HEDDLE_GEBSR_NVIDIA, vendor_of(handle, descrC),           \
                                (const void *)bsrSortedValC, (const void *)bsrSortedRowPtrC,                           \
                                (const void *)bsrSortedColIndC, rowBlockDimC, colBlockDimC, (const void *)pBuffer);    \
    if (status >= 0) return (cusparseStatus_t)status;                                                                  \
    if (nnzb == 0) return CUSPARSE_STATUS_SUCCESS;                                                                     \
    return convert_blocks<E>(handle, a, c, pBuffer);                                                                   \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##nnz_compress(cusparseHandle_t handle, int m, const cusparseMatDescr_t descr,           \
                                             const T *csrSortedValA, const int *csrSortedRowPtrA, int *nnzPerRow,      \
                                             int *nnzC, T tol) {                                                       \
    return count_kept(Rows<E>{handle, m, descr, (const E *)csrSortedValA, csrSortedRowPtrA, tol TOLERANCE}, nnzPerRow, \
                      nnzC);                                                                                           \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csr2csr_compress(                                                                      \
      cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, const T *csrSortedValA,                  \
      const int *csrSortedColIndA, const int *csrSortedRowPtrA, int nnzA, const int *nnzPerRow, T *csrSortedValC,      \
      int *csrSortedColIndC, int *csrSortedRowPtrC, T tol) {                                                           \
    return keep(Rows<E>{handle, m, descrA, (const E *)csrSortedValA, csrSortedRowPtrA, tol TOLERANCE}, n, nnzA,        \
                csrSortedColIndA, nnzPerRow, (E *)csrSortedValC, csrSortedColIndC, csrSortedRowPtrC);                  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##P##csru2csr_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, T *csrVal,      \
                                                       const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info,      \
                                                       size_t *bytes) {                                                \
    HEDDLE_LIVE(handle);                                                                                               \
    if (m < 0 || n < 0 || nnz < 0 || !is_live(info) || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;                   \
    return unsorted_size<E>(handle, "cusparse" #P "csru2csr_bufferSizeExt", m, n, nnz, csrVal, csrRowPtr, csrColInd,   \
                            info, bytes);                                                                              \
  }                                                                                                                    \
  HEDDLE_CSRU(P, T, E, csru2csr,                                                                                       \
              sort_rows(handle, m, nnz, descrA->base, (E *)csrVal, csrRowPtr, csrColInd, info, pBuffer))               \
  HEDDLE_CSRU(P, T, E, csr2csru, unsort_rows(handle, nnz, (E *)csrVal, csrColInd, info, pBuffer))                      \
  cusparseStatus_t cusparse##P##csrcolor(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,     \
                                         const T *csrSortedValA, const int *csrSortedRowPtrA,                          \
                                         const int *csrSortedColIndA, const R *fractionToColor, int *ncolors,          \
                                         int *coloring, int *reordering, const cusparseColorInfo_t info) {             \
    return colour<R>(handle, "cusparse" #P "csrcolor", m, nnz, descrA, csrSortedValA, csrSortedRowPtrA,                \
                     csrSortedColIndA, fractionToColor, ncolors, coloring, reordering, info);                          \
  }
HEDDLE_FORMATS(S, float, float, float, )
HEDDLE_FORMATS(D, double, double, double, )
HEDDLE_FORMATS(C, cuComplex, c32, float, .x)
HEDDLE_FORMATS(Z, cuDoubleComplex, c64, double, .x)
#undef HEDDLE_FORMATS
}
