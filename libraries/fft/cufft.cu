// cuFFT (cuFFT documentation): plans are lists of kernels (plan.h) over the kernels beside this file. Linked into
// programs that use them. Left out: half precision.
#include <cufft.h>
#include <cufftXt.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <new>
#include "../common/captures.h"
#include "../common/nvidia.h"
#include "../common/scratch.h"
#include "callbacks.h"
#include "plan.h"

using namespace heddle_fft;
using namespace heddle_nvidia;

namespace {

typedef long long i64;
constexpr i64 LARGEST_SMALL_PRIME = 127;
constexpr i64 MOST_ELEMENTS = 1ll << 29; // of an array; device memory has 4 GiB

/// The kernels of a plan for one precision, for data in place and out of place.
struct Kernels {
  virtual ~Kernels() {}
  virtual bool failed() const = 0;
  virtual size_t workBytes(bool isInPlace) const = 0;
  virtual cudaError_t run(bool isInPlace, const void* in, void* out, void* work, bool isBack, cudaStream_t stream) = 0;
};
template <class T> struct KernelsOf : Kernels {
  Description descriptions[2];
  Tables<T> tables;
  Builder<T> outOfPlace, inPlace;
  Builder<T> *ofOddPlaces[2] = {}; // for arrays of real numbers that do not begin where a complex number may
  KernelsOf(const Description& a, const Description& b, bool isSizeOnly)
      : descriptions{a, b},
        outOfPlace(descriptions[0], isSizeOnly ? nullptr : &tables, true),
        inPlace(descriptions[1], isSizeOnly ? nullptr : &tables, true) {}
  ~KernelsOf() { for (Builder<T> *each : ofOddPlaces) delete each; }
  bool failed() const override { return tables.failed; }
  static size_t bytesOf(const Builder<T>& builder) {
    return (size_t)(builder.workBuffers * builder.workElements * 2 * (i64)sizeof(T));
  }
  size_t workBytes(bool isInPlace) const override {
    const Description &description = descriptions[isInPlace];
    size_t bytes = bytesOf(isInPlace ? inPlace : outOfPlace);
    if (description.kind == COMPLEX_TO_COMPLEX) return bytes;
    return std::max(bytes, bytesOf(Builder<T>(description, nullptr, false)));
  }
  cudaError_t run(bool isInPlace, const void* in, void* out, void* work, bool isBack, cudaStream_t stream) override {
    const Description &description = descriptions[isInPlace];
    const void *real = description.kind == REAL_TO_COMPLEX ? in : out;
    if (description.kind != COMPLEX_TO_COMPLEX && (size_t)real % (2 * sizeof(T)) != 0) {
      Builder<T> *&odd = ofOddPlaces[isInPlace];
      if (!odd) odd = new Builder<T>(description, &tables, false);
      if (tables.failed) return cudaErrorMemoryAllocation;
      return heddle_fft::run(odd->works, odd->workElements, in, out, work, isBack, stream);
    }
    const Builder<T> &chosen = isInPlace ? inPlace : outOfPlace;
    return heddle_fft::run(chosen.works, chosen.workElements, in, out, work, isBack, stream);
  }
};

/// What a program asks for.
struct Request {
  int rank;
  cufftType type;
  i64 n[MOST_RANK], batch;
  bool hasLayouts;
  i64 inembed[MOST_RANK], istride, idist, onembed[MOST_RANK], ostride, odist;

