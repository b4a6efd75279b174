/**
 * Which memory outside of its blocks a kernel can read and write, and whether a repeated launch does the same again.
 *
 * Lattice: for each pointer, the set of its roots: kernel parameters, pointer fields of struct parameters, module
 * variables; joined by union, to a fixpoint over the kernel and all that it calls (all callers of a function together).
 * How pointers derive from one another is pointer-origins.ts's; this analysis adds calls, and fields of structs. Shared
 * memory and the threads' own stack belong to the launch and do not count. A pointer that was loaded from memory or
 * made of an integer has an unknown root: the kernel may then read and write anything.
 *
 * One assumption, CUDA's own: an access through a pointer stays in the allocation that the pointer belongs to.
 *
 * Used by: launch-reuse.ts of the emulated device; mirrored-memory.ts of the runtime, which copies what a launch may
 * touch.
 *
 * "Repeatable" means that memory after the launch follows from its arguments and what it reads: no printf, clock,
 * device heap, no scheduling-dependent registers, no volatile access and nothing that we do not know outside of shared
 * memory. Global atomics count as a read and a write of their root.
 */
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { constantGepOffset } from "../../ir/model/gep.ts";
import { TOOL_PREFIX } from "../../machine/observer.ts";
import { asmEffect, calleeEffect } from "./callee-effects.ts";
import { derivationOf, type Derivation, type GepStep } from "./pointer-origins.ts";

/** Where a pointer comes from. */
export type RegionRoot =
  /** A pointer in the parameter buffer: the whole parameter (offset 0) or a field of a struct parameter. */
  | { readonly kind: "param"; readonly index: number; readonly offset: number }
  | { readonly kind: "global"; readonly name: string };

export interface RegionAccess {
  readonly root: RegionRoot;
  readonly read: boolean;
  readonly write: boolean;
}

export interface AccessSummary {
  /** null: the kernel may read and write anything. */
  readonly regions: readonly RegionAccess[] | null;
  /** null: repeatable. Otherwise the first reason why not, in words. */
  readonly obstacle: string | null;
}

/**
 * "launch": memory that dies with the launch. "byval+n": the parameter buffer itself, n bytes into parameter `index`.
 */
type Root = string;
const UNKNOWN: Root = "unknown";
const LAUNCH: Root = "launch";

const SHARED = 3;
const LOCAL = 5;

export function summarizeAccesses(kernel: IrFunction): AccessSummary {
  return new Summarizer(kernel).run();
}

class Summarizer {
  readonly #kernel: IrFunction;
  readonly #functions = new Set<IrFunction>();
  readonly #roots = new Map<IrValue, Set<Root>>();
  readonly #returned = new Map<IrFunction, Set<Root>>();
  readonly #regions = new Map<Root, { read: boolean; write: boolean }>();
  #changed = true;
  #obstacle: string | null = null;
  #unknown = false;

  constructor(kernel: IrFunction) {
    this.#kernel = kernel;
  }

  run(): AccessSummary {
    this.#reach(this.#kernel);
    for (const param of this.#kernel.params) {
      if (param.byval !== null) this.#add(param, [`byval:${param.index}:0`]);
      else if (param.type.kind === "ptr") this.#add(param, [`param:${param.index}:0`]);
    }
    while (this.#changed) {
      this.#changed = false;
      for (const f of this.#functions)
        for (const block of f.blocks) for (const i of block.instructions) this.#trace(i, f);
    }
    for (const f of this.#functions) for (const block of f.blocks) for (const i of block.instructions) this.#access(i);
    return {
      regions: this.#unknown
        ? null
        : [...this.#regions].map(([root, access]) => ({ root: regionRoot(root), ...access })),
      obstacle: this.#obstacle,
    };
  }

  #reach(f: IrFunction): void {
    if (this.#functions.has(f)) return;
    this.#functions.add(f);
    for (const block of f.blocks) {
      for (const i of block.instructions) {
        if (i.op !== "call") continue;
        if (isToolCall(i)) continue;
        if (i.callee.kind === "function" && i.callee.blocks.length > 0) this.#reach(i.callee);
        else if (i.callee.kind !== "function" && i.callee.kind !== "inline-asm") {
          this.#unknown = true;
          this.#cannotRepeat("it calls through a function pointer");
        }
      }
    }
  }

  #cannotRepeat(reason: string): void {
    this.#obstacle ??= reason;
  }

  #add(value: IrValue, roots: Iterable<Root>): void {
    let known = this.#roots.get(value);
    if (known === undefined) this.#roots.set(value, (known = new Set()));
    for (const root of roots) {
      if (known.has(root)) continue;
      known.add(root);
      this.#changed = true;
    }
  }

  /** Roots of an operand, as far as known by now. */
  #of(value: IrValue): Iterable<Root> {
    switch (value.kind) {
      case "instruction":
      case "param":
        return this.#roots.get(value) ?? [];
      case "global": {
        const space = value.type.addressSpace;
        if (value.name.startsWith(TOOL_PREFIX)) return [LAUNCH];
        // String literals have no name outside and cannot change. __constant__ variables are "constant", too, but the
        // host writes them.
        return [
          space === SHARED || space === LOCAL || (value.isConstant && value.linkage === "private")
            ? LAUNCH
            : `global:${value.name}`,
        ];
      }
      case "const-expr": {
        const made = derivationOf(value);
        return made?.kind === "offset" || made?.kind === "copy" ? this.#of(made.from) : [UNKNOWN];
      }
      case "const-null":
      case "const-undef":
      case "const-zero":
        return [];
      default:
        return [UNKNOWN];
    }
  }

