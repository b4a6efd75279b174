// Pairs of kernels for racecheck: parts of words, and accesses of several words. What shares a word without sharing a byte does not race. NAME_wrong races
// in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 64>>> 128: bytes of the grid
PAIR(bytes_wrong) ARGS {
  char* bytes = (char*)out;
  bytes[ROW / 2] = in[ROW]; // ! write-after-write
}
PAIR(bytes_right) ARGS {
  char* bytes = (char*)out;
  bytes[ROW] = in[ROW];
}

// <<<4, 30>>> 128: bytes, where blocks share a word
PAIR(byte_edge_wrong) ARGS {
  char* bytes = (char*)out;
  bytes[ROW] = in[ROW];
  if (threadIdx.x == 29) bytes[ROW + 1] = -1; // ! write-after-write
}
PAIR(byte_edge_right) ARGS {
  char* bytes = (char*)out;
  bytes[ROW] = in[ROW];
  if (threadIdx.x == 29) bytes[ROW] = -1;
}

// <<<64, 32>>> 64: a sum of 16 bits for each block, which shares its word with the next block's
PAIR(block_shorts_wrong) ARGS {
  short* sums = (short*)out;
  int x = in[threadIdx.x];
  for (int s = 16; s > 0; s >>= 1) x += __shfl_xor_sync(0xffffffff, x, s);
  if (threadIdx.x == 0) sums[blockIdx.x / 2] += x; // ! write-after-write
}
PAIR(block_shorts_right) ARGS {
  short* sums = (short*)out;
  int x = in[threadIdx.x];
  for (int s = 16; s > 0; s >>= 1) x += __shfl_xor_sync(0xffffffff, x, s);
  if (threadIdx.x == 0) sums[blockIdx.x] += x;
}

// <<<1, 64>>> 64: bytes, each read and written by one thread, which finds it by a table
PAIR(table_bytes_wrong) ARGS {
  unsigned char* bytes = (unsigned char*)out;
  bytes[in[threadIdx.x] & 62] += 3; // ! write-after-write
}
PAIR(table_bytes_right) ARGS {
  unsigned char* bytes = (unsigned char*)out;
  bytes[in[threadIdx.x]] += 3;
}

// <<<1, 64>>> 64: flags in shared memory, of which each thread changes its own
PAIR(flags_wrong) ARGS {
  __shared__ bool marked[64];
  int t = threadIdx.x;
  marked[t] = in[t] % 3 == 0;
  out[t] = marked[(t + 1) % 64]; // ! read-after-write
}
PAIR(flags_right) ARGS {
  __shared__ bool marked[64];
  int t = threadIdx.x;
  marked[t] = in[t] % 3 == 0;
  out[t] = marked[t];
}

// <<<2, 64>>> 128: 16 bits, updated by their thread and by its neighbour
PAIR(shorts_wrong) ARGS {
  short* values = (short*)out;
  values[ROW ^ (in[ROW] == 70)] += 3; // ! write-after-write
}
PAIR(shorts_right) ARGS {
  short* values = (short*)out;
  values[ROW ^ 1] += 3;
}

struct Fields { unsigned kind : 5; unsigned count : 27; };
struct Halves { unsigned short kind, count; };

// <<<1, 64>>> 64: neighbouring bit-fields are one memory location, neighbouring members are two
PAIR(bit_fields_wrong) ARGS {
  __shared__ Fields fields[32];
  int t = threadIdx.x;
  if (t < 32) fields[t] = {0, unsigned(in[t])};
  __syncthreads();
  if (t < 32) fields[t].kind = in[t] % 8;
  else out[t] = fields[t - 32].count; // ! read-after-write
}
PAIR(bit_fields_right) ARGS {
  __shared__ Halves fields[32];
  int t = threadIdx.x;
  if (t < 32) fields[t] = {0, (unsigned short)in[t]};
  __syncthreads();
  if (t < 32) fields[t].kind = in[t] % 8;
  else out[t] = fields[t - 32].count;
}

