/*
 * Discrete distributions in kernels, for curand_kernel.h: curandCreatePoissonDistribution makes one. A table has
 * columns of one width, each shared by its own number and one other (Marsaglia, Tsang and Wang, "Fast Generation of
 * Discrete Random Variables", 2004). Behind this head come the borders of the columns, then the other numbers.
 */
#ifndef HEDDLE_DISCRETE_H
#define HEDDLE_DISCRETE_H

struct curandDiscreteDistribution_st {
  /* how many columns; 0: normal numbers are scaled and rounded */
  unsigned int columns;
  /* the number of the first column */
  unsigned int shift;
  double mean, deviation;
};

#ifdef __CUDACC__
namespace heddle_random {
static __device__ unsigned int discrete(unsigned int x, curandDiscreteDistribution_t distribution) {
  const unsigned int columns = distribution->columns;
  if (columns == 0)
    return (unsigned int)(distribution->deviation * sobol_normal(x) + distribution->mean + 0.5);
  const double *border = (const double *)(distribution + 1), u = sobol_uniform_double(x);
  const unsigned int *other = (const unsigned int *)(border + columns);
  const unsigned int found = (unsigned int)(u * columns), column = found < columns ? found : columns - 1;
  return distribution->shift + (u < border[column] ? column : other[column]);
}
} // namespace heddle_random

template <class State>
static __device__ __forceinline__ unsigned int curand_discrete(State *state,
                                                               curandDiscreteDistribution_t distribution) {
  return heddle_random::discrete((unsigned int)(curand(state) >> (8 * sizeof(curand(state)) - 32)), distribution);
}
#endif // __CUDACC__
#endif
