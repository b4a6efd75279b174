// Normalizations of graphs: layer, batch, instance and root-mean-square norms, and the parts of batch norms that graphs
// compute apart. A group is what shares a mean.
#pragma once
#include "backend-elements.cuh"

namespace heddle_dnn {

enum NormTensor { NORM_X, NORM_Y, NORM_SCALE, NORM_BIAS, NORM_MEAN, NORM_INVERSE, NORM_DY, NORM_TENSORS };

struct Norm {
  Loop<NORM_TENSORS> groups, members;
  View v[NORM_TENSORS];
  double epsilon;
  bool isCentred, isTraining;
  // running statistics of batch norms
  View oldMean, oldVariance, newMean, newVariance;
  double factor;
};
__device__ __forceinline__ bool is_there(const View &v) { return v.data != nullptr; }

template <class S> __global__ void __launch_bounds__(THREADS) run_norm(Norm p) {
  i64 group[NORM_TENSORS], member[NORM_TENSORS];
  p.groups.places(blockIdx.x, group);
  auto read = [&](int t) { return read_element<S>(p.v[t].data, p.v[t].type, group[t] + member[t]); };
  auto each = [&](auto use) {
    for (i64 i = threadIdx.x; i < p.members.count; i += THREADS) {
      p.members.places(i, member);
      use();
    }
  };
  S mean = 0, inverse, count = (S)p.members.count;
  if (p.isTraining) {
    if (p.isCentred) {
      S sum = 0;
      each([&] { sum += read(NORM_X); });
      mean = block_sum(sum) / count;
    }
    S squares = 0;
    each([&] {
      S x = read(NORM_X) - mean;
      squares += x * x;
    });
    S variance = block_sum(squares) / count;
    inverse = 1 / sqrt(variance + (S)p.epsilon);
    for (int t = 0; t < NORM_TENSORS; t++) member[t] = 0;
    if (threadIdx.x == 0) {
      auto put = [&](const View &v, i64 at, S value) {
        if (is_there(v)) write_element<S>(v.data, v.type, at, value);
      };
      auto mix = [&](const View &from, const View &to, S value) {
        if (!is_there(to)) return;
        S old = is_there(from) ? read_element<S>(from.data, from.type, group[NORM_MEAN]) : (S)0;
        write_element<S>(to.data, to.type, group[NORM_MEAN], (1 - (S)p.factor) * old + (S)p.factor * value);
      };
      put(p.v[NORM_MEAN], group[NORM_MEAN], mean);
      put(p.v[NORM_INVERSE], group[NORM_INVERSE], inverse);
      mix(p.oldMean, p.newMean, mean);
      mix(p.oldVariance, p.newVariance, count > 1 ? variance * count / (count - 1) : variance);
    }
  } else {
    for (int t = 0; t < NORM_TENSORS; t++) member[t] = 0;
    mean = is_there(p.v[NORM_MEAN]) ? read(NORM_MEAN) : (S)0;
    inverse = read(NORM_INVERSE);
  }
  each([&] {
    S y = (read(NORM_X) - mean) * inverse;
    if (is_there(p.v[NORM_SCALE])) y *= read(NORM_SCALE);
    if (is_there(p.v[NORM_BIAS])) y += read(NORM_BIAS);
    write_element<S>(p.v[NORM_Y].data, p.v[NORM_Y].type, group[NORM_Y] + member[NORM_Y], y);
  });
}

/// dx, with y as its place.
template <class S> __global__ void __launch_bounds__(THREADS) run_norm_back(Norm p) {
  i64 group[NORM_TENSORS], member[NORM_TENSORS];
  p.groups.places(blockIdx.x, group);
  for (int t = 0; t < NORM_TENSORS; t++) member[t] = 0;
  auto read = [&](int t) { return read_element<S>(p.v[t].data, p.v[t].type, group[t] + member[t]); };
  S mean = p.isCentred ? read(NORM_MEAN) : (S)0, inverse = read(NORM_INVERSE), count = (S)p.members.count;
  auto gradient = [&] { return read(NORM_DY) * (is_there(p.v[NORM_SCALE]) ? read(NORM_SCALE) : (S)1); };
  S sum = 0, weighted = 0;
  for (i64 i = threadIdx.x; i < p.members.count; i += THREADS) {
    p.members.places(i, member);
    S g = gradient();
    sum += g;
    weighted += g * (read(NORM_X) - mean) * inverse;
  }
  sum = block_sum(sum) / count;
  weighted = block_sum(weighted) / count;
  for (i64 i = threadIdx.x; i < p.members.count; i += THREADS) {
    p.members.places(i, member);
    S dx = inverse * (gradient() - (p.isCentred ? sum : (S)0) - (read(NORM_X) - mean) * inverse * weighted);
    write_element<S>(p.v[NORM_Y].data, p.v[NORM_Y].type, group[NORM_Y] + member[NORM_Y], dx);
  }
}
/// The gradients of a scale and of a bias: groups are their elements. `isSum`: sums of x and of its squares instead.
template <class S> __global__ void __launch_bounds__(THREADS) run_norm_weights(Norm p, bool isSum) {
  i64 group[NORM_TENSORS], member[NORM_TENSORS];
  p.groups.places(blockIdx.x, group);
  auto read = [&](int t) { return read_element<S>(p.v[t].data, p.v[t].type, group[t] + member[t]); };
  S first = 0, second = 0;
  for (i64 i = threadIdx.x; i < p.members.count; i += THREADS) {
    p.members.places(i, member);
    S x = read(NORM_X);
    if (isSum) {
      first += x;
      second += x * x;
    } else {
      S dy = read(NORM_DY), mean = p.isCentred ? read(NORM_MEAN) : (S)0;
      first += dy * (x - mean) * read(NORM_INVERSE);
      second += dy;
    }
  }
  first = block_sum(first);
  second = block_sum(second);
  if (threadIdx.x > 0) return;
  const View &a = p.v[NORM_SCALE], &b = p.v[NORM_BIAS];
  if (is_there(a)) write_element<S>(a.data, a.type, group[NORM_SCALE], first);
  if (is_there(b)) write_element<S>(b.data, b.type, group[NORM_BIAS], second);
}

/// Of a batch norm's sums: its statistics, and the factors that do the rest of it.
struct Statistics {
  View sum, squares, scale, bias, oldMean, oldVariance, newMean, newVariance, mean, inverse, eqScale, eqBias;
  double count, epsilon, factor;
  int channels;
};
inline __global__ void __launch_bounds__(THREADS) run_statistics(Statistics p) {
  int c = blockIdx.x * THREADS + threadIdx.x;
  if (c >= p.channels) return;
  auto get = [&](const View &v) { return is_there(v) ? read_element<double>(v.data, v.type, c * v.stride[1]) : 0.0; };
  auto put = [&](const View &v, double value) {
    if (is_there(v)) write_element<double>(v.data, v.type, c * v.stride[1], value);
  };
  double mean = get(p.sum) / p.count, variance = get(p.squares) / p.count - mean * mean;
  double inverse = 1 / sqrt(variance + p.epsilon), scale = get(p.scale) * inverse;
  put(p.mean, mean);
  put(p.inverse, inverse);
  put(p.eqScale, scale);
  put(p.eqBias, get(p.bias) - mean * scale);
  double unbiased = p.count > 1 ? variance * p.count / (p.count - 1) : variance;
  put(p.newMean, (1 - p.factor) * get(p.oldMean) + p.factor * mean);
  put(p.newVariance, (1 - p.factor) * get(p.oldVariance) + p.factor * unbiased);
}
/// dx = eqDy dy + eqX x + eqBias, from the gradients of the scale and the bias.
struct BackFactors {
  View mean, inverse, scale, dScale, dBias, eqDy, eqX, eqBias;
  double count;
  int channels;
};
inline __global__ void __launch_bounds__(THREADS) run_back_factors(BackFactors p) {
  int c = blockIdx.x * THREADS + threadIdx.x;
  if (c >= p.channels) return;
  auto get = [&](const View &v) { return read_element<double>(v.data, v.type, c * v.stride[1]); };
  auto put = [&](const View &v, double value) {
    if (is_there(v)) write_element<double>(v.data, v.type, c * v.stride[1], value);
  };
  double inverse = get(p.inverse), scale = get(p.scale) * inverse, slope = scale * inverse * get(p.dScale) / p.count;
  put(p.eqDy, scale);
  put(p.eqX, -slope);
  put(p.eqBias, slope * get(p.mean) - scale * get(p.dBias) / p.count);
}

} // namespace heddle_dnn
