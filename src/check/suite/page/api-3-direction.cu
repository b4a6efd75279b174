// A copy in the wrong direction.
int main() {
  int host[16], *device;
  cudaMalloc(&device, sizeof host);
  cudaMemset(device, 0, sizeof host);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(device);
  return host[0];
}
