/** Our counters beside Nsight Compute's, as text for a terminal. */
import { counted } from "../../base/counted.ts";
import { bold } from "../profile-text.ts";
import type { NcuPair, NcuReport } from "./compare-ncu.ts";

export interface NcuTextOptions {
  /** The file with ncu's counters. */
  readonly file: string;
  readonly color: boolean;
}

const CLOSE = 0.01;

export function ncuText({ kernels, notLaunched, notInNcu }: NcuReport, options: NcuTextOptions): string {
  const pairs = kernels.flatMap((kernel) => kernel.pairs).filter(isShared);
  const equal = pairs.filter(({ heddle, ncu }) => heddle === ncu).length;
  const close = pairs.filter((pair) => isClose(pair)).length;
  return [
    `beside Nsight Compute (${options.file}): ${counted(pairs.length, "counter")} of both, ${equal} equal, ` +
      `${close} within 1 %`,
    ...(notLaunched.length === 0 ? [] : [`  not launched in this run: ${[...new Set(notLaunched)].join(", ")}`]),
    ...(notInNcu === 0 ? [] : [`  ${counted(notInNcu, "launch", "launches")} of this run not in the file`]),
    "",
    ...kernels.flatMap(({ name, launches, pairs: all }) => [
      `${bold(name, options)}${launches === 1 ? "" : `, ${launches} launches`}`,
      ...rows(all.filter(isShared)),
      ...others(all.filter(({ heddle }) => heddle === null).length),
      "",
    ]),
  ].join("\n");
}

/** What neither side has says nothing. */
function isShared({ heddle, ncu }: NcuPair): boolean {
  return heddle !== null && (heddle !== 0 || ncu !== 0);
}

function isClose({ heddle, ncu }: NcuPair): boolean {
  return heddle !== null && Math.abs(heddle - ncu) <= CLOSE * Math.max(Math.abs(heddle), Math.abs(ncu));
}

function others(count: number): string[] {
  return count === 0 ? [] : [`  and ${counted(count, "counter")} that only Nsight Compute has (--json)`];
}

function rows(pairs: readonly NcuPair[]): string[] {
  if (pairs.length === 0) return [];
  const cells = [
    ["Heddle", "ncu", "", "counter"],
    ...pairs.map(({ metric, heddle, ncu, difference }) => [
      figure(heddle ?? 0),
      figure(ncu),
      heddle === ncu ? "equal" : differenceText(difference),
      metric,
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return cells.map((row) => {
    const padded = row.map((cell, column) => (column < 3 ? cell.padStart(widths[column] as number) : cell));
    return `  ${padded.join("  ")}`.trimEnd();
  });
}

function figure(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(5);
}

function differenceText(difference: number | null): string {
  if (difference === null) return "";
  const percent = 100 * Math.abs(difference);
  const digits = percent >= 10 ? percent.toFixed(0) : percent.toPrecision(2);
  return `${difference < 0 ? "−" : "+"}${digits} %`;
}
