// Memory that is never freed: reported in the last lines, not as an error.
int *buffer() {
  int *p;
  cudaMalloc(&p, 4096);
  return p;
}

int main() {
  for (int i = 0; i < 10; i++) cudaMemset(buffer(), 0, 4096);
}
