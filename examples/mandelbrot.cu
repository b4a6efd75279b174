// Draws the Mandelbrot set into mandelbrot.ppm: a thread for each pixel.
//
//   npx heddle run examples/mandelbrot.cu            480 pixels wide
//   npx heddle run examples/mandelbrot.cu 960        960 pixels wide
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));   \
      exit(EXIT_FAILURE);                                                      \
    }                                                                          \
  } while (0)

constexpr int MOST = 200;

__global__ void draw(uchar3* image, int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  float real = 3.0f * column / width - 2.2f, imaginary = 2.0f * row / height - 1.0f;
  float x = 0, y = 0;
  int steps = 0;
  for (; steps < MOST && x * x + y * y < 4; steps++) {
    float next = x * x - y * y + real;
    y = 2 * x * y + imaginary;
    x = next;
  }
  float part = sqrtf(float(steps % MOST) / MOST);
  image[row * width + column] = make_uchar3(255 * part * part, 200 * part, 60 + 195 * __saturatef(2 * part));
}

int main(int argc, char** argv) {
  int width = argc > 1 ? atoi(argv[1]) : 480, height = width * 2 / 3;
  std::vector<uchar3> image(width * height);
  uchar3* device;
  CHECK(cudaMalloc(&device, image.size() * sizeof(uchar3)));
  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  draw<<<grid, block>>>(device, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(image.data(), device, image.size() * sizeof(uchar3), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  FILE* file = fopen("mandelbrot.ppm", "wb");
  if (file == nullptr) return EXIT_FAILURE;
  fprintf(file, "P6\n%d %d\n255\n", width, height);
  fwrite(image.data(), sizeof(uchar3), image.size(), file);
  fclose(file);
  printf("%d x %d pixels are in mandelbrot.ppm\n", width, height);
}
