// The cases of dnn-graph.cu.

static void test_matmul() {
  // relu(A B + bias), with B transposed and matrices that are shared
  Tensor a({4, 5, 70}), b({2, 70, 9}, {630, 1, 70}), bias({1, 1, 9}), y({4, 5, 9}, {50, 10, 1});
  Tensor sum({4, 5, 9}, {}, true), added({4, 5, 9}, {}, true);
  Descriptor first = matmul(a, b, sum), second = pointwise(CUDNN_POINTWISE_ADD, added, sum, &bias),
             third = pointwise(CUDNN_POINTWISE_RELU_FWD, y, added);
  for (Way way : {AT_ONCE, FROM_TEXT, RECORDED}) {
    cudaMemset(y.data, 0, y.host.size() * 4);
    // operations come in any order
    run({&third, &first, &second}, {&a, &b, &bias, &y}, way);
    compare("matmul", y, [&](const Dims &i) {
      double all = bias.at({0, 0, i[2]});
      for (int64_t k = 0; k < 70; k++) all += a.at({i[0], i[1], k}) * b.at({i[0] / 2, k, i[2]});
      return all > 0 ? all : 0;
    });
  }
}

static void test_pointwise() {
  struct Case {
    int mode;
    double (*is)(double, double);
  };
  const Case cases[] = {
      {CUDNN_POINTWISE_ADD, [](double x, double b) { return x + b; }},
      {CUDNN_POINTWISE_ADD_SQUARE, [](double x, double b) { return x + b * b; }},
      {CUDNN_POINTWISE_DIV, [](double x, double b) { return x / b; }},
      {CUDNN_POINTWISE_MAX, [](double x, double b) { return x > b ? x : b; }},
      {CUDNN_POINTWISE_MIN, [](double x, double b) { return x < b ? x : b; }},
      {CUDNN_POINTWISE_MOD, [](double x, double b) { return std::fmod(x, b); }},
      {CUDNN_POINTWISE_MUL, [](double x, double b) { return x * b; }},
      {CUDNN_POINTWISE_SUB, [](double x, double b) { return x - b; }},
      {CUDNN_POINTWISE_ATAN2, [](double x, double b) { return std::atan2(x, b); }},
      {CUDNN_POINTWISE_CMP_EQ, [](double x, double b) { return (double)(x == b); }},
      {CUDNN_POINTWISE_CMP_NEQ, [](double x, double b) { return (double)(x != b); }},
      {CUDNN_POINTWISE_CMP_GT, [](double x, double b) { return (double)(x > b); }},
      {CUDNN_POINTWISE_CMP_GE, [](double x, double b) { return (double)(x >= b); }},
      {CUDNN_POINTWISE_CMP_LT, [](double x, double b) { return (double)(x < b); }},
      {CUDNN_POINTWISE_CMP_LE, [](double x, double b) { return (double)(x <= b); }},
      {CUDNN_POINTWISE_LOGICAL_AND, [](double x, double b) { return (double)(x != 0 && b != 0); }},
      {CUDNN_POINTWISE_LOGICAL_OR, [](double x, double b) { return (double)(x != 0 || b != 0); }},
      {CUDNN_POINTWISE_LOGICAL_NOT, [](double x, double) { return (double)(x == 0); }},
      {CUDNN_POINTWISE_ABS, [](double x, double) { return std::fabs(x); }},
      {CUDNN_POINTWISE_CEIL, [](double x, double) { return std::ceil(x); }},
      {CUDNN_POINTWISE_COS, [](double x, double) { return std::cos(x); }},
      {CUDNN_POINTWISE_EXP, [](double x, double) { return std::exp(x); }},
      {CUDNN_POINTWISE_FLOOR, [](double x, double) { return std::floor(x); }},
      {CUDNN_POINTWISE_NEG, [](double x, double) { return -x; }},
      {CUDNN_POINTWISE_SIN, [](double x, double) { return std::sin(x); }},
      {CUDNN_POINTWISE_TAN, [](double x, double) { return std::tan(x); }},
      {CUDNN_POINTWISE_ERF, [](double x, double) { return std::erf(x); }},
      {CUDNN_POINTWISE_IDENTITY, [](double x, double) { return x; }},
      {CUDNN_POINTWISE_RELU_FWD, [](double x, double) { return x > 0 ? x : 0; }},
      {CUDNN_POINTWISE_TANH_FWD, [](double x, double) { return std::tanh(x); }},
      {CUDNN_POINTWISE_SIGMOID_FWD, [](double x, double) { return 1 / (1 + std::exp(-x)); }},
      {CUDNN_POINTWISE_ELU_FWD, [](double x, double) { return x > 0 ? x : std::exp(x) - 1; }},
      {CUDNN_POINTWISE_GELU_FWD, [](double x, double) { return x * 0.5 * std::erfc(-x / std::sqrt(2)); }},
      {CUDNN_POINTWISE_SOFTPLUS_FWD, [](double x, double) { return std::log(1 + std::exp(x)); }},
      {CUDNN_POINTWISE_SWISH_FWD, [](double x, double) { return x / (1 + std::exp(-x)); }},
      {CUDNN_POINTWISE_GELU_APPROX_TANH_FWD,
       [](double x, double) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
  };
  Tensor x({3, 4, 5}), b({1, 4, 1}), y({3, 4, 5}, {1, 3, 12}), dy({3, 4, 5});
  for (float &one : b.host) one = one < 0 ? one - 0.5f : one + 0.5f;
  b.upload();
  for (const Case &c : cases) {
    Descriptor operation = pointwise(c.mode, y, x, &b);
    run({&operation}, {&x, &b, &y});
    char name[32];
    snprintf(name, sizeof name, "pointwise %d", c.mode);
    compare(name, y, [&](const Dims &i) { return c.is(x.at(i), b.at(i)); });
    if (c.mode < CUDNN_POINTWISE_RELU_FWD || c.mode > CUDNN_POINTWISE_GELU_APPROX_TANH_FWD) continue;
    // its derivative, by a difference; at a kink zero has the side of negative numbers
    Descriptor back = pointwise(c.mode + 100, y, x, &dy);
    run({&back}, {&x, &dy, &y});
    compare("derivative", y, [&](const Dims &i) {
      double at = x.at(i) == 0 ? -1e-6 : x.at(i);
      return dy.at(i) * (c.is(at + 1e-7, 0) - c.is(at - 1e-7, 0)) / 2e-7;
    });
  }
  Tensor chosen({3, 4, 5}), t({3, 4, 5}, {}, false, false, CUDNN_DATA_BOOLEAN);
  Tensor positive({3, 4, 5}), root({3, 4, 5}), index({3, 4, 5});
  for (float &one : positive.host) one = one * one + 0.25f;
  positive.upload();
  Descriptor select = pointwise(CUDNN_POINTWISE_BINARY_SELECT, chosen, x, &b, &t);
  Descriptor rsqrt = pointwise(CUDNN_POINTWISE_RSQRT, root, positive);
  Descriptor generate = pointwise(CUDNN_POINTWISE_GEN_INDEX, index, x, nullptr, nullptr, 1);
  run({&select, &rsqrt, &generate}, {&x, &b, &t, &chosen, &positive, &root, &index});
  compare("select", chosen, [&](const Dims &i) { return t.at(i) != 0 ? x.at(i) : b.at(i); });
  compare("rsqrt", root, [&](const Dims &i) { return 1 / std::sqrt(positive.at(i)); });
  compare("index", index, [&](const Dims &i) { return (double)i[1]; });
}

static void test_reductions() {
  Tensor x({2, 6, 40});
  for (int op = CUDNN_REDUCE_TENSOR_ADD; op <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS; op++) {
    Tensor y({2, 1, 40}), all({1, 1, 1}), pairs({2, 3, 40});
    Descriptor first = reduction(op, y, x), second = reduction(op, all, x), third = reduction(op, pairs, x);
    run({&first, &second, &third}, {&x, &y, &all, &pairs});
    auto expected = [&](const Dims &kept, const Dims &size) {
      double sum = op == CUDNN_REDUCE_TENSOR_MUL || op == CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS ? 1 : 0;
      if (op == CUDNN_REDUCE_TENSOR_MIN) sum = INFINITY;
      if (op == CUDNN_REDUCE_TENSOR_MAX) sum = -INFINITY;
      double count = 0;
      each(x.dims, [&](const Dims &i) {
        for (size_t j = 0; j < 3; j++) if (i[j] / (x.dims[j] / size[j]) != kept[j]) return;
        double v = x.at(i);
        count++;
        switch (op) {
          case CUDNN_REDUCE_TENSOR_MUL: sum *= v; break;
          case CUDNN_REDUCE_TENSOR_MIN: sum = std::fmin(sum, v); break;
          case CUDNN_REDUCE_TENSOR_MAX: sum = std::fmax(sum, v); break;
          case CUDNN_REDUCE_TENSOR_AMAX: sum = std::fmax(sum, std::fabs(v)); break;
          case CUDNN_REDUCE_TENSOR_NORM1: sum += std::fabs(v); break;
          case CUDNN_REDUCE_TENSOR_NORM2: sum += v * v; break;
          case CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS: sum *= v == 0 ? 1 : v; break;
          default: sum += v;
        }
      });
      return op == CUDNN_REDUCE_TENSOR_AVG ? sum / count : op == CUDNN_REDUCE_TENSOR_NORM2 ? std::sqrt(sum) : sum;
    };
    compare("reduction", y, [&](const Dims &i) { return expected(i, y.dims); });
    compare("reduction of all", all, [&](const Dims &i) { return expected(i, all.dims); });
    compare("reduction of pairs", pairs, [&](const Dims &i) { return expected(i, pairs.dims); });
  }
}

/// softmax(scale Q K^T, masked) V, as frontends write it: products, a scale, a mask from indices, maxima and sums.
/// Tokens see those up to themselves, or those before them: then the first row has none, and its result is zero.
static void test_attention(bool seesItself) {
  const int64_t b = 2, h = 4, s = 11, d = 8;
  Tensor q({b, h, s, d}, {s * h * d, d, h * d, 1}), k({b, 2, d, s}, {2 * s * d, s * d, 1, d}), v({b, 2, s, d}),
      o({b, h, s, d}, {s * h * d, d, h * d, 1}), scale({1, 1, 1, 1}, {}, false, true),
      least({1, 1, 1, 1}, {}, false, true), stats({b, h, s, 1});
  scale.host[0] = 0.25f, least.host[0] = seesItself ? -1e9f : -INFINITY;
  Dims square = {b, h, s, s}, row = {b, h, s, 1};
  auto temp = [](const Dims &dims) { return Tensor(dims, {}, true); };
  auto whole = [&] { return Tensor(square, {}, true, false, CUDNN_DATA_INT32); };
  Tensor rows = whole(), columns = whole(), mask(square, {}, true, false, CUDNN_DATA_BOOLEAN);
  Tensor p = temp(square), scaled = temp(square), masked = temp(square), most = temp(row), less = temp(square),
         e = temp(square), sum = temp(row), logs = temp(row), w = temp(square);
  Descriptor steps[] = {matmul(q, k, p),
                        pointwise(CUDNN_POINTWISE_MUL, scaled, p, &scale),
                        pointwise(CUDNN_POINTWISE_GEN_INDEX, rows, scaled, nullptr, nullptr, 2),
                        pointwise(CUDNN_POINTWISE_GEN_INDEX, columns, scaled, nullptr, nullptr, 3),
                        pointwise(seesItself ? CUDNN_POINTWISE_CMP_GE : CUDNN_POINTWISE_CMP_GT, mask, rows, &columns),
                        pointwise(CUDNN_POINTWISE_BINARY_SELECT, masked, scaled, &least, &mask),
                        reduction(CUDNN_REDUCE_TENSOR_MAX, most, masked),
                        pointwise(CUDNN_POINTWISE_SUB, less, masked, &most),
                        pointwise(CUDNN_POINTWISE_EXP, e, less),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, sum, e),
                        pointwise(CUDNN_POINTWISE_LOG, logs, sum),
                        pointwise(CUDNN_POINTWISE_ADD, stats, most, &logs),
                        pointwise(CUDNN_POINTWISE_DIV, w, e, &sum),
                        matmul(w, v, o)};
  Operations all;
  for (const Descriptor &one : steps) all.push_back(&one);
  run(all, {&q, &k, &v, &o, &scale, &least, &stats});
  auto score = [&](int64_t i, int64_t j, int64_t m, int64_t n) {
    double all = 0;
    for (int64_t c = 0; c < d; c++) all += q.at({i, j, m, c}) * k.at({i, j / 2, c, n});
    return 0.25 * all;
  };
  auto total = [&](const Dims &i) {
    double all = 0;
    for (int64_t n = 0; n < i[2] + seesItself; n++) all += std::exp(score(i[0], i[1], i[2], n));
    return all;
  };
  compare("attention's sums", stats, [&](const Dims &i) { return std::log(total(i)); });
  compare("attention", o, [&](const Dims &i) {
    double all = 0;
    for (int64_t n = 0; n < i[2] + seesItself; n++)
      all += std::exp(score(i[0], i[1], i[2], n)) * v.at({i[0], i[1] / 2, n, i[3]});
    return all == 0 ? 0 : all / total(i);
  });
}

