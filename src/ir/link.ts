/**
 * Joins translation units into one module and adds what they need of the device library.
 *
 * Needs: valid modules. Afterwards: one module without aliases, in which every symbol is there once. Internal symbols
 * that clash are renamed apart (`name.1`); of several linkonce/weak definitions, and of several instances of a kernel's
 * template, the first stays; a definition serves the declarations of the others. From the library come copies of only
 * those functions that are called, transitively, and of the globals they use. The units are consumed: their functions
 * and globals become part of the result.
 */
import { isLlvmName } from "./intrinsics/name-fields.ts";
import { HeddleError, bug } from "../base/diagnostics.ts";
import type { IrConstant, IrFunction, IrGlobal, IrModule, IrValue } from "./model/ir.ts";
import { forEachOperand, mapOperands } from "./model/operands.ts";
import type { LazyModule } from "./text/parse.ts";
import { sameType } from "./model/types.ts";
import { newModule } from "./model/build-module.ts";
import { cloneFunction } from "./model/clone.ts";
import { constantMapper, forEachSymbol } from "./model/constant-symbols.ts";

type Symbol_ = IrFunction | IrGlobal;

/**
 * Throws HeddleError("link-error") where two units define the same symbol. Symbols that nobody defines stay
 * declarations: whether that is an error, the loader knows.
 *
 * @param alsoFromLibrary functions of the library that nobody calls yet and that shall be there.
 */
export function linkModules(
  units: readonly IrModule[],
  library: LazyModule | null,
  alsoFromLibrary: readonly string[] = [],
): IrModule {
  const first = units[0];
  if (first === undefined) return newModule("empty");
  const linker = new Linker(first);
  for (const unit of units) linker.addUnit(unit);
  if (library !== null) linker.addLibrary(library, alsoFromLibrary);
  linker.finish();
  return linker.module;
}

class Linker {
  readonly module: IrModule;
  /** What stands for a symbol that another definition replaced. */
  readonly #replaced = new Map<Symbol_, Symbol_>();
  readonly #taken = new Set<string>();

  constructor(first: IrModule) {
    this.module = { ...first, structTypes: new Map(), globals: new Map(), functions: new Map(), aliases: new Map() };
  }

  addUnit(unit: IrModule): void {
    this.#addTypes(unit);
    for (const symbol of [...unit.globals.values(), ...unit.functions.values()]) this.#add(symbol, unit);
    for (const [name, target] of unit.aliases)
      if (!this.module.aliases.has(name)) this.module.aliases.set(name, target);
  }

