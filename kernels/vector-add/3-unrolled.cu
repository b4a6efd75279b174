// UNROLL quads a thread, a block's width apart, all loaded before the first is added: memory answers later than it is
// asked, and what is asked for at once is waited for once. __restrict__ allows the compiler that order.
__global__ void add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  const float4 *x = (const float4 *)a, *y = (const float4 *)b;
  int first = blockIdx.x * blockDim.x * UNROLL + threadIdx.x, quads = n / 4;
  float4 p[UNROLL], q[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; u++) {
    int i = first + u * blockDim.x;
    if (i < quads) p[u] = x[i], q[u] = y[i];
  }
#pragma unroll
  for (int u = 0; u < UNROLL; u++) {
    int i = first + u * blockDim.x;
    if (i < quads) ((float4 *)c)[i] = make_float4(p[u].x + q[u].x, p[u].y + q[u].y, p[u].z + q[u].z, p[u].w + q[u].w);
  }
  int rest = quads * 4 + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n) c[rest] = a[rest] + b[rest];
}
