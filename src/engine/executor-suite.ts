/**
 * The contract suite for executors: 80 kernels (suite/suite.cu) whose results on an H200 are kept
 * (suite.expected.json). Every executor must give the same, bit for bit; exceptions are named here with their reason.
 */
import { bug } from "../base/diagnostics.ts";
import type { Executor, LoadedProgram } from "./executor.ts";
import { Harness } from "./harness.ts";

export interface SuiteCase {
  readonly name: string;
  readonly grid: readonly [number, number?, number?];
  readonly block: readonly [number, number?, number?];
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** What the H200 left in `out`, without the zeros at its end. */
  readonly expected: readonly number[];
}

/** The files of the suite, as text. */
export interface SuiteFiles {
  readonly source: string;
  readonly ir: string;
  readonly expected: string;
}

const OUT_INTS = 8192;
const IN_INTS = 4096;

export interface OpenedSuite {
  readonly harness: Harness;
  readonly program: LoadedProgram;
}

export class ExecutorSuite {
  readonly cases: readonly SuiteCase[];
  readonly ir: string;

  constructor(files: SuiteFiles) {
    const expected = JSON.parse(files.expected) as Record<string, number[]>;
    this.ir = files.ir;
    this.cases = [...files.source.matchAll(/^\/\/ @launch (.*)\nKERNEL (\w+)\(/gm)].map(([, launch, name]) => {
      const [grid, block, shared, cooperative] = (launch as string).match(/\([^)]*\)|\S+/g) as string[];
      return {
        name: name as string,
        grid: extents(grid as string),
        block: extents(block as string),
        sharedBytes: Number(shared ?? 0),
        cooperative: cooperative !== undefined,
        expected: expected[name as string] ?? bug(`suite.expected.json has no ${name}`),
      };
    });
  }

  /** Fresh memory and a freshly placed program: cases must not see one another's globals. */
  open(): OpenedSuite {
    const harness = new Harness();
    return { harness, program: harness.load(this.ir, false) };
  }

  /**
   * The same with pointers of 64 bits and arrays above 4 GiB. The code was compiled for pointers of 4 bytes: a case
   * that counts on where they lie, `virtual_calls`, is not for it.
   */
  openFar(): OpenedSuite {
    const harness = new Harness(undefined, 0, "far");
    const ir = this.ir.replace(/(datalayout = "e-)(?:p\d?:32:32-)+/, "$1").replace('"nvptx-', '"nvptx64-');
    return { harness, program: harness.load(ir, false) };
  }

  /** Runs a case. Returns what is wrong, or null. */
  check(executor: Executor, { harness, program }: OpenedSuite, test: SuiteCase): string | null {
    const out = harness.place(new Int32Array(OUT_INTS));
    const input = harness.place(suiteInput());
    const { fault } = harness.run(executor, program, test.name, test, [out, input]);
    if (fault !== null) return `fault ${JSON.stringify(fault)}`;
    const got = harness.readI32(out, OUT_INTS);
    const wrong: string[] = [];
    for (let i = 0; i < OUT_INTS; i++) {
      const expected = test.expected[i] ?? 0;
      const show = (value: number): string => `${value} (0x${(value >>> 0).toString(16)})`;
      if (got[i] !== expected) wrong.push(`out[${i}] = ${show(got[i] as number)}, expected ${show(expected)}`);
    }
    return wrong.length === 0 ? null : `${wrong.length} wrong: ${wrong.slice(0, 4).join("; ")}`;
  }
}

function extents(text: string): [number, number?, number?] {
  return text.replace(/[()]/g, "").split(",").map(Number) as [number, number?, number?];
}

/** The input of every case: xorshift32 from 2463534242 (Marsaglia, "Xorshift RNGs", 2003). */
export function suiteInput(): Int32Array {
  let s = 2463534242;
  return Int32Array.from({ length: IN_INTS }, () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    return s;
  });
}
