// Pooling of cuDNN, forward and backward, in one to three dimensions.
#include "elements.cuh"

using namespace heddle_dnn;

namespace {

struct Pooling {
  int mode, keepsNan, channels, in[3], out[3], window[3], pad[3], stride[3];
  int type; // of all tensors
  i64 count;
  // of x, y, dy, dx: image, channel, and the strides of space
  i64 strides[4][5];
  int vect;
  double alpha, beta;
  __device__ i64 place(int tensor, int image, int channel, const int (&at)[3]) const {
    const i64 *s = strides[tensor];
    return image * s[0] + (i64)(channel / vect) * vect * s[1] + channel % vect + at[0] * s[2] + at[1] * s[3] +
           at[2] * s[4];
  }
  /// The part of a window that is inside, and its size as an average counts it.
  __device__ int bounds(const int (&at)[3], int (&first)[3], int (&last)[3]) const {
    int inside = 1, all = 1;
    for (int i = 0; i < 3; i++) {
      int begin = at[i] * stride[i] - pad[i], end = begin + window[i];
      first[i] = begin > 0 ? begin : 0;
      last[i] = end < in[i] ? end : in[i];
      inside *= last[i] > first[i] ? last[i] - first[i] : 0;
      all *= window[i];
    }
    return mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ? all : inside;
  }
  __device__ bool isMaximum() const { return mode == CUDNN_POOLING_MAX || mode == CUDNN_POOLING_MAX_DETERMINISTIC; }
  __device__ void decode(i64 index, const int (&size)[3], int &image, int &channel, int (&at)[3]) const {
    unsigned rest = (unsigned)index;
    for (int i = 2; i >= 0; i--) at[i] = (int)(rest % (unsigned)size[i]), rest /= (unsigned)size[i];
    channel = (int)(rest % (unsigned)channels);
    image = (int)(rest / (unsigned)channels);
  }
};

template <class S> __global__ void __launch_bounds__(THREADS) pool(Pooling p, const void *x, void *y) {
  i64 index = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (index >= p.count) return;
  int image, channel, at[3], first[3], last[3];
  p.decode(index, p.out, image, channel, at);
  int counted = p.bounds(at, first, last);
  bool isMaximum = p.isMaximum(), isFirst = true;
  const int corner[3] = {0, 0, 0};
  i64 base = p.place(0, image, channel, corner);
  S value = 0;
  for (int a = first[0]; a < last[0]; a++)
    for (int b = first[1]; b < last[1]; b++)
      for (int c = first[2]; c < last[2]; c++) {
        S one = load<S>(x, p.type, base + a * p.strides[0][2] + b * p.strides[0][3] + c * p.strides[0][4]);
        if (!isMaximum) value += one;
        else if (isFirst || one > value || (p.keepsNan ? one != one : value != value)) value = one;
        isFirst = false;
      }
  if (!isMaximum) value = counted > 0 ? value / (S)counted : 0;
  i64 to = p.place(1, image, channel, at);
  value = (S)p.alpha * value;
  if (p.beta != 0) value += (S)p.beta * load<S>(y, p.type, to);
  store(y, p.type, to, value);
}

/// A thread has one input, and adds what the windows around it give back. A maximum's gradient goes to the first
/// element of the window that has it.
template <class S>
__global__ void __launch_bounds__(THREADS) pool_back(Pooling p, const void *x, const void *y, const void *dy,
                                                     void *dx) {
  i64 index = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (index >= p.count) return;
  int image, channel, at[3], from[3], to[3], window[3], first[3], last[3];
  p.decode(index, p.in, image, channel, at);
  for (int i = 0; i < 3; i++) {
    int reach = at[i] + p.pad[i];
    from[i] = reach < p.window[i] ? 0 : (reach - p.window[i]) / p.stride[i] + 1;
    to[i] = reach / p.stride[i] < p.out[i] - 1 ? reach / p.stride[i] : p.out[i] - 1;
  }
  bool isMaximum = p.isMaximum();
  S own = isMaximum ? load<S>(x, p.type, p.place(0, image, channel, at)) : 0, sum = 0;
  for (window[0] = from[0]; window[0] <= to[0]; window[0]++)
    for (window[1] = from[1]; window[1] <= to[1]; window[1]++)
      for (window[2] = from[2]; window[2] <= to[2]; window[2]++) {
        int counted = p.bounds(window, first, last);
        S gradient = load<S>(dy, p.type, p.place(2, image, channel, window));
        if (!isMaximum) {
          sum += gradient / (S)counted;
          continue;
        }
        if (own != load<S>(y, p.type, p.place(1, image, channel, window))) continue;
        // not if an element before this one has the maximum, too
        bool isTaken = false;
        int other[3];
        for (other[0] = first[0]; other[0] <= at[0] && !isTaken; other[0]++)
          for (other[1] = first[1]; other[1] < last[1] && !isTaken; other[1]++)
            for (other[2] = first[2]; other[2] < last[2] && !isTaken; other[2]++) {
              bool isBefore = other[0] < at[0] || (other[0] == at[0] && (other[1] < at[1] ||
                              (other[1] == at[1] && other[2] < at[2])));
              if (isBefore) isTaken = load<S>(x, p.type, p.place(0, image, channel, other)) == own;
            }
        if (!isTaken) sum += gradient;
      }
  i64 place = p.place(3, image, channel, at);
  S value = (S)p.alpha * sum;
  if (p.beta != 0) value += (S)p.beta * load<S>(dx, p.type, place);
  store(dx, p.type, place, value);
}

cudnnStatus_t pooling_of(Pooling &p, const cudnnPoolingStruct *d, const Tensor &x, const Tensor &y) {
  HEDDLE_DNN_NEED(x.rank == y.rank && d->rank == x.rank - 2 && d->rank > 0);
  HEDDLE_DNN_NEED(x.dim[0] == y.dim[0] && x.dim[1] == y.dim[1] && x.type == y.type && x.vect == y.vect);
  HEDDLE_DNN_HAVE(x.rank <= 5);
  p.mode = d->mode;
  p.keepsNan = d->nan == CUDNN_PROPAGATE_NAN;
  p.channels = x.dim[1];
  p.type = x.type;
  p.vect = x.vect;
  for (int i = 0; i < 3; i++) {
    int from = i - (5 - x.rank);
    bool is = from >= 0;
    p.in[i] = is ? x.dim[from + 2] : 1;
    p.out[i] = is ? y.dim[from + 2] : 1;
    p.window[i] = is ? d->window[from] : 1;
    p.pad[i] = is ? d->pad[from] : 0;
    p.stride[i] = is ? d->stride[from] : 1;
    HEDDLE_DNN_NEED(p.in[i] + 2 * p.pad[i] >= p.window[i]);
    HEDDLE_DNN_NEED(p.out[i] == 1 + (p.in[i] + 2 * p.pad[i] - p.window[i]) / p.stride[i]);
  }
  return CUDNN_STATUS_SUCCESS;
}
void set_strides(i64 (&to)[5], const Tensor &t) {
  to[0] = t.stride[0];
  to[1] = t.stride[1];
  for (int i = 0; i < 3; i++) {
    int from = i - (5 - t.rank);
    to[i + 2] = from >= 0 ? (i64)t.stride[from + 2] * t.vect : 0;
  }
}

} // namespace

