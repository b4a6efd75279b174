/**
 * From block IR to a module of src/ir:
 *
 *   hoistInvariants, fuseSums, pipelineCopies, prefetchLoads, withoutDeadValues
 *                     for a GPU: what iterations share is done once, and tiles come early
 *   LayoutTable       a layout for every value that has one of its own
 *   Lowering          operations in their order; values without a layout are computed where they are needed
 *
 * Afterwards the module has one kernel of the same name, whose block has 32 · num_warps threads.
 */
import { unreachable } from "../../../base/diagnostics.ts";
import { NameSource, newBlock, newInstruction } from "../../../ir/model/build.ts";
import { newFunction, newModule } from "../../../ir/model/build-module.ts";
import type { IrModule, RetInstruction } from "../../../ir/model/ir.ts";
import { I32, VOID, functionType } from "../../../ir/model/types.ts";
import { TILES } from "../../../machine/observer.ts";
import type { BlockKernel, BlockOp, BlockValue, StoreOp } from "../blocks/model.ts";
import { cloneKernel } from "../blocks/clone.ts";
import { withoutDeadValues } from "../blocks/dead-values.ts";
import { allOps, operandsOf, regionsOf } from "../blocks/operands.ts";
import { LayoutTable, type LoweringOptions } from "./assign-layouts.ts";
import { AxisTable } from "./axis-info.ts";
import { lowerFor, lowerIf, lowerWhile } from "./control.ts";
import { canCompute, computeValue } from "./element-wise.ts";
import { convertLayout, lowerGather } from "./exchange.ts";
import { fuseSums } from "./fuse-sums.ts";
import { findDeferredLoads } from "./deferred-loads.ts";
import { findFusedStores, lowerFusedStore, type FusedStores } from "./fused-stores.ts";
import { hoistInvariants } from "./hoist-invariants.ts";
import { Lowering } from "./lowering.ts";
import { lowerAtomic, lowerCompareExchange, lowerLoad, lowerStore } from "./memory.ts";
import { NumberingEmitter } from "./numbering-emitter.ts";
import { lowerAssert, lowerPrint } from "./output.ts";
import { pipelineCopies } from "./pipeline-copies.ts";
import type { StagedRings } from "./ring-layout.ts";
import { prefetchLoads } from "./prefetch-loads.ts";
import { lowerAwait, lowerCommit, lowerCopy } from "./rings.ts";
import { lowerDot } from "./products.ts";
import { tensorLayout } from "./tensor-layout.ts";
import { lowerTensorDot } from "./tensor-products.ts";
import { lowerAsm } from "./inline-asm.ts";
import { lowerMap, lowerReduce, lowerScan } from "./reductions.ts";

export interface LoweredKernel {
  readonly module: IrModule;
  readonly name: string;
  /** Dynamic shared memory of a launch. */
  readonly sharedBytes: number;
  readonly threads: number;
}

const DEFAULT_STAGES = 3;
/** Of a loop. */
const MOST_STAGES = 8;

export function lowerKernel(given: BlockKernel, numWarps: number, options: LoweringOptions = {}): LoweredKernel {
  const { maxSharedBytes = Infinity } = options;
  for (let most = MOST_STAGES; ; most--) {
    const lowered = lowerWith(given, numWarps, options, most);
    if (most <= 1 || lowered.sharedBytes <= maxSharedBytes) return lowered;
  }
}

/** As block IR: what is done early, and what stands where. */
function prepared(
  given: BlockKernel,
  numWarps: number,
  options: LoweringOptions,
  maxStages: number,
): [BlockKernel, StagedRings] {
  if (options.loadsAhead !== true) return [given, { offsets: new Map(), bytes: 0 }];
  const kernel = cloneKernel(given);
  hoistInvariants(kernel.body);
  fuseSums(kernel.body);
  const rings = pipelineCopies(kernel, {
    axes: new AxisTable(kernel),
    threads: numWarps * 32,
    stages: options.stages ?? DEFAULT_STAGES,
    maxStages,
    usesTensorCores: (op) => options.hasTensorCores === true && tensorLayout(op, numWarps) !== null,
  });
  return [withoutDeadValues(prefetchLoads(kernel, numWarps)), rings];
}

