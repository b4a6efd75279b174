// One thread does one element of the gradient, and adds it to its word's vector and to its position's by atomic
// operations: any other token may be the same word, and each sequence has the position. The order of the additions, and
// with it the last bits, differ from run to run.
__global__ void backward(float *words, float *positions, const float *dout, const int *tokens, int batch, int time,
                         int columns) {
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (size_t)batch * time * columns) return;
  int i = at / columns, c = at % columns;
  float d = dout[at];
  atomicAdd(&words[(size_t)tokens[i] * columns + c], d);
  atomicAdd(&positions[(size_t)(i % time) * columns + c], d);
}
