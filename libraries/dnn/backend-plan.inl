// From a graph's operations to a plan: which tensors it needs besides, where its virtual tensors are, and whether it
// runs one batch after the other.

namespace {

/// Convolutions have no kernels for numbers of 8 bits: they read halves, which include all of those, and write floats.
void widen_convolutions(Plan &plan) {
  std::vector<Step> steps = std::move(plan.steps);
  plan.steps.clear();
  for (Step &step : steps) {
    std::vector<Step> after;
    for (size_t i = 0; is_convolution(step.kind) && i < step.tensors.size(); i++) {
      int narrow = step.tensors[i], own = (int)plan.tensors.size();
      GraphTensor wide = plan.tensors[(size_t)narrow];
      if (!is_eight_bits(wide.type)) continue;
      bool isResult = i == 2;
      wide.type = isResult ? CUDNN_DATA_FLOAT : CUDNN_DATA_HALF;
      wide.isOwn = wide.isVirtual = true;
      plan.tensors.push_back(wide);
      step.tensors[i] = own;
      Step conversion{CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, std::make_shared<Content>(), {narrow, own}, {}};
      if (isResult) conversion.tensors = {own, narrow};
      (isResult ? after : plan.steps).push_back(conversion);
    }
    plan.steps.push_back(std::move(step));
    plan.steps.insert(plan.steps.end(), after.begin(), after.end());
  }
}

/// A tensor that is another one with other dimensions is the same memory.
void find_views(Plan &plan) {
  for (const Step &step : plan.steps) {
    if (step.kind != CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR) continue;
    const GraphTensor &x = plan.tensors[(size_t)step.tensors[0]];
    GraphTensor &y = plan.tensors[(size_t)step.tensors[1]];
    bool hasSameOffsets = x.isRagged == y.isRagged && x.ragged == y.ragged;
    if (y.isVirtual && !x.isValue && x.type == y.type && hasSameOffsets) y.sameAs = step.tensors[0];
  }
}
int owner_of(const Plan &plan, int t) {
  while (plan.tensors[(size_t)t].sameAs >= 0) t = plan.tensors[(size_t)t].sameAs;
  return t;
}

/// What is there of a tensor while a slice runs.
GraphTensor slice_of(const Plan &plan, GraphTensor t) {
  bool isSliced[] = {plan.isSliced(t, 0), plan.isSliced(t, 1)};
  for (int i = 0; i < 2; i++) if (isSliced[i]) t.dim[i] = 1;
  return t;
}

/// The extent of a dimension whose indices could run one after the other: all tensors have it but those that are read
/// and the same for each index. 0 if the indices depend on each other.
i64 independent_extent(const Plan &plan, int dimension) {
  i64 extent = 0;
  for (const Step &step : plan.steps) {
    const Kind &kind = *kind_of(step.kind);
    auto at = [&](int i) -> const GraphTensor & { return plan.tensors[(size_t)step.tensors[(size_t)i]]; };
    switch (step.kind) {
      case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: {
        const Content &pw = *step.operation->part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
        bool isIndex = pw.integer(CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_GEN_INDEX;
        if (isIndex && pw.integer(CUDNN_ATTR_POINTWISE_AXIS) == dimension) return 0;
        break;
      }
      case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        if (at(0).rank != at(1).rank || at(0).stride[dimension] != at(1).stride[dimension]) return 0;
        // where only y has the dimension, a slice's memory is not where x is
        if (at(0).dim[dimension] != at(1).dim[dimension] && at(1).stride[dimension] != 0) return 0;
        break;
      case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        if (dimension >= at(5).rank - 2) return 0;
        break;
      case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR: case CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR: break;
      default: return 0;
    }
    for (int i = 0; i < kind.inputs + kind.outputs; i++) {
      if (step.tensors[(size_t)i] < 0 || at(i).isValue) continue;
      const GraphTensor &t = at(i);
      if (t.isRagged) return 0;
      i64 size = dimension < t.rank ? t.dim[dimension] : 1;
      if (size == 1 && !writes(kind, *step.operation, i)) continue;
      if (extent > 0 && size != extent) return 0;
      extent = size;
    }
  }
  return extent;
}

/// The panels of a product's operands.
void add_panels(Plan &plan) {
  for (Step &step : plan.steps) {
    if (step.kind != CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR) continue;
    bool isWide = false;
    for (size_t i : {0, 1, 5}) {
      int type = plan.tensors[(size_t)step.tensors[i]].type;
      // sums of products of bytes are exact in doubles
      isWide = isWide || is_wide_type(type) || type == CUDNN_DATA_INT8 || type == CUDNN_DATA_UINT8;
    }
    for (size_t i = 0; i < 2; i++) {
      GraphTensor t = slice_of(plan, plan.tensors[(size_t)step.tensors[i]]), own;
      int row = i == 0 ? t.rank - 2 : t.rank - 1, sum = i == 0 ? t.rank - 1 : t.rank - 2;
      own.type = isWide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
      own.rank = 2;
      own.dim[0] = own.stride[1] = 1;
      own.stride[0] = own.dim[1] = panel_elements((int)t.dim[row], (int)t.dim[sum]);
      for (int d = 0; d < t.rank - 2; d++) own.dim[0] *= t.dim[d];
      own.isOwn = own.isVirtual = true;
      step.tensors.push_back((int)plan.tensors.size());
      plan.tensors.push_back(own);
    }
  }
}

/// Virtual tensors share work space if no operation needs both: each gets the first gap that is wide enough.
cudnnStatus_t place_virtual_tensors(Plan &plan) {
  // sums are of 64 bits, so that they do not wrap where addresses have 32
  struct Life { int tensor; size_t first, last; unsigned long long place, bytes; };
  std::vector<Life> lives;
  std::vector<int> lifeOf(plan.tensors.size(), -1);
  for (size_t s = 0; s < plan.steps.size(); s++) {
    std::vector<int> all = plan.steps[s].tensors;
    all.insert(all.end(), plan.steps[s].more.begin(), plan.steps[s].more.end());
    for (int one : all) {
      if (one < 0) continue;
      int t = owner_of(plan, one);
      const GraphTensor &tensor = plan.tensors[(size_t)t];
      if (!tensor.isVirtual) continue;
      if (lifeOf[(size_t)t] < 0) {
        lifeOf[(size_t)t] = (int)lives.size();
        i64 elements = slice_of(plan, tensor).extent();
        unsigned long long bytes = ((unsigned long long)elements * bytes_of(tensor.type) + 255) / 256 * 256;
        lives.push_back({t, s, s, 0, bytes});
      }
      lives[(size_t)lifeOf[(size_t)t]].last = s;
    }
  }
  plan.bytes = 0;
  for (size_t i = 0; i < lives.size(); i++) {
    Life &life = lives[i];
    bool isFree = false;
    while (!isFree) {
      isFree = true;
      for (size_t j = 0; j < i; j++) {
        const Life &other = lives[j];
        bool isTogether = other.first <= life.last && life.first <= other.last;
        if (isTogether && life.place < other.place + other.bytes && other.place < life.place + life.bytes) {
          life.place = other.place + other.bytes;
          isFree = false;
        }
      }
    }
    HEDDLE_DNN_HAVE(life.place + life.bytes <= SIZE_MAX);
    plan.tensors[(size_t)life.tensor].place = (size_t)life.place;
    if (life.place + life.bytes > plan.bytes) plan.bytes = (size_t)(life.place + life.bytes);
  }
  return CUDNN_STATUS_SUCCESS;
}


/// The kernels of these operations count elements with 32 bits.
cudnnStatus_t check_sizes(const Plan &plan) {
  for (const Step &step : plan.steps) {
    bool isPointwise = step.kind == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
    if (!isPointwise && step.kind != CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR) continue;
    for (int t : step.tensors)
      HEDDLE_DNN_HAVE(t < 0 || slice_of(plan, plan.tensors[(size_t)t]).elements() <= INT_MAX);
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t find_places_of(Plan &plan) {
  if (cudnnStatus_t wrong = check_sizes(plan)) return wrong;
  add_panels(plan);
  return place_virtual_tensors(plan);
}
/// More bytes of work space than these are saved, and stay in caches, if parts of the plan run one after the other.
constexpr size_t MUCH_WORK_SPACE = (size_t)32 << 20;

cudnnStatus_t find_places(Plan &plan) {
  for (;;) {
    Plan placed = plan;
    cudnnStatus_t status = find_places_of(placed);
    bool isEnough = plan.sliced == 2 || (!status && placed.bytes <= MUCH_WORK_SPACE);
    i64 extent = isEnough ? 0 : independent_extent(plan, plan.sliced);
    if (extent == 0) {
      plan = std::move(placed);
      return status;
    }
    plan.extent[plan.sliced++] = extent;
  }
}

bool is_pointwise(const Step &step, int mode) {
  return step.kind == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR &&
         step.operation->part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR)->integer(CUDNN_ATTR_POINTWISE_MODE) == mode;
}
/// A step of a softmax, which exp(x - m) or e / sum(e) is: rows in which nothing is (all -infinity) are zeros, and
/// not NaN, as NVIDIA's kernels for attention have it.
bool is_of_softmax(const Plan &plan, const Step &step) {
  auto isThere = [&](auto is) { return std::any_of(plan.steps.begin(), plan.steps.end(), is); };
  if (is_pointwise(step, CUDNN_POINTWISE_SUB))
    return isThere([&](const Step &after) {
      return is_pointwise(after, CUDNN_POINTWISE_EXP) && after.tensors[0] == step.tensors[4];
    });
  if (!is_pointwise(step, CUDNN_POINTWISE_DIV)) return false;
  return isThere([&](const Step &before) {
    return before.kind == CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR && before.tensors[0] == step.tensors[0] &&
           before.tensors[1] == step.tensors[1];
  }) && isThere([&](const Step &before) {
    return is_pointwise(before, CUDNN_POINTWISE_EXP) && before.tensors[4] == step.tensors[0];
  });
}

cudnnStatus_t plan_of(const std::vector<Part> &operations, std::shared_ptr<Plan> &made) {
  made = std::make_shared<Plan>();
  for (const Part &operation : operations) {
    Step step;
    if (cudnnStatus_t wrong = read_step(*made, operation, step)) return wrong;
    if (cudnnStatus_t wrong = check_step(*made, step)) return wrong;
    made->steps.push_back(std::move(step));
  }
  if (cudnnStatus_t wrong = put_in_order(*made)) return wrong;
  for (Step &step : made->steps) step.isOfSoftmax = is_of_softmax(*made, step);
  widen_convolutions(*made);
  find_views(*made);
  return find_places(*made);
}

} // namespace
