/**
 * Replaces inline PTX assembly by IR, so that no engine knows of it.
 *
 * Needs: a parsed module. Afterwards: no call has an InlineAsm callee. What the templates need from the device library
 * (`__heddle_…`, `__nv_…`) is declared; so run this before the module is linked with the library.
 *
 * Registers become values: straight code needs no phis, an effect under a guard gets a block of its own, and a label
 * begins with a phi for every register (Braun et al., "Simple and Efficient Construction of SSA Form", 2013, in its
 * maximal form). Specified by PTX ISA 8.5 and "Inline PTX Assembly in CUDA"; the instructions are in the tables
 * ptx-*.ts.
 */
import { unsupported } from "../../base/diagnostics.ts";
import { constPoison, NameSource, newBlock, newBr, newCondBr, newInstruction, newPhi } from "../model/build.ts";
import { renameIncoming, successors } from "../graph/cfg.ts";
import type {
  CallInstruction,
  ExtractValueInstruction,
  FreezeInstruction,
  InlineAsm,
  InsertValueInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  PhiInstruction,
} from "../model/ir.ts";
import { PtxEmitter, ptxType, type PtxCall, type Variable } from "./emit.ts";
import { EFFECTS, PURE, ptxCall } from "./operations.ts";
import { parsePtx, type PtxInstruction, type PtxProgram, type PtxRegister } from "./syntax.ts";
import { I1, intType, sameType } from "../model/types.ts";
import { replaceUses } from "../model/uses.ts";
import { bindOperands } from "./bind-operands.ts";

/**
 * Throws HeddleError("unsupported") that names the instruction where there is no IR for it.
 * @param keep which statements stay as they are: for a target that takes PTX
 */
export function lowerInlinePtx(module: IrModule, keep: (asm: InlineAsm) => boolean = () => false): void {
  const isLowered: IsLowered = (instruction): instruction is AsmCall =>
    isAsmCall(instruction) && !keep(instruction.callee);
  // Declarations made on the way are visited, too, and have no blocks.
  for (const fn of module.functions.values()) {
    if (fn.blocks.some((block) => block.instructions.some(isLowered))) lowerFunction(module, fn, isLowered);
  }
}

type AsmCall = CallInstruction & { callee: InlineAsm };

type IsLowered = (instruction: IrInstruction) => instruction is AsmCall;

function isAsmCall(instruction: IrInstruction): instruction is AsmCall {
  return instruction.op === "call" && instruction.callee.kind === "inline-asm";
}

function lowerFunction(module: IrModule, fn: IrFunction, isLowered: IsLowered): void {
  const names = new NameSource(fn);
  const replacements = new Map<IrValue, IrValue>();
  const results = new Map<CallInstruction, readonly IrValue[]>();
  for (let i = 0; i < fn.blocks.length; i++) {
    const block = fn.blocks[i] as IrBlock;
    const at = block.instructions.findIndex(isLowered);
    if (at < 0) continue;
    const call = block.instructions[at] as CallInstruction & { callee: InlineAsm };
    const rest = block.instructions.splice(at).slice(1);
    const lowering = new AsmLowering(module, block, call, names);
    const values = lowering.run();
    if (call.type.kind === "struct") results.set(call, values);
    else if (call.type.kind !== "void") replacements.set(call, values[0] as IrValue);
    const last = lowering.emitter.block;
    for (const instruction of rest) {
      instruction.block = last;
      last.instructions.push(instruction);
    }
    if (last === block) i--; // the rest of the block may have more
    else {
      for (const successor of successors(last)) renameIncoming(successor, block, last);
      fn.blocks.splice(i + 1, 0, ...lowering.blocks);
    }
  }
  spreadResults(fn, results, replacements, names);
  replaceUses(fn, replacements);
}

/**
 * A statement with several outputs had a struct for a result: its fields are the values, the struct is built only where
 * it is used whole.
 */
function spreadResults(
  fn: IrFunction,
  results: ReadonlyMap<CallInstruction, readonly IrValue[]>,
  replacements: Map<IrValue, IrValue>,
  names: NameSource,
): void {
  if (results.size === 0) return;
  for (const block of fn.blocks) {
    block.instructions = block.instructions.filter((instruction) => {
      if (instruction.op !== "extractvalue" || instruction.indices.length !== 1) return true;
      const values =
        instruction.aggregate.kind === "instruction" && instruction.aggregate.op === "call"
          ? results.get(instruction.aggregate)
          : undefined;
      if (values === undefined) return true;
      replacements.set(instruction, values[(instruction as ExtractValueInstruction).indices[0] as number] as IrValue);
      return false;
    });
  }
  const whole = new Set<IrValue>();
  replaceUsesOf(fn, (value) => {
    if (value.kind === "instruction" && value.op === "call" && results.has(value)) whole.add(value);
  });
  for (const call of whole) {
    const values = results.get(call as CallInstruction) as readonly IrValue[];
    const last = values[values.length - 1] as IrValue;
    // Built at the end of what replaced the statement: right behind the last of the values, which dominates the uses.
    const block = last.kind === "instruction" ? last.block : (fn.blocks[0] as IrBlock);
    let aggregate: IrValue = constPoison(call.type);
    const built: InsertValueInstruction[] = values.map((element, index) => {
      const insert = newInstruction<InsertValueInstruction>(
        { block, location: null },
        { op: "insertvalue", type: call.type, name: names.fresh("ptx"), aggregate, element, indices: [index] },
      );
      aggregate = insert;
      return insert;
    });
    const end = Math.max(...values.map((value) => block.instructions.indexOf(value as IrInstruction)));
    const firstPlace = block.instructions.findIndex((instruction) => instruction.op !== "phi");
    block.instructions.splice(Math.max(end + 1, firstPlace), 0, ...built);
    replacements.set(call, aggregate);
  }
}

