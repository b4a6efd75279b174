/** Branches of the thread tier: the moves of phis, yields of loops that may spin, and switches as jump tables. */
import { bug } from "../../base/diagnostics.ts";
import type { IrBlock, IrTerminator, PhiInstruction } from "../../ir/model/ir.ts";
import type { Label } from "../../wasm/function-builder.ts";
import { emitBits } from "../emit/constants.ts";
import { leavesOf, wasmTypeOf } from "../emit/value-types.ts";
import { waitingPlace } from "./fault-sites.ts";
import type { FunctionContext } from "./function-context.ts";
import { targetsOf, type Segment } from "./segments.ts";

type SwitchTerminator = Extract<IrTerminator, { op: "switch" }>;
type Branch = Extract<IrTerminator, { op: "br" | "condbr" | "switch" }>;

export function emitBranch(compiler: FunctionContext, i: Branch, goBlock: (block: IrBlock) => void): void {
  const { code } = compiler;
  switch (i.op) {
    case "br":
      emitEdge(compiler, i.block, i.target, goBlock);
      return;
    case "switch":
      emitSwitch(compiler, i, goBlock);
      return;
    case "condbr":
      if (i.then === i.else) {
        emitEdge(compiler, i.block, i.then, goBlock);
        return;
      }
      compiler.get(i.condition);
      code.if();
      emitEdge(compiler, i.block, i.then, goBlock);
      code.else();
      emitEdge(compiler, i.block, i.else, goBlock);
      code.end();
      code.unreachable();
  }
}

/**
 * Moves the phis of the target, all at once through the stack, and branches. Iterations of loops that may spin are
 * counted: when the fuel is used up, the thread yields.
 */
function emitEdge(compiler: FunctionContext, from: IrBlock, to: IrBlock, goBlock: (block: IrBlock) => void): void {
  const { code, plan } = compiler;
  const moves: PhiInstruction[] = [];
  for (const phi of to.instructions) {
    if (phi.op !== "phi") break;
    const value =
      phi.incoming.find((incoming) => incoming.block === from)?.value ?? bug(`phi without a value for %${from.name}`);
    if (value === phi || value.kind === "const-undef") continue;
    leavesOf(phi.type).forEach((_, n) => compiler.get(value, n));
    moves.push(phi);
  }
  for (const phi of moves.reverse()) for (const local of compiler.localsOf(phi).toReversed()) code.localSet(local);
  const loop = plan.loops.loopOf(to);
  const countsIteration = loop !== null && loop.header === to && loop.blocks.has(from) && plan.yielding.has(loop);
  if (countsIteration || plan.yieldingTargets.has(to)) {
    code.localGet(compiler.fuel).i32Const(1).i32Sub().localTee(compiler.fuel).i32Eqz().if();
    compiler.yieldAt(plan.segmented.segmentOf.get(to) as Segment, waitingPlace(to, countsIteration ? loop : null));
    code.end();
  }
  goBlock(to);
}

function emitSwitch(compiler: FunctionContext, i: SwitchTerminator, goBlock: (block: IrBlock) => void): void {
  const { code } = compiler;
  const targets = targetsOf(i);
  const labels = targets.map(() => code.block());
  const labelOf = (block: IrBlock): Label => labels[labels.length - 1 - targets.indexOf(block)] as Label;
  const wide = wasmTypeOf(i.value.type) === "i64";
  const values = i.cases.map((c) => Number(c.value.value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!wide && values.length >= 3 && high - low < 4 * values.length + 8) {
    const table: Label[] = Array.from({ length: high - low + 1 }, () => labelOf(i.defaultTarget));
    for (const c of i.cases) table[Number(c.value.value) - low] = labelOf(c.target);
    compiler.get(i.value);
    if (low !== 0) code.i32Const(low).i32Sub();
    code.brTable(table, labelOf(i.defaultTarget));
  } else {
    for (const c of i.cases) {
      compiler.get(i.value);
      emitBits(code, i.value.type, c.value.value);
      code.op(wide ? "i64Eq" : "i32Eq").brIf(labelOf(c.target));
    }
    code.br(labelOf(i.defaultTarget));
  }
  for (let n = labels.length - 1; n >= 0; n--) {
    code.end(labels[n] as Label);
    emitEdge(compiler, i.block, targets[labels.length - 1 - n] as IrBlock, goBlock);
  }
}
