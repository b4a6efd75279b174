#include <stdlib.h>
#include "loop.h"

// As one would write it for a CPU: with a queue.
static void bfs(int nodes, const int *restrict first_edge, const int *restrict edges, int *restrict distance) {
  int *queue = malloc(sizeof *queue * nodes);
  if (queue == NULL) abort();
  int head = 0, tail = 0;
  for (int node = 0; node < nodes; node++) {
    if (distance[node] == 0) queue[tail++] = node;
  }
  while (head < tail) {
    int node = queue[head++];
    for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
      if (distance[edges[e]] < 0) {
        distance[edges[e]] = distance[node] + 1;
        queue[tail++] = edges[e];
      }
    }
  }
  free(queue);
}

void loop(const union argument *args) { bfs(args[0].i, args[1].data, args[2].data, args[3].data); }
