// OpenCL C 1.2 has no shuffles: the reduction goes through local memory.
__kernel void reduce(int n, __global const float* in, __global float* out) {
  __local float partial[1024];
  int t = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    if (t < half_) partial[t] += partial[t + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = partial[0];
}
