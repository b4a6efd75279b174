/**
 * Emits a kernel as one WebAssembly function that runs blocks: (first, count), linear indices. Its loops are in
 * block-loops.ts; what is emitted here is the way of one warp, up to its end or the barrier at which it must wait for
 * others.
 *
 * Walks the schedule's nodes in structured order. Uniform instructions become scalar code at once (emit/scalar.ts),
 * pure varying ones vectors (deferred-vector-ops.ts); what has effects lane by lane runs in a loop over the active lanes.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type {
  CallInstruction,
  IrInstruction,
  IrParam,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { isRareToolRoutine } from "../../../machine/observer.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { constantBits } from "../../emit/constants.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { calleeName, type WarpAnalysis } from "../../../analysis/divergence.ts";
import { BlockLoops, type WarpRegisters } from "./block-loops.ts";
import { emitCrossLane } from "../vector/cross-lane.ts";
import { EdgeEmitter } from "./edges.ts";
import { bytesOf, elementOf, partsOf, scalarTypeOf } from "../vector/element.ts";
import { barrierOf } from "../analysis/eligibility.ts";
import { LaneBits } from "./lane-bits.ts";
import { emitLoopByLanes } from "./lane-loops.ts";
import { LoopCheckEmitter } from "./loop-check-emitter.ts";
import { planLoopChecks } from "../analysis/loop-checks.ts";
import { MaskLocals, pushMaskVector } from "./mask-locals.ts";
import { emitMatrixProduct } from "../vector/matrix-products.ts";
import type { ModuleContext } from "./module-context.ts";
import { RangeChecks } from "../analysis/in-bounds-accesses.ts";
import type { Schedule, ScheduleNode } from "../analysis/block-order.ts";
import {
  COMPACT_REGIONS,
  forEachLane,
  loadLane,
  reloadFromSlot,
  spillToSlot,
  storeLane,
} from "../vector/lane-scratch.ts";
import { SLICES, isDisjoint } from "../../../analysis/lane-shape.ts";
import { Spills } from "./spills.ts";
import { emitStructured } from "./structured-control-flow.ts";
import { findUses, type Uses } from "../analysis/value-uses.ts";
import { Values, type ValueLocation } from "../vector/value-location.ts";
import { emitCompare } from "../vector/arithmetic.ts";
import { emitRowUniformLoad, emitVectorLoad, emitVectorStore, prepareSliceLoads } from "../vector/memory.ts";
import { DeferredVectorOps } from "../vector/deferred-vector-ops.ts";

export interface EmittedFunction {
  readonly contextBytes: number;
}

export class FunctionEmitter {
  readonly code: FunctionBuilder;
  readonly values: Values;
  /** What the block loops keep for the warp that runs. */
  readonly registers: WarpRegisters;
  readonly #kernelModule: ModuleContext;
  readonly #analysis: WarpAnalysis;
  readonly #schedule: Schedule;
  readonly #uses: Uses;
  readonly #loops: BlockLoops;
  readonly #masks: MaskLocals;
  readonly #bits: LaneBits;
  readonly #edges: EdgeEmitter;
  readonly #spills: Spills;
  readonly #vectors: DeferredVectorOps;
  readonly #checks: RangeChecks;
  readonly #loopChecks: LoopCheckEmitter;
  readonly #paramLocals = new Map<IrParam, Local>();
  readonly #components = new Map<IrInstruction, (ValueLocation | null)[]>();
  #block = 0;
  /**
   * Pointers at which the active lanes of this block have loaded or stored: what is accessed there again needs no test.
   */
  readonly #accessed = new Map<IrValue, { readonly bytes: number; readonly align: number }>();

  constructor(kernelModule: ModuleContext, code: FunctionBuilder, analysis: WarpAnalysis, schedule: Schedule) {
    this.#kernelModule = kernelModule;
    this.code = code;
    this.#analysis = analysis;
    this.#schedule = schedule;
    this.#checks = new RangeChecks(analysis, kernelModule.kernel, kernelModule.block, kernelModule.env.addresses);
    const uses = findUses(analysis.flow);
    this.#uses = uses;
    this.#loops = new BlockLoops(kernelModule, code, schedule.resumes.length > 0);
    this.registers = this.#loops.registers;
    this.values = new Values({
      code,
      shapeOf: (v) => analysis.shapeOf(v),
      constantBits: (v) => this.#constantOf(v),
      scratch: kernelModule.globals.scratch,
      paramLocal: (p) => this.#paramLocals.get(p) ?? bug(`parameter ${p.name} has no local`),
      relaxedSimd: kernelModule.env.features.relaxedSimd,
      isBlockLocal: (i) => !uses.crossesBlocks.has(i),
      pushAddress: (v) => this.#pushAddress(v),
    });
    this.#bits = new LaneBits(code, this.values, analysis);
    const suspends = new Set(schedule.resumes.map((r) => r.block));
    this.#loopChecks = new LoopCheckEmitter(
      code,
      this.values,
      kernelModule.env.limits,
      planLoopChecks(analysis, this.#checks, suspends),
    );
    this.#masks = new MaskLocals(code, analysis, schedule);
    this.#edges = new EdgeEmitter(code, this.values, analysis, this.#masks, this.#bits);
    this.#spills = new Spills(kernelModule, code, this.values, analysis, schedule, this.#masks, this.registers.context);
    this.#vectors = new DeferredVectorOps(
      kernelModule,
      code,
      this.values,
      analysis,
      uses,
      () => this.scalarContext(),
      this.registers.warp,
    );
    this.#bits.emitCompareSlice = (i, s) => emitCompare(this.#vectors, i, s);
  }

  emit(): EmittedFunction {
    const { code } = this;
    this.#emitParameters();
    this.#loops.emit(
      this.#spills.bytes,
      () => {
        const start = code.laterHere();
        this.#masks.emitEntry(this.registers.warp);
        emitStructured(code, {
          count: this.#schedule.nodes.length,
          entry: this.#schedule.entry,
          successors: (n) => successorsOf(this.#schedule.nodes[n]!),
          emit: (n, go) => this.#emitNode(this.#schedule.nodes[n]!, go),
        });
        code.unreachable();
        if (this.#schedule.resumes.length > 0) start(() => this.values.emitForget());
      },
      () => this.#masks.emitClearPending(),
    );
    return { contextBytes: this.#spills.bytes };
  }

  #emitParameters(): void {
    const { code } = this;
    const kernelModule = this.#kernelModule;
    for (const p of kernelModule.kernel.function.params) {
      const place = kernelModule.kernel.params[p.index] ?? bug(`parameter ${p.index} of ${kernelModule.kernel.name}`);
      if (p.byval !== null) {
        const local = code.freshLocal("i32");
        code.globalGet(kernelModule.globals.params);
        if (place.offset !== 0) code.i32Const(place.offset).i32Add();
        code.localSet(local);
        this.#paramLocals.set(p, local);
        continue;
      }
      const element = elementOf(p.type);
      const local = code.freshLocal(scalarTypeOf(element));
      code.globalGet(kernelModule.globals.params);
      if (element === "i64") code.i64Load(place.offset);
      else if (element === "f64") code.f64Load(place.offset);
      else if (element === "f32") code.f32Load(place.offset);
      else if (place.size === 1) code.i32Load8U(place.offset);
      else if (place.size === 2) code.i32Load16U(place.offset);
      else code.i32Load(place.offset);
      if (element === "i1") code.i32Const(1).i32And();
      code.localSet(local);
      this.#paramLocals.set(p, local);
    }
  }

  #constantOf(v: IrValue): bigint | null {
    if (v.kind === "instruction" || v.kind === "param" || v.kind === "inline-asm" || v.kind === "metadata") return null;
    const c = constantBits(
      v,
      this.#kernelModule.env.addresses,
      (name) => this.#kernelModule.kernel.sharedOffsets.get(name) ?? bug(`shared variable ${name} has no place`),
    );
    return c.sharedRelative ? null : c.bits;
  }

  /** An address in the block's shared window. */
  #pushAddress(v: IrValue): void {
    if (v.kind === "instruction" || v.kind === "param" || v.kind === "inline-asm" || v.kind === "metadata")
      bug(`address of a ${v.kind}`);
    const c = constantBits(
      v,
      this.#kernelModule.env.addresses,
      (name) => this.#kernelModule.kernel.sharedOffsets.get(name) ?? bug(`shared variable ${name} has no place`),
    );
    this.code.globalGet(this.#kernelModule.globals.shared);
    if (c.bits !== 0n) this.code.i32Const(Number(BigInt.asIntN(32, c.bits))).i32Add();
  }

  // ---------------------------------------------------------------- nodes

  #emitNode(node: ScheduleNode, go: (n: number) => void): void {
    const { code } = this;
    switch (node.kind) {
      case "end":
        this.#loops.emitLeave(0);
        return;
      case "guard": {
        const { flow } = this.#analysis;
        const b = node.target < flow.blocks.length ? node.target : flow.loops[node.target - flow.blocks.length]!.header;
        code.localGet(this.#masks.pending(b));
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
        return;
      }
      case "enter": {
        // Straight on unless a resumed warp is on its way to its place.
        for (const r of node.resumes) {
          code.localGet(this.registers.resume).i32Const(r.index).i32Eq().if();
          go(r.node);
          code.end();
        }
        go(node.straight);
        return;
      }
      case "resume": {
        code.i32Const(0).localSet(this.registers.resume);
        this.#spills.emitReload(node.index);
        go(node.next);
        return;
      }
      case "lanes":
        emitLoopByLanes(
          {
            code,
            kernelModule: this.#kernelModule,
            values: this.values,
            analysis: this.#analysis,
            masks: this.#masks,
            edges: this.#edges,
            scalarContext: () => this.scalarContext(),
          },
          this.#analysis.flow.loops[node.loop]!,
          node.exits,
          () => go(node.scalar),
          () => go(node.vector),
        );
        return;
      case "block":
        this.#emitBlock(node, go);
    }
  }

  #emitBlock(node: ScheduleNode & { kind: "block" }, go: (n: number) => void): void {
    const { code } = this;
    const analysis = this.#analysis;
    const b = node.block;
    this.#block = b;
    const block = analysis.flow.blocks[b]!;
    if (this.#masks.isConsumed(b)) {
      code.localGet(this.#masks.pending(b)).localSet(this.#masks.of(b)).i32Const(0).localSet(this.#masks.pending(b));
    }
    this.#vectors.beginBlock(block);
    this.#accessed.clear();
    const last = block.instructions[block.instructions.length - 1]!;
    block.instructions.forEach((i, at) => {
      if (i !== last) this.#emitInstruction(i, at);
    });
    this.#vectors.flush();
    this.#block = b;
    this.#loopChecks.emitBefore(b);
    const suspend = node.outcomes[0]!.suspend;
    if (analysis.divergentBranch[b]) this.#edges.emitDivergentBranch(node, last);
    else if (node.outcomes.length > 1) {
      this.#edges.emitUniformBranch(node, last, go);
      this.values.endBlock();
      return;
    } else for (const e of node.outcomes[0]!.edges) this.#edges.emitEdge(e, null);
    if (last.op === "unreachable") {
      // Reached only by mistake of the program: what follows a trap or an assertion.
      this.values.endBlock();
      code
        .localGet(this.#masks.of(b))
        .i32Ctz()
        .i32Const(this.#kernelModule.siteOf(last))
        .call(this.#kernelModule.imports.trap);
      code.unreachable();
      return;
    }
    this.values.endBlock();
    if (suspend > 0) {
      this.#spills.emitSpill(suspend);
      this.#loops.emitLeave(suspend);
      return;
    }
    go(node.outcomes[0]!.next!);
  }

  // ---------------------------------------------------------------- instructions

  #emitInstruction(i: IrInstruction, at: number): void {
    const { code } = this;
    if (i.op === "phi") return;
    code.mark(this.#kernelModule.siteOf(i));
    if (i.op === "call") {
      this.#emitCall(i);
      return;
    }
    const shape = i.type.kind === "void" || i.type.kind === "struct" ? null : this.#analysis.shapeOf(i);
    switch (i.op) {
      case "alloca":
        this.#kernelModule.pushLocalBase(code, this.registers.warp, i);
        this.values.setScalar(i);
        return;
      case "load":
        if (shape?.kind !== "varying") this.#vectors.flushIfSettled(at);
        if (shape?.kind === "uniform") this.#emitScalar(i);
        else if (shape?.kind === "rowUniform") emitRowUniformLoad(this.#memory(), i);
        else this.#emitLoad(i);
        return;
      case "store":
        if (i.ordering === null && this.values.isUniform(i.pointer) && this.values.isUniform(i.value)) {
          this.#vectors.flush();
          this.#emitScalar(i);
          return;
        }
        if (i.ordering !== null) {
          this.#vectors.flush();
          this.emitLaneLoop(i);
          return;
        }
        this.#emitStore(i, at);
        return;
      case "atomicrmw":
      case "cmpxchg":
        this.#vectors.flush();
        this.emitLaneLoop(i);
        return;
      case "fence":
        code.atomicFence();
        return;
      case "extractvalue": {
        const location = this.#components.get(i.aggregate as IrInstruction)?.[i.indices[0]!];
        if (!location) throw unsupported("a compound value in the warp tier", i.location ?? undefined);
        this.#vectors.flush();
        this.#copyLocation(location, this.values.locationOf(i));
        return;
      }
      case "insertvalue":
      case "extractelement":
      case "insertelement":
      case "shufflevector":
      case "va_arg":
        throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
      default:
        if (shape?.kind !== "varying") this.#emitScalar(i);
        else if (!this.#bits.isDelayed(i)) this.#vectors.defer(i);
    }
  }

  #emitAnyLoad(i: LoadInstruction): void {
    if (i.ordering === null && !i.volatile) {
      if (this.#vectors.pendingLoads === COMPACT_REGIONS) this.#vectors.flush();
      const loader = prepareSliceLoads(this.#memory(), i, this.#vectors.pendingLoads);
      if (loader !== null) {
        this.#vectors.deferLoad(i, loader);
        return;
      }
    }
    this.#vectors.flush();
    if (i.ordering !== null) this.emitLaneLoop(i);
    else emitVectorLoad(this.#memory(), i);
  }

  #emitStore(i: StoreInstruction, at: number): void {
    const deferred = this.#vectors.valueOfStore(i, at);
    if (deferred === null) this.#vectors.flush();
    emitVectorStore(this.#memory(), i, deferred);
    this.#vectors.drop();
    this.#noteAccess(i, i.value.type);
  }

  #noteAccess({ pointer, align }: LoadInstruction | StoreInstruction, type: IrType): void {
    const bytes = bytesOf(elementOf(type));
    const known = this.#accessed.get(pointer);
    this.#accessed.set(pointer, {
      bytes: Math.max(bytes, known?.bytes ?? 0),
      align: Math.max(align, known?.align ?? 0),
    });
  }

  #wasAccessed(pointer: IrValue, bytes: number, align: number): boolean {
    const known = this.#accessed.get(pointer);
    return known !== undefined && bytes <= known.bytes && align <= known.align;
  }

  #emitLoad(i: LoadInstruction): void {
    this.#emitAnyLoad(i);
    this.#noteAccess(i, i.type);
  }

  #copyLocation(from: ValueLocation, to: ValueLocation): void {
    const { code } = this;
    if (from.kind === "vector" && to.kind === "vector")
      from.locals.forEach((l, n) => code.localGet(l).localSet(to.locals[n]!));
    else if (from.kind === "scalar" && to.kind === "scalar") code.localGet(from.local).localSet(to.local);
    else if (from.kind === "scalar" && to.kind === "vector") {
      to.locals.forEach((l) => {
        code.localGet(from.local);
        if (from.element === "i64") code.i64x2Splat();
        else if (from.element === "f64") code.f64x2Splat();
        else if (from.element === "f32") code.f32x4Splat();
        else {
          code.i32x4Splat();
          if (from.element === "i1") code.i32x4Neg();
        }
        code.localSet(l);
      });
    } else bug("a varying component for a uniform value");
  }

  #emitCall(i: CallInstruction): void {
    const { code } = this;
    const kernelModule = this.#kernelModule;
    const name = calleeName(i) ?? bug("indirect call in the warp tier");
    const barrier = barrierOf(i);
    if (barrier) {
      this.#vectors.flush();
      if (kernelModule.warps > 1)
        kernelModule.emitBarrierArrival(
          code,
          barrier.reduction,
          () => this.#bits.push(i.args[i.args.length - 1]!),
          this.#masks.of(this.#block),
        );
      else if (barrier.reduction !== "none") {
        kernelModule.emitLoneBarrier(
          code,
          barrier.reduction,
          () => this.#bits.push(i.args[i.args.length - 1]!),
          this.#masks.of(this.#block),
        );
        this.values.setScalar(i);
      }
      return;
    }
    if (i.callee.kind === "function" && isRareToolRoutine(i.callee)) {
      this.#vectors.flush();
      kernelModule.coldCalls.emit(code, i, i.callee, this.values, this.registers, this.#masks.of(this.#block));
      return;
    }
    if (kernelModule.emitRegister(code, name, i, this)) return;
    if (/^llvm\.nvvm\.(shfl|vote|match|redux|activemask|bar\.warp|heddle\.mma)/.test(name)) {
      this.#vectors.flush();
      const context = {
        code,
        values: this.values,
        scratch: kernelModule.globals.scratch,
        helpers: kernelModule.crossLane,
        products: kernelModule.products,
        bits: this.#bits,
        pushMask: (): void => {
          code.localGet(this.#masks.of(this.#block));
        },
        isFull: this.#masks.isFull(this.#block),
        resultLocation: (call: CallInstruction, c: number): ValueLocation | null => this.#componentLocation(call, c),
        setMaskResult: (location: ValueLocation): void => this.#setBitsResult(location),
      };
      if (!emitMatrixProduct(context, i, name) && !emitCrossLane(context, i, name))
        throw unsupported(`${name} in the warp tier`, i.location ?? undefined);
      return;
    }
    if (kernelModule.emitHostCall(code, name, i, this)) return;
    const shape = i.type.kind === "void" || i.type.kind === "struct" ? null : this.#analysis.shapeOf(i);
    if (shape?.kind === "rowUniform") {
      this.#emitScalar(i);
      return;
    }
    const uniform = shape?.kind === "uniform";
    if (uniform || (i.type.kind === "void" && i.args.every((a) => a.kind === "metadata" || this.values.isUniform(a)))) {
      if (i.type.kind === "void") this.#vectors.flush();
      if (!emitScalarInstruction(this.scalarContext(), i))
        throw unsupported(`a call of ${name} in the warp tier`, i.location ?? undefined);
      return;
    }
    if (i.type.kind === "void") {
      this.#vectors.flush();
      this.emitLaneLoop(i);
    } else if (i.type.kind === "struct")
      throw unsupported(`a call of ${name} in the warp tier`, i.location ?? undefined);
    else this.#vectors.defer(i);
  }

  /** Where component c of a multi-part result lives (made when first asked); for plain results the value's own location. */
  #componentLocation(i: IrInstruction, c: number): ValueLocation | null {
    if (i.type.kind === "void") return null;
    if (i.type.kind !== "struct") return c === 0 ? this.values.locationOf(i) : null;
    let locations = this.#components.get(i);
    if (locations === undefined) {
      locations = i.type.elements.map((t): ValueLocation => {
        const element = elementOf(t);
        const take = (): Local =>
          this.#uses.crossesBlocks.has(i) ? this.code.freshLocal("v128") : this.values.blockLocal("v128");
        return { kind: "vector", element, locals: Array.from({ length: SLICES * partsOf(element) }, take) };
      });
      this.#components.set(i, locations);
    }
    return locations[c] ?? null;
  }

  #setBitsResult(location: ValueLocation): void {
    const { code } = this;
    if (location.kind === "scalar") {
      code.localSet(location.local);
      return;
    }
    if (location.kind !== "vector") bug(`bits for ${location.kind}`);
    const bits = code.local("i32");
    code.localSet(bits);
    location.locals.forEach((l, s) => {
      if (location.element === "i1") pushMaskVector(this.values, bits, s);
      else code.localGet(bits).i32x4Splat();
      code.localSet(l);
    });
    code.free(bits);
  }

  // ---------------------------------------------------------------- scalar code

  scalarContext(): ScalarContext {
    return {
      env: this.#kernelModule.env,
      code: this.code,
      get: (v) => this.values.pushScalar(v),
      set: (i) => this.values.setScalar(i),
      fault: (reason, i, address) => {
        this.#pushActiveLane();
        this.#kernelModule.emitFault(this.code, reason, i, address);
      },
      // Scalar code, also in a loop over lanes, accesses memory for active lanes only.
      isUnshared: (pointer) => this.#checks.isInSharedWindow(pointer),
      alreadyChecked: (pointer, bytes, align) => this.#checks.isProvenInBounds(pointer, bytes, align, "active"),
      flagOf: (i) => this.#loopChecks.flagOf(i),
      noteChange: null,
    };
  }

  #pushActiveLane(): void {
    this.code.localGet(this.#masks.of(this.#block)).i32Ctz();
  }

  /** Brings pending vector results into their locals. */
  flush(): void {
    this.#vectors.flush();
  }

  /** A uniform instruction, the base of a value with lane offsets, or the bases of rows. */
  #emitScalar(i: IrInstruction): void {
    const location = i.type.kind === "void" ? null : this.values.locationOf(i);
    if (location?.kind === "rowUniform") {
      location.locals.forEach((local, g) => {
        const context: ScalarContext = {
          ...this.scalarContext(),
          get: (v) => this.values.pushBase(v, g, location.locals.length),
          set: () => this.code.localSet(local),
        };
        if (!emitScalarInstruction(context, i)) throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
      });
      return;
    }
    // The base of `base + offsets | c` with c inside the offsets' bits is the base itself.
    if (i.op === "binary" && i.operator === "or" && this.#analysis.shapeOf(i).kind === "offset") {
      const a = this.#analysis.shapeOf(i.lhs);
      if (a.kind === "offset" && isDisjoint(a)) {
        this.values.pushScalar(i.lhs);
        this.values.setScalar(i);
        return;
      }
    }
    if (!emitScalarInstruction(this.scalarContext(), i))
      throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
  }

  /** Runs an instruction's scalar code for each active lane in turn: what has effects or waits for single lanes. */
  emitLaneLoop(i: IrInstruction): void {
    const { code } = this;
    const kernelModule = this.#kernelModule;
    const varying = operandsOf(i).filter(
      (o) => o.kind !== "metadata" && o.kind !== "function" && this.#analysis.shapeOf(o).kind !== "uniform",
    );
    const slots = new Map<IrValue, number>();
    for (const v of varying) {
      if (slots.has(v)) continue;
      if (slots.size >= 6)
        throw unsupported(
          "an instruction with more than six varying operands in the warp tier",
          i.location ?? undefined,
        );
      slots.set(v, slots.size);
      spillToSlot(code, this.values, kernelModule.globals.scratch, v, slots.get(v)!);
    }
    const results =
      i.type.kind === "void" || !this.#uses.isUsed.has(i)
        ? []
        : i.type.kind === "struct"
          ? i.type.elements.map((_, n) => this.#componentLocation(i, n)!)
          : [this.#componentLocation(i, 0)!];
    forEachLane(code, this.#masks.of(this.#block), (lane) => {
      const context: ScalarContext = {
        ...this.scalarContext(),
        get: (v) => {
          const slot = slots.get(v);
          if (slot === undefined) this.values.pushScalar(v);
          else loadLane(code, kernelModule.globals.scratch, lane, elementOf(v.type), slot);
        },
        set: (_, component = 0) => {
          if (results.length === 0) {
            code.drop();
            return;
          }
          const element = results[component]!.element;
          const t = code.local(scalarTypeOf(element));
          storeLane(code, kernelModule.globals.scratch, lane, element, 6 + component, t);
          code.free(t);
        },
        fault: (reason, instruction, address) => {
          code.localGet(lane);
          kernelModule.emitFault(code, reason, instruction, address);
        },
      };
      if (!kernelModule.emitLaneCall(code, i, context) && !emitScalarInstruction(context, i))
        throw unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
    });
    results.forEach((location, n) => {
      if (location.kind === "vector") reloadFromSlot(code, location.locals, kernelModule.globals.scratch, 6 + n);
      else if (location.kind === "rowUniform") bug("a row-uniform result of what single lanes compute");
      else {
        const lane = code.local("i32");
        code.localGet(this.#masks.of(this.#block)).i32Ctz().localSet(lane);
        loadLane(code, kernelModule.globals.scratch, lane, location.element, 6 + n);
        code.localSet(location.local).free(lane);
      }
    });
  }

  #memory(): Parameters<typeof emitVectorLoad>[0] {
    return {
      code: this.code,
      values: this.values,
      limits: this.#kernelModule.env.limits,
      scratch: this.#kernelModule.globals.scratch,
      helpers: this.#kernelModule.memoryHelpers,
      mask: this.#masks.of(this.#block),
      isFull: this.#masks.isFull(this.#block),
      siteOf: (i) => this.#kernelModule.siteOf(i),
      flagOf: (i) => this.#loopChecks.flagOf(i),
      isProvenInBounds: ({ pointer, bytes, align }, lanes) =>
        this.#checks.isProvenInBounds(pointer, bytes, align, lanes) ||
        (lanes === "active" && this.#wasAccessed(pointer, bytes, align)),
      scalar: () => this.scalarContext(),
    };
  }
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
