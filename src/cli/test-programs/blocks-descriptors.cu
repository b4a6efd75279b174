// Random descriptors of cuSPARSE's functions for blocks, pruning and colours, a line each; prints the status and the
// results, or "absent" where the library has no such function. Elements are quarters.
// blocks-descriptors.test-helper.ts makes the lines.
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cusparse.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

/// Headers of CUDA 13 declare it, and the library does not have it: then its address is null.
extern "C" __attribute__((weak)) decltype(cusparseXgebsr2csr) cusparseXgebsr2csr;

struct Case {
  char op[16];
  int type, base, baseC, dir, trans, transXY, mb, nb, n, height, width, heightC, widthC, density, seed, fill, unit;
  int device, percent, zero, boost;
};
static uint32_t hash(uint32_t seed, uint32_t at) {
  uint32_t x = seed * 2654435761u + at * 2246822519u + 374761393u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}
/// Quarters from -2 to 1.75.
static double number(uint32_t seed, uint32_t at) { return ((int)(hash(seed, at) & 15) - 8) / 4.0; }

template <class T> struct Make {
  static constexpr bool isComplex = false;
  typedef T Real;
  static T of(double re, double) { return (T)re; }
  static void print(T v) { printf(" %.7g", (double)v); }
};
template <> struct Make<__half> {
  static constexpr bool isComplex = false;
  static __half of(double re, double) { return __float2half((float)re); }
  static void print(__half v) { printf(" %.7g", (double)__half2float(v)); }
};
template <class T, class R> struct MakeComplex {
  static constexpr bool isComplex = true;
  typedef R Real;
  static T of(double re, double im) { T v; v.x = (R)re; v.y = (R)im; return v; }
  static void print(T v) { printf(" %.7g %.7g", v.x, v.y); }
};
template <> struct Make<cuComplex> : MakeComplex<cuComplex, float> {};
template <> struct Make<cuDoubleComplex> : MakeComplex<cuDoubleComplex, double> {};
template <class T> T element(uint32_t seed, uint32_t at) { return Make<T>::of(number(seed, at), number(seed + 77, at)); }

template <class T> T *device(const std::vector<T> &values) {
  T *memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T) + 256);
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}
template <class T> std::vector<T> host(const T *memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}
template <class T> void print(const T *memory, size_t count) {
  for (T value : host(memory, count)) Make<T>::print(value);
}
static std::vector<void *> pieces;
template <class T> T *piece(const std::vector<T> &values) {
  T *memory = device(values);
  pieces.push_back(memory);
  return memory;
}
static void *bytesOf(size_t bytes) { return piece(std::vector<char>(bytes)); }
template <class T> T *room(size_t count) { return piece(std::vector<T>(count)); }

static cusparseHandle_t handle;
static cusparseMatDescr_t descrA, descrC;
/// A value where the pointer mode wants it.
template <class T> struct Scalar {
  T onHost{};
  T *address;
  bool isOnDevice;
  Scalar(const Case &c, T value) : onHost(value), isOnDevice(c.device) {
    address = isOnDevice ? piece(std::vector<T>{value}) : &onHost;
    cusparseSetPointerMode(handle, isOnDevice ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST);
  }
  T get() { return isOnDevice ? host(address, 1)[0] : onHost; }
};

