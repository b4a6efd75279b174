/** Launches by the API's functions: what is refused, and what a fault of the device does to the next call. */
import { expect, test } from "vitest";
import { HeddleError } from "../../../base/diagnostics.ts";
import type { Device } from "../../../device/device.ts";
import type { DeviceFault } from "../../../machine/faults.ts";
import { CudaErrorCode } from "../errors.ts";
import { queueFault } from "../work/waiting.ts";
import { openApi } from "./api.test-helper.ts";

const [GRID, BLOCK, OUT, DATA] = [64, 96, 128, 4096] as const;
const KERNEL = 16;

test("a grid of more blocks than the GPU holds at once is launched, and refused as a cooperative one", () => {
  const { cuda, call, memory } = openApi();
  const ir = 'target triple = "nvptx-nvidia-cuda"\ndefine ptx_kernel void @k() {\n  ret void\n}';
  cuda.registry.addFunction(KERNEL, cuda.registry.addProgram({ name: "a.cu", ir, options: { fmad: true } }), "k");
  [4000, 1, 1].forEach((n, i) => memory.setU32(GRID + 4 * i, n));
  [1, 1, 1].forEach((n, i) => memory.setU32(BLOCK + 4 * i, n));
  expect(call("cudaLaunchKernel", KERNEL, GRID, BLOCK, 0, 0, 0)).toBe(0);
  expect(call("cudaLaunchCooperativeKernel", KERNEL, GRID, BLOCK, 0, 0, 0)).toBe(
    CudaErrorCode.cooperativeLaunchTooLarge,
  );
});

