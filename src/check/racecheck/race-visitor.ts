/**
 * Racecheck's code in a function: beside each access that can race, code that looks at the entries of the words that it
 * touches (word-transition.ts); where threads synchronise, calls of the hooks that count intervals (libdevice/race.cu,
 * race-order.cu).
 *
 * Shadow accesses come after the access that they belong to: the engine's own test of the address then holds for them,
 * too.
 */
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import type { Confirm, FunctionContext, FunctionVisitor } from "../../instrument/instrumenter.ts";
import { MEMORY_VARIABLE } from "../../instrument/instrumentation-runtime.ts";
import { mallocBytes, objectName } from "../../instrument/pointer-bounds.ts";
import { constI32 } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type { IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE, storeSize } from "../../ir/model/layout.ts";
import { I32, VOID } from "../../ir/model/types.ts";
import type { ObservedMemory } from "../../machine/observer.ts";
import { CHECK_NAMES } from "../check-names.ts";
import type { ConflictSet, ConflictTable } from "./conflicts.ts";
import { ALWAYS, NEVER } from "./entry-order.ts";
import { EpochLoader } from "./epoch-state.ts";
import { OrderedHooks } from "./ordered-hooks.ts";
import { launchConstant, raceAccessesOf, type RaceAccess } from "./race-accesses.ts";
import type { RaceModule } from "./race-module.ts";
import type { RaceDetail, RaceSite } from "./race-site.ts";
import { ORDER_ANSWER, RACE_WORDS } from "./race-state.ts";
import { shadowWordsOf } from "./shadow-words.ts";
import { synchronizationOf, type Synchronization } from "./synchronization.ts";
import { accessWord, type Suspicion } from "./word-transition.ts";

export interface RaceVisitorOptions {
  readonly module: Pick<RaceModule, "traits" | "flows">;
  readonly conflicts: ConflictTable;
  /** The function has happens-before tracking (ordered-kernels.ts). */
  readonly isOrdered: boolean;
  /** Shared memory may be another block's, of the same cluster. */
  readonly distributed: boolean;
  readonly firstPlane: number;
  readonly windows: ObservedMemory["windows"];
  /** Gives a site its number. */
  readonly number: (site: RaceSite) => number;
}

export class RaceVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #options: RaceVisitorOptions;
  readonly #epoch: EpochLoader;
  /** null: barriers of whole blocks and warps are all that orders threads, and blocks run one after the other. */
  readonly #ordered: OrderedHooks | null;
  #order = 0;

  constructor(context: FunctionContext, options: RaceVisitorOptions) {
    this.#context = context;
    this.#options = options;
    const { conflicts, isOrdered, module } = options;
    this.#ordered = isOrdered && !conflicts.isEmpty ? new OrderedHooks(context.edits) : null;
    this.#epoch = new EpochLoader(context, module.traits, this.#ordered);
    if (isOrdered || conflicts.isEmpty || !context.function.isKernel) return;
    callHook(context.edits.behindAllocas(), "enter");
  }

  visit(i: IrInstruction): void {
    this.#order++;
    const synchronization = synchronizationOf(i);
    if (synchronization !== null) this.#epoch.forget();
    this.#ordered?.visit(i);
    const { conflicts } = this.#options;
    const hook =
      synchronization === null || this.#ordered !== null || conflicts.isEmpty ? undefined : HOOK_AFTER[synchronization];
    if (hook !== undefined) callHook(this.#context.edits.after(i), hook);
    const allocated = mallocBytes(i);
    if (allocated !== null) {
      const e = this.#context.edits.after(i);
      callHook(e, "fresh", [i, e.zextOrTrunc(allocated, I32)]);
    }
    for (const [index, access] of raceAccessesOf(i).entries()) {
      const conflictSet = conflicts.of(i, index);
      if (conflictSet !== null) this.#access(i, access, conflictSet);
    }
  }

  #access(i: IrInstruction, access: RaceAccess, conflicts: ConflictSet): void {
    const site = this.#context.site<RaceDetail>(i, this.#detailOf(i, access, conflicts));
    const number = this.#options.number(site);
    const e = this.#context.edits.after(i);
    const now = this.#epoch.at(i.block, e);
    const address = e.cast("ptrtoint", access.pointer, I32);
    const { windows, module, firstPlane } = this.#options;
    const common = { detail: site, number, now, windows, warpSyncs: module.traits.warpSyncs };
    const merged = new MergedSuspicion();
    for (const word of shadowWordsOf(e, address, access, firstPlane)) {
      const one = accessWord(e, { ...common, word });
      if (this.#ordered !== null) {
        this.#askOrder(this.#ordered, i, site, one, valueOf(e, access.value));
        continue;
      }
      merged.add(e, one);
      if (one.together === null) continue;
      const { pointer, value, isSo } = one.together;
      this.#context.rarely(isSo, (cold) => cold.store(value, pointer, 4));
    }
    if (this.#ordered === null) this.#checkWords(i, access, site, address, merged);
  }

  #detailOf(i: IrInstruction, access: RaceAccess, conflicts: ConflictSet): RaceDetail {
    const roots = originsOf(access.pointer);
    const object = roots.size === 1 ? objectName([...roots][0] as IrValue) : ({ kind: "pointer" } as const);
    const shared =
      (access.pointer.type.kind === "ptr" && access.pointer.type.addressSpace === SHARED_SPACE) ||
      object.kind === "shared" ||
      object.kind === "dynamic-shared";
    return {
      kind: access.kind,
      scope: access.scope,
      volatile: access.volatile,
      valueType: valueTypeOf(access.value),
      bytes: access.bytes,
      shared,
      mayBeWindow: !shared && (access.part !== null || ![...roots].every(isOfGrid)),
      pointer: access.pointer,
      constant: launchConstant(access),
      object,
      flow: this.#options.module.flows.of(this.#context.function),
      order: this.#order,
      at: i,
      conflicts,
      isOrdered: this.#ordered !== null,
      distributed: this.#options.distributed,
    };
  }

  /** One check for all words of the access. */
  #checkWords(
    i: IrInstruction,
    access: RaceAccess,
    site: RaceSite,
    address: IrValue,
    { bad, shares, words }: MergedSuspicion,
  ): void {
    const e = this.#context.edits.after(i);
    const reported = [...words, valueOf(e, access.value)];
    const confirm: Confirm = (cold) => ({
      bad: cold.or(bad, cold.and(shares, leavesAnother(cold, address, access))),
      words: reported,
    });
    this.#context.checkAt(
      i,
      site,
      e.or(bad, shares),
      reported,
      "after",
      shares.kind === "const-int" ? undefined : confirm,
    );
  }

  /** What looks like a race may be ordered by more than barriers: the happens-before tracking decides. */
  #askOrder(
    hooks: OrderedHooks,
    at: IrInstruction,
    site: RaceSite,
    { bad, words, byWrite, byRead }: Suspicion,
    value: IrValue,
  ): void {
    this.#context.checkAt(at, site, bad, [], "after", (cold, suspected) => {
      const entry = (index: number, counts: IrValue): IrValue =>
        cold.select(cold.and(suspected, counts), words[index] as IrValue, constI32(0));
      const [write, read] = [entry(RACE_WORDS.write, byWrite), entry(RACE_WORDS.read, byRead)];
      const answer = hooks.races(cold, write, read);
      const ifRaces = (bit: number, of: IrValue): IrValue =>
        cold.select(cold.icmp("ne", cold.and(answer, constI32(bit)), 0), of, constI32(0));
      const reported = [...words, value];
      reported[RACE_WORDS.write] = ifRaces(ORDER_ANSWER.writeRaces, write);
      reported[RACE_WORDS.read] = ifRaces(ORDER_ANSWER.readRaces, read);
      reported[RACE_WORDS.answer] = answer;
      return { bad: cold.icmp("ne", answer, 0), words: reported };
    });
  }
}

