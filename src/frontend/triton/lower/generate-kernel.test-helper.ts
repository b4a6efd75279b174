/**
 * Random kernels, as Python. Integers wrap; floats are small multiples of a power of two, so that sums are exact in any
 * order and the layout of a block cannot change a result.
 */
import type { Random } from "../../../engine/fuzz/random.ts";

interface Variable {
  readonly name: string;
  readonly kind: "int" | "float";
  readonly shape: readonly ("M" | "N")[];
}

export interface GeneratedKernel {
  readonly source: string;
  readonly m: number;
  readonly n: number;
  readonly numWarps: number;
  /** What the kernel leaves: blocks of M · N words. */
  readonly outputs: number;
}

class Generator {
  readonly #random: Random;
  readonly #lines: string[] = [];
  readonly #variables: Variable[] = [];
  #count = 0;
  #indent = "    ";

  constructor(random: Random) {
    this.#random = random;
  }

  run(): GeneratedKernel {
    const random = this.#random;
    const [m, n] = [2 ** random.below(6), 2 ** random.below(7)];
    this.#add("int", ["M", "N"], "tl.load(X + i)");
    this.#add("float", ["M", "N"], "tl.load(F + i)");
    this.#add("int", ["M"], "tl.load(X + tl.arange(0, M) * 3)");
    this.#add("float", ["N"], "tl.load(F + tl.arange(0, N))");
    this.#add("int", [], "tl.load(X + 5) & 7");
    const steps = 4 + random.below(10);
    for (let step = 0; step < steps; step++) this.#statement();
    const outputs = this.#store();
    const source = [
      "import triton",
      "import triton.language as tl",
      "@triton.jit",
      "def add(a, b):",
      "    return a + b",
      "@triton.jit",
      "def branch(a, b):",
      "    if a > b:",
      "        a = a - b",
      "    else:",
      "        for j in range(0, 3):",
      "            a += b * j",
      "    return a",
      "@triton.jit",
      "def pairs(a, b, c, d):",
      "    return branch(a, c), branch(b, d), c + 1, d + 1",
      "@triton.jit",
      "def k(X, F, Y, count, M: tl.constexpr, N: tl.constexpr):",
      "    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]",
      ...this.#lines,
      "",
    ].join("\n");
    return { source, m, n, numWarps: random.pick([1, 2, 4]), outputs };
  }

