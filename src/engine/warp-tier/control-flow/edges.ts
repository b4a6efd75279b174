/**
 * The edges out of a block: the masks of the lanes that take each edge, and the values of the phis at its target.
 *
 * An edge on which lanes may arrive after others (`blend` in analysis/block-order.ts) changes the phis of its own lanes
 * only.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction, IrValue, PhiInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { elementOf, isWide, partsOf } from "../lane-operations/element.ts";
import type { ConditionMasks } from "./condition-masks.ts";
import { pushMaskVector, type MaskLocals } from "./mask-locals.ts";
import type { ScheduledEdge, ScheduleNode } from "../planning/block-order.ts";
import { isDeadEnd } from "../planning/pending-targets.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "../lane-operations/value-location.ts";
import { widenMask } from "../lane-operations/comparisons.ts";

type BlockNode = ScheduleNode & { readonly kind: "block" };

/** What a phi becomes on an edge. */
interface Move {
  readonly phi: PhiInstruction;
  readonly value: IrValue;
}

export class EdgeEmitter {
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #analysis: WarpAnalysis;
  readonly #masks: MaskLocals;
  readonly #conditions: ConditionMasks;
  readonly #trap: (lanes: Local, place: IrInstruction) => void;

  /** `trap`: emits the report of a place that the compiler proved unreachable. */
  constructor(
    code: FunctionBuilder,
    values: Values,
    analysis: WarpAnalysis,
    masks: MaskLocals,
    conditions: ConditionMasks,
    trap: (lanes: Local, place: IrInstruction) => void,
  ) {
    this.#code = code;
    this.#values = values;
    this.#analysis = analysis;
    this.#masks = masks;
    this.#conditions = conditions;
    this.#trap = trap;
  }

  emitUniformBranch(node: BlockNode, last: IrInstruction, go: (n: number) => void): void {
    const code = this.#code;
    const analysis = this.#analysis;
    const { flow } = analysis;
    const b = node.block;
    const successorIndex = (target: IrInstruction["block"]): number =>
      flow.successors[b]!.indexOf(flow.indexOf.get(target)!);
    const leave = (n: number): void => {
      const outcome = node.outcomes[n]!;
      for (const e of outcome.edges) this.emitEdge(e, null);
      go(outcome.next!);
    };
    if (last.op === "condbr") {
      this.#values.pushScalar(last.condition);
      code.if();
      leave(successorIndex(last.then));
      code.else();
      leave(successorIndex(last.else));
      code.end();
      return;
    }
    if (last.op !== "switch") bug(`branch ${last.op}`);
    const isLong = elementOf(last.value.type) === "i64";
    for (const target of new Set(last.cases.map((c) => c.target))) {
      if (target === last.defaultTarget) continue;
      last.cases
        .filter((c) => c.target === target)
        .forEach((c, n) => {
          this.#values.pushScalar(last.value);
          this.#values.pushScalar(c.value);
          code.op(isLong ? "i64Eq" : "i32Eq");
          if (n > 0) code.i32Or();
        });
      code.if();
      leave(successorIndex(target));
      code.end();
    }
    leave(successorIndex(last.defaultTarget));
  }

  emitDivergentBranch(node: BlockNode, last: IrInstruction): void {
    const code = this.#code;
    const analysis = this.#analysis;
    const edges = node.outcomes[0]!.edges;
    const mask = this.#masks.of(node.block);
    const edgeMasks = new Map<number, Local>();
    const take = (to: number): Local => {
      let l = edgeMasks.get(to);
      if (l === undefined) edgeMasks.set(to, (l = code.local("i32")));
      return l;
    };
    if (last.op === "condbr") {
      const bits = code.local("i32");
      this.#conditions.push(last.condition);
      code.localSet(bits);
      code
        .localGet(mask)
        .localGet(bits)
        .i32And()
        .localSet(take(analysis.flow.indexOf.get(last.then)!));
      code
        .localGet(mask)
        .localGet(bits)
        .i32Const(-1)
        .i32Xor()
        .i32And()
        .localSet(take(analysis.flow.indexOf.get(last.else)!));
      code.free(bits);
    } else if (last.op === "switch") {
      const left = code.local("i32");
      code.localGet(mask).localSet(left);
      const first = new Set<number>();
      for (const c of last.cases) {
        const to = analysis.flow.indexOf.get(c.target)!;
        const bits = code.local("i32");
        this.#pushCaseBits(last.value, c.value);
        code.localGet(left).i32And().localSet(bits);
        code.localGet(bits);
        if (first.has(to)) code.localGet(take(to)).i32Or();
        first.add(to);
        code.localSet(take(to));
        code.localGet(left).localGet(bits).i32Xor().localSet(left);
        code.free(bits);
      }
      const to = analysis.flow.indexOf.get(last.defaultTarget)!;
      if (isDeadEnd(analysis, node.block, to)) {
        code.localGet(left).if();
        this.#trap(left, last.defaultTarget.instructions[0]!);
        code.end();
      }
      code.localGet(left);
      if (first.has(to)) code.localGet(take(to)).i32Or();
      code.localSet(take(to));
      code.free(left);
    } else bug(`divergent ${last.op}`);
    // Back edges last: they overwrite the phis that other edges still read.
    for (const e of [...edges].sort((x, y) => y.to - x.to)) this.emitEdge(e, take(e.to));
    code.free(...edgeMasks.values());
  }

