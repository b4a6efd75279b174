/** What `heddle profile` prints when the program has ended. */
import { demangle } from "../base/demangle.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import { hintsFor } from "../profile/hints.ts";
import { profilePage } from "../profile/profile-page.ts";
import type { ProfileReport } from "../profile/profile-report.ts";
import { profileText } from "../profile/profile-text.ts";
import type { RunOptions } from "./options/run-options.ts";
import { useColor } from "./terminal.ts";
import { writeOutput } from "./write-output.ts";

/** Prints the summary, with `lines` the annotated source, and writes the files that `-o` names. */
export function reportProfile(report: ProfileReport, { json, lines, outputs }: RunOptions, title: string): void {
  const [readable, linesOf] = [demangle, sourceLines];
  if (json === null)
    process.stderr.write(profileText(report, { readable, color: useColor(process.stderr), lines, linesOf }));
  for (const { format, file } of outputs) {
    if (format !== "page") continue;
    writeOutput(file, profilePage(report, { title, readable, linesOf }), "-o");
    process.stderr.write(`heddle: ${file} has the profile as a page\n`);
  }
}

/** `heddle profile --json`: the launches, each kernel with its readable name, too. */
export function profileJson({ gpu, launches, notRecorded }: ProfileReport): object {
  return {
    gpu,
    launches: launches.map((launch) => ({
      ...launch,
      name: demangle(launch.kernel),
      hints: hintsFor(launch, gpu.multiprocessors),
    })),
    notRecorded,
  };
}
