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
  SECTOR_BYTES,
  recordsOfAccess,
  transactionsOf,
} from "../machine/warp-counts.ts";
import {
  LINES_AT,
  LINES_BYTES,
  LINE_CLASSES,
  LINE_RECORD_BYTES,
  LOCAL_LINE,
  MULTIPROCESSOR_LEVELS,
  ROOMS,
  ROOM_RECORDS,
} from "../machine/line-records.ts";
import { LINES } from "./caches/line-trace.ts";
import { addCounters, type AccessSite, type CountSite } from "./count-instrumenter.ts";
import { PROFILE_NAMES } from "./profile-names.ts";

/** Room for the suite's results, and for those of the largest random grid. */
const OUT_INTS: number = Math.max(8192, (64 * MAX_THREADS * SLOTS * SLOT_BYTES) / 4);

const HARNESS_BYTES: number = 1 << 24;
const MULTIPROCESSORS = 5;
/** Bytes of the maps of sectors. */
const MAPS = { read: HARNESS_BYTES / SECTOR_BYTES, written: HARNESS_BYTES / SECTOR_BYTES };

interface Counted {
  readonly out: Int32Array;
  readonly fault: string | null;
  /** One line for each site that was reached. */
  readonly counts: readonly string[];
  /** What was recorded of lines of global memory, sorted. */
  readonly lines: readonly string[];
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

function counted(executor: Executor, ir: string, recordsLines = true): RunCounted {
  const harness = new Harness(undefined, HARNESS_BYTES);
  const module = parseModule(ir, "test.ll");
  const { sites, records } = addCounters(module, module.functions.values(), "counters", { recordsLines });
  const variables = new Map(
    Object.entries({
      counters: records * RECORD_BYTES,
      ...MAPS,
      [LINES]: LINES_BYTES,
    }).map(([name, bytes]) => [PROFILE_NAMES.name(name), harness.allocate(bytes, 64)]),
  );
  const counters = variables.get(PROFILE_NAMES.name("counters")) as number;
  const lines = variables.get(PROFILE_NAMES.name(LINES)) as number;
  const header = new Uint32Array(harness.memory.buffer, lines, LINES_AT.records / 4);
  header[LINES_AT.lineClasses / 4] = recordsLines ? LINE_CLASSES : 0;
  header[LINES_AT.multiprocessorLevels / 4] = MULTIPROCESSOR_LEVELS;
  header[LINES_AT.multiprocessors / 4] = MULTIPROCESSORS;
  for (const map of ["read", "written"] as const)
    header[LINES_AT[map] / 4] = variables.get(PROFILE_NAMES.name(map)) as number;
  new Uint8Array(harness.memory.buffer, lines + LINES_AT.levels).set([0, 3, 1, 5, 2]);
  const program = loadProgram(
    module,
    {
      allocate: (bytes, align) => harness.allocate(bytes, align),
      memory: harness.memory,
      placed: (name) => variables.get(name) ?? null,
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
      const memory = harness.memory.buffer;
      const { fault } = harness.run(executor, program, kernel, launch, [out, input, ...further, ...numbers]);
      return {
        out: harness.readI32(out, OUT_INTS),
        fault: fault?.kind ?? null,
        counts: sites.flatMap((site) => describeSite(site, harness.memory.buffer, counters)),
        lines: [...recordedLines(memory, lines), ...markedSectors(memory, header)],
      };
    } catch (error) {
      if (error instanceof HeddleError && error.code === "unsupported") return null;
      throw error;
    }
  };
}

/** The order of the lines of one request is the engine's. */
function recordedLines(memory: ArrayBufferLike, start: number): string[] {
  const words = new Uint32Array(memory, start, LINES_BYTES / 4);
  return Array.from({ length: ROOMS }, (_, room) => room)
    .flatMap((room) =>
      Array.from({ length: Math.min(ROOM_RECORDS, words[LINES_AT.cursors / 4 + room] as number) }, (_, n) => {
        const at = (LINES_AT.records + LINE_RECORD_BYTES * (room * ROOM_RECORDS + n)) / 4;
        const [packed = 0, block, warp = 0] = words.subarray(at, at + 3);
        const touched = (packed & 63).toString(2);
        // Where a variable is in local memory, each engine decides for itself.
        if ((warp & LOCAL_LINE) !== 0) return `local block ${block} warp ${warp} ${touched}`;
        return `room ${room} block ${block} warp ${warp} line ${packed >>> 6} ${touched}`;
      }),
    )
    .sort();
}

function markedSectors(memory: ArrayBufferLike, header: Uint32Array): string[] {
  return (["read", "written"] as const).flatMap((map) => {
    const words = new Uint32Array(memory, header[LINES_AT[map] / 4], MAPS[map] / 4);
    const found: string[] = [];
    for (let line = 0; line < words.length; line++)
      if (words[line] !== 0) found.push(`${map} ${line}: ${words[line]?.toString(16)}`);
    return found;
  });
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
  if (sample === null) return;
  // A matrix instruction loads, too.
  const found = [true, false].map((isLoad) => transactionsOf(one, { ...sample, bytes, isLoad }, null));
  expect(found).toContain(sample.transactions);
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
    expect(expected?.lines).not.toEqual([]);
    for (const { tier, run } of compiled()) {
      const found = run(work);
      if (found === null) continue;
      expect(found.fault, tier).toBeNull();
      if (CONTENDED.has(name)) continue;
      expect(found.counts, tier).toEqual(expected?.counts);
      expect(found.lines, tier).toEqual(expected?.lines);
    }
  });
});

