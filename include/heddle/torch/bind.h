/*
 * What an extension offers: PYBIND11_MODULE, `m.def`, TORCH_LIBRARY. Names are those of pybind11's and PyTorch's
 * documentation. Each function becomes an entry of a table that the runtime reads once. What is no template is in
 * libraries/torch/extension.cpp: every extension compiles what stands here.
 */
#pragma once

#include "casts.h"

namespace __heddle {
namespace torch {

/* A function with the conversions of its arguments and of its result. */
class Callable {
public:
  virtual ~Callable() = default;
  /* False: the arguments do not fit. */
  virtual bool run(const Value *given, Kept &kept) const = 0;
};

/* The names of a function's types. */
struct Signature {
  TypeName result;
  size_t count;
  const TypeName *parameters;
};

/* A function as it is offered, before it has a name. The table of functions takes it over. */
struct Offer {
  const Signature *signature;
  Callable *callable;
};

template <typename T> using Plain = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename R> std::string resultName() {
  if constexpr (std::is_void_v<R>) return voidName();
  else return Cast<Plain<R>>::name();
}

template <typename F, typename R, typename... A> class Wrapped final : public Callable {
public:
  explicit Wrapped(F call) : call_(std::move(call)) {}
  bool run(const Value *given, Kept &kept) const override { return run(given, kept, std::index_sequence_for<A...>()); }
  static constexpr TypeName parameters[sizeof...(A) + 1] = {&Cast<Plain<A>>::name..., nullptr};
  static constexpr Signature signature{&resultName<R>, sizeof...(A), parameters};

private:
  template <size_t... I> bool run(const Value *given, Kept &kept, std::index_sequence<I...>) const {
    std::tuple<Cast<Plain<A>>...> casts;
    if (!(std::get<I>(casts).load(given[I]) && ...)) return false;
    if constexpr (std::is_void_v<R>) call_(pass<A>(std::get<I>(casts).value)...);
    else Cast<Plain<R>>::give(kept, call_(pass<A>(std::get<I>(casts).value)...));
    return true;
  }
  template <typename Wanted, typename T> static decltype(auto) pass(T &value) {
    if constexpr (std::is_lvalue_reference_v<Wanted>) return (value);
    else return std::move(value);
  }
  mutable F call_;
};

/* std::function's deduction guides know the types of whatever can be called; nothing of it is compiled. */
template <typename F> using Deduced = decltype(std::function(std::declval<F>()));
template <typename F, typename R, typename... A> Offer offer(F call, const std::function<R(A...)> *) {
  using Made = Wrapped<F, R, A...>;
  return {&Made::signature, new Made(std::move(call))};
}
template <typename F> Offer offer(F &&function) {
  using Call = std::decay_t<F>;
  return offer<Call>(std::forward<F>(function), (const Deduced<Call> *)nullptr);
}

struct Function;
struct Overload;

} // namespace torch
} // namespace __heddle

namespace pybind11 {

struct none {};
struct arg_v;
struct arg {
  const char *name;
  constexpr explicit arg(const char *name) : name(name) {}
  arg &noconvert(bool = true) { return *this; }
  arg &none(bool = true) { return *this; }
  template <typename T> arg_v operator=(T &&value) const;
};
struct arg_v {
  const char *name;
  std::shared_ptr<__heddle::torch::Kept> fallback;
  std::string text;
  explicit arg_v(const char *name);
  arg_v(const arg_v &);
  ~arg_v();
  /* After the default has been given. */
  void describe();
};
template <typename T> arg_v arg::operator=(T &&value) const {
  arg_v given(name);
  using Plain = std::decay_t<T>;
  if constexpr (!std::is_same_v<Plain, std::nullopt_t> && !std::is_same_v<Plain, std::nullptr_t> &&
                !std::is_same_v<Plain, ::pybind11::none>)
    __heddle::torch::Cast<Plain>::give(*given.fallback, std::forward<T>(value));
  given.describe();
  return given;
}
inline namespace literals {
constexpr arg operator""_a(const char *name, size_t) { return arg(name); }
} // namespace literals

struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <typename... T> struct call_guard {};
struct is_method {};
enum class return_value_policy { automatic, copy, move, reference, reference_internal, take_ownership };
struct kw_only {};
template <typename... A> struct init {};
template <typename R, typename... A> struct overload_cast_to {};
template <typename... A> struct overload_cast_impl {
  template <typename R> constexpr auto operator()(R (*function)(A...)) const { return function; }
};
template <typename... A> inline constexpr overload_cast_impl<A...> overload_cast{};

/* A value of Python's, which the runtime has no use for. */
struct object {
  object() = default;
  template <typename T> object(const T &) {}
};
template <typename T> object cast(const T &) { return object(); }
struct attribute {
  template <typename T> attribute &operator=(const T &) { return *this; }
};

/* An entry of the table of functions, and what `def` says of it. */
class definition {
public:
  definition(const char *name, __heddle::torch::Offer made);
  void take(const char *doc);
  void take(const arg &given);
  void take(const arg_v &given);
  template <typename T> void take(const T &) {}

private:
  __heddle::torch::Function &function_;
  __heddle::torch::Overload &overload_;
  size_t next_ = 0;
};

class module_ {
public:
  attribute doc() { return attribute(); }
  attribute attr(const char *) { return attribute(); }
  template <typename F, typename... Extra> module_ &def(const char *name, F &&function, const Extra &...extra) {
    definition made(name, __heddle::torch::offer(std::forward<F>(function)));
    (made.take(extra), ...);
    return *this;
  }
};
using module = module_;

} // namespace pybind11
namespace py = pybind11;

