// The routines of cuBLASXt, as loops over the tiles of a result: see xt.cpp.
#pragma once
#include <cublasXt.h>
#include <type_traits>
#include <vector>

struct cublasXtContext {
  std::vector<int> devices;
  std::vector<cublasHandle_t> handles;
  int blockDim = 2048;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
  ~cublasXtContext() { clear(); }
  void clear() {
    for (cublasHandle_t handle : handles) cublasDestroy(handle);
    handles.clear();
    devices.clear();
  }
};

namespace {

struct Failure { cublasStatus_t status; };
void must(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw Failure{status};
}
void must(cudaError_t error, cublasStatus_t status) {
  if (error != cudaSuccess) throw Failure{status};
}

// Functions and numbers of an element type.
template <class T> struct Blas;
#define BLAS(P, T, ONE, MINUS_ONE, ZERO)                                                                               \
  template <> struct Blas<T> {                                                                                         \
    static constexpr T one = ONE, minusOne = MINUS_ONE, zero = ZERO;                                                   \
    static constexpr auto gemm = cublas##P##gemm;                                                                      \
    static constexpr auto trmm = cublas##P##trmm;                                                                      \
    static constexpr auto trsm = cublas##P##trsm;                                                                      \
  };
BLAS(S, float, 1, -1, 0)
BLAS(D, double, 1, -1, 0)
BLAS(C, cuComplex, (cuComplex{1, 0}), (cuComplex{-1, 0}), (cuComplex{0, 0}))
BLAS(Z, cuDoubleComplex, (cuDoubleComplex{1, 0}), (cuDoubleComplex{-1, 0}), (cuDoubleComplex{0, 0}))
#undef BLAS
void make_real(float &) {}
void make_real(double &) {}
void make_real(cuComplex &v) { v.y = 0; }
void make_real(cuDoubleComplex &v) { v.y = 0; }
float conjugate(float v) { return v; }
double conjugate(double v) { return v; }
cuComplex conjugate(cuComplex v) { return {v.x, -v.y}; }
cuDoubleComplex conjugate(cuDoubleComplex v) { return {v.x, -v.y}; }
template <class T> bool is_zero(T v) { return v == 0; }
bool is_zero(cuComplex v) { return v.x == 0 && v.y == 0; }
bool is_zero(cuDoubleComplex v) { return v.x == 0 && v.y == 0; }

/// Device memory of one tile.
template <class T> struct Tile {
  T *data = nullptr;
  int rows = 0, columns = 0;
  explicit Tile(size_t elements) { must(cudaMalloc(&data, elements * sizeof(T)), CUBLAS_STATUS_ALLOC_FAILED); }
  Tile(const Tile &) = delete;
  ~Tile() { cudaFree(data); }
  int ld() const { return rows > 1 ? rows : 1; }
  std::vector<T> down() const {
    std::vector<T> host((size_t)rows * columns);
    must(cudaMemcpy(host.data(), data, host.size() * sizeof(T), cudaMemcpyDeviceToHost), CUBLAS_STATUS_MAPPING_ERROR);
    return host;
  }
  void up(const std::vector<T> &host) {
    must(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), CUBLAS_STATUS_MAPPING_ERROR);
  }
};

/// A matrix of the program, seen in square tiles.
template <class T> struct Matrix {
  T *data;
  size_t rows, columns, ld;
  size_t size; // of a tile
  bool isPacked = false, isLower = false;

  size_t tile_rows() const { return (rows + size - 1) / size; }
  size_t tile_columns() const { return (columns + size - 1) / size; }
  void load(Tile<std::remove_const_t<T>> &to, size_t i, size_t j) const {
    shape(to, i, j);
    if (isPacked) return unpack(to, i, j);
    must(cudaMemcpy2D(to.data, to.ld() * sizeof(T), data + i * size + j * size * ld, ld * sizeof(T),
                      to.rows * sizeof(T), to.columns, cudaMemcpyDefault),
         CUBLAS_STATUS_MAPPING_ERROR);
  }
  void shape(Tile<std::remove_const_t<T>> &to, size_t i, size_t j) const {
    to.rows = (int)(rows - i * size < size ? rows - i * size : size);
    to.columns = (int)(columns - j * size < size ? columns - j * size : size);
  }
  /// The columns of a packed triangle are contiguous: of each, what is stored.
  void unpack(Tile<std::remove_const_t<T>> &to, size_t ti, size_t tj) const {
    for (int c = 0; c < to.columns; c++) {
      size_t j = tj * size + c, first = ti * size, last = first + to.rows;
      if (isLower && first < j) first = j;
      if (!isLower && last > j + 1) last = j + 1;
      if (first >= last) continue;
      size_t place = isLower ? first + (2 * rows - j - 1) * j / 2 : first + j * (j + 1) / 2;
      must(cudaMemcpy(to.data + (first - ti * size) + (size_t)c * to.ld(), data + place, (last - first) * sizeof(T),
                      cudaMemcpyDefault),
           CUBLAS_STATUS_MAPPING_ERROR);
    }
  }
  void save(const Tile<T> &from, size_t i, size_t j) const {
    must(cudaMemcpy2D(data + i * size + j * size * ld, ld * sizeof(T), from.data, from.ld() * sizeof(T),
                      from.rows * sizeof(T), from.columns, cudaMemcpyDefault),
         CUBLAS_STATUS_MAPPING_ERROR);
  }
};

