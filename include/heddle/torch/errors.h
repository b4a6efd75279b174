/* c10::Error and the macros that throw it: TORCH_CHECK and its relatives. */
#pragma once

#include <exception>
#include <iostream>
#include <sstream>
#include <string>

namespace c10 {

struct SourceLocation {
  const char *function;
  const char *file;
  uint32_t line;
};

/* The runtime makes a HeddleError of it, whose message is `what()`. */
class Error : public std::exception {
public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  Error(SourceLocation, std::string message) : message_(std::move(message)) {}
  const char *what() const noexcept override { return message_.c_str(); }
  const char *what_without_backtrace() const noexcept { return message_.c_str(); }
  const std::string &msg() const { return message_; }

private:
  std::string message_;
};
class IndexError : public Error { using Error::Error; };
class ValueError : public Error { using Error::Error; };
class TypeError : public Error { using Error::Error; };
class NotImplementedError : public Error { using Error::Error; };
class OutOfMemoryError : public Error { using Error::Error; };

namespace detail {
/* A message from its parts. */
class Text {
public:
  Text();
  ~Text();
  std::ostream &stream() { return stream_; }
  std::string str() const;

private:
  std::ostringstream stream_;
};
template <typename... Args> std::string text(const Args &...args) {
  Text all;
  (all.stream() << ... << args);
  return all.str();
}
inline std::string text() { return ""; }
inline std::string text(const char *text) { return text; }
inline std::string text(const std::string &text) { return text; }

[[noreturn]] void fail(std::string message);

/* The message of a check that its author gave none. */
inline std::string checkMessage(const char *fallback) { return fallback; }
template <typename... Args> std::string checkMessage(const char *, const Args &...args) { return text(args...); }
} // namespace detail

template <typename... Args> std::string str(const Args &...args) { return detail::text(args...); }

} // namespace c10

#define HEDDLE_CHECK_FAILED(condition, kind, ...)                                                                      \
  ::c10::detail::fail(::c10::detail::checkMessage(                                                                     \
      "Expected " #condition " to be true, but got false.  (" kind ")" __VA_OPT__(, ) __VA_ARGS__))

#define TORCH_CHECK(condition, ...)                                                                                    \
  do {                                                                                                                 \
    if (!(condition)) HEDDLE_CHECK_FAILED(condition, "TORCH_CHECK failed" __VA_OPT__(, ) __VA_ARGS__);                 \
  } while (false)
#define TORCH_CHECK_WITH(error, condition, ...)                                                                        \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      throw ::c10::error(::c10::detail::checkMessage("Expected " #condition " to be true, but got false."              \
                                                     __VA_OPT__(, ) __VA_ARGS__));                                     \
  } while (false)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK_WITH(IndexError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK_WITH(ValueError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK_WITH(TypeError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...)                                                                    \
  TORCH_CHECK_WITH(NotImplementedError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b), "Check failed: " #a " == " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b), "Check failed: " #a " != " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b), "Check failed: " #a " <= " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b), "Check failed: " #a " < " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b), "Check failed: " #a " >= " #b " (", (a), " vs. ", (b), ")")
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b), "Check failed: " #a " > " #b " (", (a), " vs. ", (b), ")")
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                                          \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      ::c10::detail::fail(::c10::detail::text(#condition " INTERNAL ASSERT FAILED at \"", __FILE__, "\":", __LINE__,   \
                                              ". " __VA_OPT__(, ) __VA_ARGS__));                                       \
  } while (false)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERT(condition, ...) TORCH_INTERNAL_ASSERT(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ERROR(...) ::c10::detail::fail(::c10::detail::text(__VA_ARGS__))
#define TORCH_ERROR(...) AT_ERROR(__VA_ARGS__)
#define C10_THROW_ERROR(kind, message) throw ::c10::kind(message)
#define TORCH_WARN(...) (void)(::std::cerr << "Warning: " << ::c10::detail::text(__VA_ARGS__) << "\n")
#define TORCH_WARN_ONCE(...)                                                                                           \
  do {                                                                                                                 \
    static bool warned = false;                                                                                        \
    if (!warned) TORCH_WARN(__VA_ARGS__);                                                                              \
    warned = true;                                                                                                     \
  } while (false)