  #add(kind: Variable["kind"], shape: Variable["shape"], expression: string): Variable {
    const variable = { name: `v${this.#count++}`, kind, shape };
    this.#lines.push(`${this.#indent}${variable.name} = ${expression}`);
    this.#variables.push(variable);
    return variable;
  }

  #pick(where: (variable: Variable) => boolean = () => true): Variable | null {
    const found = this.#variables.filter(where);
    return found.length === 0 ? null : this.#random.pick(found);
  }

  #statement(): void {
    const random = this.#random;
    const a = this.#pick() as Variable;
    const forms: (readonly [number, () => void])[] = [
      [4, () => this.#element(a)],
      [2, () => this.#pair()],
      [2, () => this.#reduce(a)],
      [1, () => this.#scan(a)],
      [2, () => this.#reshape(a)],
      [1, () => this.#loop()],
      [1, () => this.#branch()],
      [1, () => this.#dot()],
      [1, () => this.#map(a)],
    ];
    random.weighted(forms)();
  }

  /** Two of one shape, or what broadcasts. */
  #pair(): void {
    const row = this.#pick(({ shape }) => shape.join() === "N");
    const column = this.#pick(({ shape }) => shape.join() === "M");
    if (row === null || column === null) return;
    const kind = row.kind === "float" || column.kind === "float" ? "float" : "int";
    this.#add(kind, ["M", "N"], `${column.name}[:, None] + ${row.name}[None, :]`);
  }

  #same(a: Variable): string {
    const own = a.shape.join();
    const b = this.#pick(({ kind, shape }) => kind === a.kind && (shape.join() === own || shape.length === 0));
    return b?.name ?? a.name;
  }

  #element(a: Variable): void {
    const b = this.#same(a);
    const { name } = a;
    const ofFloats = [
      `${name} + ${b}`,
      `${name} - ${b}`,
      `tl.where(${name} > ${b}, ${b}, -${name})`,
      `tl.maximum(${name}, ${b})`,
      `tl.minimum(tl.abs(${name}), 64.0)`,
      `${name} * 0.5`,
    ];
    const ofIntegers = [
      `${name} + ${b}`,
      `${name} * ${b} - 3`,
      `(${name} ^ ${b}) & 4095`,
      `${name} // ((${b} & 7) + 1)`,
      `${name} % ((${b} & 15) + 1)`,
      `tl.where((${name} < ${b}) | (${name} == 3), ${name}, ~${b})`,
      `tl.minimum(${name}, ${b}) << 1`,
      `(${name}.to(tl.int64) * ${b}).to(tl.int32) >> 2`,
    ];
    this.#add(a.kind, a.shape, this.#random.pick(a.kind === "float" ? ofFloats : ofIntegers));
  }

  /** Functions of single elements, and of pairs of them. */
  #map(a: Variable): void {
    const b = this.#same(a);
    const form = this.#random.pick([
      `tl.map_elementwise(branch, ${a.name}, ${b})`,
      `tl.map_elementwise(pairs, ${a.name}, ${b}, pack=2)[${this.#random.below(2)}]`,
    ]);
    this.#add(a.kind, a.shape, clamp(a, form));
  }

  #reduce(a: Variable): void {
    if (a.shape.length === 0) return;
    const axis = this.#random.below(a.shape.length);
    const shape = a.shape.toSpliced(axis, 1);
    const form = this.#random.pick(["sum", "max", "min", "reduce", "argmax"]);
    if (form === "argmax") this.#add("int", shape, `tl.argmax(${a.name}, axis=${axis})`);
    else if (form === "reduce") this.#add(a.kind, shape, clamp(a, `tl.reduce(${a.name}, ${axis}, add)`));
    else this.#add(a.kind, shape, clamp(a, `tl.${form}(${a.name}, axis=${axis})`));
  }

  #scan(a: Variable): void {
    if (a.shape.length === 0) return;
    const axis = this.#random.below(a.shape.length);
    const reverse = this.#random.oneIn(2) ? ", reverse=True" : "";
    this.#add(a.kind, a.shape, clamp(a, `tl.cumsum(${a.name}, ${axis}${reverse})`));
  }

  #reshape(a: Variable): void {
    const [first, second] = a.shape;
    if (first === undefined) return;
    if (second === undefined) {
      // With a pair made and taken apart again.
      this.#add(a.kind, a.shape, `tl.split(tl.join(${a.name}, ${this.#same(a)}))[${this.#random.below(2)}]`);
      return;
    }
    const swapped = [second, first] as const;
    const forms = [
      () => this.#add(a.kind, swapped, `tl.trans(${a.name})`),
      () => this.#add(a.kind, swapped, `tl.reshape(${a.name}, [${swapped.join(", ")}])`),
      () => this.#add(a.kind, a.shape, `tl.reshape(tl.ravel(${a.name}), [${a.shape.join(", ")}])`),
      () => this.#add(a.kind, a.shape, `tl.flip(${a.name}, 1)`),
      () => this.#add(a.kind, a.shape, `tl.gather(${a.name}, ${this.#index(a)}, 1)`),
    ];
    this.#random.pick(forms)();
  }

  #index({ shape: [first, second] }: Variable): string {
    return `(tl.arange(0, ${first})[:, None] * 5 + tl.arange(0, ${second})[None, :] * 3 + 1) % ${second}`;
  }

  #loop(): void {
    const a = this.#pick(({ kind }) => kind === "int");
    if (a === null) return;
    const b = this.#same(a);
    const sum = this.#add("int", a.shape, `${a.name} + 0`);
    this.#lines.push(
      `${this.#indent}for j in range(${this.#random.below(2)}, count, ${1 + this.#random.below(2)}):`,
      `${this.#indent}    ${sum.name} = (${sum.name} ^ ${b}) + j * ${a.name}`,
    );
  }

  #branch(): void {
    const a = this.#pick(({ kind }) => kind === "int");
    if (a === null) return;
    const value = this.#add("int", a.shape, `${a.name} + 1`);
    const sum = a.shape.length === 0 ? value.name : `tl.sum(${value.name}, axis=0)`;
    this.#lines.push(
      `${this.#indent}if count > ${this.#random.below(6)}:`,
      `${this.#indent}    ${value.name} = ${value.name} - ${sum}`,
      `${this.#indent}else:`,
      `${this.#indent}    ${value.name} = ${value.name} * 7`,
    );
  }

  /** The product of a block with itself transposed. */
  #dot(): void {
    const a = this.#pick(({ kind, shape }) => kind === "float" && shape.join() === "M,N");
    if (a === null) return;
    const small = this.#add("float", a.shape, `tl.minimum(tl.maximum(${a.name}, -8.0), 8.0)`);
    const sums = `${this.#indent}p = tl.dot(${small.name}, tl.trans(${small.name}), input_precision="ieee")`;
    this.#lines.push(`${this.#indent}if N >= 8:`, `    ${sums}`);
    this.#lines.push(`${this.#indent}    tl.store(Y + (tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :]), p)`);
  }

  /** The last variables; a scalar fills its block. */
  #store(): number {
    const last = this.#variables.slice(-6);
    for (const [place, { name, shape }] of last.entries()) {
      const base = `Y + ${4096 + place * 2048}`;
      const index =
        shape.length === 2
          ? `(tl.arange(0, ${shape[0]})[:, None] * ${shape[1]} + tl.arange(0, ${shape[1]})[None, :])`
          : `tl.arange(0, ${shape[0]})`;
      const pointer = shape.length === 0 ? base : `${base} + ${index}`;
      this.#lines.push(`${this.#indent}tl.store(${pointer}, ${name}.to(tl.float32))`);
    }
    return last.length;
  }
}

/** Floats stay small enough to be exact. */
function clamp({ kind }: Variable, expression: string): string {
  return kind === "float" ? `tl.minimum(tl.maximum(${expression}, -256.0), 256.0)` : expression;
}

export function generateKernel(random: Random): GeneratedKernel {
  return new Generator(random).run();
}
