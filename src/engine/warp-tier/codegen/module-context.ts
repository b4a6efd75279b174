/**
 * What all functions of a kernel's module share: imports, globals, sites, special registers, barriers and calls to the
 * host.
 */
import type { Dim3 } from "../../../base/dim3.ts";
import { bug } from "../../../base/diagnostics.ts";
import type { CallInstruction, IrInstruction } from "../../../ir/model/ir.ts";
import { sizeOf, structOffsets } from "../../../ir/model/layout.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";
import {
  FAULT_CODES,
  makeEnvironment,
  type Addresses,
  type EmitEnvironment,
  type FaultCode,
  type ScalarContext,
} from "../../emit/environment.ts";
import type { Features } from "../../emit/features.ts";
import type { LoadedKernel } from "../../executor.ts";
import { ARGUMENTS_OUTSIDE_MEMORY } from "../../packed-arguments.ts";
import { externalIntrinsics, type ExternalIntrinsic } from "../../emit/external-intrinsics.ts";
import { calleeName, type WarpAnalysis } from "../../../analysis/divergence.ts";
import { CrossLaneHelpers } from "../vector/cross-lane-helpers.ts";
import type { BarrierReduction } from "../analysis/eligibility.ts";
import { bytesOf, elementOf } from "../vector/element.ts";
import type { FunctionEmitter } from "./function-emitter.ts";
import { VectorHelpers } from "../vector/helpers.ts";
import type { Site } from "../metadata.ts";
import { ColdCalls } from "./cold-calls.ts";
import { LANES } from "../../../analysis/lane-shape.ts";
import type { Values } from "../vector/value-location.ts";
import { MatrixProducts } from "../vector/matrix-products.ts";
import { MemoryHelpers } from "../vector/memory-helpers.ts";

export interface ModuleImports {
  /** (lane, address, site) */
  readonly addressFault: FunctionRef;
  /** (lane, code, site) */
  readonly fault: FunctionRef;
  /** (lane, site) */
  readonly trap: FunctionRef;
  /** (format, arguments) → 0 */
  readonly print: FunctionRef;
  /** (lane, message, file, line, function, site) */
  readonly assert: FunctionRef;
  /** → nanoseconds */
  readonly clock: FunctionRef;
}

/** Mutable globals, exported under these names for the runner to set. */
export interface ModuleGlobals {
  readonly params: number;
  readonly shared: number;
  readonly local: number;
  readonly scratch: number;
  readonly contexts: number;
  readonly barrier: number;
  readonly parity: number;
  /** What runs now, for reports: the warp's index in its block, and the block's linear index. */
  readonly warp: number;
  readonly block: number;
  readonly nctaid: Readonly<Record<"x" | "y" | "z", number>>;
}

type Axis = "x" | "y" | "z";

export class ModuleContext {
  readonly module: ModuleBuilder;
  readonly env: EmitEnvironment;
  readonly imports: ModuleImports;
  readonly globals: ModuleGlobals;
  readonly vectorHelpers: VectorHelpers;
  readonly memoryHelpers: MemoryHelpers;
  readonly crossLane: CrossLaneHelpers;
  readonly products: MatrixProducts;
  readonly coldCalls: ColdCalls = new ColdCalls(this);
  readonly kernel: LoadedKernel;
  readonly block: Dim3;
  readonly warps: number;
  readonly sites: Site[] = [];
  /** Rare pure intrinsics, imported from the interpreter's definitions. */
  readonly externals: readonly ExternalIntrinsic[];
  readonly #siteIndex = new Map<IrInstruction, number>();
  readonly #localOffsets: ReadonlyMap<IrInstruction, number>;
  readonly #localBytesPerThread: number;
  readonly #analysis: WarpAnalysis;

