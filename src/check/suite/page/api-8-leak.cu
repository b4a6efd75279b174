// Memory that is never freed: told in the last lines, and no error.
int *buffer() {
  int *p;
  cudaMalloc(&p, 4096);
  return p;
}

int main() {
  for (int i = 0; i < 10; i++) cudaMemset(buffer(), 0, 4096);
}
