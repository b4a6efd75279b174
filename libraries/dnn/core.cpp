// cuDNN (cuDNN documentation): the handle, statuses and descriptors. Linked into programs that use cuDNN; the units
// beside it, with the kernels, only into those that call their functions (src/libraries/dnn.ts).
#include "descriptors.h"

using namespace heddle_dnn;

#include "tensors.inl"
#include "settings.inl"

extern "C" {

size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
size_t cudnnGetMaxDeviceVersion(void) { return CUDNN_MAX_DEVICE_VERSION; }
size_t cudnnGetCudartVersion(void) {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  return (size_t)version;
}
cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value) {
  HEDDLE_DNN_NEED(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  const int parts[] = {CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL};
  *value = parts[type];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGraphVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnOpsVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnCnnVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnAdvVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }

const char *cudnnGetErrorString(cudnnStatus_t status) {
  switch ((int)status) {
#define NAME(S) case S: return #S;
    NAME(CUDNN_STATUS_SUCCESS)
    NAME(CUDNN_STATUS_NOT_INITIALIZED)
    NAME(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)
    NAME(CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH)
    NAME(CUDNN_STATUS_DEPRECATED)
    NAME(CUDNN_STATUS_LICENSE_ERROR)
    NAME(CUDNN_STATUS_RUNTIME_IN_PROGRESS)
    NAME(CUDNN_STATUS_RUNTIME_FP_OVERFLOW)
    NAME(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED)
    NAME(CUDNN_STATUS_BAD_PARAM)
    NAME(CUDNN_STATUS_BAD_PARAM_NULL_POINTER)
    NAME(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER)
    NAME(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED)
    NAME(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND)
    NAME(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT)
    NAME(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH)
    NAME(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH)
    NAME(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES)
    NAME(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE)
    NAME(CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH)
    NAME(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE)
    NAME(CUDNN_STATUS_NOT_SUPPORTED)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SHAPE)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_PADDING)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM)
    NAME(CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API)
    NAME(CUDNN_STATUS_INTERNAL_ERROR)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM)
    NAME(CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED)
    NAME(CUDNN_STATUS_EXECUTION_FAILED)
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER)
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUBLAS)
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CUDART)
    NAME(CUDNN_STATUS_EXECUTION_FAILED_CURAND)
#undef NAME
    default: return "CUDNN_UNKNOWN_STATUS";
  }
}
// No message is kept: a status says what is known.
void cudnnGetLastErrorString(char *message, size_t max_size) {
  if (message && max_size > 0) message[0] = 0;
}
cudnnStatus_t cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *rstatus, cudnnErrQueryMode_t mode,
                                     cudnnRuntimeTag_t *) {
  HEDDLE_DNN_HANDLE(handle);
  HEDDLE_DNN_NEED(rstatus && mode >= CUDNN_ERRQUERY_RAWCODE && mode <= CUDNN_ERRQUERY_BLOCKING);
  cudaError_t error = cudaSuccess;
  if (mode == CUDNN_ERRQUERY_BLOCKING) error = cudaStreamSynchronize(handle->stream);
  if (mode == CUDNN_ERRQUERY_NONBLOCKING) error = cudaStreamQuery(handle->stream);
  if (heddle_captures::is_refusal(error)) return CUDNN_STATUS_INTERNAL_ERROR;
  *rstatus = CUDNN_STATUS_SUCCESS;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  if (handle && !heddle_captures::can_allocate()) return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  return make_object(handle);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  bool isRefused = handle && !heddle_captures::can_free();
  cudnnStatus_t status = destroy_object(handle);
  return isRefused && !status ? CUDNN_STATUS_INTERNAL_ERROR : status;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t streamId) {
  HEDDLE_DNN_HANDLE(handle);
  handle->stream = streamId;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *streamId) {
  HEDDLE_DNN_HANDLE(handle);
  HEDDLE_DNN_NEED(streamId);
  *streamId = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

// Kept, and never called: nothing is logged.
static struct {
  unsigned mask;
  void *data;
  cudnnCallback_t function;
} callback;
cudnnStatus_t cudnnSetCallback(unsigned mask, void *udata, cudnnCallback_t fptr) {
  callback = {mask, udata, fptr};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCallback(unsigned *mask, void **udata, cudnnCallback_t *fptr) {
  HEDDLE_DNN_NEED(mask && udata && fptr);
  *mask = callback.mask;
  *udata = callback.data;
  *fptr = callback.function;
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
