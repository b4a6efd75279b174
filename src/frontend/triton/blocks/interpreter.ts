/**
 * What block IR means, as a program: runs one program of a kernel element by element, without threads and layouts.
 * Slow; the lowered code is tested against it. Poison is zero, as in the lowered code.
 */
import { bug, unsupported } from "../../../base/diagnostics.ts";
import { foldBinary } from "../../../ir/model/fold.ts";
import { bitsToNumber, numberToBits } from "../../../ir/model/float-literals.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import type { AtomicOp, BlockKernel, BlockOp, BlockValue, ElementType, Region, Ring } from "./model.ts";
import { isElementwise } from "./operands.ts";
import {
  constantScalar,
  constants,
  elementOf,
  integerResult,
  signed,
  unrounded,
  wrap,
  type Round,
  type Scalar,
} from "./interpreter-elements.ts";
import { sizeOfShape, stridesOf } from "./types.ts";

export type { Scalar } from "./interpreter-elements.ts";
/** The elements in row-major order. */
export type Elements = readonly Scalar[];

export interface ProgramPlace {
  readonly id: readonly [number, number, number];
  readonly count: readonly [number, number, number];
}

/** The bytes that the program sees: a DataView, or something that keeps its writes apart. */
export interface ProgramMemory {
  getUint8(address: number): number;
  setUint8(address: number, value: number): void;
  /** Memory that keeps floats unrounded: the program then computes in double precision throughout. */
  readonly exact?: {
    /** Undefined where none was stored. */
    get(address: number): number | undefined;
    set(address: number, value: number): void;
  };
}

/** Is told what the program does, in its order. What it throws ends the run. */
export interface ProgramObserver {
  /** Before the operation: `get` has its operands. After it: its results, too; a loop has them after its last turn. */
  before?(op: BlockOp, get: (value: BlockValue) => Elements): void;
  after?(op: BlockOp, get: (value: BlockValue) => Elements): void;
  /** The parameters of a region have their values: another turn of a loop begins. */
  entered?(op: BlockOp, region: Region, get: (value: BlockValue) => Elements): void;
}

/** @param args one for each parameter: numbers for floats and addresses, bigints for integers */
export function interpretProgram(
  kernel: BlockKernel,
  args: readonly Scalar[],
  memory: ProgramMemory,
  place: ProgramPlace,
  observer: ProgramObserver = {},
): void {
  const run = new Run(memory, place, observer);
  for (const [i, { value }] of kernel.params.entries())
    run.set(value, [run.round(value.type.element, args[i] as Scalar)]);
  run.region(kernel.body);
}

class Run {
  readonly #values = new Map<BlockValue, Elements>();
  readonly #memory: ProgramMemory;
  readonly #place: ProgramPlace;
  readonly #observer: ProgramObserver;
  readonly round: Round;
  readonly #reader = (value: BlockValue): Elements => this.get(value);
  constructor(memory: ProgramMemory, place: ProgramPlace, observer: ProgramObserver) {
    this.#memory = memory;
    this.round = memory.exact === undefined ? wrap : unrounded;
    this.#place = place;
    this.#observer = observer;
  }

  set(value: BlockValue, elements: Elements): void {
    if (elements.length !== sizeOfShape(value.type.shape)) bug(`${elements.length} elements`);
    this.#values.set(value, elements);
  }

  get(value: BlockValue): Elements {
    return this.#values.get(value) ?? bug("a value that is not computed yet");
  }

  /** @param of the operation that the region belongs to, if somebody may watch. */
  region(region: Region, args: readonly Elements[] = [], of: BlockOp | null = null, isWatched = true): Elements[] {
    for (const [i, param] of region.params.entries()) this.set(param, args[i] ?? bug("a region's argument"));
    if (of !== null) this.#observer.entered?.(of, region, this.#reader);
    for (const op of region.ops) {
      if (isWatched) this.#observer.before?.(op, this.#reader);
      const results = this.#results(op);
      for (const [i, result] of op.results.entries()) this.set(result, results[i] ?? bug(`a result of ${op.op}`));
      if (isWatched) this.#observer.after?.(op, this.#reader);
    }
    return region.yields.map((value) => this.get(value));
  }

