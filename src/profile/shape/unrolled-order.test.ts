/** Loops in the order of unrolled ones do what they did, and their warps execute what unrolled loops execute. */
import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { createWarpExecutor } from "../../engine/warp-tier/warp-executor.ts";
import { loadProgram } from "../../engine/load-program.ts";
import type { Executor } from "../../engine/executor.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { LINES_AT } from "../../machine/line-records.ts";
import { COUNTER_BYTES, RECORD_BYTES, WARP_COUNTERS } from "../../machine/warp-counts.ts";
import { LINES } from "../caches/line-trace.ts";
import { addCounters } from "../count-instrumenter.ts";
import { PROFILE_NAMES } from "../profile-names.ts";
import { orderAsUnrolled } from "./unrolled-order.ts";
import { unrolledLoops } from "./unrolled-phases.ts";

const LANES = 32;

interface LoopForm {
  readonly predicate: string;
  readonly step: number | "%step";
  readonly compared: "next" | "phi";
  readonly flags?: string;
  /** A constant, or what the lane's array says. */
  readonly start?: number;
  /** Further instructions of an iteration. */
  readonly further?: number;
}

/** Each lane goes from starts[lane] to bounds[lane]; out has a sum that depends on the order, and the last counter. */
function program({ predicate, step, compared, flags = "", start, further = 0 }: LoopForm): IrModule {
  const chain = Array.from(
    { length: further },
    (_, n) => `  %f${n + 1} = fmul float %f${n}, 0x3FF0000020000000\n`,
  ).join("");
  return parseModule(
    `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %out, ptr %in, ptr %starts, ptr %bounds, i32 %step) {
entry:
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ps = getelementptr i32, ptr %starts, i32 %lane
  %own = load i32, ptr %ps, align 4
  %pb = getelementptr i32, ptr %bounds, i32 %lane
  %bound = load i32, ptr %pb, align 4
  br label %body
body:
  %i = phi i32 [ ${start ?? "%own"}, %entry ], [ %next, %body ]
  %sum = phi i32 [ %lane, %entry ], [ %sum2, %body ]
  %f0 = phi float [ 1.0, %entry ], [ %f${further}, %body ]
  %at = and i32 %i, 255
  %p = getelementptr i32, ptr %in, i32 %at
  %x = load i32, ptr %p, align 4
${chain}  %mixed = mul i32 %sum, 31
  %sum2 = add i32 %mixed, %x
  %next = add ${flags} i32 %i, ${step}
  %more = icmp ${predicate} i32 ${compared === "next" ? "%next" : "%i"}, %bound
  br i1 %more, label %body, label %done
done:
  %po = getelementptr i32, ptr %out, i32 %lane
  store i32 %sum2, ptr %po, align 4
  %pl = getelementptr i32, ptr %po, i32 ${LANES}
  store i32 %i, ptr %pl, align 4
  ret void
}`,
    "loop.ll",
  );
}

function ordered(form: LoopForm): IrModule {
  const module = program(form);
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) orderAsUnrolled(fn);
  assertValid(module, "orderAsUnrolled");
  return module;
}

interface Ranges {
  readonly starts: readonly number[];
  readonly bounds: readonly number[];
  readonly step: number;
}

function inputs(h: Harness, { starts, bounds, step }: Ranges): number[] {
  const input = h.place(Int32Array.from({ length: 256 }, (_, i) => Math.imul(i + 3, 2654435761)));
  return [
    h.place(new Int32Array(2 * LANES)),
    input,
    h.place(Int32Array.from(starts)),
    h.place(Int32Array.from(bounds)),
    step,
  ];
}

function run(module: IrModule, ranges: Ranges): number[] {
  const h = new Harness(undefined, 1 << 21);
  const args = inputs(h, ranges);
  const launch = { grid: 1, block: LANES };
  const { fault } = h.run(createInterpreter({ maxSteps: 100_000 }), h.load(module), "k", launch, args);
  return fault === null ? [...h.readI32(args[0] as number, 2 * LANES)] : [-1];
}

/** How often warps execute the loads of a kernel. */
function requests(executor: Executor, module: IrModule, ranges: Ranges): number {
  const h = new Harness(undefined, 1 << 21);
  const { sites, records } = addCounters(module, module.functions.values(), "counters", { recordsLines: false });
  const counters = h.allocate(records * RECORD_BYTES, 64);
  const lines = h.allocate(LINES_AT.records, 64);
  const maps = h.allocate(2 ** 18, 64);
  new Uint32Array(h.memory.buffer, lines).fill(maps, LINES_AT.read / 4, LINES_AT.written / 4 + 1);
  const loaded = loadProgram(
    module,
    {
      allocate: (bytes, align) => h.allocate(bytes, align),
      memory: h.memory,
      placed: (name) => (name === PROFILE_NAMES.name(LINES) ? lines : counters),
    },
    { fmad: false },
  );
  const { fault } = h.run(executor, loaded, "k", { grid: 1, block: LANES }, inputs(h, ranges));
  expect(fault).toBeNull();
  const words = new BigUint64Array(h.memory.buffer);
  return sites.reduce((sum, site) => {
    if (site.kind !== "access" || site.operation !== "load") return sum;
    const at = (counters + site.block.record * RECORD_BYTES) / COUNTER_BYTES;
    return sum + Number(words[at + WARP_COUNTERS.warps]);
  }, 0);
}

