/**
 * NVTX: ranges and marks by which a program tells a profiler what it does (NVTX reference, "Events", "Domains",
 * "Naming"). They go to who observes the program; otherwise only the nesting is counted, which push and pop return.
 */
import { unsigned } from "../../../base/unsigned.ts";
import type { Annotation } from "../../../profile/timeline/timeline.ts";
import type { HostMemory } from "../../host/host-memory.ts";
import type { CudaContext } from "../context.ts";
import { HandleTable } from "../handles.ts";
import type { ApiGroup } from "./api-table.ts";

const NO_PUSH_POP_TRACKING = -2;

/** nvtxEventAttributes_t of include/nvtx3/nvToolsExt.h, by byte offset. */
const ATTRIBUTES = {
  category: 4,
  colorType: 8,
  color: 12,
  payloadType: 16,
  payload: 24,
  messageType: 32,
} as const;
const COLOR_ARGB = 1;
const MESSAGE_ASCII = 1;
const MESSAGE_UNICODE = 2;
const MESSAGE_REGISTERED = 3;

interface Domain {
  /** null: the default domain. */
  readonly name: string | null;
  depth: number;
  readonly categories: Map<number, string>;
}

interface NvtxState {
  readonly global: Domain;
  readonly domains: HandleTable<Domain>;
  readonly strings: HandleTable<string>;
  lastRange: bigint;
}

function nvtx(cuda: CudaContext): NvtxState {
  return cuda.extension<NvtxState>("nvtx", () => ({
    global: newDomain(null),
    domains: new HandleTable<Domain>(0x7d00_0010, 0x10),
    strings: new HandleTable<string>(0x7e00_0010, 0x10),
    lastRange: 0n,
  }));
}

function newDomain(name: string | null): Domain {
  return { name, depth: 0, categories: new Map() };
}

function domainAt(cuda: CudaContext, handle: number): Domain {
  const state = nvtx(cuda);
  return state.domains.get(handle) ?? state.global;
}

type Text = "ascii" | "unicode";

function textAt(memory: HostMemory, address: number, kind: Text): string {
  const at = unsigned(address);
  if (at === 0) return "";
  if (kind === "ascii") return memory.cString(at);
  let text = "";
  // wchar_t has 32 bits here.
  for (let next = at; ; next += 4) {
    const code = memory.u32(next);
    if (code === 0) return text;
    text += code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
  }
}

function plain({ name: domain }: Domain, name: string): Annotation {
  return { name, domain, category: null, color: null, payload: null };
}

function annotationAt(cuda: CudaContext, domain: Domain, attributes: number): Annotation {
  const at = unsigned(attributes);
  if (at === 0) return plain(domain, "");
  const { memory } = cuda;
  const category = memory.u32(at + ATTRIBUTES.category);
  return {
    ...plain(domain, messageAt(cuda, at)),
    category: category === 0 ? null : (domain.categories.get(category) ?? String(category)),
    color: memory.u32(at + ATTRIBUTES.colorType) === COLOR_ARGB ? memory.u32(at + ATTRIBUTES.color) : null,
    payload: payloadAt(memory, at),
  };
}

function messageAt(cuda: CudaContext, at: number): string {
  // A pointer, aligned to its own size.
  const { pointerBytes } = cuda.memory.model;
  const message = cuda.memory.pointer(at + Math.ceil((ATTRIBUTES.messageType + 4) / pointerBytes) * pointerBytes);
  switch (cuda.memory.u32(at + ATTRIBUTES.messageType)) {
    case MESSAGE_ASCII:
      return textAt(cuda.memory, message, "ascii");
    case MESSAGE_UNICODE:
      return textAt(cuda.memory, message, "unicode");
    case MESSAGE_REGISTERED:
      return nvtx(cuda).strings.get(message) ?? "";
    default:
      return "";
  }
}

/** By nvtxPayloadType_t. */
const PAYLOADS: readonly (((view: DataView, at: number) => number | bigint) | null)[] = [
  null,
  (view, at) => view.getBigUint64(at, true),
  (view, at) => view.getBigInt64(at, true),
  (view, at) => view.getFloat64(at, true),
  (view, at) => view.getUint32(at, true),
  (view, at) => view.getInt32(at, true),
  (view, at) => view.getFloat32(at, true),
];

function payloadAt(memory: HostMemory, at: number): string | null {
  const read = PAYLOADS[memory.u32(at + ATTRIBUTES.payloadType)] ?? null;
  return read === null ? null : String(read(memory.view, at + ATTRIBUTES.payload));
}

/** @returns the level of the new range, from 0. */
function push(cuda: CudaContext, domain: Domain, annotation: () => Annotation): number {
  cuda.observer?.annotations?.push(annotation());
  return domain.depth++;
}

/** @returns the level of the range that ends. */
function pop(cuda: CudaContext, domain: Domain): number {
  if (domain.depth === 0) return NO_PUSH_POP_TRACKING;
  cuda.observer?.annotations?.pop(domain.name);
  return --domain.depth;
}

