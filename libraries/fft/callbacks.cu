// Callbacks of cuFFT (cuFFT documentation, "cuFFT Callback Routines"): a kernel before the transform calls the load
// callback for each element of the input and keeps the results at the same places of memory of its own; a kernel behind
// the transform calls the store callback. Only programs that set callbacks have this file.
#include <cufftXt.h>
#include <new>
#include "../common/launched.h"
#include "callbacks.h"

using namespace heddle_fft;

namespace {

constexpr int BLOCK = 256;
constexpr size_t MOST_SHARED_BYTES = 16 * 1024;

/// The elements of one side of a transform.
struct Elements {
  long long count, each, n[MOST_RANK], embed[MOST_RANK], stride, dist;
  int rank;

  Elements(const Description& plan, bool isInput) {
    const Layout &layout = isInput ? plan.in : plan.out;
    bool isHalf = plan.kind != COMPLEX_TO_COMPLEX && isInput == (plan.kind == COMPLEX_TO_REAL);
    rank = plan.rank;
    stride = layout.stride;
    dist = layout.dist;
    each = 1;
    for (int i = 0; i < rank; i++) {
      n[i] = isHalf && i + 1 == rank ? plan.n[i] / 2 + 1 : plan.n[i];
      embed[i] = layout.embed[i];
      each *= n[i];
    }
    count = each * plan.batch;
  }
  __host__ __device__ long long place(long long t) const {
    long long within = t % each, place = 0, scale = stride;
    for (int i = rank - 1; i >= 0; i--) {
      place += within % n[i] * scale;
      within /= n[i];
      scale *= embed[i];
    }
    return place + t / each * dist;
  }
  size_t extent() const { return (size_t)place(count - 1) + 1; }
};

template <class T> using Load = T (*)(void *in, size_t offset, void *info, void *shared);
template <class T> using Store = void (*)(void *out, size_t offset, T element, void *info, void *shared);

template <class T> __global__ void load_all(Elements elements, Load<T> callback, void *in, void *info, T *to) {
  extern __shared__ double shared[];
  long long t = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (t >= elements.count) return;
  long long place = elements.place(t);
  to[place] = callback(in, (size_t)place, info, shared);
}
template <class T>
__global__ void store_all(Elements elements, Store<T> callback, void *out, void *info, const T *from) {
  extern __shared__ double shared[];
  long long t = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (t >= elements.count) return;
  long long place = elements.place(t);
  callback(out, (size_t)place, from[place], info, shared);
}

/// One callback, with memory for the elements that it loads or stores.
struct Callback {
  void *routine = nullptr, *info = nullptr, *memory = nullptr;
  size_t sharedBytes = 0, bytes = 0;
  ~Callback() { cudaFree(memory); }
  void *reserve(size_t wanted) {
    if (wanted <= bytes) return memory;
    cudaFree(memory);
    bytes = cudaMalloc(&memory, wanted) == cudaSuccess ? wanted : 0;
    return bytes == 0 ? memory = nullptr : memory;
  }
};

template <class Real, class Complex> struct CallbacksOf : Callbacks {
  Callback load, store;

  bool has_any() const override { return load.routine || store.routine; }
  template <class T> void *load_as(const Elements& elements, const void* in, cudaStream_t stream) {
    T *to = (T *)load.reserve(elements.extent() * sizeof(T));
    if (to)
      load_all<T><<<(unsigned)((elements.count + BLOCK - 1) / BLOCK), BLOCK, load.sharedBytes, stream>>>(
          elements, (Load<T>)load.routine, (void *)in, load.info, to);
    return to;
  }
  template <class T> void store_as(const Elements& elements, void* out, cudaStream_t stream) {
    store_all<T><<<(unsigned)((elements.count + BLOCK - 1) / BLOCK), BLOCK, store.sharedBytes, stream>>>(
        elements, (Store<T>)store.routine, out, store.info, (const T *)store.memory);
  }
  const void *loaded(const Description& plan, const void* in, cudaStream_t stream) override {
    if (!load.routine) return in;
    Elements elements(plan, true);
    return plan.kind == REAL_TO_COMPLEX ? load_as<Real>(elements, in, stream) : load_as<Complex>(elements, in, stream);
  }
  void *target(const Description& plan, void* out) override {
    if (!store.routine) return out;
    return store.reserve(Elements(plan, false).extent() *
                         (plan.kind == COMPLEX_TO_REAL ? sizeof(Real) : sizeof(Complex)));
  }
  cudaError_t stored(const Description& plan, void* out, cudaStream_t stream) override {
    if (!store.routine) return cudaSuccess;
    Elements elements(plan, false);
    if (plan.kind == COMPLEX_TO_REAL) store_as<Real>(elements, out, stream);
    else store_as<Complex>(elements, out, stream);
    return __heddle_work_error();
  }
};

/// The plan, if its data have callbacks of this type.
cufftResult check(cufftHandle handle, cufftXtCallbackType type, CallbackPlan& plan) {
  if (cufftResult wrong = find_callback_plan(handle, plan)) return wrong;
  if (type < CUFFT_CB_LD_COMPLEX || type >= CUFFT_CB_UNDEFINED) return CUFFT_INVALID_TYPE;
  const bool isStore = type >= CUFFT_CB_ST_COMPLEX, isReal = type & 2, isDouble = type & 1;
  if (isDouble != plan.isDouble || isReal != (plan.kind == (isStore ? COMPLEX_TO_REAL : REAL_TO_COMPLEX)))
    return CUFFT_INVALID_TYPE;
  return CUFFT_SUCCESS;
}
/// The callback of this type. Null: the plan has no callbacks yet.
Callback *find(const CallbackPlan& plan, cufftXtCallbackType type) {
  const bool isStore = type >= CUFFT_CB_ST_COMPLEX;
  if (!*plan.callbacks) return nullptr;
  if (plan.isDouble) {
    auto &all = *(CallbacksOf<double, cufftDoubleComplex> *)*plan.callbacks;
    return isStore ? &all.store : &all.load;
  }
  auto &all = *(CallbacksOf<float, cufftComplex> *)*plan.callbacks;
  return isStore ? &all.store : &all.load;
}
/// The callback of this type, made if the plan has none yet. Null: there is no memory.
Callback *make(const CallbackPlan& plan, cufftXtCallbackType type) {
  if (!*plan.callbacks)
    *plan.callbacks = plan.isDouble ? (Callbacks *)new (std::nothrow) CallbacksOf<double, cufftDoubleComplex>
                                    : (Callbacks *)new (std::nothrow) CallbacksOf<float, cufftComplex>;
  return find(plan, type);
}

} // namespace

