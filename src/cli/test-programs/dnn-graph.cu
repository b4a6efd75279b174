// The graph API of cuDNN: operations and graphs of several of them against loops in double precision, and statuses.
#include "dnn-graph-tools.h"
#include "dnn-graph-cases.h"
#include "dnn-graph-attention.h"

static Descriptor tensor_of(int type, const Dims &dims, bool isValue = false) {
  Descriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.choice(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  d.list(CUDNN_ATTR_TENSOR_DIMENSIONS, dims);
  d.list(CUDNN_ATTR_TENSOR_STRIDES, packed(dims));
  d.integer(CUDNN_ATTR_TENSOR_UNIQUE_ID, Tensor::next++);
  d.integer(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 16);
  CHECK(d.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &isValue));
  return d;
}
/// A convolution with a window of 1 x 1.
static Descriptor plain_convolution(const Descriptor &x, const Descriptor &w, const Descriptor &y) {
  Descriptor how(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  Descriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  how.choice(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  how.choice(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  how.integer(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2);
  for (int name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS}) how.list(name, {0, 0});
  for (int name : {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_ATTR_CONVOLUTION_DILATIONS}) how.list(name, {1, 1});
  how.finalize();
  operation.number(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1);
  operation.number(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0);
  operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, how);
  operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
  operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
  operation.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
  return operation;
}
static Descriptor forward_norm(int mode, const Tensor &x, const Tensor &y) {
  Descriptor norm(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  norm.choice(CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, mode);
  norm.choice(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
  norm.part(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, x.d);
  norm.part(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, y.d);
  return norm;
}
/// What graphs may say, but Heddle's library does not do. NVIDIA's does some of it.
static void test_refusals() {
  for (int type : {CUDNN_DATA_BOOLEAN, CUDNN_DATA_INT8, CUDNN_DATA_FP8_E4M3}) {
    Descriptor x = tensor_of(type, {1, 4, 3, 3}), w = tensor_of(type, {4, 4, 1, 1});
    Descriptor y = tensor_of(CUDNN_DATA_FLOAT, {1, 4, 3, 3});
    for (Descriptor *one : {&x, &w, &y}) one->finalize();
    Descriptor operation = plain_convolution(x, w, y);
    if (type != CUDNN_DATA_BOOLEAN) operation.finalize();
    else EXPECT(CUDNN_STATUS_NOT_SUPPORTED, cudnnBackendFinalize(operation.d));
  }
  Descriptor value = tensor_of(CUDNN_DATA_FP8_E5M2, {1, 1}, true);
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, cudnnBackendFinalize(value.d));
  Tensor x({2, 3, 4, 4}), y({2, 3, 4, 4}), peer({1, 3, 1, 1});
  Descriptor alone = forward_norm(CUDNN_BATCH_NORM, x, y), norm = forward_norm(CUDNN_BATCH_NORM, x, y);
  alone.finalize();
  norm.part(CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS, peer.d);
  EXPECT(CUDNN_STATUS_NOT_SUPPORTED, cudnnBackendFinalize(norm.d));
  // nothing says over which dimensions
  Descriptor layer = forward_norm(CUDNN_LAYER_NORM, x, y);
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnBackendFinalize(layer.d));
  EXPECT(CUDNN_STATUS_BAD_PARAM, cudnnBackendInitialize(nullptr));
  EXPECT(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, cudnnBackendDestroyDescriptor(nullptr));
  for (int mode : {CUDNN_BN_FINALIZE_STATISTICS_TRAINING, CUDNN_BN_FINALIZE_STATISTICS_INFERENCE}) {
    Descriptor finalize(CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR);
    Tensor count({1}, {}, false, true);
    finalize.choice(CUDNN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE, CUDNN_TYPE_BN_FINALIZE_STATS_MODE, mode);
    finalize.part(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC, peer.d);
    finalize.part(CUDNN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC, peer.d);
    finalize.part(CUDNN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC, count.d);
    finalize.part(CUDNN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC, count.d);
    if (mode == CUDNN_BN_FINALIZE_STATISTICS_TRAINING) finalize.finalize();
    else EXPECT(CUDNN_STATUS_NOT_SUPPORTED, cudnnBackendFinalize(finalize.d));
  }
}

/// "cuda": the calls are handed over to NVIDIA's library.
int main(int argc, char **argv) {
  bool isOwn = argc < 2 || strcmp(argv[1], "cuda") != 0;
  CHECK(cudnnCreate(&handle));
  test_matmul();
  test_pointwise();
  test_reductions();
  test_attention(true);
  test_attention(false);
  test_limits();
  test_paged_caches();
  test_sequences();
  test_gradients_of_attention();
  test_batches();
  test_moved_batches();
  test_eight_bits();
  test_convolutions();
  test_norms();
  test_pooling();
  test_moves();
  test_statuses();
  if (isOwn) test_refusals();
  CHECK(cudnnDestroy(handle));
  printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
}
