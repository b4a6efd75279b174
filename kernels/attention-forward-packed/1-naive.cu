// By the formula, in three kernels: a thread computes one score, one row's softmax, or one element of the output. All
// length x length scores of every head go to memory and come back three times. qkv has a query, a key and a value of 64
// elements for each head in each row.
template <int HEADS>
struct Packed {
  const float *qkv;
  int length;
  __device__ const float *at(int part, int batch, int head, int row) const {
    return qkv + (((size_t)batch * length + row) * 3 + part) * HEADS * 64 + head * 64;
  }
};

template <int HEADS>
__global__ void scores(const float *qkv, float *s, int length) {
  int key = blockIdx.x * BLOCK + threadIdx.x, query = blockIdx.y, batch = blockIdx.z / HEADS, head = blockIdx.z % HEADS;
  if (key > query) return;
  Packed<HEADS> packed = {qkv, length};
  const float *q = packed.at(0, batch, head, query), *k = packed.at(1, batch, head, key);
  float sum = 0;
  for (int d = 0; d < 64; d++) sum += q[d] * k[d];
  s[((size_t)blockIdx.z * length + query) * length + key] = sum * 0.125f;
}

__global__ void softmax(float *s, int rows, int length) {
  int row = blockIdx.x * BLOCK + threadIdx.x, count = row % length + 1;
  if (row >= rows) return;
  float *own = s + (size_t)row * length, most = own[0], sum = 0;
  for (int i = 1; i < count; i++) most = fmaxf(most, own[i]);
  for (int i = 0; i < count; i++) sum += own[i] = expf(own[i] - most);
  for (int i = 0; i < count; i++) own[i] /= sum;
}

template <int HEADS>
__global__ void weigh(const float *qkv, const float *s, float *out, int length) {
  int d = threadIdx.x, query = blockIdx.x, batch = blockIdx.y / HEADS, head = blockIdx.y % HEADS;
  Packed<HEADS> packed = {qkv, length};
  float sum = 0;
  for (int i = 0; i <= query; i++)
    sum += s[((size_t)blockIdx.y * length + query) * length + i] * packed.at(2, batch, head, i)[d];
  out[((size_t)batch * length + query) * HEADS * 64 + head * 64 + d] = sum;
}
