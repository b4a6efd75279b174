/**
 * The counters that Nsight Compute prints as CSV (`ncu --csv`): a row for each launch and metric, or (`--page raw`) one
 * for each launch and a column for each metric.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";

export interface NcuLaunch {
  /** As ncu counts launches, from 0. */
  readonly id: string;
  /** As ncu writes it: `void reduce<(int)256>(float *)`. */
  readonly kernel: string;
  /** null: not in the table. */
  readonly grid: Dim3 | null;
  readonly block: Dim3 | null;
  /** Bytes, nanoseconds and plain numbers. */
  readonly metrics: Readonly<Record<string, number>>;
}

type Row = Readonly<Record<string, string>>;

/**
 * @param text what ncu printed: lines of the program and of ncu itself may stand before the table.
 * @param file for messages. @throws HeddleError "bad-arguments" where it has no counters
 */
export function parseNcuCsv(text: string, file: string): NcuLaunch[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.startsWith('"ID",'));
  if (start < 0)
    throw new HeddleError(
      "bad-arguments",
      `${file} (--ncu) has no table of Nsight Compute: no line begins with "ID",`,
      {
        notes: ["ncu --csv --metrics … ./program > FILE.csv prints one"],
      },
    );
  const head = cellsOf(lines[start] as string);
  const rows = lines
    .slice(start + 1)
    .filter((line) => line.startsWith('"'))
    .map((line): Row => {
      const cells = cellsOf(line);
      return Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""]));
    });
  const launches = head.includes("Metric Name") ? launchesOfRows(rows) : launchesOfColumns(head, rows);
  if (launches.some(({ metrics }) => Object.keys(metrics).length > 0)) return launches;
  throw new HeddleError("bad-arguments", `${file} (--ncu) has a table of Nsight Compute without counters`, {
    notes: ["where ncu may not read counters it says ERR_NVGPUCTRPERM: that needs administrator rights"],
  });
}

function launchesOfRows(rows: readonly Row[]): NcuLaunch[] {
  const launches = new Map<string, NcuLaunch & { readonly metrics: Record<string, number> }>();
  for (const row of rows) {
    const id = row["ID"] ?? "";
    const launch = launches.get(id) ?? { id, ...shapeOf(row), metrics: {} };
    launches.set(id, launch);
    const value = valueOf(row["Metric Value"] ?? "", row["Metric Unit"] ?? "");
    if (value !== null) launch.metrics[row["Metric Name"] as string] = value;
  }
  return [...launches.values()];
}

/** The first row has the units, and no ID. */
function launchesOfColumns(head: readonly string[], rows: readonly Row[]): NcuLaunch[] {
  const units = rows.find((row) => row["ID"] === "") ?? {};
  const names = head.filter((name) => /__|^memory_/.test(name));
  return rows
    .filter((row) => row["ID"] !== "")
    .map((row) => ({
      id: row["ID"] as string,
      ...shapeOf(row),
      metrics: Object.fromEntries(
        names.flatMap((name) => {
          const value = valueOf(row[name] ?? "", units[name] ?? "");
          return value === null ? [] : [[name, value]];
        }),
      ),
    }));
}

function shapeOf(row: Row): Pick<NcuLaunch, "kernel" | "grid" | "block"> {
  return { kernel: row["Kernel Name"] ?? "", grid: extentsOf(row["Grid Size"]), block: extentsOf(row["Block Size"]) };
}

/** "(32, 1, 1)" */
function extentsOf(text = ""): Dim3 | null {
  const [, x, y, z] = /^\((\d+), *(\d+), *(\d+)\)$/.exec(text) ?? [];
  return z === undefined ? null : { x: Number(x), y: Number(y), z: Number(z) };
}

/** A quote in a cell is doubled. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = ""]) => cell.replaceAll('""', '"'));
}

const SCALES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
/** Nanoseconds in a unit of time, by its beginnings in ncu's versions. */
const TIMES: readonly (readonly [RegExp, number])[] = [
  [/^n(s|second)$/, 1],
  [/^u(s|second)$/, 1e3],
  [/^m(s|second)$/, 1e6],
  [/^s(econd)?$/, 1e9],
];

/** null: no number ("n/a"). */
function valueOf(text: string, unit: string): number | null {
  const digits = text.replaceAll(",", "").trim();
  if (!/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(digits)) return null;
  const [, prefix] = /^([KMGT])byte/.exec(unit) ?? [];
  const scale = prefix === undefined ? TIMES.find(([name]) => name.test(unit))?.[1] : SCALES[prefix];
  return Number(digits) * (scale ?? 1);
}
