/**
 * The pairs of accesses of a kernel that can race at all: all other accesses need no code.
 *
 * Two accesses of different threads conflict when they may touch the same object, at least one changes it, not both are
 * atomic, the two can meet in one element (disjoint-elements.ts), and they can happen at the same time. Two accesses of
 * one block can happen at the same time if both can be reached from the same barrier, or from the kernel's start,
 * without another barrier; only barriers count that all threads come to (the same idea: Betts et al., "GPUVerify",
 * OOPSLA 2012). Different blocks do not wait for one another. Shared memory is the block's own, unless the kernel
 * reaches that of other blocks of its cluster.
 */
import type { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
import { formatLocation } from "../../base/diagnostics.ts";
import type { ShapeLimits } from "../../instrument/speculative-kernels.ts";
import { sameConstant } from "../../ir/model/fold.ts";
import type { IrFunction, IrInstruction } from "../../ir/model/ir.ts";
import { DisjointElements, usedAxes, type Among } from "./disjoint-elements.ts";
import { accessesIn, isShared, mayBeOfOtherBlock, mayShareObject, type FoundAccess } from "./kernel-accesses.ts";
import { changesMemory, isAtomic, isLaunchConstant, type RaceAccess } from "./race-accesses.ts";

/** The accesses that one access can race with. */
export interface ConflictSet {
  /** Threads of the block write there, read there; so do threads of other blocks. */
  readonly block: ConflictKinds;
  readonly grid: ConflictKinds;
  /** What can be the other side of a race: of what writes, of what reads. */
  readonly writes: ConflictPartners;
  readonly reads: ConflictPartners;
  /** Volatile accesses are among them, which race with this one within a warp alone. */
  readonly inStep: boolean;
  /** Threads of a block can access the same word by this instruction. */
  readonly shares: boolean;
  /** Properties of all accesses that can race with one another: they decide what is recorded of each. */
  readonly group: AccessGroup;
}

/** Instructions. `only`: the last of them, if all belong to one place of the source; null: there are several places. */
export interface ConflictPartners {
  readonly all: ReadonlySet<IrInstruction>;
  readonly only: IrInstruction | null;
}

export interface ConflictKinds {
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

/** Accesses that agree in everything that matters here. */
interface Node extends Omit<FoundAccess, "i" | "index"> {
  readonly instructions: IrInstruction[];
  /** Their places as reports name them: an unrolled loop has the accesses of one statement several times. */
  readonly places: Set<string>;
  readonly partners: { readonly node: Node; readonly among: Among }[];
  shares: boolean;
  group: { readonly members: Set<IrInstruction>; atomics: boolean; bytewise: boolean; sites: boolean } | null;
}

export interface ConflictOptions {
  readonly uniformity: Uniformity;
  /**
   * Parameters point into different allocations, and the launch has a shape within limits that this function is given.
   * null: nothing is assumed of launches.
   */
  readonly assume: ((limits: ShapeLimits) => void) | null;
  /** Shared memory may be another block's, of the same cluster. */
  readonly distributed: boolean;
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
    const found = functions.flatMap((fn) => accessesIn(fn, options.uniformity, options.assume !== null));
    const elements =
      options.assume === null || new Set(found.map(({ access }) => access.pointer)).size > MOST_POINTERS
        ? null
        : new DisjointElements(usedAxes(functions));
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
          (node = { ...one, instructions: [], places: new Set(), partners: [], shares: false, group: null }),
        );
      node.instructions.push(one.i);
      node.places.add(one.i.location === null ? `${numberOf(one.i)}` : `${kind} ${formatLocation(one.i.location)}`);
      const known = this.#byAccess.get(one.i) ?? [];
      known[one.index] = node;
      this.#byAccess.set(one.i, known);
    }
    new Pairs([...nodes.values()], elements, options).find();
    formGroups([...nodes.values()]);
    this.isEmpty = [...nodes.values()].every(({ partners }) => partners.length === 0);
  }

  of(i: IrInstruction, index: number): ConflictSet | null {
    const node = this.#byAccess.get(i)?.[index] ?? null;
    if (node === null || node.partners.length === 0) return null;
    let conflicts = this.#known.get(node);
    if (conflicts === undefined) this.#known.set(node, (conflicts = conflictSetOf(node)));
    return conflicts;
  }
}

