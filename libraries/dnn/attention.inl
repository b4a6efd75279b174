// The functions of multi-head attention.

extern "C" {

cudnnStatus_t cudnnCreateSeqDataDescriptor(cudnnSeqDataDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroySeqDataDescriptor(cudnnSeqDataDescriptor_t d) { return destroy_object(d); }
cudnnStatus_t cudnnCreateAttnDescriptor(cudnnAttnDescriptor_t *d) { return make_object(d); }
cudnnStatus_t cudnnDestroyAttnDescriptor(cudnnAttnDescriptor_t d) { return destroy_object(d); }

cudnnStatus_t cudnnSetSeqDataDescriptor(cudnnSeqDataDescriptor_t d, cudnnDataType_t dataType, int nbDims,
                                        const int dimA[], const cudnnSeqDataAxis_t axes[], size_t seqLengthArraySize,
                                        const int seqLengthArray[], void *paddingFill) {
  HEDDLE_DNN_NEED(all_live(d) && dimA && axes && seqLengthArray && nbDims == CUDNN_SEQDATA_DIM_COUNT);
  HEDDLE_DNN_HAVE(is_real(dataType) && !paddingFill); // as documented: no fill
  bool isThere[4] = {};
  for (int i = 0; i < 4; i++) {
    HEDDLE_DNN_NEED(dimA[i] > 0 && axes[i] >= 0 && axes[i] < 4 && !isThere[axes[i]]);
    isThere[axes[i]] = true;
  }
  HEDDLE_DNN_HAVE(axes[3] == CUDNN_SEQDATA_VECT_DIM);
  HEDDLE_DNN_NEED(seqLengthArraySize == (size_t)dimA[CUDNN_SEQDATA_BATCH_DIM] * dimA[CUDNN_SEQDATA_BEAM_DIM]);
  for (size_t i = 0; i < seqLengthArraySize; i++)
    HEDDLE_DNN_NEED(seqLengthArray[i] >= 0 && seqLengthArray[i] <= dimA[CUDNN_SEQDATA_TIME_DIM]);
  d->type = dataType;
  for (int i = 0; i < 4; i++) d->dim[i] = dimA[i], d->axes[i] = axes[i];
  d->lengths.assign(seqLengthArray, seqLengthArray + seqLengthArraySize);
  d->isSet = true;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t d, cudnnDataType_t *dataType, int *nbDims,
                                        int nbDimsRequested, int dimA[], cudnnSeqDataAxis_t axes[],
                                        size_t *seqLengthArraySize, size_t seqLengthSizeRequested,
                                        int seqLengthArray[], void *) {
  HEDDLE_DNN_NEED(all_set(d) && nbDimsRequested >= 0);
  if (dataType) *dataType = d->type;
  if (nbDims) *nbDims = 4;
  if (seqLengthArraySize) *seqLengthArraySize = d->lengths.size();
  for (int i = 0; i < nbDimsRequested && i < 4; i++) {
    if (dimA) dimA[i] = d->dim[i];
    if (axes) axes[i] = d->axes[i];
  }
  for (size_t i = 0; seqLengthArray && i < seqLengthSizeRequested && i < d->lengths.size(); i++)
    seqLengthArray[i] = d->lengths[i];
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetAttnDescriptor(cudnnAttnDescriptor_t d, unsigned attnMode, int nHeads, double smScaler,
                                     cudnnDataType_t dataType, cudnnDataType_t computePrec, cudnnMathType_t mathType,
                                     cudnnDropoutDescriptor_t attnDropoutDesc, cudnnDropoutDescriptor_t postDropoutDesc,
                                     int qSize, int kSize, int vSize, int qProjSize, int kProjSize, int vProjSize,
                                     int oProjSize, int qoMaxSeqLength, int kvMaxSeqLength, int maxBatchSize,
                                     int maxBeamSize) {
  HEDDLE_DNN_NEED(all_live(d) && attnMode <= (CUDNN_ATTN_QUERYMAP_ONE_TO_ONE | CUDNN_ATTN_ENABLE_PROJ_BIASES));
  HEDDLE_DNN_NEED(nHeads > 0 && smScaler >= 0 && qSize > 0 && kSize > 0 && vSize > 0);
  HEDDLE_DNN_NEED(qProjSize >= 0 && kProjSize >= 0 && vProjSize >= 0 && oProjSize >= 0);
  HEDDLE_DNN_NEED(qoMaxSeqLength > 0 && kvMaxSeqLength > 0 && maxBatchSize > 0 && maxBeamSize > 0);
  for (cudnnDropoutDescriptor_t dropout : {attnDropoutDesc, postDropoutDesc})
    HEDDLE_DNN_NEED(!dropout || all_live(dropout));
  HEDDLE_DNN_NEED((qProjSize ? qProjSize : qSize) == (kProjSize ? kProjSize : kSize));
  HEDDLE_DNN_HAVE(is_real(dataType) && is_real(computePrec));
  d->mode = attnMode, d->heads = nHeads, d->scale = smScaler, d->type = dataType, d->precision = computePrec;
  d->math = mathType, d->attentionDropout = attnDropoutDesc, d->postDropout = postDropoutDesc;
  d->size[0] = qSize, d->size[1] = kSize, d->size[2] = vSize;
  d->projected[0] = qProjSize, d->projected[1] = kProjSize, d->projected[2] = vProjSize, d->output = oProjSize;
  d->queries = qoMaxSeqLength, d->keys = kvMaxSeqLength, d->batch = maxBatchSize, d->beams = maxBeamSize;
  d->isSet = true;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetAttnDescriptor(cudnnAttnDescriptor_t d, unsigned *attnMode, int *nHeads, double *smScaler,
                                     cudnnDataType_t *dataType, cudnnDataType_t *computePrec,
                                     cudnnMathType_t *mathType, cudnnDropoutDescriptor_t *attnDropoutDesc,
                                     cudnnDropoutDescriptor_t *postDropoutDesc, int *qSize, int *kSize, int *vSize,
                                     int *qProjSize, int *kProjSize, int *vProjSize, int *oProjSize,
                                     int *qoMaxSeqLength, int *kvMaxSeqLength, int *maxBatchSize, int *maxBeamSize) {
  HEDDLE_DNN_NEED(all_set(d));
  auto give = [](auto *to, auto value) {
    if (to) *to = value;
  };
  give(attnMode, d->mode), give(nHeads, d->heads), give(smScaler, d->scale), give(dataType, d->type);
  give(computePrec, d->precision), give(mathType, d->math), give(attnDropoutDesc, d->attentionDropout);
  give(postDropoutDesc, d->postDropout), give(qSize, d->size[0]), give(kSize, d->size[1]), give(vSize, d->size[2]);
  give(qProjSize, d->projected[0]), give(kProjSize, d->projected[1]), give(vProjSize, d->projected[2]);
  give(oProjSize, d->output), give(qoMaxSeqLength, d->queries), give(kvMaxSeqLength, d->keys);
  give(maxBatchSize, d->batch), give(maxBeamSize, d->beams);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetMultiHeadAttnBuffers(cudnnHandle_t h, const cudnnAttnDescriptor_t d, size_t *weightSizeInBytes,
                                           size_t *workSpaceSizeInBytes, size_t *reserveSpaceSizeInBytes) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && all_there(weightSizeInBytes, workSpaceSizeInBytes));
  Places p = places_of(d);
  *weightSizeInBytes = (size_t)d->place(8) * bytes_of(d->type);
  // without a reserve space the call is an inference, whose work space has everything
  *workSpaceSizeInBytes = reserveSpaceSizeInBytes ? p.bytes - p.kept : p.bytes;
  if (reserveSpaceSizeInBytes) *reserveSpaceSizeInBytes = p.kept;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetMultiHeadAttnWeights(cudnnHandle_t h, const cudnnAttnDescriptor_t d,
                                           cudnnMultiHeadAttnWeightKind_t wKind, size_t weightSizeInBytes,
                                           const void *weights, cudnnTensorDescriptor_t wDesc, void **wAddr) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_set(d) && all_live(wDesc) && wAddr && wKind >= 0 && wKind < CUDNN_ATTN_WKIND_COUNT);
  HEDDLE_DNN_NEED(weightSizeInBytes >= (size_t)d->place(8) * bytes_of(d->type));
  int kind = wKind % 4, rows = d->rows(kind);
  bool isBias = wKind >= 4, isThere = rows > 0 && (!isBias || d->hasBias());
  *wAddr = isThere && weights ? (char *)weights + d->place(wKind) * (i64)bytes_of(d->type) : nullptr;
  if (!isThere) return CUDNN_STATUS_SUCCESS;
  int columns = isBias ? 1 : d->columns(kind), heads = isBias && kind == 3 ? 1 : d->heads;
  const int dims[] = {heads, rows, columns}, strides[] = {rows * columns, columns, 1};
  return cudnnSetTensorNdDescriptor(wDesc, d->type, 3, dims, strides);
}

} // extern "C"

namespace {

/// Where the arguments of a call belong together: sequences of queries, keys and values, and of the results.
cudnnStatus_t check_attention(const cudnnAttnStruct *d, const cudnnSeqDataStruct *q, const cudnnSeqDataStruct *k,
                              const cudnnSeqDataStruct *v, const cudnnSeqDataStruct *o) {
  HEDDLE_DNN_NEED(all_set(d, q, k, v, o));
  const cudnnSeqDataStruct *const all[] = {q, k, v, o};
  const int width[] = {d->size[0], d->size[1], d->size[2], d->outputs()};
  bool isShared = !(d->mode & CUDNN_ATTN_QUERYMAP_ONE_TO_ONE);
  for (int i = 0; i < 4; i++) {
    const int *dim = all[i]->dim;
    bool isKey = i == 1 || i == 2;
    HEDDLE_DNN_NEED(all[i]->type == d->type && dim[CUDNN_SEQDATA_VECT_DIM] == width[i]);
    HEDDLE_DNN_NEED(dim[CUDNN_SEQDATA_BATCH_DIM] == q->dim[CUDNN_SEQDATA_BATCH_DIM]);
    int beams = isKey && isShared ? 1 : q->dim[CUDNN_SEQDATA_BEAM_DIM];
    HEDDLE_DNN_NEED(dim[CUDNN_SEQDATA_BEAM_DIM] == beams);
    HEDDLE_DNN_NEED(dim[CUDNN_SEQDATA_TIME_DIM] == (isKey ? k : q)->dim[CUDNN_SEQDATA_TIME_DIM]);
  }
  HEDDLE_DNN_NEED(q->dim[CUDNN_SEQDATA_TIME_DIM] <= d->queries && k->dim[CUDNN_SEQDATA_TIME_DIM] <= d->keys);
  HEDDLE_DNN_NEED(q->dim[CUDNN_SEQDATA_BATCH_DIM] <= d->batch && q->dim[CUDNN_SEQDATA_BEAM_DIM] <= d->beams);
  return CUDNN_STATUS_SUCCESS;
}
bool drops(const cudnnAttnStruct *d) {
  return (d->attentionDropout && d->attentionDropout->rate > 0) || (d->postDropout && d->postDropout->rate > 0);
}
template <class S>
Attention<S> attention_of(cudnnContext *h, const cudnnAttnStruct *d, const cudnnSeqDataStruct *const (&desc)[3],
                          const void *const (&data)[3], const void *weights, void *work, void *reserve) {
  Attention<S> a{};
  a.h = h, a.d = d, a.weights = weights;
  a.places = places_of(d);
  a.kept = (char *)(reserve ? reserve : work);
  a.work = (char *)work + (reserve ? 0 : a.places.kept);
  for (int i = 0; i < 3; i++) a.desc[i] = desc[i], a.data[i] = data[i];
  const int *q = desc[0]->dim, *k = desc[1]->dim;
  a.r.batch = q[CUDNN_SEQDATA_BATCH_DIM], a.r.beams = q[CUDNN_SEQDATA_BEAM_DIM], a.r.heads = d->heads;
  a.r.queries = q[CUDNN_SEQDATA_TIME_DIM], a.r.keys = k[CUDNN_SEQDATA_TIME_DIM];
  a.r.keyBeams = k[CUDNN_SEQDATA_BEAM_DIM];
  a.r.first = 0, a.r.last = a.r.queries;
  return a;
}
/// The windows of the queries and the lengths of the sequences.
template <class S>
void give_rows(Attention<S> &a, const int *low, const int *high, const int *queries, const int *keys) {
  int *lists = (int *)a.at(a.places.lists);
  size_t bytes = (size_t)a.r.queries * 4;
  cudaMemcpyAsync(lists, low, bytes, cudaMemcpyHostToDevice, a.h->stream);
  cudaMemcpyAsync(lists + a.d->queries, high, bytes, cudaMemcpyHostToDevice, a.h->stream);
  a.r.low = lists, a.r.high = lists + a.d->queries;
  a.r.queryLengths = queries, a.r.keyLengths = keys;
}

} // namespace

extern "C" {

cudnnStatus_t cudnnMultiHeadAttnForward(cudnnHandle_t h, const cudnnAttnDescriptor_t d, int currIdx,
                                        const int loWinIdx[], const int hiWinIdx[], const int devSeqLengthsQO[],
                                        const int devSeqLengthsKV[], const cudnnSeqDataDescriptor_t qDesc,
                                        const void *queries, const void *residuals,
                                        const cudnnSeqDataDescriptor_t kDesc, const void *keys,
                                        const cudnnSeqDataDescriptor_t vDesc, const void *values,
                                        const cudnnSeqDataDescriptor_t oDesc, void *out, size_t weightSizeInBytes,
                                        const void *weights, size_t workSpaceSizeInBytes, void *workSpace,
                                        size_t reserveSpaceSizeInBytes, void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(loWinIdx, hiWinIdx, devSeqLengthsQO, devSeqLengthsKV, queries, keys, values, out));
  if (cudnnStatus_t wrong = check_attention(d, qDesc, kDesc, vDesc, oDesc)) return wrong;
  HEDDLE_DNN_NEED(!residuals || d->outputs() == d->size[0]);
  HEDDLE_DNN_NEED(currIdx < qDesc->dim[CUDNN_SEQDATA_TIME_DIM] && (currIdx < 0 || !reserveSpace));
  Places p = places_of(d);
  bool isTraining = reserveSpace != nullptr;
  HEDDLE_DNN_NEED(weightSizeInBytes >= (size_t)d->place(8) * bytes_of(d->type) && (weights || d->place(8) == 0));
  HEDDLE_DNN_NEED(workSpace && workSpaceSizeInBytes >= (isTraining ? p.bytes - p.kept : p.bytes));
  HEDDLE_DNN_NEED(!isTraining || reserveSpaceSizeInBytes >= p.kept);
  HEDDLE_DNN_HAVE(!isTraining || !drops(d)); // dropout within the attention is not there
  auto run = [&](auto a) {
    give_rows(a, loWinIdx, hiWinIdx, devSeqLengthsQO, devSeqLengthsKV);
    if (currIdx >= 0) a.r.first = currIdx, a.r.last = currIdx + 1;
    return a.forward(oDesc, out, residuals);
  };
  const cudnnSeqDataStruct *const desc[] = {qDesc, kDesc, vDesc};
  const void *const data[] = {queries, keys, values};
  return d->type == CUDNN_DATA_DOUBLE ? run(attention_of<double>(h, d, desc, data, weights, workSpace, reserveSpace))
                                      : run(attention_of<float>(h, d, desc, data, weights, workSpace, reserveSpace));
}

cudnnStatus_t cudnnMultiHeadAttnBackwardData(
    cudnnHandle_t h, const cudnnAttnDescriptor_t d, const int loWinIdx[], const int hiWinIdx[],
    const int devSeqLengthsDQDO[], const int devSeqLengthsDKDV[], const cudnnSeqDataDescriptor_t doDesc,
    const void *dout, const cudnnSeqDataDescriptor_t dqDesc, void *dqueries, const void *queries,
    const cudnnSeqDataDescriptor_t dkDesc, void *dkeys, const void *keys, const cudnnSeqDataDescriptor_t dvDesc,
    void *dvalues, const void *values, size_t weightSizeInBytes, const void *weights, size_t workSpaceSizeInBytes,
    void *workSpace, size_t reserveSpaceSizeInBytes, void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(loWinIdx, hiWinIdx, devSeqLengthsDQDO, devSeqLengthsDKDV, dout));
  HEDDLE_DNN_NEED(all_there(dqueries, queries, dkeys, keys, dvalues, values, workSpace, reserveSpace));
  if (cudnnStatus_t wrong = check_attention(d, dqDesc, dkDesc, dvDesc, doDesc)) return wrong;
  Places p = places_of(d);
  HEDDLE_DNN_NEED(weightSizeInBytes >= (size_t)d->place(8) * bytes_of(d->type) && (weights || d->place(8) == 0));
  HEDDLE_DNN_NEED(workSpaceSizeInBytes >= p.bytes - p.kept && reserveSpaceSizeInBytes >= p.kept);
  HEDDLE_DNN_HAVE(!drops(d));
  const cudnnSeqDataStruct *const desc[] = {dqDesc, dkDesc, dvDesc};
  const void *const data[] = {queries, keys, values};
  void *const gradients[] = {dqueries, dkeys, dvalues};
  auto run = [&](auto a) {
    give_rows(a, loWinIdx, hiWinIdx, devSeqLengthsDQDO, devSeqLengthsDKDV);
    a.back(doDesc, dout);
    return a.back_data(desc, gradients);
  };
  return d->type == CUDNN_DATA_DOUBLE ? run(attention_of<double>(h, d, desc, data, weights, workSpace, reserveSpace))
                                      : run(attention_of<float>(h, d, desc, data, weights, workSpace, reserveSpace));
}

