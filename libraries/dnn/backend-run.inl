// Running a plan: one or a few launches for each operation.

namespace {

void run_pointwise_step(const Run &run, const Step &step) {
  const Content &operation = *step.operation, &pw = *operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  i64 precision = pw.integer(CUDNN_ATTR_POINTWISE_MATH_PREC);
  Pointwise p{};
  p.mode = (int)pw.integer(CUDNN_ATTR_POINTWISE_MODE);
  p.isOfSoftmax = step.isOfSoftmax;
  p.isInteger = precision == CUDNN_DATA_INT32 || precision == CUDNN_DATA_INT64;
  p.alpha1 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
  p.alpha2 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1);
  p.lower = pw.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0);
  p.upper = pw.number(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, INFINITY);
  p.slope = pw.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0);
  p.elu = pw.number(CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1);
  p.softplus = pw.number(CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1);
  p.swish = pw.number(CUDNN_ATTR_POINTWISE_SWISH_BETA, 1);
  bool isWide = is_wide(run, step);
  if (is_backward(p.mode)) {
    const View &x = run.view(step, 0), &dy = run.view(step, 3), &dx = run.view(step, 5);
    const View *const all[] = {&dx, &dy, &x};
    Loop<3> loop = loop_over(dx, all);
    HEDDLE_DNN_LAUNCH(isWide, run_pointwise_back, blocks_of(loop.count), THREADS, p, loop, dx, dy, x);
    return;
  }
  const View &y = run.view(step, 4);
  if (p.mode == CUDNN_POINTWISE_GEN_INDEX) {
    int axis = (int)pw.integer(CUDNN_ATTR_POINTWISE_AXIS);
    Loop<2> loop;
    for (int i = 0; i < y.rank; i++) {
      const i64 strides[] = {stride_in(y, i), i == axis};
      loop.add(y.dim[i], strides);
    }
    run_index<<<blocks_of(loop.count), THREADS, 0, run.h->stream>>>(loop, y);
    return;
  }
  const View &x = run.view(step, 0), &b = view_or_nothing(run, step, 1), &t = view_or_nothing(run, step, 2);
  const View *const all[] = {&y, &x, &b, &t};
  Loop<4> loop = loop_over(y, all);
  HEDDLE_DNN_LAUNCH(isWide, run_pointwise, blocks_of(loop.count), THREADS, p, loop, y, x, b, t);
}

/// An operand's panels: `rows` is the dimension of its rows.
template <class S> void run_pack(const Run &run, const View &v, int rows, int sum, void *to) {
  Operand p{v, v.dim[rows], v.dim[sum], v.stride[rows], v.stride[sum]};
  int tiles = (p.rows + PANEL - 1) / PANEL * ((p.depth + 31) / 32);
  dim3 grid((unsigned)tiles, 1, (unsigned)matrices_of(v)), block(32, PACK_WARPS);
  pack_panels<S><<<grid, block, 0, run.h->stream>>>((S *)to, p);
}
template <class S> void run_product(const Run &run, const Step &step) {
  Matmul p{};
  p.a = run.view(step, 0), p.b = run.view(step, 1), p.c = run.view(step, 5);
  p.limitRows = view_or_nothing(run, step, 2);
  p.limitColumns = view_or_nothing(run, step, 3);
  p.limitDepth = view_or_nothing(run, step, 4);
  p.padding = step.operation->part(CUDNN_ATTR_OPERATION_MATMUL_DESC)->number(CUDNN_ATTR_MATMUL_PADDING_VALUE, 0);
  int last = p.c.rank - 1;
  p.rows = p.c.dim[last - 1], p.columns = p.c.dim[last], p.depth = p.a.dim[last];
  p.rowStride = p.c.stride[last - 1], p.columnStride = p.c.stride[last];
  void *left = run.view(step, 6).data, *right = run.view(step, 7).data;
  p.left = left, p.right = right;
  run_pack<S>(run, p.a, last - 1, last, left);
  run_pack<S>(run, p.b, last, last - 1, right);
  // the lanes of a warp lie along the dimension whose elements lie side by side, if it is long enough
  bool isAlongColumns = p.rows < PANEL ? p.columns > p.rows : p.columns >= PANEL && p.columnStride < p.rowStride;
  if (isAlongColumns ? p.rows > MOST_BLOCKS * WIDTH : p.columns > MOST_BLOCKS * WIDTH) isAlongColumns = !isAlongColumns;
  if (isAlongColumns) {
    std::swap(p.left, p.right);
    std::swap(p.a, p.b);
    std::swap(p.rows, p.columns);
    std::swap(p.rowStride, p.columnStride);
    std::swap(p.limitRows, p.limitColumns);
  }
  int width = p.columns == 1 ? 1 : WIDTH, panels = (p.rows + PANEL - 1) / PANEL;
  dim3 grid((unsigned)(panels + PANEL_WARPS - 1) / PANEL_WARPS, (unsigned)((p.columns + width - 1) / width),
            (unsigned)matrices_of(p.c)), block(PANEL, PANEL_WARPS);
  if (width == 1) multiply_panels<S, 1><<<grid, block, 0, run.h->stream>>>(p);
  else multiply_panels<S, WIDTH><<<grid, block, 0, run.h->stream>>>(p);
}
void run_matmul_step(const Run &run, const Step &step) {
  if (run.view(step, 6).type == CUDNN_DATA_DOUBLE) run_product<double>(run, step);
  else run_product<float>(run, step);
}

