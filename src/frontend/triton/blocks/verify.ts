/** What valid block IR is: a rule for each operation. Run by tests after every step that makes or changes block IR. */
import { castProblem, I1, I32, PTR, sameType } from "../../../ir/model/types.ts";
import type {
  AtomicOp,
  BlockKernel,
  BlockOp,
  BlockValue,
  CopyOp,
  LoadOp,
  MapOp,
  Region,
  StagedOp,
  StoreOp,
} from "./model.ts";
import { allOps, operandsOf, regionsOf } from "./operands.ts";
import { formatBlockType, isPowerOfTwo, sameBlockType, sameShape, sizeOfShape } from "./types.ts";

/** One line each; empty for valid IR. */
export function verifyKernel(kernel: BlockKernel): string[] {
  const verifier = new Verifier();
  verifier.define(kernel.params.map(({ value }) => value));
  verifier.region(kernel.body);
  if (kernel.body.yields.length > 0) verifier.problems.push("a kernel yields nothing");
  return verifier.problems;
}

class Verifier {
  readonly problems: string[] = [];
  readonly #defined = new Set<BlockValue>();

  define(values: readonly BlockValue[]): void {
    for (const value of values) this.#defined.add(value);
  }

  region(region: Region): void {
    this.define(region.params);
    for (const op of region.ops) {
      for (const operand of operandsOf(op)) this.#use(operand, op.op);
      for (const inner of regionsOf(op)) this.region(inner);
      const problem = problemOf(op);
      if (problem !== null) this.problems.push(`${op.op}${lineOf(op)}: ${problem}`);
      for (const result of op.results) {
        if (result.op !== op) this.problems.push(`${op.op}${lineOf(op)}: a result names another operation`);
        if (!result.type.shape.every(isPowerOfTwo))
          this.problems.push(`${op.op}${lineOf(op)}: the shape ${formatBlockType(result.type)}`);
      }
      this.define(op.results);
    }
    for (const value of region.yields) this.#use(value, "yield");
    // What a region defines ends with it.
    for (const op of region.ops) for (const result of op.results) this.#forget(result, region);
    for (const param of region.params) this.#defined.delete(param);
  }

  #forget(result: BlockValue, region: Region): void {
    if (!region.params.includes(result)) this.#defined.delete(result);
  }

  #use(value: BlockValue, user: string): void {
    if (!this.#defined.has(value))
      this.problems.push(`${user} uses a ${formatBlockType(value.type)} of ${value.op?.op ?? "a parameter"} too early`);
  }
}

function lineOf({ location }: BlockOp): string {
  return location === null ? "" : ` (line ${location.line})`;
}

/** Every rule is "what must be equal"; the first that does not hold is reported. */
function firstDifference(...rules: readonly (readonly [boolean, string])[]): string | null {
  return rules.find(([holds]) => !holds)?.[1] ?? null;
}

function types(values: readonly BlockValue[]): string {
  return values.map(({ type }) => formatBlockType(type)).join(", ");
}

function sameTypes(a: readonly BlockValue[], b: readonly BlockValue[]): boolean {
  return a.length === b.length && a.every((value, i) => sameBlockType(value.type, (b[i] as BlockValue).type));
}

function maskFits(mask: BlockValue | null, like: BlockValue): boolean {
  return mask === null || (sameType(mask.type.element, I1) && sameShape(mask.type.shape, like.type.shape));
}

