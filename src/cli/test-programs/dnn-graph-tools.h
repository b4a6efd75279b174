// Descriptors, tensors and operations of the graph API, as its tests write them.
#pragma once
#include <cuda_fp8.h>
#include <cstring>
#include <functional>
#include "dnn-numbers.h"

typedef std::vector<int64_t> Dims;

struct Descriptor {
  cudnnBackendDescriptor_t d = nullptr;
  explicit Descriptor(cudnnBackendDescriptorType_t type) { CHECK(cudnnBackendCreateDescriptor(type, &d)); }
  Descriptor(Descriptor &&other) : d(other.d) { other.d = nullptr; }
  ~Descriptor() {
    if (d) cudnnBackendDestroyDescriptor(d);
  }
  cudnnStatus_t set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, const void *at) {
    return cudnnBackendSetAttribute(d, name, type, count, at);
  }
  void part(int name, const Descriptor &other) {
    CHECK(set((cudnnBackendAttributeName_t)name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.d));
  }
  void integer(int name, int64_t value) { CHECK(set((cudnnBackendAttributeName_t)name, CUDNN_TYPE_INT64, 1, &value)); }
  void list(int name, const Dims &values) {
    CHECK(set((cudnnBackendAttributeName_t)name, CUDNN_TYPE_INT64, (int64_t)values.size(), values.data()));
  }
  void choice(int name, cudnnBackendAttributeType_t type, int value) {
    CHECK(set((cudnnBackendAttributeName_t)name, type, 1, &value));
  }
  void number(int name, double value) {
    CHECK(set((cudnnBackendAttributeName_t)name, CUDNN_TYPE_DOUBLE, 1, &value));
  }
  void finalize() { CHECK(cudnnBackendFinalize(d)); }
};

static float random_number() { return (int)(random_bits() % 17 - 8) / 8.0f; }
static Dims packed(const Dims &dims) {
  Dims strides(dims.size());
  int64_t all = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = all;
    all *= dims[i];
  }
  return strides;
}
static int64_t count_of(const Dims &dims) {
  int64_t all = 1;
  for (int64_t one : dims) all *= one;
  return all;
}

