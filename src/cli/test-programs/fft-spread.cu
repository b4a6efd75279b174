// Transforms of data on two devices (cufftXt), beside those on one. Needs --devices 2.
#include <cufftXt.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

typedef std::complex<float> C;
static int failures = 0;
static void check(bool isRight, const char *what) {
  if (!isRight) printf("%s\n", what), failures++;
}
static bool are_near(const C *a, const C *b, size_t count, float factor = 1) {
  for (size_t i = 0; i < count; i++) if (std::abs(a[i] * factor - b[i]) > 1e-4f) return false;
  return true;
}
static std::vector<C> numbers(size_t count) {
  std::vector<C> made(count);
  for (size_t i = 0; i < count; i++) made[i] = C((float)(i * 7919 % 17) / 8 - 1, (float)(i * 31 % 13) / 8);
  return made;
}
static std::vector<C> on_one(const std::vector<C> &in, int rank, int *n, int batch) {
  cufftHandle plan;
  std::vector<C> out(in.size());
  cufftComplex *memory;
  cudaMalloc(&memory, in.size() * 8);
  cudaMemcpy(memory, in.data(), in.size() * 8, cudaMemcpyHostToDevice);
  cufftPlanMany(&plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, batch);
  cufftExecC2C(plan, memory, memory, CUFFT_FORWARD);
  cudaMemcpy(out.data(), memory, in.size() * 8, cudaMemcpyDeviceToHost);
  cudaFree(memory);
  cufftDestroy(plan);
  return out;
}
static std::vector<C> piece(const cudaLibXtDesc *data, int device) {
  std::vector<C> values(data->descriptor->size[device] / 8);
  cudaMemcpy(values.data(), data->descriptor->data[device], values.size() * 8, cudaMemcpyDefault);
  return values;
}

static void compare(int rank, int *n, int batch, const char *what) {
  size_t count = batch, sizes[2] = {};
  for (int i = 0; i < rank; i++) count *= n[i];
  std::vector<C> in = numbers(count), wanted = on_one(in, rank, n, batch), got(count);
  int devices[] = {0, 1};
  cufftHandle plan;
  cudaLibXtDesc *data, *other;
  cufftCreate(&plan);
  check(cufftXtSetGPUs(plan, 2, devices) == CUFFT_SUCCESS, what);
  check(cufftMakePlanMany(plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, batch, sizes) == CUFFT_SUCCESS, what);
  check(cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS, what);
  check(cufftXtMalloc(plan, &other, CUFFT_XT_FORMAT_INPLACE) == CUFFT_SUCCESS, what);
  check(data->descriptor->nGPUs == 2 && data->descriptor->GPUs[1] == 1, what);
  check(cufftXtMemcpy(plan, data, in.data(), CUFFT_COPY_HOST_TO_DEVICE) == CUFFT_SUCCESS, what);
  std::vector<C> first = piece(data, 0), second = piece(data, 1);
  check(first.size() + second.size() == count && are_near(first.data(), in.data(), first.size()) &&
            are_near(second.data(), in.data() + first.size(), second.size()), "pieces are slices");
  check(cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_SUCCESS, what);
  check(cufftXtMemcpy(plan, got.data(), data, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS, what);
  check(are_near(got.data(), wanted.data(), count), what);
  if (rank == 2 && batch == 1) {
    check(data->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED, "the other order");
    int from = n[1] / 2, width = n[1] - from;
    second = piece(data, 1);
    for (int x = 0; x < n[0]; x++)
      check(are_near(&second[x * width], &wanted[x * n[1] + from], width), "slices along the second dimension");
  }
  check(cufftXtMemcpy(plan, other, data, CUFFT_COPY_DEVICE_TO_DEVICE) == CUFFT_SUCCESS, what);
  first = piece(other, 0);
  check(are_near(first.data(), wanted.data(), first.size()), "natural order");
  check(cufftXtExecDescriptor(plan, other, other, CUFFT_INVERSE) == CUFFT_SUCCESS, what);
  check(cufftXtMemcpy(plan, got.data(), other, CUFFT_COPY_DEVICE_TO_HOST) == CUFFT_SUCCESS, what);
  check(are_near(got.data(), in.data(), count, (float)batch / (float)count), "and back");
  check(cufftXtFree(data) == CUFFT_SUCCESS && cufftXtFree(other) == CUFFT_SUCCESS && cufftDestroy(plan) == 0, what);
}

int main() {
  int line[] = {60}, plane[] = {6, 9}, cube[] = {4, 5, 6}, devices[] = {0, 7};
  compare(1, line, 1, "60");
  compare(1, line, 5, "five of 60");
  compare(2, plane, 1, "6 x 9");
  compare(3, cube, 1, "4 x 5 x 6");
  cufftHandle plan;
  cufftCreate(&plan);
  check(cufftXtSetGPUs(plan, 2, devices) == CUFFT_INVALID_DEVICE, "a device that there is not");
  cufftDestroy(plan);
  printf(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures;
}
