// How a convolution is laid out in planes and in work memory.

namespace {

/// A convolution with three dimensions of space; those that it lacks have size 1.
struct Geometry {
  Tensor x, w, y;
  int images, groups, inputs, outputs; // channels of a group
  int in[3], out[3], window[3], pad[3], stride[3], dilation[3];
  bool isFlipped, isDouble, isNhwc; // NHWC: the filter's format
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
  g.isNhwc = wDesc->format == CUDNN_TENSOR_NHWC;
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

/// What becomes of the sums.
struct Result {
  Tensor y, z, bias; // z and the bias have the shape of y, or are repeated
  void *to;
  const void *from, *biasData;
  double alpha, beta;
  Activation activation;
  /// Sums go to their place at once.
  bool isPlain(bool isDouble) const {
    return y.type == (isDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT) && y.vect == 1 && from == to && !biasData &&
           activation.mode == CUDNN_ACTIVATION_IDENTITY;
  }
};
Result result_of(const Tensor &y, void *to, const void *alpha, const void *beta, int type) {
  Result r{y, y, y, to, to, nullptr, scale_of(alpha, type), scale_of(beta, type), {}};
  r.activation.mode = CUDNN_ACTIVATION_IDENTITY;
  return r;
}

/// Work memory of a call. Algorithms without a work space of their own use the handle's.
struct WorkSpace {
  void *memory;
  size_t bytes;
  bool isNeeded, isWinograd;
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

/// Whether there are pixels for all lanes of a warp: otherwise some read what lies behind the planes.
bool has_whole_warps(const Geometry &g, const Planes &p, bool isBackward) {
  int pixels = 0;
  for (int i = 0; i < 3; i++) {
    if (isBackward && g.stride[i] > 1) return false;
    pixels = pixels * p.extent[i] + (isBackward ? g.in[i] : g.out[i]) - 1;
  }
  return pixels + 1 >= LANES;
}

/// How planes and weights are in work memory.
struct Layout {
  Planes planes;
  Weights weights;
  bool isCopied;
  size_t planesAt, weightsAt, sumsAt, bytes;
};
Layout layout_of(const Geometry &g, bool isBackward, int (&least)[3]) {
  Layout l{};
  size_t size = g.isDouble ? 8 : 4;
  Pieces pieces;
  l.planes = isBackward ? gradient_planes(g, least) : forward_planes(g);
  l.weights = weights_of(g, isBackward);
  l.isCopied = !is_planes(l.planes, g.isDouble) || !has_whole_warps(g, l.planes, isBackward);
  l.planesAt = l.isCopied ? pieces.take(l.planes.count + LANES, size) : 0;
  l.weightsAt = pieces.take(l.weights.count, size);
  l.sumsAt = pieces.take((isBackward ? g.x : g.y).elements(), size);
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

} // namespace
