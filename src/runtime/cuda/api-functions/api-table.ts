/**
 * Tables of functions of the CUDA runtime API, and how they become imports of the host module.
 *
 * A group is a table from names to functions. `checked` functions return cudaError_t: what they throw becomes their
 * return value and the error that cudaGetLastError returns. `plain` functions return what they return. `made` functions
 * do so, too, and are made once for a program: the program calls them as they are, without a function between.
 * `notes` says what a function does less than CUDA's; docs/support.md is made from these tables.
 */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { CudaContext } from "../context.ts";
import { isUnsafeInCapture, requireSafeCall } from "../work/capture-rules.ts";
import { CudaErrorCode, CudaFailure } from "../errors.ts";
import { HostFileError } from "../../host/host-files.ts";
import { queueFault } from "../work/waiting.ts";
import type { WasmFunction } from "../../wasi/wasi-model.ts";

/**
 * i32, f32 and f64 arrive as numbers, i64 as bigint. Pointers may arrive as negative numbers: `>>> 0` before they are
 * compared.
 */
export type ApiCall = (cuda: CudaContext, ...values: never[]) => number | bigint | void;

export interface ApiGroup {
  readonly name: string;
  readonly checked?: Readonly<Record<string, ApiCall>>;
  readonly plain?: Readonly<Record<string, ApiCall>>;
  readonly made?: Readonly<Record<string, (cuda: CudaContext) => WasmFunction>>;
  readonly notes?: Readonly<Record<string, string>>;
}

export interface ApiStatus {
  readonly group: string;
  readonly name: string;
  readonly status: "implemented" | "partial";
  readonly note: string;
}

/**
 * Calls that answer even on a poisoned device, because they ask nothing of it, or because on a GPU they return before
 * the fault.
 */
const INDEPENDENT_OF_FAULTS: ReadonlySet<string> = new Set([
  "cudaGetDeviceCount",
  "cudaGetDevice",
  "cudaSetDevice",
  "cudaDriverGetVersion",
  "cudaRuntimeGetVersion",
  "cudaDeviceGetAttribute",
  "cudaDeviceReset",
  "cudaThreadExit",
  "cudaEventRecord",
  "cudaEventRecordWithFlags",
  "cudaDeviceGetPCIBusId",
  "cudaChooseDevice",
]);

/** What `kernel<<<…>>>` becomes: nobody sees what such a call returns. */
const LAUNCHES: ReadonlySet<string> = new Set(["cudaLaunchKernel", "cudaLaunch"]);
/** Launches, copies and fills. */
const WORK = /^cuda(Launch|Memcpy|Memset)/;

export function describeApi(groups: readonly ApiGroup[]): ApiStatus[] {
  return groups.flatMap((group) =>
    [group.checked, group.plain, group.made]
      .flatMap((table) => Object.keys(table ?? {}))
      .map((name) => {
        const note = group.notes?.[name] ?? "";
        return { group: group.name, name, status: note === "" ? ("implemented" as const) : ("partial" as const), note };
      }),
  );
}

export function bindApi(cuda: CudaContext, groups: readonly ApiGroup[]): Map<string, WasmFunction> {
  const imports = new Map<string, WasmFunction>();
  for (const group of groups) {
    for (const [name, call] of Object.entries(group.plain ?? {}))
      imports.set(
        name,
        observed(cuda, name, (...values: never[]) => call(cuda, ...values), false),
      );
    for (const [name, make] of Object.entries(group.made ?? {}))
      imports.set(name, observed(cuda, name, make(cuda), false));
    for (const [name, call] of Object.entries(group.checked ?? {}))
      imports.set(name, observed(cuda, name, checkedCall(cuda, name, call), true));
  }
  return imports;
}

/** Without an observer this returns the call unchanged. @param isChecked it returns a cudaError_t. */
function observed(cuda: CudaContext, name: string, call: WasmFunction, isChecked: boolean): WasmFunction {
  const { observer } = cuda;
  if (observer === null) return call;
  return (...values: never[]) => {
    observer.calling(name, values);
    const result = call(...values);
    observer.returned(name, values, isChecked ? (result as number) : CudaErrorCode.success);
    return result;
  };
}

function checkedCall(cuda: CudaContext, name: string, call: ApiCall): WasmFunction {
  const independent = INDEPENDENT_OF_FAULTS.has(name);
  const { guard } = cuda.options;
  const isUnsafe = isUnsafeInCapture(name);
  const isWork = WORK.test(name);
  return (...values: never[]): number => {
    guard.look();
    const sticky = independent ? CudaErrorCode.success : cuda.stickyError;
    if (sticky !== CudaErrorCode.success) {
      cuda.lastError = sticky;
      if (isWork) cuda.workError = sticky;
      return sticky;
    }
    try {
      if (isUnsafe) requireSafeCall(cuda, name, values);
      const result = call(cuda, ...values);
      const code = typeof result === "number" ? result : CudaErrorCode.success;
      if (isWork) cuda.workError = code;
      return code;
    } catch (error) {
      const failure = asFailure(cuda, error);
      cuda.lastError = failure.code;
      if (isWork) cuda.workError = failure.code;
      if (LAUNCHES.has(name)) cuda.refusedLaunch = failure.code;
      const isReported = cuda.observer?.failed(name, failure) ?? false;
      if (failure.detail !== undefined && !isReported) cuda.note(`${name}: ${failure.detail}`);
      return failure.code;
    }
  };
}

/**
 * What an API function returns for what was thrown in it. Errors that are no CUDA errors (exit, unsupported, our bugs)
 * go on.
 */
function asFailure(cuda: CudaContext, error: unknown): CudaFailure {
  if (error instanceof CudaFailure) return error;
  if (error instanceof HostFileError) return new CudaFailure(CudaErrorCode.invalidValue, error.message);
  if (error instanceof HeddleError) {
    const fault = queueFault(cuda, error);
    if (fault !== null) return fault;
    if (error.code === "out-of-memory") return new CudaFailure(CudaErrorCode.memoryAllocation, error.summary);
    if (error.code === "bad-arguments") return new CudaFailure(CudaErrorCode.invalidValue, error.summary);
    if (error.code === "invalid-launch") return new CudaFailure(CudaErrorCode.invalidConfiguration, error.message);
  }
  throw error;
}
