// The operations of a graph: the tensors that they read and write, and their order.

namespace {

/// The tensors of an operation by their attributes: those that it reads, then those that it writes. Negative: it may
/// be missing.
struct Kind {
  int type, inputs, outputs;
  short names[16];
};
const Kind KINDS[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 2, 1, {704, 703, 705}},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, 2, 1, {711, 709, 710}},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 2, 1, {716, 717, 715}},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 4, 2, {-751, -752, -758, -757, -753, -756}},
    {CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR, 1, 2, {772, -773, -774}},
    {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 5, 1, {1520, 1521, -1525, -1526, -1527, 1522}},
    {CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR, 9, 6,
     {782, 783, -784, -785, -786, -787, 794, 795, -796, -788, -789, -790, -791, -792, -793}},
    {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, 1, 1, {1610, 1611}},
    {CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR, 5, 5,
     {1621, 1622, 1623, 1624, 1625, 1626, 1627, -1628, -1629, -1630}},
    {CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR, 1, 2, {1710, 1711, -1712}},
    {CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR, 4, 1, {1721, -1722, -1726, -1727, 1720}},
    {CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR, 0, 1, {1803}},
    {CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR, 9, 3,
     {2002, -2003, -2004, -2005, -2006, -2007, -2008, -2009, -2010, -2011, -2012, 2013}},
    {CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR, 6, 3,
     {2101, -2102, -2103, 2104, -2105, -2106, -2107, -2108, -2109}},
    {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, 1, 1, {2200, 2201}},
    {CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR, 2, 1, {-2311, -2313, 2310}},
    {CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR, 3, 1, {1950, -1952, 1953, 1951}},
};
const Kind *kind_of(int type) {
  for (const Kind &kind : KINDS) if (kind.type == type) return &kind;
  return nullptr;
}
/// A forward norm in training writes its statistics.
bool writes(const Kind &kind, const Content &operation, int which) {
  bool isStatistic = kind.names[which] == -CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC ||
                     kind.names[which] == -CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC;
  if (isStatistic)
    return operation.integer(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING;
  return which >= kind.inputs;
}

cudnnStatus_t check_tensor(const Content &c) {
  const Attribute *dims = c.find(CUDNN_ATTR_TENSOR_DIMENSIONS), *strides = c.find(CUDNN_ATTR_TENSOR_STRIDES);
  HEDDLE_DNN_NEED(dims && strides && dims->count > 0 && dims->count == strides->count);
  HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_TENSOR_UNIQUE_ID) && c.find(CUDNN_ATTR_TENSOR_DATA_TYPE));
  HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT));
  HEDDLE_DNN_HAVE(dims->count <= RANK);
  for (i64 i = 0; i < dims->count; i++)
    HEDDLE_DNN_NEED(integer_at(*dims, (size_t)i) > 0 && integer_at(*strides, (size_t)i) >= 0);
  i64 type = c.integer(CUDNN_ATTR_TENSOR_DATA_TYPE);
  bool isByte = type == CUDNN_DATA_FP8_E4M3 || type == CUDNN_DATA_FP8_E5M2;
  if (!is_type((int)type) && !isByte) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
  bool isVirtual = c.integer(CUDNN_ATTR_TENSOR_IS_VIRTUAL), isValue = c.integer(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  if (isByte && isValue) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
  const Content *ragged = c.part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
  if (ragged && ragged->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
  HEDDLE_DNN_NEED(!isVirtual || !isValue);
  // packed channels are a layout of the descriptor API
  if (c.integer(CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) != 1 || vector_length((int)type) != 1)
    return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
  return CUDNN_STATUS_SUCCESS;
}
GraphTensor read_tensor(const Content &c) {
  GraphTensor t;
  const Attribute &dims = *c.find(CUDNN_ATTR_TENSOR_DIMENSIONS), &strides = *c.find(CUDNN_ATTR_TENSOR_STRIDES);
  t.id = c.integer(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  t.type = (int)c.integer(CUDNN_ATTR_TENSOR_DATA_TYPE);
  t.rank = (int)dims.count;
  for (int i = 0; i < t.rank; i++) {
    t.dim[i] = integer_at(dims, (size_t)i);
    t.stride[i] = integer_at(strides, (size_t)i);
  }
  t.isVirtual = c.integer(CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  t.isValue = c.integer(CUDNN_ATTR_TENSOR_IS_BY_VALUE);
  if (const Content *ragged = c.part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC)) {
    t.isRagged = true;
    t.ragged = ragged->integer(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  }
  return t;
}
int add_tensor(Plan &plan, const Content &c) {
  i64 id = c.integer(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  int known = plan.find(id);
  if (known >= 0) return known;
  if (const Content *ragged = c.part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC)) add_tensor(plan, *ragged);
  plan.tensors.push_back(read_tensor(c));
  return (int)plan.tensors.size() - 1;
}

cudnnStatus_t read_step(Plan &plan, const Part &operation, Step &step) {
  const Kind *kind = kind_of(operation->type);
  if (!kind) return CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN;
  step.kind = operation->type;
  step.operation = operation;
  for (int i = 0; i < kind->inputs + kind->outputs; i++) {
    const Content *c = operation->part(kind->names[i] < 0 ? -kind->names[i] : kind->names[i]);
    HEDDLE_DNN_NEED(c || kind->names[i] < 0);
    if (c && c->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
    step.tensors.push_back(c ? add_tensor(plan, *c) : -1);
  }
  if (step.kind == CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR)
    for (const Part &part : operation->find(CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS)->parts) {
      if (part->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
      step.more.push_back(add_tensor(plan, *part));
    }
  return CUDNN_STATUS_SUCCESS;
}

/// Operations after those whose results they read. What no operation writes comes from the program.
cudnnStatus_t put_in_order(Plan &plan) {
  std::vector<Step> rest = std::move(plan.steps);
  std::vector<bool> isReady(plan.tensors.size(), true);
  auto each_result = [](const Step &step, auto use) {
    const Kind &kind = *kind_of(step.kind);
    for (int i = 0; i < kind.inputs + kind.outputs; i++)
      if (step.tensors[(size_t)i] >= 0 && writes(kind, *step.operation, i)) use(step.tensors[(size_t)i]);
  };
  std::vector<bool> isWritten(plan.tensors.size(), false), isTwice(plan.tensors.size(), false);
  for (const Step &step : rest)
    each_result(step, [&](int t) {
      isTwice[(size_t)t] = isWritten[(size_t)t];
      isWritten[(size_t)t] = true;
      isReady[(size_t)t] = false;
    });
  for (size_t t = 0; t < plan.tensors.size(); t++) {
    HEDDLE_DNN_NEED(!isTwice[t] && (!plan.tensors[t].isVirtual || isWritten[t]));
    HEDDLE_DNN_NEED(!plan.tensors[t].isValue || !isWritten[t]);
  }
  while (!rest.empty()) {
    size_t next = 0;
    for (; next < rest.size(); next++) {
      const Step &step = rest[next];
      const Kind &kind = *kind_of(step.kind);
      bool isNext = true;
      for (int i = 0; i < kind.inputs + kind.outputs; i++)
        if (step.tensors[(size_t)i] >= 0 && !writes(kind, *step.operation, i))
          isNext = isNext && isReady[(size_t)step.tensors[(size_t)i]];
      for (int t : step.more) isNext = isNext && isReady[(size_t)t];
      if (isNext) break;
    }
    HEDDLE_DNN_NEED(next < rest.size()); // a circle
    each_result(rest[next], [&](int t) { isReady[(size_t)t] = true; });
    plan.steps.push_back(std::move(rest[next]));
    rest.erase(rest.begin() + (long)next);
  }
  return CUDNN_STATUS_SUCCESS;
}

} // namespace
