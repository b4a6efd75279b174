// Multi-head attention, transforms, spatial transformers and norms of cuDNN: results against loops in double precision,
// gradients against differences of the results along random directions.
#include <functional>
#include "dnn-numbers.h"

typedef std::function<double(const Numbers &)> Loss;
/// A gradient must agree with differences of the loss.
static void slope(const char *name, const Numbers &at, const Numbers &gradient, const Loss &loss) {
  for (int turn = 0; turn < 3; turn++) {
    Numbers direction = numbers(at.size());
    double expected = (loss(moved(at, direction, 1e-5)) - loss(moved(at, direction, -1e-5))) / 2e-5;
    double got = dot(gradient, direction);
    if (!(std::fabs(expected - got) <= 1e-6 * (1 + std::fabs(expected))))
      printf("%s: slope %.12g, expected %.12g\n", name, got, expected), failures++;
  }
}
static void compare(const char *name, const Numbers &is, const Numbers &expected) {
  for (size_t i = 0; i < expected.size(); i++)
    if (is.size() != expected.size() || !(std::fabs(is[i] - expected[i]) <= 1e-9 * (1 + std::fabs(expected[i])))) {
      printf("%s: element %d is %.12g, expected %.12g\n", name, (int)i, is[i], expected[i]);
      failures++;
      return;
    }
}

