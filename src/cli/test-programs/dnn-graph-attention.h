// The cases of dnn-graph.cu that are parts of attention: lengths, caches, gradients; and what large graphs do.

/// Products of which only some rows, columns and terms count.
static void test_limits() {
  const int64_t b = 3, h = 2, m = 40, depth = 70, n = 9;
  Tensor x({b, h, m, depth}), w({b, 1, depth, n}), y({b, h, m, n}), turned({b, h, n, m}, {h * n * m, n * m, 1, n});
  Tensor rows({b, 1, 1, 1}, Integers({40, 2, 0})), columns({b, 1, 1, 1}, Integers({9, 4, 3})),
      terms({b, 1, 1, 1}, Integers({70, 33, 1}));
  Descriptor first = matmul(x, w, y, &rows, &columns, &terms, -3);
  run({&first}, {&x, &w, &y, &rows, &columns, &terms});
  auto expected = [&](const Dims &i, int64_t row, int64_t column) {
    if (row >= rows.at({i[0]}) || column >= columns.at({i[0]})) return -3.0;
    double all = 0;
    for (int64_t k = 0; k < terms.at({i[0]}); k++) all += x.at({i[0], i[1], row, k}) * w.at({i[0], 0, k, column});
    return all;
  };
  compare("limited product", y, [&](const Dims &i) { return expected(i, i[2], i[3]); });
  // (x w)^T = w^T x^T: lanes lie along the other dimension
  Tensor wT({b, 1, n, depth}, {depth * n, depth * n, 1, n}), xT({b, h, depth, m}, {h * m * depth, m * depth, 1, depth});
  wT.host = w.host, xT.host = x.host;
  wT.upload(), xT.upload();
  Descriptor second = matmul(wT, xT, turned, &columns, &rows, &terms, -3);
  run({&second}, {&wT, &xT, &turned, &rows, &columns, &terms});
  compare("limited product, transposed", turned, [&](const Dims &i) { return expected(i, i[3], i[2]); });
}

static Descriptor paged_load(const Tensor &y, const Tensor &blocks, const Tensor &table, const Tensor &lengths) {
  Descriptor operation(CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR);
  operation.part(CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_CONTAINER_DESC, blocks.d);
  operation.part(CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_YDESC, y.d);
  operation.part(CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_SEQUENCE_DESC, lengths.d);
  operation.part(CUDNN_ATTR_OPERATION_PAGED_CACHE_LOAD_PAGE_TABLE_DESC, table.d);
  operation.finalize();
  return operation;
}
/// Keys and values in blocks of four positions.
static void test_paged_caches() {
  const int64_t b = 2, h = 2, s = 10, d = 8;
  Tensor blocks({7, h, 4, d}), keys({b, h, d, s}, {h * d * s, d * s, 1, d}), values({b, h, s, d});
  Tensor table({b, 1, 3, 1}, Integers({5, 0, 3, 2, 6, 1})), lengths({b, 1, 1, 1}, Integers({10, 6}));
  Descriptor first = paged_load(keys, blocks, table, lengths), second = paged_load(values, blocks, table, lengths);
  run({&first, &second}, {&blocks, &keys, &values, &table, &lengths});
  auto expected = [&](int64_t i, int64_t j, int64_t position, int64_t element) {
    if (position >= lengths.at({i})) return 0.0;
    return blocks.at({(int64_t)table.at({i, 0, position / 4, 0}), j, position % 4, element});
  };
  compare("paged keys", keys, [&](const Dims &i) { return expected(i[0], i[1], i[3], i[2]); });
  compare("paged values", values, [&](const Dims &i) { return expected(i[0], i[1], i[2], i[3]); });
}

