// Eigenvalues and right eigenvectors of matrices that are not symmetric (LAPACK's geev). Real matrices: reduction to
// Hessenberg form by reflections, Francis' double steps, back substitution (EISPACK's orthes and hqr2: Wilkinson and
// Reinsch, "Handbook for Automatic Computation" II, 1971). Complex ones: reflections, single steps with Wilkinson's
// shift by rotations. One thread does the work: the steps follow each other.
#pragma once
#include "block.cuh"

namespace heddle_solver {

/// What both forms take. V: null if nobody wants vectors; then `Q` is not made.
template <class T> struct GeevJob {
  const T *A;
  i64 lda;
  int n;
  T *H, *Q; // n x n
  void *W;
  bool isWComplex; // eigenvalues of a real matrix as complex numbers; else n real parts, n imaginary parts
  T *V;
  i64 ldv;
  int *info;
};
constexpr int MOST_STEPS = 60; // for an eigenvalue

template <class R> __device__ inline void swap_values(R &a, R &b) { R t = a; a = b; b = t; }
template <class R> __device__ inline R absolute(R a) { return a < 0 ? -a : a; }
template <class R> __device__ inline R largest(R a, R b) { return a > b ? a : b; }
template <class R> __device__ inline R length(R a, R b) {
  a = absolute(a);
  b = absolute(b);
  if (a < b) swap_values(a, b);
  return a == 0 ? R(0) : a * root(1 + (b / a) * (b / a));
}
template <class R> struct Pair { R x, y; };
/// a / b
template <class R> __device__ inline Pair<R> quotient(R ax, R ay, R bx, R by) {
  if (absolute(bx) > absolute(by)) {
    R r = by / bx, d = bx + r * by;
    return {(ax + r * ay) / d, (ay - r * ax) / d};
  }
  R r = bx / by, d = by + r * bx;
  return {(r * ax + ay) / d, (r * ay - ax) / d};
}

/// A real matrix: Q^T A Q = H.
template <class R> struct RealSchur {
  R *H, *Q;
  int n;
  R *wr, *wi;
  bool hasVectors;
  __device__ R &h(int i, int j) const { return H[i + (i64)j * n]; }
  __device__ R &q(int i, int j) const { return Q[i + (i64)j * n]; }

  __device__ void to_hessenberg() const {
    for (int i = 0; i < n && hasVectors; i++) for (int j = 0; j < n; j++) q(i, j) = i == j;
    for (int m = 1; m < n - 1; m++) {
      R scale = 0;
      for (int i = m + 1; i < n; i++) scale += absolute(h(i, m - 1));
      if (scale == 0) continue;
      scale += absolute(h(m, m - 1));
      R sum = 0;
      for (int i = m; i < n; i++) { h(i, m - 1) /= scale; sum += h(i, m - 1) * h(i, m - 1); }
      R alpha = h(m, m - 1) > 0 ? -root(sum) : root(sum), head = h(m, m - 1) - alpha, half = sum - h(m, m - 1) * alpha;
      h(m, m - 1) = head; // v in the column; I - v v^T / half
      for (int j = m; j < n; j++) {
        R f = 0;
        for (int i = m; i < n; i++) f += h(i, m - 1) * h(i, j);
        f /= half;
        for (int i = m; i < n; i++) h(i, j) -= f * h(i, m - 1);
      }
      reflect_right(H, m, half);
      if (hasVectors) reflect_right(Q, m, half);
      h(m, m - 1) = scale * alpha;
      for (int i = m + 1; i < n; i++) h(i, m - 1) = 0;
    }
  }
  __device__ void reflect_right(R *M, int m, R half) const {
    for (int i = 0; i < n; i++) {
      R f = 0;
      for (int j = m; j < n; j++) f += h(j, m - 1) * M[i + (i64)j * n];
      f /= half;
      for (int j = m; j < n; j++) M[i + (i64)j * n] -= f * h(j, m - 1);
    }
  }

  /// The last two rows are split off: a pair of real or complex eigenvalues at end - 1, end.
  __device__ void split_pair(int end, R shift) const {
    R w = h(end, end - 1) * h(end - 1, end), p = (h(end - 1, end - 1) - h(end, end)) / 2, s = p * p + w;
    h(end, end) += shift;
    h(end - 1, end - 1) += shift;
    R x = h(end, end);
    if (s < 0) {
      wr[end - 1] = wr[end] = x + p;
      wi[end - 1] = root(-s);
      wi[end] = -root(-s);
      return;
    }
    R z = p >= 0 ? p + root(s) : p - root(s);
    wr[end - 1] = x + z;
    wr[end] = z != 0 ? x - w / z : x + z;
    wi[end - 1] = wi[end] = 0;
    R below = h(end, end - 1), scale = absolute(below) + absolute(z), a = below / scale, b = z / scale;
    R r = length(a, b);
    a /= r;
    b /= r;
    for (int j = end - 1; j < n; j++) {
      R t = h(end - 1, j);
      h(end - 1, j) = b * t + a * h(end, j);
      h(end, j) = b * h(end, j) - a * t;
    }
    for (int i = 0; i <= end; i++) rotate_columns(h(i, end - 1), h(i, end), a, b);
    for (int i = 0; i < n && hasVectors; i++) rotate_columns(q(i, end - 1), q(i, end), a, b);
    h(end, end - 1) = 0;
  }
  static __device__ void rotate_columns(R &left, R &right, R a, R b) {
    R t = left;
    left = b * t + a * right;
    right = b * right - a * t;
  }

  /// One double step for rows first to end.
  __device__ void step(int first, int end, R x, R y, R w) const {
    R p = 0, q0 = 0, r = 0;
    int m = end - 2;
    for (; m >= first; m--) {
      R z = h(m, m), a = x - z, b = y - z;
      p = (a * b - w) / h(m + 1, m) + h(m, m + 1);
      q0 = h(m + 1, m + 1) - z - a - b;
      r = h(m + 2, m + 1);
      R s = absolute(p) + absolute(q0) + absolute(r);
      p /= s;
      q0 /= s;
      r /= s;
      if (m == first) break;
      R left = absolute(h(m, m - 1)) * (absolute(q0) + absolute(r));
      R beside = absolute(h(m - 1, m - 1)) + absolute(z) + absolute(h(m + 1, m + 1));
      if (left < epsilon<R>() * absolute(p) * beside) break;
    }
    for (int i = m + 2; i <= end; i++) {
      h(i, i - 2) = 0;
      if (i > m + 2) h(i, i - 3) = 0;
    }
    for (int k = m; k < end; k++) {
      bool isThree = k != end - 1;
      R scale = 1;
      if (k != m) {
        p = h(k, k - 1);
        q0 = h(k + 1, k - 1);
        r = isThree ? h(k + 2, k - 1) : R(0);
        scale = absolute(p) + absolute(q0) + absolute(r);
        if (scale == 0) break;
        p /= scale;
        q0 /= scale;
        r /= scale;
      }
      R s = root(p * p + q0 * q0 + r * r);
      if (p < 0) s = -s;
      if (s == 0) continue;
      if (k != m) h(k, k - 1) = -s * scale;
      else if (first != m) h(k, k - 1) = -h(k, k - 1);
      p += s;
      R a = p / s, b = q0 / s, c = r / s;
      q0 /= p;
      r /= p;
      for (int j = k; j < n; j++) {
        R t = h(k, j) + q0 * h(k + 1, j) + (isThree ? r * h(k + 2, j) : R(0));
        h(k, j) -= t * a;
        h(k + 1, j) -= t * b;
        if (isThree) h(k + 2, j) -= t * c;
      }
      int rows = end < k + 3 ? end : k + 3;
      for (int i = 0; i <= rows; i++) reflect_three(&h(i, k), isThree, a, b, c, q0, r);
      for (int i = 0; i < n && hasVectors; i++) reflect_three(&q(i, k), isThree, a, b, c, q0, r);
    }
  }
  __device__ void reflect_three(R *at, bool isThree, R a, R b, R c, R q0, R r) const {
    R t = a * at[0] + b * at[n] + (isThree ? c * at[2 * (i64)n] : R(0));
    at[0] -= t;
    at[n] -= t * q0;
    if (isThree) at[2 * (i64)n] -= t * r;
  }

  /// @return 0, or how many eigenvalues were not found
  __device__ int to_schur() const {
    R shift = 0, norm = 0;
    for (int j = 0; j < n; j++) for (int i = 0; i <= j + 1 && i < n; i++) norm += absolute(h(i, j));
    for (int end = n - 1, steps = 0; end >= 0;) {
      int first = end;
      for (; first > 0; first--) {
        R s = absolute(h(first - 1, first - 1)) + absolute(h(first, first));
        if (s <= epsilon<R>() * norm) s = norm;
        if (absolute(h(first, first - 1)) <= epsilon<R>() * s) break;
      }
      if (first > 0) h(first, first - 1) = 0;
      if (first == end) {
        h(end, end) += shift;
        wr[end] = h(end, end);
        wi[end] = 0;
        end--;
        steps = 0;
        continue;
      }
      if (first == end - 1) {
        split_pair(end, shift);
        end -= 2;
        steps = 0;
        continue;
      }
      if (steps++ == MOST_STEPS) return end + 1;
      R x = h(end, end), y = h(end - 1, end - 1), w = h(end, end - 1) * h(end - 1, end);
      if (steps % 10 == 0) { // an exceptional shift
        shift += x;
        for (int i = 0; i <= end; i++) h(i, i) -= x;
        R s = absolute(h(end, end - 1)) + absolute(h(end - 1, end - 2));
        x = y = R(0.75) * s;
        w = R(-0.4375) * s * s;
      }
      step(first, end, x, y, w);
    }
    return 0;
  }

  /// Column k of H becomes the vector of eigenvalue k of the triangular form, for a complex pair columns k - 1 and k.
  __device__ void back_substitute() const {
    R norm = 0;
    for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) norm += absolute(h(i, j));
    R least = largest(norm * epsilon<R>(), R(1e-30));
    for (int k = n - 1; k >= 0; k--) {
      if (wi[k] == 0) real_vector(k, least);
      else if (wi[k] < 0) complex_vector(k, least);
    }
    for (int j = n - 1; j >= 0; j--)
      for (int i = 0; i < n; i++) {
        R sum = 0;
        for (int k = 0; k <= j; k++) sum += q(i, k) * h(k, j);
        q(i, j) = sum;
      }
  }
  __device__ void real_vector(int k, R least) const {
    h(k, k) = 1;
    for (int i = k - 1; i >= 0; i--) {
      R w = wr[i] - wr[k], r = 0;
      if (wi[i] == 0) {
        for (int j = i + 1; j <= k; j++) r += h(i, j) * h(j, k);
        h(i, k) = -r / (absolute(w) < least ? least : w);
        keep_small(i, k, k);
        continue;
      }
      // Rows i - 1 and i are a block: wi[i] < 0.
      R s = 0, x = h(i - 1, i), y = h(i, i - 1), a = h(i - 1, i - 1) - wr[k], d = h(i, i) - wr[k];
      for (int j = i + 1; j <= k; j++) { r += h(i - 1, j) * h(j, k); s += h(i, j) * h(j, k); }
      R determinant = (wr[i] - wr[k]) * (wr[i] - wr[k]) + wi[i] * wi[i];
      if (absolute(determinant) < least * least) determinant = least * least;
      R u = (x * s - d * r) / determinant;
      h(i - 1, k) = u;
      h(i, k) = absolute(x) > absolute(d) ? (-r - a * u) / x : (-s - y * u) / d;
      i--;
      keep_small(i, k, k);
    }
  }
  /// The vector of wr[k] + i |wi[k]|: its real parts in column k - 1, its imaginary parts in column k.
  __device__ void complex_vector(int k, R least) const {
    R re = wr[k], im = -wi[k];
    // (T - lambda) v = 0 in the last two rows; times i, so that row k has no real part
    Pair<R> v = absolute(h(k, k - 1)) > absolute(h(k - 1, k))
                    ? quotient(-(h(k, k) - re), im, h(k, k - 1), R(0))
                    : quotient(-h(k - 1, k), R(0), h(k - 1, k - 1) - re, -im);
    h(k - 1, k - 1) = -v.y;
    h(k - 1, k) = v.x;
    h(k, k - 1) = 0;
    h(k, k) = 1;
    for (int i = k - 2; i >= 0; i--) {
      R rx = 0, ry = 0;
      for (int j = i + 1; j <= k; j++) { rx += h(i, j) * h(j, k - 1); ry += h(i, j) * h(j, k); }
      if (wi[i] == 0) {
        R dx = wr[i] - re, dy = -im;
        if (absolute(dx) + absolute(dy) < least) dx = least;
        Pair<R> u = quotient(-rx, -ry, dx, dy);
        h(i, k - 1) = u.x;
        h(i, k) = u.y;
        keep_small(i, k - 1, k);
        continue;
      }
      R sx = 0, sy = 0, x = h(i - 1, i), y = h(i, i - 1), a = h(i - 1, i - 1) - re, d = h(i, i) - re;
      for (int j = i + 1; j <= k; j++) { sx += h(i - 1, j) * h(j, k - 1); sy += h(i - 1, j) * h(j, k); }
      // (a - i im) u + x v = -s, y u + (d - i im) v = -r
      R away = wr[i] - re, ex = away * away + wi[i] * wi[i] - im * im, ey = -2 * im * away;
      if (absolute(ex) + absolute(ey) < least * least) ex = least * least;
      Pair<R> u = quotient(x * rx - (d * sx + im * sy), x * ry - (d * sy - im * sx), ex, ey);
      // From the row whose factor is larger.
      Pair<R> t = absolute(x) > absolute(d) + absolute(im)
                      ? quotient(-sx - (a * u.x + im * u.y), -sy - (a * u.y - im * u.x), x, R(0))
                      : quotient(-rx - y * u.x, -ry - y * u.y, d, -im);
      h(i - 1, k - 1) = u.x;
      h(i - 1, k) = u.y;
      h(i, k - 1) = t.x;
      h(i, k) = t.y;
      i--;
      keep_small(i, k - 1, k);
    }
  }
  /// A vector's elements from row i on grow where eigenvalues are equal: they are scaled down in time.
  __device__ void keep_small(int i, int first, int last) const {
    R size = 0;
    for (int row = i; row < i + 2 && row <= last; row++)
      for (int j = first; j <= last; j++) size = largest(size, absolute(h(row, j)));
    if (size < R(1e6)) return;
    for (int row = i; row <= last; row++) for (int j = first; j <= last; j++) h(row, j) /= size;
  }
};

