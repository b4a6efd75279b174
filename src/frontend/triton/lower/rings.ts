/**
 * Tiles in shared memory that asynchronous copies fill (PTX ISA 8.5, 9.7.9.25.3, cp.async). A row lies along the fast
 * dimension, in chunks of 16 bytes. The chunk's number is combined with the row's by an exclusive or: the eight rows of
 * a matrix that ldmatrix reads lie in different banks, and no place is lost.
 *
 * All sizes are powers of two, and the bits of an index come from the thread or from the register, never from both. So
 * an address is a part of the thread's, exclusively or'ed with a constant, and another constant.
 */
import { constI32 } from "../../../ir/model/build.ts";
import type { IrValue } from "../../../ir/model/ir.ts";
import { sizeOf } from "../../../ir/model/layout.ts";
import { VOID } from "../../../ir/model/types.ts";
import type { AwaitOp, BlockOp, CopyOp, Ring, StagedOp } from "../blocks/model.ts";
import { registerCount, registerOffset, threadBits, type Layout } from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";
import { CHUNK, copyLayout, tileBytes } from "./ring-layout.ts";

/** Rows of a matrix. */
const MATRIX_ROWS = 8;

/** Where elements of a tile lie. */
export class TilePlace {
  readonly #bytes: number;
  readonly #rowBytes: number;
  /** The exclusive or: chunk ^ (row >> shift) & mask. */
  readonly #shift: number;
  readonly #mask: number;

  constructor({ type: { element, shape }, fast }: Ring) {
    this.#bytes = sizeOf(element);
    this.#rowBytes = (shape[fast] as number) * this.#bytes;
    const chunks = Math.max(1, Math.min(MATRIX_ROWS, this.#rowBytes / CHUNK));
    this.#shift = Math.log2(MATRIX_ROWS / chunks);
    this.#mask = shape.length === 1 ? 0 : chunks - 1;
  }

  /** Bytes from the start of the tile. `row` and `along` are the thread's parts of the index, `at` the constants. */
  offset(
    l: Lowering,
    row: IrValue,
    along: IrValue,
    at: readonly [row: number, along: number],
  ): readonly [IrValue, number] {
    const { e } = l;
    const bytes = at[1] * this.#bytes;
    if (this.#mask === 0) {
      const own = l.hoisted(() => e.add(e.mul(row, constI32(this.#rowBytes)), e.mul(along, constI32(this.#bytes))));
      return [own, at[0] * this.#rowBytes + bytes];
    }
    const inChunk = bytes % CHUNK;
    const fixed = (bytes - inChunk) ^ (this.#phase(at[0]) * CHUNK);
    const own = l.hoisted(() => {
      const phase = e.shl(e.and(e.lshr(row, this.#shift), constI32(this.#mask)), Math.log2(CHUNK));
      const place = e.xor(e.xor(e.mul(along, constI32(this.#bytes)), phase), constI32(fixed));
      return e.add(e.mul(row, constI32(this.#rowBytes)), place);
    });
    return [own, at[0] * this.#rowBytes + inChunk];
  }

  #phase(row: number): number {
    return (row >> this.#shift) & this.#mask;
  }
}

/** The address of a slot. */
export function slotAddress(l: Lowering, ring: Ring, slot: IrValue): IrValue {
  return l.element(l.ringBase(ring), slot, tileBytes(ring));
}

const other = (ring: Ring): number => (ring.type.shape.length === 1 ? -1 : 1 - ring.fast);

function place(l: Lowering, ring: Ring, base: IrValue, layout: Layout, register: number, tile: TilePlace): IrValue {
  const slow = other(ring);
  const row = slow < 0 ? constI32(0) : l.hoisted(() => l.threadIndex(layout, slow));
  const along = l.hoisted(() => l.threadIndex(layout, ring.fast));
  const at = [
    slow < 0 ? 0 : registerOffset(layout, register, slow),
    registerOffset(layout, register, ring.fast),
  ] as const;
  const [own, fixed] = tile.offset(l, row, along, at);
  return l.e.offset(l.e.offset(base, own), constI32(fixed));
}

export function lowerCopy(l: Lowering, { ring, slot, pointer, mask, staysInCache }: CopyOp): void {
  const { e } = l;
  const layout = copyLayout(ring, l.numWarps);
  const bytes = ring.vector * sizeOf(ring.type.element);
  const base = slotAddress(l, ring, l.scalar(slot));
  const pointers = l.get(pointer, layout);
  const masks = mask === null ? null : l.get(mask, layout);
  const tile = new TilePlace(ring);
  // Copies of fewer bytes go through the cache of the multiprocessor in any case.
  const cache = bytes === CHUNK && !staysInCache ? "cg" : "ca";
  const name = `llvm.nvvm.cp.async.${cache}.shared.global.${bytes}`;
  for (let r = 0; r < registerCount(layout); r += ring.vector) {
    const to = place(l, ring, base, layout, r, tile);
    const from = pointers[r] as IrValue;
    if (masks === null) e.intrinsic(name, VOID, [to, from]);
    else {
      const size = e.select(masks[r] as IrValue, constI32(bytes), constI32(0));
      e.intrinsic(`${name}.s`, VOID, [to, from, size]);
    }
  }
}

export function lowerCommit(l: Lowering): void {
  l.e.intrinsic("llvm.nvvm.cp.async.commit.group", VOID, []);
}

export function lowerAwait(l: Lowering, { pending, isPrivate }: AwaitOp): void {
  l.e.intrinsic("llvm.nvvm.cp.async.wait.group", VOID, [constI32(pending)]);
  if (!isPrivate) l.barrier();
}

/** The tile in a layout. */
export function readTile(l: Lowering, { ring, slot }: StagedOp, layout: Layout): Registers {
  const { e } = l;
  const bytes = sizeOf(ring.type.element);
  const base = slotAddress(l, ring, l.scalar(slot));
  const tile = new TilePlace(ring);
  // What the address is a multiple of, at least: neighbours in registers become one wide load.
  const lowest = Math.min(4, ...threadBits(layout).flatMap((bit) => (bit?.dim === ring.fast ? [bit.bit] : [])));
  return Array.from({ length: registerCount(layout) }, (_, r) => {
    let align = Math.min(CHUNK, bytes << lowest);
    const along = registerOffset(layout, r, ring.fast) * bytes;
    while (along % align !== 0) align /= 2;
    return e.load(ring.type.element, place(l, ring, base, layout, r, tile), align);
  });
}

export function isStaged(op: BlockOp | null): op is StagedOp {
  return op?.op === "staged";
}
