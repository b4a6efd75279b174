/**
 * Initcheck's code: shadow memory beside memory, shadows beside values (shadow-values.ts), and checks where an
 * undefined value matters (sinks.ts).
 *
 * Loads, stores and copies move shadows along and report nothing. A check stands where a value decides something: a
 * branch, an address, a vote, an atomic operation, an argument, the store of what arithmetic has made of undefined
 * values to device memory (computed-values.ts). A copy that is stored there is recorded, and reported when the host
 * reads that memory. A load of undefined memory is recorded, too, so that the report can say where the value came from.
 */
import { isPrint } from "../../ir/intrinsics/print-functions.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { FunctionContext, FunctionVisitor, Site } from "../../instrument/instrumenter.ts";
import { constBool, constI32, constI8, constZero, newCall } from "../../ir/model/build.ts";
import { declareFunction } from "../../ir/model/build-module.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type {
  AtomicRmwInstruction,
  CallInstruction,
  CmpxchgInstruction,
  IrInstruction,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { alignOf, sizeOf, storeSize } from "../../ir/model/layout.ts";
import { I1, I32, VOID, ptrType } from "../../ir/model/types.ts";
import type { ObjectName } from "../../instrument/pointer-bounds.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { isDeviceMemory } from "./computed-values.ts";
import { isLoadIntrinsic, memoryClass } from "./definedness.ts";
import { Sinks, type Sink, type Use } from "./sinks.ts";
import { allBitsUndefined, anyUndefined, leavesOf, shadowType, storeShadow } from "./shadow-types.ts";
import { ShadowValues, type Shadow } from "./shadow-values.ts";
import { DEFINED, UNDEFINED, allUndefined, fillShadow } from "./shadow-types.ts";

/** An access of memory whose content was undefined. */
export interface LoadDetail {
  readonly role: "load";
  /** What the pointer is into, where the code knows it. */
  readonly object: ObjectName | null;
  /** Bytes of the access. */
  readonly bytes: number;
}

export interface UseDetail {
  readonly role: "use";
  readonly use: Use;
  /** What the value was made of. */
  readonly loads: readonly Site[];
  /** Also of a variable that, as the compiler knows, was never set. */
  readonly unset: boolean;
  /** Bytes that are stored; 0 where the use is another. */
  readonly bytes: number;
}

/**
 * Words of an example: the address that was read, written or updated, and the start of the object where the code knows
 * it.
 */
export const INIT_WORDS = { address: 0, start: 1 } as const;

/** Uses that have more to check than their operands. */
const CHECKED_APART: ReadonlySet<Use> = new Set(["atomic", "stored", "computed", "printed"]);

export class InitcheckVisitor implements FunctionVisitor {
  readonly #context: FunctionContext;
  readonly #defined: ReadonlySet<IrValue>;
  readonly #shadows: ShadowValues;
  /** Of the bits that arithmetic has made. */
  readonly #computed: ShadowValues;
  readonly #sinks: Sinks;
  readonly #loadSites = new Map<IrInstruction, Site>();
  /** Filled when all sites are known. */
  readonly #unresolved: { loads: Site[]; values: readonly IrValue[] }[] = [];

  /** @param defined as in memoryClass. */
  constructor(context: FunctionContext, plane: number, defined: ReadonlySet<IrValue>) {
    this.#context = context;
    this.#defined = defined;
    this.#shadows = new ShadowValues(context.edits, plane, defined);
    this.#computed = new ShadowValues(context.edits, plane, defined, this.#shadows);
    this.#sinks = new Sinks(context.function, this.#shadows, defined);
  }

