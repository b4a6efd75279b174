// TILE is given with -D.
__kernel void matmul_tiled(int n, __global const float* a, __global const float* b, __global float* c) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_group_id(0) * TILE + x;
  int row = get_group_id(1) * TILE + y;
  float sum = 0.0f;
  for (int start = 0; start < n; start += TILE) {
    tile_a[y][x] = a[row * n + start + x];
    tile_b[y][x] = b[(start + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
