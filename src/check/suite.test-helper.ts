/**
 * Reads and launches pairs of kernels (suite/*.cu): launches and expectations stand in comments of the source.
 *
 * All kernels take (int* out, const int* in, int n): two allocations of n ints, in[i] = i and out[i] = 0. Before a pair
 * stands its launch, `// <<<grid, block, shared>>> n`, with words behind that change it: `raw-out`, `raw-in`: nobody
 * has written that array; `freed-in`: it was freed; `cooperative`; `clusters`: of 2 blocks; `vectors`: the right one is
 * taken for right only where warps run as vectors (docs/checkers.md), not thread by thread. In the line of the fault
 * stands `// ! KIND`, for memcheck `// ! KIND ACCESS`, for initcheck `// ! KIND USE`.
 */
import { ILP32, type DataModel } from "../base/data-model.ts";
import type { Dim3 } from "../base/dim3.ts";
import { dim3 } from "../base/dim3.ts";
import type { Device, GpuModule } from "../device/device.ts";

export interface Pair {
  readonly name: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly n: number;
  /** Words behind the launch. */
  readonly settings: readonly string[];
  /** "KIND", "KIND ACCESS" or "KIND USE" of the one finding, and the line it is in. */
  readonly expected: string;
  readonly line: number;
}

export function readSuite(source: string): Pair[] {
  const pairs: Pair[] = [];
  const lines = source.split("\n");
  /** Marks that name their kernel, for code in functions that kernels call. */
  const elsewhere = new Map<string, { expected: string; line: number }>();
  let launch: Omit<Pair, "name" | "expected" | "line"> | null = null;
  for (const [index, text] of lines.entries()) {
    const described = /^\/\/ <<<([^>]*)>>> (\d+)((?: (?:raw-out|raw-in|freed-in|cooperative|clusters|vectors))*)/.exec(
      text,
    );
    if (described !== null) {
      const [grid, block, shared] = [...(described[1] as string).matchAll(/dim3\(([^)]*)\)|(\d+)/g)].map(
        ([, dim, number]) => (dim === undefined ? [Number(number)] : dim.split(",").map(Number)),
      );
      launch = {
        grid: dim3(grid as [number]),
        block: dim3(block as [number, number]),
        sharedBytes: shared?.[0] ?? 0,
        n: Number(described[2]),
        settings: (described[3] as string)
          .trim()
          .split(" ")
          .filter((word) => word !== ""),
      };
    }
    const mark = /\/\/ ! ([a-z-]+(?: [a-z]+)??)(?: in (\w+)_wrong)?$/.exec(text);
    if (mark?.[2] !== undefined) elsewhere.set(mark[2], { expected: mark[1] as string, line: index + 1 });
    const name = /^PAIR\((\w+)_wrong\)/.exec(text)?.[1];
    if (name === undefined) continue;
    if (launch === null) throw new Error(`line ${index + 1}: no launch is given for ${name}`);
    let marked = elsewhere.get(name);
    for (
      let at = index;
      marked === undefined && at < lines.length && !/^PAIR\(\w+_right/.test(lines[at] as string);
      at++
    ) {
      const own = /\/\/ ! ([a-z-]+(?: [a-z]+)?)$/.exec(lines[at] as string);
      if (own !== null) marked = { expected: own[1] as string, line: at + 1 };
    }
    if (marked === undefined) throw new Error(`line ${index + 1}: no line of ${name} is marked`);
    pairs.push({ name, ...launch, ...marked });
  }
  return pairs;
}

/**
 * Launches a kernel of a suite on arrays of its own. A launch that faults leaves the device to be closed.
 *
 * @param model of the suite's device code
 */
export function launchOf(
  device: Device,
  module: GpuModule,
  kernel: string,
  { grid, block, sharedBytes, n, settings }: Pair,
  { pointerBytes }: Pick<DataModel, "pointerBytes"> = ILP32,
): { readonly faulted: boolean; readonly out: Int32Array } {
  const [out, in_] = [device.allocate(4 * n), device.allocate(4 * n)];
  const isFreed = settings.includes("freed-in");
  if (!settings.includes("raw-in"))
    device.write(in_, new Uint8Array(Int32Array.from({ length: n }, (_, i) => i).buffer));
  if (!settings.includes("raw-out")) device.fill(out, 0, 4, n);
  if (isFreed) device.free(in_);
  const params =
    pointerBytes === 4
      ? new Uint8Array(Int32Array.of(out, in_, n).buffer)
      : new Uint8Array(BigInt64Array.of(BigInt(out), BigInt(in_), BigInt(n)).buffer);
  const { fault } = device.launchBlocking(
    module.kernel(kernel),
    {
      grid,
      block,
      sharedBytes,
      cooperative: settings.includes("cooperative"),
      ...(settings.includes("clusters") ? { cluster: dim3(2) } : {}),
    },
    params,
  );
  // As a program does that wants the result.
  const result = new Uint8Array(4 * n);
  if (fault === null) device.read(out, result);
  if (fault === null) for (const pointer of isFreed ? [out] : [out, in_]) device.free(pointer);
  return { faulted: fault !== null, out: new Int32Array(result.buffer) };
}