struct Head {
  int heads, beams, batch, queries, keys, size[3], projected[3], output;
  bool isOneToOne, hasBias;
};
static void test_attention(const Head &a) {
  cudnnAttnDescriptor_t d;
  cudnnSeqDataDescriptor_t desc[4];
  CHECK(cudnnCreateAttnDescriptor(&d));
  unsigned mode = (a.isOneToOne ? CUDNN_ATTN_QUERYMAP_ONE_TO_ONE : CUDNN_ATTN_QUERYMAP_ALL_TO_ONE) |
                  (a.hasBias ? CUDNN_ATTN_ENABLE_PROJ_BIASES : CUDNN_ATTN_DISABLE_PROJ_BIASES);
  CHECK(cudnnSetAttnDescriptor(d, mode, a.heads, 0.5, CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, nullptr,
                               nullptr, a.size[0], a.size[1], a.size[2], a.projected[0], a.projected[1],
                               a.projected[2], a.output, a.queries, a.keys, a.batch, a.beams));
  int width[4], valueWidth = a.projected[2] ? a.projected[2] : a.size[2];
  for (int i = 0; i < 3; i++) width[i] = a.size[i];
  width[3] = a.output ? a.output : a.heads * valueWidth;
  int keyBeams = a.isOneToOne ? a.beams : 1;
  std::vector<int> lengths[2], low, high;
  for (int i = 0; i < a.batch * a.beams; i++) lengths[0].push_back(a.queries - i % 2);
  for (int i = 0; i < a.batch * keyBeams; i++) lengths[1].push_back(a.keys - i % 2);
  for (int q = 0; q < a.queries; q++) low.push_back(q > 1), high.push_back(q + 2);
  Numbers x[3];
  for (int i = 0; i < 4; i++) {
    bool isKey = i == 1 || i == 2;
    int beams = isKey ? keyBeams : a.beams, times = isKey ? a.keys : a.queries;
    int dims[4];
    dims[CUDNN_SEQDATA_TIME_DIM] = times, dims[CUDNN_SEQDATA_BATCH_DIM] = a.batch;
    dims[CUDNN_SEQDATA_BEAM_DIM] = beams, dims[CUDNN_SEQDATA_VECT_DIM] = width[i];
    const cudnnSeqDataAxis_t axes[] = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
                                       CUDNN_SEQDATA_VECT_DIM};
    CHECK(cudnnCreateSeqDataDescriptor(&desc[i]));
    CHECK(cudnnSetSeqDataDescriptor(desc[i], CUDNN_DATA_DOUBLE, 4, dims, axes, lengths[isKey].size(),
                                    lengths[isKey].data(), nullptr));
    if (i < 3) x[i] = numbers((size_t)times * a.batch * beams * width[i]);
  }
  size_t weightBytes, work, inferenceWork, reserve;
  CHECK(cudnnGetMultiHeadAttnBuffers(handle, d, &weightBytes, &inferenceWork, nullptr));
  CHECK(cudnnGetMultiHeadAttnBuffers(handle, d, &weightBytes, &work, &reserve));
  Numbers w = numbers(weightBytes / 8);
  size_t outputs = (size_t)a.queries * a.batch * a.beams * width[3];
  Array<int> queryLengths(lengths[0]), keyLengths(lengths[1]);
  Array<char> workSpace(inferenceWork), reserveSpace(reserve);
  auto forward = [&](const Numbers *in, const Numbers &weights, bool isTraining) {
    Array<double> q(in[0]), k(in[1]), v(in[2]), ws(weights), o(outputs);
    CHECK(cudnnMultiHeadAttnForward(handle, d, -1, low.data(), high.data(), queryLengths.data, keyLengths.data, desc[0],
                                    q.data, nullptr, desc[1], k.data, desc[2], v.data, desc[3], o.data, weightBytes,
                                    ws.data, isTraining ? work : inferenceWork, workSpace.data,
                                    isTraining ? reserve : 0, isTraining ? reserveSpace.data : nullptr));
    return o.read();
  };
  // by loops, with the weights where the library says that they are
  auto weight = [&](int kind, int head, int row, int column, int columns) {
    cudnnTensorDescriptor_t t;
    cudnnCreateTensorDescriptor(&t);
    void *at = nullptr;
    double base;
    CHECK(cudnnGetMultiHeadAttnWeights(handle, d, (cudnnMultiHeadAttnWeightKind_t)kind, weightBytes, &base, t, &at));
    int rank, dims[3], strides[3];
    cudnnDataType_t type;
    cudnnGetTensorNdDescriptor(t, 3, &type, &rank, dims, strides);
    cudnnDestroyTensorDescriptor(t);
    size_t first = (size_t)((char *)at - (char *)&base) / 8;
    if (columns != dims[2]) printf("weights have %d columns, not %d\n", dims[2], columns), failures++;
    return w[first + (size_t)(head * strides[0] + row * strides[1] + column * strides[2])];
  };
  auto element = [&](int i, int time, int batch, int beam, int e) {
    int beams = i == 1 || i == 2 ? keyBeams : a.beams;
    return x[i][(size_t)(((time * a.batch + batch) * beams + beam) * width[i] + e)];
  };
  auto projected = [&](int i, int head, int time, int batch, int beam) {
    Numbers p;
    if (!a.projected[i]) for (int e = 0; e < a.size[i]; e++) p.push_back(element(i, time, batch, beam, e));
    for (int row = 0; row < a.projected[i]; row++) {
      double sum = a.hasBias ? weight(4 + i, head, row, 0, 1) : 0;
      for (int e = 0; e < a.size[i]; e++) sum += weight(i, head, row, e, a.size[i]) * element(i, time, batch, beam, e);
      p.push_back(sum);
    }
    return p;
  };
  Numbers expected(outputs, 0);
  for (int batch = 0; batch < a.batch; batch++)
    for (int beam = 0; beam < a.beams; beam++)
      for (int query = 0; query < lengths[0][(size_t)(batch * a.beams + beam)]; query++) {
        double *to = &expected[(size_t)(((query * a.batch + batch) * a.beams + beam) * width[3])];
        int keyBeam = a.isOneToOne ? beam : 0, length = lengths[1][(size_t)(batch * keyBeams + keyBeam)];
        for (int o = 0; o < a.output && a.hasBias; o++) to[o] = weight(7, 0, o, 0, 1);
        for (int head = 0; head < a.heads; head++) {
          Numbers q = projected(0, head, query, batch, beam), result((size_t)valueWidth, 0);
          double all = 0;
          for (int key = low[(size_t)query]; key < high[(size_t)query] && key < length; key++) {
            double chance = std::exp(0.5 * dot(q, projected(1, head, key, batch, keyBeam)));
            Numbers v = projected(2, head, key, batch, keyBeam);
            all += chance;
            for (int e = 0; e < valueWidth; e++) result[(size_t)e] += chance * v[(size_t)e];
          }
          for (int e = 0; e < valueWidth; e++) {
            double share = all > 0 ? result[(size_t)e] / all : 0;
            if (!a.output) to[head * valueWidth + e] = share;
            for (int o = 0; o < a.output; o++) to[o] += weight(3, head, o, e, valueWidth) * share;
          }
        }
      }
  compare("attention", forward(x, w, false), expected);
  compare("attention in training", forward(x, w, true), expected);
  Numbers g = numbers(outputs);
  Array<double> q(x[0]), k(x[1]), v(x[2]), ws(w), dout(g), dq(x[0].size()), dk(x[1].size()), dv(x[2].size()),
      dw(numbers(w.size()));
  CHECK(cudnnMultiHeadAttnBackwardData(handle, d, low.data(), high.data(), queryLengths.data, keyLengths.data, desc[3],
                                       dout.data, desc[0], dq.data, q.data, desc[1], dk.data, k.data, desc[2], dv.data,
                                       v.data, weightBytes, ws.data, work, workSpace.data, reserve, reserveSpace.data));
  CHECK(cudnnMultiHeadAttnBackwardWeights(handle, d, CUDNN_WGRAD_MODE_SET, desc[0], q.data, desc[1], k.data, desc[2],
                                          v.data, desc[3], dout.data, weightBytes, ws.data, dw.data, work,
                                          workSpace.data, reserve, reserveSpace.data));
  Numbers gradients[] = {dq.read(), dk.read(), dv.read()};
  const char *names[] = {"queries", "keys", "values"};
  for (int i = 0; i < 3; i++)
    slope(names[i], x[i], gradients[i], [&](const Numbers &at) {
      Numbers in[] = {x[0], x[1], x[2]};
      in[i] = at;
      return dot(forward(in, w, false), g);
    });
  if (!w.empty()) slope("weights", w, dw.read(), [&](const Numbers &at) { return dot(forward(x, at, false), g); });
  EXPECT(CUDNN_STATUS_BAD_PARAM,
         cudnnMultiHeadAttnForward(handle, d, -1, low.data(), high.data(), queryLengths.data, keyLengths.data, desc[0],
                                   q.data, nullptr, desc[1], k.data, desc[2], v.data, desc[3], dout.data, weightBytes,
                                   ws.data, 1, workSpace.data, 0, nullptr));
  for (cudnnSeqDataDescriptor_t one : desc) CHECK(cudnnDestroySeqDataDescriptor(one));
  CHECK(cudnnDestroyAttnDescriptor(d));
}

