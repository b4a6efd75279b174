/**
 * Calls of NVIDIA's libraries by Heddle's own (libraries/common/nvidia.h). Where the device has NVIDIA's library, its
 * function does the work of ours.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { isFaultError } from "../../../base/diagnostics.ts";
import { listAt, type DeviceLibrary, type ListedAddress } from "../../../device/device.ts";
import { libraryNamed } from "../../../libraries/libraries.ts";
import type { ApiGroup } from "./api-table.ts";
import { allocateDeviceMemory } from "../allocations/allocation.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { ownGraphMemory } from "../graph/graph-memory.ts";
import type { CaptureState } from "../graph/graph-model.ts";
import { captureNode } from "../work/capture.ts";
import { Callees, type Callee } from "./library-callees.ts";
import { isStream, streamState } from "../work/stream-store.ts";
import { waitForDevice } from "../work/waiting.ts";

/** As in nvidia.h. */
const NOT_NOW = -1;
const NEVER = -2;

function libraryOf(cuda: CudaContext, name: string): DeviceLibrary | null {
  const { device } = cuda.current;
  const found = device.library?.(name);
  if (found === undefined) return null;
  if (found.library === null)
    cuda.note(
      `${libraryNamed(name)?.title ?? name}: Heddle's own kernels stand in for NVIDIA's library, ${found.missing}`,
    );
  return found.library;
}

/** What lies at a place of the argument list; addresses and handles are exact as numbers. */
function argument(cuda: CudaContext, kind: string, address: number): number | bigint {
  const { memory } = cuda;
  if (kind === "i") return memory.i32(address);
  if (kind === "d") return memory.f64(address);
  if (kind === "f") return memory.f32(address);
  if (kind === "l") return memory.u64(address);
  const value = memory.u32(address) + memory.u32(address + 4) * 2 ** 32;
  return kind === "s" ? streamState(cuda, value).queueStream : value;
}

/** Whether an address of the call is memory that host and device each have. */
function hasMirrored(cuda: CudaContext, { kinds }: Callee, values: readonly (number | bigint)[]): boolean {
  return values.some((value, i) => {
    if (kinds[i] !== "p" && kinds[i] !== "v") return false;
    const pointers =
      kinds[i] === "p" ? [Number(value)] : listAt(cuda.memory.bytes.buffer, Number(value)).map(pointerOf);
    return pointers.some((pointer) => cuda.mirrored.find(pointer) !== null);
  });
}

const newCallees = (cuda: CudaContext) => (): Callees => new Callees(cuda.memory);

function call(
  cuda: CudaContext,
  owner: number,
  libraryName: number,
  functionName: number,
  kindsAt: number,
  valuesAt: number,
  stream: number,
): number {
  const callees = cuda.extension("callees of libraries", newCallees(cuda));
  const callee = callees.at(libraryName, functionName, kindsAt);
  const library = libraryOf(cuda, callee.library);
  if (library === null) return NEVER;
  const state = cuda.current;
  const { capture, queueStream } = streamState(cuda, stream);
  // A graph needs kernels with known arguments, and so does the synchronization of mirrored memory.
  if (!callee.isOfDriver && (state.fault !== null || capture !== null || cuda.mirrored.isMapped)) return NOT_NOW;
  const { name, kinds } = callee;
  const values: (number | bigint)[] = [];
  for (let i = 0; i < kinds.length; i++) values.push(argument(cuda, kinds[i] as string, valuesAt + 8 * i));
  if (callee.hasAddresses && cuda.mirrored.size > 0 && hasMirrored(cuda, callee, values)) return NOT_NOW;
  state.active = true;
  // The library may print, past our buffers.
  cuda.options.streams.flush();
  try {
    const started = cuda.options.timeLaunches === true ? performance.now() : 0;
    // A list may lie beyond what this thread has seen of the memory; of anything else only the address is used.
    const host = callee.hasList ? cuda.memory.bytes.buffer : cuda.memory.bufferSeen;
    const status = library.call(name, kinds, { owner: unsigned(owner), values, host, stream: queueStream });
    if (status === null) return NOT_NOW;
    if (callee.isWork) noteWork(cuda, name, started);
    return status;
  } catch (error) {
    // the device refuses our kernels, too: they report the fault
    if (isFaultError(error)) return NOT_NOW;
    throw error;
  }
}