/**
 * Copies of 16 bytes a lane into shared memory: what cp.async with a source size is in our code. Of the lanes of a warp
 * some take nothing, some a part, some all. What the function does is not counted.
 */
const COPIES = `
@part = internal addrspace(3) global [1024 x i8] undef, align 16
define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %tid, 31
  %size = and i32 %lane, 16
  %odd = and i32 %lane, 1
  %taken = lshr i32 %size, %odd
  %at = mul i32 %tid, 16
  %to = getelementptr i8, ptr addrspace(3) @part, i32 %at
  %from = getelementptr i8, ptr addrspace(1) %in, i32 %at
  %shared = addrspacecast ptr addrspace(3) %to to ptr
  %global = addrspacecast ptr addrspace(1) %from to ptr
  call void @__heddle_copy_zero_fill(ptr %shared, ptr %global, i32 16, i32 %taken)
  ret void
}
define internal void @__heddle_copy_zero_fill(ptr %to, ptr %from, i32 %size, i32 %available) {
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
`;

describe("copies whose lanes take different numbers of bytes", () => {
  const work = { kernel: "k", launch: { grid: 1, block: 64 } };
  // Of each of the two warps lanes 0 to 15 take nothing, of the others each second one takes 8 bytes of 16.
  test.each([createInterpreter(), createWarpExecutor(), createThreadExecutor()])("$name", (executor) => {
    const found = counted(executor, COPIES)(work);
    expect(found?.fault).toBeNull();
    const countsOf = (what: string): number[][] =>
      (found?.counts ?? []).flatMap((line) => {
        const [, counts] = line.includes(what) ? (/: ([\d ]+)/.exec(line) ?? []) : [];
        return counts === undefined ? [] : [counts.split(" ").slice(0, 4).map(Number)];
      });
    // Transactions, ideal, requests and threads: of lanes in global memory, then of those in shared memory.
    expect(countsOf("load of 16 bytes, generic 0")).toEqual([[16, 16, 2, 32]]);
    expect(countsOf("load of 16 bytes, generic 1")).toEqual([[4, 4, 2, 32]]);
    expect(countsOf("copy of 16 bytes, shared 0").map((counts) => counts.slice(0, 2))).toEqual([[8, 8]]);
    expect(countsOf("copy of 16 bytes, generic 1")).toEqual([[4, 2, 2, 16]]);
  });
});

const OF_RANDOM = { arrays: [ACC_OPERATIONS.length * ACC_CELLS * 8] };

describe("random kernels", () => {
  test.each(Array.from({ length: 16 }, (_, seed) => seed))("seed %i", (seed) => {
    const { ir, grid, block, n } = caseOf(generateProgram(seed));
    const work = { kernel: "k", launch: { grid, block, sharedBytes: MAX_THREADS * 8 }, ...OF_RANDOM, numbers: [n] };
    // Sectors are marked by other code where lines are not recorded.
    const recordsLines = seed % 2 === 0;
    const expected = counted(createInterpreter({ maxSteps: 200_000 }), ir, recordsLines)(work);
    if (expected === null || expected.fault !== null) return;
    for (const executor of [createWarpExecutor(), createThreadExecutor()]) {
      const found = counted(executor, ir, recordsLines)(work);
      if (found === null) continue;
      expect(found.fault, executor.name).toBeNull();
      expect(found.counts, executor.name).toEqual(expected.counts);
      expect(found.lines, executor.name).toEqual(expected.lines);
    }
  });
});
