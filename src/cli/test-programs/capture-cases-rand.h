// Calls of cuRAND while a stream is captured.
#pragma once
#include <curand.h>
#include "capture-cases.h"

struct Rand : Memory {
  static constexpr const char *LIBRARY = "curand";
  static constexpr int N = 1024;
  static std::string name_of(int status) {
    NAMED(CURAND_STATUS_SUCCESS);
    NAMED(CURAND_STATUS_NOT_INITIALIZED);
    NAMED(CURAND_STATUS_ALLOCATION_FAILED);
    NAMED(CURAND_STATUS_TYPE_ERROR);
    NAMED(CURAND_STATUS_OUT_OF_RANGE);
    NAMED(CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    NAMED(CURAND_STATUS_LAUNCH_FAILURE);
    NAMED(CURAND_STATUS_PREEXISTING_FAILURE);
    NAMED(CURAND_STATUS_INITIALIZATION_FAILED);
    NAMED(CURAND_STATUS_INTERNAL_ERROR);
    return unnamed(status);
  }
  curandGenerator_t g = nullptr, made = nullptr;
  curandDiscreteDistribution_t distribution = nullptr;
  float *x, host[N];
  int version = 0;

  explicit Rand(cudaStream_t stream) : Memory(stream) { x = of(std::vector<float>(N)); }
  ~Rand() {
    if (g) curandDestroyGenerator(g);
    if (made) curandDestroyGenerator(made);
    if (distribution) curandDestroyDistribution(distribution);
  }
  void generator(curandRngType_t type) {
    NEED(curandCreateGenerator(&g, type));
    NEED(curandSetStream(g, stream));
  }
  int uniform() { return curandGenerateUniform(g, x, N); }
};

static void rand_cases() {
  using S = Rand;
  const int N = S::N;
  auto xorwow = [](S &s) { s.generator(CURAND_RNG_PSEUDO_XORWOW); };
  auto used = [](S &s) { s.generator(CURAND_RNG_PSEUDO_XORWOW), NEED(s.uniform()); };
  auto uniform = [](S &s) { return s.uniform(); };
  captured<S>("GenerateUniform, XORWOW, first call", uniform, xorwow);
  captured<S>("GenerateUniform, XORWOW, after GenerateSeeds", uniform, [](S &s) {
    s.generator(CURAND_RNG_PSEUDO_XORWOW), NEED(curandGenerateSeeds(s.g));
  });
  captured<S>("GenerateUniform, XORWOW", uniform, used);
  captured<S>("GenerateUniform, Philox, first call", uniform,
              [](S &s) { s.generator(CURAND_RNG_PSEUDO_PHILOX4_32_10); });
  captured<S>("GenerateUniform, Philox", uniform, [](S &s) {
    s.generator(CURAND_RNG_PSEUDO_PHILOX4_32_10), NEED(s.uniform());
  });
  captured<S>("GenerateUniform, MRG32k3a", uniform, [](S &s) {
    s.generator(CURAND_RNG_PSEUDO_MRG32K3A), NEED(s.uniform());
  });
  captured<S>("GenerateUniform, MTGP32", uniform, [](S &s) {
    s.generator(CURAND_RNG_PSEUDO_MTGP32), NEED(s.uniform());
  });
  captured<S>("GenerateUniform, Sobol", uniform, [](S &s) {
    s.generator(CURAND_RNG_QUASI_SOBOL32), NEED(s.uniform());
  });
  captured<S>("GenerateNormal, XORWOW", [](S &s) { return (int)curandGenerateNormal(s.g, s.x, N, 0, 1); }, used);
  captured<S>("GeneratePoisson, XORWOW",
              [](S &s) { return (int)curandGeneratePoisson(s.g, (unsigned *)s.x, N, 10); }, used);
  captured<S>("GenerateUniform, on the default stream", uniform, [](S &s) {
    NEED(curandCreateGenerator(&s.g, CURAND_RNG_PSEUDO_XORWOW));
    NEED(s.uniform());
  });
  captured<S>("GenerateUniform, of a host generator",
              [](S &s) { return (int)curandGenerateUniform(s.g, s.host, N); },
              [](S &s) { NEED(curandCreateGeneratorHost(&s.g, CURAND_RNG_PSEUDO_XORWOW)); });
  captured<S>("GenerateSeeds", [](S &s) { return (int)curandGenerateSeeds(s.g); }, xorwow);
  captured<S>("SetPseudoRandomGeneratorSeed",
              [](S &s) { return (int)curandSetPseudoRandomGeneratorSeed(s.g, 7); }, used);
  captured<S>("SetGeneratorOffset", [](S &s) { return (int)curandSetGeneratorOffset(s.g, 7); }, used);
  captured<S>("SetStream, to another one", [](S &s) { return (int)curandSetStream(s.g, s.other); }, used);
  captured<S>("SetStream, to the captured one", [](S &s) { return (int)curandSetStream(s.g, s.stream); },
              [](S &s) { NEED(curandCreateGenerator(&s.g, CURAND_RNG_PSEUDO_XORWOW)); });
  first<S>("GetVersion", [](S &s) { return (int)curandGetVersion(&s.version); });
  first<S>("CreateGenerator, XORWOW",
           [](S &s) { return (int)curandCreateGenerator(&s.made, CURAND_RNG_PSEUDO_XORWOW); });
  first<S>("CreateGenerator, MTGP32",
           [](S &s) { return (int)curandCreateGenerator(&s.made, CURAND_RNG_PSEUDO_MTGP32); });
  first<S>("CreateGeneratorHost",
           [](S &s) { return (int)curandCreateGeneratorHost(&s.made, CURAND_RNG_PSEUDO_XORWOW); });
  first<S>("CreatePoissonDistribution",
           [](S &s) { return (int)curandCreatePoissonDistribution(10, &s.distribution); });
  captured<S>("DestroyGenerator", [](S &s) {
    int status = curandDestroyGenerator(s.g);
    s.g = nullptr;
    return status;
  }, used);
}