  #results(op: BlockOp): Elements[] {
    switch (op.op) {
      case "for":
        return this.#loop(op);
      case "while": {
        let carried = op.initial.map((value) => this.get(value));
        for (;;) {
          const [condition, ...passed] = this.region(op.before, carried, op) as [Elements, ...Elements[]];
          if (condition[0] === 0n) return passed;
          carried = this.region(op.body, passed, op);
        }
      }
      case "if":
        return this.region(this.get(op.condition)[0] === 1n ? op.then : op.otherwise);
      case "reduce":
      case "scan":
        return this.#alongAxis(op);
      case "map":
        return this.#mapped(op);
      case "store":
        this.#store(op);
        return [];
      case "copy": {
        const { pointer, mask } = op;
        const load = { op: "load", pointer, mask, other: null, cache: null, isVolatile: false } as const;
        const tile = this.#block(
          { ...load, location: op.location, results: [] },
          { type: op.ring.type, name: "", op: null },
        );
        slotsOf(op.ring).set(this.get(op.slot)[0] as Scalar, tile);
        return [];
      }
      case "staged":
        return [slotsOf(op.ring).get(this.get(op.slot)[0] as Scalar) ?? bug("a slot that was not copied to")];
      case "commit-copies":
      case "await-copies":
      case "barrier":
      case "print":
      case "assert":
        return [];
      default: {
        const [result] = op.results as [BlockValue];
        return [this.#block(op, result)];
      }
    }
  }

  #loop(op: Extract<BlockOp, { op: "for" }>): Elements[] {
    const type = op.lower.type.element;
    const [lower, upper, step] = [op.lower, op.upper, op.step].map((value) =>
      signed(type, this.get(value)[0] as Scalar),
    ) as [bigint, bigint, bigint];
    let carried = op.initial.map((value) => this.get(value));
    for (let i = lower; step > 0n ? i < upper : i > upper; i += step)
      carried = this.region(op.body, [[this.round(type, i)], ...carried], op);
    return carried;
  }

  /** Operations with one result, from its elements' positions. */
  #block(op: BlockOp, { type }: BlockValue): Elements {
    const { shape } = type;
    const positions = Array.from({ length: sizeOfShape(shape) }, (_, i) => i);
    const strides = stridesOf(shape);
    const indexOf = (position: number): number[] =>
      shape.map((size, d) => Math.floor(position / (strides[d] as number)) % size);
    const at = (value: BlockValue, index: readonly number[]): Scalar => {
      const own = stridesOf(value.type.shape);
      const position = index.reduce((sum, i, d) => sum + (value.type.shape[d] === 1 ? 0 : i * (own[d] as number)), 0);
      return this.get(value)[position] as Scalar;
    };
    switch (op.op) {
      case "constant":
        return positions.map(() => constantScalar(op.value));
      case "range":
        return positions.map((i) => this.round(type.element, BigInt(op.start + i)));
      case "splat":
        return positions.map(() => this.get(op.source)[0] as Scalar);
      case "expand":
      case "reshape":
        return this.get(op.source);
      case "broadcast":
        return positions.map((i) => at(op.source, indexOf(i)));
      case "transpose":
        return positions.map((i) => {
          const index = indexOf(i);
          return at(
            op.source,
            op.order.map((_, d) => index[op.order.indexOf(d)] as number),
          );
        });
      case "join":
        return positions.map((i) => this.get(op.sources[i % 2] as BlockValue)[i >> 1] as Scalar);
      case "pick":
        return positions.map((i) => this.get(op.source)[2 * i + op.index] as Scalar);
      case "gather":
        return positions.map((i) => {
          const chosen = Number(signed(op.index.type.element, this.get(op.index)[i] as Scalar));
          return at(op.source, indexOf(i).with(op.axis, chosen));
        });
      case "load":
        return positions.map((i) => {
          if (op.mask !== null && this.get(op.mask)[i] === 0n)
            return op.other === null ? this.round(type.element, 0) : (this.get(op.other)[i] as Scalar);
          return this.#read(type.element, Number(this.get(op.pointer)[i]));
        });
      case "atomic":
        return positions.map((i) => this.#atomic(op, i));
      case "compare-exchange":
        return positions.map((i) => {
          const address = Number(this.get(op.pointer)[i]);
          const old = this.#read(type.element, address);
          if (old === this.get(op.expected)[i]) this.#write(type.element, address, this.get(op.desired)[i] as Scalar);
          return old;
        });
      case "dot":
        return positions.map((i) => this.#dotElement(op, indexOf(i) as [number, number], this.get(op.operands[2])[i]));
      case "program-id":
        return [BigInt(this.#place.id[op.axis])];
      case "program-count":
        return [BigInt(this.#place.count[op.axis])];
      default:
        if (!isElementwise(op)) return bug(`no meaning for ${op.op}`);
        return positions.map((i) => {
          const operands = op.operands.map((value) => this.get(value)[i] as Scalar);
          return elementOf(op, type.element, operands, this.round);
        });
    }
  }

  #dotElement(op: Extract<BlockOp, { op: "dot" }>, [m, n]: readonly [number, number], start?: Scalar): Scalar {
    const [a, b, c] = op.operands;
    const [, depth] = a.type.shape as [number, number];
    const columns = b.type.shape[1] as number;
    const type = c.type.element;
    let sum = start ?? bug("an accumulator");
    for (let k = 0; k < depth; k++) {
      const [x, y] = [this.get(a)[m * depth + k], this.get(b)[k * columns + n]] as [Scalar, Scalar];
      if (typeof x === "bigint") sum = this.round(type, BigInt(sum) + x * BigInt(y));
      else sum = this.round(type, Number(sum) + this.#cut(op, x) * this.#cut(op, Number(y)));
    }
    return sum;
  }

  /** What a product takes of a factor. */
  #cut({ precision }: Extract<BlockOp, { op: "dot" }>, value: number): number {
    return this.#memory.exact === undefined ? cut(precision, value) : value;
  }

  #alongAxis(op: Extract<BlockOp, { op: "reduce" | "scan" }>): Elements[] {
    const [first] = op.operands as [BlockValue];
    const { shape } = first.type;
    const stride = stridesOf(shape)[op.axis] as number;
    const length = shape[op.axis] as number;
    const blocks = op.operands.map((value) => this.get(value));
    const results = blocks.map((block) => (op.op === "scan" ? [...block] : []));
    const isReversed = op.op === "scan" && op.reverse;
    for (let start = 0; start < sizeOfShape(shape); start++) {
      if (Math.floor(start / stride) % length !== 0) continue;
      let sums: Scalar[] = [];
      for (let i = 0; i < length; i++) {
        const position = start + (isReversed ? length - 1 - i : i) * stride;
        const row = blocks.map((block) => block[position] as Scalar);
        const both = [...sums, ...row].map((value) => [value]);
        sums = i === 0 ? row : this.region(op.combine, both, null, false).map((value) => value[0] as Scalar);
        if (op.op === "scan") for (const [b, sum] of sums.entries()) (results[b] as Scalar[])[position] = sum;
      }
      if (op.op === "reduce") for (const [b, sum] of sums.entries()) (results[b] as Scalar[]).push(sum);
    }
    return results;
  }

  #mapped(op: Extract<BlockOp, { op: "map" }>): Elements[] {
    const inputs = op.operands.map((value) => this.get(value));
    const results: Scalar[][] = op.results.map(() => []);
    const size = inputs[0]?.length ?? 0;
    for (let start = 0; start < size; start += op.pack) {
      const group = Array.from({ length: op.pack }, (_, i) => Math.min(start + i, size - 1));
      const args = inputs.flatMap((elements) => group.map((i) => [elements[i] as Scalar]));
      for (const [i, value] of this.region(op.body, args, null, false).entries())
        if (start + (i % op.pack) < size) results[Math.floor(i / op.pack)]?.push(value[0] as Scalar);
    }
    return results;
  }

  // ---------------------------------------------------------------- memory

  #read(type: ElementType, address: number): Scalar {
    if (type.kind === "float") {
      const exact = this.#memory.exact?.get(address);
      if (exact !== undefined) return exact;
    }
    const bytes = sizeOf(type);
    let bits = 0n;
    for (let i = bytes - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(this.#memory.getUint8(address + i));
    if (type.kind === "float") return bitsToNumber(bits, type.format);
    return type.kind === "ptr" ? Number(bits) : BigInt.asUintN(type.bits, bits);
  }

  #write(type: ElementType, address: number, value: Scalar): void {
    if (type.kind === "float") this.#memory.exact?.set(address, Number(value));
    let bits = type.kind === "float" ? numberToBits(Number(value), type.format) : BigInt(value);
    for (let i = 0; i < sizeOf(type); i++, bits >>= 8n) this.#memory.setUint8(address + i, Number(bits & 0xffn));
  }

  #store(op: Extract<BlockOp, { op: "store" }>): void {
    for (const [i, value] of this.get(op.value).entries())
      if (op.mask === null || this.get(op.mask)[i] === 1n)
        this.#write(op.value.type.element, Number(this.get(op.pointer)[i]), value);
  }

  #atomic(op: AtomicOp, i: number): Scalar {
    const type = op.value.type.element;
    if (op.mask !== null && this.get(op.mask)[i] === 0n) return this.round(type, 0);
    const address = Number(this.get(op.pointer)[i]);
    const old = this.#read(type, address);
    this.#write(type, address, updated(op, type, old, this.get(op.value)[i] as Scalar, this.round));
    return old;
  }
}