  /** Types with one name and different bodies get a suffix; types of the program's units are renamed in place. */
  #addTypes(unit: IrModule): void {
    for (const type of unit.structTypes.values()) {
      let name = type.name as string;
      const known = this.module.structTypes.get(name);
      if (known !== undefined && !sameType(known, type)) {
        for (let n = 1; this.module.structTypes.has(name); n++) name = `${type.name}.${n}`;
        Object.assign(type, { name });
      }
      if (!this.module.structTypes.has(name)) this.module.structTypes.set(name, type);
    }
  }

  #add(symbol: Symbol_, unit: IrModule): void {
    // llvm.used and the like: nothing for us
    if (symbol.linkage === "appending" && isLlvmName(symbol.name)) return;
    const known = this.#find(symbol.name);
    if (known === null) return this.#insert(symbol);
    if (isLocal(symbol) || isLocal(known)) {
      // One of the two is nobody else's business and gets another name.
      const [mover, stays] = isLocal(symbol) ? [symbol, known] : [known, symbol];
      if (mover === known) this.#remove(known);
      if (stays === symbol) this.#insert(symbol);
      this.#rename(mover);
      return this.#insert(mover);
    }
    if (known.kind !== symbol.kind) throw clash(symbol, "is a function in one file and a variable in another", unit);
    if (!isDefined(symbol)) return void this.#replaced.set(symbol, known);
    if (!isDefined(known) || (isWeak(known) && !isWeak(symbol))) {
      this.#remove(known);
      this.#replaced.set(known, symbol);
      return this.#insert(symbol);
    }
    if (!isWeak(symbol) && !isKernelOfTemplate(symbol)) throw clash(symbol, "is defined more than once", unit);
    this.#replaced.set(symbol, known);
  }

  #find(name: string): Symbol_ | null {
    return this.module.functions.get(name) ?? this.module.globals.get(name) ?? null;
  }

  #insert(symbol: Symbol_): void {
    this.#taken.add(symbol.name);
    if (symbol.kind === "function") this.module.functions.set(symbol.name, symbol);
    else this.module.globals.set(symbol.name, symbol);
  }

  #remove(symbol: Symbol_): void {
    if (symbol.kind === "function") this.module.functions.delete(symbol.name);
    else this.module.globals.delete(symbol.name);
  }

  #rename(symbol: Symbol_): void {
    for (let n = 1; ; n++) {
      const name = `${symbol.name}.${n}`;
      if (this.#taken.has(name)) continue;
      symbol.name = name;
      return;
    }
  }

  // ---------------------------------------------------------------- library

  /**
   * Brings in, for every symbol that is declared and not defined, a copy of the library's, and what that needs in turn.
   * The library itself stays as it is: it serves other programs, too.
   */
  addLibrary(library: LazyModule, also: readonly string[]): void {
    const { module: source } = library;
    const provides = (symbol: Symbol_): boolean =>
      symbol.kind === "function" ? library.hasBody(symbol.name) : symbol.initializer !== null;
    const copies = new Map<Symbol_, Symbol_>();
    const work: Symbol_[] = [];
    const want = (symbol: Symbol_): void => {
      if (copies.has(symbol)) return;
      const known = this.#find(symbol.name);
      const shared = !isLocal(symbol) && known !== null && !isLocal(known);
      if (shared && (isDefined(known) || !provides(symbol))) {
        // The program's own definition, or an intrinsic that both declare, serves the library, too.
        copies.set(symbol, known);
        this.#replaced.set(symbol, known);
        return;
      }
      if (symbol.kind === "function" && provides(symbol)) library.materialize(symbol.name);
      const copy = symbol.kind === "function" ? cloneFunction(symbol) : { ...symbol };
      copies.set(symbol, copy);
      this.#replaced.set(symbol, copy);
      if (shared) {
        this.#remove(known);
        this.#replaced.set(known, copy);
      } else if (known !== null && isLocal(known)) {
        this.#remove(known);
        this.#rename(known);
        this.#insert(known);
      } else if (known !== null) this.#rename(copy);
      this.#insert(copy);
      work.push(copy);
    };
    for (const symbol of [...this.module.functions.values(), ...this.module.globals.values()]) {
      const provided = symbol.kind === "function" ? source.functions.get(symbol.name) : source.globals.get(symbol.name);
      if (provided !== undefined && !isDefined(symbol) && !isLocal(provided) && provides(provided)) want(provided);
    }
    for (const name of also) {
      const provided = source.functions.get(name);
      if (provided === undefined || !provides(provided)) bug(`the device library has no ${name}`);
      want(provided);
    }
    for (let copy = work.pop(); copy !== undefined; copy = work.pop()) {
      if (copy.kind === "global") {
        if (copy.initializer !== null) forEachSymbol(copy.initializer, want);
        continue;
      }
      for (const block of copy.blocks) {
        for (const instruction of block.instructions)
          forEachOperand(instruction, (value) => {
            if (isConstantLike(value)) forEachSymbol(value, want);
          });
      }
    }
    if (copies.size > 0) this.#addTypes(source);
  }

  /** Points every use of a replaced symbol at what replaced it. */
  finish(): void {
    if (this.#replaced.size > 0) {
      const map = constantMapper((symbol) => {
        let current = symbol;
        for (let next = this.#replaced.get(current); next !== undefined; next = this.#replaced.get(current))
          current = next;
        return current;
      });
      for (const global of this.module.globals.values())
        if (global.initializer !== null) global.initializer = map(global.initializer);
      for (const [name, target] of this.module.aliases) this.module.aliases.set(name, map(target));
      for (const fn of this.module.functions.values()) {
        for (const block of fn.blocks)
          for (const instruction of block.instructions)
            mapOperands(instruction, (value) => (isConstantLike(value) ? map(value) : value));
      }
    }
    this.#resolveAliases();
  }

  /** A declaration that an alias of another unit defines becomes what the alias names. */
  #resolveAliases(): void {
    for (const [name, target] of this.module.aliases) {
      const known = this.#find(name);
      if (
        known === null ||
        isDefined(known) ||
        (target.kind !== "function" && target.kind !== "global") ||
        !sameType(known.type, target.type)
      )
        continue;
      this.#remove(known);
      const map = constantMapper((symbol) => (symbol === known ? target : symbol));
      for (const fn of this.module.functions.values()) {
        for (const block of fn.blocks)
          for (const instruction of block.instructions)
            mapOperands(instruction, (value) => (isConstantLike(value) ? map(value) : value));
      }
      for (const global of this.module.globals.values())
        if (global.initializer !== null) global.initializer = map(global.initializer);
    }
  }
}

function isLocal(symbol: Symbol_): boolean {
  return symbol.linkage === "internal" || symbol.linkage === "private";
}
/**
 * Every unit that launches `fill<int>` has an instance of it, which C++ takes for one ([basic.def.odr]); Clang makes
 * those of kernels strong. A function's name in the Itanium ABI is a template's where arguments (I…E) follow its last
 * part: _Z4fillIiEvPT_i, _ZN2ns4fillIiEEvPT_i.
 */
function isKernelOfTemplate(symbol: Symbol_): boolean {
  if (symbol.kind !== "function" || !symbol.isKernel) return false;
  let rest = /^_ZN?(.*)$/.exec(symbol.name)?.[1] ?? "";
  for (let part = /^(\d+)(.*)$/.exec(rest); part !== null; part = /^(\d+)(.*)$/.exec(rest))
    rest = (part[2] as string).slice(Number(part[1]));
  return rest.startsWith("I");
}

function isWeak(symbol: Symbol_): boolean {
  return (
    symbol.linkage.startsWith("linkonce") ||
    symbol.linkage.startsWith("weak") ||
    symbol.linkage === "common" ||
    symbol.linkage === "available_externally"
  );
}

function isDefined(symbol: Symbol_): boolean {
  if (symbol.kind === "function") return symbol.blocks.length > 0;
  // `extern __shared__ x[]` needs no definition: all units mean the block's dynamic shared memory.
  return symbol.initializer !== null;
}

function clash(symbol: Symbol_, what: string, unit: IrModule): HeddleError {
  return new HeddleError("link-error", `the device symbol ${symbol.name} ${what} (${unit.sourceFile})`);
}

function isConstantLike(value: IrValue): value is IrConstant {
  return (
    value.kind === "function" ||
    value.kind === "global" ||
    value.kind === "const-expr" ||
    value.kind === "const-aggregate"
  );
}