  constructor(
    kernel: LoadedKernel,
    block: Dim3,
    analysis: WarpAnalysis,
    addresses: Addresses,
    features: Features,
    locals: LocalLayout,
    sharedMemory: boolean,
  ) {
    this.kernel = kernel;
    this.block = block;
    this.#analysis = analysis;
    this.warps = analysis.geometry.warps;
    this.#localOffsets = locals.offsets;
    this.#localBytesPerThread = locals.bytesPerThread;
    const module = new ModuleBuilder();
    this.module = module;
    module.importMemory(
      "env",
      "memory",
      sharedMemory ? { minPages: 1, maxPages: 65536, shared: true } : { minPages: 1, maxPages: 65536 },
    );
    this.imports = {
      addressFault: module.importFunction("warp", "addressFault", ["i32", "i32", "i32"]),
      fault: module.importFunction("warp", "fault", ["i32", "i32", "i32"]),
      trap: module.importFunction("warp", "trap", ["i32", "i32"]),
      print: module.importFunction("warp", "print", ["i32", "i32"], ["i32"]),
      assert: module.importFunction("warp", "assert", ["i32", "i32", "i32", "i32", "i32", "i32"]),
      clock: module.importFunction("warp", "clock", [], ["i64"]),
    };
    this.externals = externalIntrinsics([kernel.function]);
    this.env = makeEnvironment(module, addresses, features, this.externals);
    const global = (name: string): number => {
      const index = module.global("i32", true, 0);
      module.exportGlobal(name, index);
      return index;
    };
    this.globals = {
      params: global("params"),
      shared: global("shared"),
      local: global("local"),
      scratch: global("scratch"),
      contexts: global("contexts"),
      barrier: global("barrier"),
      parity: global("parity"),
      warp: global("warp"),
      block: global("block"),
      nctaid: { x: global("nctaid.x"), y: global("nctaid.y"), z: global("nctaid.z") },
    };
    this.vectorHelpers = new VectorHelpers(module, { relaxedFma: features.fusedMultiplyAdd });
    this.memoryHelpers = new MemoryHelpers(module, this.env.limits, this.globals.scratch, this.imports.addressFault);
    this.crossLane = new CrossLaneHelpers(module, this.globals.scratch);
    this.products = new MatrixProducts(module, this.globals.scratch, this.vectorHelpers, this.env.math.fma64);
  }

  siteOf(i: IrInstruction): number {
    let index = this.#siteIndex.get(i);
    if (index === undefined) {
      index = this.sites.length;
      this.#siteIndex.set(i, index);
      const type =
        i.op === "load"
          ? i.type
          : i.op === "store" || i.op === "atomicrmw"
            ? i.value.type
            : i.op === "cmpxchg"
              ? i.expected.type
              : null;
      const bytes = type ? bytesOf(elementOf(type)) : i.op === "call" ? 4 : 0; // of a call: what printf reads
      const align =
        i.op === "load" || i.op === "store" ? Math.min(Math.max(i.align, 1), 16) : i.op === "call" ? 1 : bytes;
      this.sites.push({
        location: i.location,
        access: i.op === "load" || i.op === "store" ? i.op : type ? "atomic" : null,
        bytes,
        align,
      });
    }
    return index;
  }

  /** The lane is on the stack already. */
  emitFault(code: FunctionBuilder, reason: FaultCode, i: IrInstruction, address: Local | undefined): void {
    if (reason === "address" && address !== undefined)
      code.localGet(address).i32Const(this.siteOf(i)).call(this.imports.addressFault);
    else code.i32Const(FAULT_CODES[reason]).i32Const(this.siteOf(i)).call(this.imports.fault);
    code.unreachable();
  }

  // ---------------------------------------------------------------- registers

