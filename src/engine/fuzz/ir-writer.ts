/** Writes the lines of a function in LLVM IR: values, labels, calls of declared functions, phis, and expressions. */
import { numberToBfloat } from "../../base/bfloat.ts";
import { bug } from "../../base/diagnostics.ts";
import { float64ToBits } from "../../base/float-bits.ts";
import { numberToHalf } from "../../base/half.ts";
import { bitsOf, INPUT_BYTES, isFloatTy, LOCAL_WORDS } from "./program.ts";
import type { Expr, Special, Ty } from "./program.ts";

/** The value that each variable has. */
export type Env = Map<number, string>;

/** A way into a block: where it comes from, and the values there. */
export interface Edge {
  readonly label: string;
  readonly env: Env;
}

export const BYTES: Readonly<Record<Ty, number>> = {
  i1: 1,
  i8: 1,
  i16: 2,
  i32: 4,
  i64: 8,
  half: 2,
  bfloat: 2,
  float: 4,
  double: 8,
};
const FULL_BARRIER = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";

export class IrWriter {
  protected readonly declarations: Map<string, string> = new Map();
  protected lines: string[] = [];
  protected next = 0;
  /** The block that is being written. */
  protected label = "entry";
  protected types: Map<number, Ty> = new Map();
  protected specials: Map<Special, string> = new Map();

  protected emit(line: string): void {
    this.lines.push(`  ${line}`);
  }

  protected value(text: string): string {
    const name = `%v${this.next++}`;
    this.emit(`${name} = ${text}`);
    return name;
  }

  protected newLabel(hint: string): string {
    return `${hint}${this.next++}`;
  }

  protected start(label: string): void {
    this.lines.push(`${label}:`);
    this.label = label;
  }

  protected call(result: string, name: string, args: readonly { ty: string; value: string }[]): string {
    this.declarations.set(name, `declare ${result} @${name}(${args.map((a) => a.ty).join(", ")})`);
    const call = `call ${result} @${name}(${args.map((a) => `${a.ty} ${a.value}`).join(", ")})`;
    if (result !== "void") return this.value(call);
    this.emit(call);
    return "";
  }

  protected barrier(): void {
    this.declarations.set("barrier", "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)");
    this.emit(FULL_BARRIER);
  }

  protected special(name: Special): string {
    return this.specials.get(name) ?? bug(`no ${name}`);
  }

  protected element(ty: string, base: string, index: string): string {
    return this.value(`getelementptr ${ty}, ptr ${base}, i32 ${index}`);
  }

  protected sharedSlot(index: string): string {
    return this.value(`getelementptr i64, ptr addrspace(3) @sh, i32 ${index}`);
  }

  protected ballot(mask: string, condition: string): string {
    return this.call("i32", "llvm.nvvm.vote.ballot.sync", [
      { ty: "i32", value: mask },
      { ty: "i1", value: condition },
    ]);
  }

  /** At the start of `label`, reached from `edges`: the values that every variable then has. */
  protected join(label: string, edges: readonly { label: string; env: Env }[], ids: Iterable<number>): Env {
    this.start(label);
    const env: Env = new Map();
    for (const id of ids) {
      const values = edges.map((edge) => edge.env.get(id) as string);
      const same = values.every((value) => value === values[0]);
      env.set(
        id,
        same
          ? (values[0] as string)
          : this.value(
              `phi ${this.types.get(id)} ${edges.map((edge, i) => `[ ${values[i]}, %${edge.label} ]`).join(", ")}`,
            ),
      );
    }
    return env;
  }

  // -------------------------------------------------------------- expressions

  /** A value whose bits may be looked at: a NaN becomes 0. */
  protected visible(expr: Expr, env: Env): string {
    const value = this.expr(expr, env);
    return isFloatTy(expr.ty) ? this.number(expr.ty, value) : value;
  }

  protected number(ty: Ty, value: string): string {
    const zero = constantText(ty, "0.0");
    const isNan = this.value(`fcmp uno ${ty} ${value}, ${zero}`);
    return this.value(`select i1 ${isNan}, ${ty} ${zero}, ${ty} ${value}`);
  }

  protected ownSlot(slot: number): string {
    return this.element("i64", "%own", String(slot));
  }

  protected localSlot(index: string): string {
    return this.element("i32", "%loc", this.value(`and i32 ${index}, ${LOCAL_WORDS - 1}`));
  }

  protected expr(expr: Expr, env: Env): string {
    const e = (part: Expr): string => this.expr(part, env);
    const { ty } = expr;
    switch (expr.kind) {
      case "var":
        return env.get(expr.id) ?? bug(`variable ${expr.id} is not in scope`);
      case "const":
        return constantText(ty, expr.text);
      case "special":
        return this.special(expr.name);
      case "binary":
        return this.value(`${expr.op} ${ty} ${e(expr.a)}, ${e(expr.b)}`);
      case "compare":
        return this.value(`${expr.op} ${expr.predicate} ${expr.a.ty} ${e(expr.a)}, ${e(expr.b)}`);
      case "select":
        return this.value(`select i1 ${e(expr.condition)}, ${ty} ${e(expr.a)}, ${ty} ${e(expr.b)}`);
      case "cast":
        return this.value(`${expr.op} ${expr.a.ty} ${e(expr.a)} to ${ty}`);
      case "fneg":
        return this.value(`fneg ${ty} ${e(expr.a)}`);
      case "number":
        return this.number(ty, e(expr.a));
      case "intrinsic": {
        const args = expr.args.map((arg) => ({ ty: arg.ty as string, value: e(arg) }));
        const result = this.call(expr.part?.structure ?? ty, expr.name, args);
        return expr.part === undefined
          ? result
          : this.value(`extractvalue ${expr.part.structure} ${result}, ${expr.part.index}`);
      }
      case "vector": {
        const vector = `<2 x ${ty}>`;
        const [a, b] = [e(expr.a), e(expr.b)];
        const pair = (first: string, second: string): string => {
          const half = this.value(`insertelement ${vector} poison, ${ty} ${first}, i32 0`);
          return this.value(`insertelement ${vector} ${half}, ${ty} ${second}, i32 1`);
        };
        const result = this.value(`${expr.op} ${vector} ${pair(a, b)}, ${pair(b, a)}`);
        return this.value(`extractelement ${vector} ${result}, i32 ${expr.lane}`);
      }
      case "input": {
        const index = this.value(`and i32 ${e(expr.index)}, ${INPUT_BYTES / BYTES[ty] - 1}`);
        return this.value(`load ${ty}, ptr ${this.element(ty, "%in", index)}, align ${BYTES[ty]}`);
      }
      case "local":
        return this.value(`load i32, ptr ${this.localSlot(e(expr.index))}, align 4`);
      case "own":
        return this.value(`load ${ty}, ptr ${this.ownSlot(expr.slot)}, align ${BYTES[ty]}`);
    }
  }
}

/** A constant as LLVM writes it: half as 0xH…, bfloat as 0xR…, float and double as the bits of a double. */
function constantText(ty: Ty, text: string): string {
  if (!isFloatTy(ty)) return ty === "i1" ? text : BigInt.asIntN(bitsOf(ty), BigInt(text)).toString();
  const value = Number(text);
  const hex = (bits: number | bigint, digits: number): string => bits.toString(16).toUpperCase().padStart(digits, "0");
  if (ty === "half") return `0xH${hex(numberToHalf(value), 4)}`;
  if (ty === "bfloat") return `0xR${hex(numberToBfloat(value), 4)}`;
  return `0x${hex(float64ToBits(value), 16)}`;
}
