/**
 * Counters of the compiled engines against the interpreter's, which follow the definitions (machine/warp-counts.ts):
 * over the suite's kernels and over random ones. Results must be what they are without counters.
 */
import { describe, expect, test } from "vitest";
import { caseOf } from "../engine/fuzz/run-case.ts";
import { generateProgram } from "../engine/fuzz/generate.ts";
import { ACC_CELLS, ACC_OPERATIONS, MAX_THREADS, SLOTS, SLOT_BYTES } from "../engine/fuzz/program.ts";
import type { Executor } from "../engine/executor.ts";
import { suiteInput } from "../engine/executor-suite.ts";
import { Harness, type HarnessLaunch } from "../engine/harness.ts";
import { createInterpreter } from "../engine/interpreter/interpreter.ts";
import { loadProgram } from "../engine/load-program.ts";
import { readExecutorSuite } from "../engine/suite-files-node.ts";
import { createThreadExecutor } from "../engine/thread-tier/thread-executor.ts";
import { createWarpExecutor } from "../engine/warp-tier/warp-executor.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { parseModule } from "../ir/text/parse.ts";
import { readSample, type LaneSample } from "../machine/lane-sample.ts";
import {
  ACCESS_RECORD_BYTES,
  COUNTER_BYTES,
  RECORD_BYTES,
  recordsOfAccess,
  transactionsOf,
} from "../machine/warp-counts.ts";
import { addCounters, type AccessSite, type CountSite } from "./count-instrumenter.ts";
import { PROFILE_NAMES } from "./profile-names.ts";

/** Room for the suite's results, and for those of the largest random grid. */
const OUT_INTS: number = Math.max(8192, (64 * MAX_THREADS * SLOTS * SLOT_BYTES) / 4);

interface Counted {
  readonly out: Int32Array;
  readonly fault: string | null;
  /** One line for each site that was reached. */
  readonly counts: readonly string[];
}

interface Work {
  readonly kernel: string;
  readonly launch: HarnessLaunch;
  /** Arguments behind the output and the input: the bytes of arrays, then numbers. */
  readonly arrays?: readonly number[];
  readonly numbers?: readonly number[];
}

/** Runs kernels of a program that is instrumented and loaded once. null: the executor does not run such a kernel. */
type RunCounted = (work: Work) => Counted | null;

function counted(executor: Executor, ir: string): RunCounted {
  const harness = new Harness(undefined, 1 << 22);
  const module = parseModule(ir, "test.ll");
  const { sites, records } = addCounters(module, module.functions.values(), "counters", null);
  const counters = harness.allocate(records * RECORD_BYTES, 64);
  const program = loadProgram(
    module,
    {
      allocate: (bytes, align) => harness.allocate(bytes, align),
      memory: harness.memory,
      placed: (name) => (name === PROFILE_NAMES.name("counters") ? counters : null),
    },
    { fmad: false },
  );
  // Variables and counters of one run are not those of the next.
  const restore = harness.checkpoint();
  return ({ kernel, launch, arrays = [], numbers = [] }) => {
    restore();
    const out = harness.place(new Int32Array(OUT_INTS));
    const input = harness.place(suiteInput());
    const further = arrays.map((bytes) => harness.place(new Uint8Array(bytes)));
    try {
      const { fault } = harness.run(executor, program, kernel, launch, [out, input, ...further, ...numbers]);
      return {
        out: harness.readI32(out, OUT_INTS),
        fault: fault?.kind ?? null,
        counts: sites.flatMap((site) => describeSite(site, harness.memory.buffer, counters)),
      };
    } catch (error) {
      if (error instanceof HeddleError && error.code === "unsupported") return null;
      throw error;
    }
  };
}

function describeSite(site: CountSite, memory: ArrayBufferLike, first: number): string[] {
  const what = site.kind === "access" ? `${site.operation} of ${site.bytes} bytes, ${site.space}` : site.kind;
  const record = first + site.record * RECORD_BYTES;
  return Array.from({ length: site.kind === "access" ? recordsOfAccess(site.space) : 1 }, (_, n) => n).flatMap((n) => {
    const at = record + n * ACCESS_RECORD_BYTES;
    const own = [...new BigUint64Array(memory, at, RECORD_BYTES / COUNTER_BYTES)];
    if (own.every((count) => count === 0n)) return [];
    const sample = site.kind === "access" ? readSample(memory, at) : null;
    if (site.kind === "access") expectSample(site, n, sample);
    const most = sample === null ? "" : `, at most ${sample.transactions} a request`;
    return [`${site.record} ${what} ${n} (line ${site.location?.line}): ${own.join(" ")}${most}`];
  });
}

/** What is kept as the request with the most transactions has as many. */
function expectSample({ space, bytes }: AccessSite, record: number, sample: LaneSample | null): void {
  const one = space === "generic" ? (["global", "shared", "local"] as const)[record] : space;
  if (one === "local" || one === undefined) {
    expect(sample).toBeNull();
    return;
  }
  expect(sample).not.toBeNull();
  if (sample !== null) expect(transactionsOf(one, { ...sample, bytes }, null)).toBe(sample.transactions);
}

const suite = readExecutorSuite();

/** Made by the first test that needs it: a loaded suite is large. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Their threads go through loops as often as others get in their way: counts depend on the schedule. */
const CONTENDED: ReadonlySet<string> = new Set(["cas_loop", "spin_lock", "last_block", "block_chain"]);

describe("the suite's kernels", () => {
  const interpreted = once(() => counted(createInterpreter(), suite.ir));
  const compiled = once(() =>
    [createWarpExecutor(), createThreadExecutor()].map((executor) => ({
      tier: executor.name,
      run: counted(executor, suite.ir),
    })),
  );

  test.each(suite.cases.map((one) => [one.name, one] as const))("%s", (name, one) => {
    const { grid, block, sharedBytes, cooperative } = one;
    const work = { kernel: name, launch: { grid, block, sharedBytes, cooperative } };
    const expected = interpreted()(work);
    expect(expected?.fault).toBeNull();
    expect([...(expected?.out ?? [])].slice(0, one.expected.length)).toEqual(one.expected);
    for (const { tier, run } of compiled()) {
      const found = run(work);
      if (found === null) continue;
      expect(found.fault, tier).toBeNull();
      if (!CONTENDED.has(name)) expect(found.counts, tier).toEqual(expected?.counts);
    }
  });
});

const OF_RANDOM = { arrays: [ACC_OPERATIONS.length * ACC_CELLS * 8] };

describe("random kernels", () => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))("seed %i", (seed) => {
    const { ir, grid, block, n } = caseOf(generateProgram(seed));
    const work = { kernel: "k", launch: { grid, block, sharedBytes: MAX_THREADS * 8 }, ...OF_RANDOM, numbers: [n] };
    const expected = counted(createInterpreter({ maxSteps: 200_000 }), ir)(work);
    if (expected === null || expected.fault !== null) return;
    for (const executor of [createWarpExecutor(), createThreadExecutor()]) {
      const found = counted(executor, ir)(work);
      if (found === null) continue;
      expect(found.fault, executor.name).toBeNull();
      expect(found.counts, executor.name).toEqual(expected.counts);
    }
  });
});
