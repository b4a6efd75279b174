/** Runs the threads of a kernel in PTX one after the other, instruction by instruction, without a GPU. */
import { OPERATIONS, low, widthOf } from "./ptx-instructions.test-helper.ts";
import type { PtxModule } from "./ptx-module.ts";

/** Bits of a register, by the start of its name. */
const REGISTER_BITS: Readonly<Record<string, number>> = { p: 1, h: 16, r: 32, rd: 64, f: 32, fd: 64 };
const MAX_STEPS = 10_000;

interface Line {
  readonly predicate: { readonly name: string; readonly isNegated: boolean } | null;
  readonly words: readonly string[];
  readonly operands: readonly string[];
}

export class PtxEvaluator {
  readonly #lines: readonly Line[];
  readonly #labels = new Map<string, number>();
  readonly #memory: DataView;
  readonly #base: number;

  /** @param base the address of the first byte of the memory. */
  constructor(module: PtxModule, memory: Uint8Array, base: number) {
    const { text } = module;
    const body = text.slice(text.indexOf("\n{\n") + 3, text.lastIndexOf("}"));
    const lines: Line[] = [];
    for (const part of body.split(/[;\n]/).map((line) => line.replace(/\/\/.*/, "").trim())) {
      if (/^(?:[{}.].*)?$/.test(part)) continue;
      const label = /^(\$\w+):$/.exec(part);
      if (label !== null) this.#labels.set(label[1] as string, lines.length);
      else lines.push(parse(part));
    }
    this.#lines = lines;
    this.#base = base;
    this.#memory = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /** @param params the kernel's, by position. */
  run(params: readonly bigint[], thread: number): void {
    const registers = new Map<string, bigint>([["%tid.x", BigInt(thread)]]);
    let steps = 0;
    for (let at = 0; ; at++) {
      if (++steps > MAX_STEPS) throw new Error("the kernel does not end");
      const line = this.#lines[at];
      if (line === undefined) throw new Error("the kernel has no end");
      const { predicate, words, operands } = line;
      if (predicate !== null && (registers.get(predicate.name) !== 0n) === predicate.isNegated) continue;
      if (words[0] === "ret" || words[0] === "exit") return;
      if (words[0] === "bra") at = (this.#labels.get(operands.at(-1) as string) as number) - 1;
      else this.#step(words, operands, registers, params);
    }
  }

  #step(
    words: readonly string[],
    operands: readonly string[],
    registers: Map<string, bigint>,
    params: readonly bigint[],
  ): void {
    const [first, ...rest] = words as [string, ...string[]];
    const type = rest.at(-1) as string;
    const value = (operand: string): bigint => valueOf(operand, registers);
    const set = (name: string, bits: bigint): void => assign(registers, name, bits);
    if (first === "ld" && rest[0] === "param")
      return set(operands[0] as string, params[Number(/param_(\d+)\]/.exec(operands[1] as string)?.[1])] as bigint);
    if (first === "ld")
      return set(operands[0] as string, signed(this.#load(this.#address(operands[1] as string, value), type), type));
    if (first === "st")
      return this.#store(this.#address(operands[0] as string, value), type, value(operands[1] as string));
    if (first === "atom") return this.#atom(rest, operands, value, set);
    if (first === "fence" || first === "membar") return;
    if (first === "mov") return move(operands[0] as string, operands[1] as string, type, value, set);
    const operation = OPERATIONS[first];
    if (operation === undefined) throw new Error(`the evaluator has no ${words.join(".")}`);
    const result = operation(rest, operands.slice(1).map(value));
    const bits =
      first === "mul" && rest[0] === "wide"
        ? 64
        : Math.max(32, widthOf(first === "cvt" ? (rest.at(-2) as string) : type));
    // cvt: what a destination has more, is the sign of a signed one.
    set(operands[0] as string, first === "cvt" ? result : low(result, bits));
  }

  #address(operand: string, value: (operand: string) => bigint): number {
    const [, base, distance] = /^\[([^+\]]+)(?:\+(-?\d+))?\]$/.exec(operand) as unknown as [string, string, string?];
    return Number(low(value(base), 32)) + Number(distance ?? 0) - this.#base;
  }

