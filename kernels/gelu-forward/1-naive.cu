// One thread does one element, by the formula as it is written (the approximation by tanh: D. Hendrycks, K. Gimpel,
// "Gaussian error linear units", 2016).
__global__ void gelu(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}