  bool isDouble() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  Kind kind() const {
    if (type == CUFFT_R2C || type == CUFFT_D2Z) return REAL_TO_COMPLEX;
    return type == CUFFT_C2R || type == CUFFT_Z2D ? COMPLEX_TO_REAL : COMPLEX_TO_COMPLEX;
  }
  Layout layout(bool isInput, bool isInPlace) const {
    Layout made{};
    if (hasLayouts) {
      memcpy(made.embed, isInput ? inembed : onembed, sizeof made.embed);
      made.stride = isInput ? istride : ostride;
      made.dist = isInput ? idist : odist;
      return made;
    }
    Kind k = kind();
    bool isSpectrum = k != COMPLEX_TO_COMPLEX && isInput == (k == COMPLEX_TO_REAL);
    bool isPadded = k != COMPLEX_TO_COMPLEX && !isSpectrum && isInPlace;
    made.stride = made.dist = 1;
    for (int i = 0; i < rank; i++) {
      i64 count = n[i];
      if (i + 1 == rank && isSpectrum) count = count / 2 + 1;
      if (i + 1 == rank && isPadded) count = (count / 2 + 1) * 2;
      made.embed[i] = count;
      made.dist *= count;
    }
    return made;
  }
  Description description(bool isInPlace) const {
    Description made{};
    made.kind = kind();
    made.rank = rank;
    made.batch = (int)batch;
    for (int i = 0; i < rank; i++) made.n[i] = (int)n[i];
    made.in = layout(true, isInPlace);
    made.out = layout(false, isInPlace);
    return made;
  }
  Kernels *kernels(bool isSizeOnly) const {
    Description a = description(false), b = description(true);
    if (isDouble()) return new KernelsOf<double>(a, b, isSizeOnly);
    return new KernelsOf<float>(a, b, isSizeOnly);
  }
};

struct Plan {
  bool isMade = false, isAutomatic = true;
  Request request;
  Kernels *kernels = nullptr;
  Callbacks *callbacks = nullptr;
  void *workArea = nullptr, *ownArea = nullptr;
  size_t ownBytes = 0, workBytes = 0;
  cudaStream_t stream = 0;
  std::vector<int> devices; // empty: the current one; several hold parts of the data (xt.inl)
  i64 patientJit = 0, hostThreads = 1;
  // NVIDIA's plan and the state that it has.
  bool hasNvidia = false;
  int nvidia = 0;
  cudaStream_t nvidiaStream = 0;