/// A vector of length 1 whose largest element is real; y is null where all are.
template <class R> __device__ void normalize(R *x, R *y, int n, i64 stride = 1) {
  R sum = 0, most = -1, cx = 1, cy = 0;
  int place = 0;
  for (int i = 0; i < n; i++) {
    R a = x[i * stride], b = y ? y[i * stride] : R(0), size = a * a + b * b;
    sum += size;
    if (size > most) { most = size; cx = a; cy = b; place = i; }
  }
  R size = root(sum), turn = y ? root(most) : R(1);
  for (int i = 0; i < n; i++) {
    R a = x[i * stride] / size, b = y ? y[i * stride] / size : R(0);
    x[i * stride] = y ? (a * cx + b * cy) / turn : a;
    if (y) y[i * stride] = (b * cx - a * cy) / turn;
  }
  if (y) y[place * stride] = 0; // without what rounding left
}

template <class R> __device__ void geev_real(const GeevJob<R>& job, R *values) {
  int n = job.n;
  RealSchur<R> schur{job.H, job.Q, n, values, values + n, job.V != nullptr};
  schur.to_hessenberg();
  int failed = schur.to_schur();
  *job.info = failed;
  R *W = (R *)job.W;
  for (int k = 0; k < n; k++) {
    W[job.isWComplex ? 2 * k : k] = schur.wr[k];
    W[job.isWComplex ? 2 * k + 1 : n + k] = schur.wi[k];
  }
  if (!job.V || failed) return;
  schur.back_substitute();
  for (int k = 0; k < n; k++) {
    bool isPair = schur.wi[k] > 0;
    for (int i = 0; i < n; i++) {
      job.V[i + k * job.ldv] = schur.q(i, k);
      if (isPair) job.V[i + (k + 1) * job.ldv] = schur.q(i, k + 1);
    }
    normalize(job.V + k * job.ldv, isPair ? job.V + (k + 1) * job.ldv : (R *)nullptr, n);
    if (isPair) k++;
  }
}

