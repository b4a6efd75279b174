/** A former result of `heddle profile --json`, read back to compare with. */
import { HeddleError } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import type { Metrics } from "../line-profile.ts";

/** What a comparison needs of a launch; launches of a profile have it, and more. */
export interface ComparableLaunch {
  /** Readable. */
  readonly name: string;
  readonly ordinal: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly metrics: Metrics;
  readonly lines: readonly ComparableLine[];
  /** By a model of the GPU; absent in profiles of earlier versions. */
  readonly predicted?: { readonly microseconds: number };
}

export interface ComparableLine {
  readonly file: string;
  readonly line: number;
  readonly metrics: Metrics;
  /** The source without the white space around; null: not known. */
  readonly text?: string | null;
}

export interface ComparableProfile {
  readonly gpu: { readonly name: string };
  readonly launches: readonly ComparableLaunch[];
}

type Json = Readonly<Record<string, unknown>>;

const NOTE = "heddle profile --json=FILE program.cu writes one";

/** @param file for messages. @throws HeddleError "bad-arguments" that says what the text is, or lacks */
export function parseBaseline(text: string, file: string): ComparableProfile {
  const fail = (what: string): never => {
    throw new HeddleError("bad-arguments", `${file} (--baseline) is not a profile to compare with: ${what}`, {
      notes: [NOTE],
    });
  };
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (error) {
    return fail(`it is no JSON (${(error as Error).message})`);
  }
  if (!isObject(root)) return fail("it is no JSON object");
  if ("traceEvents" in root) return fail("it is a trace, which -o FILE.json writes");
  if ("kernels" in root && !("launches" in root)) return fail("it has times of a GPU, and no counters");
  const { gpu, launches } = root;
  if (!isObject(gpu) || typeof gpu["name"] !== "string") return fail("gpu.name is missing");
  if (!Array.isArray(launches)) return fail("launches is missing");
  for (const [index, launch] of (launches as unknown[]).entries()) {
    const lacking = lackingOf(launch);
    if (lacking !== null) return fail(`launches[${index}].${lacking} is missing, or of another type`);
  }
  return root as unknown as ComparableProfile;
}

/** The first field that is not as it must be. */
function lackingOf(launch: unknown): string | null {
  if (!isObject(launch)) return "name";
  if (typeof launch["name"] !== "string") return "name";
  if (typeof launch["ordinal"] !== "number") return "ordinal";
  for (const extents of ["grid", "block"] as const) if (!isDim3(launch[extents])) return extents;
  if (!areMetrics(launch["metrics"])) return "metrics";
  const { lines, predicted } = launch;
  if (!Array.isArray(lines)) return "lines";
  const wrong = (lines as unknown[]).findIndex((line) => !isLine(line));
  if (wrong >= 0) return `lines[${wrong}]`;
  const isKnown = isObject(predicted) && typeof predicted["microseconds"] === "number";
  return predicted === undefined || isKnown ? null : "predicted.microseconds";
}

function isLine(line: unknown): boolean {
  return (
    isObject(line) &&
    typeof line["file"] === "string" &&
    typeof line["line"] === "number" &&
    areMetrics(line["metrics"]) &&
    ["string", "undefined"].includes(typeof (line["text"] ?? undefined))
  );
}

function isDim3(value: unknown): boolean {
  return isObject(value) && ["x", "y", "z"].every((axis) => typeof value[axis] === "number");
}

function areMetrics(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((one) => typeof one === "number");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
