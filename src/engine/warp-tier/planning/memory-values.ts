/**
 * Which values have their place in the warp's context, in memory, and not in locals. A barrier has nothing to store of
 * them. These are:
 *
 * - The sums of products of matrices (product-loops.ts), of which a warp has more than the processor has registers, and
 *   what they are copied from and to.
 * - What lives across a barrier, where it is more than the registers hold. An operation then begins with loads and ends
 *   with a store. V8 up to Node.js 20 orders operations between loads and stores as it likes: breadth first, so that
 *   all slices are live at once, and are spilled many times.
 *
 * Values that are one variable of the program share a place: a phi, what it becomes, and where the sums of an inner
 * loop begin and end.
 *
 * Values share a place if none is live where another is defined (Chaitin, "Register allocation and spilling via graph
 * coloring", 1982: coalescing). All lanes run the blocks that define them, since a place is written as a whole.
 */
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { liveAtStart } from "../../../analysis/values/liveness.ts";
import { calleeName } from "../../../ir/model/called-intrinsic.ts";
import type { IrInstruction, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { F32, F64, I32 } from "../../../ir/model/types.ts";
import { intrinsicOf } from "../../../ir/intrinsics/lookup.ts";
import { elementOf, partsOf } from "../lane-operations/element.ts";
import type { Schedule } from "./block-order.ts";
import { isWarpOperation } from "./eligibility.ts";
import { isMultiplyAdd, productLoop } from "./product-loops.ts";

export interface MemoryValues {
  /** Bytes from the start of the warp's context. */
  readonly offsets: ReadonlyMap<IrInstruction, number>;
  /** The context's bytes up to their end. */
  readonly end: number;
}

/** Vectors that registers can hold: x86-64 has sixteen, and operations need some of them. */
const LIVE_VECTORS = 12;
/** Instructions that are emitted slice by slice. */
const PLAIN: ReadonlySet<string> = new Set(["binary", "select", "cast", "fneg"]);

/** A context begins with a word for its barrier. */
export const CONTEXT_HEAD_BYTES = 16;
const VECTOR_BYTES = 16;

/** A barrier at the end of a block, and the block where a warp goes on behind it. */
type Barrier = Pick<Schedule["resumes"][number], "block" | "continuation">;

export interface MemoryPlanOptions {
  /** All 32 lanes run the block, always, and all at once. */
  runsInAll(block: number): boolean;
  /** Loops of products run in tiles. */
  readonly hasProducts: boolean;
  /** The barriers at which a warp waits for others. */
  readonly barriers: readonly Barrier[];
}

export function planMemoryValues(analysis: WarpAnalysis, options: MemoryPlanOptions): MemoryValues {
  const plan = new Planner(analysis, (b) => options.runsInAll(b));
  if (options.hasProducts) analysis.flow.blocks.forEach((_, b) => plan.addLoop(b));
  plan.addBarriers(options.barriers);
  return plan.finish();
}

export const NO_MEMORY_VALUES: MemoryValues = { offsets: new Map(), end: CONTEXT_HEAD_BYTES };

class Planner {
  readonly #analysis: WarpAnalysis;
  readonly #runsInAll: (block: number) => boolean;
  readonly #places = new Map<IrInstruction, Set<IrInstruction>>();
  readonly #productBlocks = new Set<number>();
  #liveness: Liveness | null = null;

  constructor(analysis: WarpAnalysis, runsInAll: (block: number) => boolean) {
    this.#analysis = analysis;
    this.#runsInAll = runsInAll;
  }

  addLoop(b: number): void {
    if (!this.#runsInAll(b)) return;
    const loop = productLoop(this.#analysis, b);
    if (loop === null) return;
    this.#productBlocks.add(b);
    for (const { phi, result } of loop.sums) {
      const place = new Set<IrInstruction>([phi, result]);
      for (const i of place) this.#places.set(i, place);
    }
  }

  /**
   * What lives across a barrier goes through memory anyway. It stays there if the processor has too few registers for
   * it, unless a loop without a barrier makes or uses it.
   */
  addBarriers(barriers: readonly Barrier[]): void {
    if (barriers.length === 0) return;
    const { flow } = this.#analysis;
    const quickLoops = flow.loops.filter(({ blocks }) => !barriers.some(({ block }) => blocks.has(block)));
    const isQuick = (i: IrInstruction): boolean => {
      const b = flow.indexOf.get(i.block)!;
      return quickLoops.some(({ blocks }) => blocks.has(b));
    };
    const liveness = (this.#liveness ??= new Liveness(this.#analysis));
    for (const { continuation } of barriers) {
      const found = liveness
        .across(continuation)
        .filter((i) => this.#canLieAcross(i) && !isQuick(i) && !liveness.usersOf(i).some(isQuick));
      if (found.length * SLICES <= LIVE_VECTORS) continue;
      for (const i of found) if (!this.#places.has(i)) this.#places.set(i, new Set([i]));
    }
  }

  finish(): MemoryValues {
    if (this.#places.size === 0) return NO_MEMORY_VALUES;
    const liveness = (this.#liveness ??= new Liveness(this.#analysis));
    const open = [...this.#places.keys()];
    for (let i = open.pop(); i !== undefined; i = open.pop()) {
      const others = i.op === "phi" ? i.incoming.map(({ value }) => value) : [];
      for (const other of [...others, ...liveness.phisOf(i)]) {
        if (other.kind !== "instruction" || this.#places.get(other) === this.#places.get(i)) continue;
        if (this.#join(i, other)) open.push(other);
      }
    }
    const offsets = new Map<IrInstruction, number>();
    let end = CONTEXT_HEAD_BYTES;
    for (const place of new Set(this.#places.values())) {
      for (const i of place) offsets.set(i, end);
      const [first] = place;
      end += VECTOR_BYTES * SLICES * partsOf(elementOf(first!.type));
    }
    return { offsets, end };
  }

  /** Gives `other` the place of `i`, with all that shares a place with it already. */
  #join(i: IrInstruction, other: IrInstruction): boolean {
    const liveness = this.#liveness!;
    const place = this.#places.get(i)!;
    const added = this.#places.get(other) ?? new Set([other]);
    if (!this.#places.has(other) && !this.#canBeInMemory(other)) return false;
    for (const x of place) for (const y of added) if (liveness.interfere(x, y)) return false;
    for (const y of added) {
      place.add(y);
      this.#places.set(y, place);
    }
    return true;
  }

  #canBeInMemory(i: IrInstruction): boolean {
    const { flow } = this.#analysis;
    const b = flow.indexOf.get(i.block)!;
    if ((i.type !== F32 && i.type !== F64) || !this.#runsInAll(b) || this.#analysis.shapeOf(i).kind !== "varying")
      return false;
    if (i.op === "phi") return this.#isAroundProducts(i);
    return i.op === "binary" || (i.op === "call" && isMultiplyAdd(i));
  }

  #canLieAcross(i: IrInstruction): boolean {
    if ((i.type !== F32 && i.type !== I32) || this.#analysis.shapeOf(i).kind !== "varying") return false;
    if (!this.#runsInAll(this.#analysis.flow.indexOf.get(i.block)!)) return false;
    if (i.op === "load") return i.ordering === null;
    if (i.op !== "call") return PLAIN.has(i.op) || (i.op === "phi" && this.#isOfLoop(i));
    const name = calleeName(i) ?? "";
    return intrinsicOf(name)?.kind === "pure" && !isWarpOperation(name);
  }

  #isOfLoop(phi: PhiInstruction): boolean {
    const { flow } = this.#analysis;
    const b = flow.indexOf.get(phi.block)!;
    return flow.loops.some(({ header }) => header === b);
  }

  /** The phi of a loop that has products inside, or of no loop. */
  #isAroundProducts(phi: PhiInstruction): boolean {
    const { flow } = this.#analysis;
    const b = flow.indexOf.get(phi.block)!;
    const loop = flow.loops.find(({ header }) => header === b);
    return loop === undefined || [...this.#productBlocks].some((product) => loop.blocks.has(product));
  }
}

/** Which values are live behind the definition of another. */
class Liveness {
  readonly #analysis: WarpAnalysis;
  readonly #atStart: readonly ReadonlySet<IrInstruction>[];
  readonly #atEnd: readonly ReadonlySet<IrInstruction>[];
  readonly #index = new Map<IrInstruction, number>();
  readonly #users = new Map<IrInstruction, IrInstruction[]>();

  constructor(analysis: WarpAnalysis) {
    const { flow } = (this.#analysis = analysis);
    this.#atStart = liveAtStart(flow);
    this.#atEnd = flow.blocks.map((block, b) => {
      const live = new Set<IrInstruction>();
      for (const s of flow.successors[b]!) {
        for (const i of this.#atStart[s]!) live.add(i);
        for (const phi of flow.blocks[s]!.instructions) {
          if (phi.op !== "phi") break;
          const from = phi.incoming.find((incoming) => incoming.block === block)?.value;
          if (from?.kind === "instruction") live.add(from);
        }
      }
      return live;
    });
    for (const { instructions } of flow.blocks)
      instructions.forEach((i, at) => {
        this.#index.set(i, at);
        for (const o of new Set<IrValue>(operandsOf(i)))
          if (o.kind === "instruction") this.#users.set(o, [...(this.#users.get(o) ?? []), i]);
      });
  }

  usersOf(i: IrInstruction): readonly IrInstruction[] {
    return this.#users.get(i) ?? [];
  }

  /** The values that a warp needs when it goes on at the start of a block. */
  across(continuation: number): readonly IrInstruction[] {
    const phis = this.#analysis.flow.blocks[continuation]!.instructions.filter(({ op }) => op === "phi");
    return [...new Set([...this.#atStart[continuation]!, ...phis])];
  }

  phisOf(i: IrInstruction): readonly PhiInstruction[] {
    return this.usersOf(i).filter((user): user is PhiInstruction => user.op === "phi");
  }

  interfere(x: IrInstruction, y: IrInstruction): boolean {
    return this.#isLiveBehind(x, y) || this.#isLiveBehind(y, x);
  }

  #isLiveBehind(x: IrInstruction, definition: IrInstruction): boolean {
    const b = this.#analysis.flow.indexOf.get(definition.block)!;
    if (definition.op === "phi")
      return (
        this.#atStart[b]!.has(x) ||
        (x !== definition && x.op === "phi" && x.block === definition.block) ||
        // Phis of a block get their values one after the other.
        this.phisOf(x).some((phi) => phi !== definition && phi.block === definition.block)
      );
    if (x.block === definition.block && this.#index.get(x)! > this.#index.get(definition)!) return false;
    if (this.#atEnd[b]!.has(x)) return true;
    // Operations of a block are not emitted in its order: no other may use what this one overwrites.
    return (this.#users.get(x) ?? []).some(
      (user) => user !== definition && user.block === definition.block && user.op !== "phi",
    );
  }
}
