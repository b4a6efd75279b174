/**
 * What valid IR is, as a table (LangRef; the rules of llvm/lib/IR/Verifier.cpp that concern what we accept). Run after
 * every pass in tests, and by `assertValid` wherever a pass wants to be told early.
 */
import { bug } from "../base/diagnostics.ts";
import { predecessors } from "./graph/cfg.ts";
import { dominatorTree, dominatesUse } from "./graph/dominators.ts";
import type { DominatorTree } from "./graph/dominators.ts";
import { gepType } from "./model/gep.ts";
import type { AtomicOrdering, IrBlock, IrFunction, IrInstruction, IrModule, IrOp, IrType } from "./model/ir.ts";
import { isSized } from "./model/layout.ts";
import { forEachOperand, isTerminator } from "./model/operands.ts";
import { formatOperand, printInstruction } from "./text/print.ts";
import {
  I1,
  castProblem,
  formatType,
  isFloat,
  isInt,
  sameType,
  scalarBits,
  scalarOf,
  structType,
  typeAtIndices,
} from "./model/types.ts";

/** One line each: function, block, instruction, rule. Empty for valid IR. */
export function verifyModule(module: IrModule): string[] {
  const problems: string[] = [];
  for (const [name, fn] of module.functions) {
    if (fn.name !== name) problems.push(`@${name} is listed under another name than its own, @${fn.name}`);
    problems.push(...verifyFunction(fn, module));
  }
  for (const [name, global] of module.globals) {
    if (global.name !== name) problems.push(`@${name} is listed under another name than its own, @${global.name}`);
    if (global.initializer !== null && !sameType(global.initializer.type, global.valueType))
      problems.push(`@${name}: the initializer is a ${formatType(global.initializer.type)}`);
  }
  return problems;
}

/** Throws BUG with the problems. `after` names the pass. */
export function assertValid(subject: IrModule | IrFunction, after: string): void {
  const problems = subject.kind === "module" ? verifyModule(subject) : verifyFunction(subject, null);
  if (problems.length > 0)
    bug(
      `invalid IR after ${after}:\n${problems.slice(0, 10).join("\n")}` +
        (problems.length > 10 ? `\n… and ${problems.length - 10} more` : ""),
    );
}

export function verifyFunction(fn: IrFunction, module: IrModule | null): string[] {
  const problems: string[] = [];
  const report = (place: string, problem: string): void => {
    problems.push(`@${fn.name}, ${place}: ${problem}`);
  };
  if (fn.blocks.length === 0) return problems;
  const context = contextOf(fn, module);
  for (const block of fn.blocks) {
    for (const rule of blockRules) {
      const problem = rule.check(block, context);
      if (problem !== null) report(`%${block.name}`, problem);
    }
  }
  if (problems.length > 0) return problems; // the graph cannot be trusted
  context.predecessors = predecessors(fn);
  context.tree = dominatorTree(fn);
  for (const block of fn.blocks) {
    for (const instruction of block.instructions) {
      for (const rule of instructionRules) {
        const problem = rule.check(instruction, context);
        if (problem !== null) report(`%${block.name}`, `${printInstruction(instruction)}: ${problem}`);
      }
      const problem = typeRules[instruction.op](instruction as never);
      if (problem !== null) report(`%${block.name}`, `${printInstruction(instruction)}: ${problem}`);
    }
  }
  return problems;
}

interface Context {
  readonly function: IrFunction;
  readonly module: IrModule | null;
  readonly blocks: ReadonlySet<IrBlock>;
  readonly position: ReadonlyMap<IrInstruction, number>;
  readonly names: Map<string, number>;
  predecessors: Map<IrBlock, IrBlock[]>;
  tree: DominatorTree | null;
}

