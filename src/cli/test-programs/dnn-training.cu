// Gradients of cuDNN's recurrent networks and CTC losses. A network's gradients must agree with differences of its
// results along random directions, a loss with the sum over all paths.
#include "dnn-numbers.h"

struct Network {
  cudnnRNNMode_t cell;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input;
  cudnnRNNDataLayout_t layout;
  int layers, inputSize, hidden, steps, batch;
  float dropout;
  std::vector<int> lengths;
  cudnnRNNDescriptor_t rnn;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t states;
  cudnnDropoutDescriptor_t drop;
  size_t work, reserve, weights;
  int directions() const { return direction == CUDNN_BIDIRECTIONAL ? 2 : 1; }
  size_t stateCount() const { return (size_t)layers * directions() * batch * hidden; }
  size_t places() const {
    if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) return (size_t)steps * batch;
    size_t all = 0;
    for (int length : lengths) all += length;
    return all;
  }
  void make() {
    cudnnCreateRNNDescriptor(&rnn);
    cudnnCreateRNNDataDescriptor(&x);
    cudnnCreateRNNDataDescriptor(&y);
    cudnnCreateTensorDescriptor(&states);
    cudnnCreateDropoutDescriptor(&drop);
    CHECK(cudnnSetDropoutDescriptor(drop, handle, dropout, nullptr, 0, 7));
    CHECK(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, cell, bias, direction, input, CUDNN_DATA_DOUBLE,
                                   CUDNN_DATA_DOUBLE, CUDNN_DEFAULT_MATH, inputSize, hidden, hidden, layers, drop, 0));
    double fill = 0;
    CHECK(cudnnSetRNNDataDescriptor(x, CUDNN_DATA_DOUBLE, layout, steps, batch, inputSize, lengths.data(), &fill));
    CHECK(cudnnSetRNNDataDescriptor(y, CUDNN_DATA_DOUBLE, layout, steps, batch, hidden * directions(), lengths.data(),
                                    &fill));
    int dims[] = {layers * directions(), batch, hidden}, strides[] = {batch * hidden, hidden, 1};
    CHECK(cudnnSetTensorNdDescriptor(states, CUDNN_DATA_DOUBLE, 3, dims, strides));
    CHECK(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, x, &work, &reserve));
    CHECK(cudnnGetRNNWeightSpaceSize(handle, rnn, &weights));
  }
  void destroy() {
    CHECK(cudnnDestroyRNNDescriptor(rnn));
    CHECK(cudnnDestroyRNNDataDescriptor(x));
    CHECK(cudnnDestroyRNNDataDescriptor(y));
    CHECK(cudnnDestroyTensorDescriptor(states));
    CHECK(cudnnDestroyDropoutDescriptor(drop));
  }
};
/// All that a network reads, or all gradients of it.
struct Inputs {
  Numbers x, h, c, w;
};
struct Results {
  Numbers y, h, c;
};

static Results forward(const Network &n, const Inputs &in, cudnnForwardMode_t mode, char *reserve) {
  Array<double> x(in.x), h(in.h), c(in.c), w(in.w), y(n.places() * n.hidden * n.directions()), hy(in.h.size()),
      cy(in.c.size());
  Array<char> work(n.work);
  CHECK(cudnnRNNForward(handle, n.rnn, mode, nullptr, n.x, x.data, n.y, y.data, n.states, h.data, hy.data, n.states,
                        c.data, cy.data, n.weights, w.data, n.work, work.data, reserve ? n.reserve : 0, reserve));
  return {y.read(), hy.read(), n.cell == CUDNN_LSTM ? cy.read() : Numbers(in.c.size(), 0)};
}

