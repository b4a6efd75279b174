/*
 * What crosses between an extension and the runtime. The runtime's side is src/extension/values.ts.
 *
 * A tensor is a record in the extension's memory with the number of a tensor of the runtime's. The record is counted;
 * when nobody refers to it any more, the runtime's tensor is released.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"

namespace at {
class Tensor;
}

namespace __heddle {
namespace torch {

/* The same numbers are in src/extension/values.ts. */
enum class Tag : int32_t { None, Bool, Int, Double, Tensor, String, Ints, Doubles, List, Dtype, Device, Object };

struct TensorRecord {
  int32_t references;
  int32_t id;
  /* Of the first element; 0 where it is the host's and nobody has asked for it. */
  int64_t data;
  c10::ScalarType dtype;
  c10::DeviceType device;
  int8_t dim;
  uint8_t flags;
  int32_t deviceIndex;
  int64_t numel;
  int64_t offset;
  /* `dim` sizes, then as many strides. */
  int64_t sizes[];
};
enum : uint8_t { REQUIRES_GRAD = 1, CONTIGUOUS = 2, LEAF = 4, GENERIC_HOST = 8 };

struct Value {
  Tag tag = Tag::None;
  /* Elements of a list, bytes of a string. */
  int32_t count = 0;
  union {
    int64_t integer;
    double number;
    const void *pointer;
  };
  Value() : integer(0) {}
};
static_assert(sizeof(Value) == 16, "the runtime knows this layout");

/* An argument of a function of the runtime's. */
struct Argument {
  Value value;
  std::vector<Value> list;
  Argument() = default;
  Argument(std::nullopt_t) {}
  Argument(bool given) { set(Tag::Bool, given); }
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Argument(T given) { set(Tag::Int, (int64_t)given); }
  Argument(double given) { value.tag = Tag::Double; value.number = given; }
  Argument(const c10::Scalar &given);
  Argument(const at::Tensor &given);
  Argument(c10::ArrayRef<at::Tensor> given);
  Argument(const std::vector<at::Tensor> &given) : Argument(c10::ArrayRef<at::Tensor>(given)) {}
  Argument(c10::IntArrayRef given) { pointTo(Tag::Ints, given.data(), given.size()); }
  Argument(const c10::OptionalIntArrayRef &given) {
    if (given.given) pointTo(Tag::Ints, given.list.data(), given.list.size());
  }
  Argument(c10::ArrayRef<double> given) { pointTo(Tag::Doubles, given.data(), given.size()); }
  Argument(const std::string &given) { pointTo(Tag::String, given.data(), given.size()); }
  Argument(const char *given);
  Argument(c10::ScalarType given) { set(Tag::Dtype, (int64_t)given); }
  Argument(c10::TypeMeta given) : Argument((c10::ScalarType)given) {}
  Argument(c10::Device given) { set(Tag::Device, ((int64_t)given.type() << 8) | (uint8_t)given.index()); }
  Argument(std::vector<Value> given);
  template <typename T> Argument(const std::optional<T> &given) {
    if (given.has_value()) *this = Argument(*given);
  }
  Argument(Argument &&);
  Argument &operator=(Argument &&);
  ~Argument();

  void set(Tag tag, int64_t integer) { value.tag = tag; value.integer = integer; }
  void pointTo(Tag tag, const void *data, size_t count) {
    value.tag = tag;
    value.count = (int32_t)count;
    value.integer = 0;
    value.pointer = data;
  }
};

/* A result of the runtime's, which owns the memory that it points to. */
class Result {
public:
  Result() = default;
  Result(Result &&other) : value(other.value) { other.value = Value(); }
  ~Result();
  at::Tensor tensor();
  std::vector<at::Tensor> tensors();
  int64_t integer() const { return value.tag == Tag::Double ? (int64_t)value.number : value.integer; }
  double number() const { return value.tag == Tag::Double ? value.number : (double)value.integer; }
  std::string text() const { return std::string((const char *)value.pointer, value.count); }
  Value value;
};

/* Calls an operation of the runtime by its name in PyTorch. Throws c10::Error. */
Result call(const char *name, std::initializer_list<Argument> arguments);
at::Tensor callTensor(const char *name, std::initializer_list<Argument> arguments);
/* The same for a new tensor. */
at::Tensor create(const char *name, std::initializer_list<Argument> arguments, const c10::TensorOptions &options);

/* The address of the first element of a host tensor, in this program's memory until the call from outside ends. */
void *hostData(TensorRecord *record);
void release(TensorRecord *record);
inline TensorRecord *retain(TensorRecord *record) {
  if (record) record->references++;
  return record;
}

} // namespace torch
} // namespace __heddle
