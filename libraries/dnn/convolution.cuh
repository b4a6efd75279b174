// Kernels of convolutions. An implicit product of matrices: each thread makes one pixel of COLUMNS channels at a time,
// so that the threads of a warp read pixels side by side and all of them the same weights.
//
// The input is first copied into planes with the padding around it. With a stride of 2 there are four planes, of even
// and odd rows and columns, and so on: what a tap of the window reads for neighbouring outputs is always side by side.
// Threads go through the rows of a plane without a gap, also through the few pixels behind the end of an output
// row, so that addresses need no division.
//
// A warp copies what all its taps read into a panel of its own. One loop then goes over taps and channels alike, and
// the panel serves all output channels.
#pragma once
#include "elements.cuh"

namespace heddle_dnn {

constexpr int COLUMNS = 8;  // channels a thread makes at a time
constexpr int LANES = 32;   // pixels of a warp
constexpr int CHANNELS = 64; // that a panel serves
constexpr int PIXELS = 128; // of a block of multiply_gradients

/// One dimension of the planes that are read, and of the places that are made.
struct Axis {
  int taps;             // of the window that are read
  int first, step;      // the weight of the first tap, and from one to the next
  int dilation, stride; // tap j reads plane (j dilation) mod stride, at (j dilation) / stride
  int phaseStride, placeStride;
  int extent, outputs;  // places of a plane; places that are made
  int firstOutput, everyOutput;
  __device__ int offset(int tap) const {
    int moved = tap * dilation;
    return moved % stride * phaseStride + moved / stride * placeStride;
  }
  __device__ int weight(int tap) const { return first + tap * step; }
};

/// Copies a tensor into planes. Rank 3: depth, height, width.
struct Planes {
  const void *from;
  int type, vect;
  int channelsOfGroup; // of the tensor, in each group
  i64 imageStride, channelStride;
  int stride[3], in[3];
  int extent[3], phases[3], offset[3]; // plane place p of phase f is the pixel p * phases + f - offset
  i64 planeElements;                   // of all phases of a channel
  i64 count;
  __device__ i64 place(int image, int channel) const {
    return image * imageStride + (i64)(channel / vect) * vect * channelStride + channel % vect;
  }
};
/// Each warp makes rows of planes: threadIdx.y is its number in the block.
constexpr int FILL_WARPS = 4;
template <class S>
__global__ void __launch_bounds__(LANES * FILL_WARPS) fill_planes(Planes p, S *to, int channels) {
  unsigned row = blockIdx.x * FILL_WARPS + threadIdx.y, rest = row;
  if ((i64)row * p.extent[2] >= p.count) return;
  int place[2], phase[3];
  for (int i = 1; i >= 0; i--) place[i] = (int)(rest % (unsigned)p.extent[i]), rest /= (unsigned)p.extent[i];
  for (int i = 2; i >= 0; i--) phase[i] = (int)(rest % (unsigned)p.phases[i]), rest /= (unsigned)p.phases[i];
  int channel = (int)(rest % (unsigned)channels), image = (int)(rest / (unsigned)channels);
  i64 from = p.place(image, channel);
  bool isInside = true;
  for (int i = 0; i < 2; i++) {
    int pixel = place[i] * p.phases[i] + phase[i] - p.offset[i];
    isInside = isInside && pixel >= 0 && pixel < p.in[i];
    from += (i64)pixel * p.stride[i];
  }
  S *line = to + (i64)row * p.extent[2];
  int before = p.offset[2] - phase[2], step = p.phases[2];
  if (sizeof(S) == 4 && p.type == CUDNN_DATA_FLOAT && step == 1 && p.stride[2] == 1) {
    const S *pixels = (const S *)p.from + from - before;
    for (int x = threadIdx.x; x < p.extent[2]; x += LANES) {
      S value = 0;
      if (isInside && x >= before && x < before + p.in[2]) value = pixels[x];
      line[x] = value;
    }
    return;
  }
  for (int x = threadIdx.x; x < p.extent[2]; x += LANES) {
    int pixel = x * step - before;
    bool isHere = isInside && pixel >= 0 && pixel < p.in[2];
    line[x] = isHere ? load<S>(p.from, p.type, from + (i64)pixel * p.stride[2]) : (S)0;
  }
}

/// Weights as rows of COLUMNS channels: [group][columns / COLUMNS][tap][depth channel][COLUMNS].
struct Weights {
  const void *from;
  int type, vect;
  i64 outStride, inStride;
  int stride[3], window[3];
  int rows, columns, padded; // of a group; columns are padded to a multiple of COLUMNS
  bool isFlipped, columnsAreInputs;
  i64 count;
};
/// Each warp arranges the weights of one tap and one column.
template <class S> __global__ void __launch_bounds__(LANES * FILL_WARPS) arrange_weights(Weights p, S *to) {
  int taps = p.window[0] * p.window[1] * p.window[2];
  unsigned rest = blockIdx.x * FILL_WARPS + threadIdx.y;
  int tap = (int)(rest % (unsigned)taps), places[3];
  rest /= (unsigned)taps;
  int column = (int)(rest % (unsigned)p.padded), group = (int)(rest / (unsigned)p.padded);
  if ((i64)group * taps * p.rows * p.padded >= p.count) return;
  i64 from = 0;
  for (int i = 2, left = tap; i >= 0; i--) places[i] = left % p.window[i], left /= p.window[i];
  for (int i = 0; i < 3; i++) from += (i64)(p.isFlipped ? p.window[i] - 1 - places[i] : places[i]) * p.stride[i];
  S *first = to + ((i64)(group * p.padded + column / COLUMNS * COLUMNS) * taps + tap * COLUMNS) * p.rows;
  int isThere = column < p.columns, outOfGroup = group * (p.columnsAreInputs ? p.rows : p.columns);
  for (int row = threadIdx.x; row < p.rows; row += LANES) {
    int in = p.columnsAreInputs ? column : row, out = outOfGroup + (p.columnsAreInputs ? row : column);
    i64 at = from + out * p.outStride + (i64)(in / p.vect) * p.vect * p.inStride + in % p.vect;
    first[row * COLUMNS + column % COLUMNS] = isThere ? load<S>(p.from, p.type, at) : (S)0;
  }
}

/// Where sums go: y = alpha * sum + beta * y, of the type of the sums.
struct Target {
  void *y;
  i64 imageStride, channelStride;
  int stride[3];
  double alpha, beta;
};
/// What is done with sums that were not made in their place: alpha * sum + beta * z + bias, and an activation.
template <class S> struct Finish {
  void *y;
  const S *sums;
  const void *z, *bias;
  int type, zType, biasType;
  double alpha, beta;
  Activation activation;
  __device__ void operator()(i64, const i64 (&at)[4]) const {
    S value = (S)alpha * sums[at[1]];
    if (beta != 0) value += (S)beta * load<S>(z, zType, at[2]);
    if (bias) value += load<S>(bias, biasType, at[3]);
    store(y, type, at[0], activated(activation, value));
  }
};

struct Product {
  Axis axis[3];
  int rows, columns;      // channels of a group: that are summed, that are made
  int groupColumns;       // blocks of COLUMNS channels of a group
  int groupParts;         // blocks of CHANNELS channels of a group
  bool areTapsNeighbours; // all weights are read, in their order
  i64 imageElements, channelElements, firstPlace;
  int windowPlane, windowRow, window; // weights of a plane, of a row, of all
  int pixels;
  int firstImage; // of a launch
  Target target;
  __device__ int taps() const { return axis[0].taps * axis[1].taps * axis[2].taps; }
  /// The place that a tap reads, and its weight.
  __device__ void tap_at(int tap, int &offset, int &weight) const {
    int c = tap % axis[2].taps, rest = tap / axis[2].taps, b = rest % axis[1].taps, a = rest / axis[1].taps;
    offset = axis[0].offset(a) + axis[1].offset(b) + axis[2].offset(c);
    weight = axis[0].weight(a) * windowPlane + axis[1].weight(b) * windowRow + axis[2].weight(c);
  }
};

/// Stores a pixel's sums of some channels, `sums[channel * LANES]`.
template <class S>
__device__ inline void put_channels(const Product &p, int pixel, i64 at, int channels, const S *sums) {
  const Target &t = p.target;
  unsigned rest = (unsigned)pixel;
#pragma unroll
  for (int i = 2; i >= 0; i--) {
    unsigned next = i > 0 ? rest / (unsigned)p.axis[i].extent : 0;
    int place = (int)(rest - next * (unsigned)p.axis[i].extent);
    if (place >= p.axis[i].outputs) return;
    int output = p.axis[i].firstOutput + place * p.axis[i].everyOutput;
    at += (i64)output * t.stride[i];
    rest = next;
  }
  S *to = (S *)t.y + at, alpha = (S)t.alpha, beta = (S)t.beta;
  for (int j = 0; j < channels; j++) {
    S value = alpha * sums[j * LANES];
    if (beta != 0) value += beta * *to;
    *to = value;
    to += t.channelStride;
  }
}

/// A block is a warp. A warp at the end begins earlier where it can, so that none of its lanes reads behind the pixels.
template <class S> __global__ void __launch_bounds__(LANES) convolve(Product p, const S *planes, const S *weights) {
  constexpr int DEPTH = 1024 / sizeof(S); // 32 KiB, which fit into a processor's first cache
  __shared__ S panel[DEPTH * LANES], held[CHANNELS * LANES];
  int lane = threadIdx.x, begin = blockIdx.x * LANES, first = max(min(begin, p.pixels - LANES), 0);
  int group = blockIdx.y / p.groupParts, part = blockIdx.y % p.groupParts, image = p.firstImage + blockIdx.z;
  int columns = min(p.groupColumns - part * (CHANNELS / COLUMNS), CHANNELS / COLUMNS);
  const S *from =
      planes + image * p.imageElements + (i64)group * p.rows * p.channelElements + p.firstPlace + first + lane;
  i64 weightsOfColumns = (i64)p.window * p.rows * COLUMNS;
  const S *ofPart = weights + (group * p.groupColumns + part * (CHANNELS / COLUMNS)) * weightsOfColumns;
  int taps = p.taps(), tap = 0, row = 0;
  bool isFirst = true;
  do {
    int depth = 0;
    const S *w = ofPart;
    while (tap < taps && depth < DEPTH) {
      int offset, weight, count = min(p.rows - row, DEPTH - depth);
      p.tap_at(tap, offset, weight);
      if (depth == 0) w += ((i64)weight * p.rows + row) * COLUMNS;
      const S *x = from + offset + row * p.channelElements;
      for (int i = 0; i < count; i++) panel[(depth + i) * LANES + lane] = x[i * p.channelElements];
      depth += count;
      row += count;
      if (row < p.rows) break;
      row = 0;
      tap++;
      if (!p.areTapsNeighbours) break;
    }
    for (int c = 0; c < columns; c++) {
      S sum[COLUMNS];
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) sum[j] = isFirst ? (S)0 : held[(c * COLUMNS + j) * LANES + lane];
#pragma unroll 1
      for (int k = 0; k < depth; k++) {
        S left = panel[k * LANES + lane];
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) sum[j] += left * w[k * COLUMNS + j];
      }
#pragma unroll
      for (int j = 0; j < COLUMNS; j++) held[(c * COLUMNS + j) * LANES + lane] = sum[j];
      w += weightsOfColumns;
    }
    isFirst = false;
  } while (tap < taps);
  int pixel = first + lane, column = part * CHANNELS;
  if (pixel < begin || pixel >= p.pixels) return;
  put_channels(p, pixel, image * p.target.imageStride + (i64)(group * p.columns + column) * p.target.channelStride,
               min(CHANNELS, p.columns - column), held + lane);
}

