/**
 * The top level of a module's text: target, types, variables, aliases, functions, metadata (LangRef, "High Level
 * Structure").
 */
import { newFunction } from "../model/build-module.ts";
import type { IrConstant, IrFunction, IrGlobal, IrParam, IrType } from "../model/ir.ts";
import { alignOf, isSized } from "../model/layout.ts";
import { parseConstant, parseTypedConstant } from "./parse-constants.ts";
import { parseFunctionBody } from "./parse-function.ts";
import { Parser } from "./parser.ts";
import { bug } from "../../base/diagnostics.ts";
import { formatType, functionType } from "../model/types.ts";
import { checkNotRecursive } from "./recursive-types.ts";

const linkages: ReadonlySet<string> = new Set([
  "private",
  "internal",
  "available_externally",
  "linkonce",
  "weak",
  "common",
  "appending",
  "extern_weak",
  "linkonce_odr",
  "weak_odr",
  "external",
]);

interface Deferred {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export class ModuleReader {
  /** Offset of each body's opening brace. */
  readonly bodies: Map<string, number> = new Map();
  readonly #p: Parser;
  readonly #initializers: (Deferred & { readonly global: IrGlobal; readonly external: boolean })[] = [];
  readonly #aliases: Deferred[] = [];
  /** Attribute groups by function, resolved when all groups are known. */
  readonly #functionGroups: {
    fn: IrFunction;
    own: Set<string>;
    groups: { number: string; at: number }[];
    debug: { id: string; at: number } | null;
  }[] = [];

  constructor(p: Parser) {
    this.#p = p;
  }

  readTopLevel(): void {
    const p: Parser = this.#p;
    p.moveTo(0);
    while (!p.at("eof")) this.#topLevelEntity();
    for (const [name, at] of p.undefinedTypes) p.fail(`the type %${name} is not defined`, at);
    checkNotRecursive(p, p.module);
    for (const alias of this.#aliases) this.#readAlias(alias);
    for (const initializer of this.#initializers) this.#readInitializer(initializer);
    this.#resolveFunctions();
  }

  readBody(fn: IrFunction): void {
    const start = this.bodies.get(fn.name) ?? bug(`@${fn.name} has no body to parse`);
    this.#p.moveTo(start);
    parseFunctionBody(this.#p, fn);
  }

  #topLevelEntity(): void {
    const p: Parser = this.#p;
    switch (p.kind) {
      case "word":
        switch (p.value) {
          case "define":
          case "declare":
            return this.#function(p.value === "define");
          case "target":
            return this.#target();
          case "source_filename":
            p.next();
            p.expect("=");
            p.module.sourceFile = p.parseString();
            return;
          case "attributes":
            return this.#attributes();
          case "module":
            throw p.unsupported("module-level inline assembly");
          default:
            return p.failExpected("a definition");
        }
      case "local":
        return this.#typeDefinition();
      case "global":
        return this.#global();
      case "comdat":
        return this.#skipStatement();
      case "metadata":
        return this.#metadata();
      default:
        return p.failExpected("a definition");
    }
  }

  #skipStatement(): void {
    this.#p.moveTo(this.#p.statementEnd(this.#p.start));
  }

  #target(): void {
    const p: Parser = this.#p;
    p.next();
    const isTriple = p.isWord("triple");
    if (!isTriple && !p.isWord("datalayout")) p.failExpected("'triple' or 'datalayout'");
    p.next();
    p.expect("=");
    const text = p.parseString();
    if (isTriple) p.module.triple = text;
    else p.module.dataLayout = text;
  }

