/** Which inline PTX statements of a program are for the GPU as they are written. */
import { parsePtx, type PtxInstruction, type PtxOperand } from "../../ir/inline-ptx/syntax.ts";

/** Instructions that take an address of shared memory, which is the GPU's own in 32 bits, or none. */
const OWN_ADDRESSES = new Set(["ldmatrix", "stmatrix"]);

/**
 * Statements whose addresses are all in shared memory, and those without any. What goes to memory by a pointer is
 * lowered to IR, where pointers have 32 bits and everything is known that the passes know; unless it is nothing that
 * the lowering reads.
 */
export function keepsInlinePtx(template: string): boolean {
  let program;
  try {
    program = parsePtx(template);
  } catch {
    return true; // what only the GPU's assembler can read
  }
  return program.statements.every((statement) => {
    if (statement.kind === "label") return true;
    const [word = "", ...rest] = statement.opcode;
    if (word === "mapa" || word === "getctarank") return rest.includes("shared::cluster");
    if (word === "cvta" || word === "isspacep") return false;
    if (!statement.operands.some(hasAddress)) return true;
    if (isBulkCopy(statement)) return statement.operands.every((operand) => !hasAddress(operand) || isOperand(operand));
    if (isAsyncCopy(statement))
      return statement.operands
        .slice(0, 2)
        .every((operand) => operand.kind === "address" && operand.base.kind === "asm");
    return (
      OWN_ADDRESSES.has(word) ||
      (["ld", "st", "atom", "red", "mbarrier"].includes(word) && rest.some((part) => part.startsWith("shared")))
    );
  });
}

/** cp.async of a few bytes, from global to shared memory. */
function isAsyncCopy({ opcode }: PtxInstruction): boolean {
  return opcode[0] === "cp" && opcode[1] === "async" && (opcode[2] === "ca" || opcode[2] === "cg");
}

/** cp.async.bulk and cp.reduce.async.bulk, with addresses. */
function isBulkCopy({ opcode }: PtxInstruction): boolean {
  return opcode[0] === "cp" && opcode.includes("bulk");
}

/** An address that is an operand of the statement, as it is. */
function isOperand(operand: PtxOperand): boolean {
  return operand.kind === "address" && operand.base.kind === "asm" && operand.offset === 0n;
}

/** It asks for a tensor map before a copy does. */
function isTensorMapPrefetch({ opcode }: PtxInstruction): boolean {
  return opcode[0] === "prefetch" && opcode.includes("tensormap");
}

/** Which operand of a bulk copy is an address of global memory: the tensor map's, or the bytes'. */
function globalOperandOf({ opcode, operands }: PtxInstruction): PtxOperand | undefined {
  if (opcode.includes("tensor")) return operands.find((operand) => operand.kind === "address" && operand.coordinates);
  if (opcode.includes("prefetch")) return operands[0];
  const [to, from] = opcode.filter((word) => /^(?:global|shared)/.test(word));
  if (to === "global") return operands[0];
  return from === "global" ? operands[1] : undefined;
}

/**
 * The operands of a native statement that are addresses of global memory. With 32-bit pointers the program has the
 * lower half of such an address only.
 */
export function globalAddressOperands(template: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!/\bcp\.(?:async\.c[ag]\b|(?:reduce\.)?async\.bulk)|\bprefetch\.tensormap\b/.test(template)) return found;
  for (const statement of parsePtx(template).statements) {
    if (statement.kind === "label") continue;
    const source =
      isTensorMapPrefetch(statement) || isBulkCopy(statement) ? globalOperandOf(statement) : copySource(statement);
    if (source?.kind === "address" && source.base.kind === "asm") found.add(source.base.index);
  }
  return found;
}

/**
 * The operands that say where an asynchronous copy with a cache policy (`.L2::cache_hint`) writes to. ptxas, from CUDA
 * 12.8 to 13.3, encodes such a copy wrongly if it can split the address into a variable's place and the thread's share:
 * the instruction then reads uniform registers that nothing has written, and the GPU calls it illegal.
 */
export function hintedCopyTargets(template: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!/\bcp\.async\.c[ag]\b.*\.L2::cache_hint\b/s.test(template)) return found;
  for (const statement of parsePtx(template).statements) {
    if (statement.kind === "label" || !isAsyncCopy(statement) || !statement.opcode.includes("L2::cache_hint")) continue;
    const [target] = statement.operands;
    if (target?.kind === "address" && target.base.kind === "asm") found.add(target.base.index);
  }
  return found;
}

function copySource(statement: PtxInstruction): PtxOperand | undefined {
  return isAsyncCopy(statement) ? statement.operands[1] : undefined;
}

function hasAddress(operand: PtxOperand): boolean {
  switch (operand.kind) {
    case "address":
      return true;
    case "vector":
      return operand.elements.some(hasAddress);
    default:
      return false;
  }
}