/// Gradients of weights: a thread makes one weight of one input channel for COLUMNS output channels. Its sum goes over
/// the pixels of some of the images.
struct FilterProduct {
  Axis axis[3];
  int rows, columns, padded, groupColumns; // input and output channels of a group
  i64 imageElements, channelElements;
  int window, windowPlane, windowRow; // weights
  int images, imagesOfPart;
};
template <class S>
__global__ void __launch_bounds__(PIXELS) multiply_gradients(FilterProduct p, const S *planes, const S *gradients,
                                                             S *parts) {
  int weight = blockIdx.x * PIXELS + threadIdx.x, all = p.rows * p.window;
  if (weight >= all) return;
  int group = blockIdx.y / p.groupColumns, column = blockIdx.y % p.groupColumns * COLUMNS, part = blockIdx.z;
  int groups = gridDim.y / p.groupColumns, tap = weight % p.window;
  i64 from = (i64)(group * p.rows + weight / p.window) * p.channelElements + p.axis[0].offset(tap / p.windowPlane) +
             p.axis[1].offset(tap % p.windowPlane / p.windowRow) + p.axis[2].offset(tap % p.windowRow);
  int rowPitch = p.axis[2].extent, planePitch = p.axis[1].extent * rowPitch;
  int outputs = p.axis[0].outputs * p.axis[1].outputs * p.axis[2].outputs;
  S sum[COLUMNS];
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) sum[j] = 0;
  int last = (part + 1) * p.imagesOfPart < p.images ? (part + 1) * p.imagesOfPart : p.images;
  for (int image = part * p.imagesOfPart; image < last; image++) {
    const S *x = planes + image * p.imageElements + from;
    const S *dy = gradients + ((i64)image * groups + group) * outputs * p.padded + column;
    for (int a = 0; a < p.axis[0].outputs; a++)
      for (int b = 0; b < p.axis[1].outputs; b++) {
        const S *pixel = x + a * planePitch + b * rowPitch;
        for (int c = 0; c < p.axis[2].outputs; c++) {
          S left = pixel[c];
#pragma unroll
          for (int j = 0; j < COLUMNS; j++) sum[j] += left * dy[j];
          dy += p.padded;
        }
      }
  }
  S *to = parts + (((i64)part * groups + group) * p.padded + column) * all + weight;
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) to[(i64)j * all] = sum[j];
}

