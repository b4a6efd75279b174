// What include/heddle/torch declares about tensors and values and does not define.
#include <heddle/torch.h>

#include <cstdlib>
#include <cstring>

using __heddle::torch::Argument;
using __heddle::torch::Result;
using __heddle::torch::Tag;
using __heddle::torch::TensorRecord;
using __heddle::torch::Value;

extern "C" {
// The runtime's (src/extension/operations.ts): 0, or an error whose text is the result.
int __heddle_torch_call(const char *name, int length, const Value *arguments, int count, Value *result);
void __heddle_torch_release(int id);
void *__heddle_torch_host_data(int id);

// Memory for the runtime: records of tensors, arguments.
#define EXPORT(name) __attribute__((export_name(#name)))
EXPORT(__heddle_torch_allocate) void *__heddle_torch_allocate(size_t bytes) { return malloc(bytes); }
EXPORT(__heddle_torch_free) void __heddle_torch_free(void *pointer) { free(pointer); }
}

namespace __heddle {
namespace torch {

Argument::Argument(Argument &&) = default;
Argument &Argument::operator=(Argument &&) = default;
Argument::~Argument() = default;
Argument::Argument(std::vector<Value> given) : list(std::move(given)) {
  pointTo(Tag::List, list.data(), list.size());
}
Argument::Argument(const char *given) { pointTo(Tag::String, given, strlen(given)); }
Argument::Argument(const at::Tensor &given) {
  if (given.defined()) pointTo(Tag::Tensor, given.unsafeGetTensorImpl(), 0);
}
Argument::Argument(c10::ArrayRef<at::Tensor> given) {
  for (const at::Tensor &one : given) list.push_back(Argument(one).value);
  pointTo(Tag::List, list.data(), list.size());
}
Argument::Argument(const c10::Scalar &given) {
  if (given.isFloatingPoint()) {
    value.tag = Tag::Double;
    value.number = given.toDouble();
  } else set(given.isBoolean() ? Tag::Bool : Tag::Int, given.toLong());
}

static void freeValue(Value &value) {
  if (value.tag == Tag::Tensor) {
    TensorRecord *record = (TensorRecord *)value.pointer;
    if (--record->references == 0) release(record);
  } else if (value.tag == Tag::List) {
    for (int i = 0; i < value.count; i++) freeValue(((Value *)value.pointer)[i]);
    free((void *)value.pointer);
  } else if (value.tag == Tag::String || value.tag == Tag::Ints) free((void *)value.pointer);
}
Result::~Result() { freeValue(value); }
at::Tensor Result::tensor() {
  return value.tag == Tag::Tensor ? at::Tensor(retain((TensorRecord *)value.pointer)) : at::Tensor();
}
std::vector<at::Tensor> Result::tensors() {
  std::vector<at::Tensor> all;
  for (int i = 0; i < value.count; i++)
    all.push_back(at::Tensor(retain((TensorRecord *)((Value *)value.pointer)[i].pointer)));
  return all;
}

Result call(const char *name, std::initializer_list<Argument> arguments) {
  Value values[16];
  int count = 0;
  for (const Argument &argument : arguments) values[count++] = argument.value;
  Result result;
  int failed = __heddle_torch_call(name, (int)strlen(name), values, count, &result.value);
  if (failed) throw c10::Error(result.text());
  return result;
}
at::Tensor callTensor(const char *name, std::initializer_list<Argument> arguments) {
  return call(name, arguments).tensor();
}
at::Tensor create(const char *name, std::initializer_list<Argument> arguments, const c10::TensorOptions &options) {
  at::Tensor made = callTensor(name, arguments);
  if (options.requires_grad()) made.requires_grad_();
  return made;
}

void *hostData(TensorRecord *record) { return __heddle_torch_host_data(record->id); }
void release(TensorRecord *record) {
  __heddle_torch_release(record->id);
  free(record);
}

c10::ScalarType typeNamed(const std::string &name) {
  static const std::map<std::string, c10::ScalarType> types{
      {"uint8", c10::kByte},       {"int8", c10::kChar},         {"int16", c10::kShort},
      {"int32", c10::kInt},        {"int64", c10::kLong},        {"float16", c10::kHalf},
      {"float32", c10::kFloat},    {"float64", c10::kDouble},    {"bool", c10::kBool},
      {"bfloat16", c10::kBFloat16}, {"uint16", c10::kUInt16},    {"uint32", c10::kUInt32},
      {"uint64", c10::kUInt64},    {"float8_e5m2", c10::kFloat8_e5m2},
      {"float8_e4m3fn", c10::kFloat8_e4m3fn},
  };
  auto found = types.find(name);
  return found == types.end() ? c10::ScalarType::Undefined : found->second;
}

std::string intName() { return "int"; }
std::string floatName() { return "float"; }
std::string voidName() { return "None"; }
std::string Cast<at::Tensor>::name() { return "torch.Tensor"; }
std::string Cast<bool>::name() { return "bool"; }
std::string Cast<std::string>::name() { return "str"; }
std::string Cast<const char *>::name() { return "str"; }
std::string Cast<c10::Scalar>::name() { return "Number"; }
std::string Cast<c10::ScalarType>::name() { return "torch.dtype"; }
std::string Cast<c10::Device>::name() { return "torch.device"; }
std::string composed(const char *outer, std::initializer_list<TypeName> inner) {
  std::string text;
  for (TypeName name : inner) text += (text.empty() ? "" : ", ") + name();
  return std::string(outer) + "[" + text + "]";
}

void Kept::point(Tag tag, const void *data, size_t count) {
  value.tag = tag;
  value.count = (int32_t)count;
  value.integer = 0;
  value.pointer = data;
}
void Kept::giveTensor(at::Tensor given) {
  tensor = std::move(given);
  if (tensor.defined()) point(Tag::Tensor, tensor.unsafeGetTensorImpl(), 0);
}
void Kept::giveText(std::string given) {
  text = std::move(given);
  point(Tag::String, text.data(), text.size());
}
void Kept::giveList() {
  values.clear();
  for (auto &one : children) values.push_back(one->value);
  point(Tag::List, values.data(), values.size());
}

} // namespace torch
} // namespace __heddle

