// Recurrent networks of cuDNN: descriptors, weights, and the forward pass (version 8's functions).
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnRNNStruct {
  bool isSet = false;
  cudnnRNNAlgo_t algo = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_RNN_RELU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, mathPrecision = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int inputSize = 0, hiddenSize = 0, projectionSize = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  unsigned flags = 0;
  cudnnRNNClipMode_t clip = CUDNN_RNN_CLIP_NONE;
  cudnnNanPropagation_t clipNan = CUDNN_NOT_PROPAGATE_NAN;
  double least = 0, most = 0;

  int gates() const { return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1; }
  int directions() const { return direction == CUDNN_BIDIRECTIONAL ? 2 : 1; }
  /// Of a layer's input.
  int width(int layer) const { return layer == 0 ? inputSize : hiddenSize * directions(); }
  bool hasInputMatrix(int layer) const { return layer > 0 || input == CUDNN_LINEAR_INPUT; }
  bool hasBias(bool isRecurrent) const {
    return bias == CUDNN_RNN_DOUBLE_BIAS ||
           bias == (isRecurrent ? CUDNN_RNN_SINGLE_REC_BIAS : CUDNN_RNN_SINGLE_INP_BIAS);
  }
  /// Elements of the weights before a matrix: all matrices of a layer and direction, then its biases. Without
  /// arguments that name one: all.
  i64 matrixAt(int pseudoLayer, int linear) const;
  i64 biasAt(int pseudoLayer, int linear) const;
};
struct cudnnRNNDataStruct {
  bool isSet = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int steps = 0, batch = 0, width = 0;
  std::vector<int> lengths;
  double fill = 0;
};

i64 cudnnRNNStruct::matrixAt(int pseudoLayer, int linear) const {
  i64 at = 0, h = hiddenSize;
  for (int p = 0; p <= pseudoLayer; p++) {
    int layer = p / directions(), count = gates();
    i64 in = hasInputMatrix(layer) ? h * width(layer) : 0;
    i64 biases = ((hasBias(false) ? count : 0) + (hasBias(true) ? count : 0)) * h;
    if (p < pseudoLayer) at += count * (in + h * h) + biases;
    else at += linear < count ? linear * in : count * in + (linear - count) * h * h;
  }
  return at;
}
i64 cudnnRNNStruct::biasAt(int pseudoLayer, int linear) const {
  i64 at = matrixAt(pseudoLayer, 2 * gates());
  int count = gates();
  if (linear >= count && hasBias(false)) at += (i64)count * hiddenSize;
  return at + (i64)(linear % count) * hiddenSize;
}

namespace {

/// How a sequence lies in memory.
struct Sequences {
  int layout, steps, batch, width, type;
  double fill;
  const int *lengths; // on the device
  __device__ i64 place(int step, int image) const {
    if (layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED) return ((i64)image * steps + step) * width;
    if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) return ((i64)step * batch + image) * width;
    i64 before = image;
    for (int other = 0; other < batch; other++) before += lengths[other] < step ? lengths[other] : step;
    return before * width;
  }
  bool isPacked() const { return layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED; }
};

/// Between a program's sequences and ours: [step][image][width].
template <class S>
__global__ void __launch_bounds__(THREADS) move_sequences(Sequences p, void *theirs, S *own, bool isInput) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= (i64)p.steps * p.batch * p.width) return;
  int element = (int)(at % p.width), image = (int)(at / p.width % p.batch), step = (int)(at / p.width / p.batch);
  bool isThere = step < p.lengths[image];
  if (!isThere && (isInput || p.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED)) {
    if (isInput) own[at] = 0;
    return;
  }
  i64 place = p.place(step, image) + element;
  if (isInput) own[at] = load<S>(theirs, p.type, place);
  else store(theirs, p.type, place, isThere ? own[at] : (S)p.fill);
}

struct Layer {
  int cell, gates, batch, steps, width, hidden, directions, direction, type;
  bool hasInput, hasInputBias, hasRecurrentBias, isClipped;
  double least, most;
  const void *weights;
  i64 inputAt, recurrentAt, inputBiasAt, recurrentBiasAt;
  const int *lengths;
};

/// W x and its bias, of all steps at once.
template <class S> __global__ void __launch_bounds__(THREADS) project(Layer p, const S *x, S *to) {
  int row = blockIdx.y * THREADS + threadIdx.x, place = blockIdx.x;
  if (row >= p.gates * p.hidden) return;
  const S *from = x + (i64)place * p.width;
  S sum = p.hasInputBias ? load<S>(p.weights, p.type, p.inputBiasAt + row) : (S)0;
  if (p.hasInput) {
    i64 at = p.inputAt + (i64)row * p.width;
    for (int i = 0; i < p.width; i++) sum += load<S>(p.weights, p.type, at + i) * from[i];
  } else sum += from[row % p.hidden];
  to[(i64)place * p.gates * p.hidden + row] = sum;
}
template <class S> __device__ S recurrent(const Layer &p, int row, const S *h) {
  S sum = p.hasRecurrentBias ? load<S>(p.weights, p.type, p.recurrentBiasAt + row) : (S)0;
  i64 at = p.recurrentAt + (i64)row * p.hidden;
  for (int i = 0; i < p.hidden; i++) sum += load<S>(p.weights, p.type, at + i) * h[i];
  return sum;
}
template <class S> __device__ S sigmoid(S x) { return 1 / (1 + exp(-x)); }

/// What training keeps of a layer and direction, each as [step][image][…]; nothing in inference.
template <class S> struct Kept {
  S *gates;     // after their functions
  S *cells;     // of an LSTM: after each step
  S *candidate; // of a GRU: the recurrent part of the new state
};