  /** Propagates roots through one instruction. */
  #trace(i: IrInstruction, f: IrFunction): void {
    switch (i.op) {
      case "alloca":
        this.#add(i, [LAUNCH]);
        return;
      case "load":
        if (i.type.kind === "ptr") this.#add(i, loadedRoots(this.#of(i.pointer)));
        else if (!isPlain(i)) this.#add(i, [UNKNOWN]);
        return;
      case "ret":
        if (i.value !== null) this.#traceReturn(i.value, f);
        return;
      case "call":
        this.#traceCall(i);
        return;
      default: {
        const made = i.type.kind === "ptr" ? derivationOf(i) : null;
        if (made !== null) this.#traceDerivation(i, made);
        // Values of every other instruction that are pointers, or hold some, come from who knows where.
        else if (!isPlain(i)) this.#add(i, [UNKNOWN]);
      }
    }
  }

  #traceDerivation(i: IrInstruction, made: Derivation): void {
    switch (made.kind) {
      case "offset":
        this.#add(i, offsetRoots(this.#of(made.from), made.gep));
        return;
      case "copy":
      case "intrinsic":
        this.#add(i, this.#of(made.from));
        return;
      case "merge":
        for (const value of made.from) this.#add(i, this.#of(value));
        return;
      case "integer":
        this.#add(i, [UNKNOWN]);
    }
  }

  #traceReturn(value: IrValue, f: IrFunction): void {
    let known = this.#returned.get(f);
    if (known === undefined) this.#returned.set(f, (known = new Set()));
    const before = known.size;
    for (const root of this.#of(value)) known.add(root);
    if (known.size !== before) this.#changed = true;
  }

  #traceCall(i: CallInstruction): void {
    const callee = i.callee;
    if (callee.kind === "function" && callee.blocks.length > 0) {
      callee.params.forEach((param, index) => {
        const argument = i.args[index];
        if (argument === undefined) return;
        // A by-value struct argument is a copy on the callee's own stack: pointers in it are loaded from memory.
        if (param.byval !== null) this.#add(param, [LAUNCH]);
        else if (param.type.kind === "ptr") this.#add(param, this.#of(argument));
      });
      if (i.type.kind === "ptr") this.#add(i, this.#returned.get(callee) ?? []);
      else if (!isPlain(i)) this.#add(i, [UNKNOWN]);
      return;
    }
    const made = i.type.kind === "ptr" ? derivationOf(i) : null;
    if (made !== null) this.#traceDerivation(i, made);
    else if (!isPlain(i)) this.#add(i, [UNKNOWN]);
  }

  /** Notes what one instruction reads and writes. */
  #access(i: IrInstruction): void {
    switch (i.op) {
      case "load":
        this.#note(i.pointer, true, false);
        if ((i.volatile || i.ordering !== null) && !this.#isLaunchOnly(i.pointer))
          this.#cannotRepeat("it reads volatile or atomic memory");
        return;
      case "store":
        this.#note(i.pointer, false, true);
        if ((i.volatile || i.ordering !== null) && !this.#isLaunchOnly(i.pointer))
          this.#cannotRepeat("it writes volatile or atomic memory");
        return;
      case "atomicrmw":
      case "cmpxchg":
        this.#note(i.pointer, true, true);
        return;
      case "va_arg":
        this.#unknown = true;
        this.#cannotRepeat("it has variable arguments");
        return;
      case "call":
        this.#accessCall(i);
        return;
      default:
    }
  }

  #accessCall(i: CallInstruction): void {
    if (isToolCall(i)) return;
    const callee = i.callee;
    if (callee.kind === "inline-asm") {
      const effect = asmEffect(callee.template);
      if (effect === null) return;
      this.#unknown = true;
      this.#cannotRepeat(effect);
      return;
    }
    if (callee.kind !== "function") return;
    if (callee.blocks.length > 0) {
      i.args.forEach((argument, index) => {
        if (callee.params[index]?.byval) this.#note(argument, true, false);
      });
      return;
    }
    const effect = calleeEffect(callee.name);
    switch (effect.kind) {
      case "none":
      case "cast":
        return;
      case "no-memory":
        if (i.args.some((argument) => argument.type.kind === "ptr")) {
          this.#unknown = true;
          this.#cannotRepeat(`it calls ${callee.name}`);
        }
        return;
      case "access":
        for (const index of effect.reads) this.#note(i.args[index], true, false);
        for (const index of effect.writes) this.#note(i.args[index], false, true);
        return;
      case "obstacle":
        this.#cannotRepeat(effect.reason);
        if (effect.touchesMemory) this.#unknown = true;
        return;
    }
  }

  #isLaunchOnly(pointer: IrValue): boolean {
    return [...this.#of(pointer)].every((root) => root === LAUNCH);
  }

  #note(pointer: IrValue | undefined, read: boolean, write: boolean): void {
    if (pointer === undefined) return;
    for (const root of this.#of(pointer)) {
      if (root === LAUNCH) continue;
      if (root.startsWith("byval:")) {
        if (!write) continue;
        // The pointers in a struct parameter are no longer those of the launch.
        this.#unknown = true;
        this.#cannotRepeat("it changes a struct parameter in place");
        continue;
      }
      if (root === UNKNOWN) {
        this.#unknown = true;
        this.#cannotRepeat("it follows pointers that are stored in memory or made from integers");
        continue;
      }
      const access = this.#regions.get(root);
      if (access === undefined) this.#regions.set(root, { read, write });
      else {
        access.read ||= read;
        access.write ||= write;
      }
    }
  }
}

