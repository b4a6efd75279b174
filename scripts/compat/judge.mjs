// Whether a public program's run is right: by its exit code, its words, and the numbers of its sample output.
import { tmpdir } from "node:os";

/** Words of failure, for programs whose manifest entry says nothing of their output. */
const FAILURE =
  "\\bfailed!|test failed|\\bFAIL(ED|URE)?\\b|not match|mismatch|\\bincorrect\\b|result = fail|\\bwrong\\b|" +
  "illegal memory access|invalid device function|invalid configuration argument|\\bCUDA error: (?!no error)";

/** The line that says most about a failure. */
export function said(text) {
  const lines = text
    .trim()
    .split("\n")
    .map((line) => line.replace(/\u001b\[[0-9;]*m/g, "").trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) =>
    /heddle:|error:|undefined symbol|unsupported|mismatch|fail|not match|invalid|assert/i.test(line),
  );
  return (telling.length > 0 ? telling.slice(0, 3) : lines.slice(-2))
    .join(" · ")
    .replaceAll(tmpdir(), "")
    .slice(0, 300);
}

/** "pass", or how a program's run differs from what is expected of it. */
function statusOf({ timedOut, code, text }, { exit = 0, expect, reject }) {
  if (timedOut || code === "SIGXCPU" || code === "SIGKILL") return "timeout";
  if (code !== exit) return `exit ${code}`;
  if (expect !== undefined && !new RegExp(expect, "im").test(text)) return "does not say success";
  return reject !== undefined && new RegExp(reject, "im").test(text) ? "says failure" : "pass";
}

/** The numbers of a text, without their signs. */
const numbersOf = (text) =>
  [...text.matchAll(/(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)/g)].map(([word]) =>
    Math.abs(Number(word)),
  );

/**
 * Whether the output has the numbers of the sample's: what is nearly 0 there may be any small number here. Of several
 * sample outputs that of `…example2.cu` is the second.
 */
function isLikeSample(output, sample, file) {
  const blocks = [...sample.matchAll(/example output:?\s*```\w*\n(.*?)```/gis)].map(([, block]) => block);
  const block = blocks[Number(/example(\d+)\./.exec(file)?.[1] ?? 1) - 1] ?? blocks[0];
  if (block === undefined) return null;
  const wanted = numbersOf(block);
  const found = numbersOf(output);
  return (
    wanted.length === found.length &&
    wanted.every(
      (value, i) => Math.abs(found[i] - value) <= 0.011 * Math.max(1, value) || (value < 1e-3 && found[i] < 1e-3),
    )
  );
}

/**
 * "pass", or how a run differs from what the manifest expects of the program.
 * @param run { timedOut, code, text }
 * @param readSample the text of program.sample
 */
export function judge(program, run, readSample) {
  const reject = program.reject ?? (program.expect === undefined ? FAILURE : undefined);
  const status = statusOf(run, { ...program, reject });
  if (status !== "pass" || program.sample === undefined) return status;
  return isLikeSample(run.text, readSample(), program.files?.[0] ?? "") === false ? "other numbers" : "pass";
}
