/**
 * Emits the instructions of a block but its branch. Uniform instructions become scalar code at once (emit/scalar.ts).
 * Pure varying ones become vectors (vector/deferred-vector-ops.ts). What has effects on single lanes runs in a loop
 * over the active lanes.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import type {
  CallInstruction,
  IrBlock,
  IrInstruction,
  LoadInstruction,
  StoreInstruction,
} from "../../../ir/model/ir.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { isRareToolRoutine } from "../../../machine/observer.ts";
import type { FunctionBuilder } from "../../../wasm/function-builder.ts";
import type { ScalarContext } from "../../emit/environment.ts";
import { emitScalarInstruction } from "../../emit/scalar.ts";
import { type WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import { isDisjoint } from "../../../analysis/lane-addresses/lane-shape.ts";
import { isWarpOperation } from "../planning/eligibility.ts";
import { barrierOf, clusterBarrierOf, isSuspend, namedBarrierOf } from "../planning/suspensions.ts";
import type { RangeChecks } from "../planning/in-bounds-accesses.ts";
import type { Uses } from "../planning/value-uses.ts";
import { AccessedPointers } from "../lane-operations/accessed-pointers.ts";
import { DeferredVectorOps } from "../lane-operations/deferred-vector-ops.ts";
import { emitRowUniformLoad, emitVectorLoad } from "../lane-operations/loads.ts";
import { emitMatrixProduct } from "../lane-operations/matrix-products.ts";
import { GroupedLoads } from "../lane-operations/grouped-loads.ts";
import { GroupedSliceLoads } from "../lane-operations/grouped-slice-loads.ts";
import type { MemoryContext } from "../lane-operations/memory-access.ts";
import { emitCrossLane } from "../lane-operations/shuffles-and-votes.ts";
import { prepareSliceLoads } from "../lane-operations/slice-loads.ts";
import { emitWarpgroupProduct } from "../lane-operations/warpgroup-calls.ts";
import { emitCount } from "../lane-operations/warp-counts.ts";
import { emitVectorStore } from "../lane-operations/stores.ts";
import type { ValueLocation, Values } from "../lane-operations/value-location.ts";
import { emitBarrier } from "./barrier-calls.ts";
import type { WarpRegisters } from "./block-loops.ts";
import { ColdCalls } from "./cold-calls.ts";
import { CompoundResults } from "./compound-results.ts";
import type { ConditionMasks } from "./condition-masks.ts";
import { countContext } from "./count-context.ts";
import { emitLaneLoop } from "./lane-loop.ts";
import { pushLocalBase } from "./local-memory.ts";
import type { LoopCheckEmitter } from "./loop-check-emitter.ts";
import type { MaskLocals } from "./mask-locals.ts";
import type { ModuleContext } from "./module-context.ts";
import { isPrintfOrAssert } from "./printf-and-assert.ts";
import { emitProductGroup } from "./product-groups.ts";
import type { ProductContext } from "./product-loop-emitter.ts";
import { pushScalarRegister } from "./special-registers.ts";

export interface InstructionContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly kernelModule: ModuleContext;
  readonly registers: WarpRegisters;
  readonly analysis: WarpAnalysis;
  readonly uses: Uses;
  readonly masks: MaskLocals;
  readonly conditions: ConditionMasks;
  readonly checks: RangeChecks;
  readonly loopChecks: LoopCheckEmitter;
  /** Of a warp. */
  readonly contextBytes: number;
}

export class InstructionEmitter {
  readonly vectors: DeferredVectorOps;
  readonly #context: InstructionContext;
  readonly #results: CompoundResults;
  readonly #coldCalls: ColdCalls;
  readonly #groups: GroupedLoads = new GroupedLoads();
  readonly #vectorGroups: GroupedSliceLoads;
  #block = 0;
  readonly #accessed: AccessedPointers = new AccessedPointers();

