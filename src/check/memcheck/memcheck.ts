/**
 * Memcheck's code: every access is compared with the object that its pointer belongs to.
 *
 * Each load, store, atomic operation and block copy computes how far into its object the access begins. At `bytes -
 * size + 1` or beyond (negative distances are large) it is out of bounds.
 *
 * A block of the device's heap is marked when it is freed. The mark takes eight bytes that the heap leaves alone until
 * it gives the block out again, and names the site that freed it. (libdevice/heap.cu: the first four bytes of a free
 * block are the heap's, and no block is smaller than 16.)
 */
import { CHECK_NAMES } from "../check-names.ts";
import type { FunctionContext, FunctionVisitor, SiteOf } from "../../instrument/instrumenter.ts";
import { constBool, constI32, constNull } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { CallInstruction, IrInstruction, IrValue, PointerType } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { accessesOf, type Access, type AccessKind } from "../../instrument/accesses.ts";
import { mallocBytes, type ObjectName } from "../../instrument/pointer-bounds.ts";

/** What memcheck says of a site: the access, and the object that it should be in. */
export interface MemoryAccess {
  readonly kind: AccessKind | "free";
  readonly object: ObjectName;
}

export type MemorySite = SiteOf<MemoryAccess>;

/** Words of a memcheck example. */
export const MEMORY_WORDS = { address: 0, start: 1, bytes: 2, extent: 3 } as const;
/** Words of the example of a free: what is freed, and the site that freed it before. */
export const FREE_WORDS = { address: 0, before: 1 } as const;

/** In a freed block: its address, changed by this; then the site. */
const FREED = { at: 8, mark: 0x5f2eed0d, siteAt: 12 } as const;
/** What is marked in place of a null pointer's block. */
export const NO_BLOCK = { variable: "no_block", bytes: 16 } as const;

export class MemcheckVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #limits = new Map<IrValue, Map<number, IrValue>>();

  constructor(context: FunctionContext) {
    this.#context = context;
  }

  visit(i: IrInstruction): void {
    for (const access of accessesOf(i)) this.#check(i, access);
    if (mallocBytes(i) !== null) this.#mark(this.#context.edits.after(i), i, constI32(0), constI32(0));
    else if (i.op === "call" && i.callee.kind === "function" && i.callee.name === "free" && i.args[0] !== undefined)
      this.#checkFree(i, i.args[0]);
  }

  #checkFree(i: CallInstruction, pointer: IrValue): void {
    const e = this.#context.edits.before(i);
    const site = this.#context.site<MemoryAccess>(i, { kind: "free", object: { kind: "pointer" } });
    const address = e.cast("ptrtoint", pointer, I32);
    const mark = e.xor(address, constI32(FREED.mark));
    const block = this.#blockOf(e, pointer);
    const isMarked = e.icmp("eq", e.load(I32, e.offset(block, FREED.at), 4), mark);
    const before = e.load(I32, e.offset(block, FREED.siteAt), 4);
    const bad = e.select(e.icmp("ne", address, 0), isMarked, constBool(false));
    this.#mark(e, pointer, mark, e.select(bad, before, constI32(site.index)));
    this.#context.check(site, bad, [address, before]);
    // A block that is in the heap's lists twice would be given out twice: the program goes on as if it had been freed
    // once.
    i.args[0] = e.select(bad, constNull(pointer.type as PointerType), pointer);
  }

  #mark(e: Emitter, pointer: IrValue, mark: IrValue, site: IrValue): void {
    const block = this.#blockOf(e, pointer);
    e.store(mark, e.offset(block, FREED.at), 4);
    e.store(site, e.offset(block, FREED.siteAt), 4);
  }

  #blockOf(e: Emitter, pointer: IrValue): IrValue {
    const none = e.cast("addrspacecast", CHECK_NAMES.variable(this.#context.module, NO_BLOCK.variable), pointer.type);
    return e.select(e.icmp("eq", e.cast("ptrtoint", pointer, I32), 0), none, pointer);
  }

  #check(i: IrInstruction, { pointer, kind, bytes }: Access): void {
    const { edits, bounds: analysis } = this.#context;
    const e = edits.before(i);
    const { distance, bounds } = analysis.distance(e, pointer);
    const extent = typeof bytes === "number" ? constI32(bytes) : e.zextOrTrunc(bytes, I32);
    const bad = this.#isBad(e, distance, bounds.bytes, bytes, extent);
    // Inside its object whatever the values are: no site either.
    if (bad.kind === "const-int" && bad.value === 0n) return;
    const site = this.#context.site<MemoryAccess>(i, { kind, object: bounds.object });
    this.#context.check(site, bad, [e.cast("ptrtoint", pointer, I32), analysis.start(e, bounds), bounds.bytes, extent]);
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
      const at = objectBytes.kind === "instruction" ? this.#context.edits.afterAdded(objectBytes) : e;
      limit = at.select(at.icmp("ult", objectBytes, bytes), constI32(0), at.sub(objectBytes, constI32(bytes - 1)));
      if (at !== e) known.set(bytes, limit);
    }
    return limit;
  }
}
