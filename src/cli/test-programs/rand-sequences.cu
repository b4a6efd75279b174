// Orders and distributions of cuRAND's host API. The numbers are those of NVIDIA's library (cuRAND 13.0 on an H200),
// with the seed 1234.
#include <curand.h>
#include <cstdio>
#include <vector>

struct Case {
  curandRngType_t type;
  curandOrdering_t ordering;
  double lambda; // 0: the integers
  unsigned first[6], later[4];
};
static const unsigned places[4] = {4096, 4157, 4218, 4279};
static const Case cases[] = {
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_SEEDED, 0,
     {624778773, 2069044768, 1651068445, 1019162275, 1510067460, 1510358219},
     {1867875844, 296821673, 4162030443, 1404039303}},
    {CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_DEFAULT, 0,
     {3379073520, 653317650, 4012281984, 4237272334, 4243547925, 1307787078},
     {2648318237, 2287874622, 3699037510, 3905051710}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 0.5, {1, 0, 0, 1, 0, 0}, {0, 0, 0, 1}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 20, {26, 16, 20, 23, 15, 16}, {21, 20, 19, 23}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 1500,
     {1539, 1469, 1499, 1519, 1454, 1462}, {1509, 1505, 1495, 1516}},
    {CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 9000,
     {9074, 8973, 8904, 9138, 8986, 9000}, {8829, 8899, 8974, 8926}},
};
static int failures = 0;
#define EXPECT(call, wanted) expect((int)(call), (int)(wanted), #call)
static void expect(int got, int wanted, const char *call) {
  if (got != wanted) printf("%s is %d, not %d\n", call, got, wanted), failures++;
}

int main() {
  for (const Case &c : cases) {
    curandGenerator_t g;
    std::vector<unsigned> x(6000);
    EXPECT(curandCreateGeneratorHost(&g, c.type), CURAND_STATUS_SUCCESS);
    EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
    EXPECT(curandSetGeneratorOrdering(g, c.ordering), CURAND_STATUS_SUCCESS);
    if (c.lambda > 0) EXPECT(curandGeneratePoisson(g, x.data(), x.size(), c.lambda), CURAND_STATUS_SUCCESS);
    else EXPECT(curandGenerate(g, x.data(), x.size()), CURAND_STATUS_SUCCESS);
    for (int i = 0; i < 6; i++) EXPECT(x[i], c.first[i]);
    for (int i = 0; i < 4; i++) EXPECT(x[places[i]], c.later[i]);
    EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
  }
  curandGenerator_t g;
  EXPECT(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MRG32K3A), CURAND_STATUS_SUCCESS);
  EXPECT(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_SEEDED), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC), CURAND_STATUS_OUT_OF_RANGE);
  float odd[3];
  EXPECT(curandGenerateNormal(g, odd, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT(curandGetVersion(nullptr), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
