/** What took how long: the operations of a timeline, added up by name or by scope. */
import {
  scopeOf,
  TENSOR_OPERATION,
  tensorOperationOf,
  type OperationKind,
  type Timeline,
  type TimelineOperation,
  type TimelineRange,
} from "./timeline.ts";

export interface OperationRow {
  /**
   * Of a kernel its readable name. Of a scope the names of the ranges around it: "forward / attention". Of an operation
   * of tensors its name, and the shapes that it was given: "matmul [64, 784] [784, 128]".
   */
  readonly name: string;
  readonly kind: OperationKind | "scope" | "tensor operation";
  readonly calls: number;
  /** Time of devices. Of a scope: of all work that was asked for in it, inner scopes included. */
  readonly totalMs: number;
  readonly meanMs: number;
  /** Of one operation, also for a scope. */
  readonly minMs: number;
  readonly maxMs: number;
  /** `totalMs` over the time of all operations, from 0 to 1. */
  readonly share: number;
  /** Of a scope, or of an operation of tensors: how long the host was in it. null: neither. */
  readonly hostMs: number | null;
}

export type OperationOrder = "total" | "mean" | "max" | "calls" | "name";

export interface OperationTableOptions {
  /**
   * "operation": a row for each kernel and kind of copy. "scope": a row for each scope, with its operations below.
   * "tensor": a row for each operation of tensors and the shapes that it was given, with its kernels below.
   */
  readonly by?: "operation" | "scope" | "tensor";
  /** Largest first; names by the alphabet. Default "total". */
  readonly sortBy?: OperationOrder;
  /** Rows; default: all. */
  readonly limit?: number;
}

/** Work that takes time of a device, as against functions of the host on a stream. */
export function deviceOperations({ operations }: Timeline): readonly TimelineOperation[] {
  return operations.filter(({ kind }) => kind !== "host function");
}

/** @param readable a mangled name as a programmer reads it */
export function operationRows(
  timeline: Timeline,
  { by = "operation", sortBy = "total", limit = Infinity }: OperationTableOptions,
  readable: (name: string) => string,
): OperationRow[] {
  const operations = deviceOperations(timeline);
  const allMs = operations.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const order = orderOf(sortBy);
  const rowsOf = (own: readonly TimelineOperation[]): OperationRow[] =>
    [...groupBy(own, ({ kind, name }) => `${kind} ${name}`).values()]
      .map((same) => {
        const { kind, name } = same[0] as TimelineOperation;
        return row(readable(name), kind, same, { allMs, calls: same.length, hostMs: null });
      })
      .sort(order);
  if (by === "operation") return rowsOf(operations).slice(0, limit);
  const groups = by === "tensor" ? tensorRows(timeline, operations, allMs) : scopeRows(timeline, operations, allMs);
  return groups
    .sort((a, b) => order(a.row, b.row))
    .flatMap(({ row: scope, direct }) => [scope, ...rowsOf(direct)])
    .slice(0, limit);
}

/** A row, and the work whose rows stand below it. */
interface Group {
  readonly row: OperationRow;
  readonly direct: readonly TimelineOperation[];
}

/** Each operation of tensors that was called, with the work that it asked for. */
function tensorRows(timeline: Timeline, operations: readonly TimelineOperation[], allMs: number): Group[] {
  const nameOf = (range: number | null): string => {
    const found = tensorOperationOf(timeline, range);
    return found === null ? WITHOUT_TENSORS : `${found.name} ${found.shapes}`.trimEnd();
  };
  const work = groupBy(operations, ({ range }) => nameOf(range));
  const called = groupBy(
    timeline.ranges.map((range, place) => ({ range, place })).filter(({ range }) => isTensorOperation(range)),
    ({ place }) => nameOf(place),
  );
  const rows = [...called].map(([name, calls]): Group => {
    const direct = work.get(name) ?? [];
    const hostMs = calls.reduce((sum, { range }) => sum + range.durationMs, 0);
    return { row: row(name, TENSOR_OPERATION, direct, { allMs, calls: calls.length, hostMs }), direct };
  });
  const others = work.get(WITHOUT_TENSORS) ?? [];
  if (others.length === 0) return rows;
  const rest = row(WITHOUT_TENSORS, TENSOR_OPERATION, others, { allMs, calls: others.length, hostMs: null });
  return [...rows, { row: rest, direct: others }];
}

const isTensorOperation = ({ category }: TimelineRange): boolean => category === TENSOR_OPERATION;
const isGroup = ({ kind }: OperationRow): boolean => kind === "scope" || kind === TENSOR_OPERATION;

