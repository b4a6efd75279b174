__kernel void bfs_step(int nodes, int depth, __global const int* first_edge, __global const int* edges, __global int* distance) {
  int node = get_global_id(0);
  if (node >= nodes || distance[node] != depth) return;
  for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
    int neighbour = edges[e];
    if (distance[neighbour] < 0) distance[neighbour] = depth + 1;
  }
}
