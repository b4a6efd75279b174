// Plain C: a row of C grows by multiples of rows of B, which the compiler vectorizes. No blocking for the caches.
void matmul(const float *restrict a, const float *restrict b, float *restrict c, int m, int n, int k) {
  for (int row = 0; row < m; row++) {
    float *target = c + (long)row * n;
    for (int column = 0; column < n; column++) target[column] = 0;
    for (int i = 0; i < k; i++) {
      float factor = a[(long)row * k + i];
      for (int column = 0; column < n; column++) target[column] += factor * b[(long)i * n + column];
    }
  }
}
