// Sixteen bytes at a time. Rows of an odd length begin anywhere, but both arrays at the same place: up to three
// elements in front of the first multiple of 16 bytes, and up to three behind the last, are done one by one. All loads
// of a thread are sent before the first result, and are marked as streaming.
__global__ void backward(float *dlogits, const float *dlosses, const float *probabilities, const int *targets, int rows,
                         int classes) {
  int row = blockIdx.y, target = targets[row];
  float scale = dlosses[row];
  size_t begin = (size_t)row * classes;
  int head = min((int)(-begin & 3), classes), quads = (classes - head) / 4,
      first = blockIdx.x * (BLOCK * PER_THREAD) + threadIdx.x;
  float4 *out = (float4 *)(dlogits + begin + head);
  const float4 *in = (const float4 *)(probabilities + begin + head);
  float4 p[PER_THREAD], d[PER_THREAD];
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    int q = first + k * BLOCK;
    if (q < quads) p[k] = __ldcs(in + q), d[k] = __ldcs(out + q);
  }
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    int q = first + k * BLOCK, c = head + 4 * q;
    if (q >= quads) continue;
    d[k].x += (p[k].x - (c == target)) * scale, d[k].y += (p[k].y - (c + 1 == target)) * scale;
    d[k].z += (p[k].z - (c + 2 == target)) * scale, d[k].w += (p[k].w - (c + 3 == target)) * scale;
    __stcs(out + q, d[k]);
  }
  int rest = classes - 4 * quads, i = threadIdx.x;
  if (blockIdx.x > 0 || i >= rest) return;
  int c = i < head ? i : 4 * quads + i;
  dlogits[begin + c] += (probabilities[begin + c] - (c == target)) * scale;
}
