// Sparse factors on the host: LU with partial pivoting (Gilbert and Peierls, 1988), Cholesky row by row, QR by Givens
// rotations row by row (George and Heath, 1980); dense QR with column pivots; eigenvalues by QR steps.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace heddle_factors {

template <class T> struct RealOf { typedef T type; };
template <class R> struct RealOf<std::complex<R>> { typedef R type; };
template <class T> using Real = typename RealOf<T>::type;
inline float conjugate(float a) { return a; }
inline double conjugate(double a) { return a; }
template <class R> std::complex<R> conjugate(std::complex<R> a) { return std::conj(a); }

template <class T> using Entry = std::pair<int, T>;
template <class T> using Row = std::vector<Entry<T>>;
template <class T> using Rows = std::vector<Row<T>>;
template <class T> using Vector = std::vector<T>;

/// Rows of a matrix, sorted, entries of one place summed.
template <class T>
Rows<T> rows_of(int m, const T *values, const int *starts, const int *columns, int base) {
  Rows<T> rows(m);
  for (int i = 0; i < m; i++) {
    Row<T> &row = rows[i];
    for (int at = starts[i] - base; at < starts[i + 1] - base; at++) row.push_back({columns[at] - base, values[at]});
    std::stable_sort(row.begin(), row.end(), [](const Entry<T> &a, const Entry<T> &b) { return a.first < b.first; });
    size_t kept = 0;
    for (size_t k = 0; k < row.size(); k++) {
      if (kept > 0 && row[kept - 1].first == row[k].first) row[kept - 1].second += row[k].second;
      else row[kept++] = row[k];
    }
    row.resize(kept);
  }
  return rows;
}
/// A(order, order).
template <class T> Rows<T> reordered(const Rows<T> &rows, const std::vector<int> &order) {
  std::vector<int> place(order.size());
  for (size_t i = 0; i < order.size(); i++) place[order[i]] = (int)i;
  Rows<T> out(rows.size());
  for (size_t i = 0; i < order.size(); i++) {
    for (const Entry<T> &entry : rows[order[i]]) out[i].push_back({place[entry.first], entry.second});
    std::sort(out[i].begin(), out[i].end(), [](const Entry<T> &a, const Entry<T> &b) { return a.first < b.first; });
  }
  return out;
}
template <class T> Rows<T> columns_of(const Rows<T> &rows, int n) {
  Rows<T> columns(n);
  for (size_t i = 0; i < rows.size(); i++)
    for (const Entry<T> &entry : rows[i]) columns[entry.first].push_back({(int)i, entry.second});
  return columns;
}
template <class T> Vector<T> times(const Rows<T> &rows, const Vector<T> &x) {
  Vector<T> y(rows.size());
  for (size_t i = 0; i < rows.size(); i++)
    for (const Entry<T> &entry : rows[i]) y[i] += entry.second * x[entry.first];
  return y;
}
template <class T> Real<T> length(const Vector<T> &x) {
  Real<T> sum = 0;
  for (const T &a : x) sum += std::norm(a);
  return std::sqrt(sum);
}

typedef std::priority_queue<int, std::vector<int>, std::greater<int>> Ascending;

