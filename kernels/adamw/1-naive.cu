// One thread updates one parameter, by the formulas as they are published (D. Kingma, J. Ba, "Adam", 2015; weight decay
// apart from the gradient: I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", 2019).
__global__ void adamw(float *params, const float *grads, float *m, float *v, int n, float rate, float beta1,
                      float beta2, float correction1, float correction2, float epsilon, float decay) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float gradient = grads[i];
  m[i] = beta1 * m[i] + (1 - beta1) * gradient;
  v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
  float mean = m[i] / correction1, square = v[i] / correction2;
  params[i] -= rate * (mean / (sqrtf(square) + epsilon) + decay * params[i]);
}
