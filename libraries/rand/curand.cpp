// The host API of cuRAND: numbers are made on the host and copied to where the caller wants them.
//
// The order is a GPU's in CURAND_ORDERING_PSEUDO_LEGACY and PSEUDO_DEFAULT (compared on an H200): XORWOW and MRG32k3a
// have 4096 lanes, subsequences of one sequence; element n, or pair n of normal numbers, takes what it needs from lane
// n mod 4096. Philox has 65536 lanes, four integers at a time. MT19937 delivers its sequence as it is, which is not a
// GPU's order. Sobol' generators deliver dimension by dimension (quasi.h).
#include <curand.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <new>
#include <vector>
#include "quasi.h"

namespace {
struct Xorwow {
  uint32_t d, v[5];
  void seed(uint64_t seed) {
    uint32_t s0 = (uint32_t)seed ^ 0xaad26b49u, s1 = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    d = 6615241u + t1 + t0;
    v[0] = 123456789u + t0; v[1] = 362436069u ^ t0; v[2] = 521288629u + t1; v[3] = 88675123u ^ t1; v[4] = 5783321u + t0;
  }
  void step() {
    uint32_t t = v[0] ^ (v[0] >> 2);
    v[0] = v[1]; v[1] = v[2]; v[2] = v[3]; v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
  }
  uint32_t next() { step(); d += 362437u; return v[4] + d; }
  // 2^67 steps: x^(2^67) modulo the characteristic polynomial, see libdevice/random.cu. The counter d comes back to
  // where it was.
  void jump() {
    static const uint32_t polynomial[5] = {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u};
    uint32_t a[5] = {};
    for (int i = 0; i < 160; i++) {
      if (polynomial[i >> 5] >> (i & 31) & 1) for (int k = 0; k < 5; k++) a[k] ^= v[k];
      step();
    }
    memcpy(v, a, sizeof v);
  }
};

struct Philox {
  uint32_t key[2], block[4];
  uint64_t held;
  void seed(uint64_t seed) { key[0] = (uint32_t)seed; key[1] = (uint32_t)(seed >> 32); held = ~0ull; }
  // The n-th integer in the order of the lanes.
  uint32_t at(uint64_t n) {
    uint64_t group = n / 4;
    if (group != held) {
      uint64_t step = group / 65536;
      uint32_t c[4] = {(uint32_t)step, (uint32_t)(step >> 32), (uint32_t)(group % 65536), 0}, k0 = key[0], k1 = key[1];
      for (int round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
        uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        uint32_t r[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        memcpy(c, r, sizeof c);
      }
      memcpy(block, c, sizeof c);
      held = group;
    }
    return block[n % 4];
  }
};

struct Mrg {
  uint32_t s1[3], s2[3];
  void seed(uint64_t seed) {
    const uint64_t m1 = 4294967087ull, m2 = 4294944443ull;
    uint64_t x1 = (uint32_t)seed ^ 0x55555555u, x2 = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
      s1[i] = seed == 0 ? 12345u : (uint32_t)((i == 1 ? x2 : x1) * 12345u % m1);
      s2[i] = seed == 0 ? 12345u : (uint32_t)((i == 1 ? x1 : x2) * 12345u % m2);
    }
  }
  uint32_t raw() {
    const uint64_t m1 = 4294967087ull, m2 = 4294944443ull;
    uint32_t p1 = (uint32_t)((1403580ull * s1[1] + 810728ull * (m1 - s1[0])) % m1);
    uint32_t p2 = (uint32_t)((527612ull * s2[2] + 1370589ull * (m2 - s2[0])) % m2);
    s1[0] = s1[1]; s1[1] = s1[2]; s1[2] = p1;
    s2[0] = s2[1]; s2[1] = s2[2]; s2[2] = p2;
    return p1 <= p2 ? p1 - p2 + (uint32_t)m1 : p1 - p2;
  }
  // 2^76 steps: the matrices of libdevice/random.cu.
  void jump() {
    static const uint64_t a[9] = {82758667,   1871391091,    4127413238ull, 3672831523ull, 69195019,
                                  1871391091, 3672091415ull, 3528743235ull, 69195019},
                          b[9] = {1511326704,    3759209742ull, 1610795712,    4292754251ull, 1511326704,
                                  3889917532ull, 3859662829ull, 4292754251ull, 3708466080ull};
    apply(s1, a, 4294967087ull);
    apply(s2, b, 4294944443ull);
  }
  static void apply(uint32_t *s, const uint64_t *m, uint64_t modulus) {
    uint32_t r[3];
    for (int i = 0; i < 3; i++)
      r[i] = (uint32_t)((m[3 * i] * s[0] % modulus + m[3 * i + 1] * s[1] % modulus + m[3 * i + 2] * s[2] % modulus) %
                        modulus);
    memcpy(s, r, sizeof r);
  }
};
constexpr double MRG_NORM = 2.3283065498378288e-10; // 1 / 4294967087

// Matsumoto and Nishimura, "Mersenne Twister", 1998, with the initialisation of 2002.
struct Twister {
  uint32_t state[624];
  int at;
  void seed(uint64_t seed) {
    state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < 624; i++) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    at = 624;
  }
  uint32_t next() {
    if (at == 624) {
      for (int i = 0; i < 624; i++) {
        uint32_t y = (state[i] & 0x80000000u) | (state[(i + 1) % 624] & 0x7fffffffu);
        state[i] = state[(i + 397) % 624] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
      }
      at = 0;
    }
    uint32_t y = state[at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
};

constexpr uint64_t LANES = 4096;
constexpr size_t CHUNK = 1 << 16;
} // namespace

struct curandGenerator_st {
  curandRngType_t type;
  bool on_host;
  uint64_t seed = 0, offset = 0;
  bool ready = false;
  // The next element (of Philox: integer).
  uint64_t position = 0;
  std::vector<Xorwow> xorwow;
  std::vector<Mrg> mrg;
  Philox philox;
  Twister twister;
  QuasiGenerator quasi;

