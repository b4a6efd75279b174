// The launches of a convolution.

namespace {

cudnnStatus_t memory_of(cudnnContext *h, const WorkSpace &work, size_t bytes, char *&memory) {
  HEDDLE_DNN_NEED(!work.isNeeded || (work.bytes >= bytes && (work.memory || bytes == 0)));
  memory = (char *)(work.isNeeded ? work.memory : h->scratch(bytes));
  return memory || bytes == 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_ALLOC_FAILED;
}

template <class S> void fill(cudnnContext *h, const Planes &p, S *to, int channels) {
  unsigned rows = (unsigned)(p.count / p.extent[2]);
  fill_planes<S><<<(rows + FILL_WARPS - 1) / FILL_WARPS, dim3(LANES, FILL_WARPS), 0, h->stream>>>(p, to, channels);
}

template <class S>
cudnnStatus_t multiply(cudnnContext *h, const Geometry &g, const Product &p, const S *planes, const S *weights) {
  if (p.pixels <= 0) return CUDNN_STATUS_SUCCESS;
  Product some = p;
  for (some.firstImage = 0; some.firstImage < g.images; some.firstImage += MOST_BLOCKS) {
    int images = g.images - some.firstImage < MOST_BLOCKS ? g.images - some.firstImage : MOST_BLOCKS;
    dim3 grid((unsigned)((p.pixels + LANES - 1) / LANES), (unsigned)(p.groupParts * g.groups), (unsigned)images);
    convolve<S><<<grid, LANES, 0, h->stream>>>(some, planes, weights);
  }
  return launched();
}

/// The place of sums that are finished afterwards, or of the result.
Target target_of(const Result &r, void *sums) {
  Tensor to = r.y;
  if (sums) {
    to.vect = 1;
    pack(to, CUDNN_TENSOR_NCHW);
  }
  Target target{sums ? sums : r.to, to.stride[0], to.stride[1], {}, sums ? 1 : r.alpha, sums ? 0 : r.beta};
  space_strides(target.stride, to);
  return target;
}

/// What forward and backward products have in common.
Product product_of(const Geometry &g, const Layout &l, const Result &r, void *sums) {
  Product p{};
  p.rows = l.weights.rows;
  p.columns = l.weights.columns;
  p.groupColumns = l.weights.padded / COLUMNS;
  p.groupParts = (l.weights.padded + CHANNELS - 1) / CHANNELS;
  const Planes &planes = l.planes;
  p.channelElements = l.isCopied ? planes.planeElements : planes.channelStride;
  p.imageElements = l.isCopied ? planes.planeElements * g.groups * p.rows : planes.imageStride;
  p.windowRow = g.window[2];
  p.windowPlane = g.window[1] * g.window[2];
  p.window = g.taps();
  p.target = target_of(r, sums);
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
  if (l.isCopied) fill(h, l.planes, (S *)planes, g.groups * l.weights.rows);
  unsigned warps = (unsigned)(l.weights.count / l.weights.rows);
  arrange_weights<S><<<(warps + FILL_WARPS - 1) / FILL_WARPS, dim3(LANES, FILL_WARPS), 0, h->stream>>>(
      l.weights, (S *)weights);
  return launched();
}

template <class S> cudnnStatus_t finish(cudnnContext *h, const Result &r, const void *sums) {
  if (!sums) return CUDNN_STATUS_SUCCESS;
  Tensor packed = r.y;
  packed.vect = 1;
  pack(packed, CUDNN_TENSOR_NCHW);
  const Tensor *const all[] = {&r.y, &packed, &r.z, &r.bias};
  Finish<S> f{r.to,       (const S *)sums, r.from,  r.biasData, r.y.type,
              r.z.type, r.bias.type,     r.alpha, r.beta,     r.activation};
  return for_each(h, walk_over(all), f);
}

template <class S>
cudnnStatus_t forward_in(cudnnContext *h, const Geometry &g, const void *x, const void *w, const Result &r,
                         const WorkSpace &work) {
  int least[3];
  Layout l = layout_of(g, false, least);
  char *memory;
  const S *planes, *weights;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  if (cudnnStatus_t wrong = prepare<S>(h, g, l, x, w, memory, planes, weights)) return wrong;
  void *sums = r.isPlain(g.isDouble) ? nullptr : memory + l.sumsAt;
  Product p = product_of(g, l, r, sums);
  for (int i = 0; i < 3; i++) {
    Axis &axis = p.axis[i];
    axis.taps = g.window[i];
    axis.step = 1;
    axis.dilation = g.dilation[i];
    axis.stride = g.stride[i];
    axis.outputs = g.out[i];
    axis.everyOutput = 1;
  }
  p.areTapsNeighbours = true;
  p.pixels = pixels_of(p.axis);
  if (cudnnStatus_t wrong = multiply<S>(h, g, p, planes, weights)) return wrong;
  return finish<S>(h, r, sums);
}

int common_factor(int a, int b) { return b == 0 ? a : common_factor(b, a % b); }

/// Pixels that lie at the same place within a step of the window form one product each: they read the same taps.
template <class S>
cudnnStatus_t backward_data_in(cudnnContext *h, const Geometry &g, const void *w, const void *dy, const Result &r,
                               const WorkSpace &work) {
  int least[3];
  Layout l = layout_of(g, true, least);
  char *memory;
  const S *planes, *weights;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  if (cudnnStatus_t wrong = prepare<S>(h, g, l, dy, w, memory, planes, weights)) return wrong;
  void *sums = r.isPlain(g.isDouble) ? nullptr : memory + l.sumsAt;
  int phases = g.stride[0] * g.stride[1] * g.stride[2];
  for (int all = 0; all < phases; all++) {
    Product p = product_of(g, l, r, sums);
    p.areTapsNeighbours = phases == 1;
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
    if (cudnnStatus_t wrong = multiply<S>(h, g, p, planes, weights)) return wrong;
  }
  return finish<S>(h, r, sums);
}

template <class S>
cudnnStatus_t backward_filter_in(cudnnContext *h, const Geometry &g, const void *x, const void *dy, void *dw,
                                 double alpha, double beta, const WorkSpace &work) {
  FilterLayout l = filter_layout_of(g);
  char *memory;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  l.planes.from = x;
  const S *planes = l.isCopied ? (S *)(memory + l.planesAt) : (const S *)x;
  if (l.isCopied) fill(h, l.planes, (S *)planes, g.groups * g.inputs);
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
