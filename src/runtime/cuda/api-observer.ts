/** How a tool (a check, a timeline) observes calls of the CUDA API. Without an observer calls cost nothing more. */
import type { RangeRecorder } from "../../profile/timeline/range-recorder.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { CopyRequest } from "./work/requests.ts";
import type { CudaContext } from "./context.ts";
import type { CudaFailure } from "./errors.ts";
import type { GraphWork } from "./graph/graph-model.ts";
import type { StreamState } from "./work/stream-model.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";

export interface ApiObserver {
  /** Takes the ranges and marks of the program (NVTX); absent: nobody asks for them. */
  readonly annotations?: RangeRecorder;
  /** The program names a stream of its own, or its thread. */
  nameStream?(stream: number, name: string): void;
  nameThread?(name: string): void;
  /** Further imports of an observed program (docs/host-abi.md). */
  readonly imports: ReadonlyMap<string, WasmFunction>;
  /** Once, before the program starts. */
  attach(cuda: CudaContext, wasm: Uint8Array, module: WebAssembly.Module): void;
  calling(name: string, values: readonly number[]): void;
  /**
   * The call fails, and not because of an earlier fault. Comes before `returned`.
   * @returns whether the observer reports the reason, so that the runtime prints nothing
   */
  failed(name: string, failure: CudaFailure): boolean;
  /** @param error the cudaError_t that the program is given. */
  returned(name: string, values: readonly number[], error: number): void;
  /** Whether the observer has reported this fault of a kernel, so that the runtime prints nothing. */
  isReported(fault: DeviceFault): boolean;
  /** A copy of some bytes, before its ends are looked at. */
  copying(copy: CopyRequest): void;
  /** A copy or fill reads or changes memory of the host. */
  movedOnHost(address: number, bytes: number, writes: boolean): void;
  /**
   * Work that is put on a stream; without a queue it is done between the two. `endWork` does not come when it fails.
   */
  beginWork(work: GraphWork, stream: StreamState): void;
  endWork(work: GraphWork, stream: StreamState): void;
  /**
   * A step of a graph that is launched on a stream comes next. @param key the same when the step is launched again.
   * @param before keys of the steps that it waits for. @returns the stream that its work is on, as far as order goes
   */
  branch(key: object, before: readonly object[], stream: StreamState): StreamState;
  /** What comes next on the stream waits for these steps. */
  join(keys: readonly object[], stream: StreamState): void;
  /** The program has ended by itself. */
  ended(): void;
}
