#define RADIUS 8

__kernel void conv1d(int n, __global const float* taps, __global const float* in, __global float* out) {
  __local float tile[256 + 2 * RADIUS];
  int i = get_global_id(0);
  int t = get_local_id(0), threads = get_local_size(0);
  tile[RADIUS + t] = i < n ? in[i] : 0.0f;
  if (t < RADIUS) {
    tile[t] = i >= RADIUS ? in[i - RADIUS] : 0.0f;
    tile[RADIUS + threads + t] = i + threads < n ? in[i + threads] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) {
    float sum = 0.0f;
    for (int k = 0; k <= 2 * RADIUS; k++) sum += taps[k] * tile[t + k];
    out[i] = sum;
  }
}
