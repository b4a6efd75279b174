/** Shows what the compiler makes of device code: `heddle compile --emit ir` and `ptx`, in one. */
import type { ProgramPlatform } from "./perform-program.ts";
import { ptxText } from "./ptx-text.ts";
import { DEFAULT_DEVICE, type CodeRequest, type CodeTexts, type RunSettings } from "./request.ts";

const DEFAULT_ARCH = "sm_80";

export async function performCode(
  { source, compile, files }: CodeRequest,
  platform: Pick<ProgramPlatform, "openCompiler" | "reader">,
): Promise<CodeTexts> {
  const { compiler, deviceLibrary } = await platform.openCompiler();
  const options = { ...compile, nvccForm: true };
  const { program } = await compiler.compileDevice(source, options, platform.reader({ ...NO_RUN, files }));
  return {
    ir: program.ir,
    ptx: ptxText(program, await deviceLibrary(compile.model), {
      arch: compile.arch ?? DEFAULT_ARCH,
      model: compile.model ?? "ilp32",
      lineInfo: true,
    }),
  };
}

/** Nothing runs: only the files count. */
const NO_RUN: RunSettings = {
  ...DEFAULT_DEVICE,
  directories: [],
  files: {},
  isolation: null,
  stdin: "",
  timeLaunches: false,
  launchEvents: false,
};
