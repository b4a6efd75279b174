/**
 * `heddle bench-job FOLDER`: what `heddle bench --on` runs on the other machine. remote/agent.ts calls it, and passes
 * on what is written to FOLDER/events.jsonl.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import type { ResultRecord } from "../../bench/results.ts";
import type { SessionEvent } from "../../session/events.ts";
import { BenchThread, StuckInLaunch } from "../../session/bench-thread-node.ts";
import { reportOf } from "../../session/error-report.ts";
import type { BenchRequest } from "../../session/request.ts";
import type { BenchEvent, BenchJob } from "../remote/protocol.ts";
import { endByInterrupt } from "../terminal.ts";
import { version } from "../version.ts";

/** Progress goes through a network. */
const LEAST_MS_BETWEEN = 200;

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
  const files = ladders.map(({ file }) => ({ file: resolve(file) }));
  const origins = ladders.map(({ file, commit, dirty }) => ({ file: resolve(file), commit, dirty }));
  const request: BenchRequest = { kind: "bench", ladders: files, settings, finished };
  try {
    const thread = new BenchThread(request, { version: version(), origins }, handle);
    process.on("SIGINT", () => thread.stop());
    await thread.result;
    write({ end: "finished" });
  } catch (error) {
    write(error instanceof Interrupted ? { end: "interrupted" } : { error: reportOf(error) });
    if (error instanceof StuckInLaunch) endByInterrupt();
  }
  return 0;
}
