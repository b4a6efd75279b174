/** Our counters beside those of Nsight Compute, launch by launch. Plain data. */
import type { Dim3 } from "../../base/dim3.ts";
import type { Metrics } from "../line-profile.ts";
import type { NcuLaunch } from "./ncu-csv.ts";

export interface NcuPair {
  readonly metric: string;
  /** null: Heddle does not count it. */
  readonly heddle: number | null;
  readonly ncu: number;
  /** (heddle − ncu) / ncu; null where Heddle does not count it, or where ncu's is 0. */
  readonly difference: number | null;
}

/** Launches of one kernel with the same counters on both sides. */
export interface NcuComparison {
  readonly name: string;
  /** The number of the first of them in the program, from 1. */
  readonly ordinal: number;
  readonly launches: number;
  readonly pairs: readonly NcuPair[];
}

export interface NcuReport {
  readonly kernels: readonly NcuComparison[];
  /** Launches of ncu's that this run did not make, as ncu writes their kernels. */
  readonly notLaunched: readonly string[];
  /** Launches of this run that ncu did not see. */
  readonly notInNcu: number;
}

interface OwnLaunch {
  readonly name: string;
  readonly ordinal: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly metrics: Metrics;
}

/** Counters that are absent where they are 0. */
const COUNTED: readonly RegExp[] = [
  /^l1tex__t_(requests|sectors)_pipe_lsu_mem_(global|local)_op_(ld|st|atom|red)\.sum$/,
  /^l1tex__data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_(ld|st|atom|red)\.sum$/,
  /^smsp__inst_executed_op_(shared_(ld|st|atom|red)|ldgsts)\.sum$/,
  /^smsp__sass_l1tex_t_(requests|sectors)_pipe_lsu_mem_global_op_ldgsts\.sum$/,
  /^smsp__sass_l1tex_data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_ldgsts\.sum$/,
  /^smsp__sass_data_bytes_mem_(global|shared)_op_ldgsts\.sum$/,
  /^smsp__sass_thread_inst_executed_op_([dfh](add|mul|fma)|integer|conversion|memory|control)_pred_on\.sum$/,
  /^smsp__sass_branch_targets_threads_divergent\.sum$/,
];

/** The n-th launch of a kernel with a shape is compared with the n-th launch of that kernel and shape. */
export function compareWithNcu(own: readonly OwnLaunch[], theirs: readonly NcuLaunch[]): NcuReport {
  const free = new Map<string, OwnLaunch[]>();
  for (const launch of own) {
    const key = comparableName(launch.name);
    free.set(key, [...(free.get(key) ?? []), launch]);
  }
  const kernels = new Map<string, NcuComparison>();
  const notLaunched: string[] = [];
  for (const { kernel, grid, block, metrics } of theirs) {
    const candidates = free.get(comparableName(kernel)) ?? [];
    const at = candidates.findIndex((one) => isSame(one.grid, grid) && isSame(one.block, block));
    const [launch] = at < 0 ? [] : candidates.splice(at, 1);
    if (launch === undefined) {
      notLaunched.push(kernel);
      continue;
    }
    const pairs = pairsOf(launch.metrics, metrics);
    const key = JSON.stringify([launch.name, pairs]);
    const known = kernels.get(key);
    kernels.set(
      key,
      known === undefined
        ? { name: launch.name, ordinal: launch.ordinal, launches: 1, pairs }
        : { ...known, launches: known.launches + 1 },
    );
  }
  return {
    kernels: [...kernels.values()],
    notLaunched,
    notInNcu: [...free.values()].reduce((sum, launches) => sum + launches.length, 0),
  };
}

/** @param theirs null: not known */
function isSame(own: Dim3, theirs: Dim3 | null): boolean {
  return theirs === null || (own.x === theirs.x && own.y === theirs.y && own.z === theirs.z);
}

function pairsOf(own: Metrics, theirs: Metrics): NcuPair[] {
  return Object.entries(theirs).map(([metric, ncu]) => {
    const heddle = countOf(own, metric);
    return { metric, heddle, ncu, difference: heddle === null || ncu === 0 ? null : (heddle - ncu) / ncu };
  });
}

/** null: Heddle does not count it. */
export function countOf(own: Metrics, metric: string): number | null {
  return own[metric] ?? (COUNTED.some((pattern) => pattern.test(metric)) ? 0 : null);
}

/** `void ns::reduce<(int)256, float>(float *)` → ns::reduce<256,float> */
export function comparableName(name: string): string {
  const bare = name
    .replaceAll(/\(anonymous namespace\)|<unnamed>/g, "anonymous")
    .replaceAll(/\((?:unsigned |signed )?(?:int|long|short|char|bool|long long)\)(?=-?\w)/g, "")
    .replace(/^void\s+/, "");
  let depth = 0;
  for (const [at, letter] of [...bare].entries()) {
    if (letter === "<") depth++;
    if (letter === ">") depth--;
    if (letter === "(" && depth === 0) return bare.slice(0, at).replaceAll(/\s+/g, "");
  }
  return bare.replaceAll(/\s+/g, "");
}
