/* How values become the arguments of a C++ function, and its results values: what pybind11's type casters do. */
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "functions.h"
#include "indexing.h"

namespace __heddle {
namespace torch {

/* A result, with everything that it refers to, until the runtime has read it. */
struct Kept {
  Value value;
  at::Tensor tensor;
  std::string text;
  std::vector<Value> values;
  std::vector<std::unique_ptr<Kept>> children;
  void point(Tag tag, const void *data, size_t count);
  void giveTensor(at::Tensor given);
  void giveText(std::string given);
  Kept &child() { return *children.emplace_back(new Kept()); }
  /* The children are the elements. */
  void giveList();
};

/* Gives the name of a type, for messages. */
using TypeName = std::string (*)();
std::string intName();
std::string floatName();
std::string voidName();
/* `List[int]` */
std::string composed(const char *outer, std::initializer_list<TypeName> inner);

template <typename T, typename = void> struct Cast {
  static_assert(!std::is_same_v<T, T>, "heddle has no conversion to or from this type of an argument or a result");
};

template <> struct Cast<at::Tensor> {
  at::Tensor value;
  static std::string name();
  bool load(const Value &given) {
    if (given.tag != Tag::Tensor) return false;
    value = at::Tensor(retain((TensorRecord *)given.pointer));
    return true;
  }
  static void give(Kept &kept, at::Tensor given) { kept.giveTensor(std::move(given)); }
};
template <> struct Cast<bool> {
  bool value = false;
  static std::string name();
  bool load(const Value &given) {
    value = given.integer != 0;
    return given.tag == Tag::Bool;
  }
  static void give(Kept &kept, bool given) { kept.value.tag = Tag::Bool; kept.value.integer = given; }
};
template <typename T> struct Cast<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  T value = 0;
  static std::string name() { return intName(); }
  bool load(const Value &given) {
    value = (T)given.integer;
    return (given.tag == Tag::Int || given.tag == Tag::Bool) && (int64_t)value == given.integer;
  }
  static void give(Kept &kept, T given) { kept.value.tag = Tag::Int; kept.value.integer = (int64_t)given; }
};
template <typename T> struct Cast<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  T value = 0;
  static std::string name() { return floatName(); }
  bool load(const Value &given) {
    value = given.tag == Tag::Double ? (T)given.number : (T)given.integer;
    return given.tag == Tag::Double || given.tag == Tag::Int || given.tag == Tag::Bool;
  }
  static void give(Kept &kept, T given) { kept.value.tag = Tag::Double; kept.value.number = (double)given; }
};
template <> struct Cast<std::string> {
  std::string value;
  static std::string name();
  bool load(const Value &given) {
    if (given.tag != Tag::String) return false;
    value.assign((const char *)given.pointer, given.count);
    return true;
  }
  static void give(Kept &kept, std::string given) { kept.giveText(std::move(given)); }
};
template <> struct Cast<const char *> {
  Cast<std::string> text;
  const char *value = nullptr;
  static std::string name();
  bool load(const Value &given) {
    bool fits = text.load(given);
    value = text.value.c_str();
    return fits;
  }
  static void give(Kept &kept, const char *given) { kept.giveText(given); }
};
template <> struct Cast<c10::Scalar> {
  c10::Scalar value;
  static std::string name();
  bool load(const Value &given) {
    if (given.tag == Tag::Bool) value = c10::Scalar(given.integer != 0);
    else if (given.tag == Tag::Int) value = c10::Scalar(given.integer);
    else if (given.tag == Tag::Double) value = c10::Scalar(given.number);
    else return false;
    return true;
  }
  static void give(Kept &kept, c10::Scalar given) { kept.value = Argument(given).value; }
};
/* As TypeScript names it: "float32". */
c10::ScalarType typeNamed(const std::string &name);
template <> struct Cast<c10::ScalarType> {
  c10::ScalarType value = c10::ScalarType::Undefined;
  static std::string name();
  bool load(const Value &given) {
    if (given.tag == Tag::String) {
      value = typeNamed(std::string((const char *)given.pointer, given.count));
      return value != c10::ScalarType::Undefined;
    }
    value = (c10::ScalarType)given.integer;
    return given.tag == Tag::Dtype;
  }
  static void give(Kept &kept, c10::ScalarType given) { kept.value = Argument(given).value; }
};
template <> struct Cast<c10::Device> {
  c10::Device value{c10::kCPU};
  static std::string name();
  bool load(const Value &given) {
    if (given.tag == Tag::String) {
      value = c10::Device(std::string((const char *)given.pointer, given.count));
      return true;
    }
    value = c10::Device((c10::DeviceType)(given.integer >> 8), (int8_t)given.integer);
    return given.tag == Tag::Device;
  }
  static void give(Kept &kept, c10::Device given) { kept.value = Argument(given).value; }
};
template <typename T> struct Cast<std::optional<T>> {
  std::optional<T> value;
  static std::string name() { return composed("Optional", {&Cast<T>::name}); }
  bool load(const Value &given) {
    if (given.tag == Tag::None) return true;
    Cast<T> inner;
    if (!inner.load(given)) return false;
    value = std::move(inner.value);
    return true;
  }
  static void give(Kept &kept, std::optional<T> given) {
    if (given.has_value()) Cast<T>::give(kept, std::move(*given));
  }
};
template <typename T> struct Cast<std::vector<T>> {
  std::vector<T> value;
  static std::string name() { return composed("List", {&Cast<T>::name}); }
  bool load(const Value &given) {
    if (given.tag != Tag::List) return false;
    for (int32_t i = 0; i < given.count; i++) {
      Cast<T> inner;
      if (!inner.load(((const Value *)given.pointer)[i])) return false;
      value.push_back(std::move(inner.value));
    }
    return true;
  }
  static void give(Kept &kept, const std::vector<T> &given) {
    for (const T &one : given) Cast<T>::give(kept.child(), one);
    kept.giveList();
  }
};
/* A reference to a list has the list beside it. */
template <typename T> struct Cast<c10::ArrayRef<T>> {
  Cast<std::vector<T>> list;
  c10::ArrayRef<T> value;
  static std::string name() { return Cast<std::vector<T>>::name(); }
  bool load(const Value &given) {
    bool fits = list.load(given);
    value = c10::ArrayRef<T>(list.value);
    return fits;
  }
  static void give(Kept &kept, c10::ArrayRef<T> given) { Cast<std::vector<T>>::give(kept, given.vec()); }
};
template <typename T, size_t N> struct Cast<std::array<T, N>> {
  std::array<T, N> value{};
  static std::string name() { return "Annotated[List[" + Cast<T>::name() + "], FixedSize(" + std::to_string(N) + ")]"; }
  bool load(const Value &given) {
    Cast<std::vector<T>> list;
    if (!list.load(given) || list.value.size() != N) return false;
    for (size_t i = 0; i < N; i++) value[i] = list.value[i];
    return true;
  }
  static void give(Kept &kept, const std::array<T, N> &given) {
    Cast<std::vector<T>>::give(kept, std::vector<T>(given.begin(), given.end()));
  }
};
template <typename... T> struct Cast<std::tuple<T...>> {
  std::tuple<T...> value;
  static std::string name() { return composed("Tuple", {&Cast<T>::name...}); }
  bool load(const Value &given) {
    if (given.tag != Tag::List || given.count != sizeof...(T)) return false;
    return loadAll(given, std::index_sequence_for<T...>());
  }
  template <size_t... I> bool loadAll(const Value &given, std::index_sequence<I...>) {
    std::tuple<Cast<T>...> all;
    bool fits = (std::get<I>(all).load(((const Value *)given.pointer)[I]) && ...);
    if (fits) value = std::tuple<T...>(std::move(std::get<I>(all).value)...);
    return fits;
  }
  static void give(Kept &kept, const std::tuple<T...> &given) {
    std::apply([&](const T &...one) { (Cast<T>::give(kept.child(), one), ...); }, given);
    kept.giveList();
  }
};
template <typename A, typename B> struct Cast<std::pair<A, B>> {
  std::pair<A, B> value;
  static std::string name() { return Cast<std::tuple<A, B>>::name(); }
  bool load(const Value &given) {
    Cast<std::tuple<A, B>> both;
    if (!both.load(given)) return false;
    value = {std::get<0>(both.value), std::get<1>(both.value)};
    return true;
  }
  static void give(Kept &kept, const std::pair<A, B> &given) {
    Cast<std::tuple<A, B>>::give(kept, std::tuple<A, B>(given.first, given.second));
  }
};
template <typename K, typename V> struct Cast<std::map<K, V>> {
  /* Results only: a list of pairs. */
  static std::string name() { return composed("Dict", {&Cast<K>::name, &Cast<V>::name}); }
  static void give(Kept &kept, const std::map<K, V> &given) {
    for (const auto &[key, value] : given) Cast<std::pair<K, V>>::give(kept.child(), {key, value});
    kept.giveList();
  }
};

} // namespace torch
} // namespace __heddle
