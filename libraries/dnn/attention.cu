// Multi-head attention of cuDNN: each head attends with projections of the queries, the keys and the values. All
// products are sums of products over some dimensions, which one kernel makes.
#include "elements.cuh"

using namespace heddle_dnn;

struct cudnnSeqDataStruct {
  bool isSet = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int dim[4] = {}; // by cudnnSeqDataAxis_t
  cudnnSeqDataAxis_t axes[4];
  std::vector<int> lengths;
  /// Elements between neighbours of an axis.
  i64 stride(int axis) const {
    i64 all = 1;
    for (int i = 3; axes[i] != axis; i--) all *= dim[axes[i]];
    return all;
  }
};
struct cudnnAttnStruct {
  bool isSet = false;
  unsigned mode = 0;
  int heads = 0;
  double scale = 1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, precision = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnDropoutDescriptor_t attentionDropout = nullptr, postDropout = nullptr;
  int size[3], projected[3], output = 0; // of queries, keys and values; projected: 0 without a projection
  int queries = 0, keys = 0, batch = 0, beams = 0;
  int width(int i) const { return projected[i] ? projected[i] : size[i]; }
  int outputs() const { return output ? output : heads * width(2); }
  bool hasBias() const { return mode & CUDNN_ATTN_ENABLE_PROJ_BIASES; }
  /// Rows and columns of a head's weights of a kind; 0 without a projection.
  int rows(int kind) const { return kind < 3 ? projected[kind] : output; }
  int columns(int kind) const { return kind < 3 ? size[kind] : width(2); }
  /// Elements before the weights, or the biases (kinds from 4), of a kind.
  i64 place(int kind) const {
    i64 at = 0;
    for (int k = 0; k < kind; k++) {
      int of = k % 4;
      i64 rows = this->rows(of);
      if (k < 4) at += heads * rows * columns(of);
      else if (hasBias()) at += of == 3 ? rows : heads * rows;
    }
    return at;
  }
};

namespace {

/// to = scale * sum of a * b over the dimensions from `outer` on, added to what is there or not. Without b: of a.
constexpr int EIN_RANK = 8;
struct Operand {
  void *data;
  int type;
  i64 stride[EIN_RANK];
};
struct Einsum {
  int rank, outer, dim[EIN_RANK];
  Operand to, a, b;
  double scale;
  bool isAdded;
  i64 count;
};
template <class S> __global__ void __launch_bounds__(THREADS) run_einsum(Einsum p) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= p.count) return;
  i64 to = 0, a = 0, b = 0, inner = 1;
  for (int i = p.outer - 1; i >= 0; i--) {
    i64 index = at % p.dim[i];
    at /= p.dim[i];
    to += index * p.to.stride[i], a += index * p.a.stride[i], b += index * p.b.stride[i];
  }
  for (int i = p.outer; i < p.rank; i++) inner *= p.dim[i];
  S sum = 0;
  for (i64 k = 0; k < inner; k++) {
    i64 rest = k, left = a, right = b;
    for (int i = p.rank - 1; i >= p.outer; i--) {
      i64 index = rest % p.dim[i];
      rest /= p.dim[i];
      left += index * p.a.stride[i], right += index * p.b.stride[i];
    }
    sum += load<S>(p.a.data, p.a.type, left) * (p.b.data ? load<S>(p.b.data, p.b.type, right) : (S)1);
  }
  sum *= (S)p.scale;
  if (p.isAdded) sum += load<S>(p.to.data, p.to.type, to);
  store(p.to.data, p.to.type, to, sum);
}

