// Calls of cuFFT while a stream is captured.
#pragma once
#include <cufft.h>
#include "capture-cases.h"

struct Fft : Memory {
  static constexpr const char *LIBRARY = "cufft";
  static constexpr int N = 256;
  /// A prime: such a length takes another way through the library.
  static constexpr int PRIME = 1009;
  static std::string name_of(int status) {
    NAMED(CUFFT_SUCCESS);
    NAMED(CUFFT_INVALID_PLAN);
    NAMED(CUFFT_ALLOC_FAILED);
    NAMED(CUFFT_INVALID_TYPE);
    NAMED(CUFFT_INVALID_VALUE);
    NAMED(CUFFT_INTERNAL_ERROR);
    NAMED(CUFFT_EXEC_FAILED);
    NAMED(CUFFT_SETUP_FAILED);
    NAMED(CUFFT_INVALID_SIZE);
    NAMED(CUFFT_INVALID_DEVICE);
    NAMED(CUFFT_NO_WORKSPACE);
    NAMED(CUFFT_NOT_SUPPORTED);
    return unnamed(status);
  }
  cufftHandle plan = 0, made = 0;
  cufftComplex *x;
  void *work;
  size_t size = 0;
  int version = 0;

  explicit Fft(cudaStream_t stream) : Memory(stream) {
    x = (cufftComplex *)bytes(2048 * sizeof(cufftComplex));
    work = bytes(WORK);
  }
  ~Fft() {
    if (plan) cufftDestroy(plan);
    if (made) cufftDestroy(made);
  }
  static constexpr size_t WORK = 1 << 20;
  void plan_for(int n, cufftType type) {
    NEED(cufftPlan1d(&plan, n, type, 1));
    NEED(cufftSetStream(plan, stream));
  }
  int forward() { return cufftExecC2C(plan, x, x, CUFFT_FORWARD); }
};

static void fft_cases() {
  using S = Fft;
  const int N = S::N;
  auto planned = [](S &s) { s.plan_for(N, CUFFT_C2C); };
  auto used = [](S &s) { s.plan_for(N, CUFFT_C2C), NEED(s.forward()); };
  auto on_default = [](S &s) { NEED(cufftPlan1d(&s.plan, N, CUFFT_C2C, 1)); };
  auto created = [](S &s) { NEED(cufftCreate(&s.made)); };
  captured<S>("ExecC2C, first call", [](S &s) { return s.forward(); }, planned);
  captured<S>("ExecC2C", [](S &s) { return s.forward(); }, used);
  captured<S>("ExecC2C, of a prime length", [](S &s) { return s.forward(); },
              [](S &s) { s.plan_for(S::PRIME, CUFFT_C2C); });
  captured<S>("ExecR2C", [](S &s) { return (int)cufftExecR2C(s.plan, (cufftReal *)s.x, s.x); },
              [](S &s) { s.plan_for(N, CUFFT_R2C); });
  captured<S>("ExecC2C, on the default stream", [](S &s) { return s.forward(); }, on_default);
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)cufftSetStream(s.plan, s.stream); },
              on_default);
  captured<S>("SetStream and ExecC2C", [](S &s) {
    int status = cufftSetStream(s.plan, s.stream);
    return status != 0 ? status : s.forward();
  }, on_default);
  captured<S>("SetWorkArea", [](S &s) { return (int)cufftSetWorkArea(s.plan, s.work); }, planned);
  captured<S>("SetWorkArea and ExecC2C", [](S &s) {
    int status = cufftSetWorkArea(s.plan, s.work);
    return status != 0 ? status : s.forward();
  }, planned);
  captured<S>("GetSize", [](S &s) { return (int)cufftGetSize(s.plan, &s.size); }, planned);
  first<S>("Estimate1d", [](S &s) { return (int)cufftEstimate1d(N, CUFFT_C2C, 1, &s.size); });
  first<S>("GetVersion", [](S &s) { return (int)cufftGetVersion(&s.version); });
  first<S>("Create", [](S &s) { return (int)cufftCreate(&s.made); });
  captured<S>("MakePlan1d", [](S &s) { return (int)cufftMakePlan1d(s.made, N, CUFFT_C2C, 1, &s.size); }, created);
  captured<S>("MakePlan1d, without work memory",
              [](S &s) { return (int)cufftMakePlan1d(s.made, N, CUFFT_C2C, 1, &s.size); }, [](S &s) {
    NEED(cufftCreate(&s.made));
    NEED(cufftSetAutoAllocation(s.made, 0));
  });
  first<S>("Plan1d", [](S &s) { return (int)cufftPlan1d(&s.plan, N, CUFFT_C2C, 1); });
  first<S>("Plan1d, of a prime length", [](S &s) { return (int)cufftPlan1d(&s.plan, S::PRIME, CUFFT_C2C, 1); });
  captured<S>("Destroy", [](S &s) {
    int status = cufftDestroy(s.plan);
    s.plan = 0;
    return status;
  }, used);
}