namespace c10 {
namespace detail {
void fail(std::string message) { throw Error(std::move(message)); }
Text::Text() = default;
Text::~Text() = default;
std::string Text::str() const { return stream_.str(); }
} // namespace detail

Device::Device(const std::string &text) : type_(kCPU), index_(-1) {
  size_t colon = text.find(':');
  std::string type = text.substr(0, colon);
  TORCH_CHECK(type == "cpu" || type == "cuda", "Expected a device of type cpu or cuda, not ", text);
  if (type == "cuda") type_ = kCUDA;
  if (colon != std::string::npos) index_ = (DeviceIndex)atoi(text.c_str() + colon + 1);
}
std::string Device::str() const {
  std::string text = type_ == kCUDA ? "cuda" : type_ == kCPU ? "cpu" : "meta";
  return index_ == -1 ? text : text + ":" + std::to_string(index_);
}
std::ostream &operator<<(std::ostream &out, const Device &device) { return out << device.str(); }
std::ostream &operator<<(std::ostream &out, DeviceType type) { return out << Device(type).str(); }

namespace cuda {
void check(cudaError_t error, const char *, int) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw Error(std::string("CUDA error: ") + cudaGetErrorString(error));
}
} // namespace cuda
} // namespace c10

namespace at {

void TensorBase::undefined() { c10::detail::fail("Expected a tensor, but this one is undefined"); }
bool TensorBase::is_contiguous(MemoryFormat format) const {
  return format <= MemoryFormat::Preserve && (record().flags & __heddle::torch::CONTIGUOUS) != 0;
}
int64_t TensorBase::wrapped(int64_t d) const {
  int64_t rank = dim();
  if (d >= -rank && d < rank) return d < 0 ? d + rank : d;
  int64_t last = rank == 0 ? 0 : rank - 1;
  throw IndexError(c10::str("Dimension out of range (expected to be in range of [", -last - 1, ", ", last,
                            "], but got ", d, ")"));
}
void TensorBase::wrongType(ScalarType asked) const {
  c10::detail::fail(c10::str("expected scalar type ", c10::toString(asked), " but found ",
                             c10::toString(scalar_type())));
}
void TensorBase::checkDim(int64_t asked) const {
  TORCH_CHECK(dim() == asked, "TensorAccessor expected ", asked, " dims but tensor has ", dim());
}

Scalar Tensor::item() const {
  Result result = __heddle::torch::call("item", {*this});
  if (result.value.tag == Tag::Double) return Scalar(result.value.number);
  if (result.value.tag == Tag::Bool) return Scalar(result.value.integer != 0);
  return Scalar(result.value.integer);
}
std::string Tensor::toString() const {
  return (is_cuda() ? "CUDA" : "CPU") + std::string(c10::toString(scalar_type())) + "Type";
}
std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  return out << __heddle::torch::call("str", {tensor}).text();
}