/// Sequences of different lengths, one behind the other: a product, and a sum of two.
static void test_sequences() {
  const int64_t b = 3, h = 2, s = 6, d = 5, n = 4;
  const std::vector<int> lengths = {6, 2, 3};
  std::vector<int> inPlaces = {0}, outPlaces = {0};
  for (int length : lengths) {
    inPlaces.push_back(inPlaces.back() + length * (int)(h * d));
    outPlaces.push_back(outPlaces.back() + length * (int)(h * n));
  }
  Tensor rows({b, 1, 1, 1}, Integers(lengths)), in({b + 1, 1, 1, 1}, Integers(inPlaces)),
      out({b + 1, 1, 1, 1}, Integers(outPlaces));
  Tensor x({b, h, s, d}, {s * h * d, d, h * d, 1}, false, false, CUDNN_DATA_FLOAT, &in), w({b, 1, d, n}),
      y({b, h, s, n}, {s * h * n, n, h * n, 1}, false, false, CUDNN_DATA_FLOAT, &out), sum({b, h, s, n}, {}, true);
  y.host.assign(y.host.size(), 77);
  y.upload();
  Descriptor product = matmul(x, w, sum, &rows), twice = pointwise(CUDNN_POINTWISE_ADD, y, sum, &sum);
  run({&product, &twice}, {&x, &w, &y, &rows, &in, &out});
  std::vector<float> is = y.download(), should = y.host;
  each(y.dims, [&](const Dims &i) {
    size_t batch = (size_t)i[0];
    if (i[2] >= lengths[batch]) return;
    double all = 0;
    for (int64_t k = 0; k < d; k++)
      all += 2 * x.host[(size_t)(inPlaces[batch] + i[1] * d + i[2] * h * d + k)] * w.at({i[0], 0, k, i[3]});
    should[(size_t)(outPlaces[batch] + i[1] * n + i[2] * h * n + i[3])] = (float)all;
  });
  for (size_t i = 0; i < is.size(); i++)
    if (std::fabs(is[i] - should[i]) > 1e-5) {
      printf("sequences: element %d is %g, expected %g\n", (int)i, is[i], should[i]);
      failures++;
      return;
    }
}

