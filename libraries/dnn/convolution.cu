// Convolutions of cuDNN: the host functions. What is computed: convolution.cuh.
#include <initializer_list>
#include "backend.h"
#include "winograd.cuh"

using namespace heddle_dnn;

#include "geometry.inl"
#include "launches.inl"
#include "winograd.inl"
#include "supported.inl"
#include "algorithms.inl"
#include "backend-convolution.inl"

extern "C" {

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t h, const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                      const void *x, const cudnnFilterDescriptor_t wDesc, const void *w,
                                      const cudnnConvolutionDescriptor_t convDesc, cudnnConvolutionFwdAlgo_t algo,
                                      void *workSpace, size_t workSpaceSizeInBytes, const void *beta,
                                      const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, wDesc, convDesc, yDesc) && all_there(alpha, beta, x, w, y));
  int status = h->nvidia("cudnnConvolutionForward", Host{alpha}, vendor_of(h, xDesc), x, vendor_of(h, wDesc), w,
                         vendor_of(h, convDesc), (int)algo, (const void *)workSpace,
                         (unsigned long long)workSpaceSizeInBytes, Host{beta}, vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, wDesc, convDesc, yDesc)) return wrong;
  HEDDLE_DNN_HAVE(has_forward(g, algo));
  Result r = result_of(yDesc->t, y, alpha, beta, xDesc->type);
  return forward(h, g, x, w, r, work_space<Forward>((int)algo, workSpace, workSpaceSizeInBytes));
}

cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t h, const void *alpha1, const cudnnTensorDescriptor_t xDesc, const void *x,
    const cudnnFilterDescriptor_t wDesc, const void *w, const cudnnConvolutionDescriptor_t convDesc,
    cudnnConvolutionFwdAlgo_t algo, void *workSpace, size_t workSpaceSizeInBytes, const void *alpha2,
    const cudnnTensorDescriptor_t zDesc, const void *z, const cudnnTensorDescriptor_t biasDesc, const void *bias,
    const cudnnActivationDescriptor_t activationDesc, const cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, wDesc, convDesc, zDesc, biasDesc, yDesc) && all_live(activationDesc));
  HEDDLE_DNN_NEED(all_there(alpha1, alpha2, x, w, z, bias, y));
  int status = h->nvidia("cudnnConvolutionBiasActivationForward", Host{alpha1}, vendor_of(h, xDesc), x,
                         vendor_of(h, wDesc), w, vendor_of(h, convDesc), (int)algo, (const void *)workSpace,
                         (unsigned long long)workSpaceSizeInBytes, Host{alpha2}, vendor_of(h, zDesc), z,
                         vendor_of(h, biasDesc), bias, vendor_of(h, activationDesc), vendor_of(h, yDesc),
                         (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, wDesc, convDesc, yDesc)) return wrong;
  HEDDLE_DNN_NEED(zDesc->t.hasShapeOf(yDesc->t) && biasDesc->t.rank == yDesc->t.rank);
  for (int i = 0; i < biasDesc->t.rank; i++)
    HEDDLE_DNN_NEED(biasDesc->t.dim[i] == (i == 1 ? yDesc->t.dim[1] : 1));
  int mode = activationDesc->mode;
  HEDDLE_DNN_HAVE(mode == CUDNN_ACTIVATION_RELU || mode == CUDNN_ACTIVATION_IDENTITY);
  // the documentation: the identity needs this algorithm
  HEDDLE_DNN_HAVE(mode == CUDNN_ACTIVATION_RELU || algo == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  HEDDLE_DNN_HAVE(has_forward(g, algo));
  // the bias of bytes is of floats
  if (!is_real(xDesc->type) && biasDesc->type != CUDNN_DATA_FLOAT) return CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE;
  Result r = result_of(yDesc->t, y, alpha1, alpha2, xDesc->type);
  r.z = zDesc->t;
  r.from = z;
  r.bias = biasDesc->t;
  r.biasData = bias;
  r.activation = activation_of(activationDesc);
  return forward(h, g, x, w, r, work_space<Forward>((int)algo, workSpace, workSpaceSizeInBytes));
}

cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t h, const void *alpha, const cudnnFilterDescriptor_t wDesc,
                                           const void *w, const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                           const cudnnConvolutionDescriptor_t convDesc,
                                           cudnnConvolutionBwdDataAlgo_t algo, void *workSpace,
                                           size_t workSpaceSizeInBytes, const void *beta,
                                           const cudnnTensorDescriptor_t dxDesc, void *dx) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(wDesc, dyDesc, convDesc, dxDesc) && all_there(alpha, beta, w, dy, dx));
  int status = h->nvidia("cudnnConvolutionBackwardData", Host{alpha}, vendor_of(h, wDesc), w, vendor_of(h, dyDesc),
                         dy, vendor_of(h, convDesc), (int)algo, (const void *)workSpace,
                         (unsigned long long)workSpaceSizeInBytes, Host{beta}, vendor_of(h, dxDesc),
                         (const void *)dx);
  if (status >= 0) return (cudnnStatus_t)status;
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, dxDesc, wDesc, convDesc, dyDesc)) return wrong;
  HEDDLE_DNN_HAVE(has_backward_data(g, algo));
  Result r = result_of(dxDesc->t, dx, alpha, beta, dyDesc->type);
  return backward_data(h, g, w, dy, r, work_space<BackwardData>((int)algo, workSpace, workSpaceSizeInBytes));
}

cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t h, const void *alpha, const cudnnTensorDescriptor_t xDesc,
                                             const void *x, const cudnnTensorDescriptor_t dyDesc, const void *dy,
                                             const cudnnConvolutionDescriptor_t convDesc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void *workSpace,
                                             size_t workSpaceSizeInBytes, const void *beta,
                                             const cudnnFilterDescriptor_t dwDesc, void *dw) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(xDesc, dyDesc, convDesc, dwDesc) && all_there(alpha, beta, x, dy, dw));
  int status = h->nvidia("cudnnConvolutionBackwardFilter", Host{alpha}, vendor_of(h, xDesc), x, vendor_of(h, dyDesc),
                         dy, vendor_of(h, convDesc), (int)algo, (const void *)workSpace,
                         (unsigned long long)workSpaceSizeInBytes, Host{beta}, vendor_of(h, dwDesc),
                         (const void *)dw);
  if (status >= 0) return (cudnnStatus_t)status;
  Geometry g;
  if (cudnnStatus_t wrong = geometry_of(g, xDesc, dwDesc, convDesc, dyDesc)) return wrong;
  HEDDLE_DNN_HAVE(has_backward_filter(g, algo));
  return backward_filter(h, g, x, dy, dw, scale_of(alpha, xDesc->type), scale_of(beta, xDesc->type),
                         work_space<BackwardFilter>((int)algo, workSpace, workSpaceSizeInBytes));
}

cudnnStatus_t cudnnConvolutionBackwardBias(cudnnHandle_t h, const void *alpha, const cudnnTensorDescriptor_t dyDesc,
                                           const void *dy, const void *beta, const cudnnTensorDescriptor_t dbDesc,
                                           void *db) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(dyDesc, dbDesc) && all_there(alpha, beta, dy, db));
  HEDDLE_DNN_NEED(dyDesc->type == dbDesc->type && dyDesc->t.rank == dbDesc->t.rank);
  for (int i = 0; i < dbDesc->t.rank; i++)
    HEDDLE_DNN_NEED(dbDesc->t.dim[i] == (i == 1 ? dyDesc->t.dim[1] : 1));
  int status = h->nvidia("cudnnConvolutionBackwardBias", Host{alpha}, vendor_of(h, dyDesc), dy, Host{beta},
                         vendor_of(h, dbDesc), (const void *)db);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(is_real(dyDesc->type) && dyDesc->type != CUDNN_DATA_BFLOAT16);
  Tensor plane = dyDesc->t;
  plane.dim[1] = 1;
  const Tensor *const all[] = {&plane};
  Walk<1> walk = walk_over(all);
  double a = scale_of(alpha, dyDesc->type), b = scale_of(beta, dyDesc->type);
  auto kernel = dyDesc->type == CUDNN_DATA_DOUBLE ? add_channels<double> : add_channels<float>;
  kernel<<<(unsigned)dyDesc->t.dim[1], THREADS, 0, h->stream>>>(walk, dy, dyDesc->t.type, dyDesc->t.stride[1], db,
                                                                dbDesc->t.type, dbDesc->t.stride[1], a, b);
  return launched();
}

/// The order is the library's own: convolutions with CUDNN_NO_REORDER get filters that were here. These kernels read
/// filters as they are.
cudnnStatus_t cudnnReorderFilterAndBias(cudnnHandle_t h, const cudnnFilterDescriptor_t filterDesc,
                                        cudnnReorderType_t reorderType, const void *filterData,
                                        void *reorderedFilterData, int reorderBias, const void *biasData,
                                        void *reorderedBiasData) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(filterDesc) && all_there(filterData, reorderedFilterData));
  HEDDLE_DNN_NEED(!reorderBias || all_there(biasData, reorderedBiasData));
  HEDDLE_DNN_NEED(reorderType == CUDNN_DEFAULT_REORDER || reorderType == CUDNN_NO_REORDER);
  int status = h->nvidia("cudnnReorderFilterAndBias", vendor_of(h, filterDesc), (int)reorderType, filterData,
                         (const void *)reorderedFilterData, reorderBias, biasData, (const void *)reorderedBiasData);
  if (status >= 0) return (cudnnStatus_t)status;
  HEDDLE_DNN_HAVE(filterDesc->type == CUDNN_DATA_INT8x32 && filterDesc->format == CUDNN_TENSOR_NCHW_VECT_C);
  size_t bytes = (size_t)filterDesc->t.elements();
  cudaMemcpyAsync(reorderedFilterData, filterData, bytes, cudaMemcpyDeviceToDevice, h->stream);
  if (reorderBias) // floats
    cudaMemcpyAsync(reorderedBiasData, biasData, (size_t)filterDesc->t.dim[0] * 4, cudaMemcpyDeviceToDevice, h->stream);
  return launched();
}

} // extern "C"