static size_t size_of(int type) {
  bool isByte = type == CUDNN_DATA_FP8_E4M3 || type == CUDNN_DATA_FP8_E5M2 || type == CUDNN_DATA_BOOLEAN;
  return isByte ? 1 : type == CUDNN_DATA_HALF ? 2 : 4;
}
struct Integers {
  std::vector<int> all;
  explicit Integers(const std::vector<int> &all) : all(all) {}
};
/// A tensor: virtual, in device memory with a copy here as floats, or a value. Values are floats.
struct Tensor {
  Dims dims, strides;
  int64_t id;
  Descriptor d;
  std::vector<float> host;
  char *data = nullptr;
  bool isVirtual, isValue;
  int type;
  static int64_t next;
  explicit Tensor(const Dims &dims, const Dims &given = {}, bool isVirtual = false, bool isValue = false,
                  int type = CUDNN_DATA_FLOAT, const Tensor *offsets = nullptr)
      : dims(dims), strides(given.empty() ? packed(dims) : given), id(next++), d(CUDNN_BACKEND_TENSOR_DESCRIPTOR),
        isVirtual(isVirtual), isValue(isValue), type(type) {
    d.choice(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    if (offsets) d.part(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, offsets->d);
    d.list(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
    d.list(CUDNN_ATTR_TENSOR_STRIDES, strides);
    d.integer(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    d.integer(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
    CHECK(d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &isVirtual));
    CHECK(d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &isValue));
    d.finalize();
    if (isVirtual) return;
    int64_t last = 1;
    for (size_t i = 0; i < dims.size(); i++) last += (dims[i] - 1) * strides[i];
    host.resize((size_t)last);
    for (float &one : host) one = random_number();
    if (isValue) return;
    cudaMalloc(&data, host.size() * size_of(type));
    upload();
  }
  /// An array of integers.
  Tensor(const Dims &dims, const Integers &values) : Tensor(dims, {}, false, false, CUDNN_DATA_INT32) {
    host.assign(values.all.begin(), values.all.end());
    upload();
  }
  void upload() {
    std::vector<char> bytes(host.size() * size_of(type));
    for (size_t i = 0; i < host.size(); i++) {
      char *to = bytes.data() + i * size_of(type);
      float x = host[i];
      if (type == CUDNN_DATA_FLOAT) memcpy(to, &x, 4);
      else if (type == CUDNN_DATA_INT32) *(int *)to = (int)x;
      else if (type == CUDNN_DATA_HALF) *(__half *)to = __float2half(x);
      else if (type == CUDNN_DATA_BOOLEAN) *to = x != 0;
      else *to = (char)__nv_cvt_float_to_fp8(x, __NV_SATFINITE, type == CUDNN_DATA_FP8_E4M3 ? __NV_E4M3 : __NV_E5M2);
    }
    cudaMemcpy(data, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  }
  std::vector<float> download() const {
    std::vector<char> bytes(host.size() * size_of(type));
    std::vector<float> now(host.size());
    cudaMemcpy(bytes.data(), data, bytes.size(), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < now.size(); i++) {
      const char *from = bytes.data() + i * size_of(type);
      __nv_fp8_interpretation_t format = type == CUDNN_DATA_FP8_E4M3 ? __NV_E4M3 : __NV_E5M2;
      if (type == CUDNN_DATA_FLOAT) memcpy(&now[i], from, 4);
      else if (type == CUDNN_DATA_INT32) now[i] = (float)*(const int *)from;
      else if (type == CUDNN_DATA_HALF) now[i] = __half2float(*(const __half *)from);
      else if (type == CUDNN_DATA_BOOLEAN) now[i] = *from;
      else now[i] = __half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)*from, format)));
    }
    return now;
  }
  Tensor(const Tensor &) = delete;
  ~Tensor() { cudaFree(data); }
  size_t place(const Dims &index) const {
    size_t at = 0;
    for (size_t i = 0; i < dims.size(); i++) at += (size_t)(dims[i] == 1 ? 0 : index[i] * strides[i]);
    return at;
  }
  double at(const Dims &index) const { return host[place(index)]; }
};
int64_t Tensor::next = 1;
static void each(const Dims &dims, const std::function<void(const Dims &)> &use) {
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < count_of(dims); i++) {
    int64_t rest = i;
    for (size_t j = dims.size(); j-- > 0; rest /= dims[j]) index[j] = rest % dims[j];
    use(index);
  }
}
/// What a tensor must have become.
static void compare(const char *name, const Tensor &t, const std::function<double(const Dims &)> &expected) {
  std::vector<float> now = t.download();
  int wrong = 0;
  each(t.dims, [&](const Dims &index) {
    double is = now[t.place(index)], should = expected(index);
    if (is != should && !(std::fabs(is - should) <= 2e-5 * (1 + std::fabs(should))) && wrong++ < 3)
      printf("%s: %.8g, expected %.8g\n", name, is, should);
  });
  if (wrong) failures++;
}

typedef std::vector<const Descriptor *> Operations;
static cudnnStatus_t graph_of(Descriptor &graph, const Operations &operations) {
  std::vector<cudnnBackendDescriptor_t> all;
  for (const Descriptor *one : operations) all.push_back(one->d);
  CHECK(graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle));
  CHECK(graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, (int64_t)all.size(), all.data()));
  return cudnnBackendFinalize(graph.d);
}
/// How a graph runs: at once, from the plan's text, as a CUDA graph.
enum Way { AT_ONCE, FROM_TEXT, RECORDED };
/// Returns the bytes of its work space.
static int64_t run(const Operations &operations, const std::vector<Tensor *> &tensors, Way way = AT_ONCE) {
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR), heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR),
      configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR), plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
      pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  CHECK(graph_of(graph, operations));
  heuristics.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.choice(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
  heuristics.finalize();
  int64_t count = 0, bytes = 0;
  CHECK(cudnnBackendGetAttribute(heuristics.d, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
                                 &configuration.d));
  CHECK(plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle));
  plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  plan.finalize();
  Descriptor again(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (way == FROM_TEXT) {
    CHECK(cudnnBackendGetAttribute(plan.d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &count,
                                   nullptr));
    std::vector<char> text((size_t)count);
    CHECK(cudnnBackendGetAttribute(plan.d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, count,
                                   &count, text.data()));
    CHECK(again.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle));
    CHECK(again.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, count, text.data()));
    again.finalize();
  }
  const Descriptor &used = way == FROM_TEXT ? again : plan;
  CHECK(cudnnBackendGetAttribute(used.d, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                                 &bytes));
  Dims ids;
  std::vector<void *> pointers;
  for (Tensor *t : tensors) {
    ids.push_back(t->id);
    pointers.push_back(t->isValue ? (void *)t->host.data() : (void *)t->data);
  }
  void *work = nullptr;
  cudaMalloc(&work, (size_t)bytes + 1);
  pack.list(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  CHECK(pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, (int64_t)pointers.size(),
                 pointers.data()));
  CHECK(pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &work));
  pack.finalize();
  if (way != RECORDED) CHECK(cudnnBackendExecute(handle, used.d, pack.d));
  else {
    cudaGraph_t recorded;
    cudaGraphExec_t exec;
    cudaGraphCreate(&recorded, 0);
    CHECK(cudnnBackendPopulateCudaGraph(handle, used.d, pack.d, recorded));
    CHECK(cudnnBackendUpdateCudaGraph(handle, used.d, pack.d, recorded));
    cudaGraphInstantiate(&exec, recorded, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(recorded);
  }
  cudaFree(work);
  return bytes;
}

