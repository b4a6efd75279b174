// One step of a breadth-first search over a graph in compressed rows: nodes that were reached in step `depth` reach
// their neighbours. Several threads may write the same neighbour; they all write the same number.
__global__ void bfs_step(int nodes, int depth, const int* first_edge, const int* edges, int* distance) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || distance[node] != depth) return;
  for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
    int neighbour = edges[e];
    if (distance[neighbour] < 0) distance[neighbour] = depth + 1;
  }
}