class Pairs {
  readonly #nodes: readonly Node[];
  readonly #elements: DisjointElements | null;
  readonly #options: ConflictOptions;

  constructor(nodes: readonly Node[], elements: DisjointElements | null, options: ConflictOptions) {
    this.#nodes = nodes;
    this.#elements = elements;
    this.#options = options;
  }

  find(): void {
    for (const [index, a] of this.#nodes.entries()) {
      for (const b of this.#nodes.slice(index)) {
        if (!mayShareObject(a.objects, b.objects) || (a.kernel !== null && b.kernel !== null && a.kernel !== b.kernel))
          continue;
        if (a === b) a.shares = this.#canMeet(a, b, "block");
        if (!changesMemory(a.access.kind) && !changesMemory(b.access.kind)) continue;
        if (canBeTogether(a, b) && conflict(a, b, "block") && this.#canMeet(a, b, "block")) join(a, b, "block");
        if (this.#areOfGrid(a, b) && conflict(a, b, "grid") && this.#canMeet(a, b, "grid")) join(a, b, "grid");
      }
    }
  }

  /** Threads of different blocks may access the same memory by the two. */
  #areOfGrid(a: Node, b: Node): boolean {
    if (!isShared(a) && !isShared(b)) return true;
    return this.#options.distributed && (mayBeOfOtherBlock(a) || mayBeOfOtherBlock(b));
  }

  #canMeet(a: Node, b: Node, among: Among): boolean {
    const limits = this.#elements?.apart(a.access, b.access, among) ?? null;
    if (limits !== null) this.#options.assume?.(limits);
    return limits === null;
  }
}

function join(a: Node, b: Node, among: Among): void {
  a.partners.push({ node: b, among });
  if (a !== b) b.partners.push({ node: a, among });
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

function conflictSetOf(node: Node): ConflictSet {
  const kinds = (among: Among): ConflictKinds => {
    const partners = node.partners.filter((partner) => partner.among === among);
    return {
      write: partners.some((partner) => changesMemory(partner.node.access.kind)),
      read: changesMemory(node.access.kind) && partners.some((partner) => !changesMemory(partner.node.access.kind)),
    };
  };
  const places = (writes: boolean): ConflictPartners => {
    const nodes = partnersThat(node, writes);
    const last = nodes.at(-1);
    return {
      all: new Set(nodes.flatMap(({ instructions }) => instructions)),
      only: last === undefined || hasSeveralPlaces(nodes) ? null : (last.instructions.at(-1) as IrInstruction),
    };
  };
  const inStep = node.partners.some(
    (partner) => partner.among === "block" && isAtomic(node.access.kind) && isAtomic(partner.node.access.kind),
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

/** The partners that write, or those that read. */
function partnersThat({ partners }: Node, writes: boolean): Node[] {
  return partners.filter(({ node }) => changesMemory(node.access.kind) === writes).map(({ node }) => node);
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

/** Accesses that can race with one another record the same things. */
function formGroups(nodes: readonly Node[]): void {
  for (const first of nodes) {
    if (first.group !== null || first.partners.length === 0) continue;
    const group = { members: new Set<IrInstruction>(), atomics: false, bytewise: false, sites: false };
    const work = [first];
    for (let node = work.pop(); node !== undefined; node = work.pop()) {
      if (node.group !== null) continue;
      node.group = group;
      for (const i of node.instructions) group.members.add(i);
      if (isAtomic(node.access.kind)) group.atomics = true;
      if (!isWhole(node.access)) group.bytewise = true;
      for (const writes of [true, false]) {
        const partners = partnersThat(node, writes);
        // An entry may be the access's own, of another thread, too.
        if (writes && node.constant !== null && partners.length > 0) group.sites = true;
        if (hasSeveralPlaces(partners)) group.sites = true;
      }
      work.push(...node.partners.map((partner) => partner.node));
    }
    if (group.bytewise) group.sites = true;
  }
}
