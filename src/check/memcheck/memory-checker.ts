/**
 * Memcheck: accesses outside of the objects that their pointers belong to, by checks in the code and by what the engine
 * itself catches.
 */
import type { Example, FunctionContext, Site } from "../../instrument/instrumenter.ts";
import { userLocation } from "../../base/source-places.ts";
import { bug } from "../../base/diagnostics.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { AccessKind } from "../../instrument/accesses.ts";
import type { CheckedDevice, Checker } from "../checker.ts";
import { notesOn } from "../allocation-notes.ts";
import { nameOf } from "../checks.ts";
import { countedBytes, describeExtent, type Extent, type Finding, type FindingDraft, type Note } from "../finding.ts";
import type { ObjectName } from "../../instrument/pointer-bounds.ts";
import { FREE_WORDS, MEMORY_WORDS, MemcheckVisitor, NO_BLOCK, type MemorySite } from "./memcheck.ts";

/** Addresses below are null and small offsets from it. */
const NULL_BYTES = 65536;

export type MemoryFault =
  | "out-of-bounds"
  | "use-after-free"
  | "null-pointer"
  | "not-device-memory"
  | "unallocated"
  | "misaligned"
  | "double-free";

/** `Finding.details` of memcheck. */
export interface MemoryDetails {
  readonly access: AccessKind | "free";
  /** Bytes of the access. */
  readonly bytes: number;
  readonly address: number;
  /** What the pointer was made from. */
  readonly object: ObjectName;
  /** The object that the pointer belongs to; null: none. */
  readonly owner: Extent | null;
  /** The other allocation that the access lands in; null: none. */
  readonly landsIn: Extent | null;
}

/** By kind of fault: all that memcheck finds. */
export const MEMORY_TITLES: Readonly<Record<MemoryFault, string>> = {
  "out-of-bounds": "out of bounds",
  "use-after-free": "use after free",
  "null-pointer": "null pointer",
  "not-device-memory": "not device memory",
  unallocated: "not in any allocation",
  misaligned: "misaligned",
  "double-free": "double free",
};

const HELP: Readonly<Record<MemoryFault, string>> = {
  "out-of-bounds":
    "compare the index with the number of elements before the access, and the number of threads with the " +
    "size of the data",
  "use-after-free": "free the memory after the last kernel that uses it, or drop the pointer",
  "null-pointer": "check that the allocation succeeded and that the pointer was passed to the kernel",
  "not-device-memory": "give the kernel memory from cudaMalloc or cudaMallocManaged, not a pointer of the host",
  unallocated: "the pointer was never set, was overwritten, or an index was applied to it that does not belong to it",
  misaligned: "an access of 2, 4, 8 or 16 bytes needs an address that is a multiple of as many",
  "double-free": "let one thread free the memory, once all are done with it",
};

export class MemoryChecker implements Checker {
  readonly name = "memcheck";
  readonly shadowPlanes = 0;
  #device: CheckedDevice | null = null;

  attach(device: CheckedDevice): void {
    this.#device = device;
    device.variable(NO_BLOCK.variable, NO_BLOCK.bytes);
  }

  visitor(context: FunctionContext): MemcheckVisitor {
    return new MemcheckVisitor(context);
  }

