/**
 * Which accesses of a loop can be tested once, in front of it: their addresses are affine in an induction variable
 * (affine-forms.ts, induction.ts), and an exit test bounds how far that goes. Accesses that differ by constants share
 * one test.
 *
 * Needs preheaders and one latch per loop. The loop holds no place where a warp waits for others: the result of the
 * test is a local. Where the test fails, or nothing is known, accesses are tested in every iteration. So the test may
 * cover more than the loop accesses, never less.
 *
 * Used by: loop-check-emitter.ts.
 */
import type {
  IrInstruction,
  IrValue,
  LoadInstruction,
  PhiInstruction,
  StoreInstruction,
} from "../../../ir/model/ir.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { bytesOf, elementOf } from "../lane-operations/element.ts";
import { dominates, type FlowLoop } from "../../../analysis/loops/flow-graph.ts";
import {
  exitTestsOf,
  inductionOf,
  isInvariant,
  type ExitTest,
  type Induction,
} from "../../../analysis/loops/induction.ts";
import {
  MODULO_2_32,
  affineForm,
  leafForm,
  termsKey,
  type AffineForm,
  type AffineRules,
} from "../../../analysis/loops/affine-forms.ts";
import type { RangeChecks } from "./in-bounds-accesses.ts";
import { productLoop } from "./product-loops.ts";
import { SLICES, offsetsOf } from "../../../analysis/lane-addresses/lane-shape.ts";

/** How an induction variable is bounded. */
export interface BoundedInduction {
  readonly induction: Induction;
  readonly test: ExitTest;
  /** The step where it is a constant (sign included). */
  readonly constantStep: number | null;
}

/** Accesses whose addresses are `form` + a constant between 0 and `bytes` − their size. */
export interface CheckedGroup {
  readonly loop: FlowLoop;
  readonly form: AffineForm;
  readonly bytes: number;
  readonly align: number;
  /** What bounds the iterations; null where the addresses are the same in all of them. */
  readonly bounded: BoundedInduction | null;
  /** The induction variables in the form. */
  readonly inductions: ReadonlyMap<PhiInstruction, Induction>;
  /** The accesses run only in iterations that have passed the test. */
  readonly isAfterTest: boolean;
  readonly accesses: readonly (LoadInstruction | StoreInstruction)[];
}

/** Constants that differ by more are tested apart. */
const MAX_HULL_BYTES = 65536;
/**
 * A comparison costs hardly more than looking at a flag, and the test in front of the loop as much as some iterations:
 * a group must save many comparisons. (With single ones hoisted, loops of 17 iterations ran 4 % slower and loops of 512
 * no faster; with two an iteration, a convolution's loops of 5 iterations lost a tenth. Lanes without common bases,
 * which take eight, gain a third.)
 */
const MIN_TESTS = 8;
/** Tests in front of one loop. */
const MAX_GROUPS = 16;
/** Longer sums take longer to test than they save. */
const MAX_TERMS = 8;
/** They keep all 32 bits. */
const ADDRESS_CASTS: ReadonlySet<string> = new Set(["addrspacecast", "ptrtoint", "inttoptr"]);

function isWord({ type }: IrValue): boolean {
  return type.kind === "ptr" || (type.kind === "int" && type.bits === 32);
}

/** The groups by the number of the block in front of their loop. */
export function planLoopChecks(
  analysis: WarpAnalysis,
  ranges: RangeChecks,
  suspends: ReadonlySet<number>,
): ReadonlyMap<number, readonly CheckedGroup[]> {
  const plan = new Map<number, CheckedGroup[]>();
  const { flow } = analysis;
  for (const loop of flow.loops) {
    const outside = flow.predecessors[loop.header]!.filter((p) => !loop.blocks.has(p));
    const preheader = outside[0];
    if (
      preheader === undefined ||
      outside.length !== 1 ||
      flow.successors[preheader]!.length !== 1 ||
      suspends.has(preheader)
    )
      continue;
    if ([...loop.blocks].some((b) => suspends.has(b))) continue;
    const groups = new LoopPlanner(analysis, ranges, loop).groups();
    if (groups.length > 0) plan.set(preheader, groups);
  }
  return plan;
}

interface Candidate {
  readonly access: LoadInstruction | StoreInstruction;
  readonly form: AffineForm;
  readonly bytes: number;
}

