/** What the page asks a session for, from what the person works on. */
import { programRequest, type Watchers } from "../browser/program-options.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { DEFAULT_CHECKERS } from "../check/checkers.ts";
import type { RecordingChoice } from "../recording/recording-choice.ts";
import type { SessionRequest } from "../session/request.ts";
import type { ServerProgram } from "../session/server-messages.ts";
import { mainFile, splitArguments, type Workspace } from "./model/workspace.ts";

export function partsOf(workspace: Workspace): {
  readonly file: { readonly path: string; readonly text: string };
  readonly files: Readonly<Record<string, string>>;
} {
  const file = mainFile(workspace);
  if (file === null)
    throw new HeddleError("unsupported", "there is no CUDA file: the studio runs files that end in .cu", {
      notes: ["Python scripts with Triton kernels run on the command line: npx heddle run script.py"],
    });
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

export function raceRequest({ ladder, files, gpu }: Workspace): Extract<SessionRequest, { kind: "bench" }> {
  if (ladder === null) throw new HeddleError("unsupported", "only a ladder has versions that can race");
  const versions = files.filter(({ path }) => path.endsWith(".cu"));
  const headers = [...files.filter(({ path }) => !path.endsWith(".cu")), ...ladder.headers];
  return {
    kind: "bench",
    ladders: [
      {
        name: ladder.id,
        declaration: ladder.declaration,
        versions: Object.fromEntries(versions.map(({ path, text }) => [path.replace(/\.cu$/, ""), text])),
        files: Object.fromEntries(headers.map(({ path, text }) => [path, text])),
      },
    ],
    settings: {
      device: "emulated",
      gpu,
      workers: null,
      shape: {},
      only: null,
      rivals: false,
      sweep: false,
      sweepAgain: false,
      checkOnly: false,
      profile: false,
      seed: null,
    },
  };
}
