// What the units of cuSOLVER's sparse part share: handles and live objects.
#pragma once
#include <cusolverSp.h>
#include <algorithm>
#include <new>
#include <vector>
#include "../common/captures.h"

struct cusolverSpContext { cudaStream_t stream = 0; };

namespace heddle_sparse {

typedef cusolverStatus_t Status;

inline std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
inline bool is_live(const void *object) {
  return object && std::find(live_objects().begin(), live_objects().end(), object) != live_objects().end();
}
template <class T> Status make_object(T **out) {
  if (!out) return CUSOLVER_STATUS_INVALID_VALUE;
  *out = new (std::nothrow) T;
  if (!*out) return CUSOLVER_STATUS_ALLOC_FAILED;
  live_objects().push_back(*out);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T> Status destroy_object(T *object, Status wrong) {
  if (!is_live(object)) return wrong;
  live_objects().erase(std::find(live_objects().begin(), live_objects().end(), object));
  delete object;
  return CUSOLVER_STATUS_SUCCESS;
}
inline bool is_general(cusparseMatDescr_t descriptor) {
  return descriptor && cusparseGetMatType(descriptor) == CUSPARSE_MATRIX_TYPE_GENERAL;
}
inline int base_of(cusparseMatDescr_t descriptor) {
  return cusparseGetMatIndexBase(descriptor) == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
}

#define HEDDLE_LIVE if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED
#define HEDDLE_NEEDS(CONDITION) if (!(CONDITION)) return CUSOLVER_STATUS_INVALID_VALUE
/// NVIDIA's library waits in such a call, which a capture refuses.
#define HEDDLE_WAITS if (!heddle_captures::can_wait(handle->stream)) return CUSOLVER_STATUS_INTERNAL_ERROR
#define HEDDLE_GENERAL(DESCR) if (!is_general(DESCR)) return CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED

} // namespace heddle_sparse
