/** Where the results of calls live, also of calls that return a structure: a value and a predicate, or fragments. */
import { bug } from "../../../base/diagnostics.ts";
import type { IrInstruction } from "../../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { WarpAnalysis } from "../../../analysis/divergence/divergence.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Uses } from "../planning/value-uses.ts";
import { elementOf, partsOf, scalarTypeOf } from "../lane-operations/element.ts";
import { splatOf, type ValueLocation, type Values } from "../lane-operations/value-location.ts";
import { pushMaskVector } from "./mask-locals.ts";

export class CompoundResults {
  readonly #code: FunctionBuilder;
  readonly #values: Values;
  readonly #uses: Uses;
  readonly #analysis: WarpAnalysis;
  readonly #components = new Map<IrInstruction, (ValueLocation | null)[]>();

  constructor(code: FunctionBuilder, values: Values, uses: Uses, analysis: WarpAnalysis) {
    this.#analysis = analysis;
    this.#code = code;
    this.#values = values;
    this.#uses = uses;
  }

  /** The location of a component of a structure, made on first use; for plain results the value's own location. */
  locationOf(i: IrInstruction, component: number): ValueLocation | null {
    if (i.type.kind === "void") return null;
    if (i.type.kind !== "struct") return component === 0 ? this.#values.locationOf(i) : null;
    let locations = this.#components.get(i);
    if (locations === undefined) {
      const isUniform = this.#analysis.shapeOf(i).kind === "uniform";
      locations = i.type.elements.map((type): ValueLocation => {
        const element = elementOf(type);
        const localType = isUniform ? scalarTypeOf(element) : "v128";
        const take = (): Local =>
          this.#uses.crossesBlocks.has(i) ? this.#code.freshLocal(localType) : this.#values.blockLocal(localType);
        if (isUniform) return { kind: "scalar", element, local: take() };
        return { kind: "vector", element, locals: Array.from({ length: SLICES * partsOf(element) }, take) };
      });
      this.#components.set(i, locations);
    }
    return locations[component] ?? null;
  }

  /** The same for an operand of extractvalue: null where no call of this tier made the structure. */
  existing(i: IrInstruction, component: number): ValueLocation | null {
    return this.#components.get(i)?.[component] ?? null;
  }

  copy(from: ValueLocation, to: ValueLocation): void {
    const code = this.#code;
    if (from.kind === "vector" && to.kind === "vector")
      from.locals.forEach((local, n) => code.localGet(local).localSet(to.locals[n]!));
    else if (from.kind === "scalar" && to.kind === "scalar") code.localGet(from.local).localSet(to.local);
    else if (from.kind === "scalar" && to.kind === "vector") {
      for (const local of to.locals) {
        code.localGet(from.local);
        if (from.element === "i1") code.i32x4Splat().i32x4Neg();
        else splatOf(code, from.element);
        code.localSet(local);
      }
    } else bug("a varying component for a uniform value");
  }

  /** Pops one bit for each lane into a vector of masks, or an i32 into a scalar. */
  setFromBits(location: ValueLocation): void {
    const code = this.#code;
    if (location.kind === "scalar") {
      code.localSet(location.local);
      return;
    }
    if (location.kind !== "vector") bug(`bits for ${location.kind}`);
    const bits = code.local("i32");
    code.localSet(bits);
    location.locals.forEach((local, slice) => {
      if (location.element === "i1") pushMaskVector(this.#values, bits, slice);
      else code.localGet(bits).i32x4Splat();
      code.localSet(local);
    });
    code.free(bits);
  }
}
