// 8-bit floats: every value survives the way to float and back, the nearest one is chosen between two, what is too large saturates.
#include <cuda_fp8.h>
#include <cmath>
#include <cstdio>

static int failures = 0;

template <class T>
__global__ void convert(const float *in, unsigned char *out, float *back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T value(in[i]);
  out[i] = value.__x;
  back[i] = (float)value;
}

template <class T>
float value_of(int bits) {
  T t;
  t.__x = (unsigned char)bits;
  return (float)t;
}
template <class T>
void check(const char *name, float largest) {
  const int n = 4096;
  float *in, *back;
  unsigned char *out;
  cudaMallocManaged(&in, n * 4);
  cudaMallocManaged(&back, n * 4);
  cudaMallocManaged(&out, n);
  for (int i = 0; i < n; i++) in[i] = i < 256 ? value_of<T>(i) : ldexpf((float)((i * 7919) % 4001 - 2000) / 1000.0f, i % 30 - 18);
  convert<T><<<n / 128, 128>>>(in, out, back, n);
  if (cudaDeviceSynchronize() != cudaSuccess) failures++;
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    if (in[i] != in[i] || std::isinf(in[i])) continue;
    if (i < 256 && out[i] != i) wrong++;
    const float clamped = fminf(fmaxf(in[i], -largest), largest);
    float nearest = INFINITY;
    for (int b = 0; b < 256; b++) {
      const float v = value_of<T>(b);
      if (v == v && !std::isinf(v)) nearest = fminf(nearest, fabsf(v - clamped));
    }
    if (fabsf(back[i] - clamped) != nearest) wrong++;
    if (T((double)in[i]).__x != out[i]) wrong++;
  }
  if (wrong) printf("%s: %d wrong\n", name, wrong), failures++;
}

int main() {
  check<__nv_fp8_e4m3>("e4m3", 448.0f);
  check<__nv_fp8_e5m2>("e5m2", 57344.0f);
  if (__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) != 0x7f || __nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2) != 0x7c) puts("overflow"), failures++;
  const float4 four = (float4)__nv_fp8x4_e4m3(make_float4(1, -2, 0.5f, 448));
  if (four.x != 1 || four.y != -2 || four.z != 0.5f || four.w != 448) puts("four"), failures++;
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
