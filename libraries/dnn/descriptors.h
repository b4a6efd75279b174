// What is behind the handle and the descriptors of cuDNN, and NVIDIA's descriptors of the same things.
#pragma once
#include <cudnn.h>
#include <string.h>
#include <new>
#include <vector>
#include "../common/captures.h"
#include "../common/launched.h"
#include "../common/nvidia.h"
#include "../common/scratch.h"

namespace heddle_dnn {

using namespace heddle_nvidia;
typedef long long i64;

/// Objects that a program made and has not destroyed: a call with another pointer ends in a status.
inline std::vector<const void *> &live_objects() {
  static std::vector<const void *> all;
  return all;
}
inline bool is_live(const void *object) {
  std::vector<const void *> &all = live_objects();
  for (size_t i = all.size(); i-- > 0;) if (all[i] == object) return true;
  return false;
}
template <class T> cudnnStatus_t make_object(T **out) {
  if (!out) return CUDNN_STATUS_BAD_PARAM;
  T *object = new (std::nothrow) T;
  if (!object) return CUDNN_STATUS_ALLOC_FAILED;
  live_objects().push_back(object);
  *out = object;
  return CUDNN_STATUS_SUCCESS;
}
template <class T> cudnnStatus_t destroy_object(T *object) {
  if (!object) return CUDNN_STATUS_SUCCESS;
  std::vector<const void *> &all = live_objects();
  for (size_t i = all.size(); i-- > 0;)
    if (all[i] == object) {
      all.erase(all.begin() + i);
      delete object;
      return CUDNN_STATUS_SUCCESS;
    }
  return CUDNN_STATUS_BAD_PARAM;
}

/// NVIDIA's descriptor, made when a call is first handed over, and set again after ours has changed.
struct Vendor {
  const char *create, *destroy;
  unsigned long long handle = 0;
  bool isCurrent = false;
  Vendor(const char *create, const char *destroy) : create(create), destroy(destroy) {}
  ~Vendor() {
    if (handle) call_nvidia(nullptr, "cudnn", 0, destroy, handle);
  }
};
#define HEDDLE_DNN_VENDOR(NAME) \
  mutable heddle_dnn::Vendor vendor { "cudnnCreate" NAME, "cudnnDestroy" NAME }

/// A tensor as kernels see it. Strides count elements; `vect` channels lie side by side (1, 4 or 32).
struct Tensor {
  int type, rank, vect;
  int dim[CUDNN_DIM_MAX];
  int stride[CUDNN_DIM_MAX];
  i64 elements() const {
    i64 all = 1;
    for (int i = 0; i < rank; i++) all *= dim[i];
    return all;
  }
  /// Elements from the first to the last one.
  i64 extent() const {
    if (vect > 1) return elements();
    i64 last = 0;
    for (int i = 0; i < rank; i++) last += (i64)(dim[i] - 1) * stride[i];
    return last + 1;
  }
  bool isPacked() const { return vect == 1 && extent() == elements(); }
  bool hasShapeOf(const Tensor &other) const {
    if (rank != other.rank) return false;
    for (int i = 0; i < rank; i++) if (dim[i] != other.dim[i]) return false;
    return true;
  }
  bool hasStridesOf(const Tensor &other) const {
    for (int i = 0; i < rank; i++) if (stride[i] != other.stride[i] && dim[i] > 1) return false;
    return vect == other.vect;
  }
};

/// The type of an element: CUDNN_DATA_INT8x4 has elements of CUDNN_DATA_INT8.
inline int element_type(int type) {
  if (type == CUDNN_DATA_INT8x4 || type == CUDNN_DATA_INT8x32) return CUDNN_DATA_INT8;
  return type == CUDNN_DATA_UINT8x4 ? CUDNN_DATA_UINT8 : type;
}
inline int vector_length(int type) {
  if (type == CUDNN_DATA_INT8x4 || type == CUDNN_DATA_UINT8x4) return 4;
  return type == CUDNN_DATA_INT8x32 ? 32 : 1;
}
inline size_t bytes_of(int type) {
  switch (element_type(type)) {
    case CUDNN_DATA_DOUBLE: case CUDNN_DATA_INT64: return 8;
    case CUDNN_DATA_HALF: case CUDNN_DATA_BFLOAT16: return 2;
    case CUDNN_DATA_FLOAT: case CUDNN_DATA_INT32: return 4;
    default: return 1;
  }
}
inline bool is_type(int type) { return type >= CUDNN_DATA_FLOAT && type <= CUDNN_DATA_BOOLEAN; }
inline bool is_format(int format) { return format >= CUDNN_TENSOR_NCHW && format <= CUDNN_TENSOR_NCHW_VECT_C; }
/// Real numbers: what all operations have.
inline bool is_real(int type) {
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
         type == CUDNN_DATA_BFLOAT16;
}
/// A factor: a double for tensors of doubles, else a float.
inline double scale_of(const void *factor, int type) {
  return type == CUDNN_DATA_DOUBLE ? *(const double *)factor : *(const float *)factor;
}

/// Fully packed strides. False if the tensor is too large.
inline bool pack(Tensor &t, cudnnTensorFormat_t format) {
  i64 all = 1;
  auto put = [&](int i) {
    t.stride[i] = (int)all;
    all *= t.dim[i];
  };
  if (format == CUDNN_TENSOR_NHWC) {
    put(1);
    for (int i = t.rank - 1; i >= 2; i--) put(i);
    put(0);
  } else
    for (int i = t.rank - 1; i >= 0; i--) put(i);
  return all <= 0x7fffffff;
}

} // namespace heddle_dnn

