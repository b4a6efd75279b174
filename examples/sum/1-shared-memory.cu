// A thread reads one element. A block of 256 threads adds its 256 elements in shared memory, as in examples/sum.cu.
// Each block ends with an atomic addition, and all of them go to the same address.
__global__ void zero(float* total) { *total = 0.0f; }

__global__ void sum(const float* x, float* total, int n) {
  __shared__ float part[BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * BLOCK + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(total, part[0]);
}
