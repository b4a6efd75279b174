/** What all functions of a kernel's module share: imports, globals, fault sites and functions out of line. */
import type { Dim3 } from "../../../base/dim3.ts";
import type { IrFunction, IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { ModuleBuilder } from "../../../wasm/module-builder.ts";
import type { FunctionRef } from "../../../wasm/types.ts";
import {
  FAULT_CODES,
  makeEnvironment,
  type Addresses,
  type EmitEnvironment,
  type FaultCode,
} from "../../emit/environment.ts";
import { LoopMarks } from "../../emit/loop-marks.ts";
import type { Features } from "../../emit/features.ts";
import type { LoadedKernel } from "../../executor.ts";
import { externalIntrinsics } from "../../emit/external-intrinsics.ts";
import { importDeviceMemory, type ExternalIntrinsic, type MemoryKind } from "../../emit/environment.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { CrossLaneHelpers } from "../lane-operations/shuffle-and-vote-helpers.ts";
import { bytesOf, elementOf } from "../lane-operations/element.ts";
import { FloatHelpers } from "../lane-operations/float-helpers.ts";
import { COUNT_SLOTS, CountHelpers } from "../lane-operations/count-helpers.ts";
import { GroupRoom, SCRATCH_BYTES, SLOT_BYTES } from "../lane-operations/lane-scratch.ts";
import type { CountedRecords, Site } from "../metadata.ts";
import type { LocalLayout } from "./local-memory.ts";
import { PrintfAndAssert } from "./printf-and-assert.ts";
import { MatrixProducts } from "../lane-operations/matrix-products.ts";
import { WARPGROUP_SCRATCH_BYTES } from "../lane-operations/warpgroup-layout.ts";
import { WarpgroupProducts } from "../lane-operations/warpgroup-products.ts";
import { hasWarpgroupProducts } from "../planning/warpgroup-products.ts";
import { MemoryHelpers } from "../lane-operations/memory-helpers.ts";

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

/** What a kernel imports whose warps wait apart from one another (block-waits.ts, cluster-waits.ts). */
export interface WaitImports {
  /** → whether the block begins, and does not go on */
  readonly begin: FunctionRef;
  /** (barrier, threads or -1, whether the warp waits, site) */
  readonly arrive: FunctionRef;
  /** (whether the warp waits): at the barrier of the cluster */
  readonly cluster: FunctionRef;
  readonly end: FunctionRef;
  /** (how many rounds have changed nothing, all rounds) → whether other blocks of the cluster go on first */
  readonly stall: FunctionRef;
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
  /** Blocks of a cluster; where the shared memory of its first block begins, and how far it is to the next one's. */
  readonly cluster: Readonly<Record<"x" | "y" | "z" | "window" | "stride", number>>;
  /** This thread's counters, and the size of the block's shared memory, in kernels that count. */
  readonly counts: number;
  readonly sharedBytes: number;
}

const NO_COUNTS = { counts: -1, sharedBytes: -1 } as const;

/** printf is the only call that accesses memory. */
const PRINTF_ARGUMENT_BYTES = 4;

export class ModuleContext {
  readonly module: ModuleBuilder;
  readonly env: EmitEnvironment;
  readonly imports: ModuleImports;
  /** Null where warps meet at barriers of the whole block only. */
  readonly waits: WaitImports | null;
  readonly globals: ModuleGlobals;
  readonly floatHelpers: FloatHelpers;
  readonly memoryHelpers: MemoryHelpers;
  readonly crossLane: CrossLaneHelpers;
  readonly countHelpers: CountHelpers;
  readonly products: MatrixProducts;
  readonly warpgroups: WarpgroupProducts;
  readonly printfAndAssert: PrintfAndAssert;
  readonly kernel: LoadedKernel;
  readonly block: Dim3;
  readonly warps: number;
  readonly analysis: WarpAnalysis;
  readonly locals: LocalLayout;
  readonly counts: CountedRecords | null;
  /** Functions of the device library that lanes call, and their code for this kernel (planning/lane-functions.ts). */
  readonly laneFunctions: ReadonlyMap<IrFunction, IrFunction>;
  readonly groupRoom: GroupRoom;
  readonly sites: Site[] = [];
  readonly loopMarks: LoopMarks;
  /** Rare pure intrinsics, imported from the interpreter's definitions. */
  readonly externals: readonly ExternalIntrinsic[];
  readonly #siteIndex = new Map<IrInstruction, number>();

  constructor(
    kernel: LoadedKernel,
    block: Dim3,
    analysis: WarpAnalysis,
    addresses: Addresses,
    features: Features,
    locals: LocalLayout,
    memory: MemoryKind,
    counts: CountedRecords | null,
    laneFunctions: ReadonlyMap<IrFunction, IrFunction>,
    apart: boolean,
  ) {
    this.laneFunctions = laneFunctions;
    this.counts = counts;
    this.groupRoom = new GroupRoom(
      [kernel.function, ...laneFunctions.values()].some(hasWarpgroupProducts)
        ? WARPGROUP_SCRATCH_BYTES
        : SCRATCH_BYTES + (counts === null ? 0 : SLOT_BYTES * COUNT_SLOTS),
    );
    this.kernel = kernel;
    this.block = block;
    this.analysis = analysis;
    this.warps = analysis.geometry.warps;
    this.locals = locals;
    const module = new ModuleBuilder();
    this.module = module;
    importDeviceMemory(module, memory);
    this.imports = {
      addressFault: module.importFunction("warp", "addressFault", ["i32", "i32", "i32"]),
      fault: module.importFunction("warp", "fault", ["i32", "i32", "i32"]),
      trap: module.importFunction("warp", "trap", ["i32", "i32"]),
      print: module.importFunction("warp", "print", ["i32", "i32", "i32"], ["i32"]),
      assert: module.importFunction("warp", "assert", ["i32", "i32", "i32", "i32", "i32", "i32"]),
      clock: module.importFunction("warp", "clock", [], ["i64"]),
    };
    this.waits = apart ? importWaits(module) : null;
    this.externals = externalIntrinsics([kernel.function, ...laneFunctions.values()]);
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
      cluster: {
        x: global("cluster.x"),
        y: global("cluster.y"),
        z: global("cluster.z"),
        window: global("cluster.window"),
        stride: global("cluster.stride"),
      },
      ...(counts === null ? NO_COUNTS : { counts: global("counts"), sharedBytes: global("sharedBytes") }),
    };
    this.loopMarks = new LoopMarks(global("loopWord"));
    this.floatHelpers = new FloatHelpers(module, { relaxedFma: features.fusedMultiplyAdd });
    this.memoryHelpers = new MemoryHelpers(module, this.env.limits, this.globals.scratch, this.imports.addressFault);
    this.crossLane = new CrossLaneHelpers(module, this.globals.scratch);
    this.printfAndAssert = new PrintfAndAssert(module, this.imports);
    this.countHelpers = new CountHelpers(module, this.globals);
    this.warpgroups = new WarpgroupProducts({
      module,
      scratch: this.globals.scratch,
      shared: this.globals.shared,
      limitBytes: this.env.limits.bytes,
      helpers: this.floatHelpers,
      addressFault: this.imports.addressFault,
    });
    this.products = new MatrixProducts(module, this.globals.scratch, this.floatHelpers, this.env.math.fma64);
  }

  siteOf(i: IrInstruction): number {
    let index = this.#siteIndex.get(i);
    if (index === undefined) {
      index = this.sites.length;
      this.#siteIndex.set(i, index);
      this.sites.push(siteFor(i));
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
}

function importWaits(module: ModuleBuilder): WaitImports {
  return {
    begin: module.importFunction("warp", "beginBlock", [], ["i32"]),
    arrive: module.importFunction("warp", "arrive", ["i32", "i32", "i32", "i32"]),
    cluster: module.importFunction("warp", "atCluster", ["i32"]),
    end: module.importFunction("warp", "endWarp", []),
    stall: module.importFunction("warp", "stall", ["i32", "i32"], ["i32"]),
  };
}

/** What a fault at an instruction reports. */
function siteFor(i: IrInstruction): Site {
  const { location } = i;
  switch (i.op) {
    case "load":
    case "store": {
      const type = i.op === "load" ? i.type : i.value.type;
      const align = Math.min(Math.max(i.align, 1), 16);
      return { location, access: i.op, bytes: bytesOf(elementOf(type)), align };
    }
    case "atomicrmw":
    case "cmpxchg": {
      const bytes = bytesOf(elementOf(i.op === "cmpxchg" ? i.expected.type : i.value.type));
      return { location, access: "atomic", bytes, align: bytes };
    }
    case "call":
      return { location, access: null, bytes: PRINTF_ARGUMENT_BYTES, align: 1 };
    default:
      return { location, access: null, bytes: 0, align: 0 };
  }
}