struct cudnnContext {
  cudaStream_t stream = 0, appliedStream = 0;
  bool mayHaveNvidia = true, hasNvidia = false;
  bool lacksDescriptor = false; // NVIDIA's library did not take a descriptor of the call that comes next

  template <class... Values> int library(const char *name, Values... values) {
    int status = heddle_nvidia::call_nvidia(this, "cudnn", stream, name, values...);
    mayHaveNvidia = status != heddle_nvidia::NEVER;
    hasNvidia = hasNvidia || status >= 0;
    return status;
  }
  /// The status of NVIDIA's function, or a negative number if ours must do the work.
  template <class... Values> int nvidia(const char *name, Values... values) {
    bool isOurs = lacksDescriptor;
    lacksDescriptor = false;
    if (!mayHaveNvidia) return heddle_nvidia::NEVER;
    if (isOurs) return heddle_nvidia::NOT_NOW;
    int status = 0;
    if (appliedStream != stream) {
      status = library("cudnnSetStream", heddle_nvidia::OwnHandle{}, heddle_nvidia::OfStream{stream});
      if (status == 0) appliedStream = stream;
    }
    return status == 0 ? library(name, heddle_nvidia::OwnHandle{}, values...) : status;
  }
  heddle_scratch::Scratch pieces;
  void *scratch(size_t bytes) { return pieces(bytes, stream); }
  ~cudnnContext() {
    if (hasNvidia) library("cudnnDestroy", heddle_nvidia::OwnHandle{});
  }
};

struct cudnnTensorStruct {
  bool isSet = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  heddle_dnn::Tensor t{};
  HEDDLE_DNN_VENDOR("TensorDescriptor");
};
struct cudnnFilterStruct {
  bool isSet = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
  heddle_dnn::Tensor t{}; // outputs, inputs, window
  HEDDLE_DNN_VENDOR("FilterDescriptor");
};
struct cudnnConvolutionStruct {
  bool isSet = false;
  int rank = 0, groups = 1;
  int pad[6], stride[6], dilation[6];
  cudnnConvolutionMode_t mode = CUDNN_CONVOLUTION;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  HEDDLE_DNN_VENDOR("ConvolutionDescriptor");
};
struct cudnnPoolingStruct {
  int rank = 0;
  int window[6], pad[6], stride[6];
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  HEDDLE_DNN_VENDOR("PoolingDescriptor");
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0, swishBeta = 1;
  HEDDLE_DNN_VENDOR("ActivationDescriptor");
};
struct cudnnLRNStruct {
  unsigned n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
  HEDDLE_DNN_VENDOR("LRNDescriptor");
};
struct cudnnOpTensorStruct {
  cudnnOpTensorOp_t op = CUDNN_OP_TENSOR_ADD;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  HEDDLE_DNN_VENDOR("OpTensorDescriptor");
};
struct cudnnReduceTensorStruct {
  cudnnReduceTensorOp_t op = CUDNN_REDUCE_TENSOR_ADD;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  cudnnIndicesType_t indicesType = CUDNN_32BIT_INDICES;
  HEDDLE_DNN_VENDOR("ReduceTensorDescriptor");
};
struct cudnnDropoutStruct {
  float rate = 0;
  void *states = nullptr;
  unsigned long long seed = 0;
};

#undef HEDDLE_DNN_VENDOR

