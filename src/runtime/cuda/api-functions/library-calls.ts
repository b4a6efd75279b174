/**
 * Calls of NVIDIA's libraries by Heddle's own (libraries/common/nvidia.h). Where the device has NVIDIA's library, its
 * function does the work of ours.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { isFaultError } from "../../../base/diagnostics.ts";
import type { DeviceLibrary } from "../../../device/device.ts";
import { libraryNamed } from "../../../libraries/libraries.ts";
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import { streamState } from "../work/stream-store.ts";
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

function call(
  cuda: CudaContext,
  owner: number,
  libraryName: number,
  functionName: number,
  kindsAt: number,
  valuesAt: number,
  stream: number,
): number {
  const library = libraryOf(cuda, cuda.memory.cString(libraryName));
  if (library === null) return NEVER;
  const state = cuda.current;
  const { capture, queueStream } = streamState(cuda, stream);
  // A graph needs kernels with known arguments, and so does the synchronization of mirrored memory.
  if (state.fault !== null || capture !== null || cuda.mirrored.isMapped) return NOT_NOW;
  const name = cuda.memory.cString(functionName);
  const kinds = cuda.memory.cString(kindsAt);
  const values = Array.from(kinds, (kind, i) => {
    const value = cuda.memory.u64(valuesAt + 8 * i);
    return kind === "s" ? BigInt(streamState(cuda, Number(value)).queueStream) : value;
  });
  for (const [i, kind] of [...kinds].entries())
    if (kind === "p" && cuda.mirrored.size > 0 && cuda.mirrored.find(Number(values[i])) !== null) return NOT_NOW;
  state.active = true;
  try {
    const started = performance.now();
    const status = library.call(name, kinds, {
      owner: unsigned(owner),
      values,
      host: cuda.memory.bytes.buffer,
      stream: queueStream,
    });
    if (status === null) return NOT_NOW;
    if (kinds.includes("p")) noteWork(cuda, name, started);
    return status;
  } catch (error) {
    // the device refuses our kernels, too: they report the fault
    if (isFaultError(error)) return NOT_NOW;
    throw error;
  }
}

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

export const libraryApi: ApiGroup = {
  name: "NVIDIA's libraries",
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
    __heddle_is_emulated: (cuda) => (cuda.current.device.kind === "emulated" ? 1 : 0),
  },
  notes: {
    __heddle_library_call: "behind cuBLAS, where a GPU's user has NVIDIA's",
    __heddle_library_address: "behind cuBLASLt",
    __heddle_is_emulated: "how the libraries spread work over threads",
  },
};
