/** What a program asks of a device: copies, fills and launches whose arguments have been read. */
import type { Dim3 } from "../../../base/dim3.ts";
import type { GpuKernel } from "../../../device/device.ts";
import type { DeviceState } from "../device-state.ts";

export interface CopyEnd {
  readonly address: number;
  /** Bytes from one row to the next. */
  readonly pitch: number;
  /** Bytes from one slice to the next. */
  readonly slicePitch: number;
}

export interface CopyRequest {
  readonly to: CopyEnd;
  readonly from: CopyEnd;
  readonly widthBytes: number;
  readonly height: number;
  readonly depth: number;
  readonly kind: number;
}

export interface FillRequest {
  readonly address: number;
  readonly pitch: number;
  readonly slicePitch: number;
  readonly value: number;
  readonly elementBytes: 1 | 2 | 4;
  /** Elements in a row. */
  readonly width: number;
  readonly height: number;
  readonly depth: number;
}

/** A launch whose arguments have been read: it can run now, or become a node of a graph. */
export interface KernelCall {
  readonly functionAddress: number;
  readonly device: DeviceState;
  readonly kernel: GpuKernel;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** Blocks of a thread block cluster; null without. */
  readonly cluster: Dim3 | null;
  readonly params: Uint8Array;
}