/// Whether a block is there: of a system the one on the diagonal, but for a row that has none; a row whose pivot is
/// zero has no blocks to its left.
static bool isThere(const Case &c, bool isSystem, int i, int j) {
  int z = c.seed % c.mb;
  if (isSystem && i == j) return !(c.zero == 1 && i == z);
  if (isSystem && c.zero == 2 && i == z && j < i) return false;
  return (int)(hash(c.seed + 5, i * 1000 + j) % 100) < c.density;
}
template <class T> T valueAt(const Case &c, bool isSystem, int i, int j) {
  if (isSystem && i == j) {
    if (c.zero == 2 && i == (c.seed % c.mb) * c.height) return Make<T>::of(0, 0);
    bool isFactor = c.op[3] == 'i';
    return Make<T>::of(isFactor ? 128 : hash(c.seed, i) % 2 ? 8 : -16, 0);
  }
  return element<T>(c.seed, i * 1000 + j);
}
template <class T> struct Blocks {
  std::vector<int> offsets, columns;
  std::vector<T> values;
  int *dOffsets, *dColumns;
  T *dValues;
  int count() const { return (int)columns.size(); }
  Blocks(const Case &c, bool isSystem) {
    for (int i = 0; i < c.mb; i++) {
      offsets.push_back(count() + c.base);
      for (int j = 0; j < c.nb; j++) {
        if (!isThere(c, isSystem, i, j)) continue;
        columns.push_back(j + c.base);
        for (int e = 0; e < c.height * c.width; e++) {
          int p = c.dir ? e % c.height : e / c.width, q = c.dir ? e / c.height : e % c.width;
          values.push_back(valueAt<T>(c, isSystem, i * c.height + p, j * c.width + q));
        }
      }
    }
    offsets.push_back(count() + c.base);
    dOffsets = piece(offsets);
    dColumns = piece(columns);
    dValues = piece(values);
  }
};
template <class T> std::vector<T> numbers(int seed, size_t count) {
  std::vector<T> made(count);
  for (size_t i = 0; i < count; i++) made[i] = element<T>(seed, (uint32_t)i);
  return made;
}

template <class T> struct Calls;
#define CALLS(P, T)                                                                                                    \
  template <> struct Calls<T> {                                                                                        \
    static constexpr auto svSize = cusparse##P##bsrsv2_bufferSize;                                                     \
    static constexpr auto svAnalysis = cusparse##P##bsrsv2_analysis;                                                   \
    static constexpr auto svSolve = cusparse##P##bsrsv2_solve;                                                         \
    static constexpr auto smSize = cusparse##P##bsrsm2_bufferSize;                                                     \
    static constexpr auto smAnalysis = cusparse##P##bsrsm2_analysis;                                                   \
    static constexpr auto smSolve = cusparse##P##bsrsm2_solve;                                                         \
    static constexpr auto luSize = cusparse##P##bsrilu02_bufferSize;                                                   \
    static constexpr auto luAnalysis = cusparse##P##bsrilu02_analysis;                                                 \
    static constexpr auto luBoost = cusparse##P##bsrilu02_numericBoost;                                                \
    static constexpr auto lu = cusparse##P##bsrilu02;                                                                  \
    static constexpr auto icSize = cusparse##P##bsric02_bufferSize;                                                    \
    static constexpr auto icAnalysis = cusparse##P##bsric02_analysis;                                                  \
    static constexpr auto ic = cusparse##P##bsric02;                                                                   \
    static constexpr auto xmv = cusparse##P##bsrxmv;                                                                   \
    static constexpr auto toBlocksSize = cusparse##P##csr2gebsr_bufferSize;                                            \
    static constexpr auto toBlocks = cusparse##P##csr2gebsr;                                                           \
    static constexpr auto toRows = cusparse##P##gebsr2csr;                                                             \
    static constexpr auto transposeSize = cusparse##P##gebsr2gebsc_bufferSize;                                         \
    static constexpr auto transpose = cusparse##P##gebsr2gebsc;                                                        \
    static constexpr auto otherSize = cusparse##P##gebsr2gebsr_bufferSize;                                             \
    static constexpr auto other = cusparse##P##gebsr2gebsr;                                                            \
    static constexpr auto countLarger = cusparse##P##nnz_compress;                                                     \
    static constexpr auto keepLarger = cusparse##P##csr2csr_compress;                                                  \
    static constexpr auto sortSize = cusparse##P##csru2csr_bufferSizeExt;                                              \
    static constexpr auto sort = cusparse##P##csru2csr;                                                                \
    static constexpr auto unsort = cusparse##P##csr2csru;                                                              \
    static constexpr auto color = cusparse##P##csrcolor;                                                               \
  };
