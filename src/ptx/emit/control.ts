/** Branches, switches, and the copies that phis become on the edges (LangRef, "Terminator Instructions", "phi"). */
import { INVERSE_PREDICATES } from "../../ir/model/int-predicates.ts";
import type {
  IcmpInstruction,
  IrBlock,
  IrTerminator,
  IrValue,
  PhiInstruction,
  SwitchInstruction,
} from "../../ir/model/ir.ts";
import { emitIcmp } from "./arithmetic.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { REGISTER_TYPES, registerClass, type RegisterClass } from "./ptx-types.ts";

export function labelOf(f: PtxFunction, block: IrBlock): string {
  let label = f.blockLabels.get(block);
  if (label === undefined) f.blockLabels.set(block, (label = f.program.label()));
  return label;
}

/** `next` is the block that follows in the text. Returns are the caller's. */
export function emitBranch(
  f: PtxFunction,
  i: Exclude<IrTerminator, { op: "ret" | "unreachable" }>,
  next: IrBlock | null,
): void {
  const { block } = i;
  const jump = (target: IrBlock): void => {
    if (target !== next) f.emit(`bra ${labelOf(f, target)}`);
  };
  switch (i.op) {
    case "br":
      copyPhis(f, block, i.target);
      return jump(i.target);
    case "condbr": {
      const condition = f.operand(i.condition);
      const [thenCopies, elseCopies] = [hasPhis(i.then), hasPhis(i.else)];
      const header = f.loopTests.get(block);
      if (header !== undefined && hasPhis(header)) {
        const exit = header === i.then ? i.else : i.then;
        const goesOn = header === i.then ? condition : opposite(f, i.condition);
        copyPhis(f, block, header);
        f.emit(`@${goesOn ?? `!${condition}`} bra ${labelOf(f, header)}`);
        copyPhis(f, block, exit);
        return jump(exit);
      }
      if (!elseCopies && !thenCopies && i.then === next) {
        f.emit(`@!${condition} bra ${labelOf(f, i.else)}`);
        return;
      }
      if (!thenCopies) {
        f.emit(`@${condition} bra ${labelOf(f, i.then)}`);
        copyPhis(f, block, i.else);
        return jump(i.else);
      }
      if (!elseCopies) {
        f.emit(`@!${condition} bra ${labelOf(f, i.else)}`);
        copyPhis(f, block, i.then);
        return jump(i.then);
      }
      const otherwise = f.program.label();
      f.emit(`@!${condition} bra ${otherwise}`);
      copyPhis(f, block, i.then);
      f.emit(`bra ${labelOf(f, i.then)}`);
      f.label(otherwise);
      copyPhis(f, block, i.else);
      return jump(i.else);
    }
    case "switch":
      return emitSwitch(f, i);
  }
}

/** A comparison the other way round: the assembler takes a loop for counted where it goes on if a predicate is true. */
function opposite(f: PtxFunction, condition: IrValue): string | null {
  if (condition.kind !== "instruction" || condition.op !== "icmp") return null;
  const inverse: IcmpInstruction = { ...condition, predicate: INVERSE_PREDICATES[condition.predicate] };
  emitIcmp(f, inverse);
  return f.operand(inverse);
}

/** Few cases: one comparison each. Many: halves. */
function emitSwitch(f: PtxFunction, i: SwitchInstruction): void {
  const held = registerClass(i.value.type);
  if (held === "p") {
    const value = f.operand(i.value);
    for (const c of i.cases) f.emit(`@${c.value.value === 1n ? "" : "!"}${value} bra ${edgeLabel(f, i, c.target)}`);
    f.emit(`bra ${edgeLabel(f, i, i.defaultTarget)}`);
    return emitEdges(f, i);
  }
  const width = held === "rd" ? 64 : 32;
  const value = f.register(i.value);
  const cases = [...i.cases].sort((a, b) => (a.value.value < b.value.value ? -1 : 1));
  const literal = (bits: bigint): string =>
    String(width === 64 || i.cases[0]?.value.type.bits === 32 ? BigInt.asIntN(width, bits) : bits);
  const search = (from: number, to: number): void => {
    if (to - from <= 4) {
      for (const c of cases.slice(from, to)) {
        const isCase = f.make("p", `setp.eq.b${width} $d, ${value}, ${literal(c.value.value)}`);
        f.emit(`@${isCase} bra ${edgeLabel(f, i, c.target)}`);
      }
      f.emit(`bra ${edgeLabel(f, i, i.defaultTarget)}`);
      return;
    }
    const middle = (from + to) >> 1;
    const lower = f.program.label();
    const bound = literal((cases[middle] as (typeof cases)[number]).value.value);
    f.emit(`@${f.make("p", `setp.lt.u${width} $d, ${value}, ${bound}`)} bra ${lower}`);
    search(middle, to);
    f.label(lower);
    search(from, middle);
  };
  search(0, cases.length);
  emitEdges(f, i);
}

const edges = new WeakMap<SwitchInstruction, Map<IrBlock, string>>();

/** Where a case goes: to its block, or to the copies in front of it. */
function edgeLabel(f: PtxFunction, i: SwitchInstruction, target: IrBlock): string {
  if (!hasPhis(target)) return labelOf(f, target);
  let labels = edges.get(i);
  if (labels === undefined) edges.set(i, (labels = new Map()));
  let label = labels.get(target);
  if (label === undefined) labels.set(target, (label = f.program.label()));
  return label;
}

function emitEdges(f: PtxFunction, i: SwitchInstruction): void {
  for (const [target, label] of edges.get(i) ?? []) {
    f.label(label);
    copyPhis(f, i.block, target);
    f.emit(`bra ${labelOf(f, target)}`);
  }
}

function hasPhis(block: IrBlock): boolean {
  return block.instructions[0]?.op === "phi";
}

/** All phis of a block at once: a value that is overwritten before it is read is kept in a register of its own. */
function copyPhis(f: PtxFunction, from: IrBlock, to: IrBlock): void {
  const pending: { to: string; from: string; held: RegisterClass }[] = [];
  for (const phi of to.instructions) {
    if (phi.op !== "phi") break;
    const source = incomingOperand(f, phi, from);
    if (source === null) continue;
    const destination = f.define(phi);
    if (source !== destination) pending.push({ to: destination, from: source, held: registerClass(phi.type) });
  }
  while (pending.length > 0) {
    const free = pending.findIndex((copy) => !pending.some((other) => other !== copy && other.from === copy.to));
    const copy = pending.splice(Math.max(free, 0), 1)[0] as (typeof pending)[number];
    if (free < 0) {
      // A cycle: one value steps aside.
      const aside = f.make(copy.held, `mov.${REGISTER_TYPES[copy.held]} $d, ${copy.to}`);
      for (const other of pending) if (other.from === copy.to) other.from = aside;
    }
    f.emit(`mov.${REGISTER_TYPES[copy.held]} ${copy.to}, ${copy.from}`);
  }
}

/** Null where the value does not matter. */
function incomingOperand(f: PtxFunction, phi: PhiInstruction, from: IrBlock): string | null {
  const value = phi.incoming.find((incoming) => incoming.block === from)?.value;
  if (value === undefined || value.kind === "const-undef") return null;
  if (phi.type.kind === "ptr") return f.pointerIn(value, f.spaceOf(phi));
  return f.operand(value);
}