  /** Registers that are uniform or have a base. True if the call was one. */
  emitRegister(code: FunctionBuilder, name: string, i: CallInstruction, emitter: FunctionEmitter): boolean {
    const register = /^llvm\.nvvm\.read\.ptx\.sreg\.(.+)$/.exec(name)?.[1];
    const set = (): true => {
      emitter.values.setScalar(i);
      return true;
    };
    if (register === undefined) {
      if (name === "llvm.readcyclecounter" || name === "llvm.readsteadycounter") {
        code.call(this.imports.clock);
        return set();
      }
      return false;
    }
    if (this.#analysis.shapeOf(i).kind === "varying") return false;
    const [what, axis] = register.split(".") as [string, Axis];
    switch (what) {
      case "tid":
        this.#pushTidBase(code, axis, emitter.registers.warp);
        return set();
      case "ntid":
        code.i32Const(this.block[axis]);
        return set();
      case "ctaid":
        code.localGet(emitter.registers.ctaid[axis]);
        return set();
      case "nctaid":
        code.globalGet(this.globals.nctaid[axis]);
        return set();
      case "laneid":
        code.i32Const(0);
        return set();
      case "warpid":
        code.localGet(emitter.registers.warp);
        return set();
      case "nwarpid":
        code.i32Const(this.warps);
        return set();
      case "warpsize":
        code.i32Const(LANES);
        return set();
      case "smid":
      case "gridid":
        code.i32Const(0);
        return set();
      case "nsmid":
        code.i32Const(1);
        return set();
      case "clock64":
        code.call(this.imports.clock);
        return set();
      case "globaltimer":
        code.call(this.imports.clock);
        if (axis !== undefined) code.i32WrapI64();
        return set();
      case "clock":
        code.call(this.imports.clock);
        if (register === "clock.hi") code.i64Const(32n).i64ShrU();
        code.i32WrapI64();
        return set();
      default:
        return false;
    }
  }

  /** The part of a coordinate that all lanes of a warp share (shapes.ts, laneGeometry). */
  #pushTidBase(code: FunctionBuilder, axis: Axis, warp: Local): void {
    const { x, y } = this.block;
    const divisor = axis === "x" ? 1 : axis === "y" ? x : x * y;
    const extent = this.block[axis];
    const isOutermost = divisor * extent >= this.#analysis.geometry.threads;
    if (extent === 1) {
      code.i32Const(0);
      return;
    }
    code.localGet(warp);
    if (divisor % LANES === 0) {
      if (divisor > LANES) code.i32Const(divisor / LANES).i32DivU();
    } else {
      const perWarp = LANES / divisor;
      if (!isOutermost && perWarp % extent === 0) {
        code.drop().i32Const(0);
        return;
      }
      code.i32Const(perWarp).i32Mul();
    }
    if (!isOutermost) code.i32Const(extent).i32RemU();
  }

  /** One slice of a register that varies without known offsets. */
  emitVectorRegister(code: FunctionBuilder, i: CallInstruction, s: number, warp: Local): boolean {
    const register = /^llvm\.nvvm\.read\.ptx\.sreg\.(.+)$/.exec(calleeName(i) ?? "")?.[1];
    if (register === undefined) return false;
    const lanes = [4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3] as const;
    const constant = (of: (lane: number) => number): void => {
      code.i32x4Const(of(lanes[0]) | 0, of(lanes[1]) | 0, of(lanes[2]) | 0, of(lanes[3]) | 0);
    };
    switch (register) {
      case "lanemask.eq":
        constant((l) => 1 << l);
        return true;
      case "lanemask.lt":
        constant((l) => (1 << l) - 1);
        return true;
      case "lanemask.le":
        constant((l) => (l === 31 ? -1 : (1 << (l + 1)) - 1));
        return true;
      case "lanemask.gt":
        constant((l) => (l === 31 ? 0 : ~((1 << (l + 1)) - 1)));
        return true;
      case "lanemask.ge":
        constant((l) => ~((1 << l) - 1));
        return true;
      case "tid.x":
      case "tid.y":
      case "tid.z": {
        const axis = register.slice(-1) as Axis;
        const { x, y } = this.block;
        const divisor = axis === "x" ? 1 : axis === "y" ? x : x * y;
        const extent = this.block[axis];
        // Exact in single precision: thread numbers are below 2^11, quotients keep a distance of 2^-11 from the next
        // integer.
        const divide = (by: number): void => {
          code.f32x4ConvertI32x4U();
          code.f32Const(by).f32x4Splat().f32x4Div().i32x4TruncSatF32x4U();
        };
        const t = code.local("v128");
        code.localGet(warp).i32Const(5).i32Shl().i32x4Splat();
        constant((l) => l);
        code.i32x4Add();
        if (divisor > 1) divide(divisor);
        code.localTee(t).localGet(t);
        divide(extent);
        code.i32x4Const(extent, extent, extent, extent).i32x4Mul().i32x4Sub();
        code.free(t);
        return true;
      }
      default:
        return false;
    }
  }

