/**
 * Random kernels about ranges of values, as text, from a seed: index arithmetic, loops and branches over numbers at the
 * ends of types and bounds. `@k(ptr %out, ptr %in, i32 %n)`: every thread stores what it has computed to words of its
 * own, and reads a shared array at computed places. Some of the kernels reach far beyond all memory, in some of their
 * threads.
 */
import { Random } from "../../fuzz/random.ts";
import type { HarnessLaunch } from "../../harness.ts";

export interface RangeKernel {
  readonly ir: string;
  readonly launch: HarnessLaunch & { readonly block: readonly [number, number?] };
  /** Of `out`. */
  readonly words: number;
  readonly n: number;
}

/** Of an induction variable. */
interface Course {
  readonly from: string;
  readonly bound: string;
  readonly step: number;
  readonly predicate: string;
}

const WORDS_PER_THREAD = 8;
const ENDS = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 255, 256, -1, -2, -64, 2 ** 31 - 1, -(2 ** 31), 65536];
const BOUNDS = [
  0,
  1,
  5,
  16,
  30,
  63,
  64,
  100,
  255,
  1000,
  -1,
  -7,
  -100,
  2 ** 31 - 1,
  2 ** 31 - 3,
  -(2 ** 31),
  1 - 2 ** 31,
];
const STEPS = [1, 1, 1, 2, 3, 4, 8, 64, -1, -1, -2, -3, -8, 2 ** 30];
const SHAPES: readonly (readonly [number, number?])[] = [[64], [40], [16, 3], [8, 8], [1], [96]];
const MOST_TURNS = 70;

export function randomRangeKernel(seed: number): RangeKernel {
  const random = new Random(seed);
  const block = random.pick(SHAPES);
  const threads = block[0] * (block[1] ?? 1);
  const n = random.pick(BOUNDS);
  const text = new KernelText(random).kernel(block[0]);
  return { ir: text, launch: { grid: 1, block }, words: threads * WORDS_PER_THREAD, n };
}

const DECLARATIONS = `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@tile = internal addrspace(3) global [256 x i32] undef, align 4
`;

class KernelText {
  readonly #random: Random;
  readonly #lines: string[] = [];
  /** Words that every later line may use. */
  #values: string[] = ["%t", "%y", "%n"];
  #count = 0;
  /** The block that lines go to. */
  #label = "entry";

  constructor(random: Random) {
    this.#random = random;
  }

