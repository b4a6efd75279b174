/** A version of a ladder in one configuration, compiled and ready to launch on a workspace. */
import { bug, HeddleError } from "../base/diagnostics.ts";
import type { LaunchStep, Configuration } from "../kernel-library/ladder.ts";
import type { LadderVersion } from "../kernel-library/loaded-ladder.ts";
import { keyOf } from "../kernel-library/search-space.ts";
import type { CompileOptions, GpuProgram } from "../library/gpu-program.ts";
import { Interrupted } from "../measure/sampling.ts";
import { SubjectProblem, type Bench, type Subject } from "./subject.ts";
import { runOn, type MeasuredRun } from "./timed-run.ts";
import type { Workspace } from "./workspace.ts";

/** What compiles a version, and where it is launched. */
export interface SubjectParts {
  readonly open: () => Promise<Bench>;
  readonly load: (path: string, options: CompileOptions) => Promise<GpuProgram>;
  readonly signal: AbortSignal;
}

export function versionSubject(version: LadderVersion, configuration: Configuration, parts: SubjectParts): Subject {
  return {
    note: Object.keys(configuration).length === 0 ? "" : ` with ${keyOf(configuration)}`,
    with: (workspace, use) => withLaunches(version, configuration, { ...parts, workspace }, use),
  };
}

async function withLaunches<T>(
  version: LadderVersion,
  configuration: Configuration,
  { open, load, signal, workspace }: SubjectParts & { readonly workspace: Workspace },
  use: (run: MeasuredRun) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new Interrupted();
  const { gpu, stopwatch } = await open();
  const program = await load(version.path, {
    device: gpu,
    defines: Object.entries(configuration).map(([name, value]) => `${name}=${value}`),
  });
  try {
    workspace.fit(configuration);
    const launches: (() => void)[] = [];
    for (const step of version.declaration.launch(workspace.shape, configuration))
      launches.push(await prepared(program, step, workspace));
    await requireNoMemory(program);
    return await use(runOn(workspace, stopwatch, launches));
  } finally {
    if (gpu.raw.fault === null) await program.unload();
  }
}

/** A version that carries something from launch to launch could replay its outputs. */
async function requireNoMemory(program: GpuProgram): Promise<void> {
  const writable = await program.writableVariables();
  if (writable === null) bug("the device does not list the variables of a program");
  if (writable.length === 0) return;
  throw new SubjectProblem(
    "refused",
    "keeps something between launches: it has __device__ variables that kernels can write " +
      `(${writable.join(", ")}); give it scratch memory, and tables as __constant__`,
  );
}

async function prepared(
  program: GpuProgram,
  { kernel, args, ...config }: LaunchStep,
  workspace: Workspace,
): Promise<() => void> {
  const unknown = (name: string): never => {
    throw new HeddleError("bad-arguments", `the launch of ${kernel} names an array "${name}"`, {
      notes: [`arrays there are: ${workspace.arrayNames.join(", ")}`],
    });
  };
  return (await program.kernel(kernel)).prepare(config, workspace.resolve(args, unknown));
}
