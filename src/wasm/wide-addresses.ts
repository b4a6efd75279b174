/**
 * Code for a 64-bit memory out of code that counts on 32-bit addresses (the memory64 proposal, WebAssembly 3.0): where
 * an instruction finds an address of 32 bits on the stack, the address is extended. Addresses of 64 bits stay.
 *
 * So those who emit code keep the addresses of their own data in 32 bits, and one parameter of the module chooses.
 */
import { bug } from "../base/diagnostics.ts";
import { readImmediates, type Immediates } from "./immediates.ts";
import { LANE_CODES, MEMORY_CODES, MEMORY_LANE_CODES, PLAIN_CODES, IMMEDIATE_CODES } from "./opcodes.ts";
import { VALUE_TYPE_CODES, type ValueType } from "./types.ts";

export interface Signature {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** The types of what a function's code mentions by number. */
export interface CodeTypes {
  local(index: number): ValueType;
  global(index: number): ValueType;
  function(index: number): Signature;
  type(index: number): Signature;
}

/** What an instruction without a rule of its own does to the stack. `addresses`: which of its operands are some. */
interface Effect {
  readonly immediates: Immediates;
  readonly pops: number;
  readonly pushes: ValueType | null;
  readonly addresses: readonly number[];
}

/** A value on the stack, and where the code that leaves it ends. "any": in code that is never reached. */
interface Slot {
  readonly type: ValueType | "any";
  readonly end: number;
}

interface Construct {
  readonly height: number;
  readonly signature: Signature;
  isReachable: boolean;
}

/** The i64.extend_i32_u that is inserted. */
export const EXTEND: Uint8Array = new Uint8Array([PLAIN_CODES["i64.extend_i32_u"]]);

/** Offsets in `code`, ascending, at which the value on top of the stack is to be extended. */
export function addressesToExtend(code: Uint8Array, types: CodeTypes): number[] {
  return new Walk(code, types).run();
}

class Walk {
  readonly #code: Uint8Array;
  readonly #types: CodeTypes;
  readonly #extended: number[] = [];
  readonly #stack: Slot[] = [];
  readonly #open: Construct[] = [{ height: 0, signature: { params: [], results: [] }, isReachable: true }];
  #at = 0;

  constructor(code: Uint8Array, types: CodeTypes) {
    this.#code = code;
    this.#types = types;
  }

  run(): number[] {
    while (this.#at < this.#code.length) {
      let opcode = this.#code[this.#at++] as number;
      const read = (kind: Immediates): readonly number[] => {
        const { values, end } = readImmediates(this.#code, this.#at, kind);
        this.#at = end;
        return values;
      };
      if (opcode >= 0xfc) opcode = opcode * 4096 + (read("u")[0] as number);
      if (!this.#special(opcode, read)) this.#plain(opcode, read);
    }
    return this.#extended.sort((a, b) => a - b);
  }

  #pop(): Slot {
    const { height, isReachable } = this.#open.at(-1) as Construct;
    if (this.#stack.length > height) return this.#stack.pop() as Slot;
    if (isReachable) bug(`an empty stack at byte ${this.#at} of a function`);
    return { type: "any", end: this.#at };
  }

  #take(count: number): void {
    for (let n = 0; n < count; n++) this.#pop();
  }

  #push(...types: readonly (ValueType | "any")[]): void {
    for (const type of types) this.#stack.push({ type, end: this.#at });
  }

  #leave(): void {
    const construct = this.#open.at(-1) as Construct;
    construct.isReachable = false;
    this.#stack.length = construct.height;
  }

  /** Operands from the first to the last; those of 32 bits among the addresses are extended. */
  #operands(count: number, addresses: readonly number[]): void {
    for (let n = count - 1; n >= 0; n--) {
      const { type, end } = this.#pop();
      if (type === "i32" && addresses.includes(n)) this.#extended.push(end);
    }
  }

  #plain(opcode: number, read: (kind: Immediates) => readonly number[]): void {
    const effect = EFFECTS.get(opcode) ?? bug(`unknown instruction 0x${opcode.toString(16)}`);
    read(effect.immediates);
    this.#operands(effect.pops, effect.addresses);
    if (effect.pushes !== null) this.#push(effect.pushes);
  }

  /** Control, and what depends on an immediate. False for all others. */
  // oxlint-disable-next-line max-lines-per-function -- one case an instruction
  #special(opcode: number, read: (kind: Immediates) => readonly number[]): boolean {
    switch (opcode) {
      case 0x00: // unreachable
      case 0x0f: // return
        this.#leave();
        return true;
      case 0x02:
      case 0x03:
      case 0x04: {
        const signature = this.#blockType(read("block")[0] as number);
        if (opcode === 0x04) this.#pop();
        this.#take(signature.params.length);
        this.#open.push({ height: this.#stack.length, signature, isReachable: true });
        this.#push(...signature.params);
        return true;
      }
      case 0x05: {
        const construct = this.#open.at(-1) as Construct;
        construct.isReachable = true;
        this.#stack.length = construct.height;
        this.#push(...construct.signature.params);
        return true;
      }
      case 0x0b: {
        const { height, signature } = this.#open.pop() as Construct;
        this.#stack.length = height;
        this.#push(...signature.results);
        return true;
      }
      case 0x0c:
        read("u");
        this.#leave();
        return true;
      case 0x0d:
        read("u");
        this.#pop();
        return true;
      case 0x0e:
        read("table");
        this.#leave();
        return true;
      case 0x10:
        this.#call(this.#types.function(read("u")[0] as number));
        return true;
      case 0x11:
        this.#pop();
        this.#call(this.#types.type(read("uu")[0] as number));
        return true;
      case 0x1a:
        this.#pop();
        return true;
      case 0x1b:
      case 0x1c: {
        if (opcode === 0x1c) read("types");
        this.#pop();
        const other = this.#pop();
        const { type } = this.#pop();
        this.#push(type === "any" ? other.type : type);
        return true;
      }
      case 0x20:
        this.#push(this.#types.local(read("u")[0] as number));
        return true;
      case 0x21:
      case 0x24:
        read("u");
        this.#pop();
        return true;
      case 0x22: {
        const index = read("u")[0] as number;
        this.#pop();
        this.#push(this.#types.local(index));
        return true;
      }
      case 0x23:
        this.#push(this.#types.global(read("u")[0] as number));
        return true;
      default:
        return false;
    }
  }

  #call({ params, results }: Signature): void {
    this.#take(params.length);
    this.#push(...results);
  }

  #blockType(type: number): Signature {
    if (type === -64) return { params: [], results: [] };
    if (type >= 0) return this.#types.type(type);
    return { params: [], results: [TYPES.get(type + 128) ?? bug(`block type ${type}`)] };
  }
}