  kernel(width: number): string {
    const random = this.#random;
    this.#fillTile(width);
    for (let steps = 4 + random.below(8); steps > 0; steps--)
      random.weighted<() => void>([
        [8, () => this.#keep(this.#operation())],
        [3, () => this.#loop()],
        [2, () => this.#branch()],
        [2, () => this.#keep(this.#load())],
      ])();
    const results = [...this.#values].reverse().slice(0, WORDS_PER_THREAD - 2);
    results.push(this.#tileAt(random.oneIn(2)), this.#tileAt(false));
    results.forEach((value, i) => {
      this.#add(`%o${i} = getelementptr i32, ptr %out, i32 %own`, `%a${i} = getelementptr i32, ptr %o${i}, i32 ${i}`);
      this.#add(`store i32 ${value}, ptr %a${i}, align 4`);
    });
    return `${DECLARATIONS}define ptx_kernel void @k(ptr %out, ptr %in, i32 %n) {
entry:
${this.#lines.join("\n")}
  ret void
}`;
  }

  #add(...lines: readonly string[]): void {
    this.#lines.push(...lines.map((line) => `  ${line}`));
  }

  #name(): string {
    return `%v${this.#count++}`;
  }

  #keep(value: string): void {
    this.#values.push(value);
  }

  #emit(text: string): string {
    const name = this.#name();
    this.#add(`${name} = ${text}`);
    return name;
  }

  #start(label: string): void {
    this.#lines.push(`${label}:`);
    this.#label = label;
  }

  /** A value: late ones more often. */
  #value(): string {
    const random = this.#random;
    if (random.oneIn(4)) return String(random.pick(ENDS));
    return random.oneIn(2)
      ? (this.#values.at(-1 - random.below(Math.min(3, this.#values.length))) as string)
      : random.pick(this.#values);
  }

  #fillTile(width: number): void {
    this.#add(
      "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
      "%y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()",
      `%row = mul i32 %y, ${width}`,
      "%thread = add i32 %row, %t",
      `%own = mul i32 %thread, ${WORDS_PER_THREAD}`,
      "br label %fill",
    );
    this.#start("fill");
    this.#add(
      "%f = phi i32 [ 0, %entry ], [ %f1, %fill ]",
      "%fp = getelementptr [256 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %f",
      "%fv = mul i32 %f, 3",
      "store i32 %fv, ptr %fp, align 4",
      "%f1 = add i32 %f, 1",
      "%fc = icmp ult i32 %f1, 256",
      "br i1 %fc, label %fill, label %filled",
    );
    this.#start("filled");
    this.#add("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
  }

  #load(): string {
    const at = this.#emit(`and i32 ${this.#value()}, 255`);
    return this.#emit(`load i32, ptr ${this.#emit(`getelementptr i32, ptr %in, i32 ${at}`)}, align 4`);
  }

  /** What the shared array has at a place that is inside of it, or far away. */
  #tileAt(isFar: boolean): string {
    const random = this.#random;
    const value = this.#value();
    let at = random.pick([
      () => this.#emit(`and i32 ${value}, 255`),
      () => this.#emit(`urem i32 ${value}, 256`),
      () => this.#emit(`lshr i32 ${value}, 24`),
      () => this.#emit(`call i32 @llvm.umin.i32(i32 ${value}, i32 255)`),
      () => this.#emit(`call i32 @llvm.smin.i32(i32 ${this.#emit(`lshr i32 ${value}, 3`)}, i32 255)`),
    ])();
    if (isFar) {
      const beyond = this.#emit(`icmp eq i32 ${random.pick(["%t", this.#value()])}, ${random.pick([0, 1, 7, 63, -1])}`);
      at = this.#emit(`select i1 ${beyond}, i32 ${2 ** 28}, i32 ${at}`);
    }
    const place = `getelementptr [256 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 ${at}`;
    return this.#emit(`load i32, ptr ${this.#emit(place)}, align 4`);
  }

  #operation(): string {
    const random = this.#random;
    const [a, b] = [this.#value(), this.#value()];
    const amount = (): string => (random.oneIn(2) ? String(random.below(32)) : this.#emit(`and i32 ${b}, 31`));
    const divisor = (): string =>
      random.oneIn(2) ? String(random.pick([1, 2, 3, 7, 16, 64, 2 ** 31 - 1])) : this.#positive(b);
    return random.weighted<() => string>([
      [5, () => this.#emit(`${random.pick(["add", "sub", "mul", "and", "or", "xor"])} i32 ${a}, ${b}`)],
      [2, () => this.#emit(`and i32 ${a}, ${random.pick([1, 7, 31, 63, 255, -8, -64, 0x7fffffff])}`)],
      [3, () => this.#emit(`${random.pick(["shl", "lshr", "ashr"])} i32 ${a}, ${amount()}`)],
      [2, () => this.#emit(`${random.pick(["udiv", "urem", "sdiv", "srem"])} i32 ${a}, ${divisor()}`)],
      [3, () => this.#emit(`call i32 @llvm.${random.pick(["smin", "smax", "umin", "umax"])}.i32(i32 ${a}, i32 ${b})`)],
      [2, () => this.#emit(`select i1 ${this.#comparison(a, b)}, i32 ${this.#value()}, i32 ${this.#value()}`)],
      [1, () => this.#emit(`zext i1 ${this.#comparison(a, b)} to i32`)],
      [2, () => this.#narrowed(a)],
      [2, () => this.#widened(a, b)],
    ])();
  }

  #positive(value: string): string {
    return this.#emit(`or i32 ${this.#emit(`and i32 ${value}, ${random31(this.#random)}`)}, 1`);
  }

  #narrowed(value: string): string {
    const type = this.#random.pick(["i8", "i16"]);
    const narrow = this.#emit(`trunc i32 ${value} to ${type}`);
    return this.#emit(`${this.#random.pick(["zext", "sext"])} ${type} ${narrow} to i32`);
  }

  #widened(a: string, b: string): string {
    const random = this.#random;
    const [x, y] = [a, b].map((value) => this.#emit(`${random.pick(["zext", "sext"])} i32 ${value} to i64`));
    const wide = this.#emit(`${random.pick(["add", "sub", "mul", "and", "xor"])} i64 ${x}, ${y}`);
    return this.#emit(`trunc i64 ${random.oneIn(3) ? this.#emit(`lshr i64 ${wide}, 32`) : wide} to i32`);
  }

  #comparison(a: string, b: string): string {
    const predicate = this.#random.pick(["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"]);
    return this.#emit(`icmp ${predicate} i32 ${a}, ${b}`);
  }

  #branch(): void {
    const id = this.#count++;
    const before = this.#values;
    this.#add(`br i1 ${this.#comparison(this.#value(), this.#value())}, label %then${id}, label %else${id}`);
    const ends = ["then", "else"].map((side) => {
      this.#values = [...before];
      this.#start(`${side}${id}`);
      for (let steps = 1 + this.#random.below(2); steps > 0; steps--) this.#keep(this.#operation());
      this.#add(`br label %join${id}`);
      return `[ ${this.#values.at(-1)}, %${this.#label} ]`;
    });
    this.#values = [...before];
    this.#start(`join${id}`);
    this.#keep(this.#emit(`phi i32 ${ends.join(", ")}`));
  }

  #anyCourse(): Course {
    const random = this.#random;
    return {
      from: this.#value(),
      bound: random.oneIn(3) ? this.#value() : String(random.pick(BOUNDS)),
      step: random.pick(STEPS),
      predicate: random.pick(["ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]),
    };
  }

  /** To the bound or close past it, which may be where numbers wrap, in fewer turns than the loop may take. */
  #courseToBound(): Course {
    const random = this.#random;
    const bound = random.pick(BOUNDS);
    const step = random.pick(STEPS);
    const from = (bound - step * random.below(MOST_TURNS - 10) + random.pick([0, 0, 0, 1, -1])) | 0;
    const words = step > 0 ? ["ult", "ule", "slt", "sle", "ne"] : ["ugt", "uge", "sgt", "sge", "ne"];
    return {
      from: random.oneIn(4) ? this.#emit(`add i32 ${random.pick(["%t", "%y"])}, ${from}`) : String(from),
      bound: random.oneIn(4) ? this.#emit(`add i32 ${random.pick(["%t", "%y"])}, ${bound}`) : String(bound),
      step,
      predicate: random.pick(words),
    };
  }

  /** An induction variable with a bound that ends it or not: a second exit does after some turns. */
  #loop(): void {
    const random = this.#random;
    const id = this.#count++;
    const before = [...this.#values];
    const { from, bound, step, predicate } = random.oneIn(3) ? this.#anyCourse() : this.#courseToBound();
    const entry = this.#label;
    const [i, next, turn, nextTurn] = [`%i${id}`, `%next${id}`, `%turn${id}`, `%more${id}`];
    const [sum, nextSum] = [`%sum${id}`, `%total${id}`];
    this.#add(`br label %loop${id}`);
    this.#start(`loop${id}`);
    this.#add(
      `${i} = phi i32 [ ${from}, %${entry} ], [ ${next}, %latch${id} ]`,
      `${turn} = phi i32 [ 0, %${entry} ], [ ${nextTurn}, %latch${id} ]`,
      `${sum} = phi i32 [ 0, %${entry} ], [ ${nextSum}, %latch${id} ]`,
    );
    this.#values.push(i, sum);
    for (let steps = random.below(3); steps > 0; steps--) this.#keep(this.#operation());
    const used = this.#value();
    this.#add(
      `${nextSum} = ${random.pick(["add", "xor", "or"])} i32 ${sum}, ${used}`,
      step < 0 && random.oneIn(2) ? `${next} = sub i32 ${i}, ${-step}` : `${next} = add i32 ${i}, ${step}`,
      `${nextTurn} = add i32 ${turn}, 1`,
    );
    const tested = random.oneIn(3) ? i : next;
    this.#add(
      `%stays${id} = icmp ${predicate} i32 ${tested}, ${bound}`,
      `br i1 %stays${id}, label %latch${id}, label %done${id}`,
    );
    this.#start(`latch${id}`);
    this.#add(
      `%few${id} = icmp ult i32 ${nextTurn}, ${MOST_TURNS}`,
      `br i1 %few${id}, label %loop${id}, label %done${id}`,
    );
    this.#start(`done${id}`);
    this.#values = before;
    // What leaves the loop does so by either exit.
    for (const value of [i, nextSum, next]) this.#keep(this.#emit(`add i32 ${value}, 0`));
  }
}

function random31(random: Random): number {
  return random.pick([2 ** 31 - 2, 254, 62]);
}