const pointerOf = ({ address }: ListedAddress): number => address;

/** A call that uses device memory counts as a launch. */
function noteWork(cuda: CudaContext, name: string, started: number): void {
  cuda.launchCount++;
  cuda.options.onLaunchStart?.(name);
  const { timeLaunches } = cuda.options;
  if (timeLaunches === true) waitForDevice(cuda, cuda.current);
  cuda.options.onLaunch?.({
    kernel: name,
    grid: [1, 1, 1],
    block: [1, 1, 1],
    elapsedMs: timeLaunches === true ? performance.now() - started : null,
    reused: false,
  });
}

/** By capture, stream and key: the memory that the calls of libraries share, one after the other. */
const lent = new WeakMap<CaptureState, Map<string, { readonly pointer: number; readonly bytes: number }>>();

/** Memory for a library's call on a stream that is captured. It is the graph's; null: the stream is not captured. */
function lendGraphMemory(cuda: CudaContext, out: number, bytes: number, handle: number, key: number): void {
  const stream = streamState(cuda, handle);
  const { capture } = stream;
  cuda.memory.setPointer(out, 0);
  if (capture === null) return;
  let all = lent.get(capture);
  if (all === undefined) lent.set(capture, (all = new Map()));
  const name = `${stream.handle} ${unsigned(key)}`;
  let memory = all.get(name);
  if (memory === undefined || memory.bytes < bytes) {
    if (capture.invalid) fail(CudaErrorCode.streamCaptureInvalidated);
    memory = { pointer: allocateDeviceMemory(cuda, bytes), bytes };
    ownGraphMemory(cuda, memory.pointer);
    captureNode(cuda, stream, { kind: "alloc", pointer: memory.pointer, isLent: true });
    all.set(name, memory);
  }
  cuda.memory.setPointer(out, memory.pointer);
}

/** Whether no allocation holds all of these bytes. */
function leavesAllocation(cuda: CudaContext, pointer: number, bytes: number): boolean {
  const address = unsigned(pointer);
  const mirrored = cuda.mirrored.find(address);
  if (mirrored !== null) return address + bytes > mirrored.hostAddress + mirrored.bytes;
  const owner = cuda.ownerOf(address);
  return owner === null || address + bytes > owner.pointer + owner.bytes;
}

export const libraryApi: ApiGroup = {
  name: "NVIDIA's libraries",
  checked: {
    __heddle_graph_memory: (cuda, out: number, bytes: number, stream: number, key: number) =>
      lendGraphMemory(cuda, out, unsigned(bytes), stream, key),
  },
  plain: {
    __heddle_library_call: (
      cuda,
      owner: number,
      library: number,
      name: number,
      kinds: number,
      values: number,
      stream: number,
    ) => call(cuda, owner, library, name, kinds, values, stream),
    __heddle_library_address: (cuda, pointer: number) =>
      BigInt(cuda.current.device.nativeAddress?.(unsigned(pointer)) ?? 0),
    __heddle_leaves_allocation: (cuda, pointer: number, bytes: number) =>
      leavesAllocation(cuda, pointer, unsigned(bytes)) ? 1 : 0,
    __heddle_is_stream: (cuda, stream: number) => (isStream(cuda, stream) ? 1 : 0),
    __heddle_is_emulated: (cuda) => (cuda.current.device.kind === "emulated" ? 1 : 0),
  },
  notes: {
    __heddle_library_call: "behind cuBLAS, where a GPU's user has NVIDIA's",
    __heddle_library_address: "behind cuBLASLt",
    __heddle_graph_memory: "behind libraries' calls that are captured",
    __heddle_leaves_allocation: "behind NCCL",
    __heddle_is_stream: "behind the work memory of libraries",
    __heddle_is_emulated: "how the libraries spread work over threads",
  },
};
