/** Calls of NVIDIA's libraries on captured streams: a graph of the device has their work, and a node launches it. */
import { expect, test } from "vitest";
import type { Device, RecordedCalls } from "../../../device/device.ts";
import { fakeLibrary } from "../../../device/fake-library.test-helper.ts";
import { CudaErrorCode } from "../errors.ts";
import { openApi } from "./api.test-helper.ts";

const [OUT, KINDS, VALUES, TEXTS] = [64, 128, 256, 512] as const;
const texts = ["cublas", "nccl", "gemm", "nrm2", "set", "ncclSend", "ncclRecv"];
const [RELAXED, OWNER, NOT_NOW, REFUSED] = [2, 8, -1, 14];

/** A device whose library does its work on the streams of a queue, and what both were asked for. */
function open(ends: () => RecordedCalls = () => ({ graph: 700, isValid: true })) {
  const steps: string[] = [];
  let streams = 10;
  const queue = {
    createStream: () => ++streams,
    beginCalls: (stream: number, mode: number) => steps.push(`begin ${stream} ${mode}`),
    endCalls: (_stream: number, name: string) => {
      steps.push(`end ${name}`);
      return ends();
    },
    releaseCalls: (graph: number) => steps.push(`release ${graph}`),
    beginCapture: () => steps.push("record"),
    endCapture: () => 900,
    destroyGraph: () => undefined,
    launchGraph: (graph: number, stream: number) => steps.push(`launch ${graph} on ${stream}`),
    waitBlocking: () => ({ fault: null, output: "" }),
    poll: () => ({ fault: null, output: "" }),
  } as unknown as Device["queue"];
  const library = fakeLibrary((name) =>
    name.endsWith("Missing")
      ? null
      : ({ values: [, value] }) => {
          steps.push(`${name} ${value}`);
          return value === REFUSED ? REFUSED : 0;
        },
  );
  const prepared = { ...library, prepare: (owner: number) => steps.push(`prepare ${owner}`) };
  const device = (one: Device): Device =>
    new Proxy(one, {
      get: (target, key) => {
        if (key === "queue") return queue;
        if (key === "library") return () => ({ library: prepared, missing: null });
        const value = Reflect.get(target, key, target) as unknown;
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const api = openApi(null, device);
  const { call, u32, memory } = api;
  const write = (at: number, text: string): void =>
    [...text.padEnd(Math.ceil((text.length + 1) / 4) * 4, "\0")].forEach((c, i) =>
      memory.setU8(at + i, c.charCodeAt(0)),
    );
  const ask = (name: string, value: number, stream: number, { library = "cublas", kinds = "hwi" } = {}): number => {
    // As literals: each text has an address of its own.
    const nameAt = TEXTS + 32 * texts.indexOf(name);
    const libraryAt = TEXTS + 32 * texts.indexOf(library);
    write(KINDS, kinds);
    write(nameAt, name);
    write(libraryAt, library);
    [0n, BigInt(value), 0n].forEach((word, i) => memory.setU64(VALUES + 8 * i, word));
    return call("__heddle_library_call", OWNER, libraryAt, nameAt, KINDS, VALUES, stream);
  };
  expect(call("cudaStreamCreate", OUT)).toBe(0);
  const stream = u32(OUT);
  /** An executable graph of what `work` does. */
  const captured = (work: () => void): number => {
    expect(call("cudaStreamBeginCapture", stream, RELAXED)).toBe(0);
    work();
    expect(call("cudaStreamEndCapture", stream, OUT)).toBe(0);
    const graph = u32(OUT);
    expect(call("cudaGraphInstantiate", OUT, graph, 0)).toBe(0);
    const exec = u32(OUT);
    expect(call("cudaGraphDestroy", graph)).toBe(0);
    return exec;
  };
  return { ...api, ask, captured, stream, steps };
}

test("a captured call is made once, and each launch of the graph does its work", () => {
  const { call, ask, captured, stream, steps } = open();
  const exec = captured(() => expect(ask("gemm", 5, stream)).toBe(0));
  // Streams of the program are made when it names them: the device's own number is 11.
  expect(steps).toEqual(["prepare 8", "begin 11 2", "gemm 5", "end gemm"]);
  steps.length = 0;
  for (let i = 0; i < 2; i++) expect(call("cudaGraphLaunch", exec, stream)).toBe(0);
  // Recorded in a graph of the device with what else the program's graph does, on a stream of its own.
  expect(steps).toEqual(["record", "launch 700 on 12", "launch 900 on 11", "launch 900 on 11"]);
});

test("calls that only set something are made at once", () => {
  const { ask, captured, stream, steps } = open();
  captured(() => expect(ask("set", 0, stream, { kinds: "hii" })).toBe(0));
  expect(steps).toEqual(["set 0"]);
});

test("a call that the library does not let be captured has the library's status, and ends the capture", () => {
  const { call, ask, stream, steps, u32 } = open(() => ({ graph: null, isValid: false }));
  expect(call("cudaStreamBeginCapture", stream, 0)).toBe(0);
  expect(ask("nrm2", REFUSED, stream)).toBe(REFUSED);
  expect(call("cudaStreamIsCapturing", stream, OUT)).toBe(0);
  expect(u32(OUT)).toBe(2);
  // Heddle's own code is told to do the next one, and then fails as any work on this stream.
  expect(ask("gemm", 5, stream)).toBe(NOT_NOW);
  expect(steps).toEqual(["prepare 8", "begin 11 0", "nrm2 14", "end nrm2", "prepare 8"]);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(CudaErrorCode.streamCaptureInvalidated);
});

test("a call that does nothing makes no node", () => {
  const { call, ask, stream, u32 } = open(() => ({ graph: null, isValid: true }));
  expect(call("cudaStreamBeginCapture", stream, 0)).toBe(0);
  expect(ask("gemm", 5, stream)).toBe(0);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphGetNodes", graph, 0, OUT)).toBe(0);
  expect(u32(OUT)).toBe(0);
});

test("calls whose work begins with the end of their group are recorded together, or left to Heddle", () => {
  const { call, ask, captured, stream, steps } = open();
  const nccl = { library: "nccl" };
  captured(() => {
    expect(ask("ncclSend", 1, stream, nccl)).toBe(NOT_NOW);
    expect(call("__heddle_record_calls", stream, 1)).toBe(1);
    expect(call("__heddle_record_calls", stream, 1)).toBe(0);
    expect(ask("ncclSend", 1, stream, nccl)).toBe(0);
    expect(ask("ncclRecv", 2, stream, nccl)).toBe(0);
    expect(call("__heddle_record_calls", stream, 0)).toBe(1);
  });
  expect(steps).toEqual(["begin 11 2", "ncclSend 1", "ncclRecv 2", "end a group"]);
  expect(call("__heddle_record_calls", stream, 1)).toBe(0);
});

test("the device's graph is destroyed with the last of the program's graphs that have it", () => {
  const { call, ask, stream, steps, u32 } = open();
  expect(call("cudaStreamBeginCapture", stream, RELAXED)).toBe(0);
  expect(ask("gemm", 5, stream)).toBe(0);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(0);
  const graph = u32(OUT);
  expect(call("cudaGraphClone", OUT, graph)).toBe(0);
  const clone = u32(OUT);
  expect(call("cudaGraphInstantiate", OUT, graph, 0)).toBe(0);
  const exec = u32(OUT);
  for (const gone of [graph, clone]) expect(call("cudaGraphDestroy", gone)).toBe(0);
  expect(steps).not.toContain("release 700");
  expect(call("cudaGraphExecDestroy", exec)).toBe(0);
  expect(steps).toContain("release 700");
});

test("on the default stream Heddle does a call, and refuses it, while a blocking stream is captured", () => {
  const { call, ask, stream, steps, u32 } = open();
  expect(ask("gemm", 5, 0)).toBe(0);
  expect(call("cudaStreamBeginCapture", stream, RELAXED)).toBe(0);
  expect(ask("gemm", 6, 0)).toBe(NOT_NOW);
  expect(ask("set", 7, 0, { kinds: "hii" })).toBe(0);
  expect(call("cudaStreamEndCapture", stream, OUT)).toBe(0);
  expect(u32(OUT)).not.toBe(0);
  expect(steps).toEqual(["gemm 5", "set 7"]);
});
