// Transforms of the descriptors in a file, beside sums in double precision. A line: the type's name, rank, n, batch,
// whether there are layouts, inembed, istride, idist, onembed, ostride, odist, the direction, whether in place (2: no,
// and an array of real numbers begins at an odd place). One line of output for each: the statuses of the plan and of
// its call, and the error's square root of the mean square over the result's.
#include <cufft.h>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>
typedef std::complex<double> Number;
typedef std::vector<Number> Numbers;

static unsigned state = 1;
static double noise() {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / 16777216.0 - 0.5;
}

struct Case {
  char type[8];
  int rank, n[3], batch, hasLayouts, inembed[3], istride, idist, onembed[3], ostride, odist, direction, target;
  bool isInPlace() const { return target == 1; }
  bool isOdd(bool input) const { return target == 2 && isReal(input); }
  bool isReal(bool input) const { return type[input ? 0 : 2] == 'R' || type[input ? 0 : 2] == 'D'; }
  bool isDouble() const { return strchr(type, 'Z') != nullptr; }
  int extent(int i, bool input) const {
    bool isHalf = i + 1 == rank && !isReal(input) && isReal(!input);
    return isHalf ? n[i] / 2 + 1 : n[i];
  }
  int count(bool input) const {
    int all = 1;
    for (int i = 0; i < rank; i++) all *= extent(i, input);
    return all;
  }
  // The place of an element in its array.
  size_t place(int b, int at, bool input) const {
    int index[3], rest = at;
    for (int i = rank - 1; i >= 0; i--) { index[i] = rest % extent(i, input); rest /= extent(i, input); }
    size_t place = 0, size = 1;
    for (int i = 0; i < rank; i++) {
      int embed = extent(i, input);
      if (hasLayouts) embed = input ? inembed[i] : onembed[i];
      else if (isInPlace() && isReal(input) && i + 1 == rank) embed = 2 * (n[i] / 2 + 1);
      place = i == 0 ? index[0] : place * embed + index[i];
      size *= embed;
    }
    if (!hasLayouts) return b * size + place;
    return (size_t)b * (input ? idist : odist) + place * (input ? istride : ostride);
  }
};

static int total(const Case &c) {
  int all = 1;
  for (int i = 0; i < c.rank; i++) all *= c.n[i];
  return all;
}
static void transform(const Case &c, Numbers &x, int sign) {
  int inner = 1;
  for (int i = c.rank - 1; i >= 0; i--) {
    int n = c.n[i];
    Numbers roots(n), y(n);
    for (int j = 0; j < n; j++) roots[j] = std::polar(1.0, sign * 2 * M_PI * j / n);
    for (int first = 0; first < (int)x.size(); first++) {
      if (first / inner % n) continue;
      for (int k = 0; k < n; k++) {
        y[k] = 0;
        for (int j = 0; j < n; j++) y[k] += x[first + j * inner] * roots[(long long)j * k % n];
      }
      for (int k = 0; k < n; k++) x[first + k * inner] = y[k];
    }
    inner *= n;
  }
}
// Of an array over n the part that the library's array has.
static Number part(const Case &c, const Numbers &whole, int at, bool input) {
  int last = c.extent(c.rank - 1, input);
  return whole[at / last * c.n[c.rank - 1] + at % last];
}