/// With two groups, and paddings that differ before and behind.
static void test_convolutions_of(int64_t c, int64_t k, const Dims &size, const Dims &window, const Dims &stride,
                                 const Dims &dilation) {
  const Dims pre = {1, 0}, post = {2, 1};
  const int64_t n = 2, height = size[0], width = size[1], r = window[0], s = window[1];
  auto made = [&](size_t i) {
    return (size[i] + pre[i] + post[i] - (window[i] - 1) * dilation[i] - 1) / stride[i] + 1;
  };
  const int64_t p = made(0), q = made(1);
  Tensor x({n, c, height, width}, {c * height * width, 1, c * width, c}), w({k, c / 2, r, s}), y({n, k, p, q});
  Tensor dx({n, c, height, width}), dw({k, c / 2, r, s}), dy({n, k, p, q});
  Descriptor forward = convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, {&w, &x, &y}, pre, post, stride,
                                   dilation);
  Descriptor data = convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, {&w, &dx, &dy}, pre, post, stride,
                                dilation);
  Descriptor filter = convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                                  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, {&dw, &x, &dy}, pre, post, stride,
                                  dilation);
  run({&forward, &data, &filter}, {&x, &w, &y, &dx, &dw, &dy});
  std::vector<double> sums(y.host.size()), dxSums(dx.host.size()), dwSums(dw.host.size());
  each(y.dims, [&](const Dims &i) {
    each({c / 2, r, s}, [&](const Dims &t) {
      int64_t channel = i[1] / (k / 2) * (c / 2) + t[0], row = i[2] * stride[0] - pre[0] + t[1] * dilation[0];
      int64_t column = i[3] * stride[1] - pre[1] + t[2] * dilation[1];
      if (row < 0 || row >= height || column < 0 || column >= width) return;
      Dims from = {i[0], channel, row, column}, weight = {i[1], t[0], t[1], t[2]};
      sums[y.place(i)] += x.at(from) * w.at(weight);
      dxSums[dx.place(from)] += dy.at(i) * w.at(weight);
      dwSums[dw.place(weight)] += dy.at(i) * x.at(from);
    });
  });
  compare("convolution", y, [&](const Dims &i) { return 2 * sums[y.place(i)]; });
  compare("convolution's data gradient", dx, [&](const Dims &i) { return 2 * dxSums[dx.place(i)]; });
  compare("convolution's filter gradient", dw, [&](const Dims &i) { return 2 * dwSums[dw.place(i)]; });
}
static void test_convolutions() {
  test_convolutions_of(4, 6, {7, 8}, {3, 2}, {2, 1}, {1, 2});
  test_convolutions_of(28, 28, {7, 8}, {3, 3}, {1, 1}, {1, 1}); // by Winograd's method
}

