/** A dedicated worker of a browser that runs the compiler's tools; see tool-thread.ts. */
import { bug } from "../../base/diagnostics.ts";
import { Clang } from "./clang.ts";
import { carryOut, type ToolMessage } from "./tool-thread.ts";

let clang: Clang | null = null;
addEventListener("message", ({ data }: MessageEvent<ToolMessage>) => {
  if (data.kind === "load") {
    clang = new Clang(data.parts);
    return;
  }
  try {
    if (clang === null) bug("a tool was to run before it was loaded");
    postMessage(carryOut(clang, data.order, data.mailboxes, null));
  } catch (error) {
    postMessage({ kind: "failed", error });
  }
});
