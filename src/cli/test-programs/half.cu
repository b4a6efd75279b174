// half and bfloat16 on the device against the host's portable arithmetic, bit by bit; and atomics, shuffles, pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

static int failures = 0;

template <class T>
struct Results { T sum, difference, product, quotient, fused, largest, smallest, negated, from_float; int integer, rounded_up; float widened; bool less, equal; };

__host__ __device__ unsigned short bits(half h) { return __half_as_ushort(h); }
__host__ __device__ unsigned short bits(__nv_bfloat16 h) { return __bfloat16_as_ushort(h); }
__host__ __device__ half make(half, unsigned b) { return __ushort_as_half((unsigned short)b); }
__host__ __device__ __nv_bfloat16 make(__nv_bfloat16, unsigned b) { return __ushort_as_bfloat16((unsigned short)b); }
__host__ __device__ int up(half h) { return __half2int_ru(h); }
__host__ __device__ int up(__nv_bfloat16 h) { return __bfloat162int_ru(h); }

template <class T>
__host__ __device__ Results<T> compute(unsigned s) {
  const T a = make(T(), s >> 16), b = make(T(), s * 7919u >> 16), c = make(T(), s * 104729u >> 16);
  Results<T> r = {};
  r.sum = a + b;
  r.difference = a - b;
  r.product = a * b;
  r.quotient = a / b;
  r.fused = __hfma(a, b, c);
  r.largest = __hmax(a, b);
  r.smallest = __hmin(a, b);
  r.negated = -a;
  r.from_float = T(__builtin_bit_cast(float, s * 2654435761u));
  r.integer = (int)a;
  r.rounded_up = up(a);
  r.widened = (float)a;
  r.less = a < b;
  r.equal = a == b;
  return r;
}
template <class T>
__global__ void kernel(Results<T> *out, unsigned seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = compute<T>((seed + i) * 2246822519u);
}
template <class T>
bool same(T a, T b) { return bits(a) == bits(b) || (__hisnan(a) && __hisnan(b)); }

template <class T>
void compare(const char *name) {
  const int n = 4096;
  Results<T> *r;
  cudaMallocManaged(&r, n * sizeof(Results<T>));
  kernel<T><<<n / 128, 128>>>(r, 12345);
  if (cudaDeviceSynchronize() != cudaSuccess) failures++;
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    const Results<T> e = compute<T>((12345u + i) * 2246822519u), &d = r[i];
    const bool good = same(d.sum, e.sum) && same(d.difference, e.difference) && same(d.product, e.product) && same(d.quotient, e.quotient) && same(d.fused, e.fused) && same(d.largest, e.largest) &&
                      same(d.smallest, e.smallest) && same(d.negated, e.negated) && same(d.from_float, e.from_float) && d.integer == e.integer && d.rounded_up == e.rounded_up && d.less == e.less &&
                      d.equal == e.equal && (d.widened == e.widened || e.widened != e.widened);
    if (!good && wrong++ < 5) printf("%s %d: %04x %04x %04x %04x %04x, expected %04x %04x %04x %04x %04x\n", name, i, bits(d.sum), bits(d.product), bits(d.quotient), bits(d.fused), bits(d.from_float), bits(e.sum), bits(e.product), bits(e.quotient), bits(e.fused), bits(e.from_float));
  }
  if (wrong) printf("%s: %d differ\n", name, wrong), failures++;
}

__global__ void together(half *h, __nv_bfloat16 *b, half2 *h2, half *shuffled) {
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
  atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
  half v = __float2half((float)threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2) v = __hadd(v, __shfl_xor_sync(0xffffffff, v, offset));
  __syncwarp();
  shuffled[threadIdx.x] = hsqrt(v) + __low2half(__hmul2(*h2, __half2half2(__float2half(0.0f))));
}

int main() {
  compare<half>("half");
  compare<__nv_bfloat16>("bfloat16");
  half *h, *s;
  __nv_bfloat16 *b;
  half2 *h2;
  cudaMallocManaged(&h, 16);
  cudaMallocManaged(&b, 16);
  cudaMallocManaged(&h2, 16);
  cudaMallocManaged(&s, 64);
  h[0] = 0.0f, h[1] = 7.0f, b[0] = 0.0f, h2[0] = __floats2half2_rn(0, 0);
  together<<<1, 32>>>(h, b, h2, s);
  if (cudaDeviceSynchronize() != cudaSuccess) failures++;
  if ((float)h[0] != 32 || (float)h[1] != 7 || (float)b[0] != 32 || (float)h2[0].x != 32 || (float)h2[0].y != 64) puts("atomics"), failures++;
  for (int i = 0; i < 32; i++)
    if (fabsf((float)s[i] - sqrtf(496)) > 0.02f) puts("shuffles"), failures++;
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
