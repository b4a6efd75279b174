/**
 * `heddle bench-job FOLDER`: the measuring of `heddle bench --on`, over there. Called by remote/agent.ts, which passes
 * on what is written to FOLDER/events.jsonl.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import type { ResultRecord } from "../../bench/results.ts";
import { benchHere, loadLadders } from "../bench-here.ts";
import type { BenchListener } from "../bench-report.ts";
import { reportOf } from "../error-report.ts";
import type { BenchEvent, BenchJob } from "../remote/protocol.ts";

/** Progress goes through a network. */
const LEAST_MS_BETWEEN = 200;

export async function benchJobCommand([folder]: readonly string[]): Promise<number> {
  if (folder === undefined) throw new HeddleError("bad-arguments", "heddle bench --on calls this command");
  const path = join(folder, "events.jsonl");
  const write = (event: BenchEvent): void => appendFileSync(path, `${JSON.stringify(event)}\n`);
  const { measuring, ladders } = JSON.parse(readFileSync(join(folder, "job.json"), "utf8")) as BenchJob;
  const finished = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { record: ResultRecord }).record);
  const interrupt = new AbortController();
  process.on("SIGINT", () => interrupt.abort());
  let lastProgress = 0;
  const listener: BenchListener = {
    begin: (about) => write({ begin: about }),
    progress: (part, what) => {
      if (Date.now() - lastProgress < LEAST_MS_BETWEEN) return;
      lastProgress = Date.now();
      write({ progress: [part, what] });
    },
    record: (record) => write({ record }),
    print: (text) => write({ print: text }),
  };
  try {
    const loaded = await loadLadders(
      ladders.map(({ file }) => resolve(file)),
      measuring,
    );
    await benchHere(measuring, loaded, listener, {
      signal: interrupt.signal,
      finished,
      origin: (file) => {
        const { commit, dirty } = ladders.find((ladder) => ladder.file === relative(process.cwd(), file)) ?? {
          commit: null,
          dirty: false,
        };
        return { commit, dirty };
      },
    });
    write({ end: "finished" });
  } catch (error) {
    write(error instanceof Interrupted ? { end: "interrupted" } : { error: reportOf(error) });
  }
  return 0;
}
