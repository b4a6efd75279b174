/** What operations use, and what they contain. */
import type { BlockOp, BlockValue, ElementwiseOp, Region } from "./model.ts";

export function operandsOf(op: BlockOp): readonly BlockValue[] {
  const some = (...values: (BlockValue | null)[]): BlockValue[] => values.filter((value) => value !== null);
  switch (op.op) {
    case "constant":
    case "range":
    case "program-id":
    case "program-count":
    case "barrier":
    case "commit-copies":
    case "await-copies":
      return [];
    case "copy":
      return some(op.slot, op.pointer, op.mask);
    case "staged":
      return [op.slot];
    case "splat":
    case "expand":
    case "broadcast":
    case "reshape":
    case "transpose":
    case "pick":
      return [op.source];
    case "join":
      return op.sources;
    case "load":
      return some(op.pointer, op.mask, op.other);
    case "store":
      return some(op.pointer, op.value, op.mask);
    case "atomic":
      return some(op.pointer, op.value, op.mask);
    case "compare-exchange":
      return [op.pointer, op.expected, op.desired];
    case "gather":
      return [op.source, op.index];
    case "for":
      return [op.lower, op.upper, op.step, ...op.initial];
    case "while":
      return op.initial;
    case "if":
      return [op.condition];
    case "assert":
      return some(op.condition, op.mask);
    default:
      return op.operands;
  }
}

export function regionsOf(op: BlockOp): readonly Region[] {
  switch (op.op) {
    case "reduce":
    case "scan":
      return [op.combine];
    case "map":
      return [op.body];
    case "for":
      return [op.body];
    case "while":
      return [op.before, op.body];
    case "if":
      return [op.then, op.otherwise];
    default:
      return [];
  }
}

export function isElementwise(op: BlockOp): op is ElementwiseOp {
  switch (op.op) {
    case "binary":
    case "icmp":
    case "fcmp":
    case "cast":
    case "select":
    case "call":
    case "address":
      return true;
    default:
      return false;
  }
}

/** Every operation of a region, also those of regions inside. */
export function* allOps(region: Region): Generator<BlockOp> {
  for (const op of region.ops) {
    yield op;
    for (const inner of regionsOf(op)) yield* allOps(inner);
  }
}
