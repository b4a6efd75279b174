/**
 * Which accesses of a kernel can race at all, and with which: the others need no code.
 *
 * Two accesses of different threads conflict when they may touch the same object, at least one changes it, not both are
 * atomic, the two can meet in one element (disjoint-elements.ts), and they can happen at the same time. Threads of one block
 * cannot where a barrier that all threads come to always stands between: what can happen at the same time is what can
 * be reached from the same barrier, or from the kernel's start, without another. (The same idea: Betts et al.,
 * "GPUVerify", OOPSLA 2012.) Other blocks wait for nobody.
 *
 * Objects: variables, what a parameter points to, and everything else together. For the likely launch, parameters are
 * taken to point into different allocations (speculative-kernels.ts); for any launch, they and the variables that the host
 * can name are one object.
 */
import { formatLocation } from "../../base/diagnostics.ts";
import { successors } from "../../ir/graph/cfg.ts";
import { sameConstant } from "../../ir/model/fold.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE, isDynamicShared } from "../../ir/model/layout.ts";
import { originsOf } from "../../analysis/pointer-origins.ts";
import type { ShapeLimits } from "../../instrument/speculative-kernels.ts";
import type { Uniformity } from "../../analysis/block-uniformity.ts";
import { OwnElements, usedAxes, type Among } from "./disjoint-elements.ts";
import {
  changesMemory,
  isAtomic,
  isLaunchConstant,
  isPrivate,
  launchConstant,
  raceAccessesOf,
  type RaceAccess,
} from "./race-accesses.ts";
import { synchronizationOf } from "./synchronization.ts";

/** With whom an access can race. */
export interface ConflictSet {
  /** Threads of the block write there, read there; so do threads of other blocks. */
  readonly block: RivalKinds;
  readonly grid: RivalKinds;
  /** What can be the other side of a race: of what writes, of what reads. */
  readonly writes: RivalPlaces;
  readonly reads: RivalPlaces;
  /** Volatile accesses are among them, which race with this one within a warp alone. */
  readonly inStep: boolean;
  /** Threads of a block can access the same word by this instruction. */
  readonly shares: boolean;
  /** What the accesses that can race with one another have among them: it decides what is kept of each. */
  readonly group: AccessGroup;
}

/** Instructions; `only`: one of those that stand for the one place where all of them are; null: there are several. */
export interface RivalPlaces {
  readonly all: ReadonlySet<IrInstruction>;
  readonly only: IrInstruction | null;
}

export interface RivalKinds {
  readonly write: boolean;
  readonly read: boolean;
}

export interface AccessGroup {
  readonly members: ReadonlySet<IrInstruction>;
  readonly atomics: boolean;
  /** Accesses of parts of a word. */
  readonly bytewise: boolean;
  /** Whose entry it is does not follow from the code alone. */
  readonly sites: boolean;
}

/** Beyond that many places, addresses are not compared. */
const MOST_POINTERS = 300;
/** What is not known to be an object of its own. */
const ANYTHING = "anything";

/** Accesses that are alike in all that is looked at here. */
interface Node {
  readonly access: RaceAccess;
  readonly instructions: IrInstruction[];
  /** Where those stand, as a report says it: an unrolled loop has the accesses of one statement several times. */
  readonly places: Set<string>;
  /** null: any kernel's. */
  readonly kernel: IrFunction | null;
  readonly objects: ReadonlySet<string>;
  /** The barriers from which it is reached without another, the kernel's start among them; null: at any time. */
  readonly from: ReadonlySet<number> | null;
  readonly constant: IrValue | null;
  readonly rivals: { node: Node; among: Among }[];
  shares: boolean;
  group: { readonly members: Set<IrInstruction>; atomics: boolean; bytewise: boolean; sites: boolean } | null;
}

export interface ConflictOptions {
  readonly uniformity: Uniformity;
  /**
   * Parameters point into different allocations, and the launch has a shape that this function is told the limits of.
   * null: nothing is counted on.
   */
  readonly count: ((limits: ShapeLimits) => void) | null;
}

export interface ConflictTable {
  /** No access races with any: neither here nor in what is called. */
  readonly isEmpty: boolean;
  /** @param index of the access among those of the instruction. @returns null: it races with nothing. */
  of(i: IrInstruction, index: number): ConflictSet | null;
}

/** @param functions kernels, and what they call of the program's functions. */
export class Conflicts implements ConflictTable {
  readonly #byAccess = new Map<IrInstruction, (Node | null)[]>();
  readonly #known = new Map<Node, ConflictSet>();
  readonly isEmpty: boolean;

