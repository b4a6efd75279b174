// Products by NVIDIA's cuBLASLt: its descriptors are made from ours at the first product of a kind, and cached.

struct NvidiaKey {
  LtDesc desc;
  LtLayout layouts[4];
  unsigned alignments[4];
  i64 workspaceBytes;
};
struct NvidiaMatmul {
  NvidiaKey key;
  unsigned long long desc, layouts[4];
  // cublasLtMatmulHeuristicResult_t
  struct { unsigned long long algo[8], workspaceBytes; int status; float wavesCount; int reserved[4]; } chosen;
};
struct NvidiaMatmuls {
  static constexpr int MOST = 32;
  NvidiaMatmul cached[MOST];
  int count = 0, next = 0;
};

namespace {

struct LtCaller {
  const cublasLtContext *handle;
  cudaStream_t stream;
  int status = 0;
  template <class... Values> bool operator()(const char *name, Values... values) {
    if (status == 0) status = call_nvidia(handle, "cublasLt", stream, name, values...);
    return status == 0;
  }
};

unsigned alignment_of(const void *pointer) {
  unsigned bits = (unsigned)(uintptr_t)pointer | 256;
  return bits & -bits;
}

void release(LtCaller &call, NvidiaMatmul &matmul) {
  for (unsigned long long layout : matmul.layouts) if (layout) call("cublasLtMatrixLayoutDestroy", layout);
  if (matmul.desc) call("cublasLtMatmulDescDestroy", matmul.desc);
}

// Sets the attributes that differ from their defaults.
bool describe(LtCaller &call, NvidiaMatmul &matmul) {
  LtDesc &d = matmul.key.desc;
  auto set = [&](int attribute, auto value) {
    return call("cublasLtMatmulDescSetAttribute", matmul.desc, attribute, Host{&value}, (long long)sizeof value);
  };
  auto address = [&](void *pointer) { return __heddle_library_address(pointer); };
  bool ok = call("cublasLtMatmulDescCreate", Host{&matmul.desc}, d.computeType, d.scaleType);
  ok = ok && set(CUBLASLT_MATMUL_DESC_POINTER_MODE, d.pointerMode) && set(CUBLASLT_MATMUL_DESC_TRANSA, d.transA) &&
       set(CUBLASLT_MATMUL_DESC_TRANSB, d.transB);
  if (ok && d.transC) ok = set(CUBLASLT_MATMUL_DESC_TRANSC, d.transC);
  if (ok && d.epilogue != CUBLASLT_EPILOGUE_DEFAULT) ok = set(CUBLASLT_MATMUL_DESC_EPILOGUE, d.epilogue);
  if (ok && d.bias) ok = set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address(d.bias));
  if (ok && d.biasStride) ok = set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, d.biasStride);
  if (ok && d.biasType >= 0) ok = set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, d.biasType);
  if (ok && d.aux)
    ok = set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, address(d.aux)) &&
         set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, d.auxLd);
  if (ok && d.auxStride) ok = set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, d.auxStride);
  if (ok && d.auxType >= 0) ok = set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, d.auxType);
  for (int i = 0; i < 4 && ok; i++) {
    LtLayout &l = matmul.key.layouts[i];
    unsigned long long &layout = matmul.layouts[i];
    auto setLayout = [&](int attribute, auto value) {
      return call("cublasLtMatrixLayoutSetAttribute", layout, attribute, Host{&value}, (long long)sizeof value);
    };
    ok = call("cublasLtMatrixLayoutCreate", Host{&layout}, l.type, (long long)l.rows, (long long)l.cols,
              (long long)l.ld);
    if (ok && l.order != CUBLASLT_ORDER_COL) ok = setLayout(CUBLASLT_MATRIX_LAYOUT_ORDER, l.order);
    if (ok && l.batchCount != 1)
      ok = setLayout(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, l.batchCount) &&
           setLayout(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, l.stride);
  }
  unsigned long long preference = 0;
  auto prefer = [&](int attribute, auto value) {
    return call("cublasLtMatmulPreferenceSetAttribute", preference, attribute, Host{&value}, (long long)sizeof value);
  };
  ok = ok && call("cublasLtMatmulPreferenceCreate", Host{&preference}) &&
       prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, matmul.key.workspaceBytes);
  static const int ALIGNMENTS[] = {
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
  for (int i = 0; i < 4 && ok; i++) ok = prefer(ALIGNMENTS[i], matmul.key.alignments[i]);
  int found = 0;
  ok = ok && call("cublasLtMatmulAlgoGetHeuristic", OwnHandle{}, matmul.desc, matmul.layouts[0], matmul.layouts[1],
                  matmul.layouts[2], matmul.layouts[3], preference, 1, Host{&matmul.chosen}, Host{&found});
  if (preference) {
    LtCaller last{call.handle, call.stream};
    last("cublasLtMatmulPreferenceDestroy", preference);
  }
  return ok && found == 1;
}

// The status, or a negative number if our kernels must do the work.
int nvidia_matmul(cublasLtContext& h, const NvidiaKey& key, const void* alpha, const void* A, const void* B,
                  const void* beta, const void* C, void* D, void* workspace, cudaStream_t stream) {
  if (!h.mayHaveNvidia) return NEVER;
  LtCaller call{&h, stream};
  if (!h.nvidiaMatmuls) h.nvidiaMatmuls = new NvidiaMatmuls;
  NvidiaMatmuls &all = *h.nvidiaMatmuls;
  NvidiaMatmul *matmul = nullptr;
  for (int i = 0; i < all.count && !matmul; i++)
    if (!memcmp(&all.cached[i].key, &key, sizeof key)) matmul = &all.cached[i];
  if (!matmul) {
    matmul = &all.cached[all.next];
    if (all.count < NvidiaMatmuls::MOST) all.count++;
    else release(call, *matmul);
    all.next = (all.next + 1) % NvidiaMatmuls::MOST;
    memset(matmul, 0, sizeof *matmul);
    memcpy(&matmul->key, &key, sizeof key);
    if (!describe(call, *matmul)) {
      if (call.status == NEVER) h.mayHaveNvidia = false;
      LtCaller last{&h, stream};
      release(last, *matmul);
      memset(&matmul->key, 0xff, sizeof key); // equals none
      matmul->desc = 0;
      memset(matmul->layouts, 0, sizeof matmul->layouts);
      return NOT_NOW;
    }
  }
  bool factorsOnDevice = key.desc.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  call("cublasLtMatmul", OwnHandle{}, matmul->desc, Scalar{alpha, factorsOnDevice}, A, matmul->layouts[0], B,
       matmul->layouts[1], Scalar{beta, factorsOnDevice}, C, matmul->layouts[2], (const void*)D, matmul->layouts[3],
       Host{matmul->chosen.algo}, (const void*)workspace, (long long)key.workspaceBytes, OfStream{stream});
  return call.status;
}

} // namespace

cublasLtContext::~cublasLtContext() {
  if (!nvidiaMatmuls) return;
  LtCaller call{this, 0};
  for (int i = 0; i < nvidiaMatmuls->count; i++) release(call, nvidiaMatmuls->cached[i]);
  call("cublasLtDestroy", OwnHandle{});
  delete nvidiaMatmuls;
}
