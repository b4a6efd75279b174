// Operations of graphs that move elements or draw them: resampling, copies, paged caches, random numbers.
#pragma once
#include "backend-elements.cuh"

namespace heddle_dnn {

struct Resample {
  View x, y, index; // index: which element of the window was the largest
  int mode, padding, rank; // rank: dimensions of space
  int window[3], pad[3];
  // a step of the window
  int stride[3];
  double alpha, beta;
  i64 count;
};
/// Visits the elements of a window that lie in x: their places in x, and their numbers in the window.
template <class Use> __device__ void each_of_window(const Resample &p, const int (&out)[3], i64 from, Use use) {
  int index[3];
  for (index[0] = 0; index[0] < p.window[0]; index[0]++)
    for (index[1] = 0; index[1] < p.window[1]; index[1]++)
      for (index[2] = 0; index[2] < p.window[2]; index[2]++) {
        i64 at = from;
        bool isIn = true;
        for (int i = 0; i < 3; i++) {
          int here = out[i] * p.stride[i] - p.pad[i] + index[i];
          int axis = 2 + i - (3 - p.rank);
          if (axis < 2) continue;
          isIn = isIn && here >= 0 && here < p.x.dim[axis];
          at += here * p.x.stride[axis];
        }
        use(at, (index[0] * p.window[1] + index[1]) * p.window[2] + index[2], isIn);
      }
}
/// Places of an image's channel and of a pixel of y.
__device__ __forceinline__ void pixel_of(const Resample &p, const View &v, i64 at, int (&out)[3], int &image, int &c) {
  unsigned rest = (unsigned)at;
  for (int i = 2; i >= 0; i--) {
    int axis = 2 + i - (3 - p.rank), size = axis < 2 ? 1 : v.dim[axis];
    out[i] = (int)(rest % (unsigned)size);
    rest /= (unsigned)size;
  }
  c = (int)(rest % (unsigned)v.dim[1]);
  image = (int)(rest / (unsigned)v.dim[1]);
}
__device__ __forceinline__ i64 place_of(const Resample &p, const View &v, const int (&pixel)[3], int image, int c) {
  i64 at = image * v.stride[0] + c * v.stride[1];
  for (int i = 0; i < 3; i++) {
    int axis = 2 + i - (3 - p.rank);
    if (axis >= 2) at += pixel[i] * v.stride[axis];
  }
  return at;
}
template <class S> __global__ void __launch_bounds__(THREADS) run_resample(Resample p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int out[3], image, c, best = 0, inside = 0;
  pixel_of(p, p.y, at, out, image, c);
  S most = (S)-INFINITY, sum = 0;
  each_of_window(p, out, image * p.x.stride[0] + c * p.x.stride[1], [&](i64 from, int number, bool isIn) {
    if (!isIn && p.padding == CUDNN_NEG_INF_PAD) return;
    S x = isIn ? read_element<S>(p.x.data, p.x.type, from) : (S)0;
    inside += isIn;
    sum += x;
    if (x > most || x != x) most = x, best = number;
  });
  bool isMost = p.mode == CUDNN_RESAMPLE_MAXPOOL;
  int all = p.mode == CUDNN_RESAMPLE_AVGPOOL ? p.window[0] * p.window[1] * p.window[2] : inside;
  i64 to = place_of(p, p.y, out, image, c);
  S value = (S)p.alpha * (isMost ? most : sum / (S)all);
  if (p.beta != 0) value += (S)p.beta * read_element<S>(p.y.data, p.y.type, to);
  write_element<S>(p.y.data, p.y.type, to, value);
  if (p.index.data)
    write_element<S>(p.index.data, p.index.type, place_of(p, p.index, out, image, c), (S)best);
}
/// x is dx here, y is dy. A thread makes one element of dx. `forward` is the x of the forward operation, if no index
/// says which element was the largest.
template <class S> __global__ void __launch_bounds__(THREADS) run_resample_back(Resample p, View forward) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int in[3], image, c, out[3];
  pixel_of(p, p.x, at, in, image, c);
  i64 here = place_of(p, p.x, in, image, c);
  int first[3], last[3];
  for (int i = 0; i < 3; i++) {
    int axis = 2 + i - (3 - p.rank), size = axis < 2 ? 1 : p.y.dim[axis], reach = in[i] + p.pad[i];
    first[i] = reach < p.window[i] ? 0 : (reach - p.window[i]) / p.stride[i] + 1;
    last[i] = reach / p.stride[i] < size - 1 ? reach / p.stride[i] : size - 1;
  }
  S sum = 0;
  for (out[0] = first[0]; out[0] <= last[0]; out[0]++)
    for (out[1] = first[1]; out[1] <= last[1]; out[1]++)
      for (out[2] = first[2]; out[2] <= last[2]; out[2]++) {
        S dy = read_element<S>(p.y.data, p.y.type, place_of(p, p.y, out, image, c));
        int number = 0, inside = 0, best = 0;
        for (int i = 0; i < 3; i++) number = number * p.window[i] + in[i] + p.pad[i] - out[i] * p.stride[i];
        if (p.mode == CUDNN_RESAMPLE_MAXPOOL && p.index.data)
          best = (int)read_element<S>(p.index.data, p.index.type, place_of(p, p.index, out, image, c));
        else {
          S most = (S)-INFINITY;
          i64 from = image * p.x.stride[0] + c * p.x.stride[1];
          if (forward.data) from = image * forward.stride[0] + c * forward.stride[1];
          each_of_window(p, out, from, [&](i64 place, int one, bool isIn) {
            inside += isIn;
            if (p.mode != CUDNN_RESAMPLE_MAXPOOL || (!isIn && p.padding == CUDNN_NEG_INF_PAD)) return;
            S x = isIn ? read_element<S>(forward.data, forward.type, place) : (S)0;
            if (x > most || x != x) most = x, best = one;
          });
        }
        if (p.mode == CUDNN_RESAMPLE_MAXPOOL) sum += best == number ? dy : (S)0;
        else if (p.mode == CUDNN_RESAMPLE_AVGPOOL) sum += dy / (S)(p.window[0] * p.window[1] * p.window[2]);
        else sum += dy / (S)inside;
      }
  S value = (S)p.alpha * sum;
  if (p.beta != 0) value += (S)p.beta * read_element<S>(p.x.data, p.x.type, here);
  write_element<S>(p.x.data, p.x.type, here, value);
}