static cudnnTensorDescriptor_t tensor(int n, int c, int h, int w) {
  cudnnTensorDescriptor_t d;
  cudnnCreateTensorDescriptor(&d);
  CHECK(cudnnSetTensor4dDescriptor(d, CUDNN_TENSOR_NCHW, CUDNN_DATA_DOUBLE, n, c, h, w));
  return d;
}
static const double one = 1, zero = 0, two = 2, half = 0.5;

static void test_spatial() {
  const int n = 2, c = 3, h = 5, w = 4, oh = 3, ow = 6;
  cudnnSpatialTransformerDescriptor_t d;
  CHECK(cudnnCreateSpatialTransformerDescriptor(&d));
  int dims[] = {n, c, oh, ow};
  CHECK(cudnnSetSpatialTransformerNdDescriptor(d, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_DOUBLE, 4, dims));
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED,
         cudnnSetSpatialTransformerNdDescriptor(d, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_DOUBLE, 5, dims));
  cudnnTensorDescriptor_t xDesc = tensor(n, c, h, w), yDesc = tensor(n, c, oh, ow);
  Numbers theta = numbers(n * 6, 0.8), x = numbers(n * c * h * w), g = numbers(n * c * oh * ow), expected;
  auto grid_of = [&](const Numbers &map) {
    Array<double> from(map), grid(n * oh * ow * 2);
    CHECK(cudnnSpatialTfGridGeneratorForward(handle, d, from.data, grid.data));
    return grid.read();
  };
  auto sampled = [&](const Numbers &image, const Numbers &points) {
    Array<double> from(image), grid(points), to(n * c * oh * ow);
    CHECK(cudnnSpatialTfSamplerForward(handle, d, &one, xDesc, from.data, grid.data, &zero, yDesc, to.data));
    return to.read();
  };
  Numbers points = grid_of(theta);
  for (int i = 0; i < n * oh * ow; i++) {
    double px = 2.0 * (i % ow) / (ow - 1) - 1, py = 2.0 * (i / ow % oh) / (oh - 1) - 1;
    const double *t = &theta[(size_t)(i / ow / oh * 6)];
    expected.push_back(t[0] * px + t[1] * py + t[2]);
    expected.push_back(t[3] * px + t[4] * py + t[5]);
  }
  compare("grid", points, expected);
  expected.assign(n * c * oh * ow, 0);
  for (int i = 0; i < n * c * oh * ow; i++) {
    int image = i / (c * oh * ow), point = image * oh * ow + i % (oh * ow);
    double gx = (points[(size_t)point * 2] + 1) * (w - 1) / 2, gy = (points[(size_t)point * 2 + 1] + 1) * (h - 1) / 2;
    for (int row = 0; row < h; row++)
      for (int column = 0; column < w; column++) {
        double wy = 1 - std::fabs(gy - row), wx = 1 - std::fabs(gx - column);
        if (wy > 0 && wx > 0) expected[(size_t)i] += wy * wx * x[(size_t)((i / (oh * ow) * h + row) * w + column)];
      }
  }
  compare("samples", sampled(x, points), expected);
  Array<double> from(x), grid(points), dy(g), dx(numbers(x.size())), dGrid(numbers(points.size())), dTheta(theta.size());
  Numbers before = dx.read(), gridBefore = dGrid.read();
  CHECK(cudnnSpatialTfSamplerBackward(handle, d, &two, xDesc, from.data, &half, xDesc, dx.data, &one, yDesc, dy.data,
                                      grid.data, &zero, dGrid.data));
  Numbers dImage = dx.read();
  for (size_t i = 0; i < dImage.size(); i++) dImage[i] = (dImage[i] - 0.5 * before[i]) / 2;
  slope("sampler's image", x, dImage, [&](const Numbers &at) { return dot(sampled(at, points), g); });
  slope("sampler's grid", points, dGrid.read(), [&](const Numbers &at) { return dot(sampled(x, at), g); });
  CHECK(cudnnSpatialTfGridGeneratorBackward(handle, d, dGrid.data, dTheta.data));
  slope("grid's map", theta, dTheta.read(), [&](const Numbers &at) { return dot(sampled(x, grid_of(at)), g); });
  CHECK(cudnnDestroySpatialTransformerDescriptor(d));
  cudnnDestroyTensorDescriptor(xDesc);
  cudnnDestroyTensorDescriptor(yDesc);
}

