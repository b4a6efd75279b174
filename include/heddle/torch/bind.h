/*
 * What an extension offers: PYBIND11_MODULE, `m.def`, TORCH_LIBRARY. Names are those of pybind11's and PyTorch's
 * documentation. Each function becomes an entry of a table that the runtime reads once.
 */
#pragma once

#include "casts.h"

namespace __heddle {
namespace torch {

struct Parameter {
  std::string name;
  std::string type;
  /* null: the caller must give it. */
  std::shared_ptr<Kept> fallback;
  std::string fallbackText;
};

struct Overload {
  std::vector<Parameter> parameters;
  std::string result;
  /* null: declared, not defined. False: the arguments do not fit. */
  std::function<bool(const Value *, Kept &)> run;
  /* Of TORCH_LIBRARY_IMPL: "CPU", "CUDA"; empty where it is for all. */
  std::string key;
};

struct Function {
  std::string name;
  std::string doc;
  std::vector<Overload> overloads;
  /* The schema of TORCH_LIBRARY, if there is one. */
  std::string schema;
};

/* The function of this name; made if it is not there. */
Function &functionNamed(const std::string &name);
/* Of TORCH_LIBRARY: gives parameters their names and defaults. */
void readSchema(Function &function);

template <typename R, typename... A> struct Wrapped {
  std::function<R(A...)> call;
  template <size_t... I> bool run(const Value *given, Kept &kept, std::index_sequence<I...>) const {
    std::tuple<Cast<std::remove_cv_t<std::remove_reference_t<A>>>...> casts;
    if (!(std::get<I>(casts).load(given[I]) && ...)) return false;
    if constexpr (std::is_void_v<R>) call(pass<A>(std::get<I>(casts).value)...);
    else
      Cast<std::remove_cv_t<std::remove_reference_t<R>>>::give(kept, call(pass<A>(std::get<I>(casts).value)...));
    return true;
  }
  template <typename Wanted, typename T> static decltype(auto) pass(T &value) {
    if constexpr (std::is_lvalue_reference_v<Wanted>) return (value);
    else return std::move(value);
  }
};
template <typename R> std::string resultName() {
  if constexpr (std::is_void_v<R>) return "None";
  else return Cast<std::remove_cv_t<std::remove_reference_t<R>>>::name();
}

template <typename R, typename... A> Overload overload(std::function<R(A...)> call) {
  Overload made;
  int index = 0;
  ((made.parameters.push_back({"arg" + std::to_string(index++),
                               Cast<std::remove_cv_t<std::remove_reference_t<A>>>::name(), nullptr, ""})),
   ...);
  made.result = resultName<R>();
  Wrapped<R, A...> wrapped{std::move(call)};
  made.run = [wrapped](const Value *given, Kept &kept) {
    return wrapped.run(given, kept, std::index_sequence_for<A...>());
  };
  return made;
}
template <typename F> Overload overloadOf(F &&function) { return overload(std::function(std::forward<F>(function))); }

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
  std::shared_ptr<__heddle::torch::Kept> fallback = std::make_shared<__heddle::torch::Kept>();
  std::string text;
};
std::string textOf(const __heddle::torch::Kept &kept);
template <typename T> arg_v arg::operator=(T &&value) const {
  arg_v given{name};
  using Plain = std::decay_t<T>;
  if constexpr (!std::is_same_v<Plain, std::nullopt_t> && !std::is_same_v<Plain, std::nullptr_t> &&
                !std::is_same_v<Plain, ::pybind11::none>)
    __heddle::torch::Cast<Plain>::give(*given.fallback, std::forward<T>(value));
  given.text = textOf(*given.fallback);
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

class module_ {
public:
  attribute doc() { return attribute(); }
  attribute attr(const char *) { return attribute(); }
  template <typename F, typename... Extra> module_ &def(const char *name, F &&function, const Extra &...extra) {
    __heddle::torch::Overload made = __heddle::torch::overloadOf(std::forward<F>(function));
    __heddle::torch::Function &own = __heddle::torch::functionNamed(name);
    size_t next = 0;
    (take(extra, made, own, next), ...);
    own.overloads.push_back(std::move(made));
    return *this;
  }

private:
  using Overload = __heddle::torch::Overload;
  using Function = __heddle::torch::Function;
  static void take(const char *doc, Overload &, Function &own, size_t &) { own.doc = doc; }
  static void take(const arg &given, Overload &made, Function &, size_t &next) {
    made.parameters.at(next++).name = given.name;
  }
  static void take(const arg_v &given, Overload &made, Function &, size_t &next) {
    auto &parameter = made.parameters.at(next++);
    parameter.name = given.name;
    parameter.fallback = given.fallback;
    parameter.fallbackText = given.text;
  }
  template <typename T> static void take(const T &, Overload &, Function &, size_t &) {}
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
    pybind11::module_ all;
    std::string text(name);
    size_t colon = text.rfind("::");
    all.def((colon == std::string::npos ? text : text.substr(colon + 2)).c_str(), std::forward<F>(function));
    return *this;
  }
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
    define(name, __heddle::torch::overloadOf(std::forward<F>(function)));
    return *this;
  }
  template <typename F> Library &impl(const char *name, c10::DeviceType device, F &&function) {
    __heddle::torch::Overload made = __heddle::torch::overloadOf(std::forward<F>(function));
    made.key = device == c10::kCUDA ? "CUDA" : "CPU";
    define(name, std::move(made));
    return *this;
  }
  void set_python_module(const char *, const char * = "") {}

private:
  void define(const char *name, __heddle::torch::Overload made);
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
