__kernel void histogram(int n, __global const uchar* pixels, __global uint* bins) {
  __local uint counts[256];
  int t = get_local_id(0);
  counts[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&counts[pixels[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], counts[t]);
}
