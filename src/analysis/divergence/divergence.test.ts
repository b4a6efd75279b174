/**
 * What the two divergence analyses claim, against the values that threads have: random kernels store each of their
 * values into a buffer, and the interpreter runs them. Values inside of loops are left out: threads compute them
 * several times, and only those of the same iteration may be compared.
 */
import { describe, expect, test } from "vitest";
import { dim3 } from "../../base/dim3.ts";
import { caseOf } from "../../engine/fuzz/run-case.ts";
import { generateProgram } from "../../engine/fuzz/generate.ts";
import { INPUT_BYTES } from "../../engine/fuzz/program.ts";
import { Random } from "../../engine/fuzz/random.ts";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { IrEdits } from "../../instrument/ir-edits.ts";
import { constI32 } from "../../ir/model/build.ts";
import type { IrFunction, IrGlobal, IrInstruction, IrModule } from "../../ir/model/ir.ts";
import { I32 } from "../../ir/model/types.ts";
import { cleanUp } from "../../ir/passes/pass-cleanup.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import { legalizeFunction } from "../../ir/passes/pass-legalize.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { Uniformity } from "./block-uniformity.ts";
import { analyzeWarp } from "./divergence.ts";
import { buildFlowGraph, type FlowGraph } from "../loops/flow-graph.ts";
import { LANES, SLICE_LANES, alignOf, rowOfLane, type LaneShape } from "../lane-addresses/lane-shape.ts";

const SEEDS = Array.from({ length: 40 }, (_, n) => 7000 + n);
const MAX_THREADS = 128;
const MAX_VALUES = 4000;
const PROBE = "__heddle_tool_test_probe";
const ARRAY_BYTES = 1 << 20;

interface Kernel {
  readonly module: IrModule;
  readonly fn: IrFunction;
  readonly flow: FlowGraph;
  readonly block: readonly [number, number];
  readonly n: number;
}

/** The kernel of a seed in the form that the warp tier analyses; null where that tier would not run it. */
function kernelOf(seed: number): Kernel | null {
  const { ir, block, n } = caseOf(generateProgram(seed));
  const probe = `@${PROBE} = global [${2 * MAX_VALUES * MAX_THREADS} x i32] zeroinitializer, align 4\n`;
  const module = parseModule(ir.replace(/^(?=define )/m, probe), "fuzz.ll");
  const fn = module.functions.get("k") as IrFunction;
  if (inlineCalls(fn, module).length > 0) return null;
  legalizeFunction(fn, module);
  cleanUp(fn);
  simplifyLoops(fn);
  const flow = buildFlowGraph(fn);
  return flow && { module, fn, flow, block, n };
}

/** Integers of at most 32 bits that are computed once in a thread. */
function probedValues({ flow }: Kernel): IrInstruction[] {
  return flow.blocks
    .filter((_, b) => flow.loopOf[b] === -1)
    .flatMap(({ instructions }) => instructions.filter(({ type }) => type.kind === "int" && type.bits <= 32))
    .slice(0, MAX_VALUES);
}

/** Stores each value behind its computation, with a 1 behind it. */
function addProbes({ module, fn, block }: Kernel, values: readonly IrInstruction[]): void {
  const edits = new IrEdits(module, fn);
  const probe = module.globals.get(PROBE) as IrGlobal;
  const e = edits.atEntry();
  const tid = (axis: string) => e.intrinsic(`llvm.nvvm.read.ptx.sreg.tid.${axis}`, I32, []);
  const thread = e.add(e.mul(tid("y"), constI32(block[0])), tid("x"));
  values.forEach((value, index) => {
    const after = edits.after(value);
    const place = after.add(after.mul(thread, constI32(8)), constI32(8 * MAX_THREADS * index));
    const bits = after.zextOrTrunc(value, I32);
    after.store(bits, after.offset(probe, place), 4);
    after.store(constI32(1), after.offset(probe, after.add(place, constI32(4))), 4);
  });
  edits.apply();
}

const harness = new Harness(48 << 20);
const interpreter = createInterpreter({ maxSteps: 20_000_000 });

/**
 * For each value, what each thread has, or null where the thread does not compute it. Null: the kernel ran too long.
 */