/// The gradients of attention with a bias, lengths, a causal mask, dropout and queries that share keys, as frontends
/// write them.
static void test_gradients_of_attention() {
  const int64_t b = 2, h = 4, g = 2, sq = 7, sk = 9, d = 6;
  Tensor q({b, h, sq, d}), k({b, g, d, sk}, {g * d * sk, d * sk, 1, d}), v({b, g, d, sk}, {g * d * sk, d * sk, 1, d}),
      o({b, h, sq, d}), dO({b, h, sq, d}), stats({b, h, sq, 1}), bias({1, h, sq, sk}), drop({b, h, sq, sk}),
      rows({b, 1, 1, 1}, Integers({7, 4})), columns({b, 1, 1, 1}, Integers({9, 5}));
  Tensor dQ({b, h, sq, d}), dK({b, g, sk, d}), dV({b, g, sk, d}), dBias({1, h, sq, sk}), softSum({b, h, sq, 1});
  Tensor scale({1, 1, 1, 1}, {}, false, true), keep({1, 1, 1, 1}, {}, false, true),
      kept({1, 1, 1, 1}, {}, false, true), least({1, 1, 1, 1}, {}, false, true);
  scale.host[0] = 0.25f, keep.host[0] = 2, kept.host[0] = 0.5f, least.host[0] = -INFINITY;
  for (float &one : drop.host) one = one > 0;
  drop.upload();
  auto is_seen = [&](int64_t i, int64_t m, int64_t n) { return m < rows.at({i}) && n < columns.at({i}) && n <= m; };
  auto score = [&](int64_t i, int64_t j, int64_t m, int64_t n) {
    double all = 0;
    for (int64_t c = 0; c < d; c++) all += q.at({i, j, m, c}) * k.at({i, j / 2, c, n});
    return 0.25 * all + bias.at({0, j, m, n});
  };
  each({b, h, sq}, [&](const Dims &i) {
    double total = 0;
    std::vector<double> sums((size_t)d);
    for (int64_t n = 0; n < sk; n++) {
      if (!is_seen(i[0], i[2], n)) continue;
      double e = std::exp(score(i[0], i[1], i[2], n));
      total += e;
      for (int64_t c = 0; c < d; c++)
        sums[(size_t)c] += e * 2 * drop.at({i[0], i[1], i[2], n}) * v.at({i[0], i[1] / 2, c, n});
    }
    stats.host[stats.place({i[0], i[1], i[2], 0})] = total > 0 ? (float)std::log(total) : 0;
    for (int64_t c = 0; c < d; c++)
      o.host[o.place({i[0], i[1], i[2], c})] = total > 0 ? (float)(sums[(size_t)c] / total) : 0;
  });
  o.upload(), stats.upload();
  Dims square = {b, h, sq, sk}, turned = {b, h, sk, sq}, turnedStrides = {h * sq * sk, sq * sk, 1, sk};
  auto temp = [](const Dims &dims, int type = CUDNN_DATA_FLOAT) { return Tensor(dims, {}, true, false, type); };
  Tensor both = temp(dO.dims), sum = temp(stats.dims), s = temp(square), scaled = temp(square), biased = temp(square),
         row = temp(square, CUDNN_DATA_INT32), column = temp(square, CUDNN_DATA_INT32),
         isRow = temp(square, CUDNN_DATA_BOOLEAN), isColumn = temp(square, CUDNN_DATA_BOOLEAN),
         isIn = temp(square, CUDNN_DATA_BOOLEAN), isBefore = temp(square, CUDNN_DATA_BOOLEAN), inside = temp(square),
         less = temp(square), masked = temp(square), p = temp(square), dropped = temp(square), grown = temp(square),
         pT(turned, turnedStrides, true), dVs = temp({b, h, sk, d}), dP = temp(square), dPDropped = temp(square),
         dPLess = temp(square), dS = temp(square), dSGrown = temp(square), dSScaled = temp(square),
         dST(turned, turnedStrides, true), dKs = temp({b, h, sk, d}),
         kAgain({b, g, sk, d}, {g * d * sk, d * sk, d, 1}, true);
  Descriptor steps[] = {pointwise(CUDNN_POINTWISE_MUL, both, dO, &o),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, sum, both),
                        pointwise(CUDNN_POINTWISE_MUL, softSum, sum, &kept),
                        matmul(q, k, s, &rows, &columns),
                        pointwise(CUDNN_POINTWISE_MUL, scaled, s, &scale),
                        pointwise(CUDNN_POINTWISE_ADD, biased, scaled, &bias),
                        pointwise(CUDNN_POINTWISE_GEN_INDEX, row, biased, nullptr, nullptr, 2),
                        pointwise(CUDNN_POINTWISE_GEN_INDEX, column, biased, nullptr, nullptr, 3),
                        pointwise(CUDNN_POINTWISE_CMP_LT, isRow, row, &rows),
                        pointwise(CUDNN_POINTWISE_CMP_LT, isColumn, column, &columns),
                        pointwise(CUDNN_POINTWISE_LOGICAL_AND, isIn, isRow, &isColumn),
                        pointwise(CUDNN_POINTWISE_BINARY_SELECT, inside, biased, &least, &isIn),
                        pointwise(CUDNN_POINTWISE_SUB, less, inside, &stats),
                        pointwise(CUDNN_POINTWISE_CMP_GE, isBefore, row, &column),
                        pointwise(CUDNN_POINTWISE_BINARY_SELECT, masked, less, &least, &isBefore),
                        pointwise(CUDNN_POINTWISE_EXP, p, masked),
                        pointwise(CUDNN_POINTWISE_MUL, dropped, p, &drop),
                        pointwise(CUDNN_POINTWISE_MUL, grown, dropped, &keep),
                        reshape(pT, grown),
                        matmul(pT, dO, dVs, &columns, nullptr, &rows),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, dV, dVs),
                        matmul(dO, v, dP, &rows, &columns),
                        pointwise(CUDNN_POINTWISE_MUL, dPDropped, dP, &drop),
                        pointwise(CUDNN_POINTWISE_SUB, dPLess, dPDropped, &softSum),
                        pointwise(CUDNN_POINTWISE_MUL, dS, dPLess, &p),
                        pointwise(CUDNN_POINTWISE_MUL, dSGrown, dS, &keep),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, dBias, dSGrown),
                        pointwise(CUDNN_POINTWISE_MUL, dSScaled, dSGrown, &scale),
                        reshape(dST, dSScaled),
                        matmul(dST, q, dKs, &columns, nullptr, &rows),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, dK, dKs),
                        reshape(kAgain, k),
                        matmul(dSScaled, kAgain, dQ, &rows, nullptr, &columns)};
  Operations all;
  for (const Descriptor &one : steps) all.push_back(&one);
  run(all, {&q, &k, &v, &o, &dO, &stats, &bias, &drop, &rows, &columns, &dQ, &dK, &dV, &dBias, &softSum, &scale, &keep,
            &kept, &least});
  std::vector<double> dQs(dQ.host.size()), dKSums(dK.host.size()), dVSums(dV.host.size()), dBiases(dBias.host.size());
  each(square, [&](const Dims &i) {
    if (!is_seen(i[0], i[2], i[3])) return;
    double p = std::exp(score(i[0], i[1], i[2], i[3]) - stats.at({i[0], i[1], i[2], 0})), dP = 0, all = 0;
    for (int64_t c = 0; c < d; c++) {
      dP += dO.at({i[0], i[1], i[2], c}) * v.at({i[0], i[1] / 2, c, i[3]});
      all += dO.at({i[0], i[1], i[2], c}) * o.at({i[0], i[1], i[2], c});
    }
    double dS = p * (2 * drop.at(i) * dP - all);
    dBiases[dBias.place(i)] += dS;
    for (int64_t c = 0; c < d; c++) {
      dVSums[dV.place({i[0], i[1] / 2, i[3], c})] += p * 2 * drop.at(i) * dO.at({i[0], i[1], i[2], c});
      dQs[dQ.place({i[0], i[1], i[2], c})] += 0.25 * dS * k.at({i[0], i[1] / 2, c, i[3]});
      dKSums[dK.place({i[0], i[1] / 2, i[3], c})] += 0.25 * dS * q.at({i[0], i[1], i[2], c});
    }
  });
  compare("attention's queries' gradient", dQ, [&](const Dims &i) { return dQs[dQ.place(i)]; });
  compare("attention's keys' gradient", dK, [&](const Dims &i) { return dKSums[dK.place(i)]; });
  compare("attention's values' gradient", dV, [&](const Dims &i) { return dVSums[dV.place(i)]; });
  compare("attention's bias's gradient", dBias, [&](const Dims &i) { return dBiases[dBias.place(i)]; });
}