/** What results an operation has, by kind: none, or a first one. */
function problemOf(op: BlockOp): string | null {
  const operands = operandsOf(op);
  const [result] = op.results;
  const [first] = operands;
  const elementsMatch =
    result !== undefined && first !== undefined && sameType(result.type.element, first.type.element);
  switch (op.op) {
    case "constant":
      return firstDifference([result !== undefined && sameType(op.value.type, result.type.element), "its type"]);
    case "range":
      return firstDifference([result?.type.shape.length === 1 && sameType(result.type.element, I32), "its type"]);
    case "splat":
      return firstDifference([op.source.type.shape.length === 0, "not a scalar"], [elementsMatch, "element types"]);
    case "expand":
      return firstDifference(
        [elementsMatch, "element types"],
        [sameShape(op.source.type.shape.toSpliced(op.axis, 0, 1), result?.type.shape ?? []), "shapes"],
      );
    case "broadcast":
      return firstDifference([elementsMatch, "element types"], [isBroadcast(op.source, result), "shapes"]);
    case "reshape":
      return firstDifference(
        [elementsMatch, "element types"],
        [sizeOfShape(op.source.type.shape) === sizeOfShape(result?.type.shape ?? []), "sizes"],
      );
    case "transpose":
      return firstDifference(
        [elementsMatch, "element types"],
        [op.order.toSorted((a, b) => a - b).every((d, i) => d === i), "its order is no permutation"],
        [op.order.every((d, i) => op.source.type.shape[d] === result?.type.shape[i]), "shapes"],
      );
    case "join":
      return firstDifference(
        [sameBlockType(op.sources[0].type, op.sources[1].type), "two types"],
        [sameShape([...op.sources[0].type.shape, 2], result?.type.shape ?? []), "shapes"],
      );
    case "pick":
      return firstDifference([sameShape([...(result?.type.shape ?? []), 2], op.source.type.shape), "shapes"]);
    case "load":
    case "store":
    case "atomic":
      return accessProblem(op);
    case "compare-exchange":
      return firstDifference([
        sameTypes([op.expected, op.desired, ...op.results], [op.desired, op.desired, op.desired]),
        "types",
      ]);
    case "program-id":
    case "program-count":
      return firstDifference([result !== undefined && sameBlockType(result.type, { element: I32, shape: [] }), "type"]);
    case "barrier":
    case "commit-copies":
    case "await-copies":
    case "print":
      return null;
    case "copy":
    case "staged":
      return ringProblem(op);
    case "assert":
      return firstDifference([sameType(op.condition.type.element, I1), "not a condition"]);
    case "map":
      return mapProblem(op);
    case "gather":
    case "dot":
    case "reduce":
    case "scan":
      return blockProblem(op);
    case "for":
    case "while":
    case "if":
      return controlProblem(op);
    default:
      return elementwiseProblem(op);
  }
}

function accessProblem(op: LoadOp | StoreOp | AtomicOp): string | null {
  const { pointer, mask } = op;
  const shape = op.op === "load" ? (op.results[0]?.type.shape ?? []) : op.value.type.shape;
  return firstDifference(
    [sameType(pointer.type.element, PTR), "not a pointer"],
    [sameShape(pointer.type.shape, shape), "shapes"],
    [maskFits(mask, pointer), "its mask"],
    [op.op !== "load" || op.other === null || sameTypes([op.other], op.results), "its other"],
    [op.op !== "atomic" || sameTypes([op.value], op.results), "its result"],
  );
}

function ringProblem(op: CopyOp | StagedOp): string | null {
  const slot = [sameBlockType(op.slot.type, { element: I32, shape: [] }), "its slot"] as const;
  if (op.op === "staged")
    return firstDifference(slot, [sameTypes(op.results, [{ ...op.slot, type: op.ring.type }]), "type"]);
  return firstDifference(
    slot,
    [sameShape(op.pointer.type.shape, op.ring.type.shape), "shapes"],
    [maskFits(op.mask, op.pointer), "its mask"],
  );
}

function isBroadcast(source: BlockValue, result: BlockValue | undefined): boolean {
  const shape = result?.type.shape ?? [];
  return (
    source.type.shape.length === shape.length && source.type.shape.every((size, d) => size === 1 || size === shape[d])
  );
}

function elementwiseProblem(op: Extract<BlockOp, { operands: unknown }>): string | null {
  const { operands } = op as { operands: readonly BlockValue[] };
  const [a, b, c] = operands;
  const [result] = op.results;
  if (result === undefined || (a === undefined && op.op !== "asm")) return "operands";
  const shapes = operands.every(({ type }) => sameShape(type.shape, result.type.shape));
  if (!shapes) return `shapes: ${types([...operands, result])}`;
  if (a === undefined) return null;
  switch (op.op) {
    case "binary":
      return firstDifference([sameTypes([a, a], [b as BlockValue, result]), `types: ${types([a, b as BlockValue])}`]);
    case "icmp":
    case "fcmp":
      return firstDifference(
        [sameTypes([a], [b as BlockValue]), `types: ${types([a, b as BlockValue])}`],
        [sameType(result.type.element, I1), "not a condition"],
        [(a.type.element.kind === "float") === (op.op === "fcmp"), "the kind of comparison"],
      );
    case "cast":
      return castProblem(op.operator, a.type.element, result.type.element);
    case "select":
      return firstDifference(
        [sameType(a.type.element, I1), "its condition"],
        [sameTypes([b as BlockValue, c as BlockValue], [result, result]), `types: ${types(operands)}`],
      );
    case "address":
      return firstDifference([sameType(a.type.element, PTR) && b?.type.element.kind === "int", "types"]);
    default:
      return null;
  }
}

