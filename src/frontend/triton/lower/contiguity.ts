/**
 * Along which dimension neighbouring pointers of a block are neighbours in memory (Triton's axis information): lanes go
 * along that one, so that their accesses are one transaction.
 */
import type { BlockValue } from "../blocks/model.ts";

/** How the elements of a block change along a dimension: not, by one element at a time, or in another way. */
type Change = "same" | "step" | "other";

/** Dimensions from the one that should go along the lanes; undefined: the usual order. */
export function fastestDimensions(pointer: BlockValue): readonly number[] | undefined {
  const { shape } = pointer.type;
  if (shape.length < 2) return undefined;
  const usual = shape.map((_, dim) => dim).reverse();
  const fastest = usual.find((dim) => (shape[dim] as number) > 1 && changeAlong(pointer, dim, 0) === "step");
  return fastest === undefined || fastest === usual[0]
    ? undefined
    : [fastest, ...usual.filter((dim) => dim !== fastest)];
}

const MAX_DEPTH = 24;

function changeAlong(value: BlockValue, dim: number, depth: number): Change {
  const { op } = value;
  if (value.type.shape[dim] === 1) return "same";
  if (op === null || depth > MAX_DEPTH) return "other";
  const along = (other: BlockValue, d = dim): Change => changeAlong(other, d, depth + 1);
  switch (op.op) {
    case "constant":
    case "splat":
      return "same";
    case "range":
      return "step";
    case "broadcast":
      return op.source.type.shape[dim] === 1 ? "same" : along(op.source);
    case "expand":
      return dim === op.axis ? "same" : along(op.source, dim > op.axis ? dim - 1 : dim);
    case "reshape":
      return reshapedChange(value, op.source, dim, depth);
    case "transpose":
      return along(op.source, op.order[dim] as number);
    case "cast":
      return along(op.operands[0]);
    case "address":
      return sum(along(op.operands[0]), along(op.operands[1]));
    case "binary": {
      const [a, b] = op.operands;
      if (op.operator === "add" || op.operator === "or") return sum(along(a), along(b));
      if (op.operator === "sub") return along(b) === "same" ? along(a) : "other";
      if (op.operator !== "mul") return along(a) === "same" && along(b) === "same" ? "same" : "other";
      if (isOne(a)) return along(b);
      if (isOne(b)) return along(a);
      return along(a) === "same" && along(b) === "same" ? "same" : "other";
    }
    default:
      return "other";
  }
}

function sum(a: Change, b: Change): Change {
  if (a === "same") return b;
  return b === "same" ? a : "other";
}

function isOne({ op }: BlockValue): boolean {
  if (op?.op === "splat" || op?.op === "broadcast" || op?.op === "cast")
    return isOne(op.op === "cast" ? op.operands[0] : op.source);
  return op?.op === "constant" && op.value.kind === "const-int" && op.value.value === 1n;
}

/** A range that got dimensions of one element. */
function reshapedChange(value: BlockValue, source: BlockValue, dim: number, depth: number): Change {
  const large = (shape: readonly number[]): number[] => shape.flatMap((size, d) => (size > 1 ? [d] : []));
  const from = large(source.type.shape);
  const to = large(value.type.shape);
  const at = to.indexOf(dim);
  const isPadding =
    from.length === to.length && from.every((d, i) => source.type.shape[d] === value.type.shape[to[i] as number]);
  return isPadding && at >= 0 ? changeAlong(source, from[at] as number, depth + 1) : "other";
}
