/** `heddle debug program.cu`: one block of a launch, step by step, forwards and backwards. */
import { createInterface } from "node:readline";
import { HeddleError } from "../../base/diagnostics.ts";
import type { RecordingChoice } from "../../recording/recording-choice.ts";
import type { BlockRecording } from "../../recording/recording.ts";
import { endText, titleText } from "../../recording/recording-text.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { sourceLines } from "../../library/source-lines-node.ts";
import { BlockDebugSession } from "../block-debug-session.ts";
import { chooseModel } from "../data-model.ts";
import { parseRunCommand } from "../options/run-options.ts";
import { ownFile } from "../own-files.ts";
import { programRequest } from "../print-run.ts";
import { programName, programSource } from "../program-inputs.ts";

interface DebugOptions {
  readonly choice: RecordingChoice;
  readonly json: boolean;
  /** The command's other arguments. */
  readonly rest: readonly string[];
}

export async function debugBlockCommand(args: readonly string[]): Promise<number> {
  if (args.includes("--dap")) return serveEditor(args.filter((argument) => argument !== "--dap"));
  const { json, ...options } = parseDebugOptions(args);
  await replay(await recordedBlock(options), json);
  return 0;
}

async function recordedBlock({ choice, rest }: Pick<DebugOptions, "choice" | "rest">): Promise<BlockRecording> {
  const recording = await record(choice, rest);
  if (recording !== null) return recording;
  throw new HeddleError(
    "bad-arguments",
    `the program made no launch ${choice.launch} of ${choice.kernel ?? "a kernel"}`,
    {
      notes: ["--kernel and --launch choose another one"],
    },
  );
}

/** Speaks with an editor over standard input and output: the Debug Adapter Protocol. */
async function serveEditor(preset: readonly string[]): Promise<number> {
  const { DebugAdapter } = await import("../debug-adapter.ts");
  const { MessageReader, encodeMessage } = await import("../debug-messages.ts");
  const adapter = new DebugAdapter(
    ({ program, args = [], options = [] }) =>
      recordedBlock(parseDebugOptions([...preset, ...options, program, ...args])),
    (message) => void process.stdout.write(encodeMessage(message)),
  );
  const reader = new MessageReader();
  for await (const chunk of process.stdin)
    for (const request of reader.read(chunk as Uint8Array)) if (!(await adapter.handle(request))) return 0;
  return 0;
}

export function parseDebugOptions(args: readonly string[]): DebugOptions {
  let kernel: string | null = null;
  let launch = 1;
  let block = { x: 0, y: 0, z: 0 };
  let steps: number | null = null;
  let json = false;
  const rest: string[] = [];
  const flat = args.flatMap((argument) => {
    const [, flag, value] = /^(--(?:kernel|launch|block|steps))=(.*)$/.exec(argument) ?? [];
    return flag === undefined ? [argument] : [flag, value as string];
  });
  const firstFile = flat.findIndex((argument) => /\.(cu|cuh|cpp|cxx|cc|c)$/.test(argument));
  for (let i = 0; i < flat.length; i++) {
    const argument = flat[i] as string;
    // What comes behind the file is the program's.
    const isOwn = firstFile < 0 || i < firstFile;
    const value = flat[i + 1] ?? "";
    if (isOwn && argument === "--json") json = true;
    else if (isOwn && ["--kernel", "--launch", "--block", "--steps"].includes(argument)) {
      i++;
      if (argument === "--kernel") kernel = value;
      else if (argument === "--launch") launch = count(argument, value);
      else if (argument === "--steps") steps = count(argument, value);
      else block = blockOf(value);
    } else rest.push(argument);
  }
  return { choice: { kernel, launch, block, limits: steps === null ? {} : { steps } }, json, rest };
}

function count(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new HeddleError("bad-arguments", `${flag} takes a whole number above 0, not "${text}"`);
  return value;
}

function blockOf(text: string): RecordingChoice["block"] {
  const [x = Number.NaN, y = 0, z = 0, ...more] = text.split(",").map(Number);
  if (more.length > 0 || [x, y, z].some((value) => !Number.isInteger(value) || value < 0))
    throw new HeddleError("bad-arguments", `--block takes X, X,Y or X,Y,Z, not "${text}"`);
  return { x, y, z };
}

/** Runs the program until the block is recorded. Null: it ended before. */
async function record(choice: RecordingChoice, args: readonly string[]): Promise<BlockRecording | null> {
  const { options, nvcc: given, programArguments } = parseRunCommand(args);
  const nvcc = { ...given, sources: given.sources.map(ownFile) };
  if (nvcc.sources.length === 0)
    throw new HeddleError("bad-arguments", "no source file is given", { notes: ["heddle debug FILE.cu"] });
  const model = await chooseModel(nvcc.compile.model, nvcc.objects);
  const program = programSource(nvcc, { ...nvcc.compile, model, keepsVariables: true });
  const request = programRequest(program, [programName(nvcc), ...programArguments], { ...options, record: choice });
  // The program's own output goes on to stderr: stdout is the debugger's.
  let recording: BlockRecording | null = null;
  const run = openNodeSession({ cache: options.cache, output: "events" }).start(
    { ...request, settings: { ...request.settings, stdin: "" } },
    (event) => {
      if (event.kind === "diagnostic") process.stderr.write(event.text);
      if (event.kind === "output") process.stderr.write(event.bytes);
      if (event.kind !== "recorded") return;
      recording = event.recording;
      run.stop();
    },
  );
  await run.result;
  return recording;
}

async function replay(recording: BlockRecording, json: boolean): Promise<void> {
  const session = new BlockDebugSession(recording, sourceLines);
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  stdout.write(json ? `${JSON.stringify(summary(recording))}\n` : session.start);
  const lines = createInterface({ input: stdin, output: isTerminal ? stdout : undefined, terminal: isTerminal });
  const ask = (): void => {
    if (!isTerminal) return;
    lines.setPrompt(session.prompt);
    lines.prompt();
  };
  ask();
  for await (const line of lines) {
    const answer = session.command(line);
    if (answer === null) break;
    if (json) stdout.write(`${JSON.stringify({ command: line.trim(), answer: answer.data })}\n`);
    else stdout.write(isTerminal ? answer.text : `> ${line.trim()}\n${answer.text}`);
    ask();
  }
  lines.close();
}

/** The recording without what only a replay needs. */
function summary(recording: BlockRecording): object {
  const { launch, lines, steps, stepCount, instructions, laneInstructions, end, printed } = recording;
  const { kernel, grid, block, blockIndex, ordinal } = launch;
  return {
    version: 1,
    title: titleText(recording),
    ends: endText(recording),
    end,
    launch: { kernel, ordinal, grid, block, blockIndex },
    stepCount,
    instructions,
    laneInstructions,
    printed,
    lines,
    steps: { warp: [...steps.warps], line: [...steps.lines], mask: [...steps.masks], flags: [...steps.flags] },
  };
}
