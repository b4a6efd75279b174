// OpenCL C 1.2 has no shuffles: reductions go through local memory.
float group_sum(float value, __local float* partial) {
  int t = get_local_id(0);
  partial[t] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
    if (t < half_) partial[t] += partial[t + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  value = partial[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return value;
}

__kernel void layernorm(int columns, __global const float* in, __global const float* weight, __global const float* bias, __global float* out) {
  __local float partial[1024];
  __global const float* x = in + get_group_id(0) * columns;
  __global float* y = out + get_group_id(0) * columns;
  int t = get_local_id(0), stride = get_local_size(0);

  float sum = 0.0f;
  for (int i = t; i < columns; i += stride) sum += x[i];
  float mean = group_sum(sum, partial) / columns;

  float squares = 0.0f;
  for (int i = t; i < columns; i += stride) {
    float d = x[i] - mean;
    squares += d * d;
  }
  float scale = rsqrt(group_sum(squares, partial) / columns + 1e-5f);

  for (int i = t; i < columns; i += stride) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
}
