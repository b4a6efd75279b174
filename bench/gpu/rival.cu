// The C++ side of npm run bench:gpu: what a launch, a graph and a copy cost when nothing but CUDA's runtime is in
// between. Prints one JSON object. Built by main.mjs with the nvcc of the machine, and run in the same run as what it
// is compared with.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                  \
  do {                                                                                               \
    cudaError_t error = (call);                                                                      \
    if (error != cudaSuccess) {                                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                 \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

__global__ void three(float *x, float *y, int n) {}
__global__ void ten(float *a, float *b, float *c, float *d, int e, int f, float g, float h, double i, int j) {}

static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Batches that the driver's queue holds without waiting for the GPU; between them the GPU catches up.
const int BATCHES = 400, LAUNCHES = 250;

template <typename Launch> static double perLaunch(Launch launch) {
  std::vector<double> times;
  for (int batch = -20; batch < BATCHES; batch++) {
    double start = now();
    for (int i = 0; i < LAUNCHES; i++) launch();
    double end = now();
    CHECK(cudaDeviceSynchronize());
    if (batch >= 0) times.push_back((end - start) / LAUNCHES);
  }
  return median(times);
}

int main() {
  float *x, *y;
  CHECK(cudaMalloc(&x, 4096));
  CHECK(cudaMalloc(&y, 4096));
  double launch3 = perLaunch([&] { three<<<1, 32>>>(x, y, 10); });
  double launch10 = perLaunch([&] { ten<<<1, 32>>>(x, y, x, y, 1, 2, 3.0f, 4.0f, 5.0, 6); });
  CHECK(cudaGetLastError());

  // One after the other without a pause: then the GPU, not the processor, sets the pace.
  double start = now();
  for (int i = 0; i < 20000; i++) three<<<1, 32>>>(x, y, 10);
  CHECK(cudaDeviceSynchronize());
  double paced = (now() - start) / 20000;

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 100; i++) three<<<1, 32, 0, stream>>>(x, y, 10);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  std::vector<double> launches, ends;
  for (int i = -20; i < 500; i++) {
    double begin = now();
    CHECK(cudaGraphLaunch(executable, stream));
    double launched = now();
    CHECK(cudaStreamSynchronize(stream));
    if (i >= 0) launches.push_back(launched - begin), ends.push_back(now() - begin);
  }

  const size_t bytes = 256u << 20;
  char *device, *pinned;
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  std::vector<double> down, up;
  for (int i = -3; i < 15; i++) {
    double begin = now();
    CHECK(cudaMemcpy(device, pinned, bytes, cudaMemcpyHostToDevice));
    double middle = now();
    CHECK(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost));
    if (i >= 0) down.push_back(bytes / (middle - begin) / 1e3), up.push_back(bytes / (now() - middle) / 1e3);
  }

  printf(
      "{\"launch3Us\": %.3f, \"launch10Us\": %.3f, \"pacedUs\": %.3f, \"graphLaunchUs\": %.3f, "
      "\"graphUs\": %.3f, \"toDeviceGBs\": %.2f, \"toHostGBs\": %.2f}\n",
      launch3, launch10, paced, median(launches), median(ends), median(down), median(up));
}
