// Divisive normalization: y = x / (k + alpha / n * sum over a window in space of (x - mean)^2)^beta, with n the
// elements of the window.

namespace {

struct Divisive {
  Tensor t, out;
  const void *x, *means, *dy;
  void *y, *dMeans;
  int window, before; // in each dimension of space
  double share, power, k, alpha, beta;
  i64 count;
};
/// Visits the elements around one; `turned` visits those whose windows it is in.
template <class Use> __device__ void each_neighbour(const Divisive &p, const int (&index)[CUDNN_DIM_MAX], bool turned,
                                                    Use use) {
  int space = p.t.rank - 2, all = 1, first = turned ? p.window - 1 - p.before : p.before;
  for (int i = 0; i < space; i++) all *= p.window;
  for (int one = 0; one < all; one++) {
    int other[CUDNN_DIM_MAX], rest = one;
    bool isIn = true;
    other[0] = index[0], other[1] = index[1];
    for (int i = p.t.rank - 1; i >= 2; i--) {
      other[i] = index[i] - first + rest % p.window;
      isIn = isIn && other[i] >= 0 && other[i] < p.t.dim[i];
      rest /= p.window;
    }
    if (isIn) use(other);
  }
}
__device__ i64 place_in(const Tensor &t, const int (&index)[CUDNN_DIM_MAX]) {
  i64 at = 0;
  for (int i = 0; i < t.rank; i++) at += (i64)index[i] * t.stride[i];
  return at;
}
template <class S> __device__ S deviation(const Divisive &p, const int (&index)[CUDNN_DIM_MAX]) {
  i64 at = place_in(p.t, index);
  return load<S>(p.x, p.t.type, at) - (p.means ? load<S>(p.means, p.t.type, at) : (S)0);
}
template <class S> __device__ S divisor_base(const Divisive &p, const int (&index)[CUDNN_DIM_MAX]) {
  S sum = 0;
  each_neighbour(p, index, false, [&](const int (&other)[CUDNN_DIM_MAX]) {
    S d = deviation<S>(p, other);
    sum += d * d;
  });
  return (S)p.k + (S)p.share * sum;
}
__device__ void index_of(const Divisive &p, i64 at, int (&index)[CUDNN_DIM_MAX]) {
  for (int i = p.t.rank - 1; i >= 0; i--) {
    index[i] = (int)(at % p.t.dim[i]);
    at /= p.t.dim[i];
  }
}
template <class S> __global__ void __launch_bounds__(THREADS) divide(Divisive p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int index[CUDNN_DIM_MAX];
  index_of(p, at, index);
  S x = load<S>(p.x, p.t.type, place_in(p.t, index));
  S value = (S)p.alpha * x * pow(divisor_base<S>(p, index), (S)-p.power);
  i64 to = place_in(p.out, index);
  if (p.beta != 0) value += (S)p.beta * load<S>(p.y, p.out.type, to);
  store(p.y, p.out.type, to, value);
}
/// dx and the gradient of the means, which differ by what x itself is divided.
template <class S> __global__ void __launch_bounds__(THREADS) divide_back(Divisive p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  int index[CUDNN_DIM_MAX];
  index_of(p, at, index);
  S own = load<S>(p.dy, p.t.type, place_in(p.t, index)) * pow(divisor_base<S>(p, index), (S)-p.power), sum = 0;
  each_neighbour(p, index, true, [&](const int (&other)[CUDNN_DIM_MAX]) {
    i64 place = place_in(p.t, other);
    sum += load<S>(p.dy, p.t.type, place) * load<S>(p.x, p.t.type, place) *
           pow(divisor_base<S>(p, other), (S)(-p.power - 1));
  });
  S ofDeviation = (S)(-2 * p.power * p.share) * deviation<S>(p, index) * sum;
  auto put = [&](void *data, S value) {
    i64 to = place_in(p.out, index);
    value *= (S)p.alpha;
    if (p.beta != 0) value += (S)p.beta * load<S>(data, p.out.type, to);
    store(data, p.out.type, to, value);
  };
  put(p.y, own + ofDeviation);
  if (p.dMeans) put(p.dMeans, -ofDeviation);
}

cudnnStatus_t divisive_of(Divisive &p, const cudnnLRNStruct *d, cudnnDivNormMode_t mode, const cudnnTensorStruct *x,
                          const cudnnTensorStruct *out, const void *alpha, const void *beta) {
  HEDDLE_DNN_NEED(all_live(d) && all_set(x, out) && mode == CUDNN_DIVNORM_PRECOMPUTED_MEANS);
  HEDDLE_DNN_NEED(x->t.hasShapeOf(out->t) && x->type == out->type);
  HEDDLE_DNN_HAVE((x->t.rank == 4 || x->t.rank == 5) && x->t.vect == 1 && is_real(x->type));
  p.t = x->t, p.out = out->t;
  p.window = (int)d->n;
  p.before = (p.window - 1) / 2;
  p.share = d->alpha;
  for (int i = 2; i < p.t.rank; i++) p.share /= p.window;
  p.power = d->beta, p.k = d->k;
  p.alpha = scale_of(alpha, x->type), p.beta = scale_of(beta, x->type);
  p.count = p.t.elements();
  return CUDNN_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnDivisiveNormalizationForward(cudnnHandle_t h, cudnnLRNDescriptor_t d, cudnnDivNormMode_t mode,
                                                const void *alpha, const cudnnTensorDescriptor_t xDesc, const void *x,
                                                const void *means, void *temp, void *temp2, const void *beta,
                                                const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(alpha, beta, x, temp, temp2, y));
  Divisive p{};
  cudnnStatus_t own = divisive_of(p, d, mode, xDesc, yDesc, alpha, beta);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnDivisiveNormalizationForward", vendor_of(h, d), (int)mode, Host{alpha},
                         vendor_of(h, xDesc), x, means, (const void *)temp, (const void *)temp2, Host{beta},
                         vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  p.x = x, p.means = means, p.y = y;
  auto kernel = xDesc->type == CUDNN_DATA_DOUBLE ? divide<double> : divide<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p);
  return launched();
}
cudnnStatus_t cudnnDivisiveNormalizationBackward(cudnnHandle_t h, cudnnLRNDescriptor_t d, cudnnDivNormMode_t mode,
                                                 const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                                 const void *x, const void *means, const void *dy, void *temp,
                                                 void *temp2, const void *beta,
                                                 const cudnnTensorDescriptor_t dXdMeansDesc, void *dx, void *dMeans) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(alpha, beta, x, dy, temp, temp2, dx));
  Divisive p{};
  cudnnStatus_t own = divisive_of(p, d, mode, xDesc, dXdMeansDesc, alpha, beta);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnDivisiveNormalizationBackward", vendor_of(h, d), (int)mode, Host{alpha},
                         vendor_of(h, xDesc), x, means, dy, (const void *)temp, (const void *)temp2, Host{beta},
                         vendor_of(h, dXdMeansDesc), (const void *)dx, (const void *)dMeans);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  p.x = x, p.means = means, p.dy = dy, p.y = dx, p.dMeans = means ? dMeans : nullptr;
  auto kernel = xDesc->type == CUDNN_DATA_DOUBLE ? divide_back<double> : divide_back<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p);
  return launched();
}

} // extern "C"
