// Texture references, which CUDA 12 removed: by address and by array, with what is set at run time and what is a template argument.
#include <cmath>
#include <cstdio>

texture<float> plain;
texture<int2, cudaTextureType1D> pairs;
texture<float, 2> picture;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<short, 1, cudaReadModeNormalizedFloat> signs;

constexpr int W = 32, H = 8;

__global__ void read(float *out) {
  const int x = threadIdx.x, y = blockIdx.x, i = y * W + x;
  float4 colour = tex2D(colours, x + 0.5f, y + 0.5f);
  out[5 * i] = tex1Dfetch(plain, i);
  out[5 * i + 1] = tex1Dfetch(pairs, x).y;
  out[5 * i + 2] = tex2D(picture, x + 1.0f, y + 0.5f);
  out[5 * i + 3] = colour.y + colour.w;
  out[5 * i + 4] = tex1Dfetch(signs, x);
}

int main() {
  float numbers[W * H], squares[W * H], out[5 * W * H], *d_out;
  int2 two[W];
  uchar4 bytes[W * H];
  short shorts[W];
  for (int i = 0; i < W * H; i++) {
    numbers[i] = i + 0.5f;
    squares[i] = i * i;
    bytes[i] = make_uchar4(1, i, 3, 255 - i);
  }
  for (int i = 0; i < W; i++) {
    two[i] = make_int2(i, 1000 * i);
    shorts[i] = (i - 16) * 2048;
  }
  float *d_numbers;
  int2 *d_two;
  uchar4 *d_bytes;
  short *d_shorts;
  size_t pitch;
  cudaMalloc(&d_out, sizeof out);
  cudaMalloc(&d_numbers, sizeof numbers);
  cudaMalloc(&d_two, sizeof two);
  cudaMalloc(&d_shorts, sizeof shorts);
  cudaMallocPitch(&d_bytes, &pitch, W * sizeof(uchar4), H);
  cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemcpy(d_two, two, sizeof two, cudaMemcpyHostToDevice);
  cudaMemcpy(d_shorts, shorts, sizeof shorts, cudaMemcpyHostToDevice);
  cudaMemcpy2D(d_bytes, pitch, bytes, W * sizeof(uchar4), W * sizeof(uchar4), H, cudaMemcpyHostToDevice);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray *array;
  cudaMallocArray(&array, &format, W, H);
  cudaMemcpyToArray(array, 0, 0, squares, sizeof squares, cudaMemcpyHostToDevice);
  picture.filterMode = cudaFilterModeLinear;
  colours.addressMode[0] = cudaAddressModeClamp;
  cudaBindTexture(nullptr, plain, d_numbers, sizeof numbers);
  cudaBindTexture(nullptr, pairs, d_two);
  cudaBindTexture(nullptr, signs, d_shorts, sizeof shorts);
  cudaBindTexture2D(nullptr, colours, d_bytes, cudaCreateChannelDesc<uchar4>(), W, H, pitch);
  cudaBindTextureToArray(picture, array);
  read<<<H, W>>>(d_out);
  if (cudaError_t error = cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost)) return printf("%s\n", cudaGetErrorString(error)), 1;
  int wrong = 0;
  for (int i = 0; i < W * H; i++) {
    const int x = i % W;
    const float between = x + 1 < W ? (squares[i] + squares[i + 1]) / 2 : squares[i];
    const float expected[] = {numbers[i], 1000.0f * x, between, bytes[i].y / 255.0f + bytes[i].w / 255.0f, fmaxf(shorts[x] / 32767.0f, -1)};
    for (int k = 0; k < 5; k++) {
      if (fabsf(out[5 * i + k] - expected[k]) > 1e-6f * fabsf(expected[k]) && wrong++ < 5) printf("%d at %d: %g, not %g\n", k, i, out[5 * i + k], expected[k]);
    }
  }
  cudaUnbindTexture(picture);
  puts(wrong > 0 || cudaGetLastError() != cudaSuccess ? "FAILED" : "PASSED");
}
