/** What the fuzzer found once must stay found: every kept case, in every executor. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Harness } from "../harness.ts";
import { createInterpreter } from "../interpreter/interpreter.ts";
import { createThreadExecutor } from "../thread-tier/thread-executor.ts";
import { createWarpExecutor } from "../warp-tier/warp-executor.ts";
import { compareExecutors, parseCase } from "./run-case.ts";

const folder = new URL("./cases/", import.meta.url);
const executors = [createInterpreter(), createThreadExecutor(), createWarpExecutor()];

test.each(readdirSync(folder))("%s", (name) => {
  const outcome = compareExecutors(parseCase(readFileSync(new URL(name, folder), "utf8")), executors, new Harness());
  expect(outcome.kind === "different" ? outcome.report : "").toBe("");
});
