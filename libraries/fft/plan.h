// What a plan does on the device: a list of kernels, and the tables that they read. Made once for a plan, run often.
#pragma once
#include <cuda_runtime.h>
#include <limits.h>
#include <complex>
#include <vector>
#include "../common/launched.h"
#include "factors.h"
#include "layout.h"
#include "mixed.cuh"
#include "points.cuh"
#include "rows.cuh"

namespace heddle_fft {

enum Buffer { IN, OUT, WORK0, WORK1 };
enum Operation { LINES, ROWS, MIXED, SPLIT, JOIN, CHIRP_IN, CHIRP_PRODUCT, CHIRP_OUT };

template <class T> struct Work {
  Operation operation;
  Step<T> step;
  Points<T> points;
  const T *rowTable;                      // of ROWS: transforms of step.R elements, step.lines of them
  int inDistance, outDistance;            // of MIXED
  int in, out;
  bool conjugatesIn = false, conjugatesOut = false; // on the way back
  bool isInPlace = false;                 // may read and write one buffer
  long long elements = 0;                 // that it writes, if the target is one of our own
};

/// Tables in device memory, one of each kind and size.
template <class T> class Tables {
public:
  ~Tables() { for (Table &table : tables) cudaFree(table.memory); }
  bool failed = false;
  /// exp(-2 pi i j / n), j < n
  const T *roots(int n) {
    return find(n, 0, n, [&](std::vector<T> &values) { for (int j = 0; j < n; j++) put(values, j, root(j, n)); });
  }
  /// [p R + k], exp(-2 pi i p k / (R m))
  const T *twiddles(int R, int m) {
    return find(R, m, R * m, [&](std::vector<T> &values) {
      int n = R * m;
      std::vector<std::complex<double>> all(n);
      for (int j = 0; j < n; j++) all[j] = root(j, n);
      for (int p = 0; p < m; p++)
        for (int k = 0, at = 0; k < R; k++, at = at + p < n ? at + p : at + p - n) put(values, p * R + k, all[at]);
    });
  }
  /// The factors of transform_rows<T, n>.
  const T *row_twiddles(int n) {
    int count = 0;
    for (int s = 1; s < n; s *= row_radix(n / s)) {
      int R = row_radix(n / s);
      if (s * R < n) count += (R - 1) * heddle_fft::row_twiddles(n, s, R);
    }
    return find(n, INT_MIN, count, [&](std::vector<T> &values) {
      for (int s = 1, at = 0; s < n; s *= row_radix(n / s)) {
        int R = row_radix(n / s), P = heddle_fft::row_twiddles(n, s, R);
        if (s * R == n) break;
        for (int k = 1; k < R; k++)
          for (int i = 0; i < P; i++) {
            long long p = s < WARP ? i / s : i;
            std::complex<double> factor = root(p * k * s, n);
            values[at + (k - 1) * P + i] = (T)factor.real();
            values[at + (R - 1 + k - 1) * P + i] = (T)factor.imag();
          }
        at += 2 * (R - 1) * P;
      }
    });
  }
  /// The factors of transform_mixed for n elements.
  const T *mixed_factors(int n, const std::vector<int> &radices) {
    int count = 0;
    auto each_warp = [&](auto take) {
      int s = 1;
      for (size_t i = 0; i + 1 < radices.size(); s *= radices[i++]) {
        int m = n / radices[i], width = mixed_width(s);
        if (s >= WARP) {
          for (int p = 0; p < m / s; p++) take(radices[i], s, p * s, 1);
          continue;
        }
        for (int t = 0; t < m; t += width)
          take(radices[i], s, std::min(t, m - width), heddle_fft::mixed_factors(s));
      }
    };
    each_warp([&](int R, int, int, int factors) { count += (R - 1) * factors; });
    return find(n, INT_MIN + 1, count, [&](std::vector<T> &values) {
      size_t at = 0;
      each_warp([&](int R, int s, int t, int factors) {
        for (int k = 1; k < R; k++, at += 2 * factors)
          for (int i = 0; i < factors; i++) {
            int p = (factors == WARP ? t + i : t + i * s) / s;
            std::complex<double> factor = root((long long)p * k * s % n, n);
            values[at + i] = (T)factor.real();
            values[at + factors + i] = (T)factor.imag();
          }
      });
    });
  }
  /// The spectrum of exp(pi i j^2 / n), |j| < n, of `length` elements; divided by their number.
  const T *chirp(int n, int length) {
    return find(n, -length, length, [&](std::vector<T> &values) {
      std::vector<std::complex<double>> chirp(length);
      for (long long j = 0; j < n; j++) {
        chirp[j] = std::conj(root(j * j % (2ll * n), 2 * n));
        if (j > 0) chirp[length - j] = chirp[j];
      }
      spectrum(chirp);
      for (int j = 0; j < length; j++) put(values, j, chirp[j] / (double)length);
    });
  }

private:
  struct Table { int a, b; T *memory; };
  std::vector<Table> tables;

  static void put(std::vector<T> &values, int at, std::complex<double> value) {
    values[2 * at] = (T)value.real();
    values[2 * at + 1] = (T)value.imag();
  }
  /// With an argument below pi / 4, so that symmetric roots are exactly so.
  static std::complex<double> root(long long j, long long n) {
    long long eighth = 8 * j / n, rest = eighth % 2 ? (eighth + 1) * n - 8 * j : 8 * j - eighth * n;
    double angle = 0.78539816339744830962 * (double)rest / (double)n, c = cos(angle), s = sin(angle);
    switch (eighth) {
      case 0: return {c, -s};
      case 1: return {s, -c};
      case 2: return {-s, -c};
      case 3: return {-c, -s};
      case 4: return {-c, s};
      case 5: return {-s, c};
      case 6: return {s, c};
      default: return {c, s};
    }
  }
  /// Of a power of two elements.
  static void spectrum(std::vector<std::complex<double>> &x) {
    int n = (int)x.size();
    for (int i = 1, j = 0; i < n; i++) {
      int bit = n >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    std::vector<std::complex<double>> roots(n / 2);
    for (int j = 0; j < n / 2; j++) roots[j] = root(j, n);
    for (int half = 1; half < n; half *= 2)
      for (int first = 0; first < n; first += 2 * half)
        for (int j = 0; j < half; j++) {
          std::complex<double> a = x[first + j], b = x[first + j + half] * roots[j * (n / 2 / half)];
          x[first + j] = a + b;
          x[first + j + half] = a - b;
        }
  }
  template <class Fill> const T *find(int a, int b, int count, Fill fill) {
    for (Table &table : tables) if (table.a == a && table.b == b) return table.memory;
    std::vector<T> values(2 * (size_t)count);
    fill(values);
    size_t bytes = values.size() * sizeof(T);
    T *memory = nullptr;
    // By a stream of its own: the default stream may wait for one that is captured.
    cudaStream_t stream;
    bool isFine = cudaMalloc(&memory, bytes) == cudaSuccess &&
                  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    if (isFine) {
      isFine = cudaMemcpyAsync(memory, values.data(), bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess &&
               cudaStreamSynchronize(stream) == cudaSuccess;
      cudaStreamDestroy(stream);
    }
    if (!isFine) {
      failed = true;
      return nullptr;
    }
    tables.push_back({a, b, memory});
    return memory;
  }
};

template <class T> class Builder {
public:
  std::vector<Work<T>> works;
  long long workElements = 0; // of one buffer
  int workBuffers = 0;

  /// @param tables null: only the sizes are wanted
  /// @param arePairsAligned whether two neighbours in an array of real numbers may be accessed as a complex number
  Builder(const Description& given, Tables<T>* tables, bool arePairsAligned)
      : d(given), tables(tables), arePairsAligned(arePairsAligned) {
    for (int i = 0; i < d.rank; i++) spectrum[i] = real[i] = d.n[i];
    int last = d.rank - 1;
    if (d.kind != COMPLEX_TO_COMPLEX) spectrum[last] = d.n[last] / 2 + 1;
    if (d.kind == REAL_TO_COMPLEX) {
      real_forward(last);
      for (int i = last - 1; i >= 0; i--) dimension(i);
    } else {
      bool isReal = d.kind == COMPLEX_TO_REAL;
      for (int i = isReal ? last - 1 : last; i >= 0; i--) dimension(i);
      if (isReal) real_back(last);
    }
    if (works.empty()) // a copy
      lines(0, 1, inner_of(0), side(&d.in, spectrum, 0, FORM_COMPLEX), side(&d.out, spectrum, 0, FORM_COMPLEX));
    place();
  }

private:
  const Description &d;
  Tables<T> *tables;
  bool arePairsAligned;
  int spectrum[MOST_RANK], real[MOST_RANK];

  int inner_of(int i) const {
    int inner = 1;
    for (int k = i + 1; k < d.rank; k++) inner *= spectrum[k];
    return inner;
  }
  int outer_of(int i) const {
    int outer = 1;
    for (int k = 0; k < i; k++) outer *= spectrum[k];
    return outer;
  }
  int blocks_of(int i) const { return d.batch * outer_of(i); }

  /// An array of the program's, or one of ours, as lines along dimension i.
  Side<T> side(const Layout* layout, const int* extents, int i, int form) const {
    Layout compact;
    long long size = 1;
    bool isCompact = form == FORM_COMPLEX;
    for (int k = 0; k < d.rank; k++) {
      compact.embed[k] = extents[k];
      size *= extents[k];
      if (layout && k > 0 && layout->embed[k] != extents[k]) isCompact = false;
    }
    if (layout && (layout->stride != 1 || (d.batch > 1 && layout->dist != size))) isCompact = false;
    compact.stride = 1;
    compact.dist = size;
    if (!layout) layout = &compact;
    Side<T> made{};
    long long steps[MOST_RANK], step = layout->stride;
    for (int k = d.rank - 1; k >= 0; k--) { steps[k] = step; step *= layout->embed[k]; }
    made.form = form;
    made.count = INT_MAX;
    made.isCompact = isCompact;
    made.inner = made.others = made.sizeB = 1;
    made.length = d.n[i];
    made.stride = (int)steps[i];
    made.dist = (int)layout->dist;
    int others = 0;
    for (int k = 0; k < d.rank; k++) {
      if (k == i) continue;
      made.others *= extents[k];
      if (k > i) made.inner *= extents[k];
      if (others++ > 0) made.strideA = made.strideB;
      made.sizeB = extents[k];
      made.strideB = (int)steps[k];
    }
    return made;
  }
  Side<T> spectrum_side(int i, bool isInput) const {
    bool isUsers = isInput ? works.empty() && d.kind != REAL_TO_COMPLEX : is_last(i);
    return side(isUsers ? isInput ? &d.in : &d.out : nullptr, spectrum, i, FORM_COMPLEX);
  }
  /// Whether nothing comes after dimension i.
  bool is_last(int i) const {
    if (d.kind == COMPLEX_TO_REAL) return false;
    for (int k = 0; k < i; k++) if (d.n[k] > 1) return false;
    return true;
  }
  void dimension(int i) {
    if (d.n[i] == 1) return;
    Side<T> in = spectrum_side(i, true), out = spectrum_side(i, false);
    lines(i, d.n[i], inner_of(i), in, out);
  }
  /// A transform that transform_rows makes. Two halves of shared memory have place for it on every GPU.
  static bool has_row(int n) { return is_row(n) && n * sizeof(T) <= MOST_ROW * 4; }
  bool has_halves(int i) const { return d.n[i] % 2 == 0 && d.n[i] >= 4; }

  void real_forward(int i) {
    Side<T> out = spectrum_side(i, false);
    if (!has_halves(i)) {
      out.isCompact = false;
      out.count = spectrum[i];
      return lines(i, d.n[i], 1, side(&d.in, real, i, FORM_REAL), out);
    }
    int half = d.n[i] / 2;
    lines(i, half, 1, side(&d.in, real, i, FORM_PAIRS), compact());
    halves(SPLIT, i, half, compact(), out);
  }
  void real_back(int i) {
    bool isUsers = works.empty();
    Side<T> in = side(isUsers ? &d.in : nullptr, spectrum, i, FORM_HERMITIAN);
    if (!has_halves(i)) return lines(i, d.n[i], 1, in, side(&d.out, real, i, FORM_REAL));
    int half = d.n[i] / 2;
    halves(JOIN, i, half, in, compact());
    lines(i, half, 1, compact(), side(&d.out, real, i, FORM_PAIRS));
  }
  static Side<T> compact() {
    Side<T> made{};
    made.form = FORM_COMPLEX;
    made.count = INT_MAX;
    made.isCompact = true;
    made.inner = made.others = made.sizeB = 1;
    return made;
  }
  Work<T> &add(Operation operation, const Side<T> &in, const Side<T> &out, long long elements) {
    Work<T> work{};
    work.operation = operation;
    work.step.in = work.points.in = in;
    work.step.out = work.points.out = out;
    work.elements = elements;
    works.push_back(work);
    return works.back();
  }
  void halves(Operation operation, int i, int half, const Side<T>& in, const Side<T>& out) {
    long long blocks = blocks_of(i);
    Work<T> &work = add(operation, in, out, blocks * (half + 1));
    work.points.n = half;
    work.points.total = (int)(blocks * (half / 2 + 1));
    if (tables) work.points.roots = tables->roots(2 * half);
  }

  /// Transforms of n elements along dimension i, with `inner` elements inside of each.
  void lines(int i, int n, int inner, const Side<T>& in, const Side<T>& out) {
    long long blocks = blocks_of(i);
    if (is_smooth(n)) return smooth_lines(n, inner, blocks, in, out, true);
    int length = 1;
    while (length < 2 * n - 1) length *= 2;
    auto points = [&](Operation operation, const Side<T>& from, const Side<T>& to, int many) {
      Work<T> &work = add(operation, from, to, blocks * many * inner);
      work.points.n = n;
      work.points.length = length;
      work.points.inner = inner;
      work.points.total = (int)(blocks * many * inner);
      if (tables) {
        work.points.roots = tables->roots(2 * n);
        work.points.factors = tables->chirp(n, length);
      }
      work.isInPlace = operation == CHIRP_PRODUCT;
    };
    points(CHIRP_IN, in, compact(), length);
    works.back().conjugatesIn = true;
    smooth_lines(length, inner, blocks, compact(), compact(), false);
    points(CHIRP_PRODUCT, compact(), compact(), length);
    smooth_lines(length, inner, blocks, compact(), compact(), false);
    points(CHIRP_OUT, compact(), out, n);
    works.back().conjugatesOut = true;
  }
  /// Elements from one line to the next, where a line's elements are neighbours and all lines are equally far apart;
  /// otherwise 0.
  long long row_distance(const Side<T>& side, int n) const {
    if (side.isCompact) return n;
    bool isPairs = side.form == FORM_PAIRS;
    if (side.stride != 1 || side.inner != 1 || side.count != INT_MAX) return 0;
    if (side.form != FORM_COMPLEX && !(isPairs && arePairsAligned)) return 0;
    long long distance = side.others == 1 ? side.dist : side.strideB;
    if (side.others > 1) {
      if (side.others != side.sizeB && side.strideA != (long long)side.sizeB * side.strideB) return 0;
      if (d.batch > 1 && side.dist != side.others * distance) return 0;
    }
    if (!isPairs) return distance;
    return distance % 2 == 0 ? distance / 2 : 0;
  }
  void smooth_lines(int n, int inner, long long blocks, const Side<T>& in, const Side<T>& out, bool conjugates) {
    long long inDistance = row_distance(in, n), outDistance = row_distance(out, n);
    if (inner == 1 && inDistance == n && outDistance == n && has_row(n) && blocks % rows_of_block(n) == 0) {
      Work<T> &work = add(ROWS, in, out, blocks * n);
      work.step.R = n;
      work.step.lines = (int)blocks;
      work.rowTable = tables ? tables->row_twiddles(n) : nullptr;
      work.conjugatesIn = work.conjugatesOut = conjugates;
      work.isInPlace = true;
      return;
    }
    std::vector<int> mixed = MixedRadices::of(n);
    if (inner == 1 && inDistance > 0 && outDistance > 0 && !mixed.empty()) {
      Work<T> &work = add(MIXED, in, out, blocks * n);
      work.step.R = n;
      work.step.lines = (int)blocks;
      work.step.count = (int)mixed.size();
      for (int k = 0; k < work.step.count; k++) work.step.radices[k] = (unsigned char)mixed[k];
      work.inDistance = (int)inDistance;
      work.outDistance = (int)outDistance;
      work.rowTable = tables ? tables->mixed_factors(n, mixed) : nullptr;
      work.conjugatesIn = work.conjugatesOut = conjugates;
      work.isInPlace = true;
      return;
    }
    StepCosts costs{sizeof(T) == 4 ? 128 : 64, blocks};
    double cost = 0;
    std::vector<int> steps = cut_into_steps(costs, n, inner, &cost);
    int s = inner, rest = n;
    for (size_t i = 0; i < steps.size(); i++) {
      int R = steps[i];
      bool isFirst = i == 0, isLast = i + 1 == steps.size();
      rest /= R;
      Work<T> &work = add(LINES, isFirst ? in : compact(), isLast ? out : compact(), blocks * n * inner);
      Step<T> &step = work.step;
      step.R = R;
      step.s = s;
      step.m = rest;
      step.lines = (int)(blocks * s * rest);
      std::vector<int> radices = radices_of(R);
      step.count = (int)radices.size();
      for (int k = 0; k < step.count; k++) step.radices[k] = (unsigned char)radices[k];
      if (tables) {
        step.roots = tables->roots(R);
        step.twiddles = rest > 1 ? tables->twiddles(R, rest) : nullptr;
      }
      bool isWhole = s == 1 && R >= WARP;
      if (step.in.isCompact)
        step.in.access = s * rest % WARP == 0 ? ACCESS_ROWS : isWhole && rest == 1 ? ACCESS_TRANSPOSED : ACCESS_ANY;
      if (step.out.isCompact) step.out.access = s % WARP == 0 ? ACCESS_ROWS : isWhole ? ACCESS_TRANSPOSED : ACCESS_ANY;
      work.conjugatesIn = conjugates && isFirst;
      work.conjugatesOut = conjugates && isLast;
      work.isInPlace = rest == 1 && step.in.isCompact && step.out.isCompact;
      s *= R;
    }
  }
  /// Chooses the buffers.
  void place() {
    int held = IN;
    for (size_t i = 0; i < works.size(); i++) {
      Work<T> &work = works[i];
      work.in = held;
      if (i + 1 == works.size()) work.out = OUT;
      else {
        work.out = held == IN ? WORK0 : work.isInPlace ? held : held == WORK0 ? WORK1 : WORK0;
        if (workBuffers < work.out - WORK0 + 1) workBuffers = work.out - WORK0 + 1;
        if (workElements < work.elements) workElements = work.elements;
      }
      held = work.out;
    }
  }
};

template <class T, int N = LEAST_ROW>
cudaError_t run_rows(int n, int lines, const RowStep<T> &step, cudaStream_t stream) {
  if constexpr (N == LEAST_ROW) if (n % 3 == 0) return run_rows<T, 3 * N>(n, lines, step, stream);
  if constexpr (2 * N <= MOST_ROW) if (n > N) return run_rows<T, 2 * N>(n, lines, step, stream);
  size_t shared = 4 * (size_t)row_pitch(N) * sizeof(T);
  if (shared > 48 * 1024) {
    cudaError_t error =
        cudaFuncSetAttribute(transform_rows<T, N>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (error != cudaSuccess) return error;
  }
  transform_rows<T, N><<<(unsigned)(lines / rows_of_block(N)), WARP, shared, stream>>>(step);
  return cudaSuccess;
}

template <class T> cudaError_t run_mixed(int lines, const MixedStep<T> &step, cudaStream_t stream) {
  auto *kernel = step.radices[0] == 8   ? transform_mixed<T, 8>
                 : step.radices[0] == 9 ? transform_mixed<T, 9>
                 : step.radices[0] == 7 ? transform_mixed<T, 7>
                                        : transform_mixed<T, 5>;
  int shared = 4 * step.pitch * (int)sizeof(T);
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (error != cudaSuccess) return error;
  kernel<<<(unsigned)lines, WARP, shared, stream>>>(step);
  return cudaSuccess;
}

template <class T> unsigned blocks_for(T count, int each) { return (unsigned)((count + each - 1) / each); }

/// Runs a plan's kernels. `work` holds the buffers one after the other.
template <class T>
cudaError_t run(const std::vector<Work<T>>& works, long long workElements, const void* in, void* out, void* work,
                bool isBack, cudaStream_t stream) {
  T *buffers[] = {(T *)in, (T *)out, (T *)work, (T *)work + 2 * workElements};
  for (const Work<T> &each : works) {
    if (each.operation == LINES) {
      Step<T> step = each.step;
      step.in.data = buffers[each.in];
      step.out.data = buffers[each.out];
      step.in.sign = isBack && each.conjugatesIn ? T(-1) : T(1);
      step.out.sign = isBack && each.conjugatesOut ? T(-1) : T(1);
      size_t shared = (size_t)step.R * 2 * 2 * WARP * sizeof(T);
      if (shared > 48 * 1024) {
        cudaError_t error =
            cudaFuncSetAttribute(transform_lines<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (error != cudaSuccess) return error;
      }
      transform_lines<T><<<blocks_for(step.lines, WARP), WARP, shared, stream>>>(step);
      continue;
    }
    if (each.operation == ROWS) {
      RowStep<T> step{buffers[each.in], each.rowTable, buffers[each.out],
                      isBack && each.conjugatesIn ? T(-1) : T(1)};
      cudaError_t error = run_rows<T>(each.step.R, each.step.lines, step, stream);
      if (error != cudaSuccess) return error;
      continue;
    }
    if (each.operation == MIXED) {
      T sign = isBack && each.conjugatesIn ? T(-1) : T(1);
      int n = each.step.R;
      MixedStep<T> step{buffers[each.in], each.rowTable, buffers[each.out], each.inDistance, each.outDistance,
                        sign, n, n + MIXED_ROOM, each.step.count, {}};
      for (int k = 0; k < step.count; k++) step.radices[k] = each.step.radices[k];
      cudaError_t error = run_mixed<T>(each.step.lines, step, stream);
      if (error != cudaSuccess) return error;
      continue;
    }
    Points<T> points = each.points;
    points.in.data = buffers[each.in];
    points.out.data = buffers[each.out];
    points.in.sign = isBack && each.conjugatesIn ? T(-1) : T(1);
    points.out.sign = isBack && each.conjugatesOut ? T(-1) : T(1);
    unsigned blocks = blocks_for(points.total, POINTS_BLOCK);
    switch (each.operation) {
      case SPLIT: split_real<T><<<blocks, POINTS_BLOCK, 0, stream>>>(points); break;
      case JOIN: join_real<T><<<blocks, POINTS_BLOCK, 0, stream>>>(points); break;
      case CHIRP_IN: chirp_in<T><<<blocks, POINTS_BLOCK, 0, stream>>>(points); break;
      case CHIRP_PRODUCT: chirp_product<T><<<blocks, POINTS_BLOCK, 0, stream>>>(points); break;
      default: chirp_out<T><<<blocks, POINTS_BLOCK, 0, stream>>>(points);
    }
  }
  return __heddle_work_error();
}

} // namespace heddle_fft
