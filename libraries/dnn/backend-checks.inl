// Which operations of graphs there are, and what must hold of their tensors.

namespace {

bool is_eight_bits(int type) { return type == CUDNN_DATA_FP8_E4M3 || type == CUDNN_DATA_FP8_E5M2; }
bool is_convolution(int kind) {
  return kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR ||
         kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ||
         kind == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
}
/// Sums and functions are in double precision where a tensor has doubles or long integers.
bool is_wide_type(int type) {
  return type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_INT32 || type == CUDNN_DATA_INT64;
}
bool fits(i64 a, i64 b) { return a == b || a == 1; }
/// Dimensions of size 1 repeat their element.
bool repeats(const GraphTensor &t, const GraphTensor &shape) {
  if (t.elements() == 1) return true;
  if (t.rank != shape.rank) return false;
  for (int i = 0; i < t.rank; i++) if (!fits(t.dim[i], shape.dim[i])) return false;
  return true;
}
bool has_shape_of(const GraphTensor &a, const GraphTensor &b) {
  return a.rank == b.rank && memcmp(a.dim, b.dim, sizeof a.dim) == 0;
}

struct Checked {
  const Plan &plan;
  const Step &step;
  const GraphTensor &at(size_t i) const { return plan.tensors[(size_t)step.tensors[i]]; }
  bool has(size_t i) const { return step.tensors[i] >= 0; }
};

/// The kernels of some operations know no sequences of different lengths.
cudnnStatus_t check_not_ragged(const Checked &c) {
  for (size_t i = 0; i < c.step.tensors.size(); i++) HEDDLE_DNN_HAVE(!c.has(i) || !c.at(i).isRagged);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_convolution(const Checked &c, int xAt, int wAt, int yAt, int descriptor) {
  const GraphTensor &x = c.at((size_t)xAt), &w = c.at((size_t)wAt), &y = c.at((size_t)yAt);
  const Content *conv = c.step.operation->part(descriptor);
  HEDDLE_DNN_NEED(conv);
  if (conv->type != CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
  i64 space = conv->integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  HEDDLE_DNN_NEED(x.rank == space + 2 && w.rank == x.rank && y.rank == x.rank);
  HEDDLE_DNN_HAVE(space <= 3);
  if (x.dim[1] % w.dim[1] || w.dim[0] % (x.dim[1] / w.dim[1])) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  if (y.dim[0] != x.dim[0] || y.dim[1] != w.dim[0]) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  auto list = [&](int name, int i) { return integer_at(*conv->find(name), (size_t)i); };
  for (int i = 0; i < space; i++) {
    i64 reach = (w.dim[i + 2] - 1) * list(CUDNN_ATTR_CONVOLUTION_DILATIONS, i) + 1;
    i64 padded = x.dim[i + 2] + list(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, i) +
                 list(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, i);
    bool isRight = padded >= reach &&
                   y.dim[i + 2] == 1 + (padded - reach) / list(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, i);
    if (!isRight) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  }
  for (const GraphTensor *t : {&x, &w, &y}) {
    HEDDLE_DNN_HAVE(!t->isRagged && !t->isValue && t->extent() <= INT_MAX);
    bool isInteger = t->type == CUDNN_DATA_INT8 || t->type == CUDNN_DATA_UINT8 || t->type == CUDNN_DATA_INT32;
    HEDDLE_DNN_HAVE(is_real(t->type) || isInteger || is_eight_bits(t->type));
  }
  double beta = c.step.operation->number(descriptor - 1, 0);
  HEDDLE_DNN_HAVE(beta == 0 || !is_eight_bits(c.at(2).type)); // what is there would have to be widened, too
  return CUDNN_STATUS_SUCCESS;
}

bool is_backward(i64 mode) { return mode >= CUDNN_POINTWISE_RELU_BWD && mode <= CUDNN_POINTWISE_GELU_APPROX_TANH_BWD; }
bool has_two(i64 mode) {
  switch (mode) {
    case CUDNN_POINTWISE_ADD: case CUDNN_POINTWISE_ADD_SQUARE: case CUDNN_POINTWISE_DIV: case CUDNN_POINTWISE_MAX:
    case CUDNN_POINTWISE_MIN: case CUDNN_POINTWISE_MOD: case CUDNN_POINTWISE_MUL: case CUDNN_POINTWISE_POW:
    case CUDNN_POINTWISE_SUB: case CUDNN_POINTWISE_ATAN2: case CUDNN_POINTWISE_LOGICAL_AND:
    case CUDNN_POINTWISE_LOGICAL_OR: case CUDNN_POINTWISE_BINARY_SELECT:
      return true;
    default: return mode >= CUDNN_POINTWISE_CMP_EQ && mode <= CUDNN_POINTWISE_CMP_LE;
  }
}
cudnnStatus_t check_pointwise(const Checked &c) {
  const Content *pw = c.step.operation->part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  HEDDLE_DNN_NEED(pw);
  i64 mode = pw->integer(CUDNN_ATTR_POINTWISE_MODE);
  if (is_backward(mode)) {
    HEDDLE_DNN_NEED(c.has(0) && c.has(3) && c.has(5));
    if (!repeats(c.at(0), c.at(5)) || !repeats(c.at(3), c.at(5))) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    return CUDNN_STATUS_SUCCESS;
  }
  HEDDLE_DNN_NEED(c.has(0) && c.has(4) && (c.has(1) || !has_two(mode)));
  HEDDLE_DNN_NEED(c.has(2) || mode != CUDNN_POINTWISE_BINARY_SELECT);
  for (size_t i = 0; i < 3; i++)
    if (c.has(i) && !repeats(c.at(i), c.at(4))) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  i64 axis = pw->integer(CUDNN_ATTR_POINTWISE_AXIS, -1);
  HEDDLE_DNN_NEED(mode != CUDNN_POINTWISE_GEN_INDEX || (axis >= 0 && axis < c.at(4).rank));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_matmul(const Checked &c) {
  const GraphTensor &a = c.at(0), &b = c.at(1), &y = c.at(5);
  HEDDLE_DNN_NEED(c.step.operation->part(CUDNN_ATTR_OPERATION_MATMUL_DESC));
  HEDDLE_DNN_NEED(y.rank >= 2 && a.rank == y.rank && b.rank == y.rank);
  int last = y.rank - 1;
  bool isRight = a.dim[last - 1] == y.dim[last - 1] && b.dim[last] == y.dim[last] && a.dim[last] == b.dim[last - 1];
  i64 matrices = 1;
  for (int i = 0; i < last - 1; i++) {
    isRight = isRight && y.dim[i] % a.dim[i] == 0 && y.dim[i] % b.dim[i] == 0;
    matrices *= y.dim[i];
  }
  if (!isRight) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  // the y and z of a grid
  i64 fewer = y.dim[last] < y.dim[last - 1] ? y.dim[last] : y.dim[last - 1];
  HEDDLE_DNN_HAVE(matrices <= MOST_BLOCKS && fewer <= (i64)MOST_BLOCKS * WIDTH);
  HEDDLE_DNN_HAVE(!a.isValue && !b.isValue);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_reduction(const Checked &c) {
  const GraphTensor &x = c.at(0), &y = c.at(1);
  HEDDLE_DNN_NEED(c.step.operation->part(CUDNN_ATTR_OPERATION_REDUCTION_DESC) && x.rank == y.rank);
  for (int i = 0; i < x.rank; i++) if (x.dim[i] % y.dim[i]) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  HEDDLE_DNN_HAVE(!x.isValue && (!x.isRagged || x.dim[0] == y.dim[0]));
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_resample(const Checked &c, int xAt, int yAt, int descriptor) {
  const GraphTensor &x = c.at((size_t)xAt), &y = c.at((size_t)yAt);
  const Content *resample = c.step.operation->part(descriptor);
  HEDDLE_DNN_NEED(resample);
  i64 space = resample->integer(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS), mode = resample->integer(CUDNN_ATTR_RESAMPLE_MODE);
  HEDDLE_DNN_NEED(x.rank == space + 2 && y.rank == x.rank && x.dim[0] == y.dim[0] && x.dim[1] == y.dim[1]);
  if (cudnnStatus_t wrong = check_not_ragged(c)) return wrong;
  // interpolation has no documented positions
  HEDDLE_DNN_HAVE(space <= 3 && mode != CUDNN_RESAMPLE_NEAREST && mode != CUDNN_RESAMPLE_BILINEAR);
  i64 padding = resample->integer(CUDNN_ATTR_RESAMPLE_PADDING_MODE);
  HEDDLE_DNN_HAVE(padding != CUDNN_EDGE_VAL_PAD);
  for (int name : {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, CUDNN_ATTR_RESAMPLE_POST_PADDINGS, CUDNN_ATTR_RESAMPLE_STRIDES,
                   CUDNN_ATTR_RESAMPLE_WINDOW_DIMS}) {
    const Attribute *list = resample->find(name);
    HEDDLE_DNN_NEED(list && list->count == space);
    for (size_t i = 0; i < (size_t)space; i++) {
      double value = number_at(*list, i);
      HEDDLE_DNN_HAVE(value == (double)(i64)value);
    }
  }
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_norm(const Checked &c, int mode, bool hasStatistics) {
  bool isBackward = c.step.kind == CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR;
  const Attribute *peers = c.step.operation->find(isBackward ? CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS
                                                             : CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS);
  // a group norm's groups have no attribute; several devices would have to wait for each other
  HEDDLE_DNN_HAVE(mode != CUDNN_GROUP_NORM && (!peers || peers->count == 0));
  if (cudnnStatus_t wrong = check_not_ragged(c)) return wrong;
  const GraphTensor &x = c.at(0);
  HEDDLE_DNN_NEED(!isBackward || hasStatistics);
  for (size_t i = 1; i < c.step.tensors.size(); i++) {
    if (!c.has(i)) continue;
    const GraphTensor &t = c.at(i);
    bool isWhole = isBackward ? i == 3 || i == 8 : i == 11;
    if (isWhole ? !has_shape_of(t, x) : !repeats(t, x)) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
  }
  HEDDLE_DNN_HAVE(x.elements() <= INT_MAX);
  return CUDNN_STATUS_SUCCESS;
}
/// Numbers that an operation needs on the host.
cudnnStatus_t check_values(const Checked &c, std::initializer_list<size_t> which) {
  for (size_t i : which) HEDDLE_DNN_HAVE(!c.has(i) || c.at(i).isValue);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_concat(const Checked &c) {
  i64 axis = c.step.operation->integer(CUDNN_ATTR_OPERATION_CONCAT_AXIS, -1), sum = 0;
  const GraphTensor &y = c.at(0);
  HEDDLE_DNN_NEED(axis >= 0 && axis < y.rank && !c.step.more.empty());
  for (int one : c.step.more) {
    const GraphTensor &x = c.plan.tensors[(size_t)one];
    HEDDLE_DNN_NEED(x.rank == y.rank && x.type == y.type);
    for (int i = 0; i < x.rank; i++)
      if (i != axis && x.dim[i] != y.dim[i]) return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    sum += x.dim[axis];
  }
  return sum == y.dim[axis] ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
}

/// A batch norm's numbers for inference would be others.
cudnnStatus_t check_finalize(const Checked &c) {
  i64 mode = c.step.operation->integer(CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE,
                                       CUDNN_BN_FINALIZE_STATISTICS_TRAINING);
  HEDDLE_DNN_HAVE(mode == CUDNN_BN_FINALIZE_STATISTICS_TRAINING);
  return check_values(c, {6, 7, 8});
}
cudnnStatus_t check_forward_norm(const Checked &c) {
  const Content &operation = *c.step.operation;
  bool isTraining = operation.integer(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING;
  int mode = (int)operation.integer(CUDNN_ATTR_OPERATION_NORM_FWD_MODE);
  // an inference by a batch norm has its statistics; the other norms compute theirs
  HEDDLE_DNN_NEED(isTraining || mode != CUDNN_BATCH_NORM || c.has(2));
  // over which dimensions other norms take their means is only in the shapes of statistics or of the scale
  auto hasShape = [&](size_t i) { return c.has(i) && !c.at(i).isValue; };
  bool isFixed = mode == CUDNN_BATCH_NORM || mode == CUDNN_INSTANCE_NORM;
  HEDDLE_DNN_NEED(isFixed || hasShape(1) || hasShape(2) || hasShape(3));
  if (cudnnStatus_t wrong = check_values(c, {5, 6})) return wrong;
  return check_norm(c, mode, true);
}

cudnnStatus_t check_step(const Plan &plan, const Step &step) {
  Checked c{plan, step};
  const Content &operation = *step.operation;
  switch (step.kind) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return check_convolution(c, 0, 1, 2, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return check_convolution(c, 2, 1, 0, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return check_convolution(c, 0, 2, 1, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: return check_pointwise(c);
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: return check_matmul(c);
    case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: return check_reduction(c);
    case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
      return check_resample(c, 0, 1, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC);
    case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR: {
      i64 mode = operation.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC)
                     ? operation.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC)->integer(CUDNN_ATTR_RESAMPLE_MODE) : 0;
      HEDDLE_DNN_NEED(mode != CUDNN_RESAMPLE_MAXPOOL || c.has(1) || c.has(2));
      return check_resample(c, 4, 0, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC);
    }
    case CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR: return check_concat(c);
    case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR: return check_forward_norm(c);
    case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR: {
      int mode = (int)operation.integer(CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
      return check_norm(c, mode, c.has(2) && (c.has(1) || mode == CUDNN_RMS_NORM));
    }
    case CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR:
      HEDDLE_DNN_NEED(c.at(0).rank == 4 && c.at(2).rank == 4 && c.at(3).rank == 4);
      HEDDLE_DNN_NEED(c.at(3).dim[1] % c.at(0).dim[1] == 0);
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR: return check_finalize(c);
    case CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR: case CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR:
      return check_not_ragged(c);
    case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
      return c.at(1).extent() <= c.at(0).extent() && !c.at(0).isValue ? CUDNN_STATUS_SUCCESS
                                                                      : CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR: HEDDLE_DNN_NEED(operation.part(CUDNN_ATTR_OPERATION_RNG_DESC));
  }
  return CUDNN_STATUS_SUCCESS;
}

} // namespace
