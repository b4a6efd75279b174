// Callbacks of cuFFT: a transform with a load and a store callback gives what the same transform gives between two
// loops on the host, for all types, in place and out of place, with strides and batches.
#include <cufftXt.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

static int failures = 0;
#define EXPECT(call, wanted) expect((int)(call), (int)(wanted), #call)
static void expect(int got, int wanted, const char *call) {
  if (got != wanted) printf("%s is %d, not %d\n", call, got, wanted), failures++;
}

struct Info {
  double scale;
  const float *weights;
};
template <class T> constexpr bool isReal = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
using RealOf = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, float2>, float, double>;

template <class T> __host__ __device__ T scaled(T value, double by) {
  if constexpr (isReal<T>) return (T)(value * by);
  else {
    value.x *= by;
    value.y *= by;
    return value;
  }
}
template <class T> __device__ T load(void *in, size_t offset, void *info, void *shared) {
  *(float *)shared = 1; // the memory is there
  const Info &mine = *(const Info *)info;
  return scaled(((const T *)in)[offset], mine.scale * mine.weights[offset % 8]);
}
template <class T> __device__ void store(void *out, size_t offset, T element, void *info, void *) {
  ((T *)out)[offset] = scaled(element, ((const Info *)info)->scale * 2);
}
template <class T> __device__ T (*load_pointer)(void *, size_t, void *, void *) = load<T>;
template <class T> __device__ void (*store_pointer)(void *, size_t, T, void *, void *) = store<T>;

template <class T> static double difference(const std::vector<T> &a, const std::vector<T> &b) {
  const size_t each = isReal<T> ? 1 : 2;
  const RealOf<T> *x = (const RealOf<T> *)a.data(), *y = (const RealOf<T> *)b.data();
  double most = 0, largest = 1e-30;
  for (size_t i = 0; i < a.size() * each; i++) {
    most = std::fmax(most, std::fabs((double)x[i] - y[i]));
    largest = std::fmax(largest, std::fabs((double)y[i]));
  }
  return most / largest;
}

template <class In, class Out>
static void check(const char *name, cufftType type, cufftXtCallbackType loads, cufftXtCallbackType stores, bool isInPlace) {
  int n[2] = {6, 10}, batch = 3;
  const bool isBack = isReal<Out>, isSame = isReal<In> == isReal<Out>;
  // Rows have gaps; in place, those of both sides have one length in bytes.
  const int in_row = isSame ? 12 : isBack ? 7 : 14, out_row = isSame ? 12 : isBack ? 14 : 7;
  const int out_last = isReal<In> ? 6 : 10, in_dist = 7 * in_row + 3 * in_row / 7, out_dist = 7 * out_row + 3 * out_row / 7;
  int in_embed[2] = {7, in_row}, out_embed[2] = {7, out_row};
  std::vector<In> host(in_dist * batch), loaded;
  RealOf<In> *reals = (RealOf<In> *)host.data();
  for (size_t i = 0; i < host.size() * sizeof(In) / sizeof *reals; i++) reals[i] = std::sin(i * 1.7 + 0.3);
  if constexpr (!isReal<In>) if (isBack) for (In &value : host) value.y = 0; // as of a real signal
  float weights[8];
  for (int i = 0; i < 8; i++) weights[i] = isBack ? 1 : 0.5f + i;
  float *device_weights;
  Info *info;
  cudaMalloc(&device_weights, sizeof weights);
  cudaMemcpy(device_weights, weights, sizeof weights, cudaMemcpyHostToDevice);
  Info values = {0.25, device_weights};
  cudaMalloc(&info, sizeof values);
  cudaMemcpy(info, &values, sizeof values, cudaMemcpyHostToDevice);
  loaded = host;
  for (size_t i = 0; i < loaded.size(); i++) loaded[i] = scaled(loaded[i], 0.25 * weights[i % 8]);

  cufftHandle plan, plain;
  for (cufftHandle *each : {&plan, &plain})
    EXPECT(cufftPlanMany(each, 2, n, in_embed, 1, in_dist, out_embed, 1, out_dist, type, batch), CUFFT_SUCCESS);
  void *routine = nullptr;
  cudaMemcpyFromSymbol(&routine, load_pointer<In>, sizeof routine);
  EXPECT(cufftXtSetCallback(plan, &routine, loads, (void **)&info), CUFFT_SUCCESS);
  EXPECT(cufftXtSetCallbackSharedSize(plan, loads, 1024), CUFFT_SUCCESS);
  cudaMemcpyFromSymbol(&routine, store_pointer<Out>, sizeof routine);
  EXPECT(cufftXtSetCallback(plan, &routine, stores, (void **)&info), CUFFT_SUCCESS);

  std::vector<Out> with(out_dist * batch), without(out_dist * batch);
  const size_t bytes = std::max(host.size() * sizeof(In), with.size() * sizeof(Out));
  // With both callbacks, without any, and after they were cleared.
  for (int step = 0; step < 3; step++) {
    if (step == 2) {
      EXPECT(cufftXtClearCallback(plan, loads), CUFFT_SUCCESS);
      EXPECT(cufftXtClearCallback(plan, stores), CUFFT_SUCCESS);
    }
    char *in, *out;
    cudaMalloc(&in, bytes);
    out = in;
    if (!isInPlace) cudaMalloc(&out, bytes);
    cudaMemset(out, 0, bytes);
    cudaMemcpy(in, step == 0 ? host.data() : loaded.data(), host.size() * sizeof(In), cudaMemcpyHostToDevice);
    EXPECT(cufftXtExec(step == 1 ? plain : plan, in, out, isBack ? CUFFT_INVERSE : CUFFT_FORWARD), CUFFT_SUCCESS);
    std::vector<Out> &to = step == 1 ? without : with, got(to.size());
    cudaMemcpy(got.data(), out, got.size() * sizeof(Out), cudaMemcpyDeviceToHost);
    // Only the transform's own elements.
    for (int b = 0; b < batch; b++)
      for (int i = 0; i < n[0]; i++)
        for (int k = 0; k < out_last; k++) {
          const size_t at = b * out_dist + i * out_row + k;
          to[at] = step == 0 ? got[at] : scaled(got[at], 0.5);
        }
    if (step > 0 && difference(with, without) > 1e-5)
      printf("%s%s, step %d: differs by %g\n", name, isInPlace ? " in place" : "", step, difference(with, without)), failures++;
    cudaFree(in);
    if (!isInPlace) cudaFree(out);
  }
  EXPECT(cufftDestroy(plan), CUFFT_SUCCESS);
  EXPECT(cufftDestroy(plain), CUFFT_SUCCESS);
}

