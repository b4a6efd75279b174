/** What `heddle profile` prints when the program has ended. */
import { demangle } from "../base/demangle.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import { profileText } from "../profile/profile-text.ts";
import { useColor } from "./terminal.ts";

/** Prints the summary, and with `lines` the annotated source. */
export function printProfile(report: ProfileReport, lines: boolean): void {
  process.stderr.write(
    profileText(report, { readable: demangle, color: useColor(process.stderr), lines, linesOf: sourceLines }),
  );
}

/** `heddle profile --json`: the launches, each kernel with its readable name, too. */
export function profileJson({ gpu, launches, notRecorded }: ProfileReport): object {
  return {
    gpu,
    launches: launches.map((launch) => ({ ...launch, name: demangle(launch.kernel) })),
    notRecorded,
  };
}
