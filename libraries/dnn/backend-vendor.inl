// The graph API of NVIDIA's library, where the device is a GPU that has it. From the operation graph on, its
// heuristics, engines, plans and runs stand for ours. Our descriptors keep what the program set. NVIDIA's are made from
// them when an operation graph is finalized. Ours have a plan beside NVIDIA's where they can, for memory that host
// and device share.

namespace {

constexpr const char *SET = "cudnnBackendSetAttribute";

template <class... Values> int ask_nvidia(const char *name, Values... values) {
  return call_nvidia(nullptr, "cudnn", 0, name, values...);
}
bool has_nvidia() {
  VendorDescriptor probe;
  int status = ask_nvidia("cudnnBackendCreateDescriptor", (int)CUDNN_BACKEND_TENSOR_DESCRIPTOR, Host{&probe.handle});
  if (status != 0) probe.handle = 0;
  return status == 0;
}

/// A status, or a negative number if NVIDIA's library cannot be called with this memory.
int set_addresses(unsigned long long made, const Attribute &a) {
  std::vector<unsigned long long> list{(unsigned long long)a.count};
  for (i64 i = 0; i < a.count; i++) {
    void *address = ((void *const *)a.bytes.data())[i];
    cudaPointerAttributes place{};
    if (address && cudaPointerGetAttributes(&place, address) != cudaSuccess) {
      cudaGetLastError();
      place.type = cudaMemoryTypeUnregistered;
    }
    if (place.type == cudaMemoryTypeManaged || place.type == cudaMemoryTypeHost) return NOT_NOW;
    list.push_back(!address || place.type == cudaMemoryTypeDevice);
    list.push_back((uintptr_t)address);
  }
  return ask_nvidia(SET, made, a.name, a.type, a.count, Addresses{list.data()});
}

int make_vendor(Content &c);
int set_vendor(unsigned long long made, const Attribute &a) {
  if (a.type == CUDNN_TYPE_VOID_PTR) return set_addresses(made, a);
  if (a.type == CUDNN_TYPE_HANDLE)
    return call_nvidia(*(const void *const *)a.bytes.data(), "cudnn", 0, SET, made, a.name, a.type, a.count,
                       OwnHandleAt{});
  if (a.type != CUDNN_TYPE_BACKEND_DESCRIPTOR)
    return ask_nvidia(SET, made, a.name, a.type, a.count, Host{a.bytes.data()});
  std::vector<unsigned long long> parts;
  for (const Part &part : a.parts) {
    if (int status = make_vendor(*part)) return status;
    parts.push_back(part->vendor.handle);
  }
  return ask_nvidia(SET, made, a.name, a.type, a.count, Host{parts.data()});
}
/// NVIDIA's descriptor, and those that it needs. The status if NVIDIA's library does not take it, or a negative number.
int make_vendor(Content &c) {
  if (c.vendor.handle) return 0;
  VendorDescriptor made;
  int status = ask_nvidia("cudnnBackendCreateDescriptor", c.type, Host{&made.handle});
  if (status) made.handle = 0;
  for (const Attribute &a : c.attributes) if (!status && !a.isResult) status = set_vendor(made.handle, a);
  // an open cache is filled by the graph that it belongs to
  bool isOpen = c.type == CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR && !c.isFinal;
  if (!status && !isOpen) status = ask_nvidia("cudnnBackendFinalize", made.handle);
  if (!status) std::swap(c.vendor.handle, made.handle);
  return status;
}

/// What is made from an operation graph, and the attribute that says from what.
int source_name(int type) {
  switch (type) {
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR: return CUDNN_ATTR_ENGINE_OPERATION_GRAPH;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: return CUDNN_ATTR_ENGINECFG_ENGINE;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: return CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: return CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG;
    default: return -1;
  }
}
bool is_unsupported(int status) { return status >= CUDNN_STATUS_NOT_SUPPORTED && status < 4000; }
/// Whether NVIDIA's library has an engine. It counts engines for graphs, too, for which it then gives none.
bool has_results(const Content &heuristics) {
  i64 count = 0;
  VendorDescriptor one;
  if (ask_nvidia("cudnnBackendCreateDescriptor", (int)CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, Host{&one.handle}) != 0) {
    one.handle = 0;
    return false;
  }
  int status = ask_nvidia("cudnnBackendGetAttribute", heuristics.vendor.handle, (int)CUDNN_ATTR_ENGINEHEUR_RESULTS,
                          (int)CUDNN_TYPE_BACKEND_DESCRIPTOR, (i64)1, Host{&count}, Host{&one.handle});
  return status == 0 && count > 0;
}

/// A graph is NVIDIA's if NVIDIA's library takes it, and ours otherwise.
cudnnStatus_t finalize_any_graph(const Part &c) {
  cudnnStatus_t own = finalize_own(c);
  if (own && !is_unsupported(own)) return own;
  int status = make_vendor(*c);
  c->isFinal = status == 0 || own == CUDNN_STATUS_SUCCESS;
  if (c->isFinal) return CUDNN_STATUS_SUCCESS;
  return status > 0 ? (cudnnStatus_t)status : own;
}
cudnnStatus_t finalize(const Part &c) {
  if (c->type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) return finalize_any_graph(c);
  int name = source_name(c->type);
  if (name < 0) {
    cudnnStatus_t own = finalize_own(c);
    // what ours does not have may be in NVIDIA's: the graph says
    if (is_unsupported(own) && has_nvidia()) c->isFinal = true;
    return c->isFinal ? CUDNN_STATUS_SUCCESS : own;
  }
  const Content *source = c->part(name);
  bool isText = !source && c->find(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  if (!isText && !(source && source->vendor.handle)) return finalize_own(c);
  int status = make_vendor(*c);
  bool isHeuristics = c->type == CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR;
  if (status == 0 && (!isHeuristics || has_results(*c))) {
    if (source) c->plan = source->plan;
    c->isFinal = true;
    return CUDNN_STATUS_SUCCESS;
  }
  // a text may be ours, and ours may have an engine where NVIDIA's library has none
  bool mayBeOurs = status < 0 || isText || (isHeuristics && source->plan);
  if (!mayBeOurs) return status ? (cudnnStatus_t)status : CUDNN_STATUS_NOT_SUPPORTED;
  if (c->vendor.handle) {
    VendorDescriptor unused;
    std::swap(unused.handle, c->vendor.handle);
  }
  return finalize_own(c);
}

/// An attribute that NVIDIA's library made. Negative: ours has it.
int get_from_nvidia(const Part &c, int name, int type, i64 requested, int64_t *count, void *elements) {
  bool isMade = c->type == CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR || source_name(c->type) >= 0 || c->source;
  if (!c->vendor.handle || !isMade) return NOT_NOW;
  i64 there = 0;
  auto get = [&](const void *to) {
    return ask_nvidia("cudnnBackendGetAttribute", c->vendor.handle, name, type, requested, Host{&there}, Host{to});
  };
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR || !elements) {
    int status = get(elements);
    if (status == 0 && count) *count = there;
    // our plan has room, too
    bool isSpace = name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE || name == CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE;
    if (status == 0 && isSpace && elements && c->plan && *(i64 *)elements < (i64)c->plan->bytes)
      *(i64 *)elements = (i64)c->plan->bytes;
    return status;
  }
  // the program has made descriptors of the same kind, which become those that are asked for
  std::vector<Part> made;
  std::vector<unsigned long long> handles;
  for (i64 i = 0; i < requested; i++) {
    const Descriptor *to = descriptor_of(((cudnnBackendDescriptor_t *)elements)[i]);
    HEDDLE_DNN_NEED(to);
    made.push_back(std::make_shared<Content>());
    Content &one = *made.back();
    one.type = to->content->type;
    if (int status = ask_nvidia("cudnnBackendCreateDescriptor", one.type, Host{&one.vendor.handle})) {
      one.vendor.handle = 0;
      return status;
    }
    handles.push_back(one.vendor.handle);
  }
  if (int status = get(handles.data())) return status;
  if (count) *count = there;
  for (i64 i = 0; i < there && i < requested; i++) {
    Content &one = *made[(size_t)i];
    one.isFinal = true;
    one.plan = c->plan;
    one.source = c;
    ((Descriptor *)((cudnnBackendDescriptor_t *)elements)[i])->content = made[(size_t)i];
  }
  return CUDNN_STATUS_SUCCESS;
}

/// Negative: ours must do it.
int execute_by_nvidia(cudnnContext *h, const Content &plan, Content &pack) {
  if (!plan.vendor.handle) return NOT_NOW;
  if (int status = make_vendor(pack)) return status;
  return h->nvidia("cudnnBackendExecute", Work{plan.vendor.handle}, pack.vendor.handle);
}
cudnnStatus_t run(cudnnContext *h, Content &plan, Content &pack) {
  int status = execute_by_nvidia(h, plan, pack);
  return status >= 0 ? (cudnnStatus_t)status : execute(h, plan, pack);
}

} // namespace
