/** The options of a launch, checked: what is missing or misspelt is named, with what was meant. */
import { HeddleError } from "../base/diagnostics.ts";
import { dim3, type Dim3, type Dim3Like } from "../base/dim3.ts";
import { checkOptions, describeValue, type OptionNames } from "../base/options.ts";
import type { LaunchConfig } from "../machine/launch.ts";

/** The launch configuration, which CUDA writes between <<< and >>>. */
export interface LaunchOptions {
  /** Blocks: a number, [x, y, z] or { x, y, z }. */
  readonly grid: Dim3Like;
  /** Threads of a block, in the same forms. */
  readonly block: Dim3Like;
  /** Dynamic shared memory of a block, in bytes; default 0. More than 48 KiB needs no opt-in. */
  readonly sharedBytes?: number;
  /**
   * For `configure`: the id of a stream made by `gpu.stream()`. Launches of one stream run in order. An emulated device
   * runs all launches in order.
   */
  readonly stream?: number;
  /** Blocks of a thread block cluster. Only on a GPU of compute capability 9.0 or later. */
  readonly cluster?: Dim3Like;
  /** A launch that takes longer fails with "timeout". Milliseconds; default: the limit of `openDevice`. */
  readonly timeoutMs?: number;
  /** All blocks are resident at once and may wait for one another (grid-wide synchronization). */
  readonly cooperative?: boolean;
}

const NAMES: OptionNames<LaunchOptions> = {
  grid: true,
  block: true,
  sharedBytes: true,
  stream: true,
  cluster: true,
  cooperative: true,
  timeoutMs: true,
};
/** What CUDA, Numba and WebGPU call them. */
const MEANT: Readonly<Record<string, string>> = {
  blocks: "grid",
  gridDim: "grid",
  gridSize: "grid",
  workgroups: "grid",
  threads: "block",
  blockDim: "block",
  blockSize: "block",
  threadsPerBlock: "block",
  workgroupSize: "block",
  shared: "sharedBytes",
  sharedMem: "sharedBytes",
  sharedMemory: "sharedBytes",
  smem: "sharedBytes",
};
const EXAMPLE = "kernel.launch({ grid: 4, block: 256 }, x, n)";

/** @throws HeddleError "bad-arguments"; limits of the device are not looked at. */
export function launchConfig(kernel: string, options: LaunchOptions): LaunchConfig & { readonly stream: number } {
  checkOptions<LaunchOptions>(`a launch of ${kernel}`, options, NAMES, { example: EXAMPLE, meant: MEANT });
  const { sharedBytes = 0, stream = 0, cooperative = false, cluster, timeoutMs } = options;
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    fail(kernel, "timeoutMs", "a number of milliseconds above 0", timeoutMs);
  if (typeof sharedBytes !== "number") fail(kernel, "sharedBytes", "a number of bytes", sharedBytes);
  if (typeof stream !== "number") fail(kernel, "stream", "the id of a stream (stream.id)", stream);
  if (typeof cooperative !== "boolean") fail(kernel, "cooperative", "true or false", cooperative);
  return {
    grid: extents(kernel, "grid", options.grid),
    block: extents(kernel, "block", options.block),
    sharedBytes,
    stream,
    cooperative,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(cluster === undefined ? {} : { cluster: extents(kernel, "cluster", cluster) }),
  };
}

const MEANING = { grid: "the number of blocks", block: "the threads of a block", cluster: "the blocks of a cluster" };

function extents(kernel: string, name: keyof typeof MEANING, value: Dim3Like | undefined): Dim3 {
  if (value === undefined)
    throw new HeddleError("bad-arguments", `a launch of ${kernel} needs a ${name}: ${MEANING[name]}`, {
      notes: [`for example ${EXAMPLE}`],
    });
  const parts: readonly unknown[] | null = partsOf(value);
  if (parts === null || parts.length < 1 || parts.length > 3 || parts.some((part) => typeof part !== "number"))
    fail(kernel, name, "a number, [x, y, z] or { x, y, z }", value);
  return dim3(value);
}

/** null: not one of the forms. */
function partsOf(value: unknown): readonly unknown[] | null {
  if (typeof value === "number") return [value];
  if (Array.isArray(value)) return value.filter((part) => part !== undefined);
  if (typeof value !== "object" || value === null || !("x" in value)) return null;
  return Object.keys(value).every((key) => "xyz".includes(key))
    ? Object.values(value).filter((part) => part !== undefined)
    : null;
}

function fail(kernel: string, name: string, what: string, value: unknown): never {
  throw new HeddleError("bad-arguments", `${name} in a launch of ${kernel} is ${what}, not ${describeValue(value)}`, {
    notes: [`for example ${EXAMPLE}`],
  });
}
