// Which algorithms a convolution has, by the tables of the documentation and the statuses of an H200.

namespace {

bool is_simple(const Geometry &g, int mostStride) {
  if (g.x.rank > 4) return false;
  for (int i = 0; i < 3; i++) if (g.dilation[i] != 1 || g.stride[i] > mostStride) return false;
  return true;
}
bool is_window(const Geometry &g, int size) { return g.window[1] == size && g.window[2] == size; }
bool has_fft(const Geometry &g) {
  if (!is_simple(g, 1) || g.x.type == CUDNN_DATA_DOUBLE || g.x.type == CUDNN_DATA_BFLOAT16) return false;
  for (int i = 1; i < 3; i++)
    if (g.in[i] + 2 * g.pad[i] > 256 || g.window[i] <= g.pad[i] || g.window[i] > 256) return false;
  return true;
}
/// Windows of one row or column are longer, and have doubles; the others have steps of 2 where `mostStride` allows it.
bool has_fft_tiling(const Geometry &g, int mostStride) {
  bool isLine = g.window[1] == 1 || g.window[2] == 1;
  if (!is_simple(g, isLine ? 1 : mostStride) || g.x.type == CUDNN_DATA_BFLOAT16) return false;
  if (g.x.type == CUDNN_DATA_DOUBLE && !isLine) return false;
  for (int i = 1; i < 3; i++) if (g.window[i] <= g.pad[i] || g.window[i] > (isLine ? 256 : 32)) return false;
  return true;
}
/// What the kernels of Winograd's method compute. Their grids have the images in z, the groups' channels in y.
bool is_winograds(const Geometry &g) {
  int channels = g.inputs > g.outputs ? g.inputs : g.outputs;
  return is_simple(g, 1) && (is_window(g, 3) || is_window(g, 5)) && g.images <= MOST_BLOCKS &&
         (i64)g.groups * (in_lanes(channels) / LANES) <= MOST_BLOCKS && is_real(g.x.type) &&
         g.x.type != CUDNN_DATA_DOUBLE;
}

/// Whether the elements of an image lie side by side, in the order of the filter. Dimensions of 1 have any stride.
bool is_dense(const Geometry &g, const Tensor &t) {
  if (t.vect > 1) return true;
  i64 expected = 1;
  auto isNext = [&](int i) {
    bool is = t.dim[i] == 1 || t.stride[i] == expected;
    expected *= t.dim[i];
    return is;
  };
  if (g.isNhwc && !isNext(1)) return false;
  for (int i = t.rank - 1; i >= (g.isNhwc ? 2 : 1); i--) if (!isNext(i)) return false;
  return true;
}

/// Bytes are multiplied by four. Where channels are not packed as such, NVIDIA's library has NHWC alone.
bool has_bytes(const Geometry &g) {
  if (g.x.vect > 1) return true;
  for (int i = 0; i < 3; i++) if (g.dilation[i] != 1) return false;
  return g.isNhwc && g.groups == 1 && g.inputs % 4 == 0 && (g.y.type == CUDNN_DATA_FLOAT || g.outputs % 4 == 0);
}
/// Winograd's method in one step. An H200's library refuses it in every case; that older GPUs have it is their
/// documentation's word.
bool has_winograd_in_one(const Geometry &g) {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major < 9 && is_window(g, 3) && g.x.type != CUDNN_DATA_BFLOAT16 && is_winograds(g);
}
// DIRECT is in no version.
bool has_forward(const Geometry &g, int algo) {
  bool isImplicit =
      algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM || algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  if (!is_real(g.x.type)) return isImplicit && has_bytes(g);
  if (isImplicit) return true;
  if (g.isNhwc) return false;
  switch (algo) {
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM: return g.x.rank == 4;
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT: return has_fft(g);
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING: return has_fft_tiling(g, 2);
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD: return has_winograd_in_one(g);
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED: return is_winograds(g);
    default: return false;
  }
}
/// Of both gradients one operand must be dense; NHWC has two algorithms, and no doubles.
bool has_backward_data(const Geometry &g, int algo) {
  if (!is_real(g.x.type) || !is_dense(g, g.y)) return false;
  bool isImplicit = algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 || algo == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  if (g.isNhwc) return isImplicit && g.x.type != CUDNN_DATA_DOUBLE;
  if (isImplicit) return true;
  switch (algo) {
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT: return has_fft(g);
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING: return has_fft_tiling(g, 1);
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD: return has_winograd_in_one(g);
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED: return is_winograds(g);
    default: return false;
  }
}
bool has_backward_filter(const Geometry &g, int algo) {
  if (!is_real(g.x.type) || !is_dense(g, g.x)) return false;
  bool isImplicit = algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 || algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;
  if (g.isNhwc) return isImplicit && g.x.type != CUDNN_DATA_DOUBLE;
  if (isImplicit) return true;
  switch (algo) {
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3: return is_simple(g, INT_MAX);
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT: return has_fft(g);
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING: return has_fft_tiling(g, 1);
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED: return is_winograds(g);
    default: return false;
  }
}

} // namespace
