/**
 * What `heddle bench` shows and records of results, on this machine and on others: the table, the file of results, the
 * baseline, winners, reports, the exit code.
 */
import { benchPage } from "../bench/bench-page.ts";
import { formatChanges } from "../bench/report-history.ts";
import { formatLadder, formatSurroundings, type Paint } from "../bench/report-table.ts";
import { appendResult, readResults } from "../bench/result-file-node.ts";
import { compareResults, isComparable } from "../bench/compare-results.ts";
import type { ResultRecord, Surroundings } from "../bench/results.ts";
import { sourceLines } from "../library/source-lines-node.ts";
import type { SessionEvent } from "../session/events.ts";
import type { BenchCommand } from "./options/bench-options.ts";
import { ExitCode } from "./exit-codes.ts";
import { progressBar } from "./progress-bar.ts";
import { promote } from "./promote.ts";
import { writeOutput } from "./write-output.ts";

export class BenchReport {
  readonly #command: BenchCommand;
  readonly #paint: Paint;
  /** The folder of each ladder. */
  readonly #folders: ReadonlyMap<string, string>;
  /** The name of the machine, where it is not this one. */
  readonly #place: string | null;
  readonly #bar = progressBar();
  readonly #records: ResultRecord[] = [];
  readonly #before: readonly ResultRecord[];
  #slower = false;

  constructor(
    command: BenchCommand,
    paint: Paint,
    { folders, place }: { readonly folders: ReadonlyMap<string, string>; readonly place: string | null },
  ) {
    this.#command = command;
    this.#paint = paint;
    this.#folders = folders;
    this.#place = place;
    this.#before = command.baseline === null && place === null ? [] : readResults(command.results);
  }

  /** Shows an event of the bench. */
  readonly handle = (event: SessionEvent): void => {
    switch (event.kind) {
      case "device":
        return this.#begin(event.about);
      case "progress":
        return this.#bar.show(event.part, event.what);
      case "output":
        // What kernels print is not part of the table.
        this.#bar.clear();
        process.stderr.write(event.bytes);
        return;
      case "result":
        return this.#record(event.record);
    }
  };

  #begin(about: Surroundings): void {
    const place = this.#place === null ? "" : `on ${about.machine.host}: `;
    this.#say(`${this.#paint(`${place}${formatSurroundings(about)}`, "dim")}\n`);
  }

  #record(record: ResultRecord): void {
    this.#records.push(record);
    const { keep, checkOnly, results } = this.#command;
    // A connection that was lost may have brought it already.
    const isRecorded = this.#place !== null && this.#before.some((other) => isSame(other, record));
    if (keep && !checkOnly && !isRecorded) appendResult(results, record);
    this.#say(`\n${formatLadder(record, this.#paint)}`);
    this.#compare(record);
    const folder = this.#folders.get(record.ladder);
    if (this.#command.promote && folder !== undefined) this.#say(promote(folder, record));
  }

  /** Takes the progress bar away. */
  clear(): void {
    this.#bar.clear();
  }

  /** Writes what was asked for; returns the exit code. */
  finish(interrupted: boolean): number {
    this.clear();
    this.#writeReports();
    if (interrupted) {
      process.stderr.write("heddle: interrupted; finished ladders are recorded\n");
      return ExitCode.interrupted;
    }
    const bad = this.#records.some(
      ({ versions, rivals }) =>
        versions.some(({ verdict }) => verdict !== "ok") ||
        rivals.some(({ verdict }) => verdict !== "ok" && verdict !== "absent"),
    );
    return bad || this.#slower ? ExitCode.found : 0;
  }

  #compare(record: ResultRecord): void {
    const { baseline, results } = this.#command;
    if (baseline === null) return;
    const old = this.#before.findLast(
      (candidate) =>
        isComparable(candidate, record) &&
        !isSame(candidate, record) &&
        (baseline === "" || candidate.surroundings.commit?.startsWith(baseline) === true),
    );
    if (old === undefined) {
      this.#say(
        `${record.ladder} has no earlier result${baseline === "" ? "" : ` of commit ${baseline}`} for this shape ` +
          `and device in ${results}\n`,
      );
      return;
    }
    const changes = compareResults(old, record);
    if (changes.some(({ verdict }) => verdict === "slower")) this.#slower = true;
    this.#say(formatChanges(record.ladder, old, changes, this.#paint));
  }

  /** The table; to stderr where JSON goes to stdout. */
  #say(text: string): void {
    this.#bar.clear();
    (this.#command.json === "-" ? process.stderr : process.stdout).write(text);
  }

  #writeReports(): void {
    const { json, html } = this.#command;
    const text = `${JSON.stringify(this.#records, null, 2)}\n`;
    if (json === "-") process.stdout.write(text);
    else if (json !== null) writeOutput(json, text, "--json");
    if (html !== null) writeOutput(html, benchPage(this.#records, sourceLines), "-o");
  }
}

/** Whether it is one and the same measurement. */
function isSame(a: ResultRecord, b: ResultRecord): boolean {
  return a.seed === b.seed && a.surroundings.time === b.surroundings.time && isComparable(a, b);
}
