// In the order of the output: neighbouring threads write neighbours, and read elements that are far apart. A load that
// fetches 32 bytes for 4 leaves the others in a cache, where the threads of other rows find them; a store cannot share
// in this way. The first two dimensions stay next to each other, as do the last two: they are the two sides of a
// matrix, and one division is enough.
__global__ void permute(const float *x, float *y, int d1, int d2, int d3, int d4) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, out = blockIdx.y, rows = d1 * d2;
  if (row < rows) y[out * rows + row] = x[(row * d3 + out % d3) * d4 + out / d3];
}