extern "C" {
cufftResult cufftXtSetCallback(cufftHandle handle, void **routine, cufftXtCallbackType type, void **info) {
  CallbackPlan plan;
  if (cufftResult wrong = check(handle, type, plan)) return wrong;
  if (!routine || !*routine) return CUFFT_INVALID_VALUE;
  Callback *callback = make(plan, type);
  if (!callback) return CUFFT_ALLOC_FAILED;
  callback->routine = *routine;
  callback->info = info ? *info : nullptr;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtClearCallback(cufftHandle handle, cufftXtCallbackType type) {
  CallbackPlan plan;
  if (cufftResult wrong = check(handle, type, plan)) return wrong;
  Callback *callback = find(plan, type);
  if (!callback) return CUFFT_SUCCESS;
  callback->routine = callback->info = nullptr;
  callback->sharedBytes = 0;
  return CUFFT_SUCCESS;
}
/// May come before the callback: then the plan has its bytes, and still no callback.
cufftResult cufftXtSetCallbackSharedSize(cufftHandle handle, cufftXtCallbackType type, size_t bytes) {
  CallbackPlan plan;
  if (cufftResult wrong = check(handle, type, plan)) return wrong;
  if (bytes > MOST_SHARED_BYTES) return CUFFT_INVALID_VALUE;
  Callback *callback = make(plan, type);
  if (!callback) return CUFFT_ALLOC_FAILED;
  callback->sharedBytes = bytes;
  return CUFFT_SUCCESS;
}
/// LTO-IR is NVIDIA's own format: nothing here reads it.
cufftResult cufftXtSetJITCallback(cufftHandle handle, const char *, const void *image, size_t bytes,
                                  cufftXtCallbackType type, void **) {
  CallbackPlan plan;
  if (cufftResult wrong = check(handle, type, plan)) return wrong;
  return !image || bytes == 0 ? CUFFT_INVALID_VALUE : CUFFT_NOT_IMPLEMENTED;
}
}
