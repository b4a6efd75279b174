// Pinned memory that the host writes during a copy from it.
int main() {
  int *host, *device;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&host, 1024);
  cudaMalloc(&device, 1024);
  host[0] = 1;
  cudaMemcpyAsync(device, host, 1024, cudaMemcpyHostToDevice, stream);
  host[0] = 2;
  cudaStreamSynchronize(stream);
  cudaFree(device);
  cudaFreeHost(host);
  cudaStreamDestroy(stream);
}
