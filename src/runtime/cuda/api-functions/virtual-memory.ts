/**
 * Memory by handles (CUDA Driver API, "Virtual Memory Management"): addresses are reserved, memory is created, and both
 * come together by a mapping.
 *
 * The emulated device has no page tables, and on a GPU it is done as there: memory whose handle is not mapped is kept
 * aside, and goes to the addresses when they may be accessed; so it can be at one place at a time.
 */
import { unsigned } from "../../../base/unsigned.ts";
import { HeddleError } from "../../../base/diagnostics.ts";
import type { Device, DeviceAddressSpace } from "../../../device/device.ts";
import { CStruct } from "../../host/c-struct.ts";
import type { ApiCall, ApiGroup } from "./api-table.ts";
import type { CudaContext } from "../context.ts";
import type { DeviceState } from "../device-state.ts";
import { CudaErrorCode, CudaFailure, fail, hex } from "../errors.ts";
import { isHeld, memoryOf, numberOf, physicalOf, spaceOf, type Mapping, type Wide } from "./virtual-memory-state.ts";

/** CUmemAllocationType, CUmemLocationType, CUmemAccess_flags, CUmemAllocationHandleType */
const PINNED = 1;
const ON_DEVICE = 1;
const ACCESS = { none: 0, read: 1, readWrite: 3 } as const;
const HANDLE_TYPES = { none: 0, fileDescriptor: 1 } as const;

const LOCATION: CStruct<"type" | "id"> = new CStruct({ type: "uint", id: "int" });
const ACCESS_DESCRIPTION: CStruct<"location" | "flags"> = new CStruct({ location: LOCATION, flags: "uint" });
const PROPERTIES: CStruct<"type" | "handleTypes" | "location" | "security" | "compression" | "rest"> = new CStruct({
  type: "uint",
  handleTypes: "uint",
  location: LOCATION,
  security: "pointer",
  // A byte, and flags for other things.
  compression: "uint",
  rest: "uint",
});

/** Above those that files of the program get. */
const FIRST_DESCRIPTOR = 0x4000;

/** CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, …_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED */
const ATTRIBUTES: readonly number[] = [102, 103];
/** CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED */
const COMPRESSION = 107;
/** CU_MEM_ALLOCATION_COMP_GENERIC */
const COMPRESSED = 1;

/** null: an attribute that says nothing of memory by handles. */
export function addressSpaceAttribute(device: Device, attribute: number): number | null {
  // A GPU is asked for what it has when a program wants to know.
  if (attribute !== COMPRESSION && !ATTRIBUTES.includes(attribute)) return null;
  const { addressSpace = null, properties } = device;
  if (attribute !== COMPRESSION) return Number(addressSpace !== null);
  return Number(addressSpace?.canCompress === true && properties.computeCapability.major >= 8);
}

function requireMultiple(bytes: number, { granularity }: DeviceAddressSpace): void {
  if (bytes === 0 || bytes % granularity !== 0)
    fail(CudaErrorCode.invalidValue, `${bytes} bytes are no multiple of the granularity, ${granularity}`);
}

function deviceIn(cuda: CudaContext, location: number): DeviceState {
  const { type, id } = LOCATION.read(cuda.memory, location);
  if (type !== ON_DEVICE)
    fail(CudaErrorCode.notSupported, "memory by handles lies on a device here, not in the host's memory");
  return cuda.deviceAt(id);
}

// ---------------------------------------------------------------- addresses

function reserve(cuda: CudaContext, out: number, size: number, alignment: number, wanted: Wide, flags: Wide): void {
  const bytes = unsigned(size);
  const align = unsigned(alignment);
  const space = spaceOf(cuda.current);
  if (out === 0 || numberOf(flags) !== 0 || (align !== 0 && 2 ** Math.round(Math.log2(align)) !== align))
    fail(CudaErrorCode.invalidValue);
  requireMultiple(bytes, space);
  // `wanted` is a wish: CUDA, too, may give other addresses.
  numberOf(wanted);
  const start = space.reserve(bytes, align);
  memoryOf(cuda).reservations.set(start, { start, bytes, state: cuda.current });
  cuda.memory.setU64(out, BigInt(start));
}