  bool isQuasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
  void prepare() {
    if (ready) return;
    ready = true;
    position = 0;
    if (isQuasi()) { quasi.position = offset; return; }
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: philox.seed(seed); position = offset; return;
      case CURAND_RNG_PSEUDO_MT19937: twister.seed(seed == 0 ? 5489 : seed); break;
      case CURAND_RNG_PSEUDO_MRG32K3A: fillLanes(mrg); break;
      default: fillLanes(xorwow);
    }
    for (uint64_t i = 0; i < offset; i++) integer();
  }
  template <class Lane> void fillLanes(std::vector<Lane> &lanes) {
    lanes.resize(LANES);
    Lane lane;
    lane.seed(seed);
    for (Lane &place : lanes) { place = lane; lane.jump(); }
  }
  uint32_t integer() {
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: return philox.at(position++);
      case CURAND_RNG_PSEUDO_MT19937: return twister.next();
      case CURAND_RNG_PSEUDO_MRG32K3A: return (uint32_t)(mrg[position++ % LANES].raw() * 1.000000048662);
      default: return xorwow[position++ % LANES].next();
    }
  }
  // Two integers of one element.
  void integers(uint32_t *p) {
    switch (type) {
      case CURAND_RNG_PSEUDO_PHILOX4_32_10: p[0] = philox.at(position++); p[1] = philox.at(position++); return;
      case CURAND_RNG_PSEUDO_MT19937: p[0] = twister.next(); p[1] = twister.next(); return;
      default: { Xorwow &lane = xorwow[position++ % LANES]; p[0] = lane.next(); p[1] = lane.next(); }
    }
  }
  // Two successive groups of four integers belong to each number; `half` is 0 or 1.
  static uint64_t philoxGroup(uint64_t number, uint64_t half) {
    return (number / 65536 * 2 + half) * 65536 + number % 65536;
  }
  bool isMrg() const { return type == CURAND_RNG_PSEUDO_MRG32K3A; }
  float uniform() {
    if (isMrg()) return (float)(mrg[position++ % LANES].raw() * MRG_NORM);
    return integer() * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
  }
  static double wide(uint32_t x, uint32_t y) {
    return (double)((uint64_t)x ^ (uint64_t)y << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
  }
  double uniform53() {
    if (isMrg()) return mrg[position++ % LANES].raw() * MRG_NORM;
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
      Mrg &lane = mrg[position++ % LANES];
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
      Mrg &lane = mrg[position++ % LANES];
      u = lane.raw() * MRG_NORM;
      v = lane.raw() * MRG_NORM;
    } else {
      uint32_t x[4];
      uint64_t here = position;
      if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        position++;
        for (int i = 0; i < 4; i++) x[i] = philox.at(philoxGroup(here / 2, here % 2) * 4 + i);
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
  // libdevice's Poisson method (curand_kernel.h): Knuth below 10, Hoermann's PTRS above.
  uint32_t poisson(double lambda) {
    if (lambda < 10.0) {
      double limit = exp(-lambda), product = 1.0;
      uint32_t k = 0;
      while ((product *= uniform53()) > limit) k++;
      return k;
    }
    double root = sqrt(lambda), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b,
           inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
      double u = uniform53() - 0.5, v = uniform53(), us = 0.5 - fabs(u),
             k = floor((2.0 * a / us + b) * u + lambda + 0.43);
      if (us >= 0.07 && v <= vr) return (uint32_t)k;
      if (k < 0.0 || (us < 0.013 && v > us)) continue;
      if (log(v) + log(inverse_alpha) - log(a / (us * us) + b) <= -lambda + k * log(lambda) - lgamma(k + 1.0))
        return (uint32_t)k;
    }
  }
};

