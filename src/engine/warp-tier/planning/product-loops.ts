/**
 * Which loops are products of matrices: a block that goes back to itself, in which every thread has many sums, and each
 * iteration adds one or more products of two loaded floats to each of them. Nothing else has effects, and all lanes
 * stay in the loop for the same number of iterations. Such a loop can run once for some of the sums, then for the
 * others (product-loop-emitter.ts).
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import type {
  CallInstruction,
  CondBrInstruction,
  IrBlock,
  IrInstruction,
  IrValue,
  LoadInstruction,
  PhiInstruction,
} from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { F32 } from "../../../ir/model/types.ts";

export interface ProductSum {
  readonly phi: PhiInstruction;
  /** The multiply-adds of an iteration, in order: each adds to the result of the one before. */
  readonly steps: readonly ProductStep[];
  /** The last one, which is the sum after an iteration. */
  readonly result: CallInstruction;
}

export interface ProductStep {
  readonly call: CallInstruction;
  readonly factors: readonly [LoadInstruction, LoadInstruction];
}

export interface ProductLoop {
  readonly block: IrBlock;
  readonly sums: readonly ProductSum[];
  /** Phis that are the same in all lanes, or at known distances between them. */
  readonly counters: readonly PhiInstruction[];
  /** What the counters, the addresses and the condition are computed by, in order. */
  readonly scalars: readonly IrInstruction[];
  readonly branch: CondBrInstruction;
}

const SCALAR_OPERATIONS: ReadonlySet<IrInstruction["op"]> = new Set(["binary", "icmp", "cast", "gep", "select"]);
/** Sums of one register each are as fast one by one. */
const FEWEST_SUMS = 2;

/** The product that block `b` is, or null. */
export function productLoop(analysis: WarpAnalysis, b: number): ProductLoop | null {
  const { flow } = analysis;
  const block = flow.blocks[b]!;
  const branch = block.instructions.at(-1);
  if (branch?.op !== "condbr" || (branch.then === block) === (branch.else === block)) return null;
  if (analysis.divergentBranch[b] || analysis.shapeOf(branch.condition).kind !== "uniform") return null;
  const sums: ProductSum[] = [];
  const counters: PhiInstruction[] = [];
  const scalars: IrInstruction[] = [];
  const loads = new Set<IrInstruction>();
  for (const i of block.instructions) {
    if (i === branch) continue;
    if (i.op === "phi" && i.type === F32) {
      const sum = sumOf(i, block);
      if (sum === null || analysis.shapeOf(i).kind !== "varying") return null;
      sums.push(sum);
    } else if (i.op === "phi") {
      const { kind } = analysis.shapeOf(i);
      if (kind !== "uniform" && kind !== "offset") return null;
      counters.push(i);
    } else if (i.op === "load") {
      if (i.type !== F32 || i.volatile || i.ordering !== null) return null;
      loads.add(i);
    } else if (SCALAR_OPERATIONS.has(i.op)) {
      if (analysis.shapeOf(i).kind === "varying") return null;
      scalars.push(i);
    } else if (i.op !== "call") return null;
  }
  if (sums.length < FEWEST_SUMS) return null;
  const steps = new Set<IrInstruction>(sums.flatMap((sum) => sum.steps.map(({ call }) => call)));
  const results = new Set<IrInstruction>(sums.map(({ result }) => result));
  const phis = new Set<IrInstruction>([...sums.map(({ phi }) => phi), ...counters]);
  const hasOthers = block.instructions.some((i) => i.op === "call" && !steps.has(i));
  return hasOthers || escapes(flow.blocks, block, { loads, phis, steps, results })
    ? null
    : { block, sums, counters, scalars, branch };
}

/** The sum that the phi carries, or null. */
function sumOf(phi: PhiInstruction, block: IrBlock): ProductSum | null {
  const steps: ProductStep[] = [];
  let value = phi.incoming.find((incoming) => incoming.block === block)?.value;
  while (value !== phi) {
    if (value?.kind !== "instruction" || value.op !== "call" || value.block !== block) return null;
    if (calleeName(value) !== "llvm.fma.f32") return null;
    const [x, y, before] = value.args as [IrValue, IrValue, IrValue];
    if (!isLoadOf(x, block) || !isLoadOf(y, block)) return null;
    steps.unshift({ call: value, factors: [x, y] });
    value = before;
  }
  const result = steps.at(-1)?.call;
  return result === undefined ? null : { phi, steps, result };
}

function isLoadOf(value: IrValue, block: IrBlock): value is LoadInstruction {
  return value.kind === "instruction" && value.op === "load" && value.block === block;
}

interface Inner {
  readonly loads: ReadonlySet<IrInstruction>;
  readonly phis: ReadonlySet<IrInstruction>;
  readonly steps: ReadonlySet<IrInstruction>;
  readonly results: ReadonlySet<IrInstruction>;
}

/** Whether anything needs a value that exists for some of the sums only, or the phis' last values. */
function escapes(blocks: readonly IrBlock[], block: IrBlock, { loads, phis, steps, results }: Inner): boolean {
  for (const { instructions } of blocks) {
    for (const user of instructions) {
      const isInside = user.block === block;
      for (const o of operandsOf(user)) {
        if (o.kind !== "instruction" || o.block !== block) continue;
        if (loads.has(o) && !steps.has(user)) return true;
        if (phis.has(o) && !isInside) return true;
        if (results.has(o)) {
          if (isInside && user.op !== "phi") return true;
        } else if (steps.has(o) && !steps.has(user)) return true;
      }
    }
  }
  return false;
}
