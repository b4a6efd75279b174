/**
 * `heddle session-job`: what `heddle studio --on` runs on the other machine. It reads orders from its standard input, a
 * line each, and ends with it.
 */
import { createInterface } from "node:readline";
import type { ProgramEnd } from "../../session/events.ts";
import { reportOf } from "../../session/error-report.ts";
import { openNodeSession } from "../../session/platform-node.ts";
import { decodeWithBytes, encodeMessage, type ServerMessage } from "../../session/server-messages.ts";
import type { SessionRun } from "../../session/session-run.ts";
import { MARK } from "../remote/connection.ts";
import type { SessionOrder } from "../remote/protocol.ts";

export async function sessionJobCommand(): Promise<number> {
  const session = openNodeSession();
  const runs = new Map<number, SessionRun<ProgramEnd>>();
  const say = (message: ServerMessage): void => void process.stdout.write(`${MARK}${encodeMessage(message)}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const order = decodeWithBytes(line) as SessionOrder;
    const { id } = order;
    if (order.kind === "stop") {
      runs.get(id)?.stop();
      continue;
    }
    const run = session.start(order.request, (event) => say({ kind: "event", id, event }));
    runs.set(id, run);
    void run.result
      .then(
        (end) => say({ kind: "result", id, end }),
        (error: unknown) => say({ kind: "failed", id, report: reportOf(error) }),
      )
      .finally(() => runs.delete(id));
  }
  for (const run of runs.values()) run.stop();
  return 0;
}
