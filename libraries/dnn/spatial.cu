// Spatial transformers (Jaderberg et al., "Spatial Transformer Networks", 2015): grids from affine maps, and bilinear
// samples at their points. Corners of an image are at -1 and 1; outside of it are zeros. Divisive normalization.
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnSpatialTransformerStruct {
  bool isSet = false;
  cudnnSamplerType_t sampler = CUDNN_SAMPLER_BILINEAR;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int rank = 0, dim[CUDNN_DIM_MAX] = {};
  mutable Vendor vendor{"cudnnCreateSpatialTransformerDescriptor", "cudnnDestroySpatialTransformerDescriptor"};
};

namespace heddle_dnn {
inline unsigned long long vendor_of(cudnnContext *h, const cudnnSpatialTransformerStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetSpatialTransformerNdDescriptor", made, (int)d->sampler, (int)d->type, d->rank,
                      Host{d->dim});
  });
}
} // namespace heddle_dnn

namespace {

/// The grid and theta are of one type; grid[image][row][column][2], theta[image][2][3].
struct Grid {
  int type, images, rows, columns;
  const void *from;
  void *to;
};
template <class S> __device__ S coordinate(int at, int size) {
  return size > 1 ? (S)-1 + (S)2 * (S)at / (S)(size - 1) : (S)0;
}
template <class S> __global__ void __launch_bounds__(THREADS) make_grid(Grid p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= (i64)p.images * p.rows * p.columns) return;
  int column = (int)(at % p.columns), row = (int)(at / p.columns % p.rows), image = (int)(at / p.columns / p.rows);
  S x = coordinate<S>(column, p.columns), y = coordinate<S>(row, p.rows);
  for (int i = 0; i < 2; i++) {
    i64 theta = (i64)image * 6 + i * 3;
    S value = load<S>(p.from, p.type, theta) * x + load<S>(p.from, p.type, theta + 1) * y +
              load<S>(p.from, p.type, theta + 2);
    store(p.to, p.type, at * 2 + i, value);
  }
}
/// A block has an element of theta.
template <class S> __global__ void __launch_bounds__(THREADS) make_grid_back(Grid p) {
  int element = blockIdx.x % 6, image = blockIdx.x / 6;
  S sum = 0;
  for (int i = threadIdx.x; i < p.rows * p.columns; i += THREADS) {
    S factor = 1;
    if (element % 3 == 0) factor = coordinate<S>(i % p.columns, p.columns);
    if (element % 3 == 1) factor = coordinate<S>(i / p.columns, p.rows);
    sum += factor * load<S>(p.from, p.type, ((i64)image * p.rows * p.columns + i) * 2 + element / 3);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) store(p.to, p.type, (i64)blockIdx.x, sum);
}

