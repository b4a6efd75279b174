/* The C++ interface of NVTX, after its reference: ranges bound to scopes, domains as types. */
#pragma once
#include <string>
#include <utility>
#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct rgb {
  uint8_t red, green, blue;
  constexpr rgb(uint8_t r, uint8_t g, uint8_t b) : red(r), green(g), blue(b) {}
};
struct argb {
  uint8_t alpha, red, green, blue;
  constexpr argb(uint8_t a, uint8_t r, uint8_t g, uint8_t b) : alpha(a), red(r), green(g), blue(b) {}
};
class color {
 public:
  using value_type = uint32_t;
  constexpr explicit color(value_type value) : value_(value) {}
  constexpr color(argb c)
      : value_(uint32_t(c.alpha) << 24 | uint32_t(c.red) << 16 | uint32_t(c.green) << 8 | c.blue) {}
  constexpr color(rgb c) : color(argb(0xff, c.red, c.green, c.blue)) {}
  constexpr value_type get_value() const { return value_; }

 private:
  value_type value_;
};

class category {
 public:
  using id_type = uint32_t;
  constexpr explicit category(id_type id) : id_(id) {}
  constexpr id_type get_id() const { return id_; }

 private:
  id_type id_;
};

class payload {
 public:
  explicit payload(int64_t value) : type_(NVTX_PAYLOAD_TYPE_INT64) { bits_.llValue = value; }
  explicit payload(int32_t value) : type_(NVTX_PAYLOAD_TYPE_INT32) { bits_.iValue = value; }
  explicit payload(uint64_t value) : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) { bits_.ullValue = value; }
  explicit payload(uint32_t value) : type_(NVTX_PAYLOAD_TYPE_UNSIGNED_INT32) { bits_.uiValue = value; }
  explicit payload(float value) : type_(NVTX_PAYLOAD_TYPE_FLOAT) { bits_.fValue = value; }
  explicit payload(double value) : type_(NVTX_PAYLOAD_TYPE_DOUBLE) { bits_.dValue = value; }
  void put(nvtxEventAttributes_t &attributes) const {
    attributes.payloadType = type_;
    attributes.payload = bits_;
  }

 private:
  decltype(nvtxEventAttributes_t::payload) bits_{};
  nvtxPayloadType_t type_;
};

namespace detail {
template <typename D>
auto domain_name(int) -> decltype(nvtxDomainCreateA(D::name)) {
  return nvtxDomainCreateA(D::name);
}
template <typename D>
auto domain_name(long) -> decltype(nvtxDomainCreateW(D::name)) {
  return nvtxDomainCreateW(D::name);
}
}  // namespace detail

class domain {
 public:
  struct global {};
  domain(const domain &) = delete;
  domain &operator=(const domain &) = delete;
  operator nvtxDomainHandle_t() const { return handle_; }
  template <typename D = global>
  static const domain &get() {
    static const domain made(of(static_cast<D *>(nullptr)));
    return made;
  }

 private:
  explicit domain(nvtxDomainHandle_t handle) : handle_(handle) {}
  static nvtxDomainHandle_t of(global *) { return nullptr; }
  template <typename D>
  static nvtxDomainHandle_t of(D *) {
    return detail::domain_name<D>(0);
  }
  nvtxDomainHandle_t handle_;
};

template <typename D = domain::global>
class registered_string_in {
 public:
  explicit registered_string_in(const char *text) : handle_(nvtxDomainRegisterStringA(domain::get<D>(), text)) {}
  explicit registered_string_in(const std::string &text) : registered_string_in(text.c_str()) {}
  explicit registered_string_in(const wchar_t *text) : handle_(nvtxDomainRegisterStringW(domain::get<D>(), text)) {}
  nvtxStringHandle_t get_handle() const { return handle_; }
  template <typename M>
  static const registered_string_in &get() {
    static const registered_string_in made(M::message);
    return made;
  }

 private:
  nvtxStringHandle_t handle_;
};
using registered_string = registered_string_in<domain::global>;

template <typename D = domain::global>
class named_category_in : public category {
 public:
  named_category_in(id_type id, const char *name) : category(id) {
    nvtxDomainNameCategoryA(domain::get<D>(), id, name);
  }
  named_category_in(id_type id, const wchar_t *name) : category(id) {
    nvtxDomainNameCategoryW(domain::get<D>(), id, name);
  }
  template <typename C>
  static const named_category_in &get() {
    static const named_category_in made(C::id, C::name);
    return made;
  }
};
using named_category = named_category_in<domain::global>;

