// A product of matrices with tiles in shared memory: a thread computes one result, or four by four.
// @flawed 32x32 32x32 register-tile += a[
// @repaired 16x16 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float a[32][32], b[32][32];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k = 0; k < n / 4; k += 32) {
    a[y][x] = in[row * n + k + x], b[y][x] = in[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; i++) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float4 a[16][17], b[16][16];
  int t = threadIdx.x, x = t % 16, y = t / 16;
  float4 s0 = make_float4(0, 0, 0, 0), s1 = s0, s2 = s0, s3 = s0;
  float* columns = (float*)a;
  for (int k = 0; k < n / 4; k += 16) {
    float4 v = *(const float4*)&in[(blockIdx.y * 64 + t / 4) * n + k + t % 4 * 4];
    columns[t % 4 * 4 * 68 + t / 4] = v.x, columns[(t % 4 * 4 + 1) * 68 + t / 4] = v.y;
    columns[(t % 4 * 4 + 2) * 68 + t / 4] = v.z, columns[(t % 4 * 4 + 3) * 68 + t / 4] = v.w;
    b[y][x] = *(const float4*)&in[(k + y) * n + blockIdx.x * 64 + x * 4];
    __syncthreads();
#pragma unroll 2
    for (int i = 0; i < 16; i++) {
      float4 u = a[i][y], w = b[i][x];
      s0.x += u.x * w.x, s0.y += u.x * w.y, s0.z += u.x * w.z, s0.w += u.x * w.w;
      s1.x += u.y * w.x, s1.y += u.y * w.y, s1.z += u.y * w.z, s1.w += u.y * w.w;
      s2.x += u.z * w.x, s2.y += u.z * w.y, s2.z += u.z * w.z, s2.w += u.z * w.w;
      s3.x += u.w * w.x, s3.y += u.w * w.y, s3.z += u.w * w.z, s3.w += u.w * w.w;
    }
    __syncthreads();
  }
  float* c = out + (blockIdx.y * 64 + y * 4) * n + blockIdx.x * 64 + x * 4;
  *(float4*)c = s0, *(float4*)(c + n) = s1, *(float4*)(c + 2 * n) = s2, *(float4*)(c + 3 * n) = s3;
}
