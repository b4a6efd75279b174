import { randomWords } from "../../inputs.mjs";

const DEGREE = 8;

/**
 * Breadth-first search over a random graph, a launch a step: which addresses are read depends on what was read before.
 */
export const bfs = {
  cuda: "bfs/bfs.cu",
  opencl: "bfs/bfs.cl",
  loop: "bfs/bfs.c",
  unit: "Medges/s",
  full: { nodes: 2 ** 18 },
  tiny: { nodes: 500 },
  make({ nodes }) {
    const firstEdge = Int32Array.from({ length: nodes + 1 }, (_, i) => i * DEGREE);
    const edges = Int32Array.from(randomWords(nodes * DEGREE), (word) => word % nodes);
    const distance = new Int32Array(nodes).fill(-1);
    distance[0] = 0;
    const found = search(firstEdge, edges, distance);
    const steps = Math.max(...new Set(found)) + 1;
    return {
      buffers: {
        firstEdge: { values: firstEdge },
        edges: { values: edges },
        distance: { values: distance, restored: true },
      },
      // A GPU program would ask after each step whether anything was found. How many steps there are is known here.
      launches: Array.from({ length: steps }, (_, depth) => ({
        kernel: "bfs_step",
        grid: [Math.ceil(nodes / 256)],
        block: [256],
        args: [{ int: nodes }, { int: depth }, "firstEdge", "edges", "distance"],
      })),
      loopArgs: [{ int: nodes }, "firstEdge", "edges", "distance"],
      work: nodes * DEGREE,
      expected: () => ({ distance: { values: found } }),
    };
  },
};

function search(firstEdge, edges, start) {
  const distance = start.slice();
  const queue = [start.indexOf(0)];
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head];
    for (const neighbour of edges.subarray(firstEdge[node], firstEdge[node + 1])) {
      if (distance[neighbour] >= 0) continue;
      distance[neighbour] = distance[node] + 1;
      queue.push(neighbour);
    }
  }
  return distance;
}
