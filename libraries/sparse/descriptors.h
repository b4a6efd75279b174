// What is behind the handles and the descriptors of cuSPARSE, and NVIDIA's descriptors of the same things.
#pragma once
#include <cusparse.h>
#include <string.h>
#include <new>
#include <vector>
#include "../common/captures.h"
#include "../common/nvidia.h"
#include "../common/scratch.h"
#include "entries.cuh"

namespace heddle_sparse {

/// Objects that a program made and has not destroyed: a call with another pointer ends in a status.
inline std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
inline bool is_live(const void *object) {
  std::vector<const void *> &all = live_objects();
  for (size_t i = all.size(); i-- > 0;) if (all[i] == object) return true;
  return false;
}
template <class T> cusparseStatus_t make_object(T *object, const T **out) {
  if (!object) return CUSPARSE_STATUS_ALLOC_FAILED;
  live_objects().push_back(object);
  *out = object;
  return CUSPARSE_STATUS_SUCCESS;
}
/// To destroy nothing is right, as in NVIDIA's library.
template <class T> cusparseStatus_t destroy_object(const T *object) {
  if (!object) return CUSPARSE_STATUS_SUCCESS;
  std::vector<const void *> &all = live_objects();
  for (size_t i = all.size(); i-- > 0;)
    if (all[i] == object) {
      all.erase(all.begin() + i);
      delete object;
      return CUSPARSE_STATUS_SUCCESS;
    }
  return CUSPARSE_STATUS_INVALID_VALUE;
}

/// NVIDIA's descriptor, made when a call is first handed over.
struct Vendor {
  unsigned long long handle = 0;
  const char *destroy;
  explicit Vendor(const char *destroy) : destroy(destroy) {}
  void forget() {
    if (handle) heddle_nvidia::call_nvidia(nullptr, "cusparse", 0, destroy, handle);
    handle = 0;
  }
  ~Vendor() { forget(); }
};

} // namespace heddle_sparse

struct cusparseContext {
  cudaStream_t stream = 0, appliedStream = 0;
  cusparsePointerMode_t pointerMode = CUSPARSE_POINTER_MODE_HOST, appliedMode = CUSPARSE_POINTER_MODE_HOST;
  bool mayHaveNvidia = true, hasNvidia = false;

  template <class... Values> int library(const char *name, Values... values) {
    int status = heddle_nvidia::call_nvidia(this, "cusparse", stream, name, values...);
    mayHaveNvidia = status != heddle_nvidia::NEVER;
    hasNvidia = hasNvidia || status >= 0;
    return status;
  }
  /// The status of NVIDIA's function, or a negative number if ours must do the work.
  template <class... Values> int nvidia(const char *name, Values... values) {
    if (!mayHaveNvidia) return heddle_nvidia::NEVER;
    int status = 0;
    if (appliedStream != stream) {
      status = library("cusparseSetStream", heddle_nvidia::OwnHandle{}, heddle_nvidia::OfStream{stream});
      if (status == 0) appliedStream = stream;
    }
    if (status == 0 && appliedMode != pointerMode) {
      status = library("cusparseSetPointerMode", heddle_nvidia::OwnHandle{}, (int)pointerMode);
      if (status == 0) appliedMode = pointerMode;
    }
    return status == 0 ? library(name, heddle_nvidia::OwnHandle{}, values...) : status;
  }
  heddle_nvidia::Scalar scalar(const void *address) const {
    return {address, pointerMode == CUSPARSE_POINTER_MODE_DEVICE};
  }
  heddle_scratch::Scratch pieces;
  void *scratch(size_t bytes) { return pieces(bytes, stream); }
  ~cusparseContext() {
    if (hasNvidia) library("cusparseDestroy", heddle_nvidia::OwnHandle{});
  }
};

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
  mutable heddle_sparse::Vendor vendor{"cusparseDestroyMatDescr"};
};
struct cusparseSpVecDescr {
  int64_t size, nnz;
  const void *indices, *values;
  cusparseIndexType_t indexType;
  cusparseIndexBase_t base;
  cudaDataType type;
  mutable heddle_sparse::Vendor vendor{"cusparseDestroySpVec"};
};
struct cusparseDnVecDescr {
  int64_t size;
  const void *values;
  cudaDataType type;
  mutable heddle_sparse::Vendor vendor{"cusparseDestroyDnVec"};
};
struct cusparseDnMatDescr {
  int64_t rows, cols, ld;
  const void *values;
  cudaDataType type;
  cusparseOrder_t order;
  int batch = 1;
  int64_t batchStride = 0;
  mutable heddle_sparse::Vendor vendor{"cusparseDestroyDnMat"};
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, cols, nnz; // BSR: of blocks
  const void *offsets, *indices, *values; // COO: rows and columns
  cusparseIndexType_t offsetsType, indexType;
  cusparseIndexBase_t base;
  cudaDataType type;
  int64_t rowBlock = 1, colBlock = 1, width = 0, sliceSize = 0, valuesSize = 0;
  cusparseOrder_t order = CUSPARSE_ORDER_ROW;
  int batch = 1;
  int64_t offsetsStride = 0, indicesStride = 0, valuesStride = 0;
  bool hasFill = false, hasDiag = false;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
  mutable heddle_sparse::Vendor vendor{"cusparseDestroySpMat"};