/// What one call knows of its sequences. A row is a query of a head.
struct Rows {
  int batch, beams, heads, queries, keys, keyBeams, first, last; // queries from first to last
  const int *low, *high, *queryLengths, *keyLengths;             // on the device
  __device__ bool attends(int sequence, int keySequence, int query, int key) const {
    if (query < first || query >= last || query >= queryLengths[sequence]) return false;
    return key >= low[query] && key < high[query] && key < keyLengths[keySequence];
  }
};
/// The softmax of scores p[batch][beam][head][query][key], or with dP its gradient: a thread has a row.
template <class S> __global__ void __launch_bounds__(THREADS) run_softmax(Rows r, S *p, S *dP) {
  i64 row = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (row >= (i64)r.batch * r.beams * r.heads * r.queries) return;
  int query = (int)(row % r.queries), sequence = (int)(row / r.queries / r.heads);
  int keySequence = r.keyBeams == r.beams ? sequence : sequence / r.beams;
  S *own = p + row * r.keys, sum = 0, most = (S)-INFINITY;
  if (dP) {
    S *d = dP + row * r.keys;
    for (int k = 0; k < r.keys; k++) sum += own[k] * d[k];
    for (int k = 0; k < r.keys; k++) d[k] = own[k] * (d[k] - sum);
    return;
  }
  for (int k = 0; k < r.keys; k++)
    if (r.attends(sequence, keySequence, query, k) && own[k] > most) most = own[k];
  for (int k = 0; k < r.keys; k++) {
    own[k] = r.attends(sequence, keySequence, query, k) ? exp(own[k] - most) : (S)0;
    sum += own[k];
  }
  for (int k = 0; k < r.keys; k++) own[k] = sum > 0 ? own[k] / sum : (S)0;
}
/// Results behind a sequence are zeros, and so are their gradients: from[batch][beam][query][width].
template <class S>
__global__ void __launch_bounds__(THREADS) mask_rows(Rows r, int width, Operand from, Operand residual, Operand to) {
  i64 at = (i64)blockIdx.x * THREADS + threadIdx.x;
  if (at >= (i64)r.batch * r.beams * r.queries * width) return;
  int element = (int)(at % width), query = (int)(at / width % r.queries);
  int sequence = (int)(at / width / r.queries), batch = sequence / r.beams, beam = sequence % r.beams;
  if (query < r.first || query >= r.last) return;
  auto place = [&](const Operand &o) {
    return batch * o.stride[0] + beam * o.stride[1] + query * o.stride[2] + element * o.stride[3];
  };
  S value = query < r.queryLengths[sequence] ? load<S>(from.data, from.type, place(from)) : (S)0;
  if (residual.data && query < r.queryLengths[sequence])
    value += load<S>(residual.data, residual.type, place(residual));
  store(to.data, to.type, place(to), value);
}

/// Memory of a call: what the backward calls read comes first.
struct Places {
  size_t part[3], weights, heads, kept; // projections, probabilities, heads
  size_t result, dPart[3], dWeights, dHeads, lists, bytes;
};
Places places_of(const cudnnAttnStruct *d) {
  size_t size = d->type == CUDNN_DATA_DOUBLE ? 8 : 4;
  i64 sequences = (i64)d->batch * d->beams * d->heads;
  Places p{};
  auto take = [&](i64 elements) {
    size_t at = p.bytes;
    p.bytes += ((size_t)elements * size + 255) / 256 * 256;
    return at;
  };
  auto part = [&](int i) { return take(sequences * (i == 0 ? d->queries : d->keys) * d->width(i)); };
  for (int i = 0; i < 3; i++) p.part[i] = part(i);
  p.weights = take(sequences * d->queries * d->keys);
  p.heads = take(sequences * d->queries * d->width(2));
  p.kept = p.bytes;
  p.result = take((i64)d->batch * d->beams * d->queries * d->outputs());
  for (int i = 0; i < 3; i++) p.dPart[i] = part(i);
  p.dWeights = take(sequences * d->queries * d->keys);
  p.dHeads = take(sequences * d->queries * d->width(2));
  p.lists = take(2 * d->queries);
  return p;
}

} // namespace

#include "attention-run.inl"
#include "attention.inl"
