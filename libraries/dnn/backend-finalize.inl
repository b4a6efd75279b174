// Finalizing descriptors: what must be there, and what follows from it.

namespace {

cudnnStatus_t finalize_own(const Part &c);
Part read_text(const Attribute &text);
void write_text(const Content &c, std::string &to);

/// There is one engine, which does the operations of a graph one after the other.
constexpr int ENGINES = 1;
constexpr int SHARED_BYTES = (int)sizeof(double) * THREADS / 32; // of block_sum

cudnnStatus_t finalize_graph(Content &c) {
  const Attribute *operations = c.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  HEDDLE_DNN_NEED(operations && operations->count > 0);
  const Attribute *handle = c.find(CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  if (handle) HEDDLE_DNN_NEED(is_live(*(const void *const *)handle->bytes.data()));
  if (cudnnStatus_t wrong = plan_of(operations->parts, c.plan)) return wrong;
  put_integer(c, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, ENGINES);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_engine(Content &c) {
  const Content *graph = c.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
  i64 index = c.integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, -1);
  HEDDLE_DNN_NEED(graph && graph->plan && index >= 0);
  HEDDLE_DNN_HAVE(index < ENGINES);
  c.plan = graph->plan;
  // launches are captured like any others
  put_integer(c, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
              CUDNN_BEHAVIOR_NOTE_SUPPORTS_CUDA_GRAPH_NATIVE_API);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_configuration(Content &c) {
  const Content *engine = c.part(CUDNN_ATTR_ENGINECFG_ENGINE);
  HEDDLE_DNN_NEED(engine && engine->plan);
  // an engine without knobs has no choices
  const Attribute *choices = c.find(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
  HEDDLE_DNN_HAVE(!choices || choices->count == 0);
  c.plan = engine->plan;
  put_integer(c, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE, CUDNN_TYPE_INT64, (i64)c.plan->bytes);
  put_integer(c, CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, CUDNN_TYPE_INT32, SHARED_BYTES);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_heuristics(Content &c) {
  const Attribute *graphs = c.find(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  i64 mode = c.integer(CUDNN_ATTR_ENGINEHEUR_MODE, -1);
  HEDDLE_DNN_NEED(graphs && graphs->count == 1 && mode >= 0 && mode < CUDNN_HEUR_MODES_COUNT);
  Part engine = std::make_shared<Content>(), configuration = std::make_shared<Content>();
  engine->type = CUDNN_BACKEND_ENGINE_DESCRIPTOR;
  configuration->type = CUDNN_BACKEND_ENGINECFG_DESCRIPTOR;
  put_part(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graphs->parts[0]);
  put_integer(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 0);
  if (cudnnStatus_t wrong = finalize_own(engine)) return wrong;
  put_part(*configuration, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  if (cudnnStatus_t wrong = finalize_own(configuration)) return wrong;
  put_part(c, CUDNN_ATTR_ENGINEHEUR_RESULTS, configuration);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_plan(Content &c) {
  if (const Attribute *text = c.find(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION)) {
    Part configuration = read_text(*text);
    if (!configuration || configuration->type != CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)
      return CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH;
    put_part(c, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  }
  const Content *configuration = c.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  HEDDLE_DNN_NEED(configuration && configuration->plan);
  c.plan = configuration->plan;
  put_integer(c, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, (i64)c.plan->bytes);
  std::string text;
  write_text(*configuration, text);
  put_text(c, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, text);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_pack(const Content &c) {
  const Attribute *ids = c.find(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const Attribute *pointers = c.find(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  HEDDLE_DNN_NEED(ids && pointers && ids->count == pointers->count);
  for (i64 i = 0; i < ids->count; i++)
    for (i64 j = 0; j < i; j++)
      if (integer_at(*ids, (size_t)i) == integer_at(*ids, (size_t)j)) return CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t finalize_device(Content &c) {
  if (c.find(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION)) return CUDNN_STATUS_SUCCESS;
  cudaDeviceProp properties;
  int device = 0;
  cudaGetDevice(&device);
  device = (int)c.integer(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, device);
  HEDDLE_DNN_NEED(cudaGetDeviceProperties(&properties, device) == cudaSuccess);
  put_text(c, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION,
           "{\"name\":\"" + std::string(properties.name) + "\",\"major\":" + std::to_string(properties.major) +
               ",\"minor\":" + std::to_string(properties.minor) + "}");
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t check_convolution_descriptor(const Content &c) {
  i64 space = c.integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  HEDDLE_DNN_NEED(space > 0 && c.find(CUDNN_ATTR_CONVOLUTION_CONV_MODE) && c.find(CUDNN_ATTR_CONVOLUTION_COMP_TYPE));
  for (int name : {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
                   CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS}) {
    const Attribute *list = c.find(name);
    HEDDLE_DNN_NEED(list && list->count == space);
    bool isPadding = name >= CUDNN_ATTR_CONVOLUTION_POST_PADDINGS;
    for (size_t i = 0; i < (size_t)space; i++) HEDDLE_DNN_NEED(integer_at(*list, i) >= (isPadding ? 0 : 1));
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize_content(Content &c) {
  switch (c.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR: return check_tensor(c);
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR: return check_convolution_descriptor(c);
    case CUDNN_BACKEND_POINTWISE_DESCRIPTOR:
      HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_POINTWISE_MODE) && c.find(CUDNN_ATTR_POINTWISE_MATH_PREC));
      break;
    case CUDNN_BACKEND_MATMUL_DESCRIPTOR: HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_MATMUL_COMP_TYPE)); break;
    case CUDNN_BACKEND_REDUCTION_DESCRIPTOR:
      HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_REDUCTION_OPERATOR) && c.find(CUDNN_ATTR_REDUCTION_COMP_TYPE));
      break;
    case CUDNN_BACKEND_RESAMPLE_DESCRIPTOR: HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_RESAMPLE_MODE)); break;
    case CUDNN_BACKEND_RNG_DESCRIPTOR: HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_RNG_DISTRIBUTION)); break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return finalize_graph(c);
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR: return finalize_engine(c);
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: return finalize_configuration(c);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: return finalize_heuristics(c);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return finalize_plan(c);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR: return finalize_pack(c);
    case CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR: return finalize_device(c);
    case CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR:
      HEDDLE_DNN_NEED(c.find(CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS));
      break;
    case CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR: return CUDNN_STATUS_NOT_SUPPORTED; // of several devices
    case CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR: {
      const Content *graph = c.part(CUDNN_ATTR_KERNEL_CACHE_OPERATION_GRAPH);
      put_integer(c, CUDNN_ATTR_KERNEL_CACHE_IS_ENGINECFG_KERNEL_CACHED, CUDNN_TYPE_BOOLEAN, graph != nullptr);
      put_text(c, CUDNN_ATTR_KERNEL_CACHE_JSON_REPRESENTATION, "{}");
      break;
    }
    // what only the library makes
    case CUDNN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR: case CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR:
    case CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR:
      return CUDNN_STATUS_BAD_PARAM;
  }
  // an operation by itself is a graph, too
  if (!kind_of(c.type)) return CUDNN_STATUS_SUCCESS;
  Plan plan;
  Step step;
  Part operation = std::make_shared<Content>(c);
  if (cudnnStatus_t wrong = read_step(plan, operation, step)) return wrong;
  return check_step(plan, step);
}
/// Without NVIDIA's library.
cudnnStatus_t finalize_own(const Part &c) {
  cudnnStatus_t status = finalize_content(*c);
  c->isFinal = status == CUDNN_STATUS_SUCCESS;
  return status;
}

/// What runs a plan: its kernels go to the handle's stream.
cudnnStatus_t execute(cudnnContext *h, const Content &plan, const Content &pack) {
  if (!plan.plan) return CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API; // NVIDIA's library alone can run it
  Run run{h, plan.plan.get(), {}};
  if (cudnnStatus_t wrong = find_tensors(run, pack)) return wrong;
  for (; run.slice < plan.plan->slices(); run.slice++) {
    if (run.slice > 0) next_slice(run);
    for (const Step &step : plan.plan->steps)
      if (cudnnStatus_t wrong = run_step(run, step)) return wrong;
  }
  return CUDNN_STATUS_SUCCESS;
}
/// The plan and the pack of a call, or the status if they are none.
cudnnStatus_t check_execution(cudnnContext *h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  HEDDLE_DNN_HANDLE(h);
  if (!plan || !pack) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  const Descriptor *p = descriptor_of(plan), *v = descriptor_of(pack);
  HEDDLE_DNN_NEED(p && v);
  if (p->content->type != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
  if (v->content->type != CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
  if (!p->content->isFinal || !v->content->isFinal) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
  return CUDNN_STATUS_SUCCESS;
}
/// By NVIDIA's library, where the plan is its own (backend-vendor.inl).
cudnnStatus_t run(cudnnContext *h, Content &plan, Content &pack);
/// Records the launches of a plan in a graph.
cudnnStatus_t record(cudnnContext *h, Content &plan, Content &pack, cudaGraph_t graph) {
  cudaStream_t own, stream = h->stream;
  cudnnStatus_t status = CUDNN_STATUS_EXECUTION_FAILED_CUDART;
  if (cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess) return status;
  if (cudaStreamBeginCaptureToGraph(own, graph, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed) == cudaSuccess) {
    h->stream = own;
    status = run(h, plan, pack);
    h->stream = stream;
    cudaGraph_t same;
    if (cudaStreamEndCapture(own, &same) != cudaSuccess && !status) status = CUDNN_STATUS_EXECUTION_FAILED_CUDART;
  }
  cudaStreamDestroy(own);
  return status;
}

} // namespace

#include "backend-vendor.inl"

extern "C" {

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t d) {
  if (!d) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  Descriptor *descriptor = descriptor_of(d);
  HEDDLE_DNN_NEED(descriptor);
  return descriptor->content->isFinal ? CUDNN_STATUS_SUCCESS : finalize(descriptor->content);
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
  if (cudnnStatus_t wrong = check_execution(h, plan, pack)) return wrong;
  return run(h, *((Descriptor *)plan)->content, *((Descriptor *)pack)->content);
}

cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t h, cudnnBackendDescriptor_t plan,
                                            cudnnBackendDescriptor_t pack, cudaGraph_t graph) {
  if (cudnnStatus_t wrong = check_execution(h, plan, pack)) return wrong;
  size_t nodes = 0;
  if (cudaGraphGetNodes(graph, nullptr, &nodes) != cudaSuccess) return CUDNN_STATUS_BAD_PARAM;
  HEDDLE_DNN_NEED(nodes == 0);
  return record(h, *((Descriptor *)plan)->content, *((Descriptor *)pack)->content, graph);
}

/// The graph's nodes are made again: they are of the same plan, so that an executable graph can be updated.
cudnnStatus_t cudnnBackendUpdateCudaGraph(cudnnHandle_t h, cudnnBackendDescriptor_t plan,
                                          cudnnBackendDescriptor_t pack, cudaGraph_t graph) {
  if (cudnnStatus_t wrong = check_execution(h, plan, pack)) return wrong;
  size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return CUDNN_STATUS_BAD_PARAM;
  if (count == 0) return CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH;
  std::vector<cudaGraphNode_t> nodes(count);
  cudaGraphGetNodes(graph, nodes.data(), &count);
  for (cudaGraphNode_t node : nodes) cudaGraphDestroyNode(node);
  if (cudnnStatus_t wrong = record(h, *((Descriptor *)plan)->content, *((Descriptor *)pack)->content, graph))
    return wrong;
  size_t made = 0;
  cudaGraphGetNodes(graph, nullptr, &made);
  return made == count ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH;
}

} // extern "C"
