/** Runs one program under several executors and compares what they leave in memory. */
import { bug, HeddleError } from "../../base/diagnostics.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { verifyModule } from "../../ir/verify.ts";
import type { PointerBits } from "../../ir/model/ir.ts";
import type { DeviceFault } from "../../machine/faults.ts";
import type { Executor } from "../executor.ts";
import { Harness } from "../harness.ts";
import { emitProgram } from "./emit.ts";
import { generateProgram } from "./generate.ts";
import { ACC_CELLS, ACC_OPERATIONS, INPUT_BYTES, MAX_THREADS, SLOT_BYTES, SLOTS, type Program } from "./program.ts";
import { Random } from "./random.ts";

/** A program as it is run, and as it is kept among the regression cases. */
export interface FuzzCase {
  readonly ir: string;
  readonly grid: readonly [number, number];
  readonly block: readonly [number, number];
  readonly n: number;
}

export type FuzzOutcome =
  /** `refused`: the executors that do not run such a kernel, and why. */
  | { readonly kind: "same"; readonly refused: readonly string[] }
  /** The reference took too many steps: says nothing. */
  | { readonly kind: "too-long" }
  | { readonly kind: "different"; readonly report: string };

export function caseOf(program: Program): FuzzCase {
  return { ir: emitProgram(program), grid: program.grid, block: program.block, n: program.n };
}

/** The program of a seed, run by all executors; the first is the reference. */
export function runCase(seed: number, executors: readonly Executor[], harness: Harness = new Harness()): FuzzOutcome {
  return compareExecutors(caseOf(generateProgram(seed)), executors, harness);
}

const ACC_BYTES = ACC_OPERATIONS.length * ACC_CELLS * 8;

interface Image {
  readonly fault: string | null;
  readonly refused: string | null;
  readonly out: Uint8Array;
  readonly acc: Uint8Array;
}

/** An executor, the memory that it uses, and the width of the kernel's pointers there. */
export interface FuzzRun {
  readonly executor: Executor;
  readonly harness: Harness;
  readonly pointerBits: PointerBits;
}

export function compareExecutors(test: FuzzCase, executors: readonly Executor[], harness: Harness): FuzzOutcome {
  return compareRuns(
    test,
    executors.map((executor) => ({ executor, harness, pointerBits: 32 })),
  );
}

export function compareRuns(test: FuzzCase, runs: readonly FuzzRun[]): FuzzOutcome {
  let reference: Image | null = null;
  const refused: string[] = [];
  for (const { executor, harness, pointerBits } of runs) {
    const ir = pointerBits === 32 ? test.ir : `target triple = "nvptx64-nvidia-cuda"\n${test.ir}`;
    // Every executor gets IR of its own: passes may change it.
    const image = runOne({ ...test, ir }, executor, harness, reference === null);
    if (image.refused !== null) {
      refused.push(`${executor.name}: ${image.refused}`);
      continue;
    }
    if (image.fault === "timeout") return { kind: "too-long" };
    if (image.fault !== null) return { kind: "different", report: `${executor.name}: ${image.fault}` };
    if (reference === null) reference = image;
    else {
      const report = firstDifference(reference, image);
      if (report !== null)
        return { kind: "different", report: `${(runs[0] as FuzzRun).executor.name} and ${executor.name}: ${report}` };
    }
  }
  return { kind: "same", refused };
}

function describeFault({ kind, thread, block, message }: DeviceFault): string {
  if (kind === "timeout") return "timeout";
  return `fault ${kind} in thread (${thread?.x}, ${thread?.y}) of block (${block?.x}, ${block?.y}): ${message}`;
}