/// P A = L U by columns. `least`: what a pivot of 0 becomes; 0 leaves it.
template <class T> class LU {
public:
  LU(const Rows<T> &rows, Real<T> least) : n_((int)rows.size()), lower_(n_), upper_(n_), pivots_(n_), rows_(n_, -1) {
    Rows<T> columns = columns_of(rows, n_);
    Vector<T> x(n_);
    std::vector<int> seen(n_, -1);
    for (int k = 0; k < n_; k++) eliminate(columns[k], k, x, seen, least);
  }
  /// The first pivot that is not above the tolerance, or -1.
  int singular(Real<T> tolerance) const {
    for (int k = 0; k < n_; k++) if (!(std::abs(pivots_[k]) > tolerance)) return k;
    return -1;
  }
  Vector<T> solve(const Vector<T> &b) const {
    Vector<T> x(n_);
    for (int i = 0; i < n_; i++) x[rows_[i]] = b[i];
    for (int k = 0; k < n_; k++)
      for (const Entry<T> &entry : lower_[k]) x[rows_[entry.first]] -= entry.second * x[k];
    for (int k = n_ - 1; k >= 0; k--) {
      x[k] /= pivots_[k];
      for (const Entry<T> &entry : upper_[k]) x[entry.first] -= entry.second * x[k];
    }
    return x;
  }

private:
  int n_;
  Rows<T> lower_; // of a column: rows of A
  Rows<T> upper_; // of a column: pivots
  Vector<T> pivots_;
  std::vector<int> rows_; // of a row of A: its pivot

  void eliminate(const Row<T> &column, int k, Vector<T> &x, std::vector<int> &seen, Real<T> least) {
    std::vector<int> free;
    Ascending pivotal;
    auto see = [&](int row) {
      if (seen[row] == k) return;
      seen[row] = k;
      x[row] = T(0);
      if (rows_[row] >= 0) pivotal.push(rows_[row]);
      else free.push_back(row);
    };
    for (const Entry<T> &entry : column) {
      see(entry.first);
      x[entry.first] += entry.second;
    }
    while (!pivotal.empty()) {
      int pivot = pivotal.top();
      pivotal.pop();
      T value = x[places_[pivot]];
      upper_[k].push_back({pivot, value});
      for (const Entry<T> &entry : lower_[pivot]) {
        see(entry.first);
        x[entry.first] -= entry.second * value;
      }
    }
    int best = -1;
    for (int row : free)
      if (best < 0 || std::abs(x[row]) > std::abs(x[best]) || (row == k && std::abs(x[row]) == std::abs(x[best])))
        best = row;
    if (best < 0) { // an empty column: any row that is left
      best = k;
      for (int row = 0; rows_[best] >= 0; row++) best = row;
      x[best] = T(0);
      free.push_back(best);
    }
    T pivot = x[best];
    if (std::abs(pivot) <= least) pivot = T(least);
    rows_[best] = k;
    places_.push_back(best);
    pivots_[k] = pivot;
    if (pivot == T(0)) return;
    for (int row : free) if (row != best && x[row] != T(0)) lower_[k].push_back({row, x[row] / pivot});
  }
  std::vector<int> places_; // of a pivot: its row of A
};

/// A = L L^H of a Hermitian matrix by its lower triangle.
template <class T> class Cholesky {
public:
  /// The first pivot that is not above the tolerance, or -1.
  int singular = -1;
  Cholesky(const Rows<T> &rows, Real<T> tolerance) : n_((int)rows.size()), columns_(n_), diagonal_(n_) {
    Vector<T> x(n_);
    std::vector<int> seen(n_, -1);
    for (int k = 0; k < n_; k++) {
      Ascending left;
      auto see = [&](int row) {
        if (seen[row] == k) return;
        seen[row] = k;
        x[row] = T(0);
        left.push(row);
      };
      Real<T> diagonal = 0;
      for (const Entry<T> &entry : rows[k]) {
        if (entry.first == k) diagonal += std::real(entry.second);
        if (entry.first >= k) continue;
        see(entry.first);
        x[entry.first] += conjugate(entry.second); // of the upper triangle's column
      }
      while (!left.empty()) {
        int j = left.top();
        left.pop();
        T value = x[j] / diagonal_[j];
        for (const Entry<T> &entry : columns_[j]) {
          see(entry.first);
          x[entry.first] -= entry.second * value;
        }
        diagonal -= std::norm(value);
        columns_[j].push_back({k, conjugate(value)});
      }
      if (!(diagonal > 0) || !(std::sqrt(diagonal) > tolerance)) {
        singular = k;
        return;
      }
      diagonal_[k] = std::sqrt(diagonal);
    }
  }
  Vector<T> solve(Vector<T> x) const {
    for (int k = 0; k < n_; k++) {
      x[k] /= diagonal_[k];
      for (const Entry<T> &entry : columns_[k]) x[entry.first] -= entry.second * x[k];
    }
    for (int k = n_ - 1; k >= 0; k--) {
      for (const Entry<T> &entry : columns_[k]) x[k] -= conjugate(entry.second) * x[entry.first];
      x[k] /= diagonal_[k];
    }
    return x;
  }

private:
  int n_;
  Rows<T> columns_;
  Vector<Real<T>> diagonal_;
};