int main() {
  for (bool isInPlace : {false, true}) {
    check<float2, float2>("C2C", CUFFT_C2C, CUFFT_CB_LD_COMPLEX, CUFFT_CB_ST_COMPLEX, isInPlace);
    check<double2, double2>("Z2Z", CUFFT_Z2Z, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_ST_COMPLEX_DOUBLE, isInPlace);
    check<float, float2>("R2C", CUFFT_R2C, CUFFT_CB_LD_REAL, CUFFT_CB_ST_COMPLEX, isInPlace);
    check<double, double2>("D2Z", CUFFT_D2Z, CUFFT_CB_LD_REAL_DOUBLE, CUFFT_CB_ST_COMPLEX_DOUBLE, isInPlace);
    check<float2, float>("C2R", CUFFT_C2R, CUFFT_CB_LD_COMPLEX, CUFFT_CB_ST_REAL, isInPlace);
    check<double2, double>("Z2D", CUFFT_Z2D, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL_DOUBLE, isInPlace);
  }
  cufftHandle plan;
  void *routine = nullptr, *info = nullptr;
  EXPECT(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), CUFFT_SUCCESS);
  EXPECT(cufftXtSetCallback(plan, &routine, CUFFT_CB_LD_COMPLEX, &info), CUFFT_INVALID_VALUE);
  EXPECT(cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, &info), CUFFT_INVALID_VALUE);
  EXPECT(cufftXtSetCallback(plan, &routine, CUFFT_CB_LD_REAL, &info), CUFFT_INVALID_TYPE);
  EXPECT(cufftXtSetCallback(plan, &routine, CUFFT_CB_ST_COMPLEX_DOUBLE, &info), CUFFT_INVALID_TYPE);
  EXPECT(cufftXtSetCallback(plan, &routine, CUFFT_CB_UNDEFINED, &info), CUFFT_INVALID_TYPE);
  EXPECT(cufftXtSetCallback(plan + 100, &routine, CUFFT_CB_LD_COMPLEX, &info), CUFFT_INVALID_PLAN);
  EXPECT(cufftXtSetCallbackSharedSize(plan, CUFFT_CB_LD_COMPLEX, 16385), CUFFT_INVALID_VALUE);
  EXPECT(cufftXtSetJITCallback(plan, "load", "image", 5, CUFFT_CB_LD_COMPLEX, &info), CUFFT_NOT_IMPLEMENTED);
  cufftXt1dFactors factors;
  EXPECT(cufftXtQueryPlan(plan, &factors, CUFFT_QUERY_1D_FACTORS), CUFFT_INVALID_PLAN);
  EXPECT(cufftDestroy(plan), CUFFT_SUCCESS);
  printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
