// cuSOLVER for matrices spread over several devices (cuSOLVER documentation, "cuSolverMG"): tiles of columns in turns.
// A call gathers its matrices on the first device, calls the function for one device, and spreads the result. So it has
// the memory of one device only.
#include <cusolverDn.h>
#include <cusolverMg.h>
#include <algorithm>
#include <new>
#include <vector>

struct cusolverMgContext {
  std::vector<int> devices;
  cusolverDnHandle_t dense = nullptr;
};

namespace {

typedef cusolverStatus_t Status;
constexpr int MOST_DEVICES = 16;

struct Grid { std::vector<int> devices; };
struct Matrix {
  int64_t rows, columns, tile;
  cudaDataType type;
  std::vector<int> devices;
};

std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
bool is_live(const void *object) {
  return object && std::find(live_objects().begin(), live_objects().end(), object) != live_objects().end();
}
template <class T> T *made() {
  T *object = new (std::nothrow) T;
  if (object) live_objects().push_back(object);
  return object;
}
template <class T> bool destroyed(T *object) {
  if (!is_live(object)) return false;
  live_objects().erase(std::find(live_objects().begin(), live_objects().end(), object));
  delete object;
  return true;
}

size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F: return 4;
    case CUDA_R_64F: case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
  }
}
cudaDataType real_type(cudaDataType type) {
  return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

/// Columns of tiles over devices; `first` and the others count from 0.
struct Part {
  char *const *arrays;
  int64_t firstRow, firstColumn, rows, columns, ld, tile, bytes;
  std::vector<int> devices;

  /// Copies to or from `gathered` on the device `at`, whose columns have `rows` elements.
  cudaError_t copy(char *gathered, int at, bool isToParts) const {
    int count = (int)devices.size();
    for (int64_t j = 0; j < columns; j++) {
      int64_t column = firstColumn + j, number = column / tile, within = number / count * tile + column % tile;
      int place = (int)(number % count);
      char *own = arrays[place] + (within * ld + firstRow) * bytes, *theirs = gathered + j * rows * bytes;
      size_t size = (size_t)(rows * bytes);
      cudaError_t error = isToParts ? cudaMemcpyPeer(own, devices[place], theirs, at, size)
                                    : cudaMemcpyPeer(theirs, at, own, devices[place], size);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  }
};

/// What a call works on, checked.
struct Call {
  cusolverMgHandle_t handle;
  Part a, b, pivots;
  cudaDataType type;
  char *work = nullptr;

  int device() const { return handle->devices[0]; }
  int64_t a_bytes() const { return (a.rows * a.columns * a.bytes + 255) / 256 * 256; }
  int64_t b_bytes() const { return (b.rows * b.columns * b.bytes + 255) / 256 * 256; }
  char *a_memory() const { return work; }
  char *b_memory() const { return work + a_bytes(); }
  /// The rest: what the function for one device wants, then its info.
  char *rest() const { return work + a_bytes() + b_bytes(); }
};

Status part(Part &made, cusolverMgHandle_t handle, cudaLibMgMatrixDesc_t descriptor, void *const *arrays, int I, int J,
            int64_t rows, int64_t columns) {
  if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (handle->devices.empty() || !is_live(descriptor) || !arrays) return CUSOLVER_STATUS_INVALID_VALUE;
  const Matrix &matrix = *(const Matrix *)descriptor;
  if (rows < 0 || columns < 0 || I < 1 || J < 1 || I - 1 + rows > matrix.rows || J - 1 + columns > matrix.columns)
    return CUSOLVER_STATUS_INVALID_VALUE;
  made = {(char *const *)arrays, I - 1, J - 1, rows, columns, matrix.rows, matrix.tile,
          (int64_t)bytes_of(matrix.type), matrix.devices};
  return CUSOLVER_STATUS_SUCCESS;
}
Status begin(Call &call, cusolverMgHandle_t handle, cudaDataType computeType, void *array_d_A[], int IA, int JA,
             cudaLibMgMatrixDesc_t descrA, int64_t rows, int64_t columns) {
  call.handle = handle;
  if (Status wrong = part(call.a, handle, descrA, array_d_A, IA, JA, rows, columns)) return wrong;
  call.b = call.a;
  call.b.columns = 0;
  call.type = ((Matrix *)descrA)->type;
  return computeType == call.type ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
Status add_b(Call &call, void *array_d_B[], int IB, int JB, cudaLibMgMatrixDesc_t descrB, int64_t rows,
             int64_t columns) {
  if (Status wrong = part(call.b, call.handle, descrB, array_d_B, IB, JB, rows, columns)) return wrong;
  return ((Matrix *)descrB)->type == call.type ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
/// Row numbers of an exchange for each of the first columns, spread as the columns of A are.
Part pivots_of(const Part &a, int *array_d_IPIV[], int64_t count) {
  Part made = a;
  made.arrays = (char *const *)array_d_IPIV;
  made.firstRow = 0;
  made.rows = made.ld = 1;
  made.columns = count;
  made.bytes = sizeof(int);
  return made;
}

/// A device that is set back.
struct Device {
  int before = 0;
  explicit Device(int device) {
    cudaGetDevice(&before);
    cudaSetDevice(device);
  }
  ~Device() { cudaSetDevice(before); }
};

constexpr int64_t INFO_BYTES = 64;

/// The size of all work memory in elements. `Ask` writes bytes on the device and on the host.
template <class Ask> Status size_of(const Call &call, int64_t *lwork, Ask ask) {
  if (!lwork) return CUSOLVER_STATUS_INVALID_VALUE;
  Device device(call.device());
  size_t own = 0, host = 0;
  if (Status failed = ask(&own, &host)) return failed;
  int64_t all = call.a_bytes() + call.b_bytes() + (int64_t)(own + 255) / 256 * 256 + INFO_BYTES;
  *lwork = (all + call.a.bytes - 1) / call.a.bytes;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Gathers A and B, runs `work(own memory, its bytes, host memory, its bytes, info)`, and spreads them again.
template <class Ask, class Work>
Status run(Call &call, void *array_d_work[], int64_t lwork, int *info, bool writesA, Ask ask, Work work) {
  int64_t least = 0;
  if (Status failed = size_of(call, &least, ask)) return failed;
  if (!array_d_work || !array_d_work[0] || lwork < least || !info) return CUSOLVER_STATUS_INVALID_VALUE;
  for (int each : call.handle->devices) {
    Device device(each);
    if (cudaDeviceSynchronize() != cudaSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;
  }
  Device device(call.device());
  call.work = (char *)array_d_work[0];
  size_t own = 0, host = 0;
  ask(&own, &host);
  std::vector<char> hostMemory(host + 1);
  int *onDevice = (int *)(call.rest() + (own + 255) / 256 * 256);
  if (call.a.copy(call.a_memory(), call.device(), false) != cudaSuccess ||
      call.b.copy(call.b_memory(), call.device(), false) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (Status failed = work((void *)call.rest(), own, (void *)hostMemory.data(), host, onDevice)) return failed;
  if (cudaMemcpy(info, onDevice, sizeof *info, cudaMemcpyDeviceToHost) != cudaSuccess ||
      (writesA && call.a.copy(call.a_memory(), call.device(), true) != cudaSuccess) ||
      call.b.copy(call.b_memory(), call.device(), true) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  return CUSOLVER_STATUS_SUCCESS;
}
/// Functions that want no memory of their own.
Status ask_nothing(size_t *own, size_t *host) {
  *own = *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_MG(STATUS) if (Status heddleWrong = (STATUS)) return heddleWrong

bool is_fill(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; } // "only CUBLAS_FILL_MODE_LOWER"

/// Numbers of rows in 64 bits on the first device, behind the pivots of all columns.
struct Pivots {
  int64_t *onDevice = nullptr;
  ~Pivots() { if (onDevice) cudaFree(onDevice); }
  bool make(int64_t count) { return cudaMalloc(&onDevice, (count + 1) * sizeof(int64_t)) == cudaSuccess; }
};
Status read_pivots(const Part &pivots, int device, int64_t *onDevice) {
  std::vector<int> small(pivots.columns);
  std::vector<int64_t> all(pivots.columns);
  int *memory = (int *)onDevice;
  if (pivots.copy((char *)memory, device, false) != cudaSuccess ||
      cudaMemcpy(small.data(), memory, small.size() * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  std::copy(small.begin(), small.end(), all.begin());
  return cudaMemcpy(onDevice, all.data(), all.size() * sizeof(int64_t), cudaMemcpyHostToDevice) == cudaSuccess
             ? CUSOLVER_STATUS_SUCCESS
             : CUSOLVER_STATUS_EXECUTION_FAILED;
}
Status write_pivots(const Part &pivots, int device, int64_t *onDevice) {
  std::vector<int64_t> all(pivots.columns);
  if (cudaMemcpy(all.data(), onDevice, all.size() * sizeof(int64_t), cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  std::vector<int> small(all.begin(), all.end());
  if (cudaMemcpy(onDevice, small.data(), small.size() * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess ||
      pivots.copy((char *)onDevice, device, true) != cudaSuccess)
    return CUSOLVER_STATUS_EXECUTION_FAILED;
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace

extern "C" {

Status cusolverMgCreate(cusolverMgHandle_t *handle) {
  if (!handle) return CUSOLVER_STATUS_INVALID_VALUE;
  *handle = made<cusolverMgContext>();
  if (!*handle) return CUSOLVER_STATUS_ALLOC_FAILED;
  return cusolverDnCreate(&(*handle)->dense);
}
Status cusolverMgDestroy(cusolverMgHandle_t handle) {
  if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  cusolverDnDestroy(handle->dense);
  destroyed(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverMgDeviceSelect(cusolverMgHandle_t handle, int nbDevices, int deviceId[]) {
  if (!is_live(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
  int count = 0;
  cudaGetDeviceCount(&count);
  if (nbDevices < 1 || nbDevices > MOST_DEVICES || !deviceId || !handle->devices.empty())
    return CUSOLVER_STATUS_INVALID_VALUE;
  for (int i = 0; i < nbDevices; i++)
    if (deviceId[i] < 0 || deviceId[i] >= count) return CUSOLVER_STATUS_INVALID_VALUE;
  handle->devices.assign(deviceId, deviceId + nbDevices);
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t numRowDevices, int32_t numColDevices,
                                  const int32_t deviceId[], cusolverMgGridMapping_t mapping) {
  // "only support 1-D column block cyclic"
  if (!grid || numRowDevices != 1 || numColDevices < 1 || !deviceId || mapping != CUDALIBMG_GRID_MAPPING_COL_MAJOR)
    return CUSOLVER_STATUS_INVALID_VALUE;
  Grid *own = made<Grid>();
  if (!own) return CUSOLVER_STATUS_ALLOC_FAILED;
  own->devices.assign(deviceId, deviceId + numColDevices);
  *grid = own;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverMgDestroyGrid(cudaLibMgGrid_t grid) {
  return destroyed((Grid *)grid) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}
Status cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *desc, int64_t numRows, int64_t numCols, int64_t rowBlockSize,
                                  int64_t colBlockSize, cudaDataType dataType, const cudaLibMgGrid_t grid) {
  if (!desc || !is_live(grid) || numRows < 0 || numCols < 0 || rowBlockSize != numRows || colBlockSize < 1)
    return CUSOLVER_STATUS_INVALID_VALUE;
  if (bytes_of(dataType) == 0) return CUSOLVER_STATUS_NOT_SUPPORTED;
  Matrix *own = made<Matrix>();
  if (!own) return CUSOLVER_STATUS_ALLOC_FAILED;
  *own = {numRows, numCols, colBlockSize, dataType, ((Grid *)grid)->devices};
  *desc = own;
  return CUSOLVER_STATUS_SUCCESS;
}
Status cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t desc) {
  return destroyed((Matrix *)desc) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

#define HEDDLE_SYEVD                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, N, N));                                        \
  cudaDataType real = real_type(call.type);                                                                            \
  if (!is_fill(uplo) || dataTypeW != real ||                                                                           \
      (jobz != CUSOLVER_EIG_MODE_VECTOR && jobz != CUSOLVER_EIG_MODE_NOVECTOR))                                        \
    return CUSOLVER_STATUS_INVALID_VALUE;                                                                              \
  int64_t wBytes = (N * (int64_t)bytes_of(real) + 255) / 256 * 256;                                                    \
  auto ask = [&](size_t *own, size_t *host) {                                                                          \
    Status status = cusolverDnXsyevd_bufferSize(handle->dense, nullptr, jobz, uplo, N, call.type, nullptr,             \
                                                N > 1 ? N : 1, real, nullptr, call.type, own, host);                   \
    *own += wBytes;                                                                                                    \
    return status;                                                                                                     \
  };
Status cusolverMgSyevd_bufferSize(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N,
                                  HEDDLE_MG_A, void *W, cudaDataType dataTypeW, cudaDataType computeType,
                                  int64_t *lwork) {
  HEDDLE_SYEVD
  return size_of(call, lwork, ask);
}
Status cusolverMgSyevd(cusolverMgHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                       void *W, cudaDataType dataTypeW, cudaDataType computeType, HEDDLE_MG_WORK) {
  HEDDLE_SYEVD
  if (!W) return CUSOLVER_STATUS_INVALID_VALUE;
  return run(call, array_d_work, lwork, info, true, ask, [&](void *own, size_t bytes, void *host, size_t hostBytes,
                                                             int *onDevice) {
    Status status = cusolverDnXsyevd(handle->dense, nullptr, jobz, uplo, N, call.type, call.a_memory(), N > 1 ? N : 1,
                                     real, own, call.type, (char *)own + wBytes, bytes - wBytes, host, hostBytes,
                                     onDevice);
    if (status == 0 && cudaMemcpy(W, own, N * bytes_of(real), cudaMemcpyDeviceToHost) != cudaSuccess)
      return CUSOLVER_STATUS_EXECUTION_FAILED;
    return status;
  });
}

#define HEDDLE_GETRF                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, M, N));                                        \
  auto ask = [&](size_t *own, size_t *host) {                                                                          \
    return cusolverDnXgetrf_bufferSize(handle->dense, nullptr, M, N, call.type, nullptr, M > 1 ? M : 1, call.type,     \
                                       own, host);                                                                     \
  };
Status cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int M, int N, HEDDLE_MG_A, int *array_d_IPIV[],
                                  cudaDataType computeType, int64_t *lwork) {
  HEDDLE_GETRF
  return size_of(call, lwork, ask);
}
Status cusolverMgGetrf(cusolverMgHandle_t handle, int M, int N, HEDDLE_MG_A, int *array_d_IPIV[],
                       cudaDataType computeType, HEDDLE_MG_WORK) {
  HEDDLE_GETRF
  return run(call, array_d_work, lwork, info, true, ask, [&](void *own, size_t bytes, void *host, size_t hostBytes,
                                                             int *onDevice) {
    int count = M < N ? M : N;
    Pivots pivots;
    if (array_d_IPIV && !pivots.make(count)) return CUSOLVER_STATUS_ALLOC_FAILED;
    Status status =
        cusolverDnXgetrf(handle->dense, nullptr, M, N, call.type, call.a_memory(), M > 1 ? M : 1, pivots.onDevice,
                         call.type, own, bytes, host, hostBytes, onDevice);
    if (status || !array_d_IPIV) return status;
    return write_pivots(pivots_of(call.a, array_d_IPIV, count), call.device(), pivots.onDevice);
  });
}

#define HEDDLE_GETRS                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, N, N));                                        \
  HEDDLE_MG(add_b(call, array_d_B, IB, JB, descrB, N, NRHS));
Status cusolverMgGetrs_bufferSize(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, HEDDLE_MG_A,
                                  int *array_d_IPIV[], HEDDLE_MG_B, cudaDataType computeType, int64_t *lwork) {
  HEDDLE_GETRS
  return size_of(call, lwork, ask_nothing);
}
Status cusolverMgGetrs(cusolverMgHandle_t handle, cublasOperation_t TRANS, int N, int NRHS, HEDDLE_MG_A,
                       int *array_d_IPIV[], HEDDLE_MG_B, cudaDataType computeType, HEDDLE_MG_WORK) {
  HEDDLE_GETRS
  return run(call, array_d_work, lwork, info, false, ask_nothing,
             [&](void *, size_t, void *, size_t, int *onDevice) -> Status {
    Pivots pivots;
    if (array_d_IPIV) {
      if (!pivots.make(N)) return CUSOLVER_STATUS_ALLOC_FAILED;
      HEDDLE_MG(read_pivots(pivots_of(call.a, array_d_IPIV, N), call.device(), pivots.onDevice));
    }
    int ld = N > 1 ? N : 1;
    return cusolverDnXgetrs(handle->dense, nullptr, TRANS, N, NRHS, call.type, call.a_memory(), ld, pivots.onDevice,
                            call.type, call.b_memory(), ld, onDevice);
  });
}

#define HEDDLE_POTRF                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, N, N));                                        \
  if (!is_fill(uplo)) return CUSOLVER_STATUS_INVALID_VALUE;                                                            \
  auto ask = [&](size_t *own, size_t *host) {                                                                          \
    return cusolverDnXpotrf_bufferSize(handle->dense, nullptr, uplo, N, call.type, nullptr, N > 1 ? N : 1, call.type,  \
                                       own, host);                                                                     \
  };
Status cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                  cudaDataType computeType, int64_t *lwork) {
  HEDDLE_POTRF
  return size_of(call, lwork, ask);
}
Status cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A, cudaDataType computeType,
                       HEDDLE_MG_WORK) {
  HEDDLE_POTRF
  return run(call, array_d_work, lwork, info, true, ask, [&](void *own, size_t bytes, void *host, size_t hostBytes,
                                                             int *onDevice) {
    return cusolverDnXpotrf(handle->dense, nullptr, uplo, N, call.type, call.a_memory(), N > 1 ? N : 1, call.type, own,
                            bytes, host, hostBytes, onDevice);
  });
}

#define HEDDLE_POTRS                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, n, n));                                        \
  HEDDLE_MG(add_b(call, array_d_B, IB, JB, descrB, n, nrhs));                                                          \
  if (!is_fill(uplo)) return CUSOLVER_STATUS_INVALID_VALUE;
Status cusolverMgPotrs_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, HEDDLE_MG_A,
                                  HEDDLE_MG_B, cudaDataType computeType, int64_t *lwork) {
  HEDDLE_POTRS
  return size_of(call, lwork, ask_nothing);
}
Status cusolverMgPotrs(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, HEDDLE_MG_A, HEDDLE_MG_B,
                       cudaDataType computeType, HEDDLE_MG_WORK) {
  HEDDLE_POTRS
  return run(call, array_d_work, lwork, info, false, ask_nothing, [&](void *, size_t, void *, size_t, int *onDevice) {
    int ld = n > 1 ? n : 1;
    return cusolverDnXpotrs(handle->dense, nullptr, uplo, n, nrhs, call.type, call.a_memory(), ld, call.type,
                            call.b_memory(), ld, onDevice);
  });
}

} // extern "C"

namespace {
/// Calls `call(letter's functions)`: cusolverDn's inverse by Cholesky is for one type each.
template <class Call> Status of_type(cudaDataType type, Call call) {
  switch (type) {
    case CUDA_R_32F: return call((float *)0, cusolverDnSpotri_bufferSize, cusolverDnSpotri);
    case CUDA_R_64F: return call((double *)0, cusolverDnDpotri_bufferSize, cusolverDnDpotri);
    case CUDA_C_32F: return call((cuComplex *)0, cusolverDnCpotri_bufferSize, cusolverDnCpotri);
    default: return call((cuDoubleComplex *)0, cusolverDnZpotri_bufferSize, cusolverDnZpotri);
  }
}
Status potri_size(const Call &call, cublasFillMode_t uplo, int N, size_t *own) {
  return of_type(call.type, [&](auto *type, auto size, auto) {
    int count = 0;
    Status status = size(call.handle->dense, uplo, N, type, N > 1 ? N : 1, &count);
    *own = count * sizeof *type;
    return status;
  });
}
} // namespace

extern "C" {

#define HEDDLE_POTRI                                                                                                   \
  Call call;                                                                                                           \
  HEDDLE_MG(begin(call, handle, computeType, array_d_A, IA, JA, descrA, N, N));                                        \
  if (!is_fill(uplo)) return CUSOLVER_STATUS_INVALID_VALUE;                                                            \
  auto ask = [&](size_t *own, size_t *host) {                                                                          \
    *host = 0;                                                                                                         \
    return potri_size(call, uplo, N, own);                                                                             \
  };
Status cusolverMgPotri_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A,
                                  cudaDataType computeType, int64_t *lwork) {
  HEDDLE_POTRI
  return size_of(call, lwork, ask);
}
Status cusolverMgPotri(cusolverMgHandle_t handle, cublasFillMode_t uplo, int N, HEDDLE_MG_A, cudaDataType computeType,
                       HEDDLE_MG_WORK) {
  HEDDLE_POTRI
  return run(call, array_d_work, lwork, info, true, ask, [&](void *own, size_t bytes, void *, size_t, int *onDevice) {
    return of_type(call.type, [&](auto *type, auto, auto invert) {
      typedef decltype(type) Pointer;
      return invert(handle->dense, uplo, N, (Pointer)call.a_memory(), N > 1 ? N : 1, (Pointer)own,
                    (int)(bytes / sizeof *type), onDevice);
    });
  });
}

} // extern "C"
