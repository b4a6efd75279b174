/**
 * The loops around a warp's code: over the blocks that a call runs, and over the warps of a block. They stand in one
 * function, so that parameters are loaded once and there are no calls in between.
 *
 * In a kernel without barriers between warps each warp runs once. Otherwise a block runs in rounds: a round takes every
 * warp that has not ended to its next barrier or its end. At the end of a round all of them have arrived. Warps that
 * wait apart from one another (planning/suspensions.ts) have rounds of their own.
 */
import type { FunctionBuilder, Label, Local } from "../../../wasm/function-builder.ts";
import { emitClearBarrierCells, emitSwapBarrierCells } from "./barrier-reductions.ts";
import type { ModuleContext, WaitImports } from "./module-context.ts";

/** Locals with the position of the code that runs: block, warp and barrier. */
export interface WarpRegisters {
  /** The warp's index in its block. */
  readonly warp: Local;
  readonly ctaid: Readonly<Record<"x" | "y" | "z", Local>>;
  /** The barrier after which the warp resumes; 0 once it has resumed. */
  readonly resume: Local;
  /** Address of the warp's context: the values that it needs after the barrier at which it waits. */
  readonly context: Local;
}

/**
 * Words at the start of a context, behind the number of the barrier: whether the warp waits at a barrier, the lanes
 * that wait, and how many groups of products it has committed.
 */
export const CONTEXT_WORDS = { atBarrier: 4, lanes: 8, products: 12 } as const;
/** Every so many rounds the state of a block is compared where its warps come to other waits in each. A power of 2. */
export const ROUNDS_PER_LOOK = 4096;
/** Rounds after which warps that go in circles are where they were. */
export const LONGEST_CIRCLE = 6;

/** Parameters of the function. */
const FIRST: Local = 0;
const COUNT: Local = 1;

export class BlockLoops {
  readonly registers: WarpRegisters;
  readonly #kernelModule: ModuleContext;
  readonly #code: FunctionBuilder;
  readonly #suspends: boolean;
  /** The context is needed by warps that never wait, too. */
  readonly #usesContext: boolean;
  /** 0 when the warp has ended, else the number of the barrier at which it waits. */
  readonly #outcome: Local;
  #leave: Label | null = null;

  constructor(kernelModule: ModuleContext, code: FunctionBuilder, suspends: boolean, usesContext: boolean) {
    this.#kernelModule = kernelModule;
    this.#code = code;
    this.#suspends = suspends;
    this.#usesContext = usesContext;
    const local = (): Local => code.freshLocal("i32");
    this.registers = {
      warp: local(),
      ctaid: { x: local(), y: local(), z: local() },
      resume: local(),
      context: local(),
    };
    this.#outcome = local();
  }

  /** `body`: a warp's code, which always leaves through emitLeave. `after`: code that runs after each warp has left. */
  emit(contextBytes: number, body: () => void, after: () => void): void {
    const code = this.#code;
    const kernelModule = this.#kernelModule;
    const { ctaid } = this.registers;
    const { nctaid } = kernelModule.globals;
    code.localGet(FIRST).globalGet(nctaid.x).i32RemU().localSet(ctaid.x);
    code.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32RemU().localSet(ctaid.y);
    code.localGet(FIRST).globalGet(nctaid.x).i32DivU().globalGet(nctaid.y).i32DivU().localSet(ctaid.z);
    if (this.#usesContext && !this.#suspends)
      code.globalGet(kernelModule.globals.contexts).localSet(this.registers.context);
    const blocks = code.loop();
    code.localGet(FIRST).globalSet(kernelModule.globals.block);
    if (kernelModule.waits !== null) this.#emitRoundsApart(contextBytes, kernelModule.waits, body, after);
    else if (this.#suspends) this.#emitRounds(contextBytes, body, after);
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
    emitClearBarrierCells(code, globals);
    code.i32Const(0).localSet(running);
    // Warps run in ascending order, which suits the processor's prefetcher. Up to the first barrier warp 0 runs first,
    // and after it last. Programs with races count on that: warp 0 clears shared memory at the start, and after a
    // barrier it writes what the others have just read, both without a barrier in between. On a GPU warp 0 is usually
    // first, and last, in the same places.
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
    emitSwapBarrierCells(code, globals);
    code.localGet(running).brIf(rounds);
    code.end(rounds);
  }

  /**
   * Warps that wait apart from one another: a round takes every warp that does not wait at a barrier to its next wait.
   * The runner knows the barriers (block-waits.ts). It is asked when no warp has come to another wait, and now and
   * then, as warps may also go in circles. It lets other blocks of the cluster go on then; this one goes on in another
   * call, with what its contexts hold.
   */
  #emitRoundsApart(contextBytes: number, waits: WaitImports, body: () => void, after: () => void): void {
    const code = this.#code;
    const outcome = this.#outcome;
    const { warp, resume, context } = this.registers;
    const { globals } = this.#kernelModule;
    const running = code.freshLocal("i32");
    const moved = code.freshLocal("i32");
    const idle = code.freshLocal("i32");
    const all = code.freshLocal("i32");
    const before = code.freshLocal("i32");
    const pointAtContext = (): void => {
      code.globalGet(globals.contexts).localGet(warp).i32Const(contextBytes).i32Mul().i32Add().localTee(context);
    };
    code.call(waits.begin).if();
    this.#forEachWarp(() => {
      pointAtContext();
      code.i64Const(0n).i64Store();
      code.localGet(context).i32Const(0).i32Store(CONTEXT_WORDS.products);
    });
    code.end();
    code.i32Const(0).localSet(idle).i32Const(0).localSet(all);
    const rounds = code.loop();
    code.i32Const(0).localSet(running).i32Const(0).localSet(moved);
    this.#forEachWarp(() => {
      pointAtContext();
      code.i32Load().localTee(before).localSet(resume);
      code.localGet(before).i32Const(0).i32GeS().if();
      code.i32Const(1).localSet(running);
      code.localGet(context).i32Load(CONTEXT_WORDS.atBarrier).i32Eqz().if();
      this.#emitWarp(body, after);
      code.localGet(context).i32Const(-1).localGet(outcome).localGet(outcome).i32Eqz().select().i32Store();
      code.localGet(outcome).i32Eqz().if();
      code.call(waits.end);
      code.end();
      code.localGet(moved).localGet(outcome).localGet(before).i32Ne().i32Or().localSet(moved);
      code.end();
      code.end();
    });
    code.localGet(running).if();
    code.localGet(moved).i32Eqz().localGet(idle).i32Const(1).i32Add().i32Mul().localSet(idle);
    code
      .localGet(all)
      .i32Const(1)
      .i32Add()
      .localTee(all)
      .i32Const(ROUNDS_PER_LOOK - 1)
      .i32And();
    code.i32Const(LONGEST_CIRCLE).i32LeU().localGet(idle).i32Or().if();
    code.localGet(idle).localGet(all).call(waits.stall).if();
    code.return().end();
    code.end();
    code.br(rounds);
    code.end();
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
