/**
 * Blocks with several loads and stores, which wait for each other and are emitted slice by slice (store-groups.ts).
 * Lanes of a warp move in lockstep: that is the reference, and what alternates by slices must not be seen.
 */
import { describe, expect, test } from "vitest";
import { Random } from "../fuzz/random.ts";
import { Harness } from "../harness.ts";
import { createWarpExecutor } from "./warp-executor.ts";

const LANES = 32;
const WORDS = 1024;
const MIDDLE = 400;

type Step =
  | { readonly op: "load"; readonly base: number; readonly stride: number; readonly words: 1 | 2 }
  | { readonly op: "add"; readonly a: number; readonly b: number }
  | { readonly op: "store"; readonly base: number; readonly stride: number; readonly value: number };

/** Words between the places of neighbouring lanes; below 0, so many bits of the lane's number do not count. */
function distanceOf(stride: number, lane: number): number {
  return stride < 0 ? lane >> -stride : stride * lane;
}

/** Loads first, then sums, then stores; now and then a load between stores. Places are close to each other. */
function randomSteps(random: Random): Step[] {
  const steps: Step[] = [];
  const stride = random.pick([-4, -3, 0, 1, 1, 2, 4, 8]);
  const near = random.pick([4, 40, 160]);
  const place = (): number => random.below(near) - near / 2;
  const pick = (): number => {
    const values = steps.flatMap(({ op }, n) => (op === "store" ? [] : [n]));
    return random.pick(values);
  };
  for (let n = 0; n < 4; n++)
    steps.push({ op: "load", base: place(), stride: random.pick([stride, stride, 1]), words: 1 });
  for (let n = 0; n < 6; n++) steps.push({ op: "add", a: pick(), b: pick() });
  const start = place();
  for (let n = 0; n < 6; n++) {
    const isNext = random.below(3) > 0;
    steps.push({ op: "store", base: isNext ? start + n : place(), stride, value: pick() });
    if (random.below(6) === 0) steps.push({ op: "load", base: place(), stride, words: 1 });
  }
  return steps;
}

/** `apart`: words between the arrays of loads and of stores, whose distance the compiler does not know. */
function irOf(name: string, steps: readonly Step[]): string {
  const lines = [
    `define ptx_kernel void @${name}(ptr %x, ptr %y, i32 %n) {`,
    "entry:",
    "  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
    "  %c = icmp slt i32 %i, %n",
    "  br i1 %c, label %body, label %done",
    "body:",
  ];
  steps.forEach((step, n) => {
    if (step.op === "add") {
      lines.push(`  %v${n} = add i32 %v${step.a}, %v${step.b}`);
      return;
    }
    lines.push(step.stride < 0 ? `  %m${n} = lshr i32 %i, ${-step.stride}` : `  %m${n} = mul i32 %i, ${step.stride}`);
    lines.push(`  %o${n} = add i32 %m${n}, ${step.base}`);
    lines.push(`  %p${n} = getelementptr i32, ptr %${step.op === "load" ? "x" : "y"}, i32 %o${n}`);
    if (step.op === "load") lines.push(`  %v${n} = load i32, ptr %p${n}, align 4`);
    else lines.push(`  store i32 %v${step.value}, ptr %p${n}, align 4`);
  });
  return [...lines, "  br label %done", "done:", "  ret void", "}"].join("\n");
}

/** What a warp in lockstep leaves. */
function expected(steps: readonly Step[], words: Int32Array, apart: number, lanes: number): Int32Array {
  const memory = words.slice();
  const values: number[][] = [];
  steps.forEach((step, n) => {
    const each = (f: (lane: number) => number): number[] => Array.from({ length: lanes }, (_, lane) => f(lane));
    if (step.op === "load") values[n] = each((lane) => memory[MIDDLE + step.base + distanceOf(step.stride, lane)]!);
    else if (step.op === "add") values[n] = each((lane) => (values[step.a]![lane]! + values[step.b]![lane]!) | 0);
    else
      for (let lane = 0; lane < lanes; lane++)
        memory[MIDDLE + apart + step.base + distanceOf(step.stride, lane)] = values[step.value]![lane]!;
  });
  return memory;
}

const HEADER = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";

describe.each([1, 2])("random blocks, %i", (seed) => {
  const random = new Random(seed);
  const cases = Array.from({ length: 12 }, () => randomSteps(random));
  const h = new Harness();
  const program = h.load(HEADER + cases.map((steps, n) => irOf(`k${n}`, steps)).join("\n"));
  const data = h.place(new Int32Array(WORDS));
  const executor = createWarpExecutor();

  test.each([0, 1, -3, 32, 300])("arrays %i words apart", (apart) => {
    cases.forEach((steps, n) => {
      for (const lanes of [LANES, 11]) {
        const words = Int32Array.from({ length: WORDS }, () => random.below(1000));
        new Int32Array(h.memory.buffer).set(words, data / 4);
        const x = data + 4 * MIDDLE;
        const { fault } = h.run(executor, program, `k${n}`, { grid: 1, block: LANES }, [x, x + 4 * apart, lanes]);
        expect(fault).toBeNull();
        expect([...h.readI32(data, WORDS)], `case ${n}`).toEqual([...expected(steps, words, apart, lanes)]);
      }
    });
  });
});

