// Two locks, taken in opposite order by two blocks: each waits for the other.
__device__ int locks[2];
__global__ void transfer(int *out) {
  int first = blockIdx.x, second = 1 - first;
  while (atomicCAS(&locks[first], 0, 1) != 0) {}
  __threadfence();
  atomicExch(&out[blockIdx.x], 1);
  while (atomicAdd(&out[second], 0) == 0) {} // until both have one
  while (atomicCAS(&locks[second], 0, 1) != 0) {}
  atomicExch(&out[blockIdx.x], 2);
}

int main() {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  transfer<<<2, 1>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(out);
  return error != cudaSuccess;
}
