/* Function objects of thrust, and the placeholders of its little expressions (_1 * 2). */
#pragma once

#include "tuple.h"

namespace thrust {

#define __THRUST_BINARY(name, RESULT, expression)                                              \
  template <typename T = void>                                                                 \
  struct name {                                                                                \
    typedef T first_argument_type;                                                             \
    typedef T second_argument_type;                                                            \
    typedef RESULT result_type;                                                                \
    __THRUST_HD constexpr RESULT operator()(const T &a, const T &b) const { return expression; } \
  };                                                                                           \
  template <>                                                                                  \
  struct name<void> {                                                                          \
    template <typename A, typename B>                                                          \
    __THRUST_HD constexpr auto operator()(const A &a, const B &b) const { return expression; } \
  };
__THRUST_BINARY(plus, T, a + b)
__THRUST_BINARY(minus, T, a - b)
__THRUST_BINARY(multiplies, T, a *b)
__THRUST_BINARY(divides, T, a / b)
__THRUST_BINARY(modulus, T, a % b)
__THRUST_BINARY(equal_to, bool, a == b)
__THRUST_BINARY(not_equal_to, bool, a != b)
__THRUST_BINARY(greater, bool, a > b)
__THRUST_BINARY(less, bool, a < b)
__THRUST_BINARY(greater_equal, bool, a >= b)
__THRUST_BINARY(less_equal, bool, a <= b)
__THRUST_BINARY(logical_and, bool, a &&b)
__THRUST_BINARY(logical_or, bool, a || b)
__THRUST_BINARY(bit_and, T, a &b)
__THRUST_BINARY(bit_or, T, a | b)
__THRUST_BINARY(bit_xor, T, a ^ b)
__THRUST_BINARY(maximum, T, a < b ? b : a)
__THRUST_BINARY(minimum, T, b < a ? b : a)
#undef __THRUST_BINARY
#define __THRUST_UNARY(name, RESULT, expression)                                \
  template <typename T = void>                                                  \
  struct name {                                                                 \
    typedef T argument_type;                                                    \
    typedef RESULT result_type;                                                 \
    __THRUST_HD constexpr RESULT operator()(const T &a) const { return expression; } \
  };                                                                            \
  template <>                                                                   \
  struct name<void> {                                                           \
    template <typename A>                                                       \
    __THRUST_HD constexpr auto operator()(const A &a) const { return expression; } \
  };
__THRUST_UNARY(negate, T, -a)
__THRUST_UNARY(square, T, a *a)
__THRUST_UNARY(logical_not, bool, !a)
__THRUST_UNARY(identity, T, a)
__THRUST_UNARY(bit_not, T, ~a)
#undef __THRUST_UNARY
template <typename A = void, typename B = void>
struct project1st {
  template <typename X, typename Y>
  __THRUST_HD constexpr X operator()(const X &x, const Y &) const { return x; }
};
template <typename A = void, typename B = void>
struct project2nd {
  template <typename X, typename Y>
  __THRUST_HD constexpr Y operator()(const X &, const Y &y) const { return y; }
};
template <typename ARGUMENT, typename RESULT>
struct unary_function {
  typedef ARGUMENT argument_type;
  typedef RESULT result_type;
};
template <typename FIRST, typename SECOND, typename RESULT>
struct binary_function {
  typedef FIRST first_argument_type;
  typedef SECOND second_argument_type;
  typedef RESULT result_type;
};
template <typename F>
struct unary_negate {
  F f;
  template <typename A>
  __THRUST_HD bool operator()(const A &a) const { return !f(a); }
};
template <typename F>
struct binary_negate {
  F f;
  template <typename A, typename B>
  __THRUST_HD bool operator()(const A &a, const B &b) const { return !f(a, b); }
};
template <typename F>
__THRUST_HD unary_negate<F> not1(F f) { return {f}; }
template <typename F>
__THRUST_HD binary_negate<F> not2(F f) { return {f}; }
/** Calls a function of several arguments with the elements of a tuple. */
template <typename F>
struct zip_function {
  F f;
  __THRUST_HD explicit zip_function(F g) : f(g) {}
  template <typename... T, size_t... I>
  __THRUST_HD decltype(auto) call(const tuple<T...> &t, std::index_sequence<I...>) const { return f(get<I>(t)...); }
  template <typename... T>
  __THRUST_HD decltype(auto) operator()(const tuple<T...>& t) const {
    return call(t, std::make_index_sequence<sizeof...(T)>());
  }
};
template <typename F>
__THRUST_HD zip_function<F> make_zip_function(F f) { return zip_function<F>(f); }

namespace placeholders {
/** An expression is a callable of up to ten arguments. */
template <typename F>
struct actor {
  F f;
  template <typename... A>
  __THRUST_HD auto operator()(A &&...a) const { return f(a...); }
};
template <size_t N>
struct argument {
  template <typename H, typename... R>
  __THRUST_HD auto operator()(H &&head, R &&...rest) const {
    if constexpr (N == 0) return head;
    else return argument<N - 1>()(rest...);
  }
};
template <typename T>
struct constant {
  T value;
  template <typename... A>
  __THRUST_HD T operator()(A &&...) const { return value; }
};
template <typename OP, typename L, typename R>
struct binary {
  L l;
  R r;
  template <typename... A>
  __THRUST_HD auto operator()(A &&...a) const { return OP()(l(a...), r(a...)); }
};
template <typename OP, typename L>
struct unary {
  L l;
  template <typename... A>
  __THRUST_HD auto operator()(A &&...a) const { return OP()(l(a...)); }
};
template <typename T>
struct lift {
  typedef constant<T> type;
  __THRUST_HD static type make(const T &t) { return {t}; }
};
template <typename F>
struct lift<actor<F>> {
  typedef F type;
  __THRUST_HD static type make(const actor<F> &a) { return a.f; }
};
#define __THRUST_PLACEHOLDER(op, object)                                                       \
  template <typename F, typename T>                                                            \
  __THRUST_HD auto operator op(const actor<F>& a, const T& b) {                                \
    typedef binary<object<>, F, typename lift<T>::type> E;                                     \
    return actor<E>{E{a.f, lift<T>::make(b)}};                                                 \
  }                                                                                            \
  template <typename F, typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> \
  __THRUST_HD auto operator op(const T& a, const actor<F>& b) {                                \
    typedef binary<object<>, constant<T>, F> E;                                                \
    return actor<E>{E{{a}, b.f}};                                                              \
  }
__THRUST_PLACEHOLDER(+, plus)
__THRUST_PLACEHOLDER(-, minus)
__THRUST_PLACEHOLDER(*, multiplies)
__THRUST_PLACEHOLDER(/, divides)
__THRUST_PLACEHOLDER(%, modulus)
__THRUST_PLACEHOLDER(==, equal_to)
__THRUST_PLACEHOLDER(!=, not_equal_to)
__THRUST_PLACEHOLDER(<, less)
__THRUST_PLACEHOLDER(>, greater)
__THRUST_PLACEHOLDER(<=, less_equal)
__THRUST_PLACEHOLDER(>=, greater_equal)
__THRUST_PLACEHOLDER(&&, logical_and)
__THRUST_PLACEHOLDER(||, logical_or)
__THRUST_PLACEHOLDER(&, bit_and)
__THRUST_PLACEHOLDER(|, bit_or)
__THRUST_PLACEHOLDER(^, bit_xor)
#undef __THRUST_PLACEHOLDER
template <typename F>
__THRUST_HD auto operator-(const actor<F> &a) { return actor<unary<negate<>, F>>{{a.f}}; }
template <typename F>
__THRUST_HD auto operator!(const actor<F> &a) { return actor<unary<logical_not<>, F>>{{a.f}}; }
static constexpr actor<argument<0>> _1{};
static constexpr actor<argument<1>> _2{};
static constexpr actor<argument<2>> _3{};
static constexpr actor<argument<3>> _4{};
}  // namespace placeholders

}  // namespace thrust