/// A norm, its statistics and its gradients: `isMember` says over which dimensions the mean goes.
static void test_norm(int mode, const Dims &parameters, const Dims &statistics) {
  Tensor x({4, 3, 5, 2}), scale(parameters), bias(parameters), mean(statistics), inverse(statistics), y({4, 3, 5, 2}),
      dy({4, 3, 5, 2}), dx({4, 3, 5, 2}), dScale(parameters), dBias(parameters), epsilon({1, 1, 1, 1}, {}, false, true);
  epsilon.host[0] = 0.01f;
  bool isCentred = mode != CUDNN_RMS_NORM;
  Descriptor forward(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR),
      back(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
  forward.choice(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, mode);
  forward.choice(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, x.d);
  if (isCentred) forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, mean.d);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, inverse.d);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, scale.d);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, bias.d);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, epsilon.d);
  forward.part(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, y.d);
  forward.finalize();
  back.choice(CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_TYPE_NORM_MODE, mode);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, x.d);
  if (isCentred) back.part(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, mean.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, inverse.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, dy.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, scale.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, dScale.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, dBias.d);
  back.part(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, dx.d);
  back.finalize();
  run({&forward}, {&x, &scale, &bias, &mean, &inverse, &y, &epsilon});
  run({&back}, {&x, &scale, &mean, &inverse, &dy, &dx, &dScale, &dBias});
  struct Group {
    double count = 0, sum = 0, squares = 0, gradient = 0, weighted = 0;
  };
  std::vector<Group> groups((size_t)count_of(statistics));
  auto group = [&](const Dims &i) -> Group & { return groups[mean.place(i)]; };
  auto mean_of = [&](const Dims &i) { return isCentred ? group(i).sum / group(i).count : 0; };
  auto inverse_of = [&](const Dims &i) { return 1 / std::sqrt(group(i).squares / group(i).count + 0.01); };
  auto normal = [&](const Dims &i) { return (x.at(i) - mean_of(i)) * inverse_of(i); };
  each(x.dims, [&](const Dims &i) { group(i).count++, group(i).sum += x.at(i); });
  each(x.dims, [&](const Dims &i) { group(i).squares += std::pow(x.at(i) - mean_of(i), 2); });
  std::vector<double> dScales(scale.host.size()), dBiases(scale.host.size());
  each(x.dims, [&](const Dims &i) {
    group(i).gradient += dy.at(i) * scale.at(i);
    group(i).weighted += dy.at(i) * scale.at(i) * normal(i);
    dScales[scale.place(i)] += dy.at(i) * normal(i);
    dBiases[scale.place(i)] += dy.at(i);
  });
  compare("norm", y, [&](const Dims &i) { return normal(i) * scale.at(i) + bias.at(i); });
  if (isCentred) compare("norm's mean", mean, mean_of);
  compare("norm's deviation", inverse, inverse_of);
  compare("norm's data gradient", dx, [&](const Dims &i) {
    const Group &g = group(i);
    double all = isCentred ? g.gradient / g.count : 0;
    return inverse_of(i) * (dy.at(i) * scale.at(i) - all - normal(i) * g.weighted / g.count);
  });
  compare("norm's scale gradient", dScale, [&](const Dims &i) { return dScales[scale.place(i)]; });
  compare("norm's bias gradient", dBias, [&](const Dims &i) { return dBiases[scale.place(i)]; });
}
static void test_norms() {
  test_norm(CUDNN_LAYER_NORM, {1, 3, 5, 2}, {4, 1, 1, 1});
  test_norm(CUDNN_RMS_NORM, {1, 3, 5, 2}, {4, 1, 1, 1});
  test_norm(CUDNN_BATCH_NORM, {1, 3, 1, 1}, {1, 3, 1, 1});
  test_norm(CUDNN_INSTANCE_NORM, {1, 3, 1, 1}, {4, 3, 1, 1});
  test_norm(CUDNN_ADA_LAYER_NORM, {4, 3, 5, 2}, {4, 1, 1, 1});
}

