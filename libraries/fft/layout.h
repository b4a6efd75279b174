// What a plan transforms, and where its elements lie.
#pragma once

namespace heddle_fft {

enum Kind { COMPLEX_TO_COMPLEX, REAL_TO_COMPLEX, COMPLEX_TO_REAL };
constexpr int MOST_RANK = 3;

struct Layout {
  long long embed[MOST_RANK], stride, dist;
};
struct Description {
  Kind kind;
  int rank, batch;
  int n[MOST_RANK];
  Layout in, out;
};

} // namespace heddle_fft
