// Gradients of recurrent networks: of the data, then of the weights. Both read what the forward call kept.

namespace {

/// Of one turn, from the last one to the first: the gradients of the gates before their functions. `dh` and `dc` are
/// those of the states after the step; `direct` becomes what goes to the state before it without the weights.
template <class S>
__global__ void __launch_bounds__(THREADS) back_cell(Layer p, int turn, const S *dOut, const S *dh, S *dc, S *direct,
                                                     const S *out, const void *hx, const void *cx, Kept<S> kept) {
  int at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.batch * p.hidden) return;
  int image = at / p.hidden, unit = at % p.hidden, length = p.lengths[image];
  direct[at] = 0;
  if (turn >= length) return;
  int step = p.direction ? length - 1 - turn : turn, former = p.direction ? step + 1 : step - 1;
  i64 place = (i64)step * p.batch + image, before = (i64)former * p.batch + image;
  int width = p.hidden * p.directions, column = p.direction * p.hidden + unit;
  S *gate = kept.gates + place * p.gates * p.hidden + unit;
  S d = dh[at] + dOut[place * width + column];
  if (p.cell == CUDNN_LSTM) {
    S i = gate[0], f = gate[p.hidden], c = gate[2 * p.hidden], o = gate[3 * p.hidden];
    S cell = kept.cells[place * p.hidden + unit], t = tanh(cell);
    S old = turn > 0 ? kept.cells[before * p.hidden + unit] : cx ? load<S>(cx, p.type, at) : (S)0;
    S dCell = dc[at] + d * o * (1 - t * t);
    // a clipped cell lets nothing through
    if (p.isClipped && (cell <= (S)p.least || cell >= (S)p.most)) dCell = 0;
    gate[0] = dCell * c * i * (1 - i);
    gate[p.hidden] = dCell * old * f * (1 - f);
    gate[2 * p.hidden] = dCell * i * (1 - c * c);
    gate[3 * p.hidden] = d * t * o * (1 - o);
    dc[at] = dCell * f;
  } else if (p.cell == CUDNN_GRU) {
    S r = gate[0], i = gate[p.hidden], n = gate[2 * p.hidden];
    S old = turn > 0 ? out[before * width + column] : hx ? load<S>(hx, p.type, at) : (S)0;
    S &candidate = kept.candidate[place * p.hidden + unit];
    S dn = d * (1 - i) * (1 - n * n);
    gate[0] = dn * candidate * r * (1 - r);
    gate[p.hidden] = d * (old - n) * i * (1 - i);
    gate[2 * p.hidden] = dn;
    candidate = dn * r; // the gradient of the recurrent part
    direct[at] = d * i;
  } else {
    S h = gate[0];
    gate[0] = p.cell == CUDNN_RNN_RELU ? (h > 0 ? d : (S)0) : d * (1 - h * h);
  }
}
/// The gradient of a gate's recurrent part: that of the gate but for a GRU's new state.
template <class S> __device__ S recurrent_gradient(const Layer &p, const Kept<S> &kept, i64 place, int row) {
  if (p.cell == CUDNN_GRU && row >= 2 * p.hidden) return kept.candidate[place * p.hidden + row - 2 * p.hidden];
  return kept.gates[place * p.gates * p.hidden + row];
}
/// The gradient of the state before a turn. Sequences that end before it keep theirs.
template <class S>
__global__ void __launch_bounds__(THREADS) back_state(Layer p, int turn, const S *direct, S *dh, Kept<S> kept) {
  int at = blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.batch * p.hidden) return;
  int image = at / p.hidden, unit = at % p.hidden, length = p.lengths[image];
  if (turn >= length) return;
  i64 place = (i64)(p.direction ? length - 1 - turn : turn) * p.batch + image;
  S sum = direct[at];
  for (int row = 0; row < p.gates * p.hidden; row++)
    sum += load<S>(p.weights, p.type, p.recurrentAt + (i64)row * p.hidden + unit) *
           recurrent_gradient(p, kept, place, row);
  dh[at] = sum;
}
/// The gradient of a layer's input; the second direction adds to the first one's.
template <class S>
__global__ void __launch_bounds__(THREADS) back_input(Layer p, const S *gates, S *dx) {
  int column = blockIdx.y * THREADS + threadIdx.x, place = blockIdx.x;
  if (column >= p.width) return;
  int step = place / p.batch, image = place % p.batch, rows = p.gates * p.hidden;
  const S *from = gates + (i64)place * rows;
  S sum = 0;
  if (step < p.lengths[image]) {
    if (p.hasInput)
      for (int row = 0; row < rows; row++)
        sum += load<S>(p.weights, p.type, p.inputAt + (i64)row * p.width + column) * from[row];
    else for (int gate = 0; gate < p.gates; gate++) sum += from[gate * p.hidden + column];
  }
  S &to = dx[(i64)place * p.width + column];
  to = p.direction ? to + sum : sum;
}
template <class S>
__global__ void __launch_bounds__(THREADS) scale_by_mask(i64 count, const S *mask, S *d) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at < count) d[at] *= mask[at];
}

