/**
 * The thread that a Python script runs in: CPython as WebAssembly, with our modules `torch` and `triton`. It blocks
 * while the script runs, so every call from Python is complete when it returns. The main thread still receives Ctrl-C
 * and counts time.
 */
import { existsSync, mkdirSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { HeddleError } from "../base/diagnostics.ts";
import { Gpu } from "../library/gpu.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import type { CheckerName } from "../check/finding.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { importFromDisk } from "../library/triton-files-node.ts";
import { reportOf } from "../session/error-report.ts";
import { writeFully } from "../session/output-buffer-node.ts";
import { pyodideFolder } from "./pyodide-folder-node.ts";
import { MODULES, runScriptOn, scriptPlace, type OutputOptions, type Python } from "./run-script.ts";
import { BROKEN_PIPE, type ScriptAnswer, type ScriptEnd, type ScriptRequest } from "./script-request.ts";

async function loadPython({ environment, directories, modules }: ScriptRequest): Promise<Python> {
  const folder = pyodideFolder();
  if (folder === null)
    throw new HeddleError("unsupported", "Python scripts need the package pyodide, which is not installed", {
      notes: [
        "npm install pyodide",
        "pyodide is CPython as WebAssembly; kernels of a Python file run without it: add --launch 'KERNEL[GRID](…)'",
      ],
    });
  const { loadPyodide } = (await import("pyodide")) as unknown as {
    loadPyodide(options: object): Promise<Python>;
  };
  const python = await loadPyodide({ indexURL: folder, env: { ...environment, HOME: environment["HOME"] ?? "/" } });
  const output = (descriptor: 1 | 2): OutputOptions => ({
    write: (buffer) => {
      // As SIGPIPE ends a program: nobody reads any more.
      if (!writeFully(descriptor, buffer)) process.exit(BROKEN_PIPE);
      return buffer.length;
    },
    isatty: false,
  });
  python.setStdout(output(1));
  python.setStderr(output(2));
  python.setStdin({ read: (buffer) => readSync(0, buffer), isatty: false });
  mount(python, modules, MODULES);
  for (const directory of directories) mount(python, directory, directory);
  return python;
}

function mount(python: Python, host: string, at: string): void {
  if (!existsSync(host)) mkdirSync(host, { recursive: true });
  python.FS.mkdirTree(at);
  python.mountNodeFS(at, host);
}

/** The script on a device, with Python loaded. Returns its exit code and how many kernels it launched. */
function runOn(
  gpu: Gpu,
  python: Python,
  { file, args, environment, timeoutMs, inKernel }: ScriptRequest,
): Omit<ScriptEnd, "report"> {
  let begin = 0;
  const timeLeft = (): { readonly timeoutMs?: number } =>
    timeoutMs === null ? {} : { timeoutMs: Math.max(1, Math.round(timeoutMs - (performance.now() - begin))) };
  return runScriptOn(gpu, python, {
    file,
    args,
    environment,
    directory: process.cwd(),
    imports: importFromDisk,
    around: (launch) => {
      Atomics.store(inKernel, 0, 1);
      try {
        launch(timeLeft());
      } finally {
        Atomics.store(inKernel, 0, 0);
      }
    },
    onBegin: () => {
      begin = performance.now();
      parentPort?.postMessage({ kind: "begins" } satisfies ScriptAnswer);
    },
  });
}

async function runScript(request: ScriptRequest): Promise<ScriptEnd> {
  const environment = nodeEnvironment();
  const onPrint = (text: string): void => void writeFully(1, new TextEncoder().encode(text));
  // A launch is measured by what it does: none is skipped because its result is in memory already.
  const options = { gpu: request.gpu, reuse: false, onPrint };
  const { tool } = request;
  // The device and Python take a second or two each.
  const loading = loadPython(request);
  loading.catch(() => {}); // awaited below
  let end: Omit<ScriptEnd, "report"> = { exitCode: 0, launches: 0 };
  const run = async (gpu: Gpu): Promise<void> => {
    end = runOn(gpu, await loading, request);
  };
  if (tool === null) {
    const gpu = new Gpu(await environment.openDevice({ ...options, device: request.device }), onPrint);
    try {
      await run(gpu);
    } finally {
      gpu.close();
    }
    return { ...end, report: "" };
  }
  if (tool.kind === "profile") {
    const { createProfile } = await import("../library/profile.ts");
    const { text } = await createProfile(environment, sourceLines)(run, { ...options, lines: tool.lines });
    return { ...end, report: end.launches === 0 ? "" : text };
  }
  const { createCheck } = await import("../library/check.ts");
  const check = createCheck(environment, { linesOf: sourceLines, here: scriptPlace });
  const tools = tool.checkers === null ? {} : { tools: tool.checkers as readonly CheckerName[] };
  const { text } = await check(run, { ...options, ...tools });
  return { ...end, report: text };
}

runScript(workerData as ScriptRequest).then(
  (end) => parentPort?.postMessage({ kind: "ended", end } satisfies ScriptAnswer),
  (error: unknown) => parentPort?.postMessage({ kind: "failed", report: reportOf(error) } satisfies ScriptAnswer),
);
