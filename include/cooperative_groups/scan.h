/* inclusive_scan() and exclusive_scan() of cooperative groups: Kogge-Stone over ranks. */
#pragma once

#include "reduce.h"

namespace cooperative_groups {
namespace __v1 {

template <typename _Group, typename T, typename _Op>
__CG_D T inclusive_scan(const _Group &group, T value, _Op &&op) {
  const unsigned rank = group.thread_rank(), size = group.num_threads();
  for (unsigned offset = 1; offset < size; offset *= 2) {
    const T other = group.shfl_up(value, offset);
    if (rank >= offset) value = op(other, value);
  }
  return value;
}
template <typename _Group, typename T>
__CG_D T inclusive_scan(const _Group &group, T value) { return inclusive_scan(group, value, plus<T>()); }

/** The first thread gets T(). */
template <typename _Group, typename T, typename _Op>
__CG_D T exclusive_scan(const _Group &group, T value, _Op &&op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename _Group, typename T>
__CG_D T exclusive_scan(const _Group &group, T value) { return exclusive_scan(group, value, plus<T>()); }

/** Scans, and adds the group's total to an atomic whose old value every result starts from. */
template <typename _Group, typename _Atomics, typename T, typename _Op>
__CG_D T inclusive_scan_update(const _Group &group, _Atomics &destination, T value, _Op &&op) {
  const T scanned = inclusive_scan(group, value, op);
  const unsigned last = group.num_threads() - 1;
  T old{};
  if (group.thread_rank() == last) {
    old = destination.load();
    while (!destination.compare_exchange_weak(old, op(old, scanned))) {
    }
  }
  return op(group.shfl(old, last), scanned);
}
template <typename _Group, typename _Atomics, typename T>
__CG_D T inclusive_scan_update(const _Group &group, _Atomics &destination, T value) {
  return inclusive_scan_update(group, destination, value, plus<T>());
}
template <typename _Group, typename _Atomics, typename T, typename _Op>
__CG_D T exclusive_scan_update(const _Group &group, _Atomics &destination, T value, _Op &&op) {
  const T scanned = inclusive_scan(group, value, op);
  const unsigned last = group.num_threads() - 1;
  T old{};
  if (group.thread_rank() == last) {
    old = destination.load();
    while (!destination.compare_exchange_weak(old, op(old, scanned))) {
    }
  }
  old = group.shfl(old, last);
  const T before = group.shfl_up(scanned, 1);
  return group.thread_rank() == 0 ? old : op(old, before);
}
template <typename _Group, typename _Atomics, typename T>
__CG_D T exclusive_scan_update(const _Group &group, _Atomics &destination, T value) {
  return exclusive_scan_update(group, destination, value, plus<T>());
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