/// R of A = Q R, and Q^H b.
template <class T> class QR {
public:
  QR(const Rows<T> &rows, const Vector<T> &b) : n_((int)rows.size()), upper_(n_), right_(n_) {
    for (int i = 0; i < n_; i++) {
      Row<T> row = rows[i];
      T value = b[i];
      while (!row.empty()) {
        if (row[0].second == T(0)) {
          row.erase(row.begin());
          continue;
        }
        int pivot = row[0].first;
        if (upper_[pivot].empty()) {
          upper_[pivot] = row;
          right_[pivot] = value;
          break;
        }
        rotate(upper_[pivot], right_[pivot], row, value);
      }
    }
  }
  int singular(Real<T> tolerance) const {
    for (int k = 0; k < n_; k++) if (upper_[k].empty() || !(std::abs(upper_[k][0].second) > tolerance)) return k;
    return -1;
  }
  Vector<T> solve() const {
    Vector<T> x(n_);
    for (int k = n_ - 1; k >= 0; k--) {
      if (upper_[k].empty()) continue;
      T sum = right_[k];
      for (size_t at = 1; at < upper_[k].size(); at++) sum -= upper_[k][at].second * x[upper_[k][at].first];
      x[k] = sum / upper_[k][0].second;
    }
    return x;
  }

private:
  int n_;
  Rows<T> upper_;
  Vector<T> right_;

  /// Takes the first entry out of `b`.
  static void rotate(Row<T> &a, T &rightA, Row<T> &b, T &rightB) {
    Real<T> size = std::sqrt(std::norm(a[0].second) + std::norm(b[0].second));
    T c = conjugate(a[0].second) / size, s = conjugate(b[0].second) / size;
    Row<T> upper, rest;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
      bool hasA = i < a.size() && (j >= b.size() || a[i].first <= b[j].first);
      bool hasB = j < b.size() && (i >= a.size() || b[j].first <= a[i].first);
      int column = hasA ? a[i].first : b[j].first;
      T x = hasA ? a[i++].second : T(0), y = hasB ? b[j++].second : T(0);
      upper.push_back({column, c * x + s * y});
      if (upper.size() > 1) rest.push_back({column, conjugate(c) * y - conjugate(s) * x});
    }
    T x = rightA, y = rightB;
    rightA = c * x + s * y;
    rightB = conjugate(c) * y - conjugate(s) * x;
    a.swap(upper);
    b.swap(rest);
  }
};

/// min |b - A x| by QR factors of a dense matrix with column pivots. order: A(:, order) = Q R. x of columns beyond the
/// rank is 0.
template <class T>
int least_squares(const Rows<T> &rows, int n, const Vector<T> &b, Real<T> tolerance, Vector<T> &x,
                  std::vector<int> &order) {
  int m = (int)rows.size(), rank = 0, steps = std::min(m, n);
  Rows<T> dense(n, Row<T>(m)); // columns
  Vector<T> right = b;
  for (int i = 0; i < m; i++) for (const Entry<T> &entry : rows[i]) dense[entry.first][i].second = entry.second;
  for (int j = 0; j < n; j++) order[j] = j;
  for (; rank < steps; rank++) {
    Real<T> most = -1;
    int pivot = rank;
    for (int j = rank; j < n; j++) {
      Real<T> sum = 0;
      for (int i = rank; i < m; i++) sum += std::norm(dense[j][i].second);
      if (sum > most) {
        most = sum;
        pivot = j;
      }
    }
    if (!(std::sqrt(most) > tolerance)) break;
    std::swap(dense[rank], dense[pivot]);
    std::swap(order[rank], order[pivot]);
    Row<T> &v = dense[rank];
    T alpha = v[rank].second;
    Real<T> size = std::sqrt(most), of = std::abs(alpha);
    T beta = of == 0 ? T(-size) : -alpha * (size / of);
    v[rank].second -= beta;
    Real<T> norm = 0;
    for (int i = rank; i < m; i++) norm += std::norm(v[i].second);
    auto reflect = [&](auto at) {
      T sum = 0;
      for (int i = rank; i < m; i++) sum += conjugate(v[i].second) * at(i);
      sum *= Real<T>(2) / norm;
      for (int i = rank; i < m; i++) at(i) -= v[i].second * sum;
    };
    for (int j = rank + 1; j < n; j++) reflect([&](int i) -> T & { return dense[j][i].second; });
    reflect([&](int i) -> T & { return right[i]; });
    v[rank].second = beta;
  }
  x.assign(n, T(0));
  for (int k = rank - 1; k >= 0; k--) {
    T sum = right[k];
    for (int j = k + 1; j < rank; j++) sum -= dense[j][k].second * x[order[j]];
    x[order[k]] = sum / dense[k][k].second;
  }
  return rank;
}

