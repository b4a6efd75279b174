/** A function's body as IR: blocks, registers as values, and what instructions do that reach beyond registers. */
import { constInt, NameSource, newBlock, newBr, newCondBr, newInstruction, newStore } from "../../ir/model/build.ts";
import type {
  AllocaInstruction,
  ConstInt,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrType,
  IrValue,
  RetInstruction,
  SwitchInstruction,
  UnreachableInstruction,
} from "../../ir/model/ir.ts";
import { I1, I32, PTR, VOID, arrayType, intType } from "../../ir/model/types.ts";
import { narrowAddresses } from "../../ir/passes/pass-narrow-pointers.ts";
import { ptxType, type Variable } from "../../ir/inline-ptx/emit.ts";
import { EFFECTS, PURE, ptxCall } from "../../ir/inline-ptx/operations.ts";
import type { PtxOperand, PtxRegister } from "../../ir/inline-ptx/syntax.ts";
import { lowerCall } from "./calls.ts";
import { arrivals, branchTargets, endsBlock, type Arrivals } from "./control-flow.ts";
import { FunctionEmitter, withPlace } from "./function-emitter.ts";
import { KernelParameters } from "./kernel-parameters.ts";
import { checkGuard, checkOperands } from "./operand-checks.ts";
import { recoverPointers } from "./recover-pointers.ts";
import { SsaBuilder, SsaVariable } from "./ssa.ts";
import { convention, genericAddress, scalarType, type Symbols } from "./symbols.ts";
import type { PtxFunction, PtxStatement, PtxVariable } from "./syntax.ts";
import type { PtxText } from "./tokens.ts";

type SymbolOperand = Extract<PtxOperand, { kind: "symbol" }>;

export function lowerFunction(syntax: PtxFunction, symbols: Symbols, text: PtxText, addressBits: 32 | 64): void {
  const found = symbols.function(syntax.name);
  if (found === null || syntax.body === null) return;
  new FunctionLowering(syntax, found.fn, symbols, text, addressBits).run();
}

export class FunctionLowering {
  readonly syntax: PtxFunction;
  readonly symbols: Symbols;
  readonly fn: IrFunction;
  readonly emitter: FunctionEmitter;
  readonly addressBits: 32 | 64;
  readonly #text: PtxText;
  readonly #names: NameSource;
  readonly #ssa: SsaBuilder;
  readonly #entry: IrBlock;
  readonly #arrivals: Arrivals;
  readonly #labels = new Map<string, IrBlock>();
  readonly #parameters: KernelParameters;
  /** Parameters and results that are values: of the function, and of its calls. */
  readonly #slots = new Map<PtxVariable, Variable>();
  /** Variables in memory of a thread. */
  readonly #places = new Map<PtxVariable, IrValue>();
  /** Instructions at the function's beginning. */
  readonly #first: IrInstruction[] = [];
  /** Behind what stands for the parameters. */
  readonly #copies: IrInstruction[] = [];
  readonly #body: NonNullable<PtxFunction["body"]>;
  #dead = false;