bool is_lower(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER; }

/// What a routine does with each tile: the device's handle and room for three tiles.
template <class T> struct Work {
  cublasXtHandle_t xt;
  size_t size, next = 0;
  cublasHandle_t h = nullptr;
  int before = 0;

  explicit Work(cublasXtHandle_t xt_) : xt(xt_), size(xt_->blockDim) {
    if (xt->devices.empty()) throw Failure{CUBLAS_STATUS_NOT_INITIALIZED};
    cudaGetDevice(&before);
  }
  ~Work() { cudaSetDevice(before); }
  template <class M> Matrix<M> matrix(M *data, size_t rows, size_t columns, size_t ld) const {
    return {data, rows, columns, ld, size};
  }
  /// The next device in turn.
  void turn() {
    h = xt->handles[next % xt->handles.size()];
    cudaSetDevice(xt->devices[next++ % xt->devices.size()]);
  }
};

/// op(A)'s tile (i, k) is A's tile (k, i) where op transposes.
template <class T> void load_op(Tile<T> &to, const Matrix<const T> &m, cublasOperation_t op, size_t i, size_t k) {
  if (op == CUBLAS_OP_N) m.load(to, i, k);
  else m.load(to, k, i);
}
template <class T> int columns_of(cublasOperation_t op, const Tile<T> &tile) {
  return op == CUBLAS_OP_N ? tile.columns : tile.rows;
}

/// c = alpha op(a) op(b) + beta c
template <class T>
void multiply(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, T alpha, const Tile<T> &a, const Tile<T> &b,
              T beta, Tile<T> &c) {
  must(Blas<T>::gemm(h, ta, tb, c.rows, c.columns, columns_of(ta, a), &alpha, a.data, a.ld(), b.data, b.ld(), &beta,
                     c.data, c.ld()));
}

/// Operands of a product without terms.
template <class T> void empty(cublasOperation_t ta, cublasOperation_t tb, Tile<T> &a, Tile<T> &b, const Tile<T> &c) {
  a.rows = ta == CUBLAS_OP_N ? c.rows : 0;
  a.columns = ta == CUBLAS_OP_N ? 0 : c.rows;
  b.rows = tb == CUBLAS_OP_N ? 0 : c.columns;
  b.columns = tb == CUBLAS_OP_N ? c.columns : 0;
}

template <class T>
void gemm(Work<T> &w, cublasOperation_t ta, cublasOperation_t tb, size_t k, T alpha, Matrix<const T> A,
          Matrix<const T> B, T beta, Matrix<T> C) {
  for (size_t j = 0; j < C.tile_columns(); j++)
    for (size_t i = 0; i < C.tile_rows(); i++) {
      w.turn();
      Tile<T> a(w.size * w.size), b(w.size * w.size), c(w.size * w.size);
      C.shape(c, i, j);
      if (is_zero(beta)) must(cudaMemset(c.data, 0, sizeof(T) * c.rows * c.columns), CUBLAS_STATUS_EXECUTION_FAILED);
      else C.load(c, i, j);
      T by = beta;
      for (size_t t = 0; t == 0 || t < (k + w.size - 1) / w.size; t++) {
        if (k == 0) empty(ta, tb, a, b, c);
        else {
          load_op(a, A, ta, i, t);
          load_op(b, B, tb, t, j);
        }
        multiply(w.h, ta, tb, alpha, a, b, by, c);
        by = Blas<T>::one;
      }
      C.save(c, i, j);
    }
}

