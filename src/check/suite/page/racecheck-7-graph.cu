// A race between two branches of a graph: no edge orders them.
__global__ void set(float *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void twice(float *y, const float *x) { y[threadIdx.x] = 2 * x[threadIdx.x]; }

int main() {
  float *x, *y;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMalloc(&y, 64 * sizeof(float));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t first, second;
  void *set_args[] = {&x}, *twice_args[] = {&y, &x};
  cudaKernelNodeParams params = {};
  params.gridDim = dim3(1);
  params.blockDim = dim3(64);
  cudaGraphCreate(&graph, 0);
  params.func = (void *)set;
  params.kernelParams = set_args;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
  params.func = (void *)twice;
  params.kernelParams = twice_args;
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params);
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  cudaGraphLaunch(exec, 0);
  cudaError_t error = cudaDeviceSynchronize();
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaFree(x);
  cudaFree(y);
  return error != cudaSuccess;
}