void run_reduction_step(const Run &run, const Step &step) {
  const View &x = run.view(step, 0), &y = run.view(step, 1);
  const Content &reduction = *step.operation->part(CUDNN_ATTR_OPERATION_REDUCTION_DESC);
  Loop<2> kept;
  Loop<1> reduced;
  i64 rest = 1;
  for (int i = 0; i < x.rank; i++) {
    int ratio = x.dim[i] / y.dim[i];
    const i64 strides[] = {stride_in(y, i), stride_in(x, i) * ratio}, inner[] = {stride_in(x, i)};
    kept.add(y.dim[i], strides);
    reduced.add(ratio, inner);
    if (i > 0) rest *= y.dim[i];
  }
  kept.batchElements = x.ragged || y.ragged ? (int)rest : 0;
  unsigned blocks = (unsigned)((kept.count + THREADS / 32 - 1) / (THREADS / 32));
  HEDDLE_DNN_LAUNCH(is_wide(run, step), run_reduction, blocks, THREADS,
                    (int)reduction.integer(CUDNN_ATTR_REDUCTION_OPERATOR), kept, reduced, y, x);
}

cudnnStatus_t run_convolution_step(const Run &run, const Step &step, int first, size_t x, size_t w, size_t y) {
  // the attributes of the three kinds follow each other: alpha, beta, the descriptor
  const Content &operation = *step.operation, &conv = *operation.part(first + 2);
  GraphConvolution c{};
  c.kind = step.kind;
  c.rank = (int)conv.integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  for (int i = 0; i < c.rank; i++) {
    c.pad[i] = integer_at(*conv.find(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS), (size_t)i);
    c.stride[i] = integer_at(*conv.find(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES), (size_t)i);
    c.dilation[i] = integer_at(*conv.find(CUDNN_ATTR_CONVOLUTION_DILATIONS), (size_t)i);
  }
  c.mode = (int)conv.integer(CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  c.alpha = operation.number(first, 1);
  c.beta = operation.number(first + 1, 0);
  return run_convolution(run.h, c, run.view(step, x), run.view(step, w), run.view(step, y));
}

void run_resample_step(const Run &run, const Step &step, bool isBackward) {
  int descriptor = isBackward ? CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC : CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC;
  const Content &resample = *step.operation->part(descriptor);
  Resample p{};
  p.x = run.view(step, isBackward ? 4 : 0);
  p.y = run.view(step, isBackward ? 0 : 1);
  p.index = view_or_nothing(run, step, isBackward ? 1 : 2);
  p.mode = (int)resample.integer(CUDNN_ATTR_RESAMPLE_MODE);
  p.padding = (int)resample.integer(CUDNN_ATTR_RESAMPLE_PADDING_MODE);
  p.rank = (int)resample.integer(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS);
  auto put = [&](int (&to)[3], int name, int otherwise) {
    for (int i = 0; i < 3; i++) {
      int from = i - (3 - p.rank);
      to[i] = from < 0 ? otherwise : (int)number_at(*resample.find(name), (size_t)from);
    }
  };
  put(p.window, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, 1);
  put(p.pad, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, 0);
  put(p.stride, CUDNN_ATTR_RESAMPLE_STRIDES, 1);
  int alpha = isBackward ? CUDNN_ATTR_OPERATION_RESAMPLE_BWD_ALPHA : CUDNN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA;
  int beta = isBackward ? CUDNN_ATTR_OPERATION_RESAMPLE_BWD_BETA : CUDNN_ATTR_OPERATION_RESAMPLE_FWD_BETA;
  p.alpha = step.operation->number(alpha, 1);
  p.beta = step.operation->number(beta, 0);
  const View &walked = isBackward ? p.x : p.y;
  p.count = 1;
  for (int i = 0; i < walked.rank; i++) p.count *= walked.dim[i];
  bool isWide = p.x.type == CUDNN_DATA_DOUBLE;
  if (isBackward)
    HEDDLE_DNN_LAUNCH(isWide, run_resample_back, blocks_of(p.count), THREADS, p, view_or_nothing(run, step, 2));
  else HEDDLE_DNN_LAUNCH(isWide, run_resample, blocks_of(p.count), THREADS, p);
}

cudnnStatus_t run_copy_of(const Run &run, const View &y, const View &x, const View &shape) {
  const View *const all[] = {&y, &x};
  Loop<2> loop = loop_over(shape, all);
  bool isWide = x.type == CUDNN_DATA_DOUBLE || x.type == CUDNN_DATA_INT32 || x.type == CUDNN_DATA_INT64;
  HEDDLE_DNN_LAUNCH(isWide, run_copy, blocks_of(loop.count), THREADS, loop, y, x);
  return launched();
}
void run_concat_step(const Run &run, const Step &step) {
  View y = run.view(step, 0);
  i64 axis = step.operation->integer(CUDNN_ATTR_OPERATION_CONCAT_AXIS);
  for (int one : step.more) {
    const View &x = run.views[(size_t)one];
    // one that is in its place already has nothing to do
    if (x.data != y.data) run_copy_of(run, y, x, x);
    y.data = (char *)y.data + x.dim[axis] * y.stride[axis] * (i64)bytes_of(y.type);
  }
}
void run_reshape_step(const Run &run, const Step &step) {
  if (run.plan->tensors[(size_t)step.tensors[1]].sameAs >= 0) return;
  View from = run.view(step, 1);
  const View &x = run.view(step, 0), &y = run.view(step, 1);
  from.data = x.data;
  from.type = x.type;
  from.ragged = x.ragged;
  from.raggedType = x.raggedType;
  run_copy_of(run, y, from, y);
}
void run_random_step(const Run &run, const Step &step) {
  const Content &rng = *step.operation->part(CUDNN_ATTR_OPERATION_RNG_DESC);
  Random p{};
  p.distribution = (int)rng.integer(CUDNN_ATTR_RNG_DISTRIBUTION);
  p.y = run.view(step, 2);
  p.seed = view_or_nothing(run, step, 0);
  p.offset = view_or_nothing(run, step, 1);
  const Attribute *seed = step.operation->find(CUDNN_ATTR_OPERATION_RNG_SEED);
  p.seedValue = p.seed.rank ? p.seed.bits : seed && seed->parts.empty() ? integer_at(*seed, 0) : 0;
  p.offsetValue = p.offset.bits;
  if (p.distribution == CUDNN_RNG_DISTRIBUTION_BERNOULLI)
    p.first = rng.number(CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5);
  else if (p.distribution == CUDNN_RNG_DISTRIBUTION_UNIFORM) {
    p.first = rng.number(CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM, 0);
    p.second = rng.number(CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM, 1);
  } else {
    p.first = rng.number(CUDNN_ATTR_RNG_NORMAL_DIST_MEAN, 0);
    p.second = rng.number(CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION, 1);
  }
  const View *const all[] = {&p.y};
  Loop<1> loop = loop_over(p.y, all);
  p.before = run.slice * loop.count;
  run_random<<<blocks_of(loop.count), THREADS, 0, run.h->stream>>>(p, loop);
}
void run_paged_step(const Run &run, const Step &step) {
  PagedLoad p{};
  p.blocks = run.view(step, 0);
  p.lengths = view_or_nothing(run, step, 1);
  p.table = run.view(step, 2);
  p.y = run.view(step, 3);
  p.isTransposed = p.y.dim[2] == p.blocks.dim[3] && (p.y.dim[3] != p.blocks.dim[3] || p.y.stride[2] == 1);
  p.count = 1;
  for (int i = 0; i < 4; i++) p.count *= p.y.dim[i];
  HEDDLE_DNN_LAUNCH(false, run_paged_load, blocks_of(p.count), THREADS, p);
}

cudnnStatus_t run_step(const Run &run, const Step &step) {
  switch (step.kind) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return run_convolution_step(run, step, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 0, 1, 2);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return run_convolution_step(run, step, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 2, 1, 0);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return run_convolution_step(run, step, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 0, 2, 1);
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: run_pointwise_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: run_matmul_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: run_reduction_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR: run_resample_step(run, step, false); break;
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR: run_resample_step(run, step, true); break;
    case CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR: run_concat_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR: run_reshape_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR: run_random_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR: run_paged_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR: run_norm_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR: run_norm_back_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR: run_sums_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR: run_statistics_step(run, step); break;
    case CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR: run_back_factors_step(run, step); break;
    default: return CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN;
  }
  return launched();
}

