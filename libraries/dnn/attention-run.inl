// The steps of multi-head attention and of its gradients.

namespace {

/// A call with its memory. Arrays of ours are [batch][beam][head][time][width] of S.
template <class S> struct Attention {
  cudnnContext *h;
  const cudnnAttnStruct *d;
  Rows r;
  Places places;
  char *kept, *work; // what stays for the backward calls, and the rest
  const void *weights;
  const cudnnSeqDataStruct *desc[3];
  const void *data[3];
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;

  int own_type() const { return sizeof(S) == 8 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT; }
  int beams(int i) const { return i == 0 ? r.beams : r.keyBeams; }
  int times(int i) const { return i == 0 ? r.queries : r.keys; }
  S *at(size_t place) const { return (S *)(place < places.kept ? kept + place : work + (place - places.kept)); }
  /// Ours, by the strides of its five dimensions, as the operand of a sum whose dimensions are `order`: indices of
  /// those, or -1.
  Operand own(size_t place, int i, int width, std::initializer_list<int> order) const {
    i64 head = (i64)times(i) * width, beam = head * r.heads;
    const i64 strides[] = {beam * beams(i), beam, head, width, 1};
    return operand(at(place), own_type(), strides, order);
  }
  static Operand operand(const void *data, int type, const i64 *strides, std::initializer_list<int> order) {
    Operand o{(void *)data, type, {}};
    int at = 0;
    for (int from : order) o.stride[at++] = from < 0 ? 0 : strides[from];
    return o;
  }
  Operand sequence(const cudnnSeqDataStruct *s, const void *data, std::initializer_list<int> order) const {
    const i64 strides[] = {s->stride(CUDNN_SEQDATA_BATCH_DIM), s->stride(CUDNN_SEQDATA_BEAM_DIM), 0,
                           s->stride(CUDNN_SEQDATA_TIME_DIM), 1};
    return operand(data, s->type, strides, order);
  }
  /// A kind's weights: 0 the head, 1 the row, 2 the column.
  Operand matrix(const void *all, int kind, std::initializer_list<int> order) const {
    const i64 strides[] = {(i64)d->rows(kind) * d->columns(kind), d->columns(kind), 1};
    return operand((char *)all + d->place(kind) * (i64)bytes_of(d->type), d->type, strides, order);
  }
  Operand bias(const void *all, int kind, std::initializer_list<int> order) const {
    const i64 strides[] = {kind == 3 ? 0 : d->rows(kind), 1};
    return operand((char *)all + d->place(4 + kind) * (i64)bytes_of(d->type), d->type, strides, order);
  }
  void sum(std::initializer_list<int> outer, std::initializer_list<int> inner, const Operand &to, const Operand &a,
           const Operand &b, double scale = 1, bool isAdded = false) {
    Einsum e{};
    e.count = 1;
    for (int size : outer) e.count *= e.dim[e.rank++] = size;
    e.outer = e.rank;
    for (int size : inner) e.dim[e.rank++] = size;
    e.to = to, e.a = a, e.b = b, e.scale = scale, e.isAdded = isAdded;
    run_einsum<S><<<blocks_of(e.count), THREADS, 0, h->stream>>>(e);
  }
  /// The result as [batch][beam][query][width].
  Operand result(std::initializer_list<int> order) const {
    i64 row = d->outputs(), beam = row * r.queries;
    const i64 strides[] = {beam * r.beams, beam, row, 1};
    return operand(at(places.result), own_type(), strides, order);
  }

  void project() {
    for (int i = 0; i < 3; i++) {
      int width = d->width(i), batch = r.batch, beam = beams(i), heads = r.heads, time = times(i);
      Operand to = own(places.part[i], i, width, {0, 1, 2, 3, 4});
      if (!d->projected[i]) {
        sum({batch, beam, heads, time, width}, {}, to, sequence(desc[i], data[i], {0, 1, -1, 3, 4}), {});
        continue;
      }
      sum({batch, beam, heads, time, width}, {d->size[i]}, to, sequence(desc[i], data[i], {0, 1, -1, 3, -1, 4}),
          matrix(weights, i, {-1, -1, 0, -1, 1, 2}));
      if (d->hasBias())
        sum({batch, beam, heads, time, width}, {}, to, bias(weights, i, {-1, -1, 0, -1, 1}), {}, 1, true);
    }
  }
  /// The strides of keys and values by the queries' beams: several may share one.
  int shared() const { return r.keyBeams == r.beams ? 1 : -1; }
  /// to[query][key] = scale * left[query] . right[key]
  void scores(size_t to, size_t left, size_t right, int side, double scale) {
    int width = d->width(side);
    sum({r.batch, r.beams, r.heads, r.queries, r.keys}, {width}, own(to, 0, r.keys, {0, 1, 2, 3, 4}),
        own(left, 0, width, {0, 1, 2, 3, -1, 4}), own(right, side, width, {0, shared(), 2, -1, 3, 4}), scale);
  }
  /// to[query] = sum over keys of by[query][key] * right[key]
  void weigh(size_t to, size_t by, size_t right, int side, double scale) {
    int width = d->width(side);
    sum({r.batch, r.beams, r.heads, r.queries, width}, {r.keys}, own(to, 0, width, {0, 1, 2, 3, 4}),
        own(by, 0, r.keys, {0, 1, 2, 3, -1, 4}), own(right, side, width, {0, shared(), 2, -1, 4, 3}), scale);
  }
  /// to[key] = sum over queries, and over beams that share keys, of by[query][key] * left[query]
  void gather(size_t to, size_t by, size_t left, int side, double scale) {
    int width = d->width(side), sharing = r.beams / r.keyBeams;
    sum({r.batch, r.keyBeams, r.heads, r.keys, width}, {r.queries, sharing}, own(to, side, width, {0, 1, 2, 3, 4}),
        own(by, 0, r.keys, {0, shared(), 2, 4, -1, 3, sharing > 1 ? 1 : -1}),
        own(left, 0, width, {0, shared(), 2, -1, 4, 3, sharing > 1 ? 1 : -1}), scale);
  }
  void softmax(S *p, S *dP) {
    i64 rows = (i64)r.batch * r.beams * r.heads * r.queries;
    run_softmax<S><<<blocks_of(rows), THREADS, 0, h->stream>>>(r, p, dP);
  }
  void mask(const Operand &from, const Operand &residual, const Operand &to) {
    i64 count = (i64)r.batch * r.beams * r.queries * d->outputs();
    mask_rows<S><<<blocks_of(count), THREADS, 0, h->stream>>>(r, d->outputs(), from, residual, to);
  }

  cudnnStatus_t forward(const cudnnSeqDataStruct *oDesc, void *out, const void *residuals) {
    project();
    scores(places.weights, places.part[0], places.part[1], 1, d->scale);
    softmax(at(places.weights), nullptr);
    weigh(places.heads, places.weights, places.part[2], 2, 1);
    int width = d->width(2);
    if (d->output) {
      sum({r.batch, r.beams, r.queries, d->output}, {r.heads, width}, result({0, 1, 2, 3}),
          own(places.heads, 0, width, {0, 1, 3, -1, 2, 4}), matrix(weights, 3, {-1, -1, -1, 1, 0, 2}));
      if (d->hasBias())
        sum({r.batch, r.beams, r.queries, d->output}, {}, result({0, 1, 2, 3}), bias(weights, 3, {-1, -1, -1, 1}), {},
            1, true);
    } else {
      Operand to = result({0, 1, -1, 2, 3});
      to.stride[2] = width;
      sum({r.batch, r.beams, r.heads, r.queries, width}, {}, to, own(places.heads, 0, width, {0, 1, 2, 3, 4}), {});
    }
    Operand residual{};
    if (residuals) residual = sequence(oDesc, residuals, {0, 1, 3, 4});
    mask(result({0, 1, 2, 3}), residual, sequence(oDesc, out, {0, 1, 3, 4}));
    return launched();
  }

  /// The gradients of the projections, from that of the result.
  void back(const cudnnSeqDataStruct *doDesc, const void *dout) {
    int width = d->width(2);
    mask(sequence(doDesc, dout, {0, 1, 3, 4}), {}, result({0, 1, 2, 3}));
    Operand to = own(places.dHeads, 0, width, {0, 1, 2, 3, 4});
    if (d->output)
      sum({r.batch, r.beams, r.heads, r.queries, width}, {d->output}, to, result({0, 1, -1, 2, -1, 3}),
          matrix(weights, 3, {-1, -1, 0, -1, 2, 1}));
    else {
      Operand from = result({0, 1, -1, 2, 3});
      from.stride[2] = width;
      sum({r.batch, r.beams, r.heads, r.queries, width}, {}, to, from, {});
    }
    scores(places.dWeights, places.dHeads, places.part[2], 2, 1);
    softmax(at(places.weights), at(places.dWeights));
    weigh(places.dPart[0], places.dWeights, places.part[1], 1, d->scale);
    gather(places.dPart[1], places.dWeights, places.part[0], 1, d->scale);
    gather(places.dPart[2], places.weights, places.dHeads, 2, 1);
  }
  cudnnStatus_t back_data(const cudnnSeqDataStruct *const (&dDesc)[3], void *const (&gradients)[3]) {
    for (int i = 0; i < 3; i++) {
      int width = d->width(i);
      Operand to = sequence(dDesc[i], gradients[i], {0, 1, 3, 4});
      if (d->projected[i])
        sum({r.batch, beams(i), times(i), d->size[i]}, {r.heads, width}, to,
            own(places.dPart[i], i, width, {0, 1, 3, -1, 2, 4}), matrix(weights, i, {-1, -1, -1, 2, 0, 1}));
      else
        sum({r.batch, beams(i), times(i), width}, {r.heads}, to,
            own(places.dPart[i], i, width, {0, 1, 3, 4, 2}), {});
    }
    return launched();
  }
  cudnnStatus_t back_weights(void *dWeights, bool isAdded) {
    for (int i = 0; i < 3; i++) {
      if (!d->projected[i]) continue;
      int width = d->width(i);
      sum({r.heads, width, d->size[i]}, {r.batch, beams(i), times(i)}, matrix(dWeights, i, {0, 1, 2}),
          own(places.dPart[i], i, width, {2, 4, -1, 0, 1, 3}), sequence(desc[i], data[i], {-1, -1, 4, 0, 1, 3}), 1,
          isAdded);
      if (d->hasBias())
        sum({r.heads, width}, {r.batch, beams(i), times(i)}, bias(dWeights, i, {0, 1}),
            own(places.dPart[i], i, width, {2, 4, 0, 1, 3}), {}, 1, isAdded);
    }
    if (d->output) {
      sum({r.heads, d->output, d->width(2)}, {r.batch, r.beams, r.queries}, matrix(dWeights, 3, {0, 1, 2}),
          result({-1, 3, -1, 0, 1, 2}), own(places.heads, 0, d->width(2), {2, -1, 4, 0, 1, 3}), 1, isAdded);
      if (d->hasBias())
        sum({d->output}, {r.batch, r.beams, r.queries}, bias(dWeights, 3, {1}), result({3, 0, 1, 2}), {}, 1, isAdded);
    }
    return launched();
  }
};

} // namespace