extern "C" {

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t h, const cudnnPoolingDescriptor_t d, const void *alpha,
                                  const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                  const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(xDesc, yDesc) && all_there(alpha, beta, x, y));
  Pooling p{};
  cudnnStatus_t own = pooling_of(p, d, xDesc->t, yDesc->t);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnPoolingForward", vendor_of(h, d), Host{alpha}, vendor_of(h, xDesc), x, Host{beta},
                         vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  HEDDLE_DNN_HAVE(is_real(xDesc->type) || p.type == CUDNN_DATA_INT8);
  set_strides(p.strides[0], xDesc->t);
  set_strides(p.strides[1], yDesc->t);
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  p.count = yDesc->t.elements();
  auto kernel = p.type == CUDNN_DATA_DOUBLE ? pool<double> : pool<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p, x, y);
  return launched();
}
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t h, const cudnnPoolingDescriptor_t d, const void *alpha,
                                   const cudnnTensorDescriptor_t yDesc, const void *y,
                                   const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                   const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                   const cudnnTensorDescriptor_t dxDesc, void *dx) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_live(d) && all_set(yDesc, dyDesc, xDesc, dxDesc) && all_there(alpha, beta, y, dy, x, dx));
  HEDDLE_DNN_NEED(yDesc->t.hasShapeOf(dyDesc->t) && xDesc->t.hasShapeOf(dxDesc->t));
  HEDDLE_DNN_NEED(yDesc->type == dyDesc->type && xDesc->type == dxDesc->type);
  Pooling p{};
  cudnnStatus_t own = pooling_of(p, d, xDesc->t, yDesc->t);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnPoolingBackward", vendor_of(h, d), Host{alpha}, vendor_of(h, yDesc), y,
                         vendor_of(h, dyDesc), dy, vendor_of(h, xDesc), x, Host{beta}, vendor_of(h, dxDesc),
                         (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  HEDDLE_DNN_HAVE(is_real(xDesc->type));
  const Tensor *const all[] = {&xDesc->t, &yDesc->t, &dyDesc->t, &dxDesc->t};
  for (int i = 0; i < 4; i++) set_strides(p.strides[i], *all[i]);
  p.alpha = scale_of(alpha, xDesc->type);
  p.beta = scale_of(beta, xDesc->type);
  p.count = xDesc->t.elements();
  auto kernel = p.type == CUDNN_DATA_DOUBLE ? pool_back<double> : pool_back<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p, x, y, dy, dx);
  return launched();
}

} // extern "C"
