// What the units of cuSPARSE share: checks of arguments, launches, totals, pivots, and the hand-over of steps.
#pragma once
#include <initializer_list>
#include <string.h>
#include "../common/launched.h"
#include "descriptors.h"

namespace heddle_sparse {

// A handle that is not alive. The functions for one type have the documented status. The generic functions, and those
// of the handle itself, call it a wrong value, as NVIDIA's library does (an H200, CUDA 13.0).
#define HEDDLE_LIVE(HANDLE) if (!is_live(HANDLE)) return CUSPARSE_STATUS_NOT_INITIALIZED
#define HEDDLE_LIVE_GENERIC(HANDLE) if (!is_live(HANDLE)) return CUSPARSE_STATUS_INVALID_VALUE

inline cusparseStatus_t launched() {
  cudaError_t error = __heddle_work_error();
  if (error == cudaSuccess) return CUSPARSE_STATUS_SUCCESS;
  return heddle_captures::is_refusal(error) ? CUSPARSE_STATUS_INTERNAL_ERROR : CUSPARSE_STATUS_EXECUTION_FAILED;
}
inline int blocks(i64 n, int size, int most = 65535) {
  i64 count = (n + size - 1) / size;
  return (int)(count < 1 ? 1 : count > most ? most : count);
}
template <class T> Factor<T> factor_of(cusparseHandle_t h, const void *address) {
  if (h->pointerMode == CUSPARSE_POINTER_MODE_DEVICE) return {zero<T>(), (const T *)address};
  return {*(const T *)address, nullptr};
}
template <class T> Scalars<T> scalars_of(cusparseHandle_t h, const void *alpha, const void *beta) {
  return {factor_of<T>(h, alpha), factor_of<T>(h, beta)};
}

inline bool is_general(cusparseMatDescr_t descr) {
  return is_live(descr) && descr->type == CUSPARSE_MATRIX_TYPE_GENERAL;
}
/// A matrix descriptor that is missing, or of a type that a function does not have.
inline cusparseStatus_t check_general(std::initializer_list<cusparseMatDescr_t> descrs) {
  for (cusparseMatDescr_t descr : descrs) {
    if (!is_live(descr)) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!is_general(descr)) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  }
  return CUSPARSE_STATUS_SUCCESS;
}
/// A sum that a function stores where the pointer mode says.
inline cusparseStatus_t store_total(cusparseHandle_t h, const i64 *onDevice, int *target) {
  if (!target) return CUSPARSE_STATUS_SUCCESS;
  bool isOnDevice = h->pointerMode == CUSPARSE_POINTER_MODE_DEVICE;
  cudaMemcpyAsync(target, onDevice, sizeof(int), isOnDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost,
                  h->stream);
  bool isFine = isOnDevice || cudaStreamSynchronize(h->stream) == cudaSuccess;
  return isFine ? launched() : CUSPARSE_STATUS_EXECUTION_FAILED;
}
/// A scalar of where the pointer mode says, when the work before in the handle's stream is done.
inline bool read_scalar(cusparseHandle_t h, void *to, const void *from, size_t bytes) {
  if (h->pointerMode != CUSPARSE_POINTER_MODE_DEVICE) {
    memcpy(to, from, bytes);
    return true;
  }
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, h->stream) == cudaSuccess &&
         cudaStreamSynchronize(h->stream) == cudaSuccess;
}
/// Work memory that a program gives where the documentation asks for multiples of 128 bytes.
inline bool is_work_memory(const void *buffer) { return buffer && (uintptr_t)buffer % 128 == 0; }

template <class Descr> cusparseStatus_t make_state(Descr **out) {
  if (!out) return CUSPARSE_STATUS_INVALID_VALUE;
  const Descr *made = nullptr;
  cusparseStatus_t status = make_object<Descr>(new (std::nothrow) Descr, &made);
  *out = (Descr *)made;
  return status;
}
/// Whether NVIDIA's library goes along with the steps of a state.
inline bool begins_with_nvidia(cusparseHandle_t h, Steps *state) {
  if (state->isNvidia || state->isOwn || !h->mayHaveNvidia) return state->isNvidia;
  state->isNvidia = h->library(state->create, Host{&state->vendor.handle}) == 0;
  state->isOwn = !state->isNvidia;
  return state->isNvidia;
}
/// A step by NVIDIA's library: its status, or a negative number if ours must do this step and all others.
template <class Call> int step_by_nvidia(cusparseHandle_t h, Steps *state, Call call) {
  if (!begins_with_nvidia(h, state)) return NEVER;
  int status = call();
  if (status < 0) state->stay_own();
  return status;
}
/// NVIDIA's state as an argument of a step: the first step makes it, after its arguments have been evaluated.
inline HandleAt state_of(const Steps *state) { return {&state->vendor.handle}; }

/// A size of work memory in whole pieces of 128 bytes, and room to align it.
inline size_t whole_pieces(size_t bytes) { return (bytes + 127) / 128 * 128 + 128; }
/// Stores the bytes of work memory: ours, or more where NVIDIA's library may work.
/// @param status of NVIDIA's function, or a negative number
template <class B> cusparseStatus_t store_bytes(int status, unsigned long long theirs, size_t own, B *bytes) {
  if (status > 0) return (cusparseStatus_t)status;
  *bytes = (B)(status == 0 && theirs > own ? theirs : own);
  return CUSPARSE_STATUS_SUCCESS;
}

/// Where a factor or a solution found no pivot.
struct Pivots {
  int *position = nullptr; // device memory: the first row without a pivot, for the structure and for the values
  Pivots() = default;
  Pivots(const Pivots &) = delete;
  ~Pivots() { if (position) cudaFree(position); }
};
inline int *position_of(Pivots *info) {
  if (!info->position && cudaMalloc(&info->position, sizeof(int)) != cudaSuccess) return nullptr;
  return info->position;
}
template <class Info> cusparseStatus_t zero_pivot(cusparseHandle_t h, Info *info, int *position) {
  HEDDLE_LIVE(h);
  if (!is_live(info) || !position || !info->position) return CUSPARSE_STATUS_INVALID_VALUE;
  int found = -1;
  cudaMemcpyAsync(&found, info->position, sizeof found, cudaMemcpyDeviceToHost, h->stream);
  if (cudaStreamSynchronize(h->stream) != cudaSuccess) return CUSPARSE_STATUS_EXECUTION_FAILED;
  bool isOnDevice = h->pointerMode == CUSPARSE_POINTER_MODE_DEVICE;
  if (!isOnDevice) *position = found;
  else if (cudaMemcpyAsync(position, info->position, sizeof found, cudaMemcpyDeviceToDevice, h->stream) != cudaSuccess)
    return CUSPARSE_STATUS_EXECUTION_FAILED;
  return found < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

} // namespace heddle_sparse
