/** PTX special registers: threadIdx, blockIdx and their like, lane masks, and clocks. */
import type { CallInstruction } from "../../../ir/model/ir.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import type { Axis, RegisterFacts } from "../../../ir/intrinsics/facts.ts";
import type { Dim3 } from "../../../base/dim3.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import { LANES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { WarpRegisters } from "./block-loops.ts";
import type { ModuleContext } from "./module-context.ts";

interface RegisterContext {
  readonly code: FunctionBuilder;
  readonly kernelModule: ModuleContext;
  readonly registers: WarpRegisters;
}

type Push = (context: RegisterContext, axis: Axis | null) => void;

const pushConstant =
  (value: number): Push =>
  ({ code }) => {
    code.i32Const(value);
  };

const pushClock = ({ code, kernelModule }: RegisterContext): void => {
  code.call(kernelModule.imports.clock);
};

const pushClockLow: Push = (context) => {
  pushClock(context);
  context.code.i32WrapI64();
};

/** A block's index, or the number of blocks, as one of clusters. */
function perCluster(push: Push): Push {
  return (context, axis) => {
    push(context, axis);
    context.code.globalGet(context.kernelModule.globals.cluster[axis!]).i32DivU();
  };
}

const pushPlaceInCluster: Push = ({ code, kernelModule, registers }, axis) => {
  code.localGet(registers.ctaid[axis!]).globalGet(kernelModule.globals.cluster[axis!]).i32RemU();
};

/** x + X (y + Y z) */
const pushRank: Push = (context) => {
  const { code, kernelModule } = context;
  const { x, y } = kernelModule.globals.cluster;
  pushPlaceInCluster(context, "x");
  code.globalGet(x);
  pushPlaceInCluster(context, "y");
  code.globalGet(y);
  pushPlaceInCluster(context, "z");
  code.i32Mul().i32Add().i32Mul().i32Add();
};

export function pushClusterBlocks(code: FunctionBuilder, { globals }: ModuleContext): void {
  const { x, y, z } = globals.cluster;
  code.globalGet(x).globalGet(y).i32Mul().globalGet(z).i32Mul();
}

/** What each register pushes where it is the same in all lanes, or has a base that is. */
const SCALAR_REGISTERS: ReadonlyMap<string, Push> = new Map<string, Push>([
  ["tid", ({ code, kernelModule, registers }, axis) => pushTidBase(code, kernelModule, axis!, registers.warp)],
  ["ntid", ({ code, kernelModule }, axis) => void code.i32Const(kernelModule.block[axis!])],
  ["ctaid", ({ code, registers }, axis) => void code.localGet(registers.ctaid[axis!])],
  ["nctaid", ({ code, kernelModule }, axis) => void code.globalGet(kernelModule.globals.nctaid[axis!])],
  ["clusterid", perCluster(({ code, registers }, axis) => void code.localGet(registers.ctaid[axis!]))],
  ["nclusterid", perCluster(({ code, kernelModule }, axis) => void code.globalGet(kernelModule.globals.nctaid[axis!]))],
  ["cluster.ctaid", pushPlaceInCluster],
  ["cluster.nctaid", ({ code, kernelModule }, axis) => void code.globalGet(kernelModule.globals.cluster[axis!])],
  ["cluster.ctarank", pushRank],
  ["cluster.nctarank", ({ code, kernelModule }) => pushClusterBlocks(code, kernelModule)],
  ["shared.window", ({ code, kernelModule }) => void code.globalGet(kernelModule.globals.shared)],
  ["cluster.window", ({ code, kernelModule }) => void code.globalGet(kernelModule.globals.cluster.window)],
  ["cluster.stride", ({ code, kernelModule }) => void code.globalGet(kernelModule.globals.cluster.stride)],
  ["laneid", pushConstant(0)],
  ["warpid", ({ code, registers }) => void code.localGet(registers.warp)],
  ["nwarpid", ({ code, kernelModule }) => void code.i32Const(kernelModule.warps)],
  ["warpsize", pushConstant(LANES)],
  ["smid", pushConstant(0)],
  ["gridid", pushConstant(0)],
  ["nsmid", pushConstant(1)],
  ["clock64", pushClock],
  ["globaltimer", pushClock],
  ["globaltimer.lo", pushClockLow],
  ["clock", pushClockLow],
  [
    "clock.hi",
    (context) => {
      pushClock(context);
      context.code.i64Const(32n).i64ShrU().i32WrapI64();
    },
  ],
]);

