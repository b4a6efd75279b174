/** The functions of the API over a program without code, for tests. */
import { ILP32 } from "../../../base/data-model.ts";
import { createInterpreter } from "../../../engine/interpreter/interpreter.ts";
import { EmulatedDevice } from "../../../device/emulated/emulated-device.ts";
import { InlineRunner } from "../../../device/emulated/grid-runner.ts";
import { DeviceMemory } from "../../../device/emulated/memory.ts";
import { createProgramPipeline } from "../../../program/program-pipeline.ts";
import { MemoryStreams } from "../../host/host-files-memory.ts";
import { HostGuard } from "../../host/host-guard.ts";
import { HostMemory } from "../../host/host-memory.ts";
import type { ApiObserver } from "../api-observer.ts";
import type { Device } from "../../../device/device.ts";
import { CudaContext } from "../context.ts";
import { bindApi } from "./api-table.ts";
import { cudaApi } from "./functions.ts";

/** The program's allocations lie from here on; what is below is for the tests. */
const HEAP = 32768;

export interface ApiProgram {
  readonly cuda: CudaContext;
  readonly reports: string[];
  /** Calls a function of the API. */
  call(name: string, ...values: (number | bigint)[]): number;
  f32(address: number): number;
  u32(address: number): number;
  /** The program's memory. */
  readonly memory: HostMemory;
}

/** @param on puts something in front of the devices @param pages of the program's memory */
export function openApi(
  observer: ApiObserver | null = null,
  on = (device: Device): Device => device,
  { devices = 1, pages = 1 }: { devices?: number; pages?: number } = {},
): ApiProgram {
  const memory = new HostMemory(ILP32);
  memory.attach(new WebAssembly.Memory({ initial: pages }));
  const reports: string[] = [];
  let heap = HEAP;
  const none = (): never => {
    throw new Error("the program has no code");
  };
  const cuda = new CudaContext({
    host: {
      memory,
      call: none,
      parameterCount: () => 0,
      malloc: (bytes) => (heap += Math.ceil(bytes / 16) * 16) - Math.ceil(bytes / 16) * 16,
      free: () => undefined,
      deviceProgram: none,
      functionPrograms: () => [],
      managedRange: () => null,
      gap: () => null,
      watch: none,
      watchDevice: none,
    },
    guard: new HostGuard(memory, none, (text) => reports.push(text)),
    observer,
    devices: Array.from({ length: devices }, () => {
      const deviceMemory = new DeviceMemory(1);
      return on(
        new EmulatedDevice({
          memory: deviceMemory,
          runner: new InlineRunner(createInterpreter(), deviceMemory),
          observer: null,
          reuse: true,
          prepare: createProgramPipeline(null),
        }),
      );
    }),
    streams: new MemoryStreams(),
    note: (line) => reports.push(line),
    report: (text) => reports.push(text),
  });
  observer?.attach(cuda, new Uint8Array(), {} as WebAssembly.Module);
  const api = bindApi(cuda, cudaApi);
  return {
    cuda,
    reports,
    call: (name, ...values) => (api.get(name) as (...v: unknown[]) => number)(...values),
    f32: (address) => memory.view.getFloat32(address, true),
    u32: (address) => memory.u32(address),
    memory,
  };
}
