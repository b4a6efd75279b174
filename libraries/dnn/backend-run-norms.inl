// Running normalizations of a plan, and what all of its operations share.

namespace {

bool is_wide(const Run &run, const Step &step) {
  for (int t : step.tensors) if (t >= 0 && is_wide_type(run.views[(size_t)t].type)) return true;
  return false;
}
const View NOTHING{};
const View &view_or_nothing(const Run &run, const Step &step, size_t i) {
  return run.has(step, i) ? run.view(step, i) : NOTHING;
}
#define HEDDLE_DNN_LAUNCH(WIDE, KERNEL, GRID, BLOCK, ...) \
  (WIDE) ? KERNEL<double><<<GRID, BLOCK, 0, run.h->stream>>>(__VA_ARGS__) \
         : KERNEL<float><<<GRID, BLOCK, 0, run.h->stream>>>(__VA_ARGS__)

/// Groups are what has one index in the dimensions where `isMember` is false.
template <class IsMember> void split(Norm &p, const View &x, IsMember isMember) {
  for (int i = 0; i < x.rank; i++) {
    i64 strides[NORM_TENSORS];
    for (int t = 0; t < NORM_TENSORS; t++) strides[t] = stride_in(p.v[t], i);
    (isMember(i) ? p.members : p.groups).add(x.dim[i], strides);
  }
}
/// Over which dimensions a norm takes its mean.
bool is_member(int mode, const View &x, const View &scale, const View &statistic, int i) {
  if (mode == CUDNN_BATCH_NORM) return i != 1;
  if (mode == CUDNN_INSTANCE_NORM) return i > 1;
  if (statistic.data) return statistic.dim[i] == 1;
  return i > 0 && scale.data && scale.dim[i] == x.dim[i];
}
double value_of(const Run &run, const Step &step, size_t i, double otherwise) {
  return run.has(step, i) && !run.view(step, i).data ? run.view(step, i).value : otherwise;
}

void run_norm_step(const Run &run, const Step &step) {
  const Content &operation = *step.operation;
  int mode = (int)operation.integer(CUDNN_ATTR_OPERATION_NORM_FWD_MODE);
  bool isTraining = operation.integer(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_TRAINING;
  Norm p{};
  auto at = [&](size_t i) { return view_or_nothing(run, step, i); };
  p.v[NORM_X] = at(0), p.v[NORM_MEAN] = at(1), p.v[NORM_INVERSE] = at(2), p.v[NORM_SCALE] = at(3);
  p.v[NORM_BIAS] = at(4), p.v[NORM_Y] = at(11);
  p.oldMean = at(7), p.oldVariance = at(8), p.newMean = at(9), p.newVariance = at(10);
  p.epsilon = value_of(run, step, 5, 0);
  p.factor = value_of(run, step, 6, 1);
  p.isCentred = mode != CUDNN_RMS_NORM;
  p.isTraining = isTraining || !p.v[NORM_INVERSE].data;
  View statistic = p.v[NORM_INVERSE].data ? p.v[NORM_INVERSE] : p.v[NORM_MEAN];
  // the running statistics lie like the mean
  if (!p.v[NORM_MEAN].data && p.newMean.data) p.v[NORM_MEAN] = p.newMean, p.v[NORM_MEAN].data = nullptr;
  split(p, p.v[NORM_X], [&](int i) { return is_member(mode, p.v[NORM_X], p.v[NORM_SCALE], statistic, i); });
  bool isWide = p.v[NORM_X].type == CUDNN_DATA_DOUBLE;
  HEDDLE_DNN_LAUNCH(isWide, run_norm, (unsigned)p.groups.count, THREADS, p);
}

void run_norm_back_step(const Run &run, const Step &step) {
  int mode = (int)step.operation->integer(CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
  Norm p{};
  auto at = [&](size_t i) { return view_or_nothing(run, step, i); };
  p.v[NORM_X] = at(0), p.v[NORM_MEAN] = at(1), p.v[NORM_INVERSE] = at(2), p.v[NORM_DY] = at(3);
  p.isCentred = mode != CUDNN_RMS_NORM;
  bool isWide = p.v[NORM_X].type == CUDNN_DATA_DOUBLE;
  const View &x = p.v[NORM_X];
  if (run.has(step, 6) || run.has(step, 7)) {
    Norm weights = p;
    weights.v[NORM_SCALE] = at(6), weights.v[NORM_BIAS] = at(7);
    const View &shape = run.has(step, 6) ? run.view(step, 6) : run.view(step, 7);
    split(weights, x, [&](int i) { return shape.dim[i] == 1; });
    HEDDLE_DNN_LAUNCH(isWide, run_norm_weights, (unsigned)weights.groups.count, THREADS, weights, false);
  }
  if (!run.has(step, 8)) return;
  p.v[NORM_SCALE] = at(4), p.v[NORM_Y] = at(8);
  split(p, x, [&](int i) { return is_member(mode, x, p.v[NORM_SCALE], p.v[NORM_INVERSE], i); });
  HEDDLE_DNN_LAUNCH(isWide, run_norm_back, (unsigned)p.groups.count, THREADS, p);
}

void run_sums_step(const Run &run, const Step &step) {
  Norm p{};
  p.v[NORM_X] = run.view(step, 0);
  p.v[NORM_SCALE] = view_or_nothing(run, step, 1), p.v[NORM_BIAS] = view_or_nothing(run, step, 2);
  split(p, p.v[NORM_X], [](int i) { return i != 1; });
  bool isWide = p.v[NORM_X].type == CUDNN_DATA_DOUBLE;
  HEDDLE_DNN_LAUNCH(isWide, run_norm_weights, (unsigned)p.groups.count, THREADS, p, true);
}
void run_statistics_step(const Run &run, const Step &step) {
  auto at = [&](size_t i) { return view_or_nothing(run, step, i); };
  Statistics p{at(0),  at(1),  at(2),  at(3),  at(4),  at(5), at(9), at(10), at(11), at(12), at(13), at(14),
               value_of(run, step, 6, 1), value_of(run, step, 7, 0), value_of(run, step, 8, 1),
               run.view(step, 0).dim[1]};
  run_statistics<<<blocks_of(p.channels), THREADS, 0, run.h->stream>>>(p);
}
void run_back_factors_step(const Run &run, const Step &step) {
  auto at = [&](size_t i) { return view_or_nothing(run, step, i); };
  Norm p{};
  p.v[NORM_MEAN] = at(0), p.v[NORM_INVERSE] = at(1), p.v[NORM_X] = at(3), p.v[NORM_DY] = at(4);
  p.v[NORM_SCALE] = at(5), p.v[NORM_BIAS] = at(6);
  p.isCentred = true;
  const View &x = p.v[NORM_X];
  split(p, x, [](int i) { return i != 1; });
  HEDDLE_DNN_LAUNCH(x.type == CUDNN_DATA_DOUBLE, run_norm_weights, (unsigned)p.groups.count, THREADS, p, false);
  BackFactors f{at(0), at(1), at(2), at(5), at(6), at(7), at(8), at(9), (double)p.members.count, x.dim[1]};
  run_back_factors<<<blocks_of(f.channels), THREADS, 0, run.h->stream>>>(f);
}

} // namespace
