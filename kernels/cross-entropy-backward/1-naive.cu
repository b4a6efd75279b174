// One thread does one element, with a division for its row. Only the target's element is special; the row's loss
// gradient and target are loaded for each.
__global__ void backward(float *dlogits, const float *dlosses, const float *probabilities, const int *targets, int rows,
                         int classes) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)rows * classes) return;
  int row = i / classes, c = i % classes;
  dlogits[i] += (probabilities[i] - (c == targets[row])) * dlosses[row];
}
