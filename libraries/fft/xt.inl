// The extended API on one device: part of cufft.cu. A descriptor holds one piece, in natural order.

namespace {

i64 *property_of(Plan& plan, cufftProperty property) {
  switch (property) {
    case NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT: return &plan.patientJit;
    case NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS: return &plan.hostThreads;
    default: return nullptr;
  }
}

/// The type that three data types mean; -1 where cuFFT has none or ours has not.
int type_of(cudaDataType in, cudaDataType out, cudaDataType execution) {
  if (execution == CUDA_C_32F) {
    if (in == CUDA_C_32F && out == CUDA_C_32F) return CUFFT_C2C;
    if (in == CUDA_R_32F && out == CUDA_C_32F) return CUFFT_R2C;
    if (in == CUDA_C_32F && out == CUDA_R_32F) return CUFFT_C2R;
  }
  if (execution == CUDA_C_64F) {
    if (in == CUDA_C_64F && out == CUDA_C_64F) return CUFFT_Z2Z;
    if (in == CUDA_R_64F && out == CUDA_C_64F) return CUFFT_D2Z;
    if (in == CUDA_C_64F && out == CUDA_R_64F) return CUFFT_Z2D;
  }
  return -1;
}
bool is_half(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_R_16F || type == CUDA_C_16BF || type == CUDA_R_16BF;
}

/// The bytes of the larger array of a plan.
size_t data_bytes(const Request& request) {
  size_t element = request.isDouble() ? 16 : 8, count = (size_t)request.batch;
  for (int i = 0; i < request.rank; i++) {
    bool isHalf = i + 1 == request.rank && request.kind() != COMPLEX_TO_COMPLEX;
    count *= (size_t)(isHalf ? request.n[i] / 2 + 1 : request.n[i]);
  }
  return count * element;
}

cufftResult execute_descriptors(cufftHandle handle, int type, cudaLibXtDesc* in, cudaLibXtDesc* out, int direction) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (!in || !out || !in->descriptor || !out->descriptor) return CUFFT_INVALID_VALUE;
  return execute(handle, type, function_of(plan->request.type), in->descriptor->data[0], out->descriptor->data[0],
                 direction);
}

} // namespace

extern "C" {

cufftResult cufftSetPlanPropertyInt64(cufftHandle handle, cufftProperty property, long long int value) {
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  i64 *place = property_of(*plan, property);
  if (!place) return CUFFT_NOT_SUPPORTED;
  *place = value;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetPlanPropertyInt64(cufftHandle handle, cufftProperty property, long long int *value) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  i64 *place = property_of(*plan, property);
  if (!place) return CUFFT_NOT_SUPPORTED;
  if (!value) return CUFFT_INVALID_VALUE;
  *value = *place;
  return CUFFT_SUCCESS;
}
cufftResult cufftResetPlanProperty(cufftHandle handle, cufftProperty property) {
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  i64 *place = property_of(*plan, property);
  if (!place) return CUFFT_NOT_SUPPORTED;
  *place = property == NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS ? 1 : 0;
  return CUFFT_SUCCESS;
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int* onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t* workSize,
                               cudaDataType executiontype) {
  if (is_half(executiontype)) return CUFFT_NOT_SUPPORTED;
  return cufftGetSizeMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
                            (cufftType)type_of(inputtype, outputtype, executiontype), batch, workSize);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int* onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t* workSize,
                                cudaDataType executiontype) {
  if (is_half(executiontype)) return CUFFT_NOT_SUPPORTED;
  return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
                             (cufftType)type_of(inputtype, outputtype, executiontype), batch, workSize);
}
/// Transforms of real numbers take no notice of the direction.
cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  return execute(handle, -1, function_of(plan->request.type), in, out, direction);
}

cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int *devices) {
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  if (!devices || count < 1 || count > MAX_CUFFT_GPUS) return CUFFT_INVALID_VALUE;
  int there = 0;
  cudaGetDeviceCount(&there);
  for (int i = 0; i < count; i++) if (devices[i] < 0 || devices[i] >= there) return CUFFT_INVALID_DEVICE;
  if (count > 1) return CUFFT_NOT_SUPPORTED;
  plan->devices = count;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **made, cufftXtSubFormat format) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (!made || format < 0 || format >= CUFFT_FORMAT_UNDEFINED) return CUFFT_INVALID_VALUE;
  size_t bytes = data_bytes(plan->request);
  void *memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  cudaXtDesc *inner = new cudaXtDesc{};
  inner->version = CUDA_XT_DESCRIPTOR_VERSION;
  inner->nGPUs = 1;
  cudaGetDevice(&inner->GPUs[0]);
  inner->data[0] = memory;
  inner->size[0] = bytes;
  *made = new cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, inner, LIB_FORMAT_CUFFT, (int)format, nullptr};
  return CUFFT_SUCCESS;
}
cufftResult cufftXtFree(cudaLibXtDesc *descriptor) {
  if (!descriptor) return CUFFT_SUCCESS;
  if (descriptor->descriptor) cudaFree(descriptor->descriptor->data[0]);
  delete descriptor->descriptor;
  delete descriptor;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMemcpy(cufftHandle handle, void *destination, void *source, cufftXtCopyType type) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (!destination || !source) return CUFFT_INVALID_VALUE;
  cudaError_t error;
  if (type == CUFFT_COPY_HOST_TO_DEVICE) {
    cudaXtDesc *to = ((cudaLibXtDesc *)destination)->descriptor;
    error = cudaMemcpy(to->data[0], source, to->size[0], cudaMemcpyHostToDevice);
  } else if (type == CUFFT_COPY_DEVICE_TO_HOST) {
    cudaXtDesc *from = ((cudaLibXtDesc *)source)->descriptor;
    error = cudaMemcpy(destination, from->data[0], from->size[0], cudaMemcpyDeviceToHost);
  } else if (type == CUFFT_COPY_DEVICE_TO_DEVICE) {
    cudaXtDesc *to = ((cudaLibXtDesc *)destination)->descriptor, *from = ((cudaLibXtDesc *)source)->descriptor;
    error = cudaMemcpy(to->data[0], from->data[0], from->size[0], cudaMemcpyDeviceToDevice);
  } else return CUFFT_INVALID_VALUE;
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_INTERNAL_ERROR;
}
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **area) {
  return area ? cufftSetWorkArea(plan, area[0]) : CUFFT_INVALID_VALUE;
}
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle handle, cufftXtWorkAreaPolicy policy, size_t *workSize) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (policy < CUFFT_WORKAREA_MINIMAL || policy > CUFFT_WORKAREA_PERFORMANCE) return CUFFT_INVALID_VALUE;
  if (workSize && plan->isMade) *workSize = plan->workBytes;
  return CUFFT_SUCCESS;
}

#define HEDDLE_FFT_DESCRIPTORS(NAME, DIRECTION, ...)                                                      \
  cufftResult cufftXtExecDescriptor##NAME(cufftHandle plan, cudaLibXtDesc* in, cudaLibXtDesc* out __VA_ARGS__) {       \
    return execute_descriptors(plan, CUFFT_##NAME, in, out, DIRECTION);                                                \
  }
HEDDLE_FFT_DESCRIPTORS(C2C, direction, , int direction)
HEDDLE_FFT_DESCRIPTORS(Z2Z, direction, , int direction)
HEDDLE_FFT_DESCRIPTORS(R2C, CUFFT_FORWARD)
HEDDLE_FFT_DESCRIPTORS(D2Z, CUFFT_FORWARD)
HEDDLE_FFT_DESCRIPTORS(C2R, CUFFT_INVERSE)
HEDDLE_FFT_DESCRIPTORS(Z2D, CUFFT_INVERSE)
#undef HEDDLE_FFT_DESCRIPTORS
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction) {
  return execute_descriptors(plan, -1, in, out, direction);
}
}
