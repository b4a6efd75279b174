/**
 * What is known of neighbouring elements of a block (Triton's axis information), for accesses of up to 16 bytes. Along
 * each dimension, counting from multiples of the number:
 *
 *   contiguity     so many elements are consecutive numbers (addresses: consecutive elements in memory)
 *   constancy      so many elements are equal
 *   divisibility   the first of each contiguous run is a multiple of this (addresses: of bytes)
 *
 * All are powers of two. Sums are taken not to overflow, as Triton takes them.
 */
import type { BinaryOp, BlockKernel, BlockOp, BlockValue, CastOp, CompareOp, ForOp, Region } from "../blocks/model.ts";
import { operandsOf } from "../blocks/operands.ts";

export interface AxisInfo {
  readonly contiguity: number;
  readonly divisibility: number;
  readonly constancy: number;
}

/** The most that is kept of a divisibility. */
const MOST = 2 ** 16;
/** Of the narrowest integer. */
const MOST_IN_BYTE = 128;
const NOTHING: AxisInfo = { contiguity: 1, divisibility: 1, constancy: 1 };
/** A loop's carried values need no more rounds: each makes a number smaller. */
const MAX_ROUNDS = 64;

/** By dimension; a scalar has one entry. */
type Axes = readonly AxisInfo[];

/** The largest power of two that divides a number. */
function powerIn(value: bigint): number {
  let power = 1;
  while (power < MOST && value % BigInt(2 * power) === 0n) power *= 2;
  return power;
}

/** What every element is a multiple of that stands at a multiple of `count`. */
function divisibilityAt({ contiguity, divisibility }: AxisInfo, count: number): number {
  return contiguity <= count ? divisibility : Math.min(divisibility, count);
}

/** What every element is a multiple of. */
function ofEach(axes: Axes): number {
  return Math.min(...axes.map((axis) => divisibilityAt(axis, 1)));
}

function meet(a: AxisInfo, b: AxisInfo): AxisInfo {
  const contiguity = Math.min(a.contiguity, b.contiguity);
  return {
    contiguity,
    divisibility: Math.min(divisibilityAt(a, contiguity), divisibilityAt(b, contiguity)),
    constancy: Math.min(a.constancy, b.constancy),
  };
}

function sameAxes(a: Axes, b: Axes): boolean {
  return a.every((axis, d) => JSON.stringify(axis) === JSON.stringify(b[d]));
}

export class AxisTable {
  readonly #axes = new Map<BlockValue, Axes>();
  /** Of pointers: the bytes of what they point to. */
  readonly #bytes = new Map<BlockValue, number>();

  constructor(kernel: BlockKernel) {
    for (const { value, divisibility } of kernel.params)
      this.#axes.set(value, [{ ...NOTHING, divisibility: powerIn(BigInt(divisibility)) }]);
    this.#region(kernel.body);
  }

  of(value: BlockValue): Axes {
    return this.#axes.get(value) ?? Array.from({ length: Math.max(1, value.type.shape.length) }, () => NOTHING);
  }

  /** The dimension along which most neighbours are neighbours in memory; null: none are. */
  fastDimension(pointer: BlockValue): number | null {
    const runs = this.of(pointer).map(({ contiguity }) => contiguity);
    const most = Math.max(...runs);
    return most === 1 || pointer.type.shape.length === 0 ? null : runs.lastIndexOf(most);
  }

  /** How many elements along the dimension are one access: their addresses are aligned to all of their bytes. */
  vectorElements(pointer: BlockValue, mask: BlockValue | null, dim: number, bytes: number): number {
    const { contiguity, divisibility } = this.of(pointer)[dim] ?? NOTHING;
    const constancy = mask === null ? MOST : (this.of(mask)[dim] ?? NOTHING).constancy;
    return Math.max(1, Math.min(contiguity, divisibility / bytes, constancy, 16 / bytes));
  }

  /** Null for what is no pointer, and for what is not known to be computed from one. */
  pointeeBytes(pointer: BlockValue): number | null {
    return this.#bytes.get(pointer) ?? null;
  }

