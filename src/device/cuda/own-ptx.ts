/**
 * Modules in PTX that a program brings itself (cuModuleLoadData, cuLinkAddData), on a GPU: the driver gets the text as
 * it is, and places the variables. What kernels print comes from the driver, too.
 */
import { unsupported } from "../../base/diagnostics.ts";
import type { DeviceProperties } from "../device.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { SyncStore } from "../../store/disk-store-node.ts";
import type { GpuContext } from "./context.ts";
import type { KernelFacts } from "./cuda-kernel.ts";
import { CudaModule, PlacedVariables } from "./cuda-module.ts";
import type { FlatMemory } from "./flat-memory.ts";
import { encodePtx, linkPtx, loadPtx, type PtxText } from "./link-ptx.ts";
import { loadProgram } from "./load-program.ts";
import { ptxEntries } from "./ptx-entries.ts";

/** Functions of CUDA's device runtime, by which kernels launch kernels. */
const DEVICE_RUNTIME = /\bcuda(?:LaunchDevice|GetParameterBuffer)/;

export interface OwnPtxParts {
  readonly context: GpuContext;
  readonly memory: FlatMemory;
  readonly properties: DeviceProperties;
  readonly store: SyncStore | null;
  readonly lineInfo: boolean;
}

/** @throws HeddleError "driver-error" with the compiler's log and the CUresult as `status`, "unsupported" */
export function loadOwnPtx(
  parts: OwnPtxParts,
  programs: readonly DeviceProgram[],
  onUnload: (module: CudaModule) => void,
): CudaModule {
  const { context, memory } = parts;
  const texts = programs.map(({ name, ptx }): PtxText => {
    if (ptx === undefined) throw unsupported(`linking PTX with what NVRTC made of ${name}, on a GPU`);
    return { name, text: ptx };
  });
  const handle = loadTexts(parts, texts);
  const variables = new PlacedVariables(context, memory, handle);
  return new CudaModule({
    context,
    handle,
    kernels: new Map(texts.flatMap(({ text }) => kernelsOf(text))),
    symbols: (name) => variables.symbol(name),
    services: { heap: null, printf: null },
    constants: null,
    writable: null,
    onUnload: (gone) => {
      variables.forget();
      onUnload(gone);
    },
  });
}

function loadTexts({ context, properties, store, lineInfo }: OwnPtxParts, texts: readonly PtxText[]): number {
  const name = texts.map((one) => one.name).join(", ");
  const [only, second] = texts;
  if (only === undefined || second !== undefined)
    return loadPtx(context.driver, name, linkPtx(context.driver, texts, lineInfo), lineInfo);
  const callsDeviceRuntime = DEVICE_RUNTIME.test(only.text);
  const code = { name, ptx: encodePtx(only.text), callsDeviceRuntime, lineInfo };
  return loadProgram(context.driver, code, store, properties.computeCapability);
}

function kernelsOf(text: string): [name: string, facts: KernelFacts][] {
  const plain = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, " ");
  const usesGridSync = /%envreg[12]\b/.test(plain);
  return ptxEntries(plain, "").map(({ name, params, paramBytes, directives }) => [
    name,
    {
      params,
      paramBytes,
      usesGridSync,
      usesPrintf: false,
      usesHeap: false,
      usesClusters: true,
      clusterBlocks: clusterBlocks(directives),
      regions: null,
    },
  ]);
}

/** Of `.reqnctapercluster`; 1 without. */
function clusterBlocks(directives: string): number {
  const [, sizes] = /\.reqnctapercluster\s+(\d+(?:\s*,\s*\d+)*)/.exec(directives) ?? [];
  return (sizes ?? "1").split(",").reduce((product, size) => product * Number(size), 1);
}
