/** What the page asks a session for, from what the person works on. */
import { programRequest, type Watchers } from "../browser/program-options.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { DEFAULT_CHECKERS } from "../check/checkers.ts";
import type { RecordingChoice } from "../recording/recording-choice.ts";
import type { SessionRequest } from "../session/request.ts";
import type { ServerProgram } from "../session/server-messages.ts";
import { copiesOf, mainFile, splitArguments, type Workspace } from "./model/workspace.ts";

/** The file that is compiled, and the others. */
export function partsOf(workspace: Workspace): {
  readonly file: { readonly path: string; readonly text: string };
  readonly files: Readonly<Record<string, string>>;
} {
  const file = mainFile(workspace);
  if (file === null)
    throw new HeddleError(
      "unsupported",
      "no file can run: the studio runs CUDA programs (.cu) and Python scripts (.py)",
    );
  const others = workspace.files.filter(({ path }) => path !== file.path);
  const headers = workspace.ladder?.headers ?? [];
  return { file, files: Object.fromEntries([...others, ...headers].map(({ path, text }) => [path, text])) };
}

export function serverProgram(workspace: Workspace): ServerProgram {
  const { file, files } = partsOf(workspace);
  const { args, stdin, gpu } = workspace;
  return { ...file, files, args: splitArguments(args), stdin, gpu };
}

export function requestOf(
  workspace: Workspace,
  action: "run" | "check" | "profile" | "watch",
  record: RecordingChoice,
): ReturnType<typeof programRequest> {
  const { file, files } = partsOf(workspace);
  const { args, stdin, gpu } = workspace;
  const options = { clang: "", path: file.path, args: splitArguments(args), stdin, gpu, files };
  if (action === "watch") return programRequest(file.text, options, { record });
  const watchers: Watchers = action === "check" ? { check: DEFAULT_CHECKERS } : { profile: action === "profile" };
  return programRequest(file.text, options, watchers);
}

/** @param sweeps each version is tried with all its configurations: sizes of blocks, of tiles. */
export function raceRequest(
  { ladder, files, gpu }: Workspace,
  sweeps: boolean,
): Extract<SessionRequest, { kind: "bench" }> {
  if (ladder === null) throw new HeddleError("unsupported", "only a ladder has versions that can race");
  const textsOf = (ending: string): Record<string, string> =>
    Object.fromEntries(
      files.flatMap(({ path, text }) => (path.endsWith(ending) ? [[path.slice(0, -ending.length), text]] : [])),
    );
  const others = [...files.filter(({ path }) => !/\.(?:cu|py)$/.test(path)), ...ladder.headers];
  return {
    kind: "bench",
    ladders: [
      {
        name: ladder.id,
        declaration: ladder.declaration,
        versions: textsOf(".cu"),
        triton: textsOf(".py"),
        like: copiesOf(files),
        files: Object.fromEntries(others.map(({ path, text }) => [path, text])),
      },
    ],
    settings: {
      device: "emulated",
      gpu,
      workers: null,
      shape: {},
      only: null,
      rivals: false,
      sweep: sweeps,
      sweepAgain: false,
      checkOnly: false,
      profile: false,
      seed: null,
    },
  };
}