function valuesOf(kernel: Kernel, count: number): (number | null)[][] | null {
  harness.reset();
  const program = harness.load(kernel.module, false);
  const random = new Random(1);
  const words = Uint32Array.from({ length: INPUT_BYTES / 4 }, () => random.next() & random.pick([-1, 0xff, 3]));
  const input = harness.place(words);
  const [out, acc] = [0, 1].map(() => harness.place(new Uint8Array(ARRAY_BYTES)));
  const launch = { grid: [1, 1] as const, block: kernel.block, sharedBytes: 8 * 1024 };
  const { fault } = harness.run(interpreter, program, "k", launch, [out!, input, acc!, kernel.n]);
  if (fault?.kind === "timeout") return null;
  expect(fault).toBeNull();
  const probed = harness.readI32(program.globalAddresses.get(PROBE)!, 2 * MAX_THREADS * count);
  const threads = kernel.block[0] * kernel.block[1];
  return Array.from({ length: count }, (_, value) =>
    Array.from({ length: threads }, (__, thread) => {
      const at = 2 * (value * MAX_THREADS + thread);
      return probed[at + 1] === 0 ? null : probed[at]!;
    }),
  );
}

/** The lanes' distances from their bases, which the shape says are the same for all lanes that have one base. */
function holds(shape: LaneShape, lanes: readonly (number | null)[]): boolean {
  if (shape.kind === "varying") {
    const { stride } = shape;
    return lanes.every((value, lane) => {
      const before = lane % SLICE_LANES === 0 ? null : (lanes[lane - 1] ?? null);
      return stride === null || value === null || before === null || ((value - before) | 0) === stride;
    });
  }
  const rows = shape.kind === "rowUniform" ? shape.rows : 1;
  const bases = new Map<number, number>();
  return lanes.every((value, lane) => {
    if (value === null) return true;
    const base = (value - (shape.kind === "uniform" ? 0 : shape.offsets[lane]!)) | 0;
    const row = rowOfLane(lane, rows);
    const known = bases.get(row) ?? base;
    bases.set(row, known);
    return base === known && (base & (alignOf(shape) - 1)) === 0;
  });
}

describe("claims hold for the values of threads", () => {
  const claimed = { uniform: 0, offset: 0, rowUniform: 0, varying: 0, block: 0, reached: 0 };
  test.each(SEEDS)("in the kernel of seed %i", (seed) => {
    const kernel = kernelOf(seed);
    if (kernel === null) return;
    const { fn, flow, module, block } = kernel;
    const shapes = analyzeWarp(flow, dim3(block), 0);
    const uniformity = new Uniformity(module);
    const values = probedValues(kernel);
    const claims = values.map((value) => ({
      value,
      shape: shapes.shapeOf(value),
      isUniform: uniformity.isUniform(fn, value),
      isReached: uniformity.isReachedByAll(value),
    }));
    addProbes(kernel, values);
    const found = valuesOf(kernel, values.length);
    if (found === null) return;
    claims.forEach(({ value, shape, isUniform, isReached }, index) => {
      const threads = found[index]!;
      for (let first = 0; first < threads.length; first += LANES) {
        const lanes = threads.slice(first, first + LANES);
        if (!holds(shape, lanes)) expect.fail(`%${value.name} is not ${JSON.stringify(shape)}: ${lanes.join(" ")}`);
      }
      claimed[shape.kind]++;
      const there = threads.filter((own) => own !== null);
      if (isUniform && new Set(there).size > 1)
        expect.fail(`%${value.name} differs in the block: ${threads.join(" ")}`);
      if (isUniform) claimed.block++;
      if (isReached && there.length !== 0 && there.length !== threads.length)
        expect.fail(`%${value.name} is not reached by all: ${threads.join(" ")}`);
      if (isReached) claimed.reached++;
    });
  });
  test("and there are claims of each kind", () => {
    for (const [kind, count] of Object.entries(claimed)) expect(count, kind).toBeGreaterThan(0);
  });
});

