/** The launches of a version of a ladder in one configuration, on the arrays of a workspace. */
import { HeddleError } from "../base/diagnostics.ts";
import type { LaunchStep, Configuration } from "../kernel-library/ladder.ts";
import type { LadderVersion } from "../kernel-library/loaded-ladder.ts";
import type { Gpu } from "../library/gpu.ts";
import type { Workspace } from "./workspace.ts";
import type { LoadVersion, VersionProgram } from "./version-program.ts";

export interface LaunchParts {
  readonly gpu: Gpu;
  readonly load: LoadVersion;
  readonly workspace: Workspace;
}

/** Compiles the version and gives its launches to `use`; afterwards the program is unloaded. */
export async function withLaunches<T>(
  version: LadderVersion,
  configuration: Configuration,
  { gpu, load, workspace }: LaunchParts,
  use: (launches: readonly (() => void)[], program: VersionProgram) => Promise<T>,
): Promise<T> {
  const program = await load(version.path, {
    device: gpu,
    defines: Object.entries(configuration).map(([name, value]) => `${name}=${value}`),
  });
  try {
    workspace.fit(configuration);
    const launches: (() => void)[] = [];
    for (const step of version.declaration.launch(workspace.shape, configuration))
      launches.push(await prepared(program, step, workspace));
    return await use(launches, program);
  } finally {
    if (gpu.raw.fault === null) await program.unload();
  }
}

async function prepared(
  program: VersionProgram,
  { kernel, args, ...config }: LaunchStep,
  workspace: Workspace,
): Promise<() => void> {
  const unknown = (name: string): never => {
    throw new HeddleError("bad-arguments", `the launch of ${kernel} names an array "${name}"`, {
      notes: [`arrays there are: ${workspace.arrayNames.join(", ")}`],
    });
  };
  return await (await program.kernel(kernel)).prepare(config, workspace.resolve(args, unknown));
}
