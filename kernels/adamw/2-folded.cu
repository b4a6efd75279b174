// What is the same for all parameters is folded into constants by the host: of three divisions one is left, where each
// is a dozen instructions with a branch. Moments stay in registers; read again after a store, they would be loaded
// again, since the arrays might overlap.
__global__ void adamw(float *params, const float *grads, float *m, float *v, int n, float step, float beta1,
                      float beta2, float rootScale, float epsilon, float keep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gradient = grads[i];
  float mean = beta1 * m[i] + (1 - beta1) * gradient;
  float square = beta2 * v[i] + (1 - beta2) * gradient * gradient;
  m[i] = mean;
  v[i] = square;
  params[i] = keep * params[i] - step * mean / (sqrtf(square) * rootScale + epsilon);
}