const TYPES = new Map(Object.entries(VALUE_TYPE_CODES).map(([type, code]) => [code, type as ValueType]));

const UNARY = /^(?:eqz|clz|ctz|popcnt|abs|neg|not|ceil|floor|trunc|nearest|sqrt|splat|all_true|any_true|bitmask)$/;
const CONVERSION = /^(?:wrap|trunc_|extend|convert|demote|promote|reinterpret|extadd|relaxed_trunc)/;
const TERNARY = /madd$|laneselect$|bitselect$|_add_s$/;
const COMPARISON = /^(?:eqz|eq|ne|[lg][te](?:_[su])?)$/;

function plainEffect(name: string): Omit<Effect, "immediates"> {
  const [prefix, operation] = name.split(".") as [string, string];
  const pops = UNARY.test(operation) || CONVERSION.test(operation) ? 1 : 2;
  const isVector = /x|v128/.test(prefix);
  if (isVector)
    return {
      pops: TERNARY.test(operation) ? 3 : pops,
      pushes: /^(?:all_true|any_true|bitmask)$/.test(operation) ? "i32" : "v128",
      addresses: [],
    };
  return { pops, pushes: COMPARISON.test(operation) ? "i32" : (prefix as ValueType), addresses: [] };
}

function laneEffect(name: string): Omit<Effect, "immediates"> {
  const [shape, operation] = name.split(".") as [string, string];
  if (operation.startsWith("replace")) return { pops: 2, pushes: "v128", addresses: [] };
  const element = shape.slice(0, shape.indexOf("x"));
  return { pops: 1, pushes: element === "i8" || element === "i16" ? "i32" : (element as ValueType), addresses: [] };
}

function memoryEffect(name: string): Omit<Effect, "immediates"> {
  const type = name.slice(0, name.indexOf("."));
  if (name.includes("atomic.wait")) return { pops: 3, pushes: "i32", addresses: [0] };
  if (name.includes("atomic.notify")) return { pops: 2, pushes: "i32", addresses: [0] };
  const pushes = name.includes("store") ? null : (type as ValueType);
  if (name.includes("cmpxchg")) return { pops: 3, pushes, addresses: [0] };
  return { pops: /rmw|store/.test(name) ? 2 : 1, pushes, addresses: [0] };
}

const RANGES: Readonly<Record<string, Omit<Effect, "immediates">>> = {
  "memory.copy": { pops: 3, pushes: null, addresses: [0, 1, 2] },
  "memory.fill": { pops: 3, pushes: null, addresses: [0, 2] },
  "memory.init": { pops: 3, pushes: null, addresses: [0] },
  "data.drop": { pops: 0, pushes: null, addresses: [] },
  "atomic.fence": { pops: 0, pushes: null, addresses: [] },
  "i8x16.shuffle": { pops: 2, pushes: "v128", addresses: [] },
  "i32.const": { pops: 0, pushes: "i32", addresses: [] },
  "i64.const": { pops: 0, pushes: "i64", addresses: [] },
  "f32.const": { pops: 0, pushes: "f32", addresses: [] },
  "f64.const": { pops: 0, pushes: "f64", addresses: [] },
  "v128.const": { pops: 0, pushes: "v128", addresses: [] },
};

const NO_EFFECT = { pops: 0, pushes: null, addresses: [] } as const;

const EFFECTS: ReadonlyMap<number, Effect> = new Map<number, Effect>([
  ...Object.entries(PLAIN_CODES).map(([name, code]): [number, Effect] => [
    code,
    { immediates: "", ...(name.includes(".") ? plainEffect(name) : NO_EFFECT) },
  ]),
  ...Object.entries(LANE_CODES).map(([name, code]): [number, Effect] => [
    code,
    { immediates: "lane", ...laneEffect(name) },
  ]),
  ...Object.entries(MEMORY_CODES).map(([name, [code]]): [number, Effect] => [
    code,
    { immediates: "memory", ...memoryEffect(name) },
  ]),
  ...Object.entries(MEMORY_LANE_CODES).map(([name, [code]]): [number, Effect] => [
    code,
    { immediates: "memory-lane", pops: 2, pushes: name.includes("store") ? null : "v128", addresses: [0] },
  ]),
  ...Object.entries(IMMEDIATE_CODES).flatMap(([name, [code, immediates]]): [number, Effect][] => {
    const effect = RANGES[name];
    return effect === undefined ? [] : [[code, { immediates, ...effect }]];
  }),
]);
