// The launches of a convolution by Winograd's method.

namespace {

int in_lanes(int channels) { return (channels + LANES - 1) / LANES * LANES; }

struct WinogradLayout {
  Winograd p;
  Weights weights;
  size_t pixelsAt, weightsAt, valuesAt, resultsAt, sumsAt, bytes;
};
WinogradLayout winograd_layout_of(const Geometry &g, bool isBackward) {
  WinogradLayout l{};
  Winograd &p = l.p;
  int least[3], results = LINE + 1 - g.window[1];
  p.source = isBackward ? gradient_planes(g, least) : forward_planes(g);
  l.weights = weights_of(g, isBackward);
  if (isBackward) l.weights.isFlipped = !l.weights.isFlipped;
  p.images = g.images;
  p.groups = g.groups;
  p.rows = l.weights.rows;
  p.columns = l.weights.columns;
  p.rowLanes = p.rows <= HALF ? HALF : in_lanes(p.rows);
  p.columnLanes = in_lanes(p.columns);
  for (int i = 0; i < 2; i++) {
    p.in[i] = isBackward ? g.out[i + 1] : g.in[i + 1];
    p.out[i] = isBackward ? g.in[i + 1] : g.out[i + 1];
    p.pad[i] = isBackward ? g.window[i + 1] - 1 - g.pad[i + 1] : g.pad[i + 1];
    int &tiles = i == 0 ? p.down : p.across;
    tiles = (p.out[i] + results - 1) / results;
    if (i == 1 && p.rowLanes == HALF) tiles += tiles % 2;
    p.padded[i] = tiles * results + LINE - results;
  }
  p.tiles = p.down * p.across * g.images;
  p.warps = (p.tiles + TILES - 1) / TILES;
  if (p.warps > WARPS) p.warps = WARPS;
  Pieces pieces;
  l.pixelsAt = pieces.take(p.pixels(), sizeof(float));
  l.weightsAt = pieces.take(p.weights(), sizeof(float));
  l.valuesAt = pieces.take(p.values(), sizeof(float));
  l.resultsAt = pieces.take(results == 4 ? p.results<4>() : p.results<2>(), sizeof(float));
  l.sumsAt = pieces.take((isBackward ? g.x : g.y).elements(), sizeof(float));
  l.bytes = pieces.bytes;
  return l;
}

size_t bytes_needed(const Geometry &g, bool isBackward, bool isWinograd) {
  int least[3];
  return isWinograd ? winograd_layout_of(g, isBackward).bytes : layout_of(g, isBackward, least).bytes;
}

template <int RESULTS>
cudnnStatus_t launch_winograd(cudnnContext *h, const WinogradLayout &l, char *memory) {
  const Winograd &p = l.p;
  float *pixels = (float *)(memory + l.pixelsAt), *weights = (float *)(memory + l.weightsAt);
  float *results = (float *)(memory + l.resultsAt);
  unsigned rowParts = p.groups * in_lanes(p.rowLanes) / LANES, columnParts = p.groups * p.columnLanes / LANES;
  unsigned inBlocks = (p.in[0] * p.in[1] + LANES - 1) / LANES, outBlocks = (p.out[0] * p.out[1] + LANES - 1) / LANES;
  cudaMemsetAsync(pixels, 0, p.pixels() * sizeof(float), h->stream);
  gather_channels<<<dim3(inBlocks, rowParts, p.images), LANES, 0, h->stream>>>(p, pixels);
  place_weights<LINE + 1 - RESULTS><<<dim3(p.rows, columnParts), LANES, 0, h->stream>>>(p, l.weights, weights);
  multiply_tiles<RESULTS><<<dim3(p.warps, p.groups), LANES, 0, h->stream>>>(
      p, pixels, weights, (float *)(memory + l.valuesAt), results);
  scatter_channels<RESULTS><<<dim3(outBlocks, columnParts, p.images), LANES, 0, h->stream>>>(p, results);
  return launched();
}
cudnnStatus_t winograd(cudnnContext *h, const Geometry &g, bool isBackward, const void *tensor, const void *w,
                       const Result &r, const WorkSpace &work) {
  WinogradLayout l = winograd_layout_of(g, isBackward);
  char *memory;
  if (cudnnStatus_t wrong = memory_of(h, work, l.bytes, memory)) return wrong;
  Winograd &p = l.p;
  p.source.from = tensor;
  l.weights.from = w;
  void *sums = r.isPlain(false) ? nullptr : memory + l.sumsAt;
  p.target = target_of(r, sums);
  cudnnStatus_t status = g.window[1] == 3 ? launch_winograd<4>(h, l, memory) : launch_winograd<2>(h, l, memory);
  return status ? status : finish<float>(h, r, sums);
}

} // namespace
