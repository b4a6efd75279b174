// A pass over global memory for each of the log2(n) levels (J. W. Cooley, J. W. Tukey, "An algorithm for the machine
// calculation of complex Fourier series", 1965): a thread combines two elements in place. The first pass fetches its
// elements from where the reversed bits of their numbers say, so that the last one leaves all in order.
#include "complex.cuh"

// Levels are of `half` = 1, 2, 4 …, n / 2.
__global__ void combine(const float2 *x, float2 *y, int n, int bits, int half, int pairs) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= pairs) return;
  int at = i / half * 2 * half + i % half, first = at / n * n;
  float2 a, b;
  if (half == 1)
    a = x[first + (__brev(at - first) >> (32 - bits))], b = x[first + (__brev(at + 1 - first) >> (32 - bits))];
  else a = y[at], b = multiply(y[at + half], root(i % half, 2 * half));
  y[at] = add(a, b), y[at + half] = subtract(a, b);
}
