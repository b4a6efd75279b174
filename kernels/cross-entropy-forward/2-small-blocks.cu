// A load waits for another one, the target's, and there is one of each a row: what counts is how soon all of them are
// asked for. Blocks of one warp are spread over all multiprocessors, where a few large ones would queue their loads at
// a few of them; and targets, losses and probabilities do not go by L1, where nothing is found again.
__global__ void __launch_bounds__(BLOCK)
    crossEntropy(float *losses, const float *probabilities, const int *targets, int rows, int classes) {
  int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row < rows) __stcg(losses + row, -logf(__ldcg(probabilities + (size_t)row * classes + __ldcg(targets + row))));
}