/// A graph whose work space would be large does one batch, or head, after the other: with the same random numbers.
static void test_batches() {
  const int64_t b = 2, h = 3, s = 1000, d = 4;
  Dims square = {b, h, s, s}, row = {b, h, s, 1};
  Tensor q({b, h, s, d}), k({b, h, d, s}), scale({1, h, 1, 1}), sums(row), counts(row), coinsAlone(square);
  Tensor p(square, {}, true), scaled(square, {}, true), e(square, {}, true), mask(square, {}, true),
      dropped(square, {}, true);
  Descriptor steps[] = {matmul(q, k, p),         pointwise(CUDNN_POINTWISE_MUL, scaled, p, &scale),
                        pointwise(CUDNN_POINTWISE_EXP, e, scaled), coins(mask),
                        pointwise(CUDNN_POINTWISE_MUL, dropped, e, &mask),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, sums, dropped),
                        reduction(CUDNN_REDUCE_TENSOR_ADD, counts, mask)};
  Operations all;
  for (const Descriptor &one : steps) all.push_back(&one);
  int64_t bytes = run(all, {&q, &k, &scale, &sums, &counts});
  if (bytes > 4 * s * s * 4) printf("batches: %d bytes of work space\n", (int)bytes), failures++;
  Descriptor alone = coins(coinsAlone);
  run({&alone}, {&coinsAlone});
  std::vector<float> drawn = coinsAlone.download();
  auto total = [&](const Dims &i, bool isCount) {
    double all = 0;
    for (int64_t n = 0; n < s; n++) {
      double score = 0;
      if (drawn[coinsAlone.place({i[0], i[1], i[2], n})] == 0) continue;
      for (int64_t c = 0; c < d && !isCount; c++)
        score += q.host[(size_t)(((i[0] * h + i[1]) * s + i[2]) * d + c)] *
                 k.host[(size_t)(((i[0] * h + i[1]) * d + c) * s + n)];
      all += std::exp(score * scale.host[(size_t)i[1]]);
    }
    return all;
  };
  compare("batches", sums, [&](const Dims &i) { return total(i, false); });
  compare("batches' random numbers", counts, [&](const Dims &i) { return total(i, true); });
}

