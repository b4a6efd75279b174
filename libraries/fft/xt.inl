// The extended API: part of cufft.cu. A descriptor holds a piece of the data for each device: whole transforms of a
// batch, or slices along the slowest dimension. After a transform of two or three dimensions they are slices along the
// second one (cuFFT documentation, "Multiple GPU data organization"). After a transform of one dimension they stay in
// natural order, where NVIDIA's library leaves an order of its own. Several devices' data are gathered on the first.

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

/// How the data of a plan lie on its devices.
struct Division {
  size_t outer, count, unit; // `outer` blocks of `count` units of so many bytes each; units are what devices share out
  size_t first(size_t device, size_t devices) const { return count * device / devices; }
  size_t bytes(size_t device, size_t devices) const {
    return outer * unit * (first(device + 1, devices) - first(device, devices));
  }
};
size_t data_bytes(const Request &);
Division division(const Request &request, bool isShuffled) {
  size_t all = data_bytes(request);
  if (request.batch > 1) return {1, (size_t)request.batch, all / (size_t)request.batch};
  if (isShuffled) {
    size_t n0 = (size_t)request.n[0];
    bool isHalf = request.rank == 2 && request.kind() != COMPLEX_TO_COMPLEX;
    size_t n1 = (size_t)(isHalf ? request.n[1] / 2 + 1 : request.n[1]);
    return {n0, n1, all / n0 / n1};
  }
  bool isHalf = request.rank == 1 && request.kind() != COMPLEX_TO_COMPLEX;
  size_t n = (size_t)(isHalf ? request.n[0] / 2 + 1 : request.n[0]);
  return {1, n, all / n};
}
/// Copies the pieces of a descriptor to or from memory that holds the whole.
cudaError_t copy_pieces(const Request &request, const cudaLibXtDesc &data, char *whole, bool isToPieces) {
  const cudaXtDesc &pieces = *data.descriptor;
  Division d = division(request, data.subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  size_t devices = (size_t)pieces.nGPUs;
  for (size_t i = 0; i < devices; i++) {
    size_t width = d.bytes(i, devices) / d.outer, pitch = d.count * d.unit;
    char *part = whole + d.first(i, devices) * d.unit, *piece = (char *)pieces.data[i];
    if (width == 0) continue;
    cudaError_t error = isToPieces ? cudaMemcpy2D(piece, width, part, pitch, width, d.outer, cudaMemcpyDefault)
                                   : cudaMemcpy2D(part, pitch, piece, width, width, d.outer, cudaMemcpyDefault);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

void set_sizes(const Request &request, cudaLibXtDesc &data) {
  cudaXtDesc &pieces = *data.descriptor;
  Division d = division(request, data.subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  for (int i = 0; i < pieces.nGPUs; i++) pieces.size[i] = d.bytes((size_t)i, (size_t)pieces.nGPUs);
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

/// Waits for the devices, transforms on the first one, and leaves the result in the order that follows the input's.
cufftResult execute_pieces(cufftHandle handle, Plan& plan, int type, cudaLibXtDesc& in, cudaLibXtDesc& out,
                           int direction) {
  size_t bytes = data_bytes(plan.request);
  for (int each : plan.devices) {
    OnDevice device(each);
    if (cudaDeviceSynchronize() != cudaSuccess) return CUFFT_EXEC_FAILED;
  }
  OnDevice device(plan.devices[0]);
  char *whole = nullptr;
  if (cudaMalloc(&whole, bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  cufftResult status = CUFFT_EXEC_FAILED;
  if (copy_pieces(plan.request, in, whole, false) == cudaSuccess)
    status = execute(handle, type, function_of(plan.request.type), whole, whole, direction);
  bool isDivided = plan.request.rank > 1 && plan.request.batch == 1;
  if (isDivided)
    out.subFormat = in.subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED ? CUFFT_XT_FORMAT_INPLACE
                                                                     : CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  set_sizes(plan.request, out);
  if (status == CUFFT_SUCCESS && (cudaStreamSynchronize(plan.stream) != cudaSuccess ||
                                  copy_pieces(plan.request, out, whole, true) != cudaSuccess))
    status = CUFFT_EXEC_FAILED;
  cudaFree(whole);
  return status;
}

cufftResult execute_descriptors(cufftHandle handle, int type, cudaLibXtDesc* in, cudaLibXtDesc* out, int direction) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (!in || !out || !in->descriptor || !out->descriptor) return CUFFT_INVALID_VALUE;
  // A plan without a list of devices has descriptors, but NVIDIA's library transforms none of them.
  if (plan->devices.empty()) return CUFFT_EXEC_FAILED;
  return execute_pieces(handle, *plan, type, *in, *out, direction);
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
  if (rank < 1 || !n) return CUFFT_INVALID_VALUE;
  if (is_half(executiontype)) return CUFFT_NOT_SUPPORTED;
  return cufftGetSizeMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
                            (cufftType)type_of(inputtype, outputtype, executiontype), batch, workSize);
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int* onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t* workSize,
                                cudaDataType executiontype) {
  if (rank < 1 || !n) return CUFFT_INVALID_VALUE;
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
  if (!devices || count < 2 || count > MAX_CUFFT_GPUS) return CUFFT_INVALID_VALUE;
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  int there = 0;
  cudaGetDeviceCount(&there);
  for (int i = 0; i < count; i++) if (devices[i] < 0 || devices[i] >= there) return CUFFT_INVALID_DEVICE;
  plan->devices.assign(devices, devices + count);
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **made, cufftXtSubFormat format) {
  if (!made || format < 0 || format >= CUFFT_FORMAT_UNDEFINED) return CUFFT_INVALID_VALUE;
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  std::vector<int> devices = plan->devices;
  if (devices.empty()) devices.resize(1), cudaGetDevice(&devices[0]);
  bool isShuffled = format == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
  if (isShuffled && (plan->request.rank == 1 || plan->request.batch > 1)) isShuffled = false;
  Division d = division(plan->request, isShuffled), other = division(plan->request, false);
  if (plan->request.rank > 1 && plan->request.batch == 1) other = division(plan->request, !isShuffled);
  cudaXtDesc *inner = new cudaXtDesc{};
  inner->version = CUDA_XT_DESCRIPTOR_VERSION;
  for (size_t i = 0; i < devices.size(); i++) {
    OnDevice device(devices[i]);
    // Slices along the other dimension may be larger.
    size_t bytes = d.bytes(i, devices.size()), most = other.bytes(i, devices.size());
    if (cudaMalloc(&inner->data[i], (bytes > most ? bytes : most) + 16) != cudaSuccess) {
      for (size_t k = 0; k < i; k++) cudaFree(inner->data[k]);
      delete inner;
      return CUFFT_ALLOC_FAILED;
    }
    inner->GPUs[i] = devices[i];
    inner->size[i] = bytes;
    inner->nGPUs = (int)i + 1;
  }
  *made = new cudaLibXtDesc{CUDA_XT_DESCRIPTOR_VERSION, inner, LIB_FORMAT_CUFFT, (int)format, nullptr};
  return CUFFT_SUCCESS;
}
cufftResult cufftXtFree(cudaLibXtDesc *descriptor) {
  if (!descriptor) return CUFFT_SUCCESS;
  if (descriptor->descriptor)
    for (int i = 0; i < descriptor->descriptor->nGPUs; i++) cudaFree(descriptor->descriptor->data[i]);
  delete descriptor->descriptor;
  delete descriptor;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMemcpy(cufftHandle handle, void *destination, void *source, cufftXtCopyType type) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (!destination || !source) return CUFFT_INVALID_VALUE;
  for (int each : plan->devices) {
    OnDevice device(each);
    cudaDeviceSynchronize();
  }
  cudaError_t error;
  if (type == CUFFT_COPY_HOST_TO_DEVICE) {
    error = copy_pieces(plan->request, *(cudaLibXtDesc *)destination, (char *)source, true);
  } else if (type == CUFFT_COPY_DEVICE_TO_HOST) {
    error = copy_pieces(plan->request, *(cudaLibXtDesc *)source, (char *)destination, false);
  } else if (type == CUFFT_COPY_DEVICE_TO_DEVICE) {
    // "copies to natural order", which the host's order is.
    cudaLibXtDesc *to = (cudaLibXtDesc *)destination, *from = (cudaLibXtDesc *)source;
    char *whole = nullptr;
    if (cudaMalloc(&whole, data_bytes(plan->request)) != cudaSuccess) return CUFFT_ALLOC_FAILED;
    error = copy_pieces(plan->request, *from, whole, false);
    if (to->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED) to->subFormat = CUFFT_XT_FORMAT_INPLACE;
    set_sizes(plan->request, *to);
    if (error == cudaSuccess) error = copy_pieces(plan->request, *to, whole, true);
    cudaFree(whole);
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
/// The factors of the order in which several devices leave a transform of one dimension: ours leave none.
cufftResult cufftXtQueryPlan(cufftHandle handle, void *query, cufftXtQueryType type) {
  if (!query || type != CUFFT_QUERY_1D_FACTORS) return CUFFT_INVALID_VALUE;
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  return plan->request.rank == 1 && plan->devices.size() > 1 ? CUFFT_NOT_IMPLEMENTED : CUFFT_INVALID_PLAN;
}
}