/// As documented, it follows the call of the data's gradients with the same work space.
cudnnStatus_t cudnnMultiHeadAttnBackwardWeights(
    cudnnHandle_t h, const cudnnAttnDescriptor_t d, cudnnWgradMode_t addGrad, const cudnnSeqDataDescriptor_t qDesc,
    const void *queries, const cudnnSeqDataDescriptor_t kDesc, const void *keys, const cudnnSeqDataDescriptor_t vDesc,
    const void *values, const cudnnSeqDataDescriptor_t doDesc, const void *dout, size_t weightSizeInBytes,
    const void *weights, void *dweights, size_t workSpaceSizeInBytes, void *workSpace, size_t reserveSpaceSizeInBytes,
    void *reserveSpace) {
  HEDDLE_DNN_HANDLE(h);
  HEDDLE_DNN_NEED(all_there(queries, keys, values, dout, dweights, workSpace, reserveSpace));
  HEDDLE_DNN_NEED(addGrad == CUDNN_WGRAD_MODE_ADD || addGrad == CUDNN_WGRAD_MODE_SET);
  if (cudnnStatus_t wrong = check_attention(d, qDesc, kDesc, vDesc, doDesc)) return wrong;
  Places p = places_of(d);
  HEDDLE_DNN_NEED(weightSizeInBytes >= (size_t)d->place(8) * bytes_of(d->type) && weights);
  HEDDLE_DNN_NEED(workSpaceSizeInBytes >= p.bytes - p.kept && reserveSpaceSizeInBytes >= p.kept);
  HEDDLE_DNN_HAVE(!drops(d));
  const cudnnSeqDataStruct *const desc[] = {qDesc, kDesc, vDesc};
  const void *const data[] = {queries, keys, values};
  bool isAdded = addGrad == CUDNN_WGRAD_MODE_ADD;
  return d->type == CUDNN_DATA_DOUBLE
             ? attention_of<double>(h, d, desc, data, weights, workSpace, reserveSpace).back_weights(dweights, isAdded)
             : attention_of<float>(h, d, desc, data, weights, workSpace, reserveSpace).back_weights(dweights, isAdded);
}

} // extern "C"
