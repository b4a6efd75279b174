/**
 * Which GPUs can run a version of a ladder, by the instructions of PTX that its kernels reach (PTX ISA 8.5, target
 * notes).
 */
import { reachedCode } from "./reached-code.ts";

export interface VersionNeeds {
  /** The least compute capability: 90 for 9.0. 0: the kernels have no instruction that says. */
  readonly least: number;
  /** Other architectures than that one, later ones too, do not have the instructions (sm_90a). */
  readonly isAlone: boolean;
}

const ALONE_90 = /\b(?:wgmma|setmaxnreg)\./;
const SINCE_90 = new RegExp(
  [
    String.raw`\bcp\.(?:reduce\.)?async\.bulk\b`,
    String.raw`\bmbarrier\.(?:try_wait|arrive\.expect_tx|complete_tx|expect_tx)\b`,
    String.raw`\b(?:barrier\.cluster|mapa|griddepcontrol|stmatrix|elect\.sync)\b`,
    String.raw`\bfence\.(?:mbarrier_init|proxy\.async)\b`,
    String.raw`\bred\.(?:\w+\.)*global\.(?:\w+\.)*v[248]\.`,
    String.raw`\b__cluster_dims__\b|%cluster_`,
  ].join("|"),
);
const SINCE_80 = new RegExp(
  [
    String.raw`\b(?:cp\.async\.c[ag]|createpolicy|redux\.sync|__reduce_\w+_sync)\b`,
    String.raw`\bmma\.sync\.[\w.]*\b(?:bf16|tf32|m16n8k16)\b`,
  ].join("|"),
);

export function needsOf(sources: readonly string[]): VersionNeeds {
  const code = reachedCode(sources);
  if (ALONE_90.test(code)) return { least: 90, isAlone: true };
  if (SINCE_90.test(code)) return { least: 90, isAlone: false };
  return { least: SINCE_80.test(code) ? 80 : 0, isAlone: false };
}

export function canRun(
  { least, isAlone }: VersionNeeds,
  { major, minor }: { readonly major: number; readonly minor: number },
): boolean {
  const capability = 10 * major + minor;
  return isAlone ? capability === least : capability >= least;
}