  describe(site: Site, { words }: Example): FindingDraft {
    const { kind, object } = site as MemorySite;
    const word = (index: number): number => words[index] as number;
    if (kind === "free") return this.#doubleFree(word(FREE_WORDS.address), word(FREE_WORDS.before));
    const owner = { start: word(MEMORY_WORDS.start), bytes: word(MEMORY_WORDS.bytes) };
    const address = word(MEMORY_WORDS.address);
    const known = owner.bytes === 0 ? null : owner;
    return this.#draft(this.#kindOf(address, known), {
      access: kind,
      bytes: word(MEMORY_WORDS.extent),
      address,
      object,
      ...this.#around(address, known),
    });
  }

  #doubleFree(address: number, before: number): FindingDraft {
    const sites = [...this.#checked.sites()].filter(({ owner, index }) => owner === this.name && index === before);
    const notes: Note[] = [
      {
        text:
          `address 0x${address.toString(16)}, of device malloc, which has not given it out again since it ` +
          "was freed",
      },
    ];
    // Modules count their sites each from 0.
    if (sites.length === 1) notes.push({ text: "it was freed before:", location: (sites[0] as Site).location });
    const details: MemoryDetails = {
      access: "free",
      bytes: 0,
      address,
      object: { kind: "pointer" },
      owner: null,
      landsIn: null,
    };
    return {
      kind: "double-free",
      title: MEMORY_TITLES["double-free"],
      message: "memory is freed that is free already",
      notes,
      help: HELP["double-free"],
      details: { ...details },
    };
  }

  /** What the engine itself has caught, if no check has: the access ended the launch. */
  launched(launch: ObservedLaunch, fault: DeviceFault | null, known: readonly Finding[]): Finding[] {
    if (fault === null) return [];
    const { access, block, thread } = fault;
    if (access === undefined || block === null || thread === null) return [];
    const location = userLocation(fault.location);
    const at = JSON.stringify(location);
    if (known.some((finding) => finding.checker === this.name && JSON.stringify(finding.location) === at)) return [];
    const kind = ({ load: "read", store: "write", atomic: "atomic" } as const)[access.kind];
    const site = [...this.#checked.sites()].find(
      (candidate) =>
        candidate.owner === this.name &&
        (candidate as MemorySite).kind === kind &&
        JSON.stringify(candidate.location) === at,
    ) as MemorySite | undefined;
    const object = site?.object ?? ({ kind: "pointer" } as const);
    const owner = this.#argumentOwner(object, launch);
    const draft = this.#draft(
      fault.kind === "misaligned-address" ? "misaligned" : this.#kindOf(access.address, owner),
      {
        access: kind,
        bytes: access.bytes,
        address: access.address,
        object,
        ...this.#around(access.address, owner),
      },
    );
    return [
      {
        ...draft,
        checker: this.name,
        location,
        function: site?.function ?? location?.functionName ?? fault.kernel,
        count: 1,
        example: { block, thread },
        launch: nameOf(launch),
      },
    ];
  }

  /** The allocation that a pointer among the launch's arguments points into. */
  #argumentOwner(object: ObjectName, { params, arguments: values }: ObservedLaunch): Extent | null {
    const param =
      object.kind === "parameter"
        ? params.find(({ name, kind }) => name === object.name && kind === "pointer")
        : undefined;
    if (param === undefined) return null;
    const owner = this.#checked.allocations.find(
      new DataView(values.buffer, values.byteOffset).getUint32(param.offset, true),
    );
    return owner === null ? null : { start: owner.start, bytes: owner.bytes };
  }

  #kindOf(address: number, owner: Extent | null): MemoryFault {
    if (owner !== null) return "out-of-bounds";
    if (address < NULL_BYTES) return "null-pointer";
    if (address < USER_BASE) return "not-device-memory";
    const { allocations } = this.#checked;
    return allocations.find(address) === null && allocations.findFreed(address) !== null
      ? "use-after-free"
      : "unallocated";
  }

  #around(address: number, owner: Extent | null): Pick<MemoryDetails, "owner" | "landsIn"> {
    const { allocations } = this.#checked;
    const live = allocations.find(address);
    const landsIn = live === null || live.start === owner?.start ? null : { start: live.start, bytes: live.bytes };
    if (owner !== null) return { owner, landsIn };
    const freed = live === null ? allocations.findFreed(address) : null;
    return { owner: freed === null ? null : { start: freed.start, bytes: freed.bytes }, landsIn };
  }

  #draft(kind: MemoryFault, details: MemoryDetails): FindingDraft {
    const { access, bytes, owner, landsIn } = details;
    const { allocations } = this.#checked;
    const notes: Note[] = [{ text: this.#against(kind, details) }];
    if (owner !== null) notes.push(...notesOn(allocations, owner.start));
    if (landsIn !== null)
      notes.push(
        { text: `where it lands is another allocation, ${describeExtent(landsIn)}` },
        ...notesOn(allocations, landsIn.start, "the other allocation"),
      );
    return {
      kind,
      title: MEMORY_TITLES[kind],
      message: `${access === "atomic" ? "atomic operation on" : `${access} of`} ${countedBytes(bytes)}`,
      notes,
      help: HELP[kind],
      details: { ...details },
    };
  }

  /** The object that was missed, and by how much. */
  #against(kind: MemoryFault, { address, bytes, object, owner }: MemoryDetails): string {
    const at = `address 0x${address.toString(16)}`;
    if (kind === "use-after-free" && owner !== null)
      return `${at}, ${address - owner.start} bytes into an allocation that was freed, ${describeExtent(owner)}`;
    if (owner === null) return at;
    const what = describeObject(object, owner, this.#checked.readable);
    // Differences of 32-bit addresses: a negative distance is a large number otherwise.
    const distance = (address - owner.start) | 0;
    if (distance < 0) return `${-distance} bytes before the start of ${what}`;
    if (distance >= owner.bytes) return `${distance - owner.bytes} bytes past the end of ${what}`;
    if (distance + bytes <= owner.bytes) return `${at}, ${distance} bytes into ${what}`;
    return `${distance + bytes - owner.bytes} of its bytes past the end of ${what}`;
  }

  get #checked(): CheckedDevice {
    return this.#device ?? bug("the checker watches no device");
  }
}

function describeObject(object: ObjectName, owner: Extent, readable: (name: string) => string): string {
  switch (object.kind) {
    case "shared":
      return `the shared array ${readable(object.name)} of ${owner.bytes} bytes`;
    case "dynamic-shared":
      return `the dynamic shared memory ${readable(object.name)}, of which the launch gives ${owner.bytes} bytes`;
    case "local":
      return `the local array ${object.name} of ${owner.bytes} bytes`;
    case "variable":
      return `the variable ${readable(object.name)} of ${owner.bytes} bytes`;
    case "parameter":
      return `the allocation ${describeExtent(owner)} that the parameter ${object.name} points into`;
    case "pointer":
      return `the allocation ${describeExtent(owner)}`;
  }
}