test("an illegal store in the middle of a group: those before it are seen", () => {
  const h = new Harness();
  const program = h.load(`${HEADER}define ptx_kernel void @k(ptr %x, ptr %y) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %x, i32 %i
  %q = getelementptr i32, ptr %y, i32 %i
  %r = getelementptr i32, ptr %p, i32 64
  %a = load i32, ptr %p, align 4
  %b = add i32 %a, 1
  %c = add i32 %b, %a
  store i32 %b, ptr %p, align 4
  store i32 %c, ptr %q, align 4
  store i32 %c, ptr %r, align 4
  ret void
}`);
  const words = Int32Array.from({ length: 96 }, (_, i) => i);
  const data = h.place(words);
  const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block: LANES }, [data, 64]);
  expect(fault?.kind).toBe("illegal-address");
  expect([...h.readI32(data, 96)]).toEqual(Array.from(words, (word, i) => (i < LANES ? word + 1 : word)));
});

describe("six stores at distances that are not known when compiling", () => {
  const COUNT = 6;
  const LOAD_DISTANCE = 33;
  const START = 200;
  const each = Array.from({ length: COUNT }, (_, k) => k);
  const lines = each.flatMap((k) => [
    `  %li${k} = mul i32 %n, ${k}`,
    `  %lo${k} = add i32 %li${k}, %i`,
    `  %lp${k} = getelementptr i32, ptr %x, i32 %lo${k}`,
    `  %a${k} = load i32, ptr %lp${k}, align 4`,
  ]);
  const stores = each.flatMap((k) => [
    `  %s${k} = add i32 %a${k}, %a${(k + 1) % COUNT}`,
    `  %si${k} = mul i32 %m, ${k}`,
    `  %so${k} = add i32 %si${k}, %i`,
    `  %sp${k} = getelementptr i32, ptr %y, i32 %so${k}`,
    `  store i32 %s${k}, ptr %sp${k}, align 4`,
  ]);
  const ir = `${HEADER}define ptx_kernel void @k(ptr %x, ptr %y, i32 %n, i32 %m) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
${[...lines, ...stores].join("\n")}
  ret void
}`;

  function run(stride: number, apart: number): { fault: string | undefined; found: number[]; wanted: number[] } {
    const h = new Harness();
    const program = h.load(ir);
    const words = Int32Array.from({ length: WORDS }, (_, i) => i * i);
    const x = h.place(words) + 4 * START;
    const args = [x, x + 4 * apart, LOAD_DISTANCE, stride];
    const { fault } = h.run(createWarpExecutor(), program, "k", { grid: 1, block: LANES }, args);
    const loaded = each.map((k) => (lane: number) => (START + LOAD_DISTANCE * k + lane) ** 2);
    for (const k of each.slice(0, fault === null ? COUNT : 1))
      for (let lane = 0; lane < LANES; lane++)
        words[START + apart + stride * k + lane] = loaded[k]!(lane) + loaded[(k + 1) % COUNT]!(lane);
    return { fault: fault?.kind, found: [...h.readI32(x - 4 * START, WORDS)], wanted: [...words] };
  }

  test.each([32, 33, 40, 100, 31, 8, 1, 0, -32, -5])("%i words apart", (stride) => {
    for (const apart of [300, 198, 197, 160, 0, -100, -180, -200]) {
      const { fault, found, wanted } = run(stride, apart);
      if (START + apart + stride * COUNT < 0) continue;
      expect(fault).toBeUndefined();
      expect(found, `arrays ${apart} words apart`).toEqual(wanted);
    }
  });

  test("an illegal one: the first is seen", () => {
    const { fault, found, wanted } = run(2 ** 28, 300);
    expect(fault).toBe("illegal-address");
    expect(found).toEqual(wanted);
  });

  test("addresses that come round to the first one", () => {
    const { fault, found, wanted } = run(2 ** 30, 300);
    expect(fault).toBeUndefined();
    const last = wanted.slice(START + 300, START + 332).map((_, lane) => {
      const square = (k: number): number => (START + LOAD_DISTANCE * k + lane) ** 2;
      return square(COUNT - 1) + square(0);
    });
    expect(found.slice(START + 300, START + 332)).toEqual(last);
  });
});
