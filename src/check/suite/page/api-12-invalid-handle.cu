// An event that was never created.
int main() {
  cudaEvent_t event = (cudaEvent_t)0x1234;
  cudaError_t error = cudaEventRecord(event);
  return error != cudaErrorInvalidResourceHandle;
}