test("phis in a circle that begins with undef alone are uniform; what they meet keeps its shape", () => {
  const module = parseModule(
    `define void @k(i32 %n, ptr %out) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %a = phi i32 [ undef, %entry ], [ %c, %loop ]
  %b = phi i32 [ undef, %entry ], [ %d, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = or i32 %a, %b
  %d = or i32 %b, %a
  %e = and i32 %b, %lane
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %last = or i32 %c, %e
  store i32 %last, ptr %out
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`,
    "undef.ll",
  );
  const flow = buildFlowGraph(module.functions.get("k") as IrFunction)!;
  const shapes = analyzeWarp(flow, dim3([32]), 0);
  const kinds = new Map(
    flow.blocks.flatMap(({ instructions }) => instructions.map((i) => [i.name, shapes.shapeOf(i).kind])),
  );
  for (const name of ["a", "b", "c", "d", "i", "next"]) expect(kinds.get(name), name).toBe("uniform");
  for (const name of ["e", "last"]) expect(kinds.get(name), name).not.toBe("uniform");
});

test("what one lane gets of an atomic operation is uniform; what several may get is not", () => {
  const module = parseModule(
    `define void @k(ptr %out) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  %isFirst = icmp eq i32 %lane, 0
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %isBlock = icmp eq i32 %block, 0
  %both = and i1 %isFirst, %isBlock
  br i1 %both, label %one, label %rest
one:
  %alone = atomicrmw add ptr %out, i32 1 monotonic
  %pair = cmpxchg ptr %out, i32 %alone, i32 7 monotonic monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %rest, label %inner
inner:
  %again = atomicrmw add ptr %out, i32 1 monotonic
  br label %rest
rest:
  %joined = phi i32 [ 0, %entry ], [ %alone, %one ], [ %again, %inner ]
  %half = and i32 %tid, 15
  %isHalf = icmp ne i32 %half, 0
  br i1 %isHalf, label %end, label %two
two:
  %several = atomicrmw add ptr %out, i32 %joined monotonic
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
`,
    "single.ll",
  );
  const flow = buildFlowGraph(module.functions.get("k") as IrFunction)!;
  const shapes = analyzeWarp(flow, dim3([64]), 0);
  const kindOf = (name: string): string =>
    shapes.shapeOf(flow.blocks.flatMap(({ instructions }) => instructions).find((i) => i.name === name)!).kind;
  for (const name of ["alone", "pair", "done", "again"]) expect(kindOf(name), name).toBe("uniform");
  for (const name of ["joined", "several"]) expect(kindOf(name), name).not.toBe("uniform");
});

test("lanes that leave a loop in different iterations are together behind it", () => {
  const module = parseModule(
    `define void @k(ptr %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %isMine = icmp eq i32 %lane, %i
  br i1 %isMine, label %edge, label %body
body:
  %next = add i32 %i, 1
  %isNext = icmp eq i32 %lane, %next
  br i1 %isNext, label %inside, label %more
inside:
  %once = atomicrmw add ptr %out, i32 1 monotonic
  %isOdd = trunc i32 %n to i1
  br i1 %isOdd, label %dominated, label %more
more:
  %isInside = icmp slt i32 %next, %n
  br i1 %isInside, label %loop, label %end
edge:
  %apart = atomicrmw add ptr %out, i32 1 monotonic
  br label %end
dominated:
  %below = atomicrmw add ptr %out, i32 1 monotonic
  br label %end
end:
  %isFirst = icmp eq i32 %lane, 0
  br i1 %isFirst, label %first, label %over
first:
  br label %again
again:
  %k = phi i32 [ 0, %first ], [ %k1, %again ]
  %k1 = add i32 %k, 1
  %isAgain = icmp slt i32 %k1, %n
  br i1 %isAgain, label %again, label %behind
behind:
  %alone = atomicrmw add ptr %out, i32 1 monotonic
  br label %over
over:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`,
    "edge.ll",
  );
  const flow = buildFlowGraph(module.functions.get("k") as IrFunction)!;
  const shapes = analyzeWarp(flow, dim3([64]), 0);
  const kindOf = (name: string): string =>
    shapes.shapeOf(flow.blocks.flatMap(({ instructions }) => instructions).find((i) => i.name === name)!).kind;
  for (const name of ["apart", "below"]) expect(kindOf(name), name).not.toBe("uniform");
  // In one iteration it is one lane; a loop behind the question changes nothing.
  for (const name of ["once", "alone"]) expect(kindOf(name), name).toBe("uniform");
});