/// With numbers of rows, columns and products that count, if they are given; the rest of C becomes `padding`.
static Descriptor matmul(const Tensor &a, const Tensor &b, const Tensor &c, const Tensor *rows = nullptr,
                         const Tensor *columns = nullptr, const Tensor *depth = nullptr, double padding = 0) {
  Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  how.choice(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  if (padding != 0) how.number(CUDNN_ATTR_MATMUL_PADDING_VALUE, padding);
  how.finalize();
  if (rows) operation.part(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, rows->d);
  if (columns) operation.part(CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, columns->d);
  if (depth) operation.part(CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, depth->d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.d);
  operation.part(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
  operation.finalize();
  return operation;
}
static Descriptor pointwise(int mode, const Tensor &y, const Tensor &x, const Tensor *b = nullptr,
                            const Tensor *t = nullptr, int axis = -1) {
  Descriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  how.choice(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  // As frontends have it: whole numbers for indices, and truths for masks.
  bool isWhole = y.type == CUDNN_DATA_INT32 || y.type == CUDNN_DATA_BOOLEAN;
  how.choice(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, isWhole ? y.type : (int)CUDNN_DATA_FLOAT);
  if (axis >= 0) how.integer(CUDNN_ATTR_POINTWISE_AXIS, axis);
  how.finalize();
  bool isBackward = mode >= CUDNN_POINTWISE_RELU_BWD && mode <= CUDNN_POINTWISE_GELU_APPROX_TANH_BWD;
  operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
  operation.part(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x.d);
  int second = isBackward ? CUDNN_ATTR_OPERATION_POINTWISE_DYDESC : CUDNN_ATTR_OPERATION_POINTWISE_BDESC;
  if (b) operation.part(second, b->d);
  if (t) operation.part(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, t->d);
  operation.part(isBackward ? CUDNN_ATTR_OPERATION_POINTWISE_DXDESC : CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y.d);
  operation.finalize();
  return operation;
}
static Descriptor reduction(int op, const Tensor &y, const Tensor &x) {
  Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  how.choice(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
  how.choice(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  how.finalize();
  operation.part(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.d);
  operation.part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y.d);
  operation.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
  operation.finalize();
  return operation;
}
/// first: alpha's attribute, whose kind's other ones follow in the order of `tensors`.
static Descriptor convolution(cudnnBackendDescriptorType_t type, int first, const std::vector<const Tensor *> &tensors,
                              const Dims &pre, const Dims &post, const Dims &stride, const Dims &dilation) {
  Descriptor how(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR), operation(type);
  how.choice(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  how.choice(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  how.integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, (int64_t)pre.size());
  how.list(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, pre);
  how.list(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, post);
  how.list(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride);
  how.list(CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation);
  how.finalize();
  operation.number(first, 2);
  operation.number(first + 1, 0);
  operation.part(first + 2, how);
  for (size_t i = 0; i < tensors.size(); i++) operation.part(first + 3 + (int)i, tensors[i]->d);
  operation.finalize();
  return operation;
}
/// Ones and zeros of equal probability.
static Descriptor coins(const Tensor &y) {
  Descriptor rng(CUDNN_BACKEND_RNG_DESCRIPTOR), operation(CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR);
  rng.choice(CUDNN_ATTR_RNG_DISTRIBUTION, CUDNN_TYPE_RNG_DISTRIBUTION, CUDNN_RNG_DISTRIBUTION_BERNOULLI);
  rng.number(CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY, 0.5);
  rng.finalize();
  operation.part(CUDNN_ATTR_OPERATION_RNG_YDESC, y.d);
  operation.part(CUDNN_ATTR_OPERATION_RNG_DESC, rng);
  operation.integer(CUDNN_ATTR_OPERATION_RNG_SEED, 5);
  operation.finalize();
  return operation;
}
static Descriptor reshape(const Tensor &y, const Tensor &x) {
  Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.part(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x.d);
  operation.part(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y.d);
  operation.finalize();
  return operation;
}
