/** Python scripts: what runs them is loaded when the first one is started. */
import { DEFAULT_CHECKERS } from "../check/checkers.ts";
import { HeddleError } from "../base/diagnostics.ts";
import type { PageScriptRequest, TilesChoice } from "../python/page-script.ts";
import type { ScriptSession } from "../python/script-session-browser.ts";
import type { RecordingChoice } from "../recording/recording-choice.ts";
import { engineFolder } from "./engine.ts";
import { mainFile, splitArguments, type Workspace } from "./model/workspace.ts";

type ScriptLibrary = typeof import("../python/script-session-browser.ts");

let session: Promise<ScriptSession> | null = null;

export function openScripts(): Promise<ScriptSession> {
  return (session ??= load());
}

/** A person writes a script, or has run one: the next one waits less for Python. */
export function prepareScript(): void {
  openScripts().then(
    (scripts) => scripts.prepare(),
    // It fails again when the person runs the script, and is reported then.
    () => undefined,
  );
}

async function load(): Promise<ScriptSession> {
  const pyodide = new URL("pyodide/", document.baseURI).href;
  // A GET: the service worker answers it without a network.
  if (!(await fetch(`${pyodide}pyodide.mjs`)).ok)
    throw new HeddleError("unsupported", "this site has no Python: it was made without the package pyodide", {
      notes: ["npm install pyodide, then build the studio again"],
    });
  const heddle = engineFolder();
  const library = (await import(/* @vite-ignore */ `${heddle}script-session-browser.js`)) as ScriptLibrary;
  return library.openScriptSession({ clang: new URL("clang/", document.baseURI).href, heddle, pyodide });
}

export function scriptRequest(
  workspace: Workspace,
  action: "run" | "check" | "profile" | "watch",
  choice: RecordingChoice,
): PageScriptRequest {
  const { files, args, stdin, gpu } = workspace;
  return {
    kind: "script",
    file: mainFile(workspace)?.path ?? "",
    files: Object.fromEntries(files.map(({ path, text }) => [path, text])),
    args: splitArguments(args),
    stdin,
    gpu,
    check: action === "check" ? DEFAULT_CHECKERS : null,
    profile: action === "profile",
    record: action === "watch" ? tilesChoice(choice) : null,
    timeout: null,
  };
}

/** The same choice as of a CUDA program: a block is a program there. */
function tilesChoice({ kernel, launch, block: { x, y, z } }: RecordingChoice): TilesChoice {
  return { kernel, launch, program: [x, y, z] };
}
