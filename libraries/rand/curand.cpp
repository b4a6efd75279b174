// The host API of cuRAND: numbers are made on the host and copied to where the caller wants them.
//
// The order is a GPU's in CURAND_ORDERING_PSEUDO_LEGACY and PSEUDO_DEFAULT (compared on an H200): XORWOW and MRG32k3a
// have 4096 lanes, subsequences of one sequence; element n, or pair n of normal numbers, takes what it needs from lane
// n mod 4096. Philox has 65536 lanes, four integers at a time, MT19937 8192 (twister.h), MTGP32 192 (mtgp.h). Sobol'
// generators deliver dimension by dimension (quasi.h).
#include <curand.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <new>
#include <vector>
#include "generators.h"
#include "../common/captures.h"
#include "heddle/discrete.h"
#include "mtgp.h"
#include "poisson.h"
#include "quasi.h"
#include "twister.h"

namespace {
constexpr size_t CHUNK = 1 << 16;
// Between these means a Poisson number of the Sobol' generators of 32 bits and of MTGP32 is the quantile at a uniform
// number.
constexpr double SOBOL_QUANTILES_BEGIN = 10, MTGP_QUANTILES_BEGIN = 64, QUANTILES_END = 4000;
} // namespace

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  cudaStream_t stream = nullptr;
  uint64_t seed = 0, offset = 0;
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
  bool ready = false;
  // Of lanes whose last pair of normal numbers has one left: it.
  std::vector<float> left;
  std::vector<bool> hasLeft;
  // The last one asked for.
  PoissonTable poissonTable;
  // The next element (of Philox: integer).
  uint64_t position = 0;
  std::vector<Xorwow> xorwow;
  std::vector<Mrg> mrg;
  Philox philox;
  Twister twister;
  Mtgp mtgp;
  QuasiGenerator quasi;

  bool hasSeededLanes() const { return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW; }
  bool isQuasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
  void prepare() {
    if (ready) return;
    ready = true;
    position = 0;
    left.clear();
    hasLeft.clear();
    if (isQuasi()) { quasi.position = offset; return; }
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: philox.seed(seed); position = offset; return;
      case CURAND_RNG_PSEUDO_MT19937: twister.seed(seed); return;
      case CURAND_RNG_PSEUDO_MTGP32: mtgp.seed(seed, ordering == CURAND_ORDERING_PSEUDO_LEGACY ? 64 : 192); return;
      case CURAND_RNG_PSEUDO_MRG32K3A: fillLanes(mrg); break;
      default: fillLanes(xorwow);
    }
    for (uint64_t i = 0; i < offset; i++) integer();
  }
  // How many subsequences there are, whose numbers take turns.
  uint64_t lanes() const {
    if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) return 65536;
    return isMrg() && ordering != CURAND_ORDERING_PSEUDO_LEGACY ? 81920 : 4096;
  }
  template <class Lane> void fillLanes(std::vector<Lane> &places) {
    places.resize(lanes());
    Lane lane;
    lane.seed(seed);
    for (size_t i = 0; i < places.size(); i++) {
      if (ordering == CURAND_ORDERING_PSEUDO_SEEDED) lane.seed(seed + i * 3133713);
      places[i] = lane;
      if (ordering != CURAND_ORDERING_PSEUDO_SEEDED) lane.jump();
    }
  }
  uint32_t integer() {
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: return philox.at(position++);
      case CURAND_RNG_PSEUDO_MT19937: return twister.at(position++);
      case CURAND_RNG_PSEUDO_MTGP32: return mtgp.at(position++);
      case CURAND_RNG_PSEUDO_MRG32K3A: return (uint32_t)(mrg[position++ % mrg.size()].raw() * 1.000000048662);
      default: return xorwow[position++ % xorwow.size()].next();
    }
  }
  // Two integers of one element.
  void integers(uint32_t *p) {
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: p[0] = philox.at(position++); p[1] = philox.at(position++); return;
      default: { Xorwow &lane = xorwow[position++ % xorwow.size()]; p[0] = lane.next(); p[1] = lane.next(); }
    }
  }
  // Two successive groups of four integers belong to each number; `half` is 0 or 1.
  static uint64_t philoxGroup(uint64_t number, uint64_t half) {
    return (number / 65536 * 2 + half) * 65536 + number % 65536;
  }
  bool isMrg() const { return type == CURAND_RNG_PSEUDO_MRG32K3A; }
  float uniform() {
    if (isMrg()) return (float)(mrg[position++ % mrg.size()].raw() * MRG_NORM);
    return integer() * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
  }
  static double wide(uint32_t x, uint32_t y) {
    return (double)((uint64_t)x ^ (uint64_t)y << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
  }
  double uniform53() {
    if (isSingle()) return type == CURAND_RNG_PSEUDO_MTGP32 ? quasi::uniformDouble(integer()) : fraction();
    if (isMrg()) return mrg[position++ % mrg.size()].raw() * MRG_NORM;
    uint32_t p[2];
    if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
      // Four doubles of a lane at a time, from two of its groups.
      uint64_t n = position++, first = philoxGroup(n / 4, n / 2 % 2) * 4 + n % 2 * 2;
      p[0] = philox.at(first);
      p[1] = philox.at(first + 1);
      return wide(p[0], p[1]);
    }
    integers(p);
    return wide(p[0], p[1]);
  }
  void pair(float *p) {
    float u, v;
    if (isMrg()) {
      Mrg &lane = mrg[position++ % mrg.size()];
      u = (float)(lane.raw() * MRG_NORM);
      v = (float)(lane.raw() * MRG_NORM) * 6.2831853f;
    } else {
      uint32_t x[2];
      integers(x);
      u = x[0] * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
      v = x[1] * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2.0f;
    }
    float s = sqrtf(-2.0f * logf(u));
    p[0] = s * sinf(v);
    p[1] = s * cosf(v);
  }
  void pair(double *p) {
    double u, v;
    if (isMrg()) {
      Mrg &lane = mrg[position++ % mrg.size()];
      u = lane.raw() * MRG_NORM;
      v = lane.raw() * MRG_NORM;
    } else {
      uint32_t x[4];
      uint64_t here = position;
      if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        // `position` is even: a pair is two numbers
        position += 2;
        for (int i = 0; i < 4; i++) x[i] = philox.at(philoxGroup(here / 4, here / 2 % 2) * 4 + i);
      } else integers(x);
      if (type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_DEFAULT) position = here; // the same lane again
      if (type != CURAND_RNG_PSEUDO_PHILOX4_32_10) integers(x + 2);
      u = wide(x[0], x[1]);
      v = wide(x[2], x[3]);
    }
    double s = sqrt(-2.0 * log(u));
    p[0] = s * sin(v * 6.283185307179586);
    p[1] = s * cos(v * 6.283185307179586);
  }
  // In [0, 1), of one integer.
  double fraction() {
    if (isMrg()) return mrg[position++ % mrg.size()].raw() * MRG_NORM;
    return integer() * 2.3283064365386963e-10 + 1.1641532182693481e-10;
  }
  // Each number of these makes one of any distribution, as with the Sobol' generators.
  bool isSingle() const { return type == CURAND_RNG_PSEUDO_MT19937 || type == CURAND_RNG_PSEUDO_MTGP32; }
  // Philox counts numbers: a pair may begin before what is asked for, and end behind it.
  bool isCounted() const { return type == CURAND_RNG_PSEUDO_PHILOX4_32_10; }
  template <class T> T countedNormal() {
    const uint64_t here = position;
    T two[2];
    position = here & ~1ull;
    pair(two);
    position = here + 1;
    return two[here & 1];
  }
  // A lane's numbers come in pairs.
  float normalOfLane() {
    if (isCounted()) return countedNormal<float>();
    if (left.empty()) left.resize(lanes()), hasLeft.resize(lanes());
    const uint64_t lane = position % lanes();
    if (hasLeft[lane]) {
      hasLeft[lane] = false;
      position++;
      return left[lane];
    }
    float two[2];
    pair(two);
    left[lane] = two[1];
    hasLeft[lane] = true;
    return two[0];
  }
  template <class T> T singleNormal() {
    // MTGP32 on the host has floats' accuracy.
    const bool isFloat = sizeof(T) == sizeof(float) || (type == CURAND_RNG_PSEUDO_MTGP32 && on_host);
    const double z = quasi::normal(integer(), !isFloat);
    return isFloat ? (T)(float)z : (T)z;
  }
  template <class Word> static uint32_t quantileOrNormal(Word x, double lambda, double end) {
    if (lambda > end) return (uint32_t)(sqrt(lambda) * quasi::normal(x, false) + lambda + 0.5);
    return quasi::poisson(quasi::uniformDouble(x), lambda);
  }
  uint32_t tabled(double u, double lambda) {
    if (poissonTable.lambda != lambda) poissonTable = PoissonTable(lambda);
    return poissonTable.at(u);
  }
  uint32_t poisson(double lambda) {
    if (type == CURAND_RNG_PSEUDO_MTGP32 && lambda >= MTGP_QUANTILES_BEGIN)
      return quantileOrNormal(integer(), lambda, QUANTILES_END);
    // MT19937 sums floats.
    if (type == CURAND_RNG_PSEUDO_MT19937 && lambda >= POISSON_TABLES_END)
      return (uint32_t)(sqrtf((float)lambda) * (float)quasi::normal(integer(), false) + (float)lambda + 0.5f);
    if (lambda >= POISSON_TABLES_END) return (uint32_t)(sqrt(lambda) * normalOfLane() + lambda + 0.5);
    return tabled(fraction(), lambda);
  }
};