namespace torch {
template <typename F> F *wrap_pybind_function(F *function) { return function; }
template <typename F> F *wrap_pybind_function_no_gil(F *function) { return function; }

namespace jit {
struct RegisterOperators {
  RegisterOperators() = default;
  template <typename F> RegisterOperators(const char *name, F &&function) { op(name, std::forward<F>(function)); }
  template <typename F> RegisterOperators &op(const char *name, F &&function) {
    define(name, __heddle::torch::offer(std::forward<F>(function)));
    return *this;
  }

private:
  static void define(const char *name, __heddle::torch::Offer made);
};
} // namespace jit
using RegisterOperators = jit::RegisterOperators;

/* A block of TORCH_LIBRARY or TORCH_LIBRARY_IMPL. */
class Library {
public:
  explicit Library(const char *key) : key_(key) {}
  Library &def(const char *schema);
  template <typename F> Library &def(const char *schema, F &&function) {
    def(schema);
    return impl(schema, std::forward<F>(function));
  }
  template <typename F> Library &impl(const char *name, F &&function) {
    define(name, key_, __heddle::torch::offer(std::forward<F>(function)));
    return *this;
  }
  template <typename F> Library &impl(const char *name, c10::DeviceType device, F &&function) {
    define(name, device == c10::kCUDA ? "CUDA" : "CPU", __heddle::torch::offer(std::forward<F>(function)));
    return *this;
  }
  void set_python_module(const char *, const char * = "") {}

private:
  void define(const char *name, const char *key, __heddle::torch::Offer made);
  const char *key_;
};
struct Registration {
  Registration(const char *key, void (*block)(Library &)) {
    Library library(key);
    block(library);
  }
};
} // namespace torch

#define TORCH_FN(function) &function
#define HEDDLE_JOIN_(a, b) a##b
#define HEDDLE_JOIN(a, b) HEDDLE_JOIN_(a, b)
#define HEDDLE_LIBRARY_BLOCK(key, m, number)                                                                           \
  static void HEDDLE_JOIN(heddleLibraryBlock, number)(torch::Library &);                                               \
  static torch::Registration HEDDLE_JOIN(heddleRegistration, number)(key,                                              \
                                                                     &HEDDLE_JOIN(heddleLibraryBlock, number));        \
  static void HEDDLE_JOIN(heddleLibraryBlock, number)(torch::Library & m)
#define TORCH_LIBRARY(name, m) HEDDLE_LIBRARY_BLOCK("", m, __COUNTER__)
#define TORCH_LIBRARY_EXPAND(name, m) TORCH_LIBRARY(name, m)
#define TORCH_LIBRARY_IMPL_EXPAND(name, key, m) TORCH_LIBRARY_IMPL(name, key, m)
#define TORCH_LIBRARY_FRAGMENT(name, m) HEDDLE_LIBRARY_BLOCK("", m, __COUNTER__)
#define TORCH_LIBRARY_IMPL(name, key, m) HEDDLE_LIBRARY_BLOCK(#key, m, __COUNTER__)
#define PYBIND11_MODULE(name, m, ...)                                                                                  \
  static void heddleModule(pybind11::module_ &);                                                                       \
  static struct HeddleModule {                                                                                         \
    HeddleModule() {                                                                                                   \
      pybind11::module_ all;                                                                                           \
      heddleModule(all);                                                                                               \
    }                                                                                                                  \
  } heddleModuleInstance;                                                                                              \
  static void heddleModule(pybind11::module_ &m)
