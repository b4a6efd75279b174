/**
 * Emits a kernel as one WebAssembly function that runs blocks: (first, count), linear indices. The loops over blocks
 * and warps are in block-loops.ts. This file emits the control flow of one warp, up to its end or the barrier at which
 * it must wait for other warps: it walks the schedule's nodes in structured order.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrParam } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import type { Schedule, ScheduleNode } from "../planning/block-order.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { RangeChecks } from "../planning/in-bounds-accesses.ts";
import { planLoopChecks } from "../planning/loop-checks.ts";
import { NO_MEMORY_VALUES, planMemoryValues, type MemoryValues } from "../planning/memory-values.ts";
import { productLoop } from "../planning/product-loops.ts";
import { isMissingProducts } from "../planning/pass-suspend-at-products.ts";
import { clusterBarrierOf, isSuspend, testedBy } from "../planning/suspensions.ts";
import { findUses } from "../planning/value-uses.ts";
import { emitCompare } from "../lane-operations/comparisons.ts";
import type { WaitPlace } from "../metadata.ts";
import { Values } from "../lane-operations/value-location.ts";
import { BlockLoops, CONTEXT_WORDS } from "./block-loops.ts";
import { ConditionMasks } from "./condition-masks.ts";
import { EdgeEmitter } from "./edges.ts";
import { InstructionEmitter } from "./instruction-emitter.ts";
import { constantOf, emitParameters, pushSharedAddress } from "./kernel-constants.ts";
import { LoopCheckEmitter } from "./loop-check-emitter.ts";
import { MaskLocals } from "./mask-locals.ts";
import type { ModuleContext } from "./module-context.ts";
import { emitProductLoop } from "./product-loop-emitter.ts";
import { emitScalarizedLoop } from "./scalarized-loops.ts";
import { Spills } from "./barrier-spills.ts";
import { emitStructured } from "./structured-control-flow.ts";

export interface EmittedFunction {
  readonly contextBytes: number;
  /** Where warps wait, by resume index, from 1. */
  readonly waits: readonly WaitPlace[];
}

type NodeOf<Kind extends ScheduleNode["kind"]> = ScheduleNode & { readonly kind: Kind };
type Go = (node: number) => void;

function waitsFor(i: IrInstruction | undefined): WaitPlace["what"] {
  if (isSuspend(i)) return isMissingProducts(testedBy(i)) ? "products" : "memory";
  return i?.op === "call" && clusterBarrierOf(i) !== null ? "cluster-sync" : "barrier";
}

export class FunctionEmitter {
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #kernelModule: ModuleContext;
  readonly #analysis: WarpAnalysis;
  readonly #schedule: Schedule;
  readonly #loops: BlockLoops;
  readonly #masks: MaskLocals;
  readonly #edges: EdgeEmitter;
  readonly #spills: Spills;
  readonly #loopChecks: LoopCheckEmitter;
  readonly #instructions: InstructionEmitter;
  #paramLocals: ReadonlyMap<IrParam, Local> = new Map();

