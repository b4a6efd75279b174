// A host pointer where the call needs device memory.
int main() {
  float x[32] = {};
  cudaError_t error = cudaMemset(x, 0, sizeof(x));
  return error != cudaErrorInvalidValue;
}
