/**
 * The graph API of cuDNN goes to NVIDIA's library: one of our own making stands in its place. It keeps descriptors as
 * lists of attributes, and writes to y when it runs a plan.
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { TEST_MODEL } from "../../../base/test-model.test-helper.ts";
import { openNodeDevice } from "../../../device/emulated/open-device-node.ts";
import type { Device } from "../../../device/device.ts";
import { fakeLibrary, type FakeCall } from "../../../device/fake-library.test-helper.ts";
import { listAt } from "../../../device/library-call.ts";
import { enableWasmFeatures } from "../../../engine/emit/v8-flags-node.ts";
import { nodeClangResources } from "../../../frontend/clang/clang-loader-node.ts";
import { createCompiler } from "../../../frontend/clang/compile.ts";
import { cachedDeviceLibrary } from "../../../frontend/clang/device-library.ts";
import { openNodeStore } from "../../../frontend/clang/prebuilt-node.ts";
import type { CompiledProgram } from "../../../program/compiled-program.ts";
import { sha256 } from "../../../store/sha256.ts";
import { MemoryFiles, MemoryStreams } from "../../host/host-files-memory.ts";
import { runProgram } from "../../host-program.ts";

const PATH = new URL("../../../cli/test-programs/dnn-graph-vendor.cu", import.meta.url);
const [NOT_SUPPORTED, OTHER_VERSION] = [3000, 1003];
const TEXT = "a plan of the other library";
/** CUDNN_BACKEND_… and CUDNN_ATTR_… of cudnn_backend.h. */
const [GRAPH, HEURISTICS, PLAN] = [15, 4, 5];
const [RESULTS, WORKSPACE_SIZE, JSON_TEXT, ENGINES, POINTERS] = [202, 402, 405, 802, 1001];

interface Kept {
  readonly type: number;
  readonly attributes: Map<number, unknown>;
  isFinal: boolean;
}

function textAt(host: ArrayBuffer, at: number, length: number): string {
  return new TextDecoder().decode(new Uint8Array(host, at, length));
}

class FakeGraphs {
  readonly calls: string[] = [];
  readonly descriptors = new Map<number, Kept>();
  readonly #device: Device;
  readonly #takesGraphs: boolean;
  readonly #hasEngines: boolean;
  #made = 1000;

  constructor(device: Device, { takesGraphs, hasEngines }: { takesGraphs: boolean; hasEngines: boolean }) {
    this.#device = device;
    this.#takesGraphs = takesGraphs;
    this.#hasEngines = hasEngines;
  }

