// What cusolverRf gives in each of its modes, for one small system: statuses, factors, the solution.
//
//   rf-modes single                     every format, diagonal, factorization and solve
//   rf-modes batch FORMAT DIAGONAL COUNT   one mode: NVIDIA's library ends the process in some
//
// A line for each call or list: what it is, then the status or the numbers.
#include <cusolverRf.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef std::vector<double> Numbers;
typedef std::vector<int> Places;
static const int N = 4;

struct Compressed {
  Places starts{0}, places;
  Numbers values;
  int nnz() const { return (int)places.size(); }
  /// The rows of a matrix, or its columns.
  Compressed(const Numbers &dense, bool isColumns) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        double value = isColumns ? dense[j * N + i] : dense[i * N + j];
        if (value != 0) places.push_back(j), values.push_back(value);
      }
      starts.push_back(nnz());
    }
  }
};
template <class T> static T *on_device(const std::vector<T> &list) {
  T *there = nullptr;
  cudaMalloc(&there, list.size() * sizeof(T));
  cudaMemcpy(there, list.data(), list.size() * sizeof(T), cudaMemcpyHostToDevice);
  return there;
}
template <class T> static void show(const char *name, const T *list, int count) {
  printf("%s", name);
  for (int i = 0; i < count; i++) printf(" %.17g", (double)list[i]);
  printf("\n");
  fflush(stdout);
}
static bool isOver;
static void said(const char *name, int status) {
  printf("%s %d\n", name, status);
  fflush(stdout);
  isOver = isOver || status != CUSOLVER_STATUS_SUCCESS;
}
#define SAY(CALL, ...) if (!isOver) said(#CALL, CALL(__VA_ARGS__))

/// A = L U without exchanges; the unit diagonal is that of L, or of U.
static void factor(const Numbers &a, bool isUnitU, Numbers &l, Numbers &u) {
  Numbers f = a;
  for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) {
    f[i * N + k] /= f[k * N + k];
    for (int j = k + 1; j < N; j++) f[i * N + j] -= f[i * N + k] * f[k * N + j];
  }
  l = u = Numbers(N * N);
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) (j < i ? l : u)[i * N + j] = f[i * N + j];
  for (int i = 0; i < N; i++) l[i * N + i] = 1;
  if (!isUnitU) return;
  for (int k = 0; k < N; k++) {
    double d = u[k * N + k];
    for (int i = 0; i < N; i++) l[i * N + k] *= d, u[k * N + i] /= d;
  }
}
/// Numbers that are the same in binary and decimal; A has zeros where its factors have none, and where they have some.
static Numbers matrix(int k) {
  Numbers a = {8, 1, 0, 2, 2, 9, 1, 0, 0, 3, 7, 1, 4, 0, 1, 6};
  for (double &value : a) if (value != 0) value += 0.25 * k;
  return a;
}

struct System {
  Numbers a = matrix(0), l, u;
  Compressed sa, sl, su;
  Places p{0, 1, 2, 3};
  static Numbers kept(Numbers m, bool isStored) {
    for (int i = 0; i < N && !isStored; i++) m[i * N + i] = 0;
    return m;
  }
  System(int format, int diagonal) : sa(a, format), sl(a, format), su(a, format) {
    bool isUnitU = diagonal % 2 == 1, isStored = diagonal < 2;
    factor(a, isUnitU, l, u);
    sl = Compressed(kept(l, isStored || isUnitU), format);
    su = Compressed(kept(u, isStored || !isUnitU), format);
  }
};
#define FACTORS(S) S.sl.nnz(), S.sl.starts.data(), S.sl.places.data(), S.sl.values.data(), S.su.nnz(), \
  S.su.starts.data(), S.su.places.data(), S.su.values.data(), S.p.data(), S.p.data()

