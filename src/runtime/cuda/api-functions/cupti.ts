/** What CUPTI (libraries/cupti) asks of the runtime: a clock, and the work that devices have done. */
import { unsigned } from "../../../base/unsigned.ts";
import type { ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import type { Place } from "../work/copy.ts";
import type { Dim3 } from "../../../base/dim3.ts";
import { DEFAULT_STREAM, LEGACY_STREAM, PER_THREAD_STREAM } from "../work/stream-model.ts";
import { workTracer, type TracedWork } from "../work/work-tracer.ts";

const NANOSECONDS = 1e6;

/** struct Operation of libraries/cupti/cupti.h, by byte offset. */
const OPERATION = { start: 0, end: 8, bytes: 16, kind: 24, function: 120 } as const;
const OPERATION_KINDS = { kernel: 1, memcpy: 2, memset: 3 } as const;

/** CUpti_ActivityMemoryKind, CUpti_ActivityMemcpyKind */
const MEMORY = { pageable: 1, pinned: 2, device: 3, managed: 5 } as const;
const COPY = { hostToDevice: 1, deviceToHost: 2, deviceToDevice: 8, hostToHost: 9, peerToPeer: 10 } as const;

/** Ids that CUPTI gives the built-in streams; those of others count up. */
const STREAM_IDS = { default: 7, perThread: 8, first: 13 } as const;
const FIRST_STREAM = 0x5000_0010;
const STREAM_STEP = 0x10;

function streamId(handle: number): number {
  if (handle === DEFAULT_STREAM || handle === LEGACY_STREAM) return STREAM_IDS.default;
  if (handle === PER_THREAD_STREAM) return STREAM_IDS.perThread;
  return STREAM_IDS.first + (handle - FIRST_STREAM) / STREAM_STEP;
}

function memoryKind(cuda: CudaContext, place: Place): number {
  if (place.side === "device") return MEMORY.device;
  const kind = cuda.mirrored.find(place.address)?.kind;
  if (kind === undefined) return MEMORY.pageable;
  return kind === "managed" || kind === "variable" ? MEMORY.managed : MEMORY.pinned;
}

function copyKind(from: Place, to: Place): number {
  if (from.side === "host") return to.side === "host" ? COPY.hostToHost : COPY.hostToDevice;
  if (to.side === "host") return COPY.deviceToHost;
  return from.state === to.state ? COPY.deviceToDevice : COPY.peerToPeer;
}

interface Described {
  readonly bytes: number;
  readonly value: number;
  readonly copyKind: number;
  readonly fromKind: number;
  readonly toKind: number;
}

function describe(cuda: CudaContext, { work, from, to }: TracedWork): Described {
  const none = { bytes: 0, value: 0, copyKind: 0, fromKind: 0, toKind: 0 };
  if (work.kind === "memcpy" && from !== null && to !== null) {
    const { widthBytes, height, depth } = work.copy;
    return {
      bytes: widthBytes * height * depth,
      value: 0,
      copyKind: copyKind(from, to),
      fromKind: memoryKind(cuda, from),
      toKind: memoryKind(cuda, to),
    };
  }
  if (work.kind === "memset" && to !== null) {
    const { width, elementBytes, height, depth, value } = work.fill;
    return { ...none, bytes: width * elementBytes * height * depth, value, toKind: memoryKind(cuda, to) };
  }
  return work.kind === "kernel" ? { ...none, value: work.call.cooperative ? 1 : 0 } : none;
}

const NO_CLUSTER: Dim3 = { x: 0, y: 0, z: 0 };

/** Writes the next operation that has ended. @returns 0: there is none */
function next(cuda: CudaContext, out: number): number {
  const traced = workTracer(cuda).next();
  if (traced === null) return 0;
  const { memory } = cuda;
  const { work, stream, state, startMs, durationMs } = traced;
  const { bytes, value, copyKind: copy, fromKind, toKind } = describe(cuda, traced);
  memory.setF64(out + OPERATION.start, startMs * NANOSECONDS);
  memory.setF64(out + OPERATION.end, (startMs + durationMs) * NANOSECONDS);
  memory.setF64(out + OPERATION.bytes, bytes);
  const call = work.kind === "kernel" ? work.call : null;
  const { grid, block, cluster } = call ?? { grid: NO_CLUSTER, block: NO_CLUSTER, cluster: null };
  const { x, y, z } = cluster ?? NO_CLUSTER;
  const kind = OPERATION_KINDS[work.kind as keyof typeof OPERATION_KINDS];
  const words = [kind, state.ordinal, streamId(stream.handle), traced.call, value, copy, fromKind, toKind];
  words.push(grid.x, grid.y, grid.z, block.x, block.y, block.z, x, y, z);
  words.push(call?.kernel.staticSharedBytes ?? 0, call?.sharedBytes ?? 0, call?.kernel.localBytesPerThread ?? 0);
  words.push(call?.kernel.registers ?? 0, traced.node, traced.graph, cuda.launchCount);
  words.forEach((word, i) => memory.setI32(out + OPERATION.kind + 4 * i, word));
  memory.setU64(out + OPERATION.function, BigInt(call?.functionAddress ?? 0));
  return 1;
}

export const cuptiApi: ApiGroup = {
  name: "CUPTI",
  plain: {
    __heddle_cupti_time: () => performance.now() * NANOSECONDS,
    __heddle_cupti_epoch: () => performance.timeOrigin * NANOSECONDS,
    __heddle_cupti_trace(cuda, isOn: number) {
      cuda.tracer = isOn !== 0 ? workTracer(cuda) : null;
    },
    __heddle_cupti_call(cuda, correlation: number) {
      workTracer(cuda).call = correlation >>> 0;
    },
    __heddle_cupti_stream: (_cuda, handle: number) => streamId(handle),
    __heddle_cupti_next: next,
    __heddle_cupti_parameters: (cuda, callback: number) => cuda.host.parameterCount(unsigned(callback)),
    __heddle_cupti_tell: (cuda, callback: number, userData: number, domain: number, id: number, data: number) =>
      void cuda.host.call(unsigned(callback), userData, { int: domain }, { int: id }, data),
  },
};
