/** Three extents, as CUDA's dim3: x varies fastest. */
export interface Dim3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** What users may write for a dim3: `64`, `[16, 16]` or `{ x: 16, y: 16 }`. */
export type Dim3Like =
  | number
  | readonly [number, number?, number?]
  | { readonly x: number; readonly y?: number; readonly z?: number };

export function dim3(value: Dim3Like): Dim3 {
  if (typeof value === "number") return { x: value, y: 1, z: 1 };
  if (Array.isArray(value))
    return {
      x: value[0] as number,
      y: (value[1] as number | undefined) ?? 1,
      z: (value[2] as number | undefined) ?? 1,
    };
  const object = value as { x: number; y?: number; z?: number };
  return { x: object.x, y: object.y ?? 1, z: object.z ?? 1 };
}

export function dim3Volume(d: Dim3): number {
  return d.x * d.y * d.z;
}

/** The coordinates of element `linear` in extents `d`, x fastest (CUDA programming guide, thread hierarchy). */
export function dim3Unflatten(linear: number, d: Dim3): Dim3 {
  return { x: linear % d.x, y: Math.floor(linear / d.x) % d.y, z: Math.floor(linear / (d.x * d.y)) };
}

/** The number of a place in a grid or block: x runs fastest. */
export function dim3Flatten(place: Dim3, d: Dim3): number {
  return place.x + d.x * (place.y + d.y * place.z);
}

export function formatDim3(d: Dim3): string {
  return `(${d.x}, ${d.y}, ${d.z})`;
}