function start(cuda: CudaContext, annotation: () => Annotation): bigint {
  const id = ++nvtx(cuda).lastRange;
  cuda.observer?.annotations?.start(String(id), annotation());
  return id;
}

function end(cuda: CudaContext, id: bigint): void {
  cuda.observer?.annotations?.end(String(BigInt.asUintN(64, id)));
}

function mark(cuda: CudaContext, annotation: () => Annotation): void {
  cuda.observer?.annotations?.mark(annotation());
}

/** The forms with A (char) and W (wchar_t) of a function. */
function inBothForms(
  name: string,
  make: (kind: Text) => (cuda: CudaContext, ...values: never[]) => number | bigint | void,
): NonNullable<ApiGroup["plain"]> {
  return { [`${name}A`]: make("ascii"), [`${name}W`]: make("unicode") };
}

const inGlobal =
  <T>(use: (cuda: CudaContext, domain: Domain, annotation: () => Annotation) => T, kind: Text) =>
  (cuda: CudaContext, message: number): T => {
    const { global } = nvtx(cuda);
    return use(cuda, global, () => plain(global, textAt(cuda.memory, message, kind)));
  };

const attributesIn =
  <T>(use: (cuda: CudaContext, domain: Domain, annotation: () => Annotation) => T) =>
  (cuda: CudaContext, handle: number, attributes: number): T => {
    const domain = domainAt(cuda, handle);
    return use(cuda, domain, () => annotationAt(cuda, domain, attributes));
  };

const startIn = (cuda: CudaContext, _domain: Domain, annotation: () => Annotation): bigint => start(cuda, annotation);
const markIn = (cuda: CudaContext, _domain: Domain, annotation: () => Annotation): void => mark(cuda, annotation);

export const nvtxApi: ApiGroup = {
  name: "NVTX",
  plain: {
    nvtxInitialize: () => undefined,
    ...inBothForms("nvtxRangePush", (kind) => inGlobal(push, kind)),
    nvtxRangePushEx: (cuda, attributes: number) => attributesIn(push)(cuda, 0, attributes),
    nvtxRangePop: (cuda) => pop(cuda, nvtx(cuda).global),
    ...inBothForms("nvtxRangeStart", (kind) => inGlobal(startIn, kind)),
    nvtxRangeStartEx: (cuda, attributes: number) => attributesIn(startIn)(cuda, 0, attributes),
    nvtxRangeEnd: (cuda, id: bigint) => end(cuda, id),
    ...inBothForms("nvtxMark", (kind) => inGlobal(markIn, kind)),
    nvtxMarkEx: (cuda, attributes: number) => attributesIn(markIn)(cuda, 0, attributes),
    nvtxDomainRangePushEx: attributesIn(push),
    nvtxDomainRangePop: (cuda, domain: number) => pop(cuda, domainAt(cuda, domain)),
    nvtxDomainRangeStartEx: attributesIn(startIn),
    nvtxDomainRangeEnd: (cuda, _domain: number, id: bigint) => end(cuda, id),
    nvtxDomainMarkEx: attributesIn(markIn),
    ...inBothForms(
      "nvtxDomainCreate",
      (kind) => (cuda, name: number) => nvtx(cuda).domains.add(newDomain(textAt(cuda.memory, name, kind))),
    ),
    nvtxDomainDestroy: (cuda, domain: number) => void nvtx(cuda).domains.delete(domain),
    ...inBothForms(
      "nvtxDomainRegisterString",
      (kind) => (cuda, _domain: number, text: number) => nvtx(cuda).strings.add(textAt(cuda.memory, text, kind)),
    ),
    ...inBothForms("nvtxNameCategory", (kind) => (cuda, category: number, name: number) => {
      nvtx(cuda).global.categories.set(category >>> 0, textAt(cuda.memory, name, kind));
    }),
    ...inBothForms("nvtxDomainNameCategory", (kind) => (cuda, domain: number, category: number, name: number) => {
      domainAt(cuda, domain).categories.set(category >>> 0, textAt(cuda.memory, name, kind));
    }),
    ...inBothForms("nvtxNameOsThread", (kind) => (cuda, _thread: number, name: number) => {
      cuda.observer?.nameThread?.(textAt(cuda.memory, name, kind));
    }),
    ...inBothForms("nvtxNameCudaStream", (kind) => (cuda, stream: number, name: number) => {
      cuda.observer?.nameStream?.(stream, textAt(cuda.memory, name, kind));
    }),
    ...inBothForms("nvtxNameCudaDevice", () => () => undefined),
    ...inBothForms("nvtxNameCudaEvent", () => () => undefined),
  },
  notes: Object.fromEntries(
    ["nvtxNameCudaDeviceA", "nvtxNameCudaDeviceW", "nvtxNameCudaEventA", "nvtxNameCudaEventW"].map((name) => [
      name,
      "accepted, without effect",
    ]),
  ),
};