// <<<2, 64>>> 128: a byte of a pixel, changed together with the others
PAIR(pixel_wrong) ARGS {
  uchar4 pixel = ((uchar4*)out)[ROW / 4];
  unsigned char* channels = (unsigned char*)&pixel;
  channels[ROW % 4] = in[ROW];
  ((uchar4*)out)[ROW / 4] = pixel; // ! write-after-write
}
PAIR(pixel_right) ARGS {
  uchar4* pixel = &((uchar4*)out)[ROW / 4];
  unsigned char* channels = (unsigned char*)pixel;
  channels[ROW % 4] = in[ROW];
}

// <<<1, 64>>> 64: bytes are written, words are read
PAIR(packed_wrong) ARGS {
  __shared__ __align__(4) unsigned char bytes[64];
  int t = threadIdx.x;
  bytes[t] = in[t];
  if (t < 16) out[t] = ((int*)bytes)[t]; // ! read-after-write
}
PAIR(packed_right) ARGS {
  __shared__ __align__(4) unsigned char bytes[64];
  int t = threadIdx.x;
  bytes[t] = in[t];
  __syncthreads();
  if (t < 16) out[t] = ((int*)bytes)[t];
}

// <<<1, 64>>> 256: four elements at once: stored as such, read one by one
PAIR(vector_wrong) ARGS {
  __shared__ int4 tile[64];
  int t = threadIdx.x;
  tile[t] = ((const int4*)in)[t];
  for (int k = 0; k < 4; k++) out[k * 64 + t] = ((int*)tile)[k * 64 + t]; // ! read-after-write
}
PAIR(vector_right) ARGS {
  __shared__ int4 tile[64];
  int t = threadIdx.x;
  tile[t] = ((const int4*)in)[t];
  __syncthreads();
  for (int k = 0; k < 4; k++) out[k * 64 + t] = ((int*)tile)[k * 64 + t];
}

// <<<2, 32>>> 256: vectors, at an index that is the elements'
PAIR(vector_index_wrong) ARGS {
  float4* vectors = (float4*)out;
  vectors[ROW / 4] = make_float4(in[ROW], 0, 0, 1); // ! write-after-write
}
PAIR(vector_index_right) ARGS {
  float4* vectors = (float4*)out;
  vectors[ROW] = make_float4(in[ROW], 0, 0, 1);
}

// <<<2, 32>>> 260: a vector and a part of its neighbour
PAIR(vector_tail_wrong) ARGS {
  int i = ROW;
  ((int4*)out)[i] = make_int4(i, i, i, i);
  out[4 * i + 4] = in[i]; // ! write-after-write
}
PAIR(vector_tail_right) ARGS {
  int i = ROW;
  ((int4*)out)[i] = make_int4(i, i, i, i);
  out[4 * i + 3] = in[i];
}

// <<<1, 64>>> 128: doubles in shared memory, of which a neighbour reads the upper half
PAIR(double_half_wrong) ARGS {
  __shared__ double values[64];
  int t = threadIdx.x;
  values[t] = in[t] * 0.5;
  out[t] = ((int*)values)[(2 * t + 3) % 128]; // ! read-after-write
}
PAIR(double_half_right) ARGS {
  __shared__ double values[64];
  int t = threadIdx.x;
  values[t] = in[t] * 0.5;
  out[t] = ((int*)values)[(2 * t + 1) % 128];
}

