/** What a GPU took for the work of a program, as text for a terminal. */
import { counted } from "../../base/counted.ts";
import { percentText, shortNumber, timeText } from "../../report/numbers.ts";
import { bold, extents, occupancyRow, resourcesRow, wavesRow, type Row } from "../profile-text.ts";
import type { MeasuredKernel, MeasuredReport, MeasuredTimes, MeasuredTransfer } from "./measured-report.ts";

export interface MeasuredTextOptions {
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  readonly color: boolean;
}

const COUNTERS_ELSEWHERE =
  "a GPU runs kernels as they are, so nothing is counted: heddle profile without --device cuda counts what they do, " +
  "and --ncu FILE.csv shows the counters of Nsight Compute beside ours";

export function measuredText(report: MeasuredReport, options: MeasuredTextOptions): string {
  const { gpu, kernels, transfers, notRecorded, untimed } = report;
  const launches = kernels.reduce((sum, { count }) => sum + count, 0);
  const rest = [
    notRecorded === 0 ? null : `${counted(notRecorded, "further event")} not recorded`,
    untimed === 0 ? null : `${counted(untimed, "operation")} before a fault without a time`,
    COUNTERS_ELSEWHERE,
  ].filter((line) => line !== null);
  return [
    `heddle profile: ${counted(launches, "kernel launch", "kernel launches")}, measured by events on an ${gpu.name} ` +
      `(${gpu.computeCapability}, ${gpu.multiprocessors} multiprocessors)`,
    "",
    ...kernels.flatMap((kernel) => [...kernelLines(kernel, options), ""]),
    ...(transfers.length === 0 ? [] : [...transferLines(transfers), ""]),
    ...rest,
    "",
  ].join("\n");
}

function kernelLines(kernel: MeasuredKernel, options: MeasuredTextOptions): string[] {
  const { grid, block, count, localBytesPerThread } = kernel;
  const [resources, used] = resourcesRow(kernel);
  const local = localBytesPerThread === 0 ? "" : `, ${localBytesPerThread} bytes of local memory a thread`;
  const rows: Row[] = [timeRow(kernel), occupancyRow(kernel), [resources, `${used}${local}`], wavesRow(kernel)];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `${bold(options.readable(kernel.kernel), options)}  grid ${extents(grid)}, block ${extents(block)}, ` +
      counted(count, "launch", "launches"),
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
  ];
}

function timeRow(times: MeasuredTimes): Row {
  const { count, medianMs, minMs, maxMs, middleHalfMs, share } = times;
  const time = (ms: number): string => timeText(1000 * ms);
  const spread =
    count === 1
      ? ""
      : ` in the median, from ${time(minMs)} to ${time(maxMs)}, half of them within ${time(middleHalfMs)}`;
  return ["time", `${time(medianMs)}${spread}; ${percentText(share)} of the device's time`];
}

function transferLines(transfers: readonly MeasuredTransfer[]): string[] {
  const width = Math.max(...transfers.map(({ name }) => name.length));
  return transfers.map(({ name, count, bytes, totalMs }) => {
    const rate = totalMs === 0 ? "" : `, ${bytesText(bytes / (totalMs / 1000))}/s`;
    return `${name.padEnd(width)}  ${counted(count, "time")}, ${bytesText(bytes)}, ${timeText(1000 * totalMs)}${rate}`;
  });
}

function bytesText(bytes: number): string {
  const text = shortNumber(bytes);
  return /\d$/.test(text) ? `${text} B` : `${text}B`;
}
