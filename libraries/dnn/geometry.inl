// How a convolution is laid out in planes, and its launches.

namespace {

/// A convolution with three dimensions of space; those that it lacks have size 1.
struct Geometry {
  Tensor x, w, y;
  int images, groups, inputs, outputs; // channels of a group
  int in[3], out[3], window[3], pad[3], stride[3], dilation[3];
  bool isFlipped, isDouble;
  int taps() const { return window[0] * window[1] * window[2]; }
  int padded(int channels) const { return (channels + COLUMNS - 1) / COLUMNS * COLUMNS; }
};

/// BAD_PARAM where descriptors do not fit together, NOT_SUPPORTED for types that cuDNN does not have.
cudnnStatus_t geometry_of(Geometry &g, const cudnnTensorStruct *xDesc, const cudnnFilterStruct *wDesc,
                          const cudnnConvolutionStruct *conv, const cudnnTensorStruct *yDesc) {
  const Tensor &x = xDesc->t, &w = wDesc->t, &y = yDesc->t;
  HEDDLE_DNN_NEED(x.rank == w.rank && x.rank == y.rank && conv->rank == x.rank - 2);
  HEDDLE_DNN_HAVE(x.rank <= 5);
  HEDDLE_DNN_NEED(x.type == w.type);
  int groups = conv->groups;
  HEDDLE_DNN_NEED(x.dim[1] == w.dim[1] * groups && w.dim[0] % groups == 0);
  HEDDLE_DNN_NEED(y.dim[0] == x.dim[0] && y.dim[1] == w.dim[0]);
  bool isReal = is_real(xDesc->type);
  // integers have results of integers or floats
  HEDDLE_DNN_HAVE(isReal ? x.type == y.type : y.type == CUDNN_DATA_INT8 || y.type == CUDNN_DATA_FLOAT ||
                                                  y.type == CUDNN_DATA_INT32 || y.type == CUDNN_DATA_UINT8);
  HEDDLE_DNN_HAVE(isReal || x.type == CUDNN_DATA_INT8 || x.type == CUDNN_DATA_UINT8);
  HEDDLE_DNN_HAVE(x.type == CUDNN_DATA_DOUBLE ? conv->type == CUDNN_DATA_DOUBLE : conv->type != CUDNN_DATA_DOUBLE);
  HEDDLE_DNN_HAVE(isReal || conv->type == CUDNN_DATA_INT32);
  g.x = x, g.w = w, g.y = y;
  g.images = x.dim[0];
  g.groups = groups;
  g.inputs = w.dim[1];
  g.outputs = w.dim[0] / groups;
  g.isFlipped = conv->mode == CUDNN_CONVOLUTION;
  int missing = 5 - x.rank;
  for (int i = 0; i < 3; i++) {
    int from = i - missing; // among the dimensions of the descriptors
    bool is = from >= 0;
    g.in[i] = is ? x.dim[from + 2] : 1;
    g.out[i] = is ? y.dim[from + 2] : 1;
    g.window[i] = is ? w.dim[from + 2] : 1;
    g.pad[i] = is ? conv->pad[from] : 0;
    g.stride[i] = is ? conv->stride[from] : 1;
    g.dilation[i] = is ? conv->dilation[from] : 1;
    int reach = (g.window[i] - 1) * g.dilation[i] + 1;
    HEDDLE_DNN_NEED(g.in[i] + 2 * g.pad[i] >= reach);
    HEDDLE_DNN_NEED(g.out[i] == 1 + (g.in[i] + 2 * g.pad[i] - reach) / g.stride[i]);
  }
  // sums of products of bytes are exact in a float below 2^24
  bool isLong = !isReal && (i64)g.inputs * g.taps() * 255 * 127 > 1 << 24;
  g.isDouble = x.type == CUDNN_DATA_DOUBLE || isLong;
  return CUDNN_STATUS_SUCCESS;
}

/// Strides in space of a tensor of up to three such dimensions.
void space_strides(int (&to)[3], const Tensor &t) {
  for (int i = 0; i < 3; i++) {
    int from = i - (5 - t.rank);
    to[i] = from >= 0 ? t.stride[from + 2] * t.vect : 0;
  }
}

Target target_of(const Tensor &y, void *to, const Tensor &z, const void *from) {
  Target t{};
  t.y = to;
  t.z = from;
  t.type = y.type, t.zType = z.type;
  t.vect = y.vect, t.zVect = z.vect;
  t.imageStride = y.stride[0], t.zImageStride = z.stride[0];
  t.channelStride = y.stride[1], t.zChannelStride = z.stride[1];
  space_strides(t.stride, y);
  space_strides(t.zStride, z);
  t.activation.mode = CUDNN_ACTIVATION_IDENTITY;
  return t;
}

/// Work memory of a call. Algorithms without a work space of their own use the handle's.
struct WorkSpace {
  void *memory;
  size_t bytes;
  bool isNeeded;
};

/// Pieces of work memory, one behind the other.
struct Pieces {
  size_t bytes = 0;
  size_t take(i64 elements, size_t size) {
    size_t at = bytes;
    bytes += ((size_t)elements * size + 255) / 256 * 256;
    return at;
  }
};

/// Planes of the input of a forward convolution.
Planes forward_planes(const Geometry &g) {
  Planes p{};
  p.type = g.x.type;
  p.vect = g.x.vect;
  p.imageStride = g.x.stride[0];
  p.channelStride = g.x.stride[1];
  space_strides(p.stride, g.x);
  p.planeElements = 1;
  for (int i = 0; i < 3; i++) {
    int length = (g.out[i] - 1) * g.stride[i] + (g.window[i] - 1) * g.dilation[i] + 1;
    p.in[i] = g.in[i];
    p.phases[i] = g.stride[i];
    p.extent[i] = (length + g.stride[i] - 1) / g.stride[i];
    p.offset[i] = g.pad[i];
    p.planeElements *= (i64)p.phases[i] * p.extent[i];
  }
  p.count = p.planeElements * g.images * g.groups * g.inputs;
  return p;
}
/// Planes of the gradient of the results, with as much around it as any input pixel reads.
Planes gradient_planes(const Geometry &g, int (&least)[3]) {
  Planes p{};
  p.type = g.y.type;
  p.vect = g.y.vect;
  p.imageStride = g.y.stride[0];
  p.channelStride = g.y.stride[1];
  space_strides(p.stride, g.y);
  p.planeElements = 1;
  for (int i = 0; i < 3; i++) {
    int reach = (g.window[i] - 1) * g.dilation[i], before = g.pad[i] - reach;
    least[i] = before >= 0 ? before / g.stride[i] : -((-before + g.stride[i] - 1) / g.stride[i]);
    int most = (g.in[i] - 1 + g.pad[i]) / g.stride[i];
    p.in[i] = g.out[i];
    p.phases[i] = 1;
    p.extent[i] = most - least[i] + 1;
    p.offset[i] = -least[i];
    p.planeElements *= p.extent[i];
  }
  p.count = p.planeElements * g.images * g.groups * g.outputs;
  return p;
}
Weights weights_of(const Geometry &g, bool isBackward) {
  Weights p{};
  p.type = g.w.type;
  p.vect = g.w.vect;
  p.outStride = g.w.stride[0];
  p.inStride = g.w.stride[1];
  space_strides(p.stride, g.w);
  for (int i = 0; i < 3; i++) p.window[i] = g.window[i];
  p.rows = isBackward ? g.outputs : g.inputs;
  p.columns = isBackward ? g.inputs : g.outputs;
  p.padded = g.padded(p.columns);
  p.isFlipped = g.isFlipped;
  p.columnsAreInputs = isBackward;
  p.count = (i64)g.groups * g.taps() * p.rows * p.padded;
  return p;
}

/// A tensor is its own planes if nothing lies around it and its pixels lie side by side.
bool is_planes(const Planes &p, bool isDouble) {
  if (p.vect != 1 || p.type != (isDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)) return false;
  int expected = 1;
  for (int i = 2; i >= 0; i--) {
    if (p.phases[i] != 1 || p.offset[i] != 0 || p.extent[i] > p.in[i]) return false;
    if (p.extent[i] > 1 && p.stride[i] != expected) return false;
    if (i > 0 && p.extent[i] != p.in[i]) return false;
    expected *= p.extent[i];
  }
  return true;
}

/// How planes and weights are in work memory.
struct Layout {
  Planes planes;
  Weights weights;
  bool isCopied;
  size_t planesAt, weightsAt, bytes;
};
Layout layout_of(const Geometry &g, bool isBackward, int (&least)[3]) {
  Layout l{};
  size_t size = g.isDouble ? 8 : 4;
  Pieces pieces;
  l.planes = isBackward ? gradient_planes(g, least) : forward_planes(g);
  l.weights = weights_of(g, isBackward);
  l.isCopied = !is_planes(l.planes, g.isDouble);
  l.planesAt = l.isCopied ? pieces.take(l.planes.count, size) : 0;
  l.weightsAt = pieces.take(l.weights.count, size);
  l.bytes = pieces.bytes;
  return l;
}
/// Of a gradient of weights: planes, gradients as rows, and parts of the sum.
struct FilterLayout {
  Planes planes;
  bool isCopied;
  int parts;
  i64 partElements;
  size_t planesAt, rowsAt, partsAt, bytes;
};
FilterLayout filter_layout_of(const Geometry &g) {
  FilterLayout l{};
  size_t size = g.isDouble ? 8 : 4;
  Pieces pieces;
  int padded = g.padded(g.outputs);
  l.planes = forward_planes(g);
  l.isCopied = !is_planes(l.planes, g.isDouble);
  l.planesAt = l.isCopied ? pieces.take(l.planes.count, size) : 0;
  l.rowsAt = pieces.take((i64)g.images * g.groups * padded * g.out[0] * g.out[1] * g.out[2], size);
  i64 blocks = (i64)(g.inputs * g.taps() + PIXELS - 1) / PIXELS * (padded / COLUMNS) * g.groups;
  i64 wanted = (31 + blocks) / blocks; // enough blocks for many processors
  l.parts = (int)(wanted < g.images ? wanted : g.images);
  l.partElements = (i64)g.groups * padded * g.inputs * g.taps();
  l.partsAt = pieces.take(l.partElements * l.parts, size);
  l.bytes = pieces.bytes;
  return l;
}

size_t bytes_needed(const Geometry &g, bool isBackward) {
  int least[3];
  return layout_of(g, isBackward, least).bytes;
}

cudnnStatus_t memory_of(cudnnContext *h, const WorkSpace &work, size_t bytes, char *&memory) {
  HEDDLE_DNN_NEED(!work.isNeeded || (work.bytes >= bytes && (work.memory || bytes == 0)));
  memory = (char *)(work.isNeeded ? work.memory : h->scratch(bytes));
  return memory || bytes == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

template <class S>
cudnnStatus_t multiply(cudnnContext *h, const Geometry &g, const Layout &l, const Product &p, const S *planes,
                       const S *weights) {
  if (p.pixels <= 0) return CUDNN_STATUS_SUCCESS;
  dim3 grid((unsigned)((p.pixels + PIXELS - 1) / PIXELS), (unsigned)(p.groupColumns * g.groups), (unsigned)g.images);
  convolve<S><<<grid, PIXELS, 0, h->stream>>>(p, planes, weights);
  return launched();
}

/// What forward and backward products have in common.
Product product_of(const Geometry &g, const Layout &l, const Target &t) {
  Product p{};
  p.rows = l.weights.rows;
  p.columns = l.weights.columns;
  p.padded = l.weights.padded;
  p.groupColumns = p.padded / COLUMNS;
  const Planes &planes = l.planes;
  p.channelElements = l.isCopied ? planes.planeElements : planes.channelStride;
  p.imageElements = l.isCopied ? planes.planeElements * g.groups * p.rows : planes.imageStride;
  p.windowRow = g.window[2];
  p.windowPlane = g.window[1] * g.window[2];
  p.window = g.taps();
  p.target = t;
  int place = 1, phase = planes.extent[0] * planes.extent[1] * planes.extent[2];
  for (int i = 2; i >= 0; i--) {
    p.axis[i].extent = planes.extent[i];
    p.axis[i].placeStride = place;
    p.axis[i].phaseStride = phase;
    place *= planes.extent[i];
    phase *= planes.phases[i];
  }
  return p;
}
int pixels_of(const Axis (&axis)[3]) {
  for (int i = 0; i < 3; i++) if (axis[i].outputs <= 0) return 0;
  return ((axis[0].outputs - 1) * axis[1].extent + axis[1].outputs - 1) * axis[2].extent + axis[2].outputs;
}

template <class S>
cudnnStatus_t prepare(cudnnContext *h, const Geometry &g, Layout &l, const void *tensor, const void *w, char *memory,
                      const S *&planes, const S *&weights) {
  l.planes.from = tensor;
  l.weights.from = w;
  planes = l.isCopied ? (S *)(memory + l.planesAt) : (const S *)tensor;
  weights = (S *)(memory + l.weightsAt);
  HEDDLE_DNN_HAVE(l.planes.count < INT_MAX && l.weights.count < INT_MAX);
  if (l.isCopied)
    fill_planes<S><<<blocks_of(l.planes.count), THREADS, 0, h->stream>>>(l.planes, (S *)planes,
                                                                        g.groups * l.weights.rows);
  arrange_weights<S><<<blocks_of(l.weights.count), THREADS, 0, h->stream>>>(l.weights, (S *)weights);
  return launched();
}

template <class S>
cudnnStatus_t forward_in(cudnnContext *h, const Geometry &g, const void *x, const void *w, const Target &t,
                         const WorkSpace &work) {
  int least[3];
  Layout l = layout_of(g, false, least);
  char *memory;
  const S *planes, *weights;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  if (cudnnStatus_t wrong = prepare<S>(h, g, l, x, w, memory, planes, weights)) return wrong;
  Product p = product_of(g, l, t);
  for (int i = 0; i < 3; i++) {
    Axis &axis = p.axis[i];
    axis.taps = g.window[i];
    axis.step = 1;
    axis.dilation = g.dilation[i];
    axis.stride = g.stride[i];
    axis.outputs = g.out[i];
    axis.everyOutput = 1;
  }
  p.pixels = pixels_of(p.axis);
  return multiply<S>(h, g, l, p, planes, weights);
}
cudnnStatus_t forward(cudnnContext *h, const Geometry &g, const void *x, const void *w, const Target &t,
                      const WorkSpace &work) {
  return g.isDouble ? forward_in<double>(h, g, x, w, t, work) : forward_in<float>(h, g, x, w, t, work);
}

int common_factor(int a, int b) { return b == 0 ? a : common_factor(b, a % b); }

/// Pixels that lie at the same place within a step of the window form one product each: they read the same taps.
template <class S>
cudnnStatus_t backward_data_in(cudnnContext *h, const Geometry &g, const void *w, const void *dy, const Target &t,
                               const WorkSpace &work) {
  int least[3];
  Layout l = layout_of(g, true, least);
  char *memory;
  const S *planes, *weights;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  if (cudnnStatus_t wrong = prepare<S>(h, g, l, dy, w, memory, planes, weights)) return wrong;
  for (int all = 0; all < g.stride[0] * g.stride[1] * g.stride[2]; all++) {
    Product p = product_of(g, l, t);
    int rest = all;
    for (int i = 2; i >= 0; i--) {
      Axis &axis = p.axis[i];
      int stride = g.stride[i], dilation = g.dilation[i], phase = rest % stride;
      rest /= stride;
      // taps with tap * dilation = phase, modulo the stride
      int step = stride / common_factor(stride, dilation), first = 0;
      while (first < step && first * dilation % stride != phase) first++;
      bool isRead = first < step && first < g.window[i];
      axis.taps = isRead ? (g.window[i] - first + step - 1) / step : 0;
      axis.first = first;
      axis.step = step;
      axis.dilation = axis.stride = 1;
      // pixels phase + stride * place - pad, from the first place that is not outside
      int begin = g.pad[i] > phase ? (g.pad[i] - phase + stride - 1) / stride : 0;
      axis.firstOutput = phase + stride * begin - g.pad[i];
      axis.everyOutput = stride;
      axis.outputs = axis.firstOutput < g.in[i] ? (g.in[i] - 1 - axis.firstOutput) / stride + 1 : 0;
      if (isRead) p.firstPlace += (i64)(begin + (phase - first * dilation) / stride - least[i]) * axis.placeStride;
      axis.placeStride *= -(step * dilation / stride);
    }
    p.pixels = pixels_of(p.axis);
    if (cudnnStatus_t wrong = multiply<S>(h, g, l, p, planes, weights)) return wrong;
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t backward_data(cudnnContext *h, const Geometry &g, const void *w, const void *dy, const Target &t,
                            const WorkSpace &work) {
  return g.isDouble ? backward_data_in<double>(h, g, w, dy, t, work) : backward_data_in<float>(h, g, w, dy, t, work);
}

template <class S>
cudnnStatus_t backward_filter_in(cudnnContext *h, const Geometry &g, const void *x, const void *dy, void *dw,
                                 double alpha, double beta, const WorkSpace &work) {
  FilterLayout l = filter_layout_of(g);
  char *memory;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  l.planes.from = x;
  const S *planes = l.isCopied ? (S *)(memory + l.planesAt) : (const S *)x;
  if (l.isCopied)
    fill_planes<S><<<blocks_of(l.planes.count), THREADS, 0, h->stream>>>(l.planes, (S *)planes, g.groups * g.inputs);
  Rows rows{};
  rows.from = dy;
  rows.type = g.y.type;
  rows.columns = g.outputs;
  rows.padded = g.padded(g.outputs);
  rows.groups = g.groups;
  rows.imageStride = g.y.stride[0];
  rows.channelStride = g.y.stride[1];
  space_strides(rows.stride, g.y);
  rows.count = (i64)g.images * g.groups * rows.padded;
  for (int i = 0; i < 3; i++) rows.count *= rows.out[i] = g.out[i];
  S *gradients = (S *)(memory + l.rowsAt), *parts = (S *)(memory + l.partsAt);
  HEDDLE_DNN_HAVE(l.planes.count < INT_MAX && rows.count < INT_MAX);
  arrange_rows<S><<<blocks_of(rows.count), THREADS, 0, h->stream>>>(rows, gradients);
  FilterProduct p{};
  p.rows = g.inputs;
  p.columns = g.outputs;
  p.padded = rows.padded;
  p.groupColumns = p.padded / COLUMNS;
  p.channelElements = l.isCopied ? l.planes.planeElements : l.planes.channelStride;
  p.imageElements = l.isCopied ? l.planes.planeElements * g.groups * g.inputs : l.planes.imageStride;
  p.window = g.taps();
  p.windowRow = g.window[2];
  p.windowPlane = g.window[1] * g.window[2];
  p.images = g.images;
  p.imagesOfPart = (g.images + l.parts - 1) / l.parts;
  int place = 1, phase = l.planes.extent[0] * l.planes.extent[1] * l.planes.extent[2];
  for (int i = 2; i >= 0; i--) {
    p.axis[i] = Axis{g.window[i], 0,     1, g.dilation[i], g.stride[i], phase, place, l.planes.extent[i], g.out[i],
                     0,           1};
    place *= l.planes.extent[i];
    phase *= l.planes.phases[i];
  }
  dim3 grid((unsigned)((p.rows * p.window + PIXELS - 1) / PIXELS), (unsigned)(p.groupColumns * g.groups),
            (unsigned)l.parts);
  multiply_gradients<S><<<grid, PIXELS, 0, h->stream>>>(p, planes, gradients, parts);
  FilterTarget f{};
  f.to = dw;
  f.type = g.w.type;
  f.parts = l.parts;
  f.groups = g.groups;
  f.rows = g.inputs;
  f.columns = g.outputs;
  f.padded = p.padded;
  f.isFlipped = g.isFlipped;
  f.outStride = g.w.stride[0];
  f.inStride = g.w.stride[1];
  space_strides(f.stride, g.w);
  for (int i = 0; i < 3; i++) f.window[i] = g.window[i];
  f.alpha = alpha;
  f.beta = beta;
  f.count = g.w.elements();
  add_parts<S><<<blocks_of(f.count), THREADS, 0, h->stream>>>(f, parts);
  return launched();
}
cudnnStatus_t backward_filter(cudnnContext *h, const Geometry &g, const void *x, const void *dy, void *dw,
                              double alpha, double beta, const WorkSpace &work) {
  HEDDLE_DNN_HAVE(is_real(g.x.type));
  return g.isDouble ? backward_filter_in<double>(h, g, x, dy, dw, alpha, beta, work)
                    : backward_filter_in<float>(h, g, x, dy, dw, alpha, beta, work);
}

} // namespace
