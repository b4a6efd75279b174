/**
 * `heddle bench-job FOLDER`: what `heddle bench --on` runs on the other machine. remote/agent.ts calls it, and passes
 * on what is written to FOLDER/events.jsonl.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import type { ResultRecord, Surroundings } from "../../bench/results.ts";
import type { SessionEvent } from "../../session/events.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { reportOf } from "../../session/error-report.ts";
import type { BenchEvent, BenchJob } from "../remote/protocol.ts";
import { version } from "../version.ts";

/** Progress goes through a network. */
const LEAST_MS_BETWEEN = 200;

const UNKNOWN: Pick<Surroundings, "commit" | "dirty"> = { commit: null, dirty: false };

export async function benchJobCommand([folder]: readonly string[]): Promise<number> {
  if (folder === undefined) throw new HeddleError("bad-arguments", "heddle bench --on calls this command");
  const path = join(folder, "events.jsonl");
  const write = (event: BenchEvent): void => appendFileSync(path, `${JSON.stringify(event)}\n`);
  const { settings, ladders } = JSON.parse(readFileSync(join(folder, "job.json"), "utf8")) as BenchJob;
  const finished = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { record: ResultRecord }).record);
  let lastProgress = 0;
  const handle = (event: SessionEvent): void => {
    if (event.kind === "device") write({ begin: event.about });
    if (event.kind === "result") write({ record: event.record });
    if (event.kind === "output") write({ print: new TextDecoder().decode(event.bytes) });
    if (event.kind !== "progress" || Date.now() - lastProgress < LEAST_MS_BETWEEN) return;
    lastProgress = Date.now();
    write({ progress: [event.part, event.what] });
  };
  const origin = (file: string): Pick<Surroundings, "commit" | "dirty"> => {
    const { commit, dirty } = ladders.find((ladder) => ladder.file === relative(process.cwd(), file)) ?? UNKNOWN;
    return { commit, dirty };
  };
  try {
    const run = openNodeSession({ version: version(), origin }).start(
      { kind: "bench", ladders: ladders.map(({ file }) => ({ file: resolve(file) })), settings, finished },
      handle,
    );
    process.on("SIGINT", () => run.stop());
    await run.result;
    write({ end: "finished" });
  } catch (error) {
    write(error instanceof Interrupted ? { end: "interrupted" } : { error: reportOf(error) });
  }
  return 0;
}