  #pushCaseBits(value: IrValue, constant: IrValue): void {
    const code = this.#code;
    const wide = isWide(elementOf(value.type));
    for (let s = 0; s < SLICES; s++) {
      for (let p = 0; p < (wide ? 2 : 1); p++) {
        this.#values.pushVector(value, s, p);
        this.#values.pushVector(constant, s, p);
        code.op(wide ? "i64x2Eq" : "i32x4Eq");
      }
      if (wide) code.i32x4Shuffle(0, 2, 4, 6);
      code.i32x4Bitmask();
      if (s > 0)
        code
          .i32Const(4 * s)
          .i32Shl()
          .i32Or();
    }
  }

  /** Gives the target its lanes and its phis their values. `mask` is null when all lanes of the block take the edge. */
  emitEdge(e: ScheduledEdge, mask: Local | null): void {
    const code = this.#code;
    const { flow } = this.#analysis;
    const edgeMask = mask ?? this.#masks.of(e.from);
    const from = flow.blocks[e.from]!;
    const moves: Move[] = [];
    for (const i of flow.blocks[e.to]!.instructions) {
      if (i.op !== "phi") break;
      const incoming = i.incoming.find((x) => x.block === from) ?? bug(`phi %${i.name} knows nothing of ${from.name}`);
      if (incoming.value.kind !== "const-undef" && !this.#values.areOnePlace(i, incoming.value))
        moves.push({ phi: i, value: incoming.value });
    }
    // Before many vectors are blended, it pays to test whether all lanes take this edge, or none.
    if (e.blend && moves.some((m) => ["vector", "memory"].includes(this.#values.locationOf(m.phi).kind))) {
      code.localGet(edgeMask).i32Const(-1).i32Eq().if();
      this.#emitMoves(moves, null);
      code.else();
      code.localGet(edgeMask).if();
      this.#emitMoves(moves, edgeMask);
      code.end();
      code.end();
    } else this.#emitMoves(moves, null);
    if (e.setsMask) {
      const target = this.#masks.pending(e.to);
      code.localGet(edgeMask);
      if (this.#masks.isConsumed(e.to)) code.localGet(target).i32Or();
      code.localSet(target);
    }
  }

  /** Gives phis their values, all at once: in all lanes, or of varying ones only in those of the mask. */
  #emitMoves(moves: readonly Move[], mask: Local | null): void {
    const code = this.#code;
    const phis = new Set<IrValue>(moves.map((m) => m.phi));
    const overlaps = moves.some((m) => phis.has(m.value));
    const sets: (() => void)[] = [];
    const done = (set: () => void): void => {
      if (overlaps) sets.push(set);
      else set();
    };
    const maskVectors = mask === null ? null : Array.from({ length: SLICES }, () => code.local("v128"));
    maskVectors?.forEach((l, s) => {
      pushMaskVector(this.#values, mask!, s);
      code.localSet(l);
    });
    for (const { phi, value } of moves) {
      const location = this.#values.locationOf(phi);
      if (location.kind === "rowUniform") {
        location.locals.forEach((local, g) => {
          this.#values.pushBase(value, g, location.locals.length);
          done(() => code.localSet(local));
        });
        continue;
      }
      if (location.kind !== "vector" && location.kind !== "memory") {
        this.#values.pushScalar(value);
        done(() => code.localSet(location.local));
        continue;
      }
      const parts = partsOf(location.element);
      for (let s = 0; s < SLICES; s++) {
        for (let p = 0; p < parts; p++) {
          this.#values.pushVector(value, s, p);
          if (maskVectors) {
            this.#values.pushVector(phi, s, p);
            code.localGet(maskVectors[s]!);
            if (parts === 2) widenMask(code, p);
            this.#values.selectByMask();
          }
          done(() => this.#values.setVector(phi, s, p));
        }
      }
    }
    for (const set of sets.reverse()) set();
    if (maskVectors) code.free(...maskVectors);
  }
}
