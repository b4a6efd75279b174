/**
 * Scalarized loops: divergent loops with gathers, such as walks over graphs, lists and sparse rows. With few active
 * lanes scalar code, lane by lane, is faster than vectors that are mostly empty.
 *
 * Such a loop exists twice. Its entry counts the lanes. A few lanes run the scalar version one after the other, each
 * through all its iterations; many run the vector version. Afterwards the lanes continue at the loop's exits as if they
 * had arrived together. CUDA lets lanes run apart between operations that need them together, and these loops have
 * none.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type { IrBlock, IrInstruction, IrValue } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import type { EdgeEmitter } from "./edges.ts";
import { elementOf, scalarTypeOf } from "../lane-operations/element.ts";
import type { FlowLoop } from "../../../analysis/loops/flow-graph.ts";
import type { MaskLocals } from "./mask-locals.ts";
import type { ModuleContext } from "./module-context.ts";
import type { ScheduledEdge } from "../planning/block-order.ts";
import {
  MATRIX_SLOT,
  SCRATCH_SLOTS,
  forEachLane,
  loadLane,
  spillToSlot,
  storeLane,
} from "../lane-operations/lane-scratch.ts";
import { strideOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import { emitStructured } from "./structured-control-flow.ts";
import type { Values } from "../lane-operations/value-location.ts";

/**
 * Up to so many lanes run the scalar version. An iteration of vector code with two gathers takes as long as about 25
 * iterations of one lane.
 */
const FEW_LANES = 24;
/** The loop exists twice, so it must be small. */
const MAX_INSTRUCTIONS = 100;

const SCALAR_OPERATIONS: ReadonlySet<IrInstruction["op"]> = new Set([
  "phi",
  "binary",
  "fneg",
  "icmp",
  "fcmp",
  "cast",
  "select",
  "freeze",
  "gep",
  "load",
  "store",
  "atomicrmw",
  "br",
  "condbr",
]);

/** The loops that have a scalar version, by their numbers. */
export function loopsToScalarize(analysis: WarpAnalysis): ReadonlySet<number> {
  const { flow } = analysis;
  return new Set(flow.loops.filter((l) => analysis.divergentLoop[l.id] && isWorthIt(analysis, l)).map((l) => l.id));
}

function isWorthIt(analysis: WarpAnalysis, loop: FlowLoop): boolean {
  const { flow } = analysis;
  let count = 0;
  let hasGather = false;
  for (const b of loop.blocks) {
    for (const i of flow.blocks[b]!.instructions) {
      count++;
      if (!SCALAR_OPERATIONS.has(i.op) || i.type.kind === "struct" || (i.op === "condbr" && i.then === i.else))
        return false;
      if (operandsOf(i).some((o) => o.kind === "instruction" && o.type.kind === "struct")) return false;
      if (i.op === "load" && strideOf(analysis.shapeOf(i.pointer)) === null) hasGather = true;
    }
  }
  return hasGather && count <= MAX_INSTRUCTIONS;
}

export interface LaneLoopContext {
  readonly kernelModule: ModuleContext;
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly analysis: WarpAnalysis;
  readonly masks: MaskLocals;
  readonly edges: EdgeEmitter;
  scalarContext(): ScalarContext;
}

/** Emits both paths from the loop's entry. `exits`: the edges that leave the loop. */
export function emitScalarizedLoop(
  context: LaneLoopContext,
  loop: FlowLoop,
  exits: readonly ScheduledEdge[],
  goScalar: () => void,
  goVector: () => void,
): void {
  const { code, masks } = context;
  const waiting = masks.pending(loop.header);
  code.localGet(waiting).i32Popcnt().i32Const(FEW_LANES).i32LeU().if();
  const lanes = code.local("i32");
  code.localGet(waiting).localSet(lanes);
  if (masks.isConsumed(loop.header)) code.i32Const(0).localSet(waiting);
  new ScalarLoop(context, loop, exits).emit(lanes);
  code.free(lanes);
  goScalar();
  code.else();
  goVector();
  code.end();
}

