/**
 * Chooses the layout of every value that has one of its own. Loads, products and what passes through loops are computed
 * once, in one layout; what is made of them element by element follows them. Ranges, constants and what is made of
 * those alone have none: they are computed anew in whatever layout is asked for, which costs less than an exchange
 * between threads.
 */
import type { BlockKernel, BlockOp, BlockValue, DotOp, Region } from "../blocks/model.ts";
import { allOps, isElementwise, operandsOf } from "../blocks/operands.ts";
import {
  blockedLayout,
  reshapedLayout,
  sliceLayout,
  transposedLayout,
  vectorIn,
  vectorLayout,
  withUnitDimension,
  type Layout,
} from "./layout.ts";
import { AxisTable } from "./axis-info.ts";
import { fastestDimensions } from "./contiguity.ts";
import { copyLayout } from "./ring-layout.ts";
import { tensorLayout } from "./tensor-layout.ts";

/** Operations between two products that are followed. */
const MAX_CHAIN = 16;

export interface LoweringOptions {
  /** Products of 16-bit floats and tf32 are mma.sync, which GPUs have from compute capability 8.0 on. */
  readonly hasTensorCores?: boolean;
  /** A thread has neighbouring elements, of up to 16 bytes, where one access can load or store them. */
  readonly hasWideAccesses?: boolean;
  /** Tiles that a loop's products take are loaded early (pipeline-copies.ts, prefetch-loads.ts). */
  readonly loadsAhead?: boolean;
  /** Iterations whose tiles are under way: num_stages of the launch. Default 3. */
  readonly stages?: number;
  /** Shared memory of a block, at most; fewer stages are taken where they do not fit. */
  readonly maxSharedBytes?: number;
  /** Divisions and exponentials of fp32 are the GPU's own instructions, as in Triton. */
  readonly approximates?: boolean;
}

export class LayoutTable {
  readonly numWarps: number;
  readonly hasTensorCores: boolean;
  readonly approximates: boolean;
  readonly #own = new Map<BlockValue, Layout>();
  /** By the pointers that a loop carries: the layout of the last access by one. */
  readonly #accesses = new Map<BlockValue, Layout>();

  #chained: ReadonlySet<DotOp> = new Set();

  /** null: accesses are of one element each. */
  readonly axes: AxisTable | null;

  constructor(
    kernel: BlockKernel,
    numWarps: number,
    { hasTensorCores = false, hasWideAccesses = false, approximates = false }: LoweringOptions = {},
  ) {
    this.numWarps = numWarps;
    this.hasTensorCores = hasTensorCores;
    this.approximates = approximates;
    this.axes = hasWideAccesses ? new AxisTable(kernel) : null;
    if (hasTensorCores) this.#chained = chainedProducts(kernel);
    this.#assign(kernel.body);
  }

  /** The layout that a value is computed in, or null for one that is computed in any. */
  own(value: BlockValue): Layout | null {
    return value.type.shape.length === 0 ? this.blocked([]) : (this.#own.get(value) ?? null);
  }

  /** Its own, or else the usual one for its shape. */
  preferred(value: BlockValue): Layout {
    return this.own(value) ?? this.blocked(value.type.shape);
  }

  blocked(shape: readonly number[], order?: readonly number[]): Layout {
    return blockedLayout(shape, this.numWarps, order);
  }

  /** How many registers, from a multiple of that on, have the same value. */
  equalNeighbours(value: BlockValue, layout: Layout): number {
    const [first] = layout.registers;
    if (this.axes === null || first === undefined || first.bit !== 0) return 1;
    return Math.min(vectorIn(layout, first.dim), this.axes.of(value)[first.dim]?.constancy ?? 1);
  }

  /** The layout of a product that tensor cores make; null: they do not. */
  tensor(op: DotOp): Layout | null {
    return this.hasTensorCores ? tensorLayout(op, this.numWarps, this.#chained.has(op)) : null;
  }

  /** As what is loaded from a pointer, so that nothing moves between threads. */
  #ofCarried(param: BlockValue): Layout {
    const layout = this.#accesses.get(param);
    return layout !== undefined && layout.shape.join() === param.type.shape.join() ? layout : this.#usual(param);
  }

  #ofAccess(op: Extract<BlockOp, { op: "load" | "atomic" | "compare-exchange" }>): Layout {
    const layout = this.#ofOperands(op) ?? this.#usual(op.pointer, op.op === "load" ? op.mask : null);
    this.#accesses.set(origin(op.pointer), layout);
    return layout;
  }

