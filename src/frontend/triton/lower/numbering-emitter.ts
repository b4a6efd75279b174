/**
 * An emitter that gives back an instruction it has made already (dominator-based value numbering: Briggs, Cooper,
 * Simpson, "Value Numbering", 1997). Blocks repeat much: the same address part for every register of a row.
 */
import { isConstant } from "../../../ir/model/build.ts";
import { Emitter } from "../../../ir/model/emitter.ts";
import { calledIntrinsic, calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrBlock, IrFunction, IrInstruction, IrModule, IrValue } from "../../../ir/model/ir.ts";
import type { NameSource } from "../../../ir/model/build.ts";
import { formatType } from "../../../ir/model/types.ts";
import { forEachOperand } from "../../../ir/model/operands.ts";

/** Calls that depend on their operands and the thread alone: mathematics of the device library among them. */
function isPureCall(call: CallInstruction): boolean {
  const kind = calledIntrinsic(call)?.kind;
  return kind === "pure" || kind === "thread" || (calleeName(call)?.startsWith("__nv_") ?? false);
}

export class NumberingEmitter extends Emitter {
  /** By key; the innermost scope last. What a scope holds dominates everything that is emitted in it. */
  readonly #scopes: Map<string, IrInstruction>[] = [new Map()];
  readonly #ids = new Map<IrValue, number>();
  readonly #constants = new Map<string, number>();

  constructor(module: IrModule, fn: IrFunction, names: NameSource, block: IrBlock) {
    super(module, fn, names, block);
  }

  enterScope(): void {
    this.#scopes.push(new Map());
  }

  leaveScope(): void {
    this.#scopes.pop();
  }

  /** Emits what belongs to an outer scope. */
  inScope<T>(depth: number, body: () => T): T {
    const inner = this.#scopes.splice(depth + 1);
    const result = body();
    this.#scopes.push(...inner);
    return result;
  }

  get depth(): number {
    return this.#scopes.length - 1;
  }

  override append<T extends IrInstruction>(instruction: T): T {
    const key = this.#keyOf(instruction);
    if (key === null) return super.append(instruction);
    for (const scope of this.#scopes) {
      const known = scope.get(key);
      if (known !== undefined) return known as T;
    }
    this.#scopes.at(-1)?.set(key, instruction);
    return super.append(instruction);
  }

  /** Null: the instruction is more than its operands. */
  #keyOf(i: IrInstruction): string | null {
    let head: string;
    switch (i.op) {
      case "binary":
        head = `${i.operator}${i.fastMath === null ? "" : " contract"}`;
        break;
      case "icmp":
      case "fcmp":
        head = `${i.op} ${i.predicate}`;
        break;
      case "cast":
        head = `${i.operator} ${formatType(i.type)}`;
        break;
      case "select":
        head = "select";
        break;
      case "gep":
        head = `gep ${formatType(i.sourceType)}`;
        break;
      case "call": {
        if (!isPureCall(i) || i.type.kind === "void") return null;
        head = "call";
        break;
      }
      default:
        return null;
    }
    const operands: number[] = [];
    forEachOperand(i, (operand) => void operands.push(this.#idOf(operand)));
    return `${head} ${operands.join(" ")}`;
  }

  #idOf(value: IrValue): number {
    let id = this.#ids.get(value);
    if (id !== undefined) return id;
    const key = scalarKey(value);
    id = key === null ? undefined : this.#constants.get(key);
    id ??= this.#ids.size + 1;
    this.#ids.set(value, id);
    if (key !== null) this.#constants.set(key, id);
    return id;
  }
}

/** Equal for equal constants; null for what is compared by identity. */
function scalarKey(value: IrValue): string | null {
  if (!isConstant(value)) return null;
  if (value.kind === "const-int") return `${formatType(value.type)} ${value.value}`;
  if (value.kind === "const-float") return `${formatType(value.type)} ${value.bits}`;
  return null;
}
