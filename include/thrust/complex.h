/* thrust::complex, on host and device. */
#pragma once

#include "detail/config.h"

namespace thrust {
template <typename T>
struct complex {
  typedef T value_type;
  T __re, __im;
  __THRUST_HD constexpr complex(const T &re = T(), const T &im = T()) : __re(re), __im(im) {}
  template <typename U>
  __THRUST_HD constexpr complex(const complex<U> &z) : __re((T)z.real()), __im((T)z.imag()) {}
  __THRUST_HD constexpr T real() const { return __re; }
  __THRUST_HD constexpr T imag() const { return __im; }
  __THRUST_HD void real(T v) { __re = v; }
  __THRUST_HD void imag(T v) { __im = v; }
  __THRUST_HD complex &operator+=(const complex &z) { __re += z.__re; __im += z.__im; return *this; }
  __THRUST_HD complex &operator-=(const complex &z) { __re -= z.__re; __im -= z.__im; return *this; }
  __THRUST_HD complex& operator*=(const complex& z) {
    return *this = complex(__re * z.__re - __im * z.__im, __re * z.__im + __im * z.__re);
  }
  __THRUST_HD complex &operator/=(const complex &z) {
    const T scale = (z.__re < 0 ? -z.__re : z.__re) + (z.__im < 0 ? -z.__im : z.__im);
    const T c = z.__re / scale, d = z.__im / scale, a = __re / scale, b = __im / scale, norm = c * c + d * d;
    return *this = complex((a * c + b * d) / norm, (b * c - a * d) / norm);
  }
};
template <typename T> __THRUST_HD complex<T> operator+(complex<T> a, const complex<T> &b) { return a += b; }
template <typename T> __THRUST_HD complex<T> operator-(complex<T> a, const complex<T> &b) { return a -= b; }
template <typename T> __THRUST_HD complex<T> operator*(complex<T> a, const complex<T> &b) { return a *= b; }
template <typename T> __THRUST_HD complex<T> operator/(complex<T> a, const complex<T> &b) { return a /= b; }
template <typename T>
__THRUST_HD complex<T> operator+(complex<T> a, const T& b) {
  return complex<T>(a.real() + b, a.imag());
}
template <typename T>
__THRUST_HD complex<T> operator-(complex<T> a, const T& b) {
  return complex<T>(a.real() - b, a.imag());
}
template <typename T>
__THRUST_HD complex<T> operator*(complex<T> a, const T& b) {
  return complex<T>(a.real() * b, a.imag() * b);
}
template <typename T>
__THRUST_HD complex<T> operator/(complex<T> a, const T& b) {
  return complex<T>(a.real() / b, a.imag() / b);
}
template <typename T> __THRUST_HD complex<T> operator+(const T &a, const complex<T> &b) { return b + a; }
template <typename T> __THRUST_HD complex<T> operator-(const T &a, const complex<T> &b) { return complex<T>(a) - b; }
template <typename T> __THRUST_HD complex<T> operator*(const T &a, const complex<T> &b) { return b * a; }
template <typename T> __THRUST_HD complex<T> operator/(const T &a, const complex<T> &b) { return complex<T>(a) / b; }
template <typename T> __THRUST_HD complex<T> operator-(const complex<T> &a) { return complex<T>(-a.real(), -a.imag()); }
template <typename T>
__THRUST_HD bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <typename T> __THRUST_HD bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <typename T> __THRUST_HD T norm(const complex<T> &z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <typename T> __THRUST_HD T abs(const complex<T> &z) { return (T)::hypot(z.real(), z.imag()); }
template <typename T> __THRUST_HD T arg(const complex<T> &z) { return (T)::atan2(z.imag(), z.real()); }
template <typename T> __THRUST_HD complex<T> conj(const complex<T> &z) { return complex<T>(z.real(), -z.imag()); }
template <typename T>
__THRUST_HD complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>((T)(r * ::cos(theta)), (T)(r * ::sin(theta)));
}
template <typename T> __THRUST_HD complex<T> exp(const complex<T> &z) { return polar((T)::exp(z.real()), z.imag()); }
template <typename T> __THRUST_HD complex<T> log(const complex<T> &z) { return complex<T>((T)::log(abs(z)), arg(z)); }
template <typename T> __THRUST_HD complex<T> sqrt(const complex<T> &z) { return polar((T)::sqrt(abs(z)), arg(z) / 2); }
template <typename T> __THRUST_HD complex<T> pow(const complex<T> &z, const complex<T> &w) { return exp(log(z) * w); }
template <typename T> __THRUST_HD complex<T> pow(const complex<T> &z, const T &w) { return exp(log(z) * w); }
template <typename STREAM, typename T>
STREAM& operator<<(STREAM& stream, const complex<T>& z) {
  return stream << '(' << z.real() << ',' << z.imag() << ')', stream;
}
}  // namespace thrust
