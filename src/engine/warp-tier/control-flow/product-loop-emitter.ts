/**
 * Emits products of matrices (planning/product-loops.ts). The sums of a warp do not fit into the processor's registers,
 * and a compiler that keeps them on the stack loads and stores one for each multiply-add. So the loop runs several
 * times, each time for a tile of sums: up to four rows of two vectors. Its six loads serve eight multiply-adds, which
 * are as many as hide the latency of one (Goto and van de Geijn, TOMS 2008). Each sum's order is as it was.
 */
import type { IrInstruction, IrValue, LoadInstruction } from "../../../ir/model/ir.ts";
import { operandsOf } from "../../../ir/model/operands.ts";
import { F64 } from "../../../ir/model/types.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import { splitPointer } from "../../emit/memory.ts";
import { accessOf, isLoadInBounds, type MemoryContext } from "../lane-operations/memory-access.ts";
import { rowAddresses, rowsOf, type RowAddresses } from "../lane-operations/slice-addresses.ts";
import { pushSlice } from "../lane-operations/slice-loads.ts";
import { elementOf, partsOf, scalarTypeOf } from "../lane-operations/element.ts";
import type { Values } from "../lane-operations/value-location.ts";
import type { ProductLoop, ProductSum } from "../planning/product-loops.ts";

/** Multiply-adds side by side: two a cycle, of four cycles each. */
const VECTORS = 8;
const ROWS = 4;

export interface ProductContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly memory: MemoryContext;
  /** Emits an instruction that is scalar code. */
  emitScalar(i: IrInstruction): void;
}

/** One of a value's vectors: four lanes, or two of doubles. */
interface Vector {
  readonly slice: number;
  readonly part: number;
}

/** Sums that share a factor, and the vectors of them that run together. */
interface Tile {
  readonly sums: readonly ProductSum[];
  readonly vectors: readonly Vector[];
}

/**
 * Emits all iterations of the loop; false, and nothing emitted, where its loads are not of that kind. `emitAsItStands`
 * emits the loop for addresses that need a test each.
 */
export function emitProductLoop(context: ProductContext, loop: ProductLoop, emitAsItStands: () => void): boolean {
  const { code, memory } = context;
  if (!memory.isFull) return false;
  const loads = new Map<LoadInstruction, RowAddresses>();
  const flags = new Set<Local>();
  const dispose = (): void => {
    for (const addresses of loads.values()) addresses.dispose();
  };
  for (const load of new Set(loop.sums.flatMap(({ factors }) => factors))) {
    const addresses = addressesOf(memory, load, flags);
    if (addresses === null) {
      dispose();
      return false;
    }
    loads.set(load, addresses);
  }
  [...flags].forEach((flag, n) => {
    code.localGet(flag);
    if (n > 0) code.i32And();
  });
  if (flags.size > 0) code.hint("likely").if();
  emitTiles(context, loop, loads);
  if (flags.size > 0) {
    code.else();
    emitAsItStands();
    code.end();
  }
  dispose();
  return true;
}

function emitTiles(
  context: ProductContext,
  loop: ProductLoop,
  loads: ReadonlyMap<LoadInstruction, RowAddresses>,
): void {
  const { code, values } = context;
  const firsts = loop.counters.map((phi) => {
    const local = code.local(scalarTypeOf(elementOf(phi.type)));
    values.pushScalar(phi);
    code.localSet(local);
    return local;
  });
  tilesOf(loop, loads).forEach((tile, n, { length }) => {
    loop.counters.forEach((phi, at) => {
      code.localGet(firsts[at]!);
      values.setScalar(phi);
    });
    emitTile(context, loop, loads, tile, n === length - 1);
  });
  code.free(...firsts);
}

/**
 * Null for a load that needs a test of its own, or whose slices are neither one element nor four neighbours. `flags`
 * gets the flag that says that it needs none.
 */
function addressesOf(memory: MemoryContext, load: LoadInstruction, flags: Set<Local>): RowAddresses | null {
  const access = accessOf(load);
  if (access.align < access.bytes) return null;
  if (!isLoadInBounds(memory, access)) {
    const flag = memory.flagOf(load);
    if (flag === null) return null;
    flags.add(flag);
  }
  const rows = rowsOf(memory, access);
  if (rows === null) return null;
  const { code } = memory;
  const addresses = rowAddresses(memory, access, rows, () => code.local("i32"), splitPointer(load.pointer, load));
  return addresses.strides.every((stride) => stride === 0 || stride === access.bytes) ? addresses : null;
}

