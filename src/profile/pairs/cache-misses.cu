// Each output is the sum of four inputs that lie far apart. A thread that computes the outputs one after the other asks
// for the inputs again when no cache has them any more; one that computes four outputs from the same inputs does not.
// @size 4096
// @caches
// @flawed 65536 256 cache-misses __global__ void flawed(
// @repaired 16384 256
__global__ void flawed(float* out, const float* in, int n) {
  int all = n * n, i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) sum += (k + 1) * in[(i + k * (all / 4)) % all];
  out[i] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  int part = n * n / 4, i = blockIdx.x * 256 + threadIdx.x;
  float a = in[i], b = in[i + part], c = in[i + 2 * part], d = in[i + 3 * part];
  out[i] = a + 2 * b + 3 * c + 4 * d;
  out[i + part] = b + 2 * c + 3 * d + 4 * a;
  out[i + 2 * part] = c + 2 * d + 3 * a + 4 * b;
  out[i + 3 * part] = d + 2 * a + 3 * b + 4 * c;
}