class LoopPlanner {
  readonly #analysis: WarpAnalysis;
  readonly #ranges: RangeChecks;
  readonly #loop: FlowLoop;
  readonly #inductions = new Map<PhiInstruction, Induction>();
  readonly #bounded: BoundedInduction[] = [];
  readonly #ids = new Map<IrValue, number>();

  /** Addresses as sums over what the loop does not change, and over its induction variables. */
  readonly #rules: AffineRules = {
    arithmetic: MODULO_2_32,
    accepts: isWord,
    leafOf: (value) => (this.#isLeaf(value) ? leafForm(value) : null),
    looksThrough: (i) => i.op === "cast" && ADDRESS_CASTS.has(i.operator),
    isScale: (value) => this.#isScale(value),
    isSum: (or) => this.#isSum(or),
    maxTerms: MAX_TERMS,
  };

  constructor(analysis: WarpAnalysis, ranges: RangeChecks, loop: FlowLoop) {
    this.#analysis = analysis;
    this.#ranges = ranges;
    this.#loop = loop;
    const { flow } = analysis;
    for (const phi of flow.blocks[loop.header]!.instructions) {
      if (phi.op !== "phi") break;
      const induction = inductionOf(flow, phi);
      if (induction === null || !this.#isUniform(induction.step) || induction.init.kind === "const-undef") continue;
      this.#inductions.set(phi, induction);
      const constantStep =
        induction.step.kind === "const-int" ? Number(BigInt.asIntN(32, induction.step.value)) * induction.sign : null;
      if (constantStep === null && induction.sign === -1) continue;
      const offsets = offsetsOf(analysis.shapeOf(induction.init));
      if (offsets === null) continue;
      const test = exitTestsOf(flow, induction).find(
        (t) => isInvariant(flow, loop, t.bound) && this.#isUniform(t.bound) && isBounding(t, constantStep, offsets),
      );
      if (test !== undefined) this.#bounded.push({ induction, test, constantStep });
    }
  }

  groups(): CheckedGroup[] {
    const { flow } = this.#analysis;
    // A product's loads have no tests of their own (product-loop-emitter.ts).
    const fewest = productLoop(this.#analysis, this.#loop.header) === null ? MIN_TESTS : 1;
    const byKey = new Map<string, Candidate[]>();
    for (const b of this.#loop.blocks) {
      if (flow.loopOf[b] !== this.#loop.id) continue;
      for (const i of flow.blocks[b]!.instructions) {
        if ((i.op !== "load" && i.op !== "store") || i.ordering !== null) continue;
        const element = elementOf(i.op === "load" ? i.type : i.value.type);
        const bytes = bytesOf(element);
        const align = Math.min(Math.max(i.align, 1), 16);
        if (
          align < bytes ||
          element === "i1" ||
          this.#ranges.isProvenInBounds(i.pointer, bytes, align, i.op === "load" ? "all" : "active")
        )
          continue;
        const form = affineForm(i.pointer, this.#rules);
        if (form === null) continue;
        const phase = ((form.constant % align) + align) % align;
        const terms = termsKey(form, (v) => this.#idOf(v));
        const key = `${align}:${phase}:${this.#isAfterTest(form, i)}:${terms}`;
        const list = byKey.get(key);
        if (list === undefined) byKey.set(key, [{ access: i, form, bytes }]);
        else list.push({ access: i, form, bytes });
      }
    }
    return [...byKey.values()].flatMap((list) => this.#groupsOf(list, fewest)).slice(0, MAX_GROUPS);
  }

  /** Accesses with the same terms, lowest constant first, cut where they are too far apart. */
  #groupsOf(list: readonly Candidate[], fewest: number): CheckedGroup[] {
    const sorted = [...list].sort((a, b) => a.form.constant - b.form.constant);
    const groups: CheckedGroup[] = [];
    for (let from = 0; from < sorted.length;) {
      const first = sorted[from]!;
      let to = from;
      let end = first.form.constant;
      while (to < sorted.length && sorted[to]!.form.constant - first.form.constant <= MAX_HULL_BYTES) {
        end = Math.max(end, sorted[to]!.form.constant + sorted[to]!.bytes);
        to++;
      }
      const members = sorted.slice(from, to);
      from = to;
      if (members.reduce((sum, m) => sum + this.#testsOf(m.access.pointer), 0) < fewest) continue;
      const inductions = new Map<PhiInstruction, Induction>();
      for (const t of first.form.terms) {
        const induction =
          t.value.kind === "instruction" && t.value.op === "phi" ? this.#inductions.get(t.value) : undefined;
        if (induction !== undefined) inductions.set(induction.phi, induction);
      }
      const bounded = inductions.size === 0 ? null : this.#boundOf(first.form);
      if (inductions.size > 0 && bounded === null) continue;
      const { access, form } = first;
      groups.push({
        loop: this.#loop,
        form,
        bytes: end - form.constant,
        align: Math.min(Math.max(access.align, 1), 16),
        bounded,
        inductions,
        isAfterTest: this.#isAfterTest(form, access),
        accesses: members.map((m) => m.access),
      });
    }
    return groups;
  }

  /** How many comparisons test an access in every iteration. */
  #testsOf(pointer: IrValue): number {
    const shape = this.#analysis.shapeOf(pointer);
    if (shape.kind === "rowUniform") return shape.rows;
    return shape.kind === "varying" ? SLICES : 1;
  }

  /**
   * What bounds the iterations for a form: the bounds of its own variable where it has one, else of one whose
   * iterations can be counted.
   */
  #boundOf(form: AffineForm): BoundedInduction | null {
    const phis = form.terms
      .filter((t) => t.value.kind === "instruction" && this.#inductions.has(t.value as PhiInstruction))
      .map((t) => t.value);
    const own = this.#bounded.find((b) => phis.every((p) => p === b.induction.phi));
    return own ?? this.#bounded.find((b) => b.constantStep !== null && isPowerOfTwo(Math.abs(b.constantStep))) ?? null;
  }

  /** The access comes after the test of the header's value, in the same iteration. */
  #isAfterTest(form: AffineForm, access: IrInstruction): boolean {
    const bounded = this.#boundOf(form);
    if (bounded === null || bounded.test.tested !== "phi") return false;
    const { flow } = this.#analysis;
    const stays = flow.successors[bounded.test.block]!.find((s) => this.#loop.blocks.has(s))!;
    return (
      stays !== this.#loop.header &&
      flow.predecessors[stays]!.length === 1 &&
      dominates(flow.idom, stays, flow.indexOf.get(access.block)!)
    );
  }

  #isLeaf(value: IrValue): boolean {
    if (value.kind === "const-undef" || value.kind === "inline-asm" || value.kind === "metadata") return false;
    return (
      isInvariant(this.#analysis.flow, this.#loop, value) ||
      (value.kind === "instruction" && value.op === "phi" && this.#inductions.has(value))
    );
  }

  #isScale(value: IrValue): boolean {
    return (
      value.kind !== "const-int" &&
      this.#isLeaf(value) &&
      isInvariant(this.#analysis.flow, this.#loop, value) &&
      this.#isUniform(value)
    );
  }

  #isSum(or: { readonly lhs: IrValue; readonly rhs: IrValue }): boolean {
    const ranges = this.#ranges.rangesOf("all");
    const [a, b] = [ranges.of(or.lhs), ranges.of(or.rhs)];
    const isBelow = (low: typeof a, high: typeof a): boolean =>
      low.region === null &&
      high.region === null &&
      low.interval.lo >= 0 &&
      low.interval.hi < high.interval.step &&
      high.interval.lo % high.interval.step === 0;
    return isBelow(a, b) || isBelow(b, a);
  }

  #isUniform(value: IrValue): boolean {
    return this.#analysis.shapeOf(value).kind === "uniform";
  }

  #idOf(value: IrValue): number {
    let id = this.#ids.get(value);
    if (id === undefined) this.#ids.set(value, (id = this.#ids.size));
    return id;
  }
}

/** The test ends a loop that goes in the step's direction. */
function isBounding(test: ExitTest, constantStep: number | null, offsets: readonly number[]): boolean {
  const up = constantStep === null || constantStep > 0;
  if (constantStep === 0 || test.stays === "eq") return false;
  if (test.stays === "ne") return constantStep !== null && offsets.every((o) => o === 0);
  return test.stays.slice(1, 2) === (up ? "l" : "g");
}

function isPowerOfTwo(v: number): boolean {
  return v > 0 && (v & (v - 1)) === 0;
}