function runOne(test: FuzzCase, executor: Executor, harness: Harness, verify: boolean): Image {
  harness.reset();
  const threads = test.block[0] * test.block[1] * test.grid[0] * test.grid[1];
  const outBytes = threads * SLOTS * SLOT_BYTES;
  // The arrays are the last of memory: what reaches past them is outside of it, and vector accesses there need their
  // slow paths.
  const arrays = [new Uint8Array(outBytes), startOfAcc(), inputBytes()];
  const room = arrays.reduce((sum, array) => sum + Math.ceil(array.byteLength / 256) * 256, 0);
  const { base, end } = harness.userRange;
  const before = harness.allocate(Math.floor((end - room - base) / 256) * 256);
  const [out, acc, input] = arrays.map((array) => harness.place(array)) as [number, number, number];
  harness.free(before);
  try {
    const module = parseModule(test.ir, "fuzz.ll");
    if (verify) {
      const problems = verifyModule(module);
      if (problems.length > 0) bug(`the generated IR is invalid: ${problems[0]}`);
    }
    const program = harness.load(module, false);
    const launch = { grid: test.grid, block: test.block, sharedBytes: MAX_THREADS * 8 };
    const { fault } = harness.run(executor, program, "k", launch, [out, input, acc, test.n]);
    return {
      fault: fault === null ? null : describeFault(fault),
      refused: null,
      out: harness.read(out, outBytes),
      acc: harness.read(acc, ACC_BYTES),
    };
  } catch (error) {
    const nothing = { out: new Uint8Array(), acc: new Uint8Array() };
    if (error instanceof HeddleError && error.code === "unsupported")
      return { fault: null, refused: error.summary, ...nothing };
    return {
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
      refused: null,
      ...nothing,
    };
  }
}

function inputBytes(): Uint8Array {
  const random = new Random(1);
  const words = new Uint32Array(INPUT_BYTES / 4);
  // Half of the words are small numbers or floats of moderate size: all-random bits are mostly huge and tiny.
  for (let i = 0; i < words.length; i++) {
    const bits = random.next();
    words[i] = random.pick([
      bits,
      bits,
      bits & 0xff,
      0x3f800000 | (bits & 0x81ffffff),
      0x3c003c00 | (bits & 0x83ff83ff),
      i,
      0,
      0xffffffff - (bits & 15),
    ]);
  }
  return new Uint8Array(words.buffer);
}

function startOfAcc(): Uint8Array {
  const bytes = new Uint8Array(ACC_BYTES);
  ACC_OPERATIONS.forEach(({ start }, i) => {
    if (start === "-1") bytes.fill(0xff, i * ACC_CELLS * 8, (i + 1) * ACC_CELLS * 8);
  });
  return bytes;
}

function firstDifference(a: Image, b: Image): string | null {
  if (equal(a.out, b.out) && equal(a.acc, b.acc)) return null;
  const hex = (bytes: Uint8Array, at: number): string =>
    [...bytes.subarray(at, at + 8)]
      .reverse()
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
  for (let i = 0; i < a.out.length; i += 8)
    if (hex(a.out, i) !== hex(b.out, i)) {
      const thread = Math.floor(i / (SLOTS * SLOT_BYTES));
      return `thread ${thread} slot ${(i / 8) % SLOTS}: ${hex(a.out, i)} and ${hex(b.out, i)}`;
    }
  for (let i = 0; i < a.acc.length; i += 8)
    if (hex(a.acc, i) !== hex(b.acc, i)) {
      const { op, ty } = ACC_OPERATIONS[Math.floor(i / 8 / ACC_CELLS)] as (typeof ACC_OPERATIONS)[number];
      return `atomic ${op} ${ty} cell ${(i / 8) % ACC_CELLS}: ${hex(a.acc, i)} and ${hex(b.acc, i)}`;
    }
  return null;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

// ---------------------------------------------------------------- regression cases

/** A case as a file: the launch in the first line, then why it was kept, then the IR. */
export function formatCase(test: FuzzCase, why: string): string {
  return (
    `; grid ${test.grid.join(" ")} block ${test.block.join(" ")} n ${test.n}\n` +
    `; ${why.replaceAll("\n", " ")}\n${test.ir}`
  );
}

export function parseCase(text: string): FuzzCase {
  const match = /^; grid (\d+) (\d+) block (\d+) (\d+) n (-?\d+)\n/.exec(text);
  if (match === null) throw new Error("a fuzz case begins with its launch");
  const [, gx, gy, bx, by, n] = match.map(Number) as [number, number, number, number, number, number];
  return { ir: text, grid: [gx, gy], block: [bx, by], n };
}