  constructor(kernelModule: ModuleContext, code: FunctionBuilder, analysis: WarpAnalysis, schedule: Schedule) {
    this.#kernelModule = kernelModule;
    this.#code = code;
    this.#analysis = analysis;
    this.#schedule = schedule;
    const checks = new RangeChecks(analysis, kernelModule.kernel, kernelModule.block, kernelModule.env.addresses);
    const uses = findUses(analysis.flow);
    const memory = planMemory(kernelModule, analysis, schedule);
    this.#loops = new BlockLoops(kernelModule, code, schedule.resumes.length > 0, memory !== NO_MEMORY_VALUES);
    const { registers } = this.#loops;
    const values = new Values({
      code,
      shapeOf: (v) => analysis.shapeOf(v),
      constantBits: (v) => constantOf(kernelModule, v),
      scratch: kernelModule.globals.scratch,
      paramLocal: (p) => this.#paramLocals.get(p) ?? bug(`parameter ${p.name} has no local`),
      relaxedSimd: kernelModule.env.features.relaxedSimd,
      isBlockLocal: (i) => !uses.crossesBlocks.has(i),
      inMemory: memory.offsets,
      memory: registers.context,
      pushAddress: (v) => pushSharedAddress(code, kernelModule, v),
    });
    this.#values = values;
    const conditions = new ConditionMasks(code, values, analysis);
    const suspends = new Set(schedule.resumes.map((r) => r.block));
    const loopChecks = planLoopChecks(analysis, checks, suspends);
    this.#loopChecks = new LoopCheckEmitter(code, values, kernelModule.env.limits, loopChecks);
    const masks = new MaskLocals(code, analysis, schedule);
    this.#masks = masks;
    this.#edges = new EdgeEmitter(code, values, analysis, masks, conditions, (lanes, place) =>
      this.#emitTrap(lanes, place),
    );
    this.#spills = new Spills(kernelModule, code, values, analysis, schedule, masks, registers.context, memory);
    this.#instructions = new InstructionEmitter({
      code,
      values,
      kernelModule,
      registers,
      analysis,
      uses,
      masks,
      conditions,
      checks,
      loopChecks: this.#loopChecks,
      contextBytes: this.#spills.bytes,
    });
    conditions.emitCompareSlice = (i, slice) => emitCompare(this.#instructions.vectors.emitter, i, slice);
  }

  emit(): EmittedFunction {
    const code = this.#code;
    this.#paramLocals = emitParameters(code, this.#kernelModule);
    this.#loops.emit(
      this.#spills.bytes,
      () => this.#emitWarp(),
      () => this.#masks.emitClearPending(),
    );
    return { contextBytes: this.#spills.bytes, waits: this.#waitPlaces() };
  }

  #waitPlaces(): readonly WaitPlace[] {
    return this.#schedule.resumes.map(({ block }) => {
      const i = this.#analysis.flow.blocks[block]!.instructions.at(-2);
      return { what: waitsFor(i), location: i?.location ?? null };
    });
  }

  #emitWarp(): void {
    const code = this.#code;
    const { nodes, entry, resumes } = this.#schedule;
    const start = code.laterHere();
    this.#masks.emitEntry(this.#loops.registers.warp);
    emitStructured(code, {
      count: nodes.length,
      entry,
      successors: (n) => successorsOf(nodes[n]!),
      emit: (n, go) => this.#emitNode(nodes[n]!, go),
      beforeLoop: (n) => this.#markLoop(nodes[n]!, "beforeLoop"),
      beginIteration: (n) => this.#markLoop(nodes[n]!, "beginIteration"),
    });
    code.unreachable();
    if (resumes.length > 0) start(() => this.#values.emitClearAll());
  }

  #markLoop(node: ScheduleNode, place: "beforeLoop" | "beginIteration"): void {
    const { flow } = this.#analysis;
    const loop = flow.loops[this.#loopBehind(node)];
    if (loop === undefined) return;
    this.#kernelModule.loopMarks[place](this.#code, {
      header: flow.blocks[loop.header]!,
      blocks: new Set([...loop.blocks].map((b) => flow.blocks[b]!)),
      outermost: loop.parent === -1,
    });
  }

  /** The loop of a node that is the header of one, or -1. */
  #loopBehind(node: ScheduleNode): number {
    const { flow } = this.#analysis;
    if (node.kind === "enter" || node.kind === "lanes") return node.loop;
    if (node.kind === "guard" && node.target >= flow.blocks.length) return node.target - flow.blocks.length;
    if (node.kind === "guard") return flow.loopOf[node.target]!;
    return node.kind === "block" ? flow.loopOf[node.block]! : -1;
  }

  #emitNode(node: ScheduleNode, go: Go): void {
    const code = this.#code;
    switch (node.kind) {
      case "end":
        this.#loops.emitLeave(0);
        return;
      case "guard":
        this.#emitGuard(node, go);
        return;
      case "enter":
        // A resumed warp goes to the place where it left; all others go on.
        for (const r of node.resumes) {
          code.localGet(this.#loops.registers.resume).i32Const(r.index).i32Eq().if();
          go(r.node);
          code.end();
        }
        go(node.straight);
        return;
      case "resume":
        code.i32Const(0).localSet(this.#loops.registers.resume);
        this.#spills.emitReload(node.index);
        go(node.next);
        return;
      case "lanes":
        this.#emitScalarizedLoop(node, go);
        return;
      case "block":
        this.#emitBlock(node, go);
    }
  }

  /** A block, or the loop behind its header, is skipped if no lane waits for it. */
  #emitGuard(node: NodeOf<"guard">, go: Go): void {
    const code = this.#code;
    const { flow } = this.#analysis;
    const block = node.target < flow.blocks.length ? node.target : flow.loops[node.target - flow.blocks.length]!.header;
    code.localGet(this.#masks.pending(block));
    if (node.then === node.else) {
      code.drop();
      go(node.then);
      return;
    }
    code.if();
    go(node.then);
    code.else();
    go(node.else);
    code.end();
  }

  #emitScalarizedLoop(node: NodeOf<"lanes">, go: Go): void {
    emitScalarizedLoop(
      {
        code: this.#code,
        kernelModule: this.#kernelModule,
        values: this.#values,
        analysis: this.#analysis,
        masks: this.#masks,
        edges: this.#edges,
        scalarContext: () => this.#instructions.scalarContext(),
      },
      this.#analysis.flow.loops[node.loop]!,
      node.exits,
      () => go(node.scalar),
      () => go(node.vector),
    );
  }

  #emitBlock(node: NodeOf<"block">, go: Go): void {
    const code = this.#code;
    const b = node.block;
    const block = this.#analysis.flow.blocks[b]!;
    this.#spills.beginBlock(b);
    if (this.#masks.isConsumed(b)) {
      const pending = this.#masks.pending(b);
      code.localGet(pending).localSet(this.#masks.of(b)).i32Const(0).localSet(pending);
    }
    if (this.#emitProduct(node)) {
      const outcome = node.outcomes.find(({ edges }) => edges.every(({ to }) => to !== b))!;
      for (const e of outcome.edges) this.#edges.emitEdge(e, null);
      this.#values.endBlock();
      go(outcome.next!);
      return;
    }
    this.#emitInstructions(b);
    const last = block.instructions[block.instructions.length - 1]!;
    this.#loopChecks.emitBefore(b);
    if (this.#analysis.divergentBranch[b]) this.#edges.emitDivergentBranch(node, last);
    else if (node.outcomes.length > 1) {
      this.#edges.emitUniformBranch(node, last, go);
      this.#values.endBlock();
      return;
    } else for (const e of node.outcomes[0]!.edges) this.#edges.emitEdge(e, null);
    this.#values.endBlock();
    if (last.op === "unreachable") {
      this.#emitTrap(this.#masks.of(b), last);
      return;
    }
    const { suspend, next } = node.outcomes[0]!;
    if (suspend > 0) {
      this.#spills.emitSpill(suspend);
      if (this.#kernelModule.waits !== null)
        code.localGet(this.#loops.registers.context).localGet(this.#masks.of(b)).i32Store(CONTEXT_WORDS.lanes);
      this.#loops.emitLeave(suspend);
      return;
    }
    go(next!);
  }

  /** Only a mistake of the program leads here: code after a trap or an assertion. */
  #emitTrap(lanes: Local, place: IrInstruction): void {
    const code = this.#code;
    code.localGet(lanes).i32Ctz().i32Const(this.#kernelModule.siteOf(place));
    code.call(this.#kernelModule.imports.trap).unreachable();
  }

  /** Everything but the branch. */
  #emitInstructions(b: number): void {
    const block = this.#analysis.flow.blocks[b]!;
    this.#instructions.beginBlock(b, block);
    block.instructions.forEach((i, at) => {
      if (at < block.instructions.length - 1) this.#instructions.emit(i, at);
    });
    this.#instructions.vectors.flush();
  }

  /** Emits all iterations of a block that is a product of matrices; false where it must be emitted as it stands. */
  #emitProduct(node: NodeOf<"block">): boolean {
    if (!this.#kernelModule.env.features.fusedMultiplyAdd) return false;
    const loop = productLoop(this.#analysis, node.block);
    if (loop === null) return false;
    this.#instructions.beginBlock(node.block, loop.block);
    return emitProductLoop(this.#instructions.productContext(), loop, () => this.#emitSelfLoop(node));
  }

  /** A block that all lanes repeat, as a loop of its own. */
  #emitSelfLoop(node: NodeOf<"block">): void {
    const code = this.#code;
    const again = code.loop();
    this.#emitInstructions(node.block);
    const block = this.#analysis.flow.blocks[node.block]!;
    const last = block.instructions.at(-1);
    if (last?.op !== "condbr") bug("a loop without its branch");
    this.#values.pushScalar(last.condition);
    if (last.then !== block) code.i32Eqz();
    code.if();
    for (const { edges } of node.outcomes)
      for (const e of edges) if (e.to === node.block) this.#edges.emitEdge(e, null);
    code.br(again).end();
    code.end(again);
  }
}

/** Values in memory, where no lane runs alone. */
function planMemory({ env, block }: ModuleContext, analysis: WarpAnalysis, schedule: Schedule): MemoryValues {
  const { masks, nodes, resumes } = schedule;
  if ((block.x * block.y * block.z) % LANES !== 0) return NO_MEMORY_VALUES;
  if (nodes.some(({ kind }) => kind === "lanes")) return NO_MEMORY_VALUES;
  return planMemoryValues(analysis, {
    runsInAll: (b) => masks.owner[b] === 0,
    hasProducts: env.features.fusedMultiplyAdd,
    barriers: resumes,
  });
}

function successorsOf(node: ScheduleNode): readonly number[] {
  switch (node.kind) {
    case "end":
      return [];
    case "guard":
      return node.then === node.else ? [node.then] : [node.then, node.else];
    case "enter":
      return [...node.resumes.map((r) => r.node), node.straight];
    case "resume":
      return [node.next];
    case "lanes":
      return [node.scalar, node.vector];
    case "block":
      return node.outcomes.flatMap((o) => (o.next === null || o.suspend > 0 ? [] : [o.next]));
  }
}
