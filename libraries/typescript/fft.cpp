// `fft(device)` of TypeScript over cuFFT: plans are made when they are first needed, and the last ones stay.
#include <cufft.h>
#include <cstdio>
#include <list>
#include "door.h"

namespace {

struct Kept {
  int type, rank, n[3], batch;
  cufftHandle plan;
  bool is(int otherType, int otherRank, const int (&sizes)[3], int otherBatch) const {
    return type == otherType && rank == otherRank && batch == otherBatch && n[0] == sizes[0] && n[1] == sizes[1] &&
           n[2] == sizes[2];
  }
};
constexpr size_t MOST_PLANS = 32;

/// The most recently used ones first.
std::list<Kept> &kept() {
  static std::list<Kept> plans;
  return plans;
}

const char *refused(cufftResult status) {
  static char text[64];
  snprintf(text, sizeof text, "cuFFT ended with status %d", (int)status);
  return text;
}

} // namespace

HEDDLE_DOOR(__heddle_door_fft)(number type, number rank, number a, number b, number c, number batch, void *in,
                               void *out, number direction) {
  int n[3] = {(int)a, (int)b, (int)c};
  std::list<Kept> &plans = kept();
  auto at = plans.begin();
  while (at != plans.end() && !at->is(type, rank, n, batch)) ++at;
  if (at == plans.end()) {
    if (plans.size() == MOST_PLANS) {
      cufftDestroy(plans.back().plan);
      plans.pop_back();
    }
    Kept made{(int)type, (int)rank, {n[0], n[1], n[2]}, (int)batch, 0};
    if (cufftResult failed =
            cufftPlanMany(&made.plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, (cufftType)type, batch))
      return refused(failed);
    plans.push_front(made);
  } else {
    plans.splice(plans.begin(), plans, at);
  }
  cufftHandle plan = plans.front().plan;
  cufftResult status;
  switch (type) {
    case CUFFT_C2C: status = cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, direction); break;
    case CUFFT_R2C: status = cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out); break;
    case CUFFT_C2R: status = cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out); break;
    case CUFFT_Z2Z:
      status = cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, direction);
      break;
    case CUFFT_D2Z: status = cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out); break;
    default: status = cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
  }
  return status ? refused(status) : heddle_door::finished();
}
