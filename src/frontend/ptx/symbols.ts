/** The module's variables and functions, and what their first values are (PTX ISA 8.5, 5.4 and 5.1). */
import { constFloatBits, constInt, constZero, NO_ATTRIBUTES } from "../../ir/model/build.ts";
import { newFunction } from "../../ir/model/build-module.ts";
import { float64FromBits } from "../../base/float-bits.ts";
import { constFloat } from "../../ir/model/build.ts";
import { arrayType, functionType, I32, I8, intType, PTR, ptrType, VOID } from "../../ir/model/types.ts";
import type { IrConstant, IrFunction, IrGlobal, IrModule, IrType } from "../../ir/model/ir.ts";
import { WIDE_PRINTF } from "../../ir/intrinsics/print-functions.ts";
import { ptxType } from "../../ir/inline-ptx/emit.ts";
import type { PtxFunction, PtxInitializer, PtxModuleSyntax, PtxSignature, PtxVariable } from "./syntax.ts";
import type { PtxText } from "./tokens.ts";

const ADDRESS_SPACES = { global: 1, shared: 3, const: 4, local: 5, param: 0 } as const;

/** Functions of the device library, as it has them: pointers and sizes of 32 bits. */
const LIBRARY: Readonly<Record<string, { readonly result: IrType; readonly params: readonly IrType[] }>> = {
  vprintf: { result: I32, params: [PTR, PTR] },
  malloc: { result: PTR, params: [I32] },
  free: { result: VOID, params: [PTR] },
  __assertfail: { result: VOID, params: [PTR, PTR, I32, PTR, I32] },
};

export class Symbols {
  readonly module: IrModule;
  readonly #text: PtxText;
  readonly #addressBits: 32 | 64;
  readonly #variables: Map<string, IrGlobal> = new Map();
  readonly #functions: Map<string, { readonly fn: IrFunction; readonly signature: PtxSignature }> = new Map();
  readonly #aliases: ReadonlyMap<string, string>;

  constructor(module: IrModule, text: PtxText, syntax: PtxModuleSyntax) {
    this.module = module;
    this.#text = text;
    this.#addressBits = syntax.addressBits;
    this.#aliases = syntax.aliases;
    // Values may be addresses of what comes later.
    const made = syntax.variables.map((variable) => [variable, this.#declare(variable, variable.name)] as const);
    for (const fn of syntax.functions) this.#declareFunction(fn);
    for (const [variable, global] of made) this.#initialize(variable, global);
  }

  /** A variable of a function that outlives its calls. */
  addLocal(variable: PtxVariable, functionName: string): IrGlobal {
    const taken = this.#variables.has(variable.name) || this.#functions.has(variable.name);
    const global = this.#declare(variable, taken ? `${functionName}.${variable.name}` : variable.name);
    this.#initialize(variable, global);
    return global;
  }

  /** As a generic pointer. */
  address(name: string): IrConstant | null {
    const global = this.#variables.get(name);
    if (global !== undefined) return genericAddress(global);
    return this.function(name)?.fn ?? null;
  }

  function(name: string): { readonly fn: IrFunction; readonly signature: PtxSignature } | null {
    return this.#functions.get(name) ?? this.#functions.get(this.#aliases.get(name) ?? "") ?? null;
  }

  #declare(variable: PtxVariable, name: string): IrGlobal {
    const { space, type, length, align, linkage } = variable;
    const known = this.#variables.get(name);
    if (known !== undefined) {
      // An external declaration may come before the definition.
      if (linkage === "extern" || known.linkage === "external-declaration") this.#variables.delete(name);
      else throw this.#text.error(variable.at, `duplicate definition of '${name}'`);
    }
    const scalar = scalarType(type);
    const global: IrGlobal = {
      kind: "global",
      name,
      type: ptrType(ADDRESS_SPACES[space]),
      valueType: length === null ? scalar : arrayType(scalar, length),
      isConstant: space === "const",
      align: Math.max(align ?? 0, (ptxType(type)?.bits ?? 8) / 8),
      initializer: null,
      linkage: linkage === "extern" ? "external-declaration" : linkage,
    };
    this.#variables.set(name, global);
    this.module.globals.set(name, global);
    return global;
  }

  #initialize(variable: PtxVariable, global: IrGlobal): void {
    const { linkage, space, initializer } = variable;
    if (space === "shared" || linkage === "extern") {
      if (initializer !== null) throw this.#text.error(variable.at, `'${variable.name}' cannot have a first value`);
      global.linkage = linkage === "extern" ? "external" : "internal";
      return;
    }
    global.linkage = linkage === "internal" || linkage === "weak" ? linkage : "external";
    if (initializer === null) {
      global.initializer = constZero(global.valueType);
      return;
    }
    global.initializer = this.#value(variable, initializer, global.valueType);
  }