  call(name: string, { kinds, values, host }: FakeCall): number {
    const short = name.replace("cudnnBackend", "");
    const view = new DataView(host.buffer);
    const [first, second, third, fourth, fifth, sixth] = values.map(Number) as [number, number, ...number[]];
    const kept = this.descriptors.get(first) as Kept;
    switch (short) {
      case "CreateDescriptor":
        this.descriptors.set(++this.#made, { type: first, attributes: new Map(), isFinal: false });
        view.setBigUint64(second, BigInt(this.#made), true);
        return 0;
      case "DestroyDescriptor":
        return this.descriptors.delete(first) ? 0 : 2000;
      case "SetAttribute": {
        const at = fifth as number;
        const isList = kinds.endsWith("v");
        if (second === JSON_TEXT) kept.attributes.set(second, textAt(host.buffer, at, fourth as number));
        else kept.attributes.set(second, isList ? listAt(host, at) : third);
        return 0;
      }
      case "Finalize":
        if (kept.type === GRAPH && !this.#takesGraphs) return NOT_SUPPORTED;
        if ((kept.attributes.get(JSON_TEXT) ?? TEXT) !== TEXT) return OTHER_VERSION;
        kept.isFinal = true;
        this.calls.push(`finalize ${kept.type}`);
        return 0;
      case "GetAttribute":
        return this.#get(kept, second, fourth as number, view, fifth as number, sixth as number);
      case "Execute":
        return this.#execute(values.map(Number));
      default:
        return 0;
    }
  }

  #get(kept: Kept, name: number, requested: number, view: DataView, count: number, elements: number): number {
    view.setBigUint64(count, 1n, true);
    if (name === ENGINES) view.setBigInt64(elements, 7n, true);
    else if (name === WORKSPACE_SIZE) view.setBigInt64(elements, 1n, true);
    else if (name === JSON_TEXT) {
      view.setBigUint64(count, BigInt(TEXT.length), true);
      for (let i = 0; i < requested; i++) view.setUint8(elements + i, TEXT.charCodeAt(i));
    } else if (name === RESULTS && kept.type === HEURISTICS) {
      if (requested > 0 && !this.#hasEngines) {
        view.setBigUint64(count, 0n, true);
        return 0;
      }
      const one = requested > 0 ? this.descriptors.get(Number(view.getBigUint64(elements, true))) : undefined;
      if (one !== undefined) one.isFinal = true;
    } else return 2000;
    return 0;
  }

  #execute([, plan, pack]: number[]): number {
    const [one, other] = [plan, pack].map((at) => this.descriptors.get(at as number) as Kept) as [Kept, Kept];
    this.calls.push(`execute ${one.type}`);
    const pointers = other.attributes.get(POINTERS) as ReturnType<typeof listAt>;
    this.calls.push(pointers.map(({ isOnDevice }) => (isOnDevice ? "device" : "host")).join(" "));
    const y = pointers[2]?.address as number;
    this.#device.write(y, new Uint8Array(Float32Array.from({ length: 8 }, (_, i) => 100 + i).buffer));
    return one.isFinal && other.isFinal ? 0 : 2000;
  }
}

const isKnown = (name: string): boolean =>
  name === "cudnnSetStream" ||
  name === "cudnnDestroy" ||
  /^cudnnBackend(CreateDescriptor|DestroyDescriptor|SetAttribute|Finalize|GetAttribute|Execute)$/.test(name);

let compiled: CompiledProgram;
let library: string;
beforeAll(async () => {
  enableWasmFeatures();
  const store = openNodeStore();
  const compiler = await createCompiler({ resources: nodeClangResources(), store });
  library = await cachedDeviceLibrary(compiler, store, sha256);
  const text = readFileSync(PATH, "utf8");
  compiled = await compiler.compileProgram([{ path: "dnn-graph-vendor.cu", text }], { model: TEST_MODEL.name }, null);
});

function run(
  takesGraphs: boolean | null,
  hasEngines = true,
): {
  readonly stdout: string;
  readonly calls: string[];
  readonly left: number;
} {
  const device = openNodeDevice({ workers: 1, library });
  const fake = new FakeGraphs(device, { takesGraphs: takesGraphs === true, hasEngines });
  if (takesGraphs !== null) {
    const library = fakeLibrary((name) => (isKnown(name) ? (call) => fake.call(name, call) : null));
    Object.assign(device, { library: () => ({ library, missing: null }) });
  }
  const streams = new MemoryStreams();
  runProgram({ program: compiled, devices: [device], argv: ["graph"], env: {}, files: new MemoryFiles(), streams });
  device.close();
  return { stdout: streams.stdout, calls: fake.calls, left: fake.descriptors.size };
}

const OWN = " 8 6 4 2 -0 0 0 0";
const THEIRS = " 100 101 102 103 104 105 106 107";

test("without NVIDIA's library, graphs are ours", () => {
  expect(run(null).stdout).toBe(`engines 1 configurations 1\nplan:${OWN}\ntext:${OWN}\ncaptured:${OWN}\n`);
});

test("graphs that NVIDIA's library takes are its own, but for captured streams", () => {
  const { stdout, calls, left } = run(true);
  expect(stdout).toBe(`engines 7 configurations 1\nplan:${THEIRS}\ntext:${THEIRS}\ncaptured:${OWN}\n`);
  expect(calls.filter((call) => call.startsWith("execute"))).toEqual([`execute ${PLAN}`, `execute ${PLAN}`]);
  expect(calls).toContain("device host device");
  expect(left).toBe(0);
});

test("graphs that it does not take are ours", () => {
  const { stdout, calls } = run(false);
  expect(stdout).toBe(`engines 1 configurations 1\nplan:${OWN}\ntext:${OWN}\ncaptured:${OWN}\n`);
  expect(calls.filter((call) => call.startsWith("execute"))).toEqual([]);
});

test("graphs that it counts engines for, and gives none, are ours", () => {
  const { stdout, calls, left } = run(true, false);
  expect(stdout.replace(/^engines \d+/, "engines N")).toBe(
    `engines N configurations 1\nplan:${OWN}\ntext:${OWN}\ncaptured:${OWN}\n`,
  );
  expect(calls.filter((call) => call.startsWith("execute"))).toEqual([]);
  expect(left).toBe(0);
});