namespace {
template <class T, class Make> curandStatus_t deliverPieces(curandGenerator_t g, T *output, size_t n, Make make) {
  std::vector<T> buffer(n < CHUNK ? n : CHUNK);
  for (size_t done = 0; done < n;) {
    size_t count = n - done < CHUNK ? n - done : CHUNK;
    make(buffer.data(), count);
    if (g->on_host) memcpy(output + done, buffer.data(), count * sizeof(T));
    else if (cudaMemcpy(output + done, buffer.data(), count * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)
      return CURAND_STATUS_LAUNCH_FAILURE;
    done += count;
  }
  return CURAND_STATUS_SUCCESS;
}
// Fills `output` in pieces: make(buffer, count); of a quasirandom generator, with fromQuasi(x) of each integer x of its
// sequence.
template <class T, class Make, class FromQuasi>
curandStatus_t deliver(curandGenerator_t g, T* output, size_t n, Make make, FromQuasi fromQuasi) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  g->prepare();
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
  if (n % 2 && !g->isQuasi()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  auto scaled = [=](T x) { return exponential ? (T)exp((double)(mean + deviation * x)) : mean + deviation * x; };
  auto pairs = [=](T *p, size_t count) {
    for (size_t i = 0; i < count; i += 2) {
      g->pair(p + i);
      for (size_t k = i; k < i + 2; k++) p[k] = scaled(p[k]);
    }
  };
  return deliver(g, output, n, pairs, [=](auto x) { return scaled((T)quasi::normal(x, sizeof(T) == sizeof(double))); });
}
curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_PSEUDO_MT19937:
      break;
    case CURAND_RNG_QUASI_DEFAULT: type = CURAND_RNG_QUASI_SOBOL32; break;
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      break;
    default: return CURAND_STATUS_TYPE_ERROR;
  }
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
  delete g;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version) { *version = CURAND_VERSION; return CURAND_STATUS_SUCCESS; }
curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  *value = type == 0 ? CURAND_VER_MAJOR : type == 1 ? CURAND_VER_MINOR : CURAND_VER_PATCH;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t) {
  return g ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
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
  g->offset = offset;
  g->ready = false;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order) {
  if (!g) return CURAND_STATUS_NOT_INITIALIZED;
  if (g->isQuasi()) return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
  return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC ? CURAND_STATUS_SUCCESS
                                                                                         : CURAND_STATUS_OUT_OF_RANGE;
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
  g->prepare();
  return CURAND_STATUS_SUCCESS;
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
  if (!(lambda > 0.0) || lambda > 400000.0) return CURAND_STATUS_OUT_OF_RANGE;
  auto make = [=](unsigned int *p, size_t count) { for (size_t i = 0; i < count; i++) p[i] = g->poisson(lambda); };
  return deliver(g, output, n, make, [=](auto x) { return quasi::poisson(quasi::uniformDouble(x), lambda); });
}
}