function releaseAddresses(cuda: CudaContext, pointer: Wide, size: number): void {
  const { reservations, mappings } = memoryOf(cuda);
  const start = numberOf(pointer);
  const reservation = reservations.get(start);
  if (reservation?.bytes !== unsigned(size))
    return fail(CudaErrorCode.invalidValue, `[${hex(start)}, +${unsigned(size)}) is not what was reserved`);
  for (const mapping of mappings.values())
    if (mapping.reservation === reservation)
      fail(CudaErrorCode.invalidValue, `memory is still mapped at ${hex(mapping.start)}: cuMemUnmap comes first`);
  spaceOf(reservation.state).release(reservation);
  reservations.delete(start);
}

// ---------------------------------------------------------------- memory

function create(cuda: CudaContext, out: number, size: number, properties: number, flags: Wide): void {
  if (out === 0 || properties === 0 || numberOf(flags) !== 0) fail(CudaErrorCode.invalidValue);
  const { memory } = cuda;
  const { type, handleTypes, location, compression } = PROPERTIES.read(memory, properties);
  if (type !== PINNED) fail(CudaErrorCode.invalidValue, "memory by handles is CU_MEM_ALLOCATION_TYPE_PINNED");
  if (handleTypes !== HANDLE_TYPES.none && handleTypes !== HANDLE_TYPES.fileDescriptor)
    fail(CudaErrorCode.notSupported, "of shareable handles there are file descriptors only");
  const state = deviceIn(cuda, location);
  const bytes = unsigned(size);
  requireMultiple(bytes, spaceOf(state));
  const all = memoryOf(cuda);
  const mapped = [...all.mappings.values()].map((one) => one.physical);
  let used = 0;
  for (const physical of new Set([...all.handles.values(), ...all.exported.values(), ...mapped]))
    if (physical.state === state) used += physical.bytes;
  if (used + bytes > state.device.memoryInfo().totalBytes)
    fail(CudaErrorCode.memoryAllocation, `${bytes} bytes asked for, and handles have ${used} already`);
  const handle = all.nextHandle++;
  all.handles.set(handle, {
    state,
    bytes,
    properties: memory.slice(properties, PROPERTIES.size(memory.model)).slice(),
    handleTypes,
    isCompressible: (compression & 0xff) === COMPRESSED,
    holders: 1,
    mapping: null,
    contents: null,
  });
  memory.setU64(out, BigInt(handle));
}

function release(cuda: CudaContext, handle: Wide): void {
  const physical = physicalOf(cuda, handle);
  if (--physical.holders === 0) memoryOf(cuda).handles.delete(numberOf(handle));
}

function map(cuda: CudaContext, pointer: Wide, size: number, offset: number, handle: Wide, flags: Wide): void {
  const [start, bytes] = [numberOf(pointer), unsigned(size)];
  const physical = physicalOf(cuda, handle);
  if (unsigned(offset) !== 0 || numberOf(flags) !== 0) fail(CudaErrorCode.invalidValue);
  requireMultiple(bytes, spaceOf(physical.state));
  if (bytes > physical.bytes)
    fail(CudaErrorCode.invalidValue, `${bytes} bytes are mapped of memory that has ${physical.bytes}`);
  const all = memoryOf(cuda);
  const inside = (one: { readonly start: number; readonly bytes: number }): boolean =>
    start >= one.start && start + bytes <= one.start + one.bytes;
  const reservation =
    [...all.reservations.values()].find(inside) ??
    fail(CudaErrorCode.invalidValue, `[${hex(start)}, +${bytes}) is not reserved by cuMemAddressReserve`);
  for (const one of all.mappings.values())
    if (start < one.start + one.bytes && one.start < start + bytes)
      fail(CudaErrorCode.invalidValue, `memory is mapped at ${hex(one.start)} already`);
  if (physical.mapping !== null)
    fail(
      CudaErrorCode.notSupported,
      `the memory is mapped at ${hex(physical.mapping.start)}: Heddle maps it at one place at a time`,
    );
  physical.mapping = { start, bytes, physical, reservation, access: new Map() };
  all.mappings.set(start, physical.mapping);
}

/** The mappings that make up [start, start + bytes), from the lowest on. */
function mappingsIn(cuda: CudaContext, start: number, bytes: number): readonly Mapping[] {
  const found: Mapping[] = [];
  const all = memoryOf(cuda).mappings;
  for (let at = start; at < start + bytes;) {
    const mapping = all.get(at);
    if (mapping === undefined || at + mapping.bytes > start + bytes)
      return fail(CudaErrorCode.invalidValue, `[${hex(start)}, +${bytes}) is not made up of whole mappings`);
    found.push(mapping);
    at += mapping.bytes;
  }
  return found;
}