  #attributes(): void {
    const p: Parser = this.#p;
    p.next();
    if (!p.at("attribute-group")) p.failExpected("an attribute group");
    const number = p.value;
    p.next();
    p.expect("=");
    p.expect("{");
    const set = new Set<string>();
    while (!p.isPunctuation("}")) if (!p.parseFunctionAttribute(set)) p.failExpected("an attribute");
    p.next();
    p.attributeGroups.set(number, set);
  }

  #metadata(): void {
    const p: Parser = this.#p;
    const { value, start } = p;
    if (value === "") p.failExpected("metadata with a name");
    const end = p.statementEnd(start);
    p.next();
    p.expect("=");
    if (/^\d+$/.test(value)) p.metadata.define(value, p.start, end);
    p.moveTo(end);
  }

  #typeDefinition(): void {
    const p: Parser = this.#p;
    const { start } = p;
    const type = p.parseNamedType();
    p.expect("=");
    p.expect("type");
    if (!p.undefinedTypes.delete(type.name as string)) p.fail(`the type %${type.name} is defined twice`, start);
    if (p.accept("opaque")) return;
    const body = p.parseType();
    if (body.kind !== "struct" || body.name !== null) p.fail("a named type is a struct", start);
    Object.assign(type, { elements: body.elements, packed: body.packed });
  }

  // ---------------------------------------------------------------- globals

  #global(): void {
    const p: Parser = this.#p;
    const name = p.value;
    const at = p.start;
    if (p.findSymbol(name) !== null || this.#aliases.some((alias) => alias.name === name))
      p.fail(`@${name} is defined twice`);
    p.next();
    p.expect("=");
    let linkage = "external";
    let addressSpace = 0;
    let isExternal = false;
    while (!p.isWord("global") && !p.isWord("constant")) {
      if (!p.at("word")) p.failExpected("'global' or 'constant'");
      const word = p.value;
      if (word === "alias" || word === "ifunc") {
        if (word === "ifunc") throw p.unsupported("an ifunc");
        const end = p.statementEnd(p.start);
        this.#aliases.push({ name, start: p.end, end });
        p.moveTo(end);
        return;
      }
      if (word === "addrspace") {
        addressSpace = p.parseAddressSpace();
        continue;
      }
      if (linkages.has(word)) {
        linkage = word;
        isExternal = word === "external" || word === "extern_weak";
      }
      p.next();
      if (p.isPunctuation("(")) p.skipGroup(); // thread_local(…)
    }
    const isConstant = p.isWord("constant");
    p.next();
    const typeAt = p.start;
    const valueType = p.parseValueType();
    const global: IrGlobal = {
      kind: "global",
      name,
      type: p.pointerType(addressSpace),
      valueType,
      isConstant,
      align: 0,
      initializer: null,
      linkage,
    };
    p.module.globals.set(name, global);
    const end = p.statementEnd(p.start === p.limit ? p.start : p.previousEnd);
    this.#initializers.push({ name, start: p.previousEnd, end, global, external: isExternal });
    p.moveTo(end);
    if (valueType.kind === "function" || valueType.kind === "opaque")
      p.fail(`a variable cannot be a ${formatType(valueType)}`, typeAt);
    if (end === at) p.fail("the definition is empty", at);
  }

  #readInitializer(deferred: {
    readonly start: number;
    readonly end: number;
    readonly global: IrGlobal;
    readonly external: boolean;
  }): void {
    const p: Parser = this.#p;
    p.moveTo(deferred.start, deferred.end);
    p.resetDepth();
    const { global } = deferred;
    if (!deferred.external) global.initializer = parseConstant(p, global.valueType);
    if (!isSized(global.valueType)) p.fail(`${formatType(global.valueType)} has no size`, deferred.start);
    global.align = alignOf(global.valueType);
    while (p.accept(",")) {
      if (p.accept("align")) global.align = p.parseNumber();
      else if (p.at("metadata")) {
        p.next();
        p.next();
      } else {
        // section "x", comdat, comdat($x), partition "x" …
        p.parseFunctionAttribute(new Set());
        if (p.at("string")) p.next();
      }
    }
    while (p.at("attribute-group")) p.next();
    if (!p.at("eof")) p.failExpected("the end of the definition");
  }

  #readAlias(alias: Deferred): void {
    const p: Parser = this.#p;
    p.moveTo(alias.start, alias.end);
    p.resetDepth();
    p.parseType();
    p.expect(",");
    const target: IrConstant = parseTypedConstant(p);
    p.module.aliases.set(alias.name, target);
  }

  // ---------------------------------------------------------------- functions

  #function(isDefinition: boolean): void {
    const p: Parser = this.#p;
    p.next();
    let debug: { id: string; at: number } | null = null;
    while (p.at("metadata")) debug = this.#functionMetadata() ?? debug;
    let linkage = "external";
    let isKernel = false;
    while (!p.atType()) {
      if (p.at("string")) {
        p.parseFunctionAttribute(new Set());
        continue;
      }
      if (!p.at("word")) p.failExpected("a type");
      const word = p.value;
      if (linkages.has(word)) linkage = word;
      if (word === "ptx_kernel") isKernel = true;
      if (word === "cc" || word === "align") {
        p.next();
        p.parseNumber();
      } else p.parseFunctionAttribute(new Set());
    }
    const result: IrType = p.parseTypeAtom();
    if (!p.at("global")) p.failExpected("the name of a function");
    const name = p.value;
    if (p.findSymbol(name) !== null) p.fail(`@${name} is defined twice`);
    p.next();
    const fn = newFunction(name, functionType(result, []), [], p.pointerType().bits);
    fn.linkage = linkage;
    fn.isKernel = isKernel;
    const isVarArg = this.#params(fn);
    fn.functionType = functionType(
      result,
      fn.params.map((param) => param.type),
      isVarArg,
    );
    const own = new Set<string>();
    const groups: { number: string; at: number }[] = [];
    while (!p.isPunctuation("{")) {
      if (p.at("attribute-group")) {
        groups.push({ number: p.value, at: p.start });
        p.next();
      } else if (isDefinition && p.at("metadata")) debug = this.#functionMetadata() ?? debug;
      else if (p.at("word")) {
        if (!isDefinition && isEntityStart(p)) break;
        const word = p.value;
        if (word === "addrspace") fn.type = p.pointerType(p.parseAddressSpace());
        else if (word === "personality" || word === "prefix" || word === "prologue")
          throw p.unsupported(`a function with ${word} data`);
        else if (word === "section" || word === "partition" || word === "gc") {
          p.next();
          p.parseString();
        } else if (word === "align") {
          p.next();
          p.parseNumber();
        } else p.parseFunctionAttribute(own);
      } else if (p.at("string")) p.parseFunctionAttribute(own);
      else break;
    }
    own.delete("unnamed_addr");
    own.delete("local_unnamed_addr");
    for (const attribute of own) if (attribute.startsWith("comdat")) own.delete(attribute);
    if (isDefinition) {
      if (!p.isPunctuation("{")) p.failExpected("'{'");
      this.bodies.set(name, p.start);
      p.moveTo(p.skipBalanced(p.start, `the body of @${name} has no end`));
    }
    p.module.functions.set(name, fn);
    this.#functionGroups.push({ fn, own, groups, debug });
  }

  /** `!dbg !12`; anything else is passed over. */
  #functionMetadata(): { id: string; at: number } | null {
    const p: Parser = this.#p;
    const isDebug = p.value === "dbg";
    p.next();
    if (!p.at("metadata")) p.failExpected("metadata");
    const attachment = isDebug && /^\d+$/.test(p.value) ? { id: p.value, at: p.start } : null;
    p.next();
    if (attachment === null && p.isPunctuation("(")) p.skipGroup();
    return attachment;
  }

  /** Parameters with their attributes and names; whether there is a `...`. */
  #params(fn: IrFunction): boolean {
    const p: Parser = this.#p;
    p.expect("(");
    let next = 0;
    const names = new Set<string>();
    if (p.accept(")")) return false;
    do {
      if (p.at("ellipsis")) {
        p.next();
        p.expect(")");
        return true;
      }
      const type = p.parseValueType();
      const attributes = new Set<string>();
      const { byval, align } = p.parseParameterAttributes(attributes);
      let name = `${next}`;
      if (p.at("local")) {
        name = p.value;
        if (names.has(name)) p.fail(`%${name} is defined twice`);
        p.next();
      }
      names.add(name);
      if (/^\d+$/.test(name)) next = Number(name) + 1;
      const param: IrParam = {
        kind: "param",
        name,
        index: fn.params.length,
        type,
        byval,
        align,
        attributes,
        function: fn,
      };
      fn.params.push(param);
    } while (p.accept(","));
    p.expect(")");
    return false;
  }

  #resolveFunctions(): void {
    const p: Parser = this.#p;
    for (const { fn, own, groups, debug } of this.#functionGroups) {
      if (debug !== null) fn.location = p.metadata.location(debug.id, debug.at);
      const sets = groups.map(({ number, at }) => p.attributeGroup(number, at));
      if (own.size === 0 && sets.length === 1) fn.attributes = sets[0] as ReadonlySet<string>;
      else fn.attributes = new Set([...own, ...sets.flatMap((set) => [...set])]);
    }
  }
}

function isEntityStart(p: Parser): boolean {
  return (
    p.value === "define" ||
    p.value === "declare" ||
    p.value === "attributes" ||
    p.value === "target" ||
    p.value === "source_filename" ||
    p.value === "module"
  );
}