static void test_divisive() {
  const int n = 2, c = 2, h = 5, w = 6, window = 4;
  cudnnLRNDescriptor_t d;
  cudnnCreateLRNDescriptor(&d);
  CHECK(cudnnSetLRNDescriptor(d, window, 1.5, 0.75, 2));
  cudnnTensorDescriptor_t t = tensor(n, c, h, w);
  Numbers x = numbers(n * c * h * w), means = numbers(x.size()), g = numbers(x.size()), expected(x.size());
  Array<double> temp(x.size()), temp2(x.size());
  auto forward = [&](const Numbers &at, const Numbers &mean) {
    Array<double> in(at), m(mean), y(x.size());
    CHECK(cudnnDivisiveNormalizationForward(handle, d, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one, t, in.data, m.data,
                                            temp.data, temp2.data, &zero, t, y.data));
    return y.read();
  };
  for (int i = 0; i < n * c * h * w; i++) {
    double sum = 0;
    for (int row = i / w % h - 1; row <= i / w % h + 2; row++)
      for (int column = i % w - 1; column <= i % w + 2; column++) {
        if (row < 0 || row >= h || column < 0 || column >= w) continue;
        size_t at = (size_t)((i / (h * w) * h + row) * w + column);
        sum += std::pow(x[at] - means[at], 2);
      }
    expected[(size_t)i] = x[(size_t)i] * std::pow(2 + 1.5 / 16 * sum, -0.75);
  }
  compare("divisive normalization", forward(x, means), expected);
  Array<double> in(x), m(means), dy(g), dx(x.size()), dMeans(x.size());
  CHECK(cudnnDivisiveNormalizationBackward(handle, d, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &one, t, in.data, m.data,
                                           dy.data, temp.data, temp2.data, &zero, t, dx.data, dMeans.data));
  slope("divisive x", x, dx.read(), [&](const Numbers &at) { return dot(forward(at, means), g); });
  slope("divisive means", means, dMeans.read(), [&](const Numbers &at) { return dot(forward(x, at), g); });
  cudnnDestroyLRNDescriptor(d);
  cudnnDestroyTensorDescriptor(t);
}

