// Copies of karpathy/llm.c's dev/cuda programs that only time, what they print, and who builds them: for llmc-gpu.mjs
// and llmc-ladders.mjs.
import { join } from "node:path";

/** @throws Error where the text is not there: the program is not the one that the change was made for. */
export function replaced(text, from, to, file) {
  if (!(typeof from === "string" ? text.includes(from) : from.test(text)))
    throw new Error(`${file} does not contain ${from}`);
  return text.replaceAll(from, to);
}

/**
 * A program without its references on the host, which take minutes, and with at most so many launches for each time.
 */
export function timedProgram(text, file, maxLaunches) {
  const unchecked = replaced(
    text,
    /^( +)((?:float out = )?)\w+_cpu\(.*\);$/gm,
    (_, indent, result) => (result === "" ? "" : `${indent}float out = 0;`),
    file,
  );
  // What is asked of the reference's output is asked of nothing here.
  return unchecked
    .replace(/^ *assert\(max_el > [^)]*\);$/gm, "")
    .replace(/int repeat_times = (\d+);/g, (_, times) => `int repeat_times = ${Math.min(Number(times), maxLaunches)};`);
}

/** common.h, whose comparison with the reference compares nothing. */
export const uncheckedHeader = (text) =>
  replaced(text, /(void validate_result\([^{]*\{)/g, "$1\n    return;", "common.h");

/** @returns the times that a program prints, in milliseconds, each with the block size (null where it names none) */
export function printedTimes(text) {
  return [...text.matchAll(/^(?:(?:sqrt_)?block_size +(\d+) *\|? *)?time(?: gpu)?:? +([\d.]+) *ms/gm)].map(
    ([, block = null, ms]) => ({ block, ms: Number(ms) }),
  );
}

/** Where nvcc may be, the likeliest place first. */
export const NVCC_PLACES = [
  "nvcc",
  ...(process.env.CUDA_HOME ? [join(process.env.CUDA_HOME, "bin/nvcc")] : []),
  "/usr/local/cuda/bin/nvcc",
];