  int64_t allRows() const { return format == CUSPARSE_FORMAT_BSR ? rows * rowBlock : rows; }
  int64_t allCols() const { return format == CUSPARSE_FORMAT_BSR ? cols * colBlock : cols; }
  heddle_sparse::Entries entries() const {
    using namespace heddle_sparse;
    Entries e{};
    e.format = (int)format;
    e.base = (int)base;
    e.rows = allRows();
    e.cols = allCols();
    e.nnz = nnz;
    e.units = format == CUSPARSE_FORMAT_CSC ? cols : format == CUSPARSE_FORMAT_COO ? nnz : allRows();
    e.offsets = {offsets, offsetsType == CUSPARSE_INDEX_64I};
    e.indices = {indices, indexType == CUSPARSE_INDEX_64I};
    e.rowBlock = (int)rowBlock;
    e.colBlock = (int)colBlock;
    e.isColumnOrder = order == CUSPARSE_ORDER_COL;
    e.width = width;
    e.sliceSize = sliceSize;
    e.offsetsStride = offsetsStride;
    e.indicesStride = indicesStride;
    e.valuesStride = valuesStride;
    return e;
  }
};

namespace heddle_sparse {

using namespace heddle_nvidia;

/// The state of an operation in several calls. Once NVIDIA's library has begun, ours may still go on in its place.
struct Steps {
  const char *create; // the function that makes NVIDIA's state
  Vendor vendor;
  bool isNvidia = false, isOwn = false;
  Steps(const char *create, const char *destroy) : create(create), vendor(destroy) {}
  /// A step that NVIDIA's library did not do: ours does it, and all that follow.
  void stay_own() {
    isNvidia = false;
    isOwn = true;
  }
};

template <class T> struct Tag { typedef T type; };

inline size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I: case CUDA_R_8U: return 1;
    case CUDA_R_16F: case CUDA_R_16BF: return 2;
    case CUDA_R_64F: case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 4;
  }
}
inline size_t index_bytes(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 8 : 4; }
inline bool is_index(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I; }
inline bool is_base(cusparseIndexBase_t base) {
  return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}
inline bool is_operation(cusparseOperation_t op) { return op >= 0 && op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE; }

// NVIDIA's descriptor of ours; 0 if there is none.

