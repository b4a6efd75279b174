/** The dedicated worker that runs a page's Python script: CPython as WebAssembly, with our `torch` and `triton`. */
import type { EmulatedDevice } from "../device/emulated/emulated-device.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { createCheck } from "../library/check.ts";
import { browserEnvironment } from "../library/environment-browser.ts";
import type { LibraryEnvironment } from "../library/environment.ts";
import { Gpu } from "../library/gpu.ts";
import { createProfile } from "../library/profile.ts";
import { ActivityWriter, sharedMemories } from "../session/activity.ts";
import { reportOf } from "../session/error-report.ts";
import type { CheckResult, ProgramEnd, SessionEvent } from "../session/events.ts";
import type { WorkerReply } from "../session/session-worker-browser.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import { SCRIPT_FOLDER, type PageScriptRequest, type ScriptLocations } from "./page-script.ts";
import { changedFiles, fileLines, importFromFolder, writeFiles } from "./python-files.ts";
import { MODULES, runScriptOn, scriptPlace, type OutputOptions, type Python } from "./run-script.ts";
import { SCRIPT_GPU } from "./script-request.ts";

interface ScriptOrder {
  readonly locations: ScriptLocations;
  /** null: get ready. */
  readonly request: PageScriptRequest | null;
  /** null: the page is not cross-origin isolated. */
  readonly activity: SharedArrayBuffer | null;
}

const reply = (message: WorkerReply): void => postMessage(message);
const emit = (event: SessionEvent): void => reply({ kind: "event", event });

let loading: Promise<Python> | null = null;

addEventListener("message", ({ data: { locations, request, activity } }: MessageEvent<ScriptOrder>) => {
  loading ??= loadPython(locations);
  loading.catch(() => {}); // awaited by the script
  if (request === null) return;
  runScript(request, locations, activity).then(
    (end) => {
      emit({ kind: "exit", end });
      reply({ kind: "result", result: end });
    },
    (error: unknown) => reply({ kind: "failed", report: reportOf(error) }),
  );
});

async function loadPython({
  pyodide,
  heddle = new URL("../", import.meta.url).href,
}: ScriptLocations): Promise<Python> {
  const modules = fetch(`${heddle}python-modules.json`);
  const { loadPyodide } = (await import(/* @vite-ignore */ `${pyodide}pyodide.mjs`)) as {
    loadPyodide(options: object): Promise<Python>;
  };
  const python = await loadPyodide({ indexURL: pyodide, env: { HOME: "/" } });
  const response = await modules;
  if (!response.ok) throw new HeddleError("io-error", "Python's modules of Heddle cannot be fetched");
  writeFiles(python.FS, MODULES, (await response.json()) as Record<string, string>);
  return python;
}

async function runScript(
  request: PageScriptRequest,
  locations: ScriptLocations,
  activity: SharedArrayBuffer | null,
): Promise<ProgramEnd> {
  const started = performance.now();
  const environment = announced(locations);
  const python = await (loading as Promise<Python>);
  const { FS } = python;
  const textOutput = new TextEncoder();
  const onPrint = (text: string): void => emit({ kind: "output", stream: "stdout", bytes: textOutput.encode(text) });
  // As on the command line: a launch is measured by what it does, and none is skipped.
  const options = { gpu: request.gpu ?? SCRIPT_GPU, reuse: false, onPrint };
  const linesOf = (file: string): readonly string[] | null => fileLines(FS, SCRIPT_FOLDER, file);
  let begin = started;
  let exitCode = 0;
  let launches = 0;
  let checked: CheckResult | null = null;
  let profiled: ProfileReport | null = null;
  connect(python, request.stdin);
  const before = writeFiles(FS, SCRIPT_FOLDER, request.files);
  const run = (gpu: Gpu): void => {
    ({ exitCode, launches } = runScriptOn(gpu, python, {
      file: request.file,
      args: request.args,
      directory: SCRIPT_FOLDER,
      environment: {},
      imports: importFromFolder(FS, SCRIPT_FOLDER),
      ...watching(request, activity),
      onBegin: () => {
        begin = performance.now();
        emit({ kind: "started", compileMs: null });
      },
    }));
  };
  if (request.check !== null) {
    const check = createCheck(environment, { linesOf, here: scriptPlace });
    checked = await check(run, { ...options, tools: request.check });
    for (const finding of checked.findings) emit({ kind: "finding", finding });
  } else if (request.profile) {
    profiled = await createProfile(environment, linesOf)(run, options);
    for (const launch of profiled.launches) emit({ kind: "profiled", launch });
  } else {
    const gpu = new Gpu(await environment.openDevice(options), onPrint);
    try {
      run(gpu);
    } finally {
      gpu.close();
    }
  }
  for (const { path, bytes } of changedFiles(FS, SCRIPT_FOLDER, before)) emit({ kind: "file", path, bytes });
  return {
    how: "exited",
    status: { exitCode, trap: null, deviceError: 0, launchError: 0, launches },
    kernels: [],
    compileMs: 0,
    setupMs: begin - started,
    runMs: performance.now() - begin,
    parallel: true,
    checked,
    profiled,
    measured: null,
    timeline: null,
  };
}

/** The page learns of devices that are opened: it reads there in which loop a kernel is. */
function announced(locations: ScriptLocations): LibraryEnvironment {
  const environment = browserEnvironment(locations);
  return {
    ...environment,
    includes: null,
    readSource: async (path) => {
      throw new HeddleError("file-not-found", `there is no file ${path}`);
    },
    async openDevice(options, observer) {
      const device: EmulatedDevice = await environment.openDevice(options, observer);
      reply({ kind: "devices", memories: sharedMemories([device]) });
      return device;
    },
  };
}

/** What is done around launches: the page sees which kernel runs, and a program is recorded. */
function watching(
  { record }: PageScriptRequest,
  activity: SharedArrayBuffer | null,
): Pick<Parameters<typeof runScriptOn>[2], "around" | "onLaunch"> {
  const writer = activity === null ? null : new ActivityWriter(activity);
  let kernel = "";
  let seen = 0;
  return {
    around: (launch) => {
      writer?.begin(kernel);
      launch();
      writer?.end();
    },
    onLaunch: (name, ready, grid) => {
      kernel = name;
      if (record === null || (record.kernel !== null && !name.includes(record.kernel))) return;
      if (++seen !== record.launch) return;
      const { program } = record;
      if (program.some((at, axis) => at >= (grid[axis] ?? 1))) return;
      emit({ kind: "tiles", recording: ready.record(grid, { program }) });
    },
  };
}

function connect(python: Python, stdin: string): void {
  const output = (stream: "stdout" | "stderr"): OutputOptions => ({
    write: (buffer) => {
      emit({ kind: "output", stream, bytes: buffer.slice() });
      return buffer.length;
    },
    isatty: false,
  });
  python.setStdout(output("stdout"));
  python.setStderr(output("stderr"));
  let input = new TextEncoder().encode(stdin);
  const read = (buffer: Uint8Array): number => {
    const taken = input.subarray(0, buffer.length);
    buffer.set(taken);
    input = input.subarray(taken.length);
    return taken.length;
  };
  python.setStdin({ read, isatty: false });
}