// <<<1, 64>>> 64: 16-bit floats by twos: one is exchanged for another, the other comes along
PAIR(half_of_two_wrong) ARGS {
  __shared__ short2 twos[32];
  int t = threadIdx.x;
  if (t < 32) twos[t] = make_short2(0, 0);
  __syncthreads();
  short2 two = twos[t / 2];
  if (t % 2) two.x = in[t];
  else two.y = in[t];
  twos[t / 2] = two; // ! write-after-write
  __syncthreads();
  out[t] = twos[t / 2].x;
}
PAIR(half_of_two_right) ARGS {
  __shared__ short2 twos[32];
  int t = threadIdx.x;
  if (t < 32) twos[t] = make_short2(0, 0);
  __syncthreads();
  if (t % 2) twos[t / 2].x = in[t];
  else twos[t / 2].y = in[t];
  __syncthreads();
  out[t] = twos[t / 2].x;
}

struct __attribute__((packed)) Record { unsigned char tag; int value; };

// <<<2, 32>>> 256: records of five bytes, with no gap between them, and with one byte too few
PAIR(packets_wrong) ARGS {
  Record* record = (Record*)((char*)out + ROW * 4);
  record->tag = 7;
  record->value = in[ROW]; // ! write-after-write
}
PAIR(packets_right) ARGS {
  Record* record = (Record*)((char*)out + ROW * 5);
  record->tag = 7;
  record->value = in[ROW];
}

union Either { int index; float weight; };

// <<<1, 64>>> 64: two names for the same bytes
PAIR(union_wrong) ARGS {
  __shared__ Either values[64];
  int t = threadIdx.x;
  values[t].index = in[t];
  __syncthreads();
  int from = values[63 - t].index;
  values[t].weight = from * 0.5f; // ! write-after-read
  __syncthreads();
  out[t] = values[(t + 1) % 64].weight;
}
PAIR(union_right) ARGS {
  __shared__ Either values[64];
  int t = threadIdx.x;
  values[t].index = in[t];
  __syncthreads();
  int from = values[63 - t].index;
  __syncthreads();
  values[t].weight = from * 0.5f;
  __syncthreads();
  out[t] = values[(t + 1) % 64].weight;
}

struct Particle { float position[3]; int cell; };

// <<<2, 32>>> 256: particles, of which one field is the neighbours' affair
PAIR(particle_wrong) ARGS {
  Particle* particles = (Particle*)out;
  int i = ROW;
  for (int k = 0; k < 3; k++) particles[i].position[k] = in[i] + k;
  particles[(i + 1) % 64].position[2] = 0.5f; // ! write-after-write
}
PAIR(particle_right) ARGS {
  Particle* particles = (Particle*)out;
  int i = ROW;
  for (int k = 0; k < 3; k++) particles[i].position[k] = in[i] + k;
  particles[(i + 1) % 64].cell = 5;
}

// <<<1, 64>>> 64: the same number, in words of different width
PAIR(widths_wrong) ARGS {
  if (threadIdx.x == 0) *(long long*)out = 1;
  if (threadIdx.x == 33) out[1] = 1; // ! write-after-write
}
PAIR(widths_right) ARGS {
  if (threadIdx.x == 0) *(long long*)out = 1;
  if (threadIdx.x == 33) out[2] = 1;
}

// <<<1, 64>>> 64: counters of a byte each, which the threads of a word have side by side; they are read before all have counted
#define COUNT_BYTES \
  __shared__ unsigned char counts[64 * 16]; \
  unsigned place = (threadIdx.x & 15) << 2 | (threadIdx.x & 48) >> 4; \
  for (int i = 0; i < 4; i++) ((unsigned*)counts)[threadIdx.x + 64 * i] = 0; \
  __syncthreads(); \
  for (int i = 0; i < 8; i++) { \
    unsigned x = in[(threadIdx.x * 7 + i) % n]; \
    counts[place + 64 * (x & 15)]++; \
    counts[place + 64 * (x >> 2 & 15)]++; \
  }
PAIR(byte_counters_wrong) ARGS {
  COUNT_BYTES
  out[threadIdx.x] = counts[threadIdx.x * 16]; // ! read-after-write
}
PAIR(byte_counters_right) ARGS {
  COUNT_BYTES
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x * 16];
}