  visit(i: IrInstruction): void {
    for (const sink of this.#sinks.at(i)) if (!CHECKED_APART.has(sink.use)) this.#check(i, sink);
    switch (i.op) {
      case "load":
        return this.#load(i, i.pointer);
      case "store":
        return this.#store(i);
      case "atomicrmw":
      case "cmpxchg":
        return this.#atomic(i);
      case "call":
        return this.#call(i);
      case "alloca":
        return this.#allocate(i);
      default:
    }
  }

  end(): void {
    for (const { loads, values } of this.#unresolved) {
      for (const value of this.#sinks.sourcesOf(values)) {
        const site = value.kind === "instruction" ? this.#loadSites.get(value) : undefined;
        if (site !== undefined) loads.push(site);
      }
    }
    if (this.#context.function.isKernel) return;
    // The copy of a struct that is passed by value is a new object: taken for defined, whatever lay there before.
    for (const param of this.#context.function.params) {
      if (param.byval === null) continue;
      this.#fill(
        this.#context.edits.atEntry(),
        param,
        constI32(sizeOf(param.byval)),
        constI8(DEFINED),
        alignOf(param.byval),
      );
    }
  }

  // ---------------------------------------------------------------- where values matter

  #check(i: IrInstruction, { use, values }: Sink): void {
    const e = this.#context.edits.before(i);
    this.#report(
      i,
      e,
      use,
      values,
      values
        .map((value) => this.#shadows.of(value))
        .reduce<IrValue>(
          (sum, shadow) => (shadow === null ? sum : e.or(sum, anyUndefined(e, shadow))),
          constBool(false),
        ),
      [],
    );
  }

