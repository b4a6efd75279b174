// (1 + tanh u) / 2 is 1 / (1 + exp(-2u)): one exponential and one division instead of tanhf, which has branches. For
// large negative v the exponential is infinite and the quotient zero, which is right.
__device__ float gelu1(float v) { return v / (1 + expf(-1.5957691216f * (v + 0.044715f * v * v * v))); }

__global__ void gelu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, quads = n / 4;
  if (i < quads) {
    float4 v = ((const float4 *)x)[i];
    ((float4 *)y)[i] = make_float4(gelu1(v.x), gelu1(v.y), gelu1(v.z), gelu1(v.w));
  }
  int rest = quads * 4 + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n) y[rest] = gelu1(x[rest]);
}
