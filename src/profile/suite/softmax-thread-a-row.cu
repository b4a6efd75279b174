// A softmax of rows: a thread for each row reads with steps of a whole row; a warp for each row reads side by side.
// @flawed 128 32 uncoalesced row[
// @repaired 128 256
__global__ void flawed(float* out, const float* in, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  const float* row = in + r * n;
  float most = -1e30f, sum = 0;
  for (int i = 0; i < n; i++) most = fmaxf(most, row[i]);
  for (int i = 0; i < n; i++) sum += __expf(row[i] - most);
  for (int i = 0; i < n; i++) out[r * n + i] = __expf(row[i] - most) / sum;
}

__global__ void repaired(float* __restrict__ out, const float* __restrict__ in, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float4* row = (const float4*)(in + r * n);
  float most = -1e30f, sum = 0;
  for (int i = lane; i < n / 4; i += 32) {
    float4 x = row[i];
    most = fmaxf(fmaxf(most, fmaxf(x.x, x.y)), fmaxf(x.z, x.w));
  }
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  for (int i = lane; i < n / 4; i += 32) {
    float4 x = row[i];
    sum += __expf(x.x - most) + __expf(x.y - most) + __expf(x.z - most) + __expf(x.w - most);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  float scale = 1.0f / sum;
  for (int i = lane; i < n / 4; i += 32) {
    float4 x = row[i];
    ((float4*)(out + r * n))[i] = make_float4(__expf(x.x - most) * scale, __expf(x.y - most) * scale,
                                              __expf(x.z - most) * scale, __expf(x.w - most) * scale);
  }
}