  constructor(functions: readonly IrFunction[], options: ConflictOptions) {
    const found = functions.flatMap((fn) => accessesIn(fn, options));
    const elements =
      options.count === null || new Set(found.map(({ access }) => access.pointer)).size > MOST_POINTERS
        ? null
        : new OwnElements(usedAxes(functions));
    const nodes = new Map<string, Node>();
    const numbers = new Map<unknown, number>();
    const numberOf = (value: unknown): number => {
      if (!numbers.has(value)) numbers.set(value, numbers.size);
      return numbers.get(value) as number;
    };
    for (const one of found) {
      const {
        access: { pointer, kind, bytes, scope, volatile },
      } = one;
      const key = [
        kind,
        scope,
        bytes,
        isWhole(one.access),
        volatile,
        [...one.objects].join(),
        one.from === null ? "" : [...one.from].join(),
        numberOf(one.kernel),
        numberOf(one.constant),
        elements === null ? "" : numberOf(pointer),
      ].join("|");
      let node = nodes.get(key);
      if (node === undefined)
        nodes.set(
          key,
          (node = { ...one, instructions: [], places: new Set(), rivals: [], shares: false, group: null }),
        );
      node.instructions.push(one.i);
      node.places.add(one.i.location === null ? `${numberOf(one.i)}` : `${kind} ${formatLocation(one.i.location)}`);
      const known = this.#byAccess.get(one.i) ?? [];
      known[one.index] = node;
      this.#byAccess.set(one.i, known);
    }
    new Pairs([...nodes.values()], elements, options.count ?? (() => {})).find();
    formGroups([...nodes.values()]);
    this.isEmpty = [...nodes.values()].every(({ rivals }) => rivals.length === 0);
  }

  of(i: IrInstruction, index: number): ConflictSet | null {
    const node = this.#byAccess.get(i)?.[index] ?? null;
    if (node === null || node.rivals.length === 0) return null;
    let rivals = this.#known.get(node);
    if (rivals === undefined) this.#known.set(node, (rivals = rivalsOf(node)));
    return rivals;
  }
}

class Pairs {
  readonly #nodes: readonly Node[];
  readonly #elements: OwnElements | null;
  readonly #count: (limits: ShapeLimits) => void;

  constructor(nodes: readonly Node[], elements: OwnElements | null, count: (limits: ShapeLimits) => void) {
    this.#nodes = nodes;
    this.#elements = elements;
    this.#count = count;
  }

  find(): void {
    for (const [index, a] of this.#nodes.entries()) {
      for (const b of this.#nodes.slice(index)) {
        if (!overlap(a.objects, b.objects) || (a.kernel !== null && b.kernel !== null && a.kernel !== b.kernel))
          continue;
        if (a === b) a.shares = this.#canMeet(a, b, "block");
        if (!changesMemory(a.access.kind) && !changesMemory(b.access.kind)) continue;
        if (canBeTogether(a, b) && conflict(a, b, "block") && this.#canMeet(a, b, "block")) join(a, b, "block");
        if (!isShared(a) && !isShared(b) && conflict(a, b, "grid") && this.#canMeet(a, b, "grid")) join(a, b, "grid");
      }
    }
  }

  #canMeet(a: Node, b: Node, among: Among): boolean {
    const limits = this.#elements?.apart(a.access, b.access, among) ?? null;
    if (limits !== null) this.#count(limits);
    return limits === null;
  }
}

function join(a: Node, b: Node, among: Among): void {
  a.rivals.push({ node: b, among });
  if (a !== b) b.rivals.push({ node: a, among });
}

/** Of whole words. */
function isWhole({ bytes, align }: RaceAccess): boolean {
  return bytes % 4 === 0 && align >= 4;
}

function conflict(a: Node, b: Node, among: Among): boolean {
  // Threads that write the same by the same statement, as a flag is set: in any order they leave the same.
  if (
    a.constant !== null &&
    b.constant !== null &&
    a.access.kind === "write" &&
    b.access.kind === "write" &&
    sameConstant(a.constant, b.constant)
  )
    return false;
  if (!isAtomic(a.access.kind) || !isAtomic(b.access.kind)) return true;
  if (among === "block") return countOnStep(a, b);
  return among === "grid" && (a.access.scope === "block" || b.access.scope === "block");
}

/**
 * Volatile accesses of lanes that must run in step for the result to be right, as in the SDK's old warpReduce; a flag
 * that is set may be seen at any time.
 */
function countOnStep(a: Node, b: Node): boolean {
  return [a, b].every(
    (node) =>
      node.access.volatile &&
      isShared(node) &&
      !(changesMemory(node.access.kind) && node.access.value !== null && isLaunchConstant(node.access.value)),
  );
}

function canBeTogether(a: Node, b: Node): boolean {
  return a.from === null || b.from === null || [...a.from].some((barrier) => b.from?.has(barrier));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.has(ANYTHING) || b.has(ANYTHING) || [...a].some((object) => b.has(object));
}

function isShared({ access: { pointer }, objects }: Node): boolean {
  return (
    (pointer.type.kind === "ptr" && pointer.type.addressSpace === SHARED_SPACE) ||
    [...objects].every((object) => object.startsWith("shared "))
  );
}

function rivalsOf(node: Node): ConflictSet {
  const kinds = (among: Among): RivalKinds => {
    const rivals = node.rivals.filter((rival) => rival.among === among);
    return {
      write: rivals.some((rival) => changesMemory(rival.node.access.kind)),
      read: changesMemory(node.access.kind) && rivals.some((rival) => !changesMemory(rival.node.access.kind)),
    };
  };
  const places = (writes: boolean): RivalPlaces => {
    const nodes = rivalNodes(node, writes);
    const last = nodes.at(-1);
    return {
      all: new Set(nodes.flatMap(({ instructions }) => instructions)),
      only: last === undefined || hasSeveralPlaces(nodes) ? null : (last.instructions.at(-1) as IrInstruction),
    };
  };
  const inStep = node.rivals.some(
    (rival) => rival.among === "block" && isAtomic(node.access.kind) && isAtomic(rival.node.access.kind),
  );
  return {
    block: kinds("block"),
    grid: kinds("grid"),
    writes: places(true),
    reads: places(false),
    inStep,
    shares: node.shares,
    group: node.group as AccessGroup,
  };
}

function rivalNodes({ rivals }: Node, writes: boolean): Node[] {
  return rivals.filter(({ node }) => changesMemory(node.access.kind) === writes).map(({ node }) => node);
}

function hasSeveralPlaces(nodes: readonly Node[]): boolean {
  let known: string | null = null;
  for (const { places } of nodes) {
    for (const place of places) {
      if (known !== null && known !== place) return true;
      known = place;
    }
  }
  return false;
}

/** Accesses that are rivals keep the same things of each other. */
function formGroups(nodes: readonly Node[]): void {
  for (const first of nodes) {
    if (first.group !== null || first.rivals.length === 0) continue;
    const group = { members: new Set<IrInstruction>(), atomics: false, bytewise: false, sites: false };
    const work = [first];
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (node.group !== null) continue;
      node.group = group;
      for (const i of node.instructions) group.members.add(i);
      if (isAtomic(node.access.kind)) group.atomics = true;
      if (!isWhole(node.access)) group.bytewise = true;
      for (const writes of [true, false]) {
        const rivals = rivalNodes(node, writes);
        // An entry may be the access's own, of another thread, too.
        if (writes && node.constant !== null && rivals.length > 0) group.sites = true;
        if (hasSeveralPlaces(rivals)) group.sites = true;
      }
      work.push(...node.rivals.map((rival) => rival.node));
    }
    if (group.bytewise) group.sites = true;
  }
}