template <class S> __global__ void __launch_bounds__(THREADS) run_copy(Loop<2> loop, View y, View x) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x, place[2];
  if (at >= loop.count) return;
  loop.places(at, place);
  int batch = loop.batch(at);
  write_view<S>(y, place[0], batch, read_view<S>(x, place[1], batch));
}

/// y[b, h, s, d] from blocks of positions: a table has the number of the block for each. Behind a sequence are zeros.
struct PagedLoad {
  View y, blocks, table, lengths;
  bool isTransposed; // y[b, h, d, s]
  i64 count;
};
template <class S> __global__ void __launch_bounds__(THREADS) run_paged_load(PagedLoad p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int index[4];
  i64 rest = at, to = 0;
  for (int i = 3; i >= 0; i--) {
    index[i] = (int)(rest % p.y.dim[i]);
    rest /= p.y.dim[i];
    to += index[i] * p.y.stride[i];
  }
  int position = p.isTransposed ? index[3] : index[2], element = p.isTransposed ? index[2] : index[3];
  int block = position / p.blocks.dim[2];
  const View &lengths = p.lengths;
  int length = lengths.data ? (int)read_element<double>(lengths.data, lengths.type, index[0] * lengths.stride[0])
                            : position + 1;
  S value = 0;
  if (position < length) {
    i64 row = (p.table.ragged ? 0 : index[0] * p.table.stride[0]) + block * p.table.stride[2];
    i64 number = (i64)read_view<double>(p.table, row, index[0]);
    int heads = p.y.dim[1] / p.blocks.dim[1];
    i64 from = number * p.blocks.stride[0] + index[1] / heads * p.blocks.stride[1] +
               position % p.blocks.dim[2] * p.blocks.stride[2] + element * p.blocks.stride[3];
    value = read_element<S>(p.blocks.data, p.blocks.type, from);
  }
  write_element<S>(p.y.data, p.y.type, to, value);
}

/// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011).
__device__ __forceinline__ uint4 philox(unsigned long long counter, unsigned long long high, unsigned long long key) {
  uint4 c = {(unsigned)counter, (unsigned)(counter >> 32), (unsigned)high, (unsigned)(high >> 32)};
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
  for (int i = 0; i < 10; i++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = {h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}
struct Random {
  int distribution;
  View y, seed, offset; // a seed and an offset in device memory
  i64 seedValue, offsetValue;
  double first, second; // probability; least and most; mean and deviation
  i64 before;           // numbers that were drawn for earlier slices
};
inline __global__ void __launch_bounds__(THREADS) run_random(Random p, Loop<1> loop) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x, place[1];
  if (at >= loop.count) return;
  loop.places(at, place);
  i64 seed = p.seed.data ? ((const long long *)p.seed.data)[0] : p.seedValue;
  i64 offset = p.offset.data ? ((const long long *)p.offset.data)[0] : p.offsetValue;
  if (p.seed.data && p.seed.type == CUDNN_DATA_INT32) seed = ((const int *)p.seed.data)[0];
  if (p.offset.data && p.offset.type == CUDNN_DATA_INT32) offset = ((const int *)p.offset.data)[0];
  uint4 bits = philox((unsigned long long)(p.before + at), (unsigned long long)offset, (unsigned long long)seed);
  double uniform = bits.x * 2.3283064365386963e-10; // in [0, 1)
  double value = uniform < p.first ? 1 : 0;
  if (p.distribution == CUDNN_RNG_DISTRIBUTION_UNIFORM) value = p.first + uniform * (p.second - p.first);
  if (p.distribution == CUDNN_RNG_DISTRIBUTION_NORMAL) {
    double angle = bits.y * 2.3283064365386963e-10 * 6.283185307179586;
    value = p.first + p.second * sqrt(-2 * log((bits.x + 1.0) * 2.3283064365386963e-10)) * cos(angle);
  }
  write_view<double>(p.y, place[0], loop.batch(at), value);
}

} // namespace heddle_dnn
