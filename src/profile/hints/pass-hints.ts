/** Hints about data that is read again: by another loop of the kernel, and by another kernel. */
import { requestMetric, sectorMetric } from "../access-metrics.ts";
import { LEAST_GAIN, percent, type Finding, type HintInput } from "./hint.ts";
import { passesOf } from "./passes.ts";

const LOAD = { space: "global", operation: "load" } as const;

/** Several loops of a kernel go through the same data. */
export function repeatedPassHints({ launch, metrics, model }: HintInput): Finding[] {
  const passes = passesOf(launch, metrics);
  const [worst] = passes.toSorted((a, b) => b.again.ideal - a.again.ideal);
  const second = worst?.loops[1];
  if (worst === undefined || second === undefined) return [];
  const sum = (of: "requests" | "sectors"): number => passes.reduce((all, { again }) => all + again[of], 0);
  const [requests, sectors] = [sum("requests"), sum("sectors")];
  const [requestName, sectorName] = [requestMetric(LOAD), sectorMetric(LOAD)];
  const gain = model.gain({
    inOnePass: true,
    metrics: {
      [requestName]: (metrics[requestName] ?? 0) - requests,
      [sectorName]: (metrics[sectorName] ?? 0) - sectors,
    },
    waits: { loads: launch.waits.loads * (1 - requests / Math.max(1, metrics[requestName] ?? 0)) },
  });
  if (gain < LEAST_GAIN) return [];
  const lines = [...new Set(worst.loops.map(({ line }) => line))];
  return [
    {
      kind: "repeated-passes",
      place: { file: second.file, line: second.line },
      what:
        `${worst.loops.length} loops go through the same data, one after the other ` +
        `(${lines.length > 1 ? "lines" : "line"} ${lines.join(", ")})`,
      cure:
        "keep the data in registers or in shared memory from one loop to the next, with a block for as much as fits " +
        "there; or do in one loop what several do (sums and maxima can be kept up to date as data comes)",
      waste: 1 - 1 / worst.loops.length,
      gain,
    },
  ];
}

/** Less than this of what a kernel reads is no reason to join it with another. */
const MOST_OF_READS = 0.4;
/** Fewer bytes stay in L2, and are read in no time. */
const LEAST_BYTES = 1e6;

/** A kernel reads what the one before it wrote. */
export function separateKernelHints({ launch, metrics, model }: HintInput): Finding[] {
  const read = metrics["dram__bytes_read.sum"] ?? 0;
  const again = launch.touched.fromLaunchBefore;
  if (again < LEAST_BYTES || again < MOST_OF_READS * read) return [];
  const part = again / read;
  const left = (name: string): Record<string, number> => ({ [name]: (metrics[name] ?? 0) * (1 - part) });
  // The launch before need not write it either: of launches in a chain each writes about as much as it reads.
  const written = metrics["dram__bytes_write.sum"] ?? 0;
  const gain = model.gain({
    metrics: {
      ...left("dram__bytes_read.sum"),
      ...left(sectorMetric(LOAD)),
      ...left(requestMetric(LOAD)),
      "dram__bytes_write.sum": Math.max(0, written - again),
    },
    waits: { loads: launch.waits.loads * (1 - part) },
  });
  if (gain < LEAST_GAIN) return [];
  return [
    {
      kind: "separate-kernels",
      place: launch.source,
      what: `${percent(part)} of what this kernel reads was written by the launch before it`,
      cure:
        "let one kernel do the work of both, where a block needs only what it has made itself: what is between them " +
        "then stays in registers or shared memory",
      waste: part,
      gain,
    },
  ];
}

/** Less comes from DRAM a second time anyway. */
const MUCH_AGAIN = 1.5;

/** @param read bytes from DRAM, by the model of the caches; null: nobody asked it */
export function cacheHints({ launch, metrics, model }: HintInput, read: number | null): Finding[] {
  const different = metrics["dram__bytes_read.sum"] ?? 0;
  if (read === null || different === 0 || read < MUCH_AGAIN * different) return [];
  const gain = model.gain({ isReadOnce: true });
  if (gain < LEAST_GAIN) return [];
  return [
    {
      kind: "cache-misses",
      place: launch.source,
      what:
        `what is read comes from DRAM ${(read / different).toFixed(1)} times: ` +
        "the caches have no room for it until it is asked for again",
      cure:
        "let blocks that run at the same time work on the same data (number them along tiles), or go through it " +
        "once, with more of it in shared memory or in registers",
      waste: 1 - different / read,
      gain,
    },
  ];
}