function contextOf(fn: IrFunction, module: IrModule | null): Context {
  const position = new Map<IrInstruction, number>();
  const names = new Map<string, number>();
  const count = (name: string): void => {
    names.set(name, (names.get(name) ?? 0) + 1);
  };
  fn.params.forEach((param) => count(param.name));
  for (const block of fn.blocks) {
    count(block.name);
    block.instructions.forEach((instruction, i) => {
      position.set(instruction, i);
      if (instruction.type.kind !== "void") count(instruction.name);
    });
  }
  return { function: fn, module, blocks: new Set(fn.blocks), position, names, predecessors: new Map(), tree: null };
}

// ---------------------------------------------------------------- blocks

interface BlockRule {
  readonly name: string;
  check(block: IrBlock, context: Context): string | null;
}

const blockRules: readonly BlockRule[] = [
  {
    name: "one terminator, at the end",
    check: (block) => {
      const last = block.instructions.at(-1);
      if (last === undefined || !isTerminator(last)) return "the block has no terminator";
      return block.instructions.slice(0, -1).some(isTerminator) ? "a terminator stands inside of the block" : null;
    },
  },
  {
    name: "phis first",
    check: (block) => {
      const first = block.instructions.findIndex((i) => i.op !== "phi");
      return block.instructions.slice(first).some((i) => i.op === "phi") ? "a phi follows another instruction" : null;
    },
  },
  {
    name: "belongs to its function",
    check: (block, { function: fn }) => (block.function === fn ? null : `the block belongs to @${block.function.name}`),
  },
  {
    name: "instructions belong to the block",
    check: (block) => {
      const stray = block.instructions.find((i) => i.block !== block);
      return stray === undefined ? null : `${printInstruction(stray)} believes to be in %${stray.block.name}`;
    },
  },
  {
    name: "each instruction once",
    check: (block, { position }) =>
      block.instructions.every((i, at) => position.get(i) === at) ? null : "an instruction is listed twice",
  },
  {
    name: "names are unique",
    check: (block, { names }) => {
      if (names.get(block.name) !== 1) return `the name %${block.name} is taken twice`;
      const twice = block.instructions.find((i) => i.type.kind !== "void" && names.get(i.name) !== 1);
      return twice === undefined ? null : `the name %${twice.name} is taken twice`;
    },
  },
  {
    name: "targets are blocks of the function",
    check: (block, { blocks, function: fn }) => {
      const last = block.instructions.at(-1) as IrInstruction;
      const targets = targetsOf(last);
      const stray = targets.find((target) => !blocks.has(target));
      if (stray) return `the target %${stray.name} is not in the function`;
      return targets.includes(fn.blocks[0] as IrBlock) ? "the entry block has a predecessor" : null;
    },
  },
];

// ---------------------------------------------------------------- any instruction

interface InstructionRule {
  readonly name: string;
  check(instruction: IrInstruction, context: Context): string | null;
}

const instructionRules: readonly InstructionRule[] = [
  {
    name: "operands are of this function and module",
    check: (user, { function: fn, module, position }) => {
      let problem: string | null = null;
      forEachOperand(user, (value) => {
        if (value.kind === "param" && value.function !== fn)
          problem = `%${value.name} is a parameter of @${value.function.name}`;
        else if (value.kind === "instruction" && !position.has(value))
          problem = `${formatOperand(value)} is not in the function`;
        else if (value.kind === "function" && module !== null && module.functions.get(value.name) !== value)
          problem = `@${value.name} is not the module's`;
        else if (value.kind === "global" && module !== null && module.globals.get(value.name) !== value)
          problem = `@${value.name} is not the module's`;
      });
      return problem;
    },
  },
  {
    name: "definitions dominate uses",
    check: (user, { tree, position }) => {
      if (tree === null || user.op === "phi" || !tree.isReachable(user.block)) return null;
      let problem: string | null = null;
      forEachOperand(user, (value) => {
        if (value.kind === "instruction" && position.has(value) && !dominatesUse(tree, position, value, user))
          problem = `${formatOperand(value)} is not there yet`;
      });
      return problem;
    },
  },
  {
    name: "phis match predecessors",
    check: (phi, context) => {
      if (phi.op !== "phi") return null;
      const before = context.predecessors.get(phi.block) ?? [];
      const from = new Set(phi.incoming.map((incoming) => incoming.block));
      const missing = before.find((block) => !from.has(block));
      if (missing) return `there is no value for %${missing.name}`;
      const extra = phi.incoming.find((incoming) => !before.includes(incoming.block));
      if (extra) return `%${extra.block.name} is no predecessor`;
      for (const { value, block } of phi.incoming) {
        if (!sameType(value.type, phi.type)) return `${formatOperand(value)} is not a ${formatType(phi.type)}`;
        if (value.kind !== "instruction" || !context.tree?.isReachable(block)) continue;
        if (!context.tree.dominates(value.block, block))
          return `${formatOperand(value)} is not there at the end of %${block.name}`;
        if (phi.incoming.some((other) => other.block === block && other.value !== value))
          return `two values come from %${block.name}`;
      }
      return null;
    },
  },
  { name: "orders are those of the operation", check: orderProblem },
  {
    name: "the entry has no phis",
    check: (i, { function: fn }) =>
      i.op === "phi" && i.block === fn.blocks[0] ? "the entry block has no predecessors" : null,
  },
];