/// Where the tensors of a plan are: in the program's memory, in the work space, or as values.
cudnnStatus_t find_tensors(Run &run, const Content &pack) {
  const Attribute *ids = pack.find(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Attribute *pointers = pack.find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  const Attribute *work = pack.find(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  char *space = work && work->count ? *(char *const *)work->bytes.data() : nullptr;
  HEDDLE_DNN_NEED(ids && pointers);
  if (run.plan->bytes > 0 && !space) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  for (const GraphTensor &whole : run.plan->tensors) {
    View v{};
    GraphTensor t = slice_of(*run.plan, whole);
    v.type = t.type;
    v.rank = t.rank;
    for (int i = 0; i < t.rank; i++) {
      v.dim[i] = (int)t.dim[i];
      v.stride[i] = t.stride[i];
    }
    if (t.isVirtual && t.sameAs < 0) v.data = space + t.place;
    else if (!t.isVirtual) {
      void *data = nullptr;
      bool isFound = false;
      for (i64 i = 0; i < ids->count && !isFound; i++)
        if (integer_at(*ids, (size_t)i) == t.id) {
          data = ((void *const *)pointers->bytes.data())[i];
          isFound = true;
        }
      HEDDLE_DNN_NEED(isFound);
      if (!data) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
      if (t.isValue) {
        v.value = load_on_host(data, t.type);
        v.bits = t.type == CUDNN_DATA_INT64 ? *(const i64 *)data : (i64)v.value;
      } else v.data = data;
    }
    run.views.push_back(v);
  }
  for (size_t t = 0; t < run.views.size(); t++) {
    const GraphTensor &tensor = run.plan->tensors[t];
    if (tensor.sameAs >= 0) run.views[t].data = run.views[(size_t)owner_of(*run.plan, (int)t)].data;
    if (!tensor.isRagged) continue;
    const View &offsets = run.views[(size_t)run.plan->find(tensor.ragged)];
    run.views[t].ragged = offsets.data;
    run.views[t].raggedType = offsets.type;
  }
  return CUDNN_STATUS_SUCCESS;
}

/// The program's tensors go on to their next slice.
void next_slice(Run &run) {
  const Plan &plan = *run.plan;
  bool isRow = run.slice % plan.extent[1] == 0; // the next index of the first dimension
  for (size_t i = 0; i < run.views.size(); i++) {
    const GraphTensor &t = plan.tensors[(size_t)owner_of(plan, (int)i)];
    if (t.isVirtual || t.isValue) continue;
    i64 moved = 0;
    if (plan.isSliced(t, 1)) moved = isRow ? -(plan.extent[1] - 1) * t.stride[1] : t.stride[1];
    if (plan.isSliced(t, 0) && isRow) moved += t.stride[0];
    run.views[i].data = (char *)run.views[i].data + moved * (i64)bytes_of(t.type);
  }
}

} // namespace