static void test_pooling() {
  for (int mode : {CUDNN_RESAMPLE_MAXPOOL, CUDNN_RESAMPLE_AVGPOOL, CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING}) {
    Tensor x({2, 3, 7, 6}), y({2, 3, 4, 3}), dy({2, 3, 4, 3}), dx({2, 3, 7, 6}), index({2, 3, 4, 3});
    // no two elements are the same, so that one is the largest
    for (size_t i = 0; i < x.host.size(); i++) x.host[i] += (float)i * 1e-3f;
    x.upload();
    Descriptor how(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR), forward(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR),
        back(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
    how.choice(CUDNN_ATTR_RESAMPLE_MODE, CUDNN_TYPE_RESAMPLE_MODE, mode);
    how.choice(CUDNN_ATTR_RESAMPLE_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    how.choice(CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_TYPE_PADDING_MODE,
               mode == CUDNN_RESAMPLE_MAXPOOL ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD);
    how.integer(CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, 2);
    how.list(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, {3, 2});
    how.list(CUDNN_ATTR_RESAMPLE_STRIDES, {2, 2});
    how.list(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, {1, 0});
    how.list(CUDNN_ATTR_RESAMPLE_POST_PADDINGS, {1, 0});
    how.finalize();
    forward.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, x.d);
    forward.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, y.d);
    if (mode == CUDNN_RESAMPLE_MAXPOOL) forward.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC, index.d);
    forward.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, how);
    forward.finalize();
    back.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, dy.d);
    back.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, dx.d);
    if (mode == CUDNN_RESAMPLE_MAXPOOL) back.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC, index.d);
    back.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, how);
    back.finalize();
    run({&forward}, {&x, &y, &index});
    run({&back}, {&dy, &dx, &index});
    std::vector<double> gradients(dx.host.size());
    auto pool = [&](const Dims &i, double share) {
      double sum = 0, most = -INFINITY, count = 0;
      Dims best;
      each({3, 2}, [&](const Dims &t) {
        Dims from = {i[0], i[1], i[2] * 2 - 1 + t[0], i[3] * 2 + t[1]};
        if (from[2] < 0 || from[2] >= 7 || from[3] >= 6) return;
        count++;
        sum += x.at(from);
        if (x.at(from) > most) most = x.at(from), best = from;
        gradients[dx.place(from)] += mode == CUDNN_RESAMPLE_MAXPOOL ? 0 : share;
      });
      if (mode == CUDNN_RESAMPLE_MAXPOOL) gradients[dx.place(best)] += share;
      double all = mode == CUDNN_RESAMPLE_AVGPOOL ? 6 : count;
      return std::vector<double>{mode == CUDNN_RESAMPLE_MAXPOOL ? most : sum / all, all};
    };
    compare("pooling", y, [&](const Dims &i) { return pool(i, 0)[0]; });
    each(y.dims, [&](const Dims &i) { pool(i, dy.at(i) / (mode == CUDNN_RESAMPLE_MAXPOOL ? 1 : pool(i, 0)[1])); });
    compare("pooling's gradient", dx, [&](const Dims &i) { return gradients[dx.place(i)]; });
  }
}

