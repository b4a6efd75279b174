/** `heddle bench --promote`: writes the winners of results beside their ladders. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ladderName, loadLadder } from "../kernel-library/ladder-files-node.ts";
import { readWinners, writeWinners } from "../kernel-library/winner-file-node.ts";
import { winnerOf } from "../bench/promotion.ts";
import { winnerAt, withWinner } from "../kernel-library/winners.ts";
import { type ResultRecord } from "../bench/results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { keyOf } from "../kernel-library/search-space.ts";
import { includedFiles } from "../kernel-library/included-files-node.ts";

const isNotTriton =
  (folder: string) =>
  (version: string): boolean =>
    !existsSync(join(folder, `${version}.py`));

/** @returns the line that says what was done. */
export function promote(folder: string, record: ResultRecord): string {
  const winner = winnerOf(record, isNotTriton(folder));
  const { kind, name } = record.surroundings.device;
  const what = `${record.ladder} ${shapeText(record.shape)} on ${kind} ${name}`;
  if (winner === null) return `${what}: no version is right and timed, nothing is promoted\n`;
  const winners = readWinners(folder);
  const there = winnerAt(winners, winner);
  // A run of some versions (--only) says nothing of the others.
  if (
    there !== null &&
    there.medianMs < winner.medianMs &&
    !record.versions.some(({ version }) => version === there.version)
  ) {
    return `${what}: ${there.version} stays, which is faster than ${winner.version} and was not in this run\n`;
  }
  writeWinners(folder, withWinner(winners, winner));
  const promoted = [winner.version, keyOf(winner.configuration)].filter((part) => part !== "").join(" ");
  return `${what}: ${promoted} is promoted\n`;
}

/** Promotes recorded results, the latest last; nothing of a kernel that has changed since. */
export async function promoteRecorded(records: readonly ResultRecord[], files: readonly string[]): Promise<string> {
  let lines = "";
  for (const file of files) {
    const own = records.filter(({ ladder }) => ladder === ladderName(file));
    if (own.length === 0) continue;
    const { versions } = await loadLadder(file, (source) => includedFiles(source, []));
    for (const record of own) {
      const winner = winnerOf(record, isNotTriton(dirname(file)));
      const isSame =
        winner === null || versions.some(({ name, hash }) => name === winner.version && hash === winner.source);
      lines += isSame
        ? promote(dirname(file), record)
        : `${record.ladder} ${shapeText(record.shape)}: ${winner.version} has changed since it was measured, ` +
          `nothing is promoted\n`;
    }
  }
  return lines;
}
