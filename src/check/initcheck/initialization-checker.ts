/**
 * Initcheck: values that were never set, reported where they first matter. Keeps the shadow of memory up to date with
 * what the host does. Makes findings of what the code (initcheck.ts) has recorded: uses of undefined values, and the
 * loads that they came from.
 */
import type { Example, FunctionContext, Site, SiteOf } from "../../instrument/instrumenter.ts";
import { bug, type SourceLocation } from "../../base/diagnostics.ts";
import { copyWrittenParams } from "../../ir/passes/pass-copy-written-params.ts";
import type { IrFunction, IrModule, IrValue } from "../../ir/model/ir.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { ObservedAllocation, ObservedLaunch } from "../../machine/observer.ts";
import type { CheckedDevice, Checker, ReadDraft } from "../checker.ts";
import { notesOn } from "../allocation-notes.ts";
import { nameOf } from "../checks.ts";
import { countedBytes, describeExtent, type Extent, type Finding, type Note } from "../finding.ts";
import { INIT_WORDS, InitcheckVisitor, type LoadDetail, type UseDetail } from "./initcheck.ts";
import { DEFINED, UNDEFINED } from "./shadow-types.ts";
import type { Use } from "./sinks.ts";
import type { SpeculativeKernel } from "../../instrument/speculative-kernels.ts";
import { DefinedMemory } from "./defined-memory.ts";
import { BLOCKS_VARIABLE, blockStart, blocksBytes, callAtEntry, markWrites } from "./windows.ts";

type LoadSite = SiteOf<LoadDetail>;
type UseSite = SiteOf<UseDetail>;

/** `Finding.details` of initcheck. */
export interface InitializationDetails {
  /** What the value would have decided. */
  readonly use: Use;
  /** The first undefined bytes that it came from; null: a variable that was never set. */
  readonly origin: { readonly address: number; readonly bytes: number; readonly owner: Extent | null } | null;
}

interface Failed<S extends Site> {
  readonly site: S;
  readonly example: Example;
  readonly launch: ObservedLaunch;
  readonly load: Failed<LoadSite> | null;
}

/** By use: where initcheck reports a value that nobody has set. */
export const USES: Readonly<Record<Use, string>> = {
  branch: "it decides which way a branch goes",
  address: "it is an address, or an index that goes into one",
  size: "it is the number of bytes of a copy",
  atomic: "an atomic operation uses it",
  vote: "threads decide together by it",
  argument: "it is passed to a function",
  result: "a function returns it",
  printed: "it is printed",
  computed: "arithmetic uses it, and the result is stored to device memory",
  stored: "it is stored to memory that the host reads",
};

const HELP = {
  shared:
    "let some thread write the element before it is read, behind a __syncthreads(), " +
    "or guard the read as the write is guarded",
  local: "give the array its values where it is declared, or guard the read as the write is guarded",
  device: "cudaMemset or cudaMemcpy the memory before the launch, or let a kernel write all of what is read",
  unset: "give the variable a value where it is declared",
};

export class InitializationChecker implements Checker {
  readonly name = "initcheck";
  readonly shadowPlanes = 1;
  readonly usesSpeculation = true;
  readonly #definedMemory = new DefinedMemory();
  #device: CheckedDevice | null = null;
  #plane = 0;
  #windowsStart = 0;
  /** What has failed in the launch that has just ended. */
  #loads = new Map<Site, Example>();
  #uses: { site: UseSite; example: Example }[] = [];
  /** Findings by their place. */
  readonly #reported = new Map<Site | string, Finding>();
  /** Stores that have been reported. */
  readonly #reportedStores = new Set<Site | string>();
  /** Loads whose undefined values have been reported. */
  readonly #explained = new Set<Site>();
  /** Undefined values that went where the host can see them: the first of each store. */
  readonly #stored = new Map<UseSite, Failed<UseSite>>();

  attach(device: CheckedDevice, firstPlane: number): void {
    this.#device = device;
    this.#plane = firstPlane;
    this.#windowsStart = device.memory.windows.start;
    device.variable(BLOCKS_VARIABLE, blocksBytes(device.memory));
  }

