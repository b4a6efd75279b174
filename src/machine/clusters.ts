/** Thread block clusters: which blocks of a grid belong together, and in which order a launch hands them out. */
import { dim3Unflatten, dim3Volume, type Dim3 } from "../base/dim3.ts";

const ONE: Dim3 = { x: 1, y: 1, z: 1 };

export function clusterExtents(cluster: Dim3 | null): Dim3 {
  return cluster ?? ONE;
}

/** Block number `ordinal` of a launch: cluster after cluster, in each by rank; x fastest in both. */
export function blockOfLaunch(ordinal: number, grid: Dim3, cluster: Dim3 | null): Dim3 {
  if (cluster === null) return dim3Unflatten(ordinal, grid);
  const size = dim3Volume(cluster);
  const clusters = { x: grid.x / cluster.x, y: grid.y / cluster.y, z: grid.z / cluster.z };
  const first = dim3Unflatten(Math.floor(ordinal / size), clusters);
  const place = dim3Unflatten(ordinal % size, cluster);
  return {
    x: first.x * cluster.x + place.x,
    y: first.y * cluster.y + place.y,
    z: first.z * cluster.z + place.z,
  };
}