static void test_network(Network n, int number) {
  n.make();
  Inputs in{numbers(n.places() * n.inputSize), numbers(n.stateCount()), numbers(n.stateCount()),
            numbers(n.weights / sizeof(double), 0.7)};
  Array<char> reserve(n.reserve), work(n.work);
  Results there = forward(n, in, CUDNN_FWD_MODE_TRAINING, reserve.data);
  Results g{numbers(there.y.size()), numbers(there.h.size()), numbers(there.c.size())};
  if (n.cell != CUDNN_LSTM) g.c.assign(g.c.size(), 0);
  Array<double> x(in.x), h(in.h), c(in.c), w(in.w), y(there.y), dy(g.y), dhy(g.h), dcy(g.c), dx(in.x.size()),
      dh(in.h.size()), dc(in.c.size()), dw(in.w.size());
  CHECK(cudnnRNNBackwardData_v8(handle, n.rnn, nullptr, n.y, y.data, dy.data, n.x, dx.data, n.states, h.data, dhy.data,
                                dh.data, n.states, c.data, dcy.data, dc.data, n.weights, w.data, n.work, work.data,
                                n.reserve, reserve.data));
  CHECK(cudnnRNNBackwardWeights_v8(handle, n.rnn, CUDNN_WGRAD_MODE_ADD, nullptr, n.x, x.data, n.states, h.data, n.y,
                                   y.data, n.weights, dw.data, n.work, work.data, n.reserve, reserve.data));
  Inputs gradients{dx.read(), dh.read(), dc.read(), dw.read()};
  auto loss = [&](const Inputs &at) {
    Results r = forward(n, at, n.dropout > 0 ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE,
                        n.dropout > 0 ? reserve.data : nullptr);
    return dot(r.y, g.y) + dot(r.h, g.h) + dot(r.c, g.c);
  };
  Results inference = forward(n, in, CUDNN_FWD_MODE_INFERENCE, nullptr);
  if (n.dropout == 0 && inference.y != there.y) printf("network %d: training has other results\n", number), failures++;
  if (n.dropout > 0) return n.destroy(); // each call draws other numbers
  Numbers Inputs::*parts[] = {&Inputs::x, &Inputs::h, &Inputs::c, &Inputs::w};
  for (int part = 0; part < 4; part++)
    for (int turn = 0; turn < 3; turn++) {
      if (part == 2 && n.cell != CUDNN_LSTM) continue;
      Numbers direction = numbers((in.*parts[part]).size());
      Inputs above = in, below = in;
      above.*parts[part] = moved(in.*parts[part], direction, 1e-5);
      below.*parts[part] = moved(in.*parts[part], direction, -1e-5);
      double expected = (loss(above) - loss(below)) / 2e-5, got = dot(gradients.*parts[part], direction);
      if (!(std::fabs(expected - got) <= 1e-6 * (1 + std::fabs(expected))))
        printf("network %d, part %d: %.12g, expected %.12g\n", number, part, got, expected), failures++;
    }
  // a second call adds
  CHECK(cudnnRNNBackwardWeights_v8(handle, n.rnn, CUDNN_WGRAD_MODE_ADD, nullptr, n.x, x.data, n.states, h.data, n.y,
                                   y.data, n.weights, dw.data, n.work, work.data, n.reserve, reserve.data));
  Numbers twice = dw.read();
  for (size_t i = 0; i < twice.size(); i++)
    if (std::fabs(twice[i] - 2 * gradients.w[i]) > 1e-9) {
      printf("network %d: weights are not added\n", number);
      failures++;
      break;
    }
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED,
         cudnnRNNBackwardWeights_v8(handle, n.rnn, CUDNN_WGRAD_MODE_SET, nullptr, n.x, x.data, n.states, h.data, n.y,
                                    y.data, n.weights, dw.data, n.work, work.data, n.reserve, reserve.data));
  EXPECT(CUDNN_STATUS_BAD_PARAM,
         cudnnRNNBackwardWeights_v8(handle, n.rnn, CUDNN_WGRAD_MODE_ADD, nullptr, n.x, x.data, n.states, h.data, n.y,
                                    y.data, n.weights, dw.data, n.work, work.data, n.reserve - 1, reserve.data));
  EXPECT(CUDNN_STATUS_BAD_PARAM,
         cudnnRNNBackwardData_v8(handle, n.rnn, nullptr, n.y, y.data, nullptr, n.x, dx.data, n.states, h.data,
                                 dhy.data, dh.data, n.states, c.data, dcy.data, dc.data, n.weights, w.data, n.work,
                                 work.data, n.reserve, reserve.data));
  n.destroy();
}
static void test_networks() {
  const cudnnRNNDataLayout_t layouts[] = {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                          CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                                          CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED};
  int number = 0;
  for (int cell = 0; cell < 4; cell++)
    for (int direction = 0; direction < 2; direction++) {
      Network n{(cudnnRNNMode_t)cell,
                (cudnnRNNBiasMode_t)((cell + 2 * direction) % 4),
                (cudnnDirectionMode_t)direction,
                cell == 1 ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT,
                layouts[(cell + direction) % 3],
                1 + direction,
                cell == 1 ? 3 : 2,
                3,
                4,
                2,
                0,
                {4, 2}};
      test_network(n, number++);
      n.layers = 3, n.dropout = 0.5f;
      test_network(n, number++);
    }
}