  #set(value: BlockValue, axes: Axes, bytes: number | null): void {
    this.#axes.set(
      value,
      axes.map((axis) => ({ ...axis, divisibility: Math.min(axis.divisibility, MOST) })),
    );
    if (bytes !== null) this.#bytes.set(value, bytes);
  }

  #region(region: Region): void {
    for (const op of region.ops) this.#op(op);
  }

  #op(op: BlockOp): void {
    const [result] = op.results;
    if (op.op === "for") return this.#loop(op);
    if (op.op === "while") {
      this.#region(op.before);
      return this.#region(op.body);
    }
    if (op.op === "if") {
      this.#region(op.then);
      this.#region(op.otherwise);
      for (const [i, value] of op.results.entries()) {
        const [a, b] = [op.then.yields[i], op.otherwise.yields[i]] as [BlockValue, BlockValue];
        this.#set(
          value,
          this.of(a).map((axis, d) => meet(axis, this.of(b)[d] ?? NOTHING)),
          this.pointeeBytes(a),
        );
      }
      return;
    }
    if (result === undefined) return;
    const [source] = operandsOf(op);
    const axes = this.#axesOf(op, result);
    const isView = op.op === "address" || (source !== undefined && source.type.element.kind === "ptr");
    if (axes !== null)
      this.#set(
        result,
        axes,
        isView && result.type.element.kind === "ptr" ? this.#pointee(op, source as BlockValue) : null,
      );
  }

  #pointee(op: BlockOp, source: BlockValue): number | null {
    return op.op === "address" ? op.bytes : this.pointeeBytes(source);
  }

  #loop({ lower, step, initial, body, results }: ForOp): void {
    const [counter, ...carried] = body.params as [BlockValue, ...BlockValue[]];
    this.#set(counter, [{ ...NOTHING, divisibility: Math.min(ofEach(this.of(lower)), ofEach(this.of(step))) }], null);
    for (const [i, param] of carried.entries()) {
      const value = initial[i] as BlockValue;
      this.#set(param, this.of(value), this.pointeeBytes(value));
    }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      this.#region(body);
      const next = carried.map((param, i) =>
        this.of(param).map((axis, d) => meet(axis, this.of(body.yields[i] as BlockValue)[d] ?? NOTHING)),
      );
      if (carried.every((param, i) => sameAxes(this.of(param), next[i] as Axes))) break;
      for (const [i, param] of carried.entries()) this.#set(param, next[i] as Axes, null);
    }
    for (const [i, value] of results.entries()) {
      const param = carried[i] as BlockValue;
      this.#set(value, this.of(param), this.pointeeBytes(param));
    }
  }

  /** Null: nothing is known. */
  #axesOf(op: BlockOp, { type: { shape } }: BlockValue): Axes | null {
    switch (op.op) {
      case "constant": {
        const divisibility = op.value.kind === "const-int" ? powerIn(op.value.value) : 1;
        return shape.length === 0
          ? [{ ...NOTHING, divisibility }]
          : shape.map((constancy) => ({ contiguity: 1, divisibility, constancy }));
      }
      case "range":
        return [{ contiguity: shape[0] as number, divisibility: powerIn(BigInt(op.start)), constancy: 1 }];
      case "splat": {
        const divisibility = ofEach(this.of(op.source));
        return shape.map((constancy) => ({ contiguity: 1, divisibility, constancy }));
      }
      case "expand": {
        const own = this.of(op.source);
        return own.toSpliced(op.axis, 0, { ...NOTHING, divisibility: ofEach(own) });
      }
      case "broadcast":
        return this.of(op.source).map((axis, d) =>
          op.source.type.shape[d] === shape[d] ? axis : { ...axis, contiguity: 1, constancy: shape[d] as number },
        );
      case "reshape":
        return this.#reshaped(op.source, shape);
      case "transpose":
        return op.order.map((d) => this.of(op.source)[d] ?? NOTHING);
      case "cast":
        return this.#cast(op);
      case "address": {
        const [pointer, offset] = op.operands.map((value) => this.of(value)) as [Axes, Axes];
        return pointer.map((axis, d) => sumOf(axis, offset[d] ?? NOTHING, op.bytes));
      }
      case "binary":
        return this.#binary(op);
      case "icmp":
        return this.#comparison(op);
      case "fcmp":
      case "select":
      case "call":
        // A scalar has one entry, too: without one it would count as a multiple of anything.
        return Array.from({ length: Math.max(1, shape.length) }, (_, d) => ({
          ...NOTHING,
          constancy: Math.min(...operandsOf(op).map((value) => this.of(value)[d]?.constancy ?? 1)),
        }));
      default:
        return null;
    }
  }

  /** Dimensions of one element come or go; of other shapes nothing is known. */
  #reshaped(source: BlockValue, shape: readonly number[]): Axes | null {
    const own = this.of(source);
    const large = (sizes: readonly number[]): number[] => sizes.flatMap((size, d) => (size > 1 ? [d] : []));
    const [from, to] = [large(source.type.shape), large(shape)];
    const isSame = from.length === to.length && from.every((d, i) => source.type.shape[d] === shape[to[i] as number]);
    if (!isSame || from.length === 0) return null;
    const divisibility = ofEach(from.map((d) => own[d] ?? NOTHING));
    return shape.map((_, d) => own[from[to.indexOf(d)] ?? -1] ?? { ...NOTHING, divisibility });
  }

  /** A wider integer is the same number. Of others only what is equal stays so, and small powers of two. */
  #cast({ operator, operands: [operand] }: CastOp): Axes {
    const own = this.of(operand);
    if (operator === "sext" || operator === "zext") return own;
    const isNumber = ["trunc", "inttoptr", "ptrtoint", "bitcast"].includes(operator);
    const divisibility = isNumber ? ofEach(own) : 1;
    return own.map(({ constancy }) => ({
      contiguity: 1,
      divisibility: Math.min(divisibility, MOST_IN_BYTE),
      constancy,
    }));
  }

  #binary({ operator, operands }: BinaryOp): Axes {
    const [a, b] = operands.map((value) => this.of(value)) as [Axes, Axes];
    return a.map((x, d) => {
      const y = b[d] ?? NOTHING;
      const constancy = Math.min(x.constancy, y.constancy);
      switch (operator) {
        case "add":
          return sumOf(x, y, 1);
        case "sub":
          return { ...sumOf(x, { ...y, contiguity: 1, divisibility: divisibilityAt(y, 1) }, 1), constancy };
        case "mul":
          if (isOne(operands[1])) return x;
          if (isOne(operands[0])) return y;
          return { contiguity: 1, divisibility: divisibilityAt(x, 1) * divisibilityAt(y, 1), constancy };
        case "srem":
        case "urem": {
          const contiguity = Math.min(x.contiguity, x.divisibility, divisibilityAt(y, 1), y.constancy);
          const divisibility = Math.min(divisibilityAt(x, contiguity), divisibilityAt(y, 1));
          return { contiguity, divisibility, constancy };
        }
        default:
          return { ...NOTHING, constancy };
      }
    });
  }

  /** Runs of numbers lie on one side of what they are compared with, if that begins where a run may begin. */
  #comparison({ predicate, operands }: CompareOp): Axes {
    const [a, b] = operands.map((value) => this.of(value)) as [Axes, Axes];
    const [isLess, isGreater] = [/^[su](?:lt|ge)$/.test(predicate), /^[su](?:gt|le)$/.test(predicate)];
    const run = (moving: AxisInfo, fixed: AxisInfo): number =>
      Math.min(moving.contiguity, moving.divisibility, divisibilityAt(fixed, 1), fixed.constancy);
    return a.map((x, d) => {
      const y = b[d] ?? NOTHING;
      const constancy = Math.max(Math.min(x.constancy, y.constancy), isLess ? run(x, y) : 1, isGreater ? run(y, x) : 1);
      return { ...NOTHING, constancy };
    });
  }
}

/** @param bytes what an element of `b` adds to `a` */
function sumOf(a: AxisInfo, b: AxisInfo, bytes: number): AxisInfo {
  const contiguity = Math.max(Math.min(a.contiguity, b.constancy), Math.min(b.contiguity, a.constancy));
  return {
    contiguity,
    divisibility: Math.min(divisibilityAt(a, contiguity), divisibilityAt(b, contiguity) * bytes),
    constancy: Math.min(a.constancy, b.constancy),
  };
}

function isOne({ op }: BlockValue): boolean {
  if (op?.op === "splat" || op?.op === "broadcast" || op?.op === "expand") return isOne(op.source);
  if (op?.op === "cast") return isOne(op.operands[0]);
  return op?.op === "constant" && op.value.kind === "const-int" && op.value.value === 1n;
}
