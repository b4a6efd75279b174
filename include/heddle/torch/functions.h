/* Functions of namespaces at and torch: creation, and the operations that tensors have as methods, too. */
#pragma once

#include "tensor.h"

namespace at {

#define HEDDLE_CALL(...) __heddle::torch::callTensor(__VA_ARGS__)

/* Creation */
#define HEDDLE_CREATE(name)                                                                                            \
  Tensor name(IntArrayRef shape, TensorOptions options = {}, std::optional<MemoryFormat> = std::nullopt);              \
  Tensor name##_like(const Tensor &like, TensorOptions options = {}, std::optional<MemoryFormat> = std::nullopt);
HEDDLE_CREATE(empty)
HEDDLE_CREATE(zeros)
HEDDLE_CREATE(ones)
HEDDLE_CREATE(rand)
HEDDLE_CREATE(randn)
#undef HEDDLE_CREATE
Tensor full(IntArrayRef shape, const Scalar &value, TensorOptions options = {});
Tensor full_like(const Tensor &like, const Scalar &value, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end, const Scalar &step, TensorOptions options = {});
inline Tensor arange(const Scalar &start, const Scalar &end, TensorOptions options = {}) {
  return arange(start, end, 1, options);
}
inline Tensor arange(const Scalar &end, TensorOptions options = {}) { return arange(0, end, 1, options); }
Tensor linspace(const Scalar &start, const Scalar &end, int64_t steps, TensorOptions options = {});
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
inline Tensor eye(int64_t n, TensorOptions options = {}) { return eye(n, n, options); }
inline Tensor scalar_tensor(const Scalar &value, TensorOptions options = {}) { return full({}, value, options); }
Tensor from_blob(void *data, IntArrayRef shape, TensorOptions options = {});
template <typename T> Tensor tensor(ArrayRef<T> values, TensorOptions options = {}) {
  TensorOptions given = options.dtype(CppTypeToScalarType<T>::value).device(kCPU);
  Tensor made = from_blob((void *)values.data(), {(int64_t)values.size()}, given);
  constexpr ScalarType own = CppTypeToScalarType<T>::value;
  constexpr bool isInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  ScalarType type = options.dtypeOr(isInteger ? kLong : std::is_same_v<T, double> ? kFloat : own);
  return made.to(options.device(), type);
}
template <typename T> Tensor tensor(std::initializer_list<T> values, TensorOptions options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
template <typename T> Tensor tensor(const std::vector<T> &values, TensorOptions options = {}) {
  return tensor(ArrayRef<T>(values), options);
}
inline Tensor tensor(const Scalar &value, TensorOptions options = {}) { return full({}, value, options); }

/* Operations */
#define HEDDLE_UNARY_NEW(name) inline Tensor name(const Tensor &self) { return self.name(); }
#define HEDDLE_UNARY(name)                                                                                             \
  HEDDLE_UNARY_NEW(name)                                                                                               \
  inline Tensor &name##_(Tensor &self) { return self.name##_(); }                                                      \
  inline Tensor &name##_out(Tensor &out, const Tensor &self) { return out.copy_(self.name()); }
#include "unary.inc"
#undef HEDDLE_UNARY
#undef HEDDLE_UNARY_NEW
#define HEDDLE_BINARY_TENSORS(name)                                                                                    \
  inline Tensor name(const Tensor &self, const Tensor &other) { return self.name(other); }                             \
  inline Tensor &name##_out(Tensor &out, const Tensor &self, const Tensor &other) {                                    \
    return out.copy_(self.name(other));                                                                                \
  }
#define HEDDLE_BINARY(name)                                                                                            \
  HEDDLE_BINARY_TENSORS(name)                                                                                          \
  inline Tensor name(const Tensor &self, const Scalar &other) { return self.name(other); }
#include "binary.inc"
#undef HEDDLE_BINARY
#undef HEDDLE_BINARY_TENSORS
#define HEDDLE_SCALED(name)                                                                                            \
  inline Tensor name(const Tensor &self, const Tensor &other, const Scalar &alpha = 1) {                               \
    return self.name(other, alpha);                                                                                    \
  }                                                                                                                    \
  inline Tensor name(const Tensor &self, const Scalar &other, const Scalar &alpha = 1) {                               \
    return self.name(other, alpha);                                                                                    \
  }                                                                                                                    \
  inline Tensor &name##_out(Tensor &out, const Tensor &self, const Tensor &other, const Scalar &alpha = 1) {           \
    return out.copy_(self.name(other, alpha));                                                                         \
  }
HEDDLE_SCALED(add)
HEDDLE_SCALED(sub)
#undef HEDDLE_SCALED

#define HEDDLE_OPERATOR(symbol, name)                                                                                  \
  inline Tensor operator symbol(const Tensor &a, const Tensor &b) { return a.name(b); }                                \
  inline Tensor operator symbol(const Tensor &a, const Scalar &b) { return a.name(b); }