// ---------------------------------------------------------------- accesses

interface Found {
  readonly i: IrInstruction;
  readonly index: number;
  readonly access: RaceAccess;
  readonly kernel: IrFunction | null;
  readonly objects: ReadonlySet<string>;
  readonly from: ReadonlySet<number> | null;
  readonly constant: IrValue | null;
}

function accessesIn(fn: IrFunction, { uniformity, count }: ConflictOptions): Found[] {
  const reach = fn.isKernel ? reachOf(fn, uniformity) : null;
  return fn.blocks.flatMap(({ instructions }) =>
    instructions.flatMap((i) =>
      raceAccessesOf(i).flatMap((access, index): Found[] =>
        isPrivate(access.pointer)
          ? []
          : [
              {
                i,
                index,
                access,
                kernel: fn.isKernel ? fn : null,
                objects: objectsOf(access.pointer, count !== null),
                from: reach?.get(i) ?? null,
                constant: launchConstant(access),
              },
            ],
      ),
    ),
  );
}

function objectsOf(pointer: IrValue, apart: boolean): ReadonlySet<string> {
  return new Set(
    [...originsOf(pointer)].map((root) => {
      // All arrays of dynamic size begin in the same place.
      if (root.kind === "global")
        return root.type.addressSpace === SHARED_SPACE
          ? isDynamicShared(root)
            ? "shared of the launch"
            : `shared ${root.name}`
          : apart
            ? `variable ${root.name}`
            : "memory";
      if (root.kind === "param" && root.function.isKernel) return apart ? `parameter ${root.index}` : "memory";
      return ANYTHING;
    }),
  );
}

/** For each access, the barriers from which a thread gets there with no other in between. */
function reachOf(fn: IrFunction, uniformity: Uniformity): Map<IrInstruction, Set<number>> {
  const reached = new Map<IrInstruction, Set<number>>();
  const separates = (i: IrInstruction): boolean => {
    const kind = synchronizationOf(i);
    return (kind === "block" || kind === "grid") && uniformity.isReachedByAll(i);
  };
  const walk = (start: IrBlock, index: number, barrier: number): void => {
    const seen = new Set<IrBlock>();
    const work: [IrBlock, number][] = [[start, index]];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const [block, first] = at;
      const stop = block.instructions.findIndex((i, place) => place >= first && separates(i));
      for (const i of block.instructions.slice(first, stop < 0 ? undefined : stop)) {
        const known = reached.get(i);
        if (known === undefined) reached.set(i, new Set([barrier]));
        else known.add(barrier);
      }
      if (stop >= 0) continue;
      for (const next of successors(block)) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push([next, 0]);
      }
    }
  };
  let count = 0;
  walk(fn.blocks[0] as IrBlock, 0, count);
  for (const block of fn.blocks)
    block.instructions.forEach((i, index) => {
      if (separates(i)) walk(block, index + 1, ++count);
    });
  return reached;
}
