// A graph of cuDNN whose work NVIDIA's library does, if there is one: y = relu(x * factor), where the factor lies on
// the host. Prints what the library answers, and y.
#include <cudnn.h>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

static void check(cudnnStatus_t status, const char *what) {
  if (status != CUDNN_STATUS_SUCCESS) printf("%s: %d\n", what, (int)status);
}
struct Made {
  cudnnBackendDescriptor_t d = nullptr;
  explicit Made(cudnnBackendDescriptorType_t type) { check(cudnnBackendCreateDescriptor(type, &d), "create"); }
  ~Made() { cudnnBackendDestroyDescriptor(d); }
  Made &set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
    check(cudnnBackendSetAttribute(d, name, type, count, elements), "set");
    return *this;
  }
  template <class T> Made &set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, T value) {
    return set(name, type, 1, &value);
  }
  Made &set(cudnnBackendAttributeName_t name, const Made &part) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.d);
  }
  cudnnStatus_t finish() { return cudnnBackendFinalize(d); }
  int64_t integer(cudnnBackendAttributeName_t name) {
    int64_t value = -1, count = 0;
    check(cudnnBackendGetAttribute(d, name, CUDNN_TYPE_INT64, 1, &count, &value), "get");
    return value;
  }
};
static void tensor(Made &t, int64_t id, std::initializer_list<int64_t> shape, bool isVirtual, bool isValue) {
  std::vector<int64_t> dim(shape), stride(dim.size(), 1);
  for (size_t i = dim.size() - 1; i-- > 0;) stride[i] = stride[i + 1] * dim[i + 1];
  t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id)
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, (int64_t)dim.size(), dim.data())
      .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, (int64_t)dim.size(), stride.data())
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, (int64_t)16)
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, isVirtual)
      .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, isValue);
  check(t.finish(), "tensor");
}
static void pointwise(Made &p, cudnnPointwiseMode_t mode) {
  p.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  p.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  check(p.finish(), "pointwise");
}

int main() {
  cudnnHandle_t handle;
  cudnnCreate(&handle);
  Made x(CUDNN_BACKEND_TENSOR_DESCRIPTOR), f(CUDNN_BACKEND_TENSOR_DESCRIPTOR), t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  Made y(CUDNN_BACKEND_TENSOR_DESCRIPTOR), mul(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  Made relu(CUDNN_BACKEND_POINTWISE_DESCRIPTOR), first(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  Made second(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR), graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  tensor(x, 1, {1, 2, 4}, false, false), tensor(f, 2, {1, 1, 1}, false, true);
  tensor(t, 3, {1, 2, 4}, true, false), tensor(y, 4, {1, 2, 4}, false, false);
  pointwise(mul, CUDNN_POINTWISE_MUL), pointwise(relu, CUDNN_POINTWISE_RELU_FWD);
  first.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, mul).set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  first.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, f).set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, t);
  check(first.finish(), "first");
  second.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, relu).set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, t);
  second.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  check(second.finish(), "second");
  const cudnnBackendDescriptor_t operations[] = {first.d, second.d};
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, operations);
  check(graph.finish(), "graph");
  Made heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
  check(heuristics.finish(), "heuristics");
  int64_t found = 0;
  check(cudnnBackendGetAttribute(heuristics.d, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &found,
                                 &configuration.d), "results");
  Made plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  check(plan.finish(), "plan");
  int64_t bytes = plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE), length = 0;
  printf("engines %lld configurations %lld\n", (long long)graph.integer(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT),
         (long long)found);
  cudnnBackendGetAttribute(plan.d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &length, nullptr);
  std::string text((size_t)length, ' ');
  cudnnBackendGetAttribute(plan.d, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, length, &length,
                           &text[0]);
  Made again(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  again.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
  again.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, length, text.data());
  check(again.finish(), "text");

  float values[8], *data[2], factor = -2;
  void *space = nullptr;
  for (int i = 0; i < 8; i++) values[i] = (float)(i - 4);
  for (float *&one : data) cudaMalloc(&one, sizeof values);
  cudaMemcpy(data[0], values, sizeof values, cudaMemcpyHostToDevice);
  if (bytes > 0) cudaMalloc(&space, (size_t)bytes);
  Made pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const int64_t ids[] = {1, 2, 4};
  void *const pointers[] = {data[0], &factor, data[1]};
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, space);
  check(pack.finish(), "pack");
  auto run = [&](const char *what, const Made &plan, cudaStream_t stream) {
    cudaGraph_t recorded;
    cudaMemset(data[1], 0, sizeof values);
    cudaDeviceSynchronize();
    cudnnSetStream(handle, stream);
    if (stream) cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    check(cudnnBackendExecute(handle, plan.d, pack.d), "execute");
    if (stream) {
      cudaGraphExec_t executable;
      cudaStreamEndCapture(stream, &recorded);
      cudaGraphInstantiate(&executable, recorded, 0);
      cudaGraphLaunch(executable, stream), cudaStreamSynchronize(stream);
      cudaGraphExecDestroy(executable), cudaGraphDestroy(recorded);
    }
    cudaMemcpy(values, data[1], sizeof values, cudaMemcpyDeviceToHost);
    printf("%s:", what);
    for (float value : values) printf(" %g", value);
    printf("\n");
  };
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  run("plan", plan, nullptr);
  run("text", again, nullptr);
  run("captured", plan, stream);
  cudnnDestroy(handle);
  return 0;
}
