// Sobol' generators of cuRAND, on host and device: direction vectors against another implementation's, sequences against their definition.
#include <cmath>
#include <cstdio>
#include <vector>
#include <curand.h>
#include <curand_kernel.h>

static int bad = 0;
#define CHECK(CONDITION) do { if (!(CONDITION) && bad++ < 10) printf("line %d: not %s\n", __LINE__, #CONDITION); } while (0)

/// A digest of all direction vectors, in order.
template <typename Word> static unsigned long long digest(const Word *words, int count) {
  unsigned long long h = 0xcbf29ce484222325ull;
  for (int i = 0; i < count; i++) h = (h ^ words[i]) * 0x100000001b3ull;
  return h;
}
/// Point n of the sequence with these vectors, by the definition.
template <typename Word> static Word point(const Word *vectors, unsigned long long n, Word scramble) {
  unsigned long long gray = n ^ n >> 1;
  for (int bit = 0; gray >> bit; bit++) if (gray >> bit & 1) scramble ^= vectors[bit];
  return scramble;
}

constexpr int POINTS = 1000, DIMENSIONS = 3, OFFSET = 77;

template <typename State, typename Vectors, typename Word> __device__ void start(State *state, Vectors *vectors, int dimension, const Word *scramble) {
  if constexpr (sizeof(*scramble) == 1) curand_init(vectors[dimension], OFFSET + threadIdx.x, state);
  else curand_init(vectors[dimension], scramble[dimension], OFFSET + threadIdx.x, state);
}
/// Threads of a block deal the sequence of dimension blockIdx.x out among themselves.
template <typename State, typename Vectors, typename Word, typename Scramble> __global__ void draw(Vectors *vectors, const Scramble *scramble, Word *out, float *uniform, double *normal) {
  State state;
  start(&state, vectors, blockIdx.x, scramble);
  for (int i = threadIdx.x; i < POINTS; i += blockDim.x) {
    State other = state;
    uniform[blockIdx.x * POINTS + i] = curand_uniform(&other);
    other = state;
    normal[blockIdx.x * POINTS + i] = i % 2 ? curand_normal_double(&other) : curand_normal(&other);
    out[blockIdx.x * POINTS + i] = curand(&state);
    skipahead(blockDim.x - 1, &state);
  }
}

/// Kernels and the host API against the definition.
template <typename State, typename Vectors, typename Word, typename Scramble>
static void sequences(Vectors *vectors, const Scramble *scramble, curandRngType_t type) {
  constexpr int BITS = 8 * sizeof(Word), N = DIMENSIONS * POINTS;
  Vectors *deviceVectors;
  Scramble *deviceScramble;
  Word *out;
  float *uniform;
  double *normal;
  cudaMalloc(&deviceVectors, DIMENSIONS * sizeof(Vectors));
  cudaMalloc(&deviceScramble, DIMENSIONS * sizeof(Scramble));
  cudaMallocManaged(&out, N * sizeof(Word));
  cudaMallocManaged(&uniform, N * sizeof(float));
  cudaMallocManaged(&normal, N * sizeof(double));
  cudaMemcpy(deviceVectors, vectors, DIMENSIONS * sizeof(Vectors), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceScramble, scramble, DIMENSIONS * sizeof(Scramble), cudaMemcpyHostToDevice);
  draw<State, Vectors, Word, Scramble><<<DIMENSIONS, 64>>>(deviceVectors, deviceScramble, out, uniform, normal);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);

  std::vector<Word> host(N);
  std::vector<float> hostUniform(N), hostNormal(N);
  std::vector<double> hostNormalDouble(N);
  curandGenerator_t generator;
  CHECK(curandCreateGeneratorHost(&generator, type) == CURAND_STATUS_SUCCESS);
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, 1) == CURAND_STATUS_TYPE_ERROR);
  CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 20001) == CURAND_STATUS_OUT_OF_RANGE);
  CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 0) == CURAND_STATUS_OUT_OF_RANGE);
  CHECK(curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS) == CURAND_STATUS_SUCCESS);
  CHECK(curandSetGeneratorOffset(generator, OFFSET) == CURAND_STATUS_SUCCESS);
  CHECK(curandGenerateUniform(generator, hostUniform.data(), N - 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  // Two calls, the second of which goes on where the first stopped.
  std::vector<Word> halves(N);
  for (int half = 0; half < 2; half++) {
    Word *to = halves.data() + half * N / 2;
    if constexpr (BITS == 32) {
      CHECK(curandGenerate(generator, to, N / 2) == CURAND_STATUS_SUCCESS);
      unsigned long long wide;
      CHECK(curandGenerateLongLong(generator, &wide, 1) == CURAND_STATUS_TYPE_ERROR);
    } else {
      CHECK(curandGenerateLongLong(generator, to, N / 2) == CURAND_STATUS_SUCCESS);
      unsigned narrow;
      CHECK(curandGenerate(generator, &narrow, 1) == CURAND_STATUS_TYPE_ERROR);
    }
    for (int i = 0; i < N / 2; i++) host[i / (POINTS / 2) * POINTS + half * (POINTS / 2) + i % (POINTS / 2)] = to[i];
  }
  auto again = [&] { CHECK(curandSetGeneratorOffset(generator, OFFSET) == CURAND_STATUS_SUCCESS); };
  again();
  CHECK(curandGenerateUniform(generator, hostUniform.data(), N) == CURAND_STATUS_SUCCESS);
  again();
  CHECK(curandGenerateNormal(generator, hostNormal.data(), N, 0.0f, 1.0f) == CURAND_STATUS_SUCCESS);
  again();
  CHECK(curandGenerateNormalDouble(generator, hostNormalDouble.data(), N, 0.0, 1.0) == CURAND_STATUS_SUCCESS);
  curandDestroyGenerator(generator);

  for (int d = 0; d < DIMENSIONS; d++) {
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) {
      const int at = d * POINTS + i;
      const Word want = point<Word>(vectors[d], OFFSET + i, sizeof(Scramble) == 1 ? 0 : scramble[d]);
      CHECK(out[at] == want);
      CHECK(host[at] == want);
      const float u = (float)(unsigned)(want >> (BITS - 32)) * 2.3283064e-10f + 1.1641532e-10f;
      CHECK(uniform[at] == u && hostUniform[at] == u);
      const double z = normal[at], back = 0.5 * erfc(-z * 0.7071067811865476);
      CHECK(fabs(back - (double)want * ldexp(1.0, -BITS)) < 2e-7);
      CHECK(fabs((i % 2 ? hostNormalDouble[at] : (double)hostNormal[at]) - z) < (i % 2 ? 2e-15 : 1e-6) * (1.0 + fabs(z)));
      CHECK(fabs(hostNormalDouble[at] - z) < 1e-5);
      sum += u;
    }
    CHECK(fabs(sum / POINTS - 0.5) < 0.01);
  }
}

