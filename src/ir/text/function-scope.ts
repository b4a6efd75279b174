/**
 * The scope of one function while it is parsed: blocks, local names, numbering and forward references (LangRef,
 * "Functions" and "Identifiers").
 *
 * A value may be used before the text defines it (phis, and blocks in any order). Such a use gets a placeholder, and
 * the placeholders are replaced at the end of the function.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import { newBlock } from "../model/build.ts";
import type { IrBlock, IrFunction, IrInstruction, IrType, IrValue } from "../model/ir.ts";
import { mapOperands } from "../model/operands.ts";
import { parseConstant } from "./parse-constants.ts";
import type { Parser } from "./parser.ts";
import { formatType, sameType } from "../model/types.ts";

interface Forward {
  readonly placeholder: IrInstruction;
  readonly at: number;
}

export class FunctionScope {
  readonly parser: Parser;
  readonly function: IrFunction;
  /** The block that the next instruction goes to. */
  block: IrBlock;
  /** The name of an intrinsic that is called without a declaration, until the call's type is known. */
  pendingIntrinsic = "";
  readonly #values = new Map<string, IrValue>();
  readonly #forward = new Map<string, Forward>();
  /** Instructions that hold a placeholder. */
  readonly #unresolved = new Set<IrInstruction>();
  #heldPlaceholder = false;
  readonly #blocks = new Map<string, IrBlock>();
  readonly #blockUses = new Map<string, number>();
  /** The number that the next unnamed value or block gets. */
  #nextNumber = 0;

  constructor(parser: Parser, fn: IrFunction) {
    this.parser = parser;
    this.function = fn;
    for (const param of fn.params) {
      if (/^\d+$/.test(param.name)) this.#nextNumber = Number(param.name) + 1;
      this.#values.set(param.name, param);
    }
    this.block = newBlock(fn, "");
  }

  /** `%x` as an operand of the given type. */
  local(name: string, type: IrType, at: number): IrValue {
    const known = this.#values.get(name);
    if (known !== undefined) {
      if (known.type !== type && !sameType(known.type, type))
        this.parser.fail(`%${name} is a ${formatType(known.type)}, but ${formatType(type)} was expected`, at);
      return known;
    }
    this.#heldPlaceholder = true;
    const forward = this.#forward.get(name);
    if (forward !== undefined) {
      if (!sameType(forward.placeholder.type, type))
        this.parser.fail(`%${name} is used as ${formatType(forward.placeholder.type)} and as ${formatType(type)}`, at);
      return forward.placeholder;
    }
    const placeholder: IrInstruction = {
      kind: "instruction",
      op: "unreachable",
      type,
      name,
      location: null,
      block: this.block,
    };
    this.#forward.set(name, { placeholder, at });
    return placeholder;
  }

  /** An operand whose type is already known. */
  value(type: IrType): IrValue {
    const p: Parser = this.parser;
    if (p.at("local")) {
      const { value, start } = p;
      p.next();
      return this.local(value, type, start);
    }
    return parseConstant(p, type);
  }

  typedValue(): IrValue {
    return this.value(this.parser.parseValueType());
  }

  /** `label %x` */
  label(): IrBlock {
    this.parser.expect("label");
    return this.blockName();
  }

  blockName(): IrBlock {
    const p: Parser = this.parser;
    if (!p.at("local")) p.failExpected("a block");
    const block = this.#blockNamed(p.value);
    if (!this.#blockUses.has(p.value)) this.#blockUses.set(p.value, p.start);
    p.next();
    return block;
  }

  #blockNamed(name: string): IrBlock {
    let block = this.#blocks.get(name);
    if (block === undefined) this.#blocks.set(name, (block = newBlock(this.function, name)));
    return block;
  }

  /** Opens the block that is labelled here, or the unnamed one that begins without a label. */
  openBlock(): void {
    const p: Parser = this.parser;
    let name: string;
    const at = p.start;
    if (p.at("label")) {
      name = p.value;
      p.next();
      if (/^\d+$/.test(name)) this.#nextNumber = Number(name) + 1;
    } else name = `${this.#nextNumber++}`;
    const block = this.#blockNamed(name);
    if (block.instructions.length > 0 || this.function.blocks.includes(block))
      p.fail(`the block %${name} is defined twice`, at);
    if (this.#values.has(name)) p.fail(`%${name} is defined twice`, at);
    this.function.blocks.push(block);
    this.block = block;
  }

  /** Adds an instruction to the current block. `name` is null where the text gives none. */
  add(instruction: IrInstruction, name: string | null, at: number): void {
    const p: Parser = this.parser;
    if (instruction.type.kind === "void") {
      if (name !== null) p.fail("an instruction without a result cannot have a name", at);
    } else {
      instruction.name = name ?? `${this.#nextNumber}`;
      if (name === null) this.#nextNumber++;
      else if (/^\d+$/.test(name)) this.#nextNumber = Number(name) + 1;
      this.#define(instruction, at);
    }
    this.block.instructions.push(instruction);
    if (this.#heldPlaceholder) this.#unresolved.add(instruction);
    this.#heldPlaceholder = false;
  }

  #define(instruction: IrInstruction, at: number): void {
    const { name } = instruction;
    const p: Parser = this.parser;
    if (this.#values.has(name) || (this.#blocks.get(name)?.instructions.length ?? 0) > 0)
      p.fail(`%${name} is defined twice`, at);
    const forward = this.#forward.get(name);
    if (forward !== undefined && !sameType(forward.placeholder.type, instruction.type)) {
      p.fail(
        `%${name} is a ${formatType(instruction.type)}, but it is used as ${formatType(forward.placeholder.type)}`,
        at,
      );
    }
    this.#values.set(name, instruction);
  }

  finish(): void {
    for (const [name, at] of this.#blockUses) {
      const block = this.#blocks.get(name) as IrBlock;
      if (block.instructions.length === 0) this.parser.fail(`there is no block %${name}`, at);
    }
    if (this.#forward.size === 0) return;
    const replacements = new Map<IrValue, IrValue>();
    for (const [name, { placeholder, at }] of this.#forward) {
      const value = this.#values.get(name);
      if (value === undefined) this.parser.fail(`%${name} is not defined`, at);
      replacements.set(placeholder, value);
    }
    for (const instruction of this.#unresolved) mapOperands(instruction, (value) => replacements.get(value) ?? value);
  }

  /** A `!dbg` attachment's place. */
  location(): SourceLocation | null {
    const p: Parser = this.parser;
    const { value, start } = p;
    if (/^\d+$/.test(value)) {
      p.next();
      return p.metadata.location(value, start);
    }
    p.next();
    if (!p.isPunctuation("(")) return null;
    const text = p.skipGroup();
    return p.metadata.inlineLocation(`!${value}${text}`, start);
  }
}