class ScalarLoop {
  readonly #context: LaneLoopContext;
  readonly #loop: FlowLoop;
  readonly #exits: readonly ScheduledEdge[];
  /** Values of the lane that runs. */
  readonly #locals = new Map<IrValue, Local>();
  /** The lanes that left by an exit. */
  readonly #left: Local[];
  #slots = SCRATCH_SLOTS;

  constructor(context: LaneLoopContext, loop: FlowLoop, exits: readonly ScheduledEdge[]) {
    this.#context = context;
    this.#loop = loop;
    this.#exits = exits;
    this.#left = exits.map(() => context.code.local("i32"));
  }

  emit(lanes: Local): void {
    const { code, kernelModule, values, edges } = this.#context;
    const { scratch } = kernelModule.globals;
    const inputs = this.#inputs();
    const inputSlots = inputs.map((v) => {
      const slot = this.#takeSlot();
      spillToSlot(code, values, scratch, v, slot);
      return slot;
    });
    const results = new Map<IrInstruction, number>();
    for (const { from, to } of this.#exits)
      for (const { value } of this.#phiInputs(from, to))
        if (this.#isInside(value) && !results.has(value)) results.set(value, this.#takeSlot());
    for (const l of this.#left) code.i32Const(0).localSet(l);
    forEachLane(code, lanes, (lane) => {
      inputs.forEach((v, n) => {
        loadLane(code, scratch, lane, elementOf(v.type), inputSlots[n]!);
        code.localSet(this.#localOf(v));
      });
      for (const i of this.#headerPhis())
        if (!inputs.includes(i)) {
          values.pushScalar(i);
          code.localSet(this.#localOf(i));
        }
      this.#emitIterations(lane, results);
    });
    code.free(...this.#locals.values());
    for (const [value, slot] of results) values.inScratch.set(value, slot);
    this.#exits.forEach((e, n) => edges.emitEdge(e, this.#left[n]!));
    values.inScratch.clear();
    code.free(...this.#left);
  }

  /** All iterations of one lane. */
  #markLoop(id: number): void {
    const { code, kernelModule, analysis } = this.#context;
    const { blocks, loops } = analysis.flow;
    const loop = loops[id]!;
    kernelModule.loopMarks.beginIteration(code, {
      header: blocks[loop.header]!,
      blocks: new Set([...loop.blocks].map((b) => blocks[b]!)),
      outermost: loop.parent === -1,
    });
  }

  #emitIterations(lane: Local, results: ReadonlyMap<IrInstruction, number>): void {
    const { code, kernelModule, analysis } = this.#context;
    const { flow } = analysis;
    const blocks = [...this.#loop.blocks].sort((a, b) => a - b);
    const nodeOf = new Map(blocks.map((b, n) => [b, n]));
    const exitNode = (from: number, to: number): number =>
      blocks.length + this.#exits.findIndex((e) => e.from === from && e.to === to);
    const target = (from: number, to: number): number => nodeOf.get(to) ?? exitNode(from, to);
    const context: ScalarContext = {
      ...this.#context.scalarContext(),
      get: (v) => this.#push(v),
      set: (i) => code.localSet(this.#localOf(i)),
      fault: (reason, i, address) => {
        code.localGet(lane);
        kernelModule.emitFault(code, reason, i, address);
      },
    };
    const done = code.block();
    emitStructured(code, {
      count: blocks.length + this.#exits.length,
      entry: nodeOf.get(this.#loop.header)!,
      beginIteration: (n) => this.#markLoop(flow.loopOf[blocks[n]!]!),
      successors: (n) => (n >= blocks.length ? [] : flow.successors[blocks[n]!]!.map((s) => target(blocks[n]!, s))),
      emit: (n, go) => {
        if (n >= blocks.length) {
          const exit = this.#exits[n - blocks.length]!;
          const stored = new Set<IrValue>();
          for (const { value } of this.#phiInputs(exit.from, exit.to)) {
            if (!this.#isInside(value) || stored.has(value)) continue;
            stored.add(value);
            const element = elementOf(value.type);
            const t = code.local(scalarTypeOf(element));
            this.#push(value);
            storeLane(code, kernelModule.globals.scratch, lane, element, results.get(value)!, t);
            code.free(t);
          }
          const left = this.#left[n - blocks.length]!;
          code.localGet(left).i32Const(1).localGet(lane).i32Shl().i32Or().localSet(left).br(done);
          return;
        }
        const b = blocks[n]!;
        const leave = (to: number): void => {
          this.#emitMoves(b, to);
          go(target(b, to));
        };
        for (const i of flow.blocks[b]!.instructions) {
          if (i.op === "phi") continue;
          code.mark(kernelModule.siteOf(i));
          if (i.op === "br") leave(flow.indexOf.get(i.target)!);
          else if (i.op === "condbr") {
            this.#push(i.condition);
            code.if();
            leave(flow.indexOf.get(i.then)!);
            code.else();
            leave(flow.indexOf.get(i.else)!);
            code.end();
          } else if (!emitScalarInstruction(context, i))
            throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
        }
      },
    });
    code.unreachable();
    code.end(done);
  }

  /** Phis of a block of the loop take their values, all at once. */
  #emitMoves(from: number, to: number): void {
    if (!this.#loop.blocks.has(to)) return;
    const moves = this.#phiInputs(from, to).filter(({ value, phi }) => value !== phi && value.kind !== "const-undef");
    for (const { value } of moves) this.#push(value);
    for (const { phi } of [...moves].reverse()) this.#context.code.localSet(this.#localOf(phi));
  }

  #phiInputs(from: number, to: number): { readonly phi: IrInstruction; readonly value: IrValue }[] {
    const { blocks } = this.#context.analysis.flow;
    const result: { phi: IrInstruction; value: IrValue }[] = [];
    for (const i of blocks[to]!.instructions) {
      if (i.op !== "phi") break;
      result.push({
        phi: i,
        value:
          i.incoming.find((x) => x.block === blocks[from]!)?.value ??
          bug(`phi %${i.name} knows nothing of ${blocks[from]!.name}`),
      });
    }
    return result;
  }

  /** The values that differ between lanes at the entry: phis of the header, and values from outside of the loop. */
  #inputs(): IrInstruction[] {
    const { analysis } = this.#context;
    const found = new Set<IrInstruction>();
    const note = (v: IrValue): void => {
      if (v.kind === "instruction" && analysis.shapeOf(v).kind !== "uniform") found.add(v);
    };
    for (const i of this.#headerPhis()) note(i);
    for (const b of this.#loop.blocks) {
      for (const i of analysis.flow.blocks[b]!.instructions) {
        if (i.op === "phi")
          for (const { value, block } of i.incoming) {
            if (this.#isInsideBlock(block) && !this.#isInside(value)) note(value);
          }
        else for (const o of operandsOf(i)) if (!this.#isInside(o)) note(o);
      }
    }
    return [...found];
  }

  #headerPhis(): IrInstruction[] {
    return this.#context.analysis.flow.blocks[this.#loop.header]!.instructions.filter((i) => i.op === "phi");
  }

  #push(v: IrValue): void {
    const local = this.#locals.get(v);
    if (local !== undefined) this.#context.code.localGet(local);
    else if (this.#isInside(v)) this.#context.code.localGet(this.#localOf(v));
    else this.#context.values.pushScalar(v);
  }

  #localOf(v: IrInstruction): Local {
    let local = this.#locals.get(v);
    if (local === undefined) this.#locals.set(v, (local = this.#context.code.local(scalarTypeOf(elementOf(v.type)))));
    return local;
  }

  #isInside(v: IrValue): v is IrInstruction {
    return v.kind === "instruction" && this.#isInsideBlock(v.block);
  }

  #isInsideBlock(block: IrBlock): boolean {
    return this.#loop.blocks.has(this.#context.analysis.flow.indexOf.get(block)!);
  }

  /** Slots behind those of other helpers. Deferred loads use them, too, but there are none at the end of a block. */
  #takeSlot(): number {
    if (this.#slots === MATRIX_SLOT) throw unsupported("a loop with so many values in the warp tier");
    return this.#slots++;
  }
}
