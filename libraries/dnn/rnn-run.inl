// The forward pass of recurrent networks.

namespace {

/// What lies between two layers in training: the mask is the factor of each element.
template <class S>
__global__ void __launch_bounds__(THREADS) drop_elements(i64 count, float rate, unsigned long long seed,
                                                         const unsigned long long *states, int layer, const S *from,
                                                         S *mask, S *to) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= count) return;
  unsigned long long turn = (states ? *states : 0) + ((unsigned long long)layer << 40);
  bool isKept = (float)random_bits(seed, turn, at) >= rate * 16777216.0f;
  mask[at] = isKept && rate < 1 ? (S)(1 / (1 - rate)) : (S)0;
  to[at] = mask[at] * from[at];
}
inline __global__ void count_dropout(unsigned long long *states) { *states += 1; }

Layer layer_of(const cudnnRNNStruct *d, int layer, int direction, int batch, int steps, const void *weights,
               const int *lengths) {
  int pseudo = layer * d->directions() + direction;
  return {d->cell, d->gates(), batch, steps, d->width(layer), d->hiddenSize, d->directions(), direction,
          element_type(d->type), d->hasInputMatrix(layer), d->hasBias(false), d->hasBias(true),
          d->clip == CUDNN_RNN_CLIP_MINMAX, d->least, d->most, weights, d->matrixAt(pseudo, 0),
          d->matrixAt(pseudo, d->gates()), d->biasAt(pseudo, 0), d->biasAt(pseudo, d->gates()), lengths};
}
/// A walk over the states of a layer and direction.
Walk<1> states_of(const cudnnRNNStruct *d, int batch) {
  Walk<1> states{};
  states.rank = 1;
  states.count = states.dim[0] = batch * d->hiddenSize;
  states.stride[0][0] = 1;
  return states;
}
/// Where the states of a layer and direction are in a program's array of them.
void *state_at(const cudnnRNNStruct *d, const void *all, int pseudo, int batch) {
  return all ? (char *)all + (i64)pseudo * batch * d->hiddenSize * (i64)bytes_of(d->type) : nullptr;
}

/// What a forward or a backward call gets.
struct Call {
  cudnnContext *h;
  const cudnnRNNStruct *d;
  const cudnnRNNDataStruct *xDesc, *yDesc;
  const void *weights;
  char *work, *reserve; // reserve: null in inference
};

template <class S> void drop_between(const Call &call, const Reserve &r, int layer, const S *out, S *next) {
  i64 count = (i64)call.xDesc->steps * call.xDesc->batch * call.d->hiddenSize * call.d->directions();
  const cudnnDropoutStruct *dropout = call.d->dropout;
  if (!dropout || dropout->rate == 0) {
    cudaMemcpyAsync(next, out, (size_t)count * sizeof(S), cudaMemcpyDeviceToDevice, call.h->stream);
    return;
  }
  unsigned long long *states = (unsigned long long *)dropout->states;
  drop_elements<S><<<blocks_of(count), THREADS, 0, call.h->stream>>>(
      count, dropout->rate, dropout->seed, states, layer, out, (S *)(call.reserve + r.mask[(size_t)layer]), next);
  if (layer + 2 == call.d->layers && states) count_dropout<<<1, 1, 0, call.h->stream>>>(states);
}

template <class S>
cudnnStatus_t run(const Call &call, const void *x, void *y, const void *hx, void *hy, const void *cx, void *cy) {
  cudnnContext *h = call.h;
  const cudnnRNNStruct *d = call.d;
  int steps = call.xDesc->steps, batch = call.xDesc->batch, hidden = d->hiddenSize;
  Space s = space_of(d, steps, batch, sizeof(S));
  Reserve r = reserve_of(d, steps, batch, sizeof(S));
  int *lengths = (int *)(call.work + s.lengths);
  S *gates = (S *)(call.work + s.gates), *state = (S *)(call.work + s.state), *cells = state + 2 * batch * hidden;
  auto in_of = [&](int layer) {
    return (S *)(call.reserve ? call.reserve + r.in[layer] : call.work + (layer % 2 ? s.second : s.first));
  };
  auto out_of = [&](int layer) {
    return (S *)(call.reserve ? call.reserve + r.out[layer] : call.work + (layer % 2 ? s.first : s.second));
  };
  cudaMemcpyAsync(lengths, call.xDesc->lengths.data(), (size_t)batch * 4, cudaMemcpyHostToDevice, h->stream);
  i64 count = (i64)steps * batch * call.xDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(call.xDesc, lengths), (void *)x,
                                                                 in_of(0), true);
  Walk<1> states = states_of(d, batch);
  for (int layer = 0; layer < d->layers; layer++) {
    S *in = in_of(layer), *out = out_of(layer);
    if (call.reserve) cudaMemsetAsync(out, 0, (size_t)steps * batch * hidden * d->directions() * sizeof(S), h->stream);
    for (int direction = 0; direction < d->directions(); direction++) {
      int pseudo = layer * d->directions() + direction;
      Layer p = layer_of(d, layer, direction, batch, steps, call.weights, lengths);
      dim3 grid((unsigned)(steps * batch), blocks_of(p.gates * hidden));
      project<S><<<grid, THREADS, 0, h->stream>>>(p, in, gates);
      for_each(h, states, CopyState<S>{state_at(d, hx, pseudo, batch), state, p.type, true});
      if (d->cell == CUDNN_LSTM)
        for_each(h, states, CopyState<S>{state_at(d, cx, pseudo, batch), cells, p.type, true});
      Kept<S> kept = kept_of<S>(call.reserve, r, pseudo);
      S *before = state, *after = state + batch * hidden;
      for (int turn = 0; turn < steps; turn++) {
        step_cell<S><<<blocks_of(batch * hidden), THREADS, 0, h->stream>>>(p, turn, gates, before, after, cells, out,
                                                                           kept);
        S *other = before;
        before = after;
        after = other;
      }
      if (hy) for_each(h, states, CopyState<S>{state_at(d, hy, pseudo, batch), before, p.type, false});
      if (cy && d->cell == CUDNN_LSTM)
        for_each(h, states, CopyState<S>{state_at(d, cy, pseudo, batch), cells, p.type, false});
    }
    if (call.reserve && layer + 1 < d->layers) drop_between(call, r, layer, out, in_of(layer + 1));
  }
  count = (i64)steps * batch * call.yDesc->width;
  move_sequences<S><<<blocks_of(count), THREADS, 0, h->stream>>>(sequences_of(call.yDesc, lengths), y,
                                                                 out_of(d->layers - 1), false);
  return launched();
}

} // namespace
