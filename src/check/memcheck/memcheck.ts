/**
 * Memcheck's code: every access is compared with the object that its pointer belongs to.
 *
 * For each load, store, atomic operation and block copy the code asks how far into its object the access begins; at `bytes - size + 1`
 * or beyond (negative distances are large) it is wrong.
 */
import { constI32 } from "../../ir/build.ts";
import type { Emitter } from "../../ir/emitter.ts";
import type { IrInstruction, IrValue } from "../../ir/ir.ts";
import { I32 } from "../../ir/types.ts";
import { accessesOf, type Access, type AccessKind } from "../accesses.ts";
import type { FunctionContext, FunctionVisitor, SiteOf } from "../checker.ts";
import type { ObjectName } from "../pointer-bounds.ts";

/** What memcheck says of a site: the access, and the object that it should be in. */
export interface MemoryAccess {
  readonly kind: AccessKind;
  readonly object: ObjectName;
}

export type MemorySite = SiteOf<MemoryAccess>;

/** Words of a memcheck example. */
export const MEMORY_WORDS = { address: 0, start: 1, bytes: 2, extent: 3 } as const;

export class MemcheckVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #limits = new Map<IrValue, Map<number, IrValue>>();

  constructor(context: FunctionContext) {
    this.#context = context;
  }

  visit(i: IrInstruction): void {
    for (const access of accessesOf(i)) this.#check(i, access);
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