class message {
 public:
  message(const char *text) : type_(NVTX_MESSAGE_TYPE_ASCII) { value_.ascii = text; }
  message(const std::string &text) : message(text.c_str()) {}
  message(const wchar_t *text) : type_(NVTX_MESSAGE_TYPE_UNICODE) { value_.unicode = text; }
  template <typename D>
  message(const registered_string_in<D> &text) : type_(NVTX_MESSAGE_TYPE_REGISTERED) {
    value_.registered = text.get_handle();
  }
  void put(nvtxEventAttributes_t &attributes) const {
    attributes.messageType = type_;
    attributes.message = value_;
  }

 private:
  nvtxMessageType_t type_;
  nvtxMessageValue_t value_{};
};

class event_attributes {
 public:
  using value_type = nvtxEventAttributes_t;
  event_attributes() : value_{} {
    value_.version = NVTX_VERSION;
    value_.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  }
  /* Each argument in any order; the first of a kind counts. */
  template <typename... Rest>
  explicit event_attributes(const message &first, const Rest &...rest) : event_attributes(rest...) {
    first.put(value_);
  }
  template <typename... Rest>
  explicit event_attributes(const color &first, const Rest &...rest) : event_attributes(rest...) {
    value_.color = first.get_value();
    value_.colorType = NVTX_COLOR_ARGB;
  }
  template <typename... Rest>
  explicit event_attributes(const category &first, const Rest &...rest) : event_attributes(rest...) {
    value_.category = first.get_id();
  }
  template <typename... Rest>
  explicit event_attributes(const payload &first, const Rest &...rest) : event_attributes(rest...) {
    first.put(value_);
  }
  const value_type *get() const { return &value_; }

 private:
  value_type value_;
};

template <typename D = domain::global>
class scoped_range_in {
 public:
  explicit scoped_range_in(const event_attributes &attributes) {
    nvtxDomainRangePushEx(domain::get<D>(), attributes.get());
  }
  template <typename First, typename... Rest>
  explicit scoped_range_in(const First &first, const Rest &...rest)
      : scoped_range_in(event_attributes(first, rest...)) {}
  scoped_range_in() : scoped_range_in(event_attributes()) {}
  scoped_range_in(const scoped_range_in &) = delete;
  scoped_range_in &operator=(const scoped_range_in &) = delete;
  ~scoped_range_in() { nvtxDomainRangePop(domain::get<D>()); }
};
using scoped_range = scoped_range_in<domain::global>;

class range_handle {
 public:
  constexpr explicit range_handle(nvtxRangeId_t id = 0) : id_(id) {}
  constexpr nvtxRangeId_t get_value() const { return id_; }
  constexpr explicit operator bool() const { return id_ != 0; }

 private:
  nvtxRangeId_t id_;
};

template <typename D = domain::global>
range_handle start_range_in(const event_attributes &attributes) {
  return range_handle(nvtxDomainRangeStartEx(domain::get<D>(), attributes.get()));
}
template <typename D = domain::global, typename... Args>
range_handle start_range_in(const Args &...args) {
  return start_range_in<D>(event_attributes(args...));
}
template <typename... Args>
range_handle start_range(const Args &...args) {
  return start_range_in<domain::global>(args...);
}
template <typename D = domain::global>
void end_range_in(range_handle range) {
  nvtxDomainRangeEnd(domain::get<D>(), range.get_value());
}
inline void end_range(range_handle range) { end_range_in<domain::global>(range); }

template <typename D = domain::global>
class unique_range_in {
 public:
  template <typename... Args>
  explicit unique_range_in(const Args &...args) : handle_(start_range_in<D>(args...)) {}
  unique_range_in(unique_range_in &&other) : handle_(std::exchange(other.handle_, range_handle())) {}
  unique_range_in &operator=(unique_range_in &&other) {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~unique_range_in() {
    if (handle_) end_range_in<D>(handle_);
  }

 private:
  range_handle handle_;
};
using unique_range = unique_range_in<domain::global>;

template <typename D = domain::global>
void mark_in(const event_attributes &attributes) {
  nvtxDomainMarkEx(domain::get<D>(), attributes.get());
}
template <typename D = domain::global, typename... Args>
void mark_in(const Args &...args) {
  mark_in<D>(event_attributes(args...));
}
template <typename... Args>
void mark(const Args &...args) {
  mark_in<domain::global>(args...);
}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE_IN(D) const ::nvtx3::scoped_range_in<D> __heddle_nvtx_range(__func__)
#define NVTX3_FUNC_RANGE() NVTX3_FUNC_RANGE_IN(::nvtx3::domain::global)
