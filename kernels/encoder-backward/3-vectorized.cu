// Four elements a thread by 16-byte loads and one atomic operation of 16 bytes, which GPUs have since compute
// capability 9.0 (elsewhere: four of them): a quarter of what the memory's units have to order. UNROLL sequences are
// loaded before the first addition. The words' additions keep the atomic operations: without them the tokens had to be
// sorted first, which reads and writes them several times in launches of their own, while two tokens of a batch are
// seldom the same word. So the last bits differ from run to run.
__device__ __forceinline__ void add(float *to, float4 d) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  atomicAdd((float4 *)to, d);
#else
  atomicAdd(to, d.x), atomicAdd(to + 1, d.y), atomicAdd(to + 2, d.z), atomicAdd(to + 3, d.w);
#endif
}

__global__ void backward(float *words, float *positions, const float *dout, const int *tokens, int batch, int time,
                         int columns) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (columns % 4 == 0) {
    int quads = columns / 4, t = index / quads, c = 4 * (index % quads);
    if (t >= time) return;
    // Asked for first, needed last.
    float4 *position = (float4 *)(positions + (size_t)t * columns + c), sum = *position;
    for (int first = 0; first < batch; first += UNROLL) {
      float4 d[UNROLL];
      int token[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
        if (first + u < batch)
          token[u] = tokens[(first + u) * time + t],
              d[u] = __ldcs((const float4 *)(dout + (size_t)((first + u) * time + t) * columns + c));
#pragma unroll
      for (int u = 0; u < UNROLL; u++)
        if (first + u < batch) {
          add(words + (size_t)token[u] * columns + c, d[u]);
          sum.x += d[u].x, sum.y += d[u].y, sum.z += d[u].z, sum.w += d[u].w;
        }
    }
    *position = sum;
    return;
  }
  // Vectors that do not begin at multiples of 16 bytes: element by element.
  for (; index < time * columns; index += gridDim.x * blockDim.x) {
    int t = index / columns, c = index % columns;
    float sum = 0;
    for (int b = 0; b < batch; b++) {
      float d = dout[(size_t)(b * time + t) * columns + c];
      atomicAdd(&words[(size_t)tokens[b * time + t] * columns + c], d);
      sum += d;
    }
    positions[index] += sum;
  }
}