// ---------------------------------------------------------------- types, per instruction

type TypeRules = { readonly [Op in IrOp]: (i: Extract<IrInstruction, { op: Op }>) => string | null };

const intOperators: ReadonlySet<string> = new Set([
  "add",
  "sub",
  "mul",
  "udiv",
  "sdiv",
  "urem",
  "srem",
  "shl",
  "lshr",
  "ashr",
  "and",
  "or",
  "xor",
]);

const typeRules: TypeRules = {
  binary: (i) =>
    check(
      sameType(i.lhs.type, i.type) &&
        sameType(i.rhs.type, i.type) &&
        (intOperators.has(i.operator) ? isInt(scalarOf(i.type)) : isFloat(scalarOf(i.type))),
    ),
  fneg: (i) => check(sameType(i.operand.type, i.type) && isFloat(scalarOf(i.type))),
  icmp: (i) =>
    check(
      sameType(i.lhs.type, i.rhs.type) &&
        (isInt(scalarOf(i.lhs.type)) || scalarOf(i.lhs.type).kind === "ptr") &&
        isMask(i.type, i.lhs.type),
    ),
  fcmp: (i) => check(sameType(i.lhs.type, i.rhs.type) && isFloat(scalarOf(i.lhs.type)) && isMask(i.type, i.lhs.type)),
  cast: (i) => castProblem(i.operator, i.operand.type, i.type),
  select: (i) =>
    check(
      sameType(i.then.type, i.type) &&
        sameType(i.else.type, i.type) &&
        (sameType(i.condition.type, I1) || isMask(i.condition.type, i.type)),
    ),
  freeze: (i) => check(sameType(i.operand.type, i.type)),
  phi: (i) => (i.incoming.length > 0 ? null : "a phi needs a value"),
  gep: (i) =>
    check(
      scalarOf(i.base.type).kind === "ptr" &&
        isSized(i.sourceType) &&
        i.indices.every((index) => isInt(scalarOf(index.type))) &&
        sameType(gepType(i.base.type, i.indices), i.type),
    ),
  alloca: (i) => check(i.type.kind === "ptr" && isSized(i.allocatedType) && (i.count === null || isInt(i.count.type))),
  load: (i) => check(i.pointer.type.kind === "ptr" && isSized(i.type)),
  store: (i) => check(i.pointer.type.kind === "ptr" && isSized(i.value.type) && i.type.kind === "void"),
  cmpxchg: (i) =>
    check(
      i.pointer.type.kind === "ptr" &&
        sameType(i.expected.type, i.desired.type) &&
        sameType(i.type, structType([i.expected.type, I1])),
    ),
  atomicrmw: (i) => check(i.pointer.type.kind === "ptr" && sameType(i.value.type, i.type)),
  fence: (i) => check(i.type.kind === "void"),
  call: (i) => {
    if (i.callee.type.kind !== "ptr") return "the callee is no pointer";
    const { params, isVarArg, result } = i.functionType;
    if (isVarArg ? i.args.length < params.length : i.args.length !== params.length)
      return `${params.length} arguments were expected`;
    const wrong = params.findIndex((param, n) => !sameType(param, i.args[n]?.type as IrType));
    if (wrong >= 0) return `argument ${wrong + 1} is not a ${formatType(params[wrong] as IrType)}`;
    return i.byval.length === i.args.length ? check(sameType(result, i.type)) : "byval does not match the arguments";
  },
  extractvalue: (i) => check(isElement(i.aggregate.type, i.indices, i.type)),
  insertvalue: (i) => check(sameType(i.aggregate.type, i.type) && isElement(i.type, i.indices, i.element.type)),
  extractelement: (i) =>
    check(i.vector.type.kind === "vector" && sameType(i.vector.type.element, i.type) && isInt(i.index.type)),
  insertelement: (i) =>
    check(
      i.type.kind === "vector" &&
        sameType(i.vector.type, i.type) &&
        sameType(i.element.type, i.type.element) &&
        isInt(i.index.type),
    ),
  shufflevector: (i) =>
    check(
      i.lhs.type.kind === "vector" &&
        sameType(i.lhs.type, i.rhs.type) &&
        i.type.kind === "vector" &&
        i.type.length === i.mask.length &&
        sameType(i.type.element, i.lhs.type.element),
    ),
  va_arg: (i) => check(i.list.type.kind === "ptr"),
  br: () => null,
  condbr: (i) => check(sameType(i.condition.type, I1)),
  switch: (i) =>
    check(
      isInt(i.value.type) &&
        i.cases.every((c) => sameType(c.value.type, i.value.type)) &&
        new Set(i.cases.map((c) => c.value.value)).size === i.cases.length,
    ),
  ret: (i) => {
    const { result } = i.block.function.functionType;
    return check(i.value === null ? result.kind === "void" : sameType(i.value.type, result));
  },
  unreachable: () => null,
};

