/* thrust::pair */
#pragma once

#include "detail/config.h"

namespace thrust {
template <typename A, typename B>
struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
  pair() = default;
  __THRUST_HD constexpr pair(const A &a, const B &b) : first(a), second(b) {}
  template <typename C, typename D>
  __THRUST_HD constexpr pair(const pair<C, D> &other) : first(other.first), second(other.second) {}
  template <typename C, typename D>
  __THRUST_HD constexpr pair(const std::pair<C, D> &other) : first(other.first), second(other.second) {}
};
template <typename A, typename B>
__THRUST_HD constexpr pair<std::decay_t<A>, std::decay_t<B>> make_pair(A&& a, B&& b) {
  return pair<std::decay_t<A>, std::decay_t<B>>(a, b);
}
template <typename A, typename B>
__THRUST_HD bool operator==(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first == y.first && x.second == y.second;
}
template <typename A, typename B>
__THRUST_HD bool operator!=(const pair<A, B> &x, const pair<A, B> &y) { return !(x == y); }
template <typename A, typename B>
__THRUST_HD bool operator<(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}
template <typename A, typename B>
__THRUST_HD bool operator>(const pair<A, B> &x, const pair<A, B> &y) { return y < x; }
}  // namespace thrust
