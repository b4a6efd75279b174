/** The command line of `heddle bench`. */
import { parseArgs } from "node:util";
import { HeddleError } from "../../base/diagnostics.ts";
import type { BenchSettings } from "../../session/request.ts";
import { RESULT_FILE } from "../../bench/result-file-node.ts";
import { parseDeviceKind } from "../../device/common/device-kind.ts";

export interface BenchCommand extends BenchSettings {
  readonly paths: readonly string[];
  /** To this file; "-" is stdout. */
  readonly json: string | null;
  readonly html: string | null;
  readonly results: string;
  readonly keep: boolean;
  readonly history: boolean;
  /** "" is the latest result, anything else the beginning of a commit. */
  readonly baseline: string | null;
  /** Write the best version of each ladder beside it. */
  readonly promote: boolean;
  /** Where it runs, if not here: `ssh://…`, `slurm…`. */
  readonly on: string | null;
}

const OPTIONS = {
  device: { type: "string" },
  gpu: { type: "string" },
  workers: { type: "string" },
  shape: { type: "string" },
  only: { type: "string" },
  "no-rivals": { type: "boolean" },
  "no-sweep": { type: "boolean" },
  "sweep-again": { type: "boolean" },
  check: { type: "boolean" },
  profile: { type: "boolean" },
  seed: { type: "string" },
  json: { type: "string" },
  output: { type: "string", short: "o" },
  results: { type: "string" },
  "no-keep": { type: "boolean" },
  history: { type: "boolean" },
  baseline: { type: "string" },
  promote: { type: "boolean" },
  on: { type: "string" },
} as const;

const ALONE: Readonly<Record<string, string>> = { "--json": "--json=-", "--baseline": "--baseline=" };

export function parseBenchCommand(args: readonly string[]): BenchCommand {
  // --json and --baseline stand alone or have a value after "="; parseArgs knows only one of the two.
  const spelled = args.map((argument) => ALONE[argument] ?? argument);
  let parsed;
  try {
    parsed = parseArgs({ args: spelled, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new HeddleError("bad-arguments", (error as Error).message, {
      notes: ["heddle bench --help shows the options"],
    });
  }
  const { values, positionals } = parsed;
  if (values.output !== undefined && !/\.html?$/.test(values.output))
    throw new HeddleError("bad-arguments", `-o writes a report as HTML; ${values.output} does not end in .html`, {
      notes: ["--json=FILE writes JSON"],
    });
  if (values.promote === true && (values.check === true || values.only !== undefined))
    throw new HeddleError(
      "bad-arguments",
      "--promote compares all versions of a ladder by their times: it goes with neither --check nor --only",
    );
  if (values.on !== undefined && values.history === true)
    throw new HeddleError(
      "bad-arguments",
      "--history shows the results recorded on this machine: it goes without --on",
    );
  return {
    paths: positionals,
    // Another machine is used for its GPU.
    device:
      values.on === undefined
        ? parseDeviceKind(values.device ?? process.env["HEDDLE_DEVICE"])
        : parseDeviceKind(values.device ?? "cuda"),
    gpu: values.gpu ?? null,
    workers: values.workers === undefined ? null : whole("--workers", values.workers, 1),
    shape: values.shape === undefined ? {} : parseShape(values.shape),
    only: values.only ?? null,
    rivals: values["no-rivals"] !== true,
    sweep: values["no-sweep"] !== true,
    sweepAgain: values["sweep-again"] === true,
    checkOnly: values.check === true,
    profile: values.profile === true,
    seed: values.seed === undefined ? null : whole("--seed", values.seed, 0),
    json: values.json ?? null,
    html: values.output ?? null,
    results: values.results ?? RESULT_FILE,
    keep: values["no-keep"] !== true,
    history: values.history === true,
    baseline: values.baseline ?? null,
    promote: values.promote === true,
    on: values.on ?? null,
  };
}

function whole(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new HeddleError("bad-arguments", `${flag} needs a whole number of at least ${least}, not "${text}"`);
  return value;
}

/** `rows=512,columns=1000` */
function parseShape(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [, name, value] = /^(\w+)=(\d+)$/.exec(part) ?? [];
      if (name === undefined || value === undefined)
        throw new HeddleError("bad-arguments", `--shape takes sizes such as rows=512,columns=1000, not "${text}"`);
      return [name, whole("--shape", value, 0)];
    }),
  );
}