/** LangRef, "load", "store", "cmpxchg", "atomicrmw", "fence". */
function orderProblem(i: IrInstruction): string | null {
  const among = (ordering: AtomicOrdering, ...not: AtomicOrdering[]): string | null =>
    not.includes(ordering) ? `${i.op} cannot be ${ordering}` : null;
  switch (i.op) {
    case "load":
      if (i.ordering !== null) return among(i.ordering, "release", "acq_rel");
      return i.scope === null ? null : "a scope without an ordering";
    case "store":
      if (i.ordering !== null) return among(i.ordering, "acquire", "acq_rel");
      return i.scope === null ? null : "a scope without an ordering";
    case "atomicrmw":
      return among(i.ordering, "unordered");
    case "cmpxchg":
      return among(i.ordering, "unordered") ?? among(i.failureOrdering, "unordered", "release", "acq_rel");
    case "fence":
      return among(i.ordering, "unordered", "monotonic");
    default:
      return null;
  }
}

function check(ok: boolean): string | null {
  return ok ? null : "the types do not fit";
}

function isElement(aggregate: IrType, indices: readonly number[], element: IrType): boolean {
  const found = typeAtIndices(aggregate, indices);
  return found !== null && sameType(found, element);
}

/** i1, or a vector of them as long as the operands. */
function isMask(type: IrType, operands: IrType): boolean {
  if (scalarBits(scalarOf(type)) !== 1) return false;
  return type.kind === "vector"
    ? operands.kind === "vector" && operands.length === type.length
    : operands.kind !== "vector";
}

function targetsOf(last: IrInstruction): readonly IrBlock[] {
  switch (last.op) {
    case "br":
      return [last.target];
    case "condbr":
      return [last.then, last.else];
    case "switch":
      return [last.defaultTarget, ...last.cases.map(({ target }) => target)];
    default:
      return [];
  }
}