  ~Plan() {
    delete kernels;
    delete callbacks;
    if (ownArea) cudaFree(ownArea);
    if (hasNvidia) call_nvidia(this, "cufft", 0, "cufftDestroy", nvidia);
  }
};

/// Handles are numbers from 1 on; those of destroyed plans come back.
std::vector<Plan *> &plans() {
  static std::vector<Plan *> all;
  return all;
}
Plan *plan_of(cufftHandle handle) {
  return handle >= 1 && (size_t)handle <= plans().size() ? plans()[handle - 1] : nullptr;
}

bool is_type(int type) {
  switch (type) {
    case CUFFT_C2C: case CUFFT_R2C: case CUFFT_C2R: case CUFFT_Z2Z: case CUFFT_D2Z: case CUFFT_Z2D: return true;
    default: return false;
  }
}

template <class Int>
cufftResult read_request(Request& request, int rank, const Int* n, const Int* inembed, i64 istride, i64 idist,
                         const Int* onembed, i64 ostride, i64 odist, int type, i64 batch) {
  if (!is_type(type)) return CUFFT_INVALID_TYPE;
  if (rank < 1 || rank > MOST_RANK || !n) return CUFFT_INVALID_VALUE;
  if (batch < 1) return CUFFT_INVALID_SIZE;
  request.rank = rank;
  request.type = (cufftType)type;
  request.batch = batch;
  request.hasLayouts = inembed && onembed;
  i64 total = batch;
  for (int i = 0; i < rank; i++) {
    request.n[i] = n[i];
    // As documented. NVIDIA's library (13.0) says CUFFT_INTERNAL_ERROR in two dimensions.
    if (n[i] < 1 || n[i] > MOST_ELEMENTS || (total *= n[i]) > MOST_ELEMENTS) return CUFFT_INVALID_SIZE;
  }
  if (!request.hasLayouts) return CUFFT_SUCCESS;
  if (istride < 1 || ostride < 1 || idist < 0 || odist < 0) return CUFFT_INVALID_VALUE;
  request.istride = istride;
  request.ostride = ostride;
  request.idist = idist;
  request.odist = odist;
  for (int i = 0; i < rank; i++) {
    request.inembed[i] = inembed[i];
    request.onembed[i] = onembed[i];
    if (i > 0 && (inembed[i] < 1 || onembed[i] < 1)) return CUFFT_INVALID_SIZE;
  }
  return CUFFT_SUCCESS;
}

cufftResult size_of(const Request& request, size_t* workSize) {
  if (!workSize) return CUFFT_INVALID_VALUE;
  Kernels *kernels = request.kernels(true);
  size_t a = kernels->workBytes(false), b = kernels->workBytes(true);
  *workSize = a > b ? a : b;
  delete kernels;
  return CUFFT_SUCCESS;
}

cufftResult prepare(Plan& plan) {
  if (plan.kernels) return CUFFT_SUCCESS;
  plan.kernels = plan.request.kernels(false);
  if (plan.kernels->failed()) {
    delete plan.kernels;
    plan.kernels = nullptr;
    return CUFFT_ALLOC_FAILED;
  }
  return CUFFT_SUCCESS;
}

/// Work memory of our own: for a plan that allocates, or whose work NVIDIA's library cannot do now.
bool has_own_area(Plan& plan, size_t bytes) {
  if (plan.ownBytes >= bytes) return true;
  if (plan.ownArea) cudaFree(plan.ownArea);
  plan.ownArea = nullptr;
  plan.ownBytes = 0;
  if (cudaMalloc(&plan.ownArea, bytes) != cudaSuccess) return false;
  plan.ownBytes = bytes;
  return true;
}

/// Makes NVIDIA's plan. Its status, or a negative number where there is no such library.
int make_nvidia(Plan& plan, size_t* workSize) {
  Request &r = plan.request;
  if (!plan.hasNvidia) {
    int made = call_nvidia(&plan, "cufft", plan.stream, "cufftCreate", Host{&plan.nvidia});
    if (made != 0) return made;
    plan.hasNvidia = true;
    plan.nvidiaStream = 0;
  }
  int status = call_nvidia(&plan, "cufft", plan.stream, "cufftSetAutoAllocation", plan.nvidia, (int)plan.isAutomatic);
  if (status != 0) return status;
  unsigned long long bytes = 0;
  const void *in = r.hasLayouts ? r.inembed : nullptr, *out = r.hasLayouts ? r.onembed : nullptr;
  status = call_nvidia(&plan, "cufft", plan.stream, "cufftMakePlanMany64", plan.nvidia, r.rank, Host{r.n}, Host{in},
                       r.istride, r.idist, Host{out}, r.ostride, r.odist, (int)r.type, r.batch, Host{&bytes});
  if (status == 0) *workSize = (size_t)bytes;
  return status;
}

int set_nvidia_area(Plan& plan) {
  const void *area = plan.workArea;
  return call_nvidia(&plan, "cufft", plan.stream, "cufftSetWorkArea", plan.nvidia, area);
}

/// A device that is set back. -1: the current one.
struct OnDevice {
  int before = -1;
  explicit OnDevice(int device) {
    int current = 0;
    if (device < 0 || cudaGetDevice(&current) != cudaSuccess || current == device) return;
    before = current;
    cudaSetDevice(device);
  }
  ~OnDevice() { if (before >= 0) cudaSetDevice(before); }
};

/// NVIDIA's plans for such lengths need memory that a capture refuses.
bool has_large_prime(const Request& request) {
  for (int i = 0; i < request.rank; i++) {
    i64 rest = request.n[i];
    for (i64 factor = 2; factor <= LARGEST_SMALL_PRIME; factor++)
      while (rest % factor == 0) rest /= factor;
    if (rest > 1) return true;
  }
  return false;
}

cufftResult make(cufftHandle handle, const Request& request, size_t* workSize) {
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  if (plan->devices.size() > 1 && request.hasLayouts) return CUFFT_NOT_SUPPORTED;
  if (!heddle_captures::can_wait(nullptr)) return CUFFT_INTERNAL_ERROR;
  if (has_large_prime(request) && !heddle_captures::can_allocate()) return CUFFT_ALLOC_FAILED;
  heddle_scratch::OutsideOfCaptures allocations;
  OnDevice device(plan->devices.empty() ? -1 : plan->devices[0]);
  plan->request = request;
  size_t bytes = 0;
  int status = make_nvidia(*plan, &bytes);
  if (status == 0 && plan->workArea) status = set_nvidia_area(*plan);
  if (status > 0) return (cufftResult)status;
  if (status < 0) {
    if (cufftResult failed = prepare(*plan)) return failed;
    size_of(request, &bytes);
    if (plan->isAutomatic && !has_own_area(*plan, bytes)) return CUFFT_ALLOC_FAILED;
  }
  plan->isMade = true;
  plan->workBytes = bytes;
  *workSize = bytes;
  for (size_t i = 1; i < plan->devices.size(); i++) workSize[i] = 0; // all the work is done on the first one
  return CUFFT_SUCCESS;
}

/// The kernels, between the callbacks if the plan has some.
cufftResult run(Plan& plan, bool isInPlace, const void* in, void* out, void* work, bool isBack) {
  const void *from = in;
  void *to = out;
  Description description;
  if (plan.callbacks) {
    description = plan.request.description(isInPlace);
    from = plan.callbacks->loaded(description, in, plan.stream);
    to = plan.callbacks->target(description, out);
    if (!from || !to) return CUFFT_ALLOC_FAILED;
  }
  cudaError_t error = plan.kernels->run(isInPlace, from, to, work, isBack, plan.stream);
  if (error == cudaSuccess && plan.callbacks) error = plan.callbacks->stored(description, out, plan.stream);
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

/// Types that a call names; -1: any.
cufftResult execute(cufftHandle handle, int type, const char* name, void* in, void* out, int direction) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  Request &request = plan->request;
  if (type != -1 && type != request.type) return CUFFT_INVALID_TYPE;
  bool isComplex = request.kind() == COMPLEX_TO_COMPLEX;
  // As documented. NVIDIA's library takes null pointers, and its kernel faults.
  if (!in || !out || (isComplex && direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  // NVIDIA's library would need the callbacks linked into it.
  if (plan->hasNvidia && !(plan->callbacks && plan->callbacks->has_any())) {
    int status = 0;
    if (plan->nvidiaStream != plan->stream) {
      status = call_nvidia(plan, "cufft", plan->stream, "cufftSetStream", plan->nvidia, OfStream{plan->stream});
      if (status == 0) plan->nvidiaStream = plan->stream;
    }
    if (status == 0)
      status = isComplex ? call_nvidia(plan, "cufft", plan->stream, name, plan->nvidia, (const void *)in,
                                       (const void *)out, direction)
                         : call_nvidia(plan, "cufft", plan->stream, name, plan->nvidia, (const void *)in,
                                       (const void *)out);
    if (status >= 0) return (cufftResult)status;
  }
  // Kernels in the place of NVIDIA's, which does no captured work here.
  heddle_scratch::OutsideOfCaptures allocations;
  if (cufftResult failed = prepare(*plan)) return failed;
  bool isInPlace = in == out, isBack = isComplex ? direction == CUFFT_INVERSE : request.kind() == COMPLEX_TO_REAL;
  void *work = plan->workArea;
  size_t bytes = plan->kernels->workBytes(isInPlace);
  if (bytes > 0 && (!work || plan->hasNvidia)) {
    if (!plan->isAutomatic && !plan->hasNvidia) return CUFFT_NO_WORKSPACE;
    if (!has_own_area(*plan, bytes)) return CUFFT_ALLOC_FAILED;
    work = plan->ownArea;
  }
  return run(*plan, isInPlace, in, out, work, isBack);
}

const char *function_of(cufftType type) {
  switch (type) {
    case CUFFT_C2C: return "cufftExecC2C";
    case CUFFT_R2C: return "cufftExecR2C";
    case CUFFT_C2R: return "cufftExecC2R";
    case CUFFT_Z2Z: return "cufftExecZ2Z";
    case CUFFT_D2Z: return "cufftExecD2Z";
    default: return "cufftExecZ2D";
  }
}

} // namespace

cufftResult heddle_fft::find_callback_plan(cufftHandle handle, CallbackPlan& found) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  if (plan->devices.size() > 1) return CUFFT_NOT_SUPPORTED;
  found = {plan->request.isDouble(), plan->request.kind(), &plan->callbacks};
  return CUFFT_SUCCESS;
}

extern "C" {

cufftResult cufftCreate(cufftHandle *handle) {
  if (!handle) return CUFFT_INVALID_VALUE;
  std::vector<Plan *> &all = plans();
  size_t at = 0;
  while (at < all.size() && all[at]) at++;
  Plan *plan = new (std::nothrow) Plan;
  if (!plan) return CUFFT_ALLOC_FAILED;
  if (at == all.size()) all.push_back(plan);
  else all[at] = plan;
  *handle = (cufftHandle)at + 1;
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (plan->isMade) heddle_captures::can_free(); // nobody is told that a capture refuses this
  delete plan;
  plans()[handle - 1] = nullptr;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int isAutomatic) {
  Plan *plan = plan_of(handle);
  if (!plan || plan->isMade) return CUFFT_INVALID_PLAN;
  plan->isAutomatic = isAutomatic != 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void *area) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (plan->isMade && plan->isAutomatic) heddle_captures::can_free(); // its own area; no status says so
  plan->workArea = area;
  if (plan->isMade && plan->hasNvidia) {
    int status = set_nvidia_area(*plan);
    if (status > 0) return (cufftResult)status;
  }
  return CUFFT_SUCCESS;
}
cufftResult cufftGetSize(cufftHandle handle, size_t *workSize) {
  if (!workSize) return CUFFT_INVALID_VALUE;
  Plan *plan = plan_of(handle);
  if (!plan || !plan->isMade) return CUFFT_INVALID_PLAN;
  *workSize = plan->workBytes;
  return CUFFT_SUCCESS;
}

// A plan, its parts and its size, from the same arguments.
#define HEDDLE_FFT_MANY(SUFFIX, INT, BATCH)                                                                           \
  cufftResult cufftMakePlanMany##SUFFIX(cufftHandle plan, int rank, INT* n, INT* inembed, INT istride, INT idist,      \
                                        INT* onembed, INT ostride, INT odist, cufftType type, BATCH batch,             \
                                        size_t* workSize) {                                                            \
    Request r{};                                                                                                       \
    cufftResult wrong = read_request(r, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);       \
    if (wrong) return wrong;                                                                                           \
    if (!plan_of(plan)) return CUFFT_INVALID_PLAN;                                                                     \
    return workSize ? make(plan, r, workSize) : CUFFT_INVALID_VALUE;                                                   \
  }                                                                                                                    \
  cufftResult cufftGetSizeMany##SUFFIX(cufftHandle plan, int rank, INT* n, INT* inembed, INT istride, INT idist,       \
                                       INT* onembed, INT ostride, INT odist, cufftType type, BATCH batch,              \
                                       size_t* workSize) {                                                             \
    Request r{};                                                                                                       \
    cufftResult wrong = read_request(r, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);       \
    if (wrong) return wrong;                                                                                           \
    return plan_of(plan) ? size_of(r, workSize) : CUFFT_INVALID_PLAN;                                                  \
  }
