/** The grid of a Triton launch. */
import { HeddleError } from "../base/diagnostics.ts";
import { describeValue } from "../base/options.ts";
import type { TritonArgument } from "./triton-arguments.ts";

/** The programs of a launch: up to three numbers, or a function of the parameters' values. */
export type TritonGrid = number | readonly number[] | ((meta: Record<string, number>) => number | readonly number[]);

/** The configuration of a launch: what stands between the brackets in Python, and Triton's own options. */
export interface TritonLaunchOptions {
  readonly grid: TritonGrid;
  /** Warps that run one program; default 4, or what a configuration of autotune says. */
  readonly numWarps?: number;
  /** Iterations of a loop whose tiles are under way on a GPU; default 3, or what a configuration of autotune says. */
  readonly numStages?: number;
}

/** @param values of the parameters, for grids that are functions. */
export function gridOf(
  kernel: string,
  grid: TritonGrid,
  values: ReadonlyMap<string, TritonArgument>,
): [number, number, number] {
  const meta = Object.fromEntries(values) as Record<string, number>;
  const given = typeof grid === "function" ? grid(meta) : grid;
  const list = typeof given === "number" ? [given] : given;
  if (!Array.isArray(list) || list.length < 1 || list.length > 3 || list.some((size) => !Number.isInteger(size)))
    throw new HeddleError(
      "bad-arguments",
      `the grid of ${kernel} is one to three whole numbers, or a function that returns them, ` +
        `not ${Array.isArray(given) ? `[${given.join(", ")}]` : describeValue(given)}`,
      { notes: ["for example grid: [4], or grid: ({ BLOCK_SIZE }) => [cdiv(n, BLOCK_SIZE)]"] },
    );
  return [list[0] as number, list[1] ?? 1, list[2] ?? 1];
}
