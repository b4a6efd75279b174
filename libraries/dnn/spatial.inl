// The functions of spatial transformers.

extern "C" {

cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t d) {
  return destroy_object(d);
}
cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t d,
                                                     cudnnSamplerType_t samplerType, cudnnDataType_t dataType,
                                                     const int nbDims, const int dimA[]) {
  HEDDLE_DNN_NEED(all_live(d) && dimA && samplerType == CUDNN_SAMPLER_BILINEAR && is_type(dataType));
  HEDDLE_DNN_HAVE(nbDims == 4 && is_real(dataType)); // as documented: two dimensions of space
  for (int i = 0; i < nbDims; i++) HEDDLE_DNN_NEED(dimA[i] > 0);
  d->sampler = samplerType, d->type = dataType, d->rank = nbDims;
  for (int i = 0; i < nbDims; i++) d->dim[i] = dimA[i];
  d->isSet = true;
  d->vendor.isCurrent = false;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSpatialTfGridGeneratorForward(cudnnHandle_t h, const cudnnSpatialTransformerDescriptor_t d,
                                                 const void *theta, void *grid) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && all_there(theta, grid));
  int status = h->nvidia("cudnnSpatialTfGridGeneratorForward", vendor_of(h, d), theta, (const void *)grid);
  if (status >= 0) return (cudnnStatus_t)status;
  Grid p{(int)d->type, d->dim[0], d->dim[2], d->dim[3], theta, grid};
  auto kernel = d->type == CUDNN_DATA_DOUBLE ? make_grid<double> : make_grid<float>;
  kernel<<<blocks_of((i64)p.images * p.rows * p.columns), THREADS, 0, h->stream>>>(p);
  return launched();
}
cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(cudnnHandle_t h, const cudnnSpatialTransformerDescriptor_t d,
                                                  const void *dgrid, void *dtheta) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && all_there(dgrid, dtheta));
  int status = h->nvidia("cudnnSpatialTfGridGeneratorBackward", vendor_of(h, d), dgrid, (const void *)dtheta);
  if (status >= 0) return (cudnnStatus_t)status;
  Grid p{(int)d->type, d->dim[0], d->dim[2], d->dim[3], dgrid, dtheta};
  auto kernel = d->type == CUDNN_DATA_DOUBLE ? make_grid_back<double> : make_grid_back<float>;
  kernel<<<(unsigned)(6 * p.images), THREADS, 0, h->stream>>>(p);
  return launched();
}

cudnnStatus_t cudnnSpatialTfSamplerForward(cudnnHandle_t h, cudnnSpatialTransformerDescriptor_t d, const void *alpha,
                                           const cudnnTensorDescriptor_t xDesc, const void *x, const void *grid,
                                           const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(alpha, beta, x, grid, y));
  cudnnStatus_t own = check_sampler(d, xDesc, yDesc);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  int status = h->nvidia("cudnnSpatialTfSamplerForward", vendor_of(h, d), Host{alpha}, vendor_of(h, xDesc), x, grid,
                         Host{beta}, vendor_of(h, yDesc), (const void *)y);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  Sampler p{};
  p.x = xDesc->t, p.y = yDesc->t, p.image = x, p.grid = grid, p.out = y, p.gridType = (int)d->type;
  p.alpha = scale_of(alpha, d->type), p.beta = scale_of(beta, d->type);
  p.count = (i64)p.y.dim[0] * p.y.dim[2] * p.y.dim[3];
  auto kernel = d->type == CUDNN_DATA_DOUBLE ? sample<double> : sample<float>;
  kernel<<<blocks_of(p.count), THREADS, 0, h->stream>>>(p);
  return launched();
}
cudnnStatus_t cudnnSpatialTfSamplerBackward(cudnnHandle_t h, cudnnSpatialTransformerDescriptor_t d, const void *alpha,
                                            const cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
                                            const cudnnTensorDescriptor_t dxDesc, void *dx, const void *alphaDgrid,
                                            const cudnnTensorDescriptor_t dyDesc, const void *dy, const void *grid,
                                            const void *betaDgrid, void *dgrid) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(alpha, beta, alphaDgrid, betaDgrid, x, dx, dy, grid, dgrid));
  cudnnStatus_t own = check_sampler(d, xDesc, dyDesc);
  if (own == CUDNN_STATUS_BAD_PARAM) return own;
  HEDDLE_DNN_NEED(all_set(dxDesc) && dxDesc->t.hasShapeOf(xDesc->t) && dxDesc->type == d->type);
  int status = h->nvidia("cudnnSpatialTfSamplerBackward", vendor_of(h, d), Host{alpha}, vendor_of(h, xDesc), x,
                         Host{beta}, vendor_of(h, dxDesc), (const void *)dx, Host{alphaDgrid}, vendor_of(h, dyDesc),
                         dy, grid, Host{betaDgrid}, (const void *)dgrid);
  if (status >= 0) return (cudnnStatus_t)status;
  if (own) return own;
  // sums of many points: atomic additions, which short floats do not have
  HEDDLE_DNN_HAVE(d->type == CUDNN_DATA_FLOAT || d->type == CUDNN_DATA_DOUBLE);
  Sampler p{};
  p.x = dxDesc->t, p.y = dyDesc->t, p.image = x, p.grid = grid, p.dy = dy, p.dx = dx, p.dGrid = dgrid;
  p.gridType = (int)d->type;
  p.alpha = scale_of(alpha, d->type), p.alphaGrid = scale_of(alphaDgrid, d->type);
  p.betaGrid = scale_of(betaDgrid, d->type);
  p.count = (i64)p.y.dim[0] * p.y.dim[2] * p.y.dim[3];
  const Tensor *const all[] = {&dxDesc->t};
  double factor = scale_of(beta, d->type);
  if (d->type == CUDNN_DATA_DOUBLE) {
    for_each(h, walk_over(all), ScaleBy<double>{(double *)dx, factor});
    sample_back<double><<<blocks_of(p.count), THREADS, 0, h->stream>>>(p, xDesc->t);
  } else {
    for_each(h, walk_over(all), ScaleBy<float>{(float *)dx, factor});
    sample_back<float><<<blocks_of(p.count), THREADS, 0, h->stream>>>(p, xDesc->t);
  }
  return launched();
}

} // extern "C"
