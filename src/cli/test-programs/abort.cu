// Ways of a host program to end, chosen by its first argument.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

__global__ void set(int *p) { *p = 1; }
__global__ void past_the_end(float *p) { p[threadIdx.x * 100000] = 1; }
__global__ void endless(int *p) {
  for (int i = 0;; i++) p[0] += i;
}
int recurse(int n) {
  volatile char frame[1000];
  frame[n % 1000] = 1;
  return n == 0 ? 0 : recurse(n - 1) + frame[n % 1000];
}

int main(int argc, char **argv) {
  switch (atoi(argv[1])) {
    case 1: abort();
    case 2: assert(argc == 99);
    case 3: throw std::runtime_error("nobody catches this");
    case 4: return recurse(7000) == 7000 ? 0 : 1;
    case 5: return recurse(1000000);
    case 6: printf("no newline"); exit(42);
    case 7: {
      int *p;
      cudaMalloc(&p, 4);
      set<<<1, 1>>>(p);
      return *p;
    }
    case 8: {
      float *p;
      cudaMalloc(&p, 400);
      past_the_end<<<2, 64>>>(p);
      return 0;
    }
    case 9: {
      int *p;
      cudaMalloc(&p, 4);
      printf("before\n");
      endless<<<4, 64>>>(p);
      return cudaDeviceSynchronize();
    }
    case 10: {
      char line[100];
      while (fgets(line, sizeof line, stdin)) printf("read %s", line);
      return 0;
    }
    case 12: {
      set<<<1, 2048>>>(nullptr);
      return 0;
    }
    case 13: {
      set<<<1, 2048>>>(nullptr);
      printf("%s\n", cudaGetErrorName(cudaGetLastError()));
      return 0;
    }
    case 14: {
      float *p;
      cudaMalloc(&p, 400);
      past_the_end<<<2, 64>>>(p);
      cudaDeviceSynchronize();
      return 0;
    }
    case 11: {
      float *p;
      cudaMalloc(&p, 400);
      past_the_end<<<2, 64>>>(p);
      printf("%s\n", cudaGetErrorName(cudaGetLastError()));
      printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
      printf("%s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
      printf("%s\n", cudaGetErrorName(cudaDeviceReset()));
      printf("%s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
      return 0;
    }
  }
  return 0;
}