__global__ void poisson(curandDirectionVectors32_t *vectors, unsigned *out) {
  curandStateSobol32_t state;
  curand_init(*vectors, threadIdx.x, &state);
  out[threadIdx.x] = curand_poisson(&state, 50.0);
  out[threadIdx.x + blockDim.x] = (unsigned)(1e6f * curand_log_normal(&state, 0.0f, 0.5f));
}

int main() {
  curandDirectionVectors32_t *plain32, *scrambled32;
  curandDirectionVectors64_t *plain64, *scrambled64;
  unsigned *constants32;
  unsigned long long *constants64;
  CHECK(curandGetDirectionVectors32(&plain32, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_SUCCESS);
  CHECK(curandGetDirectionVectors32(&scrambled32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_SUCCESS);
  CHECK(curandGetDirectionVectors64(&plain64, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_SUCCESS);
  CHECK(curandGetDirectionVectors64(&scrambled64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) == CURAND_STATUS_SUCCESS);
  CHECK(curandGetDirectionVectors64(&plain64, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_OUT_OF_RANGE);
  CHECK(curandGetScrambleConstants32(&constants32) == CURAND_STATUS_SUCCESS);
  CHECK(curandGetScrambleConstants64(&constants64) == CURAND_STATUS_SUCCESS);
  // Computed with SciPy 1.17.1 (scipy.stats._sobol), from the same published numbers.
  CHECK(digest(*plain32, 20000 * 32) == 0x95ba84c4c0a2899dull);
  CHECK(digest(*plain64, 20000 * 64) == 0x3f6bae8b37c7b865ull);
  // A scrambled vector has the highest bit of the plain one, and random ones below.
  int lower = 0;
  for (int i = 0; i < 20000 * 32; i++) {
    CHECK(__builtin_clz((*scrambled32)[i]) == __builtin_clz((*plain32)[i]));
    lower += (*scrambled32)[i] == (*plain32)[i];
  }
  CHECK(lower < 20000 * 32 / 4);

  const char none[DIMENSIONS] = {};
  sequences<curandStateSobol32_t, curandDirectionVectors32_t, unsigned>(plain32, none, CURAND_RNG_QUASI_SOBOL32);
  sequences<curandStateScrambledSobol32_t, curandDirectionVectors32_t, unsigned>(scrambled32, constants32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32);
  sequences<curandStateSobol64_t, curandDirectionVectors64_t, unsigned long long>(plain64, none, CURAND_RNG_QUASI_SOBOL64);
  sequences<curandStateScrambledSobol64_t, curandDirectionVectors64_t, unsigned long long>(scrambled64, constants64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);

  unsigned *counts;
  curandDirectionVectors32_t *vectors;
  cudaMallocManaged(&counts, 2 * 512 * sizeof(unsigned));
  cudaMalloc(&vectors, sizeof *plain32);
  cudaMemcpy(vectors, plain32, sizeof *plain32, cudaMemcpyHostToDevice);
  poisson<<<1, 512>>>(vectors, counts);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  double mean = 0.0, logMean = 0.0;
  for (int i = 0; i < 512; i++) mean += counts[i] / 512.0, logMean += counts[512 + i] / 512.0 / 1e6;
  CHECK(fabs(mean - 50.0) < 0.1);
  CHECK(fabs(logMean - exp(0.125)) < 0.01);
  // The host API's are the inverse of the same distribution.
  std::vector<unsigned> host(512);
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_DEFAULT);
  CHECK(curandGeneratePoisson(generator, host.data(), 512, 50.0) == CURAND_STATUS_SUCCESS);
  for (int i = 0; i < 512; i++) CHECK(host[i] == counts[i]);
  curandDestroyGenerator(generator);
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW);
  CHECK(curandSetQuasiRandomGeneratorDimensions(generator, 2) == CURAND_STATUS_TYPE_ERROR);
  curandDestroyGenerator(generator);
  if (bad) printf("%d wrong\n", bad);
  puts(bad ? "FAILED" : "PASSED");
  return bad != 0;
}