/**
 * Pushes a register that is uniform, or the base of one with lane offsets. False, and nothing pushed, for other calls.
 */
export function pushScalarRegister(context: RegisterContext, call: CallInstruction, name: string): boolean {
  if (name === "llvm.readcyclecounter" || name === "llvm.readsteadycounter") {
    pushClock(context);
    return true;
  }
  const facts = registerOf(name);
  if (facts === null || context.kernelModule.analysis.shapeOf(call).kind === "varying") return false;
  const push = SCALAR_REGISTERS.get(facts.register);
  if (push === undefined) return false;
  push(context, facts.axis);
  return true;
}

function registerOf(name: string): RegisterFacts | null {
  return intrinsicOf(name)?.register ?? null;
}

/** After how many threads of a block the coordinate of an axis grows by one. */
export function threadsPerStep({ x, y }: Dim3, axis: Axis): number {
  return { x: 1, y: x, z: x * y }[axis];
}

/** The part of a coordinate that all lanes of a warp share (laneGeometry in analysis/lane-addresses/lane-shape.ts). */
function pushTidBase(code: FunctionBuilder, { block, analysis }: ModuleContext, axis: Axis, warp: Local): void {
  const divisor = threadsPerStep(block, axis);
  const extent = block[axis];
  const isOutermost = divisor * extent >= analysis.geometry.threads;
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

/** The lanes that each lane's mask has, as bits. */
const LANE_MASKS: ReadonlyMap<string, (lane: number) => number> = new Map([
  ["lanemask.eq", (lane: number) => 1 << lane],
  ["lanemask.lt", (lane: number) => (1 << lane) - 1],
  ["lanemask.le", (lane: number) => (lane === 31 ? -1 : (1 << (lane + 1)) - 1)],
  ["lanemask.gt", (lane: number) => (lane === 31 ? 0 : ~((1 << (lane + 1)) - 1))],
  ["lanemask.ge", (lane: number) => ~((1 << lane) - 1)],
]);

/** Pushes one slice of a register that varies without known offsets. False for other calls. */
export function pushVectorRegister(context: RegisterContext, call: CallInstruction, slice: number): boolean {
  const facts = registerOf(calleeName(call) ?? "");
  if (facts === null) return false;
  const { code } = context;
  const mask = LANE_MASKS.get(facts.register);
  if (mask !== undefined) {
    pushPerLane(code, slice, mask);
    return true;
  }
  if (facts.register !== "tid" || facts.axis === null) return false;
  pushTidSlice(context, slice, facts.axis);
  return true;
}

function pushPerLane(code: FunctionBuilder, slice: number, valueOf: (lane: number) => number): void {
  const [a, b, c, d] = [0, 1, 2, 3].map((n) => valueOf(4 * slice + n) | 0) as [number, number, number, number];
  code.i32x4Const(a, b, c, d);
}

/** (thread / threads per step) mod extent */
function pushTidSlice({ code, kernelModule, registers }: RegisterContext, slice: number, axis: Axis): void {
  const divisor = threadsPerStep(kernelModule.block, axis);
  const extent = kernelModule.block[axis];
  // Exact in single precision: thread numbers are below 2^11, and a quotient that is no integer is at least 2^-11 away
  // from the next.
  const divide = (by: number): void => {
    code.f32x4ConvertI32x4U();
    code.f32Const(by).f32x4Splat().f32x4Div().i32x4TruncSatF32x4U();
  };
  const coordinate = code.local("v128");
  code.localGet(registers.warp).i32Const(5).i32Shl().i32x4Splat();
  pushPerLane(code, slice, (lane) => lane);
  code.i32x4Add();
  if (divisor > 1) divide(divisor);
  code.localTee(coordinate).localGet(coordinate);
  divide(extent);
  code.i32x4Const(extent, extent, extent, extent).i32x4Mul().i32x4Sub();
  code.free(coordinate);
}
