// Convolutions with fewer products (S. Winograd, "Arithmetic complexity of computations", 1980; A. Lavin, S. Gray,
// "Fast algorithms for convolutional neural networks", 2016). Six pixels of a line, and the weights, are polynomials.
// Their values at six places are multiplied, which makes four results of a window of 3, or two of a window of 5. In two
// dimensions 36 products make 16 results instead of 144, or 4 instead of 100.
//
// The places are 0, ±√2, ±1/√2 and infinity. Lavin's ±1 and ±2 instead have larger factors: four times the error. With
// these places it is that of a plain sum of floats (docs/libraries.md).
//
// Lanes are channels: pixels are first copied with their channels side by side, and padding around them. So addresses
// of a warp are neighbours, and no lane needs a test of its own.
#pragma once
#include "convolution.cuh"

namespace heddle_dnn {

constexpr int LINE = 6, PLACES = LINE * LINE;
constexpr int TILES = 8;        // that a warp has at a time
constexpr int HALF = LANES / 2; // few channels: a warp has two tiles side by side
constexpr int WARPS = 64;       // at most so many go through the tiles of a group of channels
constexpr float ROOT = 1.41421356237309504880f;

/// The polynomial's values at the six places, from six pixels.
__device__ inline void evaluate(float (&v)[LINE]) {
  float even = v[4] - 0.5f * v[2], odd = v[3] - 0.5f * v[1], even2 = v[4] - 2 * v[2], odd2 = 0.5f * v[3] - v[1];
  v[0] = v[4] - 2.5f * v[2] + v[0];
  v[5] = v[5] - 2.5f * v[3] + v[1];
  v[1] = even + ROOT * odd;
  v[2] = even - ROOT * odd;
  v[3] = even2 + ROOT * odd2;
  v[4] = even2 - ROOT * odd2;
}
/// Results from the sums at the six places.
template <int RESULTS> __device__ inline void interpolate(const float (&v)[LINE], float (&to)[RESULTS]) {
  float sum = v[1] + v[2], difference = v[1] - v[2], sum2 = v[3] + v[4], difference2 = v[3] - v[4];
  to[0] = v[0] + sum + sum2;
  to[1] = ROOT * (difference + 0.5f * difference2);
  if (RESULTS == 4) {
    to[2] = 2 * sum + 0.5f * sum2;
    to[3] = ROOT * (2 * difference + 0.25f * difference2);
  }
  to[RESULTS - 1] += v[5];
}
/// The weights' values at the six places, each with the factor of its place.
template <int TAPS> __device__ inline void evaluate_weights(const float (&w)[TAPS], float (&to)[LINE]) {
  float root = 1.41421356237309504880;
  float even = 0, odd = 0, even2 = 0, odd2 = 0, power = 1, power2 = 1;
#pragma unroll
  for (int i = 0; i < TAPS; i += 2) {
    even += w[i] * power;
    even2 += w[i] * power2;
    if (i + 1 < TAPS) odd += w[i + 1] * power * root, odd2 += w[i + 1] * power2 * (root / 2);
    power *= 2;
    power2 /= 2;
  }
  to[0] = w[0];
  to[1] = (even + odd) / 6;
  to[2] = (even - odd) / 6;
  to[3] = (even2 + odd2) / -1.5;
  to[4] = (even2 - odd2) / -1.5;
  to[5] = w[TAPS - 1];
}

/// A convolution of floats with a stride of 1. Forward, or the gradient of an input as a convolution of the results'.
struct Winograd {
  int images, groups, rows, columns; // channels of a group: that are summed, that are made
  int rowLanes, columnLanes;         // those as multiples of LANES; rowLanes may be HALF
  int in[2], out[2], pad[2];
  int down, across, tiles; // tiles of an image, and of all images
  int padded[2];           // pixels with what is around them
  int warps;
  Planes source; // of the pixels
  Target target; // of the results
  __host__ __device__ i64 image() const { return (i64)padded[0] * padded[1]; }
  __host__ __device__ i64 pixels() const { return image() * images * groups * rowLanes; }
  __host__ __device__ i64 weights() const { return (i64)PLACES * groups * columnLanes * rows; }
  __host__ __device__ i64 values() const { return (i64)PLACES * TILES * groups * warps * rowLanes; }
  template <int RESULTS> __host__ __device__ i64 results() const {
    return (i64)RESULTS * RESULTS * tiles * groups * columnLanes;
  }
};

/// Pixels with their channels side by side: [group][image][row][column][channel]. The rest is 0 before.
static __global__ void __launch_bounds__(LANES) gather_channels(Winograd p, float *to) {
  __shared__ float tile[LANES * (LANES + 1)];
  int lane = threadIdx.x, parts = (p.rowLanes + LANES - 1) / LANES, group = blockIdx.y / parts;
  int first = blockIdx.y % parts * LANES;
  int image = blockIdx.z, begin = blockIdx.x * LANES, all = p.in[0] * p.in[1], width = p.in[1];
  const Planes &s = p.source;
  int channels = min(LANES, p.rows - first), pixel = begin + lane;
  bool isPlain = s.type == CUDNN_DATA_FLOAT && s.vect == 1 && s.stride[2] == 1 && s.stride[1] == width;
  if (isPlain && begin + LANES <= all) {
    const float *from = (const float *)s.from + s.place(image, group * p.rows + first) + pixel;
    for (int c = 0; c < channels; c++) tile[c * (LANES + 1) + lane] = from[c * s.channelStride];
  } else if (pixel < all)
    for (int c = 0; c < channels; c++)
      tile[c * (LANES + 1) + lane] =
          load<float>(s.from, s.type, s.place(image, group * p.rows + first + c) +
                                          (i64)(pixel / width) * s.stride[1] + (i64)(pixel % width) * s.stride[2]);
  for (int c = channels; c < LANES; c++) tile[c * (LANES + 1) + lane] = 0;
  __syncthreads();
  float *there = to + ((i64)group * p.images + image) * p.image() * p.rowLanes + first;
  int row = begin / width, column = begin % width, count = min(LANES, all - begin);
  if (p.rowLanes == HALF && width % 2 == 0 && p.pad[0] >= 0 && p.pad[1] >= 0) {
    // two pixels of a row at a time, so that all lanes store
    const float *from = tile + lane % HALF * (LANES + 1) + lane / HALF;
    there += ((i64)p.pad[0] * p.padded[1] + p.pad[1]) * HALF + lane;
    for (int i = 0; i < count; i += 2) {
      there[((i64)row * p.padded[1] + column) * HALF] = from[i];
      if ((column += 2) == width) column = 0, row++;
    }
    return;
  }
  for (int i = 0; i < count; i++) {
    int y = row + p.pad[0], x = column + p.pad[1];
    // with negative padding some are not read at all
    bool isRead = y >= 0 && x >= 0 && y < p.padded[0] && x < p.padded[1];
    if (isRead && lane < p.rowLanes)
      there[((i64)y * p.padded[1] + x) * p.rowLanes + lane] = tile[lane * (LANES + 1) + i];
    if (++column == width) column = 0, row++;
  }
}

/// Weights at all places: [group][place][columns / LANES][row][LANES]. A warp has one row.
template <int TAPS>
__global__ void __launch_bounds__(LANES) place_weights(Winograd p, Weights w, float *to) {
  int parts = p.columnLanes / LANES, group = blockIdx.y / parts, part = blockIdx.y % parts, row = blockIdx.x;
  int column = part * LANES + threadIdx.x, outOfGroup = group * (w.columnsAreInputs ? p.rows : p.columns);
  int in = w.columnsAreInputs ? column : row, out = outOfGroup + (w.columnsAreInputs ? row : column);
  int at = (int)(out * w.outStride + in / w.vect * w.vect * w.inStride + in % w.vect);
  bool isThere = column < p.columns;
  float taps[TAPS][TAPS], lines[TAPS][LINE];
#pragma unroll
  for (int i = 0; i < TAPS * TAPS; i++) taps[i / TAPS][i % TAPS] = 0;
  int down = w.isFlipped ? -w.stride[1] : w.stride[1], across = w.isFlipped ? -w.stride[2] : w.stride[2];
  if (w.isFlipped) at += (TAPS - 1) * (w.stride[1] + w.stride[2]);
  if (isThere && w.type == CUDNN_DATA_FLOAT) {
#pragma unroll
    for (int i = 0; i < TAPS * TAPS; i++)
      taps[i / TAPS][i % TAPS] = ((const float *)w.from)[at + i / TAPS * down + i % TAPS * across];
  } else if (isThere) {
#pragma unroll
    for (int i = 0; i < TAPS * TAPS; i++)
      taps[i / TAPS][i % TAPS] = load<float>(w.from, w.type, at + i / TAPS * down + i % TAPS * across);
  }
#pragma unroll
  for (int i = 0; i < TAPS; i++) evaluate_weights<TAPS>(taps[i], lines[i]);
  to += (((i64)group * PLACES * parts + part) * p.rows + row) * LANES + threadIdx.x;
  i64 place = (i64)parts * p.rows * LANES;
#pragma unroll
  for (int j = 0; j < LINE; j++) {
    float line[TAPS], values[LINE];
#pragma unroll
    for (int i = 0; i < TAPS; i++) line[i] = lines[i][j];
    evaluate_weights<TAPS>(line, values);
#pragma unroll
    for (int i = 0; i < LINE; i++) to[(i * LINE + j) * place] = (float)values[i];
  }
}

/// Pixels' values at all places for TILES tiles: [place][tile][channel]. CHANNELS: of a tile that a warp has at a time.
template <int RESULTS, int CHANNELS>
__device__ inline void place_pixels(const Winograd &p, const float *pixels, float *values, int first) {
  constexpr int SIDE = LANES / CHANNELS; // tiles side by side
  int width = p.rowLanes, channel = threadIdx.x % CHANNELS, side = threadIdx.x / CHANNELS;
  pixels += side * RESULTS * CHANNELS + channel; // with SIDE tiles these are all channels
  for (int t = 0; t < TILES; t += SIDE) {
    int tile = min(first + t, p.tiles - SIDE), column = tile % p.across, row = tile / p.across % p.down;
    int image = tile / p.across / p.down;
    const float *from = pixels + (image * p.image() + (i64)row * RESULTS * p.padded[1] + column * RESULTS) * width;
    for (int c = 0; c < width; c += CHANNELS) {
      float v[LINE][LINE];
#pragma unroll
      for (int j = 0; j < LINE; j++) {
        float line[LINE];
#pragma unroll
        for (int i = 0; i < LINE; i++) line[i] = from[((i64)i * p.padded[1] + j) * width + c];
        evaluate(line);
#pragma unroll
        for (int i = 0; i < LINE; i++) v[i][j] = line[i];
      }
      float *to = values + t * width + c + threadIdx.x; // tiles lie one behind the other
#pragma unroll
      for (int i = 0; i < LINE; i++) {
        evaluate(v[i]);
#pragma unroll
        for (int j = 0; j < LINE; j++) to[(i * LINE + j) * TILES * width] = v[i][j];
      }
    }
  }
}

/// A warp makes TILES tiles at a time: their pixels' values at all places, products for LANES channels of results at
/// each place, and the results from those. `values` is memory for each warp. Results: [group][image][row][column]
/// [channel], in whole tiles.
template <int RESULTS>
__global__ void __launch_bounds__(LANES) multiply_tiles(Winograd p, const float *pixels, const float *weights,
                                                        float *values, float *results) {
  __shared__ float sums[PLACES * TILES * LANES];
  int lane = threadIdx.x, group = blockIdx.y, parts = p.columnLanes / LANES, depth = p.rows, width = p.rowLanes;
  pixels += (i64)group * p.images * p.image() * width;
  values += (i64)(group * gridDim.x + blockIdx.x) * PLACES * TILES * width;
  weights += (i64)group * PLACES * p.columnLanes * depth + lane;
  results += (i64)group * p.tiles * RESULTS * RESULTS * p.columnLanes + lane;
  for (int first = blockIdx.x * TILES; first < p.tiles; first += gridDim.x * TILES) {
    int count = min(TILES, p.tiles - first);
    if (width == HALF) place_pixels<RESULTS, HALF>(p, pixels, values, first);
    else place_pixels<RESULTS, LANES>(p, pixels, values, first);
    __syncthreads();
    for (int part = 0; part < parts; part++) {
      for (int place = 0; place < PLACES; place++) {
        const float *w = weights + ((i64)place * parts + part) * depth * LANES, *x = values + place * TILES * width;
        float sum[TILES];
#pragma unroll
        for (int j = 0; j < TILES; j++) sum[j] = 0;
#pragma unroll 1
        for (int k = 0; k < depth; k++) {
          float left = w[k * LANES];
#pragma unroll
          for (int j = 0; j < TILES; j++) sum[j] += left * x[j * width + k];
        }
#pragma unroll
        for (int j = 0; j < TILES; j++) sums[(place * TILES + j) * LANES + lane] = sum[j];
      }
      for (int t = 0; t < count; t++) {
        int tile = first + t, column = tile % p.across, row = tile / p.across;
        float *to = results + ((i64)row * RESULTS * p.across + column) * RESULTS * p.columnLanes + part * LANES;
        const float *from = sums + t * LANES + lane;
        float v[RESULTS][LINE];
#pragma unroll
        for (int j = 0; j < LINE; j++) {
          float line[LINE], made[RESULTS];
#pragma unroll
          for (int i = 0; i < LINE; i++) line[i] = from[(i * LINE + j) * TILES * LANES];
          interpolate<RESULTS>(line, made);
#pragma unroll
          for (int i = 0; i < RESULTS; i++) v[i][j] = made[i];
        }
#pragma unroll
        for (int i = 0; i < RESULTS; i++) {
          float made[RESULTS];
          interpolate<RESULTS>(v[i], made);
#pragma unroll
          for (int j = 0; j < RESULTS; j++) to[((i64)i * p.across * RESULTS + j) * p.columnLanes] = made[j];
        }
      }
      __syncthreads();
    }
  }
}

/// Results to their place.
template <int RESULTS> __global__ void __launch_bounds__(LANES) scatter_channels(Winograd p, const float *results) {
  __shared__ float tile[LANES * (LANES + 1)];
  int lane = threadIdx.x, parts = p.columnLanes / LANES, group = blockIdx.y / parts;
  int first = blockIdx.y % parts * LANES, image = blockIdx.z, begin = blockIdx.x * LANES, width = p.out[1];
  int all = p.out[0] * width, count = min(LANES, all - begin), row = begin / width, column = begin % width;
  int pitch = p.across * RESULTS;
  const float *from =
      results + (((i64)group * p.images + image) * p.down * RESULTS * pitch) * p.columnLanes + first + lane;
  for (int i = 0; i < count; i++) {
    tile[i * (LANES + 1) + lane] = from[((i64)row * pitch + column) * p.columnLanes];
    if (++column == width) column = 0, row++;
  }
  __syncthreads();
  const Target &t = p.target;
  int channels = min(LANES, p.columns - first), pixel = begin + lane;
  float *to = (float *)t.y + image * t.imageStride + (i64)(group * p.columns + first) * t.channelStride;
  float alpha = (float)t.alpha, beta = (float)t.beta;
  if (t.stride[2] == 1 && t.stride[1] == width && count == LANES && beta == 0) {
    for (int c = 0; c < channels; c++) to[c * t.channelStride + pixel] = alpha * tile[lane * (LANES + 1) + c];
  } else if (pixel < all) {
    to += (i64)(pixel / width) * t.stride[1] + (i64)(pixel % width) * t.stride[2];
    for (int c = 0; c < channels; c++) {
      float value = alpha * tile[lane * (LANES + 1) + c];
      if (beta != 0) value += beta * to[c * t.channelStride];
      to[c * t.channelStride] = value;
    }
  }
}

} // namespace heddle_dnn