template <class S>
__global__ void __launch_bounds__(THREADS) step_cell(Layer p, int turn, const S *gates, const S *before, S *after,
                                                     S *cells, S *out, Kept<S> kept) {
  int at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.batch * p.hidden) return;
  int image = at / p.hidden, unit = at % p.hidden, length = p.lengths[image];
  if (turn >= length) {
    after[at] = before[at];
    return;
  }
  int step = p.direction ? length - 1 - turn : turn;
  i64 place = (i64)step * p.batch + image;
  const S *in = gates + place * p.gates * p.hidden + unit, *h = before + image * p.hidden;
  S *keep = kept.gates ? kept.gates + place * p.gates * p.hidden + unit : nullptr;
  S value;
  if (p.cell == CUDNN_LSTM) {
    S i = sigmoid(in[0] + recurrent(p, unit, h)), f = sigmoid(in[p.hidden] + recurrent(p, p.hidden + unit, h));
    S c = tanh(in[2 * p.hidden] + recurrent(p, 2 * p.hidden + unit, h));
    S o = sigmoid(in[3 * p.hidden] + recurrent(p, 3 * p.hidden + unit, h));
    S cell = f * cells[at] + i * c;
    if (p.isClipped) cell = cell < (S)p.least ? (S)p.least : cell > (S)p.most ? (S)p.most : cell;
    cells[at] = cell;
    value = o * tanh(cell);
    if (keep) {
      keep[0] = i, keep[p.hidden] = f, keep[2 * p.hidden] = c, keep[3 * p.hidden] = o;
      kept.cells[place * p.hidden + unit] = cell;
    }
  } else if (p.cell == CUDNN_GRU) {
    S r = sigmoid(in[0] + recurrent(p, unit, h)), i = sigmoid(in[p.hidden] + recurrent(p, p.hidden + unit, h));
    S candidate = recurrent(p, 2 * p.hidden + unit, h), n = tanh(in[2 * p.hidden] + r * candidate);
    value = (1 - i) * n + i * h[unit];
    if (keep) {
      keep[0] = r, keep[p.hidden] = i, keep[2 * p.hidden] = n;
      kept.candidate[place * p.hidden + unit] = candidate;
    }
  } else {
    S sum = in[0] + recurrent(p, unit, h);
    value = p.cell == CUDNN_RNN_RELU ? (sum > 0 ? sum : (S)0) : tanh(sum);
    if (keep) keep[0] = value;
  }
  after[at] = value;
  out[place * p.hidden * p.directions + p.direction * p.hidden + unit] = value;
}

template <class S> struct CopyState {
  void *theirs;
  S *own;
  int type;
  bool isInput;
  __device__ void operator()(i64 at, const i64 (&)[1]) const {
    if (!isInput) store(theirs, type, at, own[at]);
    else own[at] = theirs ? load<S>(theirs, type, at) : (S)0;
  }
};

/// Of the work space: places in bytes. A backward call has gradients of a layer's output and input in `first` and
/// `second`, and two pairs of states.
struct Space {
  size_t lengths, first, second, gates, state, bytes;
};
Space space_of(const cudnnRNNStruct *d, int steps, int batch, size_t size) {
  i64 width = d->hiddenSize * d->directions(), places = (i64)steps * batch;
  if (d->inputSize > width) width = d->inputSize;
  Space s{};
  Pieces pieces;
  s.lengths = pieces.take(batch, 4);
  s.first = pieces.take(places * width, size);
  s.second = pieces.take(places * width, size);
  s.gates = pieces.take(places * d->gates() * d->hiddenSize, size);
  s.state = pieces.take((i64)4 * batch * d->hiddenSize, size);
  s.bytes = pieces.bytes;
  return s;
}
/// What training keeps: inputs and outputs of the layers, gates and cells of each layer and direction. A backward call
/// replaces the gates by their gradients.
struct Reserve {
  std::vector<size_t> in, out, gates, cells, candidate, mask;
  size_t bytes;
};
Reserve reserve_of(const cudnnRNNStruct *d, int steps, int batch, size_t size) {
  i64 places = (i64)steps * batch, hidden = d->hiddenSize;
  Reserve r{};
  Pieces pieces;
  for (int layer = 0; layer < d->layers; layer++) {
    r.in.push_back(pieces.take(places * d->width(layer), size));
    r.out.push_back(pieces.take(places * hidden * d->directions(), size));
    r.mask.push_back(pieces.take(places * hidden * d->directions(), size));
  }
  for (int pseudo = 0; pseudo < d->layers * d->directions(); pseudo++) {
    r.gates.push_back(pieces.take(places * d->gates() * hidden, size));
    r.cells.push_back(pieces.take(d->cell == CUDNN_LSTM ? places * hidden : 0, size));
    r.candidate.push_back(pieces.take(d->cell == CUDNN_GRU ? places * hidden : 0, size));
  }
  r.bytes = pieces.bytes;
  return r;
}
template <class S> Kept<S> kept_of(char *reserve, const Reserve &r, int pseudo) {
  if (!reserve) return {};
  size_t p = (size_t)pseudo;
  return {(S *)(reserve + r.gates[p]), (S *)(reserve + r.cells[p]), (S *)(reserve + r.candidate[p])};
}
size_t sum_bytes(const cudnnRNNStruct *d) { return d->type == CUDNN_DATA_DOUBLE ? 8 : 4; }

Sequences sequences_of(const cudnnRNNDataStruct *d, const int *lengths) {
  return {d->layout, d->steps, d->batch, d->width, (int)d->type, d->fill, lengths};
}

} // namespace

#include "rnn-run.inl"
#include "rnn-back.inl"
#include "rnn.inl"
