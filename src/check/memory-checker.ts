/** Memcheck as an observer of a device: keeps the table of allocations, instruments programs, and turns records into findings. */
import { bug } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import type { IrFunction, IrModule } from "../ir/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import { USER_BASE } from "../machine/memory-map.ts";
import { TOOL_PREFIX, type DeviceObserver, type ObservedAllocation, type ObservedLaunch, type ObservedMemory } from "../machine/observer.ts";
import { AllocationTable } from "./allocation-table.ts";
import { userLocation, type Extent, type Finding, type FindingKind } from "./finding.ts";
import { LAUNCH_VARIABLE, TABLE_VARIABLE, addMemcheck, type AccessSite } from "./memcheck.ts";
import type { ObjectName } from "./pointer-bounds.ts";
import { RECORD, RECORD_BYTES } from "./tool-code.ts";

/** Addresses below are null and small offsets from it. */
const NULL_BYTES = 65536;
const LAUNCH_BYTES = 64;

interface CheckedModule { readonly records: number; readonly sites: readonly AccessSite[] }

/** One launch that failed an engine's own test, told once. */
type FaultKey = string;

export class MemoryChecker implements DeviceObserver {
  #memory: ObservedMemory | null = null;
  #table: AllocationTable | null = null;
  #launchWords = 0;
  readonly #modules: CheckedModule[] = [];
  /** Of the module that is being loaded. */
  readonly #addresses = new Map<string, number>();
  readonly #findings = new Map<AccessSite | FaultKey, Finding>();

  /** In the order they were found. */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** What the program allocated on the device and has not freed. */
  get leaked(): readonly Extent[] {
    return [...this.#allocations.leaked()].map(({ start, bytes }) => ({ start, bytes }));
  }

  attach(memory: ObservedMemory): void {
    this.#memory = memory;
    this.#table = new AllocationTable(memory);
    this.#launchWords = memory.allocate(LAUNCH_BYTES);
    this.#addresses.set(TOOL_PREFIX + TABLE_VARIABLE, this.#table.address).set(TOOL_PREFIX + LAUNCH_VARIABLE, this.#launchWords);
  }

  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void {
    const name = `records_${this.#modules.length}`;
    const sites = addMemcheck(module, own, { records: name });
    const records = this.#device.allocate(Math.max(1, sites.length) * RECORD_BYTES);
    this.#addresses.set(TOOL_PREFIX + name, records);
    this.#modules.push({ records, sites });
  }

  addressOf(variable: string): number | null {
    return this.#addresses.get(variable) ?? null;
  }

  allocated(allocation: ObservedAllocation): void {
    this.#allocations.add(allocation);
  }

  freed(allocation: ObservedAllocation): void {
    this.#allocations.remove(allocation);
  }

  launching({ sharedBytes }: ObservedLaunch): void {
    new DataView(this.#device.bytes.buffer).setUint32(this.#launchWords, sharedBytes, true);
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null): void {
    for (const { records, sites } of this.#modules) {
      const words = new Uint32Array(this.#device.bytes.buffer, records, (sites.length * RECORD_BYTES) / 4);
      for (const site of sites) {
        const record = words.subarray((site.index * RECORD_BYTES) / 4, ((site.index + 1) * RECORD_BYTES) / 4);
        if (record[RECORD.count] === 0) continue;
        this.#note(site, record, launch);
        record.fill(0);
      }
    }
    if (fault !== null) this.#noteFault(fault, launch);
  }

  #note(site: AccessSite, record: Uint32Array, launch: ObservedLaunch): void {
    const count = word(record, RECORD.count);
    const known = this.#findings.get(site);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    const address = word(record, RECORD.address);
    const bytes = word(record, RECORD.extent);
    const owner = { start: word(record, RECORD.start), bytes: word(record, RECORD.bytes) };
    this.#findings.set(site, {
      checker: "memcheck", access: site.kind, bytes, location: site.location, function: site.function, object: site.object, count,
      ...this.#classify(address, owner.bytes === 0 ? null : owner, { block: dim3At(record, RECORD.block), thread: dim3At(record, RECORD.thread) }),
      launch: this.#describe(launch),
    });
  }

  /** What the engine itself has caught, if no check has: the access ended the launch. */
  #noteFault(fault: DeviceFault, launch: ObservedLaunch): void {
    const { access, block, thread } = fault;
    if (access === undefined || block === null || thread === null) return;
    const location = userLocation(fault.location);
    const at = JSON.stringify(location);
    for (const finding of this.#findings.values()) if (JSON.stringify(finding.location) === at) return;
    const kind = ({ load: "read", store: "write", atomic: "atomic" } as const)[access.kind];
    const site = this.#modules.flatMap(({ sites }) => sites).find((candidate) => candidate.kind === kind && JSON.stringify(candidate.location) === at);
    const object = site?.object ?? ({ kind: "pointer" } as const);
    const described = this.#classify(access.address, this.#argumentOwner(object, launch), { block, thread });
    this.#findings.set(`${fault.kind} ${at}`, {
      checker: "memcheck", access: kind, bytes: access.bytes, location, function: site?.function ?? location?.functionName ?? fault.kernel, object, count: 1,
      ...described, kind: fault.kind === "misaligned-address" ? "misaligned" : described.kind, launch: this.#describe(launch),
    });
  }

  /** The allocation that a pointer among the launch's arguments points into. */
  #argumentOwner(object: ObjectName, { params, arguments: values }: ObservedLaunch): Extent | null {
    const param = object.kind === "parameter" ? params.find(({ name, kind }) => name === object.name && kind === "pointer") : undefined;
    if (param === undefined) return null;
    const owner = this.#allocations.find(new DataView(values.buffer, values.byteOffset).getUint32(param.offset, true));
    return owner === null ? null : { start: owner.start, bytes: owner.bytes };
  }

  #classify(address: number, owner: Extent | null, { block, thread }: { block: Dim3; thread: Dim3 }): { kind: FindingKind; example: Finding["example"] } {
    const live = this.#allocations.find(address);
    const landsIn = live === null || live.start === owner?.start ? null : { start: live.start, bytes: live.bytes };
    if (owner !== null) return { kind: "out-of-bounds", example: { address, block, thread, owner, landsIn } };
    const freed = live === null ? this.#allocations.findFreed(address) : null;
    const kind: FindingKind = address < NULL_BYTES ? "null-pointer" : address < USER_BASE ? "not-device-memory" : freed !== null ? "use-after-free" : "unallocated";
    return { kind, example: { address, block, thread, owner: freed === null ? null : { start: freed.start, bytes: freed.bytes }, landsIn } };
  }

  #describe({ kernel, grid, block, sharedBytes, ordinal }: ObservedLaunch): Finding["launch"] {
    return { kernel, grid, block, sharedBytes, ordinal };
  }

  get #device(): ObservedMemory {
    return this.#memory ?? bug("the checker watches no device");
  }

  get #allocations(): AllocationTable {
    return this.#table ?? bug("the checker watches no device");
  }
}

function word(record: Uint32Array, index: number): number {
  return record[index] as number;
}

function dim3At(record: Uint32Array, index: number): Dim3 {
  return { x: word(record, index), y: word(record, index + 1), z: word(record, index + 2) };
}