namespace heddle_dnn {

/// NVIDIA's descriptor, made if it is not there; 0 if there is none. `set` is called if ours has changed. A call whose
/// descriptor cannot be made or set is ours.
template <class Object, class Set> unsigned long long vendor_of(cudnnContext *h, const Object *object, Set set) {
  if (!object || !h->mayHaveNvidia) return 0;
  Vendor &vendor = object->vendor;
  if (!vendor.handle && h->library(vendor.create, Host{&vendor.handle}) != 0) vendor.handle = 0;
  if (vendor.handle && !vendor.isCurrent) vendor.isCurrent = set(vendor.handle) == 0;
  if (vendor.handle && vendor.isCurrent) return vendor.handle;
  h->lacksDescriptor = true;
  return 0;
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnTensorStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    const int *dim = d->t.dim;
    if (d->t.vect > 1)
      return h->library("cudnnSetTensor4dDescriptor", made, (int)CUDNN_TENSOR_NCHW_VECT_C, (int)d->type, dim[0],
                        dim[1], dim[2], dim[3]);
    return h->library("cudnnSetTensorNdDescriptor", made, (int)d->type, d->t.rank, Host{dim}, Host{d->t.stride});
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnFilterStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetFilterNdDescriptor", made, (int)d->type, (int)d->format, d->t.rank, Host{d->t.dim});
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnConvolutionStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    int status = h->library("cudnnSetConvolutionNdDescriptor", made, d->rank, Host{d->pad}, Host{d->stride},
                            Host{d->dilation}, (int)d->mode, (int)d->type);
    if (status == 0) status = h->library("cudnnSetConvolutionGroupCount", made, d->groups);
    if (status == 0) status = h->library("cudnnSetConvolutionMathType", made, (int)d->math);
    return status ? status : h->library("cudnnSetConvolutionReorderType", made, (int)d->reorder);
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnPoolingStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetPoolingNdDescriptor", made, (int)d->mode, (int)d->nan, d->rank, Host{d->window},
                      Host{d->pad}, Host{d->stride});
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnActivationStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    int status = h->library("cudnnSetActivationDescriptor", made, (int)d->mode, (int)d->nan, d->coefficient);
    return status ? status : h->library("cudnnSetActivationDescriptorSwishBeta", made, d->swishBeta);
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnLRNStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetLRNDescriptor", made, (int)d->n, d->alpha, d->beta, d->k);
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnOpTensorStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetOpTensorDescriptor", made, (int)d->op, (int)d->type, (int)d->nan);
  });
}
inline unsigned long long vendor_of(cudnnContext *h, const cudnnReduceTensorStruct *d) {
  return vendor_of(h, d, [=](unsigned long long made) {
    return h->library("cudnnSetReduceTensorDescriptor", made, (int)d->op, (int)d->type, (int)d->nan,
                      (int)d->indices, (int)d->indicesType);
  });
}

/// The status if a handle or a descriptor is none; arguments that are pointers must be there.
inline cudnnStatus_t check_handle(cudnnContext *h) {
  if (!h) return CUDNN_STATUS_BAD_PARAM;
  return is_live(h) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_INITIALIZED;
}
inline bool all_live() { return true; }
template <class... Rest> bool all_live(const void *first, Rest... rest) {
  return first && is_live(first) && all_live(rest...);
}
inline bool all_set() { return true; }
template <class First, class... Rest> bool all_set(const First *first, Rest... rest) {
  return first && is_live(first) && first->isSet && all_set(rest...);
}
inline bool all_there() { return true; }
template <class... Rest> bool all_there(const void *first, Rest... rest) { return first && all_there(rest...); }

inline cudnnStatus_t launched() {
  cudaError_t error = __heddle_work_error();
  if (error == cudaSuccess) return CUDNN_STATUS_SUCCESS;
  return heddle_captures::is_refusal(error) ? CUDNN_STATUS_EXECUTION_FAILED_CUDART : CUDNN_STATUS_EXECUTION_FAILED;
}

} // namespace heddle_dnn

#define HEDDLE_DNN_HANDLE(h) \
  if (cudnnStatus_t wrong = heddle_dnn::check_handle(h)) return wrong
#define HEDDLE_DNN_NEED(CONDITION) \
  if (!(CONDITION)) return CUDNN_STATUS_BAD_PARAM
#define HEDDLE_DNN_HAVE(CONDITION) \
  if (!(CONDITION)) return CUDNN_STATUS_NOT_SUPPORTED