/** What the entries of all words of an access say: the words of the record are those of the last suspected one. */
class MergedSuspicion {
  bad: IrValue = NEVER;
  shares: IrValue = NEVER;
  words: readonly IrValue[] = [];

  add(e: Emitter, one: Suspicion): void {
    this.words =
      this.words.length === 0
        ? one.words
        : this.words.map((value, index) => e.select(e.or(one.bad, one.shares), one.words[index] as IrValue, value));
    this.bad = e.or(this.bad, one.bad);
    this.shares = e.or(this.shares, one.shares);
  }
}

/** What was read or written, as a word of the record. */
function valueOf(e: Emitter, value: IrValue | null): IrValue {
  const type = valueTypeOf(value);
  if (value === null || type === null) return constI32(0);
  return type === "float" ? e.cast("bitcast", value, I32) : e.zextOrTrunc(value, I32);
}

/**
 * When several lanes of one instruction write the same address, the value of the last lane stays: i1, whether another
 * value stands there than the one that this lane has written.
 */
function leavesAnother(e: Emitter, address: IrValue, { value, align }: RaceAccess): IrValue {
  if (value === null || (value.type.kind !== "int" && value.type.kind !== "float") || storeSize(value.type) > 8)
    return ALWAYS;
  const bits = { kind: "int", bits: 8 * storeSize(value.type) } as const;
  const own = value.type.kind === "float" ? e.cast("bitcast", value, bits) : e.zextOrTrunc(value, bits);
  const left = e.load(bits, e.offset(CHECK_NAMES.variable(e.module, MEMORY_VARIABLE), address), align);
  return e.icmp("ne", left, own);
}

function valueTypeOf(value: IrValue | null): RaceDetail["valueType"] {
  if (value?.type.kind === "int" && value.type.bits <= 32) return "int";
  return value?.type.kind === "float" && value.type.format === "float" ? "float" : null;
}

/** Whether an object lies where all blocks of a launch see the same: variables, and what the host passes. */
function isOfGrid(root: IrValue): boolean {
  if (root.kind === "global") return root.type.addressSpace !== SHARED_SPACE;
  return root.kind === "param" && root.function.isKernel && root.byval === null;
}

/** The hooks in the device library. */
export const HOOKS: readonly string[] = ["enter", "barrier", "warp", "fresh"].map(hookName);

/** Behind which synchronisation a hook is called. */
const HOOK_AFTER: Readonly<Partial<Record<Synchronization, string>>> = { block: "barrier", warp: "warp" };

function callHook(e: Emitter, name: string, args: readonly IrValue[] = []): void {
  e.intrinsic(hookName(name), VOID, [...args]);
}

function hookName(name: string): string {
  return CHECK_NAMES.name(`race_${name}`);
}