const MAX = 0x7fffffff;
const EDGES: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 1],
  [0, 3],
  [0, 4],
  [0, 17],
  [3, 64],
  [-70, 17],
  [5, -5],
  [MAX - 9, MAX],
  [MAX - 300, MAX - 2],
  [-MAX - 1, -MAX + 40],
  [100, 99],
  [7, 7 + 128],
];

/** All pairs of edges meet in a warp. @param mayWrap the counter may wrap around; else no lane comes near to that. */
function atEdges(step: number, mayWrap: boolean): Ranges[] {
  const edges = EDGES.filter((edge) => mayWrap || edge.every((value) => Math.abs(value) < MAX / 2));
  return edges.map((_, n) => {
    const lanes = Array.from(
      { length: LANES },
      (_unused, lane) => edges[(n + lane) % edges.length] as [number, number],
    );
    return { starts: lanes.map(([start]) => start), bounds: lanes.map(([, bound]) => bound), step };
  });
}

test.each<[string, LoopForm]>([
  ["slt", { predicate: "slt", step: 1, compared: "next" }],
  ["slt by 3", { predicate: "slt", step: 3, compared: "next", flags: "nsw" }],
  ["slt, the counter", { predicate: "slt", step: 1, compared: "phi" }],
  ["slt by 32, the counter", { predicate: "slt", step: 32, compared: "phi", flags: "nsw" }],
  ["ult", { predicate: "ult", step: 1, compared: "next" }],
  ["ult by 7, may wrap around", { predicate: "ult", step: 7, compared: "next" }],
  ["sgt", { predicate: "sgt", step: -1, compared: "next", flags: "nsw" }],
  ["slt by what all lanes have", { predicate: "slt", step: "%step", compared: "next", flags: "nsw" }],
])("%s: results stay", (_, form) => {
  const module = ordered(form);
  expect([...module.functions.values()].some((fn) => fn.blocks.some(({ name }) => name.startsWith("phase")))).toBe(
    true,
  );
  for (const ranges of atEdges(5, form.flags === undefined))
    expect(run(ordered(form), ranges)).toEqual(run(program(form), ranges));
});

test("ne: results stay", () => {
  const form: LoopForm = { predicate: "ne", step: 1, compared: "phi" };
  const starts = Array.from({ length: LANES }, (_, lane) => lane - 7);
  const ranges = { starts, bounds: starts.map((start, lane) => start + ((lane * lane) % 50)), step: 0 };
  expect(run(ordered(form), ranges)).toEqual(run(program(form), ranges));
});

const SMALL_FIRST = (n: number): number[] => [n & 3, n & -16, n & 8, n & 4];
const SMALL_LAST = (n: number): number[] => [n & -16, n & 8, n & 4, n & 3];

// What is expected is what unrolled loops of nvcc 13.0 execute (unrolled-phases.ts).
test.each<[string, LoopForm, (n: number) => number[]]>([
  ["small, from a constant on", { predicate: "slt", step: 1, compared: "next", flags: "nsw", start: 0 }, SMALL_LAST],
  ["small, from a variable on", { predicate: "slt", step: 1, compared: "next", flags: "nsw" }, SMALL_FIRST],
  [
    "a step that is no constant",
    { predicate: "slt", step: "%step", compared: "next", flags: "nsw" },
    (n) => [n & 3, n & -4],
  ],
  [
    "too large for the assembler",
    { predicate: "slt", step: 1, compared: "next", flags: "nsw", start: 0, further: 20 },
    (n) => [n & -4, n & 3],
  ],
  [
    "too large for four at a time",
    { predicate: "slt", step: 1, compared: "next", flags: "nsw", start: 0, further: 60 },
    (n) => [n & -2, n & 1],
  ],
  ["too large", { predicate: "slt", step: 1, compared: "next", flags: "nsw", start: 0, further: 120 }, (n) => [n]],
  ["a counter that may wrap around", { predicate: "ult", step: 3, compared: "next" }, (n) => [n & -4, n & 2, n & 1]],
])("%s: warps execute what an unrolled loop does", (_, form, phasesOf) => {
  const turns = Array.from({ length: LANES }, (_unused, lane) => 1 + ((lane * 7) % 61));
  const starts = turns.map((_unused, lane) => form.start ?? lane % 5);
  const step = typeof form.step === "number" ? form.step : 5;
  const bounds = turns.map((count, lane) => (starts[lane] as number) + count * step);
  const phases = turns.map(phasesOf);
  const expected = (phases[0] as number[]).reduce(
    (sum, _unused, n) => sum + Math.max(...phases.map((own) => own[n] as number)),
    0,
  );
  for (const executor of [createInterpreter(), createWarpExecutor()])
    expect(requests(executor, ordered(form), { starts, bounds, step }) - 2, executor.name).toBe(expected);
});

test("a loop that all lanes go through as often stays as it is", () => {
  const text = `target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  store volatile i32 %i, ptr %out, align 4
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}`;
  const fn = [...parseModule(text, "loop.ll").functions.values()][0];
  expect(fn === undefined ? null : unrolledLoops(fn)).toEqual([]);
});
