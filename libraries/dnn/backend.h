// The graph API of cuDNN: descriptors with attributes, the plan that an operation graph becomes, and what its kernels
// see of a tensor.
#pragma once
#include <memory>
#include <string>
#include "elements.cuh"

namespace heddle_dnn {

struct Plan;
struct Content;
typedef std::shared_ptr<Content> Part;

/// What cudnnBackendSetAttribute left. Descriptors are shared: those that a program destroys live on in the others.
struct Attribute {
  int name, type;
  i64 count;
  std::vector<char> bytes;
  std::vector<Part> parts;
  /// It follows from the others.
  bool isResult = false;
};
/// NVIDIA's descriptor of the same content (backend-vendor.inl). A copy of ours has none.
struct VendorDescriptor {
  unsigned long long handle = 0;
  VendorDescriptor() = default;
  VendorDescriptor(const VendorDescriptor &) {}
  VendorDescriptor &operator=(const VendorDescriptor &) = delete;
  ~VendorDescriptor() {
    if (handle) call_nvidia(nullptr, "cudnn", 0, "cudnnBackendDestroyDescriptor", handle);
  }
};
struct Content {
  int type = 0;
  bool isFinal = false;
  std::vector<Attribute> attributes;
  /// Of an operation graph, and of what is made from it. Null: only NVIDIA's library has a plan.
  std::shared_ptr<Plan> plan;
  /// What NVIDIA's library made this from.
  Part source;
  VendorDescriptor vendor;
  const Attribute *find(int name) const {
    for (const Attribute &a : attributes) if (a.name == name) return &a;
    return nullptr;
  }
  i64 integer(int name, i64 otherwise = 0) const;
  double number(int name, double otherwise = 0) const;
  const Content *part(int name) const {
    const Attribute *a = find(name);
    return a && !a->parts.empty() ? a->parts[0].get() : nullptr;
  }
};
/// What a cudnnBackendDescriptor_t points to.
struct Descriptor {
  Part content;
};

constexpr int RANK = CUDNN_DIM_MAX;

/// A tensor of a graph. Tensors are known by their numbers (CUDNN_ATTR_TENSOR_UNIQUE_ID).
struct GraphTensor {
  i64 id = 0;
  int type = 0, rank = 0;
  i64 dim[RANK] = {}, stride[RANK] = {};
  bool isVirtual = false, isValue = false;
  /// The plan made it: virtual, and without a number.
  bool isOwn = false;
  /// Number of the tensor with the offsets of sequences; the first dimension then has no stride.
  i64 ragged = 0;
  bool isRagged = false;
  /// Virtual tensors: where they are in the work space, or the tensor whose memory they have.
  size_t place = 0;
  int sameAs = -1;
  i64 elements() const {
    i64 all = 1;
    for (int i = 0; i < rank; i++) all *= dim[i];
    return all;
  }
  i64 extent() const {
    i64 last = 0;
    for (int i = 0; i < rank; i++) last += (dim[i] - 1) * stride[i];
    return last + 1;
  }
};

/// A tensor as kernels see it. `data` is null for a value that the program gave.
struct View {
  void *data;
  int type, rank;
  int dim[RANK];
  i64 stride[RANK];
  double value;
  i64 bits;
  const void *ragged;
  int raggedType;
  /// Dimensions of size 1 repeat their element; of k and k * n indices, n have the same element.
  __device__ __forceinline__ i64 place(const int (&index)[RANK]) const {
    i64 at = 0;
    for (int i = 0; i < rank; i++) if (dim[i] > 1) at += index[i] * stride[i];
    return at;
  }
};

/// One step of a plan: an operation with the indices of its tensors in the plan's list.
struct Step {
  int kind; // cudnnBackendDescriptorType_t of the operation
  Part operation;
  std::vector<int> tensors; // in the order of the operation's reader; -1: it is not there
  std::vector<int> more;    // of an operation with any number of tensors
  bool isOfSoftmax = false; // rows in which nothing is are zeros
};
struct Plan {
  std::vector<GraphTensor> tensors;
  std::vector<Step> steps;
  size_t bytes = 0; // of the work space
  /// A plan may run by itself for each index of the first one or two dimensions of its tensors.
  int sliced = 0;
  i64 extent[2] = {1, 1}; // of these dimensions
  i64 slices() const { return extent[0] * extent[1]; }
  bool isSliced(const GraphTensor &t, int i) const {
    return i < sliced && !t.isOwn && !t.isValue && extent[i] > 1 && t.dim[i] == extent[i];
  }
  int find(i64 id) const {
    for (size_t i = 0; i < tensors.size(); i++) if (!tensors[i].isOwn && tensors[i].id == id) return (int)i;
    return -1;
  }
};

/// What runs: the plan, the handle, and where all tensors are.
struct Run {
  cudnnContext *h;
  const Plan *plan;
  std::vector<View> views;
  i64 slice = 0;
  const View &view(const Step &step, size_t which) const { return views[(size_t)step.tensors[which]]; }
  bool has(const Step &step, size_t which) const { return step.tensors[which] >= 0; }
};

/// CUDNN_CONVOLUTION_FORWARD, … of a graph (convolution.cu).
struct GraphConvolution {
  int kind; // of the operation
  int rank; // of space
  i64 pad[RANK], stride[RANK], dilation[RANK];
  int mode;
  double alpha, beta;
};
cudnnStatus_t run_convolution(cudnnContext *h, const GraphConvolution &c, const View &x, const View &w, const View &y);

} // namespace heddle_dnn
