// Convolutions of graphs: any types, and paddings that differ before and behind.

namespace {

Tensor tensor_of(const View &v) {
  Tensor t{};
  t.type = v.type;
  t.rank = v.rank;
  t.vect = 1;
  for (int i = 0; i < v.rank; i++) {
    t.dim[i] = v.dim[i];
    t.stride[i] = (int)v.stride[i];
  }
  return t;
}
Geometry graph_geometry(const heddle_dnn::GraphConvolution &c, const View &x, const View &w, const View &y) {
  Geometry g{};
  g.x = tensor_of(x), g.w = tensor_of(w), g.y = tensor_of(y);
  g.images = x.dim[0];
  g.groups = x.dim[1] / w.dim[1];
  g.inputs = w.dim[1];
  g.outputs = w.dim[0] / g.groups;
  g.isFlipped = c.mode == CUDNN_CONVOLUTION;
  for (int i = 0; i < 3; i++) {
    int from = i - (3 - c.rank); // among the dimensions of the descriptor
    bool is = from >= 0;
    g.in[i] = is ? x.dim[from + 2] : 1;
    g.out[i] = is ? y.dim[from + 2] : 1;
    g.window[i] = is ? w.dim[from + 2] : 1;
    g.pad[i] = is ? (int)c.pad[from] : 0;
    g.stride[i] = is ? (int)c.stride[from] : 1;
    g.dilation[i] = is ? (int)c.dilation[from] : 1;
  }
  // sums of products of bytes are exact in a float below 2^24
  bool isLong = !is_real(x.type) && (i64)g.inputs * g.taps() * 255 * 127 > 1 << 24;
  g.isDouble = x.type == CUDNN_DATA_DOUBLE || w.type == CUDNN_DATA_DOUBLE || isLong;
  return g;
}

} // namespace

namespace heddle_dnn {

cudnnStatus_t run_convolution(cudnnContext *h, const GraphConvolution &c, const View &x, const View &w,
                              const View &y) {
  Geometry g = graph_geometry(c, x, w, y);
  WorkSpace own{nullptr, 0, false, false};
  if (c.kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR)
    return backward_filter(h, g, x.data, y.data, w.data, c.alpha, c.beta, own);
  bool isForward = c.kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  const View &to = isForward ? y : x;
  own.isWinograd = !g.isDouble && prefers_winograd(h, g);
  Result r{isForward ? g.y : g.x, isForward ? g.y : g.x, isForward ? g.y : g.x, to.data, to.data, nullptr, c.alpha,
           c.beta, {}};
  r.activation.mode = CUDNN_ACTIVATION_IDENTITY;
  return isForward ? forward(h, g, x.data, w.data, r, own) : backward_data(h, g, w.data, y.data, r, own);
}

} // namespace heddle_dnn