CALLS(S, float)
CALLS(D, double)
CALLS(C, cuComplex)
CALLS(Z, cuDoubleComplex)
template <class T> struct Prunes;
#define PRUNES(P, T)                                                                                                   \
  template <> struct Prunes<T> {                                                                                       \
    static constexpr auto denseSize = cusparse##P##pruneDense2csr_bufferSizeExt;                                       \
    static constexpr auto denseCount = cusparse##P##pruneDense2csrNnz;                                                 \
    static constexpr auto dense = cusparse##P##pruneDense2csr;                                                         \
    static constexpr auto csrSize = cusparse##P##pruneCsr2csr_bufferSizeExt;                                           \
    static constexpr auto csrCount = cusparse##P##pruneCsr2csrNnz;                                                     \
    static constexpr auto csr = cusparse##P##pruneCsr2csr;                                                             \
    static constexpr auto denseShareSize = cusparse##P##pruneDense2csrByPercentage_bufferSizeExt;                      \
    static constexpr auto denseShareCount = cusparse##P##pruneDense2csrNnzByPercentage;                                \
    static constexpr auto denseShare = cusparse##P##pruneDense2csrByPercentage;                                        \
    static constexpr auto csrShareSize = cusparse##P##pruneCsr2csrByPercentage_bufferSizeExt;                          \
    static constexpr auto csrShareCount = cusparse##P##pruneCsr2csrNnzByPercentage;                                    \
    static constexpr auto csrShare = cusparse##P##pruneCsr2csrByPercentage;                                            \
  };
PRUNES(H, __half)
PRUNES(S, float)
PRUNES(D, double)

#define STEP(CALL)                                                                                  \
  do {                                                                                              \
    if ((status = (CALL)) != CUSPARSE_STATUS_SUCCESS) { printf("%d", (int)status); return; }         \
  } while (0)
/// The zero pivot's status and place. True: the work cannot go on.
template <class Info>
bool pivots(const Case &c, cusparseStatus_t (*zeroPivot)(cusparseHandle_t, Info, int *), Info info) {
  Scalar<int> position(c, -7);
  int status = zeroPivot(handle, info, position.address);
  printf(" %d %d", status, position.get());
  return status != 0;
}

