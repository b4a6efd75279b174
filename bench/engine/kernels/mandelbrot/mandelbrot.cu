// Iterations until |z| > 2: neighbouring threads leave the loop at different times.
__global__ void mandelbrot(int size, int limit, float left, float top, float step, int* out) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= size || row >= size) return;
  float cx = left + step * column, cy = top - step * row;
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (i < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    i++;
  }
  out[row * size + column] = i;
}
