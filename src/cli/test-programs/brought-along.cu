// Names that nvcc programs use without their headers: cuda_runtime.h brings <assert.h>, <stdio.h>, <stdlib.h>,
// <string.h>, <time.h> and <math.h>, gcc's <cmath> the simplest algorithms, Thrust and CUB <iostream>.
__global__ void squares(int *p, int n) {
  int i = threadIdx.x;
  assert(i < n);
  p[i] = i * i;
}

int main_of_plain_names() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof(int));
  squares<<<1, 32>>>(p, 32);
  cudaDeviceSynchronize();
  assert(p[31] == 961);
  int q[32], r[32];
  std::copy(p, p + 32, q);
  std::fill(r, r + 32, std::numeric_limits<int>::max());
  std::swap(q[0], r[0]);
  std::swap_ranges(q, q + 4, r);
  char text[16];
  memset(text, 0, sizeof text);
  strcpy(text, "seven");
  void *memory = malloc(8);
  free(memory);
  bool ok = std::equal(p + 4, p + 32, q + 4) && std::max(1, 2) == 2 && strlen(text) == 5 && time(NULL) > 0;
  ok = ok && std::sqrt(4.0) == 2.0 && std::pair<int, int>(1, 2).second == 2 && std::lexicographical_compare(p, p + 1, p, p + 2);
  return ok ? 0 : 1;
}

#include <thrust/device_vector.h>

int main() {
  thrust::device_vector<int> v(4, 1);
  if (main_of_plain_names() == 0 && v[3] == 1) std::cout << "PASSED" << std::endl;
}