static std::vector<Value> valuesOf(const indexing::TensorIndex *indices, size_t count) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; i++) values.push_back(indices[i].argument.value);
  return values;
}
Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
  return __heddle::torch::callTensor("index", {*this, valuesOf(indices.begin(), indices.size())});
}
Tensor Tensor::index(const std::vector<indexing::TensorIndex> &indices) const {
  return __heddle::torch::callTensor("index", {*this, valuesOf(indices.data(), indices.size())});
}
Tensor &Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor &values) const {
  __heddle::torch::call("index_put_", {*this, valuesOf(indices.begin(), indices.size()), values});
  return const_cast<Tensor &>(*this);
}
Tensor &Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar &value) const {
  __heddle::torch::call("index_put_", {*this, valuesOf(indices.begin(), indices.size()), value});
  return const_cast<Tensor &>(*this);
}

static bool anyFloats(std::initializer_list<Scalar> values) {
  return std::any_of(values.begin(), values.end(), [](const Scalar &one) { return one.isFloatingPoint(); });
}
#define HEDDLE_CREATE(name)                                                                                            \
  Tensor name(IntArrayRef shape, TensorOptions options, std::optional<MemoryFormat>) {                                 \
    return __heddle::torch::create(#name, {shape, options.dtypeOr(kFloat), options.device()}, options);                \
  }                                                                                                                    \
  Tensor name##_like(const Tensor &like, TensorOptions options, std::optional<MemoryFormat>) {                         \
    Device place = options.has_device() ? options.device() : like.device();                                            \
    return __heddle::torch::create(#name "_like", {like, options.dtypeOr(like.scalar_type()), place}, options);        \
  }
HEDDLE_CREATE(empty)
HEDDLE_CREATE(zeros)
HEDDLE_CREATE(ones)
HEDDLE_CREATE(rand)
HEDDLE_CREATE(randn)
#undef HEDDLE_CREATE
Tensor full(IntArrayRef shape, const Scalar &value, TensorOptions options) {
  ScalarType type = value.isFloatingPoint() ? kFloat : value.type();
  return __heddle::torch::create("full", {shape, value, options.dtypeOr(type), options.device()}, options);
}
Tensor full_like(const Tensor &like, const Scalar &value, TensorOptions options) {
  return __heddle::torch::create(
      "full", {like.sizes(), value, options.dtypeOr(like.scalar_type()), like.device()}, options);
}
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, TensorOptions options) {
  ScalarType type = options.dtypeOr(anyFloats({start, end, step}) ? kFloat : kLong);
  return __heddle::torch::create("arange", {start, end, step, type, options.device()}, options);
}
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, TensorOptions options) {
  return __heddle::torch::create("linspace", {start, end, steps, options.dtypeOr(kFloat), options.device()}, options);
}
Tensor eye(int64_t n, int64_t m, TensorOptions options) {
  return __heddle::torch::create("eye", {n, m, options.dtypeOr(kFloat), options.device()}, options);
}
Tensor from_blob(void *data, IntArrayRef shape, TensorOptions options) {
  return __heddle::torch::callTensor(
      "from_blob", {(int64_t)(uintptr_t)data, shape, options.dtypeOr(kFloat), options.device()});
}

namespace cuda {
cudaDeviceProp *getCurrentDeviceProperties() {
  static cudaDeviceProp properties;
  static bool known = false;
  if (!known) c10::cuda::check(cudaGetDeviceProperties(&properties, 0), __FILE__, __LINE__);
  known = true;
  return &properties;
}
} // namespace cuda
} // namespace at
