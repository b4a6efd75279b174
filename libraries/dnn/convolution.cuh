// Kernels of convolutions. An implicit product of matrices: each thread makes one pixel of COLUMNS channels, so that
// the threads of a warp read pixels side by side and all of them the same weights.
//
// The input is first copied into planes with the padding around it. With a stride of 2 there are four planes, of even
// and odd rows and columns, and so on: pixels that a tap of the window reads for neighbouring outputs are always side by
// side. Threads go through the rows of a plane without a gap, also through the few pixels behind the end of an output
// row, so that addresses need no division.
#pragma once
#include "elements.cuh"

namespace heddle_dnn {

constexpr int COLUMNS = 8;  // channels a thread makes
constexpr int PIXELS = 128; // of a block

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
template <class S> __global__ void __launch_bounds__(THREADS) fill_planes(Planes p, S *to, int channels) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  unsigned rest = (unsigned)at;
  int place[3], phase[3];
  for (int i = 2; i >= 0; i--) place[i] = (int)(rest % (unsigned)p.extent[i]), rest /= (unsigned)p.extent[i];
  for (int i = 2; i >= 0; i--) phase[i] = (int)(rest % (unsigned)p.phases[i]), rest /= (unsigned)p.phases[i];
  int channel = (int)(rest % (unsigned)channels), image = (int)(rest / (unsigned)channels);
  i64 from = p.place(image, channel);
  bool isInside = true;
  for (int i = 0; i < 3; i++) {
    int pixel = place[i] * p.phases[i] + phase[i] - p.offset[i];
    isInside = isInside && pixel >= 0 && pixel < p.in[i];
    from += (i64)pixel * p.stride[i];
  }
  to[at] = isInside ? load<S>(p.from, p.type, from) : (S)0;
}

/// Weights as rows of COLUMNS channels: [group][tap][depth channel][columns].
struct Weights {
  const void *from;
  int type, vect;
  i64 outStride, inStride;
  int stride[3], window[3];
  int rows, columns, padded; // of a group; columns are padded to a multiple of COLUMNS
  bool isFlipped, columnsAreInputs;
  i64 count;
};
template <class S> __global__ void __launch_bounds__(THREADS) arrange_weights(Weights p, S *to) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  unsigned rest = (unsigned)at;
  int column = (int)(rest % (unsigned)p.padded);
  rest /= (unsigned)p.padded;
  int row = (int)(rest % (unsigned)p.rows);
  rest /= (unsigned)p.rows;
  int tap[3];
  for (int i = 2; i >= 0; i--) tap[i] = (int)(rest % (unsigned)p.window[i]), rest /= (unsigned)p.window[i];
  int group = (int)rest;
  int out = p.columnsAreInputs ? group * p.rows + row : group * p.columns + column;
  int in = p.columnsAreInputs ? column : row;
  i64 from = out * p.outStride + (i64)(in / p.vect) * p.vect * p.inStride + in % p.vect;
  for (int i = 0; i < 3; i++) from += (i64)(p.isFlipped ? p.window[i] - 1 - tap[i] : tap[i]) * p.stride[i];
  to[at] = column < p.columns ? load<S>(p.from, p.type, from) : (S)0;
}

/// Where results go: alpha * sum + beta * z + bias, and an activation.
struct Target {
  void *y;
  const void *z, *bias;
  int type, zType, biasType, vect, zVect;
  i64 imageStride, channelStride, zImageStride, zChannelStride;
  int stride[3], zStride[3], biasStride;
  double alpha, beta;
  Activation activation;
};

struct Product {
  Axis axis[3];
  int rows, columns, padded; // channels of a group: that are summed, that are made
  int groupColumns;          // blocks of COLUMNS channels of a group
  i64 imageElements, channelElements, firstPlace;
  int windowPlane, windowRow, window; // weights of a plane, of a row, of all
  int pixels;
  Target target;
};

template <class S> __device__ __forceinline__ void put(const Target &t, S sum, int image, int channel, i64 pixel,
                                                       i64 zPixel) {
  S value = (S)t.alpha * sum;
  if (t.beta != 0) {
    i64 at = image * t.zImageStride + (i64)(channel / t.zVect) * t.zVect * t.zChannelStride + channel % t.zVect;
    value += (S)t.beta * load<S>(t.z, t.zType, at + zPixel);
  }
  if (t.bias) value += load<S>(t.bias, t.biasType, (i64)channel * t.biasStride);
  if (t.activation.mode != CUDNN_ACTIVATION_IDENTITY) value = activated(t.activation, value);
  i64 at = image * t.imageStride + (i64)(channel / t.vect) * t.vect * t.channelStride + channel % t.vect;
  store(t.y, t.type, at + pixel, value);
}

template <class S>
__global__ void __launch_bounds__(PIXELS) convolve(Product p, const S *planes, const S *weights) {
  int pixel = blockIdx.x * PIXELS + threadIdx.x;
  if (pixel >= p.pixels) return;
  int group = blockIdx.y / p.groupColumns, column = blockIdx.y % p.groupColumns * COLUMNS, image = blockIdx.z;
  const S *from = planes + image * p.imageElements + (i64)group * p.rows * p.channelElements + p.firstPlace + pixel;
  const S *ofGroup = weights + (i64)group * p.window * p.rows * p.padded + column;
  S sum[COLUMNS];
#pragma unroll
  for (int j = 0; j < COLUMNS; j++) sum[j] = 0;
  for (int a = 0; a < p.axis[0].taps; a++)
    for (int b = 0; b < p.axis[1].taps; b++)
      for (int c = 0; c < p.axis[2].taps; c++) {
        int offset = p.axis[0].offset(a) + p.axis[1].offset(b) + p.axis[2].offset(c);
        int weight = p.axis[0].weight(a) * p.windowPlane + p.axis[1].weight(b) * p.windowRow + p.axis[2].weight(c);
        const S *x = from + offset, *w = ofGroup + (i64)weight * p.rows * p.padded;
        for (int row = 0; row < p.rows; row++) {
          S left = *x;
#pragma unroll
          for (int j = 0; j < COLUMNS; j++) sum[j] += left * w[j];
          x += p.channelElements;
          w += p.padded;
        }
      }
  const Target &t = p.target;
  i64 at = 0, zAt = 0;
  unsigned rest = (unsigned)pixel;
#pragma unroll
  for (int i = 2; i >= 0; i--) {
    unsigned next = i > 0 ? rest / (unsigned)p.axis[i].extent : 0;
    int place = (int)(rest - next * (unsigned)p.axis[i].extent);
    if (place >= p.axis[i].outputs) return;
    int output = p.axis[i].firstOutput + place * p.axis[i].everyOutput;
    at += (i64)output * t.stride[i];
    zAt += (i64)output * t.zStride[i];
    rest = next;
  }
#pragma unroll
  for (int j = 0; j < COLUMNS; j++)
    if (column + j < p.columns) put(t, sum[j], image, group * p.columns + column + j, at, zAt);
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