/// Gradients of weights, added to what is there. A block has a row of a gate, a thread a column; the last columns are
/// the biases.
template <class S>
__global__ void __launch_bounds__(THREADS) back_weights(Layer p, void *dWeights, const S *in, const S *out,
                                                        const void *hx, Kept<S> kept) {
  int row = blockIdx.x, column = blockIdx.y * THREADS + threadIdx.x, width = p.hasInput ? p.width : 0;
  if (column >= width + p.hidden + 2) return;
  bool isInput = column < width, isBias = column >= width + p.hidden, isInputBias = column == width + p.hidden;
  if (isBias && !(isInputBias ? p.hasInputBias : p.hasRecurrentBias)) return;
  int unit = column - width, outputs = p.hidden * p.directions;
  S sum = 0;
  for (int image = 0; image < p.batch; image++)
    for (int turn = 0; turn < p.lengths[image]; turn++) {
      int step = p.direction ? p.lengths[image] - 1 - turn : turn;
      i64 place = (i64)step * p.batch + image, before = (i64)(p.direction ? step + 1 : step - 1) * p.batch + image;
      bool isOfInput = isInput || isInputBias;
      S gradient = isOfInput ? kept.gates[place * p.gates * p.hidden + row] : recurrent_gradient(p, kept, place, row);
      S factor = 1;
      if (isInput) factor = in[place * p.width + column];
      else if (!isBias && turn > 0) factor = out[before * outputs + p.direction * p.hidden + unit];
      else if (!isBias) factor = hx ? load<S>(hx, p.type, (i64)image * p.hidden + unit) : (S)0;
      sum += gradient * factor;
    }
  i64 to = p.recurrentAt + (i64)row * p.hidden + unit;
  if (isInput) to = p.inputAt + (i64)row * p.width + column;
  else if (isBias) to = (isInputBias ? p.inputBiasAt : p.recurrentBiasAt) + row;
  store(dWeights, p.type, to, load<S>(dWeights, p.type, to) + sum);
}

/// The states of a backward call of the data.
struct StateGradients {
  const void *hx, *dhy, *cx, *dcy;
  void *dhx, *dcx;
};

