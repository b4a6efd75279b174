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
  int row = blockIdx.x * THREADS + threadIdx.x, place = blockIdx.y;
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

template <class S>
__global__ void __launch_bounds__(THREADS) step_cell(Layer p, int turn, const S *gates, const S *before, S *after,
                                                     S *cells, S *out) {
  int at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.batch * p.hidden) return;
  int image = at / p.hidden, unit = at % p.hidden, length = p.lengths[image];
  if (turn >= length) {
    after[at] = before[at];
    return;
  }
  int step = p.direction ? length - 1 - turn : turn;
  const S *in = gates + ((i64)step * p.batch + image) * p.gates * p.hidden + unit, *h = before + image * p.hidden;
  S value;
  if (p.cell == CUDNN_LSTM) {
    S i = sigmoid(in[0] + recurrent(p, unit, h)), f = sigmoid(in[p.hidden] + recurrent(p, p.hidden + unit, h));
    S c = tanh(in[2 * p.hidden] + recurrent(p, 2 * p.hidden + unit, h));
    S o = sigmoid(in[3 * p.hidden] + recurrent(p, 3 * p.hidden + unit, h));
    S cell = f * cells[at] + i * c;
    if (p.isClipped) cell = cell < (S)p.least ? (S)p.least : cell > (S)p.most ? (S)p.most : cell;
    cells[at] = cell;
    value = o * tanh(cell);
  } else if (p.cell == CUDNN_GRU) {
    S r = sigmoid(in[0] + recurrent(p, unit, h)), i = sigmoid(in[p.hidden] + recurrent(p, p.hidden + unit, h));
    S n = tanh(in[2 * p.hidden] + r * recurrent(p, 2 * p.hidden + unit, h));
    value = (1 - i) * n + i * h[unit];
  } else {
    S sum = in[0] + recurrent(p, unit, h);
    value = p.cell == CUDNN_RNN_RELU ? (sum > 0 ? sum : (S)0) : tanh(sum);
  }
  after[at] = value;
  out[((i64)step * p.batch + image) * p.hidden * p.directions + p.direction * p.hidden + unit] = value;
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

/// Of the work space, in elements but for the lengths.
struct Space {
  size_t lengths, first, second, gates, state, bytes;
};
Space space_of(const cudnnRNNStruct *d, int steps, int batch, size_t size) {
  i64 width = d->hiddenSize * d->directions(), places = (i64)steps * batch;
  if (d->inputSize > width) width = d->inputSize;
  Space s{};
  size_t at = 0;
  auto take = [&](i64 elements, size_t bytes) {
    size_t begin = at;
    at += ((size_t)elements * bytes + 255) / 256 * 256;
    return begin;
  };
  s.lengths = take(batch, 4);
  s.first = take(places * width, size);
  s.second = take(places * width, size);
  s.gates = take(places * d->gates() * d->hiddenSize, size);
  s.state = take((i64)3 * batch * d->hiddenSize, size);
  s.bytes = at;
  return s;
}
size_t sum_bytes(const cudnnRNNStruct *d) { return d->type == CUDNN_DATA_DOUBLE ? 8 : 4; }

Sequences sequences_of(const cudnnRNNDataStruct *d, const int *lengths) {
  return {d->layout, d->steps, d->batch, d->width, (int)d->type, d->fill, lengths};
}

template <class S>
cudnnStatus_t run(cudnnContext *h, const cudnnRNNStruct *d, const cudnnRNNDataStruct *xDesc, const void *x,
                  const cudnnRNNDataStruct *yDesc, void *y, const void *hx, void *hy, const void *cx, void *cy,
                  const void *weights, char *memory) {
  int steps = xDesc->steps, batch = xDesc->batch, hidden = d->hiddenSize;
  Space s = space_of(d, steps, batch, sizeof(S));
  int *lengths = (int *)(memory + s.lengths);
  S *in = (S *)(memory + s.first), *out = (S *)(memory + s.second), *gates = (S *)(memory + s.gates);
  S *state = (S *)(memory + s.state), *cells = state + 2 * batch * hidden;
  cudaMemcpyAsync(lengths, xDesc->lengths.data(), (size_t)batch * 4, cudaMemcpyHostToDevice, h->stream);
  i64 count = (i64)steps * batch * xDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(xDesc, lengths), (void *)x, in, true);
  Walk<1> states{};
  states.rank = 1;
  states.count = states.dim[0] = batch * hidden;
  states.stride[0][0] = 1;
  for (int layer = 0; layer < d->layers; layer++) {
    for (int direction = 0; direction < d->directions(); direction++) {
      int pseudo = layer * d->directions() + direction;
      i64 offset = (i64)pseudo * batch * hidden * (i64)bytes_of(d->type);
      auto of = [&](const void *all) { return all ? (void *)((char *)all + offset) : nullptr; };
      Layer p{d->cell, d->gates(), batch, steps, d->width(layer), hidden, d->directions(), direction,
              element_type(d->type), d->hasInputMatrix(layer), d->hasBias(false), d->hasBias(true),
              d->clip == CUDNN_RNN_CLIP_MINMAX, d->least, d->most, weights, d->matrixAt(pseudo, 0),
              d->matrixAt(pseudo, d->gates()), d->biasAt(pseudo, 0), d->biasAt(pseudo, d->gates()), lengths};
      dim3 grid(blocks_of(p.gates * hidden), (unsigned)(steps * batch));
      project<S><<<grid, THREADS, 0, h->stream>>>(p, in, gates);
      for_each(h, states, CopyState<S>{of(hx), state, p.type, true});
      if (d->cell == CUDNN_LSTM) for_each(h, states, CopyState<S>{of(cx), cells, p.type, true});
      S *before = state, *after = state + batch * hidden;
      for (int turn = 0; turn < steps; turn++) {
        step_cell<S><<<blocks_of(batch * hidden), THREADS, 0, h->stream>>>(p, turn, gates, before, after, cells, out);
        S *other = before;
        before = after;
        after = other;
      }
      if (hy) for_each(h, states, CopyState<S>{of(hy), before, p.type, false});
      if (cy && d->cell == CUDNN_LSTM) for_each(h, states, CopyState<S>{of(cy), cells, p.type, false});
    }
    S *other = in;
    in = out;
    out = other;
  }
  count = (i64)steps * batch * yDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(yDesc, lengths), y, in, false);
  return launched();
}

} // namespace

#include "rnn.inl"