  constructor(syntax: PtxFunction, fn: IrFunction, symbols: Symbols, text: PtxText, addressBits: 32 | 64) {
    this.syntax = syntax;
    this.fn = fn;
    this.symbols = symbols;
    this.addressBits = addressBits;
    this.#text = text;
    this.#body = syntax.body as NonNullable<PtxFunction["body"]>;
    this.#names = new NameSource(fn);
    this.#entry = newBlock(fn, this.#names.fresh("entry"));
    fn.blocks = [this.#entry];
    this.#ssa = new SsaBuilder(this.#names, this.#entry);
    this.#arrivals = arrivals(this.#body);
    this.#parameters = new KernelParameters(this.#entry, this.#names);
    const registers = new Map<PtxRegister, Variable>();
    for (const register of this.#body.registers) registers.set(register, this.#variable(register.name, register.type));
    this.emitter = new FunctionEmitter({
      module: symbols.module,
      entry: this.#entry,
      names: this.#names,
      registers,
      carry: new SsaVariable(this.#ssa, (value) => value, "carry", 1, I1),
      text,
      symbol: (operand) => this.#address(operand),
    });
    this.#bindParameters(registers);
  }

  run(): void {
    const { emitter } = this;
    for (const statement of this.#body.statements)
      if (statement.kind === "label" && this.#arrivals.has(statement.name))
        this.#labels.set(statement.name, this.#labelBlock(statement.name));
    for (const statement of this.#body.statements) {
      if (statement.kind === "label") this.#enter(statement.name);
      else if (!this.#dead) {
        emitter.at = statement.at;
        emitter.location = { ...statement.location, functionName: this.fn.name };
        withPlace(this.#text, statement.at, () => this.#instruction(statement));
      }
    }
    if (!this.#dead) this.#return();
    this.#ssa.complete(this.fn);
    recoverPointers(this.fn, this.#names, this.#parameters);
    const { instructions } = this.#entry;
    instructions.splice(this.#parameters.count, 0, ...this.#copies);
    instructions.unshift(...this.#first);
    this.#parameters.complete(this.fn);
    narrowAddresses(this.fn);
    for (const param of this.fn.params) param.function = this.fn;
  }

  // ---------------------------------------------------------------- variables

  #variable(name: string, word: string): SsaVariable {
    const type = ptxType(word);
    const bits = type?.bits ?? 32;
    const ir: IrType = type === null || type.lanes === 2 ? intType(bits) : type.ir;
    return new SsaVariable(
      this.#ssa,
      (value, to) => this.emitter.coerce(value, to),
      name.replace(/[^\w.]/g, "") || "r",
      bits,
      ir,
    );
  }

  #bindParameters(registers: ReadonlyMap<PtxRegister, Variable>): void {
    const { results, params } = this.syntax;
    const [result] = results;
    const { returnsInMemory } = convention(this.syntax);
    if (result !== undefined) {
      const { variable, register } = result;
      if (returnsInMemory) this.#places.set(variable, this.fn.params[0] as IrValue);
      else
        this.#slots.set(
          variable,
          (register === null ? undefined : registers.get(register)) ?? this.#variable(variable.name, variable.type),
        );
    }
    params.forEach(({ variable, register }, i) => {
      const param = this.fn.params[i + (returnsInMemory ? 1 : 0)];
      if (param === undefined) return;
      if (variable.length !== null) {
        this.#places.set(variable, param);
        return;
      }
      const slot =
        (register === null ? undefined : registers.get(register)) ?? this.#variable(variable.name, variable.type);
      slot.value = this.syntax.isEntry ? this.#parameters.view(param) : param;
      this.#slots.set(variable, slot);
    });
  }

  /** A parameter or result as a value; null: it lies in memory. */
  slot(variable: PtxVariable): Variable | null {
    const known = this.#slots.get(variable);
    if (known !== undefined) return known;
    if (variable.space !== "param" || variable.length !== null || this.#places.has(variable)) return null;
    const made = this.#variable(variable.name, variable.type);
    this.#slots.set(variable, made);
    return made;
  }

  /** Where a variable of the function lies, as a generic pointer. */
  place(variable: PtxVariable): IrValue {
    const known = this.#places.get(variable);
    if (known !== undefined) return known;
    let place: IrValue;
    if (variable.space === "local" || variable.space === "param") {
      const type = scalarType(variable.type);
      const alloca = newInstruction<AllocaInstruction>(
        { block: this.#entry, location: null },
        {
          op: "alloca",
          type: PTR,
          name: this.#names.fresh(variable.name.replace(/[^\w.]/g, "")),
          allocatedType: variable.length === null ? type : arrayType(type, variable.length),
          count: null,
          align: Math.max(variable.align ?? 1, (ptxType(variable.type)?.bits ?? 8) / 8),
        },
      );
      this.#first.push(alloca);
      place = alloca;
      const slot = this.#slots.get(variable);
      // A parameter whose address is taken: a copy, from the beginning on.
      if (slot !== undefined && variable.space === "param") this.#spill(variable, alloca);
    } else place = genericAddress(this.symbols.addLocal(variable, this.fn.name));
    this.#places.set(variable, place);
    return place;
  }

  #spill(variable: PtxVariable, alloca: AllocaInstruction): void {
    const param = this.fn.params.find(({ name }) => name === variable.name);
    if (param === undefined) this.emitter.fail(`the address of '${variable.name}', which is no parameter`);
    const value = this.syntax.isEntry ? this.#parameters.view(param) : param;
    this.#copies.push(newStore({ block: this.#entry, location: null }, value, alloca));
  }

  #address(operand: SymbolOperand): IrValue | null {
    const variable = operand.variable as PtxVariable | null;
    return variable === null ? this.symbols.address(operand.name) : this.place(variable);
  }

  // ---------------------------------------------------------------- control flow

  #labelBlock(name: string): IrBlock {
    const block = newBlock(this.fn, this.#names.fresh(name.replace(/[^\w.]/g, "") || "label"));
    this.#ssa.expected.set(block, this.#arrivals.get(name) ?? 0);
    return block;
  }

  #start(block: IrBlock): void {
    this.fn.blocks.push(block);
    this.emitter.block = block;
    this.#ssa.current = block;
    this.#dead = false;
  }

  #newBlock(hint: string): IrBlock {
    return newBlock(this.fn, this.#names.fresh(hint));
  }

  #go(target: IrBlock): void {
    this.#ssa.addEdge(this.emitter.block, target);
    this.emitter.add(newBr(this.emitter, target));
    this.#dead = true;
  }

  #fork(condition: IrValue, then: IrBlock, otherwise: IrBlock): void {
    this.#ssa.addEdge(this.emitter.block, then);
    this.#ssa.addEdge(this.emitter.block, otherwise);
    this.emitter.add(newCondBr(this.emitter, condition, then, otherwise));
  }

  #enter(name: string): void {
    const block = this.#labels.get(name);
    if (block === undefined) {
      // No way leads here.
      this.#dead = true;
      return;
    }
    if (!this.#dead) this.#go(block);
    this.#start(block);
  }

  #return(): void {
    const { emitter, fn } = this;
    const [result] = this.syntax.results;
    const { result: type } = fn.functionType;
    const slot = result === undefined ? null : this.slot(result.variable);
    const value = type.kind === "void" || slot === null ? null : emitter.coerce(slot.value as IrValue, type);
    emitter.add(newInstruction<RetInstruction>(emitter, { op: "ret", type: VOID, name: "", value }));
    this.#dead = true;
  }

  #exit(): void {
    if (this.syntax.isEntry) return this.#return();
    this.emitter.callVoid("llvm.nvvm.exit", []);
    this.emitter.add(newInstruction<UnreachableInstruction>(this.emitter, { op: "unreachable", type: VOID, name: "" }));
    this.#dead = true;
  }

  // ---------------------------------------------------------------- instructions

  #instruction(statement: PtxStatement): void {
    const { guard } = statement;
    checkGuard(statement, this.emitter);
    if (endsBlock({ ...statement, guard: null })) return this.#branch(statement);
    checkOperands(statement, this.emitter);
    const perform = (): void => this.#perform(statement);
    if (guard === null) return perform();
    const condition = this.#condition(statement);
    const [word] = statement.opcode;
    if (Object.hasOwn(PURE, word as string) && !statement.opcode.includes("cc") && !/c$/.test(word as string)) {
      this.emitter.guard = condition;
      perform();
      this.emitter.guard = null;
      return;
    }
    this.#guarded(condition, perform);
  }

  /** An effect in a block of its own. */
  #guarded(condition: IrValue, effect: () => void): void {
    const [then, join] = [this.#newBlock("then"), this.#newBlock("join")];
    this.#fork(condition, then, join);
    this.#start(then);
    effect();
    if (!this.#dead) this.#go(join);
    this.#start(join);
  }

  #branch(statement: PtxStatement): void {
    const [word] = statement.opcode;
    const { guard } = statement;
    if (word === "brx") return this.#branchByIndex(statement);
    if (word === "bra") {
      const [name] = branchTargets(statement, this.#body);
      const target = name === undefined ? undefined : this.#labels.get(name);
      if (target === undefined) return this.emitter.fail(`'${statement.text}' names no label of the function`);
      if (guard === null) return this.#go(target);
      const next = this.#newBlock("next");
      this.#fork(this.#condition(statement), target, next);
      return this.#start(next);
    }
    const end = (): void => (word === "ret" ? this.#return() : this.#exit());
    if (guard === null) return end();
    this.#guarded(this.#condition(statement), end);
  }

  #branchByIndex(statement: PtxStatement): void {
    const { emitter } = this;
    if (statement.guard !== null) return emitter.unsupported(statement);
    const list = statement.operands[1];
    const name = list?.kind === "label" || list?.kind === "symbol" ? list.name : "";
    const targets = this.#body.targets.get(name) ?? emitter.fail(`'${name}' is no list of labels`);
    const blocks = targets.map((target) => this.#labels.get(target) as IrBlock);
    const [first] = blocks;
    if (first === undefined) return emitter.fail("the list of labels is empty");
    const value = emitter.read(ptxCall(statement), 0, I32);
    for (const block of new Set(blocks)) this.#ssa.addEdge(emitter.block, block);
    const cases = blocks.map((target, i): { value: ConstInt; target: IrBlock } => ({
      value: constInt(I32, i),
      target,
    }));
    // An index behind the end has no meaning.
    emitter.add(
      newInstruction<SwitchInstruction>(emitter, {
        op: "switch",
        type: VOID,
        name: "",
        value,
        defaultTarget: first,
        cases: cases.slice(1),
      }),
    );
    this.#dead = true;
  }

  #condition(statement: PtxStatement): IrValue {
    const guard = statement.guard as NonNullable<PtxStatement["guard"]>;
    return this.emitter.readOperand(
      ptxCall(statement),
      guard.negated ? { kind: "not", operand: guard.operand } : guard.operand,
      I1,
    );
  }

  #perform(statement: PtxStatement): void {
    const { emitter } = this;
    const [word = ""] = statement.opcode;
    if (statement.call !== null) return lowerCall(this, statement, statement.call, this.#body.prototypes);
    if ((word === "ld" || word === "st") && statement.opcode.some((w) => w === "param" || w.startsWith("param::")))
      return this.#accessParameter(statement);
    const table = [PURE, EFFECTS].find((operations) => Object.hasOwn(operations, word));
    const handler = table?.[word] ?? emitter.unsupported(statement);
    handler(emitter, ptxCall(statement));
  }

  /** ld.param and st.param: a value where it is the whole of one, else memory. */
  #accessParameter(statement: PtxStatement): void {
    const { emitter } = this;
    const opcode = statement.opcode.filter((word) => word !== "param" && !word.startsWith("param::"));
    const [word] = opcode;
    const isLoad = word === "ld";
    const address = statement.operands[isLoad ? 0 : 1] === undefined ? undefined : statement.operands[isLoad ? 1 : 0];
    if (address?.kind !== "address") return emitter.fail(`'${statement.text}' has no address`);
    const plain = { ...statement, opcode };
    if (address.base.kind === "symbol" && address.base.variable === null)
      return emitter.fail(`unknown name '${address.base.name}'`);
    const variable = address.base.kind === "symbol" ? (address.base.variable as PtxVariable) : null;
    const slot = variable === null ? null : this.slot(variable);
    const type = ptxType(opcode.at(-1) ?? "") ?? emitter.unsupported(statement);
    const call = ptxCall(plain);
    const isWhole =
      slot !== null && address.offset === 0n && type.bits <= slot.bits && !opcode.some((w) => /^v[248]$/.test(w));
    if (slot === null || !isWhole) return (EFFECTS[word as string] as (typeof EFFECTS)[string])(emitter, call);
    const ir: IrType = type.lanes === 2 ? I32 : type.ir;
    const elements = emitter.elements(call, isLoad ? 0 : 1);
    if (elements.length !== 1) return emitter.fail(`'${statement.text}' has a vector for one value`);
    const [operand] = elements as [PtxOperand];
    if (isLoad) emitter.writeOperand(call, operand, emitter.coerce(slot.value as IrValue, ir), type.kind === "signed");
    else {
      const value = emitter.readOperand(call, operand, ir);
      const whole = type.bits === slot.bits ? value : emitter.coerce(value, intType(slot.bits));
      slot.value = whole;
    }
  }
}
