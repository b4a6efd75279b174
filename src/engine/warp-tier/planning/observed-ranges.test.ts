/**
 * Claims about values, held against what kernels compute. Random kernels whose values reach the ends of their types and
 * bounds run in the interpreter, where each value that value-ranges.ts says something of is compared with that. Then
 * they run in the warp tier, which leaves out tests and branches on the strength of the claims: the same memory, or the
 * same fault.
 */
import { describe, expect, test } from "vitest";
import { analyzeWarp } from "../../../analysis/divergence/divergence.ts";
import { buildFlowGraph } from "../../../analysis/loops/flow-graph.ts";
import type { Interval } from "../../../analysis/values/intervals.ts";
import { dim3 } from "../../../base/dim3.ts";
import { constI32, NameSource } from "../../../ir/model/build.ts";
import { Emitter } from "../../../ir/model/emitter.ts";
import type { IrFunction, IrInstruction, IrModule, IrValue } from "../../../ir/model/ir.ts";
import { I32, PTR } from "../../../ir/model/types.ts";
import { simplifyLoops } from "../../../ir/passes/pass-loop-simplify.ts";
import { assertValid } from "../../../ir/verify.ts";
import { caseOf } from "../../fuzz/run-case.ts";
import { generateProgram } from "../../fuzz/generate.ts";
import { INPUT_BYTES, MAX_THREADS, SLOT_BYTES, SLOTS } from "../../fuzz/program.ts";
import { Harness, type HarnessArgument, type HarnessLaunch } from "../../harness.ts";
import { createInterpreter } from "../../interpreter/interpreter.ts";
import { layoutLocals } from "../control-flow/local-memory.ts";
import { createWarpExecutor } from "../warp-executor.ts";
import { RangeChecks } from "./in-bounds-accesses.ts";
import { randomRangeKernel } from "./range-kernels.test-data.ts";

const SPAN_OF_ALL = 2 ** 32 - 1;

interface Claim {
  readonly value: IrInstruction;
  readonly interval: Interval;
}

/** What is claimed of the kernel's integers, as far as it says anything. */
function claimsOf(h: Harness, program: ReturnType<Harness["load"]>, block: readonly [number, number?]): Claim[] {
  const kernel = program.kernels.get("k")!;
  simplifyLoops(kernel.function);
  const flow = buildFlowGraph(kernel.function);
  if (flow === null) return [];
  const analysis = analyzeWarp(flow, dim3(block as [number]), layoutLocals(kernel, []).bytesPerThread);
  const checks = new RangeChecks(analysis, kernel, dim3(block as [number]), {
    global: (name) => program.globalAddresses.get(name) ?? null,
    functionAddress: () => 0,
  });
  const ranges = checks.rangesOf("active");
  return kernel.function.blocks
    .flatMap(({ instructions }) => instructions)
    .filter(({ type }) => type.kind === "int" && (type.bits === 32 || type.bits === 64))
    .map((value) => ({ value, range: ranges.of(value) }))
    .filter(({ range }) => range.region === null)
    .map(({ value, range: { interval } }) => ({ value, interval }))
    .filter(({ interval: { lo, hi, step } }) => hi - lo < SPAN_OF_ALL || step > 1);
}

/** Words that a claim's value is noted in: it was outside, it was at the low end, at the high end. */
const NOTES = 3;

/** Adds code behind each value that notes whether it is as claimed. */
function watch(module: IrModule, fn: IrFunction, claims: readonly Claim[], notes: number): void {
  const numbers = new Map(claims.map((claim, index) => [claim.value, { ...claim, index }]));
  const names = new NameSource(fn);
  for (const block of fn.blocks) {
    const instructions = block.instructions.splice(0);
    const e = new Emitter(module, fn, names, block);
    const late: IrInstruction[] = [];
    const note = (value: IrInstruction): void => {
      const claim = numbers.get(value);
      if (claim !== undefined) noteValue(e, value, claim.interval, notes + 4 * NOTES * claim.index);
    };
    for (const i of instructions) {
      if (i.op !== "phi") late.splice(0).forEach(note);
      block.instructions.push(i);
      if (i.op === "phi") late.push(i);
      else note(i);
    }
  }
}

