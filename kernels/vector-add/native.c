// Plain C: one loop, which the compiler vectorizes.
void add(const float *restrict a, const float *restrict b, float *restrict c, int n) {
  for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}
