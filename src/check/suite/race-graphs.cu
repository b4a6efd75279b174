// Pairs of kernels for racecheck: graphs, whose indices are data (after the patterns of the Indigo suite: conditional vertex and edge, pull, push, worklist,
// guards, bounds). NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.

#define VERTEX (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// 16 vertices, of which one has many neighbours; each edge stands there in both directions.
__constant__ int rows[17] = {0, 9, 13, 17, 22, 24, 29, 32, 36, 39, 40, 41, 42, 45, 47, 50, 52};
__constant__ int targets[52] = {1, 3, 4, 6, 7, 8, 12, 14, 15, 0, 2, 6, 10, 1, 3, 5, 9, 0, 2, 5, 7, 13, 0, 14, 2, 3, 7, 11, 12, 0, 1, 14, 0, 3, 5, 12, 0, 13, 15, 2, 1, 5, 0, 5, 7, 3, 8, 0, 4, 6, 0, 8};
__constant__ int sources[52] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 9, 10, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15};

// <<<4, 4>>> 64: edges are counted
PAIR(count_edges_wrong) ARGS {
  int v = VERTEX, up = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) up += v < targets[e];
  if (up > 0) out[0] += up; // ! write-after-write
}
PAIR(count_edges_right) ARGS {
  int v = VERTEX, up = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) up += v < targets[e];
  if (up > 0) atomicAdd(&out[0], up);
}

// <<<4, 4>>> 64: the vertex with the most neighbours: compared, then stored
PAIR(largest_wrong) ARGS {
  int v = VERTEX, degree = rows[v + 1] - rows[v];
  if (degree > out[0]) out[0] = degree; // ! write-after-write
}
PAIR(largest_right) ARGS {
  int v = VERTEX, degree = rows[v + 1] - rows[v];
  atomicMax(&out[0], degree);
}

// <<<4, 4>>> 64: every vertex takes from its neighbours what these change
PAIR(pull_wrong) ARGS {
  int v = VERTEX, sum = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) sum += out[targets[e]];
  out[v] = sum + 1; // ! write-after-read
}
PAIR(pull_right) ARGS {
  int v = VERTEX, sum = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) sum += in[targets[e]];
  out[v] = sum + 1;
}

// <<<4, 4>>> 64: every vertex adds to its neighbours
PAIR(push_wrong) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) out[targets[e]] += in[v]; // ! write-after-write
}
PAIR(push_right) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) atomicAdd(&out[targets[e]], in[v]);
}

// <<<4, 4>>> 64: a look before the atomic operation, to save it
PAIR(guard_wrong) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) {
    if (out[targets[e]] < in[v]) // ! atomic-and-plain
      atomicMax(&out[targets[e]], in[v]);
  }
}
PAIR(guard_right) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) atomicMax(&out[targets[e]], in[v]);
}

// <<<4, 4>>> 64: vertices are appended to the next worklist
PAIR(worklist_wrong) ARGS {
  int v = VERTEX;
  if (rows[v + 1] - rows[v] > 2) out[1 + out[0]++] = v; // ! write-after-write
}
PAIR(worklist_right) ARGS {
  int v = VERTEX;
  if (rows[v + 1] - rows[v] > 2) out[1 + atomicAdd(&out[0], 1)] = v;
}

// <<<4, 4>>> 64: a worklist that is taken from and appended to in one launch
PAIR(worklist_size_wrong) ARGS {
  int v = VERTEX;
  int size = out[0]; // ! atomic-and-plain
  if (v >= size) out[1 + atomicAdd(&out[0], 1)] = v;
}
PAIR(worklist_size_right) ARGS {
  int v = VERTEX;
  int size = in[0];
  if (v >= size) out[1 + atomicAdd(&out[0], 1)] = v;
}

// <<<4, 13>>> 64: connected components, an edge for each thread: labels spread
PAIR(components_wrong) ARGS {
  int e = VERTEX, from = sources[e], to = targets[e];
  if (out[to] < from) out[to] = from; // ! write-after-write
}
PAIR(components_right) ARGS {
  int e = VERTEX, from = sources[e], to = targets[e];
  atomicMax(&out[to], from);
}

// <<<4, 4>>> 64: breadth-first search: who comes first is the parent
PAIR(visit_wrong) ARGS {
  int v = VERTEX;
  if (v % 4 != 0) return;
  for (int e = rows[v]; e < rows[v + 1]; e++) {
    int* parent = &out[targets[e]];
    if (*parent == 0) *parent = v + 1; // ! write-after-write
  }
}
PAIR(visit_right) ARGS {
  int v = VERTEX;
  if (v % 4 != 0) return;
  for (int e = rows[v]; e < rows[v + 1]; e++) {
    int* parent = &out[targets[e]];
    atomicCAS(parent, 0, v + 1);
  }
}

// <<<4, 4>>> 64: breadth-first search: the frontier of this step is that of the next
PAIR(frontier_wrong) ARGS {
  int v = VERTEX;
  if (v != 0 && out[v] == 0) return; // ! atomic-and-plain
  for (int e = rows[v]; e < rows[v + 1]; e++) atomicExch(&out[targets[e]], 1);
}
PAIR(frontier_right) ARGS {
  int v = VERTEX;
  if (v != 0 && in[v] % 3 != 0) return;
  for (int e = rows[v]; e < rows[v + 1]; e++) atomicExch(&out[targets[e]], 1);
}