inline unsigned long long vendor_of(cusparseContext *h, const cusparseMatDescr *d) {
  unsigned long long &handle = d->vendor.handle;
  if (handle || !h->mayHaveNvidia || h->library("cusparseCreateMatDescr", Host{&handle}) != 0) return handle;
  h->library("cusparseSetMatType", handle, (int)d->type);
  h->library("cusparseSetMatFillMode", handle, (int)d->fill);
  h->library("cusparseSetMatDiagType", handle, (int)d->diag);
  h->library("cusparseSetMatIndexBase", handle, (int)d->base);
  return handle;
}
inline unsigned long long vendor_of(cusparseContext *h, const cusparseDnVecDescr *v) {
  if (!v->vendor.handle && h->mayHaveNvidia)
    h->library("cusparseCreateDnVec", Host{&v->vendor.handle}, (long long)v->size, v->values, (int)v->type);
  return v->vendor.handle;
}
inline unsigned long long vendor_of(cusparseContext *h, const cusparseSpVecDescr *v) {
  if (!v->vendor.handle && h->mayHaveNvidia)
    h->library("cusparseCreateSpVec", Host{&v->vendor.handle}, (long long)v->size, (long long)v->nnz, v->indices,
               v->values, (int)v->indexType, (int)v->base, (int)v->type);
  return v->vendor.handle;
}
inline unsigned long long vendor_of(cusparseContext *h, const cusparseDnMatDescr *m) {
  if (!m->vendor.handle && h->mayHaveNvidia) {
    int status = h->library("cusparseCreateDnMat", Host{&m->vendor.handle}, (long long)m->rows, (long long)m->cols,
                            (long long)m->ld, m->values, (int)m->type, (int)m->order);
    if (status == 0 && m->batch != 1)
      h->library("cusparseDnMatSetStridedBatch", m->vendor.handle, m->batch, (long long)m->batchStride);
  }
  return m->vendor.handle;
}
inline unsigned long long vendor_of(cusparseContext *h, const cusparseSpMatDescr *m) {
  unsigned long long &handle = m->vendor.handle;
  if (handle || !h->mayHaveNvidia) return handle;
  long long rows = m->rows, cols = m->cols, nnz = m->nnz;
  int offsetsType = m->offsetsType, indexType = m->indexType, base = m->base, type = m->type;
  int status = NEVER;
  switch (m->format) {
    case CUSPARSE_FORMAT_CSR:
    case CUSPARSE_FORMAT_CSC:
      status = h->library(m->format == CUSPARSE_FORMAT_CSR ? "cusparseCreateCsr" : "cusparseCreateCsc", Host{&handle},
                          rows, cols, nnz, m->offsets, m->indices, m->values, offsetsType, indexType, base, type);
      break;
    case CUSPARSE_FORMAT_COO:
      status = h->library("cusparseCreateCoo", Host{&handle}, rows, cols, nnz, m->offsets, m->indices, m->values,
                          indexType, base, type);
      break;
    case CUSPARSE_FORMAT_BSR:
      status = h->library("cusparseCreateBsr", Host{&handle}, rows, cols, nnz, (long long)m->rowBlock,
                          (long long)m->colBlock, m->offsets, m->indices, m->values, offsetsType, indexType, base,
                          type, (int)m->order);
      break;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      status = h->library("cusparseCreateBlockedEll", Host{&handle}, rows, cols, (long long)m->rowBlock,
                          (long long)m->width, m->indices, m->values, indexType, base, type);
      break;
    default:
      status = h->library("cusparseCreateSlicedEll", Host{&handle}, rows, cols, nnz, (long long)m->valuesSize,
                          (long long)m->sliceSize, m->offsets, m->indices, m->values, offsetsType, indexType, base,
                          type);
  }
  if (status != 0) return handle = 0;
  if (m->batch != 1 && m->format == CUSPARSE_FORMAT_CSR)
    h->library("cusparseCsrSetStridedBatch", handle, m->batch, (long long)m->offsetsStride, (long long)m->valuesStride);
  if (m->batch != 1 && m->format == CUSPARSE_FORMAT_COO)
    h->library("cusparseCooSetStridedBatch", handle, m->batch, (long long)m->valuesStride);
  if (m->batch != 1 && m->format == CUSPARSE_FORMAT_BSR)
    h->library("cusparseBsrSetStridedBatch", handle, m->batch, (long long)m->offsetsStride,
               (long long)m->indicesStride, (long long)m->valuesStride);
  int fill = m->fill, diag = m->diag;
  if (m->hasFill) h->library("cusparseSpMatSetAttribute", handle, 0, Host{&fill}, (long long)sizeof fill);
  if (m->hasDiag) h->library("cusparseSpMatSetAttribute", handle, 1, Host{&diag}, (long long)sizeof diag);
  return handle;
}

} // namespace heddle_sparse
