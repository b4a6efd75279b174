/**
 * Memcheck: every access is compared with the object that its pointer belongs to.
 *
 * For each load, store, atomic operation and block copy the code asks how far into its object the access begins; at `bytes - size + 1`
 * or beyond (negative distances are large) it is wrong. What fails in a block is gathered into one condition, tested once before
 * whatever other threads may see (a barrier, a call) and at the block's end: the test costs little, and the rare path behind it tells the
 * failed checks apart.
 *
 * Needs: a linked module whose functions are valid. Afterwards: they are, and do what they did.
 */
import { constBool, constI32, newBlock, newBr, newCall, newCondBr } from "../ir/build.ts";
import { renameIncoming, successors } from "../ir/cfg.ts";
import type { Emitter } from "../ir/emitter.ts";
import type { CallInstruction, IrBlock, IrFunction, IrGlobal, IrInstruction, IrModule, IrValue } from "../ir/ir.ts";
import { sizeOf, storeSize } from "../ir/layout.ts";
import { isTerminator } from "../ir/operands.ts";
import { I32 } from "../ir/types.ts";
import type { SourceLocation } from "../base/diagnostics.ts";
import { userLocation } from "./finding.ts";
import { IrEdits } from "./ir-edits.ts";
import { PointerBoundsAnalysis, type BoundsSource, type ObjectName } from "./pointer-bounds.ts";
import { RECORD_BYTES, reportFunction, toolAddress, toolVariable } from "./tool-code.ts";

export type AccessKind = "read" | "write" | "atomic";

/** One check in the code. Its record is `index` records into the variable of its module. */
export interface AccessSite {
  readonly index: number;
  readonly kind: AccessKind;
  /** Bytes of the access; null for block copies, whose record says how many. */
  readonly bytes: number | null;
  readonly location: SourceLocation | null;
  readonly function: string;
  readonly object: ObjectName;
}

export interface MemcheckTarget {
  /** Name of the variable that holds the records, without prefix. */
  readonly records: string;
}

/** The table of allocations: two words for each granule, the start and the size of what lies there (allocation-table.ts). */
export const TABLE_VARIABLE = "allocations";
/** Words about the launch: bytes of dynamic shared memory. */
export const LAUNCH_VARIABLE = "launch";
export const GRANULE_SHIFT = 8;

interface Access { readonly pointer: IrValue; readonly kind: AccessKind; readonly bytes: number | IrValue }

interface Pending { readonly site: AccessSite; readonly bad: IrValue; readonly address: IrValue; readonly start: IrValue; readonly bytes: IrValue; readonly extent: IrValue }

/** Adds the checks to the functions `own`; returns the sites, in order. */
export function addMemcheck(module: IrModule, own: Iterable<IrFunction>, target: MemcheckTarget): AccessSite[] {
  const sites: AccessSite[] = [];
  const records = toolVariable(module, target.records);
  const report = reportFunction(module);
  for (const fn of own) {
    if (fn.blocks.length > 0) new FunctionChecks(module, fn, { records, report, sites }).run();
  }
  return sites;
}

interface Surroundings { readonly records: IrGlobal; readonly report: IrFunction; readonly sites: AccessSite[] }

class FunctionChecks {
  readonly #edits: IrEdits;
  readonly #bounds: PointerBoundsAnalysis;
  readonly #around: Surroundings;
  readonly #function: IrFunction;
  /** The failed checks of a block are told before these instructions. */
  readonly #flushes = new Map<IrInstruction, Pending[]>();
  readonly #limits = new Map<IrValue, Map<number, IrValue>>();

  constructor(module: IrModule, fn: IrFunction, around: Surroundings) {
    this.#edits = new IrEdits(module, fn);
    this.#bounds = new PointerBoundsAnalysis(this.#edits, allocationTable(module));
    this.#around = around;
    this.#function = fn;
  }

