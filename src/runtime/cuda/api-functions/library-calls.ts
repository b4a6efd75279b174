/**
 * Calls of NVIDIA's libraries by Heddle's own (libraries/common/nvidia.h). Where the device has NVIDIA's library, its
 * function does the work of ours.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { isFaultError } from "../../../base/diagnostics.ts";
import type { Device } from "../../../device/device.ts";
import { addressAt, listAt, type HostWords, type LibraryFunction } from "../../../device/library-call.ts";
import { libraryNamed } from "../../../libraries/libraries.ts";
import type { ApiGroup } from "./api-table.ts";
import { allocateDeviceMemory } from "../allocations/allocation.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { ownGraphMemory } from "../graph/graph-memory.ts";
import type { CaptureState } from "../graph/graph-model.ts";
import { isUsableStream } from "../work/capture-rules.ts";
import { captureNode } from "../work/capture.ts";
import {
  beginRecordedCalls,
  endRecordedCalls,
  isRecordingCalls,
  noteLibraryWork,
  recordCalls,
} from "../work/recorded-calls.ts";
import { Callees, type Bound, type Callee } from "./library-callees.ts";
import type { StreamState } from "../work/stream-model.ts";
import { isStream, streamState } from "../work/stream-store.ts";
import type { WasmFunction } from "../../wasi/wasi-model.ts";

/** As in nvidia.h. */
const NOT_NOW = -1;
const NEVER = -2;

/** Places for arguments in the struct that a call hands over; behind their kinds. */
const MOST_BYTES = 8 * 32;

/** The function on the current device, or null where it has no such library. */
function boundOn(cuda: CudaContext, callee: Callee, device: Device): Bound | null {
  if (callee.device === device) return callee.bound;
  const found = device.library?.(callee.library);
  if (found?.library === null)
    cuda.note(
      `${libraryNamed(callee.library)?.title ?? callee.library}: Heddle's own kernels stand in for NVIDIA's library, ` +
        found.missing,
    );
  callee.device = device;
  const library = found?.library ?? null;
  callee.bound = library === null ? null : { library, call: library.bind(callee.name, callee.kinds) };
  return callee.bound;
}

/** Whether an address of the call is memory that host and device each have. */
function hasMirrored(cuda: CudaContext, { pointers, lists }: Callee, host: HostWords, at: number): boolean {
  const isMirrored = (pointer: number): boolean =>
    cuda.mirrored.find(pointer) !== null || cuda.mirrored.findDevice(pointer) !== null;
  const valueAt = (place: number): number => addressAt(host, at / 4 + 2 * place);
  return (
    pointers.some((place) => isMirrored(valueAt(place))) ||
    lists.some((place) => listAt(host, valueAt(place)).some(({ address }) => isMirrored(address)))
  );
}

function libraryCaller(cuda: CudaContext): WasmFunction {
  const callees = new Callees(cuda.memory);
  const { memory, options, mirrored } = cuda;
  return (
    owner: number,
    libraryName: number,
    functionName: number,
    kindsAt: number,
    valuesAt: number,
    stream: number,
  ): number => {
    const at = unsigned(valuesAt);
    let host = memory.wordsTo(at + MOST_BYTES);
    const callee = callees.at(host, libraryName, functionName, unsigned(kindsAt));
    const state = cuda.current;
    const bound = boundOn(cuda, callee, state.device);
    if (bound === null) return NEVER;
    const { call } = bound;
    if (call === null) return NOT_NOW;
    // A handle may outlive its stream: a call that destroys it does nothing on a stream.
    const its = callee.usesStream ? streamState(cuda, stream) : null;
    if (state.fault !== null && !callee.isOfDriver) return NOT_NOW;
    // Our kernel reports that a capture refuses it: the device knows nothing of captures.
    if (callee.isWork && its !== null && !isUsableStream(cuda, its)) return NOT_NOW;
    // A list may lie beyond what this thread has seen of the memory; of anything else only the address is used.
    if (callee.lists.length > 0) host = memory.wordsTo(memory.size);
    // Copies of mirrored memory are kept equal around kernels of Heddle's only.
    if (mirrored.size > 0 && hasMirrored(cuda, callee, host, at)) return NOT_NOW;
    state.active = true;
    // The library may print, past our buffers.
    options.streams.flush();
    const started = options.timeLaunches === true ? performance.now() : 0;
    try {
      if (callee.isWork && its !== null && its.capture !== null)
        return callCaptured(cuda, callee, { ...bound, call }, { owner: unsigned(owner), host, at, stream: its });
      const status = call(unsigned(owner), host, at, its?.queueStream ?? 0);
      if (callee.isWork) noteLibraryWork(cuda, state, callee.name, started);
      return status;
    } catch (error) {
      // the device refuses our kernels, too: they report the fault
      if (isFaultError(error)) return NOT_NOW;
      throw error;
    }
  };
}

interface CapturedCall {
  readonly owner: number;
  readonly host: HostWords;
  readonly at: number;
  readonly stream: StreamState;
}

/** A call that works on a stream that is captured. */
function callCaptured(
  cuda: CudaContext,
  callee: Callee,
  { call, library }: Bound & { readonly call: LibraryFunction },
  { owner, host, at, stream }: CapturedCall,
): number {
  if (isRecordingCalls(cuda, stream)) return call(owner, host, at, stream.queueStream);
  if (callee.isGrouped) return NOT_NOW;
  // A capture may forbid what the library does to make a handle.
  if (callee.usesHandle) library.prepare(owner);
  if (!beginRecordedCalls(cuda, stream)) return NOT_NOW;
  try {
    return call(owner, host, at, stream.queueStream);
  } finally {
    endRecordedCalls(cuda, stream, callee.name);
  }
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
  made: { __heddle_library_call: libraryCaller },
  plain: {
    __heddle_library_address: (cuda, pointer: number) =>
      BigInt(cuda.current.device.nativeAddress?.(unsigned(pointer)) ?? 0),
    __heddle_leaves_allocation: (cuda, pointer: number, bytes: number) =>
      leavesAllocation(cuda, pointer, unsigned(bytes)) ? 1 : 0,
    __heddle_record_calls: (cuda, stream: number, isBegin: number) =>
      recordCalls(cuda, streamState(cuda, stream), isBegin !== 0) ? 1 : 0,
    __heddle_is_stream: (cuda, stream: number) => (isStream(cuda, stream) ? 1 : 0),
    __heddle_is_capturing: (cuda) => (cuda.captures.size > 0 ? 1 : 0),
    __heddle_is_emulated: (cuda) => (cuda.current.device.kind === "emulated" ? 1 : 0),
  },
  notes: {
    __heddle_library_call: "behind cuBLAS, where a GPU's user has NVIDIA's",
    __heddle_library_address: "behind cuBLASLt",
    __heddle_graph_memory: "behind libraries' calls that are captured",
    __heddle_leaves_allocation: "behind NCCL",
    __heddle_record_calls: "behind NCCL",
    __heddle_is_stream: "behind the work memory of libraries",
    __heddle_is_capturing: "behind the handles of libraries",
    __heddle_is_emulated: "how the libraries spread work over threads",
  },
};
