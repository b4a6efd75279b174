// Runs cuRAND's host API on the descriptors of a file, a line each: the generator's type, what is made, whether on the
// host, how many, the seed, the offset, the ordering (0: none is set), the dimensions (0: none are set), lambda, and how
// often. Prints the statuses of the settings and of the last call, and numbers of its result.
#include <curand.h>
#include <cstdio>
#include <string>
#include <vector>

struct Case {
  int type;
  char what[16];
  int isHost, count;
  unsigned long long seed, offset;
  int ordering, dimensions;
  double lambda;
  int calls;
};

template <class T, class Generate> static void run(const Case &c, Generate generate) {
  curandGenerator_t g = nullptr;
  curandRngType_t type = (curandRngType_t)c.type;
  printf("%d", (int)(c.isHost ? curandCreateGeneratorHost(&g, type) : curandCreateGenerator(&g, type)));
  if (c.seed) printf(" %d", (int)curandSetPseudoRandomGeneratorSeed(g, c.seed));
  if (c.offset) printf(" %d", (int)curandSetGeneratorOffset(g, c.offset));
  if (c.ordering) printf(" %d", (int)curandSetGeneratorOrdering(g, (curandOrdering_t)c.ordering));
  if (c.dimensions) printf(" %d", (int)curandSetQuasiRandomGeneratorDimensions(g, c.dimensions));
  std::vector<T> host(c.count);
  T *device = nullptr;
  if (!c.isHost) cudaMalloc(&device, c.count * sizeof(T));
  curandStatus_t status = CURAND_STATUS_SUCCESS;
  for (int i = 0; i < c.calls && !status; i++) status = generate(g, c.isHost ? host.data() : device);
  printf(" %d :", (int)status);
  if (!c.isHost) cudaMemcpy(host.data(), device, c.count * sizeof(T), cudaMemcpyDeviceToHost);
  if (!status)
    for (int i = 0; i < 40; i++) {
      int place = i < 8 ? i : i < 16 ? c.count - 1 - (i - 8) : (int)((long long)(i - 16) * c.count / 24 + i % 4);
      if (place >= 0 && place < c.count) printf(" %.9g", (double)host[place]);
    }
  printf("\n");
  cudaFree(device);
  curandDestroyGenerator(g);
}

int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  if (!file) return 2;
  Case c;
  while (fscanf(file, "%d %15s %d %d %llu %llu %d %d %lf %d", &c.type, c.what, &c.isHost, &c.count, &c.seed, &c.offset,
                &c.ordering, &c.dimensions, &c.lambda, &c.calls) == 10) {
    const std::string what = c.what;
    size_t n = c.count;
    if (what == "int") run<unsigned>(c, [&](curandGenerator_t g, unsigned *to) { return curandGenerate(g, to, n); });
    else if (what == "long")
      run<unsigned long long>(c, [&](curandGenerator_t g, unsigned long long *to) { return curandGenerateLongLong(g, to, n); });
    else if (what == "uniform") run<float>(c, [&](curandGenerator_t g, float *to) { return curandGenerateUniform(g, to, n); });
    else if (what == "uniformd")
      run<double>(c, [&](curandGenerator_t g, double *to) { return curandGenerateUniformDouble(g, to, n); });
    else if (what == "normal")
      run<float>(c, [&](curandGenerator_t g, float *to) { return curandGenerateNormal(g, to, n, 1, 2); });
    else if (what == "normald")
      run<double>(c, [&](curandGenerator_t g, double *to) { return curandGenerateNormalDouble(g, to, n, 1, 2); });
    else if (what == "lognormal")
      run<float>(c, [&](curandGenerator_t g, float *to) { return curandGenerateLogNormal(g, to, n, 0, 0.5f); });
    else if (what == "lognormald")
      run<double>(c, [&](curandGenerator_t g, double *to) { return curandGenerateLogNormalDouble(g, to, n, 0, 0.5); });
    else run<unsigned>(c, [&](curandGenerator_t g, unsigned *to) { return curandGeneratePoisson(g, to, n, c.lambda); });
  }
}
