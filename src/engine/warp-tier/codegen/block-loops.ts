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
  readonly #kernelModule: ModuleContext;
  readonly #code: FunctionBuilder;
  readonly #suspends: boolean;
  /** 0 when the warp has ended, else the barrier at which it waits. */
  readonly #outcome: Local;
  #leave: Label | null = null;

  constructor(kernelModule: ModuleContext, code: FunctionBuilder, suspends: boolean) {
    this.#kernelModule = kernelModule;
    this.#code = code;
    this.#suspends = suspends;
    const local = (): Local => code.freshLocal("i32");
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
    const code = this.#code;
    const kernelModule = this.#kernelModule;
    const { ctaid } = this.registers;
    const { nctaid } = kernelModule.globals;
    code.localGet(FIRST).globalGet(nctaid.x).i32RemU().localSet(ctaid.x);
    code.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32RemU().localSet(ctaid.y);
    code.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32DivU().localSet(ctaid.z);
    const blocks = code.loop();
    code.localGet(FIRST).globalSet(kernelModule.globals.block);
    if (this.#suspends) this.#emitRounds(contextBytes, body, after);
    else this.#forEachWarp(() => this.#emitWarp(body, after));
    code.localGet(FIRST).i32Const(1).i32Add().localSet(FIRST);
    // the next block's coordinates: x fastest
    code.localGet(ctaid.x).i32Const(1).i32Add().localTee(ctaid.x).globalGet(nctaid.x).i32Eq().if();
    code.i32Const(0).localSet(ctaid.x);
    code.localGet(ctaid.y).i32Const(1).i32Add().localTee(ctaid.y).globalGet(nctaid.y).i32Eq().if();
    code.i32Const(0).localSet(ctaid.y);
    code.localGet(ctaid.z).i32Const(1).i32Add().localSet(ctaid.z);
    code.end().end();
    code.localGet(COUNT).i32Const(1).i32Sub().localTee(COUNT).brIf(blocks);
    code.end(blocks);
  }

  /** The warp's code ends here: 0 at its end, else the number of the barrier it waits at. */
  emitLeave(outcome: number): void {
    if (this.#suspends) this.#code.i32Const(outcome).localSet(this.#outcome);
    this.#code.br(this.#leave!);
  }

  #emitWarp(body: () => void, after: () => void): void {
    const code = this.#code;
    const kernelModule = this.#kernelModule;
    code.localGet(this.registers.warp).globalSet(kernelModule.globals.warp);
    const leave = code.block();
    this.#leave = leave;
    body();
    code.end(leave);
    after();
  }

  #emitRounds(contextBytes: number, body: () => void, after: () => void): void {
    const code = this.#code;
    const kernelModule = this.#kernelModule;
    const outcome = this.#outcome;
    const { warp, resume, context } = this.registers;
    const { globals } = kernelModule;
    const running = code.freshLocal("i32");
    const first = code.freshLocal("i32");
    code.i32Const(0).localSet(first);
    const pointAtContext = (): void => {
      code.globalGet(globals.contexts).localGet(warp).i32Const(contextBytes).i32Mul().i32Add().localTee(context);
    };
    this.#forEachWarp(() => {
      pointAtContext();
      code.i32Const(0).i32Store();
    });
    const rounds = code.loop();
    const cell = (): FunctionBuilder => code.globalGet(globals.barrier).globalGet(globals.parity).i32Add();
    cell().i32Const(0).i32Store(BARRIER_OFFSETS.popc);
    cell().i32Const(1).i32Store(BARRIER_OFFSETS.and);
    cell().i32Const(0).i32Store(BARRIER_OFFSETS.or);
    code.i32Const(0).localSet(running);
    // Warps go upwards, as processors expect that go ahead and fetch memory. To the first barrier the first warp goes
    // first, behind it last: real code often has it clear shared memory at the start, without a barrier, before the
    // others write there, and later write, without a barrier, what the others read just after one. On a GPU they have
    // done so by then; so they have here.
    code.localGet(first).localSet(warp);
    const loop = code.loop();
    pointAtContext();
    code.i32Load().localTee(resume).i32Const(0).i32GeS().if();
    this.#emitWarp(body, after);
    code.localGet(context).i32Const(-1).localGet(outcome).localGet(outcome).i32Eqz().select().i32Store();
    code.localGet(running).localGet(outcome).i32Or().localSet(running);
    code.end();
    code
      .i32Const(0)
      .localGet(warp)
      .i32Const(1)
      .i32Add()
      .localTee(warp)
      .localGet(warp)
      .i32Const(kernelModule.warps)
      .i32Eq()
      .select()
      .localTee(warp);
    code.localGet(first).i32Ne().brIf(loop);
    code.end(loop);
    code.i32Const(kernelModule.warps > 1 ? 1 : 0).localSet(first);
    code.globalGet(globals.parity).i32Const(16).i32Xor().globalSet(globals.parity);
    code.localGet(running).brIf(rounds);
    code.end(rounds);
  }

  #forEachWarp(body: () => void): void {
    const code = this.#code;
    const kernelModule = this.#kernelModule;
    const { warp } = this.registers;
    code.i32Const(0).localSet(warp);
    const loop = code.loop();
    body();
    code.localGet(warp).i32Const(1).i32Add().localTee(warp).i32Const(kernelModule.warps).i32LtU().brIf(loop);
    code.end(loop);
  }
}
