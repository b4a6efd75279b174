/**
 * The loops around a warp's code: over the blocks that a call runs, and over the warps of a block, in one function, so
 * that what is the same for all of them (parameters) is loaded once and nothing is called in between.
 *
 * Without barriers at which warps wait, each warp runs once. With them, a block is run in rounds: each takes every live
 * warp to its next barrier or its end; then all have arrived (those that ended do not count).
 */
import type { FunctionBuilder, Label, Local } from "../../../wasm/function-builder.ts";
import { BARRIER_OFFSETS, type ModuleContext } from "./module-context.ts";

/** Locals that hold where the code that runs stands. */
export interface WarpRegisters {
  /** The warp's index in its block. */
  readonly warp: Local;
  readonly ctaid: Readonly<Record<"x" | "y" | "z", Local>>;
  /** The barrier at which the warp goes on, 0 once it is there. */
  readonly resume: Local;
  /** Address of what the warp keeps while it waits. */
  readonly context: Local;
}

/** Parameters of the function. */
const FIRST: Local = 0;
const COUNT: Local = 1;

export class BlockLoops {
  readonly registers: WarpRegisters;
  readonly #m: ModuleContext;
  readonly #f: FunctionBuilder;
  readonly #suspends: boolean;
  /** 0 when the warp has ended, else the barrier at which it waits. */
  readonly #outcome: Local;
  #leave: Label | null = null;

  constructor(m: ModuleContext, f: FunctionBuilder, suspends: boolean) {
    this.#m = m;
    this.#f = f;
    this.#suspends = suspends;
    const local = (): Local => f.freshLocal("i32");
    this.registers = {
      warp: local(),
      ctaid: { x: local(), y: local(), z: local() },
      resume: local(),
      context: local(),
    };
    this.#outcome = local();
  }

  /** `body`: a warp's code, which always leaves by emitLeave. `after`: what every warp needs done when it has left. */
  emit(contextBytes: number, body: () => void, after: () => void): void {
    const f = this.#f;
    const m = this.#m;
    const { ctaid } = this.registers;
    const { nctaid } = m.globals;
    f.localGet(FIRST).globalGet(nctaid.x).i32RemU().localSet(ctaid.x);
    f.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32RemU().localSet(ctaid.y);
    f.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32DivU().localSet(ctaid.z);
    const blocks = f.loop();
    f.localGet(FIRST).globalSet(m.globals.block);
    if (this.#suspends) this.#emitRounds(contextBytes, body, after);
    else this.#forEachWarp(() => this.#emitWarp(body, after));
    f.localGet(FIRST).i32Const(1).i32Add().localSet(FIRST);
    // the next block's coordinates: x fastest
    f.localGet(ctaid.x).i32Const(1).i32Add().localTee(ctaid.x).globalGet(nctaid.x).i32Eq().if();
    f.i32Const(0).localSet(ctaid.x);
    f.localGet(ctaid.y).i32Const(1).i32Add().localTee(ctaid.y).globalGet(nctaid.y).i32Eq().if();
    f.i32Const(0).localSet(ctaid.y);
    f.localGet(ctaid.z).i32Const(1).i32Add().localSet(ctaid.z);
    f.end().end();
    f.localGet(COUNT).i32Const(1).i32Sub().localTee(COUNT).brIf(blocks);
    f.end(blocks);
  }

  /** The warp's code ends here: 0 at its end, else the number of the barrier it waits at. */
  emitLeave(outcome: number): void {
    if (this.#suspends) this.#f.i32Const(outcome).localSet(this.#outcome);
    this.#f.br(this.#leave!);
  }

  #emitWarp(body: () => void, after: () => void): void {
    const f = this.#f;
    const m = this.#m;
    f.localGet(this.registers.warp).globalSet(m.globals.warp);
    const leave = f.block();
    this.#leave = leave;
    body();
    f.end(leave);
    after();
  }

  #emitRounds(contextBytes: number, body: () => void, after: () => void): void {
    const f = this.#f;
    const m = this.#m;
    const outcome = this.#outcome;
    const { warp, resume, context } = this.registers;
    const { globals } = m;
    const running = f.freshLocal("i32");
    const first = f.freshLocal("i32");
    f.i32Const(0).localSet(first);
    const pointAtContext = (): void => {
      f.globalGet(globals.contexts).localGet(warp).i32Const(contextBytes).i32Mul().i32Add().localTee(context);
    };
    this.#forEachWarp(() => {
      pointAtContext();
      f.i32Const(0).i32Store();
    });
    const rounds = f.loop();
    const cell = (): FunctionBuilder => f.globalGet(globals.barrier).globalGet(globals.parity).i32Add();
    cell().i32Const(0).i32Store(BARRIER_OFFSETS.popc);
    cell().i32Const(1).i32Store(BARRIER_OFFSETS.and);
    cell().i32Const(0).i32Store(BARRIER_OFFSETS.or);
    f.i32Const(0).localSet(running);
    // Warps go upwards, as processors expect that go ahead and fetch memory. To the first barrier the first warp goes
    // first, behind it last: real code often has it clear shared memory at the start, without a barrier, before the
    // others write there, and later write, without a barrier, what the others read just after one. On a GPU they have
    // done so by then; so they have here.
    f.localGet(first).localSet(warp);
    const loop = f.loop();
    pointAtContext();
    f.i32Load().localTee(resume).i32Const(0).i32GeS().if();
    this.#emitWarp(body, after);
    f.localGet(context).i32Const(-1).localGet(outcome).localGet(outcome).i32Eqz().select().i32Store();
    f.localGet(running).localGet(outcome).i32Or().localSet(running);
    f.end();
    f.i32Const(0)
      .localGet(warp)
      .i32Const(1)
      .i32Add()
      .localTee(warp)
      .localGet(warp)
      .i32Const(m.warps)
      .i32Eq()
      .select()
      .localTee(warp);
    f.localGet(first).i32Ne().brIf(loop);
    f.end(loop);
    f.i32Const(m.warps > 1 ? 1 : 0).localSet(first);
    f.globalGet(globals.parity).i32Const(16).i32Xor().globalSet(globals.parity);
    f.localGet(running).brIf(rounds);
    f.end(rounds);
  }

  #forEachWarp(body: () => void): void {
    const f = this.#f;
    const m = this.#m;
    const { warp } = this.registers;
    f.i32Const(0).localSet(warp);
    const loop = f.loop();
    body();
    f.localGet(warp).i32Const(1).i32Add().localTee(warp).i32Const(m.warps).i32LtU().brIf(loop);
    f.end(loop);
  }
}
