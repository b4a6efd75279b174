// The bus bandwidth of ncclAllReduce in one process, as nccl-tests count it: bytes × 2 (n − 1) / n over the time.
// The same file is built by nvcc beside NVIDIA's library, and run by `heddle run --device cuda --devices 2`.
#include <nccl.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int status, const char *what) {
  if (status) printf("%s: status %d\n", what, status), exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  size_t most = (argc > 1 ? atoi(argv[1]) : 1024) * (1ull << 20);
  int n = 0, version = 0;
  CHECK(cudaGetDeviceCount(&n));
  if (argc > 2 && atoi(argv[2]) < n) n = atoi(argv[2]);
  CHECK(ncclGetVersion(&version));
  std::vector<ncclComm_t> comms(n);
  std::vector<cudaStream_t> streams(n);
  std::vector<float *> send(n), receive(n);
  CHECK(ncclCommInitAll(comms.data(), n, nullptr));
  for (int i = 0; i < n; i++) {
    CHECK(cudaSetDevice(i));
    CHECK(cudaStreamCreate(&streams[i]));
    CHECK(cudaMalloc((void **)&send[i], most));
    CHECK(cudaMalloc((void **)&receive[i], most));
    CHECK(cudaMemset(send[i], 0, most));
  }
  auto wait = [&] {
    for (int i = 0; i < n; i++) CHECK(cudaSetDevice(i)), CHECK(cudaStreamSynchronize(streams[i]));
  };
  auto step = [&](size_t count) {
    CHECK(ncclGroupStart());
    for (int i = 0; i < n; i++)
      CHECK(ncclAllReduce(send[i], receive[i], count, ncclFloat, ncclSum, comms[i], streams[i]));
    CHECK(ncclGroupEnd());
  };
  printf("ranks %d, version %d\n", n, version);
  for (size_t bytes = 1024; bytes <= most; bytes *= 4) {
    size_t count = bytes / 4;
    int steps = bytes <= (16 << 20) ? 200 : 20;
    std::vector<float> ones(count < 1000 ? count : 1000, 1.5f), got(ones.size());
    for (int i = 0; i < n; i++)
      CHECK(cudaMemcpy(send[i] + count - ones.size(), ones.data(), ones.size() * 4, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) step(count);
    wait();
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < steps; i++) step(count);
      wait();
      double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
      if (seconds < best) best = seconds;
    }
    int wrong = 0;
    for (int i = 0; i < n; i++) {
      CHECK(cudaMemcpy(got.data(), receive[i] + count - got.size(), got.size() * 4, cudaMemcpyDeviceToHost));
      for (float value : got) wrong += value != 1.5f * n;
    }
    printf("%12zu bytes %10.2f us %8.2f GB/s bus, %d wrong\n", bytes, best * 1e6,
           bytes / best * 2 * (n - 1) / n / 1e9, wrong);
  }
  for (ncclComm_t comm : comms) CHECK(ncclCommDestroy(comm));
}