const isOpen = ({ access }: Mapping): boolean => [...access.values()].some((flags) => flags !== ACCESS.none);

function open(mapping: Mapping): void {
  const { start, bytes, physical, reservation } = mapping;
  const { device } = physical.state;
  spaceOf(physical.state).open(mapping, reservation, physical.isCompressible);
  if (physical.contents === null) device.fill(start, 0, 1, bytes);
  else device.write(start, physical.contents.subarray(0, bytes));
  if (bytes === physical.bytes) physical.contents = null;
}

/** @param isKept the program may see the contents again. */
function close(mapping: Mapping, isKept: boolean): void {
  const { start, bytes, physical, reservation } = mapping;
  if (isKept) {
    physical.contents ??= new Uint8Array(physical.bytes);
    physical.state.device.read(start, physical.contents.subarray(0, bytes));
  }
  spaceOf(physical.state).close(mapping, reservation);
}

function setAccess(cuda: CudaContext, pointer: Wide, size: number, descriptions: number, count: number): void {
  const { memory } = cuda;
  if (descriptions === 0 || unsigned(count) === 0 || unsigned(size) === 0) fail(CudaErrorCode.invalidValue);
  const wanted = Array.from({ length: unsigned(count) }, (_, i) => {
    const at = descriptions + i * ACCESS_DESCRIPTION.size(memory.model);
    const { location, flags } = ACCESS_DESCRIPTION.read(memory, at);
    if (!(Object.values(ACCESS) as number[]).includes(flags)) fail(CudaErrorCode.invalidValue);
    return { device: deviceIn(cuda, location).ordinal, flags };
  });
  for (const mapping of mappingsIn(cuda, numberOf(pointer), unsigned(size))) {
    const { device, ordinal } = mapping.physical.state;
    if (device.kind === "cuda" && wanted.some((one) => one.device !== ordinal && one.flags !== ACCESS.none))
      fail(CudaErrorCode.notSupported, "on a GPU, memory by handles is open to the device that it lies on");
    const wasOpen = isOpen(mapping);
    for (const { device, flags } of wanted) mapping.access.set(device, flags);
    if (!wasOpen && isOpen(mapping)) open(mapping);
    else if (wasOpen && !isOpen(mapping)) close(mapping, true);
  }
}

function mappingAt(cuda: CudaContext, address: number): Mapping {
  for (const mapping of memoryOf(cuda).mappings.values())
    if (address >= mapping.start && address < mapping.start + mapping.bytes) return mapping;
  return fail(CudaErrorCode.invalidValue, `no memory is mapped at ${hex(address)}`);
}

function unmap(cuda: CudaContext, pointer: Wide, size: number): void {
  if (unsigned(size) === 0) fail(CudaErrorCode.invalidValue);
  for (const mapping of mappingsIn(cuda, numberOf(pointer), unsigned(size))) {
    const { physical } = mapping;
    if (isOpen(mapping)) close(mapping, isHeld(cuda, physical));
    physical.mapping = null;
    memoryOf(cuda).mappings.delete(mapping.start);
  }
}

// ---------------------------------------------------------------- questions, and handles that are passed on

function granularity(cuda: CudaContext, out: number, properties: number, option: number): void {
  if (out === 0 || properties === 0 || (option !== 0 && option !== 1)) fail(CudaErrorCode.invalidValue);
  const { location } = PROPERTIES.read(cuda.memory, properties);
  cuda.memory.setPointer(out, spaceOf(deviceIn(cuda, location)).granularity);
}

function getAccess(cuda: CudaContext, out: number, location: number, pointer: Wide): void {
  if (out === 0 || location === 0) fail(CudaErrorCode.invalidValue);
  const mapping = mappingAt(cuda, numberOf(pointer));
  cuda.memory.setU64(out, BigInt(mapping.access.get(deviceIn(cuda, location).ordinal) ?? ACCESS.none));
}

function retain(cuda: CudaContext, out: number, address: number): void {
  if (out === 0) fail(CudaErrorCode.invalidValue);
  const { physical } = mappingAt(cuda, unsigned(address));
  const { handles } = memoryOf(cuda);
  let [handle] = [...handles].find(([, one]) => one === physical) ?? [null];
  if (handle === null) handles.set((handle = memoryOf(cuda).nextHandle++), physical);
  physical.holders++;
  cuda.memory.setU64(out, BigInt(handle));
}

