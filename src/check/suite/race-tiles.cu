// Pairs of kernels for racecheck: tiles in shared memory. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does not. How
// launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, dim3(16,16)>>> 256: matrix product by tiles: a tile is used before all of it is there
PAIR(matmul_load_wrong) ARGS {
  __shared__ int a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    a[y][x] = in[(y * 16 + x + k) % n];
    b[y][x] = in[(x * 16 + y + k) % n];
    for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x]; // ! read-after-write
    __syncthreads();
  }
  out[y * 16 + x] = sum;
}
PAIR(matmul_load_right) ARGS {
  __shared__ int a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    a[y][x] = in[(y * 16 + x + k) % n];
    b[y][x] = in[(x * 16 + y + k) % n];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  out[y * 16 + x] = sum;
}

// <<<1, dim3(16,16)>>> 256: the barrier stands in front of what it should stand behind
PAIR(matmul_early_wrong) ARGS {
  __shared__ int a[16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    __syncthreads();
    a[y][x] = in[(y * 16 + x + k) % n];
    for (int i = 0; i < 16; i++) sum += a[y][i] * in[i * 16 + x]; // ! read-after-write
  }
  out[y * 16 + x] = sum;
}
PAIR(matmul_early_right) ARGS {
  __shared__ int a[16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    __syncthreads();
    a[y][x] = in[(y * 16 + x + k) % n];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += a[y][i] * in[i * 16 + x];
  }
  out[y * 16 + x] = sum;
}

// <<<1, dim3(16,16)>>> 256: a tile is filled again while it is used; both operands by one loop
PAIR(matmul_refill_wrong) ARGS {
  __shared__ int tiles[2][16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    for (int which = 0; which < 2; which++) tiles[which][y][x] = in[(y * 16 + x + k + which) % n]; // ! write-after-read
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += tiles[0][y][i] * tiles[1][i][x];
  }
  out[y * 16 + x] = sum;
}
PAIR(matmul_refill_right) ARGS {
  __shared__ int tiles[2][16][16];
  int x = threadIdx.x, y = threadIdx.y, sum = 0;
  for (int k = 0; k < 4; k++) {
    for (int which = 0; which < 2; which++) tiles[which][y][x] = in[(y * 16 + x + k + which) % n];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += tiles[0][y][i] * tiles[1][i][x];
    __syncthreads();
  }
  out[y * 16 + x] = sum;
}

// <<<dim3(2,2), dim3(16,8)>>> 1024: transpose: 32 x 32 by tiles of 16 x 16
PAIR(transpose_wrong) ARGS {
  __shared__ int tile[16][17];
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  for (int y = threadIdx.y; y < 16; y += 8) tile[y][threadIdx.x] = in[(y0 + y) * 32 + x0 + threadIdx.x];
  for (int y = threadIdx.y; y < 16; y += 8) out[(x0 + y) * 32 + y0 + threadIdx.x] = tile[threadIdx.x][y]; // ! read-after-write
}
PAIR(transpose_right) ARGS {
  __shared__ int tile[16][17];
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
  for (int y = threadIdx.y; y < 16; y += 8) tile[y][threadIdx.x] = in[(y0 + y) * 32 + x0 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 16; y += 8) out[(x0 + y) * 32 + y0 + threadIdx.x] = tile[threadIdx.x][y];
}

// <<<dim3(4,4), dim3(8,8)>>> 1024: transpose in place: each element is moved while its partner is
PAIR(transpose_in_place_wrong) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int value = out[y * 32 + x];
  out[x * 32 + y] = value; // ! write-after-read
}
PAIR(transpose_in_place_right) ARGS {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= y) return;
  int above = out[y * 32 + x], below = out[x * 32 + y];
  out[x * 32 + y] = above;
  out[y * 32 + x] = below;
}

// <<<4, 64>>> 256: three-point stencil, edges by the first and the last thread: the barrier comes before the edges
PAIR(halo_wrong) ARGS {
  __shared__ int tile[66];
  int t = threadIdx.x, i = ROW;
  tile[t + 1] = in[i];
  __syncthreads();
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 1) tile[65] = i + 63 < n ? in[i + 63] : 0;
  out[i] = tile[t] + tile[t + 1] + tile[t + 2]; // ! read-after-write
}
PAIR(halo_right) ARGS {
  __shared__ int tile[66];
  int t = threadIdx.x, i = ROW;
  tile[t + 1] = in[i];
  if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (t == 1) tile[65] = i + 63 < n ? in[i + 63] : 0;
  __syncthreads();
  out[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

// <<<dim3(2,2), dim3(8,8)>>> 256: 3 x 3 convolution, tiles of 10 x 10 filled by all threads in turn
PAIR(convolution_wrong) ARGS {
  __shared__ int tile[10][10];
  int own = threadIdx.y * 8 + threadIdx.x, sum = 0;
  for (int k = own; k < 100; k += 64) {
    int x = int(blockIdx.x * 8) + k % 10 - 1, y = int(blockIdx.y * 8) + k / 10 - 1;
    tile[k / 10][k % 10] = x >= 0 && x < 16 && y >= 0 && y < 16 ? in[y * 16 + x] : 0;
  }
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) sum += tile[threadIdx.y + dy][threadIdx.x + dx]; // ! read-after-write
  out[(blockIdx.y * 8 + threadIdx.y) * 16 + blockIdx.x * 8 + threadIdx.x] = sum;
}
PAIR(convolution_right) ARGS {
  __shared__ int tile[10][10];
  int own = threadIdx.y * 8 + threadIdx.x, sum = 0;
  for (int k = own; k < 100; k += 64) {
    int x = int(blockIdx.x * 8) + k % 10 - 1, y = int(blockIdx.y * 8) + k / 10 - 1;
    tile[k / 10][k % 10] = x >= 0 && x < 16 && y >= 0 && y < 16 ? in[y * 16 + x] : 0;
  }
  __syncthreads();
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) sum += tile[threadIdx.y + dy][threadIdx.x + dx];
  out[(blockIdx.y * 8 + threadIdx.y) * 16 + blockIdx.x * 8 + threadIdx.x] = sum;
}