/** Each scope with the work in it, and the work directly in it. */
function scopeRows(timeline: Timeline, operations: readonly TimelineOperation[], allMs: number): Group[] {
  const { ranges } = timeline;
  const paths = ranges.map((_, place) => scopeOf(timeline, place).join(SEPARATOR));
  // An operation of tensors outside of all scopes has the path of none.
  const direct = groupBy(operations, ({ range }) => (range === null ? OUTSIDE : paths[range] || OUTSIDE));
  const scopes = groupBy(
    ranges
      .map((range, place) => ({ range, path: paths[place] as string }))
      .filter(({ range }) => range.kind === "nested" && !isTensorOperation(range)),
    ({ path }) => path,
  );
  const rows = [...scopes].map(([path, entered]) => {
    const inner = [...direct].filter(([other]) => other === path || other.startsWith(`${path}${SEPARATOR}`));
    const hostMs = entered.reduce((sum, { range }) => sum + range.durationMs, 0);
    return {
      row: row(
        path,
        "scope",
        inner.flatMap(([, own]) => own),
        { allMs, calls: entered.length, hostMs },
      ),
      direct: direct.get(path) ?? [],
    };
  });
  const outside = direct.get(OUTSIDE) ?? [];
  if (outside.length === 0) return rows;
  return [...rows, { row: row(OUTSIDE, "scope", outside, { allMs, calls: 1, hostMs: null }), direct: outside }];
}

const SEPARATOR = " / ";
const OUTSIDE = "(no scope)";
const WITHOUT_TENSORS = "(no operation of tensors)";

function row(
  name: string,
  kind: OperationRow["kind"],
  operations: readonly TimelineOperation[],
  { allMs, calls, hostMs }: { readonly allMs: number } & Pick<OperationRow, "calls" | "hostMs">,
): OperationRow {
  const times = operations.map(({ durationMs }) => durationMs);
  const totalMs = times.reduce((sum, ms) => sum + ms, 0);
  return {
    name,
    kind,
    calls,
    totalMs,
    meanMs: calls === 0 ? 0 : totalMs / calls,
    minMs: times.reduce((least, ms) => Math.min(least, ms), times[0] ?? 0),
    maxMs: times.reduce((most, ms) => Math.max(most, ms), 0),
    share: allMs === 0 ? 0 : totalMs / allMs,
    hostMs,
  };
}

function orderOf(sortBy: OperationOrder): (a: OperationRow, b: OperationRow) => number {
  const byName = (a: OperationRow, b: OperationRow): number => (a.name < b.name ? -1 : Number(a.name > b.name));
  const key = { total: "totalMs", mean: "meanMs", max: "maxMs", calls: "calls", name: null }[sortBy] as
    | "totalMs"
    | "meanMs"
    | "maxMs"
    | "calls"
    | null;
  return key === null ? byName : (a, b) => b[key] - a[key] || byName(a, b);
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  return groups;
}

const HEAD = ["Name", "Device %", "Device total", "Device avg", "Device min", "Device max", "Host total", "# of Calls"];

/** The rows as text, and below them the sum. */
export function operationTable(
  timeline: Timeline,
  options: OperationTableOptions,
  readable: (name: string) => string,
): string {
  const isGrouped = options.by === "scope" || options.by === "tensor";
  const rows = operationRows(timeline, options, readable);
  const columns = HEAD.map((_, column) => column).filter((column) => isGrouped || HEAD[column] !== "Host total");
  const cells = rows.map((one) => cellsOf(one, isGrouped && !isGroup(one)));
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...cells.map((all) => (all[column] as string).length)),
  );
  const line = (all: readonly string[]): string =>
    columns
      .map((column) => {
        const [cell, width] = [all[column] as string, widths[column] as number];
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = columns.map((column) => "-".repeat(widths[column] as number)).join("  ");
  const allMs = deviceOperations(timeline).reduce((sum, { durationMs }) => sum + durationMs, 0);
  const source = timeline.timeSource === "emulation" ? " (of the emulated device: it says nothing of a GPU)" : "";
  return [rule, line(HEAD), rule, ...cells.map(line), rule, `Device time total: ${time(allMs)}${source}`, ""].join(
    "\n",
  );
}

function cellsOf(row: OperationRow, isInner: boolean): string[] {
  const { name, share, totalMs, meanMs, minMs, maxMs, hostMs, calls } = row;
  return [
    `${isInner ? "  " : ""}${name}`,
    `${(100 * share).toFixed(2)} %`,
    ...[totalMs, meanMs].map(time),
    ...(isGroup(row) ? ["", ""] : [minMs, maxMs].map(time)),
    hostMs === null ? "" : time(hostMs),
    String(calls),
  ];
}

function time(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(3)} s`;
  return ms >= 1 ? `${ms.toFixed(3)} ms` : `${(ms * 1000).toFixed(3)} µs`;
}