  #value(variable: PtxVariable, initializer: PtxInitializer, type: IrType): IrConstant {
    if (type.kind === "array") {
      if (initializer.kind !== "list")
        throw this.#text.error(variable.at, `the value of '${variable.name}' is no list`);
      return this.#array(variable, initializer.elements, type.element, type.length);
    }
    const [only, second] = initializer.kind === "list" ? initializer.elements : [initializer];
    if (only === undefined || second !== undefined)
      throw this.#text.error(variable.at, `the value of '${variable.name}' is a list`);
    return this.#scalar(variable, only, type);
  }

  #array(variable: PtxVariable, elements: readonly PtxInitializer[], element: IrType, length: number): IrConstant {
    const type = arrayType(element, length);
    if (elements.length > length)
      throw this.#text.error(variable.at, `'${variable.name}' has ${length} elements, and ${elements.length} values`);
    if (element.kind === "int" && element.bits === 8 && elements.every(({ kind }) => kind === "int")) {
      const bytes = new Uint8Array(length);
      elements.forEach((e, i) => (bytes[i] = e.kind === "int" ? Number(BigInt.asUintN(8, e.value)) : 0));
      return { kind: "const-bytes", type, bytes };
    }
    // An address in bytes, one mask for each: in words.
    const hasBytes = elements.some((e) => e.kind === "address" && e.byte !== null);
    if (hasBytes) return this.#bytesOfAddresses(variable, elements, length);
    const given = elements.map((e) => this.#scalar(variable, e, element));
    while (given.length < length) given.push(constZero(element));
    return { kind: "const-aggregate", type, elements: given };
  }

  /** {0xff(x), 0xff00(x), …}: each address must be whole. */
  #bytesOfAddresses(variable: PtxVariable, elements: readonly PtxInitializer[], length: number): IrConstant {
    const size = this.#addressBits / 8;
    const parts: IrConstant[] = [];
    const types: IrType[] = [];
    for (let i = 0; i < length;) {
      const element = elements[i];
      if (element?.kind === "address") {
        const rest = elements.slice(i, i + size);
        if (
          !rest.every((e, k) => e.kind === "address" && e.name === element.name && e.byte === k) ||
          rest.length < size
        )
          throw this.#text.unsupported(variable.at, `a part of the address of '${element.name}' as a value`);
        const type = intType(this.#addressBits);
        parts.push(this.#scalar(variable, { ...element, byte: null }, type));
        types.push(type);
        i += size;
        continue;
      }
      parts.push(constInt(I8, element?.kind === "int" ? element.value : 0n));
      types.push(I8);
      i++;
    }
    const type: IrType = { kind: "struct", name: null, elements: types, packed: true };
    const global = this.#variables.get(variable.name);
    if (global !== undefined) global.valueType = type;
    return { kind: "const-aggregate", type, elements: parts };
  }

  #scalar(variable: PtxVariable, initializer: PtxInitializer, type: IrType): IrConstant {
    const wrong = (): never => {
      throw this.#text.error(variable.at, `the value of '${variable.name}' does not fit its type`);
    };
    switch (initializer.kind) {
      case "int":
        if (type.kind === "int") return constInt(type, initializer.value);
        return type.kind === "float" ? constFloat(type, Number(initializer.value)) : wrong();
      case "float": {
        const { width, bits } = initializer;
        if (type.kind === "int") return constInt(type, bits);
        if (type.kind !== "float") return wrong();
        if (width === 32) return type.format === "float" ? constFloatBits(type, bits) : wrong();
        return type.format === "double" ? constFloatBits(type, bits) : constFloat(type, float64FromBits(bits));
      }
      case "address": {
        const address = this.address(initializer.name);
        if (address === null) throw this.#text.error(variable.at, `unknown name '${initializer.name}'`);
        if (type.kind !== "int" || type.bits < 32) return wrong();
        const number: IrConstant = {
          kind: "const-expr",
          type,
          instruction: { op: "cast", operator: "ptrtoint", operand: address },
        };
        if (initializer.offset === 0n) return number;
        const offset = constInt(type, initializer.offset);
        return {
          kind: "const-expr",
          type,
          instruction: { op: "binary", operator: "add", lhs: number, rhs: offset },
        };
      }
      case "list":
        return wrong();
    }
  }

  #declareFunction(syntax: PtxFunction): void {
    const known = this.#functions.get(syntax.name);
    if (known !== undefined && syntax.body !== null && known.fn.linkage === "defined")
      throw this.#text.error(syntax.at, `duplicate definition of '${syntax.name}'`);
    if (known !== undefined) {
      if (syntax.body !== null) this.#functions.set(syntax.name, { fn: known.fn, signature: syntax });
    } else {
      const fn = this.#newFunction(syntax);
      this.#functions.set(syntax.name, { fn, signature: syntax });
      this.module.functions.set(fn.name, fn);
    }
    const { fn } = this.#functions.get(syntax.name) as { fn: IrFunction };
    fn.linkage = syntax.body === null ? fn.linkage : "defined";
    fn.isKernel = syntax.isEntry;
    fn.attributes = syntax.isEntry ? attributesOf(syntax) : NO_ATTRIBUTES;
    fn.location = this.#text.location(syntax.at);
  }

  #newFunction(syntax: PtxFunction): IrFunction {
    const library = syntax.body === null ? LIBRARY[syntax.name] : undefined;
    const name =
      library !== undefined && syntax.name === "vprintf" && this.#addressBits === 64 ? WIDE_PRINTF : syntax.name;
    if (library !== undefined) return newFunction(name, functionType(library.result, library.params));
    const { type, names, byval } = convention(syntax);
    const fn = newFunction(name, type, names);
    fn.params.forEach((param, i) => {
      param.byval = byval[i]?.type ?? null;
      param.align = byval[i]?.align ?? null;
    });
    return fn;
  }
}

