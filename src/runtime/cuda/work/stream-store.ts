/** Streams by handle. */
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, fail } from "../errors.ts";
import { DEFAULT_STREAM, LEGACY_STREAM, PER_THREAD_STREAM } from "./stream-model.ts";
import type { StreamState } from "./stream-model.ts";

/** The stream behind a handle. Throws invalidResourceHandle. */
export function streamState(cuda: CudaContext, handle: number): StreamState {
  if (handle === DEFAULT_STREAM || handle === LEGACY_STREAM || handle === PER_THREAD_STREAM) {
    return cuda.extension<StreamState>(handle === PER_THREAD_STREAM ? "stream per thread" : "stream default", () => ({
      handle,
      device: 0,
      flags: 0,
      priority: 0,
      queueStream: 0,
      capture: null,
      frontier: [],
    }));
  }
  return (
    cuda.streams.get(handle) ??
    fail(CudaErrorCode.invalidResourceHandle, "the stream does not exist, or is destroyed", {
      kind: "destroyed-handle",
      what: "stream",
      handle,
    })
  );
}
