// Wrong frees: twice, and in the middle of an allocation.
int main() {
  int *a, *b;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 256);
  cudaFree(b + 1);
  cudaFree(a);
  cudaFree(a);
  cudaFree(b);
}