  #report(
    i: IrInstruction,
    e: Emitter,
    use: Use,
    values: readonly IrValue[],
    bad: IrValue,
    words: readonly IrValue[],
  ): void {
    if (bad.kind === "const-int" && bad.value === 0n) return;
    const loads: Site[] = [];
    const unset = values.some((value) => this.#hasUnset(value));
    const site = this.#context.site<UseDetail>(i, {
      role: "use",
      use,
      loads,
      unset,
      bytes: i.op === "store" ? storeSize(i.value.type) : 0,
    });
    this.#unresolved.push({ loads, values });
    this.#context.check(site, bad, words);
  }

  #hasUnset(value: IrValue): boolean {
    return [...this.#sinks.sourcesOf([value])].some(({ kind }) => kind !== "instruction");
  }

  // ---------------------------------------------------------------- memory

  #load(i: LoadInstruction | CallInstruction, pointer: IrValue): void {
    if (!this.#sinks.dependOn(i)) return;
    const leaves = this.#shadows.leaves(i);
    const e = this.#context.edits.after(i);
    const bad = leaves.reduce<IrValue>(
      (sum, shadow) => (shadow === null ? sum : e.or(sum, anyUndefined(e, shadow))),
      constBool(false),
    );
    this.#loadSites.set(i, this.#loadSite(i, e, pointer, storeSize(i.type), bad));
  }

  /** Notes an access of memory that is undefined. */
  #loadSite(i: IrInstruction, e: Emitter, pointer: IrValue, bytes: number, bad: IrValue): Site {
    const { object, words } = this.#place(e, pointer);
    const site = this.#context.site<LoadDetail>(i, { role: "load", object, bytes });
    this.#context.check(site, bad, words);
    return site;
  }

  #place(e: Emitter, pointer: IrValue): { object: ObjectName | null; words: IrValue[] } {
    const address = e.cast("ptrtoint", pointer, I32);
    const [root, ...others] = originsOf(pointer);
    if (
      root === undefined ||
      others.length > 0 ||
      !(root.kind === "global" || (root.kind === "instruction" && root.op === "alloca"))
    )
      return { object: null, words: [address, constI32(0)] };
    return { object: this.#context.bounds.of(pointer).object, words: [address, e.cast("ptrtoint", root, I32)] };
  }

  #store(i: StoreInstruction): void {
    const where = memoryClass(i.pointer, this.#defined);
    if (where === "defined") return;
    const e = this.#context.edits.after(i);
    const isReported = where === "shared-with-host" && isDeviceMemory(this.#context.function, i.pointer);
    const all = this.#shadows.leaves(i.value);
    const computed = isReported ? this.#computed.leaves(i.value) : all.map(() => null);
    // What is reported here counts as defined from here on.
    const copied = all.map((shadow, leaf) => without(e, shadow, computed[leaf] ?? null));
    for (const [index, { type, offset }] of leavesOf(i.value.type).entries()) {
      storeShadow(
        e,
        copied[index] ?? constZero(shadowType(type)),
        this.#shadows.pointer(e, i.pointer, offset),
        offset === 0 ? i.align : 1,
      );
    }
    if (where !== "shared-with-host") return;
    const words = [e.cast("ptrtoint", i.pointer, I32)];
    const made = computed.reduce<IrValue>(
      (sum, shadow) => (shadow === null ? sum : e.or(sum, anyUndefined(e, shadow))),
      constBool(false),
    );
    this.#report(i, e, "computed", [i.value], made, words);
    const [shadow] = copied;
    if (copied.length !== 1 || shadow === null || shadow === undefined) return;
    // What is only copied may hold padding: noted if nothing of it is defined.
    this.#report(
      i,
      e,
      "stored",
      [i.value],
      isCopy(i.value) ? allBitsUndefined(e, shadow) : anyUndefined(e, shadow),
      words,
    );
  }

  /**
   * An atomic operation on undefined memory, or with an undefined operand, is reported, and its result counts as
   * defined.
   */
  #atomic(i: AtomicRmwInstruction | CmpxchgInstruction): void {
    if (memoryClass(i.pointer, this.#defined) === "defined") return;
    const e = this.#context.edits.after(i);
    const operand = i.op === "cmpxchg" ? i.expected : i.value;
    const type = shadowType(operand.type);
    if (i.op === "atomicrmw" && i.operator === "xchg") {
      // Its result is loaded first, if it is used.
      if (this.#shadows.canBeUndefined(i)) this.#shadows.of(i);
      return storeShadow(
        e,
        this.#shadows.of(i.value) ?? constZero(type),
        this.#shadows.pointer(e, i.pointer),
        storeSize(operand.type),
      );
    }
    const [before] = this.#shadows.load(e, operand.type, i.pointer, storeSize(operand.type)) as [IrValue];
    const load = this.#loadSite(i, e, i.pointer, storeSize(operand.type), anyUndefined(e, before));
    const shadow = this.#shadows.of(operand);
    const bad = anyUndefined(e, shadow === null ? before : e.or(before, shadow));
    const loads: Site[] = [load];
    this.#unresolved.push({ loads, values: [operand] });
    this.#context.check(
      this.#context.site<UseDetail>(i, { role: "use", use: "atomic", loads, unset: this.#hasUnset(operand), bytes: 0 }),
      bad,
      [],
    );
    let after: IrValue = constZero(type);
    if (i.op === "cmpxchg") {
      const desired = this.#shadows.of(i.desired);
      if (desired !== null) after = e.select(e.extractValue(i, [1], I1), desired, after);
    }
    storeShadow(e, after, this.#shadows.pointer(e, i.pointer), storeSize(operand.type));
  }

  #call(i: CallInstruction): void {
    const { callee, args } = i;
    if (callee.kind !== "function") return;
    const { name } = callee;
    const [first, second, third] = args as [IrValue, IrValue, IrValue];
    const e = (): Emitter => this.#context.edits.after(i);
    if (isLoadIntrinsic(i)) return this.#load(i, first);
    const facts = calledIntrinsic(i);
    const range = facts?.memoryRange ?? null;
    if (range === "memset") {
      if (memoryClass(first, this.#defined) !== "defined")
        this.#fill(e(), first, third, this.#shadows.of(second) ?? constI8(DEFINED), i.argAlign?.[0] ?? 1);
      return;
    }
    if (range !== null) return this.#copy(e(), i, first, second, third);
    if (facts?.operation === "lifetime.start") {
      const pointer = args.find(({ type }) => type.kind === "ptr") as IrValue;
      const [alloca] = originsOf(pointer);
      if (alloca?.kind === "instruction" && alloca.op === "alloca" && alloca.count === null)
        this.#fill(e(), alloca, constI32(sizeOf(alloca.allocatedType)), constI8(UNDEFINED), alloca.align);
      return;
    }
    if (name === "malloc") {
      const after = e();
      const bytes = after.select(
        after.icmp("eq", after.cast("ptrtoint", i, I32), 0),
        constI32(0),
        after.zextOrTrunc(first, I32),
      );
      return this.#fill(after, i, bytes, constI8(UNDEFINED), 16);
    }
    if (isPrint(name)) return this.#print(i, second);
    const copy = facts?.asyncCopy ?? null;
    if (copy !== null) {
      const bytes = constI32(copy.bytes);
      if (copy.isPartial) this.#fill(e(), first, bytes, constI8(DEFINED), copy.bytes);
      this.#copy(e(), i, first, second, copy.isPartial ? third : bytes);
    }
  }

  #copy(e: Emitter, i: CallInstruction, destination: IrValue, source: IrValue, bytes: IrValue): void {
    if (memoryClass(destination, this.#defined) === "defined") return;
    const align = i.argAlign?.[0] ?? 1;
    if (memoryClass(source, this.#defined) === "defined")
      return this.#fill(e, destination, bytes, constI8(DEFINED), align);
    const size = e.zextOrTrunc(bytes, I32);
    const operation = calledIntrinsic(i)?.memoryRange ?? "memcpy";
    const copy = declareFunction(e.module, `llvm.${operation}.p1.p1.i32`, VOID, [ptrType(1), ptrType(1), I32, I1]);
    const call = newCall(e, "", copy, [
      this.#shadows.pointer(e, destination),
      this.#shadows.pointer(e, source),
      size,
      constBool(false),
    ]);
    call.argAlign = [align, i.argAlign?.[1] ?? 1, null, null];
    e.append(call);
  }

  #fill(e: Emitter, start: IrValue, bytes: IrValue, value: IrValue, align: number): void {
    fillShadow(e, this.#shadows.pointer(e, start), bytes, value, align);
  }

  /** A local array is undefined where its life begins. */
  #allocate(i: IrInstruction & { op: "alloca" }): void {
    if (this.#hasLifetime(i)) return;
    const e = this.#context.edits.after(i);
    const size = sizeOf(i.allocatedType);
    const bytes = i.count === null ? constI32(size) : e.mul(e.zextOrTrunc(i.count, I32), constI32(size));
    this.#fill(e, i, bytes, constI8(UNDEFINED), i.align);
  }

  #hasLifetime(alloca: IrInstruction): boolean {
    return this.#context.function.blocks.some(({ instructions }) =>
      instructions.some(
        (i) =>
          i.op === "call" &&
          calledIntrinsic(i)?.operation === "lifetime.start" &&
          i.args.some((arg) => arg.type.kind === "ptr" && originsOf(arg).has(alloca)),
      ),
    );
  }

  /** What is printed was stored side by side in a struct of its own. */
  #print(i: CallInstruction, buffer: IrValue): void {
    const [alloca, ...others] = originsOf(buffer);
    if (alloca?.kind !== "instruction" || alloca.op !== "alloca" || others.length > 0) return;
    const e = this.#context.edits.before(i);
    const shadows = leavesOf(alloca.allocatedType).flatMap((leaf) =>
      this.#shadows.load(e, leaf.type, e.offset(alloca, leaf.offset), 1),
    );
    const bad = shadows.reduce<IrValue>((sum, shadow) => e.or(sum, anyUndefined(e, shadow)), constBool(false));
    this.#report(i, e, "printed", this.#sinks.printed(alloca), bad, []);
  }
}

/** `shadow` without the bits that are set in `less`. */
function without(e: Emitter, shadow: Shadow, less: Shadow): Shadow {
  if (shadow === null || shadow === less) return null;
  return less === null ? shadow : e.and(shadow, e.xor(less, allUndefined(less.type)));
}

/** Whether a value is what a load gave, as it is. */
function isCopy(value: IrValue, seen: Set<IrValue> = new Set()): boolean {
  if (value.kind !== "instruction" || seen.has(value))
    return value.kind === "instruction" || value.kind === "const-undef";
  seen.add(value);
  switch (value.op) {
    case "load":
      return true;
    case "cast":
      return value.operator === "bitcast" && isCopy(value.operand, seen);
    case "phi":
      return value.incoming.every((one) => isCopy(one.value, seen));
    case "select":
      return isCopy(value.then, seen) && isCopy(value.else, seen);
    case "call":
      return isLoadIntrinsic(value);
    default:
      return false;
  }
}