/** A device with some properties of its own. */
const withProperties =
  (own: Partial<Device>) =>
  (device: Device): Device =>
    new Proxy(device, {
      get: (target, key) => {
        if (key in own) return own[key as keyof Device];
        const value = Reflect.get(target, key, target) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });

test("an error of a device that has a fault is that fault, and no other error is", () => {
  const origin = { x: 0, y: 0, z: 0 };
  const fault: DeviceFault = {
    kind: "trap",
    kernel: "k",
    block: origin,
    thread: origin,
    location: null,
    message: "a fault",
  };
  const stopped = new HeddleError("device-fault", "the device has stopped");
  expect(queueFault(openApi(null, withProperties({ fault })).cuda, stopped)?.code).toBe(719);
  expect(queueFault(openApi(null, withProperties({ fault })).cuda, new HeddleError("unsupported", "no"))).toBeNull();
  expect(queueFault(openApi().cuda, stopped)).toBeNull();
});

test("a graph whose steps are timed runs step by step: a recording would take up the events that time them", () => {
  const steps: string[] = [];
  const queue = {
    createStream: () => 1,
    beginCapture: () => steps.push("begin"),
    copy: () => steps.push("copy"),
    waitBlocking: () => ({ fault: null, output: "" }),
  } as unknown as Device["queue"];
  const { call, u32, memory, cuda } = openApi(null, withProperties({ queue }));
  expect(call("cudaMalloc", OUT, 512)).toBe(0);
  const device = u32(OUT);
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphAddMemcpyNode1D", OUT, graph, 0, 0, device, device + 256, 16, 3)).toBe(0);
  expect(call("cudaGraphInstantiate", OUT, graph, 0)).toBe(0);
  const exec = u32(OUT);
  memory.setU32(DATA, 0);
  cuda.tracer = {
    enterGraph: () => {},
    enterNode: () => {},
    reset: () => {},
    around: (_work, _stream, run) => {
      steps.push("timed");
      run();
    },
  };
  expect(call("cudaGraphLaunch", exec, 0)).toBe(0);
  expect(steps).toEqual(["timed", "copy"]);
});

test("a graph that cannot be recorded runs step by step", () => {
  let refusals = 1;
  const steps: string[] = [];
  let api: ReturnType<typeof openApi>;
  const queue = {
    createStream: () => 1,
    beginCapture: () => steps.push("begin"),
    dropCapture: () => steps.push("drop"),
    launchGraph: () => steps.push("launch"),
    copy: () => {
      if (refusals-- > 0) throw new HeddleError("unsupported", "copies in a graph");
      steps.push("copy");
    },
    waitBlocking: () => ({ fault: null, output: "" }),
  } as unknown as Device["queue"];
  api = openApi(null, withProperties({ queue }));
  const { call, u32, memory } = api;
  expect(call("cudaMalloc", OUT, 512)).toBe(0);
  const device = u32(OUT);
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphAddMemcpyNode1D", OUT, graph, 0, 0, device, device + 256, 16, 3)).toBe(0);
  expect(call("cudaGraphInstantiate", OUT, graph, 0)).toBe(0);
  const exec = u32(OUT);
  memory.setU32(DATA, 0);
  expect(call("cudaGraphLaunch", exec, 0)).toBe(0);
  expect(steps).toEqual(["begin", "drop", "copy"]);
});

test("nodes of graphs get new parameters, and child graphs have handles", () => {
  const { call, u32, memory } = openApi();
  expect(call("cudaMalloc", OUT, 512)).toBe(0);
  const device = u32(OUT);
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphAddMemcpyNode1D", OUT, graph, 0, 0, device, device + 256, 16, 3)).toBe(0);
  const first = u32(OUT);
  memory.setU32(DATA, first);
  expect(call("cudaGraphAddEmptyNode", OUT, graph, DATA, 1)).toBe(0);
  const second = u32(OUT);
  memory.setU32(OUT, 1);
  expect(call("cudaGraphNodeGetDependentNodes", first, DATA, OUT)).toBe(0);
  expect([u32(OUT), u32(DATA)]).toEqual([1, second]);
  expect(call("cudaGraphMemcpyNodeSetParams1D", first, device + 64, device + 256, 8, 3)).toBe(0);
  expect(call("cudaGraphMemcpyNodeSetParams1D", second, device + 64, device + 256, 8, 3)).toBe(1);
  expect(call("cudaGraphMemsetNodeSetParams", first, DATA)).toBe(1);
  expect(call("cudaGraphChildGraphNodeGetGraph", first, OUT)).toBe(1);
  expect(call("cudaGraphCreate", OUT, 0)).toBe(0);
  const parent = u32(OUT);
  expect(call("cudaGraphAddChildGraphNode", OUT, parent, 0, 0, graph)).toBe(0);
  const node = u32(OUT);
  expect(call("cudaGraphChildGraphNodeGetGraph", node, OUT)).toBe(0);
  const child = u32(OUT);
  expect(child).not.toBe(graph);
  expect(call("cudaGraphChildGraphNodeGetGraph", node, OUT)).toBe(0);
  expect(u32(OUT)).toBe(child);
  expect(call("cudaGraphInstantiate", OUT, parent, 0)).toBe(0);
  expect(call("cudaGraphExecChildGraphNodeSetParams", u32(OUT), node, graph)).toBe(0);
});

test("memory of a graph stays its own after the program has freed it", () => {
  const { call, u32, cuda } = openApi();
  expect(call("cudaStreamCreate", OUT)).toBe(0);
  const stream = u32(OUT);
  expect(call("cudaStreamBeginCapture", stream, 0)).toBe(0);
  expect(call("cudaMallocAsync", OUT, 256, stream)).toBe(0);
  const pointer = u32(OUT);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphInstantiate", OUT, graph, 0)).toBe(0);
  const exec = u32(OUT);
  for (let i = 0; i < 2; i++) {
    expect(call("cudaGraphLaunch", exec, stream)).toBe(0);
    expect(call("cudaFree", pointer)).toBe(0);
    expect(cuda.ownerOf(pointer)?.pointer).toBe(pointer);
  }
  expect(call("cudaGraphDestroy", graph)).toBe(0);
  expect(cuda.ownerOf(pointer)).not.toBeNull();
  expect(call("cudaGraphExecDestroy", exec)).toBe(0);
  expect(cuda.ownerOf(pointer)).toBeNull();
});

test("above 256 MB of the program's own memory, device memory lies where no host address is", () => {
  const page = 65536;
  const { call, u32, memory } = openApi(null, (device) => device, { pages: 4097 });
  expect(call("cudaMalloc", OUT, 256)).toBe(0);
  expect(u32(OUT)).toBeGreaterThanOrEqual(memory.size + 512 * 1024 * 1024);
  const small = openApi(null, (device) => device, { pages: 4096 });
  expect(small.memory.size).toBe(4096 * page);
  expect(small.call("cudaMalloc", OUT, 256)).toBe(0);
  expect(small.u32(OUT)).toBeLessThan(small.memory.size + 512 * 1024 * 1024);
});