  /** For what nothing else decides: pointers have lanes, and on a GPU registers, along neighbours in memory. */
  #usual(value: BlockValue, mask: BlockValue | null = null): Layout {
    const { shape } = value.type;
    const bytes = this.axes?.pointeeBytes(value) ?? null;
    const fast = this.axes?.fastDimension(value) ?? null;
    if (this.axes === null || bytes === null || fast === null) return this.blocked(shape, fastestDimensions(value));
    const order = [
      fast,
      ...shape
        .map((_, dim) => dim)
        .toReversed()
        .filter((dim) => dim !== fast),
    ];
    return vectorLayout(shape, this.numWarps, order, this.axes.vectorElements(value, mask, fast, bytes));
  }

  #set(value: BlockValue, layout: Layout | null): void {
    if (layout !== null && value.type.shape.length > 0) this.#own.set(value, layout);
    else this.#own.delete(value);
  }

  #assign(region: Region): void {
    for (const op of region.ops) this.#assignOp(op);
  }

  /** The first layout that an operand of the same shape has. */
  #ofOperands(op: BlockOp): Layout | null {
    const shape = op.results[0]?.type.shape ?? [];
    for (const operand of operandsOf(op)) {
      if (operand.type.shape.length !== shape.length || shape.length === 0) continue;
      const own = this.own(operand);
      if (own !== null) return own;
    }
    return null;
  }

  #assignOp(op: BlockOp): void {
    const [result] = op.results;
    switch (op.op) {
      case "for":
        this.#assignLoop(op.initial, op.body, op.body.params.slice(1), () => op.body.yields);
        for (const [i, value] of op.results.entries()) this.#set(value, this.own(op.body.params[i + 1] as BlockValue));
        return;
      case "while":
        this.#assignLoop(op.initial, op.before, op.before.params, () => {
          for (const [i, param] of op.body.params.entries())
            this.#set(param, this.own(op.before.yields[i + 1] as BlockValue) ?? this.preferred(param));
          this.#assign(op.body);
          return op.body.yields;
        });
        for (const [i, value] of op.results.entries())
          this.#set(value, this.preferred(op.body.params[i] as BlockValue));
        return;
      case "if":
        this.#assign(op.then);
        this.#assign(op.otherwise);
        for (const [i, value] of op.results.entries()) {
          const [a, b] = [op.then.yields[i] as BlockValue, op.otherwise.yields[i] as BlockValue];
          this.#set(value, this.own(a) ?? this.own(b) ?? this.blocked(value.type.shape));
        }
        return;
      case "copy":
        this.#accesses.set(origin(op.pointer), copyLayout(op.ring, this.numWarps));
        return;
      default:
        if (result !== undefined && result.type.shape.length > 0)
          for (const value of op.results) this.#set(value, this.#layoutOf(op, result));
    }
  }

  #assignLoop(
    initial: readonly BlockValue[],
    first: Region,
    params: readonly BlockValue[],
    yields: () => readonly BlockValue[],
  ): void {
    // Once without knowing: what the body makes of a value may say where it should be.
    for (const [i, param] of params.entries()) this.#set(param, this.own(initial[i] as BlockValue));
    this.#assign(first);
    const ends = yields();
    for (const [i, param] of params.entries())
      this.#set(param, this.own(param) ?? this.own(ends[i] as BlockValue) ?? this.#ofCarried(param));
    this.#assign(first);
    yields();
  }

  #layoutOf(op: BlockOp, result: BlockValue): Layout | null {
    const { shape } = result.type;
    switch (op.op) {
      case "constant":
      case "range":
      case "splat":
      case "broadcast":
      case "join":
      case "pick":
        return null;
      case "staged":
        return op.ring.isPrivate ? copyLayout(op.ring, this.numWarps) : null;
      case "expand": {
        const own = this.own(op.source);
        return own === null || op.source.type.shape.length === 0 ? null : withUnitDimension(own, op.axis);
      }
      case "reshape": {
        const own = this.own(op.source);
        return own === null || op.source.type.shape.length === 0 ? null : reshapedLayout(own, shape);
      }
      case "transpose": {
        const own = this.own(op.source);
        return own === null ? null : transposedLayout(own, op.order);
      }
      case "load":
      case "atomic":
      case "compare-exchange":
        return this.#ofAccess(op);
      case "reduce":
        return sliceLayout(this.preferred(op.operands[0] as BlockValue), op.axis).layout;
      case "scan":
        return scanLayout(this.preferred(op.operands[0] as BlockValue), op.axis);
      case "gather":
        return this.preferred(op.index);
      case "asm":
      case "map":
        return this.#ofOperands(op) ?? this.blocked(shape);
      case "dot":
        return this.tensor(op) ?? this.blocked(shape);
      default:
        return this.#ofOperands(op);
    }
  }
}

/** Products whose first operand is made of another product, and those others. */
function chainedProducts(kernel: BlockKernel): ReadonlySet<DotOp> {
  const found = new Set<DotOp>();
  const productsIn = (value: BlockValue, depth: number): DotOp[] => {
    const { op } = value;
    if (op === null || depth > MAX_CHAIN || value.type.shape.length !== 2) return [];
    if (op.op === "dot") return [op];
    return isElementwise(op) ? op.operands.flatMap((operand) => productsIn(operand, depth + 1)) : [];
  };
  for (const op of allOps(kernel.body)) {
    if (op.op !== "dot") continue;
    const before = productsIn(op.operands[0], 0);
    if (before.length > 0) for (const each of [op, ...before]) found.add(each);
  }
  return found;
}

/** Scans exchange values inside of a warp: warps that shared the axis all compute all of it. */
export function scanLayout(layout: Layout, axis: number): Layout {
  const moved = layout.warps.filter((bit) => bit !== null && bit.dim === axis) as Layout["registers"];
  const warps = layout.warps.map((bit) => (bit?.dim === axis ? null : bit));
  return { ...layout, warps, registers: [...layout.registers, ...moved] };
}

/** What addresses were added to. */
function origin(pointer: BlockValue): BlockValue {
  return pointer.op?.op === "address" ? origin(pointer.op.operands[0]) : pointer;
}
