/** The report of a kernel that failed: the fault, its place, its thread, and the nearest allocation. */
import { userLocation } from "../../base/source-places.ts";
import { formatLocation } from "../../base/diagnostics.ts";
import { formatDim3, type Dim3 } from "../../base/dim3.ts";
import type { Device } from "../../device/device.ts";
import type { DeviceFault, WaitingThreads } from "../../machine/faults.ts";
import type { KernelParam } from "../../machine/launch.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import { FAULT_ERRORS, errorName, errorString } from "./errors.ts";
import { demangle } from "../../base/demangle.ts";

export interface FaultSurroundings {
  readonly device: Pick<Device, "nearestAllocation">;
  /** Size of the host program's memory, to recognise host pointers. */
  readonly hostBytes: number;
  readonly params: readonly { readonly param: KernelParam; readonly value: number | null }[];
}

/** The report, one line after the other, without colour. */
export function describeFault(fault: DeviceFault, surroundings: FaultSurroundings): string {
  const code = FAULT_ERRORS[fault.kind];
  // The access has its own line; otherwise the fault's sentence says more than CUDA's.
  const reason = fault.access === undefined && fault.message !== "" ? fault.message : errorString(code);
  const lines = [`kernel ${demangle(fault.kernel)} failed: ${reason}`];
  // An assertion fails in a header of ours: the line that a person wrote comes first.
  const place = fault.kind === "assert" || fault.kind === "timeout" ? userLocation(fault.location) : fault.location;
  if (place !== null) {
    const { functionName } = place;
    lines.push(
      `  ${fault.kind === "timeout" ? "in the loop at" : "at"} ${formatLocation(place)}` +
        (functionName ? `, in ${demangle(functionName)}` : ""),
    );
  }
  for (let outer = place?.inlinedAt; outer !== undefined; outer = outer.inlinedAt)
    lines.push(`  inlined at ${formatLocation(outer)}`);
  if (fault.thread !== null && fault.block !== null)
    lines.push(`  by thread ${formatDim3(fault.thread)} of block ${formatDim3(fault.block)}`);
  if (fault.access !== undefined) lines.push(...describeAccess(fault.access, surroundings));
  for (const group of fault.waiting ?? []) lines.push(describeWaiting(group));
  for (const note of fault.notes ?? []) lines.push(`  ${note.replace(/\b_Z\w+/g, demangle)}`);
  lines.push(`  the program's next CUDA call returns ${errorName(code)} (${code}: ${errorString(code)})`);
  return lines.join("\n");
}

/** The line that CUDA's driver prints; null: no assertion has failed, or the driver has printed it. */
export function assertionLine({ assertion, block, thread }: DeviceFault): string | null {
  if (assertion === undefined || block === null || thread === null) return null;
  const { expression, file, line, functionName } = assertion;
  const at = ({ x, y, z }: Dim3): string => `[${x},${y},${z}]`;
  return (
    `${file}:${line}: ${functionName}: block: ${at(block)}, thread: ${at(thread)} ` +
    `Assertion \`${expression}\` failed.`
  );
}

const VERBS: Readonly<Record<NonNullable<DeviceFault["access"]>["kind"], string>> = {
  load: "read",
  store: "write",
  atomic: "atomic",
};

function describeAccess(
  access: NonNullable<DeviceFault["access"]>,
  { device, hostBytes, params }: FaultSurroundings,
): string[] {
  const { address, bytes, kind } = access;
  const isNull = address < 65536;
  const count = `${bytes} byte${bytes === 1 ? "" : "s"}`;
  const meaning = isNull ? ": a null pointer, or a small offset from one" : "";
  const lines = [`  ${VERBS[kind]} of ${count} at 0x${address.toString(16)}${meaning}`];
  if (isNull) {
    const nulls = params
      .filter(({ value, param }) => param.kind === "pointer" && value === 0)
      .map(({ param }) => param.name || "?");
    if (nulls.length > 0) lines.push(`  null among the kernel's arguments: ${nulls.join(", ")}`);
    return lines;
  }
  const nearest = device.nearestAllocation(address);
  if (nearest !== null) lines.push(`  ${describeDistance(address, bytes, nearest)}`);
  const culprit = params.find(
    ({ value }) => value !== null && value >= 1024 && value < USER_BASE && address >= value && value < hostBytes,
  );
  if (address < USER_BASE && culprit !== undefined) {
    const value = `0x${culprit.value?.toString(16)}`;
    lines.push(
      `  argument ${culprit.param.name} = ${value} is a host pointer: ` +
        "give the kernel memory from cudaMalloc or cudaMallocManaged",
    );
  }
  return lines;
}

function describeDistance(address: number, bytes: number, nearest: { pointer: number; bytes: number }): string {
  const end = nearest.pointer + nearest.bytes;
  const range = `[0x${nearest.pointer.toString(16)}, 0x${end.toString(16)})`;
  const what = `the nearest allocation, ${range} of ${nearest.bytes} bytes`;
  if (address >= end) return `${address - end} bytes past the end of ${what}`;
  if (address < nearest.pointer) return `${nearest.pointer - address} bytes before the start of ${what}`;
  return address + bytes > end ? `${address + bytes - end} bytes over the end of ${what}` : `inside ${what}`;
}

const WAITING_FOR: Readonly<Record<WaitingThreads["what"], string>> = {
  barrier: "a block barrier (__syncthreads)",
  "warp-sync": "other lanes of their warp",
  products: "products that other warps of the warpgroup have not issued",
  memory: "a value in memory that no one writes",
  "cluster-sync": "the barrier of the cluster",
  "grid-sync": "the grid barrier",
};

function describeWaiting(group: WaitingThreads): string {
  const place = userLocation(group.location);
  const where = place === null ? "" : ` at ${formatLocation(place)}`;
  const { count, block, thread, what } = group;
  const threads = `${count} thread${count === 1 ? "" : "s"} of block ${formatDim3(block)}`;
  const wait = count === 1 ? "waits" : "wait";
  return `  ${threads}, such as ${formatDim3(thread)}, ${wait} for ${WAITING_FOR[what]}${where}`;
}
