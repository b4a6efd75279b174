/** Appends operations to a region, and works out the types of their results. */
import type { SourceLocation } from "../../../base/diagnostics.ts";
import { bug } from "../../../base/diagnostics.ts";
import { constFloat, constInt, constNull } from "../../../ir/model/build.ts";
import type { BinaryOperator, CastOperator, FloatPredicate, IntPredicate, IrConstant } from "../../../ir/model/ir.ts";
import { I1, I32 } from "../../../ir/model/types.ts";
import type { BlockOp, BlockType, BlockValue, ElementType, Region } from "./model.ts";
import { blockType } from "./types.ts";

export function newRegion(types: readonly BlockType[] = [], names: readonly string[] = []): Region {
  const params = types.map((type, i): BlockValue => ({ type, name: names[i] ?? "", op: null }));
  return { params, ops: [], yields: [] };
}

type WithoutBase<T> = T extends BlockOp ? Omit<T, "location" | "results"> : never;

export class BlockBuilder {
  region: Region;
  location: SourceLocation | null = null;

  constructor(region: Region) {
    this.region = region;
  }

  /** Any operation from its fields, with results of the given types. */
  append(fields: WithoutBase<BlockOp>, types: readonly BlockType[]): readonly BlockValue[] {
    const op = { ...fields, location: this.location, results: [] as readonly BlockValue[] } as BlockOp;
    op.results = types.map((type): BlockValue => ({ type, name: "", op }));
    this.region.ops.push(op);
    return op.results;
  }

  one(fields: WithoutBase<BlockOp>, type: BlockType): BlockValue {
    return this.append(fields, [type])[0] ?? bug("an operation without a result");
  }

  /** Appends to another region meanwhile. */
  inside(region: Region, body: () => void): void {
    const { region: outer, location } = this;
    this.region = region;
    body();
    this.region = outer;
    this.location = location;
  }

  // ---------------------------------------------------------------- constants and shapes

  constant(value: IrConstant & { readonly type: ElementType }, shape: readonly number[] = []): BlockValue {
    return this.one({ op: "constant", value }, blockType(value.type, shape));
  }

  /** A number in an element type; a pointer can be null alone. */
  number(element: ElementType, value: bigint | number, shape: readonly number[] = []): BlockValue {
    if (element.kind === "int") return this.constant(constInt(element, BigInt(value)), shape);
    if (element.kind === "float") return this.constant(constFloat(element, Number(value)), shape);
    if (Number(value) !== 0) return bug("a pointer constant");
    return this.constant(constNull(element), shape);
  }

  range(start: number, end: number): BlockValue {
    return this.one({ op: "range", start }, blockType(I32, [end - start]));
  }

  splat(source: BlockValue, shape: readonly number[]): BlockValue {
    if (shape.length === 0) return source;
    if (source.op?.op === "constant")
      return this.constant(source.op.value as IrConstant & { type: ElementType }, shape);
    return this.one({ op: "splat", source }, blockType(source.type.element, shape));
  }

  expand(source: BlockValue, axis: number): BlockValue {
    const shape = source.type.shape.toSpliced(axis, 0, 1);
    return this.one({ op: "expand", source, axis }, blockType(source.type.element, shape));
  }

  broadcast(source: BlockValue, shape: readonly number[]): BlockValue {
    if (source.op?.op === "constant") return this.splat({ ...source, type: blockType(source.type.element) }, shape);
    return this.one({ op: "broadcast", source }, blockType(source.type.element, shape));
  }

  reshape(source: BlockValue, shape: readonly number[]): BlockValue {
    return this.one({ op: "reshape", source }, blockType(source.type.element, shape));
  }

  transpose(source: BlockValue, order: readonly number[]): BlockValue {
    const shape = order.map((d) => source.type.shape[d] as number);
    return this.one({ op: "transpose", source, order }, blockType(source.type.element, shape));
  }

  join(a: BlockValue, b: BlockValue): BlockValue {
    return this.one({ op: "join", sources: [a, b] }, blockType(a.type.element, [...a.type.shape, 2]));
  }

  pick(source: BlockValue, index: 0 | 1): BlockValue {
    return this.one({ op: "pick", source, index }, blockType(source.type.element, source.type.shape.slice(0, -1)));
  }

  // ---------------------------------------------------------------- element by element

  binary(operator: BinaryOperator, a: BlockValue, b: BlockValue): BlockValue {
    return this.one({ op: "binary", operator, operands: [a, b] }, a.type);
  }

  icmp(predicate: IntPredicate, a: BlockValue, b: BlockValue): BlockValue {
    return this.one({ op: "icmp", predicate, operands: [a, b] }, blockType(I1, a.type.shape));
  }

  fcmp(predicate: FloatPredicate, a: BlockValue, b: BlockValue): BlockValue {
    return this.one({ op: "fcmp", predicate, operands: [a, b] }, blockType(I1, a.type.shape));
  }

  cast(operator: CastOperator, source: BlockValue, element: ElementType): BlockValue {
    return this.one({ op: "cast", operator, operands: [source] }, blockType(element, source.type.shape));
  }

  select(condition: BlockValue, then: BlockValue, otherwise: BlockValue): BlockValue {
    return this.one({ op: "select", operands: [condition, then, otherwise] }, then.type);
  }

  call(callee: string, operands: readonly BlockValue[], element?: ElementType): BlockValue {
    const [first] = operands;
    if (first === undefined) return bug("a call without operands");
    return this.one({ op: "call", callee, operands }, blockType(element ?? first.type.element, first.type.shape));
  }

  address(pointer: BlockValue, offset: BlockValue, bytes: number): BlockValue {
    return this.one({ op: "address", operands: [pointer, offset], bytes }, pointer.type);
  }
}