// <<<4, 4>>> 64: PageRank by pushing
PAIR(pagerank_wrong) ARGS {
  int v = VERTEX;
  float *rank = (float*)out, share = 1.0f / (rows[v + 1] - rows[v]);
  for (int e = rows[v]; e < rows[v + 1]; e++) rank[targets[e]] += share; // ! write-after-write
}
PAIR(pagerank_right) ARGS {
  int v = VERTEX;
  float *rank = (float*)out, share = 1.0f / (rows[v + 1] - rows[v]);
  for (int e = rows[v]; e < rows[v + 1]; e++) atomicAdd(&rank[targets[e]], share);
}

// <<<4, 4>>> 64: paths of most capacity, one step of relaxation
PAIR(relax_wrong) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) {
    int w = targets[e], width = min(in[v] + 1, (e * 7) % 11 + 1);
    if (width > out[w]) out[w] = width; // ! write-after-write
  }
}
PAIR(relax_right) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) {
    int w = targets[e], width = min(in[v] + 1, (e * 7) % 11 + 1);
    atomicMax(&out[w], width);
  }
}

// <<<4, 13>>> 64: degrees, an edge for each thread
PAIR(degrees_wrong) ARGS {
  out[targets[VERTEX]]++; // ! write-after-write
}
PAIR(degrees_right) ARGS {
  atomicAdd(&out[targets[VERTEX]], 1);
}

// <<<4, 13>>> 64: an atomic operation for the threads of a block, by the threads of all
PAIR(block_degrees_wrong) ARGS {
  atomicAdd_block(&out[targets[VERTEX]], 1); // ! insufficient-scope
}
PAIR(block_degrees_right) ARGS {
  atomicAdd_block(&out[blockIdx.x * 16 + targets[VERTEX]], 1);
}

// <<<4, 4>>> 64: colours, chosen by those of the neighbours, which choose at the same time
PAIR(colour_wrong) ARGS {
  int v = VERTEX, used = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) used |= 1 << (out[targets[e]] & 15);
  out[v] = __ffs(~used); // ! write-after-read
}
PAIR(colour_right) ARGS {
  int v = VERTEX, used = 0;
  for (int e = rows[v]; e < rows[v + 1]; e++) used |= 1 << (in[targets[e]] & 15);
  out[v] = __ffs(~used);
}

// <<<4, 4>>> 64: one edge too many, which is the next vertex's first
PAIR(bounds_wrong) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e <= rows[v + 1]; e++) out[e] = v; // ! write-after-write
}
PAIR(bounds_right) ARGS {
  int v = VERTEX;
  for (int e = rows[v]; e < rows[v + 1]; e++) out[e] = v;
}

// <<<1, 16>>> 64: the edges in reverse, sorted by their targets
PAIR(reverse_edges_wrong) ARGS {
  __shared__ int filled[16];
  int v = threadIdx.x;
  filled[v] = 0;
  __syncthreads();
  for (int e = rows[v]; e < rows[v + 1]; e++) out[rows[targets[e]] + filled[targets[e]]++] = v; // ! write-after-write
}
PAIR(reverse_edges_right) ARGS {
  __shared__ int filled[16];
  int v = threadIdx.x;
  filled[v] = 0;
  __syncthreads();
  for (int e = rows[v]; e < rows[v + 1]; e++) out[rows[targets[e]] + atomicAdd(&filled[targets[e]], 1)] = v;
}

// <<<1, 64>>> 64: sparse matrix and vector, four threads for each row, whose sums are put together too early
PAIR(sparse_rows_wrong) ARGS {
  __shared__ int sums[16][4];
  int v = threadIdx.x / 4, k = threadIdx.x % 4, sum = 0;
  for (int e = rows[v] + k; e < rows[v + 1]; e += 4) sum += in[targets[e]];
  sums[v][k] = sum;
  if (k == 0) out[v] = sums[v][0] + sums[v][1] + sums[v][2] + sums[v][3]; // ! read-after-write
}
PAIR(sparse_rows_right) ARGS {
  __shared__ int sums[16][4];
  int v = threadIdx.x / 4, k = threadIdx.x % 4, sum = 0;
  for (int e = rows[v] + k; e < rows[v + 1]; e += 4) sum += in[targets[e]];
  sums[v][k] = sum;
  __syncwarp();
  if (k == 0) out[v] = sums[v][0] + sums[v][1] + sums[v][2] + sums[v][3];
}

// <<<4, 4>>> 64: matching: whom the chosen neighbour has chosen is asked in the launch in which it chooses
PAIR(handshake_wrong) ARGS {
  int v = VERTEX;
  int choice = targets[rows[v]];
  out[v] = choice;
  int back = out[choice]; // ! read-after-write
  out[16 + v] = back == v;
}
PAIR(handshake_right) ARGS {
  int v = VERTEX;
  int choice = targets[rows[v]];
  out[v] = choice;
  int back = targets[rows[choice]];
  out[16 + v] = back == v;
}