/// Eigenvalues of a dense matrix: to Hessenberg form by Givens rotations, then QR steps with Wilkinson's shifts.
inline Vector<std::complex<double>> eigenvalues(int n, Vector<std::complex<double>> a) {
  typedef std::complex<double> Z;
  auto at = [&](int i, int j) -> Z & { return a[i + (size_t)j * n]; };
  auto rotate_rows = [&](int i, int k, Z c, Z s, int from) {
    for (int j = from; j < n; j++) {
      Z x = at(i, j), y = at(k, j);
      at(i, j) = c * x + s * y;
      at(k, j) = std::conj(c) * y - std::conj(s) * x;
    }
  };
  auto rotate_columns = [&](int i, int k, Z c, Z s, int to) {
    for (int j = 0; j < to; j++) {
      Z x = at(j, i), y = at(j, k);
      at(j, i) = std::conj(c) * x + std::conj(s) * y;
      at(j, k) = c * y - s * x;
    }
  };
  auto rotation = [](Z x, Z y, Z &c, Z &s) {
    double size = std::sqrt(std::norm(x) + std::norm(y));
    c = std::conj(x) / size;
    s = std::conj(y) / size;
  };
  Z c, s;
  for (int j = 0; j + 2 < n; j++)
    for (int i = n - 1; i > j + 1; i--) {
      if (at(i, j) == Z(0)) continue;
      rotation(at(i - 1, j), at(i, j), c, s);
      rotate_rows(i - 1, i, c, s, j);
      rotate_columns(i - 1, i, c, s, n);
    }
  const double EPSILON = std::numeric_limits<double>::epsilon();
  Vector<Z> found(n), cs(n), ss(n);
  for (int high = n - 1, turn = 0; high >= 0;) {
    int low = high;
    for (; low > 0; low--) {
      double around = std::abs(at(low, low)) + std::abs(at(low - 1, low - 1));
      if (std::abs(at(low, low - 1)) <= EPSILON * (around > 0 ? around : 1)) break;
    }
    if (low == high || turn > 300) {
      found[high] = at(high, high);
      high--;
      turn = 0;
      continue;
    }
    Z p = at(high - 1, high - 1), q = at(high, high), half = (p - q) / 2.0;
    Z root = std::sqrt(half * half + at(high - 1, high) * at(high, high - 1));
    Z other = std::abs(half + root) > std::abs(half - root) ? half - root : half + root;
    Z shift = ++turn % 11 == 10 ? q + std::abs(at(high, high - 1)) : q + other;
    for (int i = low; i <= high; i++) at(i, i) -= shift;
    for (int i = low; i < high; i++) {
      bool isZero = at(i, i) == Z(0) && at(i + 1, i) == Z(0);
      if (isZero) cs[i] = 1, ss[i] = 0;
      else rotation(at(i, i), at(i + 1, i), cs[i], ss[i]);
      rotate_rows(i, i + 1, cs[i], ss[i], i);
    }
    for (int i = low; i < high; i++) rotate_columns(i, i + 1, cs[i], ss[i], std::min(i + 2, high + 1));
    for (int i = low; i <= high; i++) at(i, i) += shift;
  }
  return found;
}

} // namespace heddle_factors