/// Minus the logarithm of the probability of all paths that read as the label.
static double loss_of(const std::vector<Numbers> &activations, int times, const std::vector<int> &label) {
  int letters = (int)activations[0].size();
  std::vector<Numbers> p = activations;
  for (Numbers &row : p) {
    double sum = 0;
    for (double &one : row) sum += one = std::exp(one);
    for (double &one : row) one /= sum;
  }
  int paths = 1;
  for (int t = 0; t < times; t++) paths *= letters;
  double all = 0;
  for (int path = 0; path < paths; path++) {
    std::vector<int> read;
    double chance = 1;
    for (int t = 0, rest = path, last = 0; t < times; t++, rest /= letters) {
      int letter = rest % letters;
      chance *= p[(size_t)t][(size_t)letter];
      if (letter && letter != last) read.push_back(letter);
      last = letter;
    }
    if (read == label) all += chance;
  }
  return -std::log(all);
}
static void test_losses() {
  const int times = 5, letters = 3;
  const std::vector<std::vector<int>> labels = {{1, 2}, {}, {1, 1}, {2, 2, 2}, {2}};
  const std::vector<int> inputLengths = {5, 4, 3, 4, 1}; // the fourth one does not fit
  const int samples = (int)labels.size();
  std::vector<int> flat, lengths;
  for (const std::vector<int> &label : labels) {
    flat.insert(flat.end(), label.begin(), label.end());
    lengths.push_back((int)label.size());
  }
  Numbers activations = numbers((size_t)times * samples * letters);
  cudnnTensorDescriptor_t d;
  cudnnCTCLossDescriptor_t ctc;
  cudnnCreateTensorDescriptor(&d);
  CHECK(cudnnCreateCTCLossDescriptor(&ctc));
  int dims[] = {times, samples, letters}, strides[] = {samples * letters, letters, 1};
  CHECK(cudnnSetTensorNdDescriptor(d, CUDNN_DATA_FLOAT, 3, dims, strides));
  for (int turn = 0; turn < 4; turn++) {
    bool isSoftmax = turn % 2 == 0, isOnDevice = turn > 1;
    CHECK(cudnnSetCTCLossDescriptor_v9(ctc, CUDNN_DATA_FLOAT,
                                       isSoftmax ? CUDNN_LOSS_NORMALIZATION_SOFTMAX : CUDNN_LOSS_NORMALIZATION_NONE,
                                       turn == 3 ? CUDNN_CTC_SKIP_OOB_GRADIENTS : CUDNN_CTC_ZERO_OOB_GRADIENTS, 4));
    std::vector<float> input(activations.begin(), activations.end());
    if (!isSoftmax)
      for (int row = 0; row < times * samples; row++) {
        double sum = 0;
        for (int k = 0; k < letters; k++) sum += std::exp(activations[(size_t)(row * letters + k)]);
        for (int k = 0; k < letters; k++)
          input[(size_t)(row * letters + k)] = (float)(std::exp(activations[(size_t)(row * letters + k)]) / sum);
      }
    Array<float> probs(input), costs((size_t)samples), gradients(std::vector<float>(input.size(), 9));
    Array<int> deviceLabels(flat), deviceLengths(lengths), deviceInputs(inputLengths);
    size_t bytes = 0;
    if (isOnDevice) CHECK(cudnnGetCTCLossWorkspaceSize_v8(handle, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc, d, d, &bytes));
    else
      CHECK(cudnnGetCTCLossWorkspaceSize(handle, d, d, flat.data(), lengths.data(), inputLengths.data(),
                                         CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc, &bytes));
    Array<char> work(bytes);
    auto run = [&](size_t size) {
      return isOnDevice ? cudnnCTCLoss_v8(handle, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc, d, probs.data,
                                          deviceLabels.data, deviceLengths.data, deviceInputs.data, costs.data, d,
                                          gradients.data, size, work.data)
                        : cudnnCTCLoss(handle, d, probs.data, flat.data(), lengths.data(), inputLengths.data(),
                                       costs.data, d, gradients.data, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc,
                                       work.data, size);
    };
    EXPECT(CUDNN_STATUS_BAD_PARAM, run(bytes - 1));
    CHECK(run(bytes));
    std::vector<float> cost = costs.read(), gradient = gradients.read();
    for (int s = 0; s < samples; s++) {
      bool fits = s != 3;
      std::vector<Numbers> own;
      for (int t = 0; t < times; t++) {
        const double *row = &activations[(size_t)((t * samples + s) * letters)];
        own.push_back(Numbers(row, row + letters));
      }
      int length = inputLengths[(size_t)s];
      double expected = fits ? loss_of(own, length, labels[(size_t)s]) : 0;
      if (std::fabs(cost[(size_t)s] - expected) > 1e-5)
        printf("sample %d: cost %.8g, expected %.8g\n", s, cost[(size_t)s], expected), failures++;
      for (int t = 0; t < times; t++)
        for (int k = 0; k < letters; k++) {
          std::vector<Numbers> above = own, below = own;
          above[(size_t)t][(size_t)k] += 1e-4;
          below[(size_t)t][(size_t)k] -= 1e-4;
          double slope = 0;
          if (fits && t < length)
            slope = (loss_of(above, length, labels[(size_t)s]) - loss_of(below, length, labels[(size_t)s])) / 2e-4;
          if (!fits && turn == 3) slope = 9;
          double got = gradient[(size_t)((t * samples + s) * letters + k)];
          if (std::fabs(got - slope) > 1e-5)
            printf("turn %d, sample %d, time %d, letter %d: %.8g, expected %.8g\n", turn, s, t, k, got, slope),
                failures++;
        }
    }
  }
  std::vector<int> wrong = lengths;
  size_t bytes;
  wrong[0] = -1;
  EXPECT(CUDNN_STATUS_BAD_PARAM,
         cudnnGetCTCLossWorkspaceSize(handle, d, d, flat.data(), wrong.data(), inputLengths.data(),
                                      CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, ctc, &bytes));
  cudnnDataType_t type;
  cudnnLossNormalizationMode_t normalization;
  cudnnNanPropagation_t nan;
  cudnnCTCGradMode_t gradMode;
  int longest;
  CHECK(cudnnSetCTCLossDescriptor_v8(ctc, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_PROPAGATE_NAN, 12));
  CHECK(cudnnGetCTCLossDescriptor_v8(ctc, &type, &normalization, &nan, &longest));
  if (longest != 12 || nan != CUDNN_PROPAGATE_NAN) printf("getters of version 8\n"), failures++;
  CHECK(cudnnSetCTCLossDescriptor(ctc, CUDNN_DATA_FLOAT));
  CHECK(cudnnGetCTCLossDescriptor(ctc, &type));
  CHECK(cudnnGetCTCLossDescriptorEx(ctc, &type, &normalization, &nan));
  CHECK(cudnnGetCTCLossDescriptor_v9(ctc, &type, &normalization, &gradMode, &longest));
  if (normalization != CUDNN_LOSS_NORMALIZATION_NONE) printf("getters of version 9\n"), failures++;
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnSetCTCLossDescriptor(ctc, CUDNN_DATA_HALF));
  CHECK(cudnnDestroyCTCLossDescriptor(ctc));
  CHECK(cudnnDestroyTensorDescriptor(d));
}

int main() {
  CHECK(cudnnCreate(&handle));
  test_networks();
  test_losses();
  CHECK(cudnnDestroy(handle));
  printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
}
