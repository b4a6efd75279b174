/* at::Tensor. Names and meanings are those of PyTorch's C++ API reference ("Class Tensor"). */
#pragma once

#include "accessors.h"
#include "values.h"

namespace at {

using namespace c10;
namespace indexing {
struct TensorIndex;
}

class TensorBase {
public:
  using Record = __heddle::torch::TensorRecord;
  TensorBase() = default;
  /* Takes over one reference. */
  explicit TensorBase(Record *record) : record_(record) {}
  TensorBase(const TensorBase &other) : record_(__heddle::torch::retain(other.record_)) {}
  TensorBase(TensorBase &&other) noexcept : record_(other.record_) { other.record_ = nullptr; }
  TensorBase &operator=(const TensorBase &other) {
    Record *before = record_;
    record_ = __heddle::torch::retain(other.record_);
    if (before) drop(before);
    return *this;
  }
  TensorBase &operator=(TensorBase &&other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~TensorBase() {
    if (record_) drop(record_);
  }

  bool defined() const { return record_ != nullptr; }
  void reset() { *this = TensorBase(); }
  bool is_same(const TensorBase &other) const {
    return record_ == other.record_ || (record_ && other.record_ && record_->id == other.record_->id);
  }
  Record *unsafeGetTensorImpl() const { return record_; }

  int64_t dim() const { return record().dim; }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return record().numel; }
  int64_t size(int64_t d) const { return record().sizes[wrapped(d)]; }
  int64_t stride(int64_t d) const { return record().sizes[dim() + wrapped(d)]; }
  IntArrayRef sizes() const { return IntArrayRef(record().sizes, dim()); }
  IntArrayRef strides() const { return IntArrayRef(record().sizes + dim(), dim()); }
  IntArrayRef sym_sizes() const { return sizes(); }
  int64_t sym_size(int64_t d) const { return size(d); }
  int64_t storage_offset() const { return record().offset; }
  ScalarType scalar_type() const { return record().dtype; }
  TypeMeta dtype() const { return scalar_type(); }
  size_t itemsize() const { return c10::elementSize(scalar_type()); }
  size_t element_size() const { return itemsize(); }
  size_t nbytes() const { return itemsize() * numel(); }
  Device device() const { return Device(record().device, record().device == kCPU ? -1 : record().deviceIndex); }
  int64_t get_device() const { return record().device == kCPU ? -1 : record().deviceIndex; }
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
  bool is_cuda() const { return record().device == kCUDA; }
  bool is_cpu() const { return record().device == kCPU; }
  bool is_sparse() const { return false; }
  bool is_quantized() const { return false; }
  bool is_complex() const { return false; }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_non_overlapping_and_dense() const { return is_contiguous(); }
  bool requires_grad() const { return record().flags & __heddle::torch::REQUIRES_GRAD; }
  bool is_leaf() const { return record().flags & __heddle::torch::LEAF; }
  MemoryFormat suggest_memory_format() const { return MemoryFormat::Contiguous; }
  Layout layout() const { return kStrided; }

  void *data_ptr() const {
    Record &own = record();
    return own.device == kCPU ? __heddle::torch::hostData(&own) : (void *)(uintptr_t)own.data;
  }
  void *mutable_data_ptr() const { return data_ptr(); }
  const void *const_data_ptr() const { return data_ptr(); }
  template <typename T> T *data_ptr() const {
    checkType(CppTypeToScalarType<std::remove_const_t<T>>::value);
    return (T *)data_ptr();
  }
  template <typename T> T *mutable_data_ptr() const { return data_ptr<T>(); }
  template <typename T> const T *const_data_ptr() const { return data_ptr<std::remove_const_t<T>>(); }
  template <typename T> T *data() const { return data_ptr<T>(); }

  template <typename T, size_t N> TensorAccessor<T, N> accessor() const {
    checkDim(N);
    TORCH_CHECK(is_cpu(), "accessor() of a tensor on a GPU: the host cannot read its memory");
    return TensorAccessor<T, N>(data_ptr<T>(), record().sizes, record().sizes + N);
  }
  template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const {
    checkDim(N);
    return GenericPackedTensorAccessor<T, N, PtrTraits, index_t>(data_ptr<T>(), record().sizes, record().sizes + N);
  }
  template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
  auto packed_accessor() const { return generic_packed_accessor<T, N, PtrTraits, index_t>(); }
  template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  auto packed_accessor32() const {
    return generic_packed_accessor<T, N, PtrTraits, int32_t>();
  }
  template <typename T, size_t N, template <typename> class PtrTraits = DefaultPtrTraits>
  auto packed_accessor64() const {
    return generic_packed_accessor<T, N, PtrTraits, int64_t>();
  }

protected:
  Record &record() const {
    if (!record_) undefined();
    return *record_;
  }
  [[noreturn]] static void undefined();
  static void drop(Record *record) {
    if (--record->references == 0) __heddle::torch::release(record);
  }
  int64_t wrapped(int64_t d) const;
  void checkType(ScalarType asked) const {
    if (asked != record().dtype) wrongType(asked);
  }
  [[noreturn]] void wrongType(ScalarType asked) const;
  void checkDim(int64_t asked) const;

  Record *record_ = nullptr;
};

/* What `type()` gives: the element type and the device of older code. */
class DeprecatedTypeProperties {
public:
  DeprecatedTypeProperties(ScalarType type, DeviceType device) : type_(type), device_(device) {}
  ScalarType scalarType() const { return type_; }
  operator ScalarType() const { return type_; }
  bool is_cuda() const { return device_ == kCUDA; }
  bool is_sparse() const { return false; }
  DeviceType device_type() const { return device_; }
  const char *toString() const { return c10::toString(type_); }
  friend bool operator==(const DeprecatedTypeProperties &a, const DeprecatedTypeProperties &b) {
    return a.type_ == b.type_ && a.device_ == b.device_;
  }
  friend bool operator!=(const DeprecatedTypeProperties &a, const DeprecatedTypeProperties &b) { return !(a == b); }

private:
  ScalarType type_;
  DeviceType device_;
};
inline std::ostream &operator<<(std::ostream &out, const DeprecatedTypeProperties &type) {
  return out << (type.is_cuda() ? "CUDA" : "CPU") << type.toString() << "Type";
}

class Tensor : public TensorBase {
public:
  using TensorBase::TensorBase;
  Tensor(const TensorBase &other) : TensorBase(other) {}
  Tensor() = default;
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) noexcept = default;
  Tensor &operator=(const Tensor &) & = default;
  Tensor &operator=(Tensor &&) & noexcept = default;
  /* `x[0] = y` writes into the elements. */
  Tensor &operator=(const Tensor &other) && { return copy_(other); }
  Tensor &operator=(Tensor &&other) && { return copy_(other); }
  Tensor &operator=(const Scalar &value) && { return fill_(value); }

  DeprecatedTypeProperties type() const { return DeprecatedTypeProperties(scalar_type(), record().device); }
  template <typename T> T item() const { return item().to<T>(); }
  Scalar item() const;
  const Tensor &cpu_() const { return *this; }
  std::string toString() const;

#include "tensor_methods.inc"
};

std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;

} // namespace at