template <class T> void solved(const Case &c) {
  cusparseStatus_t status;
  Blocks<T> a(c, true);
  int rows = c.mb * c.height, bytes = 0, nnzb = a.count();
  auto dir = (cusparseDirection_t)c.dir;
  auto trans = (cusparseOperation_t)c.trans, transXY = (cusparseOperation_t)c.transXY;
  auto policy = (cusparseSolvePolicy_t)(c.seed % 2);
  Scalar<T> alpha(c, Make<T>::of(1 + c.seed % 2, 0));
  cusparseSetMatFillMode(descrA, (cusparseFillMode_t)c.fill);
  cusparseSetMatDiagType(descrA, (cusparseDiagType_t)c.unit);
#define MATRIX descrA, a.dValues, a.dOffsets, a.dColumns, c.height
  if (!strcmp(c.op, "bsrsv2")) {
    bsrsv2Info_t info;
    cusparseCreateBsrsv2Info(&info);
    STEP(Calls<T>::svSize(handle, dir, trans, c.mb, nnzb, MATRIX, info, &bytes));
    void *buffer = bytesOf(bytes);
    T *f = piece(numbers<T>(c.seed + 1, rows)), *x = room<T>(rows);
    STEP(Calls<T>::svAnalysis(handle, dir, trans, c.mb, nnzb, MATRIX, info, policy, buffer));
    printf("0");
    if (!pivots(c, cusparseXbsrsv2_zeroPivot, info)) {
      status = Calls<T>::svSolve(handle, dir, trans, c.mb, nnzb, alpha.address, MATRIX, info, f, x, policy, buffer);
      printf(" %d", (int)status);
      if (!pivots(c, cusparseXbsrsv2_zeroPivot, info)) print(x, rows);
    }
    cusparseDestroyBsrsv2Info(info);
  } else if (!strcmp(c.op, "bsrsm2")) {
    bsrsm2Info_t info;
    cusparseCreateBsrsm2Info(&info);
    bool isPlain = c.transXY == 0;
    // Of transposed sides NVIDIA's library copies B as if X had B's leading dimension.
    int ldb = (isPlain ? rows : c.n) + c.seed % 3, ldx = isPlain ? rows + c.seed % 2 : ldb;
    size_t sizeX = (size_t)ldx * (isPlain ? c.n : rows);
    STEP(Calls<T>::smSize(handle, dir, trans, transXY, c.mb, c.n, nnzb, MATRIX, info, &bytes));
    void *buffer = bytesOf(bytes);
    T *b = piece(numbers<T>(c.seed + 1, (size_t)ldb * (isPlain ? c.n : rows))), *x = piece(numbers<T>(c.seed + 2, sizeX));
    STEP(Calls<T>::smAnalysis(handle, dir, trans, transXY, c.mb, c.n, nnzb, MATRIX, info, policy, buffer));
    printf("0");
    if (!pivots(c, cusparseXbsrsm2_zeroPivot, info)) {
      status = Calls<T>::smSolve(handle, dir, trans, transXY, c.mb, c.n, nnzb, alpha.address, MATRIX, info, b, ldb, x, ldx,
                                 policy, buffer);
      printf(" %d", (int)status);
      if (!pivots(c, cusparseXbsrsm2_zeroPivot, info)) print(x, sizeX);
    }
    cusparseDestroyBsrsm2Info(info);
  } else if (!strcmp(c.op, "bsrilu02")) {
    bsrilu02Info_t info;
    cusparseCreateBsrilu02Info(&info);
    STEP(Calls<T>::luSize(handle, dir, c.mb, nnzb, MATRIX, info, &bytes));
    void *buffer = bytesOf(bytes);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    double tolerance = 0.5;
    T value = Make<T>::of(64, 0);
    if (c.boost) STEP(Calls<T>::luBoost(handle, info, 1, &tolerance, &value));
    STEP(Calls<T>::luAnalysis(handle, dir, c.mb, nnzb, MATRIX, info, policy, buffer));
    printf("0");
    if (!pivots(c, cusparseXbsrilu02_zeroPivot, info)) {
      printf(" %d", (int)Calls<T>::lu(handle, dir, c.mb, nnzb, MATRIX, info, policy, buffer));
      if (!pivots(c, cusparseXbsrilu02_zeroPivot, info)) print(a.dValues, a.values.size());
    }
    cusparseDestroyBsrilu02Info(info);
  } else {
    bsric02Info_t info;
    cusparseCreateBsric02Info(&info);
    STEP(Calls<T>::icSize(handle, dir, c.mb, nnzb, MATRIX, info, &bytes));
    void *buffer = bytesOf(bytes);
    STEP(Calls<T>::icAnalysis(handle, dir, c.mb, nnzb, MATRIX, info, policy, buffer));
    printf("0");
    if (!pivots(c, cusparseXbsric02_zeroPivot, info)) {
      printf(" %d", (int)Calls<T>::ic(handle, dir, c.mb, nnzb, MATRIX, info, policy, buffer));
      if (!pivots(c, cusparseXbsric02_zeroPivot, info)) {
        std::vector<T> l = host(a.dValues, a.values.size());
        for (int i = 0; i < c.mb; i++)
          for (int at = a.offsets[i] - c.base; at < a.offsets[i + 1] - c.base; at++)
            for (int p = 0; p < c.height; p++)
              for (int q = 0; q < c.height; q++)
                if ((a.columns[at] - c.base) * c.height + q <= i * c.height + p)
                  Make<T>::print(l[(size_t)at * c.height * c.height + (c.dir ? q * c.height + p : p * c.height + q)]);
      }
    }
    cusparseDestroyBsric02Info(info);
  }
}