static void test_transforms() {
  cudnnTensorTransformDescriptor_t d, back;
  CHECK(cudnnCreateTensorTransformDescriptor(&d));
  CHECK(cudnnCreateTensorTransformDescriptor(&back));
  cudnnTensorDescriptor_t x = tensor(2, 3, 5, 7), y, z;
  cudnnCreateTensorDescriptor(&y);
  cudnnCreateTensorDescriptor(&z);
  const int32_t before[] = {0, 1, 1, 0}, after[] = {0, 0, 0, 1}, notBefore[] = {0, -1, -1, 0}, notAfter[] = {0, 0, 0, -1};
  const uint32_t fold[] = {3, 2};
  CHECK(cudnnSetTensorTransformDescriptor(d, 4, CUDNN_TENSOR_NHWC, before, after, fold, CUDNN_TRANSFORM_FOLD));
  CHECK(cudnnSetTensorTransformDescriptor(back, 4, CUDNN_TENSOR_NCHW, notBefore, notAfter, fold, CUDNN_TRANSFORM_UNFOLD));
  size_t bytes, backBytes;
  CHECK(cudnnInitTransformDest(d, x, y, &bytes));
  CHECK(cudnnInitTransformDest(back, y, z, &backBytes));
  int dims[4], strides[4], rank;
  cudnnDataType_t type;
  cudnnGetTensorNdDescriptor(y, 4, &type, &rank, dims, strides);
  if (dims[1] != 24 || dims[2] != 2 || dims[3] != 4 || strides[1] != 1 || backBytes != 2 * 3 * 5 * 7 * 8)
    printf("folded: %d x %d x %d\n", dims[1], dims[2], dims[3]), failures++;
  Numbers numbersOfX = numbers(2 * 3 * 5 * 7), expected(bytes / 8);
  Array<double> from(numbersOfX), to(bytes / 8), again(numbersOfX.size());
  CHECK(cudnnTransformTensorEx(handle, d, &two, x, from.data, &zero, y, to.data));
  for (int n = 0; n < 2; n++)
    for (int c = 0; c < 24; c++)
      for (int h = 0; h < 2; h++)
        for (int w = 0; w < 4; w++) {
          int channel = c / 6 - 1, row = h * 3 + c % 6 / 2 - 1, column = w * 2 + c % 2;
          bool isIn = channel >= 0 && row >= 0 && column < 7;
          expected[(size_t)(((n * 2 + h) * 4 + w) * 24 + c)] =
              isIn ? 2 * numbersOfX[(size_t)(((n * 3 + channel) * 5 + row) * 7 + column)] : 0;
        }
  compare("folded tensor", to.read(), expected);
  CHECK(cudnnTransformTensorEx(handle, back, &half, y, to.data, &zero, z, again.data));
  compare("unfolded tensor", again.read(), numbersOfX);
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnTransformTensorEx(handle, d, &one, x, from.data, &zero, z, to.data));
  // the gradient of a convolution's data through folded descriptors is the same
  cudnnFilterDescriptor_t w, foldedW;
  cudnnConvolutionDescriptor_t conv, foldedConv;
  cudnnTensorDescriptor_t dy = tensor(2, 4, 3, 4), paddedDy, foldedX;
  cudnnTensorTransformDescriptor_t filterFold, diffPad, gradFold, gradUnfold;
  cudnnCreateFilterDescriptor(&w), cudnnCreateFilterDescriptor(&foldedW);
  cudnnCreateConvolutionDescriptor(&conv), cudnnCreateConvolutionDescriptor(&foldedConv);
  cudnnCreateTensorDescriptor(&paddedDy), cudnnCreateTensorDescriptor(&foldedX);
  for (cudnnTensorTransformDescriptor_t *one : {&filterFold, &diffPad, &gradFold, &gradUnfold})
    cudnnCreateTensorTransformDescriptor(one);
  CHECK(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_DOUBLE, CUDNN_TENSOR_NCHW, 4, 3, 3, 3));
  CHECK(cudnnSetConvolution2dDescriptor(conv, 1, 1, 2, 2, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_DOUBLE));
  CHECK(cudnnGetFoldedConvBackwardDataDescriptors(handle, w, dy, conv, x, CUDNN_TENSOR_NCHW, foldedW, paddedDy,
                                                  foldedConv, foldedX, filterFold, diffPad, gradFold, gradUnfold));
  Array<double> ws(numbers(4 * 27)), dys(numbers(2 * 4 * 12)), dx(2 * 3 * 5 * 7), plain(2 * 3 * 5 * 7);
  CHECK(cudnnConvolutionBackwardData(handle, &one, w, ws.data, dy, dys.data, conv, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                     nullptr, 0, &zero, x, plain.data));
  size_t filterBytes, xBytes, dyBytes;
  cudnnGetFilterSizeInBytes(foldedW, &filterBytes);
  cudnnGetTensorSizeInBytes(foldedX, &xBytes);
  cudnnGetTensorSizeInBytes(paddedDy, &dyBytes);
  Array<double> fw(filterBytes / 8), fx(xBytes / 8), fdy(dyBytes / 8);
  CHECK(cudnnTransformFilter(handle, filterFold, &one, w, ws.data, &zero, foldedW, fw.data));
  CHECK(cudnnTransformTensorEx(handle, diffPad, &one, dy, dys.data, &zero, paddedDy, fdy.data));
  CHECK(cudnnConvolutionBackwardData(handle, &one, foldedW, fw.data, paddedDy, fdy.data, foldedConv,
                                     CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, &zero, foldedX, fx.data));
  CHECK(cudnnTransformTensorEx(handle, gradUnfold, &one, foldedX, fx.data, &zero, x, dx.data));
  compare("folded convolution", dx.read(), plain.read());
  // columns: their product with the filter is the convolution
  Array<double> columns(27 * 2 * 12), image(numbersOfX), result(2 * 4 * 12);
  CHECK(cudnnIm2Col(handle, x, image.data, w, conv, columns.data));
  CHECK(cudnnConvolutionForward(handle, &one, x, image.data, w, ws.data, conv, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                nullptr, 0, &zero, dy, result.data));
  Numbers rows = columns.read(), filter = ws.read(), products(2 * 4 * 12, 0);
  for (int n = 0; n < 2; n++)
    for (int k = 0; k < 4; k++)
      for (int pixel = 0; pixel < 12; pixel++)
        for (int tap = 0; tap < 27; tap++)
          products[(size_t)((n * 4 + k) * 12 + pixel)] +=
              filter[(size_t)(k * 27 + tap)] * rows[(size_t)(tap * 24 + n * 12 + pixel)];
  compare("columns", products, result.read());
}