function noteValue(e: Emitter, value: IrInstruction, { lo, hi, step }: Interval, notes: number): void {
  const word = e.cast("trunc", value, I32);
  const distance = e.sub(word, constI32(lo | 0));
  const isBeyond = e.icmp("ugt", distance, constI32((hi - lo) | 0));
  const isBetween = e.icmp("ne", e.and(distance, constI32((step - 1) | 0)), 0);
  const set = (at: number, condition: IrValue): void => {
    const place = e.cast("inttoptr", constI32(notes + 4 * at), PTR);
    e.store(e.or(e.load(I32, place, 4), e.cast("zext", condition, I32)), place, 4);
  };
  set(0, e.or(isBeyond, isBetween));
  set(1, e.icmp("eq", distance, 0));
  set(2, e.icmp("eq", distance, constI32((hi - lo) | 0)));
}

interface Watched {
  readonly wrong: string[];
  readonly claims: number;
  /** Of so many claims a value was at one of the ends. */
  readonly atEnd: number;
}

function watched(ir: string, launch: HarnessLaunch, args: (h: Harness) => HarnessArgument[]): Watched {
  const h = new Harness(8 << 20);
  const program = h.load(ir, false);
  const fn = program.kernels.get("k")!.function;
  const claims = claimsOf(h, program, launch.block as readonly [number, number?]);
  const values = args(h);
  const notes = h.place(new Int32Array(NOTES * claims.length + 1));
  watch(program.module, fn, claims, notes);
  assertValid(program.module, "watching");
  h.run(createInterpreter({ maxSteps: 4_000_000 }), program, "k", launch, values);
  const noted = h.readI32(notes, NOTES * claims.length);
  const wrong = claims.flatMap(({ value, interval }, n) =>
    noted[NOTES * n] === 0 ? [] : [`%${value.name} (${value.op}) is not in ${JSON.stringify(interval)}`],
  );
  const atEnd = claims.filter((_, n) => noted[NOTES * n + 1] !== 0 || noted[NOTES * n + 2] !== 0).length;
  return { wrong, claims: claims.length, atEnd };
}

const SEEDS = Number(process.env["HEDDLE_FUZZ_RUNS"] ?? 40);

describe("values are as claimed", () => {
  test("in kernels of loops and index arithmetic at the ends of ranges", () => {
    let [claims, atEnd] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { ir, launch, words, n } = randomRangeKernel(seed);
      const found = watched(ir, launch, (h) => [h.place(new Int32Array(words)), h.place(inputWords()), n]);
      expect(found.wrong, `seed ${seed}`).toEqual([]);
      claims += found.claims;
      atEnd += found.atEnd;
    }
    // Kernels that stay far from what is claimed would notice nothing.
    expect(claims).toBeGreaterThan(5 * SEEDS);
    expect(atEnd / claims).toBeGreaterThan(0.5);
  });

  test("in the kernels of the fuzzer", () => {
    for (let seed = 1; seed <= SEEDS / 4; seed++) {
      const { ir, grid, block, n } = caseOf(generateProgram(seed));
      const launch = { grid, block, sharedBytes: MAX_THREADS * 8 };
      const threads = grid[0] * grid[1] * block[0] * block[1];
      const found = watched(ir, launch, (h) => [
        h.place(new Uint8Array(threads * SLOTS * SLOT_BYTES)),
        h.place(new Uint8Array(INPUT_BYTES).map((_, i) => Math.imul(i + 1, 2654435761) >>> 13)),
        h.place(new Uint8Array(1 << 16)),
        n,
      ]);
      expect(found.wrong, `seed ${seed}`).toEqual([]);
    }
  });
});

/** What kernels read: numbers at the ends of their types among small ones. */
function inputWords(): Int32Array {
  const ends = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 31, 32, 63, 64, 65, 127, 255, 256, 65535, -64, -65];
  return Int32Array.from({ length: 256 }, (_, i) => ends[Math.imul(i, 7) % ends.length] as number);
}

test("the warp tier leaves the same memory as the interpreter, or the same fault", () => {
  const faults = { none: 0, some: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { ir, launch, words, n } = randomRangeKernel(seed);
    const outcomes = [createInterpreter({ maxSteps: 4_000_000 }), createWarpExecutor()].map((executor) => {
      const h = new Harness(8 << 20);
      const program = h.load(ir, false);
      const out = h.place(new Int32Array(words));
      const { fault } = h.run(executor, program, "k", launch, [out, h.place(inputWords()), n]);
      return fault === null ? { out: [...h.readI32(out, words)] } : { kind: fault.kind };
    });
    expect(outcomes[1], `seed ${seed}`).toEqual(outcomes[0]);
    faults["out" in outcomes[0]! ? "none" : "some"]++;
  }
  expect(faults.none).toBeGreaterThan(SEEDS / 4);
  expect(faults.some).toBeGreaterThan(SEEDS / 40);
});