static void test_moves() {
  Tensor a({2, 3, 4}), b({2, 2, 4}), y({2, 5, 4}), view({2, 4, 3}, {12, 1, 4}, true), turned({2, 4, 3});
  Descriptor concat(CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR), other = reshape(view, a);
  cudnnBackendDescriptor_t inputs[] = {a.d.d, b.d.d};
  concat.integer(CUDNN_ATTR_OPERATION_CONCAT_AXIS, 1);
  CHECK(concat.set(CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, inputs));
  concat.part(CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC, y.d);
  concat.finalize();
  Descriptor copy = pointwise(CUDNN_POINTWISE_IDENTITY, turned, view);
  run({&concat, &other, &copy}, {&a, &b, &y, &turned});
  compare("concatenation", y, [&](const Dims &i) { return i[1] < 3 ? a.at(i) : b.at({i[0], i[1] - 3, i[2]}); });
  compare("view", turned, [&](const Dims &i) { return a.at({i[0], i[2], i[1]}); });
  // half of many numbers that are drawn are ones, and the same seed draws the same
  Tensor mask({64, 64}), again({64, 64});
  for (Tensor *t : {&mask, &again}) {
    Descriptor operation = coins(*t);
    run({&operation}, {t});
    t->host = t->download();
  }
  double ones = 0;
  for (float one : mask.host) ones += one;
  if (std::fabs(ones - 2048) > 200 || mask.host != again.host) printf("random numbers: %g ones\n", ones), failures++;
}