/// One triangle of C = alpha op(A) op(B)' + beta C, for the tiles on the diagonal by a full product: their other
/// triangle is kept. isTwice: and of the same with A and B exchanged and, with isHermitian, alpha conjugated.
template <class T>
void rank(Work<T> &w, cublasFillMode_t uplo, cublasOperation_t op, size_t k, T alpha, T alphaTwice, Matrix<const T> A,
          Matrix<const T> B, T beta, Matrix<T> C, bool isHermitian, bool isTwice) {
  cublasOperation_t turned = isHermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  cublasOperation_t ta = op == CUBLAS_OP_N ? CUBLAS_OP_N : turned, tb = op == CUBLAS_OP_N ? turned : CUBLAS_OP_N;
  for (size_t j = 0; j < C.tile_columns(); j++)
    for (size_t i = 0; i < C.tile_rows(); i++) {
      if (is_lower(uplo) ? i < j : i > j) continue;
      w.turn();
      Tile<T> a(w.size * w.size), b(w.size * w.size), c(w.size * w.size);
      C.load(c, i, j);
      std::vector<T> old = i == j ? c.down() : std::vector<T>();
      T by = beta;
      if (is_zero(beta)) must(cudaMemset(c.data, 0, sizeof(T) * c.rows * c.columns), CUBLAS_STATUS_EXECUTION_FAILED);
      for (size_t t = 0; t == 0 || t < (k + w.size - 1) / w.size; t++)
        for (int pass = 0; pass < (isTwice ? 2 : 1); pass++) {
          if (k == 0) empty(ta, tb, a, b, c);
          else {
            load_op(a, pass ? B : A, ta, i, t);
            load_op(b, pass ? A : B, tb, t, j);
          }
          multiply(w.h, ta, tb, pass ? alphaTwice : alpha, a, b, by, c);
          by = Blas<T>::one;
        }
      if (i == j) {
        std::vector<T> fresh = c.down();
        for (int q = 0; q < c.columns; q++)
          for (int p = 0; p < c.rows; p++) {
            T &to = fresh[p + (size_t)q * c.rows];
            if (is_lower(uplo) ? p < q : p > q) to = old[p + (size_t)q * c.rows];
            if (isHermitian && p == q) make_real(to);
          }
        c.up(fresh);
      }
      C.save(c, i, j);
    }
}

/// The other triangle of a tile on the diagonal.
template <class T> void mirror(Tile<T> &tile, bool isLower, bool isHermitian) {
  std::vector<T> host = tile.down();
  size_t n = tile.rows;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      T &to = host[i + j * n];
      if (isLower ? i < j : i > j) to = isHermitian ? conjugate(host[j + i * n]) : host[j + i * n];
      if (isHermitian && i == j) make_real(to);
    }
  tile.up(host);
}
/// C = alpha A B + beta C, or B A, for a symmetric or Hermitian A of which a triangle is stored.
template <class T>
void symmetric(Work<T> &w, cublasSideMode_t side, cublasFillMode_t uplo, bool isHermitian, T alpha, Matrix<const T> A,
               Matrix<const T> B, T beta, Matrix<T> C) {
  bool isLeft = side == CUBLAS_SIDE_LEFT;
  cublasOperation_t turned = isHermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  for (size_t j = 0; j < C.tile_columns(); j++)
    for (size_t i = 0; i < C.tile_rows(); i++) {
      w.turn();
      Tile<T> a(w.size * w.size), b(w.size * w.size), c(w.size * w.size);
      C.load(c, i, j);
      T by = beta;
      for (size_t t = 0; t < A.tile_rows(); t++) {
        size_t row = isLeft ? i : t, column = isLeft ? t : j;
        bool isMirrored = is_lower(uplo) ? row < column : row > column;
        cublasOperation_t op = isMirrored ? turned : CUBLAS_OP_N;
        load_op(a, A, op, row, column);
        if (isLeft) B.load(b, t, j);
        else B.load(b, i, t);
        if (row == column) mirror(a, is_lower(uplo), isHermitian);
        if (isLeft) multiply(w.h, op, CUBLAS_OP_N, alpha, a, b, by, c);
        else multiply(w.h, CUBLAS_OP_N, op, alpha, b, a, by, c);
        by = Blas<T>::one;
      }
      C.save(c, i, j);
    }
}

