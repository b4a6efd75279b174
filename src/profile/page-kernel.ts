/** The kernels of a profile as its page shows them. */
import type { Dim3 } from "../base/dim3.ts";
import { shortNumber } from "../report/numbers.ts";
import type { SameLaunches } from "./same-launches.ts";
import type { Metrics } from "./line-profile.ts";

export interface ProfilePageOptions {
  /** The program. */
  readonly title: string;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  /** A source file's lines, or null where it cannot be read. */
  readonly linesOf: (file: string) => readonly string[] | null;
}

/** Kernels with one shape and the same counters, with what the page calls them. */
export interface PageKernel extends SameLaunches {
  /** Of its section. */
  readonly id: string;
  readonly name: string;
}

/**
 * Kernels of one name are told apart by their launch configuration.
 * @param prefix of the ids.
 */
export function nameKernels(
  groups: readonly SameLaunches[],
  readable: ProfilePageOptions["readable"],
  prefix = "",
): PageKernel[] {
  const names = groups.map(({ first }) => shortName(readable(first.kernel)));
  return groups.map((group, i): PageKernel => {
    const name = names[i] as string;
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    const { grid, block } = group.first;
    return {
      ...group,
      id: `${prefix}kernel-${i + 1}`,
      name: isAlone ? name : `${name} <<<${extents(grid)}, ${extents(block)}>>>`,
    };
  });
}

/** Without parameters and template arguments, which headings have no room for. */
function shortName(name: string): string {
  return /^[\w:~ ]*/.exec(name.replace(/^(?:void|auto) /, ""))?.[0]?.trim() || name;
}

/** Threads of a warp that are active on average; null: nothing was executed. */
export function activeThreads(metrics: Metrics): number | null {
  const warps = metrics["smsp__inst_executed.sum"] ?? 0;
  return warps === 0 ? null : (metrics["smsp__thread_inst_executed.sum"] ?? 0) / warps;
}

export function extents({ x, y, z }: Dim3): string {
  return [x, ...(y > 1 || z > 1 ? [y] : []), ...(z > 1 ? [z] : [])].map((one) => shortNumber(one)).join(" × ");
}