// <<<1, dim3(8,8)>>> 64: separable filter: columns are summed before all rows are
PAIR(separable_wrong) ARGS {
  __shared__ int image[8][8], rows[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  image[y][x] = in[y * 8 + x];
  __syncthreads();
  rows[y][x] = image[y][x] + image[y][(x + 1) % 8];
  out[y * 8 + x] = rows[y][x] + rows[(y + 1) % 8][x]; // ! read-after-write
}
PAIR(separable_right) ARGS {
  __shared__ int image[8][8], rows[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  image[y][x] = in[y * 8 + x];
  __syncthreads();
  rows[y][x] = image[y][x] + image[y][(x + 1) % 8];
  __syncthreads();
  out[y * 8 + x] = rows[y][x] + rows[(y + 1) % 8][x];
}

// <<<1, 64>>> 64: Jacobi iteration, in place instead of from one array into the other
PAIR(jacobi_wrong) ARGS {
  __shared__ int u[66];
  int t = threadIdx.x + 1;
  u[t] = in[t - 1];
  if (t == 1) u[0] = u[65] = 0;
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    u[t] = (u[t - 1] + u[t + 1]) / 2; // ! write-after-read
    __syncthreads();
  }
  out[t - 1] = u[t];
}
PAIR(jacobi_right) ARGS {
  __shared__ int u[66];
  int t = threadIdx.x + 1;
  u[t] = in[t - 1];
  if (t == 1) u[0] = u[65] = 0;
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    int next = (u[t - 1] + u[t + 1]) / 2;
    __syncthreads();
    u[t] = next;
    __syncthreads();
  }
  out[t - 1] = u[t];
}

// <<<1, 64>>> 64: two buffers in turn: nobody waits for the first one to be full
PAIR(ping_pong_wrong) ARGS {
  __shared__ int u[2][64];
  int t = threadIdx.x;
  u[0][t] = in[t];
  for (int k = 0; k < 8; k++) {
    u[(k + 1) % 2][t] = u[k % 2][t] + u[k % 2][(t + 1) % 64]; // ! read-after-write
    __syncthreads();
  }
  out[t] = u[0][t];
}
PAIR(ping_pong_right) ARGS {
  __shared__ int u[2][64];
  int t = threadIdx.x;
  u[0][t] = in[t];
  __syncthreads();
  for (int k = 0; k < 8; k++) {
    u[(k + 1) % 2][t] = u[k % 2][t] + u[k % 2][(t + 1) % 64];
    __syncthreads();
  }
  out[t] = u[0][t];
}

// <<<1, 64>>> 256: the next tile but one is fetched into the buffer of the present one
PAIR(prefetch_wrong) ARGS {
  __shared__ int tiles[2][64];
  int t = threadIdx.x, sum = 0;
  tiles[0][t] = in[t];
  tiles[1][t] = in[64 + t];
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    sum += tiles[k % 2][63 - t];
    if (k + 2 < 4) tiles[(k + 2) % 2][t] = in[(k + 2) * 64 + t]; // ! write-after-read
    __syncthreads();
  }
  out[t] = sum;
}
PAIR(prefetch_right) ARGS {
  __shared__ int tiles[3][64];
  int t = threadIdx.x, sum = 0;
  tiles[0][t] = in[t];
  tiles[1][t] = in[64 + t];
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    sum += tiles[k % 3][63 - t];
    if (k + 2 < 4) tiles[(k + 2) % 3][t] = in[(k + 2) * 64 + t];
    __syncthreads();
  }
  out[t] = sum;
}

// <<<1, 64, 512>>> 64: two arrays in the dynamic shared memory: the second begins an element too early
PAIR(carved_wrong) ARGS {
  extern __shared__ int pool[];
  int *keys = pool, *values = pool + blockDim.x - 1, t = threadIdx.x;
  keys[t] = in[t];
  values[t] = in[t] * 2; // ! write-after-write
  __syncthreads();
  out[t] = values[63 - t];
}
PAIR(carved_right) ARGS {
  extern __shared__ int pool[];
  int *keys = pool, *values = pool + blockDim.x, t = threadIdx.x;
  keys[t] = in[t];
  values[t] = in[t] * 2;
  __syncthreads();
  out[t] = values[63 - t];
}