/** What a ring's slots hold: copies are made at once. */
const rings = new WeakMap<Ring, Map<Scalar, Elements>>();

function slotsOf(ring: Ring): Map<Scalar, Elements> {
  const slots = rings.get(ring) ?? new Map<Scalar, Elements>();
  rings.set(ring, slots);
  return slots;
}

function cut(precision: "tf32" | "ieee", value: number): number {
  if (precision === "ieee") return value;
  return bitsToNumber(numberToBits(value, "float") & 0xffffe000n, "float");
}

function updated({ operator }: AtomicOp, type: ElementType, old: Scalar, value: Scalar, round: Round): Scalar {
  switch (operator) {
    case "xchg":
      return value;
    case "fadd":
      return round(type, Number(old) + Number(value));
    case "fmax":
    case "fmin":
      return operator === "fmax" ? Math.max(Number(old), Number(value)) : Math.min(Number(old), Number(value));
    case "max":
      return signed(type, old) >= signed(type, value) ? old : value;
    case "min":
      return signed(type, old) <= signed(type, value) ? old : value;
    case "umax":
      return old >= value ? old : value;
    case "umin":
      return old <= value ? old : value;
    case "add":
    case "and":
    case "or":
    case "xor":
      return integerResult(foldBinary(operator, ...constants(type, old, value)));
    default:
      throw unsupported(`the atomic operator ${operator} in the interpreter of block IR`);
  }
}