/// The gradients of the results, as rows of output channels: [image][group][pixel][columns].
struct Rows {
  const void *from;
  int type, columns, padded, groups;
  int out[3];
  i64 imageStride, channelStride;
  int stride[3];
  i64 count;
};
template <class S> __global__ void __launch_bounds__(THREADS) arrange_rows(Rows p, S *to) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  unsigned rest = (unsigned)at;
  int column = (int)(rest % (unsigned)p.padded);
  rest /= (unsigned)p.padded;
  i64 from = 0;
  for (int i = 2; i >= 0; i--) {
    from += (i64)(rest % (unsigned)p.out[i]) * p.stride[i];
    rest /= (unsigned)p.out[i];
  }
  int group = (int)(rest % (unsigned)p.groups), image = (int)(rest / (unsigned)p.groups);
  from += image * p.imageStride + (group * p.columns + column) * p.channelStride;
  to[at] = column < p.columns ? load<S>(p.from, p.type, from) : (S)0;
}

/// Adds the parts of a filter's gradient.
struct FilterTarget {
  void *to;
  int type, parts, groups, rows, columns, padded, window[3];
  bool isFlipped;
  i64 outStride, inStride;
  int stride[3];
  double alpha, beta;
  i64 count;
};
template <class S> __global__ void __launch_bounds__(THREADS) add_parts(FilterTarget p, const S *parts) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  unsigned rest = (unsigned)at;
  i64 place = 0;
  int all = p.rows * p.window[0] * p.window[1] * p.window[2], weight = (int)(rest % (unsigned)all);
  for (int i = 2; i >= 0; i--) {
    int tap = (int)(rest % (unsigned)p.window[i]);
    place += (i64)(p.isFlipped ? p.window[i] - 1 - tap : tap) * p.stride[i];
    rest /= (unsigned)p.window[i];
  }
  int row = (int)(rest % (unsigned)p.rows);
  rest /= (unsigned)p.rows;
  int out = (int)rest, group = out / p.columns, column = out % p.columns;
  place += out * p.outStride + row * p.inStride;
  S sum = 0;
  for (int part = 0; part < p.parts; part++)
    sum += parts[(((i64)part * p.groups + group) * p.padded + column) * all + weight];
  S value = (S)p.alpha * sum;
  if (p.beta != 0) value += (S)p.beta * load<S>(p.to, p.type, place);
  store(p.to, p.type, place, value);
}

/// The gradient of a bias: a block adds what belongs to one channel.
template <class S>
__global__ void __launch_bounds__(THREADS) add_channels(Walk<1> walk, const void *dy, int type, i64 channelStride,
                                                        void *db, int dbType, int dbStride, double alpha,
                                                        double beta) {
  S sum = 0;
  for (i64 at = threadIdx.x; at < walk.count; at += THREADS) {
    i64 place[1];
    walk.places(at, place);
    sum += load<S>(dy, type, place[0] + blockIdx.x * channelStride);
  }
  sum = block_sum(sum);
  if (threadIdx.x > 0) return;
  S value = (S)alpha * sum;
  i64 to = (i64)blockIdx.x * dbStride;
  if (beta != 0) value += (S)beta * load<S>(db, dbType, to);
  store(db, dbType, to, value);
}

} // namespace heddle_dnn
