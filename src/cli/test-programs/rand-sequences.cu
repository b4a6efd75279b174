// Orders and distributions of cuRAND's host API, and generators in kernels that must agree with it. The numbers are
// those of NVIDIA's library (cuRAND 13.0 on an H200, MT19937's and MTGP32's from its samples), with the seed 1234.
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include <cmath>
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
// Poisson numbers, whose method depends on generator and mean.
struct PoissonCase {
  curandRngType_t type;
  double lambda;
  unsigned first[4];
};
static const PoissonCase poissonCases[] = {
    {CURAND_RNG_QUASI_SOBOL32, 3, {0, 3, 2, 4}},
    {CURAND_RNG_QUASI_SOBOL32, 8, {0, 8, 6, 10}},
    {CURAND_RNG_QUASI_SOBOL32, 2000, {1728, 2000, 2030, 1970}},
    {CURAND_RNG_PSEUDO_MTGP32, 64, {66, 63, 66, 86}},
    {CURAND_RNG_PSEUDO_MTGP32, 2000, {2009, 1996, 2013, 2121}},
    {CURAND_RNG_PSEUDO_MTGP32, 400000, {400131, 399942, 400186, 401698}},
    {CURAND_RNG_PSEUDO_MT19937, 400000, {399448, 399058, 399344, 400257}},
};
static int failures = 0;
#define EXPECT(call, wanted) expect((int)(call), (int)(wanted), #call)
static void expect(int got, int wanted, const char *call) {
  if (got != wanted) printf("%s is %d, not %d\n", call, got, wanted), failures++;
}

static void expectNear(const char *name, const float *got, const float *wanted, int count) {
  for (int i = 0; i < count; i++)
    if (std::fabs(got[i] - wanted[i]) > 2e-6f) printf("%s %d is %.7f, not %.7f\n", name, i, got[i], wanted[i]), failures++;
}
// Of a block of eight threads that share a state, and of 8192 such lanes.
static void twister() {
  static const float wanted[12] = {0.191519f, 0.068085f, 0.149834f, 0.657769f, 0.593411f, 0.759158f,
                                   0.658873f, 0.109174f, 0.434190f, 0.135581f, 0.658952f, 0.996097f};
  curandGenerator_t g;
  float whole[12], parts[12];
  EXPECT(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937), CURAND_STATUS_SUCCESS);
  EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateUniform(g, whole, 12), CURAND_STATUS_SUCCESS);
  expectNear("MT19937", whole, wanted, 12);
  EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateUniform(g, parts, 5), CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateUniform(g, parts + 5, 7), CURAND_STATUS_SUCCESS);
  expectNear("MT19937 in parts", parts, wanted, 12);
  EXPECT(curandSetGeneratorOffset(g, 1), CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_BEST), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandGenerateNormal(g, parts, 9, 0, 1), CURAND_STATUS_SUCCESS);
  EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
}

__global__ void take(curandStateMtgp32 *states, unsigned *integers, float *normals) {
  const unsigned at = blockIdx.x * 512 + threadIdx.x;
  integers[at] = curand(&states[blockIdx.x]);
  integers[at + 256] = curand(&states[blockIdx.x]);
  normals[at] = curand_normal(&states[blockIdx.x]);
}
static void twisterOfKernels() {
  static const float wanted[10] = {1.415674f,  0.817308f, 1.588038f, 6.369638f,  -1.367920f,
                                   -0.242695f, 3.866537f, 2.142646f, -0.471517f, 0.531867f};
  const int blocks = 3, lanes = 192, turn = lanes * 256;
  curandGenerator_t g;
  float normals[10];
  std::vector<unsigned> all(2 * turn), ours(blocks * 512);
  EXPECT(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32), CURAND_STATUS_SUCCESS);
  EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateNormal(g, normals, 10, 1, 2), CURAND_STATUS_SUCCESS);
  expectNear("MTGP32", normals, wanted, 10);
  EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerate(g, all.data(), all.size()), CURAND_STATUS_SUCCESS);
  EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
  curandStateMtgp32 *states;
  mtgp32_kernel_params_t *parameters;
  unsigned *integers;
  float *last;
  cudaMalloc(&states, blocks * sizeof *states);
  cudaMalloc(&parameters, sizeof *parameters);
  cudaMalloc(&integers, ours.size() * sizeof(unsigned));
  cudaMalloc(&last, ours.size() * sizeof(float));
  EXPECT(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters), CURAND_STATUS_SUCCESS);
  EXPECT(curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, blocks, 1234),
         CURAND_STATUS_SUCCESS);
  take<<<blocks, 256>>>(states, integers, last);
  cudaMemcpy(ours.data(), integers, ours.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int block = 0; block < blocks; block++)
    for (int i = 0; i < 512; i++) EXPECT(ours[block * 512 + i], all[i / 256 * turn + block * 256 + i % 256]);
}

__global__ void discrete(curandDiscreteDistribution_t distribution, unsigned *to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(1234, i, 0, &state);
  to[i] = curand_discrete(&state, distribution);
}
static void distributions() {
  unsigned *device;
  cudaMalloc(&device, 4096 * sizeof *device);
  for (double lambda : {0.5, 20.0, 9000.0}) {
    curandDiscreteDistribution_t distribution;
    EXPECT(curandCreatePoissonDistribution(lambda, &distribution), CURAND_STATUS_SUCCESS);
    discrete<<<16, 256>>>(distribution, device);
    std::vector<unsigned> ours(4096), all(4096);
    cudaMemcpy(ours.data(), device, ours.size() * sizeof *device, cudaMemcpyDeviceToHost);
    EXPECT(curandDestroyDistribution(distribution), CURAND_STATUS_SUCCESS);
    curandGenerator_t g;
    EXPECT(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_SUCCESS);
    EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
    EXPECT(curandGeneratePoisson(g, all.data(), all.size(), lambda), CURAND_STATUS_SUCCESS);
    EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
    // Beyond the tables the host takes Box and Muller's normal numbers: only the mean must agree.
    double sum = 0;
    for (unsigned x : ours) sum += x;
    if (lambda > 2000) EXPECT(std::fabs(sum / 4096 - lambda) < 5 * std::sqrt(lambda / 4096), 1);
    else for (int i = 0; i < 4096; i++) EXPECT(ours[i], all[i]);
  }
  curandDiscreteDistribution_t distribution;
  for (const PoissonCase &c : poissonCases) {
    curandGenerator_t g;
    unsigned x[4];
    EXPECT(curandCreateGeneratorHost(&g, c.type), CURAND_STATUS_SUCCESS);
    if (c.type < CURAND_RNG_QUASI_DEFAULT) EXPECT(curandSetPseudoRandomGeneratorSeed(g, 1234), CURAND_STATUS_SUCCESS);
    EXPECT(curandGeneratePoisson(g, x, 4, c.lambda), CURAND_STATUS_SUCCESS);
    for (int i = 0; i < 4; i++) EXPECT(x[i], c.first[i]);
    EXPECT(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
  }
  EXPECT(curandCreatePoissonDistribution(0, &distribution), CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandDestroyDistribution(nullptr), CURAND_STATUS_NOT_INITIALIZED);
}

int main() {
  twister();
  twisterOfKernels();
  distributions();
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