  #load(address: number, type: string): bigint {
    let result = 0n;
    for (let i = widthOf(type) / 8 - 1; i >= 0; i--)
      result = (result << 8n) | BigInt(this.#memory.getUint8(address + i));
    return result;
  }

  #store(address: number, type: string, bits: bigint): void {
    for (let i = 0; i < widthOf(type) / 8; i++)
      this.#memory.setUint8(address + i, Number((bits >> BigInt(8 * i)) & 255n));
  }

  /** 9.7.12.14: one thread alone, so the order and the scope mean nothing. */
  #atom(
    words: readonly string[],
    operands: readonly string[],
    value: (operand: string) => bigint,
    set: (name: string, bits: bigint) => void,
  ): void {
    const type = words.at(-1) as string;
    const [, operation] = /\.(exch|add|and|or|xor|min|max|inc|dec|cas)\./.exec(
      `.${words.join(".")}.`,
    ) as unknown as string[];
    const address = this.#address(operands[1] as string, value);
    const old = this.#load(address, type);
    const given = low(value(operands[2] as string), widthOf(type));
    const updated = ((): bigint => {
      switch (operation) {
        case "exch":
          return given;
        case "inc":
          return old >= given ? 0n : old + 1n;
        case "dec":
          return old === 0n || old > given ? given : old - 1n;
        case "cas":
          return old === given ? value(operands[3] as string) : old;
        default:
          return (OPERATIONS[operation as string] as (typeof OPERATIONS)[string])(
            type.startsWith("f") || type.startsWith("bf") ? ["rn", type] : [type],
            [old, given],
          );
      }
    })();
    this.#store(address, type, low(updated, widthOf(type)));
    set(operands[0] as string, old);
  }
}

function parse(text: string): Line {
  const match = /^(?:@(!?)(%p\d+)\s+)?(\S+)\s*(.*)$/.exec(text) as unknown as [
    string,
    string?,
    string?,
    string?,
    string?,
  ];
  const [, not, predicate, name, rest] = match;
  const operands: string[] = [];
  for (const operand of (rest ?? "").matchAll(/\{[^}]*\}|\[[^\]]*\]|[^,\s]+/g)) operands.push(operand[0]);
  return {
    predicate: predicate === undefined ? null : { name: predicate, isNegated: not === "!" },
    words: (name as string).split("."),
    operands,
  };
}

function valueOf(operand: string, registers: ReadonlyMap<string, bigint>): bigint {
  if (/^0[df][\dA-F]+$/i.test(operand)) return BigInt(`0x${operand.slice(2)}`);
  if (/^-?\d/.test(operand)) return operand.startsWith("-") ? -BigInt(operand.slice(1)) : BigInt(operand);
  const value = registers.get(operand);
  if (value === undefined) throw new Error(`${operand} is read before it is written`);
  return value;
}

function assign(registers: Map<string, bigint>, name: string, value: bigint): void {
  const bits = REGISTER_BITS[/^%([a-z]+)\d/.exec(name)?.[1] as string] as number;
  registers.set(name, low(value, bits));
}

/** What ld.s8 and its kin load is extended by its sign. */
function signed(value: bigint, type: string): bigint {
  return type.startsWith("s") ? BigInt.asIntN(widthOf(type), value) : value;
}

/** 9.7.9.1, 9.7.9.2: with several registers on one side, their bits joined, the first lowest. */
function move(
  to: string,
  from: string,
  type: string,
  value: (operand: string) => bigint,
  set: (name: string, bits: bigint) => void,
): void {
  const parts = (vector: string): string[] =>
    vector
      .slice(1, -1)
      .split(",")
      .map((part) => part.trim());
  const count = Math.max(to.startsWith("{") ? parts(to).length : 1, from.startsWith("{") ? parts(from).length : 1);
  const width = BigInt(widthOf(type) / count);
  const whole = from.startsWith("{")
    ? parts(from).reduceRight((sum, part) => (sum << width) | low(value(part), Number(width)), 0n)
    : value(from);
  if (to.startsWith("{")) parts(to).forEach((part, i) => set(part, whole >> (BigInt(i) * width)));
  else set(to, whole);
}