/// Whether op(A) has its numbers above the diagonal.
bool is_upper(cublasFillMode_t uplo, cublasOperation_t op) { return is_lower(uplo) != (op == CUBLAS_OP_N); }

/// C = alpha op(A) B or alpha B op(A). C may be B: tiles go in the order in which none is read after it is written.
template <class T>
void triangular_product(Work<T> &w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
                        cublasDiagType_t diag, T alpha, Matrix<const T> A, Matrix<const T> B, Matrix<T> C) {
  bool isLeft = side == CUBLAS_SIDE_LEFT, isUpper = is_upper(uplo, op);
  size_t count = A.tile_rows(), others = isLeft ? C.tile_columns() : C.tile_rows();
  for (size_t o = 0; o < others; o++)
    for (size_t s = 0; s < count; s++) {
      size_t own = isLeft == isUpper ? s : count - 1 - s, i = isLeft ? own : o, j = isLeft ? o : own;
      w.turn();
      Tile<T> a(w.size * w.size), b(w.size * w.size), c(w.size * w.size);
      C.shape(c, i, j);
      A.load(a, own, own);
      B.load(b, i, j);
      must(Blas<T>::trmm(w.h, side, uplo, op, diag, c.rows, c.columns, &alpha, a.data, a.ld(), b.data, b.ld(), c.data,
                         c.ld()));
      for (size_t t = 0; t < count; t++) {
        if (t == own || (isLeft ? (isUpper ? t < own : t > own) : (isUpper ? t > own : t < own))) continue;
        if (isLeft) {
          load_op(a, A, op, i, t);
          B.load(b, t, j);
          multiply(w.h, op, CUBLAS_OP_N, alpha, a, b, Blas<T>::one, c);
        } else {
          load_op(a, A, op, t, j);
          B.load(b, i, t);
          multiply(w.h, CUBLAS_OP_N, op, alpha, b, a, Blas<T>::one, c);
        }
      }
      C.save(c, i, j);
    }
}

/// Solves op(A) X = alpha B or X op(A) = alpha B; X takes the place of B.
template <class T>
void triangular_solve(Work<T> &w, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
                      cublasDiagType_t diag, T alpha, Matrix<const T> A, Matrix<T> B) {
  bool isLeft = side == CUBLAS_SIDE_LEFT, isUpper = is_upper(uplo, op);
  Matrix<const T> solved{B.data, B.rows, B.columns, B.ld, B.size};
  size_t count = A.tile_rows(), others = isLeft ? B.tile_columns() : B.tile_rows();
  for (size_t o = 0; o < others; o++)
    for (size_t s = 0; s < count; s++) {
      size_t own = isLeft == isUpper ? count - 1 - s : s, i = isLeft ? own : o, j = isLeft ? o : own;
      w.turn();
      Tile<T> a(w.size * w.size), b(w.size * w.size), x(w.size * w.size);
      B.load(x, i, j);
      T by = alpha;
      for (size_t done = 0; done < s; done++) {
        size_t t = isLeft == isUpper ? count - 1 - done : done;
        load_op(a, A, op, isLeft ? i : t, isLeft ? t : j);
        solved.load(b, isLeft ? t : i, isLeft ? j : t);
        if (isLeft) multiply(w.h, op, CUBLAS_OP_N, Blas<T>::minusOne, a, b, by, x);
        else multiply(w.h, CUBLAS_OP_N, op, Blas<T>::minusOne, b, a, by, x);
        by = Blas<T>::one;
      }
      A.load(a, own, own);
      must(Blas<T>::trsm(w.h, side, uplo, op, diag, x.rows, x.columns, &by, a.data, a.ld(), x.data, x.ld()));
      B.save(x, i, j);
    }
}

template <class Do> cublasStatus_t guarded(cublasXtHandle_t handle, bool isValid, Do run) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!isValid) return CUBLAS_STATUS_INVALID_VALUE;
  try {
    run();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const Failure &failure) {
    return failure.status;
  }
}
size_t at_least_one(size_t n) { return n > 1 ? n : 1; }

} // namespace
