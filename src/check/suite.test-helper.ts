/** Reads a suite of pairs of kernels (suite/*.cu): launches and expectations stand in comments of the source. */
import type { Dim3 } from "../base/dim3.ts";
import { dim3 } from "../base/dim3.ts";

export interface Pair {
  readonly name: string;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly n: number;
  /** "KIND ACCESS" of the one finding, and the line it is in. */
  readonly expected: string;
  readonly line: number;
}

export function readSuite(source: string): Pair[] {
  const pairs: Pair[] = [];
  const lines = source.split("\n");
  /** Marks that name their kernel, for code in functions that kernels call. */
  const elsewhere = new Map<string, { expected: string; line: number }>();
  let launch: Omit<Pair, "name" | "expected" | "line"> | null = null;
  for (const [index, text] of lines.entries()) {
    const described = /^\/\/ <<<([^>]*)>>> (\d+)/.exec(text);
    if (described !== null) {
      const [grid, block, shared] = [...(described[1] as string).matchAll(/dim3\(([^)]*)\)|(\d+)/g)].map(([, dim, number]) => (dim === undefined ? [Number(number)] : dim.split(",").map(Number)));
      launch = { grid: dim3(grid as [number]), block: dim3(block as [number, number]), sharedBytes: shared?.[0] ?? 0, n: Number(described[2]) };
    }
    const mark = /\/\/ ! (\S+ \S+?)(?: in (\w+)_wrong)?$/.exec(text);
    if (mark?.[2] !== undefined) elsewhere.set(mark[2], { expected: mark[1] as string, line: index + 1 });
    const name = /^PAIR\((\w+)_wrong\)/.exec(text)?.[1];
    if (name === undefined) continue;
    if (launch === null) throw new Error(`line ${index + 1}: no launch is given for ${name}`);
    let marked = elsewhere.get(name);
    for (let at = index; marked === undefined && at < lines.length && !/^PAIR\(\w+_right/.test(lines[at] as string); at++) {
      const own = /\/\/ ! (\S+ \S+)$/.exec(lines[at] as string);
      if (own !== null) marked = { expected: own[1] as string, line: at + 1 };
    }
    if (marked === undefined) throw new Error(`line ${index + 1}: no line of ${name} is marked`);
    pairs.push({ name, ...launch, ...marked });
  }
  return pairs;
}
