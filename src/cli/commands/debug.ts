/** `heddle debug`: one program of a Triton kernel, or one block of a CUDA kernel, step by step. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { ProgramRecording } from "../../frontend/triton/record-program.ts";
import { sourceLines } from "../../library/source-lines-node.ts";
import { pythonFileOf } from "../python-files.ts";
import { DebugSession, recordingTitle, stepText } from "../debug-session.ts";
import { writeOutput } from "../write-output.ts";
import { launchesOf, openFile, openGpu, parse, type Options } from "./triton.ts";

/** A trace that is printed has no more steps than a person reads. */
const SHOWN_STEPS = 200;

export async function debugCommand(args: readonly string[]): Promise<number> {
  if (pythonFileOf(args) === null) return (await import("./debug-block.ts")).debugBlockCommand(args);
  const options = parse("debug", args);
  const recording = await record(options);
  if (options.json !== null) {
    const text = `${JSON.stringify(recording)}\n`;
    if (options.json === "") process.stdout.write(text);
    else writeOutput(options.json, text);
    return 0;
  }
  if (process.stdin.isTTY && process.stdout.isTTY) await replay(new DebugSession(recording, sourceLines));
  else print(recording);
  return 0;
}

async function record(options: Options): Promise<ProgramRecording> {
  const device = await openGpu("emulated", options.gpu);
  try {
    const program = await openFile(device, options);
    const [launch, ...others] = launchesOf(program, options, "debug");
    if (launch === undefined || others.length > 0)
      throw new HeddleError("bad-arguments", "heddle debug records one launch: give --launch once");
    const { kernel, options: own, positional, keywords } = launch;
    const { program: at, steps } = options;
    const how = { ...own, ...(at === null ? {} : { program: at }), ...(steps === null ? {} : { steps }) };
    return await program.kernel(kernel).record(how, ...positional, keywords);
  } finally {
    device.close();
  }
}

function print(recording: ProgramRecording): void {
  process.stdout.write(`${recordingTitle(recording)}\n`);
  const count = Math.min(recording.steps.length, SHOWN_STEPS);
  for (let i = 0; i < count; i++) process.stdout.write(`${stepText(recording, i, sourceLines)}\n`);
  const left = recording.steps.length - count;
  if (left > 0) process.stdout.write(`… ${left} more steps: --json has them all\n`);
}

/** Reads keys until one ends the session. */
function replay(session: DebugSession): Promise<void> {
  const { stdin, stdout } = process;
  stdout.write(session.start);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding("utf8");
  return new Promise((resolve) => {
    const listen = (data: string): void => {
      // Arrow keys are sequences; pasted text is many keys.
      const keys = data.startsWith("\u001B") ? [data] : [...data];
      for (const key of keys) {
        const text = session.key(key);
        if (text !== null) {
          stdout.write(text);
          continue;
        }
        stdin.off("data", listen);
        stdin.setRawMode(false);
        stdin.pause();
        resolve();
        return;
      }
    };
    stdin.on("data", listen);
  });
}