function replaceUsesOf(fn: IrFunction, visit: (value: IrValue) => void): void {
  for (const block of fn.blocks)
    for (const instruction of block.instructions)
      for (const value of Object.values(instruction as object)) visitValue(value, visit);
}

function visitValue(value: unknown, visit: (value: IrValue) => void): void {
  if (Array.isArray(value))
    for (const element of value) visitValue((element as { value?: unknown } | null)?.value ?? element, visit);
  else if (typeof value === "object" && value !== null && "kind" in value && (value as IrValue).kind === "instruction")
    visit(value as IrValue);
}

interface Edge {
  readonly from: IrBlock;
  readonly values: ReadonlyMap<Variable, IrValue>;
}

/** One assembly statement. */
class AsmLowering {
  readonly emitter: PtxEmitter;
  /** The blocks that it added, in order; the last one is where the function goes on. */
  readonly blocks: IrBlock[] = [];
  readonly #program: PtxProgram;
  readonly #outputs: readonly { readonly variable: Variable; readonly type: IrType }[];
  readonly #variables: Variable[];
  readonly #labels = new Map<
    string,
    { readonly block: IrBlock; readonly edges: Edge[]; phis: Map<Variable, PhiInstruction> | null }
  >();
  readonly #names: NameSource;
  /** After an unguarded branch and before the next label. */
  #dead = false;

  constructor(module: IrModule, block: IrBlock, call: CallInstruction & { callee: InlineAsm }, names: NameSource) {
    this.#names = names;
    this.#program = parsePtx(call.callee.template, call.location);
    const operands = bindOperands(call);
    this.#outputs = operands.outputs;
    const registers = new Map<PtxRegister, Variable>();
    for (const register of this.#program.registers) {
      const type = ptxType(register.type);
      if (!type) throw unsupported(`inline PTX '.reg .${register.type}'`, call.location ?? undefined);
      registers.set(register, { bits: type.bits, value: null });
    }
    this.emitter = new PtxEmitter(module, block, call.location, names, operands.variables, registers);
    // Inputs are never written.
    this.#variables = [...this.#outputs.map((output) => output.variable), ...registers.values(), this.emitter.carry];
  }