namespace {
template <class T, class Make> curandStatus_t deliverPieces(curandGenerator_t g, T *output, size_t n, Make make) {
  std::vector<T> buffer(n < CHUNK ? n : CHUNK);
  for (size_t done = 0; done < n;) {
    size_t count = n - done < CHUNK ? n - done : CHUNK;
    make(buffer.data(), count);
    if (g->on_host) memcpy(output + done, buffer.data(), count * sizeof(T));
    // Not while the stream is captured: the numbers of each launch would be the same.
    else if (cudaStreamSynchronize(g->stream) != cudaSuccess ||
             cudaMemcpyAsync(output + done, buffer.data(), count * sizeof(T), cudaMemcpyHostToDevice, g->stream) !=
                 cudaSuccess ||
             cudaStreamSynchronize(g->stream) != cudaSuccess)
      return CURAND_STATUS_LAUNCH_FAILURE;
    done += count;
  }
  return CURAND_STATUS_SUCCESS;
}
// Before the first numbers. NVIDIA's generators on the device allocate their states then, and wait for them.
curandStatus_t start(curandGenerator_t g) {
  if (!g->ready && !g->on_host) {
    if (!heddle_captures::can_allocate()) return CURAND_STATUS_ALLOCATION_FAILED;
    if (!heddle_captures::can_wait(g->stream)) return CURAND_STATUS_LAUNCH_FAILURE;
  }
  g->prepare();
  return CURAND_STATUS_SUCCESS;
}
// Fills `output` in pieces: make(buffer, count); of a quasirandom generator, with fromQuasi(x) of each integer x of its
// sequence.
template <class T, class Make, class FromQuasi>
curandStatus_t deliver(curandGenerator_t g, T* output, size_t n, Make make, FromQuasi fromQuasi) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (curandStatus_t refused = start(g)) return refused;
  if (g->isQuasi()) {
    if (n % g->quasi.dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    auto visit = [&](auto points) {
      return deliverPieces(g, output, n, [&](T* p, size_t count) {
        for (size_t i = 0; i < count; i++) p[i] = (T)fromQuasi(points.next());
      });
    };
    curandStatus_t status =
        g->quasi.wide() ? visit(g->quasi.points<unsigned long long>(n)) : visit(g->quasi.points<uint32_t>(n));
    g->quasi.position += n / g->quasi.dimensions;
    return status;
  }
  return deliverPieces(g, output, n, make);
}
template <class T>
curandStatus_t normal(curandGenerator_t g, T* output, size_t n, T mean, T deviation, bool exponential) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (n % 2 && !g->isQuasi() && !g->isCounted() && !g->isSingle()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  auto scaled = [=](T x) { return exponential ? (T)exp((double)(mean + deviation * x)) : mean + deviation * x; };
  auto pairs = [=](T *p, size_t count) {
    if (g->isSingle()) {
      for (size_t i = 0; i < count; i++) p[i] = scaled(g->template singleNormal<T>());
      return;
    }
    if (g->isCounted()) {
      for (size_t i = 0; i < count; i++) p[i] = scaled(g->template countedNormal<T>());
      return;
    }
    for (size_t i = 0; i < count; i += 2) {
      g->pair(p + i);
      for (size_t k = i; k < i + 2; k++) p[k] = scaled(p[k]);
    }
  };
  return deliver(g, output, n, pairs, [=](auto x) { return scaled((T)quasi::normal(x, sizeof(T) == sizeof(double))); });
}
// The head, then the table: `discrete` of heddle/discrete.h reads it.
std::vector<unsigned char> describePoisson(double lambda) {
  curandDiscreteDistribution_st head = {0, 0, lambda, sqrt(lambda)};
  PoissonTable table;
  if (lambda < POISSON_TABLES_END) {
    table = PoissonTable(lambda);
    head.columns = (unsigned)table.border.size();
    head.shift = table.shift;
  }
  const size_t borders = head.columns * sizeof(double), others = head.columns * sizeof(uint32_t);
  std::vector<unsigned char> all(sizeof head + borders + others);
  memcpy(all.data(), &head, sizeof head);
  if (borders == 0) return all;
  memcpy(all.data() + sizeof head, table.border.data(), borders);
  memcpy(all.data() + sizeof head + borders, table.other.data(), others);
  return all;
}
curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_MTGP32:
      break;
    case CURAND_RNG_QUASI_DEFAULT: type = CURAND_RNG_QUASI_SOBOL32; break;
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      break;
    default: return CURAND_STATUS_TYPE_ERROR;
  }
  if (!on_host && !heddle_captures::can_allocate()) return CURAND_STATUS_INITIALIZATION_FAILED;
  *generator = new (std::nothrow) curandGenerator_st{type, on_host};
  if (*generator) (*generator)->quasi.type = type;
  return *generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}
} // namespace

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t g) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->ready && !g->on_host) heddle_captures::can_free(); // nobody is told that a capture refuses this
  delete g;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version) {
  if (!version) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = type == 0 ? CURAND_VER_MAJOR : type == 1 ? CURAND_VER_MINOR : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  g->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->isQuasi()) return CURAND_STATUS_TYPE_ERROR;
  g->seed = seed;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->isSingle()) return CURAND_STATUS_TYPE_ERROR;
  g->offset = offset;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->isQuasi()) return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
  if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC) return CURAND_STATUS_OUT_OF_RANGE;
  if (order == CURAND_ORDERING_PSEUDO_DYNAMIC && g->on_host) return CURAND_STATUS_OUT_OF_RANGE;
  if (g->type == CURAND_RNG_PSEUDO_MT19937 &&
      (order == CURAND_ORDERING_PSEUDO_DYNAMIC || (order == CURAND_ORDERING_PSEUDO_BEST && g->on_host)))
    return CURAND_STATUS_OUT_OF_RANGE;
  if (order == CURAND_ORDERING_PSEUDO_SEEDED && !g->hasSeededLanes()) return CURAND_STATUS_OUT_OF_RANGE;
  g->ordering = order;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!g->isQuasi()) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions == 0 || dimensions > sobol::MAX_DIMENSIONS) return CURAND_STATUS_OUT_OF_RANGE;
  g->quasi.dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  return start(g);
}
curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *output, size_t n) {
  if (g && g->isQuasi() && g->quasi.wide()) return CURAND_STATUS_TYPE_ERROR;
  auto make = [=](unsigned int *p, size_t count) { for (size_t i = 0; i < count; i++) p[i] = g->integer(); };
  return deliver(g, output, n, make, [](auto x) { return x; });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *output, size_t n) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!g->isQuasi() || !g->quasi.wide()) return CURAND_STATUS_TYPE_ERROR;
  return deliver(g, output, n, [](unsigned long long *, size_t) {}, [](auto x) { return x; });
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *output, size_t n) {
  auto make = [=](float *p, size_t count) { for (size_t i = 0; i < count; i++) p[i] = g->uniform(); };
  return deliver(g, output, n, make, [](auto x) { return quasi::uniform(x); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *output, size_t n) {
  auto make = [=](double *p, size_t count) { for (size_t i = 0; i < count; i++) p[i] = g->uniform53(); };
  return deliver(g, output, n, make, [](auto x) { return quasi::uniformDouble(x); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float* output, size_t n, float mean, float stddev) {
  return normal(g, output, n, mean, stddev, false);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* output, size_t n, double mean, double stddev) {
  return normal(g, output, n, mean, stddev, false);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* output, size_t n, float mean, float stddev) {
  return normal(g, output, n, mean, stddev, true);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* output, size_t n, double mean,
                                             double stddev) {
  return normal(g, output, n, mean, stddev, true);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *output, size_t n, double lambda) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (!(lambda > 0.0) || lambda > 400000.0) return CURAND_STATUS_OUT_OF_RANGE;
  auto make = [=](unsigned int *p, size_t count) { for (size_t i = 0; i < count; i++) p[i] = g->poisson(lambda); };
  return deliver(g, output, n, make, [=](auto x) {
    constexpr bool isWide = sizeof x == sizeof(uint64_t);
    if (!isWide && lambda < SOBOL_QUANTILES_BEGIN) return g->tabled(quasi::uniformDouble(x), lambda);
    return g->quantileOrNormal(x, lambda, isWide ? nextafter(POISSON_TABLES_END, 0) : QUANTILES_END);
  });
}
curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *distribution) {
  if (!distribution) return CURAND_STATUS_NOT_INITIALIZED;
  if (!(lambda > 0.0) || lambda > 400000.0) return CURAND_STATUS_OUT_OF_RANGE;
  const std::vector<unsigned char> all = describePoisson(lambda);
  void *memory = nullptr;
  if (cudaMalloc(&memory, all.size()) != cudaSuccess) return CURAND_STATUS_ALLOCATION_FAILED;
  *distribution = (curandDiscreteDistribution_t)memory;
  return cudaMemcpy(memory, all.data(), all.size(), cudaMemcpyHostToDevice) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_INTERNAL_ERROR;
}
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
  if (!distribution) return CURAND_STATUS_NOT_INITIALIZED;
  return cudaFree(distribution) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INTERNAL_ERROR;
}
}
