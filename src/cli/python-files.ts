/** Commands about Python files. */
import { HeddleError } from "../base/diagnostics.ts";

/** The first file that the arguments name, if it is Python; arguments behind a source file are a program's own. */
export function pythonFileOf(args: readonly string[]): string | null {
  const first = args.find((argument) => !argument.startsWith("-") && /\.(?:py|cu|cuh|cpp|cxx|cc|c)$/.test(argument));
  return first?.endsWith(".py") === true ? first : null;
}

/** Whether kernels of the file are to be launched, not the whole script run. */
export function namesLaunch(args: readonly string[]): boolean {
  return args.some((argument) => /^--launch(=|$)/.test(argument));
}

/** Seconds. */
export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0)) throw new HeddleError("bad-arguments", `--timeout takes seconds above 0, not "${text}"`);
  return seconds;
}