template <class T> void masked(const Case &c) {
  cusparseStatus_t status;
  Blocks<T> a(c, false);
  std::vector<int> mask, ends;
  for (int i = 0; i < c.mb; i++) {
    if (hash(c.seed + 9, i) % 2) mask.push_back(i + c.base);
    int first = a.offsets[i], length = a.offsets[i + 1] - first;
    ends.push_back(first + length - (length > 0 ? (int)(hash(c.seed + 8, i) % 2) : 0));
  }
  int rows = c.mb * c.height;
  Scalar<T> alpha(c, Make<T>::of(1 + c.seed % 2, 0)), beta(c, Make<T>::of(c.seed % 3 == 0 ? 0 : -1, 0));
  T *x = piece(numbers<T>(c.seed + 1, c.nb * c.height)), *y = piece(numbers<T>(c.seed + 2, rows));
  STEP(Calls<T>::xmv(handle, (cusparseDirection_t)c.dir, (cusparseOperation_t)c.trans, (int)mask.size(), c.mb, c.nb, a.count(),
                     alpha.address, descrA, a.dValues, piece(mask), a.dOffsets, piece(ends), a.dColumns, c.height, x,
                     beta.address, y));
  printf("0");
  print(y, rows);
}

template <class T> void converted(const Case &c) {
  cusparseStatus_t status;
  Case source = c;
  if (!strcmp(c.op, "csr2gebsr")) source.height = source.width = 1;
  Blocks<T> a(source, false);
  auto dir = (cusparseDirection_t)c.dir;
  int h = source.height, w = source.width, nnzb = a.count(), bytes = 0, m = c.mb * h, size = c.heightC * c.widthC;
  int rows = (m + c.heightC - 1) / c.heightC;
  if (!strcmp(c.op, "Xgebsr2csr")) { // places alone
    int *offsets = room<int>(m + 1), *columns = room<int>(a.values.size());
    if (!cusparseXgebsr2csr) { printf("absent"); return; }
    STEP(cusparseXgebsr2csr(handle, dir, c.mb, c.nb, descrA, a.dOffsets, a.dColumns, h, w, descrC, offsets, columns));
    printf("0");
    print(offsets, m + 1);
    print(columns, a.values.size());
    return;
  }
  if (!strcmp(c.op, "gebsr2csr")) {
    int *offsets = room<int>(m + 1), *columns = room<int>(a.values.size());
    T *values = room<T>(a.values.size());
    STEP(Calls<T>::toRows(handle, dir, c.mb, c.nb, descrA, a.dValues, a.dOffsets, a.dColumns, h, w, descrC, values, offsets, columns));
    printf("0");
    print(offsets, m + 1);
    print(columns, a.values.size());
    print(values, a.values.size());
    return;
  }
  if (!strcmp(c.op, "gebsr2gebsc")) {
    int *offsets = room<int>(c.nb + 1), *indices = room<int>(nnzb);
    T *values = piece(numbers<T>(c.seed + 2, a.values.size()));
    STEP(Calls<T>::transposeSize(handle, c.mb, c.nb, nnzb, a.dValues, a.dOffsets, a.dColumns, h, w, &bytes));
    STEP(Calls<T>::transpose(handle, c.mb, c.nb, nnzb, a.dValues, a.dOffsets, a.dColumns, h, w, values, indices, offsets,
                             (cusparseAction_t)c.unit, (cusparseIndexBase_t)c.base, bytesOf(bytes)));
    printf("0");
    print(offsets, c.nb + 1);
    print(indices, nnzb);
    print(values, a.values.size());
    return;
  }
  bool isCsr = !strcmp(c.op, "csr2gebsr");
  int *offsets = room<int>(rows + 1);
  Scalar<int> total(c, -7);
  STEP(isCsr ? Calls<T>::toBlocksSize(handle, dir, m, c.nb, descrA, a.dValues, a.dOffsets, a.dColumns, c.heightC, c.widthC, &bytes)
             : Calls<T>::otherSize(handle, dir, c.mb, c.nb, nnzb, descrA, a.dValues, a.dOffsets, a.dColumns, h, w, c.heightC,
                                   c.widthC, &bytes));
  void *buffer = bytesOf(bytes);
  STEP(isCsr ? cusparseXcsr2gebsrNnz(handle, dir, m, c.nb, descrA, a.dOffsets, a.dColumns, descrC, offsets, c.heightC, c.widthC,
                                     total.address, buffer)
             : cusparseXgebsr2gebsrNnz(handle, dir, c.mb, c.nb, nnzb, descrA, a.dOffsets, a.dColumns, h, w, descrC, offsets,
                                       c.heightC, c.widthC, total.address, buffer));
  int count = total.get();
  if (nnzb == 0 && count < 0) { // nothing is written
    printf("0 %d", count);
    print(offsets, rows + 1);
    return;
  }
  int *columns = room<int>(count);
  T *values = room<T>((size_t)count * size);
  STEP(isCsr ? Calls<T>::toBlocks(handle, dir, m, c.nb, descrA, a.dValues, a.dOffsets, a.dColumns, descrC, values, offsets, columns,
                                  c.heightC, c.widthC, buffer)
             : Calls<T>::other(handle, dir, c.mb, c.nb, nnzb, descrA, a.dValues, a.dOffsets, a.dColumns, h, w, descrC, values,
                               offsets, columns, c.heightC, c.widthC, buffer));
  printf("0");
  print(offsets, rows + 1);
  print(columns, count);
  print(values, (size_t)count * size);
}

