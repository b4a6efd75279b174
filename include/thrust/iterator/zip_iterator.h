/* zip_iterator: several ranges as one range of tuples; dereferenced, a tuple of references. */
#pragma once

#include "../tuple.h"

namespace thrust {

namespace detail {
template <typename... I>
using zip_reference = tuple<typename std::iterator_traits<I>::reference...>;
template <typename... I>
using zip_value = tuple<value_of<I>...>;
__THRUST_HD void advance_all(tuple<> &, ptrdiff_t) {}
template <typename H, typename... R>
__THRUST_HD void advance_all(tuple<H, R...> &t, ptrdiff_t n) {
  t.__head += n;
  advance_all(t.__tail, n);
}
}  // namespace detail

template <typename TUPLE>
class zip_iterator;
template <typename... I>
class zip_iterator<tuple<I...>>
    : public detail::facade<zip_iterator<tuple<I...>>, detail::zip_value<I...>, detail::zip_reference<I...>> {
  tuple<I...> __its;
  friend struct detail::facade<zip_iterator, detail::zip_value<I...>, detail::zip_reference<I...>>;
  template <size_t... K>
  __THRUST_HD detail::zip_reference<I...> __pick(ptrdiff_t n, std::index_sequence<K...>) const {
    return detail::zip_reference<I...>(get<K>(__its)[n]...);
  }
  template <size_t... K>
  __THRUST_HD zip_iterator<tuple<detail::raw_of<I>...>> __unwrapped(std::index_sequence<K...>) const {
    return zip_iterator<tuple<detail::raw_of<I>...>>(tuple<detail::raw_of<I>...>(detail::unwrap(get<K>(__its))...));
  }
  __THRUST_HD detail::zip_reference<I...> __at(ptrdiff_t n) const {
    return __pick(n, std::make_index_sequence<sizeof...(I)>());
  }
  __THRUST_HD void __advance(ptrdiff_t n) { detail::advance_all(__its, n); }
  __THRUST_HD ptrdiff_t __distance(const zip_iterator &other) const { return __its.__head - other.__its.__head; }

 public:
  typedef typename detail::common_system<I...>::type __system;
  typedef zip_iterator<tuple<detail::raw_of<I>...>> __raw_type;
  typedef tuple<I...> iterator_tuple;
  zip_iterator() = default;
  __THRUST_HD zip_iterator(const tuple<I...> &its) : __its(its) {}
  __THRUST_HD const tuple<I...> &get_iterator_tuple() const { return __its; }
  __THRUST_HD __raw_type __raw() const { return __unwrapped(std::make_index_sequence<sizeof...(I)>()); }
};
template <typename... I>
__THRUST_HD zip_iterator<tuple<I...>> make_zip_iterator(const tuple<I...>& its) {
  return zip_iterator<tuple<I...>>(its);
}
template <typename... I, typename = std::enable_if_t<(sizeof...(I) > 1)>>
__THRUST_HD zip_iterator<tuple<I...>> make_zip_iterator(I... its) {
  return zip_iterator<tuple<I...>>(tuple<I...>(its...));
}

}  // namespace thrust
