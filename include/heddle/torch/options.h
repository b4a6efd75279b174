/* Where and how a tensor's elements lie: Device, Layout, MemoryFormat, TensorOptions; and Scalar. */
#pragma once

#include <string>

#include "arrays.h"
#include "scalar_types.h"

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, HIP = 6, XPU = 12, MPS = 13, Meta = 14 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;

struct Device {
  using Type = DeviceType;
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const std::string &text);
  Device(const char *text) : Device(std::string(text)) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  bool is_cuda() const { return type_ == kCUDA; }
  bool is_cpu() const { return type_ == kCPU; }
  bool is_meta() const { return type_ == kMeta; }
  std::string str() const;
  bool operator==(const Device &other) const { return type_ == other.type_ && index_ == other.index_; }
  bool operator!=(const Device &other) const { return !(*this == other); }

private:
  DeviceType type_;
  DeviceIndex index_;
};
std::ostream &operator<<(std::ostream &out, const Device &device);
std::ostream &operator<<(std::ostream &out, DeviceType type);
inline std::ostream &operator<<(std::ostream &out, ScalarType type) { return out << toString(type); }

enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided;
constexpr Layout kSparse = Layout::Sparse;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/* ATen's `dtype`: what tensors say is their type, also as caffe2::TypeMeta. */
class TypeMeta {
public:
  TypeMeta(ScalarType type = ScalarType::Undefined) : type_(type) {}
  template <typename T> static TypeMeta Make() { return TypeMeta(CppTypeToScalarType<T>::value); }
  operator ScalarType() const { return type_; }
  ScalarType toScalarType() const { return type_; }
  size_t itemsize() const { return elementSize(type_); }
  const char *name() const { return toString(type_); }
  template <typename T> bool Match() const { return type_ == CppTypeToScalarType<T>::value; }
  friend bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
  friend bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }
  friend bool operator==(TypeMeta a, ScalarType b) { return a.type_ == b; }
  friend bool operator!=(TypeMeta a, ScalarType b) { return a.type_ != b; }
  friend bool operator==(ScalarType a, TypeMeta b) { return a == b.type_; }
  friend bool operator!=(ScalarType a, TypeMeta b) { return a != b.type_; }

private:
  ScalarType type_;
};
inline std::ostream &operator<<(std::ostream &out, TypeMeta type) { return out << toString(type); }
inline ScalarType typeMetaToScalarType(TypeMeta type) { return type; }

struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(ScalarType type) : dtype_(type) {}
  TensorOptions(TypeMeta type) : dtype_(type) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}
  TensorOptions(Layout) {}
  TensorOptions(MemoryFormat) {}
  TensorOptions dtype(ScalarType type) const { TensorOptions copy = *this; copy.dtype_ = type; return copy; }
  TensorOptions dtype(std::optional<ScalarType> type) const { return type ? dtype(*type) : *this; }
  TensorOptions dtype(TypeMeta type) const { return dtype((ScalarType)type); }
  template <typename T> TensorOptions dtype() const { return dtype(CppTypeToScalarType<T>::value); }
  TensorOptions device(Device device) const { TensorOptions copy = *this; copy.device_ = device; return copy; }
  TensorOptions device(std::optional<Device> given) const { return given ? device(*given) : *this; }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
  TensorOptions device_index(DeviceIndex index) const { return device(Device(kCUDA, index)); }
  TensorOptions layout(Layout) const { return *this; }
  TensorOptions memory_format(MemoryFormat) const { return *this; }
  TensorOptions pinned_memory(bool) const { return *this; }
  TensorOptions requires_grad(bool required) const {
    TensorOptions copy = *this;
    copy.requiresGrad_ = required;
    return copy;
  }
  ScalarType dtypeOr(ScalarType fallback) const { return dtype_.value_or(fallback); }
  TypeMeta dtype() const { return dtype_.value_or(kFloat); }
  Device device() const { return device_.value_or(Device(kCPU)); }
  bool has_dtype() const { return dtype_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  bool requires_grad() const { return requiresGrad_; }

private:
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  bool requiresGrad_ = false;
};
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions dtype(TypeMeta type) { return TensorOptions(type); }
template <typename T> TensorOptions dtype() { return TensorOptions(CppTypeToScalarType<T>::value); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(DeviceType type, DeviceIndex index = -1) { return TensorOptions(Device(type, index)); }
inline TensorOptions device_index(DeviceIndex index) { return TensorOptions(Device(kCUDA, index)); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool required = true) { return TensorOptions().requires_grad(required); }

/* A number of the program's text. */
class Scalar {
public:
  enum class Kind : int8_t { Bool, Int, Double };
  Scalar() : Scalar(int64_t(0)) {}
  Scalar(bool value) : kind_(Kind::Bool), integer_(value), double_(value) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Scalar(T value) : kind_(Kind::Int), integer_((int64_t)value), double_((double)value) {}
  Scalar(float value) : Scalar((double)value) {}
  Scalar(double value) : kind_(Kind::Double), integer_((int64_t)value), double_(value) {}
  Scalar(Half value) : Scalar((double)(float)value) {}
  Scalar(BFloat16 value) : Scalar((double)(float)value) {}
  bool isFloatingPoint() const { return kind_ == Kind::Double; }
  bool isIntegral(bool includeBool) const { return kind_ == Kind::Int || (includeBool && kind_ == Kind::Bool); }
  bool isBoolean() const { return kind_ == Kind::Bool; }
  Kind kind() const { return kind_; }
  template <typename T> T to() const {
    if constexpr (std::is_floating_point_v<T>) return (T)double_;
    else if constexpr (std::is_integral_v<T>) return (T)integer_;
    else return T((float)double_);
  }
  double toDouble() const { return double_; }
  float toFloat() const { return (float)double_; }
  int64_t toLong() const { return integer_; }
  int toInt() const { return (int)integer_; }
  bool toBool() const { return double_ != 0; }
  ScalarType type() const { return kind_ == Kind::Double ? kDouble : kind_ == Kind::Int ? kLong : kBool; }

private:
  Kind kind_;
  int64_t integer_;
  double double_;
};

} // namespace c10
