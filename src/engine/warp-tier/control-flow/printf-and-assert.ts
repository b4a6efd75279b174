/** printf, assert and trap: calls of functions outside of the module, made by each active lane. */
import { PRINT_FUNCTIONS, WIDE_PRINTF } from "../../../ir/intrinsics/print-functions.ts";
import type { IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { ARGUMENTS_OUTSIDE_MEMORY } from "../../packed-arguments.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { ModuleImports } from "./module-context.ts";

const PER_LANE: ReadonlySet<string> = new Set([
  ...PRINT_FUNCTIONS.keys(),
  "__assertfail",
  "__assert_fail",
  "llvm.trap",
  "llvm.ubsantrap",
]);

export function isPrintfOrAssert(name: string): boolean {
  return PER_LANE.has(name);
}

/** message, file, line, function */
const ASSERTION_ARGUMENTS = 4;

export class PrintfAndAssert {
  readonly #module: ModuleBuilder;
  readonly #imports: ModuleImports;
  #noteAssertion: FunctionBuilder | null = null;

  constructor(module: ModuleBuilder, imports: ModuleImports) {
    this.#module = module;
    this.#imports = imports;
  }

  /** Emits the call of one lane, inside the loop over lanes. False for other instructions. */
  emitForLane(code: FunctionBuilder, i: IrInstruction, context: ScalarContext): boolean {
    if (i.op !== "call") return false;
    switch (calleeName(i)) {
      case "vprintf":
      case WIDE_PRINTF:
        this.#emitPrintf(code, i, context);
        return true;
      case "llvm.trap":
      case "llvm.ubsantrap":
        context.fault("trap", i);
        return true;
      case "__assertfail":
      case "__assert_fail":
        this.#emitAssertion(code, i, context);
        return true;
      default:
        return false;
    }
  }

  #emitPrintf(code: FunctionBuilder, i: IrInstruction & { op: "call" }, context: ScalarContext): void {
    context.get(i.args[0]!);
    const [args, written] = [code.local("i32"), code.local("i32")];
    context.get(i.args[1]!);
    code.localTee(args).i32Const(PRINT_FUNCTIONS.get(calleeName(i) ?? "") ?? 4);
    code.call(this.#imports.print).localTee(written);
    context.set(i);
    code.localGet(written).i32Const(ARGUMENTS_OUTSIDE_MEMORY).i32Eq().if();
    context.fault("address", i, args);
    code.end();
    code.free(args, written);
  }

  /** Only the fault knows the lane. So the module remembers the texts first, and the fault reports both. */
  #emitAssertion(code: FunctionBuilder, i: IrInstruction & { op: "call" }, context: ScalarContext): void {
    const isShort = i.args.length < ASSERTION_ARGUMENTS;
    for (let n = 0; n < ASSERTION_ARGUMENTS; n++) {
      if (isShort && n >= i.args.length) code.i32Const(0);
      else context.get(i.args[n]!);
    }
    code.call(this.#assertionTexts());
    context.fault("assert", i);
  }

  /** (message, file, line, function): remembers the texts for the fault that follows. */
  #assertionTexts(): FunctionBuilder {
    if (this.#noteAssertion === null) {
      const code = this.#module.function("assert_texts", ["i32", "i32", "i32", "i32"], []);
      code.i32Const(0).localGet(0).localGet(1).localGet(2).localGet(3).i32Const(0).call(this.#imports.assert);
      this.#noteAssertion = code;
    }
    return this.#noteAssertion;
  }
}
