/**
 * Replaces calls by the bodies of the functions they call.
 *
 * Needs: a valid module. Afterwards: `fn` has no direct call of a function with a body left, but those it returns:
 * recursive ones, functions that take their stack frame at run time (va_arg, dynamic alloca), mismatched signatures,
 * and what the growth limit keeps out. Calls of declarations (intrinsics) and through pointers stay. Static allocas of
 * inlined bodies move to the entry block; a struct passed by value is copied to an alloca of its own. Source locations
 * of inlined instructions say where they were inlined (`inlinedAt`). The called functions are not changed.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import {
  NO_ATTRIBUTES,
  NameSource,
  constBool,
  constI32,
  constPoison,
  newBlock,
  newBr,
  newCall,
  newInstruction,
  newPhi,
} from "../model/build.ts";
import { declareMemcpy } from "../model/build-module.ts";
import { recursiveFunctions } from "../graph/call-graph.ts";
import { renameIncoming, successors } from "../graph/cfg.ts";
import { cloneBlocks } from "../model/clone.ts";
import type {
  AllocaInstruction,
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  PointerType,
} from "../model/ir.ts";
import { alignOf, sizeOf } from "../model/layout.ts";
import { sameType } from "../model/types.ts";
import { replaceUses } from "../model/uses.ts";

export interface InlineOptions {
  /** Calls that would grow the function beyond this many instructions stay. */
  readonly maxInstructions?: number;
  /** The result of `recursiveFunctions`, where the caller has it already. */
  readonly recursive?: ReadonlySet<IrFunction>;
  /** Calls of these functions stay, and are not counted among those that do. */
  readonly keeps?: (callee: IrFunction) => boolean;
}

export interface RemainingCall {
  readonly call: CallInstruction;
  readonly reason: "recursive" | "indirect" | "stack-frame" | "signature" | "growth-limit";
}

const DEFAULT_MAX_INSTRUCTIONS = 200_000;

/** Returns the calls that stay, except those of declarations. */
export function inlineCalls(fn: IrFunction, module: IrModule, options: InlineOptions = {}): RemainingCall[] {
  const inliner = new Inliner(
    fn,
    module,
    options.recursive ?? recursiveFunctions(fn),
    options.maxInstructions ?? DEFAULT_MAX_INSTRUCTIONS,
    options.keeps ?? (() => false),
  );
  return inliner.run();
}

class Inliner {
  readonly #fn: IrFunction;
  readonly #module: IrModule;
  readonly #recursive: ReadonlySet<IrFunction>;
  readonly #limit: number;
  readonly #keeps: (callee: IrFunction) => boolean;
  readonly #names: NameSource;
  readonly #replacements = new Map<IrValue, IrValue>();
  readonly #remaining: RemainingCall[] = [];
  readonly #allocas: AllocaInstruction[] = [];
  #size: number;

  constructor(
    fn: IrFunction,
    module: IrModule,
    recursive: ReadonlySet<IrFunction>,
    limit: number,
    keeps: (callee: IrFunction) => boolean,
  ) {
    this.#fn = fn;
    this.#module = module;
    this.#recursive = recursive;
    this.#limit = limit;
    this.#keeps = keeps;
    this.#names = new NameSource(fn);
    this.#size = sizeOfFunction(fn);
  }

