/** What calls return after a fault, and what events say of time: the API's functions over a program without code. */
import { expect, test } from "vitest";
import type { FaultKind } from "../../../machine/faults.ts";
import type { CudaContext } from "../context.ts";
import { CudaErrorCode, FAULT_ERRORS } from "../errors.ts";
import { noteFault } from "../work/waiting.ts";
import { openApi } from "./api.test-helper.ts";

const OUT = 64;

function fault(cuda: CudaContext, kind: FaultKind): void {
  const origin = { x: 0, y: 0, z: 0 };
  noteFault(
    cuda,
    cuda.current,
    { kind, kernel: "k", block: origin, thread: origin, location: null, message: "a fault" },
    null,
  );
}

test.each([
  ["illegal-address", 700],
  ["misaligned-address", 716],
  ["illegal-instruction", 715],
  ["assert", 710],
  ["trap", 719],
] as const)("%s: the call that finds it returns it, and cudaGetLastError after it does as well", (kind, code) => {
  const { cuda, call } = openApi();
  expect(call("cudaGetLastError")).toBe(0);
  fault(cuda, kind);
  expect(FAULT_ERRORS[kind]).toBe(code);
  expect(call("cudaDeviceSynchronize")).toBe(code);
  // What another call has returned already is still the last error.
  expect(call("cudaPeekAtLastError")).toBe(code);
  expect(call("cudaPeekAtLastError")).toBe(code);
  expect(call("cudaGetLastError")).toBe(code);
  // That cleared it; the device still has the fault, and the next call finds it again.
  expect(call("cudaPeekAtLastError")).toBe(0);
  expect(call("cudaMalloc", OUT, 4)).toBe(code);
  expect(call("cudaGetLastError")).toBe(code);
  expect(call("cudaGetDeviceCount", OUT)).toBe(0);
  expect(call("cudaGetLastError")).toBe(0);
});

test("an error of one call stays the last error through calls that succeed, and is no fault", () => {
  const { call, u32 } = openApi();
  expect(call("cudaMalloc", 0, 4)).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaMalloc", OUT, 4)).toBe(0);
  expect(u32(OUT)).not.toBe(0);
  expect(call("cudaGetLastError")).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaGetLastError")).toBe(0);
});

test("libraries see the error of the last launch, copy or fill of their thread, and no other", () => {
  const { call, cuda } = openApi();
  const fill = (address: number): number => call("cudaMemset", address, 0, 4);
  expect(call("cudaMalloc", 0, 4)).toBe(CudaErrorCode.invalidValue);
  expect(call("__heddle_work_error")).toBe(0);
  expect(fill(1)).toBe(CudaErrorCode.invalidValue);
  expect(call("__heddle_work_error")).toBe(CudaErrorCode.invalidValue);
  cuda.actAs(1);
  expect(call("__heddle_work_error")).toBe(0);
  cuda.actAs(0);
  expect(call("cudaMalloc", OUT, 4)).toBe(0);
  expect(call("__heddle_work_error")).toBe(CudaErrorCode.invalidValue);
  expect(call("cudaMemset", OUT, 0, 0)).toBe(0);
  expect(call("__heddle_work_error")).toBe(0);
  expect(call("cudaGetLastError")).toBe(CudaErrorCode.invalidValue);
  fault(cuda, "illegal-address");
  fill(OUT);
  expect(call("__heddle_work_error")).toBe(call("cudaPeekAtLastError"));
  expect(call("__heddle_work_error")).not.toBe(0);
});

test("cudaEventElapsedTime is positive from the earlier event to the later one, and negative back", () => {
  const { call, f32, u32 } = openApi();
  const [first, second] = [0, 4].map((at) => {
    expect(call("cudaEventCreate", OUT + at)).toBe(0);
    return u32(OUT + at);
  }) as [number, number];
  expect(call("cudaEventElapsedTime", OUT, first, second)).toBe(CudaErrorCode.invalidResourceHandle);
  const start = performance.now();
  expect(call("cudaEventRecord", first, 0)).toBe(0);
  const recorded = performance.now();
  while (performance.now() < recorded + 5);
  expect(call("cudaEventElapsedTime", OUT, first, second)).toBe(CudaErrorCode.invalidResourceHandle);
  expect(call("cudaEventRecord", second, 0)).toBe(0);
  const passed = performance.now() - start;
  expect(call("cudaEventElapsedTime", OUT, first, second)).toBe(0);
  const forward = f32(OUT);
  expect(forward).toBeGreaterThanOrEqual(4.9);
  expect(forward).toBeLessThan(passed + 100);
  expect(call("cudaEventElapsedTime", OUT, second, first)).toBe(0);
  expect(f32(OUT)).toBe(-forward);
  expect(call("cudaEventElapsedTime", OUT, first, first)).toBe(0);
  expect(f32(OUT)).toBe(0);
});

test("an event without timing has none", () => {
  const { call, u32 } = openApi();
  expect(call("cudaEventCreateWithFlags", OUT, 2)).toBe(0);
  expect(call("cudaEventCreate", OUT + 4)).toBe(0);
  const [untimed, timed] = [u32(OUT), u32(OUT + 4)];
  for (const event of [untimed, timed]) expect(call("cudaEventRecord", event, 0)).toBe(0);
  for (const [a, b] of [
    [untimed, timed],
    [timed, untimed],
  ] as const)
    expect(call("cudaEventElapsedTime", OUT, a, b)).toBe(CudaErrorCode.invalidResourceHandle);
});