static void test_statuses() {
  cudnnBackendDescriptor_t made;
  EXPECT(CUDNN_STATUS_BAD_PARAM_NULL_POINTER,
         cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, nullptr));
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED, cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)99, &made));
  Descriptor open(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  int64_t one = 1, count;
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnBackendFinalize(open.d));
  EXPECT(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, cudnnBackendGetAttribute(open.d, CUDNN_ATTR_TENSOR_UNIQUE_ID,
                                                                        CUDNN_TYPE_INT64, 1, &count, &one));
  EXPECT(CUDNN_STATUS_BAD_PARAM, open.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &one));
  EXPECT(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, open.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_DOUBLE, 1, &one));
  EXPECT(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, open.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, nullptr));
  Tensor a({1, 4, 5}), b({1, 6, 7}), c({1, 4, 7});
  EXPECT(CUDNN_STATUS_NOT_INITIALIZED, a.d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &one));
  int64_t dims[8];
  CHECK(cudnnBackendGetAttribute(a.d.d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 8, &count, dims));
  if (count != 3 || dims[2] != 5) printf("dimensions\n"), failures++;
  Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  EXPECT(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
         operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &how.d));
  how.choice(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  how.finalize();
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
  EXPECT(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, cudnnBackendFinalize(operation.d));
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR), text(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnBackendFinalize(graph.d));
  // a virtual tensor that nothing writes
  Tensor lost({1, 4, 5}, {}, true), y({1, 4, 5});
  Descriptor copy = pointwise(CUDNN_POINTWISE_IDENTITY, y, lost);
  EXPECT(CUDNN_STATUS_BAD_PARAM, graph_of(graph, {&copy}));
  CHECK(text.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 3, "{}"));
  EXPECT(CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH, cudnnBackendFinalize(text.d));
  EXPECT(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, cudnnBackendExecute(handle, nullptr, nullptr));
  EXPECT(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, cudnnBackendExecute(handle, a.d.d, a.d.d));
  CHECK(cudnnBackendInitialize(graph.d));
}