struct Sampler {
  Tensor x, y;
  const void *image, *grid, *dy;
  void *out, *dx, *dGrid;
  int gridType;
  double alpha, beta, alphaGrid, betaGrid;
  i64 count; // points
};
/// A point of the grid: the pixel above and to the left of it, and how far it is from there.
template <class S> struct Point {
  int image, row, column, y, x;
  S down, right;
};
template <class S> __device__ Point<S> point_of(const Sampler &p, i64 at) {
  Point<S> q;
  q.column = (int)(at % p.y.dim[3]);
  q.row = (int)(at / p.y.dim[3] % p.y.dim[2]);
  q.image = (int)(at / p.y.dim[3] / p.y.dim[2]);
  S x = (load<S>(p.grid, p.gridType, at * 2) + 1) * (S)(p.x.dim[3] - 1) / 2;
  S y = (load<S>(p.grid, p.gridType, at * 2 + 1) + 1) * (S)(p.x.dim[2] - 1) / 2;
  q.x = (int)floor(x), q.y = (int)floor(y);
  q.right = x - (S)q.x, q.down = y - (S)q.y;
  return q;
}
/// Visits the pixels around a point that lie in the image: place, weight, and the weight's slopes.
template <class S, class Use>
__device__ void each_pixel(const Sampler &p, const Tensor &t, const Point<S> &q, Use use) {
  for (int i = 0; i < 4; i++) {
    int row = q.y + i / 2, column = q.x + i % 2;
    if (row < 0 || row >= t.dim[2] || column < 0 || column >= t.dim[3]) continue;
    S wy = i / 2 ? q.down : 1 - q.down, wx = i % 2 ? q.right : 1 - q.right;
    i64 place = (i64)q.image * t.stride[0] + (i64)row * t.stride[2] + (i64)column * t.stride[3];
    use(place, wy * wx, i % 2 ? wy : -wy, i / 2 ? wx : -wx);
  }
}
template <class S> __global__ void __launch_bounds__(THREADS) sample(Sampler p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  Point<S> q = point_of<S>(p, at);
  for (int c = 0; c < p.y.dim[1]; c++) {
    S sum = 0;
    each_pixel<S>(p, p.x, q, [&](i64 place, S weight, S, S) {
      sum += weight * load<S>(p.image, p.x.type, place + (i64)c * p.x.stride[1]);
    });
    i64 to = (i64)q.image * p.y.stride[0] + (i64)c * p.y.stride[1] + (i64)q.row * p.y.stride[2] +
             (i64)q.column * p.y.stride[3];
    S value = (S)p.alpha * sum;
    if (p.beta != 0) value += (S)p.beta * load<S>(p.out, p.y.type, to);
    store(p.out, p.y.type, to, value);
  }
}
/// x is dx's tensor here. Gradients of one pixel come from many points.
template <class S> __global__ void __launch_bounds__(THREADS) sample_back(Sampler p, Tensor image) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  Point<S> q = point_of<S>(p, at);
  S slopeX = 0, slopeY = 0;
  for (int c = 0; c < p.y.dim[1]; c++) {
    i64 from = (i64)q.image * p.y.stride[0] + (i64)c * p.y.stride[1] + (i64)q.row * p.y.stride[2] +
               (i64)q.column * p.y.stride[3];
    S dy = load<S>(p.dy, p.y.type, from);
    each_pixel<S>(p, p.x, q, [&](i64 place, S weight, S, S) {
      atomicAdd((S *)p.dx + place + (i64)c * p.x.stride[1], (S)p.alpha * weight * dy);
    });
    each_pixel<S>(p, image, q, [&](i64 place, S, S byX, S byY) {
      S x = load<S>(p.image, image.type, place + (i64)c * image.stride[1]);
      slopeX += byX * x * dy;
      slopeY += byY * x * dy;
    });
  }
  const S slope[] = {slopeX * (S)(p.x.dim[3] - 1) / 2, slopeY * (S)(p.x.dim[2] - 1) / 2};
  for (int i = 0; i < 2; i++) {
    S value = (S)p.alphaGrid * slope[i];
    if (p.betaGrid != 0) value += (S)p.betaGrid * load<S>(p.dGrid, p.gridType, at * 2 + i);
    store(p.dGrid, p.gridType, at * 2 + i, value);
  }
}
template <class S> struct ScaleBy {
  S *data;
  double factor;
  __device__ void operator()(i64, const i64 (&at)[1]) const {
    data[at[0]] = factor == 0 ? (S)0 : (S)factor * data[at[0]];
  }
};

cudnnStatus_t check_sampler(const cudnnSpatialTransformerStruct *d, const cudnnTensorStruct *x,
                            const cudnnTensorStruct *y) {
  HEDDLE_DNN_NEED(all_set(d, x, y));
  HEDDLE_DNN_HAVE(x->t.rank == 4 && y->t.rank == 4 && x->t.vect == 1 && y->t.vect == 1 && is_real(x->type));
  HEDDLE_DNN_NEED(x->type == y->type && x->type == d->type);
  HEDDLE_DNN_NEED(x->t.dim[0] == y->t.dim[0] && x->t.dim[1] == y->t.dim[1]);
  for (int i = 0; i < 4; i++) HEDDLE_DNN_NEED(y->t.dim[i] == d->dim[i]);
  return CUDNN_STATUS_SUCCESS;
}

} // namespace

#include "divisive.inl"
#include "spatial.inl"