template <class S> cudnnStatus_t run_back(const Call &call, const void *dy, void *dx, const StateGradients &g) {
  cudnnContext *h = call.h;
  const cudnnRNNStruct *d = call.d;
  int steps = call.xDesc->steps, batch = call.xDesc->batch, hidden = d->hiddenSize, size = batch * hidden;
  Space s = space_of(d, steps, batch, sizeof(S));
  Reserve r = reserve_of(d, steps, batch, sizeof(S));
  int *lengths = (int *)(call.work + s.lengths);
  S *dOut = (S *)(call.work + s.first), *dIn = (S *)(call.work + s.second);
  S *dh = (S *)(call.work + s.state), *dc = dh + size, *direct = dc + size;
  cudaMemcpyAsync(lengths, call.xDesc->lengths.data(), (size_t)batch * 4, cudaMemcpyHostToDevice, h->stream);
  i64 count = (i64)steps * batch * call.yDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(call.yDesc, lengths), (void *)dy, dOut,
                                                                 true);
  Walk<1> states = states_of(d, batch);
  for (int layer = d->layers - 1; layer >= 0; layer--) {
    for (int direction = 0; direction < d->directions(); direction++) {
      int pseudo = layer * d->directions() + direction;
      Layer p = layer_of(d, layer, direction, batch, steps, call.weights, lengths);
      Kept<S> kept = kept_of<S>(call.reserve, r, pseudo);
      auto at = [&](const void *all) { return state_at(d, all, pseudo, batch); };
      const S *out = (const S *)(call.reserve + r.out[(size_t)layer]);
      for_each(h, states, CopyState<S>{at(g.dhy), dh, p.type, true});
      for_each(h, states, CopyState<S>{at(g.dcy), dc, p.type, true});
      for (int turn = steps - 1; turn >= 0; turn--) {
        back_cell<S><<<blocks_of(size), THREADS, 0, h->stream>>>(p, turn, dOut, dh, dc, direct, out, at(g.hx),
                                                                 at(g.cx), kept);
        back_state<S><<<blocks_of(size), THREADS, 0, h->stream>>>(p, turn, direct, dh, kept);
      }
      if (g.dhx) for_each(h, states, CopyState<S>{at(g.dhx), dh, p.type, false});
      if (g.dcx && d->cell == CUDNN_LSTM) for_each(h, states, CopyState<S>{at(g.dcx), dc, p.type, false});
      dim3 grid((unsigned)(steps * batch), blocks_of(p.width));
      back_input<S><<<grid, THREADS, 0, h->stream>>>(p, kept.gates, dIn);
    }
    i64 all = (i64)steps * batch * d->width(layer);
    if (layer > 0 && d->dropout && d->dropout->rate > 0)
      scale_by_mask<S><<<blocks_of(all), THREADS, 0, h->stream>>>(
          all, (const S *)(call.reserve + r.mask[(size_t)layer - 1]), dIn);
    S *other = dOut;
    dOut = dIn;
    dIn = other;
  }
  count = (i64)steps * batch * call.xDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(call.xDesc, lengths), dx, dOut, false);
  return launched();
}

template <class S> cudnnStatus_t run_back_weights(const Call &call, const void *hx, void *dWeights) {
  const cudnnRNNStruct *d = call.d;
  int steps = call.xDesc->steps, batch = call.xDesc->batch;
  Space s = space_of(d, steps, batch, sizeof(S));
  Reserve r = reserve_of(d, steps, batch, sizeof(S));
  int *lengths = (int *)(call.work + s.lengths);
  cudaMemcpyAsync(lengths, call.xDesc->lengths.data(), (size_t)batch * 4, cudaMemcpyHostToDevice, call.h->stream);
  for (int layer = 0; layer < d->layers; layer++)
    for (int direction = 0; direction < d->directions(); direction++) {
      int pseudo = layer * d->directions() + direction;
      Layer p = layer_of(d, layer, direction, batch, steps, nullptr, lengths);
      dim3 grid((unsigned)(p.gates * p.hidden), blocks_of(p.width + p.hidden + 2));
      back_weights<S><<<grid, THREADS, 0, call.h->stream>>>(
          p, dWeights, (const S *)(call.reserve + r.in[(size_t)layer]),
          (const S *)(call.reserve + r.out[(size_t)layer]), state_at(d, hx, pseudo, batch),
          kept_of<S>(call.reserve, r, pseudo));
    }
  return launched();
}

} // namespace
