/** A version of a ladder in one configuration, to be checked and timed. */
import { bug } from "../base/diagnostics.ts";
import type { Configuration } from "../kernel-library/ladder.ts";
import type { LadderVersion } from "../kernel-library/loaded-ladder.ts";
import { keyOf } from "../kernel-library/search-space.ts";
import { Interrupted } from "../measure/sampling.ts";
import { SubjectProblem, type Bench, type Subject } from "./subject.ts";
import { runOn } from "./timed-run.ts";
import { withLaunches } from "./version-launches.ts";
import type { LoadVersion, VersionProgram } from "./version-program.ts";

/** What compiles a version, and where it is launched. */
export interface SubjectParts {
  readonly open: () => Promise<Bench>;
  readonly load: LoadVersion;
  readonly signal: AbortSignal;
}

export function versionSubject(
  version: LadderVersion,
  configuration: Configuration,
  { open, load, signal }: SubjectParts,
): Subject {
  return {
    note: Object.keys(configuration).length === 0 ? "" : ` with ${keyOf(configuration)}`,
    with: async (workspace, use) => {
      if (signal.aborted) throw new Interrupted();
      const { gpu, stopwatch } = await open();
      return withLaunches(version, configuration, { gpu, load, workspace }, async (launches, program) => {
        await requireNoMemory(program);
        return use(runOn(workspace, stopwatch, launches));
      });
    },
  };
}

/** A version that carries something from launch to launch could replay its outputs. */
async function requireNoMemory(program: VersionProgram): Promise<void> {
  const writable = await program.writableVariables();
  if (writable === null) bug("the device does not list the variables of a program");
  if (writable.length === 0) return;
  throw new SubjectProblem(
    "refused",
    "keeps something between launches: it has __device__ variables that kernels can write " +
      `(${writable.join(", ")}); give it scratch memory, and tables as __constant__`,
  );
}