/** What a tool does beside the program is none of the program's effects (machine/observer.ts). */
function isToolCall({ callee }: CallInstruction): boolean {
  return callee.kind === "function" && callee.name.startsWith(TOOL_PREFIX);
}

/** Whether a value is a number: it can then only become a pointer through inttoptr. */
function isPlain(i: IrInstruction): boolean {
  const type = i.type.kind === "vector" ? i.type.element : i.type;
  return type.kind === "int" || type.kind === "float" || type.kind === "void";
}

/** Inside the parameter buffer the offset matters: it says which field a pointer is loaded from. */
function* offsetRoots(roots: Iterable<Root>, gep: GepStep): Generator<Root, void, undefined> {
  for (const root of roots) {
    if (!root.startsWith("byval:")) yield root;
    else {
      const offset = constantGepOffset(gep);
      const [, index, base] = root.split(":") as [string, string, string];
      // A field found at run time, or a loop over fields: the pointers in it are unknown, the parameter buffer itself
      // is not.
      const field = Number(base) + (offset ?? NaN); // NaN where unknown
      yield !(field >= 0 && field <= 4096) ? `byval:${index}:?` : `byval:${index}:${field}`;
    }
  }
}

function* loadedRoots(roots: Iterable<Root>): Generator<Root, void, undefined> {
  for (const root of roots) {
    if (root.startsWith("byval:") && !root.endsWith("?")) yield root.replace("byval", "param");
    else yield UNKNOWN;
  }
}

function regionRoot(root: Root): RegionRoot {
  const [kind, name, offset] = root.split(":") as [string, string, string | undefined];
  return kind === "param"
    ? { kind: "param", index: Number(name), offset: Number(offset) }
    : { kind: "global", name: root.slice("global:".length) };
}