  run(): RemainingCall[] {
    // Blocks yet to be read, the next one last. Bodies of inlined calls are read in turn.
    const work = [...this.#fn.blocks].reverse();
    const done: IrBlock[] = [];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      done.push(block);
      const at = block.instructions.findIndex(
        (instruction) => instruction.op === "call" && this.#shouldInline(instruction),
      );
      if (at >= 0) work.push(...this.#inline(block, at).reverse());
    }
    this.#fn.blocks = done;
    const entry = done[0] as IrBlock;
    for (const alloca of this.#allocas) alloca.block = entry;
    entry.instructions.unshift(...this.#allocas);
    replaceUses(this.#fn, this.#replacements);
    return this.#remaining;
  }

  #shouldInline(call: CallInstruction): boolean {
    const { callee } = call;
    const stays = (reason: RemainingCall["reason"]): false => {
      this.#remaining.push({ call, reason });
      return false;
    };
    if (callee.kind === "inline-asm") return false;
    if (callee.kind !== "function") return stays("indirect");
    if (callee.blocks.length === 0 || this.#keeps(callee)) return false;
    if (this.#recursive.has(callee) || callee === this.#fn) return stays("recursive");
    if (!sameType(callee.functionType, call.functionType)) return stays("signature");
    if (needsOwnFrame(callee)) return stays("stack-frame");
    if (this.#size + sizeOfFunction(callee) > this.#limit) return stays("growth-limit");
    return true;
  }

  /** Returns the blocks that follow `block` now: the body, and the rest of the block. */
  #inline(block: IrBlock, at: number): IrBlock[] {
    const call = block.instructions[at] as CallInstruction;
    const callee = call.callee as IrFunction;
    this.#size += sizeOfFunction(callee);
    const rest = newBlock(this.#fn, this.#names.fresh(`${block.name}.after`));
    rest.instructions = block.instructions.slice(at + 1);
    for (const instruction of rest.instructions) instruction.block = rest;
    block.instructions = block.instructions.slice(0, at);
    for (const next of successors(rest)) renameIncoming(next, block, rest);
    const values = new Map<IrValue, IrValue>();
    callee.params.forEach((param, i) => values.set(param, this.#argument(call, i, block)));
    const cloned = cloneBlocks(callee.blocks, this.#fn, values, (name) =>
      this.#names.fresh(/^\d+$/.test(name) ? `${callee.name.slice(0, 40)}.v${name}` : name),
    );
    const entry = cloned.blocks[0] as IrBlock;
    this.#takeAllocas(entry);
    const relocate = relocator(call.location);
    const results: { value: IrValue; block: IrBlock }[] = [];
    for (const copy of cloned.blocks) {
      for (const instruction of copy.instructions) instruction.location = relocate(instruction.location);
      const last = copy.instructions.at(-1);
      if (last?.op !== "ret") continue;
      if (last.value !== null) results.push({ value: last.value, block: copy });
      copy.instructions[copy.instructions.length - 1] = newBr(last, rest);
    }
    block.instructions.push(newBr(call, entry));
    if (call.type.kind !== "void") this.#replacements.set(call, this.#result(call, results, rest));
    return [...cloned.blocks, rest];
  }

  #result(call: CallInstruction, results: { value: IrValue; block: IrBlock }[], rest: IrBlock): IrValue {
    const only = results[0];
    if (only === undefined) return constPoison(call.type);
    if (results.length === 1) return only.value;
    const phi = newPhi({ block: rest, location: call.location }, this.#names.fresh(call.name), call.type, results);
    rest.instructions.unshift(phi);
    return phi;
  }

  /** What stands for a parameter: the argument, or for a struct passed by value a copy of it. */
  #argument(call: CallInstruction, i: number, block: IrBlock): IrValue {
    const argument = call.args[i] as IrValue;
    const callee = call.callee as IrFunction;
    const type: IrType | null = callee.params[i]?.byval ?? call.byval[i] ?? null;
    if (type === null || onlyReads(callee)) return argument;
    const align = Math.max(alignOf(type), callee.params[i]?.align ?? 1);
    const alloca = newInstruction<AllocaInstruction>(
      { block, location: call.location },
      {
        op: "alloca",
        type: argument.type as PointerType,
        name: this.#names.fresh("byval"),
        allocatedType: type,
        count: null,
        align,
      },
    );
    this.#allocas.push(alloca);
    const copy = declareMemcpy(this.#module);
    block.instructions.push(
      newCall({ block, location: call.location }, "", copy, [
        alloca,
        argument,
        constI32(sizeOf(type)),
        constBool(false),
      ]),
    );
    return alloca;
  }

  #takeAllocas(entry: IrBlock): void {
    const stay: IrInstruction[] = [];
    for (const instruction of entry.instructions) {
      if (instruction.op === "alloca") this.#allocas.push(instruction);
      else stay.push(instruction);
    }
    entry.instructions = stay;
  }
}

function sizeOfFunction(fn: IrFunction): number {
  return fn.blocks.reduce((sum, block) => sum + block.instructions.length, 0);
}

/** A function that never writes cannot tell its own copy of a struct from the caller's. */
function onlyReads(fn: IrFunction): boolean {
  const attributes = fn.attributes === NO_ATTRIBUTES ? [] : [...fn.attributes];
  return attributes.some((attribute) => /^memory\((?:none|read|argmem: read)\)$/.test(attribute));
}

/** Takes variable arguments, or memory whose size or number of allocations is known only when it runs. */
function needsOwnFrame(fn: IrFunction): boolean {
  if (fn.functionType.isVarArg) return true;
  return fn.blocks.some((block, i) =>
    block.instructions.some(
      (instruction) =>
        instruction.op === "alloca" &&
        (i > 0 || (instruction.count !== null && instruction.count.kind !== "const-int")),
    ),
  );
}

/** Adds the call's place at the end of a location's inlining chain. Equal inputs give the same object. */
function relocator(callSite: SourceLocation | null): (location: SourceLocation | null) => SourceLocation | null {
  if (callSite === null) return (location) => location;
  const known = new Map<SourceLocation, SourceLocation>();
  const relocate = (location: SourceLocation): SourceLocation => {
    let result = known.get(location);
    if (result === undefined) {
      result = { ...location, inlinedAt: location.inlinedAt === undefined ? callSite : relocate(location.inlinedAt) };
      known.set(location, result);
    }
    return result;
  };
  return (location) => (location === null ? callSite : relocate(location));
}
