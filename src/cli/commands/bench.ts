/**
 * `heddle bench`: checks, sweeps and times ladders of kernels, on a device of this machine or on another one (--on).
 */
import { dirname } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { findLadders, ladderName, loadLadder } from "../../kernel-library/ladder-files-node.ts";
import { Interrupted } from "../../measure/sampling.ts";
import { formatHistory } from "../../bench/report-history.ts";
import { coloured, plain, type Paint } from "../../bench/report-table.ts";
import { readResults } from "../../bench/result-file-node.ts";
import { BenchThread, StuckInLaunch } from "../../session/bench-thread-node.ts";
import { chosenVersions } from "../../session/perform-bench.ts";
import type { BenchRequest } from "../../session/request.ts";
import { parseBenchCommand, type BenchCommand } from "../options/bench-options.ts";
import { BenchReport } from "../bench-report.ts";
import { promoteRecorded } from "../promote.ts";
import { endByInterrupt, useColor } from "../terminal.ts";
import { version } from "../version.ts";

export async function benchCommand(args: readonly string[]): Promise<number> {
  const command = parseBenchCommand(args);
  const paint: Paint = useColor(process.stdout) ? coloured : plain;
  if (command.history) {
    const code = printHistory(command, paint);
    if (command.promote)
      process.stderr.write(await promoteRecorded(readResults(command.results), findLadders(ladderPaths(command))));
    return code;
  }
  const files = findLadders(ladderPaths(command));
  const report = new BenchReport(command, paint, {
    folders: new Map(files.map((file) => [ladderName(file), dirname(file)])),
    place: command.on,
  });
  const interrupt = new AbortController();
  const onInterrupt = (): void => {
    // A second one waits for nothing.
    if (interrupt.signal.aborted) endByInterrupt();
    interrupt.abort();
  };
  process.on("SIGINT", onInterrupt);
  try {
    await measure(command, files, report, interrupt.signal);
  } catch (error) {
    report.clear();
    if (!(error instanceof Interrupted)) throw error;
    const code = report.finish(true);
    if (error instanceof StuckInLaunch) {
      await written();
      endByInterrupt();
    }
    return code;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
  return report.finish(false);
}

async function written(): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((done) => void stream.write("", () => done()));
}

async function measure(
  command: BenchCommand,
  files: readonly string[],
  report: BenchReport,
  signal: AbortSignal,
): Promise<void> {
  const { on } = command;
  if (on !== null) {
    // Mistakes in ladders are reported before anything is uploaded.
    for (const file of files) chosenVersions(await loadLadder(file, (source) => [source]), command);
    const { benchElsewhere } = await import("../remote/bench-elsewhere.ts");
    return benchElsewhere(on, command, files, report.handle, signal);
  }
  const request: BenchRequest = { kind: "bench", ladders: files.map((file) => ({ file })), settings: command };
  const thread = new BenchThread(request, { version: version() }, report.handle);
  signal.addEventListener("abort", () => thread.stop());
  await thread.result;
}

const ladderPaths = ({ paths }: BenchCommand): readonly string[] => (paths.length > 0 ? paths : ["kernels"]);

function printHistory(command: BenchCommand, paint: Paint): number {
  const names = command.paths.length === 0 ? null : findLadders(command.paths).map(ladderName);
  const records = readResults(command.results).filter(({ ladder }) => names === null || names.includes(ladder));
  if (records.length === 0)
    throw new HeddleError(
      "file-not-found",
      `there are no results${names === null ? "" : ` of ${names.join(", ")}`} in ${command.results}`,
      { notes: ["heddle bench keeps them there"] },
    );
  process.stdout.write(command.json === null ? formatHistory(records, paint) : `${JSON.stringify(records, null, 2)}\n`);
  return 0;
}