function exportHandle(cuda: CudaContext, out: number, handle: Wide, type: number, flags: Wide): void {
  const physical = physicalOf(cuda, handle);
  if (out === 0 || numberOf(flags) !== 0 || (type & physical.handleTypes) === 0) fail(CudaErrorCode.invalidValue);
  const { exported } = memoryOf(cuda);
  let descriptor = FIRST_DESCRIPTOR;
  while (exported.has(descriptor)) descriptor++;
  exported.set(descriptor, physical);
  cuda.memory.setI32(out, descriptor);
}

function importHandle(cuda: CudaContext, out: number, descriptor: number, type: number): void {
  if (out === 0 || type !== HANDLE_TYPES.fileDescriptor) fail(CudaErrorCode.invalidValue);
  const all = memoryOf(cuda);
  const physical =
    all.exported.get(unsigned(descriptor)) ??
    fail(CudaErrorCode.invalidValue, `${descriptor} was not exported by this process, and others have no memory here`);
  let [handle] = [...all.handles].find(([, one]) => one === physical) ?? [null];
  if (handle === null) all.handles.set((handle = all.nextHandle++), physical);
  physical.holders++;
  cuda.memory.setU64(out, BigInt(handle));
}

/** close(descriptor). @returns false: it is none of an exported handle */
export function closeExported(cuda: CudaContext, descriptor: number): boolean {
  return memoryOf(cuda).exported.delete(descriptor);
}

/** Before a device is reset: its addresses are free, and its handles are gone. Descriptors are the process's. */
export function forgetVirtualMemory(cuda: CudaContext, state: DeviceState): void {
  const all = memoryOf(cuda);
  for (const mapping of all.mappings.values()) {
    if (mapping.reservation.state !== state && mapping.physical.state !== state) continue;
    const { physical } = mapping;
    const isExported = [...all.exported.values()].includes(physical);
    if (isOpen(mapping)) close(mapping, isExported && physical.state.device.fault === null);
    physical.mapping = null;
    all.mappings.delete(mapping.start);
  }
  for (const reservation of all.reservations.values()) {
    if (reservation.state !== state) continue;
    spaceOf(state).release(reservation);
    all.reservations.delete(reservation.start);
  }
  for (const [handle, physical] of all.handles) {
    if (physical.state !== state) continue;
    physical.holders = 0;
    all.handles.delete(handle);
  }
}

/** What an action throws becomes its CUresult, whose numbers are cudaError_t's. */
const driverCall =
  (name: string, action: ApiCall): ApiCall =>
  (cuda, ...values) => {
    cuda.options.guard.look();
    if (cuda.stickyError !== CudaErrorCode.success) return cuda.stickyError;
    try {
      return action(cuda, ...values) ?? CudaErrorCode.success;
    } catch (error) {
      const failure =
        error instanceof HeddleError && error.code === "out-of-memory"
          ? new CudaFailure(CudaErrorCode.memoryAllocation, error.summary)
          : error;
      if (!(failure instanceof CudaFailure)) throw failure;
      const isReported = cuda.observer?.failed(name, failure) ?? false;
      if (failure.detail !== undefined && !isReported) cuda.note(`${name}: ${failure.detail}`);
      return failure.code;
    }
  };

const CALLS: Readonly<Record<string, ApiCall>> = {
  cuMemAddressReserve: reserve,
  cuMemAddressFree: releaseAddresses,
  cuMemCreate: create,
  cuMemRelease: release,
  cuMemMap: map,
  cuMemUnmap: unmap,
  cuMemSetAccess: setAccess,
  cuMemGetAccess: getAccess,
  cuMemRetainAllocationHandle: retain,
  cuMemGetAllocationGranularity: granularity,
  cuMemGetAllocationPropertiesFromHandle(cuda, out: number, handle: Wide) {
    if (out === 0) fail(CudaErrorCode.invalidValue);
    const { properties } = physicalOf(cuda, handle);
    cuda.memory.slice(out, properties.length).set(properties);
  },
  cuMemExportToShareableHandle: exportHandle,
  cuMemImportFromShareableHandle: importHandle,
};

export const virtualMemoryApi: ApiGroup = {
  name: "Memory by handles",
  plain: Object.fromEntries(Object.entries(CALLS).map(([name, action]) => [name, driverCall(name, action)])),
  notes: {
    cuMemMap: "on a GPU with 64-bit pointers only; memory is at one place at a time, from its start on",
    cuMemSetAccess: "memory that may be read may be written, too",
    cuMemExportToShareableHandle: "for the same process",
    cuMemImportFromShareableHandle: "of the same process",
  },
};