  /** The copy of a parameter is made here, not by the engine: so its shadow is set, too. */
  prepare(module: IrModule, own: ReadonlySet<IrFunction>): void {
    for (const fn of own) if (fn.isKernel) copyWrittenParams(fn, module);
  }

  beginModule(module: IrModule, own: ReadonlySet<IrFunction>): void {
    markWrites(module, own, this.#plane);
  }

  visitor(context: FunctionContext): InitcheckVisitor {
    if (context.function.isKernel) {
      const start = blockStart(context.module, context.function, this.#plane, this.#windowsStart);
      if (start !== null) callAtEntry(context.edits, start);
    }
    return new InitcheckVisitor(
      context,
      this.#plane,
      context.speculative === null ? NONE : this.#definedMemory.parametersOf(context.speculative),
    );
  }

  // ---------------------------------------------------------------- what the host does

  allocated({ start, bytes, purpose, isHostCopied }: ObservedAllocation): void {
    this.#definedMemory.changed(start);
    this.#fill(start, bytes, purpose === "user" && !isHostCopied ? UNDEFINED : DEFINED);
  }

  /** Reads of it are memcheck's to report. */
  freed({ start, bytes }: Extent): void {
    this.#fill(start, bytes, DEFINED);
    for (const { site, example } of this.#stored.values())
      if (within({ start, bytes }, example.words[INIT_WORDS.address] as number)) this.#stored.delete(site);
  }

  written(start: number, bytes: number): void {
    this.#definedMemory.changed(this.#checked.allocations.ofProgram(start)?.start);
    this.#fill(start, bytes, DEFINED);
  }

  copied(destination: number, source: number, bytes: number): void {
    this.#definedMemory.changed(this.#checked.allocations.ofProgram(destination)?.start);
    this.#checked.memory.bytes.copyWithin(
      this.#shadowOf(destination),
      this.#shadowOf(source),
      this.#shadowOf(source) + bytes,
    );
  }

  assumptionsHold(launch: ObservedLaunch, kernel: SpeculativeKernel): boolean {
    const { allocations, memory } = this.#checked;
    return this.#definedMemory.isDefined(launch, kernel, allocations, ({ start, bytes }) =>
      memory.bytes.subarray(this.#shadowOf(start), this.#shadowOf(start) + bytes),
    );
  }

  read(start: number, bytes: number): ReadDraft[] {
    const drafts: ReadDraft[] = [];
    const shadow = this.#checked.memory.bytes;
    for (const failed of this.#stored.values()) {
      const address = failed.example.words[INIT_WORDS.address] as number;
      const at = this.#shadowOf(address);
      if (
        address < start ||
        address >= start + bytes ||
        shadow.subarray(at, at + failed.site.bytes).every((byte) => byte === DEFINED)
      )
        continue;
      this.#stored.delete(failed.site);
      if (failed.site.loads.some((load) => this.#explained.has(load))) continue;
      if (this.#reportedStores.has(placeOf(failed.site))) continue;
      this.#reportedStores.add(placeOf(failed.site));
      drafts.push(this.#finding(failed));
    }
    return drafts;
  }

  #fill(start: number, bytes: number, value: number): void {
    const at = this.#shadowOf(start);
    this.#checked.memory.bytes.fill(value, at, at + bytes);
  }

  #shadowOf(address: number): number {
    return (address + this.#checked.memory.shadow(this.#plane)) >>> 0;
  }

  // ---------------------------------------------------------------- what kernels did

  /** Collected: what a use says depends on the loads that failed, too. */
  describe(site: Site, example: Example): null {
    const { role } = site as LoadSite | UseSite;
    if (role === "load") this.#loads.set(site, example);
    else this.#uses.push({ site: site as UseSite, example });
    return null;
  }

  launched(launch: ObservedLaunch, _fault: DeviceFault | null, known: readonly Finding[]): Finding[] {
    this.#definedMemory.launched();
    const [loads, uses] = [this.#loads, this.#uses];
    this.#loads = new Map();
    this.#uses = [];
    const found: Finding[] = [];
    for (const { site, example } of uses) {
      // One statement has several sites where a loop is unrolled, and in both copies of a kernel.
      const place = placeOf(site);
      const reported = this.#reported.get(place);
      if (reported !== undefined) {
        for (const load of site.loads) this.#explained.add(load);
        reported.count += example.count;
        continue;
      }
      const origins = site.loads.filter((load) => loads.has(load)) as LoadSite[];
      const [origin] = origins;
      const load =
        origin === undefined ? null : { site: origin, example: loads.get(origin) as Example, launch, load: null };
      // One fault is reported once, where it matters first. A read that races with a later write is racecheck's, and a
      // read outside of an object is memcheck's.
      if (
        origin !== undefined &&
        origins.every(
          (one) =>
            this.#explained.has(one) ||
            isOutside(one, known) ||
            this.#isRacing({ site: one, example: loads.get(one) as Example, launch, load: null }, known),
        )
      )
        continue;
      const failed: Failed<UseSite> = { site, example, launch, load };
      if (site.use === "stored") {
        if (!this.#stored.has(site)) this.#stored.set(site, failed);
        continue;
      }
      for (const one of origins) this.#explained.add(one);
      const finding: Finding = {
        location: null,
        function: null,
        count: 1,
        example: null,
        launch: null,
        ...this.#finding(failed),
        checker: this.name,
      };
      this.#reported.set(place, finding);
      found.push(finding);
    }
    return found;
  }

  #finding({ site, example: { block, thread, count, words }, launch, load }: Failed<UseSite>): ReadDraft {
    for (const one of site.loads) this.#explained.add(one);
    const owner = load === null ? null : this.#ownerOf(load);
    const stored = site.use === "computed" ? (words[INIT_WORDS.address] as number) : null;
    const address = load?.example.words[INIT_WORDS.address] ?? 0;
    const details: InitializationDetails = {
      use: site.use,
      origin: load === null ? null : { address, bytes: load.site.bytes, owner },
    };
    return {
      kind: "uninitialized",
      title: "uninitialized value",
      message: USES[site.use],
      notes: load === null ? [{ text: unknownOrigin(site) }] : this.#origin(load, owner, stored),
      help: HELP[load === null ? "unset" : memoryOf(load.site)],
      details: { ...details },
      location: site.location,
      function: site.function,
      count,
      example: { block, thread },
      launch: nameOf(launch),
    };
  }

  /**
   * Where the undefined bytes were read, and of what.
   *
   * @param stored where the result of arithmetic on them was stored; null: it is another use.
   */
  #origin({ site, example }: Failed<LoadSite>, owner: Extent | null, stored: number | null): Note[] {
    const address = example.words[INIT_WORDS.address] as number;
    const what = this.#objectName(site, owner);
    const distance = owner === null ? 0 : address - owner.start;
    const element =
      distance % site.bytes === 0 && site.bytes <= 16
        ? `element ${distance / site.bytes} of ${countedBytes(site.bytes)} each`
        : `${countedBytes(site.bytes)} from byte ${distance} on`;
    const notes: Note[] = [
      {
        text: owner === null ? `read from ${what}` : `read from ${what}, ${element}, which nobody has written`,
        location: site.location,
      },
    ];
    if (owner !== null && site.object === null) {
      const from = [...this.#stored.values()].find(({ example: { words } }) =>
        within(owner, words[INIT_WORDS.address] as number),
      );
      if (from !== undefined)
        notes.push({
          text: `an uninitialized value was stored there by launch ${from.launch.ordinal}`,
          location: from.site.location,
        });
      else if (stored === null || !within(owner, stored)) notes.push({ text: this.#howMuch(owner) });
      notes.push(...notesOn(this.#checked.allocations, address));
    }
    return notes;
  }

  /** How much of an allocation is undefined. */
  #howMuch(owner: Extent): string {
    const at = this.#shadowOf(owner.start);
    const shadow = this.#checked.memory.bytes.subarray(at, at + owner.bytes);
    let undefinedBytes = 0;
    for (const byte of shadow) if (byte !== DEFINED) undefinedBytes++;
    if (undefinedBytes === owner.bytes) return "nothing of it has ever been written";
    if (undefinedBytes === 0) return "it was written later";
    const last = shadow.lastIndexOf(UNDEFINED);
    const first = shadow.indexOf(UNDEFINED);
    const which = last - first + 1 === undefinedBytes ? `: those from ${first} to ${last}` : "";
    return `${undefinedBytes} of its bytes have not been written${which}`;
  }

  /** Whether a race was found in the line of a load, or, in this launch, in the shared array that it reads. */
  #isRacing(load: Failed<LoadSite>, known: readonly Finding[]): boolean {
    const owner = isShared(load.site) ? this.#ownerOf(load) : null;
    return known.some(
      ({ checker, location, notes, launch, details }) =>
        checker === "racecheck" &&
        ([location, ...notes.map((note) => note.location)].some((place) => ofOneLine(place, load.site.location)) ||
          (owner !== null &&
            launch?.ordinal === load.launch.ordinal &&
            within(owner, (details as { readonly address: number }).address))),
    );
  }

  #ownerOf({ site, example: { words } }: Failed<LoadSite>): Extent | null {
    const [address, start] = [words[INIT_WORDS.address] as number, words[INIT_WORDS.start] as number];
    const { object } = site;
    if (object !== null && start !== 0)
      return { start, bytes: "bytes" in object ? object.bytes : Math.max(0, address + site.bytes - start) };
    const owner = this.#checked.allocations.find(address);
    return owner === null ? null : { start: owner.start, bytes: owner.bytes };
  }

  #objectName({ object }: LoadSite, owner: Extent | null): string {
    const { readable } = this.#checked;
    switch (object?.kind) {
      case "shared":
        return `the shared array ${readable(object.name)} of ${object.bytes} bytes`;
      case "dynamic-shared":
        return `the dynamic shared memory ${readable(object.name)}`;
      case "local":
        return `the local array ${object.name} of ${object.bytes} bytes`;
      case "variable":
        return `the variable ${readable(object.name)} of ${object.bytes} bytes`;
      default:
        return owner === null ? "shared or local memory" : `the allocation ${describeExtent(owner)}`;
    }
  }

  get #checked(): CheckedDevice {
    return this.#device ?? bug("the checker watches no device");
  }
}

const NONE: ReadonlySet<IrValue> = new Set();

/** The same for all that the compiler has made of one statement. A place whose line is not known is its own. */
function placeOf(site: UseSite): Site | string {
  return site.location === null ? site : JSON.stringify([site.use, site.function, site.location]);
}

function unknownOrigin({ unset }: UseSite): string {
  return unset ? "of a variable that has not been set on the way here" : "where it comes from is not known";
}

/** The memory that was read undefined, as help is given for it. */
function memoryOf(site: LoadSite): "local" | "shared" | "device" {
  if (site.object?.kind === "local") return "local";
  return isShared(site) ? "shared" : "device";
}

function isShared({ object }: LoadSite): boolean {
  return object?.kind === "shared" || object?.kind === "dynamic-shared";
}

function within({ start, bytes }: Extent, address: number): boolean {
  return address >= start && address < start + bytes;
}

/** Whether they are places of one line. */
function ofOneLine(a: SourceLocation | null | undefined, b: SourceLocation | null): boolean {
  return (
    a !== null &&
    a !== undefined &&
    b !== null &&
    a.file === b.file &&
    a.line === b.line &&
    a.functionName === b.functionName
  );
}

/** Whether the load, or its line, was found to read out of its object. */
function isOutside({ location }: LoadSite, known: readonly Finding[]): boolean {
  return known.some((finding) => finding.checker === "memcheck" && ofOneLine(finding.location, location));
}
