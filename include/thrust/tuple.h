/* thrust::tuple: a tuple whose every operation works on the device, assignment through tuples of references included.
 */
#pragma once

#include "pair.h"

namespace thrust {

template <typename... T>
struct tuple;
template <>
struct tuple<> {
  tuple() = default;
};
template <typename HEAD, typename... TAIL>
struct tuple<HEAD, TAIL...> {
  HEAD __head;
  tuple<TAIL...> __tail;

  constexpr tuple() = default;
  tuple(const tuple &) = default;
  template <typename H, typename... R,
            typename = std::enable_if_t<sizeof...(R) == sizeof...(TAIL) &&
                                        !(sizeof...(R) == 0 && std::is_base_of<tuple, std::decay_t<H>>::value) &&
                                        std::is_constructible<HEAD, H&&>::value>>
  __THRUST_HD constexpr tuple(H&& head, R&&... rest)
      : __head(static_cast<H&&>(head)), __tail(static_cast<R&&>(rest)...) {}
  template <typename H, typename... R, typename = std::enable_if_t<sizeof...(R) == sizeof...(TAIL)>>
  __THRUST_HD constexpr tuple(const tuple<H, R...> &other) : __head(other.__head), __tail(other.__tail) {}

  __THRUST_HD tuple &operator=(const tuple &other) {
    __head = other.__head;
    __tail = other.__tail;
    return *this;
  }
  template <typename H, typename... R>
  __THRUST_HD tuple &operator=(const tuple<H, R...> &other) {
    __head = other.__head;
    __tail = other.__tail;
    return *this;
  }
  template <typename A, typename B>
  __THRUST_HD tuple &operator=(const pair<A, B> &other) {
    __head = other.first;
    __tail.__head = other.second;
    return *this;
  }
};

template <size_t N, typename T>
struct tuple_element;
template <size_t N, typename HEAD, typename... TAIL>
struct tuple_element<N, tuple<HEAD, TAIL...>> : tuple_element<N - 1, tuple<TAIL...>> {};
template <typename HEAD, typename... TAIL>
struct tuple_element<0, tuple<HEAD, TAIL...>> { typedef HEAD type; };
template <size_t N, typename T>
struct tuple_element<N, const T> { typedef std::add_const_t<typename tuple_element<N, T>::type> type; };
template <typename A, typename B>
struct tuple_element<0, pair<A, B>> { typedef A type; };
template <typename A, typename B>
struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t N, typename T>
using tuple_element_t = typename tuple_element<N, T>::type;
template <typename T>
struct tuple_size;
template <typename... T>
struct tuple_size<tuple<T...>> : std::integral_constant<size_t, sizeof...(T)> {};
template <typename A, typename B>
struct tuple_size<pair<A, B>> : std::integral_constant<size_t, 2> {};

template <size_t N, typename... T>
__THRUST_HD constexpr auto &get(tuple<T...> &t) {
  if constexpr (N == 0) return t.__head;
  else return get<N - 1>(t.__tail);
}
template <size_t N, typename... T>
__THRUST_HD constexpr const auto &get(const tuple<T...> &t) {
  if constexpr (N == 0) return t.__head;
  else return get<N - 1>(t.__tail);
}
template <size_t N, typename... T>
__THRUST_HD constexpr tuple_element_t<N, tuple<T...>> get(tuple<T...>&& t) {
  return static_cast<tuple_element_t<N, tuple<T...>>&&>(get<N>(t));
}
template <size_t N, typename A, typename B>
__THRUST_HD constexpr auto &get(pair<A, B> &p) {
  if constexpr (N == 0) return p.first;
  else return p.second;
}
template <size_t N, typename A, typename B>
__THRUST_HD constexpr const auto &get(const pair<A, B> &p) {
  if constexpr (N == 0) return p.first;
  else return p.second;
}

template <typename... T>
__THRUST_HD constexpr tuple<std::decay_t<T>...> make_tuple(T&&... values) {
  return tuple<std::decay_t<T>...>(static_cast<T&&>(values)...);
}
template <typename... T>
__THRUST_HD constexpr tuple<T &...> tie(T &...values) { return tuple<T &...>(values...); }

__THRUST_HD constexpr bool operator==(const tuple<> &, const tuple<> &) { return true; }
__THRUST_HD constexpr bool operator<(const tuple<> &, const tuple<> &) { return false; }
template <typename A, typename... B, typename C, typename... D>
__THRUST_HD constexpr bool operator==(const tuple<A, B...>& x, const tuple<C, D...>& y) {
  return x.__head == y.__head && x.__tail == y.__tail;
}
template <typename A, typename... B, typename C, typename... D>
__THRUST_HD constexpr bool operator<(const tuple<A, B...> &x, const tuple<C, D...> &y) {
  return x.__head < y.__head || (!(y.__head < x.__head) && x.__tail < y.__tail);
}
template <typename... A, typename... B>
__THRUST_HD constexpr bool operator!=(const tuple<A...> &x, const tuple<B...> &y) { return !(x == y); }
template <typename... A, typename... B>
__THRUST_HD constexpr bool operator>(const tuple<A...> &x, const tuple<B...> &y) { return y < x; }
template <typename... A, typename... B>
__THRUST_HD constexpr bool operator<=(const tuple<A...> &x, const tuple<B...> &y) { return !(y < x); }
template <typename... A, typename... B>
__THRUST_HD constexpr bool operator>=(const tuple<A...> &x, const tuple<B...> &y) { return !(x < y); }

}  // namespace thrust