  /** The values of the outputs, in the types that the statement's result has. */
  run(): IrValue[] {
    for (const statement of this.#program.statements) {
      if (statement.kind === "label")
        this.#labels.set(statement.name, {
          block: newBlock(this.emitter.fn, this.#names.fresh("ptx.label")),
          edges: [],
          phis: null,
        });
    }
    for (const statement of this.#program.statements) {
      if (statement.kind === "label") this.#enter(statement.name);
      else if (!this.#dead) this.#instruction(statement);
    }
    this.#completePhis();
    return this.#outputs.map(({ variable, type }) =>
      this.emitter.coerce(variable.value ?? constPoison(intType(variable.bits)), type),
    );
  }

  #instruction(instruction: PtxInstruction): void {
    const word = instruction.opcode[0] as string;
    if (word === "bra") return this.#branch(instruction);
    if (word === "ret") this.emitter.unsupported(instruction);
    const handler =
      (Object.hasOwn(PURE, word) ? PURE[word] : undefined) ??
      (Object.hasOwn(EFFECTS, word) ? EFFECTS[word] : undefined) ??
      this.emitter.unsupported(instruction);
    const call = ptxCall(instruction);
    if (instruction.guard === null) return handler(this.emitter, call);
    const condition = this.#condition(instruction, call);
    const before = this.#snapshot();
    if (Object.hasOwn(PURE, word)) {
      handler(this.emitter, call);
      for (const variable of this.#variables) {
        const old = before.get(variable) ?? null;
        if (old === variable.value || old === null || variable.value === null) continue;
        variable.value = this.emitter.select(condition, variable.value, this.emitter.coerce(old, variable.value.type));
      }
      return;
    }
    this.#guarded(condition, before, () => handler(this.emitter, call));
  }

  /** An effect in a block of its own; what it writes meets the old values in phis. */
  #guarded(condition: IrValue, before: ReadonlyMap<Variable, IrValue | null>, body: () => void): void {
    const origin = this.emitter.block;
    const then = this.#newBlock("ptx.then");
    const join = this.#newBlock("ptx.join");
    this.emitter.add(newCondBr(this.emitter, condition, then, join));
    // Old values are brought to one type before the branch, so that a phi can take them.
    this.blocks.push(then);
    this.emitter.block = then;
    body();
    const end = this.emitter.block;
    this.emitter.add(newBr(this.emitter, join));
    this.blocks.push(join);
    this.emitter.block = join;
    for (const variable of this.#variables) {
      const old = before.get(variable) ?? null;
      const value = variable.value;
      if (old === value || value === null) continue;
      const phi = newPhi(this.emitter, this.#names.fresh("ptx"), value.type);
      join.instructions.push(phi);
      const other = old === null ? constPoison(value.type) : this.#coerceAtEnd(origin, old, value.type);
      phi.incoming = [
        { value, block: end },
        { value: other, block: origin },
      ];
      variable.value = phi;
    }
  }

  /** The conversion goes before the terminator of `block`. */
  #coerceAtEnd(block: IrBlock, value: IrValue, type: IrType): IrValue {
    if (sameType(value.type, type)) return value;
    const here = this.emitter.block;
    const terminator = block.instructions.pop() as IrInstruction;
    this.emitter.block = block;
    const result = this.emitter.coerce(value, type);
    block.instructions.push(terminator);
    this.emitter.block = here;
    return result;
  }

  #branch(instruction: PtxInstruction): void {
    const target = instruction.operands[0];
    const label = target?.kind === "label" ? this.#labels.get(target.name) : undefined;
    if (!label) return this.emitter.unsupported(instruction);
    if (instruction.guard === null) {
      this.#leave(label.edges, () => newBr(this.emitter, label.block));
      this.#dead = true;
      return;
    }
    const condition = this.#condition(instruction, ptxCall(instruction));
    const next = this.#newBlock("ptx.next");
    this.#leave(label.edges, () => newCondBr(this.emitter, condition, label.block, next));
    this.blocks.push(next);
    this.emitter.block = next;
  }

  #leave(edges: Edge[], terminator: () => IrInstruction): void {
    // A label's phis are integers of the registers' widths.
    const values = new Map<Variable, IrValue>();
    for (const variable of this.#variables) {
      const type = intType(variable.bits);
      values.set(variable, variable.value === null ? constPoison(type) : this.emitter.coerce(variable.value, type));
    }
    edges.push({ from: this.emitter.block, values });
    this.emitter.add(terminator());
  }

  #enter(name: string): void {
    const label = this.#labels.get(name);
    if (!label) return;
    if (!this.#dead) this.#leave(label.edges, () => newBr(this.emitter, label.block));
    this.#dead = false;
    this.blocks.push(label.block);
    this.emitter.block = label.block;
    label.phis = new Map();
    for (const variable of this.#variables) {
      const phi = newPhi(this.emitter, this.#names.fresh("ptx"), intType(variable.bits));
      label.block.instructions.push(phi);
      label.phis.set(variable, phi);
      variable.value = phi;
    }
  }

  #completePhis(): void {
    for (const { block, edges, phis } of this.#labels.values()) {
      if (edges.length === 0 && phis !== null) {
        // No way leads here: what stands here has no values to start from.
        block.instructions = block.instructions.map((instruction) =>
          instruction.op === "phi"
            ? Object.assign(
                instruction,
                newInstruction<FreezeInstruction>(
                  { block, location: null },
                  {
                    op: "freeze",
                    type: instruction.type,
                    name: instruction.name,
                    operand: constPoison(instruction.type),
                  },
                ),
              )
            : instruction,
        );
        continue;
      }
      for (const [variable, phi] of phis ?? [])
        phi.incoming = edges.map(({ from, values }) => ({ value: values.get(variable) as IrValue, block: from }));
    }
    if (this.#dead) {
      // The statement ends in a branch back: nothing comes after it.
      const after = this.#newBlock("ptx.after");
      this.blocks.push(after);
      this.emitter.block = after;
    }
  }

  #condition(instruction: PtxInstruction, call: PtxCall): IrValue {
    const guard = instruction.guard as NonNullable<PtxInstruction["guard"]>;
    return this.emitter.readOperand(call, guard.negated ? { kind: "not", operand: guard.operand } : guard.operand, I1);
  }
  #snapshot(): Map<Variable, IrValue | null> {
    return new Map(this.#variables.map((variable) => [variable, variable.value]));
  }
  #newBlock(hint: string): IrBlock {
    return newBlock(this.emitter.fn, this.#names.fresh(hint));
  }
}