  constructor(context: InstructionContext) {
    this.#context = context;
    const { code, values, kernelModule, analysis, uses, registers } = context;
    this.#results = new CompoundResults(code, values, uses, context.analysis);
    this.#coldCalls = new ColdCalls(kernelModule);
    this.#vectorGroups = new GroupedSliceLoads(kernelModule.groupRoom);
    const vectorContext = {
      code,
      values,
      kernelModule,
      registers,
      analysis,
      scalarContext: () => this.scalarContext(),
    };
    this.vectors = new DeferredVectorOps(vectorContext, uses);
  }

  beginBlock(index: number, block: IrBlock): void {
    this.#block = index;
    this.vectors.beginBlock(block);
    this.#accessed.clear();
    this.#groups.beginBlock(block, this.#context);
    this.#context.kernelModule.groupRoom.beginBlock();
    this.#vectorGroups.beginBlock(block, this.#context, this.#context.masks.isFull(index));
  }

  /** `at`: the instruction's index in its block. */
  emit(i: IrInstruction, at: number): void {
    const { code, kernelModule, values, registers, conditions } = this.#context;
    if (i.op === "phi") return;
    code.mark(kernelModule.siteOf(i));
    switch (i.op) {
      case "call":
        this.#emitCall(i);
        return;
      case "alloca":
        pushLocalBase(code, kernelModule.locals, kernelModule.globals.local, registers.warp, i);
        values.setScalar(i);
        return;
      case "load":
        this.#emitLoad(i, at);
        return;
      case "store":
        this.#emitStore(i, at);
        return;
      case "atomicrmw":
      case "cmpxchg":
        this.#emitLaneLoop(i);
        return;
      case "fence":
        this.vectors.flushStores();
        code.atomicFence();
        return;
      case "extractvalue": {
        const location = this.#results.existing(i.aggregate as IrInstruction, i.indices[0]!);
        if (location === null) throw unsupported("a compound value in the warp tier", i.location ?? undefined);
        this.vectors.flush();
        this.#results.copy(location, values.locationOf(i));
        return;
      }
      case "insertvalue":
      case "extractelement":
      case "insertelement":
      case "shufflevector":
      case "va_arg":
        throw unsupportedHere(i);
      default:
        if (this.#shapeOf(i)?.kind !== "varying") this.#emitScalar(i);
        else if (!conditions.isDeferred(i)) this.vectors.defer(i);
    }
  }

  /** What scalar code needs: for uniform instructions, and for lanes one by one. */
  scalarContext(): ScalarContext {
    const { kernelModule, code, values, checks, loopChecks } = this.#context;
    return {
      env: kernelModule.env,
      code,
      get: (v) => values.pushScalar(v),
      set: (i) => values.setScalar(i),
      fault: (reason, i, address) => {
        code.localGet(this.#mask).i32Ctz();
        kernelModule.emitFault(code, reason, i, address);
      },
      // Scalar code, also in a loop over lanes, accesses memory for active lanes only.
      isUnshared: (pointer) => checks.isInSharedWindow(pointer),
      alreadyChecked: (pointer, bytes, align) => checks.isProvenInBounds(pointer, bytes, align, "active"),
      flagOf: (i) => loopChecks.flagOf(i),
      noteChange: null,
    };
  }

  /** For the block that was begun last. */
  productContext(): ProductContext {
    const { code, values } = this.#context;
    return { code, values, memory: this.#memory(), emitScalar: (i) => this.#emitScalar(i) };
  }

  /** The lanes that run the block. */
  get #mask(): number {
    return this.#context.masks.of(this.#block);
  }

  /** Null for what has no single value. */
  #shapeOf(i: IrInstruction): ReturnType<WarpAnalysis["shapeOf"]> | null {
    return i.type.kind === "void" || i.type.kind === "struct" ? null : this.#context.analysis.shapeOf(i);
  }

  // ---------------------------------------------------------------- memory

  #emitLoad(i: LoadInstruction, at: number): void {
    const kind = this.#shapeOf(i)?.kind;
    this.vectors.flushStores();
    if (kind !== "varying") this.vectors.flushIfSettled(at);
    if (kind === "uniform") {
      if (!this.#groups.emit(this.#memory(), i)) this.#emitScalar(i);
    } else if (kind === "rowUniform") emitRowUniformLoad(this.#memory(), i);
    else {
      this.#emitVaryingLoad(i);
      this.#accessed.note(i, i.type);
    }
  }

  #emitVaryingLoad(i: LoadInstruction): void {
    if (i.ordering === null && !i.volatile) {
      const memory = this.#memory();
      const loader =
        this.#vectorGroups.prepare(memory, i) ?? prepareSliceLoads(memory, i, (bytes) => this.vectors.takeRoom(bytes));
      if (loader !== null) {
        this.vectors.deferLoad(i, loader);
        return;
      }
    }
    this.vectors.flush();
    if (i.ordering !== null) this.#emitLaneLoop(i);
    else emitVectorLoad(this.#memory(), i);
  }

  #emitStore(i: StoreInstruction, at: number): void {
    const { values } = this.#context;
    if (i.ordering !== null) {
      this.#emitLaneLoop(i);
      return;
    }
    if (values.isUniform(i.pointer) && values.isUniform(i.value)) {
      this.vectors.flush();
      this.#emitScalar(i);
      return;
    }
    const deferred = this.vectors.valueOfStore(i, at);
    if (deferred === null && this.vectors.deferStore(this.#memory(), i)) {
      this.#accessed.note(i, i.value.type);
      return;
    }
    if (deferred === null) this.vectors.flush();
    emitVectorStore(this.#memory(), i, deferred);
    this.vectors.drop();
    this.#accessed.note(i, i.value.type);
  }

  #memory(): MemoryContext {
    const { code, values, kernelModule, masks, checks, loopChecks } = this.#context;
    return {
      code,
      values,
      limits: kernelModule.env.limits,
      scratch: kernelModule.globals.scratch,
      helpers: kernelModule.memoryHelpers,
      mask: this.#mask,
      isFull: masks.isFull(this.#block),
      siteOf: (i) => kernelModule.siteOf(i),
      flagOf: (i) => loopChecks.flagOf(i),
      isProvenInBounds: ({ pointer, bytes, align }, lanes) =>
        checks.isProvenInBounds(pointer, bytes, align, lanes) ||
        (lanes === "active" && this.#accessed.has(pointer, bytes, align)),
      scalar: () => this.scalarContext(),
    };
  }

  // ---------------------------------------------------------------- calls

  #emitCall(i: CallInstruction): void {
    const { code, kernelModule, values, registers } = this.#context;
    const name = calleeName(i) ?? bug("indirect call in the warp tier");
    if (isSuspend(i)) {
      this.vectors.flush();
      return;
    }
    if (barrierOf(i) !== null || namedBarrierOf(i) !== null || clusterBarrierOf(i) !== null) {
      this.vectors.flush();
      emitBarrier(this.#context, i, this.#mask);
      return;
    }
    if (i.callee.kind === "function" && (isRareToolRoutine(i.callee) || kernelModule.laneFunctions.has(i.callee))) {
      this.vectors.flush();
      this.#coldCalls.emit(code, i, i.callee, values, registers, this.#mask);
      return;
    }
    if (emitProductGroup(this.#context, i, () => this.vectors.flush())) return;
    if (pushScalarRegister({ code, kernelModule, registers }, i, name)) {
      values.setScalar(i);
      return;
    }
    const count = intrinsicOf(name)?.count ?? null;
    if (count !== null) {
      const isFull = this.#context.masks.isFull(this.#block);
      const flush = (): void => this.vectors.flush();
      emitCount(countContext(this.#context, { mask: this.#mask, isFull, flush }), i, count);
      return;
    }
    if (isWarpOperation(name)) {
      this.vectors.flush();
      this.#emitWarpOperation(i, name);
      return;
    }
    const facts = intrinsicOf(name);
    if (facts?.kind !== "pure") this.vectors.flushStores();
    if (facts?.isFence === true) {
      code.atomicFence();
      return;
    }
    if (facts?.words[0] === "nanosleep") return;
    if (isPrintfOrAssert(name)) {
      this.#emitLaneLoop(i);
      return;
    }
    this.#emitIntrinsic(i, name);
  }

  #emitWarpOperation(i: CallInstruction, name: string): void {
    const { code, values, kernelModule, registers, conditions, masks } = this.#context;
    const context = {
      code,
      values,
      scratch: kernelModule.globals.scratch,
      helpers: kernelModule.crossLane,
      products: kernelModule.products,
      warpgroups: kernelModule.warpgroups,
      warp: registers.warp,
      site: kernelModule.siteOf(i),
      conditions,
      pushMask: (): void => {
        code.localGet(this.#mask);
      },
      isFull: masks.isFull(this.#block),
      resultLocation: (call: CallInstruction, component: number): ValueLocation | null =>
        this.#results.locationOf(call, component),
      setMaskResult: (location: ValueLocation): void => this.#results.setFromBits(location),
    };
    if (emitMatrixProduct(context, i, name) || emitWarpgroupProduct(context, i, name)) return;
    if (!emitCrossLane(context, i, name)) throw unsupported(`${name} in the warp tier`, i.location ?? undefined);
  }

  #emitIntrinsic(i: CallInstruction, name: string): void {
    const { values } = this.#context;
    const unknown = (): Error => unsupported(`a call of ${name} in the warp tier`, i.location ?? undefined);
    if (i.type.kind === "struct") throw unknown();
    if (i.type.kind === "void") {
      this.vectors.flush();
      const isUniform = i.args.every((arg) => arg.kind === "metadata" || values.isUniform(arg));
      if (!isUniform) this.#emitLaneLoop(i);
      else if (!emitScalarInstruction(this.scalarContext(), i)) throw unknown();
      return;
    }
    switch (this.#shapeOf(i)?.kind) {
      case "rowUniform":
        this.#emitScalar(i);
        return;
      case "uniform":
        if (!emitScalarInstruction(this.scalarContext(), i)) throw unknown();
        return;
      default:
        this.vectors.defer(i);
    }
  }

  // ---------------------------------------------------------------- scalar code

  /** A uniform instruction, the base of a value with lane offsets, or the bases of rows. */
  #emitScalar(i: IrInstruction): void {
    const { code, values, analysis } = this.#context;
    const location = i.type.kind === "void" ? null : values.locationOf(i);
    if (location?.kind === "rowUniform") {
      location.locals.forEach((local, row) => {
        const context: ScalarContext = {
          ...this.scalarContext(),
          get: (v) => values.pushBase(v, row, location.locals.length),
          set: () => code.localSet(local),
        };
        if (!emitScalarInstruction(context, i)) throw unsupportedHere(i);
      });
      return;
    }
    // The base of `base + offsets | c` with c inside the offsets' bits is the base itself.
    if (i.op === "binary" && i.operator === "or" && analysis.shapeOf(i).kind === "offset") {
      const lhs = analysis.shapeOf(i.lhs);
      if (lhs.kind === "offset" && isDisjoint(lhs)) {
        values.pushScalar(i.lhs);
        values.setScalar(i);
        return;
      }
    }
    if (!emitScalarInstruction(this.scalarContext(), i)) throw unsupportedHere(i);
  }

  /** Runs an instruction's scalar code for each active lane in turn: for effects on single lanes. */
  #emitLaneLoop(i: IrInstruction): void {
    this.vectors.flush();
    emitLaneLoop({ ...this.#context, results: this.#results, mask: this.#mask }, i, this.scalarContext());
  }
}

function unsupportedHere(i: IrInstruction): Error {
  return unsupported(`${i.op} in the warp tier`, i.location ?? undefined);
}
