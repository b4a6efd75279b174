/** What went wrong in a Python script, from what it writes to stderr: tracebacks, and Triton's errors in kernels. */
import { fileName, type Place, type Problem } from "./problems.ts";

const BEGIN = "Traceback (most recent call last):";
const FRAME = /^ {2}File "(.+?)", line (\d+)(?:, in (.+))?$/;
/** As diagnostics name a place in a kernel: "at softmax.py:11:13, in softmax". */
const KERNEL_AT = /(?:^|\s)(?:-->|at) ([^\s:]+\.py):(\d+):(\d+)/;

/** The last traceback of a text: what ended the script. */
export function tracebackProblems(stderr: string): Problem[] {
  const begin = stderr.lastIndexOf(`\n${BEGIN}`) + 1;
  if (!stderr.startsWith(BEGIN, begin)) return syntaxProblem(stderr);
  const lines = stderr.slice(begin).split("\n").slice(1);
  const frames: { readonly place: Place; readonly functionName: string }[] = [];
  let at = 0;
  for (; at < lines.length && (lines[at] ?? "").startsWith(" "); at++) {
    const [, file = "", line, functionName = ""] = FRAME.exec(lines[at] ?? "") ?? [];
    if (file !== "") frames.push({ place: { file: fileName(file), line: Number(line), column: 0 }, functionName });
  }
  const [title = "the script failed", ...details] = lines.slice(at).filter((line) => line.trim() !== "");
  const called = frames.at(-1)?.place ?? null;
  const inKernel = kernelPlace([title, ...details]);
  return [
    {
      severity: "error",
      source: "python",
      place: inKernel ?? called,
      title,
      details: details.filter((line) => !/^\s*[\^~]+\s*$/.test(line)),
      related: frames.flatMap(({ place, functionName }) =>
        inKernel === null && place === called
          ? []
          : [{ text: functionName === "<module>" ? "called here" : `called here, in ${functionName}`, place }],
      ),
    },
  ];
}

function kernelPlace(lines: readonly string[]): Place | null {
  for (const line of lines) {
    const [, file, row, column] = KERNEL_AT.exec(line) ?? [];
    if (file !== undefined) return { file: fileName(file), line: Number(row), column: Number(column) };
  }
  return null;
}

/** Of a file that Python cannot read there is no traceback of calls. The line is shown without its indent. */
function syntaxProblem(stderr: string): Problem[] {
  const lines = stderr.split("\n");
  const at = lines.findLastIndex((line) => FRAME.test(line));
  const title = lines.find((line, i) => i > at && /^\w*Error: /.test(line));
  if (at < 0 || title === undefined) return [];
  const [, file = "", line] = FRAME.exec(lines[at] ?? "") ?? [];
  return [
    {
      severity: "error",
      source: "python",
      place: { file: fileName(file), line: Number(line), column: 0 },
      title,
      details: [],
      related: [],
    },
  ];
}