function lowerWith(given: BlockKernel, numWarps: number, options: LoweringOptions, maxStages: number): LoweredKernel {
  const [kernel, rings] = prepared(given, numWarps, options, maxStages);
  const module = newModule(kernel.file);
  const type = functionType(
    VOID,
    kernel.params.map(({ value }) => value.type.element),
  );
  const fn = newFunction(
    kernel.name,
    type,
    kernel.params.map(({ name }) => name),
  );
  fn.isKernel = true;
  // An assembler that does not know the threads of a block may give each too many registers.
  fn.attributes = new Set([TILES, `nvvm.maxntid=${32 * numWarps}`]);
  fn.location = kernel.location;
  module.functions.set(fn.name, fn);
  const entry = newBlock(fn, "entry");
  fn.blocks.push(entry);
  const e = new NumberingEmitter(module, fn, new NameSource(fn), entry);
  const used = usedValues(kernel);
  const layouts = new LayoutTable(kernel, numWarps, options);
  // A GPU has registers for all elements of a thread, and loads them at once.
  const fused = options.hasWideAccesses === true ? NOTHING_FUSED : findFusedStores(kernel, layouts);
  const ofProducts = options.hasWideAccesses === true ? new Set<BlockOp>() : findDeferredLoads(kernel, layouts);
  const lowering = new Lowering(
    e,
    layouts,
    kernel.name,
    {
      lowerOp: (l, op) => {
        const own = op.op === "store" ? fused.stores.get(op) : undefined;
        if (own !== undefined) lowerFusedStore(l, op as StoreOp, own);
        else if (ofProducts.has(op)) l.deferredLoads.add(op);
        else if (!fused.deferred.has(op)) lowerOp(l, op, used);
      },
      compute: computeValue,
      convert: convertLayout,
    },
    rings,
  );
  lowering.canCompute = (op, layout) => canCompute(lowering, op, layout);
  const scalar = lowering.layouts.blocked([]);
  for (const [i, { value }] of kernel.params.entries()) lowering.define(value, scalar, [fn.params[i] as never]);
  lowering.region(kernel.body);
  e.append(newInstruction<RetInstruction>(e, { op: "ret", type: VOID, name: "", value: null }));
  return { module, name: kernel.name, sharedBytes: lowering.sharedBytes, threads: numWarps * 32 };
}

const NOTHING_FUSED: FusedStores = { stores: new Map(), deferred: new Set() };

function usedValues(kernel: BlockKernel): ReadonlySet<BlockValue> {
  const used = new Set<BlockValue>();
  for (const op of allOps(kernel.body)) {
    for (const value of operandsOf(op)) used.add(value);
    for (const region of regionsOf(op)) for (const value of region.yields) used.add(value);
  }
  return used;
}

const SREG = "llvm.nvvm.read.ptx.sreg";

function lowerOp(l: Lowering, op: BlockOp, used: ReadonlySet<BlockValue>): void {
  const [result] = op.results;
  switch (op.op) {
    case "constant":
    case "range":
    case "splat":
    case "expand":
    case "broadcast":
    case "reshape":
    case "transpose":
    case "join":
    case "pick":
    case "binary":
    case "icmp":
    case "fcmp":
    case "cast":
    case "select":
    case "call":
    case "address": {
      l.noteDepth(op);
      // What has a layout is computed here, the rest where it is needed.
      const own = result === undefined || !used.has(result) ? null : l.layouts.own(result);
      if (own !== null && result !== undefined) l.get(result, own);
      return;
    }
    case "load":
      return lowerLoad(l, op);
    case "store":
      return lowerStore(l, op);
    case "atomic":
      return lowerAtomic(l, op, used.has(op.results[0] as BlockValue));
    case "compare-exchange":
      return lowerCompareExchange(l, op, used.has(op.results[0] as BlockValue));
    case "reduce":
      return lowerReduce(l, op);
    case "scan":
      return lowerScan(l, op);
    case "gather":
      return lowerGather(l, op);
    case "dot":
      return l.layouts.tensor(op) === null ? lowerDot(l, op) : lowerTensorDot(l, op);
    case "asm":
      return lowerAsm(l, op);
    case "map":
      return lowerMap(l, op);
    case "program-id":
    case "program-count": {
      const register = `${SREG}.${op.op === "program-id" ? "ctaid" : "nctaid"}.${"xyz"[op.axis]}`;
      l.define(result as BlockValue, l.layouts.blocked([]), [l.e.intrinsic(register, I32, [])]);
      return;
    }
    case "for":
      return lowerFor(l, op);
    case "while":
      return lowerWhile(l, op);
    case "if":
      return lowerIf(l, op);
    case "staged":
      l.noteDepth(op);
      // What a thread has copied itself it reads before it copies again; the rest is read where it is needed.
      if (op.ring.isPrivate) l.get(result as BlockValue, l.layouts.preferred(result as BlockValue));
      return;
    case "copy":
      return lowerCopy(l, op);
    case "commit-copies":
      return lowerCommit(l);
    case "await-copies":
      return l.rotation?.await === op ? undefined : lowerAwait(l, op);
    case "barrier":
      if (op.grid === undefined) return l.barrier();
      l.e.intrinsic(`llvm.nvvm.griddepcontrol.${op.grid === "wait" ? "wait" : "launch.dependents"}`, VOID, []);
      return;
    case "print":
      return lowerPrint(l, op);
    case "assert":
      return lowerAssert(l, op);
    default:
      return unreachable(op, "operation");
  }
}
