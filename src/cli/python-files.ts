/** Whether a command is about a Python file with Triton kernels. */

/** The first file that the arguments name, if it is Python; arguments behind a source file are a program's own. */
export function pythonFileOf(args: readonly string[]): string | null {
  const first = args.find((argument) => !argument.startsWith("-") && /\.(?:py|cu|cuh|cpp|cxx|cc|c)$/.test(argument));
  return first?.endsWith(".py") === true ? first : null;
}

/** Whether kernels of the file are to be launched, not the whole script run. */
export function namesLaunch(args: readonly string[]): boolean {
  return args.some((argument) => /^--launch(=|$)/.test(argument));
}