HEDDLE_FFT_MANY(, int, int)
HEDDLE_FFT_MANY(64, long long int, long long int)
#undef HEDDLE_FFT_MANY

cufftResult cufftEstimateMany(int rank, int* n, int* inembed, int istride, int idist, int* onembed, int ostride,
                              int odist, cufftType type, int batch, size_t* workSize) {
  Request r{};
  cufftResult wrong = read_request(r, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);
  if (wrong) return wrong;
  // NVIDIA's library makes a plan for this, and frees it.
  if (!heddle_captures::can_wait(nullptr)) return CUFFT_INTERNAL_ERROR;
  heddle_captures::can_free();
  return size_of(r, workSize);
}
cufftResult cufftPlanMany(cufftHandle* handle, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  cufftHandle made;
  cufftResult wrong = cufftCreate(handle ? &made : nullptr);
  if (wrong) return wrong;
  size_t bytes;
  wrong = cufftMakePlanMany(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, &bytes);
  // A plan that failed leaves no handle that could be destroyed.
  if (wrong) cufftDestroy(made);
  else *handle = made;
  return wrong;
}

#define HEDDLE_FFT_RANK(RANK, SIZES, LIST, BATCH_PARAMETER, BATCH)                                                    \
  cufftResult cufftPlan##RANK##d(cufftHandle* plan, HEDDLE_LIST SIZES, cufftType type BATCH_PARAMETER) {               \
    int n[] = LIST;                                                                                                    \
    return cufftPlanMany(plan, RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH);                                    \
  }                                                                                                                    \
  cufftResult cufftMakePlan##RANK##d(cufftHandle plan, HEDDLE_LIST SIZES, cufftType type BATCH_PARAMETER,              \
                                     size_t* workSize) {                                                               \
    int n[] = LIST;                                                                                                    \
    return cufftMakePlanMany(plan, RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, workSize);                      \
  }                                                                                                                    \
  cufftResult cufftEstimate##RANK##d(HEDDLE_LIST SIZES, cufftType type BATCH_PARAMETER, size_t* workSize) {            \
    int n[] = LIST;                                                                                                    \
    return cufftEstimateMany(RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, workSize);                            \
  }                                                                                                                    \
  cufftResult cufftGetSize##RANK##d(cufftHandle plan, HEDDLE_LIST SIZES, cufftType type BATCH_PARAMETER,               \
                                    size_t* workSize) {                                                                \
    int n[] = LIST;                                                                                                    \
    return cufftGetSizeMany(plan, RANK, n, nullptr, 1, 0, nullptr, 1, 0, type, BATCH, workSize);                       \
  }