function tilesOf({ sums, type }: ProductLoop, loads: ReadonlyMap<LoadInstruction, RowAddresses>): Tile[] {
  const isOne = (load: LoadInstruction): boolean => loads.get(load)!.strides.every((stride) => stride === 0);
  const groups = new Map<LoadInstruction, ProductSum[]>();
  for (const sum of sums) {
    const [x, y] = sum.factors;
    const shared = isOne(y) ? x : y;
    groups.set(shared, [...(groups.get(shared) ?? []), sum]);
  }
  const parts = partsOf(elementOf(type));
  const all = Array.from({ length: SLICES * parts }, (_, n): Vector => ({
    slice: Math.floor(n / parts),
    part: n % parts,
  }));
  const tiles: Tile[] = [];
  for (const group of groups.values()) {
    for (let first = 0; first < group.length; first += ROWS) {
      const together = group.slice(first, first + ROWS);
      const width = together.length > 2 ? VECTORS / ROWS : VECTORS / together.length;
      for (let n = 0; n < all.length; n += width) tiles.push({ sums: together, vectors: all.slice(n, n + width) });
    }
  }
  return tiles;
}

function emitTile(
  context: ProductContext,
  loop: ProductLoop,
  loads: ReadonlyMap<LoadInstruction, RowAddresses>,
  { sums, vectors }: Tile,
  isLast: boolean,
): void {
  const { code, values, memory, emitScalar } = context;
  const { counters, scalars, branch, block } = loop;
  const nexts = counters.map((phi) => phi.incoming.find((incoming) => incoming.block === block)!.value);
  const used = [...new Set(sums.flatMap(({ factors }) => factors))];
  const bases = used.map((load) => load.pointer);
  // Values of the last iteration may be needed behind the loop.
  const needed = isLast ? new Set(scalars) : reached(scalars, [...nexts, ...bases, branch.condition]);
  // Sums in memory are in locals meanwhile.
  const areInMemory = sums.some(({ phi }) => values.locationOf(phi).kind === "memory");
  const locals = sums.map(({ phi }) =>
    vectors.map(({ slice, part }) => {
      if (!areInMemory) return values.vectorLocal(phi, slice, part);
      const local = code.local("v128");
      values.pushVector(phi, slice, part);
      code.localSet(local);
      return local;
    }),
  );
  const again = code.loop();
  for (const i of scalars) if (needed.has(i)) emitScalar(i);
  const loaded = new Map<string, Local>();
  const push = (load: LoadInstruction, { slice, part }: Vector): void => {
    const addresses = loads.get(load)!;
    const key = `${used.indexOf(load)} ${placeOf(addresses, slice, part)}`;
    const known = loaded.get(key);
    if (known !== undefined) {
      code.localGet(known);
      return;
    }
    const local = code.local("v128");
    loaded.set(key, local);
    pushSlice(memory, accessOf(load), addresses, slice, part);
    code.localTee(local);
  };
  for (const load of used) loads.get(load)!.setBases();
  for (const [n, { factors }] of sums.entries())
    for (const [at, vector] of vectors.entries()) {
      for (const load of factors) push(load, vector);
      const sum = locals[n]![at]!;
      code.localGet(sum);
      if (loop.type === F64) code.f64x2RelaxedMadd();
      else code.f32x4RelaxedMadd();
      code.localSet(sum);
    }
  const stays = code.local("i32");
  values.pushScalar(branch.condition);
  if (branch.then !== block) code.i32Eqz();
  code.localSet(stays);
  for (const next of nexts) values.pushScalar(next);
  for (const phi of counters.toReversed()) values.setScalar(phi);
  code.localGet(stays).brIf(again);
  code.end(again);
  // The sum as a new value: V8 stores a value that outlives a loop where it is computed, in every iteration.
  for (const [n, { result }] of sums.entries())
    for (const [at, { slice, part }] of vectors.entries()) {
      const sum = locals[n]![at]!;
      code.localGet(sum);
      if (!areInMemory) code.localGet(sum).v128Or();
      values.setVector(result, slice, part);
    }
  if (areInMemory) code.free(...locals.flat());
  code.free(stays, ...loaded.values());
}

/** Vectors with the same text are the same bytes. */
function placeOf({ bases, strides, offset }: RowAddresses, slice: number, part: number): string {
  const row = Math.floor((slice * bases.length) / SLICES);
  return `${row} ${strides[slice]} ${offset(4 * slice)} ${strides[slice] === 0 ? 0 : part}`;
}

/** The scalars that some values are computed from. */
function reached(scalars: readonly IrInstruction[], from: readonly IrValue[]): ReadonlySet<IrInstruction> {
  const all = new Set(scalars);
  const found = new Set<IrInstruction>();
  const visit = (value: IrValue): void => {
    if (value.kind !== "instruction" || !all.has(value) || found.has(value)) return;
    found.add(value);
    for (const o of operandsOf(value)) visit(o);
  };
  for (const value of from) visit(value);
  return found;
}
