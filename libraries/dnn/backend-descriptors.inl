// Making descriptors, and setting and reading their attributes.

namespace heddle_dnn {

static double number_at(const Attribute &a, size_t i) {
  const char *at = a.bytes.data() + i * (a.bytes.size() / (size_t)a.count);
  switch (a.type) {
    case CUDNN_TYPE_DOUBLE: return *(const double *)at;
    case CUDNN_TYPE_FLOAT: return *(const float *)at;
    case CUDNN_TYPE_INT64: return (double)*(const i64 *)at;
    case CUDNN_TYPE_BOOLEAN: return *(const bool *)at;
    case CUDNN_TYPE_FRACTION:
      return (double)((const cudnnFraction_t *)at)->numerator / (double)((const cudnnFraction_t *)at)->denominator;
    default: return *(const int *)at;
  }
}
static i64 integer_at(const Attribute &a, size_t i) {
  return a.type == CUDNN_TYPE_INT64 ? ((const i64 *)a.bytes.data())[i] : (i64)number_at(a, i);
}
i64 Content::integer(int name, i64 otherwise) const {
  const Attribute *a = find(name);
  return a && a->count > 0 ? integer_at(*a, 0) : otherwise;
}
double Content::number(int name, double otherwise) const {
  const Attribute *a = find(name);
  return a && a->count > 0 ? number_at(*a, 0) : otherwise;
}

} // namespace heddle_dnn

namespace {

Attribute &attribute_of(Content &c, int name, int type) {
  for (Attribute &a : c.attributes)
    if (a.name == name) {
      a.type = type;
      return a;
    }
  c.attributes.push_back({name, type, 0, {}, {}});
  return c.attributes.back();
}
void put_integer(Content &c, int name, int type, i64 value) {
  Attribute &a = attribute_of(c, name, type);
  a.isResult = true;
  a.count = 1;
  a.bytes.assign((const char *)&value, (const char *)&value + attribute_bytes(type));
}
void put_text(Content &c, int name, const std::string &text) {
  Attribute &a = attribute_of(c, name, CUDNN_TYPE_CHAR);
  a.isResult = true;
  a.bytes.assign(text.begin(), text.end());
  a.bytes.push_back(0);
  a.count = (i64)a.bytes.size();
}
void put_part(Content &c, int name, const Part &part) {
  Attribute &a = attribute_of(c, name, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  a.isResult = true;
  a.count = 1;
  a.parts.assign(1, part);
}

bool is_kind(int type) {
  // Block scales are of GPUs after those that are emulated; band matrices have no documentation.
  return type >= 0 && type <= CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR &&
         type != CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR &&
         type != CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR;
}
Descriptor *descriptor_of(cudnnBackendDescriptor_t d) { return d && is_live(d) ? (Descriptor *)d : nullptr; }
int get_from_nvidia(const Part &c, int name, int type, i64 requested, int64_t *count, void *elements);

} // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *descriptor) {
  if (!descriptor) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  HEDDLE_DNN_HAVE(is_kind(type));
  Descriptor *made = nullptr;
  if (cudnnStatus_t wrong = make_object(&made)) return wrong;
  made->content = std::make_shared<Content>();
  made->content->type = type;
  *descriptor = made;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t d) {
  return d ? destroy_object((Descriptor *)d) : CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
}

cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t d) {
  Descriptor *descriptor = descriptor_of(d);
  HEDDLE_DNN_NEED(descriptor);
  int type = descriptor->content->type;
  descriptor->content = std::make_shared<Content>();
  descriptor->content->type = type;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  if (!d) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  Descriptor *descriptor = descriptor_of(d);
  HEDDLE_DNN_NEED(descriptor);
  Content &c = *descriptor->content;
  if (c.isFinal) return CUDNN_STATUS_NOT_INITIALIZED; // as documented: it is already initialized
  const Row *row = row_of(c.type, name);
  HEDDLE_DNN_NEED(row && !(row->flags & READ));
  if (!has_type(*row, type)) return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
  HEDDLE_DNN_NEED(count >= 0 && (row->flags & LIST || count == 1));
  if (count > 0 && !elements) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  std::vector<Part> parts;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    for (i64 i = 0; i < count; i++) {
      const Descriptor *part = descriptor_of(((const cudnnBackendDescriptor_t *)elements)[i]);
      HEDDLE_DNN_NEED(part);
      // a cache is filled by the graph that it belongs to
      bool isOpen = part->content->type == CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR;
      if (!part->content->isFinal && !isOpen) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
      parts.push_back(part->content);
    }
  Attribute &a = attribute_of(c, name, type);
  a.isResult = false;
  a.count = count;
  a.parts = std::move(parts);
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) a.bytes.clear();
  else a.bytes.assign((const char *)elements, (const char *)elements + (size_t)count * attribute_bytes(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(const cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested, int64_t *count,
                                       void *elements) {
  Descriptor *descriptor = descriptor_of(d);
  HEDDLE_DNN_NEED(descriptor && requested >= 0);
  const Content &c = *descriptor->content;
  if (!c.isFinal) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
  const Row *row = row_of(c.type, name);
  HEDDLE_DNN_NEED(row);
  if (!has_type(*row, type)) return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
  const Attribute *a = c.find(name);
  if (!a || a->isResult) {
    int status = get_from_nvidia(descriptor->content, name, type, requested, count, elements);
    if (status >= 0) return (cudnnStatus_t)status;
  }
  if (a && a->type != type) return CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE;
  i64 there = a ? a->count : 0, copied = there < requested ? there : requested;
  if (count) *count = there;
  if (!elements || copied == 0) return CUDNN_STATUS_SUCCESS;
  if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    memcpy(elements, a->bytes.data(), (size_t)copied * attribute_bytes(type));
    return CUDNN_STATUS_SUCCESS;
  }
  // the program has made descriptors of the same kind, which become those that are asked for
  for (i64 i = 0; i < copied; i++) {
    Descriptor *to = descriptor_of(((cudnnBackendDescriptor_t *)elements)[i]);
    HEDDLE_DNN_NEED(to);
    if (to->content->type != a->parts[(size_t)i]->type) return CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE;
    to->content = a->parts[(size_t)i];
  }
  return CUDNN_STATUS_SUCCESS;
}

} // extern "C"