#define HEDDLE_LIST(...) __VA_ARGS__
#define HEDDLE_COMMA_BATCH , int batch
HEDDLE_FFT_RANK(1, (int nx), {nx}, HEDDLE_COMMA_BATCH, batch)
#undef HEDDLE_COMMA_BATCH
#define HEDDLE_SIZES_2 {nx, ny}
#define HEDDLE_SIZES_3 {nx, ny, nz}
HEDDLE_FFT_RANK(2, (int nx, int ny), HEDDLE_SIZES_2, , 1)
HEDDLE_FFT_RANK(3, (int nx, int ny, int nz), HEDDLE_SIZES_3, , 1)
#undef HEDDLE_FFT_RANK
#undef HEDDLE_LIST

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
  return execute(plan, CUFFT_C2C, "cufftExecC2C", in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) {
  return execute(plan, CUFFT_R2C, "cufftExecR2C", in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) {
  return execute(plan, CUFFT_C2R, "cufftExecC2R", in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
  return execute(plan, CUFFT_Z2Z, "cufftExecZ2Z", in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) {
  return execute(plan, CUFFT_D2Z, "cufftExecD2Z", in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) {
  return execute(plan, CUFFT_Z2D, "cufftExecZ2D", in, out, CUFFT_INVERSE);
}

cufftResult cufftGetVersion(int *version) {
  if (version) *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  if (!value || type < 0 || type > 2) return CUFFT_INVALID_VALUE;
  *value = type == 0 ? CUFFT_VER_MAJOR : type == 1 ? CUFFT_VER_MINOR : CUFFT_VER_PATCH;
  return CUFFT_SUCCESS;
}
}

#include "xt.inl"