static void single(int format, int diagonal, int factorization, int solve) {
  printf("single format %d diagonal %d factorization %d solve %d\n", format, diagonal, factorization, solve);
  isOver = false;
  System s(format, diagonal);
  cusolverRfHandle_t rf;
  SAY(cusolverRfCreate, &rf);
  SAY(cusolverRfSetMatrixFormat, rf, (cusolverRfMatrixFormat_t)format, (cusolverRfUnitDiagonal_t)diagonal);
  SAY(cusolverRfSetAlgs, rf, (cusolverRfFactorization_t)factorization, (cusolverRfTriangularSolve_t)solve);
  SAY(cusolverRfSetupHost, N, s.sa.nnz(), s.sa.starts.data(), s.sa.places.data(), s.sa.values.data(), FACTORS(s), rf);
  SAY(cusolverRfAnalyze, rf);
  Numbers other = Compressed(matrix(1), format).values, l, u, b{1, 2, 3, 4};
  int *p = on_device(s.p), *starts = on_device(s.sa.starts), *places = on_device(s.sa.places);
  double *values = on_device(other), *x = on_device(b), *room = on_device(b);
  SAY(cusolverRfResetValues, N, s.sa.nnz(), starts, places, values, p, p, rf);
  SAY(cusolverRfRefactor, rf);
  SAY(cusolverRfSolve, rf, p, p, 1, room, N, x, N);
  factor(matrix(1), diagonal % 2 == 1, l, u);
  if (!isOver) {
    cudaMemcpy(b.data(), x, N * sizeof(double), cudaMemcpyDeviceToHost);
    show("x", b.data(), N);
  }
  int nnzL, nnzU, nnzM, *sl, *cl, *su, *cu, *sm, *cm;
  double *vl, *vu, *vm;
  SAY(cusolverRfExtractSplitFactorsHost, rf, &nnzL, &sl, &cl, &vl, &nnzU, &su, &cu, &vu);
  if (!isOver) {
    show("L starts", sl, N + 1), show("L places", cl, nnzL), show("L values", vl, nnzL);
    show("U starts", su, N + 1), show("U places", cu, nnzU), show("U values", vu, nnzU);
  }
  SAY(cusolverRfExtractBundledFactorsHost, rf, &nnzM, &sm, &cm, &vm);
  if (!isOver) show("M starts", sm, N + 1), show("M places", cm, nnzM), show("M values", vm, nnzM);
  cusolverRfDestroy(rf);
  show("right L", l.data(), N * N), show("right U", u.data(), N * N);
  for (void *one : {(void *)p, (void *)starts, (void *)places, (void *)values, (void *)x, (void *)room}) cudaFree(one);
}

static void batch(int format, int diagonal, int count) {
  printf("batch format %d diagonal %d count %d\n", format, diagonal, count);
  System s(format, diagonal);
  cusolverRfHandle_t rf;
  SAY(cusolverRfCreate, &rf);
  SAY(cusolverRfSetMatrixFormat, rf, (cusolverRfMatrixFormat_t)format, (cusolverRfUnitDiagonal_t)diagonal);
  std::vector<double *> given(count, s.sa.values.data()), values, solutions;
  SAY(cusolverRfBatchSetupHost, count, N, s.sa.nnz(), s.sa.starts.data(), s.sa.places.data(), given.data(), FACTORS(s),
      rf);
  SAY(cusolverRfBatchAnalyze, rf);
  Numbers b{1, 2, 3, 4};
  for (int k = 0; k < count; k++) {
    values.push_back(on_device(Compressed(matrix(k), format).values));
    solutions.push_back(on_device(b));
  }
  int *p = on_device(s.p), *starts = on_device(s.sa.starts), *places = on_device(s.sa.places);
  double **given_there = on_device(values), **x = on_device(solutions), *room = on_device(Numbers(2 * N * count));
  SAY(cusolverRfBatchResetValues, count, N, s.sa.nnz(), starts, places, given_there, p, p, rf);
  SAY(cusolverRfBatchRefactor, rf);
  Places zero(count, 7);
  SAY(cusolverRfBatchZeroPivot, rf, zero.data());
  show("zero pivots", zero.data(), count);
  SAY(cusolverRfBatchSolve, rf, p, p, 1, room, N, x, N);
  for (int k = 0; k < count && !isOver; k++) {
    cudaMemcpy(b.data(), solutions[k], N * sizeof(double), cudaMemcpyDeviceToHost);
    show("x", b.data(), N);
  }
  SAY(cusolverRfDestroy, rf);
}

int main(int count, char **arguments) {
  if (count == 5 && !strcmp(arguments[1], "batch")) {
    batch(atoi(arguments[2]), atoi(arguments[3]), atoi(arguments[4]));
  } else {
    for (int mode = 0; mode < 72; mode++) single(mode % 2, mode / 2 % 4, mode / 8 % 3, 1 + mode / 24);
  }
  printf("end\n");
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