template <class T> static void run(const Case &c) {
  size_t sizes[2] = {0, 0};
  for (int input = 0; input < 2; input++)
    for (int b = 0; b < c.batch; b++)
      for (int at = 0; at < c.count(input); at++) {
        size_t end = (c.place(b, at, input) + 1) * (c.isReal(input) ? 1 : 2);
        if (end > sizes[input]) sizes[input] = end;
      }
  if (c.isInPlace()) sizes[0] = sizes[1] = sizes[0] > sizes[1] ? sizes[0] : sizes[1];
  std::vector<T> in(sizes[1], T(7)), out(sizes[0]);
  std::vector<Numbers> wanted;
  for (int b = 0; b < c.batch; b++) {
    Numbers x(total(c));
    for (Number &v : x) v = c.isReal(true) || c.isReal(false) ? Number(noise()) : Number(noise(), noise());
    Numbers y = x;
    transform(c, y, c.isReal(true) || c.isReal(false) ? -1 : c.direction);
    if (c.isReal(false)) {
      x.swap(y);
      for (Number &v : y) v *= total(c);
    }
    for (int at = 0; at < c.count(true); at++) {
      Number v = part(c, x, at, true);
      size_t place = c.place(b, at, true);
      if (c.isReal(true)) in[place] = (T)v.real();
      else { in[2 * place] = (T)v.real(); in[2 * place + 1] = (T)v.imag(); }
    }
    wanted.push_back(y);
  }
  T *from, *to;
  cudaMalloc(&from, (sizes[1] + 1) * sizeof(T));
  cudaMalloc(&to, (sizes[0] + 1) * sizeof(T));
  from += c.isOdd(true);
  to += c.isOdd(false);
  cudaMemcpy(from, in.data(), sizes[1] * sizeof(T), cudaMemcpyHostToDevice);
  if (c.isInPlace()) { cudaFree(to); to = from; }
  cufftType type = !strcmp(c.type, "C2C")   ? CUFFT_C2C
                   : !strcmp(c.type, "R2C") ? CUFFT_R2C
                   : !strcmp(c.type, "C2R") ? CUFFT_C2R
                   : !strcmp(c.type, "Z2Z") ? CUFFT_Z2Z
                   : !strcmp(c.type, "D2Z") ? CUFFT_D2Z
                                            : CUFFT_Z2D;
  cufftHandle plan = 0;
  int *inembed = c.hasLayouts ? (int *)c.inembed : nullptr, *onembed = c.hasLayouts ? (int *)c.onembed : nullptr;
  int made = cufftPlanMany(&plan, c.rank, (int *)c.n, inembed, c.istride, c.idist, onembed, c.ostride, c.odist, type,
                           c.batch);
  int ran = -1;
  if (made == 0) {
    switch (type) {
      case CUFFT_C2C: ran = cufftExecC2C(plan, (cufftComplex *)from, (cufftComplex *)to, c.direction); break;
      case CUFFT_R2C: ran = cufftExecR2C(plan, (cufftReal *)from, (cufftComplex *)to); break;
      case CUFFT_C2R: ran = cufftExecC2R(plan, (cufftComplex *)from, (cufftReal *)to); break;
      case CUFFT_Z2Z:
        ran = cufftExecZ2Z(plan, (cufftDoubleComplex *)from, (cufftDoubleComplex *)to, c.direction);
        break;
      case CUFFT_D2Z: ran = cufftExecD2Z(plan, (cufftDoubleReal *)from, (cufftDoubleComplex *)to); break;
      default: ran = cufftExecZ2D(plan, (cufftDoubleComplex *)from, (cufftDoubleReal *)to);
    }
    cufftDestroy(plan);
  }
  cudaMemcpy(out.data(), to, sizes[0] * sizeof(T), cudaMemcpyDeviceToHost);
  double error = 0, norm = 0;
  for (int b = 0; b < c.batch; b++)
    for (int at = 0; at < c.count(false); at++) {
      Number want = part(c, wanted[b], at, false), got;
      size_t place = c.place(b, at, false);
      if (c.isReal(false)) got = out[place];
      else got = Number(out[2 * place], out[2 * place + 1]);
      error += std::norm(got - want);
      norm += std::norm(want);
    }
  printf("%d %d %.2e\n", made, ran, sqrt(error / norm));
  cudaFree(from - c.isOdd(true));
  if (!c.isInPlace()) cudaFree(to - c.isOdd(false));
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (!file) return 2;
  Case c;
  while (fscanf(file, "%7s %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", c.type, &c.rank, &c.n[0], &c.n[1],
                &c.n[2], &c.batch, &c.hasLayouts, &c.inembed[0], &c.inembed[1], &c.inembed[2], &c.istride, &c.idist,
                &c.onembed[0], &c.onembed[1], &c.onembed[2], &c.ostride, &c.odist, &c.direction, &c.target) == 19) {
    if (c.isDouble()) run<double>(c);
    else run<float>(c);
  }
}
