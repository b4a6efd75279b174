/* transform_iterator, permutation_iterator, reverse_iterator and transform_output_iterator: other iterators seen
 * through a function or an index. */
#pragma once

#include "../functional.h"

namespace thrust {

template <typename F, typename BASE, typename REFERENCE = void, typename VALUE = void>
class transform_iterator : public detail::facade<transform_iterator<F, BASE, REFERENCE, VALUE>,
                                                 std::decay_t<std::invoke_result_t<F, detail::value_of<BASE>>>,
                                                 std::decay_t<std::invoke_result_t<F, detail::value_of<BASE>>>> {
  typedef std::decay_t<std::invoke_result_t<F, detail::value_of<BASE>>> __result;
  BASE __base;
  mutable F __f;
  friend struct detail::facade<transform_iterator, __result, __result>;
  __THRUST_HD __result __at(ptrdiff_t n) const { return __f((detail::value_of<BASE>)__base[n]); }
  __THRUST_HD void __advance(ptrdiff_t n) { __base += n; }
  __THRUST_HD ptrdiff_t __distance(const transform_iterator &other) const { return __base - other.__base; }

 public:
  typedef typename detail::system_of<BASE>::type __system;
  typedef transform_iterator<F, detail::raw_of<BASE>, REFERENCE, VALUE> __raw_type;
  transform_iterator() = default;
  __THRUST_HD transform_iterator(BASE base, F f) : __base(base), __f(f) {}
  __THRUST_HD explicit transform_iterator(BASE base) : __base(base), __f() {}
  __THRUST_HD const BASE &base() const { return __base; }
  __THRUST_HD F functor() const { return __f; }
  __THRUST_HD __raw_type __raw() const { return __raw_type(detail::unwrap(__base), __f); }
};
template <typename BASE, typename F>
__THRUST_HD transform_iterator<F, BASE> make_transform_iterator(BASE base, F f) {
  return transform_iterator<F, BASE>(base, f);
}

template <typename ELEMENTS, typename INDICES>
class permutation_iterator : public detail::facade<permutation_iterator<ELEMENTS, INDICES>, detail::value_of<ELEMENTS>,
                                                   typename std::iterator_traits<ELEMENTS>::reference> {
  ELEMENTS __elements;
  INDICES __indices;
  friend struct detail::facade<permutation_iterator, detail::value_of<ELEMENTS>,
                               typename std::iterator_traits<ELEMENTS>::reference>;
  __THRUST_HD typename std::iterator_traits<ELEMENTS>::reference __at(ptrdiff_t n) const {
    return __elements[(ptrdiff_t)(detail::value_of<INDICES>)__indices[n]];
  }
  __THRUST_HD void __advance(ptrdiff_t n) { __indices += n; }
  __THRUST_HD ptrdiff_t __distance(const permutation_iterator &other) const { return __indices - other.__indices; }

 public:
  typedef typename detail::common_system<ELEMENTS, INDICES>::type __system;
  typedef permutation_iterator<detail::raw_of<ELEMENTS>, detail::raw_of<INDICES>> __raw_type;
  permutation_iterator() = default;
  __THRUST_HD permutation_iterator(ELEMENTS elements, INDICES indices) : __elements(elements), __indices(indices) {}
  __THRUST_HD __raw_type __raw() const { return __raw_type(detail::unwrap(__elements), detail::unwrap(__indices)); }
};
template <typename ELEMENTS, typename INDICES>
__THRUST_HD permutation_iterator<ELEMENTS, INDICES> make_permutation_iterator(ELEMENTS elements, INDICES indices) {
  return {elements, indices};
}

template <typename BASE>
class reverse_iterator : public detail::facade<reverse_iterator<BASE>, detail::value_of<BASE>,
                                               typename std::iterator_traits<BASE>::reference> {
  BASE __base;
  friend struct detail::facade<reverse_iterator, detail::value_of<BASE>,
                               typename std::iterator_traits<BASE>::reference>;
  __THRUST_HD typename std::iterator_traits<BASE>::reference __at(ptrdiff_t n) const { return __base[-1 - n]; }
  __THRUST_HD void __advance(ptrdiff_t n) { __base -= n; }
  __THRUST_HD ptrdiff_t __distance(const reverse_iterator &other) const { return other.__base - __base; }

 public:
  typedef typename detail::system_of<BASE>::type __system;
  typedef reverse_iterator<detail::raw_of<BASE>> __raw_type;
  reverse_iterator() = default;
  __THRUST_HD explicit reverse_iterator(BASE base) : __base(base) {}
  __THRUST_HD BASE base() const { return __base; }
  __THRUST_HD __raw_type __raw() const { return __raw_type(detail::unwrap(__base)); }
};
template <typename BASE>
__THRUST_HD reverse_iterator<BASE> make_reverse_iterator(BASE base) { return reverse_iterator<BASE>(base); }

namespace detail {
template <typename F, typename BASE>
struct transformed_output {
  BASE base;
  F f;
  template <typename T>
  __THRUST_HD const transformed_output &operator=(const T &value) const {
    *base = f(value);
    return *this;
  }
};
}  // namespace detail
template <typename F, typename BASE>
class transform_output_iterator : public detail::facade<transform_output_iterator<F, BASE>, detail::value_of<BASE>,
                                                        detail::transformed_output<F, BASE>> {
  BASE __base;
  mutable F __f;
  friend struct detail::facade<transform_output_iterator, detail::value_of<BASE>, detail::transformed_output<F, BASE>>;
  __THRUST_HD detail::transformed_output<F, BASE> __at(ptrdiff_t n) const { return {__base + n, __f}; }
  __THRUST_HD void __advance(ptrdiff_t n) { __base += n; }
  __THRUST_HD ptrdiff_t __distance(const transform_output_iterator &other) const { return __base - other.__base; }

 public:
  typedef typename detail::system_of<BASE>::type __system;
  typedef transform_output_iterator<F, detail::raw_of<BASE>> __raw_type;
  __THRUST_HD transform_output_iterator(BASE base, F f) : __base(base), __f(f) {}
  __THRUST_HD __raw_type __raw() const { return __raw_type(detail::unwrap(__base), __f); }
};
template <typename BASE, typename F>
__THRUST_HD transform_output_iterator<F, BASE> make_transform_output_iterator(BASE base, F f) { return {base, f}; }

}  // namespace thrust
