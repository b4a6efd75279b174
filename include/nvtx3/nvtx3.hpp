/* The C++ face of NVTX: ranges bound to scopes, without effect. */
#pragma once
#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {
struct domain {
  struct global {};
};
struct rgb {
  uint8_t red, green, blue;
  constexpr rgb(uint8_t r, uint8_t g, uint8_t b) : red(r), green(g), blue(b) {}
};
struct event_attributes {
  template <typename... ARGS>
  constexpr explicit event_attributes(const ARGS &...) {}
};
template <typename DOMAIN = domain::global>
class scoped_range_in {
 public:
  template <typename... ARGS>
  explicit scoped_range_in(const ARGS &...) {}
  ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<domain::global>;
template <typename DOMAIN = domain::global, typename... ARGS>
void mark_in(const ARGS &...) {}
template <typename... ARGS>
void mark(const ARGS &...) {}
}  // namespace v1
}  // namespace nvtx3
#define NVTX3_FUNC_RANGE() ((void)0)
#define NVTX3_FUNC_RANGE_IN(domain) ((void)0)
