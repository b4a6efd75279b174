/**
 * Marks of loops: which loop a thread is in, so that the report of a kernel that does not end names a line.
 *
 * The code stores the number of its loop (from 1) to the word at the global `loopWord`: before every outermost loop,
 * and in every iteration of a loop that may go on for ever. A loop that counts towards a bound stores nothing in its
 * iterations, so that the marks cost nothing where time matters.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { IrBlock, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";

export interface MarkedLoop {
  readonly header: IrBlock;
  readonly blocks: ReadonlySet<IrBlock>;
  readonly outermost: boolean;
}

export class LoopMarks {
  /** Where each loop is, by its mark less one. */
  readonly locations: (SourceLocation | null)[] = [];
  readonly #marks = new Map<IrBlock, number>();
  readonly #global: number;

  /** @param global the index of the WebAssembly global `loopWord`. */
  constructor(global: number) {
    this.#global = global;
  }

  beforeLoop(code: FunctionBuilder, loop: MarkedLoop): void {
    if (loop.outermost) this.#emit(code, loop);
  }

  beginIteration(code: FunctionBuilder, loop: MarkedLoop): void {
    if (!countsToBound(loop)) this.#emit(code, loop);
  }

  #emit(code: FunctionBuilder, loop: MarkedLoop): void {
    let mark = this.#marks.get(loop.header);
    if (mark === undefined) {
      mark = this.locations.push(locationOf(loop));
      this.#marks.set(loop.header, mark);
    }
    code.globalGet(this.#global).i32Const(mark).i32Store(0);
  }
}

/** The line of the loop's condition, or of the first instruction in it. */
function locationOf({ header, blocks }: MarkedLoop): SourceLocation | null {
  const inside = [header, ...blocks].flatMap(({ instructions }) => instructions);
  const exit = inside.find((i) => i.op === "condbr" && !(blocks.has(i.then) && blocks.has(i.else)));
  return exit?.location ?? inside.find(({ location }) => location !== null)?.location ?? null;
}

/** Whether an iteration brings a counter nearer to a bound that the loop does not change. */
export function countsToBound({ header, blocks }: Pick<MarkedLoop, "header" | "blocks">): boolean {
  const isInvariant = (value: IrValue): boolean => value.kind !== "instruction" || !blocks.has(value.block);
  for (const block of blocks) {
    const last = block.instructions.at(-1);
    if (last?.op !== "condbr" || (blocks.has(last.then) && blocks.has(last.else))) continue;
    // Every iteration passes the header, and a block that goes back to it.
    if (block !== header && last.then !== header && last.else !== header) continue;
    const test = last.condition;
    if (test.kind !== "instruction" || test.op !== "icmp") continue;
    const { lhs, rhs } = test;
    if ((isCounter(lhs, header, blocks) && isInvariant(rhs)) || (isCounter(rhs, header, blocks) && isInvariant(lhs)))
      return true;
  }
  return false;
}

/** A phi of the header that grows by a constant, or its next value. */
function isCounter(value: IrValue, header: IrBlock, blocks: ReadonlySet<IrBlock>): boolean {
  if (value.kind !== "instruction") return false;
  const phi = value.op === "binary" ? value.lhs : value;
  if (phi.kind !== "instruction" || phi.op !== "phi" || phi.block !== header) return false;
  const again = phi.incoming.filter(({ block }) => blocks.has(block)).map((incoming) => incoming.value);
  if (value.op === "binary" && !again.includes(value)) return false;
  return again.length > 0 && again.every((next) => growsByConstant(next, phi));
}

function growsByConstant(next: IrValue, phi: IrInstruction): boolean {
  return (
    next.kind === "instruction" &&
    next.op === "binary" &&
    (next.operator === "add" || next.operator === "sub") &&
    next.lhs === phi &&
    next.rhs.kind === "const-int" &&
    next.rhs.value !== 0n
  );
}
