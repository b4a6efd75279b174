__kernel void mandelbrot(int size, int limit, float left, float top, float step_, __global int* out) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (column >= size || row >= size) return;
  float cx = left + step_ * column, cy = top - step_ * row;
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