/** The IR type of one element. */
export function scalarType(word: string): IrType {
  const type = ptxType(word);
  if (type === null) return I32;
  return type.lanes === 2 ? I32 : type.ir;
}

export interface Convention {
  readonly type: ReturnType<typeof functionType>;
  readonly names: readonly string[];
  /** By parameter: what is passed as a whole, in memory. */
  readonly byval: readonly ({ readonly type: IrType; readonly align: number } | null)[];
  /** The first parameter is where the result goes. */
  readonly returnsInMemory: boolean;
}

/** How a function of PTX is called in IR: arrays in memory, all else as values. */
export function convention({ results, params }: PtxSignature): Convention {
  const [result] = results;
  const returnsInMemory = result?.variable.length != null;
  const types = params.map(({ variable }): IrType => (variable.length === null ? scalarType(variable.type) : PTR));
  const byval = params.map(({ variable }) =>
    variable.length === null
      ? null
      : { type: arrayType(scalarType(variable.type), variable.length), align: variable.align ?? 1 },
  );
  const value = result === undefined || returnsInMemory ? VOID : scalarType(result.variable.type);
  return {
    type: functionType(value, returnsInMemory ? [PTR, ...types] : types),
    names: [...(returnsInMemory ? [result.variable.name] : []), ...params.map(({ variable }) => variable.name)],
    byval: returnsInMemory ? [null, ...byval] : byval,
    returnsInMemory,
  };
}

export function genericAddress(global: IrGlobal): IrConstant {
  return {
    kind: "const-expr",
    type: PTR,
    instruction: { op: "cast", operator: "addrspacecast", operand: global },
  };
}

/** As Clang writes them: program/launch-bounds.ts reads them. */
function attributesOf({ directives }: PtxFunction): ReadonlySet<string> {
  const attributes = new Set<string>();
  const add = (name: string, numbers: readonly number[] | undefined): void => {
    if (numbers !== undefined && numbers.length > 0) attributes.add(`"nvvm.${name}"="${numbers.join(",")}"`);
  };
  add("maxntid", directives.get("reqntid") ?? directives.get("maxntid"));
  add("minctasm", directives.get("minnctapersm"));
  add("maxnreg", directives.get("maxnreg"));
  add("cluster_dim", directives.get("reqnctapercluster"));
  return attributes;
}