/// CSR of single elements.
static Case single(Case c) {
  c.height = c.width = 1;
  return c;
}
template <class T> void compressed(const Case &c) {
  cusparseStatus_t status;
  Blocks<T> a(single(c), false);
  double tolerance = (c.percent % 9) / 4.0 + (Make<T>::isComplex ? 0.1 : 0);
  std::vector<T> values = a.values;
  if constexpr (!Make<T>::isComplex) if (c.unit) {
    for (T &value : values) value = value < 0 ? -value : value;
    cudaMemcpy(a.dValues, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  int *counts = room<int>(c.mb), *offsets = room<int>(c.mb + 1), total = -1;
  T tol = Make<T>::of(tolerance, 0);
  STEP(Calls<T>::countLarger(handle, c.mb, descrA, a.dValues, a.dOffsets, counts, &total, tol));
  int *columns = room<int>(total);
  T *kept = room<T>(total);
  STEP(Calls<T>::keepLarger(handle, c.mb, c.nb, descrA, a.dValues, a.dColumns, a.dOffsets, a.count(), counts, kept, columns,
                            offsets, tol));
  printf("0");
  print(counts, c.mb);
  print(offsets, c.mb + 1);
  print(columns, total);
  print(kept, total);
}
template <class T> void unsorted(const Case &c) {
  cusparseStatus_t status;
  Blocks<T> a(single(c), false);
  int nnz = a.count();
  for (int i = 0; i < c.mb; i++) { // rows in another order
    int first = a.offsets[i] - c.base, length = a.offsets[i + 1] - a.offsets[i];
    for (int k = length - 1; k > 0; k--) {
      int other = first + (int)(hash(c.seed + 4, i * 100 + k) % (k + 1));
      std::swap(a.columns[first + k], a.columns[other]);
      std::swap(a.values[first + k], a.values[other]);
    }
  }
  a.dColumns = piece(a.columns);
  a.dValues = piece(a.values);
  csru2csrInfo_t info;
  size_t bytes = 0;
  cusparseCreateCsru2csrInfo(&info);
  STEP(Calls<T>::sortSize(handle, c.mb, c.nb, nnz, a.dValues, a.dOffsets, a.dColumns, info, &bytes));
  void *buffer = bytesOf(bytes);
  STEP(Calls<T>::sort(handle, c.mb, c.nb, nnz, descrA, a.dValues, a.dOffsets, a.dColumns, info, buffer));
  T *sortedValues = piece(host(a.dValues, nnz));
  int *sortedColumns = piece(host(a.dColumns, nnz));
  STEP(Calls<T>::unsort(handle, c.mb, c.nb, nnz, descrA, a.dValues, a.dOffsets, a.dColumns, info, buffer));
  printf("0");
  print(sortedColumns, nnz);
  print(sortedValues, nnz);
  print(a.dColumns, nnz);
  print(a.dValues, nnz);
  cusparseDestroyCsru2csrInfo(info);
}
/// Colours differ from library to library: neighbours have different ones, they and the rows of the order count from
/// the index base, and rows of one colour are beside each other.
template <class T> void colored(const Case &c) {
  cusparseStatus_t status;
  Case square = single(c);
  square.nb = c.mb;
  std::vector<int> offsets{c.base}, columns;
  for (int i = 0; i < c.mb; i++) {
    for (int j = 0; j < c.mb; j++)
      if (i == j || isThere(square, false, i < j ? i : j, i < j ? j : i)) columns.push_back(j + c.base);
    offsets.push_back((int)columns.size() + c.base);
  }
  T *values = room<T>(columns.size());
  typename Make<T>::Real fraction = (typename Make<T>::Real)(c.percent / 100.0);
  int count = -1, *colors = room<int>(c.mb), *order = room<int>(c.mb);
  cusparseColorInfo_t info;
  cusparseCreateColorInfo(&info);
  STEP(Calls<T>::color(handle, c.mb, (int)columns.size(), descrA, values, piece(offsets), piece(columns), &fraction, &count, colors,
                       c.unit ? order : nullptr, info));
  std::vector<int> color = host(colors, c.mb), rows = host(order, c.mb), seen(c.mb);
  bool isProper = true, isNumbered = true, isGrouped = true;
  for (int i = 0; i < c.mb; i++) {
    isNumbered = isNumbered && color[i] >= c.base && color[i] < c.base + count;
    for (int at = offsets[i] - c.base; at < offsets[i + 1] - c.base; at++) {
      int j = columns[at] - c.base;
      if (j != i && color[i] == color[j]) isProper = false;
    }
  }
  for (int i = 0; i < c.mb && c.unit; i++) {
    int row = rows[i] -= c.base;
    if (row < 0 || row >= c.mb || seen[row]++) { isGrouped = false; break; }
    if (i > 0 && color[rows[i - 1]] > color[row]) isGrouped = false;
  }
  printf("0 %d %d %d", isProper, isNumbered, isGrouped);
  cusparseDestroyColorInfo(info);
}

template <class T> void pruned(const Case &c) {
  cusparseStatus_t status;
  typedef Prunes<T> P;
  Blocks<T> a(single(c), false);
  bool isDense = c.op[5] == 'd', isShare = c.op[6] == '%';
  int m = c.mb, n = c.nb, lda = m + c.seed % 3, nnz = a.count();
  T *dense = piece(numbers<T>(c.seed, (size_t)lda * n));
  int *offsets = room<int>(m + 1);
  size_t bytes = 0;
  pruneInfo_t info;
  cusparseCreatePruneInfo(&info);
  Scalar<T> threshold(c, Make<T>::of((c.percent % 9) / 4.0, 0));
  Scalar<int> total(c, -7);
  float share = (float)c.percent;
  const T *none = nullptr;
  const int *noColumns = nullptr;
#define CSR m, n, nnz, descrA, a.dValues, a.dOffsets, a.dColumns
  if (isDense && isShare) STEP(P::denseShareSize(handle, m, n, dense, lda, share, descrC, none, offsets, noColumns, info, &bytes));
  else if (isDense) STEP(P::denseSize(handle, m, n, dense, lda, threshold.address, descrC, none, offsets, noColumns, &bytes));
  else if (isShare) STEP(P::csrShareSize(handle, CSR, share, descrC, none, offsets, noColumns, info, &bytes));
  else STEP(P::csrSize(handle, CSR, threshold.address, descrC, none, offsets, noColumns, &bytes));
  void *buffer = bytesOf(bytes);
  if (isDense && isShare) STEP(P::denseShareCount(handle, m, n, dense, lda, share, descrC, offsets, total.address, info, buffer));
  else if (isDense) STEP(P::denseCount(handle, m, n, dense, lda, threshold.address, descrC, offsets, total.address, buffer));
  else if (isShare) STEP(P::csrShareCount(handle, CSR, share, descrC, offsets, total.address, info, buffer));
  else STEP(P::csrCount(handle, CSR, threshold.address, descrC, offsets, total.address, buffer));
  int count = total.get();
  if (!isDense && nnz == 0 && count < 0) { // nothing is written
    printf("0 %d", count);
    print(offsets, m + 1);
    return;
  }
  int *columns = room<int>(count);
  T *values = room<T>(count);
  if (isDense && isShare) STEP(P::denseShare(handle, m, n, dense, lda, share, descrC, values, offsets, columns, info, buffer));
  else if (isDense) STEP(P::dense(handle, m, n, dense, lda, threshold.address, descrC, values, offsets, columns, buffer));
  else if (isShare) STEP(P::csrShare(handle, CSR, share, descrC, values, offsets, columns, info, buffer));
  else STEP(P::csr(handle, CSR, threshold.address, descrC, values, offsets, columns, buffer));
  printf("0 %d", count);
  print(offsets, m + 1);
  print(columns, count);
  print(values, count);
  cusparseDestroyPruneInfo(info);
}

template <class T> void run(const Case &c) {
  if (!strcmp(c.op, "bsrxmv")) return masked<T>(c);
  if (!strncmp(c.op, "bsr", 3)) return solved<T>(c);
  if (!strcmp(c.op, "compress")) return compressed<T>(c);
  if (!strcmp(c.op, "csru")) return unsorted<T>(c);
  if (!strcmp(c.op, "color")) return colored<T>(c);
  converted<T>(c);
}
static void run_case(const Case &c) {
  bool isPruned = !strncmp(c.op, "prune", 5);
  switch (c.type) {
    case 0: return isPruned ? pruned<float>(c) : run<float>(c);
    case 1: return isPruned ? pruned<double>(c) : run<double>(c);
    case 2: return run<cuComplex>(c);
    case 3: return run<cuDoubleComplex>(c);
    default: return pruned<__half>(c);
  }
}

int main(int, char **arguments) {
  FILE *file = fopen(arguments[1], "r");
  cusparseCreate(&handle);
  cusparseCreateMatDescr(&descrA);
  cusparseCreateMatDescr(&descrC);
  Case c;
  while (fscanf(file, "%15s %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", c.op, &c.type, &c.base, &c.baseC,
                &c.dir, &c.trans, &c.transXY, &c.mb, &c.nb, &c.n, &c.height, &c.width, &c.heightC, &c.widthC, &c.density, &c.seed,
                &c.fill, &c.unit, &c.device, &c.percent, &c.zero, &c.boost) == 22) {
    cusparseSetMatIndexBase(descrA, (cusparseIndexBase_t)c.base);
    cusparseSetMatIndexBase(descrC, (cusparseIndexBase_t)c.baseC);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST);
    run_case(c);
    printf("\n");
    for (void *memory : pieces) cudaFree(memory);
    pieces.clear();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  cusparseDestroyMatDescr(descrA);
  cusparseDestroyMatDescr(descrC);
  cusparseDestroy(handle);
  return 0;
}