static void test_norms() {
  const int n = 3, c = 2, h = 4, w = 3;
  cudnnTensorDescriptor_t x = tensor(n, c, h, w), p = tensor(1, c, 1, 1);
  Numbers in = numbers(n * c * h * w);
  Array<double> xs(in), scale(numbers(c)), bias(numbers(c)), y(in.size()), same(in.size()), mean(c), inverse(c),
      running(numbers(c)), variance(numbers(c)), dy(numbers(in.size())), dx(in.size()), dx2(in.size()), ds(c), db(c);
  CHECK(cudnnNormalizationForwardTraining(
      handle, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM, CUDNN_NORM_ALGO_STANDARD, &one, &zero, x, xs.data, p,
      scale.data, bias.data, 0.25, p, running.data, variance.data, 1e-3, mean.data, inverse.data, nullptr, nullptr,
      nullptr, x, y.data, nullptr, 0, nullptr, 0, 1));
  Numbers expected(in.size()), scales = scale.read(), biases = bias.read();
  for (int k = 0; k < c; k++) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < in.size(); i++) if ((int)i / (h * w) % c == k) sum += in[i];
    for (size_t i = 0; i < in.size(); i++)
      if ((int)i / (h * w) % c == k) squares += std::pow(in[i] - sum / (n * h * w), 2);
    for (size_t i = 0; i < in.size(); i++)
      if ((int)i / (h * w) % c == k)
        expected[i] = (in[i] - sum / (n * h * w)) / std::sqrt(squares / (n * h * w) + 1e-3) * scales[(size_t)k] +
                      biases[(size_t)k];
  }
  compare("normalization", y.read(), expected);
  CHECK(cudnnNormalizationBackward(handle, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM, CUDNN_NORM_ALGO_STANDARD, &one,
                                   &zero, &one, &zero, x, xs.data, nullptr, nullptr, x, dy.data, nullptr, nullptr, x,
                                   dx.data, p, scale.data, bias.data, ds.data, db.data, 1e-3, p, mean.data,
                                   inverse.data, nullptr, nullptr, 0, nullptr, 0, 1));
  CHECK(cudnnBatchNormalizationBackward(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, &one, &zero, x, xs.data, x,
                                        dy.data, x, dx2.data, p, scale.data, ds.data, db.data, 1e-3, mean.data,
                                        inverse.data));
  compare("normalization's gradient", dx.read(), dx2.read());
  Array<double> positive(Numbers{0.5, 2});
  CHECK(cudnnNormalizationForwardInference(handle, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM,
                                           CUDNN_NORM_ALGO_STANDARD, &one, &zero, x, xs.data, p, scale.data, bias.data,
                                           p, mean.data, positive.data, nullptr, nullptr, nullptr, x, y.data, 1e-3, 1));
  CHECK(cudnnBatchNormalizationForwardInference(handle, CUDNN_BATCHNORM_SPATIAL, &one, &zero, x, xs.data, x, same.data,
                                                p, scale.data, bias.data, mean.data, positive.data, 1e-3));
  compare("normalization's inference", y.read(), same.read());
  size_t bytes;
  CHECK(cudnnGetNormalizationForwardTrainingWorkspaceSize(handle, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM,
                                                          CUDNN_NORM_ALGO_STANDARD, x, nullptr, x, p, nullptr, p,
                                                          &bytes, 1));
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED,
         cudnnGetNormalizationTrainingReserveSpaceSize(handle, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM,
                                                       CUDNN_NORM_ALGO_STANDARD, nullptr, x, &bytes, 2));
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED, // groups come before the handle
         cudnnGetNormalizationTrainingReserveSpaceSize(nullptr, CUDNN_NORM_PER_CHANNEL, CUDNN_NORM_OPS_NORM,
                                                       CUDNN_NORM_ALGO_STANDARD, nullptr, x, &bytes, 2));
  // the statistics of a batch normalization as a fused operation
  cudnnFusedOpsPlan_t plan;
  cudnnFusedOpsConstParamPack_t constants;
  cudnnFusedOpsVariantParamPack_t values;
  const cudnnFusedOps_t ops = CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING;
  CHECK(cudnnCreateFusedOpsPlan(&plan, ops));
  CHECK(cudnnCreateFusedOpsConstParamPack(&constants, ops));
  CHECK(cudnnCreateFusedOpsVariantParamPack(&values, ops));
  cudnnBatchNormMode_t spatial = CUDNN_BATCHNORM_SPATIAL;
  CHECK(cudnnSetFusedOpsConstParamPackAttribute(constants, CUDNN_PARAM_BN_MODE, &spatial));
  CHECK(cudnnSetFusedOpsConstParamPackAttribute(constants, CUDNN_PARAM_BN_EQSCALEBIAS_DESC, p));
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnMakeFusedOpsPlan(handle, plan, constants, &bytes));
  CHECK(cudnnSetFusedOpsConstParamPackAttribute(constants, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC, p));
  CHECK(cudnnMakeFusedOpsPlan(handle, plan, constants, &bytes));
  Array<double> sums(Numbers{3, -2}), squares(Numbers{9, 8}), eqScale(c), eqBias(c);
  int64_t count = 4;
  double epsilon = 1e-3;
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_YSUM, sums.data));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_YSQSUM, squares.data));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_BN_SCALE, scale.data));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_BN_BIAS, bias.data));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_BN_EQSCALE, eqScale.data));
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnFusedOpsExecute(handle, plan, values));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_PTR_BN_EQBIAS, eqBias.data));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, &count));
  CHECK(cudnnSetFusedOpsVariantParamPackAttribute(values, CUDNN_SCALAR_DOUBLE_BN_EPSILON, &epsilon));
  CHECK(cudnnFusedOpsExecute(handle, plan, values));
  Numbers factors, offsets, s = {3, -2}, q = {9, 8};
  for (size_t k = 0; k < 2; k++) {
    double m = s[k] / 4, factor = scales[k] / std::sqrt(q[k] / 4 - m * m + 1e-3);
    factors.push_back(factor);
    offsets.push_back(biases[k] - m * factor);
  }
  compare("fused scales", eqScale.read(), factors);
  compare("fused biases", eqBias.read(), offsets);
  CHECK(cudnnDestroyFusedOpsPlan(plan));
  CHECK(cudnnDestroyFusedOpsConstParamPack(constants));
  CHECK(cudnnDestroyFusedOpsVariantParamPack(values));
}

int main() {
  CHECK(cudnnCreate(&handle));
  test_attention({2, 1, 2, 4, 5, {3, 4, 5}, {3, 3, 2}, 4, false, true});
  test_attention({3, 2, 2, 3, 4, {4, 4, 2}, {2, 2, 0}, 0, false, false});
  test_attention({1, 2, 1, 4, 4, {3, 3, 3}, {0, 0, 0}, 2, true, true});
  test_spatial();
  test_divisive();
  test_transforms();
  test_norms();
  CHECK(cudnnDestroy(handle));
  printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
}