  /** The base of an alloca in a warp; lane l's copy is l × bytesPerThread further on. */
  pushLocalBase(code: FunctionBuilder, warp: Local, i: IrInstruction): void {
    code
      .globalGet(this.globals.local)
      .localGet(warp)
      .i32Const(LANES * this.#localBytesPerThread)
      .i32Mul()
      .i32Add();
    code.i32Const(this.#localOffsets.get(i) ?? bug("an alloca without a place")).i32Add();
  }

  emitVectorGep(code: FunctionBuilder, values: Values, i: IrInstruction & { op: "gep" }, s: number): void {
    values.pushVector(i.base, s);
    let constant = 0;
    let type = i.sourceType;
    i.indices.forEach((index, n) => {
      if (n > 0 && type.kind === "struct") {
        const field = index.kind === "const-int" ? Number(index.value) : bug("struct index that is no constant");
        constant += structOffsets(type)[field]!;
        type = type.elements[field]!;
        return;
      }
      if (n > 0) {
        if (type.kind !== "array" && type.kind !== "vector") bug("gep into a scalar");
        type = type.element;
      }
      const step = sizeOf(type);
      if (index.kind === "const-int") {
        constant += Number(BigInt.asIntN(index.type.bits, index.value)) * step;
        return;
      }
      const element = elementOf(index.type);
      if (element === "i64") {
        values.pushVector(index, s, 0);
        values.pushVector(index, s, 1);
        code.i32x4Shuffle(0, 2, 4, 6);
      } else {
        values.pushVector(index, s);
        if (element === "i8" || element === "i16") {
          const shift = element === "i8" ? 24 : 16;
          code.i32Const(shift).i32x4Shl().i32Const(shift).i32x4ShrS();
        }
      }
      if (step !== 1) {
        if ((step & (step - 1)) === 0) code.i32Const(Math.log2(step)).i32x4Shl();
        else {
          values.pushIntegers(step);
          code.i32x4Mul();
        }
      }
      code.i32x4Add();
    });
    if (constant !== 0) {
      values.pushIntegers(constant);
      code.i32x4Add();
    }
  }

  // ---------------------------------------------------------------- calls to the host

  /** Calls that are done for each active lane. True if handled. */
  emitHostCall(code: FunctionBuilder, name: string, i: CallInstruction, emitter: FunctionEmitter): boolean {
    if (/^llvm\.nvvm\.(membar|fence)/.test(name)) {
      code.atomicFence();
      return true;
    }
    if (/^llvm\.nvvm\.nanosleep/.test(name)) return true;
    if (
      name !== "vprintf" &&
      name !== "__assertfail" &&
      name !== "__assert_fail" &&
      name !== "llvm.trap" &&
      name !== "llvm.ubsantrap"
    )
      return false;
    emitter.flush();
    emitter.emitLaneLoop(i);
    return true;
  }

  /** Inside the loop over lanes. */
  emitLaneCall(code: FunctionBuilder, i: IrInstruction, context: ScalarContext): boolean {
    if (i.op !== "call") return false;
    const name = calleeName(i);
    if (name === "vprintf") {
      context.get(i.args[0]!);
      const [args, written] = [code.local("i32"), code.local("i32")];
      context.get(i.args[1]!);
      code.localTee(args).call(this.imports.print).localTee(written);
      context.set(i);
      code.localGet(written).i32Const(ARGUMENTS_OUTSIDE_MEMORY).i32Eq().if();
      context.fault("address", i, args);
      code.end();
      code.free(args, written);
      return true;
    }
    if (name === "llvm.trap" || name === "llvm.ubsantrap") {
      context.fault("trap", i);
      return true;
    }
    if (name === "__assertfail" || name === "__assert_fail") {
      // the lane comes first, which only the fault hook knows: it reports the lane, the texts go ahead
      const isShort = i.args.length < 4;
      for (let n = 0; n < 4; n++)
        if (isShort && n >= i.args.length) code.i32Const(0);
        else context.get(i.args[n]!);
      code.call(this.#assertTexts());
      context.fault("assert", i);
      return true;
    }
    return false;
  }

  #assertFunction: FunctionBuilder | null = null;
  /** (message, file, line, function): remembers the texts for the fault that follows. */
  #assertTexts(): FunctionBuilder {
    if (this.#assertFunction === null) {
      const code = this.module.function("assert_texts", ["i32", "i32", "i32", "i32"], []);
      code.i32Const(0).localGet(0).localGet(1).localGet(2).localGet(3).i32Const(0).call(this.imports.assert);
      this.#assertFunction = code;
    }
    return this.#assertFunction;
  }

  // ---------------------------------------------------------------- barriers

  /** Adds a warp's part of a barrier reduction to the round's sum. */
  emitBarrierArrival(code: FunctionBuilder, reduction: BarrierReduction, pushBits: () => void, mask: Local): void {
    if (reduction === "none") return;
    const offset = BARRIER_OFFSETS[reduction];
    const cell = (): FunctionBuilder => code.globalGet(this.globals.barrier).globalGet(this.globals.parity).i32Add();
    cell();
    cell().i32Load(offset);
    this.emitLoneBarrier(code, reduction, pushBits, mask);
    code.op(reduction === "popc" ? "i32Add" : reduction === "and" ? "i32And" : "i32Or").i32Store(offset);
  }

  /** Pushes the reduction over one warp. */
  emitLoneBarrier(code: FunctionBuilder, reduction: BarrierReduction, pushBits: () => void, mask: Local): void {
    pushBits();
    code.localGet(mask).i32And();
    if (reduction === "popc") code.i32Popcnt();
    else if (reduction === "and") code.localGet(mask).i32Eq();
    else code.i32Const(0).i32Ne();
  }

  /** After a barrier: the sum of the round that just ended. */
  pushBarrierResult(code: FunctionBuilder, reduction: Exclude<BarrierReduction, "none">): void {
    code
      .globalGet(this.globals.barrier)
      .globalGet(this.globals.parity)
      .i32Const(16)
      .i32Xor()
      .i32Add()
      .i32Load(BARRIER_OFFSETS[reduction]);
  }
}

export const BARRIER_OFFSETS = { popc: 0, and: 4, or: 8 } as const;
export const BARRIER_BYTES = 32;

export interface LocalLayout {
  readonly offsets: ReadonlyMap<IrInstruction, number>;
  readonly bytesPerThread: number;
}

/** Places the allocas of a kernel in a thread's local memory. */
export function layoutLocals(kernel: LoadedKernel): LocalLayout {
  const offsets = new Map<IrInstruction, number>();
  let bytes = 0;
  for (const block of kernel.function.blocks) {
    for (const i of block.instructions) {
      if (i.op !== "alloca") continue;
      const align = Math.max(i.align, 1);
      bytes = Math.ceil(bytes / align) * align;
      offsets.set(i, bytes);
      bytes += sizeOf(i.allocatedType) * (i.count?.kind === "const-int" ? Number(i.count.value) : 1);
    }
  }
  return { offsets, bytesPerThread: Math.ceil(bytes / 16) * 16 };
}