function blockProblem(op: Extract<BlockOp, { op: "gather" | "dot" | "reduce" | "scan" }>): string | null {
  const [result] = op.results;
  if (op.op === "gather") return firstDifference([sameShape(op.index.type.shape, result?.type.shape ?? []), "shapes"]);
  if (op.op === "dot") {
    const [a, b, c] = op.operands;
    const [m, k] = a.type.shape;
    return firstDifference(
      [sameShape(b.type.shape, [k as number, b.type.shape[1] as number]), `shapes: ${types(op.operands)}`],
      [sameShape(c.type.shape, [m as number, b.type.shape[1] as number]), `shapes: ${types(op.operands)}`],
      [sameTypes([c], op.results) && sameType(a.type.element, b.type.element), `types: ${types(op.operands)}`],
    );
  }
  const scalars = [...op.operands, ...op.operands];
  const isSame = (values: readonly BlockValue[], like: readonly BlockValue[]): boolean =>
    values.length === like.length &&
    values.every(
      ({ type }, i) => type.shape.length === 0 && sameType(type.element, (like[i] as BlockValue).type.element),
    );
  const shape = op.operands[0]?.type.shape ?? [];
  const wanted = op.op === "reduce" ? shape.toSpliced(op.axis, 1) : shape;
  return firstDifference(
    [isSame(op.combine.params, scalars), "the parameters of combine"],
    [isSame(op.combine.yields, op.operands), "what combine yields"],
    [op.results.every(({ type }) => sameShape(type.shape, wanted)), "shapes"],
  );
}

function mapProblem(op: MapOp): string | null {
  const { operands, pack, body, results } = op;
  const scalars = (values: readonly BlockValue[], like: readonly BlockValue[]): boolean =>
    values.length === like.length * pack &&
    values.every(({ type }, i) => {
      const own = like[Math.floor(i / pack)] as BlockValue;
      return type.shape.length === 0 && sameType(type.element, own.type.element);
    });
  const shape = operands[0]?.type.shape;
  return firstDifference(
    [shape !== undefined && [...operands, ...results].every(({ type }) => sameShape(type.shape, shape)), "shapes"],
    [scalars(body.params, operands), "the parameters of its body"],
    [scalars(body.yields, results), "what its body yields"],
    [[...allOps(body)].every((inner) => isOfScalars(inner)), "its body computes with more than scalars"],
  );
}

/** What a function of single elements may do. */
export function isOfScalars(op: BlockOp): boolean {
  const isEffect = ["store", "atomic", "compare-exchange", "copy", "barrier", "print", "assert"].includes(op.op);
  return !isEffect && [...op.results, ...operandsOf(op)].every(({ type }) => type.shape.length === 0);
}

function controlProblem(op: Extract<BlockOp, { op: "for" | "while" | "if" }>): string | null {
  if (op.op === "if")
    return firstDifference(
      [sameBlockType(op.condition.type, { element: I1, shape: [] }), "its condition"],
      [sameTypes(op.then.yields, op.results) && sameTypes(op.otherwise.yields, op.results), "what it yields"],
    );
  if (op.op === "while")
    return firstDifference(
      [sameTypes(op.initial, op.before.params), "its initial values"],
      [
        sameTypes(op.before.yields.slice(1), op.results) && sameTypes(op.body.params, op.results),
        "what `before` yields",
      ],
      [sameTypes(op.body.yields, op.initial), "what its body yields"],
    );
  return firstDifference(
    [sameTypes([op.lower, op.step, op.body.params[0] as BlockValue], [op.upper, op.upper, op.upper]), "its bounds"],
    [sameTypes(op.body.params.slice(1), op.initial), "its initial values"],
    [sameTypes(op.body.yields, op.initial) && sameTypes(op.results, op.initial), "what it yields"],
  );
}
