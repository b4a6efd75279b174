// The common.h of llm.c's dev/cuda programs for copies that only measure: with warm-up launches, and the median of the
// times.
import { replaced, uncheckedHeader } from "./llmc-copies.mjs";

export const MAX_LAUNCHES = 200;
/**
 * How often the cache is cleared in front of a timed launch, in both builds. The programs clear it once, which takes a
 * GPU about 15 µs, and the measurement begins with the event behind that work. If the host needs longer until the
 * launch, its time would be measured, too.
 */
const CLEARS = 8;
const WARM_UPS = 50;
/** One launch that takes this long is warm-up enough. */
const LONG_MS = 2;
/** No more launches follow after this time in all. */
const LONGEST_MS = 400;
export function timedHeader(text) {
  const covered = replaced(
    uncheckedHeader(text),
    /^ *(cudaCheck\(cudaMemset\(flush_buffer,.*\);)$/gm,
    `for (int clear = 0; clear < ${CLEARS}; clear++) $1`,
    "common.h",
  );
  // Warm-up launches: the compilation of the host program while it runs is no part of a kernel's time.
  const warm = replaced(
    covered,
    "for (int i = 0; i < repeats; i++) {",
    `for (int i = -${WARM_UPS}; i < repeats; i++) {`,
    "common.h",
  );
  // The median, as a mean would contain pauses of the host between event and launch.
  const sorted = replaced(
    replaced(
      warm,
      "elapsed_time += single_call;",
      `if (i < 0) { if (single_call > ${LONG_MS}.0f) i = -1; continue; }
        int at = i;
        for (; at > 0 && timed_calls[at - 1] > single_call; at--) timed_calls[at] = timed_calls[at - 1];
        timed_calls[at] = single_call;
        elapsed_time += single_call;
        if (elapsed_time > ${LONGEST_MS}.0f) repeats = i + 1;`,
      "common.h",
    ),
    "return elapsed_time / repeats;",
    "return timed_calls[repeats / 2];",
    "common.h",
  );
  const random =
    "#include <stdlib.h>\nstatic unsigned timed_seed = 1;\n" +
    "static inline int timed_rand() { return (int)((timed_seed = timed_seed * 1664525u + 1013904223u) >> 1); }\n";
  return (
    `${random}static float timed_calls[${MAX_LAUNCHES}];\n` +
    `${replaced(sorted, /\brand\(\)/g, "timed_rand()", "common.h")}`
  );
}
