/** A thread that runs the compiler's tools; see tool-thread.ts. */
import { bug } from "../../base/diagnostics.ts";
import { parentPort } from "node:worker_threads";
import { nodeSourceReader } from "./clang-loader-node.ts";
import { Clang } from "./clang.ts";
import type { ToolMessage } from "./tool-thread.ts";
import { carryOut } from "./tool-thread.ts";

let clang: Clang | null = null;
parentPort?.on("message", (message: ToolMessage) => {
  if (message.kind === "load") {
    clang = new Clang(message.parts);
    return;
  }
  try {
    if (clang === null) bug("a tool was to run before it was loaded");
    parentPort?.postMessage(carryOut(clang, message.order, message.mailboxes, nodeSourceReader));
  } catch (error) {
    parentPort?.postMessage({ kind: "failed", error });
  }
});
