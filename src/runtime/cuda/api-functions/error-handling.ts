/** Error handling (runtime API reference, "Error Handling"). */
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, errorName, errorString, fail } from "../errors.ts";

/** The address of a text that lives as long as the program. */
export function permanentText(cuda: CudaContext, text: string): number {
  const texts = cuda.extension("texts", () => new Map<string, number>());
  let address = texts.get(text);
  if (address === undefined) {
    const bytes = new TextEncoder().encode(text).length + 1;
    address = cuda.host.malloc(bytes);
    if (address === 0) fail(CudaErrorCode.memoryAllocation);
    cuda.memory.setCString(address, text, bytes);
    texts.set(text, address);
  }
  return address;
}

export const errorApi: ApiGroup = {
  name: "Errors",
  plain: {
    // A fault stays with the device: this clears what was last returned, and the next call returns it again.
    cudaGetLastError(cuda) {
      const error = cuda.lastError;
      cuda.lastError = CudaErrorCode.success;
      cuda.refusedLaunch = CudaErrorCode.success;
      return error;
    },
    cudaPeekAtLastError(cuda) {
      cuda.refusedLaunch = CudaErrorCode.success;
      return cuda.lastError;
    },
    __heddle_work_error: (cuda) => cuda.workError,
    cudaGetErrorString: (cuda, code: number) => permanentText(cuda, errorString(code)),
    cudaGetErrorName: (cuda, code: number) => permanentText(cuda, errorName(code)),
  },
  notes: { __heddle_work_error: "behind the statuses of libraries" },
};