/// So much work space that batches could run one after the other, but for a tensor that has them where another one has
/// heads.
static void test_moved_batches() {
  const int64_t b = 4, s = 1500, d = 2;
  Dims strides = {s * d, s * d, d, 1};
  Tensor x({1, b, s, d}, strides), k({b, 1, d, s}), sums({b, 1, s, 1});
  Tensor moved({b, 1, s, d}, strides, true), p({b, 1, s, s}, {}, true);
  Descriptor steps[] = {reshape(moved, x), matmul(moved, k, p), reduction(CUDNN_REDUCE_TENSOR_ADD, sums, p)};
  run({&steps[0], &steps[1], &steps[2]}, {&x, &k, &sums});
  std::vector<double> ofColumns((size_t)(b * d));
  each({b, s, d}, [&](const Dims &i) { ofColumns[(size_t)(i[0] * d + i[2])] += k.at({i[0], 0, i[2], i[1]}); });
  compare("moved batches", sums, [&](const Dims &i) {
    double all = 0;
    for (int64_t c = 0; c < d; c++) all += x.at({0, i[0], i[2], c}) * ofColumns[(size_t)(i[0] * d + c)];
    return all;
  });
}

/// Floats of 8 bits: a convolution with a scale and its largest result, its gradient, and a product.
static void test_eight_bits() {
  const int fp8 = CUDNN_DATA_FP8_E4M3;
  auto rounded = [](double x) {
    __nv_fp8_storage_t byte = __nv_cvt_float_to_fp8((float)x, __NV_SATFINITE, __NV_E4M3);
    return (double)__half2float(__half(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3)));
  };
  const int64_t n = 2, c = 3, size = 6, k = 4, out = 4;
  const Dims none = {0, 0}, one = {1, 1};
  Tensor x({n, c, size, size}, {}, false, false, fp8), w({k, c, 3, 3}, {}, false, false, fp8),
      sum({n, k, out, out}, {}, true), scale({1, 1, 1, 1}), scaled({n, k, out, out}, {}, true),
      y({n, k, out, out}, {}, false, false, fp8), most({1, 1, 1, 1}), dx({n, c, size, size}, {}, false, false, fp8),
      dy({n, k, out, out}, {}, false, false, CUDNN_DATA_FP8_E5M2);
  Descriptor forward = convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                   CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, {&w, &x, &sum}, none, none, one,
                                   one);
  Descriptor data = convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, {&w, &dx, &dy}, none, none, one, one);
  Descriptor grown = pointwise(CUDNN_POINTWISE_MUL, scaled, sum, &scale);
  Descriptor narrowed = pointwise(CUDNN_POINTWISE_IDENTITY, y, scaled);
  Descriptor largest = reduction(CUDNN_REDUCE_TENSOR_AMAX, most, scaled);
  scale.host[0] = 0.5f;
  scale.upload();
  run({&forward, &grown, &narrowed, &largest, &data}, {&x, &w, &scale, &y, &most, &dx, &dy});
  std::vector<double> sums(y.host.size()), dxSums(dx.host.size());
  each(y.dims, [&](const Dims &i) {
    each({c, 3, 3}, [&](const Dims &t) {
      Dims from = {i[0], t[0], i[2] + t[1], i[3] + t[2]}, weight = {i[1], t[0], t[1], t[2]};
      sums[y.place(i)] += x.at(from) * w.at(weight);
      dxSums[dx.place(from)] += 2 * dy.at(i) * w.at(weight);
    });
  });
  double amax = 0;
  for (double one : sums) amax = std::fmax(amax, std::fabs(one));
  compare("bytes' convolution", y, [&](const Dims &i) { return rounded(sums[y.place(i)]); });
  compare("bytes' largest result", most, [&](const Dims &) { return amax; });
  compare("bytes' data gradient", dx, [&](const Dims &i) { return rounded(dxSums[dx.place(i)]); });
  Tensor a({2, 5, 40}, {}, false, false, fp8), b({2, 40, 3}, {}, false, false, CUDNN_DATA_FP8_E5M2),
      product({2, 5, 3}, {}, false, false, fp8);
  Descriptor multiply = matmul(a, b, product);
  run({&multiply}, {&a, &b, &product});
  compare("bytes' product", product, [&](const Dims &i) {
    double all = 0;
    for (int64_t j = 0; j < 40; j++) all += a.at({i[0], i[1], j}) * b.at({i[0], j, i[2]});
    return rounded(all);
  });
}