/// Columns (or rows) x, y become c x + s y and c y - conj(s) x.
template <class T> __device__ inline void rotate(T &x, T &y, Real<T> c, T s) {
  T t = scaled(x, c) + s * y;
  y = difference(scaled(y, c), conjugate(s) * x);
  x = t;
}
/// Rotations that take row k + 1's first element away; R = G H, and then R G^H.
template <class T> __device__ int complex_schur(T *H, T *Q, int n, bool hasVectors) {
  typedef Real<T> R;
  auto h = [&](int i, int j) -> T & { return H[i + (i64)j * n]; };
  for (int j = 0; j < n && hasVectors; j++)
    for (int i = 0; i < n; i++) Q[i + (i64)j * n] = i == j ? one<T>() : zero<T>();
  auto apply = [&](int a, int b, T x, T y, int firstColumn, int lastRow) { // so that y becomes 0
    R size = length(size_of(x), size_of(y));
    if (size_of(y) == 0) return;
    R c = size_of(x) / size;
    T s = size_of(x) == 0 ? one<T>() : over(x * conjugate(y), Number<T>::of(size_of(x) * size, 0));
    for (int j = firstColumn; j < n; j++) rotate(h(a, j), h(b, j), c, s);
    for (int i = 0; i <= lastRow; i++) rotate(h(i, a), h(i, b), c, conjugate(s));
    for (int i = 0; i < n && hasVectors; i++) rotate(Q[i + (i64)a * n], Q[i + (i64)b * n], c, conjugate(s));
  };
  for (int j = 0; j < n - 2; j++)
    for (int i = n - 1; i > j + 1; i--) apply(i - 1, i, h(i - 1, j), h(i, j), j, n - 1);
  R norm = 0;
  for (int j = 0; j < n; j++) for (int i = 0; i <= j + 1 && i < n; i++) norm += one_norm(h(i, j));
  for (int end = n - 1, steps = 0; end > 0;) {
    int first = end;
    for (; first > 0; first--) {
      R s = one_norm(h(first - 1, first - 1)) + one_norm(h(first, first));
      if (s <= epsilon<R>() * norm) s = norm;
      if (one_norm(h(first, first - 1)) <= epsilon<R>() * s) break;
    }
    if (first > 0) h(first, first - 1) = zero<T>();
    if (first == end) {
      end--;
      steps = 0;
      continue;
    }
    if (steps++ == MOST_STEPS) return end + 1;
    // The eigenvalue of the last block that is nearer to its corner.
    T a = h(end - 1, end - 1), d = h(end, end), bc = h(end - 1, end) * h(end, end - 1);
    T half = scaled(difference(a, d), R(0.5)), square = half * half + bc;
    R size = size_of(square), re = root((size + real_part(square)) / 2 > 0 ? (size + real_part(square)) / 2 : R(0));
    R im = root((size - real_part(square)) / 2 > 0 ? (size - real_part(square)) / 2 : R(0));
    T rootOf = Number<T>::of(re, imaginary_part(square) < 0 ? -im : im);
    T plus = half + rootOf, less = difference(half, rootOf), big = size_of(plus) > size_of(less) ? plus : less;
    T shift = is_zero(big) ? d : difference(d, over(bc, big));
    if (steps % 10 == 0) shift = shift + Number<T>::of(one_norm(h(end, end - 1)), 0);
    // An implicit step: the first rotation by the shifted column, the others chase what it leaves.
    int lastRow = first + 2 < end ? first + 2 : end;
    apply(first, first + 1, difference(h(first, first), shift), h(first + 1, first), first, lastRow);
    for (int k = first + 1; k < end; k++)
      apply(k, k + 1, h(k, k - 1), h(k + 1, k - 1), k - 1, k + 2 < end ? k + 2 : end);
  }
  return 0;
}
template <class T> __device__ void geev_complex(const GeevJob<T>& job) {
  typedef Real<T> R;
  int n = job.n, failed = complex_schur(job.H, job.Q, n, job.V != nullptr);
  auto h = [&](int i, int j) -> T & { return job.H[i + (i64)j * n]; };
  *job.info = failed;
  T *W = (T *)job.W;
  R norm = 0;
  for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) norm += one_norm(h(i, j));
  for (int k = 0; k < n; k++) W[k] = h(k, k);
  if (!job.V || failed) return;
  T least = Number<T>::of(largest(norm * epsilon<R>(), R(1e-30)), 0);
  for (int k = n - 1; k >= 0; k--) {
    h(k, k) = one<T>();
    for (int i = k - 1; i >= 0; i--) {
      T sum = zero<T>(), d = difference(W[i], W[k]);
      for (int j = i + 1; j <= k; j++) sum = sum + h(i, j) * h(j, k);
      h(i, k) = minus(over(sum, one_norm(d) < real_part(least) ? least : d));
      R size = one_norm(h(i, k));
      for (int j = i; j <= k && size > R(1e6); j++) h(j, k) = over(h(j, k), Number<T>::of(size, 0));
    }
    for (int i = 0; i < n; i++) {
      T sum = zero<T>();
      for (int j = 0; j <= k; j++) sum = sum + job.Q[i + (i64)j * n] * h(j, k);
      job.V[i + k * job.ldv] = sum;
    }
    normalize((R *)(job.V + k * job.ldv), (R *)(job.V + k * job.ldv) + 1, n, 2);
  }
}

__device__ inline void geev(const GeevJob<float>& job, float *values) { geev_real(job, values); }
__device__ inline void geev(const GeevJob<double>& job, double *values) { geev_real(job, values); }
__device__ inline void geev(const GeevJob<c32>& job, c32 *) { geev_complex(job); }
__device__ inline void geev(const GeevJob<c64>& job, c64 *) { geev_complex(job); }

/// Elements of work memory: H, Q and eigenvalues.
inline i64 geev_elements(i64 n) { return 2 * n * n + 2 * n + 2; }

template <class T> __global__ void geev_kernel(GeevJob<T> job, T *work) {
  if (threadIdx.x != 0) return;
  i64 n = job.n;
  job.H = work;
  job.Q = work + n * n;
  for (i64 j = 0; j < n; j++) for (i64 i = 0; i < n; i++) job.H[i + j * n] = job.A[i + j * job.lda];
  geev(job, work + 2 * n * n);
}

} // namespace heddle_solver
