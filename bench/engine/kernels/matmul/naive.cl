__kernel void matmul(int n, __global const float* a, __global const float* b, __global float* c) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (row < n && column < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}
