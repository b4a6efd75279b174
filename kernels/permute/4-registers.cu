// A thread turns 4 x 4 elements round in its registers: four loads and four stores of 16 bytes, no shared memory and no
// barrier, and one division for sixteen elements. Eight threads of a warp read 128 bytes in a row, four write 64, so
// that no sector is moved in part. Where a side is no multiple of four, elements go one by one.
__global__ void permute(const float *x, float *y, int d1, int d2, int d3, int d4) {
  int rows = d1 * d2, columns = d3 * d4, column = 4 * (blockIdx.x * 8 + threadIdx.x),
      row = 4 * (blockIdx.y * HEIGHT + threadIdx.y);
  if (column >= columns || row >= rows) return;
  int i3 = column / d4, i4 = column % d4;
  if (rows % 4 == 0 && d4 % 4 == 0) {
    float4 in[4];
#pragma unroll
    for (int k = 0; k < 4; k++) in[k] = __ldcs((const float4 *)(x + (row + k) * columns + column));
    float4 *out = (float4 *)(y + (i4 * d3 + i3) * rows + row);
    int step = d3 * rows / 4;
    out[0] = make_float4(in[0].x, in[1].x, in[2].x, in[3].x);
    out[step] = make_float4(in[0].y, in[1].y, in[2].y, in[3].y);
    out[2 * step] = make_float4(in[0].z, in[1].z, in[2].z, in[3].z);
    out[3 * step] = make_float4(in[0].w, in[1].w, in[2].w, in[3].w);
    return;
  }
  for (int c = column; c < min(column + 4, columns); c++)
    for (int r = row; r < min(row + 4, rows); r++) y[(c % d4 * d3 + c / d4) * rows + r] = x[r * columns + c];
}