HEDDLE_OPERATOR(+, add)
HEDDLE_OPERATOR(-, sub)
HEDDLE_OPERATOR(*, mul)
HEDDLE_OPERATOR(/, div)
HEDDLE_OPERATOR(%, remainder)
HEDDLE_OPERATOR(<, lt)
HEDDLE_OPERATOR(<=, le)
HEDDLE_OPERATOR(>, gt)
HEDDLE_OPERATOR(>=, ge)
HEDDLE_OPERATOR(==, eq)
HEDDLE_OPERATOR(!=, ne)
HEDDLE_OPERATOR(&, bitwise_and)
HEDDLE_OPERATOR(|, bitwise_or)
HEDDLE_OPERATOR(^, bitwise_xor)
#undef HEDDLE_OPERATOR
inline Tensor operator+(const Scalar &a, const Tensor &b) { return b.add(a); }
inline Tensor operator*(const Scalar &a, const Tensor &b) { return b.mul(a); }
inline Tensor operator-(const Scalar &a, const Tensor &b) { return HEDDLE_CALL("rsub", {b, a}); }
inline Tensor operator/(const Scalar &a, const Tensor &b) { return b.reciprocal().mul(a); }
inline Tensor operator!(const Tensor &a) { return a.logical_not(); }
inline Tensor operator~(const Tensor &a) { return a.bitwise_not(); }

/* The methods that take arguments, as functions. */
#define HEDDLE_FUNCTION(name)                                                                                          \
  template <typename... A> auto name(const Tensor &self, A &&...arguments) {                                           \
    return self.name(std::forward<A>(arguments)...);                                                                   \
  }
#define HEDDLE_LIST_FUNCTION(name)                                                                                     \
  HEDDLE_FUNCTION(name)                                                                                                \
  template <typename... A> auto name(const Tensor &self, IntArrayRef list, A &&...arguments) {                         \
    return self.name(list, std::forward<A>(arguments)...);                                                             \
  }
#include "functions.inc"
#undef HEDDLE_FUNCTION
#undef HEDDLE_LIST_FUNCTION

inline Tensor max(const Tensor &a, const Tensor &b) { return a.maximum(b); }
inline Tensor min(const Tensor &a, const Tensor &b) { return a.minimum(b); }
inline Tensor cat(TensorList tensors, int64_t dim = 0) { return HEDDLE_CALL("cat", {tensors, dim}); }
inline Tensor concat(TensorList tensors, int64_t dim = 0) { return cat(tensors, dim); }
inline Tensor stack(TensorList tensors, int64_t dim = 0) { return HEDDLE_CALL("stack", {tensors, dim}); }
inline Tensor where(const Tensor &condition, const Tensor &a, const Tensor &b) { return a.where(condition, b); }
inline Tensor where(const Tensor &condition, const Scalar &a, const Tensor &b) {
  return HEDDLE_CALL("where", {condition, a, b});
}
inline Tensor where(const Tensor &condition, const Tensor &a, const Scalar &b) {
  return HEDDLE_CALL("where", {condition, a, b});
}
inline Tensor elu(const Tensor &self, const Scalar &alpha = 1, const Scalar &scale = 1, const Scalar &inner = 1) {
  return HEDDLE_CALL("elu", {self, alpha, scale, inner});
}
inline Tensor gelu(const Tensor &self, const std::string &approximate = "none") {
  return HEDDLE_CALL("gelu", {self, approximate});
}
inline Tensor silu(const Tensor &self) { return HEDDLE_CALL("silu", {self}); }
inline Tensor leaky_relu(const Tensor &self, const Scalar &slope = 0.01) {
  return HEDDLE_CALL("leaky_relu", {self, slope});
}
inline Tensor softplus(const Tensor &self) { return HEDDLE_CALL("softplus", {self}); }
inline Tensor log_sigmoid(const Tensor &self) { return HEDDLE_CALL("log_sigmoid", {self}); }
inline Tensor linear(const Tensor &input, const Tensor &weight, const std::optional<Tensor> &bias = {}) {
  return HEDDLE_CALL("linear", {input, weight, bias});
}
inline Tensor einsum(const std::string &equation, TensorList tensors) {
  return HEDDLE_CALL("einsum", {equation, tensors});
}
inline Tensor layer_norm(const Tensor &input, IntArrayRef shape, const std::optional<Tensor> &weight = {},
                         const std::optional<Tensor> &bias = {}, double eps = 1e-5, bool = true) {
  return HEDDLE_CALL("layer_norm", {input, shape, weight, bias, eps});
}
inline Tensor conv2d(const Tensor &input, const Tensor &weight, const std::optional<Tensor> &bias = {},
                     IntArrayRef stride = {1, 1}, IntArrayRef padding = {0, 0}, IntArrayRef dilation = {1, 1},
                     int64_t groups = 1) {
  return HEDDLE_CALL("conv2d", {input, weight, bias, stride, padding, dilation, groups});
}
inline Tensor embedding(const Tensor &weight, const Tensor &indices) {
  return HEDDLE_CALL("embedding", {weight, indices});
}
inline Tensor one_hot(const Tensor &self, int64_t classes = -1) { return HEDDLE_CALL("one_hot", {self, classes}); }
inline Tensor &mm_out(const Tensor &self, const Tensor &other, Tensor &out) { return out.copy_(self.mm(other)); }
#undef HEDDLE_CALL

/* What a layer of PyTorch's dispatcher does; here there is none. */
struct AutoDispatchBelowADInplaceOrView {};
struct AutoNonVariableTypeMode { explicit AutoNonVariableTypeMode(bool = true) {} };
class NoGradGuard {
public:
  NoGradGuard() : before_(__heddle::torch::call("set_grad_enabled", {false}).integer()) {}
  ~NoGradGuard() { __heddle::torch::call("set_grad_enabled", {before_}); }

private:
  bool before_;
};

inline ScalarType promote_types(ScalarType a, ScalarType b) {
  return (ScalarType)__heddle::torch::call("promote_types", {a, b}).integer();
}
inline ScalarType promoteTypes(ScalarType a, ScalarType b) { return promote_types(a, b); }

} // namespace at
