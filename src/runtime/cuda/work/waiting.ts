/**
 * The host waits for a device that works beside it. A wait finds what kernels have printed, and the fault of a kernel.
 * On a device without a queue every call completes its work, and there is nothing to wait for.
 */
import { HeddleError, isFaultError } from "../../../base/diagnostics.ts";
import type { DeviceQueue, QueueOutcome } from "../../../device/device.ts";
import type { DeviceFault } from "../../../machine/faults.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaFailure, FAULT_ERRORS } from "../errors.ts";
import type { KernelCall } from "./requests.ts";
import type { EventState, StreamState } from "./stream-model.ts";
import { pointerArgument } from "../allocations/pointer-arguments.ts";
import { assertionLine, describeFault } from "../fault-report.ts";

/** cudaDeviceSynchronize. Throws CudaFailure with the error of a fault. */
export function waitForDevice(cuda: CudaContext, state: DeviceState): void {
  settle(cuda, state, (queue) => queue.waitBlocking());
}

export function waitForStream(cuda: CudaContext, state: DeviceState, stream: StreamState): void {
  settle(cuda, state, (queue) => queue.waitForStreamBlocking(stream.queueStream));
}

export function waitForEvent(cuda: CudaContext, event: EventState): void {
  const { queueEvent } = event;
  if (queueEvent !== null) settle(cuda, cuda.deviceAt(event.device), (queue) => queue.waitForEventBlocking(queueEvent));
}

function settle(cuda: CudaContext, state: DeviceState, wait: (queue: DeviceQueue) => QueueOutcome): void {
  const { queue } = state.device;
  if (queue === null || state.fault !== null) return;
  const { fault, output } = wait(queue);
  if (output.length > 0) cuda.options.streams.write("stdout", new TextEncoder().encode(output));
  cuda.options.onIdle?.();
  if (fault !== null) throw failureOf(cuda, state, fault);
}

/** Any call that goes to a device may find a fault of an earlier launch there. null: `error` is something else. */
export function queueFault(cuda: CudaContext, error: HeddleError): CudaFailure | null {
  const state = isFaultError(error) ? cuda.devices.find(({ device }) => device.fault !== null) : undefined;
  return state === undefined || state.device.fault === null ? null : failureOf(cuda, state, state.device.fault);
}

function failureOf(cuda: CudaContext, state: DeviceState, fault: DeviceFault): CudaFailure {
  if (state.fault === null) noteFault(cuda, state, fault, null);
  return new CudaFailure(FAULT_ERRORS[fault.kind]);
}

/** A fault becomes the device's sticky error, and is reported. @param call the launch, where it is known. */
export function noteFault(cuda: CudaContext, state: DeviceState, fault: DeviceFault, call: KernelCall | null): void {
  state.fault = { code: FAULT_ERRORS[fault.kind] };
  cuda.options.streams.flush();
  const asserted = assertionLine(fault);
  if (asserted !== null) cuda.options.streams.write("stderr", new TextEncoder().encode(`${asserted}\n`));
  if (cuda.observer?.isReported(fault) !== true)
    cuda.options.report(
      describeFault(fault, {
        device: state.device,
        hostBytes: cuda.memory.size,
        params:
          call === null
            ? []
            : call.kernel.params.map((param) => ({
                param,
                value: param.kind === "pointer" ? pointerArgument(call.params, param) : null,
              })),
      }),
    );
  // What ran before the fault has changed managed memory too.
  if (cuda.mirrored.size > 0) {
    try {
      cuda.mirrored.allToHost();
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error; // a poisoned device need not be readable
    }
  }
}
