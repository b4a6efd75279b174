/** Times of what a program's devices do, by kernel and by scope. */
import { demangle } from "../base/demangle.ts";
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions } from "../base/options.ts";
import { chromeTrace } from "../profile/timeline/chrome-trace.ts";
import {
  operationRows,
  operationTable,
  type OperationRow,
  type OperationTableOptions,
} from "../profile/timeline/operation-table.ts";
import type { Timeline } from "../profile/timeline/timeline.ts";
import { LibraryRecording, replaceRecording } from "./recording.ts";

/** What a profiler has recorded. */
export interface RecordedTimes {
  readonly timeline: Timeline;
  /** The rows of the table, as data. @throws HeddleError "bad-arguments" for an unknown option */
  operations(options?: OperationTableOptions): OperationRow[];
  /**
   * A table as text: calls, and the total, mean, least and greatest time of each kernel and each kind of copy, and its
   * share of the time of all devices.
   *
   *     recorded.table()                                        // by operation, the longest first
   *     recorded.table({ by: "scope", sortBy: "calls", limit: 20 })
   */
  table(options?: OperationTableOptions): string;
  /** Writes a trace for Perfetto (ui.perfetto.dev) and chrome://tracing. @throws HeddleError "io-error" */
  exportTrace(path: string): Promise<void>;
}

/**
 * Records the launches, copies and fills of all devices of this process, from `start` to `stop`.
 *
 *     import { profiler } from "heddle/profile";
 *
 *     profiler.start();
 *     await profiler.scope("forward", () => forward(x));
 *     const recorded = await profiler.stop();
 *     console.log(recorded.table());
 *     await recorded.exportTrace("trace.json");
 *
 * On a GPU the times are those of events around each operation. Those of an emulated device are of the emulation.
 */
export interface TimeProfiler {
  /** @throws HeddleError "bad-arguments" if it runs already */
  start(): void;
  /** Waits for all devices, and ends the recording. @throws HeddleError "bad-arguments" if it does not run */
  stop(): Promise<RecordedTimes>;
  /**
   * Runs `body` in a named scope: its launches belong to the scope. Scopes nest. Without a recording only `body` runs.
   *
   * @returns what `body` returns
   */
  scope<T>(name: string, body: () => T): T;
}

/** @param writeText writes a file */
export function createProfiler(writeText: (path: string, text: string) => Promise<void>): TimeProfiler {
  let recording: LibraryRecording | null = null;
  return {
    start() {
      if (recording !== null)
        throw new HeddleError("bad-arguments", "the profiler runs already", {
          notes: ["await profiler.stop() first; profiler.scope(name, body) names a part of a recording"],
        });
      recording = new LibraryRecording();
      replaceRecording(recording);
    },
    async stop() {
      if (recording === null)
        throw new HeddleError("bad-arguments", "the profiler does not run", { notes: ["call profiler.start() first"] });
      const own = recording;
      recording = null;
      replaceRecording(null);
      return recordedTimes(await own.finish(), writeText);
    },
    scope(name, body) {
      if (recording === null) return body();
      const end = recording.recorder.ranges.open({ name, domain: null, category: null, color: null, payload: null });
      let result: ReturnType<typeof body>;
      try {
        result = body();
      } catch (error) {
        end();
        throw error;
      }
      if (!(result instanceof Promise)) {
        end();
        return result;
      }
      return result.finally(end) as typeof result;
    },
  };
}

function recordedTimes(timeline: Timeline, writeText: (path: string, text: string) => Promise<void>): RecordedTimes {
  const checked = (options: OperationTableOptions): OperationTableOptions => {
    checkOptions<OperationTableOptions>("table", options, { by: true, sortBy: true, limit: true });
    return options;
  };
  return {
    timeline,
    operations: (options = {}) => operationRows(timeline, checked(options), demangle),
    table: (options = {}) => operationTable(timeline, checked(options), demangle),
    exportTrace: (path) => {
      const trace = chromeTrace(timeline, { readable: demangle, report: null, program: "the program" });
      return writeText(path, `${JSON.stringify(trace)}\n`);
    },
  };
}
