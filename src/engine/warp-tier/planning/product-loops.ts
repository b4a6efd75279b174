/**
 * Which loops are products of matrices: a block that goes back to itself, in which every thread has many sums, and each
 * iteration adds one product of two loaded floats, or doubles, to each of them. Nothing else has effects, and all lanes
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
  IrType,
  IrValue,
  LoadInstruction,
  PhiInstruction,
} from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { F32, F64 } from "../../../ir/model/types.ts";

export interface ProductSum {
  readonly phi: PhiInstruction;
  /** The multiply-add, whose result is the sum after an iteration. */
  readonly result: CallInstruction;
  readonly factors: readonly [LoadInstruction, LoadInstruction];
}

export interface ProductLoop {
  readonly block: IrBlock;
  /** Of all sums and factors. */
  readonly type: IrType;
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
    if (i.op === "phi" && isFloat(i.type)) {
      const sum = sumOf(i, block);
      if (sum === null || analysis.shapeOf(i).kind !== "varying") return null;
      sums.push(sum);
    } else if (i.op === "phi") {
      const { kind } = analysis.shapeOf(i);
      if (kind !== "uniform" && kind !== "offset") return null;
      counters.push(i);
    } else if (i.op === "load") {
      if (!isFloat(i.type) || i.volatile || i.ordering !== null) return null;
      loads.add(i);
    } else if (SCALAR_OPERATIONS.has(i.op)) {
      if (analysis.shapeOf(i).kind === "varying") return null;
      scalars.push(i);
    } else if (i.op !== "call") return null;
  }
  const type = sums[0]?.phi.type;
  if (sums.length < FEWEST_SUMS || type === undefined || sums.some(({ phi }) => phi.type !== type)) return null;
  const results = new Set<IrInstruction>(sums.map(({ result }) => result));
  const phis = new Set<IrInstruction>([...sums.map(({ phi }) => phi), ...counters]);
  const hasOthers = block.instructions.some((i) => i.op === "call" && !results.has(i));
  return hasOthers || escapes(flow.blocks, block, { loads, phis, results })
    ? null
    : { block, type, sums, counters, scalars, branch };
}

const isFloat = (type: IrType): boolean => type === F32 || type === F64;

/** The sum that the phi carries, or null. */
function sumOf(phi: PhiInstruction, block: IrBlock): ProductSum | null {
  const result = phi.incoming.find((incoming) => incoming.block === block)?.value;
  if (result?.kind !== "instruction" || result.op !== "call" || result.block !== block) return null;
  if (!isMultiplyAdd(result) || result.args[2] !== phi) return null;
  const [x, y] = result.args as [IrValue, IrValue];
  return isLoadOf(x, block) && isLoadOf(y, block) ? { phi, result, factors: [x, y] } : null;
}

export function isMultiplyAdd(call: CallInstruction): boolean {
  const name = calleeName(call);
  return name === "llvm.fma.f32" || name === "llvm.fma.f64";
}

function isLoadOf(value: IrValue, block: IrBlock): value is LoadInstruction {
  return value.kind === "instruction" && value.op === "load" && value.block === block;
}

interface Inner {
  readonly loads: ReadonlySet<IrInstruction>;
  readonly phis: ReadonlySet<IrInstruction>;
  readonly results: ReadonlySet<IrInstruction>;
}

/** Whether anything needs a value that exists for some of the sums only, or the phis' last values. */
function escapes(blocks: readonly IrBlock[], block: IrBlock, { loads, phis, results }: Inner): boolean {
  for (const { instructions } of blocks) {
    for (const user of instructions) {
      const isInside = user.block === block;
      for (const o of operandsOf(user)) {
        if (o.kind !== "instruction" || o.block !== block) continue;
        if (loads.has(o) && !results.has(user)) return true;
        if (phis.has(o) && !isInside) return true;
        if (results.has(o) && isInside && user.op !== "phi") return true;
      }
    }
  }
  return false;
}
