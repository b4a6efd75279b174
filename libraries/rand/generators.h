// The pseudorandom generators of cuRAND's host API (curand.cpp), each as one sequence.
#pragma once
#include <stdint.h>
#include <string.h>

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
} // namespace