  run(): void {
    for (const block of this.#function.blocks) this.#walk(block);
    this.#edits.apply();
    for (const [at, pending] of this.#flushes) this.#tell(at, pending);
  }

  #walk(block: IrBlock): void {
    let pending: Pending[] = [];
    for (const i of block.instructions) {
      if (pending.length > 0 && (isTerminator(i) || (i.op === "call" && accessesOf(i).length === 0 && isSeenByOthers(i)))) {
        this.#flushes.set(i, pending);
        pending = [];
      }
      for (const access of accessesOf(i)) {
        const check = this.#check(i, access);
        if (check !== null) pending.push(check);
      }
    }
  }

  /** null: the access is inside its object whatever the values are. */
  #check(i: IrInstruction, { pointer, kind, bytes }: Access): Pending | null {
    const e = this.#edits.before(i);
    const { distance, bounds } = this.#bounds.distance(e, pointer);
    const extent = typeof bytes === "number" ? constI32(bytes) : e.zextOrTrunc(bytes, I32);
    const bad = this.#isBad(e, distance, bounds.bytes, bytes, extent);
    if (bad.kind === "const-int" && bad.value === 0n) return null;
    const site: AccessSite = { index: this.#around.sites.length, kind, bytes: typeof bytes === "number" ? bytes : null, location: userLocation(i.location), function: this.#function.name, object: bounds.object };
    this.#around.sites.push(site);
    return { site, bad, address: e.cast("ptrtoint", pointer, I32), start: this.#bounds.start(e, bounds), bytes: bounds.bytes, extent };
  }

  #isBad(e: Emitter, distance: IrValue, objectBytes: IrValue, bytes: number | IrValue, extent: IrValue): IrValue {
    if (typeof bytes === "number") return e.icmp("uge", distance, this.#limit(e, objectBytes, bytes));
    // distance > objectBytes - extent, or more bytes than there are; nothing is wrong with no bytes at all
    const tooMany = e.icmp("ugt", extent, objectBytes);
    const tooFar = e.icmp("ugt", distance, e.sub(objectBytes, extent));
    return e.and(e.or(tooMany, tooFar), e.icmp("ne", extent, 0));
  }

  /** The first distance at which an access of `bytes` does not fit: 0 where the object is smaller than the access. */
  #limit(e: Emitter, objectBytes: IrValue, bytes: number): IrValue {
    if (objectBytes.kind === "const-int") return constI32(Math.max(0, Number(objectBytes.value) - bytes + 1));
    let known = this.#limits.get(objectBytes);
    if (known === undefined) this.#limits.set(objectBytes, (known = new Map()));
    let limit = known.get(bytes);
    if (limit === undefined) {
      const at = objectBytes.kind === "instruction" ? this.#edits.afterAdded(objectBytes) : e;
      limit = at.select(at.icmp("ult", objectBytes, bytes), constI32(0), at.sub(objectBytes, constI32(bytes - 1)));
      if (at !== e) known.set(bytes, limit);
    }
    return limit;
  }

  /** Ends the block before `at`: a test of all that is pending, the rare path, and a new block that begins with `at`. */
  #tell(at: IrInstruction, pending: readonly Pending[]): void {
    const head = at.block;
    const index = head.instructions.indexOf(at);
    const rest = newBlock(this.#function, this.#edits.names.fresh("checked"));
    const cold = newBlock(this.#function, this.#edits.names.fresh("report"));
    rest.instructions = head.instructions.splice(index);
    for (const i of rest.instructions) i.block = rest;
    for (const next of successors(rest)) renameIncoming(next, head, rest);
    const e = this.#edits.appendingTo(head);
    const any = pending.reduce<IrValue>((sum, { bad }) => e.or(sum, bad), constBool(false));
    head.instructions.push(newCondBr({ block: head, location: at.location }, any, cold, rest));
    for (const { site, bad, address, start, bytes, extent } of pending) {
      const record = toolAddress(this.#around.records, site.index * RECORD_BYTES);
      cold.instructions.push(newCall({ block: cold, location: site.location }, "", this.#around.report, [record, bad, address, start, bytes, extent]));
    }
    cold.instructions.push(newBr({ block: cold, location: at.location }, rest));
    const place = this.#function.blocks.indexOf(head) + 1;
    this.#function.blocks.splice(place, 0, cold, rest);
  }
}

/** Whether a call may let other threads go on, end the thread, or run code of the program. */
function isSeenByOthers({ callee }: CallInstruction): boolean {
  return callee.kind !== "function" || callee.blocks.length > 0 || /^(llvm\.(nvvm\.(bar|barrier|exit|nanosleep)|trap)|__heddle_grid|__assert|vprintf)/.test(callee.name);
}

function accessesOf(i: IrInstruction): Access[] {
  switch (i.op) {
    case "load": return isParameterSpace(i.pointer) ? [] : [{ pointer: i.pointer, kind: "read", bytes: storeSize(i.type) }];
    case "store": return [{ pointer: i.pointer, kind: "write", bytes: storeSize(i.value.type) }];
    case "atomicrmw": return [{ pointer: i.pointer, kind: "atomic", bytes: sizeOf(i.value.type) }];
    case "cmpxchg": return [{ pointer: i.pointer, kind: "atomic", bytes: sizeOf(i.expected.type) }];
    case "call": return callAccesses(i);
    default: return [];
  }
}

function callAccesses({ callee, args, type }: CallInstruction): Access[] {
  if (callee.kind !== "function") return [];
  const [first, second, third] = args as [IrValue, IrValue, IrValue];
  if (/^llvm\.mem(cpy|move)\./.test(callee.name)) return [{ pointer: second, kind: "read", bytes: third }, { pointer: first, kind: "write", bytes: third }];
  if (callee.name.startsWith("llvm.memset.")) return [{ pointer: first, kind: "write", bytes: third }];
  if (/^llvm\.nvvm\.ld[gu]\.global\./.test(callee.name)) return [{ pointer: first, kind: "read", bytes: storeSize(type) }];
  const copy = /^llvm\.nvvm\.cp\.async\.c[ag]\.shared\.global\.(\d+)$/.exec(callee.name);
  if (copy !== null) return [{ pointer: second, kind: "read", bytes: Number(copy[1]) }, { pointer: first, kind: "write", bytes: Number(copy[1]) }];
  return [];
}

const PARAMETER_SPACE = 101;

function isParameterSpace(pointer: IrValue): boolean {
  return pointer.type.kind === "ptr" && pointer.type.addressSpace === PARAMETER_SPACE;
}

function allocationTable(module: IrModule): BoundsSource {
  return {
    lookUp(at, pointer) {
      const granule = at.lshr(at.cast("ptrtoint", pointer, I32), GRANULE_SHIFT);
      const entry = at.offset(toolVariable(module, TABLE_VARIABLE), at.shl(granule, 3));
      return { start: at.load(I32, entry, 4), bytes: at.load(I32, at.offset(entry, 4), 4) };
    },
    dynamicSharedBytes: (at) => at.load(I32, toolVariable(module, LAUNCH_VARIABLE), 4),
  };
}

