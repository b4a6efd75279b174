/**
 * Products of matrices on tensor cores: mma.sync m16n8k16 for 16-bit floats, m16n8k8 for tf32 (PTX ISA 8.5, 9.7.14.5).
 * Both operands go to shared memory, each with its own fast dimension, rows 16 bytes apart more than they are long: the
 * 8 rows that a matrix instruction reads lie in different banks. Each warp then multiplies its part of the result.
 *
 * The fragments of these instructions are layouts as all others: bits of the index in lanes and registers.
 */
import { bug } from "../../../base/diagnostics.ts";
import { constI32 } from "../../../ir/model/build.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import { F16, F32, structType } from "../../../ir/model/types.ts";
import type { BlockValue, DotOp, Region } from "../blocks/model.ts";
import { canConvertInThread } from "./exchange.ts";
import {
  fragmentLayout,
  matrixLoads,
  packedWords,
  paddedPlace,
  stagedPlace,
  wordLoads,
  type Stored,
} from "./fragments.ts";
import { layoutKey, registerCount, registerOffset, threadBits, type Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";
import type { StepWords, Words } from "./rotation.ts";
import { TILE_M, TILE_N, instructionFor, type Instruction } from "./tensor-layout.ts";

const SUMS = structType([F32, F32, F32, F32]);
const PADDING_BYTES = 16;
/** Words of a thread that operands from before a loop may have: more are read from shared memory each time. */
const MAX_KEPT_WORDS = 32;

export function lowerTensorDot(l: Lowering, op: DotOp): void {
  const { e } = l;
  const [, , c] = op.operands;
  const [result] = op.results as [BlockValue];
  const instruction = instructionFor(op) ?? bug("no tensor cores for this product");
  const layout = l.layouts.preferred(result);
  const isHalf = result.type.element === F16;
  const sums = l.get(c, layout).map((value) => (isHalf ? e.cast("fpext", value, F32) : value));
  const products = new WarpProducts(l, op, layout);
  const steps = stepsOf(op);
  const { rotation } = l;
  if (rotation?.product === op) {
    // The next step's operands are read while this one's are multiplied.
    let words = rotation.words;
    for (let i = 0; i < steps; i++) {
      const next = i + 1 < steps ? products.read(rotation.operands(null), i + 1) : rotation.next();
      products.multiply(words, sums);
      words = next;
    }
    rotation.words = words;
  } else {
    const operands = operandsIn(l, op, instruction, layout);
    for (let i = 0; i < steps; i++) products.multiply(products.read(operands, i), sums);
  }
  l.define(result, layout, isHalf ? sums.map((value) => e.cast("fptrunc", value, F16)) : sums);
}

export function stepsOf(op: DotOp): number {
  return (op.operands[0].type.shape[1] as number) / (instructionFor(op)?.k ?? bug("no tensor cores"));
}

/** What a warp does for a product. */
export class WarpProducts {
  readonly #l: Lowering;
  readonly #instruction: Instruction;
  readonly #tiles: { readonly rows: readonly number[]; readonly columns: readonly number[] };
  /** By place in the result: the register that has it. */
  readonly #registerAt = new Map<number, number>();
  readonly #columns: number;

  constructor(l: Lowering, op: DotOp, layout: Layout) {
    this.#l = l;
    this.#instruction = instructionFor(op) ?? bug("no tensor cores for this product");
    this.#tiles = tilesOf(layout);
    this.#columns = layout.shape[1] as number;
    for (let r = 0; r < registerCount(layout); r++)
      this.#registerAt.set(registerOffset(layout, r, 0) * this.#columns + registerOffset(layout, r, 1), r);
  }

  read([a, b]: readonly [Words, Words], step: number): StepWords {
    const at = step * this.#instruction.k;
    return [this.#tiles.rows.map((row) => a(row, at)), this.#tiles.columns.map((column) => b(column, at))];
  }

  /** Adds the products of a step to the sums. */
  multiply([ofA, ofB]: StepWords, sums: IrValue[]): void {
    const { e } = this.#l;
    const n = this.#columns;
    for (const [i, row] of this.#tiles.rows.entries())
      for (const [j, column] of this.#tiles.columns.entries()) {
        const own = [0, 1, 8 * n, 8 * n + 1].map((at) => this.#registerAt.get(row * n + column + at) ?? bug("a tile"));
        const words = [...(ofA[i] as Registers), ...(ofB[j] as Registers)];
        const args = [...words, ...own.map((r) => sums[r] as IrValue)];
        const sum = e.intrinsic(`__heddle_mma_${this.#instruction.name}`, SUMS, args);
        for (const [part, r] of own.entries()) sums[r] = e.extractValue(sum, [part], F32);
      }
  }
}

/** Where the instructions' tiles begin that a warp has, less the warp's own place. */
function tilesOf(layout: Layout): { readonly rows: readonly number[]; readonly columns: readonly number[] } {
  const all = Array.from({ length: registerCount(layout) }, (_, r) => r);
  const offsets = (dim: 0 | 1, tile: number): number[] =>
    [...new Set(all.map((r) => registerOffset(layout, r, dim)))].filter((at) => at % tile === 0);
  return { rows: offsets(0, TILE_M), columns: offsets(1, TILE_N) };
}

// ---------------------------------------------------------------- operands

function operandsIn(l: Lowering, op: DotOp, instruction: Instruction, layout: Layout): [Words, Words] {
  const found = ([0, 1] as const).map((which) => wordsInRegisters(l, op, which, instruction, layout));
  const left = found.flatMap((words, which) => (words === null ? [which as 0 | 1] : []));
  const stored = storeOperands(l, op, left, instruction);
  return found.map(
    (words, which) => words ?? wordsOf(l, stored.get(which) ?? bug("an operand"), which as 0 | 1, instruction, layout),
  ) as [Words, Words];
}

/** From shared memory, when they are needed. */
export function wordsOf(l: Lowering, stored: Stored, which: 0 | 1, instruction: Instruction, layout: Layout): Words {
  const loads = instruction.bytes === 2 ? matrixLoads(l, layout) : wordLoads(l, layout);
  if (which === 0) return (row, step) => loads.a(stored, row, step);
  const { columns } = tilesOf(layout);
  const known = new Map<number, ReadonlyMap<number, Registers>>();
  return (column, step) => {
    let words = known.get(step);
    if (words === undefined) known.set(step, (words = loads.b(stored, columns, step)));
    return words.get(column) ?? bug("a column");
  };
}

/** Null: they are not, and are not worth it. */
function wordsInRegisters(
  l: Lowering,
  op: DotOp,
  which: 0 | 1,
  instruction: Instruction,
  layout: Layout,
): Words | null {
  const value = op.operands[which];
  const shape = value.type.shape as [number, number];
  const wanted = fragmentLayout(layout, shape, which, instruction.bytes);
  const key = layoutKey(wanted);
  const isKept = l.hasFragments(value, key);
  if (!isKept && (isStagedTile(value) || !isWithinThread(l, value, wanted))) return null;
  const words = l.fragments(value, key, () => packedWords(l, l.get(value, wanted)));
  return pickWords(words, shape, which, instruction, layout);
}

function pickWords(
  words: Registers,
  shape: readonly [number, number],
  which: 0 | 1,
  instruction: Instruction,
  layout: Layout,
): Words {
  const { rows, columns } = tilesOf(layout);
  const tiles = which === 0 ? rows : columns;
  const each = which === 0 ? 4 : 2;
  const steps = (shape[1 - which] as number) / instruction.k;
  return (tile, step) => {
    const at = (tiles.indexOf(tile) * steps + step / instruction.k) * each;
    return words.slice(at, at + each);
  };
}

function isWithinThread(l: Lowering, value: BlockValue, wanted: Layout): boolean {
  const own = l.layouts.own(value);
  if (own !== null) return canConvertInThread(own, wanted);
  // Computed where it is needed: from what the thread has, or else its parts would go through shared memory.
  return value.op !== null && l.canCompute(value.op, wanted);
}

/** Operands of a loop's products that do not change in the loop: their words stay in registers. */
export function keepOperands(l: Lowering, body: Region): void {
  const inside = new Set(body.params);
  for (const op of body.ops) for (const result of op.results) inside.add(result);
  let staged = 0;
  for (const op of body.ops) {
    if (op.op !== "dot" || l.layouts.tensor(op) === null) continue;
    const instruction = instructionFor(op) ?? bug("no tensor cores for this product");
    const layout = l.layouts.preferred(op.results[0] as BlockValue);
    for (const which of [0, 1] as const) {
      const value = op.operands[which];
      const shape = value.type.shape as [number, number];
      const wanted = fragmentLayout(layout, shape, which, instruction.bytes);
      const count = (registerCount(wanted) * instruction.bytes) / 4;
      const isStaged = isStagedTile(value);
      if (isInside(value, inside) || count > 4 * MAX_KEPT_WORDS) continue;
      if (isStaged && staged + count > MAX_KEPT_WORDS) continue;
      if (isStaged) staged += count;
      l.fragments(value, layoutKey(wanted), () => {
        if (!isStaged && isWithinThread(l, value, wanted)) return packedWords(l, l.get(value, wanted));
        const stored = storeOperands(l, op, [which], instruction).get(which) ?? bug("an operand");
        const words = wordsOf(l, stored, which, instruction, layout);
        const { rows, columns } = tilesOf(layout);
        const steps = (shape[1 - which] as number) / instruction.k;
        return (which === 0 ? rows : columns).flatMap((tile) =>
          Array.from({ length: steps }, (_, i) => words(tile, i * instruction.k)).flat(),
        );
      });
    }
  }
}

/** What is made in a loop, or is a view of that. */
function isInside(value: BlockValue, inside: ReadonlySet<BlockValue>): boolean {
  if (value.op?.op === "transpose") return isInside(value.op.source, inside);
  return inside.has(value);
}

function isStagedTile(value: BlockValue): boolean {
  if (value.op?.op === "transpose") return isStagedTile(value.op.source);
  return value.op?.op === "staged" && !value.op.ring.isPrivate;
}

// ---------------------------------------------------------------- to shared memory

/** Some of the operands: those that copies have not brought yet go there now. */
function storeOperands(
  l: Lowering,
  { operands }: DotOp,
  which: readonly (0 | 1)[],
  { bytes }: Instruction,
): ReadonlyMap<number, Stored> {
  const found = new Map<number, Stored>();
  for (const i of which) {
    const staged = stagedPlace(l, operands[i]);
    if (staged !== null) found.set(i, staged);
  }
  const rest = which.filter((i) => !found.has(i));
  if (rest.length === 0) return found;
  const parts = rest.map((i) => {
    const value = operands[i];
    const layout = l.layouts.preferred(value);
    const values = l.get(value, layout);
    const fast = fastDimension(layout);
    const [long, count] = [value.type.shape[fast] as number, value.type.shape[1 - fast] as number];
    // Elements of 4 bytes are read one at a time: along rows of k by 4 lanes, along rows of m or n by 8.
    const isAlongK = fast === 1 - i;
    const pitch = long * bytes + (bytes === 4 && !isAlongK ? 2 * PADDING_BYTES : PADDING_BYTES);
    return { i, layout, values, fast, pitch, size: count * pitch };
  });
  const base = l.beginExchange(parts.reduce((sum, { size }) => sum + size, 0));
  let offset = 0;
  for (const { i, layout, values, fast, pitch, size } of parts) {
    const at = l.e.offset(base, constI32(offset));
    storeRows(l, values, layout, { base: at, fast, pitch }, bytes);
    found.set(i, paddedPlace(l, at, fast, pitch, bytes));
    offset += size;
  }
  l.endWriting();
  return found;
}

/** The dimension along which neighbours are in one thread, or else in neighbouring lanes. */
function fastDimension({ registers, lanes }: Layout): 0 | 1 {
  for (const bits of [registers, lanes]) {
    const low = bits.find((bit) => bit !== null && bit.bit === 0);
    if (low !== undefined && low !== null && low.dim <= 1) return low.dim as 0 | 1;
  }
  return 1;
}

interface Padded {
  readonly base: IrValue;
  readonly fast: 0 | 1;
  /** Bytes from a row to the next. */
  readonly pitch: number;
}

function storeRows(l: Lowering, values: Registers, layout: Layout, { base, fast, pitch }: Padded, bytes: number): void {
  const { e } = l;
  const slow = (1 - fast) as 0 | 1;
  const own = e.offset(
    base,
    e.add(e.mul(l.threadIndex(layout, slow), constI32(pitch)), e.mul(l.threadIndex(layout, fast), constI32(bytes))),
  );
  // What the address is a multiple of, at least: neighbours in registers become one wide store.
  const lowest = Math.min(4, ...threadBits(layout).flatMap((bit) => (bit?.dim === fast ? [bit.bit] : [])));
  const aligned = Math.min(PADDING_BYTES, bytes << lowest);
  l.where(l.isOwner(layout), () => {
    for (const [r, value] of values.entries()) {
      const at = registerOffset(layout, r, slow) * pitch + registerOffset(layout, r, fast) * bytes;
      let align = aligned;
      while (at % align !== 0) align /= 2;
      e.store(value, e.offset(own, constI32(at)), align);
    }
  });
}
