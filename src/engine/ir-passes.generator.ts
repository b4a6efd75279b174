/** Random kernels about types, as text, from a seed: `@k(ptr %in, ptr %out)`, without undefined behaviour. */
import {
  AGGREGATES,
  bitsOf,
  constantOf,
  elementOf,
  type Field,
  FIELDS,
  FLOAT_VECTORS,
  INTS,
  isInt,
  isIntVector,
  lengthOf,
  ODD_WIDTHS,
  STORED,
  suffixOf,
  VECTORS,
} from "./ir-passes.types.ts";

/** mulberry32: small, and the same everywhere. */
function randomSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

class Generator {
  readonly #random: () => number;
  readonly #declarations = new Set<string>();
  #lines: string[] = [];
  #values = new Map<string, string[]>();
  #count = 0;

  constructor(seed: number) {
    this.#random = randomSource(seed);
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }
  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }

  #emit(type: string, text: string): string {
    const name = `%v${this.#count++}`;
    this.#lines.push(`  ${name} = ${text}`);
    this.#remember(type, name);
    return name;
  }

  #remember(type: string, name: string): void {
    const list = this.#values.get(type);
    if (list) list.push(name);
    else this.#values.set(type, [name]);
  }

  /** A value of the type: one there is, or one read from the input. */
  #value(type: string): string {
    const known = this.#values.get(type);
    if (known && this.#random() < 0.85) return this.#pick(known);
    return this.#load(type);
  }

  #load(type: string): string {
    const address = `%v${this.#count++}`;
    this.#lines.push(`  ${address} = getelementptr i8, ptr %in, i32 ${this.#below(12) * 16}`);
    // Memory holds any bits: those above an odd int's width must not be read as part of it.
    if (type === "float") return this.#emit(type, `sitofp i32 ${this.#load("i32")} to float`);
    if (FLOAT_VECTORS.includes(type))
      return this.#emit(type, `sitofp <${lengthOf(type)} x i32> ${this.#load(`<${lengthOf(type)} x i32>`)} to ${type}`);
    if (type in FIELDS || type === "{ i16, i1 }") return this.#build(type);
    const source = type.replace(
      /i(\d+)/,
      (_, bits: string) => `i${ODD_WIDTHS.get(Number(bits)) ?? Math.max(8, Number(bits))}`,
    );
    const loaded = this.#emit(source, `load ${source}, ptr ${address}, align ${this.#pick([1, 4, 16])}`);
    return source === type ? loaded : this.#emit(type, `trunc ${source} ${loaded} to ${type}`);
  }

  #build(type: string): string {
    if (type === "{ i16, i1 }")
      return this.#emit(type, `insertvalue ${type} { i16 5, i1 true }, i16 ${this.#value("i16")}, 0`);
    let value = "zeroinitializer";
    for (const { path, type: field } of FIELDS[type] as readonly Field[]) {
      if (field.startsWith("[") || field.startsWith("{ i16")) continue;
      value = this.#emit(type, `insertvalue ${type} ${value}, ${field} ${this.#value(field)}, ${path}`);
    }
    return value;
  }

  #call(type: string, name: string, args: string): string {
    this.#declarations.add(`declare ${type} @${name}(${args.replace(/ %\w+| true| false| -?\d+/g, "")})`);
    return `call ${type} @${name}(${args})`;
  }

  /** One random instruction and its operands. */
  // oxlint-disable-next-line max-lines-per-function -- one case an instruction
  #step(): void {
    const kind = this.#below(15);
    const int = this.#pick([...INTS, ...VECTORS]);
    const scalar = this.#pick(INTS);
    const bits = bitsOf(int);
    const vector = this.#pick([...VECTORS, ...FLOAT_VECTORS]);
    switch (kind) {
      case 0:
      case 1:
        return void this.#emit(
          int,
          `${this.#pick(["add", "sub", "mul", "and", "or", "xor"])} ${int} ${this.#value(int)}, ${this.#value(int)}`,
        );
      case 2: {
        // Shift amounts below the width.
        const limit = bits === 1 ? 0n : (1n << BigInt(Math.floor(Math.log2(bits)))) - 1n;
        const amount = this.#emit(
          int,
          `and ${int} ${this.#value(int)}, ${bits === 1 ? "zeroinitializer" : constantOf(int, limit)}`,
        );
        return void this.#emit(int, `${this.#pick(["shl", "lshr", "ashr"])} ${int} ${this.#value(int)}, ${amount}`);
      }
      case 3: {
        if (bits < 8) return;
        const positive = this.#emit(int, `and ${int} ${this.#value(int)}, ${constantOf(int, 63)}`);
        const divisor = this.#emit(int, `or ${int} ${positive}, ${constantOf(int, 1)}`);
        return void this.#emit(
          int,
          `${this.#pick(["udiv", "sdiv", "urem", "srem"])} ${int} ${this.#value(int)}, ${divisor}`,
        );
      }
      case 4: {
        const result = int.startsWith("<") ? `<${lengthOf(int)} x i1>` : "i1";
        const predicate = this.#pick(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]);
        return void this.#emit(result, `icmp ${predicate} ${int} ${this.#value(int)}, ${this.#value(int)}`);
      }
      case 5: {
        const type = this.#pick(STORED);
        return void this.#emit(
          type,
          `select i1 ${this.#value("i1")}, ${type} ${this.#value(type)}, ${type} ${this.#value(type)}`,
        );
      }
      case 6: {
        const to = this.#pick(INTS.filter((t) => t !== scalar));
        const operator = bitsOf(to) < bitsOf(scalar) ? "trunc" : this.#pick(["zext", "sext"]);
        return void this.#emit(to, `${operator} ${scalar} ${this.#value(scalar)} to ${to}`);
      }
      case 7: {
        const [from, to] = this.#pick([
          ["<4 x i8>", "i32"],
          ["i32", "<4 x i8>"],
          ["i64", "<4 x i16>"],
          ["<2 x i24>", "i48"],
          ["i48", "<3 x i16>"],
          ["<3 x i16>", "i48"],
          ["i128", "<4 x i32>"],
          ["<4 x i32>", "<2 x i64>"],
          ["<2 x i64>", "i128"],
          ["i32", "<2 x half>"],
          ["float", "i32"],
          ["<2 x i64>", "<16 x i8>"],
        ] as const);
        return void this.#emit(to, `bitcast ${from} ${this.#value(from)} to ${to}`);
      }
      case 8: {
        const length = lengthOf(vector);
        const element = elementOf(vector);
        const index =
          this.#random() < 0.5
            ? `${this.#below(length)}`
            : this.#emit("i32", `urem i32 ${this.#value("i32")}, ${length}`);
        if (this.#random() < 0.5)
          return void this.#emit(element, `extractelement ${vector} ${this.#value(vector)}, i32 ${index}`);
        return void this.#emit(
          vector,
          `insertelement ${vector} ${this.#value(vector)}, ${element} ${this.#value(element)}, i32 ${index}`,
        );
      }
      case 9: {
        const length = lengthOf(vector);
        const mask = Array.from({ length }, () => `i32 ${this.#below(2 * length)}`).join(", ");
        return void this.#emit(
          vector,
          `shufflevector ${vector} ${this.#value(vector)}, ${vector} ${this.#value(vector)}, ` +
            `<${length} x i32> <${mask}>`,
        );
      }
      case 10: {
        const type = this.#pick(AGGREGATES);
        const { path, type: field } = this.#pick(FIELDS[type] as readonly Field[]);
        if (this.#random() < 0.5) return void this.#emit(field, `extractvalue ${type} ${this.#value(type)}, ${path}`);
        if (field.startsWith("[")) return;
        return void this.#emit(
          type,
          `insertvalue ${type} ${this.#value(type)}, ${field} ${this.#value(field)}, ${path}`,
        );
      }
      case 11:
        return this.#intrinsic(int, bits);
      case 12: {
        if (bits > 64 || int.startsWith("<")) return;
        const operator = `${this.#pick(["s", "u"])}${this.#pick(["add", "sub", "mul"])}`;
        const name = `llvm.${operator}.with.overflow.${suffixOf(int)}`;
        const flags = int.startsWith("<") ? `<${lengthOf(int)} x i1>` : "i1";
        const pair = `{ ${int}, ${flags} }`;
        const both = this.#emit(pair, this.#call(pair, name, `${int} ${this.#value(int)}, ${int} ${this.#value(int)}`));
        this.#emit(int, `extractvalue ${pair} ${both}, 0`);
        return void this.#emit(flags, `extractvalue ${pair} ${both}, 1`);
      }
      case 13: {
        const type = this.#pick(FLOAT_VECTORS);
        return void this.#emit(
          type,
          `${this.#pick(["fadd", "fsub", "fmul"])} ${type} ${this.#value(type)}, ${this.#value(type)}`,
        );
      }
      case 14: {
        const type = this.#pick(AGGREGATES);
        const list = this.#pick(["i33", "<4 x i32>", "i128"]);
        const helper = `@${`f.${type}.${list}`.replace(/\W/g, "_")}`;
        this.#declarations.add(
          `define ${type} ${helper}(${type} %a, ${list} %b, i1 %c) {\nentry:\n` +
            `  br i1 %c, label %yes, label %no\nyes:\n  ret ${type} %a\nno:\n  ${this.#helperBody(type, list)}\n}`,
        );
        return void this.#emit(
          type,
          `call ${type} ${helper}(${type} ${this.#value(type)}, ${list} ${this.#value(list)}, i1 ${this.#value("i1")})`,
        );
      }
      default:
        return;
    }
  }

  #helperBody(type: string, list: string): string {
    const { path, type: field } = (FIELDS[type] as readonly Field[])[0] as Field;
    const from = list === "<4 x i32>" ? `%e = extractelement <4 x i32> %b, i32 2` : `%e = trunc ${list} %b to i32`;
    let to = `%g = bitcast i32 %e to ${field}`;
    if (field === "i32") to = "%g = add i32 %e, 0";
    else if (isInt(field)) to = `%g = ${bitsOf(field) < 32 ? "trunc" : "sext"} i32 %e to ${field}`;
    return `${from}\n  ${to}\n  %r = insertvalue ${type} %a, ${field} %g, ${path}\n  ret ${type} %r`;
  }

  #intrinsic(type: string, bits: number): void {
    const two = `${type} ${this.#value(type)}, ${type} ${this.#value(type)}`;
    const one = `${type} ${this.#value(type)}`;
    const isVector = isIntVector(type);
    const choices: [string, string][] = ["umin", "umax", "smin", "smax"].map((name): [string, string] => [name, two]);
    if (bits <= 64)
      choices.push(
        ["ctpop", one],
        ["bitreverse", one],
        ["ctlz", `${one}, i1 false`],
        ["cttz", `${one}, i1 false`],
        ["abs", `${one}, i1 false`],
        ...["uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"].map((name): [string, string] => [name, two]),
        ["fshl", `${two}, ${one}`],
        ["fshr", `${two}, ${one}`],
      );
    if (bits <= 64 && bits % 16 === 0) choices.push(["bswap", one]);
    if (isVector && bits <= 64 && this.#random() < 0.3) {
      const name = this.#pick(["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"]);
      return void this.#emit(
        elementOf(type),
        this.#call(elementOf(type), `llvm.vector.reduce.${name}.${suffixOf(type)}`, one),
      );
    }
    const [name, args] = this.#pick(choices);
    this.#emit(type, this.#call(type, `llvm.${name}.${suffixOf(type)}`, args));
  }

  /** The kernel's last block: every value is stored, then memory is copied, moved and filled. */
  #ending(): { stores: string[]; copies: string[]; overlap: string; fill: string } {
    let offset = 0;
    const stores: string[] = [];
    for (const [type, names] of this.#values) {
      for (const name of names) {
        if (offset + 64 > 8000 || type.startsWith("{ i33, i1") || /with/.test(type)) continue;
        stores.push(
          `  %out${offset} = getelementptr i8, ptr %out, i32 ${offset}`,
          `  store ${type} ${name}, ptr %out${offset}, align ${this.#pick([1, 4, 16])}`,
        );
        offset += 64;
      }
    }
    const copies = [16, 37, 300].map((size, i) =>
      (
        `  %from${i} = getelementptr i8, ptr %out, i32 ${i * 32}\n` +
        `  call void @llvm.${this.#pick(["memcpy", "memmove"])}.p0.p0.i32(ptr align ` +
        `${this.#pick([1, 4])} %to${i}, ptr align 4 %from${i}, i32 ${size}, i1 false)`
      ).replace(/^/, `  %to${i} = getelementptr i8, ptr %out, i32 ${6400 + i * 320}\n`),
    );
    const overlap =
      `  %lap = getelementptr i8, ptr %out, i32 ${this.#pick([4, 20, 100])}\n` +
      `  call void @llvm.memmove.p0.p0.i32(ptr ${this.#pick(["%lap", "%out"])}, ptr ` +
      `${this.#pick(["%lap", "%out"])}, i32 %size, i1 false)`;
    const fill =
      `  call void @llvm.memset.p0.i32(ptr align 4 %to2, i8 ${this.#below(256) - 128}, i32 ` +
      `${this.#pick([3, 8, 200])}, i1 false)`;
    return { stores, copies, overlap, fill };
  }

  kernel(): string {
    for (let i = 0; i < 12 + this.#below(20); i++) this.#step();
    const before = this.#lines;
    const saved = structuredClone(this.#values);
    const carried = this.#pick(STORED);
    const initial = this.#value(carried);
    // A loop that carries a value of any type, with a branch in it.
    this.#lines = [];
    this.#remember(carried, "%carried");
    this.#remember("i32", "%i");
    for (let i = 0; i < 6; i++) this.#step();
    const condition = this.#value("i1");
    const inHead = this.#lines;
    const headValues = structuredClone(this.#values);
    const inside = this.#pick(this.#values.get("i32") as string[]);
    this.#lines = [];
    for (let i = 0; i < 5; i++) this.#step();
    const fromThen = this.#value(carried);
    const inThen = this.#lines;
    this.#values = headValues;
    this.#lines = [];
    const fromElse = this.#value(carried);
    const inElse = this.#lines;
    this.#values = saved;
    this.#lines = [];
    this.#remember(carried, "%carried.next");
    this.#remember("i32", inside);
    const { stores, copies, overlap, fill } = this.#ending();
    return `${[...this.#declarations].join("\n")}
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
${before.join("\n")}
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %carried = phi ${carried} [ ${initial}, %entry ], [ %carried.next, %join ]
${inHead.join("\n")}
  br i1 ${condition}, label %then, label %else
then:
${inThen.join("\n")}
  br label %join
else:
${inElse.join("\n")}
  br label %join
join:
  %carried.next = phi ${carried} [ ${fromThen}, %then ], [ ${fromElse}, %else ]
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, 3
  br i1 %again, label %head, label %exit
exit:
${stores.join("\n")}
${copies.join("\n")}
  %size = add i32 %i.next, 117
${overlap}
${fill}
  ret void
}
`;
  }
}

export function randomKernel(seed: number): string {
  return new Generator(seed).kernel();
}
