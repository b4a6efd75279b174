/** A profile as the studio shows it: kernels with figures, the heat of source lines, occupancy by block size. */
import { demangle } from "../../base/demangle.ts";
import { dim3Volume } from "../../base/dim3.ts";
import { flopsOf } from "../../profile/flops.ts";
import { extents, nameKernels } from "../../profile/page-kernel.ts";
import type { ProfiledLaunch, ProfileReport } from "../../profile/profile-report.ts";
import { sameLaunches } from "../../profile/same-launches.ts";
import { percentText, timeText } from "../../report/numbers.ts";
import type { RooflinePoint } from "../../report/plots.ts";

export interface KernelView {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly tiles: readonly { readonly name: string; readonly value: string }[];
  readonly units: readonly { readonly name: string; readonly value: number; readonly text: string }[];
  readonly hints: readonly {
    readonly what: string;
    readonly cure: string;
    readonly place: { readonly file: string; readonly line: number } | null;
  }[];
  readonly occupancy: {
    /** Threads of a block as launched. */
    readonly threads: number;
    readonly part: number;
    readonly limit: string;
    readonly curve: readonly { readonly threads: number; readonly part: number }[];
  };
  readonly point: RooflinePoint | null;
}

export interface ExplanationView {
  readonly gpu: string;
  readonly kernels: readonly KernelView[];
  readonly roofs: {
    readonly bytesPerSecond: number;
    readonly roofs: readonly { readonly name: string; readonly peak: number }[];
  };
  /** By file, by line: the line's part of the busiest kernel's work, from 0 to 1. */
  readonly heat: Readonly<Record<string, Readonly<Record<number, number>>>>;
}

export function explanationOf({ gpu, launches }: ProfileReport): ExplanationView {
  const kernels = nameKernels(sameLaunches(launches), demangle).map(({ id, name, count, first }): KernelView => {
    const { facts, predicted, hints, block, grid } = first;
    return {
      id,
      name,
      about: `grid ${extents(grid)}, block ${extents(block)}${count === 1 ? "" : `, ${count} launches`}`,
      tiles: [
        { name: "time, by a model of the GPU", value: timeText(predicted.microseconds) },
        { name: "limited by", value: predicted.limiter },
        { name: "occupancy", value: percentText(facts.occupancy.part) },
        { name: "registers a thread", value: String(facts.registersPerThread) },
      ],
      units: predicted.units
        .filter(({ share }) => share >= 0.01)
        .map(({ unit, microseconds, share }) => ({
          name: unit,
          value: share,
          text: `${percentText(share)}, ${timeText(microseconds)}`,
        })),
      hints: hints.map(({ what, cure, place }) => ({
        what,
        cure,
        place: place === null ? null : { file: fileName(place.file), line: place.line },
      })),
      occupancy: {
        threads: dim3Volume(block),
        part: facts.occupancy.part,
        limit: facts.occupancy.limit,
        curve: facts.byBlockSize,
      },
      point: rooflinePoint(id, name, first),
    };
  });
  const isDouble = launches.some(({ metrics }) => flopsOf(metrics).double > 0);
  return {
    gpu: gpu.name,
    kernels,
    roofs: {
      bytesPerSecond: gpu.peaks.dramBytesPerSecond,
      roofs: [
        { name: "fp32", peak: gpu.peaks.fp32FlopsPerSecond },
        ...(isDouble ? [{ name: "fp64", peak: gpu.peaks.fp64FlopsPerSecond }] : []),
      ],
    },
    heat: heatOf(launches),
  };
}

function rooflinePoint(id: string, name: string, { metrics, predicted }: ProfiledLaunch): RooflinePoint | null {
  const bytes = (metrics["dram__bytes_read.sum"] ?? 0) + (metrics["dram__bytes_write.sum"] ?? 0);
  const { single, double } = flopsOf(metrics);
  const flops = single + double;
  if (bytes === 0 || flops === 0) return null;
  return { name, intensity: flops / bytes, rate: flops / (predicted.microseconds * 1e-6), href: `#${id}` };
}

const INSTRUCTIONS = "smsp__inst_executed.sum";

/** A line's part of its kernel's warp instructions, or of its transactions with memory: the larger of the two. */
function heatOf(launches: readonly ProfiledLaunch[]): ExplanationView["heat"] {
  const heat: Record<string, Record<number, number>> = {};
  for (const { lines } of launches) {
    const rows = lines.map(({ file, line, metrics, accesses }) => ({
      file: fileName(file),
      line,
      instructions: metrics[INSTRUCTIONS] ?? 0,
      transactions: accesses.reduce((sum, access) => sum + access.transactions, 0),
    }));
    const all = { instructions: sum(rows, "instructions"), transactions: sum(rows, "transactions") };
    for (const { file, line, instructions, transactions } of rows) {
      const part = Math.max(instructions / Math.max(1, all.instructions), transactions / Math.max(1, all.transactions));
      const ofFile = (heat[file] ??= {});
      ofFile[line] = Math.max(ofFile[line] ?? 0, part);
    }
  }
  return heat;
}

function sum<K extends string>(rows: readonly Readonly<Record<K, number>>[], key: K): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

function fileName(path: string): string {
  return path.replace(/^(?:\.\/|\/work\/)+/, "");
}

/** Occupancy with another size of the block, from the curve. */
export function occupancyAt({ curve }: KernelView["occupancy"], threads: number): number {
  return curve.reduce(
    (nearest, point) => (Math.abs(point.threads - threads) < Math.abs(nearest.threads - threads) ? point : nearest),
    curve[0] ?? { threads: 0, part: 0 },
  ).part;
}
